"""``make demo EXIT=1``, twice: it ends well, leaves no process, and the second call changes nothing that is right."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from airflow_provider.storage.index import open_index
from airflow_provider.testing import processes

DEMO = Path(__file__).parents[2] / "example_dags" / "run_demo.py"
DAILY = ("nyc.carrier_delays", "nyc.flights", "nyc.weather")


@pytest.mark.full
def test_a_second_demo_starts_on_what_is_there_and_runs_nothing_again(tmp_path: Path) -> None:
    first, seconds = demo(tmp_path)
    held = {asset: index(tmp_path).read(asset).records for asset in DAILY}

    assert "every task succeeded and every day is held" in first
    assert {len(records) for records in held.values()} == {14}
    assert left_behind(tmp_path) == []

    second, again = demo(tmp_path)

    assert "every task succeeded and every day is held" in second
    assert {asset: index(tmp_path).read(asset).records for asset in DAILY} == held
    assert again < seconds
    assert left_behind(tmp_path) == []


def demo(folder: Path) -> tuple[str, float]:
    """What a demo that ends by itself prints, and how long it takes."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(DEMO), "--exit", "--folder", str(folder)], capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout, time.monotonic() - begun


def left_behind(folder: Path) -> list:
    """Processes of the demo's Airflow that are still there."""
    return processes.marked(json.loads((folder / "airflow" / "instance.json").read_text(encoding="utf-8"))["mark"])


def index(folder: Path):
    return open_index(str(folder / "airflow" / "airflow_provider_index"))
