# Plain text paths and os calls: thousands per window, and tests stop the process between any two of them.
# ruff: noqa: PTH100, PTH111, PTH118
"""What the destinations that keep one file per partition share: places, commits, consistent reads.

A subclass says how one value becomes the content of a file and back; everything that makes a write atomic is here.
"""

import contextlib
import logging
import os
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, ClassVar
from urllib.parse import unquote, urlsplit

from pydantic import BeforeValidator, Field

from airflow_provider.definitions.destination import Call, Guarantee, join
from airflow_provider.definitions.environment import resolve_env
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.batch_read import read_batches
from airflow_provider.destinations.commit import Encoded, PosixCommitter
from airflow_provider.destinations.committed import CommittedDestination
from airflow_provider.destinations.paths import TableFolder
from airflow_provider.destinations.snapshot import Snapshot, take_snapshot
from airflow_provider.errors import AssetsError, ConfigError, DataNotFoundError
from airflow_provider.ledger.foreign import own
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.partitioning import Partition
from airflow_provider.schema.representations.reader import BATCH_ROWS
from airflow_provider.storage import posix

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.destinations.file_inspect import FileInspector

log = logging.getLogger(__name__)

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_NAMED_IN_LOG = 10


def _base_path(value: object) -> object:
    """Accept text and ``PathLike``; refuse, while it is defined, what can never work."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(text, str):
        _local(text)
    return text


def _local(text: str) -> str:
    """The file path that ``text`` names; raises ``ConfigError`` for other schemes and for empty text."""
    scheme = _SCHEME.match(text)
    if scheme and scheme.group(1).lower() != "file":
        raise ConfigError(
            f"base_path {scheme.group()!r}... is not a local path: object stores are not supported by this version",
            where="base_path",
            fix="use a folder on a local or shared file system",
        )
    if not text.strip() or "\0" in text:
        raise ConfigError("base_path is empty or holds a NUL", where="base_path", fix="name a folder")
    return unquote(urlsplit(text).path) if scheme else text


class FileLikeDestination(CommittedDestination):
    """Base of the destinations that keep one file per partition under ``base_path``.

    Args:
        base_path: A folder; made when it is not there. ``~`` and ``{env.NAME}`` are filled in where it is used.
        lock_timeout_s: How long a commit waits for another writer of the same partition, in seconds.
    """

    guarantee: ClassVar[Guarantee] = "atomic"
    extension: ClassVar[str] = "bin"

    base_path: Annotated[str, BeforeValidator(_base_path)]
    lock_timeout_s: float = Field(default=60.0, ge=0)

    @property
    def root(self) -> str:
        """``base_path`` as an absolute path, with ``~`` and ``{env.NAME}`` filled in."""
        text = _local(resolve_env(self.base_path, where=self.label))
        return os.path.abspath(os.path.expanduser(text))

    @property
    def address(self) -> str:
        """Format and absolute path: ``parquet:/lake/bronze``."""
        return f"{self.extension}:{self.root}"

    def encode(self, data: Any, sink: BinaryIO, *, where: str) -> Encoded:
        """Write one value to ``sink`` as the content of a file."""
        raise NotImplementedError

    def decode(self, snapshot: Snapshot, context: IOContext, *, path: str, where: str) -> Any:
        """The value that ``encode`` wrote. ``snapshot.content`` is not None and matches its record, if it has one."""
        raise NotImplementedError

    def empty(self, context: IOContext) -> Any:
        """What a partition reads as that is recorded as empty."""
        raise NotImplementedError

    def folder(self, context: IOContext) -> TableFolder:
        """The places of the context's table."""
        return TableFolder.of(
            self.root,
            dataset=context.dataset,
            table=context.table,
            columns=context.columns,
            extension=self.extension,
        )

    def committer(self, context: IOContext, *, call: Call | None = None) -> PosixCommitter:
        """The committer of the context's asset; ``call`` is not needed, for nothing here is a hook of the user's."""
        return PosixCommitter(
            self.folder(context),
            self,
            asset=context.asset.qualified_key,
            address=self.address,
            lock_timeout_s=self.lock_timeout_s,
        )

    def inspector(self, context: IOContext, *, call: Call | None = None) -> "FileInspector":
        """What looks at the asset's files."""
        from airflow_provider.destinations.file_inspect import FileInspector

        return FileInspector(self, context)

    def read_partition(self, context: IOContext, partition: Partition | None) -> Any:
        """Read one whole version of a partition.

        Raises:
            DataNotFoundError: Nothing is stored for it.
            DataCorruptError: What is stored is damaged; the file is named.
        """
        table = _Table.of(self, context)
        snapshot = table.snapshot(partition)
        if snapshot is None:
            raise table.not_found(partition)
        return self._value(snapshot, context, table, partition)

    def read(self, context: IOContext) -> Any:
        """Read what the context covers; see ``Destination.read``. Missing partitions are logged and left out."""
        table, found, keys, empty = _Table.of(self, context), [], [], 0
        for partition in context.partitions:
            snapshot = table.snapshot(partition)
            if snapshot is None:
                context.missing.append("" if partition is None else partition.key)
            elif snapshot.content is None:
                empty += 1
            else:
                found.append(self._value(snapshot, context, table, partition))
                keys.append("" if partition is None else partition.key)
        if context.missing and (found or empty):
            self._log_missing(context)
        return self.empty(context) if empty and not found else join(self, context, found, keys)

    def read_batches(self, context: IOContext) -> "pa.RecordBatchReader":
        """Read what the context covers batch by batch, one partition after another, in memory that does not grow.

        Each file is checked against its record before its first batch, and is one version to its last one.
        ``context.missing`` names the partitions that are not there; it is filled when this returns.

        Raises:
            DataNotFoundError: None of the partitions is there.
            DataCorruptError: A file is damaged; it is named. It may come while the reader is read.
        """
        reader = read_batches(self, context, where=f"{context.asset.label} in {self.address}")
        if context.missing:
            self._log_missing(context)
        return reader

    def open_file(
        self, file: BinaryIO, record: CommitRecord | None, context: IOContext, *, path: str, where: str
    ) -> "pa.RecordBatchReader":
        """The batches of an open file; here those of the whole value, which must be a table."""
        value = self.decode(Snapshot(file.read(), record), context, path=path, where=where)
        return as_arrow(value, where=where).to_reader(max_chunksize=BATCH_ROWS)

    def partition_row_counts(self, context: IOContext) -> dict[str, int]:
        """Rows per partition key, from the commit records; data that is no table counts 1.

        Partitions that were there before the package have no record: they are counted where the format can tell
        without reading the data. Keys that are no partition of the asset any more are left out.
        """
        folder, committer = self.folder(context), self.committer(context)
        counts = {r.key: 1 if r.rows is None else r.rows for r in committer.all_records() if r.key is not None}
        for key in committer.untracked(set(counts)):
            rows = self.count(folder.data(key))
            if rows is not None:
                counts[key] = rows
        return own(context.asset.partitioning, dict(sorted(counts.items())))

    def count(self, path: str) -> int | None:
        """Rows of a file, if they can be told without reading its data."""
        return None

    def check(self) -> list[str]:
        """Try the folder as a commit would: make it, write, lock, remove."""
        path = os.path.join(self.root, f".check-{uuid.uuid4().hex}")
        try:
            with posix.mapped(path, where=self.label):
                posix.make_folder(self.root)
                with posix.locked(path, timeout_s=1.0, where=self.label):
                    posix.write_new(path, b"check")
                posix.remove(path)
        except AssetsError as error:
            with contextlib.suppress(OSError):
                posix.remove(path)
            return [str(error)]
        return []

    def _value(self, snapshot: Snapshot, context: IOContext, table: "_Table", partition: Partition | None) -> Any:
        if snapshot.content is None:
            return self.empty(context)
        return self.decode(snapshot, context, path=table.path(partition), where=table.where(partition))

    def _log_missing(self, context: IOContext) -> None:
        named = ", ".join(context.missing[:_NAMED_IN_LOG])
        more = len(context.missing) - _NAMED_IN_LOG
        log.warning(
            "%s in %s: %s of %s partitions are not there and were left out: %s%s",
            context.asset.label,
            self.address,
            len(context.missing),
            len(context.partitions),
            named,
            f" and {more} more" if more > 0 else "",
        )


@dataclass(frozen=True)
class _Table:
    """A context's table while it is read: what holds for all of its partitions, worked out once."""

    folder: TableFolder
    committer: PosixCommitter
    label: str
    address: str

    @classmethod
    def of(cls, destination: FileLikeDestination, context: IOContext) -> "_Table":
        committer = destination.committer(context)
        return cls(destination.folder(context), committer, context.asset.label, destination.address)

    def path(self, partition: Partition | None) -> str:
        """The data file."""
        return self.folder.data(None if partition is None else partition.key)

    def where(self, partition: Partition | None) -> str:
        """The place for messages."""
        return f"{self.label}{'' if partition is None else f', partition {partition.key!r}'} in {self.address}"

    def snapshot(self, partition: Partition | None) -> Snapshot | None:
        """One whole version, checked; None where nothing is stored."""
        key = None if partition is None else partition.key
        return take_snapshot(self.folder, self.committer, key, where=self.where(partition))

    def not_found(self, partition: Partition | None) -> DataNotFoundError:
        """The error for a partition that is not there."""
        return DataNotFoundError(
            f"nothing is stored at {self.path(partition)!r}",
            where=self.where(partition),
            fix="materialize it first, or name partitions that are there",
        )


def as_arrow(data: Any, *, where: str) -> "pa.Table":
    """``data`` as an Arrow table.

    Raises:
        DestinationError: ``data`` is not a table.
    """
    import pyarrow as pa

    if isinstance(data, pa.Table):
        return data
    from airflow_provider.errors import DestinationError
    from airflow_provider.schema.representations import TableData, unwrap

    table = TableData.of(unwrap(data))
    if table is None:
        raise DestinationError(
            f"holds tables only, and was given {type(data).__name__}",
            where=where,
            fix="return rows, a DataFrame or an Arrow table, or use FileDestination for other objects",
        )
    return table.arrow(where=where)


def gathered(reader: "pa.RecordBatchReader", *, rows: int, size: int) -> "Iterator[list[pa.RecordBatch]]":
    """Batches in groups of at most so many rows and bytes, and at least one batch."""
    held: list[pa.RecordBatch] = []
    held_rows = held_size = 0
    for batch in reader:
        if held and (held_rows + batch.num_rows > rows or held_size + batch.nbytes > size):
            yield held
            held, held_rows, held_size = [], 0, 0
        held.append(batch)
        held_rows, held_size = held_rows + batch.num_rows, held_size + batch.nbytes
    if held:
        yield held


def empty_table(context: IOContext) -> "pa.Table":
    """No rows, with the columns of the context's schema if there is one."""
    import pyarrow as pa

    return context.schema.arrow().empty_table() if context.schema is not None else pa.table({})


def detached(data: Any) -> Any:
    """``data``; an Arrow table in buffers of its own, for a pickled slice would take the rows of all others with it.

    A reader becomes a table, and so does a polars frame with columns of Python objects, which polars cannot pickle.
    """
    from airflow_provider.schema.representations import TableData
    from airflow_provider.schema.representations.polars import holds_objects

    table = TableData.of(data)
    if table is None or not (table.kind in ("arrow", "reader") or holds_objects(table.value)):
        return data
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    arrow = table.arrow()
    with pa.ipc.new_stream(sink, arrow.schema) as stream:
        stream.write_table(arrow)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def rows_of(data: Any) -> int | None:
    """Rows of tabular data; None for anything else."""
    from airflow_provider.schema.representations import TableData

    table = TableData.of(data)
    return None if table is None else table.num_rows
