"""A window read batch by batch."""

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations import csv_codec, parquet
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import DataCorruptError, DataNotFoundError, DestinationError
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow

DAYS = TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 4))


def make_asset(destination: Any, value: Any, **settings: Any) -> Any:
    @asset(partitioning=TimePartitionConfig(column="day", allow_window=True), **settings)
    def orders() -> Any:
        return value

    return orders(destinations=destination)


def row(day: int, **values: Any) -> dict[str, Any]:
    return {"day": dt.date(2026, 3, day), **values}


def context(made: Any) -> IOContext:
    return IOContext(made, DAYS)


@pytest.fixture(params=[ParquetDestination, CSVDestination, FileDestination], ids=["parquet", "csv", "pickle"])
def destination(request: Any, tmp_path: Path) -> Any:
    return request.param(base_path=str(tmp_path))


def test_partitions_come_in_order_and_the_missing_ones_are_named(destination: Any) -> None:
    made = make_asset(destination, [row(4, n=4), row(1, n=1), row(4, n=5)])
    made.materialize(window=DAYS)
    io = context(made)
    reader = destination.read_batches(io)

    assert io.missing == ["2026-03-02", "2026-03-03"]
    assert reader.read_all().column("n").to_pylist() == [1, 4, 5]


def test_it_gives_what_a_whole_read_gives(destination: Any) -> None:
    nested = {"list": [1, None], "text": 'a"b\nc', "moment": dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)}
    made = make_asset(destination, [row(day, n=day / 2, **nested) for day in (1, 2, 3)])
    made.materialize(window=DAYS)
    whole = destination.read(context(made))

    got = destination.read_batches(context(made)).read_all()
    assert got == (pa.Table.from_pylist(whole, got.schema) if isinstance(whole, list) else whole)


def test_partitions_of_other_types_have_one_schema(destination: Any) -> None:
    made = make_asset(destination, [row(1, n=1)])
    made.materialize(window=DAYS)
    make_asset(destination, [row(2, n=0.5, more="x")]).materialize(window=DAYS)
    reader = destination.read_batches(context(made))

    assert reader.schema.field("n").type == pa.float64()
    assert reader.read_all().select(["n", "more"]).to_pylist() == [{"n": 1.0, "more": None}, {"n": 0.5, "more": "x"}]


def test_an_empty_partition_is_no_missing_one(destination: Any) -> None:
    made = make_asset(destination, [], on_empty="replace")
    made.materialize(window=DAYS)
    io = context(made)

    assert destination.read_batches(io).read_all().num_rows == 0
    assert io.missing == []


def test_nothing_stored_is_an_error(destination: Any) -> None:
    with pytest.raises(DataNotFoundError, match="nothing is stored for 2026-03-01"):
        destination.read_batches(context(make_asset(destination, None)))


@pytest.mark.parametrize("kind", [ParquetDestination, CSVDestination])
def test_a_damaged_file_is_named_before_any_of_its_rows(kind: Any, tmp_path: Path) -> None:
    destination = kind(base_path=str(tmp_path))
    made = make_asset(destination, [row(day, n=day, text="same length") for day in (1, 2)])
    made.materialize(window=DAYS)
    second = next(tmp_path.rglob("day=2026-03-02/data.*"))
    content = bytearray(second.read_bytes())
    at = content.index(b"same length")
    content[at] ^= 1
    second.write_bytes(bytes(content))
    reader = destination.read_batches(context(made))

    assert reader.read_next_batch().num_rows == 1
    with pytest.raises(DataCorruptError, match=r"day=2026-03-02/data.* is not what was committed"):
        reader.read_next_batch()


@pytest.mark.parametrize("kind", [ParquetDestination, CSVDestination])
def test_a_file_that_is_gone_is_named(kind: Any, tmp_path: Path) -> None:
    destination = kind(base_path=str(tmp_path))
    made = make_asset(destination, [row(1, n=1)])
    made.materialize(window=DAYS)
    next(tmp_path.rglob("day=2026-03-01/data.*")).unlink()

    with pytest.raises(DataCorruptError, match="is gone, but its commit record says"):
        destination.read_batches(context(made))


def test_a_version_that_is_replaced_meanwhile_is_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "BATCH_ROWS", 10)
    destination = ParquetDestination(base_path=str(tmp_path))
    made = make_asset(destination, [row(1, n=number) for number in range(100)])
    made.materialize(window=DAYS)
    reader = destination.read_batches(context(made))
    first = reader.read_next_batch()
    make_asset(destination, [row(1, n=-1)] * 100).materialize(window=DAYS)

    assert [*first.column("n").to_pylist(), *reader.read_all().column("n").to_pylist()] == list(range(100))


def test_files_that_were_there_before_are_read_in_batches(tmp_path: Path) -> None:
    folder = tmp_path / "orders" / "day=2026-03-01"
    folder.mkdir(parents=True)
    (folder / "data.csv").write_text("day,n\n2026-03-01,5\n")
    destination = CSVDestination(base_path=str(tmp_path))

    assert destination.read_batches(context(make_asset(destination, None))).read_all().to_pylist() == [
        {"day": "2026-03-01", "n": "5"}
    ]


def test_csv_is_parsed_block_by_block_even_where_a_value_is_longer_than_a_block(tmp_path: Path) -> None:
    table = pa.table({"n": list(range(1000)), "text": ["x" * (5000 if n == 500 else 10) for n in range(1000)]})
    path = tmp_path / "data.csv"
    with path.open("wb") as sink:
        types = csv_codec.write_csv(table, sink, where="")
    for block_bytes in (1000, 100_000):
        with path.open("rb") as file:
            batches = list(csv_codec.read_csv_batches(file, types, block_bytes=block_bytes))
        assert len(batches) > 1 or block_bytes == 100_000
        assert pa.Table.from_batches(batches) == table


def test_a_destination_of_a_users_own_says_that_it_cannot(tmp_path: Path) -> None:
    from airflow_provider.definitions.destination import Destination

    with pytest.raises(DestinationError, match="cannot be read in batches"):
        Destination().read_batches(context(make_asset(None, None)))
