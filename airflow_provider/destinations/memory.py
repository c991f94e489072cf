"""A store in the memory of this process, for tests and notebooks.

What is stored is a frozen copy: a producer that changes its data later changes nothing here, and each read gives a
fresh value. Commits follow the same rules as on disk: fences, records, late writers refused.
"""

import pickle
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from airflow_provider.definitions.destination import Call, Guarantee, Stamp, join
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.committed import CommittedDestination
from airflow_provider.destinations.file_like import detached, rows_of
from airflow_provider.destinations.paths import component, partition_components
from airflow_provider.errors import DataNotFoundError, DestinationError, SupersededError
from airflow_provider.ledger.foreign import own
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.partitioning import Partition

_ADDRESS = "memory:"


@dataclass(frozen=True)
class Stored:
    """One partition: its record and its frozen value (None: recorded as empty)."""

    record: CommitRecord
    frozen: bytes | None


class MemoryDestination(CommittedDestination):
    """Stores partitions in a dict that all instances in the process share. Call ``clear`` between tests.

    The dict's keys are ``{dataset}/{table}`` or ``{dataset}/{table}/{column}={key}``, as the paths of files are.
    """

    key: ClassVar[str] = "memory_destination"
    name: ClassVar[str] = "Memory"
    guarantee: ClassVar[Guarantee] = "atomic"

    _storage: ClassVar[dict[str, Stored]] = {}
    _fences: ClassVar[dict[str, int]] = {}
    _lock: ClassVar[Any] = threading.RLock()

    @classmethod
    def clear(cls) -> None:
        """Forget everything, of every instance."""
        with cls._lock:
            cls._storage.clear()
            cls._fences.clear()

    @property
    def address(self) -> str:
        """The same for all instances, for they share one store."""
        return _ADDRESS

    def committer(self, context: IOContext, *, call: Call | None = None) -> "MemoryCommitter":
        """The committer of the context's asset."""
        return MemoryCommitter(context)

    def read_partition(self, context: IOContext, partition: Partition | None) -> Any:
        """A fresh copy of one partition; ``[]`` for one that is recorded as empty.

        Raises:
            DataNotFoundError: Nothing is stored for it.
        """
        stored = self._storage.get(_place(context, partition))
        if stored is None:
            raise DataNotFoundError(
                "nothing is stored" if partition is None else f"nothing is stored for {partition.key!r}",
                where=f"{context.asset.label} in {self.label}",
                fix="materialize it first in this process; memory is not shared between processes",
            )
        return [] if stored.frozen is None else pickle.loads(stored.frozen)  # noqa: S301 -- pickled by this process

    def read(self, context: IOContext) -> Any:
        """Read what the context covers; see ``Destination.read``. Empty partitions add nothing."""
        found, keys, empty = [], [], 0
        for partition in context.partitions:
            stored = self._storage.get(_place(context, partition))
            if stored is None:
                context.missing.append("" if partition is None else partition.key)
            elif stored.frozen is None:
                empty += 1
            else:
                found.append(self.read_partition(context, partition))
                keys.append("" if partition is None else partition.key)
        return [] if empty and not found else join(self, context, found, keys)

    def partition_row_counts(self, context: IOContext) -> dict[str, int]:
        """Rows per partition key; data that is no table counts 1."""
        records = self.committer(context).all_records()
        counts = dict(sorted((r.key, 1 if r.rows is None else r.rows) for r in records if r.key is not None))
        return own(context.asset.partitioning, counts)


class MemoryCommitter:
    """Commits in memory; one lock makes compare and store one step."""

    guarantee: Guarantee = "atomic"

    def __init__(self, context: IOContext) -> None:
        self._context = context
        self._table = _table(context)

    def place(self, partition: Partition | None) -> str:
        """Where ``partition`` is kept, there or not; a key that fits no place raises ``PartitionError``."""
        return _place(self._context, partition)

    def take_fence(self) -> int:
        """A number above every fence taken before."""
        with MemoryDestination._lock:
            fence = MemoryDestination._fences.get(self._table, 0) + 1
            MemoryDestination._fences[self._table] = fence
            return fence

    def records(self, keys: Sequence[str | None]) -> dict[str | None, CommitRecord]:
        """The commit records of those ``keys`` that have one."""
        wanted = set(keys)
        return {record.key: record for record in self.all_records() if record.key in wanted}

    def all_records(self) -> list[CommitRecord]:
        """Every commit record of the asset, by key."""
        with MemoryDestination._lock:
            stored = [s for place, s in MemoryDestination._storage.items() if self._owns(place)]
        return sorted((s.record for s in stored), key=lambda record: record.key or "")

    def commit(self, partition: Partition | None, data: Any, stamp: Stamp) -> CommitRecord:
        """Replace exactly this partition by a frozen copy of ``data``.

        Raises:
            SupersededError: A commit with a fence at or above ours is there; nothing was changed.
            DestinationError: ``data`` cannot be copied.
        """
        data = detached(data)
        frozen = self._freeze(data)
        record = replace(self._record(partition, stamp), rows=rows_of(data), bytes=len(frozen))
        return self._swap(partition, Stored(record, frozen))

    def commit_empty(self, partition: Partition | None, stamp: Stamp) -> CommitRecord:
        """Record the partition as held and empty; its data is gone."""
        record = replace(self._record(partition, stamp), state="empty", rows=0)
        return self._swap(partition, Stored(record, None))

    def repair(self) -> list[str]:
        """Nothing: what a crash leaves in memory is nothing."""
        return []

    def _swap(self, partition: Partition | None, new: Stored) -> CommitRecord:
        place = _place(self._context, partition)
        with MemoryDestination._lock:
            current = MemoryDestination._storage.get(place)
            if current is not None and current.record.fence >= new.record.fence:
                raise SupersededError(
                    f"a newer attempt has committed (fence {current.record.fence}); this one has fence"
                    f" {new.record.fence} and changed nothing",
                    where=f"{self._context.asset.label}, {place!r} in memory",
                    fix="nothing needs mending; run the partition again if its newer data is not what you want",
                )
            MemoryDestination._storage[place] = new
        return new.record

    def _freeze(self, data: Any) -> bytes:
        try:
            return pickle.dumps(data, protocol=5)
        except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
            raise DestinationError(
                f"a value of type {type(data).__name__} cannot be copied: {error}",
                where=f"{self._context.asset.label} in memory",
                fix="return data without open files, locks, generators, lambdas or local classes",
            ) from error

    def _record(self, partition: Partition | None, stamp: Stamp) -> CommitRecord:
        asset, uri = self._context.asset.qualified_key, f"{_ADDRESS}{_place(self._context, partition)}"
        return stamp.record(asset=asset, destination=_ADDRESS, partition=partition, uri=uri)

    def _owns(self, place: str) -> bool:
        depth = max(1, len(self._context.columns))
        table, *parts = place.rsplit("/", depth)
        return place == self._table or (table == self._table and len(parts) == depth and all("=" in p for p in parts))


def _table(context: IOContext) -> str:
    dataset = [component(context.dataset)] if context.dataset else []
    return "/".join([*dataset, component(context.table)])


def _place(context: IOContext, partition: Partition | None) -> str:
    table = _table(context)
    return table if partition is None else "/".join([table, *partition_components(context.columns, partition.key)])
