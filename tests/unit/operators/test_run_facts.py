"""From Airflow's context to plain facts, and which runs are one attempt."""

from collections.abc import Callable
from typing import Any

import pytest

from airflow_provider.operators.run_facts import run_facts, run_info, selected

Context = Callable[..., dict[str, Any]]


def test_a_run_without_dates_has_none(airflow_context: Context) -> None:
    facts = run_facts(airflow_context(run_type="manual"), where="x")

    assert (facts.interval, facts.logical_date, facts.partition_key, facts.event_keys) == (None, None, None, None)
    assert facts.explicit


@pytest.mark.parametrize(
    ("name", "value"), [("max_tries", 3), ("dag_id", "e"), ("run_id", "other"), ("map_index", 2), ("task_id", "u")]
)
def test_a_change_of_the_task_instance_is_another_attempt(airflow_context: Context, name: str, value: Any) -> None:
    before, after = airflow_context(), airflow_context()
    setattr(after["ti"], name, value)

    assert run_info(before).attempt != run_info(after).attempt


@pytest.mark.parametrize(("name", "value"), [("clear_number", 1), ("start_date", "2026-03-07")])
def test_a_clear_and_a_run_made_again_are_another_attempt(airflow_context: Context, name: str, value: Any) -> None:
    before, after = airflow_context(), airflow_context()
    setattr(after["dag_run"], name, value)

    assert run_info(before).attempt != run_info(after).attempt


def test_an_automatic_retry_is_the_same_attempt(airflow_context: Context) -> None:
    assert run_info(airflow_context()).attempt == run_info(airflow_context(try_number=2)).attempt


def test_select_is_stripped_and_null_is_all(airflow_context: Context) -> None:
    assert selected(airflow_context(conf={"select": [" orders ", ""]})) == ["orders"]
    assert selected(airflow_context(conf={"select": None})) is None
    assert selected(airflow_context()) is None


def test_params_say_the_window_when_the_conf_does_not(airflow_context: Context) -> None:
    assert run_facts(airflow_context(params={"window": "2026-01-01"}), where="x").typed == "2026-01-01"
