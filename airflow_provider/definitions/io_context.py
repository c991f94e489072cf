"""What a destination is told of one read or write.

Destinations look at ``partitions`` and ``slices`` only, never at the window.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from airflow_provider.definitions.environment import resolve_env
from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning import Partition, PartitionWindow

if TYPE_CHECKING:
    from airflow_provider.definitions.asset import Asset
    from airflow_provider.schema import Schema


@dataclass(frozen=True)
class IOContext:
    """One read or write of an asset's partitions.

    Attributes:
        asset: The asset whose data is stored.
        window: The partitions of the call; None for the unpartitioned whole.
        metadata: The run's free values (run id and the like).
        schema: The effective schema: declared, else inferred, else None.
        missing: Keys that a window read did not find, filled by the destination.
    """

    asset: "Asset"
    window: PartitionWindow | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    schema: "type[Schema] | None" = None
    missing: list[str] = field(default_factory=list, compare=False, repr=False)

    @property
    def partitions(self) -> list[Partition | None]:
        """The partitions in time order; ``[None]`` for the unpartitioned whole."""
        return [None] if self.window is None else list(self.window)

    @property
    def dataset(self) -> str:
        """The asset's dataset with ``{env.NAME}`` filled in; empty when it has none."""
        return resolve_env(self.asset.dataset or "", where=self.asset.label)

    @property
    def table(self) -> str:
        """The asset's storage name."""
        return self.asset.table

    @property
    def column(self) -> str:
        """The partition column; empty for an unpartitioned asset. Of several columns see ``columns``."""
        return self.asset.partitioning.column if self.asset.partitioning is not None else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The partition columns, in the order of a key's parts; ``()`` for an unpartitioned asset."""
        return self.asset.partitioning.columns if self.asset.partitioning is not None else ()

    def narrowed(self, partition: Partition | None) -> "IOContext":
        """The same context for one partition."""
        return replace(self, window=None if partition is None else partition.window, missing=[])

    def slices(self, data: Any) -> list[tuple[Partition | None, Any]]:
        """Pair each partition with its slice of ``data``, in the order of ``partitions``.

        One partition, or the whole, receives the data as it is. Data that is not tabular goes whole to each partition.

        Raises:
            ConfigError: No window for a partitioned asset, or several partitions for one that is not.
            PartitionError: A row lies outside the window, or has no partition value. Nothing is returned.
        """
        if self.window is None and self.asset.partitioning is not None:
            raise ConfigError(
                "no window was given, but the asset is partitioned: the whole and partitions never mix",
                where=self.asset.label,
                fix="give IOContext(asset, window) the window of the data, or use asset.materialize(...)",
            )
        partitions = self.partitions
        if len(partitions) == 1:
            return [(partitions[0], data)]
        if self.asset.partitioning is None:
            raise ConfigError(
                f"{len(partitions)} partitions were given, but the asset is not partitioned",
                where=self.asset.label,
                fix="declare partitioning= on the asset, or write without a window",
            )
        from airflow_provider.schema.representations import TableData, split

        table = TableData.of(data)
        if table is None:
            return [(partition, data) for partition in partitions]
        window = cast("PartitionWindow", self.window)  # several partitions come of a window
        parts = split(table, self.asset.partitioning, window, where=self.asset.label)
        if parts.stray_count:
            columns = "|".join(self.columns)
            raise PartitionError(
                f"{parts.stray_count} row(s) lie outside the window {self.window} or have no {columns!r}",
                where=self.asset.label,
                fix="keep only the window's rows, or run the window that holds them",
            )
        return [(partition, part.value) for partition, part in zip(partitions, parts.slices, strict=True)]
