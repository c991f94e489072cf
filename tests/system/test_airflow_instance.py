"""The launcher of a real Airflow: what it starts works, stays on this machine, and is gone afterwards."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from airflow_provider.testing import processes
from airflow_provider.testing.airflow_client import AirflowInstanceError
from airflow_provider.testing.airflow_instance import AirflowInstance

TINY = """
from airflow.sdk import DAG, task

with DAG("{dag_id}", schedule=None):

    @task(do_xcom_push=False)
    def look():
        print("looked")

    look()
"""

# Starts an instance and waits in it, as the demo does.
LAUNCHER = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
from airflow_provider.testing.airflow_instance import AirflowInstance

with AirflowInstance(sys.argv[1], dags_folder=sys.argv[2]) as instance:
    print(instance.mark, flush=True)
    time.sleep(600)
"""


def test_a_run_of_a_tiny_dag_succeeds_without_xcom(
    airflow_instance: AirflowInstance, dag_file: Callable[[str, str], None]
) -> None:
    dag_file("tiny", TINY.format(dag_id="tiny"))
    before = airflow_instance.xcom_rows()
    airflow_instance.unpause("tiny")
    run_id = airflow_instance.trigger("tiny")

    [run] = airflow_instance.wait_for_runs("tiny", run_ids=[run_id])

    assert run["state"] == "success"
    [instance] = airflow_instance.client.task_instances("tiny", run_id)
    assert "looked" in airflow_instance.client.task_log(instance)
    assert airflow_instance.xcom_rows() == before


def test_every_component_is_healthy(airflow_instance: AirflowInstance) -> None:
    health = airflow_instance.client.health()

    assert {name: health[name] for name in ("metadatabase", "scheduler", "dag_processor", "triggerer")} == {
        "metadatabase": "healthy",
        "scheduler": "healthy",
        "dag_processor": "healthy",
        "triggerer": "healthy",
    }


def test_nothing_listens_outside_this_machine(airflow_instance: AirflowInstance) -> None:
    listening = airflow_instance.listening()

    assert {address for address, _ in listening} == {"127.0.0.1"}
    assert f"http://127.0.0.1:{listening[0][1]}" == airflow_instance.url


def test_a_viewer_may_look_but_not_run(airflow_instance: AirflowInstance, dag_file: Callable[[str, str], None]) -> None:
    dag_file("looked_at", TINY.format(dag_id="looked_at"))
    viewer = airflow_instance.client_of("viewer")

    assert viewer.has_dag("looked_at")
    with pytest.raises(AirflowInstanceError, match="403"):
        viewer.trigger("looked_at")


def test_a_dag_that_does_not_import_is_reported_with_its_error(airflow_instance: AirflowInstance) -> None:
    path = airflow_instance.dags_folder / "torn.py"
    path.write_text("# dag airflow\nraise RuntimeError('torn on purpose')\n", encoding="utf-8")
    try:
        with pytest.raises(AirflowInstanceError, match="torn on purpose"):
            airflow_instance.wait_for_dag("torn", timeout_s=12)
    finally:
        path.unlink()


@pytest.mark.browser
def test_a_person_can_log_in_and_sees_a_dag(
    airflow_instance: AirflowInstance, dag_file: Callable[[str, str], None], page_of: Callable[[str], Any]
) -> None:
    dag_file("seen", TINY.format(dag_id="seen"))

    page = page_of("viewer")
    page.goto(f"{airflow_instance.url}/dags/seen")

    page.get_by_text("seen").first.wait_for()
    assert "seen" in page.title() or "seen" in page.content()


def test_a_home_that_is_in_use_is_refused(airflow_instance: AirflowInstance) -> None:
    second = AirflowInstance(airflow_instance.home, dags_folder=airflow_instance.dags_folder)

    with pytest.raises(AirflowInstanceError, match="another launcher"):
        second.start()
    assert airflow_instance.client.health()["scheduler"] == "healthy"


@pytest.mark.full
def test_stopped_it_leaves_no_process_and_goes_on_where_it_was(tmp_path: Path) -> None:
    dags = tmp_path / "dags"
    dags.mkdir()
    (dags / "kept.py").write_text(TINY.format(dag_id="kept"), encoding="utf-8")
    instance = AirflowInstance(tmp_path / "home", dags_folder=dags)

    with instance:
        mark, password = instance.mark, instance.passwords["admin"]
        instance.unpause("kept")
        run_id = instance.trigger("kept")
        instance.wait_for_runs("kept", run_ids=[run_id])
    assert processes.marked(mark) == []

    with instance:
        assert instance.passwords["admin"] == password
        assert [run["dag_run_id"] for run in instance.client.runs("kept")] == [run_id]
    assert processes.marked(mark) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, pytest.param(signal.SIGHUP, marks=pytest.mark.full)])
def test_a_launcher_that_is_told_to_end_takes_everything_with_it(number: signal.Signals, tmp_path: Path) -> None:
    dags = tmp_path / "dags"
    dags.mkdir()
    command = [sys.executable, "-c", LAUNCHER, str(tmp_path / "home"), str(dags)]
    launcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert launcher.stdout is not None
    mark = launcher.stdout.readline().strip()
    assert len(processes.marked(mark)) >= 4

    launcher.send_signal(number)
    launcher.wait(timeout=60)

    assert processes.marked(mark) == []


@pytest.mark.full
def test_what_a_killed_launcher_left_is_ended_by_the_next_one(tmp_path: Path) -> None:
    dags = tmp_path / "dags"
    dags.mkdir()
    command = [sys.executable, "-c", LAUNCHER, str(tmp_path / "home"), str(dags)]
    launcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert launcher.stdout is not None
    mark = launcher.stdout.readline().strip()
    launcher.kill()
    launcher.wait(timeout=10)
    left = {process.pid for process in processes.marked(mark)}
    assert left

    with AirflowInstance(tmp_path / "home", dags_folder=dags) as instance:
        assert instance.mark == mark
        assert not left & {process.pid for process in processes.marked(mark)}
    assert processes.marked(mark) == []


def test_a_component_that_ends_is_an_error_with_its_log(tmp_path: Path) -> None:
    instance = AirflowInstance(
        tmp_path / "home", dags_folder=tmp_path, sql_alchemy_conn="sqlite:////no/such/folder/airflow.db"
    )
    begun = time.monotonic()

    with pytest.raises(AirflowInstanceError, match="db migrate"):
        instance.start()

    assert time.monotonic() - begun < 60
    assert instance.processes() == []
    assert os.environ.get(processes.MARK) is None
