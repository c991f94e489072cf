"""One broken definition on a real DAG processor: one visible error, and its neighbours run."""

import time
from collections.abc import Callable

from airflow_provider.testing.airflow_instance import AirflowInstance

DAGS = """
# airflow dag
import airflow_provider as ap

store = ap.MemoryDestination()

class Well(ap.Source):
    @ap.asset
    def stored(self):
        return [{"n": 1}]

class Ill(ap.Source):
    @ap.asset(relations={"orders": ap.Relation("asset", "well.strd")})
    def reads(self, orders: ap.Upstream): ...

class Third(ap.Source):
    @ap.asset
    def other(self):
        return [{"n": 2}]

ap.build_dags(Well(destinations=store), Ill(destinations=store), Third(destinations=store))
"""


def test_the_broken_one_is_named_and_the_others_run(
    airflow_instance: AirflowInstance, dag_file: Callable[[str, str], None]
) -> None:
    dag_file("well", DAGS)

    error = wait_for_error(airflow_instance, "[ill]")
    assert "reads 'well.strd', which is not there (did you mean 'well.stored'?)" in error

    for dag_id in ("well", "third"):
        airflow_instance.unpause(dag_id)
        run_id = airflow_instance.trigger(dag_id)
        (run,) = airflow_instance.wait_for_runs(dag_id, run_ids=[run_id])
        assert run["state"] == "success"


def test_the_stub_of_the_broken_one_fails_with_its_message(
    airflow_instance: AirflowInstance, dag_file: Callable[[str, str], None]
) -> None:
    dag_file("ill", DAGS)
    airflow_instance.unpause("ill")
    run_id = airflow_instance.trigger("ill")

    (run,) = airflow_instance.wait_for_runs("ill", run_ids=[run_id])

    assert run["state"] == "failed"
    (task,) = airflow_instance.client.task_instances("ill", run_id)
    assert "did you mean 'well.stored'?" in airflow_instance.client.task_log(task)


def wait_for_error(instance: AirflowInstance, name: str, timeout_s: float = 60.0) -> str:
    """The import error whose file name ends with ``name``; Airflow drops and restores it between looks."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        found = [text for file, text in instance.client.import_errors().items() if file.endswith(name)]
        if found:
            return found[0]
        time.sleep(0.3)
    raise AssertionError(f"no import error {name}: {instance.client.import_errors()}")
