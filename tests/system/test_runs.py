"""Kinds of runs through a real scheduler: retries resume, events name partitions, an hour is skipped with a reason."""

import datetime as dt
import os
import sqlite3
from collections.abc import Callable

import pytest

from airflow_provider.storage.index import open_index
from airflow_provider.testing.airflow_instance import AirflowInstance

DagFile = Callable[[str, str], None]

RETRIED = """
# airflow dag
import datetime as dt
from pathlib import Path

import airflow_provider as ap

stumbled = Path(r"{folder}") / "stumbled"

@ap.asset(
    partitioning=ap.TimePartitionConfig(column="day"),
    airflow=ap.TaskOptions(retries=1, retry_delay=dt.timedelta(seconds=1)),
)
def stumbles(context: ap.ExecutionContext):
    if context.partition.key == "2026-01-02" and not stumbled.exists():
        stumbled.touch()
        raise ConnectionError("once")
    return [{{"day": context.partition_date}}]

ap.build_dag(stumbles(destinations=ap.ParquetDestination(base_path=r"{folder}")), schedule=None)
"""

CHAINED = """
# airflow dag
import airflow_provider as ap

days = ap.TimePartitionConfig(column="day", allow_window=True)

class Upper(ap.Source):
    @ap.asset(partitioning=days)
    def made(self, context: ap.ExecutionContext):
        return [{{"day": day.date, "n": 1}} for day in context.window]

class Lower(ap.Source):
    @ap.asset(partitioning=days, relations={{"made": ap.Relation("asset", "upper.made")}})
    def follows(self, made: ap.Upstream):
        return made.rows

store = ap.ParquetDestination(base_path=r"{folder}")
upper, lower = Upper(destinations=store), Lower(destinations=store)
ap.build_dag(upper, schedule=None)
ap.build_dag(lower, schedule=[upper.made], among=[upper])
"""

HOURLY_RUNS = """
# airflow dag
import datetime as dt

import airflow_provider as ap

@ap.asset(partitioning=ap.TimePartitionConfig(column="day"))
def day_by_the_hour(context: ap.ExecutionContext):
    return [{{"day": context.partition_date}}]

utc = dt.timezone.utc
ap.build_dag(
    day_by_the_hour(destinations=ap.ParquetDestination(base_path=r"{folder}")),
    schedule="@hourly",
    start_date=dt.datetime(2026, 1, 1, 22, tzinfo=utc),
    end_date=dt.datetime(2026, 1, 1, 23, tzinfo=utc),
    catchup=True,
)
"""


@pytest.fixture
def folder(airflow_instance: AirflowInstance):
    path = airflow_instance.home / "test_runs"
    path.mkdir(exist_ok=True)
    return path


@pytest.fixture
def index(airflow_instance: AirflowInstance):
    return open_index(os.fspath(airflow_instance.home / "airflow_provider_index"))


def test_an_automatic_retry_writes_only_what_its_attempt_has_not(
    airflow_instance: AirflowInstance, dag_file: DagFile, folder, index
) -> None:
    dag_file("stumbles", RETRIED.format(folder=folder))
    airflow_instance.unpause("stumbles")
    run_id = airflow_instance.trigger("stumbles", conf={"window": "2026-01-01..2026-01-03"})

    (run,) = airflow_instance.wait_for_runs("stumbles", run_ids=[run_id])

    (task,) = airflow_instance.client.task_instances("stumbles", run_id)
    log = airflow_instance.client.task_log(task)
    assert (run["state"], task["try_number"]) == ("success", 2)
    assert log.count("already committed by this attempt") == 2
    assert "2026-01-02: committed" in log
    assert index.read("stumbles").keys == ["2026-01-01", "2026-01-02", "2026-01-03"]


def test_a_dag_scheduled_on_an_asset_fills_the_partitions_that_its_events_name(
    airflow_instance: AirflowInstance, dag_file: DagFile, folder, index
) -> None:
    dag_file("upper", CHAINED.format(folder=folder))
    airflow_instance.wait_for_dag("lower")
    for dag_id in ("upper", "lower"):
        airflow_instance.unpause(dag_id)
    airflow_instance.trigger("upper", conf={"window": ["2026-01-01..2026-01-02", "2026-01-05"]})

    (run,) = airflow_instance.wait_for_runs("lower", count=1)

    assert run["state"] == "success"
    assert index.read("lower.follows").keys == ["2026-01-01", "2026-01-02", "2026-01-05"]
    assert airflow_instance.xcom_rows() == 0


def test_scheduled_hours_skip_until_the_day_is_complete(
    airflow_instance: AirflowInstance, dag_file: DagFile, folder, index
) -> None:
    dag_file("day_by_the_hour", HOURLY_RUNS.format(folder=folder))
    airflow_instance.unpause("day_by_the_hour")

    airflow_instance.wait_for_runs("day_by_the_hour", count=2)

    tasks = sorted(airflow_instance.client.task_instances("day_by_the_hour"), key=lambda task: task["logical_date"])
    assert [task["state"] for task in tasks] == ["skipped", "success"]
    assert "no partition completes in the interval" in airflow_instance.client.task_log(tasks[0])
    assert index.read("day_by_the_hour").keys == ["2026-01-01"]


def test_a_run_that_somebody_asked_for_and_in_which_no_day_completes_is_an_error(
    airflow_instance: AirflowInstance, dag_file: DagFile, folder
) -> None:
    dag_file("day_by_the_hour", HOURLY_RUNS.format(folder=folder))
    airflow_instance.unpause("day_by_the_hour")
    run_id = airflow_instance.trigger(
        "day_by_the_hour",
        logical_date=dt.datetime(2026, 1, 1, 22, 10, tzinfo=dt.timezone.utc),
        data_interval_start="2026-01-01T22:10:00Z",
        data_interval_end="2026-01-01T22:40:00Z",
    )

    (run,) = airflow_instance.wait_for_runs("day_by_the_hour", run_ids=[run_id])

    (task,) = airflow_instance.client.task_instances("day_by_the_hour", run_id)
    assert run["state"] == "failed"
    assert "Fix: type the partition as `window`" in airflow_instance.client.task_log(task)


POLICIES = """
# airflow dag
import datetime as dt
from pathlib import Path

import airflow_provider as ap

class Shaky(ap.Source):
    retry = ap.RetryPolicy(max_attempts=4, initial_delay="200ms", max_delay="1s")

    @ap.asset
    def passes_by_itself(self):
        tried = Path(r"{folder}") / "tried"
        tried.write_text((tried.read_text() if tried.exists() else "") + "x")
        if len(tried.read_text()) < 3:
            raise ConnectionError("not yet")
        return [{{"id": 1}}]

    @ap.asset(schema=type("Ids", (ap.Schema,), {{"__annotations__": {{"id": int}}}}))
    def stays_wrong(self):
        return [{{"id": "none"}}]

ap.build_dag(Shaky(destinations=ap.ParquetDestination(base_path=r"{folder}")), schedule=None)
"""


def test_a_policy_repeats_what_may_pass_and_ends_what_would_fail_again(
    airflow_instance: AirflowInstance, dag_file: DagFile, folder
) -> None:
    dag_file("shaky", POLICIES.format(folder=folder))
    airflow_instance.unpause("shaky")
    run_id = airflow_instance.trigger("shaky")

    airflow_instance.wait_for_runs("shaky", run_ids=[run_id])

    tasks = {task["task_id"]: task for task in airflow_instance.client.task_instances("shaky", run_id)}
    told = {name: (task["state"], task["try_number"]) for name, task in tasks.items()}
    assert told == {"passes_by_itself": ("success", 3), "stays_wrong": ("failed", 1)}
    assert "Retry policy decision" in airflow_instance.client.task_log(tasks["stays_wrong"])


VIEWED = """
# airflow dag
import sqlite3

import airflow_provider as ap

class SQLiteFile(ap.Destination):
    dialect = "sqlite"
    path: str

    def run(self, statement, *values):
        with sqlite3.connect(self.path) as db:
            return db.execute(statement, *values).fetchall()

    def write(self, context, data):
        self.run(f'CREATE TABLE IF NOT EXISTS "{{context.table}}" (id INTEGER)')
        for row in data:
            self.run(f'INSERT INTO "{{context.table}}" VALUES (:id)', row)

    def read(self, context):
        return [{{"id": n}} for (n,) in self.run(f'SELECT id FROM "{{context.table}}"')]

    def reference(self, asset):
        return f'"{{asset.table}}"'

    def create_view(self, asset, definition):
        self.run(f'CREATE VIEW "{{asset.table}}" AS {{definition}}')

class Viewed(ap.Source):
    @ap.asset
    def orders(self):
        return [{{"id": 1}}, {{"id": 2}}]

    @ap.view
    def counted(self, orders: ap.Upstream):
        return f"SELECT count(*) AS n FROM {{orders.data}}"

ap.build_dag(Viewed(destinations=SQLiteFile(path=r"{folder}/viewed.db")), schedule=None)
"""


def test_a_view_is_a_task_that_runs_after_what_it_reads_and_has_an_event(
    airflow_instance: AirflowInstance, dag_file: DagFile, folder
) -> None:
    dag_file("viewed", VIEWED.format(folder=folder))
    airflow_instance.unpause("viewed")
    run_id = airflow_instance.trigger("viewed")

    (run,) = airflow_instance.wait_for_runs("viewed", run_ids=[run_id])

    assert run["state"] == "success"
    with sqlite3.connect(folder / "viewed.db") as db:
        assert db.execute("SELECT n FROM counted").fetchall() == [(2,)]
    events = airflow_instance.client.pages("/assets/events", "asset_events", source_dag_id="viewed")
    assert {event["uri"] for event in events} == {"x-asset://viewed/orders", "x-asset://viewed/counted"}
