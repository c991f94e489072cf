"""Assets: a table and the function that fills it, one partition at a time.

A subclass of ``Asset`` is a definition; calling it makes an instance. The three forms (a decorated function, a method
of a source, a class with ``data``) all end here.
"""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pydantic import InstanceOf, PrivateAttr, field_validator
from typing_extensions import Self

from airflow_provider.definitions import ports
from airflow_provider.definitions.component import Component, IgnoredDescriptor, InheritedField
from airflow_provider.definitions.parameters import Parameters
from airflow_provider.definitions.partition_columns import settle_synonym, with_partition_columns
from airflow_provider.definitions.relation import Relation, relation_from
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.definitions.settings import check_settings
from airflow_provider.definitions.task_options import TaskOptions
from airflow_provider.errors import AssetError, ConfigError, DefinitionError
from airflow_provider.partitioning import Partition, PartitionConfig, PartitionWindow
from airflow_provider.schema import MaterializationStrategy, Normalizer, Schema

if TYPE_CHECKING:
    from airflow_provider.definitions.destination import Destination
    from airflow_provider.definitions.graph import AssetGraph
    from airflow_provider.definitions.multi_asset import MultiAsset
    from airflow_provider.definitions.source import Source


_DATASET = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.\-]*[A-Za-z0-9_\-])?")
_FIELD = re.compile(r"\{\w+\}")
_PLACEHOLDER = re.compile(r"\{(?:env\.)?\w+\}")


class Identity(NamedTuple):
    """What an asset is called: its source's key (empty when it stands alone) and its own."""

    source_key: str
    key: str


class EnabledField(IgnoredDescriptor):
    """True when the component and its owner are both enabled."""

    def __get__(self, instance: Component | None, owner: type) -> Any:
        if instance is None:
            raise AttributeError("enabled")
        own = instance.__dict__.get("enabled")
        parent = instance.owner
        return (own is None or bool(own)) and (parent is None or bool(getattr(parent, "enabled", True)))

    def __set__(self, instance: Component, value: Any) -> None:
        instance.__dict__["enabled"] = value


class DatasetField(IgnoredDescriptor):
    """The dataset in force: the component's own, else its owner's, else a source's key; ``{field}`` filled in."""

    def __get__(self, instance: Component | None, owner: type) -> Any:
        if instance is None:
            raise AttributeError("dataset")
        text = instance.__dict__.get("dataset")
        if not text and instance.owner is not None:
            return instance.owner.dataset  # type: ignore[attr-defined]
        source: Any = instance if instance.kind == "source" else instance.source  # type: ignore[attr-defined]
        if source is not None:
            return source.fill(text or source.key)
        if text and (placeholder := _FIELD.search(text)):
            raise ConfigError(
                f"dataset {text!r} names {placeholder.group()}, a field of its source, but it has no source",
                where=instance.label,
                fix="write the dataset out, use {env.NAME}, or make the asset part of a source",
            )
        return text

    def __set__(self, instance: Component, value: Any) -> None:
        instance.__dict__["dataset"] = value


class Producer(Component):
    """What assets and sources share: the settings that an asset inherits, and destinations."""

    relations: ClassVar[dict[str, Relation]] = {"destinations": Relation("destination", many=True, optional=True)}
    inherited_fields: ClassVar[tuple[str, ...]] = (
        "default_destination_key",
        "materialization_strategy",
        "normalizer",
        "retry",
    )
    airflow: ClassVar[TaskOptions | None] = None

    dataset: str | None = None
    default_destination_key: str | None = None
    materialization_strategy: MaterializationStrategy | None = None
    normalizer: Normalizer | None = None
    retry: InstanceOf[RetryPolicy] | None = None
    enabled: bool | None = None

    @field_validator("dataset")
    @classmethod
    def _is_a_name(cls, dataset: str | None) -> str | None:
        if dataset and not is_dataset(dataset):
            raise ValueError(f"{dataset!r} is not a name: use letters, digits, _, - and . only, no path")
        return dataset

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Make inherited fields read through the owner."""
        super().__pydantic_init_subclass__(**kwargs)
        for name in cls.inherited_fields:
            if not isinstance(cls.__dict__.get(name), IgnoredDescriptor):
                setattr(cls, name, InheritedField(name))
        cls.dataset = DatasetField()  # type: ignore[assignment]
        cls.enabled = EnabledField()  # type: ignore[assignment]


class Computing(Producer):
    """What assets and multi-assets share: the function that fills them, and what its parameters ask for.

    Class settings: ``airflow`` (task options), ``code_version`` (your own mark for a change of meaning), ``deps``
    (assets, or keys of assets, that must be filled before, though nothing of them is read here).
    """

    code_version: ClassVar[str] = ""
    deps: ClassVar[Sequence[Any]] = ()
    parameters: ClassVar[Parameters]
    function: ClassVar[Callable[..., Any] | None] = None

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Read the parameters of the function, which declare relations."""
        where = f"{cls.kind} {cls.__dict__.get('key') or cls.__name__!r}"
        check_settings(cls, ["relations"], where=where)
        function = cls._own_function()
        if function is not None:
            cls.parameters = Parameters(function, where=where)
            given = cls.__dict__.get("relations") or {}
            _refuse_unfillable(cls, given, where)
            asked = cls.parameters.relations
            agreed = {name: _agreed(cls, name, value, asked[name]) for name, value in given.items() if name in asked}
            cls.relations = {**asked, **given, **agreed}
        super().__pydantic_init_subclass__(**kwargs)

    @classmethod
    def _own_function(cls) -> Callable[..., Any] | None:
        """The function of this class or of its plain bases; a ``data`` here replaces an inherited function."""
        for base in cls.__mro__:
            if base is not cls and issubclass(base, Component):
                return None
            found = vars(base).get("function") or vars(base).get("data")
            if found is not None:
                if "function" not in vars(base):
                    cls.function = None
                own: Callable[..., Any] = found.__func__ if isinstance(found, staticmethod) else found
                return own
        return None

    def data(self, **kwargs: Any) -> Any:
        """Produce the data; the class form overrides this."""
        raise AssetError("defines no data()", where=self.label, fix=f"define data(self, ...) or use @ap.{self.kind}")

    def bound_data(self) -> Callable[..., Any]:
        """The function to call with the relations' values as keywords."""
        function: Any = type(self).function
        if function is None:
            return self.data
        if not type(self).parameters.takes_self:
            return function  # type: ignore[no-any-return]
        return function.__get__(self.source if self.source is not None else self)  # type: ignore[no-any-return]

    @property
    def source(self) -> "Source | None":
        """The source that holds the component, or None."""
        return self._owner  # type: ignore[return-value]


class Asset(Computing):
    """A table and the function that fills it.

    Class settings: ``schema`` (columns and types), ``partitioning``, ``stray_rows`` (what becomes of rows outside the
    window), ``on_empty`` (what a run without rows does), ``airflow`` (task options), ``code_version`` (your own mark
    for a change of meaning), ``deps`` (assets, or keys of assets, that must be filled before, though nothing of them
    is read here). Fields left at None are read through the source on every read.
    """

    kind: ClassVar[str] = "asset"
    key: ClassVar[str] = "asset"
    schema: ClassVar[type[Schema] | None] = None  # type: ignore[assignment]
    partitioning: ClassVar[PartitionConfig | None] = None
    partitions: ClassVar[PartitionConfig | None] = None
    """Another name of ``partitioning``."""
    stray_rows: ClassVar[Literal["error", "drop"]] = "error"
    on_empty: ClassVar[Literal["keep", "replace", "fail"]] = "keep"

    _computation: "MultiAsset | None" = PrivateAttr(default=None)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a schema that could not be cut into the partitions."""
        where = f"asset {cls.__dict__.get('key') or cls.__name__!r}"
        settle_synonym(cls, where=where)
        super().__pydantic_init_subclass__(**kwargs)
        if cls.schema is not None and cls.partitioning is not None:
            cls.schema = with_partition_columns(cls.schema, cls.partitioning, where=where)

    def __call__(self, **changes: Any) -> Self:
        """A reconfigured copy with the same id and owner, filled by the same computation."""
        copy = super().__call__(**changes)
        copy._computation = self._computation
        return copy

    @property
    def computation(self) -> "MultiAsset | None":
        """The multi-asset of which this is an output; None for an asset with a function of its own."""
        return self._computation

    @property
    def owner(self) -> Component | None:
        """What unset settings and unbound relations are read through: the multi-asset, else the source, or None."""
        return self._computation if self._computation is not None else self._owner

    @property
    def identity(self) -> Identity:
        """Source key and key."""
        return Identity(self._owner.instance_key if self._owner is not None else "", self.key)

    @property
    def table(self) -> str:
        """The storage name, a lower-case identifier."""
        return to_identifier(self.key) if self.source is None else self.source.table(self)

    @property
    def uri(self) -> str:
        """The URI of the Airflow asset that stands for this one: ``x-asset://shop/orders``."""
        return f"x-asset://{self.qualified_key.replace('.', '/')}"

    @property
    def strategy(self) -> MaterializationStrategy:
        """How the result is conformed; reconciled unless said otherwise."""
        return self.materialization_strategy or MaterializationStrategy.RECONCILE

    @property
    def stores(self) -> "Sequence[Destination]":
        """The destinations as a run writes to them."""
        return self.destinations

    @property
    def default_destination(self) -> "Destination":
        """The destination that others read this asset from: the one named, else the first.

        The name may come from the source, whose other assets may have other destinations; so one that fits none here is
        no error.

        Raises:
            AssetError: There is none.
        """
        destinations: list[Destination] = self.destinations
        for destination in destinations:
            if destination.key == self.default_destination_key:
                return destination
        if destinations:
            return destinations[0]
        raise AssetError(
            "has no destination",
            where=self.label,
            fix="pass destinations=ap.ParquetDestination(base_path=...) to the asset or its source",
        )

    if TYPE_CHECKING:  # relations are slots made from the declaration
        destinations: list[Destination]

    def run(
        self,
        window: PartitionWindow | Partition | None = None,
        dag: "AssetGraph | None" = None,
        metadata: dict[str, Any] | None = None,
    ) -> Any:
        """Produce and conform the data of ``window`` without writing it; upstreams are read."""
        return ports.resolve("runner").run_asset(self, window=window, graph=dag, metadata=metadata)

    def materialize(
        self,
        window: PartitionWindow | Partition | None = None,
        dag: "AssetGraph | None" = None,
        metadata: dict[str, Any] | None = None,
    ) -> Any:
        """Produce, conform and write; returns the data, or None when the asset is not enabled.

        Of a generator or reader that gave more than one batch (100,000 rows) no memory holds the data: then it is a
        ``pyarrow.RecordBatchReader`` of what the default destination stores (one per window, where there are several;
        None where that destination cannot be read in batches).

        Args:
            window: The partitions to fill; required for a partitioned asset. A partition is a window of one.
            dag: The graph that upstreams are found in; by default that of the asset's source.
            metadata: Free values that reach every event of the run.
        """
        return ports.resolve("runner").materialize_asset(self, window=window, graph=dag, metadata=metadata)

    async def run_async(
        self,
        window: PartitionWindow | Partition | None = None,
        dag: "AssetGraph | None" = None,
        metadata: dict[str, Any] | None = None,
    ) -> Any:
        """``run`` for a running event loop, on which async functions and hooks are awaited."""
        return await ports.resolve("runner").run_asset_async(self, window=window, graph=dag, metadata=metadata)

    async def materialize_async(
        self,
        window: PartitionWindow | Partition | None = None,
        dag: "AssetGraph | None" = None,
        metadata: dict[str, Any] | None = None,
    ) -> Any:
        """``materialize`` for a running event loop, on which async functions and hooks are awaited."""
        return await ports.resolve("runner").materialize_asset_async(self, window=window, graph=dag, metadata=metadata)

    def partition_row_counts(self) -> dict[str, int]:
        """Rows per partition key in the default destination.

        Raises:
            ConfigError: The asset is not partitioned.
            AssetError: It has no destination.
        """
        from airflow_provider.definitions.io_context import IOContext

        if self.partitioning is None:
            raise ConfigError("is not partitioned", where=self.label, fix="declare partitioning= on the asset")
        counts: dict[str, int] = ports.resolve("runner").call(
            self.default_destination.partition_row_counts, IOContext(self)
        )
        return counts


def is_dataset(text: str) -> bool:
    """Whether ``text`` names a dataset; what a placeholder stands for is not known yet."""
    return _DATASET.fullmatch(_PLACEHOLDER.sub("x", text)) is not None


def to_identifier(text: str) -> str:
    """A lower-case identifier: each run of other characters becomes one ``_``."""
    return re.sub(r"[^a-z0-9_]+", "_", text.lower())


def _agreed(cls: type[Computing], name: str, value: Any, asked: Relation) -> Relation:
    """What ``relations=`` says of a parameter, with what its annotation says: a list, or None allowed."""
    given = relation_from(cls, name, value, asked.named(name))
    many_for_one = given.many and not asked.many
    if (given.kind == "asset") != (asked.kind == "asset") or many_for_one:
        raise DefinitionError(
            f"relations[{name!r}] gives {'several' if many_for_one else f'a {given.kind}'}, but the parameter asks for "
            f"{'one' if many_for_one else f'a {asked.kind}'}",
            where=f"{cls.kind} {cls.__dict__.get('key') or cls.__name__!r}",
            fix="make the annotation and the relation agree",
        )
    given.many, given.optional = asked.many, given.optional or asked.optional
    return given


def _refuse_unfillable(cls: type[Computing], given: dict[str, Any], where: str) -> None:
    """A relation that no parameter receives would be a silent typing error."""
    if cls.__dict__.get("function") is None or cls.parameters.takes_any:
        return
    unknown = sorted(set(given) - set(cls.parameters.relations) - {"destinations"})
    if unknown:
        raise DefinitionError(
            f"relations= names {', '.join(unknown)}, but the function has no such parameter",
            where=where,
            fix=f"use one of {', '.join(sorted({*cls.parameters.relations, 'destinations'}))}, or add the parameter",
        )
