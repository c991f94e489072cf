r"""Keys of several parts: the parts joined with ``|``, in one way and no other.

A ``|`` inside a part is written ``\|`` and a ``\`` is written ``\\``, so that different parts never
give the same key: ``join_key(split_key(key)) == key`` and ``split_key(join_key(parts)) == parts``.
"""

from __future__ import annotations

from collections.abc import Iterable

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning.grain import shown

SEPARATOR = "|"
ESCAPE = "\\"


def join_key(parts: Iterable[str]) -> str:
    """Join the parts of a key."""
    return SEPARATOR.join(map(escaped, parts))


def split_key(key: str, *, where: str = "partition key") -> tuple[str, ...]:
    """Return the parts that `join_key` joined.

    Raises:
        PartitionError: No parts give this key.
    """
    parts = tuple(unescaped(part) for part in split_at(key, SEPARATOR))
    if join_key(parts) != key:
        raise PartitionError(
            f"{shown(key)} is no key of several parts",
            where=where,
            fix=rf"join the parts with {SEPARATOR}, and write \{SEPARATOR} and \\ for those characters in a part",
        )
    return parts


def escaped(part: str, more: str = "") -> str:
    r"""Write ``\``, ``|`` and the characters of ``more`` with a ``\`` before them."""
    for character in (ESCAPE, SEPARATOR, *more):
        part = part.replace(character, ESCAPE + character)
    return part


def unescaped(part: str) -> str:
    r"""Take every ``\`` away that stands before another character."""
    if ESCAPE not in part:
        return part
    characters = iter(part)
    return "".join(next(characters, character) if character == ESCAPE else character for character in characters)


def split_at(text: str, separator: str) -> list[str]:
    r"""Cut text at a character, but not where a ``\`` stands before it; the pieces keep their escapes."""
    if ESCAPE not in text:
        return text.split(separator)
    pieces, start, at = [], 0, 0
    while at < len(text):
        if text[at] == ESCAPE:
            at += 2
            continue
        if text[at] == separator:
            pieces.append(text[start:at])
            start = at + 1
        at += 1
    return [*pieces, text[start:]]
