"""Grouping by code: stable, complete, of the same types, however the rows are batched."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from airflow_provider.schema.representations import grouping
from airflow_provider.schema.representations.grouping import group_bounds, group_table, in_order, stable_order


def int16(*codes: int) -> np.ndarray:
    return np.array(codes, dtype=np.int16)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "_BATCH_ROWS", 3)
    monkeypatch.setattr(grouping, "_ROWS_PER_GROUP", 1)


@pytest.mark.parametrize("batch_rows", [3, 1 << 19])
def test_grouping_in_batches_is_grouping(batch_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "_BATCH_ROWS", batch_rows)
    monkeypatch.setattr(grouping, "_ROWS_PER_GROUP", 1)
    table = pa.table({"n": range(10), "s": [str(n) for n in range(10)]})

    groups = group_table(table, int16(2, 0, 1, 2, 0, 0, 1, 2, 2, 0), 4)

    assert [group.column("n").to_pylist() for group in groups] == [[1, 4, 5, 9], [2, 6], [0, 3, 7, 8], []]
    assert {group.schema for group in groups} == {table.schema}


@pytest.mark.parametrize("kind", [np.int16, np.int32])
@pytest.mark.parametrize("count", [0, 1, 2, 40, 5_000])
def test_the_order_is_stable_and_its_bounds_enclose_each_group(count: int, kind: type) -> None:
    codes = [number * 7919 % 13 % 5 for number in range(count)]
    held = np.array(codes, dtype=kind)

    order = stable_order(held).to_pylist()
    bounds = group_bounds(held, 5)

    assert order == sorted(range(len(codes)), key=codes.__getitem__)
    assert [codes[position] for position in order] == [n for n in range(5) for _ in range(bounds[n], bounds[n + 1])]


def test_rows_in_order_are_cut_without_a_copy() -> None:
    table = pa.table({"n": [1, 2, 3, 4]})

    groups = group_table(table, int16(0, 0, 2, 2), 3)

    assert in_order(int16(0, 0, 2, 2))
    assert [group.column("n").to_pylist() for group in groups] == [[1, 2], [], [3, 4]]
    memory = table.column("n").chunk(0).buffers()[1].address
    assert all(group.column("n").chunk(0).buffers()[1].address == memory for group in groups if group.num_rows)


EVERY_TYPE = {
    "bool": [True, None, False, True],
    "int8": pa.array([1, None, -1, 5], pa.int8()),
    "decimal": [Decimal("1.50"), Decimal("2.25"), None, Decimal("-3.00")],
    "zoned": pa.array([1, 2, None, 4], pa.timestamp("ns", "Europe/Berlin")),
    "date": [dt.date(2025, 1, day) for day in (1, 2, 3, 4)],
    "time": pa.array([1, 2, 3, None], pa.time64("us")),
    "duration": pa.array([1, 2, 3, 4], pa.duration("ms")),
    "ragged": ["a", "", None, "longer"],
    "fixed": ["aa", "bb", "cc", "dd"],
    "fixed large": pa.array(["ä", "ö", "ü", "ß"], pa.large_string()),
    "bytes": [b"\x00\x01", b"\x02\x03", b"\x04\x05", b"\x06\x07"],
    "large bytes": pa.array([b"xyz", b"abc", b"123", b"789"], pa.large_binary()),
    "fixed bytes": pa.array([b"ab", b"cd", None, b"gh"], pa.binary(2)),
    "empty text": ["", "", "", ""],
    "dictionary": pa.array(["x", "y", None, "x"]).dictionary_encode(),
    "list": [[1, 2], None, [], [3]],
    "struct": [{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}, {"a": 4, "b": None}],
    "map": pa.array([[("k", 1)], None, [], [("l", 2)]], pa.map_(pa.string(), pa.int64())),
    "null": pa.nulls(4),
}


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("name", EVERY_TYPE)
@pytest.mark.parametrize("offset", [0, 1])
def test_every_type_is_grouped_as_taking_its_rows_would(name: str, offset: int) -> None:
    column = pa.chunked_array([EVERY_TYPE[name]])
    table = pa.table({"x": pa.chunked_array([*column.chunks, *column.chunks[:1], column.chunk(0)])}).slice(offset)
    codes = np.arange(table.num_rows, dtype=np.int16) * 7 % 3

    groups = group_table(table, codes, 3)

    for code, group in enumerate(groups):
        expected = table.take(pa.array(np.flatnonzero(codes == code)))
        assert group.schema.equals(table.schema, check_metadata=True)
        assert group.to_pylist() == expected.to_pylist()
        group.validate(full=True)


def test_metadata_and_a_dictionary_that_differs_between_chunks_are_kept() -> None:
    chunks = [pa.array(values).dictionary_encode() for values in (["a", "b"], ["b", "c"])]
    field = pa.field("x", chunks[0].type, metadata={"k": "v"})
    table = pa.table([pa.chunked_array(chunks)], schema=pa.schema([field], metadata={"m": "n"}))

    groups = group_table(table, int16(1, 0, 1, 0), 2)

    assert [group.column("x").to_pylist() for group in groups] == [["b", "c"], ["a", "b"]]
    assert all(group.schema.equals(table.schema, check_metadata=True) for group in groups)


def test_a_batch_of_long_texts_holds_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "_BATCH_BYTES", 100)
    table = pa.table({"text": ["x" * size for size in (90, 1, 200, 3, 90)], "n": range(5)})

    groups = group_table(table, int16(1, 0, 1, 0, 1), 2)

    assert [group.column("n").to_pylist() for group in groups] == [[1, 3], [0, 2, 4]]
    assert groups[1].column("text").num_chunks > 1


def test_rows_without_columns_are_counted() -> None:
    table = pa.table({"n": [1, 2, 3]}).select([])

    assert [group.num_rows for group in group_table(table, int16(1, 0, 1), 2)] == [1, 2]
