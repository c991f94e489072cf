"""Sources as DAGs: ids, edges, schedule, form, and what a worker builds."""

import datetime as dt
from typing import ClassVar
from zoneinfo import ZoneInfo

import pytest
from airflow.sdk import DAG
from airflow.timetables.simple import NullTimetable, OnceTimetable

import airflow_provider as ap
from airflow_provider.errors import ConfigError, GraphError
from airflow_provider.translation import dag as module

new_york = ap.TimePartitionConfig(column="day", start="2013-01-01", timezone="America/New_York", allow_window=True)


class Shop(ap.Source):
    """A shop."""

    tags: ClassVar = ["b", "a"]

    @ap.asset(partitioning=new_york)
    def orders(self):
        """Orders."""

    @ap.asset(partitioning=new_york)
    def daily_totals(self, orders: ap.Upstream, products: ap.Upstream): ...

    @ap.asset
    def products(self): ...


class Mixed(ap.Source):
    @ap.asset(partitioning=ap.TimePartitionConfig(column="day"))
    def days(self): ...

    @ap.asset(partitioning=ap.TimePartitionConfig(column="hour", granularity="hour"))
    def hours(self): ...


def test_a_source_is_a_dag_with_one_task_per_asset_and_an_edge_per_upstream() -> None:
    dag = ap.build_dag(Shop)

    assert (dag.dag_id, dag.doc_md, sorted(dag.tags)) == ("shop", "A shop.", ["a", "b"])
    assert sorted(dag.task_ids) == ["daily_totals", "orders", "products"]
    assert dag.get_task("daily_totals").upstream_task_ids == {"orders", "products"}
    assert [asset.name for asset in dag.get_task("daily_totals").inlets] == ["shop.orders", "shop.products"]
    assert dag.get_task("orders").doc_md == "Orders."


def test_the_schedule_is_an_explicit_timetable_in_the_zone_of_the_partitions_from_their_start() -> None:
    dag = ap.build_dag(Shop, schedule="@daily")

    assert type(dag.timetable).__name__ == "CronDataIntervalTimetable"
    assert "America/New_York" in repr(dag.timetable)
    assert dag.start_date == dt.datetime(2013, 1, 1, tzinfo=ZoneInfo("America/New_York"))


def test_by_default_there_is_one_run_per_partition() -> None:
    assert "0 0 * * *" in repr(ap.build_dag(Shop).timetable)
    assert isinstance(ap.build_dag(Shop(assets=["products"]), dag_id="p").timetable, NullTimetable)


@pytest.mark.parametrize(("schedule", "kind"), [(None, NullTimetable), ("@once", OnceTimetable)])
def test_schedules_without_intervals(schedule: str | None, kind: type) -> None:
    assert isinstance(ap.build_dag(Shop, schedule=schedule).timetable, kind)


@pytest.mark.parametrize("schedule", ["@fortnightly", "every day", "61 * * * *", "* *"])
def test_a_schedule_that_is_none_is_refused(schedule: str) -> None:
    with pytest.raises(ConfigError, match="schedule"):
        ap.build_dag(Shop, schedule=schedule)


def test_catching_up_needs_a_start_to_begin_at() -> None:
    @ap.asset(partitioning=ap.TimePartitionConfig(column="day"))
    def orders(): ...

    @ap.asset
    def products(): ...

    with pytest.raises(ConfigError, match="catchup=True has no start") as caught:
        ap.build_dag(orders, catchup=True)

    assert "start=" in caught.value.fix
    assert ap.build_dag(orders, catchup=True, start_date=dt.datetime(2026, 1, 1)).catchup
    assert ap.build_dag(products, catchup=True).start_date is None


def test_a_naive_date_is_read_in_the_zone_of_the_partitions() -> None:
    dag = ap.build_dag(Shop, end_date=dt.datetime(2013, 1, 14))

    assert dag.end_date == dt.datetime(2013, 1, 14, tzinfo=ZoneInfo("America/New_York"))


def test_the_form_has_window_and_select_with_fixed_examples() -> None:
    params = ap.build_dag(Shop).params

    assert params["window"] is None
    assert params["select"] is None
    assert params.get_param("select").schema["examples"] == ["daily_totals", "orders", "products"]
    assert "null" in params.get_param("window").schema["type"]


def test_an_unpartitioned_dag_has_no_window_to_type() -> None:
    assert "window" not in ap.build_dag(Shop(assets=["products"])).params


def test_several_grains_in_one_dag_are_refused_with_the_way_out() -> None:
    with pytest.raises(GraphError, match="several grains") as caught:
        ap.build_dag(Mixed)

    assert "build_dags" in caught.value.fix


def test_a_worker_for_another_dag_gets_no_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Parsing:
        dag_id = "other"

    monkeypatch.setattr(module, "get_parsing_context", lambda: Parsing)

    assert ap.build_dag(Shop).task_ids == []


def test_a_worker_for_this_dag_gets_its_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Parsing:
        dag_id = "shop"

    monkeypatch.setattr(module, "get_parsing_context", lambda: Parsing)

    assert len(ap.build_dag(Shop).task_ids) == 3


def test_a_task_group_goes_into_somebodys_own_dag() -> None:
    with DAG("mine", schedule=None) as dag:
        group = ap.build_task_group(Shop)

    assert group.group_id == "shop"
    assert "shop.daily_totals" in dag.task_ids
    assert dag.get_task("shop.daily_totals").upstream_task_ids == {"shop.orders", "shop.products"}


def test_task_options_of_asset_win_over_those_of_source() -> None:
    class Options(ap.Source):
        airflow = ap.TaskOptions(retries=1, pool="slow")

        @ap.asset(airflow=ap.TaskOptions(retries=5))
        def a(self): ...

    task = ap.build_dag(Options).get_task("a")

    assert (task.retries, task.pool) == (5, "slow")


def test_our_assets_can_be_a_schedule() -> None:
    shop = Shop()

    dag = ap.build_dag(Shop(assets=["products"]), dag_id="after", schedule=[shop.orders])

    assert "shop.orders" in str(dag.timetable.asset_condition)
    (waited_for,) = dag.timetable.asset_condition.objects
    # Airflow keeps one extra per asset, the last one parsed: without ours the pages would not know what to expect.
    assert waited_for.extra == ap.airflow_asset(shop.orders).extra != {}
