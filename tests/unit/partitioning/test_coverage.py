"""Held and missing stretches."""

import datetime as dt

import pytest

from airflow_provider.partitioning.coverage import Span, gaps, merge, missing, stretches, subtract
from airflow_provider.partitioning.time_config import TimePartitionConfig
from airflow_provider.partitioning.window import TimePartitionWindow

DAILY = TimePartitionConfig(column="day")
WEEK = TimePartitionWindow("2026-03-01", "2026-03-07")


def days(start: int, end: int) -> Span:
    epoch = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
    return epoch + dt.timedelta(days=start), epoch + dt.timedelta(days=end)


def test_spans_that_touch_or_overlap_are_one() -> None:
    assert merge([days(5, 7), days(0, 2), days(2, 4), days(6, 9)]) == [days(0, 4), days(5, 9)]


def test_a_span_inside_another_is_swallowed_and_an_empty_one_dropped() -> None:
    assert merge([days(0, 9), days(2, 3), days(12, 12), days(20, 15)]) == [days(0, 9)]


def test_a_hole_between_two_loads_is_missing() -> None:
    assert missing(days(0, 10), [days(0, 3), days(5, 10)]) == [days(3, 5)]


@pytest.mark.parametrize(
    ("held", "gap"),
    [
        ([], [days(0, 10)]),
        ([days(0, 10)], []),
        ([days(-5, 15)], []),
        ([days(-5, 0)], [days(0, 10)]),
        ([days(10, 15)], [days(0, 10)]),
        ([days(-5, 2)], [days(2, 10)]),
        ([days(8, 15)], [days(0, 8)]),
        ([days(2, 3), days(6, 7)], [days(0, 2), days(3, 6), days(7, 10)]),
    ],
)
def test_what_no_load_covers_is_missing(held: list[Span], gap: list[Span]) -> None:
    assert missing(days(0, 10), held) == gap


def test_nothing_is_missing_from_an_empty_span() -> None:
    assert missing(days(3, 3), []) == []


def test_subtract_leaves_what_was_not_removed() -> None:
    assert subtract([days(0, 5), days(8, 12)], [days(3, 9), days(10, 11)]) == [days(0, 3), days(9, 10), days(11, 12)]
    assert subtract([], [days(0, 1)]) == []


@pytest.mark.parametrize(
    ("held", "missing_windows"),
    [
        ([], ["2026-03-01..2026-03-07"]),
        (list(WEEK.keys), []),
        (["2026-03-03"], ["2026-03-01..2026-03-02", "2026-03-04..2026-03-07"]),
        (["2026-03-01", "2026-03-07"], ["2026-03-02..2026-03-06"]),
        (["2026-03-02", "2026-03-03", "2026-03-05"], ["2026-03-01", "2026-03-04", "2026-03-06..2026-03-07"]),
        (["2025-01-01", "2026-03", "eu"], ["2026-03-01..2026-03-07"]),
    ],
)
def test_gaps_are_the_partitions_that_are_not_held(held: list[str], missing_windows: list[str]) -> None:
    assert [str(window) for window in gaps(WEEK, held)] == missing_windows


def test_stretches_write_neighbours_as_a_range() -> None:
    keys = ["2026-03-09", "2026-03-02", "2026-03-01", "2026-03-03", "2026-03-09"]

    assert stretches(keys, DAILY) == ["2026-03-01..2026-03-03", "2026-03-09"]


def test_stretches_list_foreign_keys_last() -> None:
    assert stretches(["eu", "2026-03-01", "2026-03"], DAILY) == ["2026-03-01", "2026-03", "eu"]


def test_stretches_are_bounded() -> None:
    keys = [f"2026-03-{day:02}" for day in range(1, 31, 2)]

    assert stretches(keys, DAILY, limit=2) == ["2026-03-01", "2026-03-03", "and 13 more"]
    assert stretches([], DAILY) == []
