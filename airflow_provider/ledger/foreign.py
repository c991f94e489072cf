"""Keys that are no partition of an asset: left from another grain, another zone's hours, or somebody else's folders.

Their data is nobody's: never due, never counted, never touched.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning import PartitionConfig

V = TypeVar("V")


def is_own(partitioning: PartitionConfig | None, key: str | None) -> bool:
    """Whether ``key`` is the canonical key of a partition; of an asset that is not partitioned, None alone is."""
    if partitioning is None or key is None:
        return partitioning is None and key is None
    try:
        return partitioning.partition(key).key == key
    except PartitionError:
        return False


def own(partitioning: PartitionConfig | None, by_key: Mapping[str, V]) -> dict[str, V]:
    """The entries whose keys are partitions, in the order given."""
    return {key: value for key, value in by_key.items() if is_own(partitioning, key)}


def foreign(partitioning: PartitionConfig | None, keys: Iterable[str | None]) -> list[str | None]:
    """The keys that are no partitions; None first, then sorted as text."""
    return sorted((key for key in keys if not is_own(partitioning, key)), key=lambda key: (key is not None, key or ""))
