"""One function that fills several assets.

Each output is an asset of its own, with its key, schema, partitions and destinations; the function runs once for all of
them, or for those that are asked for. The outputs of one run share its window, so their partitionings agree.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import PrivateAttr
from typing_extensions import Self

from airflow_provider.definitions import ports
from airflow_provider.definitions.asset import Asset, Computing
from airflow_provider.definitions.asset_def import AssetDef
from airflow_provider.definitions.component import Component, IgnoredDescriptor
from airflow_provider.errors import DefinitionError
from airflow_provider.partitioning import Partition, PartitionConfig, PartitionWindow

if TYPE_CHECKING:
    from airflow_provider.definitions.graph import AssetGraph


class OutputSlot(IgnoredDescriptor):
    """On the class the definition of one output, on an instance of the multi-asset its live asset."""

    def __init__(self, definition: type[Asset]) -> None:
        self.definition = definition

    def __get__(self, instance: "MultiAsset | None", owner: type) -> Any:
        if instance is None:
            return self.definition
        found = instance.assets.get(self.definition.key)
        if found is None:
            raise AttributeError(
                f"{instance.label} was narrowed to {', '.join(instance.assets)}; {self.definition.key!r} is not in it"
            )
        return found


class MultiAsset(Computing):
    """Several assets, and the one function that fills them.

    The function yields ``Output(name, data)`` for each output, in any order and any number of times; or it returns one,
    a list of them, or a dict of name to data. ``context.selected_outputs`` names those asked for; what is given for
    others is dropped. An output that is asked for and not given has no rows.

    Class settings: ``outputs`` (a list of ``AssetDef``), those of ``Asset`` that concern the function
    (``airflow``, ``code_version``, ``deps``), and ``partitioning``, ``stray_rows`` and ``on_empty``, which count for
    each output that does not say its own. Fields left unset in an output are read through the multi-asset.

    ``outputs={name: {setting: value}}`` at construction narrows it to the outputs named, each with its overrides; a
    list of names narrows it without overrides.
    """

    kind: ClassVar[str] = "multi_asset"
    key: ClassVar[str] = "multi_asset"
    outputs: ClassVar[Sequence[AssetDef]] = ()
    output_types: ClassVar[tuple[type[Asset], ...]] = ()
    partitioning: ClassVar[PartitionConfig | None] = None
    stray_rows: ClassVar[Literal["error", "drop"]] = "error"
    on_empty: ClassVar[Literal["keep", "replace", "fail"]] = "keep"

    _declared_partitioning: ClassVar[PartitionConfig | None] = None
    _assets: dict[str, Asset] = PrivateAttr(default_factory=dict)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Make the definitions of the outputs."""
        super().__pydantic_init_subclass__(**kwargs)
        where = f"multi_asset {cls.key!r}"
        _check_names(cls, where)
        if "partitioning" in vars(cls):
            cls._declared_partitioning = cls.partitioning
        inherited = {
            "partitioning": cls._declared_partitioning,
            "stray_rows": cls.stray_rows,
            "on_empty": cls.on_empty,
        }
        cls.output_types = tuple(output.definition(cls, inherited) for output in cls.outputs)
        for definition in cls.output_types:
            setattr(cls, definition.key, OutputSlot(definition))
        cls.partitioning = _shared_partitioning(cls.output_types, where)

    def __init__(self, *, outputs: Mapping[str, Mapping[str, Any]] | Iterable[str] | None = None, **data: Any) -> None:
        super().__init__(**data)
        if not type(self).output_types:
            raise DefinitionError("has no outputs", where=self.label, fix="declare outputs=[ap.AssetDef('name'), ...]")
        overrides = narrowed(outputs, [definition.key for definition in type(self).output_types], where=self.label)
        for definition in type(self).output_types:
            if definition.key in overrides:
                self._hold(definition(**overrides[definition.key]))

    def _hold(self, asset: Asset) -> None:
        asset._computation, asset._owner = self, self._owner
        self._assets[asset.key] = asset

    def join(self, source: Component) -> None:
        """Become part of ``source``, with all outputs."""
        self._owner = source
        for asset in self._assets.values():
            asset._owner = source

    def __call__(self, **changes: Any) -> Self:
        """A reconfigured copy with copies of its outputs; outside targets are shared."""
        copy = super().__call__(**changes)
        copy._assets = {}
        for asset in self._assets.values():
            copy._hold(asset())
        return copy

    @property
    def assets(self) -> dict[str, Asset]:
        """The outputs by key, in the order declared."""
        return dict(self._assets)

    if TYPE_CHECKING:  # the outputs are slots made from the declaration

        def __getattr__(self, name: str) -> Any: ...

    def run(
        self,
        window: PartitionWindow | Partition | None = None,
        dag: "AssetGraph | None" = None,
        metadata: dict[str, Any] | None = None,
        *,
        select: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Produce and conform the data of ``window`` by output, without writing it; upstreams are read."""
        found: dict[str, Any] = ports.resolve("runner").run_multi_asset(
            self, window=window, graph=dag, metadata=metadata, select=select
        )
        return found

    def materialize(
        self,
        window: PartitionWindow | Partition | None = None,
        dag: "AssetGraph | None" = None,
        metadata: dict[str, Any] | None = None,
        *,
        select: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Produce, conform and write; returns the data by output, without those that are not enabled.

        Args:
            window: The partitions to fill; required where an output is partitioned.
            dag: The graph that upstreams are found in; by default that of the source.
            metadata: Free values that reach every event of the run.
            select: The outputs to fill; all of them by default.

        Raises:
            PartitionsFailedError: At least one output, or partition of one, failed; the others are written.
        """
        found: dict[str, Any] = ports.resolve("runner").materialize_multi_asset(
            self, window=window, graph=dag, metadata=metadata, select=select
        )
        return found

    async def run_async(
        self,
        window: PartitionWindow | Partition | None = None,
        dag: "AssetGraph | None" = None,
        metadata: dict[str, Any] | None = None,
        *,
        select: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """``run`` for a running event loop, on which async functions and hooks are awaited."""
        found: dict[str, Any] = await ports.resolve("runner").run_multi_asset_async(
            self, window=window, graph=dag, metadata=metadata, select=select
        )
        return found

    async def materialize_async(
        self,
        window: PartitionWindow | Partition | None = None,
        dag: "AssetGraph | None" = None,
        metadata: dict[str, Any] | None = None,
        *,
        select: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """``materialize`` for a running event loop, on which async functions and hooks are awaited."""
        found: dict[str, Any] = await ports.resolve("runner").materialize_multi_asset_async(
            self, window=window, graph=dag, metadata=metadata, select=select
        )
        return found


def narrowed(
    given: Any, known: Sequence[str], *, where: str, what: str = "outputs", owner: str = "multi-asset"
) -> dict[str, dict[str, Any]]:
    """The overrides of each name that ``given``, a mapping, a list or None for all, names.

    Raises:
        DefinitionError: A name that is not ``known``, or none at all.
    """
    if given is None:
        return {key: {} for key in known}
    if isinstance(given, str) or not isinstance(given, Iterable) or not given:
        raise DefinitionError(
            f"{what}={given!r} narrows the {owner} to nothing that has a name",
            where=where,
            fix=f"give a list of keys, or a dict of key to settings, of {', '.join(known)}",
        )
    named = {k: dict(v or {}) for k, v in given.items()} if isinstance(given, Mapping) else {k: {} for k in given}
    unknown = sorted(set(map(str, named)) - set(known))
    if unknown:
        raise DefinitionError(
            f"{what}= names {', '.join(unknown)}, which the {owner} does not have",
            where=where,
            fix=f"name some of {', '.join(known)}",
        )
    return named


def _check_names(cls: type[MultiAsset], where: str) -> None:
    names = [output.name for output in cls.outputs]
    if not names and hasattr(cls, "parameters"):
        raise DefinitionError("has no outputs", where=where, fix="declare outputs=[ap.AssetDef('name'), ...]")
    for name in names:
        if names.count(name) > 1:
            raise DefinitionError(f"declares output {name!r} twice", where=where, fix="give one another name")
        if name == cls.key:
            raise DefinitionError(
                f"output {name!r} has the key of the multi-asset itself",
                where=where,
                fix="rename one of them: both are names in the source, in select= and on the command line",
            )
        if name in cls.relations:
            raise DefinitionError(
                f"parameter {name!r} has the name of an output, and outputs of one function cannot read each other",
                where=where,
                fix="make the reader an asset of its own; where another asset is meant, rename the parameter and say "
                "relations={'renamed': ap.Relation('asset', 'source.key')}",
            )
        held = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
        if name in cls.__pydantic_fields__ or (held is not None and not isinstance(held, OutputSlot)):
            raise DefinitionError(
                f"output name {name!r} is taken by the multi-asset itself", where=where, fix="give it another name"
            )


def _shared_partitioning(outputs: Sequence[type[Asset]], where: str) -> PartitionConfig | None:
    """What the partitioned outputs have in common: everything but the column."""
    partitioned = [output for output in outputs if output.partitioning is not None]
    for output in partitioned[1:]:
        differing = _differing(partitioned[0].partitioning, output.partitioning)
        if differing:
            raise DefinitionError(
                f"outputs {partitioned[0].key!r} and {output.key!r} differ in {', '.join(differing)}, but one run has "
                "one window",
                where=where,
                fix="give both the same partitioning (the column may differ), or make them two assets",
            )
    return partitioned[0].partitioning if partitioned else None


def _differing(one: PartitionConfig | None, other: PartitionConfig | None) -> list[str]:
    if one is None or other is None or one is other:
        return []
    own, its = one.to_definition(), other.to_definition()
    return sorted(name for name in {*own, *its} - {"column"} if own.get(name) != its.get(name))
