"""Importing the package is cheap, for every DAG file pays for it."""

import subprocess
import sys

import pytest


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("module", ["airflow_provider.schema", "airflow_provider.schema.representations.split"])
def test_no_data_library_is_imported(module: str) -> None:
    loaded = run(
        f"import sys, {module}\n"
        "print([m for m in ('pandas', 'pyarrow', 'numpy', 'pydantic', 'airflow') if m in sys.modules])"
    )

    assert loaded.strip() == "[]"


def test_rows_are_split_and_conformed_without_any_data_library() -> None:
    loaded = run(
        "import sys, datetime as dt\n"
        "from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow\n"
        "from airflow_provider.schema import *\n"
        "d = dt.date(2026, 1, 1)\n"
        "S = Schema.from_fields('S', {'d': dt.date, 'n': int})\n"
        "data, _ = conform(TableData.of(unwrap([{'d': d, 'n': '1'}])), S, where='x')\n"
        "assert split(data, TimePartitionConfig(column='d'), TimePartitionWindow(d), where='x').slices[0].value "
        "== [{'d': d, 'n': 1}]\n"
        "print([m for m in ('pandas', 'pyarrow', 'numpy', 'pydantic', 'airflow') if m in sys.modules])"
    )

    assert loaded.strip() == "[]"


def test_the_import_is_cheap(tmp_path: object) -> None:
    code = (
        f"import sys; sys.dont_write_bytecode = False; sys.pycache_prefix = {str(tmp_path)!r}\n"
        "import time, airflow_provider.partitioning\n"
        "start = time.process_time(); import airflow_provider.schema\n"
        "print(time.process_time() - start)"
    )

    assert min(float(run(code)) for _ in range(5)) < 0.020
