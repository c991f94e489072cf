"""The stretches of dates that the page shows one at a time: long enough to see much, short enough to stay quick.

A period is a pair of local dates, both included: a month of hours, a year of days, decades of anything longer.
"""

import datetime as dt
from collections.abc import Iterator
from itertools import islice

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning import Granularity, TimePartition, TimePartitionConfig, TimePartitionWindow

MAX_PERIODS = 2400
YEARS = {"day": 1, "week": 20, "month": 50, "quarter": 50, "year": 500}
_DAY = dt.timedelta(days=1)


def periods_of(partitioning: TimePartitionConfig, extent: TimePartitionWindow) -> list[tuple[str, dt.date, dt.date]]:
    """Label and dates of each period that ``extent`` reaches into, newest first, at most ``MAX_PERIODS``."""
    return list(islice(_backwards(partitioning.granularity, _named(extent.first), _named(extent.last)), MAX_PERIODS))


def newest(partitioning: TimePartitionConfig, extent: TimePartitionWindow) -> tuple[dt.date, dt.date]:
    """The dates of the last period of ``extent``."""
    _, first, last = next(_backwards(partitioning.granularity, _named(extent.last), _named(extent.last)))
    return first, last


def clipped(
    partitioning: TimePartitionConfig, extent: TimePartitionWindow, first: dt.date, last: dt.date
) -> TimePartitionWindow | None:
    """The partitions of ``extent`` that lie on these local dates; None where there are none."""
    start, end = _on(partitioning, first, _DAY), _on(partitioning, last, -_DAY)
    if start is None or end is None:
        return None
    begin, until = max(start.first, extent.first), min(end.last, extent.last)
    return TimePartitionWindow.between(begin, until) if begin <= until else None


def _on(partitioning: TimePartitionConfig, date: dt.date, step: dt.timedelta) -> TimePartitionWindow | None:
    """The partitions on a date, or on the next one where the zone skipped it; None beyond the calendar's end."""
    for _ in range(2):
        try:
            return partitioning.window(date)
        except PartitionError:
            try:
                date += step
            except OverflowError:
                return None
    return None


def _named(partition: TimePartition) -> dt.date:
    """A date in the year that the key names: of a week the Thursday, whose Monday may lie in the year before."""
    if partition.granularity is Granularity.WEEK:
        return dt.date.fromisocalendar(int(partition.key[:4]), int(partition.key[-2:]), 4)
    return partition.date


def _backwards(grain: Granularity, first: dt.date, last: dt.date) -> Iterator[tuple[str, dt.date, dt.date]]:
    if grain is Granularity.HOUR:
        yield from _months_back(first, last)
        return
    size = YEARS[grain.value]
    year = last.year
    while year >= first.year:
        begin = max(year - year % size, 1)
        end = min(year - year % size + size - 1, dt.MAXYEAR)
        label = str(begin) if begin == end else f"{begin}-{end}"
        yield label, _first_day(grain, begin), _last_day(grain, end)
        year = begin - 1


def _months_back(first: dt.date, last: dt.date) -> Iterator[tuple[str, dt.date, dt.date]]:
    year, month = last.year, last.month
    while (year, month) >= (first.year, first.month):
        begin = dt.date(year, month, 1)
        after = dt.date(year + month // 12, month % 12 + 1, 1) if (year, month) != (dt.MAXYEAR, 12) else None
        yield f"{begin:%Y-%m}", begin, after - _DAY if after else dt.date.max
        year, month = (year, month - 1) if month > 1 else (year - 1, 12)


def _first_day(grain: Granularity, year: int) -> dt.date:
    """The first day of a year; by week the Monday of its first ISO week."""
    if grain is Granularity.WEEK and year > 1:
        return dt.date.fromisocalendar(year, 1, 1)
    return dt.date(year, 1, 1)


def _last_day(grain: Granularity, year: int) -> dt.date:
    if grain is Granularity.WEEK and year < dt.MAXYEAR:
        return dt.date.fromisocalendar(year + 1, 1, 1) - _DAY
    return dt.date(year, 12, 31)
