"""What an asset's function is told about the run, by its parameter ``context``."""

import datetime as dt
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airflow_provider.partitioning import Partition, PartitionWindow, TimePartition, TimePartitionWindow

if TYPE_CHECKING:
    from airflow_provider.definitions.asset import Asset
    from airflow_provider.definitions.source import Source


class ExecutionContext:
    """The run of one asset.

    Args:
        asset: The asset that runs.
        window: The partitions to fill; None for an unpartitioned asset.
        metadata: The run's free values.
        selected_outputs: Names of the outputs asked for; by default the asset's key.
    """

    def __init__(
        self,
        asset: "Asset",
        window: PartitionWindow | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        selected_outputs: tuple[str, ...] | None = None,
    ) -> None:
        self.asset = asset
        self.metadata: dict[str, Any] = dict(metadata or {})
        self.selected_outputs = selected_outputs if selected_outputs is not None else (asset.key,)
        self.log = logging.getLogger(f"airflow_provider.asset.{asset.qualified_key}")
        self._window = window
        self._added: dict[str, Any] = {}

    @property
    def logger(self) -> logging.Logger:
        """The same as ``log``."""
        return self.log

    @property
    def source(self) -> "Source | None":
        """The asset's source, or None."""
        return self.asset.source

    @property
    def window(self) -> PartitionWindow:
        """The partitions to fill, one or more.

        Raises:
            AttributeError: The asset is not partitioned, or the run was given no window.
        """
        if self.asset.partitioning is None:
            raise AttributeError(f"{self.asset.label} is not partitioned, so its context has no window")
        if self._window is None:
            raise AttributeError(f"{self.asset.label}: no window was given to this run")
        return self._window

    @property
    def partition(self) -> Partition:
        """The one partition to fill.

        Raises:
            AttributeError: The asset is not partitioned, no window was given, or the run covers several partitions.
        """
        window = self.window
        if len(window) != 1:
            raise AttributeError(
                f"{self.asset.label}: the run covers {len(window)} partitions, {window}. Use context.window instead"
            )
        return window.first

    @property
    def partition_key(self) -> str | None:
        """The key of the one partition to fill; None when there is no one partition."""
        return self._window.first.key if self._window is not None and len(self._window) == 1 else None

    @property
    def partition_date(self) -> dt.date:
        """The date of a daily partition.

        Raises:
            AttributeError: As for ``partition``, or the partition is not a day.
        """
        partition = self.partition
        if not isinstance(partition, TimePartition):
            raise AttributeError(f"{self.asset.label} is not partitioned by time. Use context.partition instead")  # noqa: TRY004 -- a property that is not there
        if partition.granularity.value != "day":
            raise AttributeError(
                f"{self.asset.label} is partitioned by {partition.granularity.value}. Use context.partition instead"
            )
        return partition.date

    @property
    def partition_time_window(self) -> tuple[dt.datetime, dt.datetime]:
        """Start and end of the window, aware and half-open, in the partitioning's zone."""
        window = self.window
        if not isinstance(window, TimePartitionWindow):
            raise AttributeError(f"{self.asset.label} is not partitioned by time")  # noqa: TRY004 -- as above
        return window.bounds

    def add_metadata(self, **values: Any) -> None:
        """Add values to the asset's event; plain numbers, texts and lists."""
        self._added.update(values)

    @property
    def added_metadata(self) -> dict[str, Any]:
        """What ``add_metadata`` was given so far."""
        return dict(self._added)
