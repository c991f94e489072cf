"""CSV files, one per partition, with a sidecar that keeps the types."""

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.commit import Encoded
from airflow_provider.destinations.csv_codec import (
    YEARS,
    read_csv,
    read_csv_batches,
    read_untyped,
    refused,
    schema_of,
    write_batches,
    write_csv,
)
from airflow_provider.destinations.file_like import FileLikeDestination, as_arrow, empty_table
from airflow_provider.destinations.snapshot import Snapshot
from airflow_provider.errors import DataCorruptError
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.schema.representations.reader import as_reader
from airflow_provider.schema.type_map import TypeMap
from airflow_provider.storage import posix

if TYPE_CHECKING:
    import pyarrow as pa


class CSVDestination(FileLikeDestination):
    """Stores each partition as ``data.csv``; reads give a ``pyarrow.Table`` with the types that were written.

    The header is the union of the rows' keys in order of first appearance. A file that was there before, and has no
    record, reads as text, or by the declared schema where there is one.

    Args:
        base_path: A folder; made when it is not there. ``~`` and ``{env.NAME}`` are filled in where it is used.
        lock_timeout_s: How long a commit waits for another writer of the same partition, in seconds.
    """

    key: ClassVar[str] = "csv_destination"
    name: ClassVar[str] = "CSV"
    representation: ClassVar[str | None] = "arrow"
    streams: ClassVar[bool] = True
    extension: ClassVar[str] = "csv"
    type_map: ClassVar[TypeMap] = TypeMap(
        refused={
            "interval": "CSV has no form for intervals",
            "union": "CSV has no form for unions",
            "run_end": "decode the column with pyarrow.compute.run_end_decode",
            "extension": "CSV has no form for it; cast the column to its storage type",
        },
        refused_inside={
            "dictionary": "JSON has no form for it; cast it to its values",
            "float16": "JSON has no form for it; cast it to float32",
            "view": "JSON has no form for it; cast it to string, binary or list",
        },
        rule=refused,
        years=YEARS,
    )

    def encode(self, data: Any, sink: BinaryIO, *, where: str) -> Encoded:
        """Write a table as CSV, a reader batch by batch; the types go to the sidecar."""
        reader = as_reader(data)
        if reader is not None:
            rows, types = write_batches(reader, sink, where=where)
            return Encoded(rows=rows, types=types)
        table = as_arrow(data, where=where)
        types = write_csv(table, sink, where=where)
        return Encoded(rows=table.num_rows, types=types)

    def decode(self, snapshot: Snapshot, context: IOContext, *, path: str, where: str) -> "pa.Table":
        """Read the file as a ``pyarrow.Table``."""
        import pyarrow as pa

        content = snapshot.content or b""
        if snapshot.record is None or snapshot.record.types is None:
            return self._untracked(content, context, path=path, where=where)
        types = self._types(snapshot.record.types, context, where=where)
        try:
            return read_csv(content, types)
        except (pa.ArrowException, ValueError, KeyError, TypeError) as error:
            raise self._corrupt(f"{path!r} does not fit the types it was written with: {error}", where) from error

    def open_file(
        self, file: BinaryIO, record: CommitRecord | None, context: IOContext, *, path: str, where: str
    ) -> "pa.RecordBatchReader":
        """The batches of an open file; one that has no record is read at once, for its text must be looked at whole."""
        import pyarrow as pa

        if record is None or record.types is None:
            return self._untracked(file.read(), context, path=path, where=where).to_reader()
        types = self._types(record.types, context, where=where)
        errors = (pa.ArrowException, ValueError, KeyError, TypeError)

        def batches() -> "Iterator[pa.RecordBatch]":
            try:
                yield from read_csv_batches(file, types)
            except errors as error:
                raise self._corrupt(f"{path!r} does not fit the types it was written with: {error}", where) from error

        try:
            return pa.RecordBatchReader.from_batches(schema_of(types), batches())
        except errors as error:
            raise self._corrupt(f"the type sidecar of {path!r} is damaged: {error}", where) from error

    def empty(self, context: IOContext) -> "pa.Table":
        """A table without rows."""
        return empty_table(context)

    def _types(self, name: str, context: IOContext, *, where: str) -> bytes:
        path = self.folder(context).sidecar(name)
        with posix.mapped(path, where=where):
            types = posix.read_bytes(path)
        if types is None or hashlib.sha256(types).hexdigest() != name:
            raise self._corrupt(f"the type sidecar {path!r} is {'gone' if types is None else 'damaged'}", where)
        return types

    def _untracked(self, content: bytes, context: IOContext, *, path: str, where: str) -> "pa.Table":
        import pyarrow as pa

        from airflow_provider.schema.conform import MaterializationStrategy, conform
        from airflow_provider.schema.representations import TableData

        try:
            table = read_untyped(content)
        except (pa.ArrowException, ValueError) as error:
            raise self._corrupt(f"{path!r} is not readable as CSV in UTF-8: {error}", where) from error
        data = TableData.of(table)
        if context.schema is None or data is None or not table.num_columns:
            return table
        return conform(data, context.schema, MaterializationStrategy.RECONCILE, where=where)[0].arrow()

    def _corrupt(self, what: str, where: str) -> DataCorruptError:
        return DataCorruptError(
            what, where=where, fix="materialize the partition again, or restore the file from a backup"
        )
