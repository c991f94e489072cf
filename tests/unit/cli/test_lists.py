"""The command line on lists and several dimensions: explain, materialize, coverage and show."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

MARKET = """
import airflow_provider as ap

region = ap.ListPartitionConfig(["us", "eu", "a|b"], column="region")
day = ap.TimePartitionConfig(column="day", start="2026-01-01", end="2026-01-04")


class Market(ap.Source):
    @ap.asset(partitioning=region)
    def prices(self, context: ap.ExecutionContext):
        return [{"region": context.partition_key, "n": 1}]

    @ap.asset(partitioning=ap.MultiPartitionConfig(day, region, allow_window=True))
    def sales(self, context: ap.ExecutionContext):
        return [{"day": p["day"].date, "region": p["region"].key, "n": 1} for p in context.window]


market = Market(destinations=ap.ParquetDestination(base_path="{env.AIRFLOW_HOME}/data"))
"""


@pytest.fixture
def market(run: Run, folder: Path) -> Run:
    (folder / "market.py").write_text(MARKET, encoding="utf-8")
    return run


def coverage(run: Run, *words: str) -> dict[str, Any]:
    (one,) = json.loads(run("coverage", *words, "--json").stdout)["assets"]
    result: dict[str, Any] = one
    return result


def test_explain_says_that_a_list_is_covered_whole(market: Run) -> None:
    said = market("explain", "prices", "--logical-date", "2026-01-03T00:00:00Z").stdout

    assert "rule 6" in said
    assert "covers 3 partitions" in said
    assert "a list, which has no time" in said


def test_explain_shows_the_time_of_several_dimensions(market: Run) -> None:
    said = market("explain", "sales", "--interval", "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z").stdout

    assert r"2026-01-01..2026-01-02|us..a\|b" in said
    assert "[2026-01-01T00:00:00+00:00, 2026-01-03T00:00:00+00:00)" in said


def test_materialize_and_coverage_of_a_list(market: Run) -> None:
    assert market("materialize", "prices", "--window", "us").exit_code == 0
    found = coverage(market, "prices")

    assert (found["kind"], found["columns"], found["grain"], found["zone"]) == ("list", ["region"], None, None)
    assert found["expected"] == {"first": "us", "last": "a|b", "count": 3}
    assert found["gaps"] == [{"first": "eu", "last": "a|b", "count": 2, "window": "eu..a|b"}]
    assert [cell["key"] for cell in found["partitions"]] == ["us", "eu", "a|b"]
    text = market("coverage", "prices").stdout
    assert "keyed by region" in text
    assert "us   held 1 of 1" in text
    assert "gap eu..a|b (2 partitions)" in text
    assert coverage(market, "prices", "--window", "eu..a|b")["totals"]["missing"] == 2
    assert market("coverage", "prices", "--fail-on-gaps").exit_code == 1
    assert market("materialize", "prices", "--window", "*").exit_code == 0
    assert market("coverage", "prices", "--fail-on-gaps").exit_code == 0


def test_materialize_and_coverage_of_several_dimensions(market: Run) -> None:
    assert market("materialize", "sales", "--window", "2026-01-01..2026-01-02|us,a\\|b").exit_code == 0
    found = coverage(market, "sales")

    assert (found["kind"], found["columns"], found["grain"]) == ("multi", ["day", "region"], "day")
    assert found["totals"] == {"held": 4, "untracked": 0, "missing": 8, "failed": 0, "rows": 4}
    assert sum(gap["count"] for gap in found["gaps"]) == 8
    assert "2026-01-01..2026-01-04|eu" in [gap["window"] for gap in found["gaps"]]
    text = market("coverage", "sales").stdout
    assert "daily in UTC by day and region" in text
    assert "us    held 2 of 4" in text
    assert coverage(market, "sales", "--since", "2026-01-02", "--until", "2026-01-02")["totals"]["held"] == 2
    assert coverage(market, "sales", "--window", "2026-01-01|us")["totals"]["missing"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["coverage", "prices", "--since", "2026-01-01"], "has no time that --since and --until could mean"),
        (["coverage", "prices", "--window", "us,a|b"], "is several stretches"),
        (["materialize", "prices", "--window", "mars"], "'mars' is not among the values"),
        (["materialize", "prices"], "was given no window"),
        (["materialize", "sales", "--window", "us"], "'us' is not a key of a partition by day"),
    ],
)
def test_what_does_not_fit_is_said(market: Run, words: list[str], message: str) -> None:
    done = market(*words)

    assert done.exit_code == 1
    assert message in " ".join((done.stdout + done.stderr).split())


def test_show_and_list_tell_how_it_is_partitioned(market: Run) -> None:
    shown = market("show", "sales").stdout

    assert "by day" in shown
    assert "day in UTC" in shown
    assert "the list 'us', 'eu', 'a|b'" in shown
    assert "us, eu, a|b" in market("show", "prices").stdout
    assert "keyed" in market("list").stdout


def test_verify_and_rebuild_find_every_key(market: Run) -> None:
    market("materialize", "sales", "--window", "2026-01-01..2026-01-02")
    market("materialize", "prices", "--window", "*")

    assert market("verify", "sales", "prices", "--deep").exit_code == 0
    assert market("index", "rebuild", "sales", "prices").exit_code == 0
    assert coverage(market, "sales")["totals"]["held"] == 6
    assert coverage(market, "prices")["totals"]["held"] == 3
