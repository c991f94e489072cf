"""Sources and assets as DAGs and task groups: one task per function, an edge where one reads another.

In a worker only the DAG that it was started for gets its tasks; the others stay empty shells, for nobody looks at them.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.catalog import Catalog, Workload
from airflow_provider.definitions.computation import computations
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.definitions.source import Source
from airflow_provider.errors import ConfigError, GraphError
from airflow_provider.operators.asset import AssetOperator
from airflow_provider.operators.outlets import airflow_asset
from airflow_provider.partitioning import PartitionConfig
from airflow_provider.translation.naming import grain_name
from airflow_provider.translation.params import form
from airflow_provider.translation.schedule import BY_GRAIN, shared_partitioning, timetable
from airflow_provider.version_compat import DAG, CronDataIntervalTimetable, TaskGroup, get_parsing_context


def build_dag(
    workload: Workload | Sequence[Workload],
    *,
    dag_id: str | None = None,
    schedule: Any = BY_GRAIN,
    start_date: dt.datetime | None = None,
    end_date: dt.datetime | None = None,
    catchup: bool = False,
    among: Sequence[Workload] | Catalog = (),
    tags: Iterable[str] | None = None,
    params: Mapping[str, Any] | None = None,
    retry: RetryPolicy | None = None,
    **options: Any,
) -> DAG:
    """One DAG with one task per asset, or per multi-asset.

    Args:
        workload: A source, an asset or a multi-asset (or several), instance or class.
        dag_id: By default the key of the source, the asset or the multi-asset.
        schedule: ``"by_grain"`` (one run per partition), a preset, a cron expression, None, a timetable, or assets.
        start_date: Where the schedule begins; by default the ``start`` of the partitioning. Naive values are read in
            the zone of the partitioning.
        end_date: Where it ends.
        catchup: Whether runs before now are made when the DAG is switched on.
        among: Further sources and assets that relations may name.
        tags: By default the source's.
        params: Further params of the form.
        retry: The policy of assets that have none, and whose source has none.
        options: Airflow's own DAG arguments.

    Raises:
        GraphError: The assets do not fit into one graph, or into one DAG: they are of several grains or zones.
        ConfigError: The schedule is none, or ``catchup`` has no start to begin at.
    """
    graph = AssetGraph(*_as_list(workload), among=among)
    assets = list(graph.assets.values())
    if not assets:
        raise GraphError(
            "holds references only, and those are never run",
            where=f"DAG {dag_id or 'without an id'}",
            fix="make a DAG of the assets that read them",
        )
    dag_id = dag_id or _default_id(_as_list(workload), assets)
    where = f"DAG {dag_id!r}"
    _check_one_grain(assets, where)
    partitioning = shared_partitioning(assets)
    start_date = _aware(start_date, partitioning) or _first_start(assets)
    made = timetable(schedule, assets, where=where)
    if catchup and start_date is None and isinstance(made, CronDataIntervalTimetable):
        raise ConfigError(
            "catchup=True has no start, so Airflow would make no run at all",
            where=where,
            fix="set start= in the partitioning, or pass start_date=",
        )
    dag = DAG(
        dag_id,
        schedule=made,
        start_date=start_date,
        end_date=_aware(end_date, partitioning),
        catchup=catchup,
        tags=sorted(set(tags) if tags is not None else _tags(assets)),
        params={**form(assets, partitioning), **(params or {})},
        doc_md=options.pop("doc_md", None) or _description(_as_list(workload), assets),
        **options,
    )
    if is_wanted(dag_id):
        with dag:  # entering registers the DAG with the file that is parsed
            _add_tasks(graph, assets, retry)
    return dag


def build_task_group(
    workload: Workload | Sequence[Workload],
    *,
    group_id: str | None = None,
    among: Sequence[Workload] | Catalog = (),
    retry: RetryPolicy | None = None,
    **options: Any,
) -> TaskGroup:
    """A task group with one task per asset, or per multi-asset, inside the DAG whose ``with`` block it is called in.

    The form's params are the DAG's own affair: add ``params={"window": None, "select": None}`` to it to type them.
    """
    graph = AssetGraph(*_as_list(workload), among=among)
    assets = list(graph.assets.values())
    with TaskGroup(group_id or _default_id(_as_list(workload), assets).replace(".", "__"), **options) as group:
        _add_tasks(graph, assets, retry)
    return group


def is_wanted(dag_id: str) -> bool:
    """Whether this process needs the tasks of ``dag_id``: not in a worker that was started for another DAG."""
    wanted = get_parsing_context().dag_id
    return wanted is None or wanted == dag_id


def _add_tasks(graph: AssetGraph, assets: Sequence[Asset], retry: RetryPolicy | None) -> None:
    """Add a task per function, upstreams first, with an edge for each upstream among ``assets``."""
    runs = computations(assets)
    is_one_source = len({asset.identity.source_key for asset in assets}) == 1
    tasks: dict[str, AssetOperator] = {}
    for run in runs:
        upstream = [up for up in graph.upstreams(run.subject) if up.qualified_key in tasks]
        task = AssetOperator(
            task_id=run.subject.key if is_one_source else run.qualified_key,
            asset=run.subject,
            graph=graph,
            retry=retry,
            outputs=run.selected if isinstance(run.subject, MultiAsset) else None,
            inlets=[airflow_asset(up) for up in upstream],
        )
        tasks |= dict.fromkeys((output.qualified_key for output in run.outputs), task)
        for before in sorted({tasks[up.qualified_key] for up in upstream}, key=lambda one: str(one.task_id)):
            before >> task


def _check_one_grain(assets: Sequence[Asset], where: str) -> None:
    grains = {_grain(asset.partitioning) for asset in assets if asset.partitioning is not None}
    if len(grains) > 1:
        raise GraphError(
            f"its assets are of several grains: {', '.join(sorted(grains))}",
            where=where,
            fix="use build_dags([...]), which makes one DAG per grain",
        )


def _grain(partitioning: PartitionConfig) -> str:
    zone = partitioning.time.timezone if partitioning.time is not None else "no zone"
    return f"{grain_name(partitioning)} in {zone}"


def _first_start(assets: Sequence[Asset]) -> dt.datetime | None:
    """The earliest ``start`` of the partitionings: scheduled runs begin with the first partition."""
    times = [a.partitioning.time for a in assets if a.partitioning is not None]
    return min((time.start.start for time in times if time is not None and time.start is not None), default=None)


def _aware(moment: dt.datetime | None, partitioning: PartitionConfig | None) -> dt.datetime | None:
    if moment is None or moment.tzinfo is not None:
        return moment
    time = partitioning.time if partitioning is not None else None
    return moment.replace(tzinfo=time.zone if time is not None else dt.timezone.utc)


def _default_id(workloads: Sequence[Workload], assets: Sequence[Asset]) -> str:
    if len(workloads) != 1:
        raise GraphError(
            "several sources or assets have no name together",
            where=f"build_dag of {', '.join(asset.qualified_key for asset in assets[:3])}",
            fix="pass dag_id=",
        )
    workload = workloads[0]
    if isinstance(workload, Source):
        return workload.instance_key
    if isinstance(workload, MultiAsset):
        return workload.qualified_key
    return workload.key if _is_group(workload) else assets[0].qualified_key


def _is_group(workload: Any) -> bool:
    return isinstance(workload, type) and issubclass(workload, (Source, MultiAsset))


def _as_list(workload: Any) -> list[Any]:
    return list(workload) if isinstance(workload, (list, tuple)) else [workload]


def _tags(assets: Iterable[Asset]) -> set[str]:
    found: set[str] = set()
    for asset in assets:
        shared = asset.computation.tags if asset.computation is not None else ()
        found.update(type(asset.source).tags if asset.source is not None else [*asset.tags, *shared])
    return found


def _description(workloads: Sequence[Any], assets: Sequence[Asset]) -> str | None:
    described = workloads[0] if len(workloads) == 1 else assets[0]
    return described.description or None
