"""Partitions, windows and partitionings: which slice of an asset is meant, as pure arithmetic on time and lists."""

from airflow_provider.partitioning.config import MANAGED_COLUMN, PartitionConfig
from airflow_provider.partitioning.coverage import gaps, merge, missing, stretches, subtract
from airflow_provider.partitioning.grain import Granularity
from airflow_provider.partitioning.interval import Resolution, RunFacts, near_misses, resolve
from airflow_provider.partitioning.list_config import ListPartitionConfig
from airflow_provider.partitioning.list_window import ListPartition, ListPartitionWindow
from airflow_provider.partitioning.multi_config import MultiPartitionConfig
from airflow_provider.partitioning.multi_window import MultiPartition, MultiPartitionWindow
from airflow_provider.partitioning.partition import Partition, TimePartition
from airflow_provider.partitioning.partitions import Partitions
from airflow_provider.partitioning.time_config import TimePartitionConfig
from airflow_provider.partitioning.window import PartitionWindow, TimePartitionWindow

__all__ = [
    "MANAGED_COLUMN",
    "Granularity",
    "ListPartition",
    "ListPartitionConfig",
    "ListPartitionWindow",
    "MultiPartition",
    "MultiPartitionConfig",
    "MultiPartitionWindow",
    "Partition",
    "PartitionConfig",
    "PartitionWindow",
    "Partitions",
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
