"""Dictionaries where values repeat, one piece instead of many short ones."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_provider.destinations.parquet_layout import dictionary_columns, joined

UNIQUE = list(range(5_000))


@pytest.mark.parametrize(
    ("name", "values", "wanted"),
    [
        ("numbers that never repeat", UNIQUE, False),
        ("floats that never repeat", [value / 3 for value in UNIQUE], False),
        ("texts that never repeat", [f"order {value}" for value in UNIQUE], False),
        ("few texts", [f"shop {value % 20}" for value in UNIQUE], True),
        ("few floats", [float(value % 300) for value in UNIQUE], True),
        ("one day", [dt.date(2026, 3, 1)] * 5_000, True),
        ("texts in stretches, many in all", [f"order {value // 5}" for value in UNIQUE], True),
        ("nulls alone", pa.nulls(5_000, pa.int64()), True),
        ("a dictionary of Arrow", pa.array([f"order {value}" for value in UNIQUE]).dictionary_encode(), True),
        ("three values", [1, 2, 3], False),
        ("no values", pa.array([], pa.int64()), True),
    ],
)
def test_a_column_has_a_dictionary_where_its_values_repeat(name: str, values: object, wanted: bool) -> None:
    assert (dictionary_columns(pa.table({"column": values})) == ["column"]) is wanted, name


def test_the_choice_depends_on_the_rows_not_on_their_pieces() -> None:
    table = pa.table({"n": [value % 1_500 for value in UNIQUE]})
    pieces = pa.concat_tables([table.slice(start, 700) for start in range(0, 5_000, 700)])

    assert dictionary_columns(pieces) == dictionary_columns(table)


def test_leaves_of_nested_columns_keep_the_dictionary_that_parquet_gives_them(tmp_path: Path) -> None:
    table = pa.table(
        {
            "list": [[1, 1]] * 100,
            "struct": [{"a": "x", "b.c": [{"d": 1}]}] * 100,
            "map": pa.array([[("k", 1)]] * 100, pa.map_(pa.string(), pa.int64())),
            "dotted.name": ["x"] * 100,
        }
    )
    path = tmp_path / "nested.parquet"

    pq.write_table(table, path, use_dictionary=dictionary_columns(table))

    group = pq.read_metadata(path).row_group(0)
    assert all("RLE_DICTIONARY" in group.column(index).encodings for index in range(group.num_columns))
    assert pq.read_table(path).equals(table)


def test_many_short_chunks_become_one() -> None:
    table = pa.table({"n": range(100), "s": [str(number) for number in range(100)]})
    chunks = pa.concat_tables([table.slice(start, 10) for start in range(0, 100, 10)])

    found = joined(chunks)

    assert found.equals(table)
    assert found.column("n").num_chunks == 1


def test_long_chunks_stay_as_they_are() -> None:
    table = pa.table({"n": range(40_000)})
    chunks = pa.concat_tables([table, table])

    assert joined(chunks) is chunks
    assert joined(table) is table


def test_chunks_of_different_dictionaries_are_joined() -> None:
    chunks = [pa.array(values).dictionary_encode() for values in (["a", "b"], ["b", "c"])]

    found = joined(pa.table({"x": pa.chunked_array(chunks)}))

    assert found.column("x").to_pylist() == ["a", "b", "b", "c"]
    assert found.schema.field("x").type == chunks[0].type


def test_a_table_without_columns_is_written_as_it_is() -> None:
    table = pa.table({"n": [1]}).select([])

    assert joined(table) is table
    assert dictionary_columns(table) == []
