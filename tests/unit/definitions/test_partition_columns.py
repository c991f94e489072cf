"""What a schema must have so that rows can be placed."""

import datetime as dt
import enum
from typing import Any, Literal

import pytest

import airflow_provider as ap
from airflow_provider.definitions.partition_columns import with_partition_columns
from airflow_provider.errors import DefinitionError

LIST = ap.ListPartitionConfig(["eu", "us"], column="c")
BOTH = ap.MultiPartitionConfig(ap.TimePartitionConfig(column="day"), LIST)


class Region(enum.Enum):
    EU = "eu"


def schema(**fields: Any) -> Any:
    return ap.Schema.from_fields("S", fields)


@pytest.mark.parametrize("kind", [str, int, dt.date, Region, Literal["eu"], str | None])
def test_a_list_is_named_by_text_and_what_has_one_text(kind: Any) -> None:
    made = schema(c=kind)

    assert with_partition_columns(made, LIST, where="asset 'a'") is made


@pytest.mark.parametrize("kind", [float, bool, bytes, dict, dt.datetime, list[str]])
def test_a_list_is_not_named_by_other_types(kind: Any) -> None:
    with pytest.raises(DefinitionError, match="the partition column 'c' is a") as caught:
        with_partition_columns(schema(c=kind), LIST, where="asset 'a'")

    assert caught.value.fix == "declare it as str"


def test_every_dimension_has_its_column() -> None:
    both = schema(day=dt.date, c=str)

    assert with_partition_columns(both, BOTH, where="asset 'a'") is both
    with pytest.raises(DefinitionError, match="has no partition column 'c'"):
        with_partition_columns(schema(day=dt.date), BOTH, where="asset 'a'")
    with pytest.raises(DefinitionError, match="the partition column 'day' is a float"):
        with_partition_columns(schema(day=float, c=str), BOTH, where="asset 'a'")


def test_the_column_that_we_keep_is_added_where_it_is_not_declared() -> None:
    class Counts(ap.Schema):
        n: int

    static = ap.Partitions.static(["x"])
    keyed = with_partition_columns(Counts, static, where="asset 'a'")

    assert [spec.name for spec in keyed.field_specs()] == ["n", "_partition"]
    assert issubclass(keyed, Counts)
    assert keyed.__name__ == "Counts"
    assert with_partition_columns(keyed, static, where="asset 'a'") is keyed
    with pytest.raises(DefinitionError, match="the partition column '_partition' is a float"):
        with_partition_columns(schema(_partition=float), static, where="asset 'a'")


def test_partitions_is_another_name_of_partitioning() -> None:
    class Orders(ap.Asset):
        partitions = LIST

        def data(self) -> Any:
            return []

    class Lines(ap.Asset):
        partitioning = LIST

        def data(self) -> Any:
            return []

    assert Orders.partitioning is Orders.partitions is Lines.partitions is LIST
    with pytest.raises(DefinitionError, match="partitioning and partitions say the same"):

        class Both(ap.Asset):
            partitioning = LIST
            partitions = LIST

            def data(self) -> Any:
                return []
