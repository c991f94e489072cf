"""What type checkers see of the decorators: the options with their types, and what comes of each form.

A decorated function is a ``Definition``; a decorated class stays itself. Only type checkers read this module: the
decorators are in ``definitions.decorators``, which take every field of a class of a user's own as an option, too.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar, overload

from airflow_provider.definitions.asset import Asset, Computing
from airflow_provider.definitions.asset_def import AssetDef
from airflow_provider.definitions.component import Component
from airflow_provider.definitions.connection import Connection
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.resource import Config, Resource
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.task_options import TaskOptions
from airflow_provider.definitions.view import Reference, View
from airflow_provider.partitioning import PartitionConfig
from airflow_provider.schema import MaterializationStrategy, Normalizer

A_co = TypeVar("A_co", bound=Computing, covariant=True)
C_co = TypeVar("C_co", bound=Component, covariant=True)
K = TypeVar("K", bound=Component)

Tags = Iterable[str] | Mapping[str, str]
Strategy = MaterializationStrategy | Literal["reconcile", "strict"]


class Definition(Generic[A_co]):
    """What a decorated function is: called, it makes an instance, as any class does.

    In the body of a source it is read from the class as the class, from an instance as the live asset.
    """

    @overload
    def __get__(self, instance: None, owner: type[Source]) -> type[A_co]: ...
    @overload
    def __get__(self, instance: Source, owner: type[Source]) -> A_co: ...
    def __get__(self, instance: Source | None, owner: type[Source]) -> Any:
        """See ``definitions.source.AssetSlot``, which does it."""
        raise NotImplementedError

    def __call__(self, **data: Any) -> A_co:
        """Make an instance."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        """The class settings."""
        raise NotImplementedError


class AssetDecorator(Protocol[A_co]):
    """``@ap.asset(...)`` with its options."""

    @overload
    def __call__(self, target: type[K], /) -> type[K]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, target: Callable[..., object], /) -> Definition[A_co]: ...


class AssetFactory(Protocol):
    """``ap.asset``."""

    @overload
    def __call__(self, target: type[K], /) -> type[K]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, target: Callable[..., object], /) -> Definition[Asset]: ...
    @overload
    def __call__(
        self,
        *,
        key: str = ...,
        name: str = ...,
        icon: str = ...,
        tags: Tags = ...,
        description: str = ...,
        schema: type[Any] | None = ...,
        partitioning: PartitionConfig | None = ...,
        partitions: PartitionConfig | None = ...,
        partitions_def: PartitionConfig | None = ...,
        relations: Mapping[str, Any] = ...,
        materialization_strategy: Strategy | None = ...,
        normalizer: Normalizer | None = ...,
        dataset: str | None = ...,
        default_destination_key: str | None = ...,
        retry: RetryPolicy | None = ...,
        enabled: bool | None = ...,
        stray_rows: Literal["error", "drop"] = ...,
        on_empty: Literal["keep", "replace", "fail"] = ...,
        airflow: TaskOptions | None = ...,
        code_version: str = ...,
        deps: Sequence[Any] = ...,
        **settings: Any,
    ) -> AssetDecorator[Asset]: ...


class MultiAssetFactory(Protocol):
    """``ap.multi_asset``."""

    @overload
    def __call__(self, target: type[K], /) -> type[K]: ...
    @overload
    def __call__(
        self,
        *,
        outputs: Sequence[AssetDef | str] = ...,
        key: str = ...,
        name: str = ...,
        icon: str = ...,
        tags: Tags = ...,
        description: str = ...,
        partitioning: PartitionConfig | None = ...,
        partitions: PartitionConfig | None = ...,
        partitions_def: PartitionConfig | None = ...,
        relations: Mapping[str, Any] = ...,
        materialization_strategy: Strategy | None = ...,
        normalizer: Normalizer | None = ...,
        dataset: str | None = ...,
        default_destination_key: str | None = ...,
        retry: RetryPolicy | None = ...,
        enabled: bool | None = ...,
        stray_rows: Literal["error", "drop"] = ...,
        on_empty: Literal["keep", "replace", "fail"] = ...,
        airflow: TaskOptions | None = ...,
        code_version: str = ...,
        deps: Sequence[Any] = ...,
        **settings: Any,
    ) -> AssetDecorator[MultiAsset]: ...


class ViewFactory(Protocol):
    """``ap.view``."""

    @overload
    def __call__(self, target: type[K], /) -> type[K]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, target: Callable[..., object], /) -> Definition[View]: ...
    @overload
    def __call__(
        self,
        *,
        dialect: str = ...,
        key: str = ...,
        name: str = ...,
        icon: str = ...,
        tags: Tags = ...,
        description: str = ...,
        schema: type[Any] | None = ...,
        relations: Mapping[str, Any] = ...,
        dataset: str | None = ...,
        enabled: bool | None = ...,
        airflow: TaskOptions | None = ...,
        code_version: str = ...,
        **settings: Any,
    ) -> AssetDecorator[View]: ...


class ReferenceFactory(Protocol):
    """``ap.reference``."""

    @overload
    def __call__(self, target: type[K], /) -> type[K]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, target: Callable[..., object], /) -> Definition[Reference]: ...
    @overload
    def __call__(
        self,
        *,
        table: str = ...,
        key: str = ...,
        name: str = ...,
        icon: str = ...,
        tags: Tags = ...,
        description: str = ...,
        schema: type[Any] | None = ...,
        partitioning: PartitionConfig | None = ...,
        dataset: str | None = ...,
        default_destination_key: str | None = ...,
        **settings: Any,
    ) -> AssetDecorator[Reference]: ...


class SourceDecorator(Protocol):
    """``@ap.source(...)`` with its options."""

    @overload
    def __call__(self, target: type[K], /) -> type[K]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, target: Callable[..., object], /) -> type[Source]: ...


class SourceFactory(Protocol):
    """``ap.source``."""

    @overload
    def __call__(self, target: type[K], /) -> type[K]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, target: Callable[..., object], /) -> type[Source]: ...
    @overload
    def __call__(
        self,
        *,
        key: str = ...,
        name: str = ...,
        icon: str = ...,
        tags: Tags = ...,
        description: str = ...,
        relations: Mapping[str, Any] = ...,
        materialization_strategy: Strategy | None = ...,
        normalizer: Normalizer | None = ...,
        dataset: str | None = ...,
        default_destination_key: str | None = ...,
        retry: RetryPolicy | None = ...,
        enabled: bool | None = ...,
        airflow: TaskOptions | None = ...,
        discriminator: str = ...,
        **settings: Any,
    ) -> SourceDecorator: ...


class ClassDecorator(Protocol[C_co]):
    """``@ap.destination(...)`` and its like with their options: a component class stays itself."""

    @overload
    def __call__(self, target: type[K], /) -> type[K]: ...
    @overload
    def __call__(self, target: type[Any], /) -> type[C_co]: ...


class ClassFactory(Protocol[C_co]):
    """``ap.destination`` and its like."""

    @overload
    def __call__(self, target: type[K], /) -> type[K]: ...
    @overload
    def __call__(self, target: type[Any], /) -> type[C_co]: ...
    @overload
    def __call__(
        self,
        *,
        key: str = ...,
        name: str = ...,
        icon: str = ...,
        tags: Tags = ...,
        description: str = ...,
        relations: Mapping[str, Any] = ...,
        **settings: Any,
    ) -> ClassDecorator[C_co]: ...


asset: AssetFactory
multi_asset: MultiAssetFactory
view: ViewFactory
reference: ReferenceFactory
source: SourceFactory
destination: ClassFactory[Destination]
config: ClassFactory[Config]
connection: ClassFactory[Connection]
resource: ClassFactory[Resource]
