"""Variables in settings."""

from pathlib import Path
from typing import Any

import pytest

from airflow_provider.definitions.environment import file_variables, fill_env, holds_env, resolve_env
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


@pytest.mark.parametrize("value", ["{env.A}", ["x", "{env.A}"], ("{env.A}",), {"k": {"l": "{env.A}"}}])
def test_placeholders_are_found_and_filled_in_at_any_depth(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A", "1")

    assert holds_env(value)
    assert not holds_env(fill_env(value, where="x"))
    assert type(fill_env(value, where="x")) is type(value)


@pytest.mark.parametrize("value", ["plain", "{field}", 3, None, ["{a}"], {"{env.A}": 1}])
def test_other_values_pass_as_they_are(value: Any) -> None:
    assert not holds_env(value)
    assert fill_env(value, where="x") == value


def test_a_file_that_is_not_there_holds_nothing_and_one_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert file_variables(tmp_path / "none", where="x") == {}
    with pytest.raises(ConfigError, match="cannot be read"):
        file_variables(tmp_path, where="config 'a'")
