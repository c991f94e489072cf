"""Assets by the ways in which a relation can name them. Built once, shared by all graphs of a bundle."""

from collections.abc import Iterable, Sequence
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.component import Component
from airflow_provider.definitions.source import Source
from airflow_provider.errors import GraphError

Workload = Asset | Source | type[Asset] | type[Source]


class Catalog:
    """Assets that a relation's key may name.

    Args:
        assets: The assets; of several with one qualified key the first counts.
        outer: Where to look further for what is not here.
    """

    def __init__(self, assets: Iterable[Asset], *, outer: "Catalog | None" = None) -> None:
        self._by_qualified: dict[str, Asset] = {}
        self._in_sources: dict[str, list[Asset]] = {}
        self._outer = outer
        for asset in assets:
            if self._by_qualified.setdefault(asset.qualified_key, asset) is asset and asset.source is not None:
                self._in_sources.setdefault(asset.key, []).append(asset)

    @classmethod
    def of(cls, workloads: Sequence[Any]) -> "Catalog":
        """The catalog of sources and assets; one that is neither is left out."""
        return cls(asset for workload in workloads for asset in assets_of(workload) or ())

    def candidates(self, key: str, reader: Asset) -> list[Asset]:
        """The assets that ``key`` names for ``reader``: a sibling, ``source.key``, or ``*.key`` in any source."""
        source, _, bare = key.rpartition(".")
        if source == "*":
            own = self._in_sources.get(bare, [])
            return [*own, *(self._outer.candidates(key, reader) if self._outer is not None else ())]
        if not source and reader.source is not None:
            sibling = reader.source.sibling(bare)
            return [sibling] if sibling is not None else []
        found = self._by_qualified.get(key)
        if found is not None:
            return [found]
        return self._outer.candidates(key, reader) if self._outer is not None else []

    def of_classes(self, classes: tuple[type[Any], ...]) -> list[Asset]:
        """The assets made from one of ``classes``."""
        own = [asset for asset in self._by_qualified.values() if isinstance(asset, classes)]
        return [*own, *(self._outer.of_classes(classes) if self._outer is not None else ())]

    def names(self) -> list[str]:
        """Every qualified key, for suggestions."""
        return [*self._by_qualified, *(self._outer.names() if self._outer is not None else ())]


def assets_of(workload: Any) -> list[Asset] | None:
    """The assets of a source or asset, instance or class; None for anything else."""
    component = workload() if isinstance(workload, type) and issubclass(workload, Component) else workload
    if isinstance(component, Source):
        return list(component.assets.values())
    return [component] if isinstance(component, Asset) else None


def distinct_assets(workloads: Sequence[Any]) -> dict[str, Asset]:
    """The assets of ``workloads`` by qualified key.

    Raises:
        GraphError: There is none, one is neither source nor asset, or two have the same key.
    """
    if not workloads:
        raise GraphError("has no assets", where="asset graph", fix="pass at least one source or asset")
    nodes: dict[str, Asset] = {}
    for workload in workloads:
        assets = assets_of(workload)
        if assets is None:
            raise GraphError(f"{workload!r} is no source and no asset", where="asset graph", fix="pass those only")
        for asset in assets:
            if nodes.setdefault(asset.qualified_key, asset) is not asset:
                raise GraphError(
                    f"{asset.qualified_key!r} is there twice",
                    where="asset graph",
                    fix="give one of the sources or assets another key=",
                )
    return nodes
