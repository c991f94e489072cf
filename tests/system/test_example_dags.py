"""Every example DAG through a real scheduler: what was written, what Airflow was told, and nothing in XCom."""

import os
from pathlib import Path

import pytest

from airflow_provider.storage.index import open_index
from airflow_provider.testing.airflow_instance import AirflowInstance

EXAMPLES = Path(__file__).parents[2] / "example_dags"
TWO_WEEKS = [f"2013-01-{day:02}" for day in range(1, 15)]
DAILY = ("nyc.flights", "nyc.weather", "nyc.carrier_delays")


@pytest.fixture(scope="module")
def filled(airflow_instance: AirflowInstance) -> AirflowInstance:
    """Two weeks of New York flights, caught up by the scheduler, and the tables that do not change."""
    for dag_id, runs in (("nyc", 14), ("nyc_reference", 1)):
        airflow_instance.wait_for_dag(dag_id, timeout_s=90)
        airflow_instance.unpause(dag_id)
        airflow_instance.wait_for_runs(dag_id, count=runs, timeout_s=300)
    return airflow_instance


@pytest.fixture
def index(airflow_instance: AirflowInstance):
    return open_index(os.fspath(airflow_instance.home / "airflow_provider_index"))


def test_no_example_fails_to_import(airflow_instance: AirflowInstance) -> None:
    airflow_instance.wait_for_dag("nyc", timeout_s=90)
    airflow_instance.wait_for_dag("greetings", timeout_s=90)

    names = [name for name in airflow_instance.client.import_errors() if "example_" in name]

    assert names == []


def test_fourteen_daily_runs_fill_fourteen_new_york_days(filled: AirflowInstance, index) -> None:
    states = {run["state"] for run in filled.client.runs("nyc")}
    tasks = filled.client.task_instances("nyc")

    assert (states, {task["state"] for task in tasks}) == ({"success"}, {"success"})
    assert len(tasks) == 14 * 3
    assert {asset: index.read(asset).keys for asset in DAILY} == dict.fromkeys(DAILY, TWO_WEEKS)
    assert index.read("nyc.flights").records["2013-01-01"].rows == 842
    assert index.read("nyc_reference.airlines").records[None].rows == 16


def test_the_weather_has_its_real_gaps(filled: AirflowInstance, index) -> None:
    hours = {day: index.read("nyc.weather").records[day].rows for day in TWO_WEEKS}

    assert {day: 72 - rows for day, rows in hours.items() if rows < 72} == {"2013-01-01": 5, "2013-01-06": 1}


def test_each_run_told_airflow_which_partition_it_stored(filled: AirflowInstance) -> None:
    assets = filled.client.get("/assets", name_pattern="nyc.flights")["assets"]
    (asset,) = [asset for asset in assets if asset["name"] == "nyc.flights"]
    events = list(filled.client.pages("/assets/events", "asset_events", asset_id=asset["id"]))

    stored = [window for event in events for window in event["extra"]["windows"]]
    assert asset["uri"] == "x-asset://nyc/flights"
    assert sorted(stored) == TWO_WEEKS
    assert {event["extra"]["rows"] for event in events if event["extra"]["windows"] == ["2013-01-01"]} == {842}


def test_nothing_is_in_xcom(filled: AirflowInstance) -> None:
    assert filled.xcom_rows() == 0


def test_the_log_says_the_window_the_rule_the_place_and_the_rows(filled: AirflowInstance) -> None:
    (task,) = [
        t
        for t in filled.client.task_instances("nyc")
        if t["task_id"] == "flights" and t["logical_date"].startswith("2013-01-01")
    ]

    log = filled.client.task_log(task)

    assert "asset 'nyc.flights': 2013-01-01 (rule 3:" in log
    assert "destination parquet:" in log
    assert "2013-01-01: committed, 842 rows" in log


def test_a_typed_window_of_selected_assets_fills_those_partitions_alone(filled: AirflowInstance, index) -> None:
    fences = index.read("nyc.carrier_delays").records["2013-01-02"].fence
    run_id = filled.trigger("nyc", conf={"window": "2013-01-15..2013-01-17", "select": ["flights"]})

    (run,) = filled.wait_for_runs("nyc", run_ids=[run_id])

    assert run["state"] == "success"
    assert index.read("nyc.flights").keys == [*TWO_WEEKS, "2013-01-15", "2013-01-16", "2013-01-17"]
    assert index.read("nyc.carrier_delays").keys == TWO_WEEKS
    assert index.read("nyc.carrier_delays").records["2013-01-02"].fence == fences


def test_clearing_a_run_writes_its_partition_again_and_no_other(filled: AirflowInstance, index) -> None:
    before = index.read("nyc.weather").records
    (run,) = [run for run in filled.client.runs("nyc") if (run["logical_date"] or "").startswith("2013-01-03")]

    filled.client.post(f"/dags/nyc/dagRuns/{run['dag_run_id']}/clear", {"dry_run": False})
    filled.wait_for_runs("nyc", run_ids=[run["dag_run_id"]])

    after = index.read("nyc.weather").records
    assert {key for key in after if after[key].fence != before[key].fence} == {"2013-01-03"}
    assert after["2013-01-03"].rows == before["2013-01-03"].rows


def test_a_window_before_the_start_fails_the_task_with_the_fix_in_the_log(filled: AirflowInstance) -> None:
    run_id = filled.trigger("nyc", conf={"window": "2012-12-31", "select": ["flights"]})

    (run,) = filled.wait_for_runs("nyc", run_ids=[run_id])

    assert run["state"] == "failed"
    (task,) = [t for t in filled.client.task_instances("nyc", run_id) if t["task_id"] == "flights"]
    assert "2012-12-31 lies before the first partition 2013-01-01" in filled.client.task_log(task)


def test_the_smallest_example_fills_the_newest_day_when_it_is_triggered(
    airflow_instance: AirflowInstance, index
) -> None:
    airflow_instance.wait_for_dag("greetings", timeout_s=90)
    airflow_instance.unpause("greetings")
    run_id = airflow_instance.trigger("greetings")

    (run,) = airflow_instance.wait_for_runs("greetings", run_ids=[run_id])

    assert run["state"] == "success"
    assert len(index.read("greetings").keys) >= 1
