"""The store of tests: one for the process, shared and copied."""

import datetime as dt
from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.errors import DataNotFoundError

DAYS = ap.TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 2))


@ap.asset(partitioning=ap.TimePartitionConfig(column="day", allow_window=True), dataset="shop")
def orders(context: ap.ExecutionContext) -> list[dict[str, Any]]:
    return [{"day": partition.key} for partition in context.window]


def test_the_keys_name_dataset_table_and_partition() -> None:
    """D113: the partition as other stores name its folder."""
    orders(destinations=ap.MemoryDestination()).materialize(DAYS)

    assert sorted(ap.MemoryDestination._storage) == ["shop/orders/day=2026-03-01", "shop/orders/day=2026-03-02"]


def test_what_one_instance_wrote_every_other_reads() -> None:
    """D114."""
    made = orders(destinations=ap.MemoryDestination())
    made.materialize(DAYS)

    assert ap.MemoryDestination().read(ap.IOContext(made, DAYS)) == [{"day": "2026-03-01"}, {"day": "2026-03-02"}]


def test_clearing_empties_it_for_all() -> None:
    made = orders(destinations=ap.MemoryDestination())
    made.materialize(DAYS)
    ap.MemoryDestination.clear()

    with pytest.raises(DataNotFoundError):
        made.default_destination.read(ap.IOContext(made, DAYS))


@pytest.mark.parametrize("kind", [ap.FileDestination, ap.CSVDestination, ap.ParquetDestination, ap.MemoryDestination])
def test_every_store_splits_and_joins_windows_alike(kind: type[ap.Destination], tmp_path: Any) -> None:
    """D115, D056: a window is what its partitions are, one by one."""
    store = kind() if kind is ap.MemoryDestination else kind(base_path=str(tmp_path))
    made = orders(destinations=store)
    rows = [{"day": key, "n": 1} for key in DAYS.keys]
    store.write(ap.IOContext(made, DAYS), rows)

    def read(window: Any) -> Any:
        found = store.read(ap.IOContext(made, window))
        return found if isinstance(found, list) else found.to_pylist()

    assert read(DAYS) == rows
    assert [read(partition.window) for partition in DAYS] == [[row] for row in rows]
