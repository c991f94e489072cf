"""Keys that are no partition of an asset."""

import pytest

from airflow_provider.ledger.foreign import foreign, is_own, own
from airflow_provider.partitioning import TimePartitionConfig

DAILY = TimePartitionConfig(column="day")


@pytest.mark.parametrize("key", ["2026-13-01", "2026-03", "2026-03-01T05", "2026-3-1", " 2026-03-01", "", "eu", None])
def test_only_a_canonical_key_of_the_grain_is_a_partition(key: str | None) -> None:
    assert not is_own(DAILY, key)
    assert is_own(DAILY, "2026-03-01")


def test_an_asset_without_partitions_has_the_whole_and_nothing_else() -> None:
    assert is_own(None, None)
    assert not is_own(None, "2026-03-01")


def test_what_is_left_of_another_grain_is_sorted_out() -> None:
    counts = {"2026-03": 5, "2026-03-02": 2, "2026-03-01": 1}
    assert own(DAILY, counts) == {"2026-03-02": 2, "2026-03-01": 1}
    assert list(own(DAILY, counts)) == ["2026-03-02", "2026-03-01"]
    assert foreign(DAILY, ["z", *counts, None]) == [None, "2026-03", "z"]
