"""Partitions: one slice of an asset, named by one canonical key.

A partition and its key are one-to-one: ``from_key(partition.key) == partition``, and no other text
names it. Bounds are instants in UTC, half-open; arithmetic on them is exact, which subtracting two
datetimes of one local zone is not.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, NoReturn
from zoneinfo import ZoneInfo

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning import zone as tz
from airflow_provider.partitioning.grain import Axis, Granularity, axis_of, shown

if TYPE_CHECKING:
    from airflow_provider.partitioning.window import PartitionWindow, TimePartitionWindow

_UTC_ZONE = "UTC"
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ISO_DATETIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{6})?)?)(?:Z|([+-])([0-9]{2}):?([0-9]{2}))"
)


class Partition(ABC):
    """One slice of an asset. Frozen, hashable, equal to what its key names.

    Time partitions are ordered by themselves; those of a list by ``PartitionConfig.rank``, which knows their order.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def key(self) -> str:
        """The canonical key, as it stands in paths, ledgers and events."""

    @property
    @abstractmethod
    def window(self) -> PartitionWindow:
        """The window of this partition alone."""

    @property
    def time(self) -> TimePartition | None:
        """The stretch of time that the partition is, or lies in; ``None`` for one that time says nothing about."""
        return None

    def __str__(self) -> str:
        return self.key

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a partition cannot be changed: {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a partition cannot be changed: {name!r}")


class TimePartition(Partition):
    """A stretch of time of one grain in one zone.

    Args:
        value: A date, an aware datetime, a key, or an ISO date or datetime with offset. What lies inside a
            partition names it: ``date(2025, 1, 15)`` by month is ``2025-01``.
        granularity: ``hour``, ``day``, ``week``, ``month``, ``quarter`` or ``year``.
        timezone: The zone whose clock cuts the partitions; an aware datetime is converted to it. Without
            one the partition is bare: it takes the datetime's own calendar date, its bounds are those
            of UTC, and it fits a partitioning in any zone by its key. An aware datetime by hour is an
            instant, and gives an hour of UTC.

    Raises:
        PartitionError: A naive datetime, a malformed key, a date for an hour, or a time that does not exist.
        ConfigError: An unknown granularity or zone.
    """

    __slots__ = ("_axis", "_cell", "_key", "_timezone")

    _axis: Axis
    _cell: int
    _key: str | None
    _timezone: str | None

    def __init__(
        self,
        value: date | datetime | str,
        granularity: Granularity | str = Granularity.DAY,
        timezone: str | tzinfo | None = None,
    ) -> None:
        grain = Granularity(granularity)
        moment = _read(value)
        if timezone is None and grain is Granularity.HOUR and isinstance(moment, datetime):
            timezone = _UTC_ZONE
        axis = axis_of(grain, _zone(timezone))
        name = None if timezone is None else axis.zone.key
        _set(self, axis, _cell_of(axis, moment, bare=timezone is None), name)

    @classmethod
    def from_key(
        cls,
        key: str,
        granularity: Granularity | str = Granularity.DAY,
        timezone: str | tzinfo | None = None,
        *,
        where: str | None = None,
    ) -> TimePartition:
        """Read a canonical key, and nothing else.

        Raises:
            PartitionError: The text is no key of this grain, or names a time that does not exist.
        """
        axis = axis_of(Granularity(granularity), _zone(timezone))
        if not isinstance(key, str):
            raise axis.malformed(key, where=where or axis.where)
        cell = axis.parse(key, where=where or axis.where)
        return cls.of_cell(axis, cell, None if timezone is None else axis.zone.key)

    @classmethod
    def of_cell(cls, axis: Axis, cell: int, timezone: str | None) -> TimePartition:
        """Wrap a cell of an axis; the fast way for those who walk an axis."""
        partition = object.__new__(cls)
        _set(partition, axis, cell, timezone)
        return partition

    @property
    def key(self) -> str:
        """The canonical key, for example ``2025-01-31`` or ``2026-10-25T02+01:00``."""
        key = self._key
        if key is None:
            key = self._axis.key(self._cell)
            object.__setattr__(self, "_key", key)
        return key

    @property
    def axis(self) -> Axis:
        """The grain in the zone that this partition is a cell of."""
        return self._axis

    @property
    def cell(self) -> int:
        """The integer that stands for this partition on its axis."""
        return self._cell

    @property
    def granularity(self) -> Granularity:
        """The grain."""
        return self._axis.grain

    @property
    def timezone(self) -> str | None:
        """The zone's name; ``None`` for a bare partition."""
        return self._timezone

    @property
    def zone(self) -> ZoneInfo:
        """The zone that the bounds are taken in: UTC for a bare partition."""
        return self._axis.zone

    @property
    def start(self) -> datetime:
        """The first instant, in UTC."""
        return tz.instant_of(self._axis.start(self._cell))

    @property
    def end(self) -> datetime:
        """The first instant after the partition, in UTC."""
        return tz.instant_of(self._axis.end(self._cell))

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """The half-open stretch ``[start, end)``, in UTC."""
        return self.start, self.end

    @property
    def time(self) -> TimePartition:
        """This partition itself."""
        return self

    @property
    def date(self) -> date:
        """The first local date."""
        return self._axis.first_date(self._cell)

    @property
    def window(self) -> TimePartitionWindow:
        """The window of this partition alone."""
        from airflow_provider.partitioning.window import TimePartitionWindow

        return TimePartitionWindow.between(self, self)

    def next(self) -> TimePartition:
        """Return the partition that starts where this one ends."""
        return self.step(1)

    def previous(self) -> TimePartition:
        """Return the partition that ends where this one starts."""
        return self.step(-1)

    def step(self, by: int) -> TimePartition:
        """Return the partition ``by`` partitions later, or earlier where negative."""
        return self.of_cell(self._axis, self._axis.step(self._cell, by), self._timezone)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TimePartition):
            return NotImplemented
        return self._cell == other._cell and self._axis.identity == other._axis.identity

    def __hash__(self) -> int:
        return hash((self._axis.identity, self._cell))

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, TimePartition):
            return NotImplemented
        mine, theirs = self._order(other)
        return mine < theirs

    def __le__(self, other: object) -> bool:
        if not isinstance(other, TimePartition):
            return NotImplemented
        mine, theirs = self._order(other)
        return mine <= theirs

    def __gt__(self, other: object) -> bool:
        if not isinstance(other, TimePartition):
            return NotImplemented
        mine, theirs = self._order(other)
        return mine > theirs

    def __ge__(self, other: object) -> bool:
        if not isinstance(other, TimePartition):
            return NotImplemented
        mine, theirs = self._order(other)
        return mine >= theirs

    def __repr__(self) -> str:
        zone = "" if self._timezone is None else f", timezone={self._timezone!r}"
        return f"TimePartition({self.key!r}, granularity={self.granularity.value!r}{zone})"

    def __reduce__(self) -> tuple[object, ...]:
        return TimePartition.from_key, (self.key, self.granularity.value, self._timezone)

    def _order(self, other: TimePartition) -> tuple[tuple[object, ...], tuple[object, ...]]:
        """Return what to compare: cells on one axis, else the start instants, then the axes' names."""
        if self._axis.identity == other._axis.identity:
            return (self._cell,), (other._cell,)
        return (self.start, self._axis.identity), (other.start, other._axis.identity)


def _set(partition: TimePartition, axis: Axis, cell: int, timezone: str | None) -> None:
    put = object.__setattr__
    put(partition, "_axis", axis)
    put(partition, "_cell", cell)
    put(partition, "_timezone", timezone)
    put(partition, "_key", None)


def _zone(timezone: str | tzinfo | None) -> ZoneInfo:
    return tz.zone_of(_UTC_ZONE if timezone is None else timezone, where="timezone of a partition")


def _read(value: date | datetime | str) -> date | datetime | str:
    """Turn ISO text into what it says; a key stays text."""
    if isinstance(value, (date, str)):
        return iso_datetime(value) or value if isinstance(value, str) else value
    raise PartitionError(
        f"{shown(value)} is a {type(value).__name__}, which names no time",
        where="partition",
        fix="pass a date, an aware datetime, or a key such as '2025-01-31'",
    )


def iso_datetime(text: str) -> datetime | None:
    """Read an ISO datetime with an offset; ``None`` for any other text."""
    match = _ISO_DATETIME.fullmatch(text)
    if match is None:
        return None
    try:
        local = datetime.fromisoformat(match[1])
        size = timedelta(hours=int(match[3] or 0), minutes=int(match[4] or 0))
        return local.replace(tzinfo=timezone(-size if match[2] == "-" else size))
    except ValueError:
        return None


def _cell_of(axis: Axis, moment: date | datetime | str, *, bare: bool) -> int:
    if isinstance(moment, datetime):
        seconds = tz.seconds_of(moment, where=axis.where)  # refuses a naive one
        return axis.on_date(moment.date(), where=axis.where)[0] if bare else axis.cell_at(seconds)
    if isinstance(moment, date):
        return _cell_on(axis, moment)
    if axis.grain not in (Granularity.HOUR, Granularity.DAY) and _ISO_DATE.fullmatch(moment):
        return _cell_on(axis, axis_of(Granularity.DAY, axis.zone).first_date(_day_cell(axis, moment)))
    return axis.parse(moment, where=axis.where)


def _day_cell(axis: Axis, text: str) -> int:
    return axis_of(Granularity.DAY, axis.zone).parse(text, where=axis.where)


def _cell_on(axis: Axis, day: date) -> int:
    if axis.grain is Granularity.HOUR:
        raise PartitionError(
            f"the date {day.isoformat()} is not one hour",
            where=axis.where,
            fix=f"name the hour, for example '{day.isoformat()}T05', or take a window of the whole date",
        )
    return axis.on_date(day, where=axis.where)[0]
