"""Assets by list, by several dimensions, by week and by quarter as tasks: from the run to the files and the event."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.definitions.asset import AssetUniqueKey

import airflow_provider as ap
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import PartitionError
from airflow_provider.operators.run_facts import run_facts
from airflow_provider.partitioning import resolve
from airflow_provider.version_compat import AirflowSkipException

UTC = dt.timezone.utc
Context = Callable[..., dict[str, Any]]
REGIONS = ("us", "eu", "a|b", "../x")
calls: list[str] = []
fail_on: set[str] = set()


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=UTC)


def both(**options: Any) -> ap.MultiPartitionConfig:
    day = ap.TimePartitionConfig(column="day", start="2026-01-01")
    return ap.MultiPartitionConfig(day, ap.ListPartitionConfig(REGIONS, column="region"), **options)


class Shop(ap.Source):
    @ap.asset(partitioning=ap.ListPartitionConfig(REGIONS, column="region", allow_window=True))
    def prices(self, context: ap.ExecutionContext):
        calls.append(str(context.window))
        return [{"region": partition.key, "n": 1} for partition in context.window]

    @ap.asset(partitioning=ap.ListPartitionConfig(REGIONS, column="area"))
    def margins(self, context: ap.ExecutionContext, prices: ap.Upstream):
        calls.append(context.partition_key)
        if context.partition_key in fail_on:
            raise RuntimeError("no margin")
        return [{"area": row["region"], "n": row["n"]} for row in prices.data.to_pylist()]

    @ap.asset(partitioning=both(allow_window=True))
    def sales(self, context: ap.ExecutionContext):
        calls.append(str(context.window))
        return [{"day": p["day"].date, "region": p["region"].key, "n": 1} for p in context.window]

    @ap.asset(partitioning=both())
    def one_by_one(self, context: ap.ExecutionContext, sales: ap.Upstream):
        calls.append(context.partition_key)
        assert context.partition_date == context.partition.parts["day"].date
        assert context.partition_time_window == context.partition.time.bounds
        return sales.data

    @ap.asset(partitioning=ap.TimePartitionConfig(column="day", granularity="week", allow_window=True))
    def weekly(self, context: ap.ExecutionContext):
        return [{"day": partition.date, "n": 1} for partition in context.window]

    @ap.asset(partitioning=ap.TimePartitionConfig(column="day", granularity="quarter", allow_window=True))
    def quarterly(self, context: ap.ExecutionContext):
        return [{"day": partition.date, "n": 1} for partition in context.window]


@pytest.fixture(params=[ap.ParquetDestination, ap.CSVDestination], ids=["parquet", "csv"])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Shop:
    calls.clear()
    fail_on.clear()
    return Shop(destinations=request.param(base_path=str(tmp_path / "lake")))


def run(asset: ap.Asset, context: dict[str, Any]) -> dict[str, Any]:
    """Run the task; what its event says."""
    task = ap.AssetOperator(task_id=asset.key, asset=asset)
    task.execute(context)
    outlet = ap.airflow_asset(asset)
    extra: dict[str, Any] = dict(context["outlet_events"][outlet].extra)
    return extra


def read(asset: ap.Asset, typed: Any) -> list[dict[str, Any]]:
    (window,) = asset.partitioning.parse(typed)
    rows: list[dict[str, Any]] = asset.default_destination.read(IOContext(asset, window)).to_pylist()
    return rows


def test_a_list_is_covered_whole_whatever_the_runs_dates(shop: Shop, airflow_context: Context) -> None:
    extra = run(shop.prices, airflow_context(interval=(at("2026-01-01"), at("2026-01-02"))))

    assert calls == ["us..../x"]
    assert shop.prices.partition_row_counts() == dict.fromkeys(sorted(REGIONS), 1)
    assert extra["windows"] == ["us..../x"]
    assert extra["partitions"] == dict.fromkeys(REGIONS, 1)


@pytest.mark.parametrize(
    ("typed", "keys"),
    [("eu\n", ["eu"]), ("us..eu", ["us", "eu"]), (["../x", "us"], ["us", "../x"]), ("eu,us", ["us", "eu"])],
)
def test_values_are_typed(shop: Shop, airflow_context: Context, typed: Any, keys: list[str]) -> None:
    extra = run(shop.prices, airflow_context(conf={"window": typed}, run_type="manual"))

    assert list(extra["partitions"]) == keys


def test_without_windows_a_list_is_run_value_by_value_and_a_retry_takes_up_where_it_stopped(
    shop: Shop, airflow_context: Context
) -> None:
    run(shop.prices, airflow_context())
    calls.clear()
    fail_on.add("eu")
    with pytest.raises(Exception, match="1 of 4 partition writes failed"):
        run(shop.margins, airflow_context())
    assert calls == list(REGIONS)
    fail_on.clear()
    calls.clear()

    run(shop.margins, airflow_context(try_number=2))

    assert calls == ["eu"]
    assert shop.margins.partition_row_counts() == dict.fromkeys(sorted(REGIONS), 1)


def test_several_dimensions_take_the_time_from_the_run_and_all_values(
    shop: Shop, airflow_context: Context, tmp_path: Path
) -> None:
    extra = run(shop.sales, airflow_context(interval=(at("2026-01-01"), at("2026-01-03"))))

    assert calls == ["2026-01-01..2026-01-02|us..../x"]
    assert extra["windows"] == calls
    assert len(shop.sales.partition_row_counts()) == 8
    extension = shop.destinations[0].extension
    table = tmp_path / "lake" / "shop" / "sales"
    assert (table / "day=2026-01-01" / "region=%2E.%2Fx" / f"data.{extension}").is_file()
    assert {path.parent.parent.parent for path in table.rglob(f"data.{extension}")} == {table}


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("2026-01-05|eu", ["2026-01-05|eu"]),
        ("2026-01-05", [f"2026-01-05|{region}" for region in ("us", "eu", r"a\|b", "../x")]),
        ({"day": "2026-01-05", "region": ["../x", "us"]}, ["2026-01-05|us", "2026-01-05|../x"]),
        (["2026-01-06|us", "2026-01-05|eu"], ["2026-01-05|eu", "2026-01-06|us"]),
    ],
)
def test_combinations_are_typed(shop: Shop, airflow_context: Context, typed: Any, keys: list[str]) -> None:
    extra = run(shop.sales, airflow_context(conf={"window": typed}, run_type="manual"))

    assert list(extra["partitions"]) == keys
    assert sorted(shop.sales.partition_row_counts()) == sorted(keys)


def test_combinations_are_read_one_by_one(shop: Shop, airflow_context: Context) -> None:
    run(shop.sales, airflow_context(conf={"window": "2026-01-01..2026-01-02"}))
    calls.clear()

    run(shop.one_by_one, airflow_context(conf={"window": "2026-01-01..2026-01-02|eu,../x"}))

    assert calls == ["2026-01-01|eu", "2026-01-01|../x", "2026-01-02|eu", "2026-01-02|../x"]
    assert read(shop.one_by_one, "2026-01-02|eu") == [{"day": dt.date(2026, 1, 2), "region": "eu", "n": 1}]


def test_running_twice_and_running_one_by_one_leave_the_same(shop: Shop, airflow_context: Context) -> None:
    run(shop.sales, airflow_context(conf={"window": "2026-01-01"}))
    before = read(shop.sales, "2026-01-01")

    for key in shop.sales.partitioning.parse("2026-01-01")[0].keys:
        run(shop.sales, airflow_context(conf={"window": key}))

    assert read(shop.sales, "2026-01-01") == before
    assert shop.sales.partition_row_counts() == dict.fromkeys(
        sorted(f"2026-01-01|{region}" for region in ("us", "eu", r"a\|b", "../x")), 1
    )


def test_the_partition_key_of_a_run_may_be_a_time_a_value_or_a_combination(
    shop: Shop, airflow_context: Context
) -> None:
    assert list(run(shop.prices, airflow_context(partition_key="eu"))["partitions"]) == ["eu"]
    assert len(run(shop.sales, airflow_context(partition_key="2026-01-05T00:00:00"))["partitions"]) == 4
    assert list(run(shop.sales, airflow_context(partition_key="2026-01-05|eu"))["partitions"]) == ["2026-01-05|eu"]
    with pytest.raises(PartitionError, match="'mars' is not among the values"):
        run(shop.prices, airflow_context(partition_key="mars"))


@pytest.mark.parametrize("name", ["prices", "sales"])
def test_what_an_event_says_is_what_a_consumer_runs(shop: Shop, airflow_context: Context, name: str) -> None:
    asset = getattr(shop, name)
    typed = ["eu", "../x"] if name == "prices" else [r"2026-01-05|a\|b", "2026-01-06|us", "2026-01-05|us"]
    extra = run(asset, airflow_context(conf={"window": typed}))
    event = SimpleNamespace(partition_key=None, extra=extra)
    consumed = airflow_context(events={AssetUniqueKey(f"shop.{name}", f"x-asset://shop/{name}"): [event]})

    found = resolve(run_facts(consumed, where=asset.label), asset.partitioning, where=asset.label)

    assert found.rule == 5
    assert sorted(key for window in found.windows or () for key in window.keys) == sorted(extra["partitions"])


def test_an_event_without_keys_covers_a_list_and_says_too_little_for_a_time(
    shop: Shop, airflow_context: Context
) -> None:
    consumed = airflow_context(events={AssetUniqueKey("other", "x-asset://other"): [SimpleNamespace(extra={})]})

    assert len(run(shop.prices, consumed)["partitions"]) == 4
    with pytest.raises(PartitionError, match="name no partition"):
        run(shop.sales, consumed)


def test_several_dimensions_skip_where_no_time_completes(shop: Shop, airflow_context: Context) -> None:
    with pytest.raises(AirflowSkipException, match="no partition completes"):
        run(shop.sales, airflow_context(interval=(at("2026-01-05T01:00"), at("2026-01-05T02:00"))))
    with pytest.raises(AirflowSkipException, match="lies outside the partitioning's start"):
        run(shop.sales, airflow_context(interval=(at("2025-01-05"), at("2025-01-06"))))


@pytest.mark.parametrize(
    ("name", "interval", "keys"),
    [
        ("weekly", ("2025-12-22", "2026-01-05"), ["2025-W52", "2026-W01"]),
        ("weekly", ("2026-01-05", "2026-01-12"), ["2026-W02"]),
        ("quarterly", ("2025-10-01", "2026-04-01"), ["2025-Q4", "2026-Q1"]),
    ],
)
def test_weeks_and_quarters_end_to_end(
    shop: Shop, airflow_context: Context, name: str, interval: tuple[str, str], keys: list[str]
) -> None:
    asset = getattr(shop, name)

    extra = run(asset, airflow_context(interval=(at(interval[0]), at(interval[1]))))

    assert sorted(asset.partition_row_counts()) == keys == list(extra["partitions"])
    assert [row["n"] for row in read(asset, f"{keys[0]}..{keys[-1]}")] == [1] * len(keys)
    run(asset, airflow_context(conf={"window": keys[-1]}))
    assert sorted(asset.partition_row_counts()) == keys
