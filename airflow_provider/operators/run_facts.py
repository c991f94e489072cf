"""What a task's Airflow context says of its run, as the plain facts that the window rule takes.

Keys that Airflow leaves out (no logical date, no interval) are absent, not None: everything is asked for with ``get``.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from airflow_provider.errors import ConfigError
from airflow_provider.execution.write import RunInfo
from airflow_provider.operators.outlets import event_keys
from airflow_provider.partitioning import RunFacts, near_misses

EXPLICIT_RUN_TYPES = ("manual", "asset_materialization")


def run_facts(airflow_context: Mapping[str, Any], *, window: Any = None, where: str) -> RunFacts:
    """The facts of a run.

    Args:
        airflow_context: Airflow's context of the task.
        window: The operator's own ``window``, used where neither conf nor params say one.
        where: The asset, for messages.

    Raises:
        ConfigError: The run's conf has a key that nearly is one of ours.
    """
    dag_run = airflow_context.get("dag_run")
    conf = dict(getattr(dag_run, "conf", None) or {})
    _refuse_near_misses(conf, where)
    run_type = _run_type(dag_run)
    typed = conf.get("window", dict(airflow_context.get("params") or {}).get("window"))
    is_backfill = run_type == "backfill"
    if _is_absent(typed) and not _is_absent(window):
        typed, is_backfill = window, False
    start, end = airflow_context.get("data_interval_start"), airflow_context.get("data_interval_end")
    keys, sources = event_keys(airflow_context.get("triggering_asset_events") or {})
    return RunFacts(
        typed=typed,
        partition_key=airflow_context.get("partition_key") or getattr(dag_run, "partition_key", None),
        interval=(start, end) if start is not None and end is not None else None,
        logical_date=airflow_context.get("logical_date"),
        run_after=getattr(dag_run, "run_after", None),
        event_keys=keys,
        event_sources=sources,
        backfill=is_backfill,
        explicit=run_type in EXPLICIT_RUN_TYPES,
    )


def selected(airflow_context: Mapping[str, Any]) -> list[str] | None:
    """The asset names in the run's ``select``, stripped and without blanks; None when all are meant."""
    dag_run = airflow_context.get("dag_run")
    conf = dict(getattr(dag_run, "conf", None) or {})
    value = conf.get("select", dict(airflow_context.get("params") or {}).get("select"))
    names = [value] if isinstance(value, str) else list(value or [])
    stripped = [str(name).strip() for name in names]
    return [name for name in stripped if name] or None


def run_info(airflow_context: Mapping[str, Any]) -> RunInfo:
    """The attempt, and the run's names for the commit record.

    An automatic retry keeps the attempt; a clear, a backfill's reprocess and a run made again under an old id change at
    least one of its parts. A false new attempt only runs again; a false same one would lose data.
    """
    ti, dag_run = airflow_context["ti"], airflow_context["dag_run"]
    names = {
        "dag_id": str(ti.dag_id),
        "run_id": str(ti.run_id),
        "task_id": str(ti.task_id),
        "map_index": str(getattr(ti, "map_index", -1)),
        "try_number": str(getattr(ti, "try_number", "")),
    }
    parts = [names[name] for name in ("dag_id", "run_id", "task_id", "map_index")]
    parts += [str(getattr(ti, "max_tries", "")), str(getattr(dag_run, "clear_number", ""))]
    parts.append(str(getattr(dag_run, "start_date", "")))
    return RunInfo(hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16], names)


def _run_type(dag_run: Any) -> str:
    run_type = getattr(dag_run, "run_type", "")
    return str(getattr(run_type, "value", run_type))


def _refuse_near_misses(conf: Mapping[str, Any], where: str) -> None:
    for typed, meant in near_misses(conf).items():
        raise ConfigError(
            f"the run's conf has {typed!r}, which nothing reads", where=where, fix=f"write {meant!r}, or leave it out"
        )


def _is_absent(typed: Any) -> bool:
    if isinstance(typed, (list, tuple)):
        return all(_is_absent(item) for item in typed)
    return typed is None or (isinstance(typed, str) and typed.strip() in ("", "None"))
