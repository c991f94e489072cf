"""The metadata is valid, and a real Airflow shows it."""

import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path

import jsonschema

from airflow_provider.get_provider_info import get_provider_info


def airflow(home: Path, *arguments: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("AIRFLOW")}
    command = [sys.executable, "-m", "airflow", *arguments]
    done = subprocess.run(
        command, env={**environment, "AIRFLOW_HOME": str(home)}, cwd=home, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_valid_against_airflows_schema() -> None:
    schema = json.loads(resources.files("airflow").joinpath("provider_info.schema.json").read_text(encoding="utf-8"))

    jsonschema.validate(get_provider_info(), schema)


def test_every_option_says_what_it_does_and_has_a_default() -> None:
    options = get_provider_info()["config"]["airflow_provider"]["options"]

    assert set(options) >= {"index_uri", "strict_definitions"}
    assert all(option["description"].endswith(".") for option in options.values())
    assert all(option["default"] is not None for option in options.values())


def test_airflow_lists_the_provider(tmp_path: Path) -> None:
    listed = json.loads(airflow(tmp_path, "providers", "list", "--output", "json"))

    assert "airflow-provider-assets" in [one["package_name"] for one in listed]


def test_airflow_knows_the_default_of_an_option(tmp_path: Path) -> None:
    assert airflow(tmp_path, "config", "get-value", "airflow_provider", "strict_definitions").split()[-1] == "False"
