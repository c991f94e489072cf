"""Rows on their way from a stream to their partitions, kept on the disk so that memory holds a batch and not the data.

One file takes the record batches of all partitions, one after another; where each stands is remembered in memory. The
file has no name: the system frees it when the process ends, however it ends, so that nothing is left to sweep.
"""

import array
import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from airflow_provider.errors import AssetError
from airflow_provider.schema.promotion import fitted
from airflow_provider.schema.representations.reader import BATCH_BYTES, BATCH_ROWS
from airflow_provider.storage.options import environment_name, option

if TYPE_CHECKING:
    import pyarrow as pa


class Spool:
    """Tables in pieces on the disk, by the position of their partition; a context manager that frees the disk.

    Args:
        count: Number of partitions.
        where: The asset, for messages.
        folder: Where the file stands; by default ``[airflow_provider] spool_dir``, else the temporary folder.

    Attributes:
        schema: What all pieces are read back as; to be set before the first read. Every piece fits it.
        rows: Rows of each partition.
        size: Bytes on the disk.
    """

    def __init__(self, count: int, *, where: str, folder: str | None = None) -> None:
        self.schema: pa.Schema | None = None
        self.rows = [0] * count
        self.size = 0
        self._where = where
        self._folder = folder or option("spool_dir") or tempfile.gettempdir()
        self._schemas: list[pa.Schema] = []
        self._pieces: dict[int, array.array[int]] = {}
        with self._mapped():
            self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115 -- closed by close()

    @property
    def folder(self) -> str:
        """Where the file stands."""
        return self._folder

    @property
    def num_rows(self) -> int:
        """Rows of all partitions."""
        return sum(self.rows)

    def append(self, position: int, table: "pa.Table") -> None:
        """Add rows to a partition; without columns that are dictionary-encoded.

        Raises:
            AssetError: The disk refused.
        """
        for batch in table.to_batches(max_chunksize=BATCH_ROWS):
            if batch.num_rows:
                self._append(position, batch)

    def _append(self, position: int, batch: "pa.RecordBatch") -> None:
        content = memoryview(batch.serialize())
        with self._mapped():
            self._write(content)
        piece = (self.size, len(content), self._schema_number(batch.schema))
        self._pieces.setdefault(position, array.array("q")).extend(piece)
        self.size += len(content)
        self.rows[position] += batch.num_rows

    def _write(self, content: memoryview) -> None:
        while content:
            content = content[self._file.write(content) :]

    def _schema_number(self, schema: "pa.Schema") -> int:
        for number in range(len(self._schemas) - 1, -1, -1):
            if schema.equals(self._schemas[number], check_metadata=True):
                return number
        self._schemas.append(schema)
        return len(self._schemas) - 1

    def reader(self, position: int) -> "pa.RecordBatchReader":
        """The rows of a partition in input order; each call reads anew, and nothing is read before it is asked for."""
        import pyarrow as pa

        assert self.schema is not None  # noqa: S101 -- set by whoever filled the spool
        return pa.RecordBatchReader.from_batches(self.schema, self._batches(position))

    def table(self, position: int) -> "pa.Table":
        """The rows of a partition, all at once."""
        return self.reader(position).read_all()

    def _batches(self, position: int) -> "Iterator[pa.RecordBatch]":
        """Pieces joined to batches, for one window leaves many small pieces of each of its partitions."""
        import pyarrow as pa

        held: list[pa.Table] = []
        rows = size = 0
        for piece in self._read(position):
            if held and (rows + piece.num_rows > BATCH_ROWS or size + piece.nbytes > BATCH_BYTES):
                yield _one_batch(held)
                held, rows, size = [], 0, 0
            held.append(piece)
            rows, size = rows + piece.num_rows, size + piece.nbytes
        if held:
            yield _one_batch(held)

    def _read(self, position: int) -> "Iterator[pa.Table]":
        import pyarrow as pa

        assert self.schema is not None  # noqa: S101 -- see reader()
        numbers = self._pieces.get(position, array.array("q"))
        for at in range(0, len(numbers), 3):
            offset, size, schema = numbers[at : at + 3]
            with self._mapped():
                content = os.pread(self._file.fileno(), size, offset)
            if len(content) != size:
                raise AssetError("its spool file is damaged", where=self._where, fix="run again")
            batch = pa.ipc.read_record_batch(pa.py_buffer(content), self._schemas[schema])
            yield fitted(pa.Table.from_batches([batch]), self.schema)

    def close(self) -> None:
        """Free the disk; a second call does nothing."""
        self._file.close()
        self._pieces.clear()

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _mapped(self) -> Iterator[None]:
        """Word what the system says of the spool's folder; nothing was committed yet, or what was stays."""
        try:
            yield
        except OSError as error:
            name = errno.errorcode.get(error.errno or 0, type(error).__name__)
            raise AssetError(
                f"its rows could not be spooled in {self._folder!r}: {os.strerror(error.errno or errno.EIO)} ({name})",
                where=self._where,
                fix="free space there, or name another local folder by [airflow_provider] spool_dir "
                f"({environment_name('spool_dir')})",
            ) from error


def _one_batch(tables: "list[pa.Table]") -> "pa.RecordBatch":
    import pyarrow as pa

    whole = pa.concat_tables(tables).combine_chunks()
    return whole.to_batches()[0]
