import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def filled(run: Run) -> Run:
    """Ten days of orders are held, and one failed."""
    assert run("materialize", "orders", "--window", "2026-01-01..2026-01-10").exit_code == 0
    assert run("materialize", "orders", "--window", "2026-01-13").exit_code == 1
    return run


def values(done: Any) -> dict[str, Any]:
    return json.loads(done.stdout)["assets"][0]


def test_the_calendar_comes_with_totals_gaps_and_the_reason_of_a_failure(filled: Run) -> None:
    lines = [line.strip() for line in filled("coverage", "orders").stdout.splitlines()]

    assert lines[0] == "shop.orders  daily in America/New_York"
    assert "2026-01  ■■■■■■■■■■··✗··················" in lines
    assert "held 10, missing 21, failed 1, rows 10" in lines
    assert "gap 2026-01-11..2026-01-31 (21 partitions)" in lines
    assert "failed 2026-01-13: ValueError" in lines


def test_json_has_the_documented_fields(filled: Run, home: Path) -> None:
    done = json.loads(filled("coverage", "orders", "--json").stdout)
    (one,) = done["assets"]

    assert set(done) == {"version", "assets", "problems"}
    assert done["problems"] == []
    assert one["totals"] == {"held": 10, "untracked": 0, "missing": 21, "failed": 1, "rows": 10}
    assert one["expected"] == {"first": "2026-01-01", "last": "2026-01-31", "count": 31}
    assert one["gaps"] == [
        {"first": "2026-01-11", "last": "2026-01-31", "count": 21, "window": "2026-01-11..2026-01-31"}
    ]
    assert (one["kind"], one["columns"]) == ("time", ["day"])
    assert (one["grain"], one["zone"]) == ("day", "America/New_York")
    assert one["destination"] == f"parquet:{home}/data"
    assert len(one["partitions"]) == 31
    assert set(one["partitions"][0]) == {"key", "state", "last_attempt", "rows", "committed_at", "error"}


def test_json_tells_of_files_that_could_not_be_loaded(filled: Run, folder: Path) -> None:
    (folder / "bad.py").write_text("import airflow_provider\n1 / 0\n", encoding="utf-8")

    done = filled("coverage", "orders", "--json")

    assert done.exit_code == 1
    assert json.loads(done.stdout)["problems"][0]["name"] == str(folder / "bad.py")


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        (["--window", "2026-01-03..2026-01-05"], "2026-01-03", "2026-01-05"),
        (["--since", "2026-01-20"], "2026-01-20", "2026-01-31"),
        (["--until", "2026-01-05"], "2026-01-01", "2026-01-05"),
        (["--since", "2026-01", "--until", "2026-01-02"], "2026-01-01", "2026-01-02"),
        (["--since", "2025", "--until", "2026"], "2026-01-01", "2026-01-31"),
        (["--since", "2026-01-05T10", "--until", "2026-01-06T10"], "2026-01-05", "2026-01-06"),
    ],
)
def test_a_stretch_can_be_asked_for(run: Run, words: list[str], first: str, last: str) -> None:
    expected = values(run("coverage", "orders", "--json", *words))["expected"]

    assert (expected["first"], expected["last"]) == (first, last)


def test_a_day_stands_for_its_hours(run: Run) -> None:
    expected = values(run("coverage", "ticks", "--json", "--since", "2025-11-02", "--until", "2025-11-02"))["expected"]

    assert expected == {"first": "2025-11-02T00", "last": "2025-11-02T23", "count": 25}


@pytest.mark.parametrize("words", [["--since", "yesterday"], ["--since", "2026-01-05", "--until", "2026-01-01"]])
def test_a_stretch_that_is_none_is_refused(run: Run, words: list[str]) -> None:
    assert run("coverage", "orders", *words).exit_code == 1


def test_gaps_fail_only_where_that_is_asked_for(filled: Run) -> None:
    full = ["--window", "2026-01-01..2026-01-10"]

    assert filled("coverage", "orders").exit_code == 0
    assert filled("coverage", "orders", "--fail-on-gaps").exit_code == 1
    assert filled("coverage", "orders", "--fail-on-gaps", *full).exit_code == 0
    assert filled("coverage", "--fail-on-gaps", *full).exit_code == 1


def test_an_unpartitioned_asset_is_one_cell(run: Run) -> None:
    assert run("coverage", "whole", "--fail-on-gaps").exit_code == 1
    run("materialize", "whole")

    done = run("coverage", "whole", "--fail-on-gaps")

    assert done.exit_code == 0
    assert "held 1, missing 0" in done.stdout


def test_a_terminal_that_lacks_our_characters_gets_plain_ones(filled: Run, shell: Run) -> None:
    done = shell("coverage", "orders", PYTHONIOENCODING="ascii")

    assert (done.returncode, done.stderr) == (0, "")
    assert "2026-01  ##########..x" in done.stdout


def test_data_at_another_address_is_mentioned_and_not_counted(filled: Run, folder: Path, home: Path) -> None:
    text = (folder / "shop.py").read_text(encoding="utf-8").replace("/data", "/moved")
    (folder / "moved.py").write_text(text, encoding="utf-8")

    done = filled("coverage", "orders", origin=folder / "moved.py")

    assert f"the index also knows it in parquet:{home}/data" in done.stdout
    assert "held 0, missing 31" in done.stdout
