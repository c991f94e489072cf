"""Parquet files, one per partition; every Arrow type survives, for the file carries the Arrow schema."""

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Literal

from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.commit import Encoded
from airflow_provider.destinations.file_like import FileLikeDestination, as_arrow, empty_table
from airflow_provider.destinations.snapshot import Snapshot
from airflow_provider.errors import DataCorruptError, SchemaError

if TYPE_CHECKING:
    import pyarrow as pa


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
    extension: ClassVar[str] = "parquet"

    compression: Literal["snappy", "zstd", "gzip", "lz4", "none"] = "snappy"

    def encode(self, data: Any, sink: BinaryIO, *, where: str) -> Encoded:
        """Write a table as one Parquet file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = as_arrow(data, where=where)
        try:
            pq.write_table(table, sink, compression=self.compression)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise SchemaError(
                f"Parquet cannot hold this table: {error}",
                where=where,
                fix="change the column to a type that Parquet has, for instance text or bytes",
            ) from error
        return Encoded(rows=table.num_rows)

    def decode(self, snapshot: Snapshot, context: IOContext, *, path: str, where: str) -> "pa.Table":
        """Read the file as a ``pyarrow.Table``."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            file = pq.ParquetFile(pa.BufferReader(snapshot.content))
            return _as_written(file.read(), file.metadata.metadata)
        except (pa.ArrowException, OSError) as error:
            raise DataCorruptError(
                f"{path!r} is not a readable Parquet file: {error}",
                where=where,
                fix="materialize the partition again, or restore the file from a backup",
            ) from error

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
    import pyarrow as pa

    stored = (metadata or {}).get(b"ARROW:schema")
    if stored is None:
        return table
    schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(stored)))
    return table if table.schema.equals(schema) else table.cast(schema)
