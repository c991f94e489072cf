"""Windows: consecutive partitions of one grain in one zone, named by the first and the last.

A window is never empty; "nothing to do" is the absence of a window. Its length and what it contains
are computed from the two ends, without listing what lies between.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from datetime import date, datetime, tzinfo
from typing import NoReturn

from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning import zone as tz
from airflow_provider.partitioning.grain import Axis, Granularity, axis_of, grain_of_key
from airflow_provider.partitioning.partition import Partition, TimePartition

Point = TimePartition | date | datetime | str


class PartitionWindow(ABC):
    """One or more partitions, consecutive in their order. Frozen, hashable, iterates in order: time's oldest first."""

    __slots__ = ()

    @property
    @abstractmethod
    def first(self) -> Partition:
        """The first partition."""

    @property
    @abstractmethod
    def last(self) -> Partition:
        """The last partition; the first again in a window of one."""

    @property
    @abstractmethod
    def partitions(self) -> tuple[Partition, ...]:
        """Every partition, oldest first."""

    @abstractmethod
    def __iter__(self) -> Iterator[Partition]: ...

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __contains__(self, partition: object) -> bool: ...

    @property
    def time(self) -> TimePartitionWindow | None:
        """The stretch of time that the window is, or has as a part; ``None`` for one that time says nothing about."""
        return None

    @property
    def keys(self) -> tuple[str, ...]:
        """The key of every partition, oldest first."""
        return tuple(partition.key for partition in self.partitions)

    def __str__(self) -> str:
        return self.first.key if self.first == self.last else f"{self.first.key}..{self.last.key}"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a window cannot be changed: {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a window cannot be changed: {name!r}")


class TimePartitionWindow(PartitionWindow):
    """Consecutive time partitions, both ends included.

    Args:
        start: The first partition, or what names one: a date, an aware datetime, a key. In a window of
            hours, a date stands for all the hours of that date.
        end: The last one, alike; without it the window is what ``start`` names.
        granularity: The grain; without it that of ``start``, or of the form of its key, else ``day``.
        timezone: The zone; without it that of ``start``, or none.

    Raises:
        PartitionError: The end lies before the start, or the ends differ in grain or zone.
    """

    __slots__ = ("_first", "_last", "_partitions")

    _first: TimePartition
    _last: TimePartition
    _partitions: tuple[TimePartition, ...] | None

    def __init__(
        self,
        start: Point,
        end: Point | None = None,
        granularity: Granularity | str | None = None,
        timezone: str | tzinfo | None = None,
    ) -> None:
        grain = _grain(start, granularity)
        if timezone is None and isinstance(start, TimePartition):
            timezone = start.timezone
        first, until = _ends(start, grain, timezone)
        last = until if end is None else _ends(end, grain, timezone)[1]
        _set(self, first, last)

    @classmethod
    def between(cls, first: TimePartition, last: TimePartition) -> TimePartitionWindow:
        """Return the window from one partition to another of the same grain and zone."""
        window = object.__new__(cls)
        _set(window, first, last)
        return window

    @classmethod
    def lookback(
        cls,
        now: date | datetime,
        lookback: int,
        offset: int = 1,
        *,
        granularity: Granularity | str = Granularity.DAY,
        timezone: str | tzinfo | None = None,
        start: Point | None = None,
    ) -> TimePartitionWindow | None:
        """Return the last ``lookback`` partitions at an instant, ``offset`` back from the one in progress.

        Args:
            now: The instant; a date is its first one.
            lookback: How many partitions, at least 1.
            offset: 0 takes the partition in progress, 1 the newest complete one, and so on.
            granularity: The grain.
            timezone: The zone.
            start: The first partition there is.

        Returns:
            The window from ``start`` on; ``None`` where all of it lies before ``start``.
        """
        check_lookback(lookback, offset, where="lookback")
        grain = Granularity(granularity)
        hours_of = None if isinstance(now, datetime) or grain is not Granularity.HOUR else now
        current = (
            TimePartition(now, grain, timezone) if hours_of is None else cls(hours_of, None, grain, timezone).first
        )
        last = current.step(-offset)
        first = last.step(1 - lookback)
        if start is not None:
            first = max(first, _ends(start, grain, current.timezone)[0])
        return cls.between(first, last) if first <= last else None

    @property
    def first(self) -> TimePartition:
        """The first partition."""
        return self._first

    @property
    def last(self) -> TimePartition:
        """The last partition; the first again in a window of one."""
        return self._last

    @property
    def partitions(self) -> tuple[TimePartition, ...]:
        """Every partition, oldest first."""
        partitions = self._partitions
        if partitions is None:
            partitions = tuple(self)
            object.__setattr__(self, "_partitions", partitions)
        return partitions

    @property
    def start(self) -> datetime:
        """The first instant of the first partition, in UTC."""
        return self._first.start

    @property
    def end(self) -> datetime:
        """The first instant after the last partition, in UTC."""
        return self._last.end

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """The half-open stretch ``[start, end)``, in UTC."""
        return self.start, self.end

    @property
    def edges(self) -> tuple[datetime, ...]:
        """The ``n + 1`` instants, in UTC, between which the ``n`` partitions lie."""
        return (*(partition.start for partition in self), self.end)

    @property
    def time(self) -> TimePartitionWindow:
        """This window itself."""
        return self

    @property
    def granularity(self) -> Granularity:
        """The grain."""
        return self._first.granularity

    @property
    def timezone(self) -> str | None:
        """The zone's name; ``None`` for a bare window."""
        return self._first.timezone

    def intersection(self, other: TimePartitionWindow) -> TimePartitionWindow | None:
        """Return the partitions that both windows hold; ``None`` where there are none.

        Raises:
            PartitionError: The windows differ in grain or zone.
        """
        _same_axis(self._first, other._first)
        first, last = max(self._first, other._first), min(self._last, other._last)
        return self.between(first, last) if first <= last else None

    @staticmethod
    def contiguous(partitions: Iterable[TimePartition]) -> tuple[TimePartitionWindow, ...]:
        """Join partitions into windows: sorted, each partition once, neighbours in one window.

        Raises:
            PartitionError: The partitions differ in grain or zone.
        """
        return join(partition.window for partition in partitions)

    def __iter__(self) -> Iterator[TimePartition]:
        axis, timezone, make = self._first.axis, self._first.timezone, TimePartition.of_cell
        return (make(axis, cell, timezone) for cell in axis.cells(self._first.cell, self._last.cell))

    def __len__(self) -> int:
        return self._first.axis.count(self._first.cell, self._last.cell)

    def __contains__(self, partition: object) -> bool:
        if isinstance(partition, str):
            try:
                partition = TimePartition.from_key(partition, self.granularity, self.timezone)
            except PartitionError:
                return False
        return (
            isinstance(partition, TimePartition)
            and partition.axis.identity == self._first.axis.identity
            and self._first.cell <= partition.cell <= self._last.cell
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TimePartitionWindow):
            return NotImplemented
        return self._first == other._first and self._last == other._last

    def __hash__(self) -> int:
        return hash((self._first, self._last))

    def __repr__(self) -> str:
        zone = "" if self.timezone is None else f", timezone={self.timezone!r}"
        ends = f"{self._first.key!r}, {self._last.key!r}"
        return f"TimePartitionWindow({ends}, granularity={self.granularity.value!r}{zone})"

    def __reduce__(self) -> tuple[object, ...]:
        return TimePartitionWindow.between, (self._first, self._last)


def join(windows: Iterable[TimePartitionWindow]) -> tuple[TimePartitionWindow, ...]:
    """Join windows that overlap or touch; the result is sorted and disjoint.

    Raises:
        PartitionError: The windows differ in grain or zone.
    """
    joined: list[TimePartitionWindow] = []
    for window in sorted(windows, key=lambda window: window.first):
        if not joined:
            joined.append(window)
            continue
        before = joined[-1]
        _same_axis(before.first, window.first)
        if window.first.axis.start(window.first.cell) > before.last.axis.end(before.last.cell):
            joined.append(window)
        else:
            joined[-1] = TimePartitionWindow.between(before.first, max(before.last, window.last))
    return tuple(joined)


def check_lookback(lookback: object, offset: object, *, where: str) -> None:
    """Refuse a lookback below 1, an offset below 0, and anything that is not a whole number.

    Raises:
        ConfigError: One of them is.
    """
    for name, value, least in (("lookback", lookback, 1), ("offset", offset, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ConfigError(
                f"{name}={value!r} is not a whole number from {least} up",
                where=where,
                fix="lookback counts the partitions (1 is one), offset how many back from the one in progress",
            )


def _grain(start: Point, granularity: Granularity | str | None) -> Granularity:
    if granularity is not None:
        return Granularity(granularity)
    if isinstance(start, TimePartition):
        return start.granularity
    return (grain_of_key(start) if isinstance(start, str) else None) or Granularity.DAY


def _ends(point: Point, grain: Granularity, timezone: str | tzinfo | None) -> tuple[TimePartition, TimePartition]:
    """Return the first and the last partition that a point names: two for a date by hour, else one twice."""
    if isinstance(point, TimePartition):
        if point.granularity is not grain:
            raise _mixed(f"{point.key} is a partition by {point.granularity.value}, not by {grain.value}")
        partition = (
            point if timezone is None else _placed(point, tz.zone_of(timezone, where="timezone of a window").key)
        )
        return partition, partition
    if grain is Granularity.HOUR and isinstance(point, date) and not isinstance(point, datetime):
        return _hours_of(point, timezone)
    partition = TimePartition(point, grain, timezone)
    return partition, partition


def _hours_of(day: date, timezone: str | tzinfo | None) -> tuple[TimePartition, TimePartition]:
    zone = tz.zone_of("UTC" if timezone is None else timezone, where="timezone of a window")
    axis: Axis = axis_of(Granularity.HOUR, zone)
    first, last = axis.on_date(day, where=axis.where)
    name = None if timezone is None else zone.key
    return TimePartition.of_cell(axis, first, name), TimePartition.of_cell(axis, last, name)


def _placed(partition: TimePartition, timezone: str) -> TimePartition:
    """Put a bare partition into a zone by its key; refuse one that has another zone."""
    if partition.timezone is None:
        return TimePartition.from_key(partition.key, partition.granularity, timezone)
    if partition.timezone != timezone:
        raise _mixed(f"{partition.key} is a partition in {partition.timezone}, not in {timezone}")
    return partition


def _set(window: TimePartitionWindow, first: TimePartition, last: TimePartition) -> None:
    _same_axis(first, last)
    if last.cell < first.cell:
        raise PartitionError(
            f"the window ends at {last.key}, before its start {first.key}",
            where="window",
            fix=f"write the earlier partition first: {last.key}..{first.key}",
        )
    put = object.__setattr__
    put(window, "_first", first)
    put(window, "_last", last)
    put(window, "_partitions", None)


def _same_axis(first: TimePartition, last: TimePartition) -> None:
    if first.axis.identity != last.axis.identity:
        raise _mixed(
            f"{first.key} ({first.granularity.value}, {first.zone.key}) and "
            f"{last.key} ({last.granularity.value}, {last.zone.key}) are of different partitionings"
        )


def _mixed(what: str) -> PartitionError:
    return PartitionError(what, where="window", fix="use partitions of one granularity in one time zone")
