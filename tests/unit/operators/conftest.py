"""An Airflow context made by hand: what a task sees, without a scheduler."""

import datetime as dt
import logging
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.execution_time.context import OutletEventAccessors

START = dt.datetime(2026, 3, 6, tzinfo=dt.timezone.utc)


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    return str(tmp_path / "index")


@pytest.fixture
def task_log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    return caplog


@pytest.fixture
def airflow_context() -> Callable[..., dict[str, Any]]:
    """Build a context; keys that a run lacks are left out, as Airflow does."""

    def build(
        *,
        conf: dict[str, Any] | None = None,
        run_type: str = "scheduled",
        run_after: dt.datetime = START,
        interval: tuple[dt.datetime, dt.datetime] | None = None,
        logical_date: dt.datetime | None = None,
        partition_key: str | None = None,
        events: dict[Any, list[Any]] | None = None,
        try_number: int = 1,
        **more: Any,
    ) -> dict[str, Any]:
        dag_run = SimpleNamespace(
            conf=conf or {}, run_type=run_type, run_after=run_after, start_date=START, clear_number=0
        )
        ti = SimpleNamespace(
            dag_id="d", run_id="r", task_id="t", map_index=-1, max_tries=1, try_number=try_number, id=str(try_number)
        )
        context: dict[str, Any] = {
            "dag_run": dag_run, "ti": ti, "params": {}, "outlet_events": OutletEventAccessors(), **more
        }  # fmt: skip
        if interval is not None:
            context |= {"data_interval_start": interval[0], "data_interval_end": interval[1]}
        if logical_date is not None:
            context["logical_date"] = logical_date
        if partition_key is not None:
            context["partition_key"] = partition_key
        if events is not None:
            context["triggering_asset_events"] = events
        return context

    return build
