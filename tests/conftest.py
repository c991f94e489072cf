"""Settings that must stand before anything imports Airflow, and how tests are shared out between workers.

Tests have an Airflow home of their own, without example DAGs. One worker runs all tests of the shared real Airflow.
"""

import os
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("AIRFLOW_HOME", str(Path(__file__).parents[1] / ".airflow-tests"))
os.environ.setdefault("AIRFLOW__CORE__LOAD_EXAMPLES", "False")

SHARED_AIRFLOW = "tests/system/"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of the shared Airflow on one worker; every other test goes wherever there is time.

    Marks of ``--dist loadgroup`` would say the same, but with pytest 9.2 they do not reach the scheduler.
    """
    from xdist.scheduler import LoadScopeScheduling

    class OneWorkerForAirflow(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return SHARED_AIRFLOW if nodeid.startswith(SHARED_AIRFLOW) else nodeid

    return OneWorkerForAirflow(config, log)
