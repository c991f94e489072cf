"""Places, settings and reads that the file-like destinations share."""

import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_provider.definitions.destination import Destination, Stamp
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.file_like import FileLikeDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.destinations.registry import find
from airflow_provider.errors import ConfigError, DestinationError, PartitionError, SchemaError
from airflow_provider.testing.destination_contract import StoredAsset, context_of, days, rows_for

ASSET = StoredAsset()
KINDS = [ParquetDestination, CSVDestination, FileDestination]
HOSTILE = ["a/b", "a", "/abs/x", "..", "0.94-to-0.95", "0.94-to-0.99", "A", "a%2Fb", "é", "x=y", "a\nb", "CON", "\0"]


@dataclass(frozen=True)
class Keyed:
    """A partition with any key."""

    key: str


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_keys_are_stored_read_and_counted_apart(kind: type[FileLikeDestination], tmp_path: Path) -> None:
    destination, context = kind(base_path=tmp_path / "base"), context_of(ASSET, days(1))
    for number, key in enumerate(HOSTILE):
        destination.write_partition(context, Keyed(key), [{"n": number}] * (number + 1))  # type: ignore[arg-type]
    for number, key in enumerate(HOSTILE):
        value: Any = destination.read_partition(context, Keyed(key))  # type: ignore[arg-type]
        assert (value if isinstance(value, list) else value.to_pylist()) == [{"n": number}] * (number + 1)
    records = destination.committer(context).all_records()
    assert {record.key for record in records} == set(HOSTILE)
    assert len(records) == len(HOSTILE)
    assert destination.partition_row_counts(context) == {}, "none of them is a day"
    assert [path.name for path in tmp_path.iterdir()] == ["base"]
    for key in ("", "x" * 300):
        with pytest.raises(PartitionError):
            destination.write_partition(context, Keyed(key), [{"n": 1}])  # type: ignore[arg-type]


def test_the_layout(tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    for asset in (ASSET, StoredAsset(dataset="", table="bare"), StoredAsset(table="whole", partitioning=None)):
        context = context_of(asset, days(1) if asset.partitioning else None)
        destination.write(context, rows_for(context.partitions))
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("data.parquet"))
    assert found == [
        "bare/day=2026-03-01/data.parquet",
        "shop/orders/day=2026-03-01/data.parquet",
        "shop/whole/data.parquet",
    ]
    ledger = {path.name for path in (tmp_path / "shop" / "orders" / "_ledger").iterdir()}
    assert ledger == {"fence", "locks", "intents", "records"}
    assert pq.read_table(tmp_path / "bare", partitioning=None).num_rows == 2, "other readers skip our own folders"


def test_two_formats_share_a_folder(tmp_path: Path) -> None:
    context = context_of(ASSET, days(1))
    for number, kind in enumerate(KINDS):
        kind(base_path=tmp_path).write(context, rows_for(context.partitions, version=number))
    for kind in KINDS:
        assert kind(base_path=tmp_path).partition_row_counts(context) == {"2026-03-01": 2}
        assert kind(base_path=tmp_path).committer(context).repair() == []


def test_a_window_of_a_year_is_committed_in_well_under_two_seconds(tmp_path: Path) -> None:
    destination, context = ParquetDestination(base_path=tmp_path), context_of(ASSET, days(365))
    data = pa.Table.from_pylist(rows_for(context.partitions, per_day=10))
    destination.write(context_of(StoredAsset(table="warm"), days(1)), data.slice(0, 10))
    began = time.process_time()
    destination.write(context, data)
    assert time.process_time() - began < 2
    assert destination.read(context).equals(data)


@pytest.mark.parametrize("path", ["s3://bucket/x", "gs://b", "abfss://c@a/x", "", "  ", "a\0b"])
def test_a_base_path_that_cannot_work_is_refused_at_definition(path: str) -> None:
    with pytest.raises(ConfigError):
        ParquetDestination(base_path=path)


def test_environment_is_filled_in_where_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    destination = CSVDestination(base_path="{env.LAKE}/bronze")
    monkeypatch.delenv("LAKE", raising=False)
    with pytest.raises(ConfigError, match="LAKE"):
        destination.address  # noqa: B018
    monkeypatch.setenv("LAKE", str(tmp_path))
    assert destination.address == f"csv:{tmp_path}/bronze"
    monkeypatch.setenv("LAKE", "s3://bucket")
    with pytest.raises(ConfigError, match="not supported by this version"):
        destination.address  # noqa: B018


def test_file_urls_paths_and_home_are_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert ParquetDestination(base_path=f"file://{tmp_path}/a%20b").root == f"{tmp_path}/a b"
    assert ParquetDestination(base_path="~/x").root == f"{tmp_path}/x"
    assert ParquetDestination(base_path=tmp_path).root == str(tmp_path)


def test_a_hole_is_logged_with_its_key(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    destination, context = ParquetDestination(base_path=tmp_path), context_of(ASSET, days(2))
    destination.write(context_of(ASSET, days(1)), rows_for(days(1)))
    with caplog.at_level(logging.WARNING):
        destination.read(context)
    assert "1 of 2 partitions are not there and were left out: 2026-03-02" in caplog.text


def test_data_that_was_there_before_is_read_and_counted_and_replaced(tmp_path: Path) -> None:
    context = context_of(ASSET, days(2))
    for day in ("2026-03-01", "2026-03-02"):
        (tmp_path / f"shop/orders/day={day}").mkdir(parents=True)
        pq.write_table(pa.table({"n": [1, 2, 3]}), tmp_path / f"shop/orders/day={day}/data.parquet")
        (tmp_path / f"shop/orders/day={day}/data.csv").write_text('n,t\n1,""\n2,\n')
    parquet, csv = ParquetDestination(base_path=tmp_path), CSVDestination(base_path=tmp_path)
    assert parquet.read(context).num_rows == 6
    assert parquet.partition_row_counts(context) == {"2026-03-01": 3, "2026-03-02": 3}
    assert parquet.committer(context).untracked(()) == ["2026-03-01", "2026-03-02"]
    assert csv.read_partition(context, context.partitions[0]).to_pylist() == [
        {"n": "1", "t": ""},
        {"n": "2", "t": None},
    ]
    parquet.write(context, rows_for(context.partitions))
    assert parquet.partition_row_counts(context) == {"2026-03-01": 2, "2026-03-02": 2}


def test_an_exception_while_encoding_keeps_the_old_data(tmp_path: Path) -> None:
    destination, context = FileDestination(base_path=tmp_path), context_of(ASSET, days(1))
    destination.write(context, "old")

    class Breaks:
        def __reduce__(self) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        destination.write(context, ["x" * 100_000, Breaks()])
    with pytest.raises(DestinationError, match="cannot be pickled"):
        destination.write(context, lambda: 1)
    assert destination.read(context) == "old"
    assert list(tmp_path.rglob(".data*")) == []


def test_objects_come_back_one_per_partition(tmp_path: Path) -> None:
    """D040, D090, D091."""
    for destination in (FileDestination(base_path=tmp_path), MemoryDestination()):
        context = context_of(StoredAsset(key="model", table="model"), days(2))
        destination.write(context, {"weights", "bias"})
        assert destination.read(context) == [{"weights", "bias"}, {"weights", "bias"}]
        assert destination.partition_row_counts(context) == {"2026-03-01": 1, "2026-03-02": 1}
    MemoryDestination.clear()


@pytest.mark.parametrize("kind", [ParquetDestination, CSVDestination])
def test_what_is_no_table_is_refused(kind: type[FileLikeDestination], tmp_path: Path) -> None:
    with pytest.raises(DestinationError, match="holds tables only, and was given int"):
        kind(base_path=tmp_path).write(context_of(ASSET, days(1)), 5)


def test_a_type_that_csv_cannot_hold_is_named_by_column(tmp_path: Path) -> None:
    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
    with pytest.raises(SchemaError, match="column 'odd' of type"):
        CSVDestination(base_path=tmp_path).write(context_of(ASSET, days(1)), pa.table({"odd": union}))


def test_an_emptied_partition_reads_with_the_columns_of_the_schema(tmp_path: Path) -> None:
    from airflow_provider.schema import Schema

    class Orders(Schema):
        n: int

    destination = ParquetDestination(base_path=tmp_path)
    context = context_of(ASSET, days(1), schema=Orders)
    committer = destination.committer(context)
    committer.commit_empty(context.partitions[0], Stamp(fence=committer.take_fence(), attempt="a"))
    assert destination.read(context).column_names == ["n"]


@pytest.mark.parametrize("name", ["csv", "CSV", "CSVDestination", "csv_destination"])
def test_destinations_are_found_by_name(name: str) -> None:
    assert find(name) is CSVDestination


def test_an_unknown_name_suggests_a_near_one() -> None:
    with pytest.raises(ConfigError, match="parquett") as caught:
        find("parquett")
    assert "'parquet'" in caught.value.fix


def test_memory_clears(tmp_path: Path) -> None:
    context = context_of(ASSET, days(1))
    MemoryDestination().write(context, rows_for(context.partitions))
    assert list(MemoryDestination._storage) == ["shop/orders/day=2026-03-01"]
    MemoryDestination.clear()
    assert MemoryDestination._storage == {}
    assert isinstance(MemoryDestination(), Destination)
