"""Reading one upstream for one run: at once, or when it is asked for where that spares memory.

What fits one batch is read before the function is called. More is read when the function asks, as a whole or batch by
batch; that its partitions are there, and which are missing, is looked up before all the same.
"""

import contextlib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.errors import AssetError, AssetsError, DataNotFoundError
from airflow_provider.execution.events import Emitter
from airflow_provider.execution.offload import Bridge
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.partitioning import PartitionWindow
from airflow_provider.schema.representations import unwrap
from airflow_provider.schema.representations.reader import BATCH_ROWS

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE = ""
"""Stands for the unpartitioned whole among partition keys of a version map."""


@dataclass
class Reading:
    """One upstream of one run.

    Args:
        asset: Who reads.
        upstream: What is read.
        window: The partitions that the run covers.
        bridge: Calls sync and async hooks.
        emitter: Tells of the reads.
        metadata: Free values for the destination.

    Attributes:
        versions: Partition key (``WHOLE`` for an unpartitioned upstream) -> the version that was there before the read.
    """

    asset: Asset | MultiAsset
    upstream: Asset
    window: PartitionWindow | None
    bridge: Bridge
    emitter: Emitter
    metadata: Mapping[str, Any]
    versions: dict[str, str] = field(default_factory=dict, init=False)
    _opened: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        partitioning = self.upstream.partitioning
        own_window = None if self.window is None or partitioning is None else partitioning.adopt(self.window)
        self._io = IOContext(self.upstream, own_window, self.metadata, self.upstream.schema)
        self._destination: Destination = self.upstream.default_destination

    def read(self) -> Upstream:
        """The upstream with its data, or with what reads it.

        Raises:
            AssetError: The read failed for another reason than that nothing is stored there.
        """
        keys = tuple(self._io.window.keys) if self._io.window is not None else ()
        try:
            with self._worded():
                records = self._records()
                self.versions = {key or WHOLE: f"{r.fence}-{r.attempt}" for key, r in records.items()}
                is_deferred = self._is_deferred(records.values())
                with self._step():
                    if is_deferred:
                        self._opened = self._destination.read_batches(self._io)
                    data = None if is_deferred else self._read(self._io)
                self._name_missing(records)
        except DataNotFoundError:
            self.emitter.warn(
                "%s reads %s, but nothing is stored there for %s",
                self.asset.label, self.upstream.label, self._io.window or "the asset",
            )  # fmt: skip
            return Upstream(self.upstream, None, keys)
        if self._io.missing:
            named = _listed(self._io.missing)
            self.emitter.warn("%s reads %s, which misses %s", self.asset.label, self.upstream.label, named)
        return Upstream(self.upstream, data, tuple(self._io.missing), reads=self if is_deferred else None)

    def whole(self) -> Any:
        """All of it; None where it is gone meanwhile."""
        self._opened = None
        with self._worded(), self._step():
            return self._read(replace(self._io, missing=[]))

    def batches(self) -> "pa.RecordBatchReader":
        """All of it, batch by batch; the first call gives the reader that was opened before the function ran."""
        opened, self._opened = self._opened, None
        if opened is None:
            with self._worded(), self._step():
                opened = self._destination.read_batches(replace(self._io, missing=[]))
        return _worded_reader(opened, self)

    def _read(self, io: IOContext) -> Any:
        data = self.bridge.call(self._destination.read, io)
        return unwrap(data) if isinstance(data, Iterator) else data

    def _name_missing(self, records: Mapping[str | None, CommitRecord]) -> None:
        """Name what was never committed, where a ``read`` of a user's own gave what is there and named nothing.

        Without any record the data may be older than the records, and nothing can be said.
        """
        kind, io = type(self._destination), self._io
        has_own_read = kind.read is not Destination.read and kind.committer is Destination.committer
        if has_own_read and records and not io.missing:
            keys = [partition.key for partition in io.partitions if partition is not None]
            io.missing.extend(key for key in keys if key not in records)

    def _records(self) -> dict[str | None, CommitRecord]:
        """The records of what is read; raises where it may be half written, which some committers can tell."""
        committer = self._destination.committer(self._io, call=self.bridge.call)
        keys = [partition.key if partition is not None else None for partition in self._io.partitions]
        require_settled = getattr(committer, "require_settled", None)
        if require_settled is not None:
            require_settled(keys)
        return committer.records(keys)

    def _is_deferred(self, records: Iterable[CommitRecord]) -> bool:
        """Whether there is more than a batch, in a store that can be read in batches and without an event loop."""
        kind = type(self._destination)
        is_async = inspect.iscoroutinefunction(kind.read) or inspect.iscoroutinefunction(kind.read_partition)
        can = kind.read_batches is not Destination.read_batches and not is_async
        return can and sum(record.rows or 0 for record in records) > BATCH_ROWS

    def _step(self) -> "contextlib.AbstractContextManager[dict[str, Any]]":
        keys = tuple(self._io.window.keys) if self._io.window is not None else ()
        return self.emitter.step(
            "dest_read", keys=keys, destination=self._destination.key, upstream=self.upstream.qualified_key
        )

    @contextlib.contextmanager
    def _worded(self) -> Iterator[None]:
        """Say of an error which upstream it came from; nothing stored passes."""
        try:
            yield
        except DataNotFoundError:
            raise
        except AssetsError as error:
            raise AssetError(
                f"upstream {self.upstream.qualified_key!r} could not be read: {error.what}",
                where=self.asset.label,
                fix=error.fix,
            ) from error
        except Exception as error:
            raise AssetError(
                f"upstream {self.upstream.qualified_key!r} could not be read: {type(error).__name__}",
                where=self.asset.label,
                fix=f"look at {self._destination.label}; `airflow-assets doctor` checks it",
            ) from error


def _worded_reader(reader: "pa.RecordBatchReader", reading: Reading) -> "pa.RecordBatchReader":
    """The same reader, whose errors say which upstream they came from."""
    import pyarrow as pa

    def batches() -> "Iterator[pa.RecordBatch]":
        while True:
            with reading._worded():
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    return
            yield batch

    return pa.RecordBatchReader.from_batches(reader.schema, batches())


def _listed(keys: list[str], limit: int = 5) -> str:
    return ", ".join(keys[:limit]) + (f" and {len(keys) - limit} more" if len(keys) > limit else "")
