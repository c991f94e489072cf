"""Assets by the ways in which a relation can name them. Built once, shared by all graphs of a bundle."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.component import Component
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.view import Reference
from airflow_provider.errors import GraphError

if TYPE_CHECKING:  # a decorated function is a class, which a type checker cannot be told
    from airflow_provider.definitions.signatures import Definition

    Workload = Asset | MultiAsset | Source | type[Asset] | type[MultiAsset] | type[Source] | Definition[Any]
else:
    Workload = Asset | MultiAsset | Source | type[Asset] | type[MultiAsset] | type[Source]


class Catalog:
    """Assets that a relation's key may name.

    Args:
        assets: The assets; of several with one qualified key the first counts.
        outer: Where to look further for what is not here.
    """

    def __init__(self, assets: Iterable[Asset], *, outer: "Catalog | None" = None) -> None:
        self._by_qualified: dict[str, Asset] = {}
        self._in_sources: dict[str, list[Asset]] = {}
        self._of_class: dict[str, list[Asset]] = {}  # of several instances of one source, which have a discriminator
        self._outer = outer
        for asset in assets:
            if self._by_qualified.setdefault(asset.qualified_key, asset) is asset and asset.source is not None:
                self._in_sources.setdefault(asset.key, []).append(asset)
                if asset.source.instance_key != asset.source.key:
                    self._of_class.setdefault(f"{asset.source.key}.{asset.key}", []).append(asset)

    @classmethod
    def of(cls, workloads: Sequence[Any]) -> "Catalog":
        """The catalog of sources and assets; one that is neither is left out."""
        return cls(asset for workload in workloads for asset in assets_of(workload) or ())

    def candidates(self, key: str, reader: Asset | MultiAsset) -> list[Asset]:
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
        if key in self._of_class:
            return [*self._of_class[key], *(self._outer.candidates(key, reader) if self._outer is not None else ())]
        return self._outer.candidates(key, reader) if self._outer is not None else []

    def of_classes(self, classes: tuple[type[Any], ...]) -> list[Asset]:
        """The assets made from one of ``classes``."""
        own = [asset for asset in self._by_qualified.values() if isinstance(asset, classes)]
        return [*own, *(self._outer.of_classes(classes) if self._outer is not None else ())]

    def names(self) -> list[str]:
        """Every qualified key, for suggestions."""
        return [*self._by_qualified, *(self._outer.names() if self._outer is not None else ())]


def assets_of(workload: Any) -> list[Asset] | None:
    """The assets of a source, multi-asset or asset, instance or class; None for anything else."""
    component = workload() if isinstance(workload, type) and issubclass(workload, Component) else workload
    if isinstance(component, (Source, MultiAsset)):
        return list(component.assets.values())
    return [component] if isinstance(component, Asset) else None


def distinct_assets(workloads: Sequence[Any]) -> dict[str, Asset]:
    """The assets of ``workloads`` by qualified key.

    Raises:
        GraphError: There is none, one is neither source nor asset, or two have the same key or the same place.
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
    _refuse_shared_source_keys(nodes.values())
    _refuse_shared_computation_keys(nodes)
    Places().add(nodes.values())
    return nodes


def _refuse_shared_source_keys(assets: Iterable[Asset]) -> None:
    """Two sources of one key would have one DAG id and one folder."""
    known: dict[str, type[Source]] = {}
    for asset in assets:
        kind = type(asset.source) if asset.source is not None else None
        if kind is not None and known.setdefault(kind.key, kind) is not kind:
            raise GraphError(
                f"two sources are called {kind.key!r}: {known[kind.key].__qualname__} and {kind.__qualname__}",
                where="asset graph",
                fix="give one of them another key=",
            )


def _refuse_shared_computation_keys(nodes: dict[str, Asset]) -> None:
    """A multi-asset's key is a task id and may be selected, so nothing else has it."""
    known: dict[str, MultiAsset] = {}
    for asset in nodes.values():
        multi = asset.computation
        if multi is None:
            continue
        if multi.qualified_key in nodes or known.setdefault(multi.qualified_key, multi) is not multi:
            raise GraphError(
                f"{multi.qualified_key!r} is there twice",
                where="asset graph",
                fix="give one of the multi-assets or assets another key=",
            )


class Places:
    """Where assets are stored, so that no two share a place: they would overwrite each other without a word."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], list[Asset]] = {}

    def add(self, assets: Iterable[Asset]) -> None:
        """Take up ``assets``.

        Raises:
            GraphError: Another asset is stored in the place of one of them; those before it are taken up.
        """
        for asset in assets:
            if isinstance(asset, Reference):  # overwrites nothing
                continue
            others = self._held.setdefault((asset.dataset or "", asset.table), [])
            for other in others:
                if other is not asset and _share_a_store(other, asset):
                    raise GraphError(
                        f"{other.qualified_key!r} and {asset.qualified_key!r} are both stored as {asset.table!r} "
                        f"in one dataset of {asset.destinations[0].key}",
                        where="asset graph",
                        fix="give one of them another key= or dataset=; keys that differ only by case are one table",
                    )
            others.append(asset)


def _share_a_store(one: Asset, other: Asset) -> bool:
    return any(_is_same_store(own, held) for own in one.destinations for held in other.destinations)


def _is_same_store(one: Component, other: Component) -> bool:
    """Whether two destinations are one, or equal but for their ids."""
    if one is other or type(one) is not type(other):
        return one is other
    return all(getattr(one, name) == getattr(other, name) for name in type(one).__pydantic_fields__ if name != "id")
