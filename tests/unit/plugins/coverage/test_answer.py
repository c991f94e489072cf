"""What the page is told: totals over everything, cells of one period, everything bounded."""

import datetime as dt
import time

import pytest

from airflow_provider.ledger.coverage import coverage
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.record import AttemptNote, CommitRecord, UntrackedNote
from airflow_provider.partitioning import TimePartitionConfig
from airflow_provider.plugins.coverage.answer import describe, survey
from airflow_provider.plugins.coverage.cells import MAX_CELLS, MAX_FAILURES, MAX_GAPS

NOW = dt.datetime(2026, 3, 11, 15, 30, tzinfo=dt.timezone.utc)
DAILY = TimePartitionConfig(column="day", start="2026-03-01", timezone="America/New_York")


def record(key, *, rows=3, state="committed", destination="file:///lake", at="2026-03-11T12:00:00.000000Z"):
    return CommitRecord("shop.orders", destination, key, 1, "a1", state=state, rows=rows, committed_at=at)


def failure(key, error="boom", at="2026-03-11T13:00:00.000000Z", destination="file:///lake"):
    return AttemptNote("shop.orders", destination, key, "a2", "failed", error=error, at=at)


def told(partitioning, entries, **options):
    return survey("shop.orders", partitioning, entries, now=NOW, **options)


def test_each_state_is_told_apart():
    answer = told(DAILY, [record("2026-03-01"), record("2026-03-02", state="empty", rows=0), failure("2026-03-03")])

    states = {cell["key"]: cell["state"] for cell in answer["cells"]}
    assert states["2026-03-01"] == "committed"
    assert states["2026-03-02"] == "empty"
    assert states["2026-03-04"] == "missing"
    [failed] = [cell for cell in answer["cells"] if cell.get("attempt") == "failed"]
    assert failed == {
        "key": "2026-03-03", "state": "missing", "attempt": "failed", "error": "boom", "date": "2026-03-03",
    }  # fmt: skip


def test_data_that_was_there_before_is_shown_and_neither_held_nor_missing():
    old = [UntrackedNote("shop.orders", "file:///lake", key) for key in ("2026-03-02", "2026-03-03", "2026-03")]
    answer = told(DAILY, [record("2026-03-01"), *old])

    assert {cell["key"]: cell["state"] for cell in answer["cells"]}["2026-03-02"] == "untracked"
    assert answer["totals"] == {"held": 1, "untracked": 2, "missing": 7, "failed": 0, "rows": 3, "expected": 10}
    assert [gap["first"] for gap in answer["gaps"]] == ["2026-03-04"]


def test_a_committed_cell_says_when_in_both_zones():
    [first, *_] = told(DAILY, [record("2026-03-01")])["cells"]

    assert first["at"] == "2026-03-11 08:00:00 EDT (2026-03-11 12:00:00 UTC)"
    assert first["rows"] == 3


def test_totals_are_those_of_the_coverage_model():
    entries = [record("2026-03-01"), record("2026-03-04", rows=None), failure("2026-03-04"), failure("2026-03-06")]

    totals = told(DAILY, entries)["totals"]

    model = coverage(DAILY, AssetIndex.of(entries), now=NOW)
    assert totals == {
        "held": model.held, "untracked": model.untracked,
        "missing": model.missing, "failed": model.failed, "rows": model.rows, "expected": 10,
    }  # fmt: skip


def test_gaps_are_the_stretches_between_what_is_held():
    answer = told(DAILY, [record("2026-03-03"), record("2026-03-04"), record("2026-03-06"), record("2026-03-10")])

    assert [(gap["first"], gap["last"], gap["count"]) for gap in answer["gaps"]] == [
        ("2026-03-01", "2026-03-02", 2), ("2026-03-05", "2026-03-05", 1), ("2026-03-07", "2026-03-09", 3),
    ]  # fmt: skip


def test_what_is_held_outside_of_the_expected_is_drawn_and_what_lies_between_is_not_missing():
    answer = told(DAILY, [record("2026-02-26"), record("2026-03-01")])

    states = {cell["key"]: cell["state"] for cell in answer["cells"]}
    assert states["2026-02-26"] == "committed"
    assert states["2026-02-27"] == "outside"
    assert answer["totals"]["missing"] == 9


def test_without_a_start_the_span_of_what_is_known_is_expected():
    bare = TimePartitionConfig(column="day")

    assert told(bare, [record("2026-01-01"), record("2026-01-04")])["totals"]["missing"] == 2
    assert told(bare, [])["cells"] == []


def test_nothing_expected_and_nothing_held_is_no_period():
    late = TimePartitionConfig(column="day", start="2027-01-01")

    answer = told(late, [])

    assert (answer["cells"], answer["periods"], answer["range"]) == ([], [], None)


def test_keys_of_an_older_partitioning_are_left_out():
    answer = told(DAILY, [record("2026-03"), record(None), failure("../../etc")])

    assert answer["totals"] == {"held": 0, "untracked": 0, "missing": 10, "failed": 0, "rows": 0, "expected": 10}


def test_a_failure_that_belongs_to_no_partition_is_told():
    assert told(DAILY, [failure(None, "no login")])["failures"] == [
        {"key": None, "error": "no login", "at": "2026-03-11 09:00:00 EDT (2026-03-11 13:00:00 UTC)"}
    ]


def test_lists_are_bounded():
    old = TimePartitionConfig(column="day", start="2020-01-01")
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=n) for n in range(0, 1200, 2)]

    answer = told(old, [record(str(day)) for day in days] + [failure(str(day)) for day in days])

    assert len(answer["gaps"]) == MAX_GAPS
    assert answer["more_gaps"] == len(days) - MAX_GAPS
    assert len(answer["failures"]) == MAX_FAILURES


def test_the_whole_is_one_cell():
    answer = told(None, [record(None, rows=7)])

    assert (answer["kind"], answer["totals"]["rows"], len(answer["cells"])) == (None, 7, 1)
    assert answer["cells"][0]["at"] == "2026-03-11 12:00:00 UTC"
    assert told(None, [])["cells"][0]["state"] == "missing"


def test_each_destination_can_be_seen_alone():
    entries = [record("2026-03-01", destination="a"), record("2026-03-02", destination="b")]

    assert told(DAILY, entries)["totals"]["held"] == 2
    assert told(DAILY, entries, destination="b")["cells"][0]["state"] == "missing"
    assert told(DAILY, entries, destination="unknown")["destination"] is None
    assert told(DAILY, entries)["destinations"] == ["a", "b"]


def test_ten_years_of_hours_answer_with_one_month():
    hourly = TimePartitionConfig(column="at", granularity="hour", start="2016-01-01T00", timezone="Europe/Berlin")
    expected = hourly.expected(NOW)
    entries = [record(partition.key) for partition in expected if partition.cell % 50]
    begun = time.monotonic()

    answer = told(hourly, entries)

    assert time.monotonic() - begun < 3
    assert {cell["date"][:7] for cell in answer["cells"]} == {"2026-03"}
    assert len(answer["periods"]) == 10 * 12 + 3
    assert answer["totals"]["held"] + answer["totals"]["missing"] == len(expected) == answer["totals"]["expected"]


def test_a_range_that_is_too_long_is_cut_to_its_newest_cells():
    hourly = TimePartitionConfig(column="at", granularity="hour", start="2016-01-01T00")

    answer = told(hourly, [], dates=(dt.date(2016, 1, 1), dt.date(2026, 1, 1)))

    assert (len(answer["cells"]), answer["cut"]) == (MAX_CELLS, True)
    assert answer["cells"][-1]["key"] == "2026-01-01T23"


@pytest.mark.parametrize(
    ("granularity", "first", "last"),
    [
        ("week", "2026-W01", "2026-W10"),
        ("month", "2026-01", "2026-02"),
        ("quarter", "2025-Q1", "2025-Q4"),
        ("year", "2020", "2025"),
    ],
)
def test_longer_grains_are_drawn_from_start_to_newest(granularity, first, last):
    config = TimePartitionConfig(column="at", granularity=granularity, start=first)

    cells = told(config, [])["cells"]

    assert (cells[0]["key"], cells[-1]["key"]) == (first, last)


@pytest.mark.parametrize(
    "dates", [(dt.date.min, dt.date.max), (dt.date.max, dt.date.min), (None, dt.date.min), (dt.date.max, None)]
)
def test_any_dates_are_answered(dates):
    for granularity in ("hour", "day", "week", "month", "quarter", "year"):
        config = TimePartitionConfig(column="at", granularity=granularity, start=dt.date(2026, 1, 1))
        assert len(told(config, [], dates=dates)["cells"]) <= MAX_CELLS


def test_an_asset_is_described_by_its_partitioning():
    assert describe("shop.orders", DAILY) == {
        "name": "shop.orders", "kind": "time", "columns": ["day"], "granularity": "day", "timezone": "America/New_York",
        "start": "2026-03-01", "end": None,
    }  # fmt: skip
    assert describe("shop.all", None)["kind"] is None


def test_a_partitioning_that_airflow_lost_is_guessed_from_the_keys():
    answer = told(None, [record("2026-03-01"), record("2026-03-04")])

    assert (answer["inferred"], answer["granularity"], answer["totals"]["missing"]) == (True, "day", 2)
    assert told(None, [record(None)])["inferred"] is False
    assert told(None, [record("eu-west")])["inferred"] is False
