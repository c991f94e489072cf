"""Airflow's connections and hooks by name, and its masker."""

import json
import logging
import subprocess
import sys
from typing import Any

import pytest

from airflow_provider.errors import ConnectionLookupError
from airflow_provider.hooks import lookup


def test_a_connection_of_the_environment_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_LAKE", json.dumps({"conn_type": "generic", "host": "lake.example"}))

    assert lookup.connection("lake").host == "lake.example"


def test_one_that_is_not_there_is_named_with_what_to_do() -> None:
    with pytest.raises(ConnectionLookupError, match="connection 'nowhere'") as caught:
        lookup.connection("nowhere")
    assert "AIRFLOW_CONN_NOWHERE" in caught.value.fix


def test_a_type_without_a_hook_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_ODD", json.dumps({"conn_type": "no_such_type"}))

    with pytest.raises(ConnectionLookupError, match="no hook for its type 'no_such_type'"):
        lookup.hook("odd")


def test_masked_values_are_told_to_airflow(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr("airflow_provider.version_compat.mask_secret", told.append)

    lookup.mask(["hunter2", "swordfish"])

    assert told == ["hunter2", "swordfish"]
    assert logging.getLogger(__name__)


def test_values_are_masked_as_they_stand_in_urls_too(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr("airflow_provider.version_compat.mask_secret", told.append)

    lookup.mask(["p@ss/w rd"])

    assert told == ["p@ss/w rd", "p%40ss/w%20rd", "p%40ss%2Fw%20rd", "p%40ss%2Fw+rd"]


def test_masking_loads_no_airflow() -> None:
    text = "import sys; from airflow_provider.hooks import lookup; lookup.mask(['x']); print('airflow' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
