"""Many definitions of one file as DAGs, where a broken one costs only itself.

An exception in a DAG file stops every DAG of that file. So a definition that fails becomes one import error named
after it and a stub DAG that says the same when it runs, while the others live. ``strict`` raises instead, for tests
and CI.
"""

import importlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.catalog import Catalog, Places, assets_of
from airflow_provider.definitions.component import Component
from airflow_provider.definitions.computation import Computation, computations
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.selection import workloads_of
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.view import Reference, View
from airflow_provider.errors import ConfigError, GraphError, located
from airflow_provider.translation.broken import register_broken
from airflow_provider.translation.dag import build_dag
from airflow_provider.translation.naming import grain_name, group_name
from airflow_provider.translation.schedule import BY_GRAIN
from airflow_provider.version_compat import DAG

Layout = Literal["source", "asset", "single"]
STRICT_ENVIRONMENT = "AIRFLOW__AIRFLOW_PROVIDER__STRICT_DEFINITIONS"


@dataclass(frozen=True)
class Unit:
    """What becomes one DAG: its id, and the assets in it."""

    dag_id: str
    workload: tuple[Any, ...]


def build_dags(
    *definitions: Any,
    layout: Layout = "source",
    dag_id: str | None = None,
    schedule: Any = BY_GRAIN,
    strict: bool | None = None,
    **options: Any,
) -> dict[str, DAG]:
    """Build the DAGs of sources, assets, multi-assets and modules.

    Args:
        definitions: Sources, assets, multi-assets, lists of them, or names of modules that hold them; a module that
            fails to import is one definition's fault.
        layout: ``"source"``: one DAG per source, split by grain where it has several; ``"asset"``: one per asset or
            multi-asset; ``"single"``: one for all, called ``dag_id``.
        dag_id: The id of the single DAG.
        schedule: As for ``build_dag``.
        strict: Raise the first error instead of isolating it; by default ``[airflow_provider] strict_definitions``.
        options: As for ``build_dag``.

    Returns:
        The DAGs by id, stubs of broken definitions among them.
    """
    strict = _is_strict() if strict is None else strict
    dags: dict[str, DAG] = {}

    def broken(name: str, error: BaseException) -> None:
        if strict:
            raise error
        dags[name] = register_broken(name, located(error))

    workloads = _loaded(definitions, broken)
    units = _units(workloads, layout, dag_id, broken)
    catalog, places = Catalog.of(workloads), Places()
    for unit in units:
        try:
            for workload in unit.workload:
                places.add(assets_of(workload) or ())
            dags[unit.dag_id] = build_dag(
                unit.workload, dag_id=unit.dag_id, schedule=schedule, among=catalog, **options
            )
        except Exception as error:  # noqa: BLE001 -- whatever a user's definition raises is its own import error
            broken(unit.dag_id, error)
    return dags


def _loaded(definitions: Sequence[Any], broken: Any) -> list[Any]:
    """Instances of all definitions, modules imported; each source and asset once."""
    found: list[Any] = []
    for definition in _flat(definitions):
        name = definition if isinstance(definition, str) else getattr(definition, "key", repr(definition))
        try:
            if isinstance(definition, str):
                found.extend(workloads_of(importlib.import_module(definition)))
            elif isinstance(definition, type) and issubclass(definition, Component):
                found.append(definition())
            else:
                found.append(definition)
        except Exception as error:  # noqa: BLE001 -- whatever a user's definition raises is its own import error
            broken(name, error)
    return found


def _flat(definitions: Iterable[Any]) -> Iterable[Any]:
    for definition in definitions:
        if isinstance(definition, (list, tuple, set)):
            yield from _flat(definition)
        elif isinstance(definition, Mapping):
            yield from definition.values()
        else:
            yield definition


def _units(workloads: list[Any], layout: Layout, dag_id: str | None, broken: Any) -> list[Unit]:
    if layout == "single":
        if not dag_id:
            raise ConfigError("layout='single' has no name", where="build_dags", fix="pass dag_id=")
        return [Unit(dag_id, tuple(workloads))] if workloads else []
    units: dict[str, Unit] = {}
    repeats: dict[str, int] = {}
    for workload in workloads:
        try:
            made = _units_of(workload, layout)
        except Exception as error:  # noqa: BLE001 -- whatever a user's definition raises is its own import error
            broken(getattr(workload, "key", repr(workload)), error)
            continue
        for unit in made:
            if unit.dag_id in units:
                repeats[unit.dag_id] = repeats.get(unit.dag_id, 0) + 1
                number = f"_{repeats[unit.dag_id]}" if repeats[unit.dag_id] > 1 else ""
                broken(f"{unit.dag_id}__duplicate{number}", _duplicate(unit.dag_id))
            else:
                units[unit.dag_id] = unit
    return list(units.values())


def _units_of(workload: Any, layout: Layout) -> list[Unit]:
    if isinstance(workload, Reference):
        return []
    if isinstance(workload, (Asset, MultiAsset)):
        return [Unit(workload.qualified_key, (workload,))]
    if not isinstance(workload, Source):
        raise GraphError(f"{workload!r} is no source and no asset", where="build_dags", fix="pass those only")
    assets = [asset for asset in workload.assets.values() if not isinstance(asset, Reference)]
    if layout == "asset":
        return [Unit(run.qualified_key, (run.subject,)) for run in computations(assets)]
    groups = _by_grain(assets)
    if not groups:
        return []
    if len(groups) == 1:
        return [Unit(workload.instance_key, (workload,))]
    several_zones = {grain for grain, zone in groups if sum(g == grain for g, _ in groups) > 1}
    return [
        Unit(f"{workload.instance_key}__{grain}" + (f"__{zone}" if grain in several_zones else ""), tuple(members))
        for (grain, zone), members in sorted(groups.items())
    ]


def _by_grain(assets: Sequence[Asset]) -> dict[tuple[str, str], list[Asset]]:
    """The assets by grain and zone (lists by their columns), each view with what it reads."""
    groups: dict[tuple[str, str], list[Asset]] = {}
    views = [asset for asset in assets if isinstance(asset, View)]
    for asset in assets:
        if asset not in views:
            partitioning = Computation.of(asset).partitioning
            groups.setdefault((grain_name(partitioning), group_name(partitioning)), []).append(asset)
    while views:
        ready = [view for view in views if not any(_reads(view, other) for other in views)] or views
        for view in ready:
            _group_of(view, groups).append(view)
        views = [view for view in views if view not in ready]
    return groups


def _group_of(view: View, groups: dict[tuple[str, str], list[Asset]]) -> list[Asset]:
    """Where a view is created after what it reads: in the DAG of its upstreams, if that is one of the source's."""
    if len(groups) == 1:
        return next(iter(groups.values()))
    read = [group for group in groups.values() if any(_reads(view, asset) for asset in group)]
    return read[0] if len(read) == 1 else groups.setdefault(("unpartitioned", ""), [])


def _reads(view: View, asset: Asset) -> bool:
    """Whether a parameter of the view is bound to the asset, or names it."""
    relations = type(view).relations
    upstream = [name for name, relation in relations.items() if relation.kind == "asset"]
    bound = {target for name in upstream for target in view.targets(name)}
    named = {key for name in upstream for key in relations[name].keys}
    return asset in bound or bool({asset.key, asset.qualified_key} & named)


def _duplicate(dag_id: str) -> GraphError:
    return GraphError(
        "two definitions have this name",
        where=f"DAG {dag_id!r}",
        fix="give one of the sources or assets another key=",
    )


def _is_strict() -> bool:
    from airflow.configuration import conf

    text = os.environ.get(STRICT_ENVIRONMENT)
    if text is None:
        return bool(conf.getboolean("airflow_provider", "strict_definitions", fallback=False))
    return text.strip().lower() in ("1", "t", "true", "y", "yes", "on")
