"""What an asset's function is told about the run, by its parameter ``context``."""

import datetime as dt
import logging
from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from airflow_provider.execution.events import Emitter
from airflow_provider.partitioning import Partition, PartitionWindow

if TYPE_CHECKING:
    from airflow_provider.definitions.asset import Asset
    from airflow_provider.definitions.multi_asset import MultiAsset
    from airflow_provider.definitions.source import Source


if TYPE_CHECKING:
    _Adapter = logging.LoggerAdapter[logging.Logger]
else:
    _Adapter = logging.LoggerAdapter  # takes no brackets on Python 3.10


class ContextLogger(_Adapter):
    """The log of a run: a standard logger of which every message that is logged is a ``log`` event, too."""

    def __init__(self, context: "ExecutionContext") -> None:
        super().__init__(logging.getLogger(f"airflow_provider.asset.{context.asset.qualified_key}"), {})
        self._context = context

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """The message as it is."""
        return msg, kwargs

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Log, and emit the event with ``level`` and ``message``."""
        if not self.isEnabledFor(level):
            return
        super().log(level, msg, *args, **{**kwargs, "stacklevel": kwargs.get("stacklevel", 1) + 1})
        self._context.emitter.emit(
            "log", level=logging.getLevelName(level).lower(), message=str(msg) % args if args else str(msg)
        )


def _outputs_of(component: "Asset | MultiAsset") -> tuple[str, ...]:
    return tuple(getattr(component, "assets", (component.key,)))


class ExecutionContext:
    """The run of one asset.

    Args:
        asset: The asset that runs, or the multi-asset.
        window: The partitions to fill; None for an unpartitioned asset.
        metadata: The run's free values.
        selected_outputs: Names of the outputs asked for; by default all of them.
    """

    def __init__(
        self,
        asset: "Asset | MultiAsset",
        window: PartitionWindow | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        selected_outputs: tuple[str, ...] | None = None,
    ) -> None:
        self.asset = asset
        self.metadata: dict[str, Any] = dict(metadata or {})
        self.selected_outputs = selected_outputs if selected_outputs is not None else _outputs_of(asset)
        self.log = ContextLogger(self)
        self._window = window
        self._added: dict[str, Any] = {}

    @property
    def logger(self) -> "ContextLogger":
        """The same as ``log``."""
        return self.log

    @property
    def emitter(self) -> Emitter:
        """Emits events of this run: the asset, its keys and the run's metadata are filled in."""
        keys = tuple(self._window.keys) if self._window is not None else ()
        return Emitter(self.asset.qualified_key, keys, self.metadata)

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
        """The date of a daily partition; of several dimensions, that of the time.

        Raises:
            AttributeError: As for ``partition``, or the partition is not a day.
        """
        partition = self.partition.time
        if partition is None:
            raise AttributeError(f"{self.asset.label} is not partitioned by time. Use context.partition instead")
        if partition.granularity.value != "day":
            raise AttributeError(
                f"{self.asset.label} is partitioned by {partition.granularity.value}. Use context.partition instead"
            )
        return partition.date

    @property
    def partition_time_window(self) -> tuple[dt.datetime, dt.datetime]:
        """Start and end of the window, aware and half-open, in the partitioning's zone."""
        window = self.window.time
        if window is None:
            raise AttributeError(f"{self.asset.label} is not partitioned by time")
        return window.bounds

    def add_metadata(self, **values: Any) -> None:
        """Add values to the asset's event; plain numbers, texts and lists."""
        self._added.update(values)

    @property
    def added_metadata(self) -> dict[str, Any]:
        """What ``add_metadata`` was given so far."""
        return dict(self._added)
