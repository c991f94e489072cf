"""Assets joined by what they read, checked as a whole before anything runs.

A graph never changes the components that it was given: what each parameter reads is worked out here. Building is
linear in the number of assets and edges, and its order depends on keys alone.
"""

import difflib
import graphlib
from collections.abc import Iterable, Sequence
from typing import Any

from airflow_provider.definitions import ports
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.catalog import Catalog, Workload, distinct_assets
from airflow_provider.definitions.component import Component
from airflow_provider.definitions.computation import computations
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.resource import Resource
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.definitions.view import Reference, View
from airflow_provider.errors import AssetNotFoundError, CircularDependencyError, GraphError
from airflow_provider.partitioning import Partition, PartitionWindow


class AssetGraph:
    """Assets in an order in which each comes after what it reads.

    Args:
        workloads: Sources and assets, instances or classes. Upstreams that are bound but not named here join as
            read-only.
        among: Further sources and assets that relations may name; those that are read join as read-only.

    Raises:
        GraphError: The same asset twice, an upstream that is not there or not unique, partitionings that do not fit, or
            a parameter that nothing could fill in any worker.
        CircularDependencyError: An asset needs its own result.
        ConfigError: A view that its destination cannot hold, see ``View.check_placement``; a column of a declared
            schema that a destination of its asset cannot hold.
    """

    def __init__(self, *workloads: Workload, among: "Sequence[Workload] | Catalog" = ()) -> None:
        nodes = distinct_assets(workloads)
        references = [key for key, asset in nodes.items() if isinstance(asset, Reference)]
        self._inputs: dict[str, dict[str, tuple[Asset, ...]]] = {key: {} for key in references}
        self._deps: dict[str, tuple[Asset, ...]] = {}
        self._read_only: set[str] = set(references)
        index = Catalog(nodes.values(), outer=among if isinstance(among, Catalog) else Catalog.of(among))
        for computation in computations([asset for key, asset in nodes.items() if key not in self._read_only]):
            subject = computation.subject
            _refuse_unfillable(subject)
            inputs, deps = _inputs_of(subject, index), _deps_of(subject, index)
            for output in computation.outputs:
                _refuse_unstorable(output)
                self._inputs[output.qualified_key], self._deps[output.qualified_key] = inputs, deps
            for upstream in self.upstreams(computation.outputs[0]):
                if upstream.qualified_key not in nodes:
                    nodes[upstream.qualified_key] = upstream
                    self._read_only.add(upstream.qualified_key)
                    self._inputs[upstream.qualified_key] = {}
            for upstream in (target for targets in inputs.values() for target in targets):
                _check_partitionings(subject, upstream)
            if isinstance(subject, View):
                subject.check_placement(self.upstreams(subject))
        edges = {key: {up.qualified_key for up in self.upstreams(nodes[key])} for key in self._inputs}
        self._nodes = {key: nodes[key] for key in _ordered(edges)}

    @property
    def assets(self) -> dict[str, Asset]:
        """The graph's own assets by qualified key, upstreams first."""
        return {key: asset for key, asset in self._nodes.items() if key not in self._read_only}

    @property
    def read_only(self) -> dict[str, Asset]:
        """Assets that are read and never run: those outside the graph, and references."""
        return {key: asset for key, asset in self._nodes.items() if key in self._read_only}

    def inputs(self, component: Asset | MultiAsset) -> dict[str, tuple[Asset, ...]]:
        """The upstream assets of each parameter of the function; empty where an optional one is not bound."""
        return self._inputs[self._key_of(component)]

    def upstreams(self, component: Asset | MultiAsset) -> tuple[Asset, ...]:
        """All assets that are filled before: those read, in the order of the parameters, then ``deps``; each once."""
        key = self._key_of(component)
        read = [up for targets in self._inputs[key].values() for up in targets]
        return tuple(dict.fromkeys([*read, *self._deps.get(key, ())]))

    def _key_of(self, component: Asset | MultiAsset) -> str:
        """The key under which the graph keeps what the component's function reads: its own, or that of an output."""
        parts = [component] if isinstance(component, Asset) else list(component.assets.values())
        for asset in parts:
            if asset.qualified_key in self._inputs:
                return asset.qualified_key
        raise AssetNotFoundError(
            "is not part of the graph", where=component.label, fix="build the AssetGraph from the asset or its source"
        )

    def find(self, name: str) -> Asset:
        """The asset called ``name``: its qualified key, or its bare key where only one asset has that.

        Raises:
            AssetNotFoundError: No asset, or several, answer to the name.
        """
        found = [asset for key, asset in self._nodes.items() if name in (key, asset.key)]
        exact = [asset for asset in found if asset.qualified_key == name]
        if len(exact) == 1 or len(found) == 1:
            return (exact or found)[0]
        close = difflib.get_close_matches(name, [*self._nodes, *(a.key for a in self._nodes.values())], n=1)
        raise AssetNotFoundError(
            f"{'several assets are' if found else 'no asset is'} called {name!r}"
            + (f"; did you mean {close[0]!r}?" if close and not found else ""),
            where="asset graph",
            fix=f"name one of {', '.join(a.qualified_key for a in found or self._nodes.values())}"[:600],
        )

    def select(self, names: Iterable[str] | None) -> list[Asset]:
        """The graph's own assets that ``names`` names, upstreams first; all of them for None.

        The name of a multi-asset stands for its outputs.
        """
        if names is None:
            return list(self.assets.values())
        wanted = {asset.qualified_key for name in names for asset in self._named(name)}
        if outside := sorted(wanted & self._read_only):
            raise AssetNotFoundError(
                f"{', '.join(outside)} is only read here",
                where="asset graph",
                fix="build the graph from its source too, or select assets of the graph",
            )
        return [asset for key, asset in self.assets.items() if key in wanted]

    def _named(self, name: str) -> list[Asset]:
        """The one asset of that name, or the outputs of the one multi-asset of that name."""
        shared = [asset for asset in self.assets.values() if asset.computation is not None]
        outputs = [asset for asset in shared if name == asset.computation.qualified_key]  # type: ignore[union-attr]
        if not outputs and all(name not in (key, asset.key) for key, asset in self._nodes.items()):
            outputs = [asset for asset in shared if name == asset.computation.key]  # type: ignore[union-attr]
        if len({id(asset.computation) for asset in outputs}) == 1:
            return outputs
        return [self.find(name)]

    def materialize(
        self,
        window: PartitionWindow | Partition | None = None,
        *,
        select: Sequence[str] | None = None,
        metadata: dict[str, Any] | None = None,
        max_workers: int = 4,
        fail_fast: bool = False,
        retry: RetryPolicy | None = None,
    ) -> Any:
        """Materialize the graph in order with at most ``max_workers`` assets at a time.

        A failure stops what depends on it; with ``fail_fast`` nothing new starts. An asset that fails is tried again as
        its own policy says, else as ``retry`` says.

        Returns:
            A ``GraphResult``: the outcome of each asset, partition by partition.
        """
        return ports.resolve("runner").materialize_graph(
            self,
            window=window,
            select=select,
            metadata=metadata,
            max_workers=max_workers,
            fail_fast=fail_fast,
            retry=retry,
        )

    def __len__(self) -> int:
        return len(self._nodes) - len(self._read_only)

    def __repr__(self) -> str:
        return f"AssetGraph({len(self)} assets)"


def _refuse_unstorable(asset: Asset) -> None:
    """A declared column that a destination has no type for would fail every run."""
    if asset.schema is None:
        return
    for destination in asset.destinations:
        if not destination.type_map.is_open:
            specs = asset.schema.field_specs()
            destination.type_map.check_specs(specs, where=asset.label, destination=destination.label)


def _refuse_unfillable(asset: Asset | MultiAsset) -> None:
    """A required parameter to which nothing is bound and which no environment can fill."""
    for name, relation in type(asset).relations.items():
        if relation.kind == "asset" or relation.optional or relation.many or relation.default or asset.targets(name):
            continue
        if not any(issubclass(cls, Resource) for cls in relation.classes):
            wanted = " or ".join(cls.__name__ for cls in relation.classes) or f"a {relation.kind}"
            raise GraphError(
                f"parameter {name!r} needs {wanted}, but none is bound",
                where=asset.label,
                fix=f"pass {name}=... to the asset or its source, or make the parameter optional",
            )


def _inputs_of(asset: Asset | MultiAsset, index: Catalog) -> dict[str, tuple[Asset, ...]]:
    return {
        name: _targets(asset, name, relation, index)
        for name, relation in type(asset).relations.items()
        if relation.kind == "asset"
    }


def _deps_of(subject: Asset | MultiAsset, index: Catalog) -> tuple[Asset, ...]:
    """The assets that ``deps`` of the function and of its outputs name.

    Raises:
        AssetNotFoundError: One is not there.
        CircularDependencyError: One is an output of the function itself.
    """
    parts = [] if isinstance(subject, Asset) else _parts(subject)
    found: list[Asset] = []
    for part in (subject, *parts):
        for dep in type(part).deps:
            candidates = _candidates(dep, subject, index)
            key = dep if isinstance(dep, str) else dep.key
            if not candidates:
                raise _not_there(part, f"deps= names {key!r}", key, index, "name an asset of the graph: 'source.key'")
            if {id(one) for one in candidates} & {id(one) for one in (subject, *parts)}:
                raise CircularDependencyError(
                    f"deps= names {key!r}, which the same function fills", where=part.label, fix="leave it out"
                )
            found.extend(candidates)
    return tuple(dict.fromkeys(found))


def _candidates(dep: Any, subject: Asset | MultiAsset, index: Catalog) -> list[Asset]:
    if isinstance(dep, str):
        return index.candidates(dep, subject)
    return [dep] if isinstance(dep, Asset) else index.of_classes((dep,))


def _targets(asset: Asset | MultiAsset, name: str, relation: Relation, index: Catalog) -> tuple[Asset, ...]:
    bound = asset.targets(name)
    if bound:
        return tuple(target for target in bound if isinstance(target, Asset))
    own = {id(part) for part in _parts(asset)}
    found = [up for key in relation.keys for up in index.candidates(key, asset) if id(up) not in own]
    if relation.classes:
        among = found if relation.keys else index.of_classes(relation.classes)
        found = [up for up in among if isinstance(up, relation.classes) and id(up) not in own]
    found = list({up.qualified_key: up for up in found}.values())
    if len(found) > 1 and not relation.many:
        raise GraphError(
            f"parameter {name!r} fits {', '.join(up.qualified_key for up in found)}",
            where=asset.label,
            fix=f"bind one: {asset.key}({name}=...)",
        )
    if not found and not relation.optional and not _reads_itself(asset, relation):
        raise _not_found(asset, name, relation, index)
    if _reads_itself(asset, relation) and not found:
        raise CircularDependencyError(
            f"parameter {name!r} asks for the {'asset' if isinstance(asset, Asset) else 'function'}'s own result",
            where=asset.label,
            fix="read another asset",
        )
    return tuple(found)


def _parts(subject: Asset | MultiAsset) -> list[Asset]:
    """The assets that the function of ``subject`` fills."""
    return [subject] if isinstance(subject, Asset) else list(subject.assets.values())


def _reads_itself(subject: Asset | MultiAsset, relation: Relation) -> bool:
    return any(key in (part.key, part.qualified_key) for key in relation.keys for part in _parts(subject))


def _not_found(asset: Asset | MultiAsset, name: str, relation: Relation, index: Catalog) -> GraphError:
    wanted = " or ".join(relation.keys or [cls.key for cls in relation.classes]) or "an asset"
    return _not_there(
        asset,
        f"parameter {name!r} reads {wanted!r}",
        wanted,
        index,
        f"name an asset of the graph in relations={{{name!r}: ap.Relation('asset', 'source.key')}}, bind one, "
        "or make the parameter optional: ap.Upstream | None",
    )


def _not_there(component: Component, said: str, wanted: str, index: Catalog, fix: str) -> GraphError:
    close = difflib.get_close_matches(wanted, index.names(), n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return AssetNotFoundError(f"{said}, which is not there{hint}", where=component.label, fix=fix)


def _check_partitionings(reader: Asset | MultiAsset, upstream: Asset) -> None:
    own, other = reader.partitioning, upstream.partitioning
    if other is None or isinstance(reader, View) or (own is not None and own.compatible(other)):
        return
    said = "is not partitioned" if own is None else f"is partitioned by {own.described}"
    raise GraphError(
        f"reads {upstream.qualified_key!r}, which is partitioned by {other.described}, but itself {said}",
        where=reader.label,
        fix="give both the same partitioning: granularity and timezone, values and their order, dimensions",
    )


def _ordered(edges: dict[str, set[str]]) -> list[str]:
    """Keys level by level, each level sorted, so that the order depends on keys and edges alone."""
    sorter = graphlib.TopologicalSorter(edges)
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        raise CircularDependencyError(
            " -> ".join(error.args[1]),
            where="asset graph",
            fix="remove one of these upstream parameters, or split the asset in two",
        ) from None
    order: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order.extend(ready)
        sorter.done(*ready)
    return order
