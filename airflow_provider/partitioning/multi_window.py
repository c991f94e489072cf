"""Partitions of several dimensions: one part of each, and windows that are a stretch of time times sets of values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from types import MappingProxyType

from airflow_provider.errors import DefinitionError, PartitionError
from airflow_provider.partitioning.keys import escaped, join_key, split_key
from airflow_provider.partitioning.list_window import ListPartitionWindow
from airflow_provider.partitioning.partition import Partition, TimePartition
from airflow_provider.partitioning.window import PartitionWindow, TimePartitionWindow


class MultiPartition(Partition):
    """One partition of each dimension: ``2026-01-01|eu``.

    Args:
        parts: Partition of each dimension by its column, in the order of the key's parts; two or more.
    """

    __slots__ = ("_columns", "_parts")

    _columns: tuple[str, ...]
    _parts: tuple[Partition, ...]

    def __init__(self, parts: Mapping[str, Partition]) -> None:
        _check_parts(parts, Partition)
        _set(self, tuple(parts), tuple(parts.values()))

    @classmethod
    def of(cls, columns: tuple[str, ...], parts: tuple[Partition, ...]) -> MultiPartition:
        """Return the partition of these parts; the fast way for those who know that they fit."""
        partition = object.__new__(cls)
        _set(partition, columns, parts)
        return partition

    @property
    def key(self) -> str:
        r"""The keys of the parts, joined with ``|``; in a part that is written ``\|``, and a ``\`` is ``\\``."""
        return join_key(part.key for part in self._parts)

    @property
    def parts(self) -> Mapping[str, Partition]:
        """The partition of each dimension by its column: ``partition.parts["region"].key``."""
        return MappingProxyType(dict(zip(self._columns, self._parts, strict=True)))

    @property
    def window(self) -> MultiPartitionWindow:
        """The window of this partition alone."""
        return MultiPartitionWindow.of(self._columns, tuple(part.window for part in self._parts))

    @property
    def time(self) -> TimePartition | None:
        """The part that is a stretch of time; ``None`` where all are lists."""
        return next((part for part in self._parts if isinstance(part, TimePartition)), None)

    def __getitem__(self, column: str) -> Partition:
        """Return the partition of one dimension.

        Raises:
            KeyError: No dimension has this column.
        """
        return self.parts[column]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MultiPartition):
            return NotImplemented
        return self._parts == other._parts and self._columns == other._columns

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return f"MultiPartition({dict(self.parts)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return MultiPartition.of, (self._columns, self._parts)


class MultiPartitionWindow(PartitionWindow):
    """Every combination of the partitions of its parts, the first dimension slowest.

    Args:
        parts: Window of each dimension by its column, in the order of the key's parts; two or more.
    """

    __slots__ = ("_columns", "_parts")

    _columns: tuple[str, ...]
    _parts: tuple[PartitionWindow, ...]

    def __init__(self, parts: Mapping[str, PartitionWindow]) -> None:
        _check_parts(parts, PartitionWindow)
        _set(self, tuple(parts), tuple(parts.values()))

    @classmethod
    def of(cls, columns: tuple[str, ...], parts: tuple[PartitionWindow, ...]) -> MultiPartitionWindow:
        """Return the window of these parts; the fast way for those who know that they fit."""
        window = object.__new__(cls)
        _set(window, columns, parts)
        return window

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the dimensions."""
        return self._columns

    @property
    def parts(self) -> Mapping[str, PartitionWindow]:
        """The window of each dimension by its column."""
        return MappingProxyType(dict(zip(self._columns, self._parts, strict=True)))

    @property
    def time(self) -> TimePartitionWindow | None:
        """The stretch of time; ``None`` where all parts are lists."""
        return next((part for part in self._parts if isinstance(part, TimePartitionWindow)), None)

    @property
    def first(self) -> MultiPartition:
        """The first of every part."""
        return MultiPartition.of(self._columns, tuple(part.first for part in self._parts))

    @property
    def last(self) -> MultiPartition:
        """The last of every part."""
        return MultiPartition.of(self._columns, tuple(part.last for part in self._parts))

    @property
    def partitions(self) -> tuple[MultiPartition, ...]:
        """Every combination."""
        return tuple(self)

    @property
    def keys(self) -> tuple[str, ...]:
        """The key of every combination."""
        return tuple(map("|".join, product(*(tuple(map(escaped, part.keys)) for part in self._parts))))

    def __iter__(self) -> Iterator[MultiPartition]:
        combinations = product(*(part.partitions for part in self._parts))
        return (MultiPartition.of(self._columns, parts) for parts in combinations)

    def __len__(self) -> int:
        return math.prod(map(len, self._parts))

    def __contains__(self, partition: object) -> bool:
        if isinstance(partition, MultiPartition):
            parts: tuple[object, ...] = tuple(partition.parts.values())
            if tuple(partition.parts) != self._columns:
                return False
        elif isinstance(partition, str):
            try:
                parts = split_key(partition)
            except PartitionError:
                return False
        else:
            return False
        return len(parts) == len(self._parts) and all(
            part in window for part, window in zip(parts, self._parts, strict=True)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MultiPartitionWindow):
            return NotImplemented
        return self._parts == other._parts and self._columns == other._columns

    def __hash__(self) -> int:
        return hash(self._parts)

    def __str__(self) -> str:
        return "|".join(map(_written, self._parts))

    def __repr__(self) -> str:
        return f"MultiPartitionWindow({dict(self.parts)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return MultiPartitionWindow.of, (self._columns, self._parts)


def _written(part: PartitionWindow) -> str:
    r"""Write one part as it is typed; a comma inside a value of several is ``\,``."""
    if not isinstance(part, ListPartitionWindow) or len(part) == 1:
        return escaped(str(part))
    return escaped(str(part), ",") if part.is_range else ",".join(escaped(value, ",") for value in part.values)


def _set(
    item: MultiPartition | MultiPartitionWindow,
    columns: tuple[str, ...],
    parts: tuple[Partition | PartitionWindow, ...],
) -> None:
    object.__setattr__(item, "_columns", columns)
    object.__setattr__(item, "_parts", parts)


def _check_parts(parts: object, kind: type) -> None:
    where = "MultiPartition" if kind is Partition else "MultiPartitionWindow"
    if not isinstance(parts, Mapping) or not all(isinstance(part, kind) for part in parts.values()):
        raise DefinitionError(
            f"parts={parts!r} is no mapping of columns to {kind.__name__}s",
            where=where,
            fix="give one for each dimension, or let the partitioning read a text: config.parse('2026-01-01|eu')",
        )
    if len(parts) < 2 or any(isinstance(part, (MultiPartition, MultiPartitionWindow)) for part in parts.values()):
        raise PartitionError(
            f"parts={dict(parts)!r} are not two or more parts of one dimension each",
            where=where,
            fix="give one partition of each dimension",
        )
    times = [part for part in parts.values() if isinstance(part, (TimePartition, TimePartitionWindow))]
    if len(times) > 1:
        raise PartitionError(
            f"parts={dict(parts)!r} have several stretches of time",
            where=where,
            fix="partition by one time and by lists",
        )
