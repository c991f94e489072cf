"""Periods: every partition lies in exactly one, however the calendar falls."""

import datetime as dt

import pytest

from airflow_provider.partitioning import TimePartitionConfig
from airflow_provider.plugins.coverage.period import MAX_PERIODS, clipped, newest, periods_of

CASES = [
    ("hour", "2025-10-20T00", "2026-01-02T03", "Europe/Berlin"),
    ("hour", "2011-12-28T00", "2012-01-03T00", "Pacific/Apia"),
    ("day", "2011-12-01", "2013-01-01", "Pacific/Apia"),
    ("week", "1999-W52", "2041-W01", "UTC"),
    ("month", "1949-12", "2050-01", "UTC"),
    ("quarter", "1949-Q4", "2050-Q1", "UTC"),
    ("year", "1499", "2501", "UTC"),
]


@pytest.mark.parametrize(("granularity", "first", "last", "zone"), CASES)
def test_periods_hold_every_partition_once(granularity, first, last, zone):
    config = TimePartitionConfig(column="at", granularity=granularity, timezone=zone)
    extent = config.window(first, last)

    found = []
    for _, begin, end in reversed(periods_of(config, extent)):
        found.extend(clipped(config, extent, begin, end) or ())

    assert found == list(extent)


def test_hours_come_by_month_and_days_by_year():
    hourly = TimePartitionConfig(column="at", granularity="hour")
    daily = TimePartitionConfig(column="at")

    assert [p[0] for p in periods_of(hourly, hourly.window("2025-12-31T23", "2026-02-01T00"))] == [
        "2026-02", "2026-01", "2025-12",
    ]  # fmt: skip
    assert newest(daily, daily.window("2024-05-05", "2026-02-01")) == (dt.date(2026, 1, 1), dt.date(2026, 12, 31))


def test_there_are_never_too_many():
    hourly = TimePartitionConfig(column="at", granularity="hour")

    assert len(periods_of(hourly, hourly.window("1000-01-01T00", "2026-01-01T00"))) == MAX_PERIODS


def test_dates_outside_hold_nothing():
    daily = TimePartitionConfig(column="at")
    extent = daily.window("2026-01-01", "2026-01-31")

    assert clipped(daily, extent, dt.date(2025, 1, 1), dt.date(2025, 12, 31)) is None
    assert clipped(daily, extent, dt.date(2026, 1, 20), dt.date(2026, 1, 10)) is None
