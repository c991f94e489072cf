"""Options of the package, from the environment or from Airflow."""

import sys
from pathlib import Path

import pytest

from airflow_provider.storage.options import environment_name, option


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    monkeypatch.delenv(environment_name("spool_dir"), raising=False)
    return tmp_path


def test_the_environment_sets_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__SPOOL_DIR", "/fast")

    assert option("spool_dir") == "/fast"


def test_an_empty_variable_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(environment_name("spool_dir"), "")

    assert option("spool_dir") is None


def test_airflow_is_not_imported_where_none_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == "airflow" or name.startswith("airflow.")]:
        monkeypatch.delitem(sys.modules, name)

    assert option("spool_dir") is None
    assert "airflow" not in sys.modules
