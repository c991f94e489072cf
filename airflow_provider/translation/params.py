"""The form of a generated DAG: which partitions, and which assets.

A form that is left alone sends explicit nulls, and a multi-line box a trailing newline; the window rule strips and
drops both. Examples are fixed texts, for a DAG must be the same whenever it is parsed.
"""

from collections.abc import Sequence
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.partitioning import PartitionConfig
from airflow_provider.version_compat import Param

MAX_SUGGESTIONS = 20
"""Airflow copies the params into every task, so a long list would cost its length times the number of tasks."""


def form(assets: Sequence[Asset], partitioning: PartitionConfig | None) -> dict[str, Any]:
    """The params of the DAG: ``window`` where an asset is partitioned, and ``select``."""
    params: dict[str, Any] = {}
    if partitioning is not None:
        params["window"] = Param(
            None,
            type=["null", "string", "array", *(["object"] if len(partitioning.columns) > 1 else [])],
            examples=list(partitioning.examples),
            title="Partitions",
            description=f"A key, first..last, or a list of them. Empty: {_by_itself(partitioning)}.",
        )
    params["select"] = Param(
        None,
        type=["null", "array"],
        examples=sorted(asset.key for asset in assets)[:MAX_SUGGESTIONS],
        title="Assets",
        description="Run only these assets. Empty: all of them.",
    )
    return params


def _by_itself(partitioning: PartitionConfig) -> str:
    return "all of them" if partitioning.time is None else "the partitions that the run's dates say"
