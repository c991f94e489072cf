"""Partitionings: how one asset's data is cut, and which partitions there are.

Callers speak to `PartitionConfig` and never ask for its kind: a partitioning that does not follow
time answers ``None`` where an instant says nothing about it, and names its partitions by `whole`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from airflow_provider.errors import ConfigError, DefinitionError, PartitionError
from airflow_provider.partitioning.partition import Partition
from airflow_provider.partitioning.window import PartitionWindow

if TYPE_CHECKING:
    from airflow_provider.partitioning.time_config import TimePartitionConfig

Incomplete = Literal["skip", "run"]

MANAGED_COLUMN = "_partition"
"""The column that the package keeps by itself: rows that lack it get the key of the run's one partition."""


class PartitionConfig(ABC):
    """How an asset is partitioned.

    Attributes:
        kind: The name of the partitioning in a definition.
        column: The column that says which partition a row lies in. Of several columns see ``columns``.
        allow_window: Whether the asset takes several partitions in one call; otherwise it is called
            once for each.
        incomplete: What a run does in whose interval no partition completes.
    """

    kind: ClassVar[str]
    column: str
    allow_window: bool
    incomplete: Incomplete = "skip"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that say together which partition a row lies in, in the order of a key's parts."""
        return (self.column,)

    @property
    def is_managed(self) -> bool:
        """Whether the partition column is ``_partition``, which the package keeps by itself."""
        return self.columns == (MANAGED_COLUMN,)

    @property
    def time(self) -> TimePartitionConfig | None:
        """The partitioning by time that this one is or has as a dimension; ``None`` for one without time."""
        return None

    @property
    def whole(self) -> PartitionWindow | None:
        """The window of every partition there is; ``None`` for a partitioning by time, which goes on."""
        return None

    @property
    @abstractmethod
    def examples(self) -> tuple[str, ...]:
        """Texts that ``parse`` reads, for a form: a key first."""

    @property
    @abstractmethod
    def described(self) -> str:
        """A few words for a message, such as ``day in UTC``."""

    @abstractmethod
    def partition(self, value: Any) -> Partition:
        """Return the partition that a key or a value names."""

    @abstractmethod
    def window(self, start: Any, end: Any = None) -> PartitionWindow:
        """Return the window from one partition to another, both included."""

    @abstractmethod
    def adopt(self, window: PartitionWindow) -> PartitionWindow:
        """Return the window as one of this partitioning, or raise a PartitionError."""

    def check(self, window: PartitionWindow | None, *, where: str, several: bool = True) -> None:
        """Raise for a window that this partitioning cannot run.

        Args:
            window: The window; a bare one is judged by its keys.
            where: What the message is about, for example ``asset 'nyc.flights'``.
            several: Whether several partitions are fine without ``allow_window``, because the caller
                takes them one by one.

        Raises:
            PartitionError: No window, several partitions, one of another partitioning, or outside start and end.
        """
        if window is None:
            raise PartitionError(
                "is partitioned, but the run was given no window",
                where=where,
                fix=f"name the partitions, for example {self._naming}",
            )
        own = self._adopted(window, where=where)
        if not several and not self.allow_window and len(own) > 1:
            raise PartitionError(
                f"takes one partition at a time, but was given {len(own)}: {own}",
                where=where,
                fix="run them one by one, or set allow_window=True where data() handles a window",
            )
        self._check_ends(own, where=where)

    @property
    def _naming(self) -> str:
        """How a window is named, for the message of ``check``."""
        return f"window={self.examples[0]!r}"

    @abstractmethod
    def _adopted(self, window: PartitionWindow, *, where: str) -> PartitionWindow:
        """``adopt``, where the message is about ``where``."""

    @abstractmethod
    def _check_ends(self, window: Any, *, where: str) -> None:
        """Refuse an adopted window outside start and end."""

    @abstractmethod
    def clamp(self, window: PartitionWindow) -> PartitionWindow | None:
        """Return the part of a window that lies inside the partitioning; ``None`` where none does."""

    @abstractmethod
    def parse(self, typed: object, *, where: str | None = None) -> tuple[PartitionWindow, ...]:
        """Read what a person typed: a key, ``first..last``, or a list of them."""

    @abstractmethod
    def parse_run_key(self, text: str, *, where: str | None = None) -> PartitionWindow:
        """Read a partition key, or range of keys, that Airflow handed to a run or an event."""

    @abstractmethod
    def rank(self, partition: Partition) -> Any:
        """Return what sorts a partition of this partitioning among the others."""

    @abstractmethod
    def join(self, windows: Iterable[PartitionWindow]) -> tuple[PartitionWindow, ...]:
        """Join windows that overlap or touch; the result is in order and disjoint."""

    @abstractmethod
    def spanning(self, partitions: Iterable[Partition]) -> PartitionWindow | None:
        """Return the smallest stretch that ought to be whole if these partitions are there; ``None`` for none."""

    @abstractmethod
    def completed_between(self, start: datetime, end: datetime) -> PartitionWindow | None:
        """Return the partitions whose end lies in ``(start, end]``."""

    @abstractmethod
    def in_progress(self, instant: datetime) -> PartitionWindow | None:
        """Return the partition that an instant lies in, as a window."""

    @abstractmethod
    def newest(self, now: datetime) -> PartitionWindow | None:
        """Return what a run at an instant covers when nothing else says it."""

    @abstractmethod
    def expected(self, now: datetime) -> PartitionWindow | None:
        """Return the partitions that ought to be held at an instant; ``None`` where that is not known."""

    @abstractmethod
    def compatible(self, other: PartitionConfig) -> bool:
        """Tell whether a window of the other partitioning is a window of this one."""

    @abstractmethod
    def to_definition(self) -> dict[str, Any]:
        """Return the partitioning as a JSON-able dict, with its ``kind``."""

    def ordered(self, partitions: Iterable[Partition]) -> list[Partition]:
        """Return partitions in the order of this partitioning, each once."""
        return sorted(set(partitions), key=self.rank)

    @classmethod
    def from_definition(cls, definition: Mapping[str, Any]) -> PartitionConfig:
        """Build a partitioning from what `to_definition` returned.

        Raises:
            ConfigError: An unknown kind or field.
        """
        kinds = {kind.kind: kind for kind in PartitionConfig.__subclasses__()}
        fields = dict(definition)
        kind = fields.pop("kind", None)
        if kind not in kinds:
            raise ConfigError(
                f"partitioning of kind {kind!r} is not known", where="partitioning", fix=f"use one of {sorted(kinds)}"
            )
        try:
            return kinds[kind]._from_fields(fields)
        except (TypeError, DefinitionError) as error:
            raise ConfigError(
                f"partitioning of kind {kind!r} cannot be built: {getattr(error, 'what', error)}",
                where="partitioning",
                fix="give the fields that to_definition() wrote",
            ) from error

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> PartitionConfig:
        return cls(**fields)


def is_blank(item: object) -> bool:
    """Tell whether a typed item says nothing: ``None``, or text without a visible character."""
    return item is None or (isinstance(item, str) and not item.strip())


def check_column(column: object, *, where: str) -> None:
    """Refuse what is not the name of a column.

    Raises:
        ConfigError: It is none.
    """
    if not isinstance(column, str) or not column.strip():
        raise ConfigError(
            f"column={column!r} is not the name of a column",
            where=where,
            fix="name the column that says which partition a row lies in",
        )
