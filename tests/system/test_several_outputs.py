"""One task that fills several assets, through a real scheduler: one event each, the chosen ones, retries, no XCom."""

import os
from collections.abc import Callable

import pytest

from airflow_provider.storage.index import open_index
from airflow_provider.testing.airflow_instance import AirflowInstance

DagFile = Callable[[str, str], None]
WEEK = [f"2013-01-0{day}" for day in range(1, 8)]

FEED = """
# airflow dag
import datetime as dt
from pathlib import Path

import airflow_provider as ap

stumbled = Path(r"{folder}") / "stumbled"

class Row(ap.Schema):
    day: dt.date
    n: int

class Stumbling(ap.Source):
    @ap.asset(partitioning=ap.TimePartitionConfig(column="day", allow_window=True))
    def users(self, context: ap.ExecutionContext):
        return [{{"day": day.date, "n": 1}} for day in context.window]

    @ap.multi_asset(
        outputs=[ap.AssetDef("orders", schema=Row), "lines", "returns"],
        partitioning=ap.TimePartitionConfig(column="day", allow_window=True),
        airflow=ap.TaskOptions(retries=1, retry_delay=dt.timedelta(seconds=1)),
    )
    def feed(self, context: ap.ExecutionContext, users: ap.Upstream):
        context.log.info("asked for %s", ", ".join(context.selected_outputs))
        rows = [{{"day": day.date, "n": 1}} for day in context.window]
        is_first = not stumbled.exists()
        stumbled.touch()
        yield ap.Output("orders", [{{"day": row["day"], "n": "many"}} for row in rows] if is_first else rows)
        yield ap.Output("lines", rows)
        yield ap.Output("returns", [])

    @ap.asset(partitioning=ap.TimePartitionConfig(column="day", allow_window=True))
    def totals(self, lines: ap.Upstream):
        return lines.rows

ap.build_dag(Stumbling(destinations=ap.ParquetDestination(base_path=r"{folder}")), schedule=None)
"""


@pytest.fixture
def index(airflow_instance: AirflowInstance):
    return open_index(os.fspath(airflow_instance.home / "airflow_provider_index"))


def events(instance: AirflowInstance, name: str) -> list[dict]:
    """What the events of an asset say."""
    found = [one for one in instance.client.get("/assets", name_pattern=name)["assets"] if one["name"] == name]
    if not found:
        return []
    return [
        event["extra"] for event in instance.client.pages("/assets/events", "asset_events", asset_id=found[0]["id"])
    ]


@pytest.fixture(scope="module")
def departed(airflow_instance: AirflowInstance) -> AirflowInstance:
    airflow_instance.wait_for_dag("nyc_departures", timeout_s=90)
    airflow_instance.unpause("nyc_departures")
    airflow_instance.wait_for_runs("nyc_departures", count=7, timeout_s=300)
    return airflow_instance


def test_the_example_fills_two_tables_with_one_task_a_day(departed: AirflowInstance, index) -> None:
    tasks = departed.client.task_instances("nyc_departures")

    assert {task["state"] for task in tasks} == {"success"}
    assert [task["task_id"] for task in tasks] == ["timetable"] * 7
    left, cancelled = (index.read(f"nyc_departures.{key}") for key in ("departures", "cancellations"))
    assert (left.keys, cancelled.keys) == (WEEK, WEEK)
    assert left.records["2013-01-01"].rows + cancelled.records["2013-01-01"].rows == 842


def test_each_table_of_the_example_has_its_own_events_and_nothing_is_in_xcom(departed: AirflowInstance) -> None:
    for key in ("departures", "cancellations"):
        said = events(departed, f"nyc_departures.{key}")
        assert sorted(window for extra in said for window in extra["windows"]) == WEEK
    assert departed.xcom_rows() == 0


def test_a_run_of_one_selected_output_tells_of_that_one_alone(departed: AirflowInstance, index) -> None:
    conf = {"window": "2013-01-08", "select": ["cancellations"]}
    run_id = departed.trigger("nyc_departures", conf=conf)

    (run,) = departed.wait_for_runs("nyc_departures", run_ids=[run_id])

    assert run["state"] == "success"
    assert index.read("nyc_departures.cancellations").keys == [*WEEK, "2013-01-08"]
    assert index.read("nyc_departures.departures").keys == WEEK
    assert len(events(departed, "nyc_departures.departures")) == 7
    assert len(events(departed, "nyc_departures.cancellations")) == 8


def test_an_output_that_fails_is_the_only_one_that_is_tried_again(
    airflow_instance: AirflowInstance, dag_file: DagFile, index
) -> None:
    folder = airflow_instance.home / "test_several_outputs"
    folder.mkdir()
    before = airflow_instance.xcom_rows()
    dag_file("stumbling", FEED.format(folder=folder))
    airflow_instance.unpause("stumbling")
    run_id = airflow_instance.trigger("stumbling", conf={"window": "2026-01-01..2026-01-02"})

    (run,) = airflow_instance.wait_for_runs("stumbling", run_ids=[run_id])

    tasks = {task["task_id"]: task for task in airflow_instance.client.task_instances("stumbling", run_id)}
    log = airflow_instance.client.task_log(tasks["feed"])
    assert (run["state"], set(tasks)) == ("success", {"users", "feed", "totals"})
    assert tasks["feed"]["try_number"] == 2
    assert "asked for orders, returns" in log
    assert "stumbling.lines, 2026-01-01: already committed by this attempt" in log
    assert index.read("stumbling.orders").keys == index.read("stumbling.totals").keys == ["2026-01-01", "2026-01-02"]
    (orders,), (lines,) = (events(airflow_instance, f"stumbling.{key}") for key in ("orders", "lines"))
    assert (orders["partitions"], lines["partitions"]) == ({"2026-01-01": 1, "2026-01-02": 1},) * 2
    assert events(airflow_instance, "stumbling.returns") == []
    assert airflow_instance.xcom_rows() == before
