"""Readers: a ``pyarrow.RecordBatchReader``, or any object that hands out a stream of Arrow, such as a DuckDB relation.

A reader can be read once. ``Batches`` stands for it: asked for its rows as a whole it reads them and keeps them, so
that every later question finds them; asked for a reader first, it gives away the one it has.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from airflow_provider.errors import RepresentationError
from airflow_provider.schema.loaded import loaded
from airflow_provider.schema.representations.arrow import ArrowRepresentation

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 100_000
"""Rows of a batch, on the way in and on the way out."""
BATCH_BYTES = 32 << 20
"""Bytes of a batch, for rows that are large; about, and at least one row."""
_COLUMNS = ("Series", "ChunkedArray", "Array", "Column", "Expression")
"""Classes that hand out a stream of one column, which is no table."""


class Batches:
    """Tabular data to be read batch by batch.

    Args:
        schema: The Arrow schema of the batches.
        open_reader: Gives a new reader at each call.
        num_rows: Number of rows, where it is known without reading.
    """

    def __init__(
        self, schema: "pa.Schema", open_reader: "Callable[[], pa.RecordBatchReader]", num_rows: int | None = None
    ) -> None:
        self.schema = schema
        self._open = open_reader
        self._num_rows = num_rows
        self._table: pa.Table | None = None

    @classmethod
    def once(cls, value: Any) -> "Batches":
        """Those of a reader or of an object that hands one out, which is asked for it now."""
        import pyarrow as pa

        reader = value if isinstance(value, pa.RecordBatchReader) else pa.RecordBatchReader.from_stream(value)
        return cls(reader.schema, _Once(reader))

    @property
    def num_rows(self) -> int:
        """Number of rows; all are read where it is not known."""
        return self.table().num_rows if self._num_rows is None else self._num_rows

    def __len__(self) -> int:
        return self.num_rows

    def reader(self) -> "pa.RecordBatchReader":
        """A reader of all rows.

        Raises:
            RepresentationError: It stands for a reader that was given away before.
        """
        return self._open() if self._table is None else self._table.to_reader()

    def table(self) -> "pa.Table":
        """All rows, read once and kept."""
        if self._table is None:
            self._table = self._open().read_all()
        return self._table


class _Once:
    def __init__(self, reader: "pa.RecordBatchReader") -> None:
        self._reader: pa.RecordBatchReader | None = reader

    def __call__(self) -> "pa.RecordBatchReader":
        reader, self._reader = self._reader, None
        if reader is None:
            raise RepresentationError(
                "the reader was read before, and can be read once",
                where="RecordBatchReader",
                fix="make a new reader, or read it into a table first: reader.read_all()",
            )
        return reader


class ReaderRepresentation(ArrowRepresentation):
    """A ``pyarrow.RecordBatchReader`` or what hands one out; whatever needs the rows reads them all into a table."""

    kind: ClassVar[str] = "reader"
    last_resort: ClassVar[bool] = True  # tables of any library hand out a stream of Arrow too

    def matches(self, value: Any) -> bool:
        """Whether ``value`` is a reader, or hands out a stream of tables."""
        if isinstance(value, (Batches, loaded("pyarrow", "RecordBatchReader"))):
            return True
        kind = type(value)
        return hasattr(kind, "__arrow_c_stream__") and kind.__name__ not in _COLUMNS

    def wrap(self, value: Any) -> Any:
        """The reader's ``Batches``, so that it can be asked more than once."""
        return value if isinstance(value, Batches) else Batches.once(value)

    def num_rows(self, value: Any) -> int:
        """Number of rows."""
        return int(value.num_rows)

    def labels(self, value: Any) -> Sequence[Any]:
        """The column names, without reading."""
        return tuple(value.schema.names)

    def from_arrow(self, table: "pa.Table") -> Any:
        """A reader of the table's rows."""
        return table.to_reader()


def as_reader(value: Any) -> "pa.RecordBatchReader | None":
    """The reader that ``value`` is or hands out; None for anything else, tables among it."""
    from airflow_provider.schema.representations.registry import find

    found = find(value)
    return found.wrap(value).reader() if found is not None and found.kind == "reader" else None
