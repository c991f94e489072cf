"""What the page is told of lists and of several dimensions."""

import datetime as dt
import time
from typing import Any

from airflow_provider.ledger.record import AttemptNote, CommitRecord, Entry
from airflow_provider.partitioning import (
    ListPartitionConfig,
    MultiPartitionConfig,
    PartitionConfig,
    TimePartitionConfig,
)
from airflow_provider.plugins.coverage.answer import survey
from airflow_provider.plugins.coverage.cells import MAX_CELLS

NOW = dt.datetime(2026, 1, 5, 12, tzinfo=dt.timezone.utc)
REGIONS = ListPartitionConfig(["us", "eu", "a|b"], column="region")
DAY = TimePartitionConfig(column="day", start="2026-01-01")
BOTH = MultiPartitionConfig(DAY, REGIONS)


def record(key: str) -> CommitRecord:
    return CommitRecord("shop.orders", "file:///lake", key, 1, "a1", rows=3, committed_at="2026-01-05T00:00:00.000000Z")


def told(config: PartitionConfig, entries: list[Entry], **options: Any) -> dict[str, Any]:
    return survey("shop.orders", config, entries, now=NOW, **options)


def test_a_list_has_a_row_for_each_value_in_its_order() -> None:
    failed = AttemptNote("shop.orders", "file:///lake", "a|b", "a2", "failed", error="boom")

    answer = told(REGIONS, [record("eu"), failed, record("gone")])

    assert (answer["kind"], answer["columns"], answer["granularity"]) == ("list", ["region"], None)
    assert [(cell["row"], cell["column"], cell["state"]) for cell in answer["cells"]] == [
        ("us", "", "missing"), ("eu", "", "committed"), ("a|b", "", "missing"),
    ]  # fmt: skip
    assert answer["totals"] == {"held": 1, "untracked": 0, "missing": 2, "failed": 1, "rows": 3, "expected": 3}
    assert [gap["text"] for gap in answer["gaps"]] == ["us", "a|b"]
    assert [failure["key"] for failure in answer["failures"]] == ["a|b"]


def test_a_time_and_a_list_are_a_matrix_of_the_newest_period() -> None:
    answer = told(BOTH, [record("2026-01-01|us"), record("2026-01-02|us"), record(r"2026-01-03|a\|b")])

    assert (answer["kind"], answer["columns"], answer["granularity"]) == ("multi", ["day", "region"], "day")
    assert answer["range"] == {"from": "2026-01-01", "to": "2026-12-31"}
    states = {(cell["row"], cell["column"]): cell["state"] for cell in answer["cells"]}
    assert len(states) == 12
    assert states["us", "2026-01-02"] == states[r"a\|b", "2026-01-03"] == "committed"
    assert states["eu", "2026-01-01"] == "missing"
    assert (answer["totals"]["held"], answer["totals"]["missing"], answer["totals"]["expected"]) == (3, 9, 12)
    assert sum(gap["count"] for gap in answer["gaps"]) == 9
    assert "2026-01-01..2026-01-04|eu" in [gap["text"] for gap in answer["gaps"]]


def test_what_is_held_outside_of_the_expected_is_drawn_and_not_missing() -> None:
    answer = told(BOTH, [record("2025-12-31|us")], dates=(dt.date(2025, 12, 1), dt.date(2025, 12, 31)))

    assert {(cell["row"], cell["state"]) for cell in answer["cells"]} == {
        ("us", "committed"), ("eu", "outside"), (r"a\|b", "outside"),
    }  # fmt: skip


def test_lists_alone_are_a_matrix_of_their_values() -> None:
    config = MultiPartitionConfig(REGIONS, ListPartitionConfig(["x", "y"], column="kind"))

    answer = told(config, [record("eu|y")])

    assert [(cell["row"], cell["column"]) for cell in answer["cells"] if cell["state"] == "committed"] == [("eu", "y")]
    assert (len(answer["cells"]), answer["totals"]["missing"], answer["periods"]) == (6, 5, [])


def test_nothing_held_and_no_start_is_no_period() -> None:
    config = MultiPartitionConfig(TimePartitionConfig(column="day"), REGIONS)

    answer = told(config, [])

    assert (answer["cells"], answer["range"], answer["totals"]["expected"]) == ([], None, 0)


def test_many_cells_are_cut_to_the_newest_and_answer_soon() -> None:
    regions = ListPartitionConfig([f"r{n}" for n in range(50)], column="region")
    config = MultiPartitionConfig(TimePartitionConfig(column="day", start="2025-01-01", end="2025-12-31"), regions)
    (window,) = config.parse("2025-01-01..2025-12-31")
    entries: list[Entry] = [record(key) for key in window.keys[: len(window) // 2]]

    started = time.process_time()
    answer = told(config, entries)

    assert time.process_time() - started < 4
    assert answer["cut"]
    assert len(answer["cells"]) == MAX_CELLS
    assert answer["cells"][-1]["column"] == "2025-12-31"
    assert answer["totals"]["held"] + answer["totals"]["missing"] == answer["totals"]["expected"] == 365 * 50
