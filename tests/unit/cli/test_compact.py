"""``index compact`` works on the index alone."""

from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from airflow_provider.cli.app import app
from airflow_provider.ledger import CommitRecord
from airflow_provider.storage.index import open_index

Run = Callable[..., Any]


def compact(*names: str) -> Any:
    return CliRunner().invoke(app, ["index", "compact", *names])


@pytest.fixture(autouse=True)
def filled() -> None:
    records = [
        CommitRecord(asset, "parquet:/lake", "2026-03-01", fence, "a")
        for asset in ("shop.orders", "web.orders", "shop.old")
        for fence in range(5)
    ]
    open_index().append(records)


def test_every_asset_of_the_index_is_compacted_definitions_or_not() -> None:
    done = compact()

    assert done.exit_code == 0
    assert [line.partition(", ")[0] for line in done.stdout.splitlines()] == [
        f"{asset} in parquet:/lake: 5 lines to 1" for asset in ("shop.old", "shop.orders", "web.orders")
    ]
    assert open_index().read("shop.old").records["2026-03-01"].fence == 4


def test_a_bare_name_means_every_asset_that_ends_so_and_a_qualified_one_itself() -> None:
    assert [line.split()[0] for line in compact("orders").stdout.splitlines()] == ["shop.orders", "web.orders"]
    assert [line.split()[0] for line in compact("shop.old").stdout.splitlines()] == ["shop.old"]


def test_a_name_that_the_index_does_not_know_is_an_error_before_anything_is_done() -> None:
    done = compact("orders", "nothing")

    assert done.exit_code == 1
    assert "the index knows no asset 'nothing'" in done.stderr
    assert done.stdout == ""


def test_an_empty_index_says_so() -> None:
    for asset in open_index().assets():
        open_index().forget(asset)

    assert "the index is empty" in compact().stderr
