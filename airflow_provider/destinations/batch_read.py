"""A window read batch by batch: one partition after another, each from one whole version that was checked first.

The batches of all partitions have one schema, which is read off the files before the first batch; so the reader can be
handed to whatever takes a ``pyarrow.RecordBatchReader``.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, Protocol

from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.commit import PosixCommitter
from airflow_provider.destinations.paths import TableFolder
from airflow_provider.destinations.snapshot import open_snapshot
from airflow_provider.errors import DataCorruptError, DataNotFoundError
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.partitioning import Partition
from airflow_provider.schema.promotion import GrowingSchema, fitted
from airflow_provider.storage import posix

if TYPE_CHECKING:
    import pyarrow as pa


class BatchFormat(Protocol):
    """A file-like destination whose files can be read in batches."""

    def folder(self, context: IOContext) -> TableFolder:
        """The places of the context's table."""

    def committer(self, context: IOContext) -> PosixCommitter:
        """The committer of the context's asset."""

    def open_file(
        self, file: BinaryIO, record: CommitRecord | None, context: IOContext, *, path: str, where: str
    ) -> "pa.RecordBatchReader":
        """The batches of a file; its schema is known before the first one is read."""


def read_batches(destination: BatchFormat, context: IOContext, *, where: str) -> "pa.RecordBatchReader":
    """What the context covers, in batches; ``context.missing`` names the partitions that are not there.

    Raises:
        DataNotFoundError: None of the partitions is there.
        DataCorruptError: A file is damaged; it is named. Later ones are found when the reader comes to them.
    """
    import pyarrow as pa

    folder, committer = destination.folder(context), destination.committer(context)
    growing, held, empty = GrowingSchema(where), [], 0
    for partition in context.partitions:
        key = None if partition is None else partition.key
        record = committer.record(key)
        if record is not None and record.state == "empty":
            empty += 1
            continue
        schema = _schema_of(destination, context, folder.data(key), record, where)
        if schema is None:
            context.missing.append("" if key is None else key)
            continue
        growing.add(schema.empty_table(), 0, from_rows=False)
        held.append(partition)
    if not (held or empty):
        raise DataNotFoundError(
            f"nothing is stored for {_named(context.partitions)}",
            where=where,
            fix="materialize it first, or name partitions that are there",
        )
    schema = growing.schema
    if schema is None:
        schema = context.schema.arrow() if context.schema is not None else pa.schema([])
    return pa.RecordBatchReader.from_batches(schema, _batches(destination, context, held, schema, where))


def _named(partitions: Sequence[Partition | None]) -> str:
    keys = [partition.key for partition in partitions if partition is not None]
    return "the asset" if not keys else keys[0] if len(keys) == 1 else f"{keys[0]}..{keys[-1]}"


def _schema_of(
    destination: BatchFormat, context: IOContext, path: str, record: CommitRecord | None, where: str
) -> "pa.Schema | None":
    with posix.mapped(path, where=where):
        try:
            file = open(path, "rb")  # noqa: PTH123, SIM115 -- closed below
        except FileNotFoundError:
            if record is None:
                return None
            raise DataCorruptError(
                f"{path!r} is gone, but its commit record says that it holds {record.bytes} bytes",
                where=where,
                fix="materialize the partition again, or restore the file from a backup",
            ) from None
        with file:
            return destination.open_file(file, record, context, path=path, where=where).schema


def _batches(
    destination: BatchFormat, context: IOContext, held: list[Partition | None], schema: "pa.Schema", where: str
) -> "Iterator[pa.RecordBatch]":
    import pyarrow as pa

    folder, committer = destination.folder(context), destination.committer(context)
    for partition in held:
        key = None if partition is None else partition.key
        at = f"{where}{'' if key is None else f', partition {key!r}'}"
        snapshot = open_snapshot(folder, committer, key, where=at)
        if snapshot is None or snapshot.file is None:
            continue  # emptied since we looked
        with snapshot.file as file:
            for batch in destination.open_file(file, snapshot.record, context, path=folder.data(key), where=at):
                yield from fitted(pa.Table.from_batches([batch]), schema).to_batches()
