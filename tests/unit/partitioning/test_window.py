"""Windows of consecutive partitions."""

import datetime as dt
import pickle
import time
from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest

from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning.partition import TimePartition
from airflow_provider.partitioning.window import TimePartitionWindow, join

UTC = dt.timezone.utc


def days(first: str, last: str, zone: str | None = None) -> TimePartitionWindow:
    return TimePartitionWindow(first, last, "day", zone)


def test_both_ends_belong_to_a_window_which_iterates_oldest_first() -> None:
    window = TimePartitionWindow(dt.date(2013, 1, 1), dt.date(2013, 1, 3))

    assert [str(partition) for partition in window] == ["2013-01-01", "2013-01-02", "2013-01-03"]
    assert window.keys == ("2013-01-01", "2013-01-02", "2013-01-03")
    assert (window.first.key, window.last.key, len(window)) == ("2013-01-01", "2013-01-03", 3)
    assert window.partitions is window.partitions


def test_a_window_reads_as_its_ends_or_as_its_one_key() -> None:
    assert str(days("2013-01-01", "2013-01-03")) == "2013-01-01..2013-01-03"
    assert str(TimePartitionWindow("2013-01-01")) == "2013-01-01"


@pytest.mark.parametrize(
    ("start", "grain"),
    [
        ("2013-01", "month"),
        ("2013", "year"),
        ("2013-01-01T05", "hour"),
        ("2013-Q1", "quarter"),
        (dt.date(2013, 1, 1), "day"),
    ],
)
def test_the_grain_is_told_by_the_form_of_the_key(start: object, grain: str) -> None:
    assert TimePartitionWindow(start).granularity == grain


def test_grain_and_zone_come_from_the_first_partition() -> None:
    first = TimePartition("2013-01", "month", "Europe/Brussels")

    window = TimePartitionWindow(first, "2013-03")

    assert (window.granularity, window.timezone, len(window)) == ("month", "Europe/Brussels", 3)


def test_a_bare_end_is_placed_in_the_windows_zone() -> None:
    window = TimePartitionWindow(TimePartition("2013-01-01"), TimePartition("2013-01-02"), timezone="Asia/Tokyo")

    assert window == days("2013-01-01", "2013-01-02", "Asia/Tokyo")


@pytest.mark.parametrize(("date", "hours"), [((2026, 10, 25), 25), ((2026, 3, 29), 23), ((2026, 7, 1), 24)])
def test_a_date_in_a_window_of_hours_is_all_its_hours(date: tuple[int, int, int], hours: int) -> None:
    window = TimePartitionWindow(dt.date(*date), granularity="hour", timezone="Europe/Brussels")

    assert len(window) == len(set(window.keys)) == hours
    assert window.bounds == TimePartition(dt.date(*date), "day", "Europe/Brussels").bounds


def test_a_window_of_hours_without_a_zone_stays_bare() -> None:
    window = TimePartitionWindow(dt.date(2026, 1, 1), dt.date(2026, 1, 2), "hour")

    assert (len(window), window.timezone) == (48, None)


def test_a_reversed_window_is_refused_with_the_right_order() -> None:
    with pytest.raises(
        PartitionError, match=r"ends at 2013-01-01, before its start 2013-01-03\n.*2013-01-01..2013-01-03"
    ):
        days("2013-01-03", "2013-01-01")


@pytest.mark.parametrize(
    "end",
    [
        TimePartition("2013-02", "month", "UTC"),
        TimePartition("2013-01-05", "day", "Asia/Tokyo"),
    ],
)
def test_ends_of_different_partitionings_are_refused(end: TimePartition) -> None:
    with pytest.raises(PartitionError, match="use partitions of one granularity in one time zone"):
        TimePartitionWindow(TimePartition("2013-01-01", "day", "UTC"), end)
    with pytest.raises(PartitionError, match="different partitionings"):
        TimePartitionWindow.between(TimePartition("2013-01-01", "day", "UTC"), end)


def test_bounds_and_edges_are_instants() -> None:
    window = days("2026-03-28", "2026-03-30", "Europe/Brussels")

    assert window.bounds == (window.start, window.end)
    assert [edge.isoformat()[:16] for edge in window.edges] == [
        "2026-03-27T23:00",
        "2026-03-28T23:00",
        "2026-03-29T22:00",
        "2026-03-30T22:00",
    ]


def test_a_date_that_the_zone_skipped_is_not_in_the_window() -> None:
    window = days("2011-12-29", "2012-01-01", "Pacific/Apia")

    assert window.keys == ("2011-12-29", "2011-12-31", "2012-01-01")
    assert len(window) == 3
    assert "2011-12-30" not in window


@pytest.mark.parametrize(
    ("what", "held"),
    [
        ("2013-01-02", True),
        (TimePartition("2013-01-03", timezone="UTC"), True),
        ("2013-01-04", False),
        ("2013-01", False),
        ("nonsense", False),
        (TimePartition("2013-01", "month"), False),
        (TimePartition("2013-01-02", timezone="Asia/Tokyo"), False),
        (dt.date(2013, 1, 2), False),
        (None, False),
    ],
)
def test_a_window_knows_its_partitions_and_their_keys(what: object, held: bool) -> None:
    assert (what in days("2013-01-01", "2013-01-03")) is held


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        (("2013-01-03", "2013-01-09"), "2013-01-03..2013-01-05"),
        (("2013-01-02", "2013-01-03"), "2013-01-02..2013-01-03"),
        (("2013-01-05", "2013-01-05"), "2013-01-05"),
        (("2013-01-06", "2013-01-09"), "None"),
    ],
)
def test_the_intersection_holds_what_both_hold(other: tuple[str, str], shared: str) -> None:
    assert str(days("2013-01-01", "2013-01-05").intersection(days(*other))) == shared


def test_an_intersection_needs_one_partitioning() -> None:
    with pytest.raises(PartitionError, match="different partitionings"):
        days("2013-01-01", "2013-01-05").intersection(days("2013-01-01", "2013-01-05", "Asia/Tokyo"))


def test_contiguous_sorts_drops_repeats_and_joins_neighbours() -> None:
    keys = ["2013-01-05", "2013-01-01", "2013-01-02", "2013-01-01", "2013-01-03"]

    windows = TimePartitionWindow.contiguous(TimePartition(key) for key in keys)

    assert [str(window) for window in windows] == ["2013-01-01..2013-01-03", "2013-01-05"]
    assert TimePartitionWindow.contiguous([]) == ()


def test_contiguous_sees_neighbours_across_a_skipped_date_and_a_repeated_hour() -> None:
    islands = [TimePartition(key, "day", "Pacific/Apia") for key in ("2011-12-31", "2011-12-29")]
    autumn = [TimePartition(key, "hour", "Europe/Brussels") for key in ("2026-10-25T02+01:00", "2026-10-25T02+02:00")]

    assert [str(w) for w in TimePartitionWindow.contiguous(islands)] == ["2011-12-29..2011-12-31"]
    assert [str(w) for w in TimePartitionWindow.contiguous(autumn)] == ["2026-10-25T02+02:00..2026-10-25T02+01:00"]


def test_join_keeps_a_window_that_holds_another() -> None:
    joined = join(
        [days("2013-01-01", "2013-01-09"), days("2013-01-02", "2013-01-03"), days("2013-01-10", "2013-01-10")]
    )

    assert [str(window) for window in joined] == ["2013-01-01..2013-01-10"]


@pytest.mark.parametrize(
    ("now", "lookback", "offset", "grain", "window"),
    [
        (dt.date(2025, 1, 10), 7, 1, "day", "2025-01-03..2025-01-09"),
        (dt.date(2025, 1, 10), 7, 0, "day", "2025-01-04..2025-01-10"),
        (dt.date(2025, 1, 10), 1, 2, "day", "2025-01-08"),
        (dt.datetime(2025, 1, 10, 0, 0, tzinfo=UTC), 1, 1, "day", "2025-01-09"),
        (dt.datetime(2025, 1, 10, 23, 59, tzinfo=UTC), 1, 1, "day", "2025-01-09"),
        (dt.datetime(2025, 1, 10, 5, 59, tzinfo=UTC), 2, 1, "hour", "2025-01-10T03..2025-01-10T04"),
        (dt.date(2025, 1, 10), 2, 1, "hour", "2025-01-09T22..2025-01-09T23"),
        (dt.date(2025, 1, 10), 2, 1, "month", "2024-11..2024-12"),
        (dt.date(2025, 1, 10), 5, 1, "quarter", "2023-Q4..2024-Q4"),
        (dt.date(2025, 1, 10), 2, 1, "week", "2024-W52..2025-W01"),
        (dt.date(2025, 1, 10), 2, 0, "year", "2024..2025"),
    ],
)
def test_lookback_takes_the_last_partitions(now: dt.date, lookback: int, offset: int, grain: str, window: str) -> None:
    assert str(TimePartitionWindow.lookback(now, lookback, offset, granularity=grain)) == window


def test_lookback_begins_at_the_start_or_is_none() -> None:
    clamped = TimePartitionWindow.lookback(dt.date(2025, 1, 10), 7, start=dt.date(2025, 1, 8))

    assert str(clamped) == "2025-01-08..2025-01-09"
    assert TimePartitionWindow.lookback(dt.date(2025, 1, 10), 7, start="2025-01-10") is None


def test_lookback_counts_in_the_zone() -> None:
    now = dt.datetime(2025, 1, 10, 3, tzinfo=UTC)  # still the 9th in New York

    assert str(TimePartitionWindow.lookback(now, 1, timezone="America/New_York")) == "2025-01-08"


@pytest.mark.parametrize(("lookback", "offset"), [(0, 1), (-1, 1), (1, -1), (True, 1), (1.5, 1), ("7", 1)])
def test_a_lookback_that_counts_nothing_is_refused(lookback: object, offset: object) -> None:
    with pytest.raises(ConfigError, match="is not a whole number from"):
        TimePartitionWindow.lookback(dt.date(2025, 1, 10), lookback, offset)


def test_a_window_is_frozen_hashable_and_pickles() -> None:
    window = days("2013-01-01", "2013-01-03", "Europe/Brussels")

    with pytest.raises(AttributeError, match="cannot be changed"):
        window.first = None
    assert len({window, days("2013-01-01", "2013-01-03", "Europe/Brussels")}) == 1
    assert window != days("2013-01-01", "2013-01-04", "Europe/Brussels")
    assert window != "2013-01-01..2013-01-03"
    assert pickle.loads(pickle.dumps(window)) == window
    assert eval(repr(window)) == window


def test_an_instant_is_converted_to_the_windows_zone() -> None:
    late = dt.datetime(2013, 1, 1, 23, 30, tzinfo=ZoneInfo("UTC"))

    assert TimePartitionWindow(late, granularity="day", timezone="Europe/Brussels").keys == ("2013-01-02",)


def best_ms(work: Callable[[], object]) -> float:
    """Return the CPU time of the best of five, which other work on the machine hardly touches."""
    spent = []
    for _ in range(5):
        before = time.process_time()
        work()
        spent.append((time.process_time() - before) * 1000)
    return min(spent)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Brussels"])
def test_ten_years_of_days_are_listed_in_20_ms_and_counted_in_1(zone: str) -> None:
    def decade() -> TimePartitionWindow:
        return days("2015-01-01", "2024-12-28", zone)

    assert len(decade()) == 3650
    assert best_ms(lambda: decade().keys) < 20
    assert best_ms(lambda: (len(decade()), "2020-01-01" in decade())) < 1


def test_a_year_of_lookback_takes_under_5_ms() -> None:
    assert best_ms(lambda: TimePartitionWindow.lookback(dt.date(2025, 1, 1), 365, timezone="Europe/Brussels").edges) < 5
