"""Parquet: what is written is plain Parquet for everybody, and files of differing types read as one table."""

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import airflow_provider as ap
from airflow_provider import errors
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.parquet import ParquetDestination

DAY = dt.date(2026, 3, 1)


@ap.asset(dataset="shop", partitioning=ap.TimePartitionConfig(column="day"))
def orders(context: ap.ExecutionContext) -> None:
    """An asset to have a place."""


def context_of(days: int = 2) -> IOContext:
    return IOContext(orders(), ap.TimePartitionWindow(DAY, DAY + dt.timedelta(days=days - 1)))


def write(destination: ParquetDestination, *tables: Any) -> None:
    context = context_of(len(tables))
    for partition, table in zip(context.partitions, tables, strict=True):
        destination.write_partition(context, partition, table)


@pytest.mark.parametrize(
    ("first", "second", "kind", "values"),
    [
        (pa.nulls(1), pa.array([7]), pa.int64(), [None, 7]),
        (pa.array([7]), pa.nulls(1), pa.int64(), [7, None]),
        (pa.array([1]), pa.array([2.5]), pa.float64(), [1.0, 2.5]),
        (pa.array([1], pa.int32()), pa.array([2]), pa.int64(), [1, 2]),
        (pa.nulls(1), pa.array(["x"]), pa.string(), [None, "x"]),
        (pa.nulls(1), pa.array([[1]]), pa.list_(pa.int64()), [None, [1]]),
    ],
)
def test_files_whose_types_differ_read_as_one_table(
    tmp_path: Path, first: pa.Array, second: pa.Array, kind: pa.DataType, values: list[Any]
) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    write(destination, pa.table({"n": first}), pa.table({"n": second}))

    found = destination.read(context_of())

    assert found.schema.field("n").type == kind
    assert found.column("n").to_pylist() == values


def test_a_column_that_one_file_lacks_is_null_there(tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    write(destination, pa.table({"a": [1]}), pa.table({"a": [2], "b": ["x"]}))

    assert destination.read(context_of()).to_pylist() == [{"a": 1, "b": None}, {"a": 2, "b": "x"}]


def test_any_parquet_reader_sees_the_table_that_was_written(tmp_path: Path) -> None:
    table = pa.table(
        {"id": range(3_000), "shop": ["a", "b", "c"] * 1_000, "cat": pa.array(["x"] * 3_000).dictionary_encode()},
        schema=pa.schema(
            [("id", pa.int64()), ("shop", pa.string()), ("cat", pa.dictionary(pa.int32(), pa.string()))],
            metadata={"made": "here"},
        ),
    )
    write(ParquetDestination(base_path=tmp_path), table)
    (path,) = tmp_path.rglob("data.parquet")

    assert pq.ParquetFile(path).read().equals(table, check_metadata=True)
    assert ds.dataset(path).to_table().equals(table)


def test_polars_reads_what_was_written(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    table = pa.table({"id": range(3_000), "value": [n / 3 for n in range(3_000)], "shop": ["a", "b", "c"] * 1_000})
    write(ParquetDestination(base_path=tmp_path), table)
    (path,) = tmp_path.rglob("data.parquet")

    assert pl.read_parquet(path).to_dicts() == table.to_pylist()


def test_values_that_never_repeat_are_stored_without_a_dictionary(tmp_path: Path) -> None:
    write(ParquetDestination(base_path=tmp_path), pa.table({"id": range(3_000), "shop": ["a", "b", "c"] * 1_000}))
    (path,) = tmp_path.rglob("data.parquet")

    group = pq.read_metadata(path).row_group(0)
    assert "RLE_DICTIONARY" not in group.column(0).encodings
    assert "RLE_DICTIONARY" in group.column(1).encodings


def test_the_same_rows_are_the_same_bytes_whatever_pieces_they_came_in(tmp_path: Path) -> None:
    table = pa.table({"id": range(300), "shop": ["a", "b", "c"] * 100})
    pieces = pa.concat_tables([table.slice(start, 7) for start in range(0, 300, 7)])
    write(ParquetDestination(base_path=tmp_path), table, pieces)

    one, two = tmp_path.rglob("data.parquet")
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("compression", ["snappy", "zstd", "gzip", "lz4", "none"])
def test_every_compression_reads_back(tmp_path: Path, compression: Any) -> None:
    table = pa.table({"id": range(3_000), "shop": ["a", "b", "c"] * 1_000})
    destination = ParquetDestination(base_path=tmp_path, compression=compression)
    write(destination, table)

    assert destination.read(context_of(1)).equals(table)


def test_a_file_above_the_size_for_threads_reads_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airflow_provider.destinations.parquet._SMALL_BYTES", 10)
    table = pa.table({"id": range(3_000), "s": pa.array([1] * 3_000, pa.timestamp("s"))})
    destination = ParquetDestination(base_path=tmp_path)
    write(destination, table)

    assert destination.read(context_of(1)).equals(table)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    write(destination, pa.table({"n": [1]}))
    (path,) = tmp_path.rglob("data.parquet")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)

    with pytest.raises(errors.DataCorruptError, match=r"data\.parquet"):
        destination.read(context_of(1))
