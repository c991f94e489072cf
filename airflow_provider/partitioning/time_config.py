"""Partitions by time: which there are, from the start to the end, and which a run at an instant means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning import zone as tz
from airflow_provider.partitioning.config import Incomplete, PartitionConfig, check_column, is_blank
from airflow_provider.partitioning.grain import Axis, Granularity, axis_of, shown
from airflow_provider.partitioning.partition import Partition, TimePartition, iso_datetime
from airflow_provider.partitioning.window import PartitionWindow, Point, TimePartitionWindow, check_lookback, join

_RANGE = ".."
_EXAMPLES = {
    Granularity.HOUR: ("2026-01-01T00", "2026-01-01T00..2026-01-01T05"),
    Granularity.DAY: ("2026-01-01", "2026-01-01..2026-01-07"),
    Granularity.WEEK: ("2026-W01", "2026-W01..2026-W04"),
    Granularity.MONTH: ("2026-01", "2026-01..2026-03"),
    Granularity.QUARTER: ("2026-Q1", "2026-Q1..2026-Q4"),
    Granularity.YEAR: ("2026", "2024..2026"),
}
# Airflow's CronPartitionTimetable writes its keys so, in its own zone, unless told otherwise.
_AIRFLOW_KEY = re.compile(r"[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")


@dataclass(frozen=True, init=False)
class TimePartitionConfig(PartitionConfig):
    """Partitions by time.

    Args:
        column: The column whose value says which partition a row lies in.
        granularity: ``hour``, ``day``, ``week``, ``month``, ``quarter`` or ``year``.
        start: The first partition there is, or a date or aware datetime in it. Without it history has
            no beginning, and no gaps can be told.
        end: The last partition there is.
        timezone: The zone whose clock cuts the partitions.
        allow_window: Whether the asset takes several partitions in one call.
        lookback: How many partitions a run covers that carries no interval.
        offset: How many partitions back from the one in progress the newest of them lies.
        incomplete: What a run does in whose interval no partition completes: ``skip``, or ``run`` the
            partition in progress.

    Raises:
        ConfigError: A setting that cannot work, with the setting named.
    """

    kind: ClassVar[str] = "time"

    column: str
    granularity: Granularity
    start: TimePartition | None
    end: TimePartition | None
    timezone: str
    allow_window: bool
    lookback: int
    offset: int
    incomplete: Incomplete

    def __init__(
        self,
        *,
        column: str,
        granularity: Granularity | str = Granularity.DAY,
        start: Point | None = None,
        end: Point | None = None,
        timezone: str | tzinfo = "UTC",
        allow_window: bool = False,
        lookback: int = 1,
        offset: int = 1,
        incomplete: Incomplete = "skip",
    ) -> None:
        check_column(column, where="TimePartitionConfig")
        where = f"TimePartitionConfig(column={column!r})"
        if incomplete not in ("skip", "run"):
            raise ConfigError(
                f"incomplete={incomplete!r} is not known",
                where=where,
                fix="use 'skip', or 'run' to take the partition in progress",
            )
        check_lookback(lookback, offset, where=where)
        put = object.__setattr__
        put(self, "column", column)
        put(self, "granularity", Granularity(granularity))
        put(self, "timezone", tz.zone_of(timezone, where=where).key)
        put(self, "allow_window", bool(allow_window))
        put(self, "lookback", lookback)
        put(self, "offset", offset)
        put(self, "incomplete", incomplete)
        put(self, "start", None if start is None else self._ends(start).first)
        put(self, "end", None if end is None else self._ends(end).last)
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ConfigError(
                f"start={self.start.key} lies after end={self.end.key}",
                where=where,
                fix="give the first partition as start and the last as end",
            )

    @property
    def time(self) -> TimePartitionConfig:
        """This partitioning itself."""
        return self

    @property
    def examples(self) -> tuple[str, ...]:
        """A key and a range of the grain."""
        return _EXAMPLES[self.granularity]

    @property
    def described(self) -> str:
        """Grain and zone."""
        return f"{self.granularity} in {self.timezone}"

    @property
    def zone(self) -> ZoneInfo:
        """The zone whose clock cuts the partitions."""
        return self.axis.zone

    @property
    def axis(self) -> Axis:
        """The grain in the zone."""
        return axis_of(self.granularity, tz.zone_of(self.timezone, where=self._where))

    def partition(self, value: Partition | date | datetime | str) -> TimePartition:
        """Return the partition that a key names, strictly, or that a date or aware datetime lies in."""
        if isinstance(value, Partition):
            return self.adopt(value.window).first
        if isinstance(value, str):
            return TimePartition.from_key(value, self.granularity, self.timezone, where=self._where)
        return TimePartition(value, self.granularity, self.timezone)

    def containing(self, instant: datetime) -> TimePartition:
        """Return the partition that an aware datetime lies in."""
        seconds = tz.seconds_of(instant, where=self._where)
        return TimePartition.of_cell(self.axis, self.axis.cell_at(seconds), self.timezone)

    def window(self, start: Point, end: Point | None = None) -> TimePartitionWindow:
        """Return the window from one partition to another, both included."""
        if end is None:
            return self._ends(start)
        return TimePartitionWindow(self._ends(start).first, self._ends(end).last)

    def adopt(self, window: PartitionWindow) -> TimePartitionWindow:
        """Return the window in this partitioning's zone: a bare one is taken by its keys.

        Raises:
            PartitionError: Another grain, another zone, or another kind of window.
        """
        return self._adopted(window, where=self._where)

    def clamp(self, window: PartitionWindow) -> TimePartitionWindow | None:
        """Return the part of a window between the start and the end; ``None`` where none is."""
        own = self.adopt(window)
        first = own.first if self.start is None else max(own.first, self.start)
        last = own.last if self.end is None else min(own.last, self.end)
        return TimePartitionWindow.between(first, last) if first <= last else None

    def parse(self, typed: object, *, where: str | None = None) -> tuple[TimePartitionWindow, ...]:
        """Read what a person typed.

        Args:
            typed: A key, ``first..last``, a window, a partition, a date, an aware datetime, or a list of
                those. Text is stripped and blanks are dropped; ``None`` is nothing.
            where: What the message is about.

        Returns:
            The windows, in order, neighbours joined; ``()`` where nothing was typed.

        Raises:
            PartitionError: Something that is no partition of this asset; nothing is corrected or rounded.
        """
        where = where or self._where
        items = typed if isinstance(typed, (list, tuple)) else [typed]
        found = [self._parse_one(item, where=where) for item in items if not is_blank(item)]
        return join(found)

    def parse_run_key(self, text: str, *, where: str | None = None) -> TimePartitionWindow:
        """Read a partition key of a run or an event: our key, a range of them, or Airflow's form of one.

        Airflow writes the local time of the partition, ``2026-03-05T00:00:00``; a text with an offset is
        taken as an instant.
        """
        where = where or self._where
        first, last = self._ends_of(text, where=where)
        return self._between(self._run_key(first, where=where), self._run_key(last, where=where), where=where)

    def join(self, windows: Iterable[PartitionWindow]) -> tuple[TimePartitionWindow, ...]:
        """Join windows that overlap or touch; the result is in order and disjoint."""
        return join(self.adopt(window) for window in windows)

    def rank(self, partition: Partition) -> Any:
        """Return the partition's cell: cells sort as time does."""
        return partition.cell if isinstance(partition, TimePartition) else self.partition(partition).cell

    def spanning(self, partitions: Iterable[Partition]) -> TimePartitionWindow | None:
        """Return the window from the first to the last of the partitions; ``None`` for none."""
        found = [self.partition(partition) for partition in partitions]
        return TimePartitionWindow.between(min(found), max(found)) if found else None

    def completed_between(self, start: datetime, end: datetime) -> TimePartitionWindow | None:
        """Return the partitions whose end lies in ``(start, end]``; ``None`` where none does."""
        # The partition that holds the start is the first to end after it; the one that holds the end has not ended.
        first, last = self.containing(start), self.containing(end).previous()
        return TimePartitionWindow.between(first, last) if first <= last else None

    def in_progress(self, instant: datetime) -> TimePartitionWindow | None:
        """Return the partition that an instant lies in, as a window, not clamped."""
        return self.containing(instant).window

    def newest(self, now: datetime, lookback: int | None = None, offset: int | None = None) -> TimePartitionWindow:
        """Return the last ``lookback`` partitions at an instant, ``offset`` back; not clamped.

        Without arguments the partitioning's own ``lookback`` and ``offset`` apply.
        """
        lookback = self.lookback if lookback is None else lookback
        offset = self.offset if offset is None else offset
        check_lookback(lookback, offset, where=self._where)
        last = self.containing(now).step(-offset)
        return TimePartitionWindow.between(last.step(1 - lookback), last)

    def expected(self, now: datetime) -> TimePartitionWindow | None:
        """Return the partitions from the start to the newest complete one; ``None`` without a start."""
        if self.start is None:
            return None
        last = self.containing(now).previous()
        return self.clamp(TimePartitionWindow.between(self.start, last)) if self.start <= last else None

    def compatible(self, other: PartitionConfig) -> bool:
        """Tell whether the other partitioning has the same grain in the same zone."""
        return isinstance(other, TimePartitionConfig) and self.axis.identity == other.axis.identity

    def to_definition(self) -> dict[str, Any]:
        """Return the partitioning as a JSON-able dict, with its ``kind``."""
        return {
            "kind": self.kind,
            "column": self.column,
            "granularity": self.granularity.value,
            "start": None if self.start is None else self.start.key,
            "end": None if self.end is None else self.end.key,
            "timezone": self.timezone,
            "allow_window": self.allow_window,
            "lookback": self.lookback,
            "offset": self.offset,
            "incomplete": self.incomplete,
        }

    @property
    def _where(self) -> str:
        return f"partitioning by {self.granularity.value} of column {self.column!r} ({self.timezone})"

    def _ends(self, point: Point) -> TimePartitionWindow:
        return TimePartitionWindow(point, None, self.granularity, self.timezone)

    @property
    def _naming(self) -> str:
        return f"window='{self.granularity.example}'"

    def _adopted(self, window: PartitionWindow, *, where: str) -> TimePartitionWindow:
        if not isinstance(window, TimePartitionWindow):
            raise PartitionError(
                f"{shown(window)} is a {type(window).__name__}, but the partitions are by time",
                where=where,
                fix="pass a TimePartitionWindow",
            )
        if window.granularity is not self.granularity:
            raise PartitionError(
                f"the window {window} is by {window.granularity.value}, but the partitions are by {self.granularity}",
                where=where,
                fix=f"name partitions like '{self.granularity.example}'",
            )
        if window.timezone is None:
            first, last = (
                TimePartition.from_key(end.key, self.granularity, self.timezone, where=where)
                for end in (window.first, window.last)
            )
            return TimePartitionWindow.between(first, last)
        if window.timezone != self.timezone:
            raise PartitionError(
                f"the window {window} is in {window.timezone}, but the partitions are in {self.timezone}",
                where=where,
                fix=f"build the window with timezone={self.timezone!r}, or without a time zone",
            )
        return window

    def _check_ends(self, window: TimePartitionWindow, *, where: str) -> None:
        if self.start is not None and window.first < self.start:
            raise PartitionError(
                f"{window.first.key} lies before the first partition {self.start.key}",
                where=where,
                fix=f"begin at {self.start.key}, or set an earlier start= in the partitioning",
            )
        if self.end is not None and window.last > self.end:
            raise PartitionError(
                f"{window.last.key} lies after the last partition {self.end.key}",
                where=where,
                fix=f"end at {self.end.key}, or set a later end= in the partitioning",
            )

    def _parse_one(self, item: object, *, where: str) -> TimePartitionWindow:
        if isinstance(item, str):
            first, last = self._ends_of(item, where=where)
            return self._between(self._key(first, where=where), self._key(last, where=where), where=where)
        if isinstance(item, PartitionWindow):
            return self._adopted(item, where=where)
        if isinstance(item, Partition):
            return self._adopted(item.window, where=where)
        if isinstance(item, date):
            return self._ends(item)
        raise PartitionError(
            f"{shown(item)} is a {type(item).__name__}, which names no partition",
            where=where,
            fix=f"give a key such as '{self.granularity.example}', a range 'first..last', or a list of them",
        )

    def _ends_of(self, text: str, *, where: str) -> tuple[str, str]:
        """Split ``first..last``; a single key is both ends."""
        first, dots, last = (part.strip() for part in text.strip().partition(_RANGE))
        if dots and not (first and last):
            raise PartitionError(
                f"{shown(text)} is not a range of partitions",
                where=where,
                fix=f"write both ends, for example '{self.granularity.example}..{self.granularity.example}'",
            )
        return first, last if dots else first

    def _key(self, text: str, *, where: str) -> TimePartition:
        return TimePartition.from_key(text, self.granularity, self.timezone, where=where)

    def _run_key(self, text: str, *, where: str) -> TimePartition:
        instant = iso_datetime(text)
        if instant is not None:
            return self.containing(instant)
        local = _airflow_time(text)
        if local is None:
            return self._key(text, where=where)
        if self.granularity is Granularity.HOUR:
            return self._key(f"{local:%Y-%m-%dT%H}", where=where)
        return TimePartition(local.date(), self.granularity, self.timezone)

    @staticmethod
    def _between(first: TimePartition, last: TimePartition, *, where: str) -> TimePartitionWindow:
        if last < first:
            raise PartitionError(
                f"the range {first.key}..{last.key} ends before it starts",
                where=where,
                fix=f"write the earlier partition first: {last.key}..{first.key}",
            )
        return TimePartitionWindow.between(first, last)


def _airflow_time(text: str) -> datetime | None:
    """Read the local time in Airflow's form of a key; ``None`` for any other text."""
    if not _AIRFLOW_KEY.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
