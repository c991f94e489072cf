"""Writes by hand, to files and memory alike: one fence for a window, every key looked at before the first write."""

from pathlib import Path

import pytest

import airflow_provider as ap
from airflow_provider.errors import PartitionError
from airflow_provider.partitioning import Partition, PartitionWindow

WEEK = ap.TimePartitionWindow("2026-01-01", "2026-01-07")


@ap.asset(partitioning=ap.TimePartitionConfig(column="day"))
def readings(): ...


class Named(Partition):
    """A partition of any key."""

    def __init__(self, key: str) -> None:
        self.__dict__["_key"] = key

    @property
    def key(self) -> str:
        return self.__dict__["_key"]

    @property
    def window(self) -> PartitionWindow:
        return WEEK


@pytest.fixture(params=["parquet", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path):
    ap.MemoryDestination.clear()
    yield ap.ParquetDestination(base_path=str(tmp_path)) if request.param == "parquet" else ap.MemoryDestination()
    ap.MemoryDestination.clear()


def test_a_window_is_written_under_one_fence_and_the_next_write_takes_a_higher_one(store) -> None:
    context = ap.IOContext(readings(), WEEK)
    rows = [{"day": day.date, "n": 1} for day in WEEK]

    store.write(context, rows)
    fences = {record.fence for record in store.committer(context).all_records()}
    store.write_partition(context, WEEK.first, rows[:1])

    assert len(fences) == 1
    assert max(record.fence for record in store.committer(context).all_records()) > fences.pop()


def test_a_key_that_fits_no_place_is_refused_before_anything_is_written(store) -> None:
    context = ap.IOContext(readings(), WEEK)

    with pytest.raises(PartitionError):
        store.write_partition(context, Named("x" * 300), [{"n": 1}])

    assert store.committer(context).all_records() == []
