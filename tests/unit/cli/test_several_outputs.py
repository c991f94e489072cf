"""Functions that fill several assets on the command line: each output is shown and run by its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

FEED = '''
"""A feed."""
import airflow_provider as ap

daily = ap.TimePartitionConfig(column="day", start="2026-01-01", end="2026-01-31", allow_window=True)


class Login(ap.Connection):
    pass


class Web(ap.Source):
    @ap.asset
    def pages(self):
        return [{"n": 1}]

    @ap.multi_asset(
        outputs=[ap.AssetDef("visits", description="Each visit."), "clicks", ap.AssetDef("sites", partitioning=None)],
        partitioning=daily,
        airflow=ap.TaskOptions(pool="web"),
    )
    def log(self, context: ap.ExecutionContext, pages: ap.Upstream):
        if context.window.first.key == "2026-01-13":
            raise ValueError("bad luck")
        rows = [{"day": partition.date} for partition in context.window]
        return {name: rows for name in context.selected_outputs}


@ap.multi_asset(outputs=["alone", "other"])
def single():
    return {"alone": [{"n": 1}], "other": [{"n": 2}]}


store = ap.ParquetDestination(base_path="{env.AIRFLOW_HOME}/data")
web = Web(destinations=store)
made = single(destinations=store)
'''


@pytest.fixture(autouse=True)
def feed(folder: Path) -> None:
    (folder / "feed.py").write_text(FEED, encoding="utf-8")


def words(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_the_list_has_a_line_for_each_output(run: Run) -> None:
    lines = words(run("list").stdout)

    assert "web.visits daily UTC Parquet web.pages" in lines
    assert "web.sites unpartitioned - Parquet web.pages" in lines
    assert "alone unpartitioned - Parquet -" in lines


def test_show_tells_what_fills_it_with_what(run: Run) -> None:
    lines = words(run("show", "web.visits").stdout)

    for line in ("Each visit.", "filled by web.log, with visits, clicks, sites", "context the run", "reads web.pages"):
        assert line in lines
    assert "pages asset web.pages" in lines
    assert "task options pool=web" in lines


@pytest.mark.parametrize("command", ["show", "explain"])
def test_a_command_about_one_asset_asks_for_one(run: Run, command: str) -> None:
    done = run(command, "web.log")

    assert done.exit_code == 1
    assert "'web.log' is a multi-asset" in done.stderr
    assert "name one of web.clicks, web.sites, web.visits" in done.stderr


def test_explain_says_the_window_of_the_function_also_for_what_is_not_partitioned(run: Run) -> None:
    visits, sites = (run("explain", name, "--window", "2026-01-01..2026-01-03").stdout for name in ("visits", "sites"))

    assert "data() is called once, with a whole stretch at a time" in visits
    assert "covers 3 partitions" in sites
    assert "sites has no partitions: it is replaced whole, by the last call" in sites
    assert "replaced whole" not in visits


def test_materialize_runs_what_is_named(run: Run) -> None:
    run("materialize", "pages")
    one, whole = run("materialize", "web.visits", "--window", "2026-01-01"), run("materialize", "single")

    assert [line for line in one.stdout.splitlines() if "succeeded" in line] == ["web.visits: succeeded"]
    assert [line for line in whole.stdout.splitlines() if "succeeded" in line] == [
        "alone: succeeded",
        "other: succeeded",
    ]
    both = run("materialize", "log", "--window", "2026-01-01..2026-01-02")
    assert "5/5 partitions" in both.stderr
    assert both.stdout.splitlines()[-1].startswith("5 committed; 6 rows in ")


def test_an_error_of_the_function_is_told_once(run: Run) -> None:
    run("materialize", "pages")
    done = run("materialize", "log", "--window", "2026-01-13")

    assert done.exit_code == 1
    assert [line for line in done.stdout.splitlines() if "FAILED" in line] == [
        "web.clicks: FAILED", "web.sites: FAILED", "web.visits: FAILED",
    ]  # fmt: skip
    assert done.stdout.count("bad luck") == 1


def test_coverage_has_each_output(run: Run) -> None:
    run("materialize", "pages")
    run("materialize", "visits", "--window", "2026-01-01..2026-01-03")
    text = run("coverage", "visits", "clicks").stdout

    assert "web.visits" in text
    assert "web.clicks" in text


def test_check_and_doctor_know_them(run: Run) -> None:
    assert "no problem" in run("check").stdout
    assert "WRONG" not in run("doctor").stdout


def test_doctor_names_the_function_whose_parameter_nothing_fills(run: Run, folder: Path) -> None:
    class_with_need = FEED.replace("def single():", "def single(login: Key):").replace(
        "class Login(ap.Connection):\n    pass", "class Key(ap.Config):\n    secret: str"
    )
    (folder / "feed.py").write_text(class_with_need, encoding="utf-8")

    done = run("doctor")

    assert done.exit_code == 1
    assert done.stdout.count("multi_asset 'single': parameter 'login' needs a Key") == 1


def test_a_folder_of_dags_is_read_for_them(run: Run, folder: Path) -> None:
    (folder / "feed.py").write_text(FEED + "\nap.build_dags(web, made)\n", encoding="utf-8")

    assert "alone unpartitioned - Parquet -" in words(run("list").stdout)


def test_what_was_only_declared_is_made(run: Run, folder: Path) -> None:
    text = FEED.partition("store =")[0]
    (folder / "feed.py").write_text(text, encoding="utf-8")
    lines = words(run("list").stdout)

    assert "web.visits daily UTC - web.pages" in lines
    assert "other unpartitioned - - -" in lines
