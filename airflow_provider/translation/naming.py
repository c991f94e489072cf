"""What things are called on Airflow: functions of an asset's identity and the layout, never of order, time or process.

Names are state: a changed task id orphans its history.
"""

import re

from airflow_provider.partitioning import PartitionConfig

_GRAINS = {
    "hour": "hourly",
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    "quarter": "quarterly",
    "year": "yearly",
}


def grain_name(partitioning: PartitionConfig | None) -> str:
    """``daily`` and so on, by the time of several dimensions; ``keyed`` for lists, ``unpartitioned`` without any."""
    if partitioning is None:
        return "unpartitioned"
    return "keyed" if partitioning.time is None else _GRAINS[partitioning.time.granularity.value]


def group_name(partitioning: PartitionConfig | None) -> str:
    """What tells DAGs of one source and grain apart: the zone, or the columns of lists without a time."""
    if partitioning is None or partitioning.time is not None:
        return zone_name(partitioning)
    return re.sub(r"[^a-z0-9_]+", "_", "_".join(partitioning.columns).lower())


def zone_name(partitioning: PartitionConfig | None) -> str:
    """The zone as part of an id: ``america_new_york``."""
    zone = partitioning.time.timezone if partitioning is not None and partitioning.time is not None else ""
    return zone.lower().replace("/", "_").replace("+", "_plus_").replace("-", "_")
