"""Partitions of several dimensions."""

import pickle

import pytest

from airflow_provider.errors import DefinitionError, PartitionError
from airflow_provider.partitioning import (
    ListPartition,
    ListPartitionWindow,
    MultiPartition,
    MultiPartitionWindow,
    TimePartition,
    TimePartitionWindow,
)

DAY = TimePartition("2026-01-01")
PARTITION = MultiPartition({"day": DAY, "region": ListPartition("a|b")})
WINDOW = MultiPartitionWindow(
    {"day": TimePartitionWindow("2026-01-01", "2026-01-02"), "region": ListPartitionWindow(["eu", "a|b"])}
)


def test_the_key_joins_the_keys_of_the_parts() -> None:
    assert PARTITION.key == str(PARTITION) == r"2026-01-01|a\|b"
    assert (PARTITION.parts["day"], PARTITION["region"].key, PARTITION.time) == (DAY, "a|b", DAY)
    assert pickle.loads(pickle.dumps(PARTITION)) == PARTITION
    with pytest.raises(KeyError):
        PARTITION["country"]


def test_a_partition_is_its_columns_and_parts() -> None:
    other = MultiPartition({"date": DAY, "region": ListPartition("a|b")})

    assert other != PARTITION
    assert MultiPartition({"day": DAY, "region": ListPartition("a|b")}) == PARTITION
    assert hash(MultiPartition({"day": DAY, "region": ListPartition("a|b")})) == hash(PARTITION)


def test_a_window_is_every_combination_the_first_dimension_slowest() -> None:
    keys = ("2026-01-01|eu", r"2026-01-01|a\|b", "2026-01-02|eu", r"2026-01-02|a\|b")

    assert WINDOW.keys == tuple(partition.key for partition in WINDOW) == keys
    assert len(WINDOW) == len(WINDOW.partitions) == 4
    assert (WINDOW.first.key, WINDOW.last.key) == (keys[0], keys[-1])
    assert WINDOW.time == TimePartitionWindow("2026-01-01", "2026-01-02")
    assert WINDOW.columns == ("day", "region")
    assert pickle.loads(pickle.dumps(WINDOW)) == WINDOW


def test_a_window_knows_its_partitions_and_keys() -> None:
    assert PARTITION in WINDOW
    assert all(key in WINDOW for key in WINDOW.keys)
    assert "2026-01-01|us" not in WINDOW
    assert "2026-01-03|eu" not in WINDOW
    assert "2026-01-01" not in WINDOW
    assert "2026-01-01\\" not in WINDOW
    assert 3 not in WINDOW
    assert MultiPartition({"date": DAY, "region": ListPartition("eu")}) not in WINDOW


def test_a_window_is_written_part_by_part() -> None:
    several = {"day": DAY.window, "region": ListPartitionWindow(["x,y", "eu"])}

    assert str(WINDOW) == r"2026-01-01..2026-01-02|eu,a\|b"
    assert str(MultiPartitionWindow(several)) == r"2026-01-01|x\,y,eu"
    assert str(PARTITION.window) == PARTITION.key
    ranged = MultiPartitionWindow({"a": ListPartitionWindow.of(("x", "y")), "b": ListPartitionWindow(["z"])})
    assert str(ranged) == "x..y|z"
    assert ranged.time is None


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ([DAY, ListPartition("eu")], DefinitionError, "is no mapping of columns"),
        ({"day": DAY, "region": "eu"}, DefinitionError, "is no mapping of columns to Partitions"),
        ({"day": DAY}, PartitionError, "are not two or more parts"),
        ({"day": DAY, "x": PARTITION}, PartitionError, "are not two or more parts of one dimension"),
        ({"day": DAY, "other": DAY}, PartitionError, "have several stretches of time"),
    ],
)
def test_wrong_parts_are_refused(parts: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MultiPartition(parts)  # type: ignore[arg-type]
