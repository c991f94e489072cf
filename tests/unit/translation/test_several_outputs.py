"""Functions that fill several assets, as tasks: ids, edges, layouts, grains, and real runs of the DAG."""

import json
from pathlib import Path
from typing import Any

import pytest
from airflow.sdk import DAG

import airflow_provider as ap
from tests.unit.translation.test_loader import parsed

DAYS = ap.TimePartitionConfig(column="day", start="2026-01-01", allow_window=True)
HOURS = ap.TimePartitionConfig(column="at", granularity="hour", allow_window=True)


class Shop(ap.Source):
    @ap.asset(partitioning=DAYS)
    def users(self): ...

    @ap.multi_asset(outputs=["orders", ap.AssetDef("shops", partitioning=None), "lines"], partitioning=DAYS)
    def feed(self, users: ap.Upstream):
        """The feed."""

    @ap.asset(partitioning=DAYS)
    def totals(self, lines: ap.Upstream, orders: ap.Upstream): ...

    @ap.asset
    def names(self, shops: ap.Upstream): ...


@ap.multi_asset(outputs=[ap.AssetDef("orders", tags=["core"]), "lines"], partitioning=DAYS, tags=["feed"])
def feed():
    """The feed."""


def test_a_function_is_one_task_between_what_it_reads_and_what_reads_its_outputs() -> None:
    dag = ap.build_dag(Shop)
    task = dag.get_task("feed")

    assert sorted(dag.task_ids) == ["feed", "names", "totals", "users"]
    assert (task.upstream_task_ids, task.downstream_task_ids) == ({"users"}, {"totals", "names"})
    assert [asset.name for asset in task.inlets] == ["shop.users"]
    assert [asset.name for asset in task.outlets] == ["shop.orders", "shop.shops", "shop.lines"]
    assert [asset.name for asset in dag.get_task("totals").inlets] == ["shop.lines", "shop.orders"]
    assert task.doc_md == "The feed."
    assert dag.params.get_param("select").schema["examples"] == [
        "lines", "names", "orders", "shops", "totals", "users",
    ]  # fmt: skip


def test_a_multi_asset_is_a_dag_of_one_task() -> None:
    dag = ap.build_dag(feed)

    assert (dag.dag_id, dag.task_ids, dag.doc_md, sorted(dag.tags)) == ("feed", ["feed"], "The feed.", ["core", "feed"])
    assert "0 0 * * *" in repr(dag.timetable)
    assert dag.params["window"] is None
    assert ap.build_dag(Shop().feed, dag_id=None).dag_id == "shop.feed"


def test_a_dag_of_one_output_fills_that_one() -> None:
    dag = ap.build_dag(Shop(assets=["orders", "users"]))

    assert [asset.name for asset in dag.get_task("feed").outlets] == ["shop.orders"]
    alone = ap.build_dag(Shop().lines)
    assert (alone.dag_id, alone.task_ids) == ("shop.lines", ["feed"])
    assert [asset.name for asset in alone.get_task("feed").outlets] == ["shop.lines"]


def test_a_task_group_has_the_same_tasks() -> None:
    with DAG("mine") as dag:
        group = ap.build_task_group(Shop)
        ap.build_task_group(feed)

    assert group.group_id == "shop"
    assert dag.get_task("shop.totals").upstream_task_ids == {"shop.feed"}
    assert "feed.feed" in dag.task_ids


def test_tasks_of_several_sources_have_their_sources_in_the_name() -> None:
    dag = ap.build_dag([Shop, feed], dag_id="both")

    assert {"shop.feed", "feed"} <= set(dag.task_ids)


def test_deps_are_edges() -> None:
    class Web(ap.Source):
        @ap.multi_asset(outputs=[ap.AssetDef("visits", deps=["users"]), "clicks"])
        def log(self): ...

        @ap.asset
        def users(self): ...

    assert ap.build_dag(Web).get_task("log").upstream_task_ids == {"users"}


@pytest.mark.parametrize(
    ("layout", "ids"),
    [
        ("source", {"shop__daily", "shop__unpartitioned", "feed"}),
        ("asset", {"shop.feed", "shop.users", "shop.totals", "shop.names", "feed"}),
    ],
)
def test_layouts(layout: Any, ids: set[str]) -> None:
    dags = ap.build_dags(Shop, feed, layout=layout, strict=True)

    assert set(dags) == ids
    task = dags["shop__daily" if layout == "source" else "shop.feed"].get_task("feed")
    assert [asset.name for asset in task.outlets] == ["shop.orders", "shop.shops", "shop.lines"]


def test_a_function_goes_with_its_grain_as_a_whole() -> None:
    class Mixed(ap.Source):
        @ap.asset(partitioning=HOURS)
        def ticks(self): ...

        @ap.multi_asset(outputs=["orders", ap.AssetDef("shops", partitioning=None)], partitioning=DAYS)
        def feed(self): ...

    dags = ap.build_dags(Mixed, strict=True)

    assert {dag_id: sorted(dag.task_ids) for dag_id, dag in dags.items()} == {
        "mixed__daily": ["feed"],
        "mixed__hourly": ["ticks"],
    }


DEFINED = """
# airflow dag
import airflow_provider as ap

@ap.source(tags={tags})
class Shop(ap.Source):
    @ap.asset
    def users(self): ...

    @ap.multi_asset(outputs=["orders", ap.AssetDef("lines", tags={tags})])
    def feed(self, users: ap.Upstream): ...

    @ap.asset
    def totals(self, lines: ap.Upstream, orders: ap.Upstream): ...

@ap.multi_asset(outputs=["a", "b"])
def alone(): ...

ap.build_dags({order})
"""


def test_the_serialised_dag_is_the_same_in_any_process_seed_and_order(tmp_path: Path) -> None:
    first = parsed(tmp_path, DEFINED.format(order="Shop, alone", tags='{"x", "y"}'), seed="1")
    second = parsed(tmp_path, DEFINED.format(order="alone, Shop", tags='{"y", "x"}'), seed="2")

    assert first["errors"] == {}
    assert sorted(first["dags"]) == ["alone", "shop"]
    assert json.dumps(first["dags"], sort_keys=True) == json.dumps(second["dags"], sort_keys=True)
    assert first["heavy"] == []
