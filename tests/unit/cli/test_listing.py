from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_the_list_says_grain_zone_destinations_and_upstreams(run: Run) -> None:
    lines = [line.split() for line in run("list").stdout.splitlines()]

    assert lines == [
        ["asset", "grain", "zone", "destinations", "reads"],
        ["shop.orders", "daily", "America/New_York", "Parquet", "-"],
        ["shop.ticks", "hourly", "America/New_York", "Parquet", "-"],
        ["shop.whole", "unpartitioned", "-", "Parquet", "-"],
        ["shop.totals", "daily", "America/New_York", "Parquet", "shop.orders"],
    ]


@pytest.mark.parametrize("name", ["orders", "shop.orders"])
def test_show_tells_settings_schema_neighbours_and_place(run: Run, home: Path, name: str) -> None:
    lines = [" ".join(line.split()) for line in run("show", name).stdout.splitlines()]

    for line in (
        "Every order.",
        "dataset shop",
        "granularity day",
        "start 2026-01-01",
        "amount float, may be null",
        "context the run",
        "is read by shop.totals",
        f"Parquet {home}/data/shop/orders (atomic)",
    ):
        assert line in lines


def test_show_names_what_a_parameter_receives(run: Run) -> None:
    assert "asset shop.orders" in run("show", "totals").stdout


def test_a_place_that_needs_an_absent_variable_is_said_not_raised(run: Run, folder: Path) -> None:
    text = (folder / "shop.py").read_text(encoding="utf-8").replace("env.AIRFLOW_HOME", "env.NOWHERE_OF_TEST")
    (folder / "shop.py").write_text(text, encoding="utf-8")

    done = run("show", "orders")

    assert done.exit_code == 0
    assert "not known here: environment variable 'NOWHERE_OF_TEST' is not set" in done.stdout
