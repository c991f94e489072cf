"""Partitions by a declared list of values: regions, tenants, currencies.

The list is fixed and ordered, and time says nothing about it: a run that names no value covers all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from functools import cached_property
from typing import Any, ClassVar

from airflow_provider.errors import ConfigError, DefinitionError, PartitionError
from airflow_provider.partitioning.config import PartitionConfig, check_column, is_blank
from airflow_provider.partitioning.grain import shown
from airflow_provider.partitioning.list_window import ListPartition, ListPartitionWindow
from airflow_provider.partitioning.names import component
from airflow_provider.partitioning.partition import Partition
from airflow_provider.partitioning.window import PartitionWindow

RANGE = ".."
EVERYTHING = "*"
_LISTED = 10


@dataclass(frozen=True, init=False)
class ListPartitionConfig(PartitionConfig):
    """Partitions by the values of a list.

    A row lies in the partition whose value its column holds: text that is equal, letter by letter; a date as its ISO
    form; a whole number as its digits. Other types, and columns that mix types, name no partition.

    Args:
        values: The values in their order, each a text that is not blank, once. Any character may stand in one, as long
            as it fits a path once encoded (200 bytes) and does not read as a range or a list of other values.
        column: The column whose value says which partition a row lies in.
        allow_window: Whether the asset takes several values in one call.

    Raises:
        DefinitionError: A bare text, or something without an order.
        ConfigError: No values, one of them twice, or one that cannot be a value; the value is named.
    """

    kind: ClassVar[str] = "list"

    values: tuple[str, ...]
    column: str
    allow_window: bool

    def __init__(self, values: Iterable[str], *, column: str, allow_window: bool = False) -> None:
        check_column(column, where="ListPartitionConfig")
        where = f"ListPartitionConfig(column={column!r})"
        put = object.__setattr__
        put(self, "values", tuple(_checked_values(values, where)))
        put(self, "column", column)
        put(self, "allow_window", bool(allow_window))
        for value in self.values:
            self._refuse_ambiguous(value, where)

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The place of each value, counted from 0."""
        return {value: position for position, value in enumerate(self.values)}

    @property
    def whole(self) -> ListPartitionWindow:
        """The window of all values."""
        return ListPartitionWindow.of(self.values)

    @property
    def examples(self) -> tuple[str, ...]:
        """The first value, and the range of the first values."""
        first = self.values[:1]
        return (*first, str(ListPartitionWindow.of(self.values[:3]))) if len(self.values) > 1 else first

    @property
    def described(self) -> str:
        """The first values."""
        more = f" and {len(self.values) - 3} more" if len(self.values) > 3 else ""
        return f"the list {', '.join(map(shown, self.values[:3]))}{more}"

    def partition(self, value: Any) -> ListPartition:
        """Return the partition of a declared value, or of a partition that is one."""
        if isinstance(value, Partition):
            return self.adopt(value.window).first
        if isinstance(value, str) and value in self.positions:
            return ListPartition(value)
        raise self._unknown(value, where=self._where)

    def window(self, start: Partition | str, end: Partition | str | None = None) -> ListPartitionWindow:
        """Return the values from one to another in the order of the list, both included."""
        first = self.partition(start).key
        return self._between(first, first if end is None else self.partition(end).key, where=self._where)

    def adopt(self, window: PartitionWindow) -> ListPartitionWindow:
        """Return the window as one of this list.

        Raises:
            PartitionError: Another kind of window, a value that is not declared, or values that do not follow one
                another in the list.
        """
        return self._adopted(window, where=self._where)

    def chosen(self, window: PartitionWindow, *, where: str) -> ListPartitionWindow:
        """Return any set of values, in the order of the list.

        Raises:
            PartitionError: Another kind of window, or a value that is not declared.
        """
        if not isinstance(window, ListPartitionWindow):
            raise PartitionError(
                f"{shown(str(window))} is a {type(window).__name__}, but the partitions are those of a list",
                where=where,
                fix=f"name values such as {self.examples[0]!r}",
            )
        for value in window.values:
            if value not in self.positions:
                raise self._unknown(value, where=where)
        return self._set_of(window.values)

    def clamp(self, window: PartitionWindow) -> ListPartitionWindow:
        """Return the window: a list has nothing outside."""
        return self.adopt(window)

    def parse(self, typed: object, *, where: str | None = None) -> tuple[ListPartitionWindow, ...]:
        """Read what a person typed.

        Args:
            typed: A value, ``first..last`` in the order of the list, values and ranges with commas between them,
                ``*`` for all, a window, a partition, or a list of those. A text that is a value means that value,
                whatever it holds; else text is stripped. Blanks are dropped, ``None`` is nothing.
            where: What the message is about.

        Returns:
            The windows, in order, neighbours joined; ``()`` where nothing was typed.

        Raises:
            PartitionError: Something that names no value of the list.
        """
        keys = self.parse_values(typed, where=where or self._where)
        return self._stretches({self.positions[key] for key in keys})

    def parse_values(self, typed: object, *, where: str) -> tuple[str, ...]:
        """Read what ``parse`` reads, as the values in the order of the list."""
        items = typed if isinstance(typed, (list, tuple)) else [typed]
        found = {key for item in items if not is_blank(item) for key in self._parse_one(item, where=where)}
        return self._set_of(found).values if found else ()

    def parse_run_key(self, text: str, *, where: str | None = None) -> ListPartitionWindow:
        """Read a partition key of a run or an event: a value, or a range of them."""
        where = where or self._where
        windows = self.parse(text, where=where)
        if len(windows) != 1:
            raise PartitionError(
                f"{shown(text)} is neither a value nor a range of values",
                where=where,
                fix=f"give a key such as {self.examples[0]!r}, or first..last",
            )
        return windows[0]

    def rank(self, partition: Partition) -> int:
        """Return the place of the partition's value in the list."""
        return self.positions[partition.key]

    def join(self, windows: Iterable[PartitionWindow]) -> tuple[ListPartitionWindow, ...]:
        """Join windows that overlap or touch; the result is in the order of the list and disjoint."""
        return self._stretches({self.positions[key] for window in windows for key in self.adopt(window).values})

    def spanning(self, partitions: Iterable[Partition]) -> ListPartitionWindow:
        """Return all values: a list is whole only with all of them."""
        return self.whole

    def completed_between(self, start: datetime, end: datetime) -> None:
        """Return ``None``: a list has no time."""

    def in_progress(self, instant: datetime) -> None:
        """Return ``None``: a list has no time."""

    def newest(self, now: datetime) -> None:
        """Return ``None``: a list has no time."""

    def expected(self, now: datetime) -> ListPartitionWindow:
        """Return all values."""
        return self.whole

    def compatible(self, other: PartitionConfig) -> bool:
        """Tell whether the other partitioning has the same values in the same order."""
        return isinstance(other, ListPartitionConfig) and self.values == other.values

    def to_definition(self) -> dict[str, Any]:
        """Return the partitioning as a JSON-able dict, with its ``kind``."""
        return {
            "kind": self.kind,
            "column": self.column,
            "values": list(self.values),
            "allow_window": self.allow_window,
        }

    @property
    def _where(self) -> str:
        return f"partitioning by the list of column {self.column!r}"

    @property
    def _naming(self) -> str:
        return f"window={self.examples[-1]!r}, or window='*' for all of them"

    def _adopted(self, window: PartitionWindow, *, where: str) -> ListPartitionWindow:
        own = self.chosen(window, where=where)
        if not own.is_range or own.keys != window.keys:
            raise PartitionError(
                f"the values {', '.join(map(shown, window.keys[:_LISTED]))} do not follow one another in the list",
                where=where,
                fix=f"give a stretch of {self._listed()}, or several windows",
            )
        return own

    def _check_ends(self, window: ListPartitionWindow, *, where: str) -> None:
        """A list has neither start nor end."""

    def _set_of(self, keys: Iterable[str]) -> ListPartitionWindow:
        """Return declared values as a window, in order."""
        places = sorted(self.positions[key] for key in keys)
        is_range = places[-1] - places[0] + 1 == len(places)
        return ListPartitionWindow.of(tuple(self.values[place] for place in places), is_range=is_range)

    def _stretches(self, places: Set[int]) -> tuple[ListPartitionWindow, ...]:
        """Return the windows of values that follow one another."""
        ends = [place for place in sorted(places) if place + 1 not in places]
        starts = [place for place in sorted(places) if place - 1 not in places]
        return tuple(
            ListPartitionWindow.of(self.values[start : end + 1]) for start, end in zip(starts, ends, strict=True)
        )

    def _between(self, first: str, last: str, *, where: str) -> ListPartitionWindow:
        start, end = self.positions[first], self.positions[last]
        if end < start:
            raise PartitionError(
                f"the range {first}..{last} ends before it starts: in the list, {last!r} comes first",
                where=where,
                fix=f"write {last}..{first}",
            )
        return ListPartitionWindow.of(self.values[start : end + 1])

    def _parse_one(self, item: object, *, where: str) -> tuple[str, ...]:
        if isinstance(item, Partition):
            item = item.window
        if isinstance(item, PartitionWindow):
            return self._adopted(item, where=where).values
        if not isinstance(item, str):
            raise PartitionError(
                f"{shown(item)} is a {type(item).__name__}, which names no partition",
                where=where,
                fix=f"give a value such as {self.examples[0]!r}, a range 'first..last', or a list of them",
            )
        if item in self.positions:
            return (str.__str__(item),)
        return self._read(item if any(self._ranges(item)) else item.strip(), where=where)

    def _read(self, text: str, *, where: str) -> tuple[str, ...]:
        """Read stripped text: a value, else a range, else several of them with commas in between, else all."""
        if text in self.positions:
            return (text,)
        ranges = list(self._ranges(text))
        if len(ranges) > 1:
            raise PartitionError(
                f"{shown(text)} may be any of the ranges {' and '.join(f'{a!r} to {b!r}' for a, b in ranges)}",
                where=where,
                fix="give the values as a list",
            )
        if ranges:
            return self._between(*ranges[0], where=where).values
        if self._is_several(text):
            return tuple(key for piece in text.split(",") for key in self._parse_one(piece, where=where))
        if text == EVERYTHING:
            return self.values
        raise self._unknown(text, where=where)

    def _ranges(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield each way to read text as ``first..last``."""
        at = text.find(RANGE)
        while at >= 0:
            first, last = self._named(text[:at]), self._named(text[at + len(RANGE) :])
            if first is not None and last is not None:
                yield first, last
            at = text.find(RANGE, at + 1)

    def _is_several(self, text: str) -> bool:
        """Tell whether text reads as values and ranges with commas between them."""
        pieces = text.split(",")
        return len(pieces) > 1 and all(self._named(piece) is not None or any(self._ranges(piece)) for piece in pieces)

    def _named(self, text: str) -> str | None:
        """Return the value that text is, as it stands or stripped; ``None`` where it is none."""
        return next((name for name in (text, text.strip()) if name in self.positions), None)

    def _refuse_ambiguous(self, value: str, where: str) -> None:
        """Refuse a value that a window of other values is written as, for one text would mean both."""
        others = self._is_several(value)
        if any(self._ranges(value)) or others:
            raise ConfigError(
                f"the value {shown(value)} reads as a {'list' if others else 'range'} of other values",
                where=where,
                fix="rename it, or the values in it",
            )

    def _unknown(self, value: object, *, where: str) -> PartitionError:
        close = get_close_matches(value, self.values, n=1) if isinstance(value, str) else []
        meant = f"; did you mean {close[0]!r}?" if close else ""
        return PartitionError(
            f"{shown(value)} is not among the values of {self.column!r}{meant}",
            where=where,
            fix=f"name one of {self._listed()}, or add it to the list",
        )

    def _listed(self) -> str:
        more = f" and {len(self.values) - _LISTED} more" if len(self.values) > _LISTED else ""
        return ", ".join(map(shown, self.values[:_LISTED])) + more


def _checked_values(values: object, where: str) -> Iterator[str]:
    if isinstance(values, (str, bytes, Set, Mapping)) or not isinstance(values, Iterable):
        what = "is one text, not a list of them" if isinstance(values, (str, bytes)) else "has no order"
        raise DefinitionError(f"values={shown(values)} {what}", where=where, fix="give a list of texts")
    seen: set[str] = set()
    for value in values:
        if not isinstance(value, str):
            raise ConfigError(
                f"the value {shown(value)} is a {type(value).__name__}, not text",
                where=where,
                fix=f"write {str(value)!r}",
            )
        if not value.strip():
            raise ConfigError(f"the value {shown(value)} is blank", where=where, fix="leave it out, or give it a name")
        if value in seen:
            raise ConfigError(f"the value {shown(value)} stands twice", where=where, fix="name each value once")
        try:
            component(value)
        except PartitionError as error:
            raise ConfigError(f"the value {error.what}", where=where, fix=error.fix) from error
        seen.add(value)
        yield str.__str__(value)
    if not seen:
        raise ConfigError("has no values", where=where, fix="name at least one")
