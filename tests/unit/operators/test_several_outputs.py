"""One task that fills several assets: one event for each that was filled, the chosen ones, retries."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.errors import AssetNotFoundError, DefinitionError, PartitionsFailedError
from airflow_provider.version_compat import AirflowSkipException

UTC = dt.timezone.utc
Context = Callable[..., dict[str, Any]]
DAYS = ap.TimePartitionConfig(column="day", allow_window=True)
TWO_DAYS = (dt.datetime(2026, 3, 1, tzinfo=UTC), dt.datetime(2026, 3, 3, tzinfo=UTC))

seen: list[tuple[str, ...]] = []
empty: set[str] = set()


@ap.source(airflow=ap.TaskOptions(pool="shop"), tags=["shop"])
class Shop(ap.Source):
    @ap.asset
    def users(self):
        return [{"n": 1}]

    @ap.multi_asset(
        outputs=[ap.AssetDef("orders", tags=["core"]), "lines", ap.AssetDef("shops", partitioning=None)],
        partitioning=DAYS,
        airflow=ap.TaskOptions(queue="feeds"),
        retry=ap.RetryPolicy(max_attempts=3),
    )
    def feed(self, context: ap.ExecutionContext, users: ap.Upstream):
        """What the feed says."""
        seen.append(context.selected_outputs)
        context.add_metadata(pages=2)
        rows = [{"day": partition.date, "n": 1} for partition in context.window]
        for name in ("orders", "lines", "shops"):
            yield ap.Output(name, [] if name in empty else rows, metadata={"of": name})


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    seen.clear()
    empty.clear()
    made = Shop(destinations=ap.ParquetDestination(base_path=str(tmp_path / "lake")))
    made.users.materialize()
    return made


def operator(asset: Any, **options: Any) -> ap.AssetOperator:
    return ap.AssetOperator(task_id="t", asset=asset, **options)


def told(context: dict[str, Any], task: ap.AssetOperator) -> dict[str, Any]:
    """What each event says, by asset."""
    return {outlet.name: context["outlet_events"][outlet].extra for outlet in task.outlets}


def test_the_task_is_that_of_the_function(shop: Shop) -> None:
    task = operator(shop.feed)

    assert [outlet.name for outlet in task.outlets] == ["shop.orders", "shop.lines", "shop.shops"]
    assert next(iter(task.outlets)).uri == "x-asset://shop/orders"
    assert (task.pool, task.queue, task.retries, task.doc_md) == ("shop", "feeds", 2, "What the feed says.")
    assert not task.do_xcom_push


def test_each_output_that_was_filled_has_an_event_of_its_own(shop: Shop, airflow_context: Context) -> None:
    context, task = airflow_context(interval=TWO_DAYS), operator(shop.feed)

    task.execute(context)

    extras = told(context, task)
    assert list(extras) == ["shop.orders", "shop.lines", "shop.shops"]
    assert extras["shop.orders"]["partitions"] == {"2026-03-01": 1, "2026-03-02": 1}
    assert extras["shop.orders"]["windows"] == ["2026-03-01..2026-03-02"]
    assert (extras["shop.orders"]["pages"], extras["shop.orders"]["of"]) == (2, "orders")
    assert (extras["shop.shops"]["rows"], "windows" in extras["shop.shops"]) == (2, False)
    assert seen == [("orders", "lines", "shops")]


def test_an_output_without_rows_has_no_event(shop: Shop, airflow_context: Context) -> None:
    empty.update({"orders", "shops"})
    context, task = airflow_context(interval=TWO_DAYS), operator(shop.feed)

    task.execute(context)

    assert list(told(context, task)) == ["shop.lines"]


def test_a_run_that_filled_nothing_has_no_event_at_all(shop: Shop, airflow_context: Context) -> None:
    empty.update({"orders", "lines", "shops"})
    task = operator(shop.feed)

    task.execute(airflow_context(interval=TWO_DAYS))

    assert task.outlets == []


@pytest.mark.parametrize(
    ("select", "filled"),
    [
        (["orders"], ["orders"]),
        (["shop.lines", "orders"], ["orders", "lines"]),
        (["feed"], ["orders", "lines", "shops"]),
        (["shop.feed"], ["orders", "lines", "shops"]),
        (["users"], []),
    ],
)
@pytest.mark.parametrize("has_graph", [True, False])
def test_the_form_selects_outputs(
    shop: Shop, airflow_context: Context, select: list[str], filled: list[str], has_graph: bool
) -> None:
    task = operator(shop.feed, graph=ap.AssetGraph(shop) if has_graph else None)
    context = airflow_context(conf={"select": select, "window": "2026-03-01"}, run_type="manual")

    task.execute(context)

    assert list(told(context, task)) == [f"shop.{key}" for key in filled]
    assert seen == ([tuple(filled)] if filled else [])


def test_selecting_what_is_not_there_is_an_error(shop: Shop, airflow_context: Context) -> None:
    with pytest.raises(AssetNotFoundError, match="ordres"):
        operator(shop.feed, graph=ap.AssetGraph(shop)).execute(airflow_context(conf={"select": ["ordres"]}))


def test_outputs_that_are_not_enabled_are_left_out(
    shop: Shop, airflow_context: Context, task_log: pytest.LogCaptureFixture
) -> None:
    shop.orders.enabled = False
    context, task = airflow_context(interval=TWO_DAYS), operator(shop.feed)

    task.execute(context)

    assert list(told(context, task)) == ["shop.lines", "shop.shops"]
    shop.feed.enabled = False
    task = operator(shop.feed)
    task.execute(airflow_context(interval=TWO_DAYS))
    assert task.outlets == []
    assert "multi_asset 'shop.feed' is not enabled: nothing to do" in task_log.text


def test_one_output_by_hand_is_a_task_of_its_own(shop: Shop, airflow_context: Context) -> None:
    context, task = airflow_context(interval=TWO_DAYS), operator(shop.lines)

    task.execute(context)

    assert list(told(context, task)) == ["shop.lines"]
    assert (seen, task.queue) == ([("lines",)], "feeds")
    some = operator(shop.feed, outputs=["orders", "lines"])
    assert [outlet.name for outlet in some.outlets] == ["shop.orders", "shop.lines"]


def test_arguments_that_do_not_fit_are_refused(shop: Shop) -> None:
    with pytest.raises(AssetNotFoundError, match="has no output called nosuch"):
        operator(shop.feed, outputs=["nosuch"])
    with pytest.raises(DefinitionError, match="outputs= is for a multi-asset"):
        operator(shop.users, outputs=["users"])
    with pytest.raises(DefinitionError, match="is no asset"):
        operator(3)


def test_a_definition_is_instantiated() -> None:
    @ap.multi_asset(outputs=["orders"])
    def feed(): ...

    assert [outlet.name for outlet in operator(feed).outlets] == ["orders"]


def test_a_failed_output_fails_the_task_and_the_retry_tells_of_all(
    shop: Shop, airflow_context: Context, tmp_path: Path, task_log: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "lake" / "shop" / "orders" / "day=2026-03-02"
    blocked.parent.mkdir(parents=True)
    blocked.write_text("a file where the partition's folder should be")
    task = operator(shop.feed)

    with pytest.raises(PartitionsFailedError, match=r"(?s)1 of 3 outputs failed: asset 'shop\.orders'.*2026-03-02"):
        task.execute(airflow_context(interval=TWO_DAYS))

    assert task.outlets == []
    assert sorted(shop.lines.partition_row_counts()) == ["2026-03-01", "2026-03-02"]
    assert "shop.orders, 2026-03-01: committed" in task_log.text
    blocked.unlink()
    context, task = airflow_context(interval=TWO_DAYS, try_number=2), operator(shop.feed)
    task.execute(context)
    assert seen == [("orders", "lines", "shops"), ("orders",)]
    assert list(told(context, task)) == ["shop.orders", "shop.lines", "shop.shops"]
    assert told(context, task)["shop.lines"]["partitions"] == {"2026-03-01": 1, "2026-03-02": 1}


def test_outlets_of_others_stay_where_something_was_filled(shop: Shop, airflow_context: Context) -> None:
    from airflow.sdk import Asset as AirflowAsset

    other = AirflowAsset("other")
    empty.add("lines")
    task = operator(shop.feed, outlets=[other, ap.airflow_asset(shop.orders), ap.airflow_asset(shop.lines)])

    task.execute(airflow_context(interval=TWO_DAYS))

    assert [outlet.name for outlet in task.outlets] == ["other", "shop.orders"]


def test_a_run_that_covers_nothing_is_skipped_as_a_whole(shop: Shop, airflow_context: Context) -> None:
    noon = dt.datetime(2026, 3, 1, 12, tzinfo=UTC)

    with pytest.raises(AirflowSkipException):
        operator(shop.feed).execute(airflow_context(interval=(noon, noon + dt.timedelta(hours=1))))
    assert seen == []
