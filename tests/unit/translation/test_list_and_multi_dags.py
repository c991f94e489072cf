"""Lists and several dimensions as DAGs: which DAG, when it runs, what its form offers, and that it stays the same."""

import datetime as dt
import json
import os
import subprocess
import sys

import pytest

import airflow_provider as ap
from airflow_provider.errors import GraphError
from airflow_provider.partitioning import PartitionConfig
from airflow_provider.translation.naming import grain_name, group_name, zone_name
from airflow_provider.version_compat import NullTimetable

DAY = ap.TimePartitionConfig(column="day", start="2026-01-01", timezone="Europe/Brussels")
REGION = ap.ListPartitionConfig(["us", "eu", "a|b"], column="region")
BOTH = ap.MultiPartitionConfig(DAY, REGION)
LISTS = ap.MultiPartitionConfig(REGION, ap.ListPartitionConfig(["x"], column="Kind Of"))


def made(key: str, partitioning: PartitionConfig | None) -> type[ap.Asset]:
    @ap.asset(key=key, partitioning=partitioning)
    def one():
        return []

    return one


class Shop(ap.Source):
    sales = made("sales", BOTH)
    daily = made("daily", DAY)
    prices = made("prices", REGION)


def test_the_grain_of_several_dimensions_is_that_of_their_time() -> None:
    assert (grain_name(BOTH), zone_name(BOTH), group_name(BOTH)) == ("daily", "europe_brussels", "europe_brussels")
    assert (grain_name(REGION), zone_name(REGION), group_name(REGION)) == ("keyed", "", "region")
    assert (grain_name(LISTS), group_name(LISTS)) == ("keyed", "region_kind_of")
    assert (grain_name(None), group_name(None)) == ("unpartitioned", "")


def test_a_source_is_cut_into_its_grains_and_lists() -> None:
    dags = ap.build_dags(Shop())

    assert sorted(dags) == ["shop__daily", "shop__keyed"]
    assert sorted(dags["shop__daily"].task_ids) == ["daily", "sales"]
    assert sorted(dags["shop__keyed"].task_ids) == ["prices"]


def test_lists_of_other_columns_have_dags_of_their_own() -> None:
    class Several(ap.Source):
        by_region = made("by_region", REGION)
        by_kind = made("by_kind", LISTS)

    assert sorted(ap.build_dags(Several())) == ["several__keyed__region", "several__keyed__region_kind_of"]


def test_several_dimensions_run_once_for_each_time_and_lists_when_asked() -> None:
    daily, keyed = (ap.build_dags(Shop())[name] for name in ("shop__daily", "shop__keyed"))

    assert daily.timetable.expression == "0 0 * * *"
    assert daily.start_date == dt.datetime(2025, 12, 31, 23, tzinfo=dt.timezone.utc)
    assert isinstance(keyed.timetable, NullTimetable)
    assert ap.build_dag(Shop.prices, schedule="@daily").timetable.expression == "0 0 * * *"


@pytest.mark.parametrize(
    ("partitioning", "examples", "types"),
    [
        (REGION, ["us", "us..a|b"], ["null", "string", "array"]),
        (
            BOTH,
            ["2026-01-01|us", "2026-01-01..2026-01-07", r"2026-01-01..2026-01-07|us..a\|b"],
            ["null", "string", "array", "object"],
        ),
    ],
)
def test_the_form_shows_what_may_be_typed(partitioning: PartitionConfig, examples: list[str], types: list[str]) -> None:
    param = ap.build_dag(made("one", partitioning)).params.get_param("window")

    assert param.schema["examples"] == examples
    assert param.schema["type"] == types
    assert ("all of them" in param.description) is (partitioning is REGION)


def test_a_list_and_a_day_are_no_one_dag() -> None:
    with pytest.raises(GraphError, match="several grains: daily in Europe/Brussels, keyed in no zone"):
        ap.build_dag(Shop())


def test_the_airflow_asset_holds_the_partitioning() -> None:
    extra = ap.airflow_asset(Shop().sales).extra

    assert extra == {"partitioning": BOTH.to_definition()}
    assert json.loads(json.dumps(extra)) == extra


CODE = """
import json, sys
import airflow_provider as ap
from airflow.serialization.serialized_objects import DagSerialization
values = ["us", "eu", "a|b"]
both = ap.MultiPartitionConfig(
    ap.TimePartitionConfig(column="day", start="2026-01-01"), ap.ListPartitionConfig(values, column="region")
)
class Shop(ap.Source):
    @ap.asset(partitioning=both)
    def sales(self): ...
    @ap.asset(partitioning=ap.Partitions.static(values))
    def prices(self): ...
dags = ap.build_dags(Shop())
print(json.dumps({name: DagSerialization.to_dict(dag) for name, dag in dags.items()}, sort_keys=True))
"""


def test_the_serialised_dag_is_the_same_in_every_process() -> None:
    written = [
        subprocess.run(
            [sys.executable, "-c", CODE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]

    assert written[0] == written[1]
    assert "multi" in written[0]
