"""What mypy makes of users' code: the right types, and an error where something is wrong."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.mark.parametrize("name", ["user_code.py", "wrong_code.py"])
def test_mypy_agrees(name: str) -> None:
    """Strictly: an ``assert_type`` that does not hold and an expected error that is not there both fail."""
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", str(HERE / name)], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_what_mypy_reads_runs() -> None:
    assert runpy.run_path(str(HERE / "user_code.py"))["graph"].find("users").key == "users"
