"""An asset on data that the test gives: no destination, nothing stored, and told when something is not given."""

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import airflow_provider as ap
from airflow_provider.errors import AssetError
from airflow_provider.testing import run_asset

DAILY = ap.TimePartitionConfig(column="day", allow_window=True)
DAYS = [dt.date(2026, 1, day) for day in (1, 2, 3)]
ORDERS = [{"day": day, "amount": number} for number, day in enumerate(DAYS, start=1)]
WEEK = "2026-01-01..2026-01-03"


class Shop(ap.Source):
    @ap.asset(partitioning=DAILY)
    def orders(self) -> Any:
        raise AssertionError("an upstream is not run")

    @ap.asset(partitioning=DAILY)
    def totals(self, orders: ap.Upstream) -> Any:
        return [{"day": row["day"], "double": 2 * row["amount"]} for row in orders.rows]

    @ap.asset(partitioning=ap.TimePartitionConfig(column="day"))
    def one_by_one(self, context: ap.ExecutionContext, orders: ap.Upstream) -> Any:
        return [{"day": context.partition_date, "seen": len(orders.rows), "missing": len(orders.missing)}]

    @ap.asset
    def report(self, model: ap.Upstream, notes: ap.Upstream | None = None) -> Any:
        return [{"model": model.data, "notes": notes is None or notes.data}]


@pytest.mark.parametrize("form", [list, pd.DataFrame, pa.Table.from_pylist])
def test_an_upstream_reads_what_the_test_gives(form: Any) -> None:
    found = run_asset(Shop().totals, window=WEEK, upstreams={"orders": form(ORDERS)})
    assert found == [{"day": day, "double": 2 * n} for n, day in enumerate(DAYS, start=1)]


@pytest.mark.parametrize("name", ["orders", "shop.orders"])
def test_an_upstream_is_named_by_its_parameter_or_its_key(name: str) -> None:
    assert len(run_asset(Shop().totals, window=WEEK, upstreams={name: ORDERS})) == 3


def test_rows_outside_the_window_are_not_read() -> None:
    found = run_asset(Shop().totals, window="2026-01-02", upstreams={"orders": ORDERS})
    assert found == [{"day": DAYS[1], "double": 4}]


def test_each_pass_sees_the_rows_of_its_partition_and_what_is_missing() -> None:
    found = run_asset(Shop().one_by_one, window=WEEK, upstreams={"orders": ORDERS[:2]})
    assert [(row["seen"], row["missing"]) for row in found] == [(1, 0), (1, 0), (0, 1)]


def test_none_is_an_upstream_that_holds_nothing() -> None:
    assert run_asset(Shop().totals, window=WEEK, upstreams={"orders": None}) == []


def test_an_upstream_that_is_not_there_yet_may_be_given_and_hold_any_value() -> None:
    found = run_asset(Shop().report, upstreams={"model": 3.5})
    assert found == [{"model": 3.5, "notes": True}]
    assert run_asset(Shop().report, upstreams={"model": 3.5, "notes": "n"})[0]["notes"] == "n"


def test_an_asset_alone_needs_no_source_and_may_be_a_class() -> None:
    @ap.asset(partitioning=DAILY)
    def totals(orders: ap.Upstream) -> Any:
        return orders.rows

    assert run_asset(totals, window="2026-01-03", upstreams={"orders": ORDERS}) == [ORDERS[2]]


def test_a_parameter_for_several_upstreams_takes_a_mapping() -> None:
    @ap.asset(relations={"legs": ap.Relation("asset", "*.campaigns", many=True)})
    def all_of_them(legs: list[ap.Upstream]) -> Any:
        return [{"leg": leg.asset.key, "n": len(leg.rows)} for leg in legs]

    given = {"legs": {"ads.campaigns": [{"n": 1}], "web.campaigns": [{"n": 1}, {"n": 2}]}}
    assert run_asset(all_of_them, upstreams=given) == [
        {"leg": "ads_campaigns", "n": 1},
        {"leg": "web_campaigns", "n": 2},
    ]


def test_an_output_of_several_is_run_on_its_own() -> None:
    @ap.multi_asset(outputs=["doubled", "halved"])
    def scaled(orders: ap.Upstream) -> Any:
        yield ap.Output("doubled", [{"amount": 2 * row["amount"]} for row in orders.rows])
        yield ap.Output("halved", [{"amount": row["amount"] / 2} for row in orders.rows])

    class Scales(ap.Source):
        parts = scaled

    found = run_asset(Scales().doubled, upstreams={"orders": [{"amount": 4}]})
    assert found == [{"amount": 8}]


def test_the_result_is_conformed_and_checked_as_in_a_run() -> None:
    class Row(ap.Schema):
        day: dt.date
        double: float

    @ap.asset(partitioning=DAILY, schema=Row)
    def totals(orders: ap.Upstream) -> Any:
        return [{"day": str(row["day"]), "double": "2"} for row in orders.rows]

    assert run_asset(totals, window="2026-01-01", upstreams={"orders": ORDERS}) == [{"day": DAYS[0], "double": 2.0}]


def test_an_upstream_that_is_not_given_is_named() -> None:
    with pytest.raises(AssetError, match="needs the data of its upstream 'orders'"):
        run_asset(Shop().totals, window=WEEK)


def test_an_upstream_that_is_not_read_is_named() -> None:
    with pytest.raises(AssetError, match="reads no upstream called ordres") as caught:
        run_asset(Shop().totals, window=WEEK, upstreams={"orders": ORDERS, "ordres": []})
    assert "orders" in caught.value.fix


def test_nothing_is_stored_and_the_real_destination_is_not_touched(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    shop = Shop(destinations=ap.ParquetDestination(base_path=tmp_path / "lake"))
    run_asset(shop.totals, window=WEEK, upstreams={"orders": ORDERS})
    assert list(tmp_path.iterdir()) == []
