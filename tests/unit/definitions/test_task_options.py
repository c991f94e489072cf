"""Settings of an asset's task."""

import dataclasses
import datetime as dt
import pickle

import pytest

from airflow_provider.definitions.task_options import TaskOptions, merged


def test_only_what_is_set_reaches_the_operator() -> None:
    options = TaskOptions(pool="ads", retries=0, depends_on_past=False, retry_delay=dt.timedelta(minutes=1))

    assert options.as_kwargs() == {
        "pool": "ads", "retries": 0, "depends_on_past": False, "retry_delay": dt.timedelta(minutes=1),
    }  # fmt: skip


def test_the_last_layer_wins_option_by_option() -> None:
    assert merged(TaskOptions(pool="a", queue="q"), None, TaskOptions(pool="b")) == {"pool": "b", "queue": "q"}
    assert merged(None) == {}


def test_options_are_frozen_keywords() -> None:
    with pytest.raises(TypeError):
        TaskOptions("pool")  # type: ignore[misc]
    with pytest.raises(TypeError):
        TaskOptions(colour="red")  # type: ignore[call-arg]
    with pytest.raises(dataclasses.FrozenInstanceError):
        TaskOptions().pool = "x"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(TaskOptions(pool="x"))) == TaskOptions(pool="x")
