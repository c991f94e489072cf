"""Variables in settings."""

from pathlib import Path

import pytest

from airflow_provider.definitions.environment import resolve_env
from airflow_provider.errors import ConfigError


def test_variables_are_filled_in() -> None:
    assert resolve_env("/{env.STAGE}/x/{env.STAGE}", where="here", environ={"STAGE": "dev"}) == "/dev/x/dev"
    assert resolve_env("/plain/{field}", where="here", environ={}) == "/plain/{field}"


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGE", "prod")

    assert resolve_env("{env.STAGE}", where="here") == "prod"


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(
        ConfigError, match=r"here: environment variable 'STAGE' is not set, but '/{env.STAGE}' needs it"
    ):
        resolve_env("/{env.STAGE}", where="here", environ={"OTHER": "secret"})


def test_airflow_home_has_airflows_default() -> None:
    assert resolve_env("{env.AIRFLOW_HOME}", where="here", environ={}) == str(Path.home() / "airflow")
    assert resolve_env("{env.AIRFLOW_HOME}", where="here", environ={"AIRFLOW_HOME": "/af"}) == "/af"
