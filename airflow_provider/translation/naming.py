"""What things are called on Airflow: functions of an asset's identity and the layout, never of order, time or process.

Names are state: a changed task id orphans its history.
"""

from airflow_provider.partitioning import PartitionConfig, TimePartitionConfig

_GRAINS = {
    "hour": "hourly",
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    "quarter": "quarterly",
    "year": "yearly",
}


def grain_name(partitioning: PartitionConfig | None) -> str:
    """``daily`` and so on; ``unpartitioned`` without a partitioning."""
    if partitioning is None:
        return "unpartitioned"
    if isinstance(partitioning, TimePartitionConfig):
        return _GRAINS[partitioning.granularity.value]
    return "keyed"


def zone_name(partitioning: PartitionConfig | None) -> str:
    """The zone as part of an id: ``america_new_york``."""
    zone = partitioning.timezone if isinstance(partitioning, TimePartitionConfig) else ""
    return zone.lower().replace("/", "_").replace("+", "_plus_").replace("-", "_")
