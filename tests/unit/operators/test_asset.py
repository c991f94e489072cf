"""One asset as one task: which partitions it fills for each kind of run, what it tells Airflow, and what it refuses."""

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.definitions.asset import AssetUniqueKey

import airflow_provider as ap
from airflow_provider.errors import AssetError, ConfigError, DefinitionError, PartitionError
from airflow_provider.version_compat import AirflowSkipException

UTC = dt.timezone.utc
Context = Callable[..., dict[str, Any]]

fail_on: set[str] = set()


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=UTC)


class Shop(ap.Source):
    @ap.asset(
        partitioning=ap.TimePartitionConfig(column="day", allow_window=True),
        airflow=ap.TaskOptions(retries=7, pool="shop"),
    )
    def orders(self, context: ap.ExecutionContext):
        """Orders by day."""
        return [{"day": partition.date, "n": 1} for partition in context.window if partition.key not in fail_on]

    @ap.asset(partitioning=ap.TimePartitionConfig(column="at", granularity="hour", allow_window=True))
    def visits(self, context: ap.ExecutionContext):
        return [{"at": partition.start, "n": 1} for partition in context.window]

    @ap.asset
    def products(self):
        return [{"id": 1}]


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    fail_on.clear()
    return Shop(destinations=ap.ParquetDestination(base_path=str(tmp_path / "lake")))


def held(asset: ap.Asset) -> list[str]:
    return sorted(asset.partition_row_counts())


def test_a_zero_width_daily_interval_fills_the_day_before(shop: Shop, airflow_context: Context) -> None:
    tick = at("2026-03-06")

    operator(shop.orders).execute(airflow_context(interval=(tick, tick), logical_date=tick))

    assert held(shop.orders) == ["2026-03-05"]


def test_an_interval_fills_the_partitions_that_complete_in_it(shop: Shop, airflow_context: Context) -> None:
    operator(shop.orders).execute(airflow_context(interval=(at("2026-03-01"), at("2026-03-04"))))

    assert held(shop.orders) == ["2026-03-01", "2026-03-02", "2026-03-03"]


def test_a_typed_window_wins_over_the_dates(shop: Shop, airflow_context: Context) -> None:
    context = airflow_context(
        conf={"window": " 2026-03-01T02..2026-03-01T03\n"},
        run_type="manual",
        interval=(at("2026-03-01"), at("2026-03-02")),
    )

    operator(shop.visits).execute(context)

    assert held(shop.visits) == ["2026-03-01T02", "2026-03-01T03"]


def test_a_manual_run_without_dates_fills_the_newest_complete_hour(shop: Shop, airflow_context: Context) -> None:
    now = at("2026-03-01T10:15")

    operator(shop.visits).execute(airflow_context(run_type="manual", run_after=now))

    assert held(shop.visits) == ["2026-03-01T09"]


def test_consumed_events_fill_the_partitions_that_they_name(shop: Shop, airflow_context: Context) -> None:
    events = {AssetUniqueKey("up", "x-asset://up"): [event("2026-03-01"), event("2026-03-03")]}

    operator(shop.orders).execute(airflow_context(run_type="asset_triggered", events=events))

    assert held(shop.orders) == ["2026-03-01", "2026-03-03"]


def test_our_own_unkeyed_events_carry_their_windows(shop: Shop, airflow_context: Context) -> None:
    ours = SimpleNamespace(partition_key=None, extra={"windows": ["2026-03-01..2026-03-02"]})

    operator(shop.orders).execute(
        airflow_context(run_type="asset_triggered", events={AssetUniqueKey("up", "x-asset://up"): [ours]})
    )

    assert held(shop.orders) == ["2026-03-01", "2026-03-02"]


def test_an_event_without_a_key_is_an_error_that_names_the_upstream(shop: Shop, airflow_context: Context) -> None:
    events = {AssetUniqueKey("shop.raw", "x-asset://shop.raw"): [event(None)]}

    with pytest.raises(PartitionError, match=r"shop\.raw"):
        operator(shop.orders).execute(airflow_context(run_type="asset_triggered", events=events))


def test_a_partition_key_fills_that_partition(shop: Shop, airflow_context: Context) -> None:
    operator(shop.orders).execute(airflow_context(partition_key="2026-03-02T00:00:00"))

    assert held(shop.orders) == ["2026-03-02"]


def test_a_scheduled_interval_in_which_nothing_completes_skips(shop: Shop, airflow_context: Context) -> None:
    interval = (at("2026-03-01T01:00"), at("2026-03-01T02:00"))

    with pytest.raises(AirflowSkipException, match="2026-03-01"):
        operator(shop.orders).execute(airflow_context(interval=interval))
    with pytest.raises(PartitionError):
        operator(shop.orders).execute(airflow_context(interval=interval, run_type="manual"))


def test_a_window_in_a_backfills_conf_is_refused(shop: Shop, airflow_context: Context) -> None:
    with pytest.raises(PartitionError, match="backfill"):
        operator(shop.orders).execute(airflow_context(conf={"window": "2026-03-01"}, run_type="backfill"))


def test_the_operators_own_window_serves_a_backfill(shop: Shop, airflow_context: Context) -> None:
    operator(shop.orders, window="2026-03-01").execute(airflow_context(run_type="backfill"))

    assert held(shop.orders) == ["2026-03-01"]


def test_a_misspelt_conf_key_is_refused_before_anything_runs(shop: Shop, airflow_context: Context) -> None:
    with pytest.raises(ConfigError, match="'widnow'") as caught:
        operator(shop.orders).execute(airflow_context(conf={"widnow": "2026-03-01"}))

    assert "window" in caught.value.fix
    assert held(shop.orders) == []


def test_explicit_nulls_and_blanks_of_the_form_are_absent(shop: Shop, airflow_context: Context) -> None:
    conf = {"window": ["", "\n"], "select": ["", "  "]}

    operator(shop.orders).execute(airflow_context(conf=conf, interval=(at("2026-03-01"), at("2026-03-02"))))

    assert held(shop.orders) == ["2026-03-01"]


def test_an_unpartitioned_asset_runs_whatever_the_run_carries(shop: Shop, airflow_context: Context) -> None:
    operator(shop.products).execute(airflow_context(run_type="asset_triggered", events={}))

    assert shop.products.default_destination.read(ap.IOContext(shop.products)).num_rows == 1


def test_the_event_names_windows_rows_and_place(shop: Shop, airflow_context: Context) -> None:
    context = airflow_context(interval=(at("2026-03-01"), at("2026-03-03")))
    task = operator(shop.orders)

    task.execute(context)

    extra = context["outlet_events"][task.outlets[0]].extra
    assert extra["windows"] == ["2026-03-01..2026-03-02"]
    assert extra["partitions"] == {"2026-03-01": 1, "2026-03-02": 1}
    assert extra["rows"] == 2
    assert "orders" in extra["uri"]


def test_a_run_that_stored_nothing_has_no_outlet_and_so_no_event(shop: Shop, airflow_context: Context) -> None:
    fail_on.add("2026-03-01")
    task = operator(shop.orders)

    task.execute(airflow_context(interval=(at("2026-03-01"), at("2026-03-02"))))

    assert task.outlets == []


def test_an_asset_that_is_not_selected_does_nothing_and_succeeds(shop: Shop, airflow_context: Context) -> None:
    task = operator(shop.orders)

    task.execute(airflow_context(conf={"select": ["products"], "window": "2026-03-01"}, run_type="manual"))

    assert task.outlets == []
    assert held(shop.orders) == []


def test_an_asset_that_is_not_enabled_does_nothing_and_succeeds(
    shop: Shop, airflow_context: Context, task_log: pytest.LogCaptureFixture
) -> None:
    task = operator(shop.orders(enabled=False))

    task.execute(airflow_context(partition_key="2026-03-01"))

    assert task.outlets == []
    assert held(shop.orders) == []
    assert "asset 'shop.orders' is not enabled: nothing to do" in task_log.text


def test_a_partition_that_fails_fails_the_task_and_a_retry_writes_only_that_one(
    shop: Shop, airflow_context: Context, tmp_path: Path, task_log: pytest.LogCaptureFixture
) -> None:
    interval = (at("2026-03-01"), at("2026-03-06"))
    blocked = tmp_path / "lake" / "shop" / "orders" / "day=2026-03-03"
    blocked.parent.mkdir(parents=True)
    blocked.write_text("a file where the partition's folder should be")
    task = operator(shop.orders)

    with pytest.raises(AssetError, match="1 of 5 partition writes failed: 2026-03-03"):
        task.execute(airflow_context(interval=interval))

    assert task.outlets == []
    assert held(shop.orders) == ["2026-03-01", "2026-03-02", "2026-03-04", "2026-03-05"]
    assert "4 committed, 1 failed" in task_log.text

    blocked.unlink()
    context, task = airflow_context(interval=interval, try_number=2), operator(shop.orders)
    task.execute(context)

    assert "4 held, 1 committed" in task_log.text
    assert context["outlet_events"][task.outlets[0]].extra["windows"] == ["2026-03-01..2026-03-05"]


def test_ten_years_of_days_in_one_run_leave_a_receipt_and_no_rows(shop: Shop, airflow_context: Context) -> None:
    shop = shop(destinations=ap.MemoryDestination())
    context, task = airflow_context(interval=(at("2016-01-01"), at("2025-12-29"))), operator(shop.orders)

    assert task.execute(context) is None

    extra = context["outlet_events"][task.outlets[0]].extra
    assert extra["partitions"] == {"first": "2016-01-01", "last": "2025-12-28", "count": 3650}
    assert len(json.dumps(extra)) < 4096
    ap.MemoryDestination.clear()


def test_selecting_an_asset_that_is_not_there_is_an_error(shop: Shop, airflow_context: Context) -> None:
    graph = ap.AssetGraph(shop)

    with pytest.raises(ap.errors.AssetNotFoundError, match="prodcts"):
        operator(shop.orders, graph=graph).execute(airflow_context(conf={"select": ["prodcts"]}))


def test_selecting_an_asset_that_another_dag_fills_is_an_error(shop: Shop, airflow_context: Context) -> None:
    class Web(ap.Source):
        @ap.asset(relations={"products": ap.Relation("asset", "shop.products")})
        def visits(self, products: ap.Upstream): ...

    web = Web()
    graph = ap.AssetGraph(web, among=[shop])

    with pytest.raises(ap.errors.AssetNotFoundError, match=r"shop\.products is only read here"):
        operator(web.visits, graph=graph).execute(airflow_context(conf={"select": ["shop.products"]}))


def test_a_retry_commits_only_what_its_attempt_has_not(
    shop: Shop, airflow_context: Context, task_log: pytest.LogCaptureFixture
) -> None:
    context = airflow_context(interval=(at("2026-03-01"), at("2026-03-03")))
    operator(shop.orders).execute(context)
    task_log.clear()

    operator(shop.orders).execute(airflow_context(interval=(at("2026-03-01"), at("2026-03-03")), try_number=2))

    assert "2 held" in task_log.text


def test_the_log_opens_with_windows_rule_and_destinations_and_closes_with_each_partition(
    shop: Shop, airflow_context: Context, task_log: pytest.LogCaptureFixture
) -> None:
    operator(shop.orders).execute(airflow_context(interval=(at("2026-03-01"), at("2026-03-02"))))

    lines = [record.getMessage() for record in task_log.records]
    assert lines[0].startswith("asset 'shop.orders': 2026-03-01 (rule 3: ")
    assert any(line.startswith("destination ") and "atomic" in line for line in lines)
    assert any(line.startswith("2026-03-01: committed, 1 rows, ") and "orders" in line for line in lines)


def test_a_failing_function_fails_the_task_and_leaves_the_store_alone(tmp_path: Path, airflow_context: Context) -> None:
    @ap.asset
    def broken():
        raise RuntimeError("no")

    asset = broken(destinations=ap.ParquetDestination(base_path=str(tmp_path / "lake")))

    with pytest.raises(RuntimeError, match="no"):
        operator(asset).execute(airflow_context())
    assert not (tmp_path / "lake" / "broken" / "data.parquet").exists()


def test_stray_rows_fail_the_task_by_name(tmp_path: Path, airflow_context: Context) -> None:
    @ap.asset(partitioning=ap.TimePartitionConfig(column="day"))
    def strays():
        return [{"day": dt.date(2026, 3, 9)}]

    asset = strays(destinations=ap.ParquetDestination(base_path=str(tmp_path / "lake")))

    with pytest.raises((PartitionError, AssetError), match="2026-03-09"):
        operator(asset).execute(airflow_context(partition_key="2026-03-01"))


def test_task_options_become_operator_arguments_and_explicit_ones_win(shop: Shop) -> None:
    assert (operator(shop.orders).retries, operator(shop.orders).pool) == (7, "shop")
    assert operator(shop.orders, retries=1).retries == 1


def test_no_xcom_and_no_extra_links(shop: Shop) -> None:
    task = operator(shop.orders)

    assert task.do_xcom_push is False
    assert list(task.operator_extra_links) == []
    assert task.template_fields == ("window",)


def test_something_that_is_no_asset_is_refused() -> None:
    with pytest.raises(DefinitionError, match="is no asset"):
        ap.AssetOperator(task_id="t", asset="orders")  # type: ignore[arg-type]


def operator(asset: ap.Asset, **options: Any) -> ap.AssetOperator:
    return ap.AssetOperator(task_id="t", asset=asset, **options)


def event(key: str | None) -> SimpleNamespace:
    return SimpleNamespace(partition_key=key, extra={})


def test_a_view_is_one_task_that_creates_it_and_emits_one_event(
    sqlite_file: Any, tmp_path: Path, airflow_context: Context
) -> None:
    class Store(ap.Source):
        @ap.asset
        def orders(self):
            return [{"units": 2}, {"units": 3}]

        @ap.view
        def total(self, orders: ap.Upstream):
            return f"SELECT count(*) AS n FROM {orders.data}"

    store = Store(destinations=sqlite_file(path=str(tmp_path / "store.db")))
    dag = ap.build_dag(store)
    events = {}
    for task_id in ("orders", "total"):
        context = airflow_context(run_type="manual")
        dag.get_task(task_id).execute(context)
        events[task_id] = context["outlet_events"][ap.airflow_asset(store.assets[task_id])].extra

    assert dag.get_task("total").upstream_task_ids == {"orders"}
    assert store.destinations[0].read(ap.IOContext(store.total)) == [{"n": 2}]
    assert events["total"] == {
        "asset": "store.total", "rows": 0, "uri": store.destinations[0].address,
    }  # fmt: skip
    assert type(dag.get_task("total")) is ap.AssetOperator


def test_the_params_of_the_dag_are_not_copied_into_its_tasks(shop: Shop) -> None:
    dag = ap.build_dag(shop.orders, params={"mine": 5})

    assert sorted(dag.params) == ["mine", "select", "window"]
    assert list(dag.get_task("orders").params) == []
    with dag:
        own = ap.AssetOperator(task_id="own", asset=shop.orders, params={"window": "2026-01-01"})
    assert dict(own.params) == {"window": "2026-01-01"}
