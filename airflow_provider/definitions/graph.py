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
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.resource import Resource
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.definitions.view import Reference, View
from airflow_provider.errors import AssetNotFoundError, CircularDependencyError, GraphError
from airflow_provider.partitioning import Partition, PartitionConfig, PartitionWindow


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
        ConfigError: A view that its destination cannot hold, see ``View.check_placement``.
    """

    def __init__(self, *workloads: Workload, among: "Sequence[Workload] | Catalog" = ()) -> None:
        nodes = distinct_assets(workloads)
        references = [key for key, asset in nodes.items() if isinstance(asset, Reference)]
        self._inputs: dict[str, dict[str, tuple[Asset, ...]]] = {key: {} for key in references}
        self._read_only: set[str] = set(references)
        index = Catalog(nodes.values(), outer=among if isinstance(among, Catalog) else Catalog.of(among))
        waiting = [asset for key, asset in nodes.items() if key not in self._read_only]
        while waiting:
            asset = waiting.pop()
            _refuse_unfillable(asset)
            inputs = _inputs_of(asset, index)
            self._inputs[asset.qualified_key] = inputs
            for upstream in (target for targets in inputs.values() for target in targets):
                known = nodes.get(upstream.qualified_key)
                if known is None:
                    nodes[upstream.qualified_key] = upstream
                    self._read_only.add(upstream.qualified_key)
                    self._inputs[upstream.qualified_key] = {}
                _check_partitionings(asset, upstream)
            if isinstance(asset, View):
                asset.check_placement(self.upstreams(asset))
        self._nodes = {key: nodes[key] for key in _ordered(self._inputs)}

    @property
    def assets(self) -> dict[str, Asset]:
        """The graph's own assets by qualified key, upstreams first."""
        return {key: asset for key, asset in self._nodes.items() if key not in self._read_only}

    @property
    def read_only(self) -> dict[str, Asset]:
        """Assets that are read and never run: those outside the graph, and references."""
        return {key: asset for key, asset in self._nodes.items() if key in self._read_only}

    def inputs(self, asset: Asset) -> dict[str, tuple[Asset, ...]]:
        """The upstream assets of each parameter of ``asset``; empty where an optional one is not bound."""
        try:
            return self._inputs[asset.qualified_key]
        except KeyError:
            raise AssetNotFoundError(
                "is not part of the graph", where=asset.label, fix="build the AssetGraph from the asset or its source"
            ) from None

    def upstreams(self, asset: Asset) -> tuple[Asset, ...]:
        """All assets that ``asset`` reads, each once, in the order of the parameters."""
        return tuple(dict.fromkeys(up for targets in self.inputs(asset).values() for up in targets))

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
        """The graph's own assets that ``names`` names, upstreams first; all of them for None."""
        if names is None:
            return list(self.assets.values())
        wanted = {self.find(name).qualified_key for name in names}
        if outside := sorted(wanted & self._read_only):
            raise AssetNotFoundError(
                f"{', '.join(outside)} is only read here",
                where="asset graph",
                fix="build the graph from its source too, or select assets of the graph",
            )
        return [asset for key, asset in self.assets.items() if key in wanted]

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


def _refuse_unfillable(asset: Asset) -> None:
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


def _inputs_of(asset: Asset, index: Catalog) -> dict[str, tuple[Asset, ...]]:
    return {
        name: _targets(asset, name, relation, index)
        for name, relation in type(asset).relations.items()
        if relation.kind == "asset"
    }


def _targets(asset: Asset, name: str, relation: Relation, index: Catalog) -> tuple[Asset, ...]:
    bound = asset.targets(name)
    if bound:
        return tuple(target for target in bound if isinstance(target, Asset))
    found = [up for key in relation.keys for up in index.candidates(key, asset) if up is not asset]
    if relation.classes:
        among = found if relation.keys else index.of_classes(relation.classes)
        found = [up for up in among if isinstance(up, relation.classes) and up is not asset]
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
            f"parameter {name!r} asks for the asset's own result", where=asset.label, fix="read another asset"
        )
    return tuple(found)


def _reads_itself(asset: Asset, relation: Relation) -> bool:
    return any(key in (asset.key, asset.qualified_key) for key in relation.keys)


def _not_found(asset: Asset, name: str, relation: Relation, index: Catalog) -> GraphError:
    wanted = " or ".join(relation.keys or [cls.key for cls in relation.classes]) or "an asset"
    close = difflib.get_close_matches(wanted, index.names(), n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return AssetNotFoundError(
        f"parameter {name!r} reads {wanted!r}, which is not there{hint}",
        where=asset.label,
        fix=f"name an asset of the graph in relations={{{name!r}: ap.Relation('asset', 'source.key')}}, bind one, "
        "or make the parameter optional: ap.Upstream | None",
    )


def _check_partitionings(reader: Asset, upstream: Asset) -> None:
    own, other = reader.partitioning, upstream.partitioning
    if other is None or isinstance(reader, View) or (own is not None and own.compatible(other)):
        return
    said = "is not partitioned" if own is None else f"is partitioned by {_described(own)}"
    raise GraphError(
        f"reads {upstream.qualified_key!r}, which is partitioned by {_described(other)}, but itself {said}",
        where=reader.label,
        fix="give both the same granularity and timezone",
    )


def _described(partitioning: PartitionConfig) -> str:
    values = partitioning.to_definition()
    return " in ".join(str(values[name]) for name in ("granularity", "timezone") if name in values) or values["kind"]


def _ordered(inputs: dict[str, dict[str, tuple[Asset, ...]]]) -> list[str]:
    """Keys level by level, each level sorted, so that the order depends on keys and edges alone."""
    sorter = graphlib.TopologicalSorter(
        {key: {up.qualified_key for targets in by_name.values() for up in targets} for key, by_name in inputs.items()}
    )
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
