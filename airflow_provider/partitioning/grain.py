"""Grains: how one zone's time axis is cut into partitions, each with one key.

An axis is one grain in one zone. Its cells are integers; a cell is a half-open stretch of instants,
and the cells of an axis cover time without gap or overlap:

* an hour is the stretch of one local hour label with one UTC offset, so that a transition inside an
  hour cuts it in two, and a label that comes twice names two hours, told apart by their offset;
* a day runs from the first instant of its local date to the first of the next date there is (23, 24
  or 25 hours); weeks, months, quarters and years are made of days. Weeks are ISO weeks.

Keys sort as time does, autumn's repeated hour aside.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import date, timedelta
from enum import Enum
from functools import cache
from zoneinfo import ZoneInfo

from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning import zone as tz

HOUR_S = 3_600
_HOUR_KEY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2})([+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


class Granularity(str, Enum):
    """The size of a partition."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    def __str__(self) -> str:
        return self.value

    @property
    def example(self) -> str:
        """A key of this grain."""
        return _EXAMPLES[self]

    @classmethod
    def _missing_(cls, value: object) -> Granularity:
        raise ConfigError(
            f"granularity {value!r} is not known",
            where="granularity",
            fix=f"use one of {', '.join(member.value for member in cls)}",
        )


_EXAMPLES = {
    Granularity.HOUR: "2025-01-31T05",
    Granularity.DAY: "2025-01-31",
    Granularity.WEEK: "2025-W05",
    Granularity.MONTH: "2025-01",
    Granularity.QUARTER: "2025-Q1",
    Granularity.YEAR: "2025",
}


def shown(text: object, limit: int = 60) -> str:
    """Quote a value for an error message, cut so that a huge one does not fill the log."""
    quoted = repr(text)
    return quoted if len(quoted) <= limit + 2 else f"{quoted[:limit]}…"


class Axis(ABC):
    """One grain in one zone. A cell is the integer that stands for one partition."""

    def __init__(self, grain: Granularity, zone: ZoneInfo) -> None:
        self.grain = grain
        self.zone = zone
        self.identity = (grain.value, zone.key)
        self.where = f"{grain.value} partition in {zone.key}"

    @abstractmethod
    def cell_at(self, seconds: int) -> int:
        """Return the cell that holds an instant."""

    @abstractmethod
    def start(self, cell: int) -> int:
        """Return the first second of a cell."""

    @abstractmethod
    def end(self, cell: int) -> int:
        """Return the second at which the next cell starts."""

    @abstractmethod
    def count(self, first: int, last: int) -> int:
        """Count the cells from ``first`` to ``last``, both included, without listing them."""

    @abstractmethod
    def cells(self, first: int, last: int) -> Iterator[int]:
        """List the cells from ``first`` to ``last``, both included, oldest first."""

    @abstractmethod
    def step(self, cell: int, by: int) -> int:
        """Return the cell ``by`` cells later, or earlier where negative."""

    @abstractmethod
    def key(self, cell: int) -> str:
        """Return the canonical key of a cell."""

    @abstractmethod
    def parse(self, key: str, *, where: str) -> int:
        """Return the cell of a canonical key; a PartitionError for any other text."""

    @abstractmethod
    def first_date(self, cell: int) -> date:
        """Return the first local date of a cell."""

    @abstractmethod
    def on_date(self, day: date, *, where: str) -> tuple[int, int]:
        """Return the first and last cell that a local date lies in, or is made of."""

    def malformed(self, key: object, *, where: str, why: str = "") -> PartitionError:
        """Build the error for a text that is no key of this axis."""
        return PartitionError(
            f"{shown(key)} is not a key of a partition by {self.grain.value}{why}",
            where=where,
            fix=f"write it exactly like '{self.grain.example}'",
        )

    def _bounded(self, cell: int, day: date, *, where: str) -> int:
        if not tz.FIRST_YEAR <= day.year <= tz.LAST_YEAR:
            raise tz.out_of_range(day.isoformat(), where=where)
        return cell

    def _existing(self, day: date, *, where: str) -> int:
        ordinal = day.toordinal()
        self._bounded(ordinal, day, where=where)
        if tz.midnight(self.zone, ordinal) == tz.midnight(self.zone, ordinal + 1):
            raise PartitionError(
                f"the date {day.isoformat()} does not exist in {self.zone.key}, which skipped it",
                where=where,
                fix="name the date before or after it",
            )
        return ordinal


class DateAxis(Axis):
    """Days and what is made of days. A cell counts the grain's units of the calendar."""

    def cell_at(self, seconds: int) -> int:
        """Return the cell that holds an instant."""
        day = date.fromordinal(tz.local_ordinal(self.zone, seconds))
        cell = self._bounded(self._index(day), day, where=self.where)
        # A clock set back across midnight shows the old date again; the new one has begun all the same.
        while self.start(cell + 1) <= seconds:
            cell += 1
        return cell

    def start(self, cell: int) -> int:
        """Return the first second of a cell."""
        return tz.midnight(self.zone, self._first(cell))

    def end(self, cell: int) -> int:
        """Return the second at which the next cell starts."""
        return tz.midnight(self.zone, self._first(cell + 1))

    def count(self, first: int, last: int) -> int:
        """Count the cells from ``first`` to ``last``, both included, without listing them."""
        return last - first + 1 - len(self._skipped(first, last))

    def cells(self, first: int, last: int) -> Iterator[int]:
        """List the cells from ``first`` to ``last``, both included, oldest first."""
        skipped = set(self._skipped(first, last))
        return (cell for cell in range(first, last + 1) if cell not in skipped)

    def step(self, cell: int, by: int) -> int:
        """Return the cell ``by`` cells later, or earlier where negative."""
        target = cell + by
        while True:
            self._checked(target)
            skipped = len(self._skipped(min(cell, target), max(cell, target)))
            moved = cell + by + (skipped if by > 0 else -skipped)
            if moved == target:
                return target
            target = moved

    def key(self, cell: int) -> str:
        """Return the canonical key of a cell."""
        if self.grain is Granularity.DAY:
            return date.fromordinal(cell).isoformat()
        if self.grain is Granularity.WEEK:
            year, week, _ = self.first_date(cell).isocalendar()
            return f"{year:04}-W{week:02}"
        if self.grain is Granularity.MONTH:
            return f"{cell // 12:04}-{cell % 12 + 1:02}"
        return f"{cell // 4:04}-Q{cell % 4 + 1}" if self.grain is Granularity.QUARTER else f"{cell:04}"

    def parse(self, key: str, *, where: str) -> int:
        """Return the cell of a canonical key; a PartitionError for any other text."""
        match = _DATE_KEYS[self.grain].fullmatch(key)
        if match is None:
            raise self.malformed(key, where=where)
        try:
            day = self._day_of([int(part) for part in match.groups()])
        except ValueError as error:
            raise self.malformed(key, where=where, why=f": {error}") from None
        if self.grain is Granularity.DAY:
            return self._existing(day, where=where)
        # A week belongs to the year of its Thursday, and may start in the year before.
        year_day = day + timedelta(days=3) if self.grain is Granularity.WEEK else day
        return self._bounded(self._index(day), year_day, where=where)

    def first_date(self, cell: int) -> date:
        """Return the first local date of a cell."""
        return date.fromordinal(self._first(cell))

    def on_date(self, day: date, *, where: str) -> tuple[int, int]:
        """Return the cell that a local date lies in, twice."""
        cell = self._index(date.fromordinal(self._existing(day, where=where)))
        return cell, cell

    def _skipped(self, first: int, last: int) -> list[int]:
        return tz.skipped_dates(self.zone, first, last) if self.grain is Granularity.DAY else []

    def _checked(self, cell: int) -> None:
        if not self._index(date(tz.FIRST_YEAR, 1, 1)) <= cell <= self._index(date(tz.LAST_YEAR, 12, 31)):
            raise tz.out_of_range(f"the {self.grain.value} asked for", where=self.where)

    def _index(self, day: date) -> int:
        if self.grain is Granularity.DAY:
            return day.toordinal()
        if self.grain is Granularity.WEEK:
            return (day.toordinal() - 1) // 7  # ordinal 1 is a Monday
        if self.grain is Granularity.MONTH:
            return day.year * 12 + day.month - 1
        return day.year * 4 + (day.month - 1) // 3 if self.grain is Granularity.QUARTER else day.year

    def _first(self, cell: int) -> int:
        if self.grain is Granularity.DAY:
            return cell
        if self.grain is Granularity.WEEK:
            return cell * 7 + 1
        if self.grain is Granularity.MONTH:
            return date(cell // 12, cell % 12 + 1, 1).toordinal()
        if self.grain is Granularity.QUARTER:
            return date(cell // 4, cell % 4 * 3 + 1, 1).toordinal()
        return date(cell, 1, 1).toordinal()

    def _day_of(self, parts: list[int]) -> date:
        if self.grain is Granularity.WEEK:
            return date.fromisocalendar(parts[0], parts[1], 1)
        if self.grain is Granularity.QUARTER:
            return date(parts[0], parts[1] * 3 - 2, 1)
        year, month, day = [*parts, 1, 1][:3]
        return date(year, month, day)


class HourAxis(Axis):
    """Hours. A cell is the second at which its hour starts."""

    def cell_at(self, seconds: int) -> int:
        """Return the cell that holds an instant."""
        return self._stretch(seconds)[0]

    def start(self, cell: int) -> int:
        """Return the first second of a cell."""
        return cell

    def end(self, cell: int) -> int:
        """Return the second at which the next cell starts."""
        return self._stretch(cell)[1]

    def count(self, first: int, last: int) -> int:
        """Count the cells from ``first`` to ``last``, both included, without listing them."""
        return sum(
            -(-(end + offset) // HOUR_S) - (start + offset) // HOUR_S
            for start, end, offset in tz.stretches(self.zone, first, last + 1)
        )

    def cells(self, first: int, last: int) -> Iterator[int]:
        """List the cells from ``first`` to ``last``, both included, oldest first."""
        for start, end, offset in tz.stretches(self.zone, first, last + 1):
            yield start
            yield from range((start + offset) // HOUR_S * HOUR_S + HOUR_S - offset, end, HOUR_S)

    def step(self, cell: int, by: int) -> int:
        """Return the cell ``by`` cells later, or earlier where negative."""
        # A long way is jumped and counted; the last two cells are walked, for their lengths may differ.
        while abs(by) > 2:
            day = (cell + by * HOUR_S) // tz.DAY_S + tz.EPOCH_ORDINAL
            if not tz.FIRST_YEAR * 365 < day < date(tz.LAST_YEAR, 12, 31).toordinal():
                raise tz.out_of_range("the hour asked for", where=self.where)
            target = self.cell_at(cell + by * HOUR_S)
            by -= (self.count(min(cell, target), max(cell, target)) - 1) * (1 if by > 0 else -1)
            cell = target
        while by:
            cell, by = (self.end(cell), by - 1) if by > 0 else (self.cell_at(cell - 1), by + 1)
        return self._bounded(cell, self.first_date(cell), where=self.where)

    def key(self, cell: int) -> str:
        """Return the canonical key of a cell, with the offset where its label comes twice."""
        offset = tz.offset_at(self.zone, cell)
        label = (cell + offset) // HOUR_S
        text = f"{_date_text(label)}T{label % 24:02}"
        return text if len(self._cells_of(label)) == 1 else text + _offset_text(offset)

    def parse(self, key: str, *, where: str) -> int:
        """Return the cell of a canonical key; a PartitionError for any other text."""
        match = _HOUR_KEY.fullmatch(key)
        if match is None:
            raise self.malformed(key, where=where)
        try:
            day, hour = date.fromisoformat(match[1]), int(match[2])
        except ValueError as error:
            raise self.malformed(key, where=where, why=f": {error}") from None
        if hour > 23:
            raise self.malformed(key, where=where, why=": hour must be in 0..23")
        self._bounded(0, day, where=where)
        return self._pick(key, (day.toordinal() - tz.EPOCH_ORDINAL) * 24 + hour, where=where)

    def first_date(self, cell: int) -> date:
        """Return the local date of a cell's first instant."""
        return date.fromordinal(tz.local_ordinal(self.zone, cell))

    def on_date(self, day: date, *, where: str) -> tuple[int, int]:
        """Return the first and the last hour of a local date."""
        ordinal = self._existing(day, where=where)
        return (
            self.cell_at(tz.midnight(self.zone, ordinal)),
            self.cell_at(tz.midnight(self.zone, ordinal + 1) - 1),
        )

    def _pick(self, key: str, label: int, *, where: str) -> int:
        cells = {self.key(cell): cell for cell in self._cells_of(label)}
        if key in cells:
            return cells[key]
        if not cells:
            raise PartitionError(
                f"the hour {shown(key)} does not exist in {self.zone.key}: the clock was set forward over it",
                where=where,
                fix="name the hour before or after it",
            )
        what = "comes twice" if len(cells) > 1 else "has another key"
        raise PartitionError(
            f"the hour {shown(key)} {what} in {self.zone.key}", where=where, fix=f"write {' or '.join(cells)}"
        )

    def _stretch(self, seconds: int) -> tuple[int, int]:
        offset = tz.offset_at(self.zone, seconds)
        label = (seconds + offset) // HOUR_S * HOUR_S - offset
        for start, end, _ in tz.stretches(self.zone, label, label + HOUR_S):
            if start <= seconds < end:
                return start, end
        raise AssertionError("the stretches of an hour cover it")

    def _cells_of(self, label: int) -> list[int]:
        """List the cells that a local hour label names: none in spring's gap, two in autumn's overlap."""
        local = label * HOUR_S
        found = []
        for start, end, offset in tz.stretches(self.zone, local - tz.DAY_S, local + tz.DAY_S + HOUR_S):
            first = max(start, local - offset)
            if first < min(end, local + HOUR_S - offset):
                found.append(first)
        return found


_DATE_KEYS = {
    Granularity.DAY: re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})"),
    Granularity.WEEK: re.compile(r"([0-9]{4})-W([0-9]{2})"),
    Granularity.MONTH: re.compile(r"([0-9]{4})-([0-9]{2})"),
    Granularity.QUARTER: re.compile(r"([0-9]{4})-Q([1-4])"),
    Granularity.YEAR: re.compile(r"([0-9]{4})"),
}


@cache
def axis_of(grain: Granularity, zone: ZoneInfo) -> Axis:
    """Return the axis of a grain in a zone."""
    return HourAxis(grain, zone) if grain is Granularity.HOUR else DateAxis(grain, zone)


def grain_of_key(key: str) -> Granularity | None:
    """Tell the grain of a key from its form; ``None`` for a text that is no key."""
    if _HOUR_KEY.fullmatch(key):
        return Granularity.HOUR
    return next((grain for grain, form in _DATE_KEYS.items() if form.fullmatch(key)), None)


def _date_text(label: int) -> str:
    return date.fromordinal(label // 24 + tz.EPOCH_ORDINAL).isoformat()


def _offset_text(offset: int) -> str:
    sign, size = ("-", -offset) if offset < 0 else ("+", offset)
    text = f"{sign}{size // 3600:02}:{size // 60 % 60:02}"
    return text if size % 60 == 0 else f"{text}:{size % 60:02}"  # local mean time had seconds
