"""The form of a generated DAG: which partitions, and which assets.

A form that is left alone sends explicit nulls, and a multi-line box a trailing newline; the window rule strips and
drops both. Examples are fixed texts, for a DAG must be the same whenever it is parsed.
"""

from collections.abc import Sequence
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.partitioning import TimePartitionConfig
from airflow_provider.version_compat import Param

MAX_SUGGESTIONS = 20
"""Airflow copies the params into every task, so a long list would cost its length times the number of tasks."""

_EXAMPLES = {
    "hour": ("2026-01-01T00", "2026-01-01T00..2026-01-01T05"),
    "day": ("2026-01-01", "2026-01-01..2026-01-07"),
    "week": ("2026-W01", "2026-W01..2026-W04"),
    "month": ("2026-01", "2026-01..2026-03"),
    "quarter": ("2026-Q1", "2026-Q1..2026-Q4"),
    "year": ("2026", "2024..2026"),
}


def form(assets: Sequence[Asset], partitioning: TimePartitionConfig | None) -> dict[str, Any]:
    """The params of the DAG: ``window`` where an asset is partitioned, and ``select``."""
    params: dict[str, Any] = {}
    if partitioning is not None:
        params["window"] = Param(
            None,
            type=["null", "string", "array"],
            examples=list(_EXAMPLES[partitioning.granularity.value]),
            title="Partitions",
            description="A key, first..last, or a list of them. Empty: the partitions that the run's dates say.",
        )
    params["select"] = Param(
        None,
        type=["null", "array"],
        examples=sorted(asset.key for asset in assets)[:MAX_SUGGESTIONS],
        title="Assets",
        description="Run only these assets. Empty: all of them.",
    )
    return params
