"""One injective function from any text to one component of a path.

Rules of ``component`` (``decode`` is the inverse):

* ``a-z 0-9 _ . -`` stay; every other byte of the UTF-8 form, capitals too, becomes ``%XX``. Capitals in the result thus
  occur only behind ``%``, and two texts that differ in case alone stay apart on disks that ignore case.
* A whole time key (``2013-01-01T05+02:00``, ``2026-W10``) keeps ``T W Q +`` for the reader; only ``:`` is encoded.
  A text that differs from a time key in case alone has all its letters encoded, so that the two cannot meet.
* A first character ``.`` or ``_``, a last ``.``, the first letter of a Windows device name, and the dot of ``data.``
  are encoded, so that no text hides, climbs, or takes the place of our files (``_ledger``, ``_meta``, ``data.csv``).
"""

import re
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

from airflow_provider.errors import PartitionError

MAX_COMPONENT = 200
"""Longest component in bytes: file systems allow 255, and our own files add a suffix."""

_OFFSET = r"(?:[+-]\d{2}:\d{2}(?::\d{2})?)?"
_DAY_OR_HOUR = rf"-\d{{2}}(?:T\d{{2}}(?::\d{{2}})?{_OFFSET})?"
_TIME_KEY = re.compile(rf"\d{{4}}(?:-\d{{2}}(?:{_DAY_OR_HOUR})?|-W\d{{2}}|-Q\d)?", re.ASCII)
_TIME_KEY_ANY_CASE = re.compile(_TIME_KEY.pattern, re.ASCII | re.IGNORECASE)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)")
_LETTER = re.compile(r"[A-Za-z]")
_CAPITAL = re.compile(r"[A-Z]")
_SHOWN = 60


@lru_cache(maxsize=16384)
def component(text: str) -> str:
    """Encode a partition key, dataset or table as one path component.

    Raises:
        PartitionError: ``text`` is empty, is not valid Unicode, or is longer than ``MAX_COMPONENT`` bytes once encoded.
    """
    if _TIME_KEY.fullmatch(text):
        return text.replace(":", "%3A")
    encoded = _encode(text)
    if not encoded or len(encoded) > MAX_COMPONENT:
        what = "is empty" if not encoded else f"takes {len(encoded)} bytes in a path, of at most {MAX_COMPONENT}"
        raise refused(text, what)
    return encoded


def decode(name: str) -> str:
    """The text that ``component`` encoded as ``name``.

    Raises:
        PartitionError: No text encodes as ``name``: the file or folder is not ours.
    """
    try:
        text = unquote_to_bytes(name).decode("utf-8")
        if component(text) == name:
            return text
    except (UnicodeDecodeError, PartitionError):
        pass
    raise refused(name, "is not the name of a partition")


def _encode(text: str) -> str:
    try:
        quoted = quote(text, safe="").replace("~", "%7E")
    except UnicodeEncodeError as error:
        raise refused(text, "is not valid Unicode") from error
    letters = _LETTER if _TIME_KEY_ANY_CASE.fullmatch(text) else _CAPITAL
    # The capitals of an escape (%C3) must not be escaped again.
    parts = re.split(r"(%[0-9A-F]{2})", quoted)
    encoded = "".join(part if part.startswith("%") else letters.sub(_escape, part) for part in parts)
    if encoded.startswith("data."):
        encoded = "data%2E" + encoded[5:]
    if encoded.startswith((".", "_")) or _DEVICE.match(encoded):
        encoded = f"%{ord(encoded[0]):02X}{encoded[1:]}"
    return f"{encoded[:-1]}%2E" if encoded.endswith(".") else encoded


def _escape(match: re.Match[str]) -> str:
    return f"%{ord(match.group()):02X}"


def refused(text: str, what: str) -> PartitionError:
    """The error for a text that cannot be a component; ``what`` completes the sentence."""
    return PartitionError(
        f"{text[:_SHOWN]!r} {what}",
        where="path of a partition, dataset or table",
        fix="use a shorter, non-empty text; a key such as '2026-03-01' always fits",
    )
