"""Expected against held, cell by cell."""

import datetime as dt

from airflow_provider.ledger import AssetIndex, AttemptNote, CommitRecord, UntrackedNote
from airflow_provider.ledger.coverage import Cell, coverage
from airflow_provider.partitioning import TimePartitionConfig

NOW = dt.datetime(2026, 1, 5, 12, tzinfo=dt.timezone.utc)
daily = TimePartitionConfig(column="day", start="2026-01-01")


def held(key: str | None, *, state: str = "committed", rows: int = 2) -> CommitRecord:
    return CommitRecord(
        "a", "d", key, fence=1, attempt="x", state=state, rows=rows, committed_at="2026-01-04T00:00:00Z"
    )


def failed(key: str) -> AttemptNote:
    return AttemptNote("a", "d", key, attempt="y", outcome="failed", error="no", at="2026-01-05T00:00:00Z")


def test_what_is_complete_by_now_and_not_held_is_missing() -> None:
    found = coverage(daily, AssetIndex.of([held("2026-01-01"), held("2026-01-03")]), now=NOW)

    assert [(cell.key, cell.state) for cell in found.cells] == [
        ("2026-01-01", "committed"),
        ("2026-01-02", "missing"),
        ("2026-01-03", "committed"),
        ("2026-01-04", "missing"),
    ]
    assert (found.held, found.missing, found.rows) == (2, 2, 4)


def test_held_and_failed_are_told_apart() -> None:
    found = coverage(daily, AssetIndex.of([held("2026-01-01"), failed("2026-01-01"), failed("2026-01-02")]), now=NOW)

    assert found.cells[0] == Cell("2026-01-01", "committed", "failed", 2, "2026-01-04T00:00:00Z", "no")
    assert (found.cells[1].state, found.cells[1].last_attempt, found.failed) == ("missing", "failed", 2)


def test_an_empty_partition_is_held() -> None:
    found = coverage(daily, AssetIndex.of([held("2026-01-01", state="empty", rows=0)]), now=NOW)

    assert (found.cells[0].state, found.held) == ("empty", 1)


def test_data_that_was_there_before_is_neither_held_nor_missing() -> None:
    old = [UntrackedNote("a", "d", "2026-01-02"), UntrackedNote("a", "d", "2025"), failed("2026-01-02")]
    found = coverage(daily, AssetIndex.of([held("2026-01-01"), *old]), now=NOW)

    assert [(cell.key, cell.state) for cell in found.cells][:3] == [
        ("2026-01-01", "committed"),
        ("2026-01-02", "untracked"),
        ("2026-01-03", "missing"),
    ]
    assert found.cells[1].last_attempt == "failed"
    assert (found.held, found.untracked, found.missing, found.failed) == (1, 1, 2, 1)


def test_the_whole_may_be_untracked() -> None:
    found = coverage(None, AssetIndex.of([UntrackedNote("a", "d", None)]), now=NOW)

    assert (found.cells[0].state, found.held, found.missing) == ("untracked", 0, 0)


def test_keys_of_another_grain_are_left_out() -> None:
    found = coverage(daily, AssetIndex.of([held("2026-01"), held("2026-01-01T05"), failed("2025-W01")]), now=NOW)

    assert [cell.key for cell in found.cells] == ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]
    assert (found.held, found.rows, found.failed) == (0, 0, 0)


def test_partitions_held_before_the_start_are_shown_too() -> None:
    found = coverage(daily, AssetIndex.of([held("2025-12-30")]), now=NOW)

    assert [cell.key for cell in found.cells][:2] == ["2025-12-30", "2026-01-01"]


def test_without_a_start_the_stretch_between_the_first_and_the_last_one_is_expected() -> None:
    found = coverage(
        TimePartitionConfig(column="day"), AssetIndex.of([held("2026-01-01"), held("2026-01-03")]), now=NOW
    )

    assert [cell.state for cell in found.cells] == ["committed", "missing", "committed"]
    assert coverage(TimePartitionConfig(column="day"), AssetIndex(), now=NOW).cells == ()


def test_a_window_restricts_the_cells() -> None:
    window = daily.window("2026-01-02", "2026-01-03")

    assert [c.key for c in coverage(daily, AssetIndex.of([held("2026-01-01")]), now=NOW, window=window).cells] == [
        "2026-01-02",
        "2026-01-03",
    ]


def test_keys_of_an_older_partitioning_are_left_out() -> None:
    assert "2025-12" not in [c.key for c in coverage(daily, AssetIndex.of([held("2025-12")]), now=NOW).cells]


def test_an_unpartitioned_asset_is_one_cell() -> None:
    found = coverage(None, AssetIndex.of([held(None)]), now=NOW)

    assert (found.window, [cell.state for cell in found.cells]) == (None, ["committed"])
