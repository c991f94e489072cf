"""Partitions, windows and partitionings: which slice of an asset is meant, as pure arithmetic on time."""

from airflow_provider.partitioning.config import PartitionConfig, TimePartitionConfig
from airflow_provider.partitioning.coverage import gaps, merge, missing, stretches, subtract
from airflow_provider.partitioning.grain import Granularity
from airflow_provider.partitioning.interval import Resolution, RunFacts, near_misses, resolve
from airflow_provider.partitioning.partition import Partition, TimePartition
from airflow_provider.partitioning.window import PartitionWindow, TimePartitionWindow

__all__ = [
    "Granularity",
    "Partition",
    "PartitionConfig",
    "PartitionWindow",
    "Resolution",
    "RunFacts",
    "TimePartition",
    "TimePartitionConfig",
    "TimePartitionWindow",
    "gaps",
    "merge",
    "missing",
    "near_misses",
    "resolve",
    "stretches",
    "subtract",
]
