"""What a destination is told."""

import dataclasses
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow

DAILY = TimePartitionConfig(column="day")
THREE = TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 3))
ROWS = [{"day": dt.date(2026, 3, day), "n": n} for day, n in ((3, 1), (1, 2), (3, 3))]


def made(**settings: Any) -> Asset:
    @asset(**settings)
    def users() -> list[dict[str, Any]]:
        return []

    result: Asset = users()
    return result


def test_the_whole_is_one_partition_without_a_key() -> None:
    """D075: the whole receives the data as it is."""
    io = IOContext(made())

    assert io.partitions == [None]
    assert (io.table, io.column, io.dataset) == ("users", "", "")
    assert io.slices(ROWS) == [(None, ROWS)]


def test_each_partition_gets_its_slice_in_time_order() -> None:
    """D075."""
    io = IOContext(made(partitioning=DAILY), THREE)

    assert [(str(partition), rows) for partition, rows in io.slices(ROWS)] == [
        ("2026-03-01", [ROWS[1]]),
        ("2026-03-02", []),
        ("2026-03-03", [ROWS[0], ROWS[2]]),
    ]


def test_data_that_is_no_table_goes_whole_to_each_partition() -> None:
    assert [value for _, value in IOContext(made(partitioning=DAILY), THREE).slices({1})] == [{1}, {1}, {1}]


def test_rows_outside_the_window_are_refused() -> None:
    io = IOContext(made(partitioning=DAILY), THREE)

    with pytest.raises(PartitionError, match=r"2 row\(s\) lie outside the window 2026-03-01\.\.2026-03-03"):
        io.slices([*ROWS, {"day": dt.date(2026, 3, 9)}, {"day": None}])


def test_several_partitions_need_a_partitioned_asset() -> None:
    """D076."""
    with pytest.raises(ConfigError, match="3 partitions were given, but the asset is not partitioned"):
        IOContext(made(), THREE).slices(ROWS)


def test_narrowing_keeps_all_but_the_window() -> None:
    io = IOContext(made(partitioning=DAILY), THREE, {"run": 1})
    io.missing.append("2026-03-01")
    one = io.narrowed(THREE.last)

    assert (one.partitions, one.metadata, one.missing) == ([THREE.last], {"run": 1}, [])
    assert io.narrowed(None).partitions == [None]


def test_the_environment_fills_the_dataset_where_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    io = IOContext(made(dataset="lake_{env.STAGE}"))

    with pytest.raises(ConfigError, match="environment variable 'STAGE' is not set"):
        _ = io.dataset
    monkeypatch.setenv("STAGE", "dev")
    assert io.dataset == "lake_dev"


@pytest.mark.parametrize("name", ["asset", "window", "metadata", "schema", "missing"])
def test_it_cannot_be_changed(name: str) -> None:
    """D077."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(IOContext(made()), name, None)


def test_each_has_metadata_of_its_own() -> None:
    one, other = IOContext(made()), IOContext(made())

    assert (one.metadata, one.schema) == ({}, None)
    assert one.metadata is not other.metadata


def test_a_partitioned_asset_is_not_written_whole(tmp_path: Path) -> None:
    for destination in (ap.MemoryDestination(), ap.ParquetDestination(base_path=str(tmp_path))):
        with pytest.raises(ConfigError, match=r"no window was given, but the asset is partitioned.*\n.*Fix: "):
            destination.write(IOContext(made(partitioning=DAILY)), ROWS)
    assert list(tmp_path.iterdir()) == []
