"""Parquet files, one per partition; every Arrow type survives, for the file carries the Arrow schema."""

import base64
import itertools
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Literal

from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.commit import Encoded
from airflow_provider.destinations.file_like import FileLikeDestination, as_arrow, empty_table, gathered
from airflow_provider.destinations.parquet_layout import dictionary_columns, joined
from airflow_provider.destinations.snapshot import Snapshot
from airflow_provider.errors import DataCorruptError, SchemaError
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.schema.arrow_types import as_type, is_bytes, is_text
from airflow_provider.schema.representations.reader import BATCH_ROWS, as_reader
from airflow_provider.schema.type_map import TypeMap

if TYPE_CHECKING:
    import pyarrow as pa


_GROUP_ROWS = 1 << 20  # what pyarrow makes of a table
_GROUP_BYTES = 64 << 20
_SMALL_BYTES = 32 << 20


def _refused(kind: "pa.DataType", is_inside: bool) -> str | None:
    import pyarrow as pa

    if pa.types.is_decimal(kind) and kind.scale < 0:
        return "Parquet has no negative scale; cast it to scale 0"
    if pa.types.is_struct(kind) and not kind.num_fields:
        return "Parquet has no records without fields"
    if pa.types.is_fixed_size_list(kind) and not kind.list_size:
        return "Parquet has no lists of the fixed size 0"
    if is_inside and pa.types.is_dictionary(kind) and not (is_text(kind.value_type) or is_bytes(kind.value_type)):
        return "inside a list, record or map, only a dictionary of text or bytes is read back"
    return None


class ParquetDestination(FileLikeDestination):
    """Stores each partition as ``data.parquet``; reads give a ``pyarrow.Table``.

    Args:
        base_path: A folder; made when it is not there. ``~`` and ``{env.NAME}`` are filled in where it is used.
        lock_timeout_s: How long a commit waits for another writer of the same partition, in seconds.
        compression: How columns are compressed.
    """

    key: ClassVar[str] = "parquet_destination"
    name: ClassVar[str] = "Parquet"
    representation: ClassVar[str | None] = "arrow"
    streams: ClassVar[bool] = True
    extension: ClassVar[str] = "parquet"
    type_map: ClassVar[TypeMap] = TypeMap(
        refused={
            "interval": "Parquet has no intervals of months, days and nanoseconds",
            "union": "Parquet has no unions",
            "run_end": "Parquet encodes runs by itself; decode the column with pyarrow.compute.run_end_decode",
        },
        rule=_refused,
    )

    compression: Literal["snappy", "zstd", "gzip", "lz4", "none"] = "snappy"

    def encode(self, data: Any, sink: BinaryIO, *, where: str) -> Encoded:
        """Write a table as one Parquet file; a reader row group by row group, as its batches come."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        reader = as_reader(data)
        try:
            if reader is not None:
                return Encoded(rows=self._encode_batches(reader, sink))
            table = joined(as_arrow(data, where=where))
            pq.write_table(table, sink, compression=self.compression, use_dictionary=dictionary_columns(table))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise SchemaError(
                f"Parquet cannot hold this table: {error}",
                where=where,
                fix="change the column to a type that Parquet has, for instance text or bytes",
            ) from error
        return Encoded(rows=table.num_rows)

    def _encode_batches(self, reader: "pa.RecordBatchReader", sink: BinaryIO) -> int:
        """Write what a reader gives; the number of rows."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        groups = map(pa.Table.from_batches, gathered(reader, rows=_GROUP_ROWS, size=_GROUP_BYTES))
        first = next(groups, reader.schema.empty_table())
        dictionaries, rows = dictionary_columns(first), 0
        options = {"compression": self.compression, "use_dictionary": dictionaries}
        with pq.ParquetWriter(sink, reader.schema, **options) as writer:
            for group in itertools.chain([first], groups):
                if group.num_rows:
                    writer.write_table(joined(group), row_group_size=_GROUP_ROWS)
                rows += group.num_rows
        return rows

    def decode(self, snapshot: Snapshot, context: IOContext, *, path: str, where: str) -> "pa.Table":
        """Read the file as a ``pyarrow.Table``."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            content = snapshot.content or b""
            file = pq.ParquetFile(pa.BufferReader(content))
            threads = len(content) > _SMALL_BYTES  # for less, to start them costs more than they give
            return _as_written(file.read(use_threads=threads), file.metadata.metadata)
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(path, error, where) from error

    def open_file(
        self, file: BinaryIO, record: CommitRecord | None, context: IOContext, *, path: str, where: str
    ) -> "pa.RecordBatchReader":
        """The batches of an open file, each of ``BATCH_ROWS`` rows at most."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            found = pq.ParquetFile(pa.PythonFile(file, mode="r"))
            schema = _stored_schema(found.metadata.metadata) or found.schema_arrow
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(path, error, where) from error

        def batches() -> "Iterator[pa.RecordBatch]":
            try:
                for batch in found.iter_batches(batch_size=BATCH_ROWS):
                    yield _in_schema(batch, schema)
            except (pa.ArrowException, OSError) as error:
                raise _unreadable(path, error, where) from error

        return pa.RecordBatchReader.from_batches(schema, batches())

    def empty(self, context: IOContext) -> "pa.Table":
        """A table without rows."""
        return empty_table(context)

    def count(self, path: str) -> int | None:
        """Rows of a file, from its footer; None when it is no Parquet file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            rows: int = pq.read_metadata(path).num_rows
        except (pa.ArrowException, OSError):
            return None
        return rows


def _as_written(table: "pa.Table", metadata: Mapping[bytes, bytes] | None) -> "pa.Table":
    """Give back the types that Parquet has no form for, seconds for instance, from the Arrow schema in the file."""
    schema = _stored_schema(metadata)
    return table if schema is None else _in_schema(table, schema)


def _in_schema(table: Any, schema: "pa.Schema") -> Any:
    """A table or batch with the types of a schema of the same columns."""
    if table.schema.equals(schema):
        return table
    columns = [as_type(column, field.type) for column, field in zip(table.columns, schema, strict=True)]
    return type(table).from_arrays(columns, schema=schema)


def _stored_schema(metadata: Mapping[bytes, bytes] | None) -> "pa.Schema | None":
    stored = (metadata or {}).get(b"ARROW:schema")
    return None if stored is None else _read_schema(stored)


@lru_cache(maxsize=64)
def _read_schema(stored: bytes) -> "pa.Schema":
    import pyarrow as pa

    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(stored)))


def _unreadable(path: str, error: Exception, where: str) -> DataCorruptError:
    return DataCorruptError(
        f"{path!r} is not a readable Parquet file: {error}",
        where=where,
        fix="materialize the partition again, or restore the file from a backup",
    )
