"""Assets for Airflow: declare a table and its function, and get a DAG, partitions, atomic writes and coverage.

Every public name is loaded on first use, so that importing the package costs next to nothing while DAGs are parsed.
"""

import importlib
from typing import TYPE_CHECKING, Any

from airflow_provider.definitions import ports

__version__ = "0.1.0.dev0"

_MODULES = {
    "Asset": "definitions.asset",
    "AssetDef": "definitions.asset_def",
    "AssetGraph": "definitions.graph",
    "AssetOperator": "operators.asset",
    "CSVDestination": "destinations.csv",
    "Component": "definitions.component",
    "Config": "definitions.resource",
    "Connection": "definitions.connection",
    "Destination": "definitions.destination",
    "ExecutionContext": "execution.context",
    "FileDestination": "destinations.file",
    "Granularity": "partitioning",
    "IOContext": "definitions.io_context",
    "ListPartition": "partitioning",
    "ListPartitionConfig": "partitioning",
    "ListPartitionWindow": "partitioning",
    "MaterializationStrategy": "schema",
    "MemoryDestination": "destinations.memory",
    "MultiAsset": "definitions.multi_asset",
    "MultiPartition": "partitioning",
    "MultiPartitionConfig": "partitioning",
    "MultiPartitionWindow": "partitioning",
    "Normalizer": "schema",
    "Output": "definitions.computation",
    "ParquetDestination": "destinations.parquet",
    "Partition": "partitioning",
    "PartitionWindow": "partitioning",
    "Partitions": "partitioning",
    "Reference": "definitions.view",
    "Relation": "definitions.relation",
    "Resource": "definitions.resource",
    "Retry": "definitions.retry",
    "RetryPolicy": "definitions.retry",
    "Schema": "schema",
    "Source": "definitions.source",
    "TaskOptions": "definitions.task_options",
    "TimePartition": "partitioning",
    "TimePartitionConfig": "partitioning",
    "TimePartitionWindow": "partitioning",
    "TypeMap": "schema.type_map",
    "Upstream": "definitions.upstream",
    "View": "definitions.view",
    "airflow_asset": "operators.outlets",
    "asset": "definitions.decorators",
    "build_dag": "translation.dag",
    "build_dags": "translation.loader",
    "build_task_group": "translation.dag",
    "config": "definitions.decorators",
    "connection": "definitions.decorators",
    "destination": "definitions.decorators",
    "errors": "",
    "multi_asset": "definitions.decorators",
    "reference": "definitions.decorators",
    "resource": "definitions.decorators",
    "source": "definitions.decorators",
    "view": "definitions.decorators",
}

__all__ = [
    "Asset",
    "AssetDef",
    "AssetGraph",
    "AssetOperator",
    "CSVDestination",
    "Component",
    "Config",
    "Connection",
    "Destination",
    "ExecutionContext",
    "FileDestination",
    "Granularity",
    "IOContext",
    "ListPartition",
    "ListPartitionConfig",
    "ListPartitionWindow",
    "MaterializationStrategy",
    "MemoryDestination",
    "MultiAsset",
    "MultiPartition",
    "MultiPartitionConfig",
    "MultiPartitionWindow",
    "Normalizer",
    "Output",
    "ParquetDestination",
    "Partition",
    "PartitionWindow",
    "Partitions",
    "Reference",
    "Relation",
    "Resource",
    "Retry",
    "RetryPolicy",
    "Schema",
    "Source",
    "TaskOptions",
    "TimePartition",
    "TimePartitionConfig",
    "TimePartitionWindow",
    "TypeMap",
    "Upstream",
    "View",
    "airflow_asset",
    "asset",
    "build_dag",
    "build_dags",
    "build_task_group",
    "config",
    "connection",
    "destination",
    "errors",
    "multi_asset",
    "reference",
    "resource",
    "source",
    "view",
]

ports.plug("runner", "airflow_provider.execution.runner")
ports.plug("hook_committer", "airflow_provider.destinations.hook_commit:HookCommitter")
ports.plug("hook_inspector", "airflow_provider.destinations.hook_inspect:HookInspector")
ports.plug("destination_registry", "airflow_provider.destinations.registry:find")
ports.plug("connection_lookup", "airflow_provider.hooks.lookup")
ports.plug("index", "airflow_provider.storage.index:open_index")

if TYPE_CHECKING:
    from airflow_provider import errors as errors
    from airflow_provider.definitions.asset import Asset as Asset
    from airflow_provider.definitions.asset_def import AssetDef as AssetDef
    from airflow_provider.definitions.component import Component as Component
    from airflow_provider.definitions.computation import Output as Output
    from airflow_provider.definitions.connection import Connection as Connection
    from airflow_provider.definitions.destination import Destination as Destination
    from airflow_provider.definitions.graph import AssetGraph as AssetGraph
    from airflow_provider.definitions.io_context import IOContext as IOContext
    from airflow_provider.definitions.multi_asset import MultiAsset as MultiAsset
    from airflow_provider.definitions.relation import Relation as Relation
    from airflow_provider.definitions.resource import Config as Config
    from airflow_provider.definitions.resource import Resource as Resource
    from airflow_provider.definitions.retry import Retry as Retry
    from airflow_provider.definitions.retry import RetryPolicy as RetryPolicy
    from airflow_provider.definitions.signatures import (
        asset as asset,
    )
    from airflow_provider.definitions.signatures import (
        config as config,
    )
    from airflow_provider.definitions.signatures import (
        connection as connection,
    )
    from airflow_provider.definitions.signatures import (
        destination as destination,
    )
    from airflow_provider.definitions.signatures import (
        multi_asset as multi_asset,
    )
    from airflow_provider.definitions.signatures import (
        reference as reference,
    )
    from airflow_provider.definitions.signatures import (
        resource as resource,
    )
    from airflow_provider.definitions.signatures import (
        source as source,
    )
    from airflow_provider.definitions.signatures import (
        view as view,
    )
    from airflow_provider.definitions.source import Source as Source
    from airflow_provider.definitions.task_options import TaskOptions as TaskOptions
    from airflow_provider.definitions.upstream import Upstream as Upstream
    from airflow_provider.definitions.view import Reference as Reference
    from airflow_provider.definitions.view import View as View
    from airflow_provider.destinations.csv import CSVDestination as CSVDestination
    from airflow_provider.destinations.file import FileDestination as FileDestination
    from airflow_provider.destinations.memory import MemoryDestination as MemoryDestination
    from airflow_provider.destinations.parquet import ParquetDestination as ParquetDestination
    from airflow_provider.execution.context import ExecutionContext as ExecutionContext
    from airflow_provider.operators.asset import AssetOperator as AssetOperator
    from airflow_provider.operators.outlets import airflow_asset as airflow_asset
    from airflow_provider.partitioning import Granularity as Granularity
    from airflow_provider.partitioning import ListPartition as ListPartition
    from airflow_provider.partitioning import ListPartitionConfig as ListPartitionConfig
    from airflow_provider.partitioning import ListPartitionWindow as ListPartitionWindow
    from airflow_provider.partitioning import MultiPartition as MultiPartition
    from airflow_provider.partitioning import MultiPartitionConfig as MultiPartitionConfig
    from airflow_provider.partitioning import MultiPartitionWindow as MultiPartitionWindow
    from airflow_provider.partitioning import Partition as Partition
    from airflow_provider.partitioning import Partitions as Partitions
    from airflow_provider.partitioning import PartitionWindow as PartitionWindow
    from airflow_provider.partitioning import TimePartition as TimePartition
    from airflow_provider.partitioning import TimePartitionConfig as TimePartitionConfig
    from airflow_provider.partitioning import TimePartitionWindow as TimePartitionWindow
    from airflow_provider.schema import MaterializationStrategy as MaterializationStrategy
    from airflow_provider.schema import Normalizer as Normalizer
    from airflow_provider.schema import Schema as Schema
    from airflow_provider.schema.type_map import TypeMap as TypeMap
    from airflow_provider.translation.dag import build_dag as build_dag
    from airflow_provider.translation.dag import build_task_group as build_task_group
    from airflow_provider.translation.loader import build_dags as build_dags


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'airflow_provider' has no attribute {name!r}")
    if name == "errors":
        value: Any = importlib.import_module("airflow_provider.errors")
    else:
        value = getattr(importlib.import_module(f"airflow_provider.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
