"""Pieces of the page's answers."""

import datetime as dt
from zoneinfo import ZoneInfo

from airflow_provider.ledger.coverage import Cell
from airflow_provider.partitioning import ListPartitionConfig, TimePartitionConfig
from airflow_provider.plugins.coverage.cells import MAX_GAPS, cell_values, gap_values, gaps_between, range_of

DAILY = TimePartitionConfig(column="day")


def test_gaps_lie_between_what_is_held() -> None:
    expected = DAILY.window("2026-01-01", "2026-01-05")
    held = [DAILY.partition(key) for key in ("2026-01-02", "2026-01-04")]

    assert [str(gap) for gap in gaps_between(expected, held)] == ["2026-01-01", "2026-01-03", "2026-01-05"]
    assert gaps_between(None, held) == []


def test_gaps_of_any_kind_are_told_with_their_text_and_are_bounded() -> None:
    regions = ListPartitionConfig([f"r{n}" for n in range(1000)], column="r")
    gaps = regions.join(regions.window(key) for key in regions.values[::2])

    told = gap_values(gaps)

    assert (len(told["gaps"]), told["more_gaps"]) == (MAX_GAPS, 500 - MAX_GAPS)
    assert told["gaps"][-1] == {"first": "r998", "last": "r998", "count": 1, "text": "r998"}


def test_the_newest_period_is_shown_unless_dates_are_asked_for() -> None:
    extent = DAILY.window("2025-12-30", "2026-01-02")

    told, window = range_of(DAILY, extent, (None, None))
    _, asked = range_of(DAILY, extent, (dt.date(2025, 12, 1), dt.date(2025, 12, 31)))

    assert told["range"] == {"from": "2026-01-01", "to": "2026-12-31"}
    assert [period["label"] for period in told["periods"]] == ["2026", "2025"]
    assert (str(window), str(asked)) == ("2026-01-01..2026-01-02", "2025-12-30..2025-12-31")


def test_a_cell_has_no_empty_values() -> None:
    zone = ZoneInfo("UTC")

    assert cell_values(Cell("eu", "missing"), zone) == {"key": "eu", "state": "missing"}
    assert cell_values(Cell("eu", "missing"), zone, due=False)["state"] == "outside"
