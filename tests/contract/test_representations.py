"""Every form of tabular data runs the one contract suite."""

import os
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from airflow_provider.errors import SchemaError
from airflow_provider.testing import Cannot, RepresentationContract

NESTED = Cannot(SchemaError, "dicts that hold dates, decimals or bytes are typed by a declared schema only")
NAN = Cannot(AssertionError, "NaN is null in pandas")


class TestRows(RepresentationContract):
    kind = "rows"
    cannot: ClassVar = {
        "zero_rows": Cannot(AssertionError, "a list without dicts names no columns"),
        "arrow_nested": NESTED,
    }


class TestArrow(RepresentationContract):
    kind = "arrow"


class TestPandas(RepresentationContract):
    kind = "pandas"
    cannot: ClassVar = {"arrow_nested": NESTED, "value_real": NAN, "conform_real": NAN}


class TestPolars(RepresentationContract):
    kind = "polars"


FIVE_LINES = """
from airflow_provider.testing import Cannot, RepresentationContract
from airflow_provider.errors import SchemaError
class TestColumns(RepresentationContract):
    kind = "columns"
    cannot = {"arrow_nested": Cannot(SchemaError, "nested cells need a schema")}
"""
ENTRY_POINTS = """
[airflow_provider.representations]
columns = other_form:ColumnsForm
broken = nowhere:Form
"""


def test_a_form_that_another_package_offers_passes_in_five_lines(tmp_path: Path) -> None:
    """The package is installed, and nothing imports it: its entry point is enough, beside one that is broken."""
    (tmp_path / "other_form.py").write_text(Path(__file__).with_name("other_form.py").read_text())
    (tmp_path / "test_columns.py").write_text(FIVE_LINES)
    installed = tmp_path / "other_form-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: other-form\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(ENTRY_POINTS)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_columns.py"],
        cwd=tmp_path,
        env={**os.environ, "AIRFLOW_HOME": str(tmp_path / "home"), "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
