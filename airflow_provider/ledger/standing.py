"""Which lines of an index file still count: the rest may go without changing what a reader makes of it.

Per destination and partition there stand the commit record of the highest fence, the latest attempt note, and the note
of untracked data while no record outweighs it. Lines stand as they were written: a field or a kind of entry that a
newer version added survives an older version's compaction.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airflow_provider.errors import DataCorruptError
from airflow_provider.ledger.record import Entry, entry_of, parse_line

Values = Mapping[str, Any]

_NEEDED = {
    "commit": frozenset({"asset", "destination", "key", "fence", "attempt"}),
    "attempt": frozenset({"asset", "destination", "key", "attempt", "outcome"}),
    "untracked": frozenset({"asset", "destination", "key"}),
}
_RANKED_BY = {"commit": ("fence", int), "attempt": ("at", str)}


@dataclass(frozen=True)
class Standing:
    """What counts of some lines.

    Attributes:
        found: The lines that count, with their parsed JSON, ordered by the first line of their partition.
        damaged: Number (from 1) of each line that is none, and what is wrong with it.
    """

    found: tuple[tuple[bytes, Values], ...]
    damaged: tuple[tuple[int, str], ...] = ()

    @property
    def lines(self) -> list[bytes]:
        """The lines that count, without line ends."""
        return [line for line, _ in self.found]

    @property
    def entries(self) -> list[Entry]:
        """The entries that count, without the kinds that this version does not know."""
        return [entry_of(values) for _, values in self.found if values.get("type", "commit") in _NEEDED]


def standing(lines: Iterable[bytes]) -> Standing:
    """Sort out which of ``lines`` count; any order and any repeats are fine."""
    best: dict[tuple[Any, ...], tuple[Any, bytes, Values]] = {}
    damaged: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        try:
            place, rank, values = _placed(line)
        except (ValueError, TypeError, AttributeError, KeyError):
            damaged.append((number, _why(line)))
            continue
        current = best.get(place)
        if current is None or rank >= current[0]:
            best[place] = (rank, line, values)
    tracked = {place[1:] for place in best if place[0] == "commit"}
    found = [
        (line, values)
        for place, (_, line, values) in best.items()
        if place[0] != "untracked" or place[1:] not in tracked
    ]
    return Standing(tuple(found), tuple(damaged))


def _placed(line: bytes) -> tuple[tuple[Any, ...], Any, Values]:
    """What a line is about, what decides between two about the same, and its values; raises for what is no entry."""
    values = json.loads(line)
    kind = values.get("type", "commit")
    needed = _NEEDED.get(kind)
    if needed is None:
        if not isinstance(kind, str):
            raise TypeError(kind)
        return ("", line), 0, values
    if not values.keys() >= needed:
        raise KeyError(kind)
    asset, destination, key = values["asset"], values["destination"], values["key"]
    texts = type(asset) is str and type(destination) is str and (key is None or type(key) is str)
    if not texts or type(values.get("checks", [])) is not list:
        raise TypeError(kind)
    rank: Any = 0
    if kind in _RANKED_BY:
        field, wanted = _RANKED_BY[kind]
        rank = values.get(field, "")
        if type(rank) is not wanted:
            raise TypeError(rank)
    return (kind, asset, destination, key), rank, values


def _why(line: bytes) -> str:
    try:
        parse_line(line, where="index")
    except DataCorruptError as error:
        return error.what
    return "has a field of the wrong type"


def whole_lines(content: bytes) -> Sequence[bytes]:
    """The lines of a file; what follows the last line end is torn, or being written, and left out."""
    return content.split(b"\n")[:-1]
