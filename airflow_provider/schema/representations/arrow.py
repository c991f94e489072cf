"""Arrow: a ``pyarrow.Table`` or ``RecordBatch``.

A batch is taken as the table of itself. Slices share the memory of the table they come from.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from airflow_provider.schema.loaded import loaded
from airflow_provider.schema.representations.grouping import group_table
from airflow_provider.schema.representations.registry import Representation

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.schema.schema import Schema


class ArrowRepresentation(Representation):
    """A ``pyarrow.Table`` or ``RecordBatch``."""

    kind: ClassVar[str] = "arrow"

    def matches(self, value: Any) -> bool:
        """Whether ``value`` is a Table or a RecordBatch."""
        return isinstance(value, loaded("pyarrow", "Table", "RecordBatch"))

    def num_rows(self, value: Any) -> int:
        """Number of rows."""
        return int(value.num_rows)

    def labels(self, value: Any) -> Sequence[Any]:
        """The column names, which may repeat."""
        return tuple(value.schema.names)

    def to_arrow(self, value: Any, schema: "type[Schema] | None", *, where: str) -> "pa.Table":
        """The table itself."""
        return _table(value)

    def from_arrow(self, table: "pa.Table") -> "pa.Table":
        """The table itself."""
        return table

    def to_rows(self, value: Any) -> list[dict[str, Any]]:
        """The rows as dicts; leaving Arrow is the dearest of all conversions."""
        from airflow_provider.schema.representations.rows import RowsRepresentation

        return RowsRepresentation().from_arrow(_table(value))

    def column(self, value: Any, name: str) -> "pa.ChunkedArray":
        """One column."""
        return _table(value).column(name)

    def select(self, value: Any, names: Sequence[str]) -> "pa.Table":
        """These columns, in this order."""
        return _table(value).select(list(names))

    def rename(self, value: Any, names: Sequence[str]) -> "pa.Table":
        """The same columns under new names; fields keep their metadata."""
        return _table(value).rename_columns(list(names))

    def slice(self, value: Any, start: int, stop: int) -> "pa.Table":
        """A view, without a copy."""
        return _table(value).slice(start, stop - start)

    def take(self, value: Any, positions: Any) -> "pa.Table":
        """The rows at these positions, copied once."""
        import pyarrow as pa

        return _table(value).take(pa.array(positions))

    def group(self, value: Any, codes: Any, count: int) -> list[Any]:
        """Group the rows batch by batch; a group then has one chunk for each batch."""
        return group_table(_table(value), codes, count)

    def concat(self, values: Sequence[Any]) -> "pa.Table":
        """All rows; a column that a table lacks is null there, and types that differ are widened without loss.

        Raises:
            MismatchError: A column whose types have nothing in common.
        """
        from airflow_provider.schema.joining import join_tables

        return join_tables([_table(value) for value in values])


def _table(value: Any) -> "pa.Table":
    import pyarrow as pa

    if isinstance(value, pa.RecordBatch):
        return pa.Table.from_batches([value])
    return value if isinstance(value, pa.Table) else value.table()  # a reader's batches
