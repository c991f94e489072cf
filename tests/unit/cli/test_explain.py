import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from airflow_provider.cli.explain import facts_of, instant
from airflow_provider.errors import ConfigError
from airflow_provider.partitioning import RunFacts

Run = Callable[..., Any]
UTC = dt.timezone.utc


@pytest.mark.parametrize(
    ("words", "rule", "windows"),
    [
        (["--window", "2026-01-01"], 1, ["2026-01-01"]),
        (["--window", "2026-01-01", "--window", "2026-01-05..2026-01-06"], 1, ["2026-01-01", "2026-01-05..2026-01-06"]),
        (["--partition-key", "2026-01-03T00:00:00"], 2, ["2026-01-03"]),
        (["--interval", "2026-01-01T05:00:00Z", "2026-01-03T05:00:00Z"], 3, ["2026-01-01..2026-01-02"]),
        (["--logical-date", "2026-01-05T00:00:00-05:00"], 4, ["2026-01-04"]),
        (["--run-after", "2026-01-05T04:59:00Z"], 4, ["2026-01-03"]),
        (["--event-key", "2026-01-01", "--event-key", "2026-01-02"], 5, ["2026-01-01..2026-01-02"]),
    ],
)
def test_each_rule_is_named_with_the_partitions_that_it_gives(
    run: Run, words: list[str], rule: int, windows: list[str]
) -> None:
    done = run("explain", "totals", *words)

    assert done.exit_code == 0
    assert f"rule {rule}:" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines() if line.startswith("    ")] == windows


def test_bounds_are_shown_on_the_clock_of_the_asset(run: Run) -> None:
    shown = run("explain", "totals", "--window", "2026-01-01").stdout

    assert "[2026-01-01T00:00:00-05:00, 2026-01-02T00:00:00-05:00)" in shown


def test_an_asset_without_partitions_is_covered_whole(run: Run) -> None:
    shown = run("explain", "whole").stdout

    assert "rule 6" in shown
    assert "covers the whole asset" in shown


def test_a_run_in_which_nothing_completes_is_skipped_unless_it_is_explicit(run: Run) -> None:
    interval = ["--interval", "2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z"]

    assert "skipped" in run("explain", "totals", *interval).stdout
    assert run("explain", "totals", *interval).exit_code == 0
    assert run("explain", "totals", *interval, "--explicit").exit_code == 1


def test_a_window_in_a_backfill_is_refused_as_the_task_would(run: Run) -> None:
    done = run("explain", "totals", "--window", "2026-01-01", "--backfill")

    assert done.exit_code == 1
    assert "backfill" in done.stderr


def test_a_run_that_says_nothing_is_an_error_that_names_the_ways(run: Run) -> None:
    assert "say which partitions" in run("explain", "totals").stderr


def test_an_instant_needs_an_offset() -> None:
    assert instant("2026-01-01T00:00:00Z", "--x") == dt.datetime(2026, 1, 1, tzinfo=UTC)
    for text in ("2026-01-01", "2026-01-01T00:00:00", "soon", ""):
        with pytest.raises(ConfigError, match="offset"):
            instant(text, "--x")


def test_a_blank_event_key_is_an_event_without_a_key() -> None:
    assert facts_of(event_key=[""]) == RunFacts(event_keys=())
    assert facts_of(event_key=None) == RunFacts()
