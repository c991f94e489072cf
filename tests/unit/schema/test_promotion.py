"""One schema for tables that come one after another."""

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

from airflow_provider.errors import SchemaError
from airflow_provider.schema.promotion import GrowingSchema, fitted, promoted
from airflow_provider.schema.representations import TableData


def arrow(rows: list[dict[str, Any]]) -> pa.Table:
    data = TableData.of(rows)
    assert data is not None
    return data.arrow()


def grown(*batches: list[dict[str, Any]]) -> tuple[pa.Schema, list[dict[str, Any]]]:
    """The schema of all batches, and their rows after fitting each to it."""
    growing, first, tables = GrowingSchema("asset 'a'"), 0, []
    for batch in batches:
        tables.append(arrow(batch))
        growing.add(tables[-1], first, from_rows=True)
        first += len(batch)
    assert growing.schema is not None
    whole = TableData.of(pa.concat_tables([fitted(table, growing.schema) for table in tables]))
    assert whole is not None
    return growing.schema, whole.to("rows")


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (pa.null(), pa.int64(), pa.int64()),
        (pa.string(), pa.null(), pa.string()),
        (pa.int32(), pa.int64(), pa.int64()),
        (pa.uint8(), pa.int8(), pa.int16()),
        (pa.uint32(), pa.int32(), pa.int64()),
        (pa.int64(), pa.float64(), pa.float64()),
        (pa.float32(), pa.float64(), pa.float64()),
        (pa.string(), pa.large_string(), pa.large_string()),
        (pa.binary(), pa.large_binary(), pa.large_binary()),
        (pa.date32(), pa.date64(), pa.date64()),
        (pa.timestamp("us", "UTC"), pa.timestamp("ns", "UTC"), pa.timestamp("ns", "UTC")),
        (pa.timestamp("us", "Europe/Berlin"), pa.timestamp("us", "UTC"), pa.timestamp("us", "UTC")),
        (pa.time32("s"), pa.time64("ns"), pa.time64("ns")),
        (pa.duration("s"), pa.duration("us"), pa.duration("us")),
        (pa.decimal128(5, 2), pa.decimal128(4, 3), pa.decimal128(6, 3)),
        (pa.decimal128(38, 0), pa.decimal128(10, 9), pa.decimal256(47, 9)),
        (pa.list_(pa.null()), pa.list_(pa.int64()), pa.list_(pa.int64())),
        (
            pa.struct([("a", pa.int64())]),
            pa.struct([("a", pa.float64()), ("b", pa.string())]),
            pa.struct([("a", pa.float64()), ("b", pa.string())]),
        ),
    ],
    ids=str,
)
def test_types_are_widened_either_way(one: pa.DataType, other: pa.DataType, both: pa.DataType) -> None:
    for first, second in ((one, other), (other, one)):
        merged = promoted(pa.field("c", first), pa.field("c", second))
        assert merged is not None
        assert merged.type == both


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.int64(), pa.string()),
        (pa.bool_(), pa.int64()),
        (pa.date32(), pa.timestamp("us")),
        (pa.timestamp("us"), pa.timestamp("us", "UTC")),
        (pa.uint64(), pa.int64()),
        (pa.float64(), pa.decimal128(5, 2)),
        (pa.decimal128(38, 0), pa.decimal256(76, 60)),
        (pa.list_(pa.int64()), pa.list_(pa.string())),
        (pa.struct([("a", pa.int64())]), pa.struct([("a", pa.string())])),
    ],
    ids=str,
)
def test_types_that_have_nothing_in_common_are_told(one: pa.DataType, other: pa.DataType) -> None:
    assert promoted(pa.field("c", one), pa.field("c", other)) is None
    assert promoted(pa.field("c", other), pa.field("c", one)) is None


def test_a_column_of_nulls_takes_the_type_that_comes_later() -> None:
    schema, rows = grown([{"a": None}], [{"a": 1}])

    assert schema.field("a").type == pa.int64()
    assert rows == [{"a": None}, {"a": 1}]


def test_ints_become_floats_where_floats_come_later() -> None:
    schema, rows = grown([{"a": 1}], [{"a": 2.5}], [{"a": 3}])

    assert schema.field("a").type == pa.float64()
    assert rows == [{"a": 1.0}, {"a": 2.5}, {"a": 3.0}]


@pytest.mark.parametrize("large_first", [True, False])
def test_an_int_that_no_float_equals_is_named_by_its_row(large_first: bool) -> None:
    ints, floats = [{"a": 1}, {"a": 2**53 + 1}], [{"a": 0.5}, {"a": None}]
    with pytest.raises(SchemaError, match=rf"row {1 if large_first else 3}, column 'a': a value of type int .* float"):
        grown(*((ints, floats) if large_first else (floats, ints)))


def test_an_int_inside_a_list_is_looked_at_too() -> None:
    with pytest.raises(SchemaError, match="row 1, column 'a'"):
        grown([{"a": [1]}, {"a": [2, 2**60]}], [{"a": [0.5]}])


def test_large_ints_alone_are_no_matter() -> None:
    assert grown([{"a": 2**60}], [{"a": 2**62}])[1] == [{"a": 2**60}, {"a": 2**62}]


def test_columns_come_and_go() -> None:
    schema, rows = grown([{"a": 1}], [{"b": "x"}])

    assert schema.names == ["a", "b"]
    assert rows == [{"a": 1, "b": None}, {"a": None, "b": "x"}]


def test_rows_of_no_common_type_become_json_as_they_do_at_once() -> None:
    batches: list[list[dict[str, Any]]] = [[{"a": 1}], [{"a": "x"}], [{"a": {"b": [1.5]}}], [{"a": True}]]
    schema, rows = grown(*batches)

    assert schema.field("a") == arrow([row for batch in batches for row in batch]).schema.field("a")
    assert rows == [row for batch in batches for row in batch]


@pytest.mark.parametrize("value", [dt.date(2026, 1, 1), dt.time(1), b"x"])
def test_what_has_no_json_form_is_named_by_row_and_column(value: Any) -> None:
    with pytest.raises(SchemaError, match=rf"row 2, column 'a': a value of type {type(value).__name__} has no place"):
        grown([{"a": 1}, {"a": 2}], [{"a": value}])
    with pytest.raises(SchemaError, match="row 1, column 'a'"):
        grown([{"a": None}, {"a": value}], [{"a": 3}])


def test_tables_of_no_common_type_are_an_error() -> None:
    growing = GrowingSchema("asset 'a'")
    growing.add(pa.table({"a": [1]}), 0, from_rows=False)
    with pytest.raises(SchemaError, match="row 1, column 'a': string follows int64") as told:
        growing.add(pa.table({"a": ["x"]}), 1, from_rows=False)
    assert "asset 'a'" in str(told.value)


def test_metadata_of_the_first_table_stays() -> None:
    growing = GrowingSchema("a")
    growing.add(pa.table({"a": [1]}).replace_schema_metadata({"k": "v"}), 0, from_rows=False)
    growing.add(pa.table({"a": [1.5]}), 1, from_rows=False)

    assert growing.schema is not None
    assert growing.schema.metadata == {b"k": b"v"}
