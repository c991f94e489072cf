"""A folder with real definitions, an empty home, and a command line that runs in this process."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

SHOP = '''
"""A shop's orders."""
import datetime as dt

import airflow_provider as ap

NEW_YORK = "America/New_York"
FIRST, LAST = dt.date(2026, 1, 1), dt.date(2026, 1, 31)
daily = ap.TimePartitionConfig(column="day", start=FIRST, end=LAST, timezone=NEW_YORK)
hourly = ap.TimePartitionConfig(
    column="at", granularity="hour", start=dt.date(2025, 11, 2), end=dt.date(2025, 11, 2), timezone=NEW_YORK
)


class Row(ap.Schema):
    day: dt.date
    amount: float | None


@ap.source(dataset="shop")
class Shop(ap.Source):
    @ap.asset(schema=Row, partitioning=daily)
    def orders(self, context: ap.ExecutionContext):
        """Every order."""
        print("noise of a definition")
        if context.partition_date.day == 13:
            raise ValueError("bad luck")
        return [{"day": context.partition_date, "amount": 1.5}]

    @ap.asset(partitioning=daily)
    def totals(self, orders: ap.Upstream):
        return orders.rows

    @ap.asset(partitioning=hourly)
    def ticks(self, context: ap.ExecutionContext):
        return [{"at": context.window.start, "n": 1}]

    @ap.asset
    def whole(self):
        return [{"a": 1}]


shop = Shop(destinations=ap.ParquetDestination(base_path="{env.AIRFLOW_HOME}/data"))
'''

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An ``AIRFLOW_HOME`` of the test's own; nothing else says where definitions or the index are."""
    for name in ("AIRFLOW_ASSETS_FROM", "AIRFLOW__CORE__DAGS_FOLDER", "AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI"):
        monkeypatch.delenv(name, raising=False)
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "path", sys.path[:])
    before = set(sys.modules)
    yield tmp_path / "home"
    for name in set(sys.modules) - before:  # other tests have files of the same name
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and Path(file).is_relative_to(tmp_path):
            del sys.modules[name]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds ``shop.py``."""
    made = tmp_path / "definitions"
    made.mkdir()
    (made / "shop.py").write_text(SHOP, encoding="utf-8")
    return made


@pytest.fixture
def run(folder: Path) -> Run:
    """Run a command on ``folder``, in this process."""
    from airflow_provider.cli.app import app

    def runs(*words: str, origin: Path | str | None = None) -> Any:
        return CliRunner().invoke(app, [*words, "--from", str(origin or folder)])

    return runs


@pytest.fixture
def shell(folder: Path) -> Run:
    """Run a command as a process of its own; ``python`` is executed there before."""

    def runs(*words: str, python: str = "", **environment: str) -> Any:
        code = f"{python}\nfrom airflow_provider.cli import main\nmain()"
        return subprocess.run(
            [sys.executable, "-c", code, *words],
            env={**os.environ, "AIRFLOW_ASSETS_FROM": str(folder), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return runs
