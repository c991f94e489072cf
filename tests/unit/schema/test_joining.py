"""Tables read together: types widened whatever their order, and conflicts told by column and place."""

import datetime as dt
import itertools
from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from airflow_provider.errors import SchemaError
from airflow_provider.schema import TableData
from airflow_provider.schema.joining import MismatchError, join_tables, joined_schema

WORDS = pa.array(["x", None]).dictionary_encode()


def tables_of(*rows: list[dict[str, Any]]) -> list[pa.Table]:
    return [TableData.of(part).arrow() for part in rows]


@pytest.mark.parametrize(
    ("arrays", "kind"),
    [
        ([pa.nulls(1), pa.array([1])], pa.int64()),
        ([pa.nulls(1), pa.array(["a"])], pa.string()),
        ([pa.nulls(1), pa.array([[1]])], pa.list_(pa.int64())),
        ([pa.array([1]), pa.array([1.5])], pa.float64()),
        ([pa.array([1], pa.int8()), pa.array([300], pa.uint16()), pa.nulls(1)], pa.int32()),
        ([pa.array([1]), pa.array([Decimal("1.5")])], pa.decimal128(20, 1)),
        ([pa.array([Decimal("1.25")]), pa.array([Decimal("100")])], pa.decimal128(5, 2)),
        ([WORDS, pa.array(["y"])], pa.string()),
        ([WORDS, WORDS.cast(pa.dictionary(pa.int8(), pa.string()))], pa.dictionary(pa.int32(), pa.string())),
        ([WORDS, pa.nulls(1), pa.array(["y"], pa.large_string())], pa.large_string()),
        ([pa.array([0], pa.timestamp("s")), pa.array([1], pa.timestamp("us"))], pa.timestamp("us")),
        (
            [pa.array([0], pa.timestamp("us", "Asia/Tokyo")), pa.array([1], pa.timestamp("us", "Europe/Paris"))],
            pa.timestamp("us", "UTC"),
        ),
        ([pa.array([[1]], pa.list_(pa.int64(), 1)), pa.array([[0.5]])], pa.list_(pa.float64())),
        (
            [pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int8())), pa.array([[]], pa.map_(pa.string(), pa.int64()))],
            pa.map_(pa.string(), pa.int64()),
        ),
    ],
    ids=lambda value: " ".join(str(array.type) for array in value) if isinstance(value, list) else "",
)
def test_types_are_widened_whatever_the_order_of_the_tables(arrays: list[pa.Array], kind: pa.DataType) -> None:
    tables = [pa.table({"a": array, "n": [number] * len(array)}) for number, array in enumerate(arrays)]

    for order in itertools.permutations(tables):
        joined = join_tables(order)
        found = sorted(joined.to_pylist(), key=lambda row: row["n"])

        assert joined.schema.field("a").type == kind
        assert [row["a"] for row in found] == [value for array in arrays for value in array.to_pylist()]


def test_records_gain_the_fields_of_all() -> None:
    joined = join_tables([pa.table({"a": [{"x": 1}]}), pa.table({"a": [{"y": "s"}]}), pa.table({"a": [{"x": 0.5}]})])

    assert joined.column("a").to_pylist() == [{"x": 1.0, "y": None}, {"x": None, "y": "s"}, {"x": 0.5, "y": None}]


def test_columns_come_and_go() -> None:
    joined = join_tables(tables_of([{"a": 1}], [{"b": "x"}]))

    assert joined.to_pylist() == [{"a": 1, "b": None}, {"a": None, "b": "x"}]


@pytest.mark.parametrize("nulls", [pa.array([None], pa.float64()), pa.array([None], pa.int8()), pa.nulls(1)], ids=str)
def test_a_column_of_nulls_alone_does_not_freeze_its_type(nulls: pa.Array) -> None:
    tables = [pa.table({"a": nulls}), pa.table({"a": ["x"]}), pa.table({"a": pa.array([], pa.int64())})]

    for order in itertools.permutations(tables):
        joined = join_tables(order)
        assert joined.schema.field("a").type == pa.string()
        assert sorted(joined.column("a").to_pylist(), key=str) == [None, "x"]


def test_columns_of_nulls_that_contradict_each_other_are_null() -> None:
    tables = [pa.table({"a": pa.array([None], kind)}) for kind in (pa.bool_(), pa.date32())]

    assert join_tables(tables).schema.field("a").type == pa.null()


def test_json_takes_in_what_json_can_hold() -> None:
    joined = join_tables(tables_of([{"a": 1}, {"a": "x"}], [{"a": 2}], [{"a": {"b": [1.5]}}]))

    assert [row["a"] for row in TableData.of(joined).to("rows")] == [1, "x", 2, {"b": [1.5]}]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1], ["x"], [2]], "column 'a' is int64 in 2026-01-01, 2026-01-03 and string in 2026-01-02"),
        ([[1, "x"], [dt.date(2026, 1, 1)]], "column 'a' is JSON in 2026-01-01 and date32"),
        ([[True], [1]], "column 'a' is bool in 2026-01-01 and int64 in 2026-01-02"),
        ([[2**53 + 1], [0.5]], "column 'a' is int64 in 2026-01-01 and double in 2026-01-02"),
        ([[dt.datetime(2026, 1, 1)], [dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)]], "is timestamp"),
    ],
)
def test_types_without_anything_in_common_are_told_by_column_and_partition(values: list[Any], message: str) -> None:
    parts = [TableData.of(table) for table in tables_of(*([{"a": value} for value in part] for part in values))]
    names = [f"2026-01-0{number + 1}" for number in range(len(parts))]

    for order in itertools.permutations(range(len(parts))):
        with pytest.raises(SchemaError, match=r"asset 'x': column 'a' is"):
            TableData.concat([parts[n] for n in order], names=[names[n] for n in order], where="asset 'x'")
    with pytest.raises(SchemaError, match=message):
        TableData.concat(parts, names=names)


def test_many_places_are_counted() -> None:
    tables = [*tables_of(*([{"a": n}] for n in range(6))), pa.table({"a": ["x"]})]

    with pytest.raises(MismatchError) as told:
        joined_schema(tables)
    assert "int64 in part 0, part 1, part 2 and 3 more and string in part 6" in str(told.value.told((), where="x"))


def test_enums_of_other_categories_become_one_that_loses_no_value() -> None:
    frames = [pl.DataFrame({"e": pl.Series([c], dtype=pl.Enum([c]))}) for c in ("a", "b")]

    joined = TableData.concat([TableData.of(frame) for frame in frames]).value

    assert joined["e"].to_list() == ["a", "b"]


def test_equal_tables_are_joined_without_a_copy() -> None:
    table = pa.table({"a": [1, 2]})

    joined = join_tables([table, table])

    assert joined.column("a").chunk(0).buffers()[1].address == table.column("a").chunk(0).buffers()[1].address
