"""What an import of the package costs whoever parses DAG files: nothing that is heavy."""

import subprocess
import sys

import pytest

HEAVY = ["airflow", "deltalake", "duckdb", "numpy", "pandas", "polars", "pyarrow", "pyiceberg", "sqlalchemy"]
CORE = ["definitions", "errors", "execution", "ledger", "partitioning", "schema"]


def loaded_by(statement: str) -> list[str]:
    """Heavy libraries that a fresh process has loaded after ``statement``."""
    code = f"{statement}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_importing_the_package_loads_no_airflow_and_no_data_library() -> None:
    assert loaded_by("import airflow_provider") == []


@pytest.mark.parametrize("package", CORE)
def test_the_core_loads_no_airflow_and_no_data_library(package: str) -> None:
    assert loaded_by(f"import airflow_provider.{package}") == []


def test_the_metadata_that_every_airflow_process_reads_loads_nothing() -> None:
    assert loaded_by("from airflow_provider.get_provider_info import get_provider_info; get_provider_info()") == []
