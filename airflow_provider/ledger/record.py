"""What is known of one partition in one destination, as one line of JSON.

A commit record stands beside the data and is the truth; an attempt note only says how the last try went. Both are plain
values: they hold no secret, name their version, and ignore fields that a newer version added.
"""

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from typing import Any, Literal

from airflow_provider.errors import DataCorruptError

State = Literal["committed", "empty"]
Outcome = Literal["running", "ok", "failed", "superseded"]
Text = str | bytes

VERSION = 1
ADOPTED_FENCE = 0
"""Below every fence that a writer takes: adopted data never wins over a run, not even over one that began before."""
ERROR_LIMIT = 500
"""Longest error text that a note keeps, in characters."""


@dataclass(frozen=True)
class CommitRecord:
    """One committed partition.

    Attributes:
        asset: The asset's qualified key.
        destination: The destination's address.
        key: The partition's key; None is the unpartitioned whole.
        fence: The number that decides between writers; the highest wins.
        attempt: Identity of the attempt that wrote it.
        state: ``committed``, or ``empty`` for a partition known to hold nothing.
        rows: Rows stored; None for data that is not tabular.
        bytes: Size of the stored file; None where there is no file.
        sha256: Hash of the stored file; None where there is no file.
        types: Name of the type sidecar that goes with the file, or None.
        upstreams: Qualified key of each upstream -> the version of it that was read.
        checks: Outcomes of the checks, one mapping each.
        started_at: When the attempt started, ISO 8601 in UTC.
        committed_at: When it was committed, ISO 8601 in UTC.
        run: Where it ran (``dag_id``, ``run_id``, ``task_id``, ...); empty in plain Python.
        uri: Where the data is.
    """

    asset: str
    destination: str
    key: str | None
    fence: int
    attempt: str
    state: State = "committed"
    rows: int | None = None
    bytes: int | None = None
    sha256: str | None = None
    schema_fingerprint: str = ""
    code_fingerprint: str = ""
    upstreams: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[Mapping[str, Any], ...] = ()
    started_at: str = ""
    committed_at: str = ""
    run: Mapping[str, str] = field(default_factory=dict)
    uri: str = ""
    types: str | None = None
    version: int = VERSION

    def to_json(self) -> str:
        """The record as one line, keys sorted, without a line end."""
        return _dump({"type": "commit", **{name: getattr(self, name) for name in _RECORD_FIELDS}})

    @classmethod
    def from_json(cls, text: "Text", *, where: str) -> "CommitRecord":
        """Read a record back.

        Raises:
            DataCorruptError: ``text`` is not a commit record; the message names ``where``.
        """
        parsed = parse_line(text, where=where)
        if not isinstance(parsed, cls):
            raise _damaged("holds a note where a commit record is expected", where)
        return parsed


@dataclass(frozen=True)
class AttemptNote:
    """How one attempt at a partition went: advisory, so that failures can be seen."""

    asset: str
    destination: str
    key: str | None
    attempt: str
    outcome: Outcome
    error: str = ""
    at: str = ""
    run: Mapping[str, str] = field(default_factory=dict)
    version: int = VERSION

    def to_json(self) -> str:
        """The note as one line, keys sorted, without a line end; the error text is cut to ``ERROR_LIMIT``."""
        values = {name: getattr(self, name) for name in _NOTE_FIELDS}
        return _dump({"type": "attempt", **values, "error": self.error[:ERROR_LIMIT]})


@dataclass(frozen=True)
class UntrackedNote:
    """Data that was found without a commit record: it was there before the package, and is never due.

    Any commit record of the partition outweighs it.

    Attributes:
        asset: The asset's qualified key.
        destination: The destination's address.
        key: The partition's key; None is the unpartitioned whole.
        uri: Where the data is.
        bytes: Its size, where it is a file.
        at: When it was seen, ISO 8601 in UTC.
    """

    asset: str
    destination: str
    key: str | None
    uri: str = ""
    bytes: int | None = None
    at: str = ""
    version: int = VERSION

    def to_json(self) -> str:
        """The note as one line, keys sorted, without a line end."""
        return _dump({"type": "untracked", **{name: getattr(self, name) for name in _UNTRACKED_FIELDS}})


_SEAL = re.compile(r',"crc32":"([0-9a-f]{8})"\}\s*\Z')

Entry = CommitRecord | AttemptNote | UntrackedNote

_RECORD_FIELDS = frozenset(f.name for f in fields(CommitRecord))
_NOTE_FIELDS = frozenset(f.name for f in fields(AttemptNote))
_UNTRACKED_FIELDS = frozenset(f.name for f in fields(UntrackedNote))


def sealed(line: str) -> str:
    """A line of JSON with a checksum of itself as its last field: a bit that flips in it is found when it is read."""
    return f'{line[:-1]},"crc32":"{zlib.crc32(line.encode()):08x}"}}'


def parse_line(text: Text, *, where: str) -> Entry:
    """Read one line of an index or one record file.

    Args:
        text: The line. Unknown fields are ignored; a line without ``type`` is a commit record.
        where: File and line, for the error message.

    Raises:
        DataCorruptError: The line is not JSON, lacks a field that every version has, or is not what was sealed.
    """
    try:
        _check_seal(text)
        return entry_of(json.loads(text))
    except (ValueError, TypeError, AttributeError) as error:
        what = str(error) if isinstance(error, _FieldError) else f"is not a commit record ({type(error).__name__})"
        raise _damaged(what, where) from error


def entry_of(values: Mapping[str, Any]) -> Entry:
    """The entry that a line's parsed JSON stands for; unknown fields are ignored.

    Raises:
        TypeError, ValueError, AttributeError: It is no entry, or lacks a field that every version has.
    """
    kind = values.get("type", "commit")
    if not isinstance(values.get("key"), str | None):
        raise _FieldError("has a key that is no text")
    if kind == "attempt":
        return AttemptNote(**{name: value for name, value in values.items() if name in _NOTE_FIELDS})
    if kind == "untracked":
        return UntrackedNote(**{name: value for name, value in values.items() if name in _UNTRACKED_FIELDS})
    record = CommitRecord(**{name: value for name, value in values.items() if name in _RECORD_FIELDS})
    if type(record.fence) is not int:
        raise _FieldError("has a fence that is no number")
    object.__setattr__(record, "checks", tuple(record.checks))
    return record


def _check_seal(text: Text) -> None:
    line = text if isinstance(text, str) else text.decode()
    seal = _SEAL.search(line)
    if seal is not None and seal.group(1) != f"{zlib.crc32((line[: seal.start()] + '}').encode()):08x}":
        raise _FieldError("has changed since it was written: its checksum differs")


class _FieldError(ValueError):
    """A field that cannot be what it is."""


def utc_text(moment: datetime) -> str:
    """An aware ``moment`` as fixed-width ISO 8601 in UTC, so that texts sort as instants do."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _dump(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)


def _damaged(what: str, where: str) -> DataCorruptError:
    return DataCorruptError(
        what, where=where, fix="run `airflow-assets index rebuild`, or materialize the partition again"
    )
