"""The column ``_partition``: who fills it, and that it survives."""

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import airflow_provider as ap
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import PartitionError
from airflow_provider.execution.managed_key import with_key
from airflow_provider.schema import TableData

STATIC = ap.Partitions.static(["x", "y"], allow_window=True)


class Counts(ap.Schema):
    n: int


def made(data: Any = None, **settings: Any) -> ap.Asset:
    @ap.asset(**{"partitions": STATIC, **settings})
    def counts(context: ap.ExecutionContext) -> Any:
        return data(context) if callable(data) else data

    result: ap.Asset = counts()
    return result


def keyed(value: Any, asset: ap.Asset, window: Any) -> list[dict[str, Any]]:
    table = TableData.of(value)
    assert table is not None
    return with_key(table, asset, window).to("rows")


@pytest.mark.parametrize(
    "value",
    [[{"n": 1}, {"n": 2}], pa.table({"n": [1, 2]}), pd.DataFrame({"n": [1, 2]})],
    ids=["rows", "arrow", "pandas"],
)
def test_rows_get_the_key_of_the_one_partition(value: Any) -> None:
    assert keyed(value, made(), STATIC.window("y")) == [{"n": 1, "_partition": "y"}, {"n": 2, "_partition": "y"}]


@pytest.mark.parametrize("form", ["rows", "arrow", "pandas"])
def test_rows_that_have_a_key_keep_it(form: str) -> None:
    table = TableData.of([{"n": 1, "_partition": "x"}, {"n": 2, "_partition": None}])
    assert table is not None

    assert [row["_partition"] for row in keyed(table.to(form), made(), STATIC.window("y"))] == ["x", "y"]


def test_rows_of_several_partitions_must_say_theirs() -> None:
    rows = [{"n": 1, "_partition": "y"}]

    assert keyed(rows, made(), STATIC.whole) == rows
    with pytest.raises(PartitionError, match=r"the rows have no '_partition', and the run covers 2 partitions: x\.\.y"):
        keyed([{"n": 1}], made(), STATIC.whole)


@pytest.mark.parametrize("key", [1, dt.date(2026, 1, 1)])
def test_a_key_is_text(key: Any) -> None:
    rows = [{"n": 1, "_partition": key}]

    with pytest.raises(PartitionError, match="the key of a partition is text"):
        keyed(rows, made(), STATIC.window("x"))
    with pytest.raises(PartitionError, match="the key of a partition is text"):
        keyed(pa.Table.from_pylist(rows), made(), STATIC.whole)


def test_other_assets_are_left_as_they_are() -> None:
    table = TableData.of([{"n": 1}])
    assert table is not None
    by_day = made(partitions=ap.TimePartitionConfig(column="n"))

    assert with_key(table, by_day, by_day.partitioning.window("2026-01-01")) is table
    assert with_key(table, made(), None) is table


@pytest.mark.parametrize("schema", [None, Counts])
@pytest.mark.parametrize("destination", [ap.ParquetDestination, ap.CSVDestination, ap.FileDestination])
def test_the_key_survives_storage_and_reads(destination: Any, schema: Any, tmp_path: Path) -> None:
    """S010: partitions= is a second spelling of partitioning=."""
    asset = made(lambda context: [{"n": 1}], partitions=ap.Partitions.daily("2026-01-01"), schema=schema)(
        destinations=destination(base_path=str(tmp_path))
    )

    asset.materialize(window="2026-01-01..2026-01-02")  # one by one, for it takes no window

    read = TableData.of(asset.default_destination.read(IOContext(asset, asset.partitioning.parse("2026-01-02")[0])))
    assert read is not None
    assert read.to("rows") == [{"n": 1, "_partition": "2026-01-02"}]
    assert asset.partition_row_counts() == {"2026-01-01": 1, "2026-01-02": 1}


def test_a_window_run_is_split_by_the_keys_that_rows_carry(tmp_path: Path) -> None:
    asset = made(lambda context: [{"n": n, "_partition": key} for n, key in enumerate(["y", "x", "y"])], schema=Counts)(
        destinations=ap.ParquetDestination(base_path=str(tmp_path))
    )

    asset.materialize(window="*")

    assert asset.partition_row_counts() == {"x": 1, "y": 2}


def test_a_row_of_another_partition_is_a_stray(tmp_path: Path) -> None:
    asset = made(lambda context: [{"n": 1, "_partition": "y"}])(
        destinations=ap.ParquetDestination(base_path=str(tmp_path))
    )

    with pytest.raises(PartitionError, match="row 0 has _partition=y, outside the window x"):
        asset.materialize(window="x")
    assert asset.partition_row_counts() == {}


def test_a_stream_gets_the_key_too(tmp_path: Path) -> None:
    def batches(context: ap.ExecutionContext) -> Any:
        for _ in range(3):
            yield pa.table({"n": list(range(60_000))})

    asset = made(batches)(destinations=ap.ParquetDestination(base_path=str(tmp_path)))

    asset.materialize(window="x")

    assert asset.partition_row_counts() == {"x": 180_000}
    read = asset.default_destination.read(IOContext(asset, STATIC.window("x")))
    assert set(read.column("_partition").to_pylist()) == {"x"}
