"""Arrow: a ``pyarrow.Table`` or ``RecordBatch``.

A batch is taken as the table of itself. Slices share the memory of the table they come from.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from airflow_provider.errors import SchemaError
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
        """All rows; a column that a table lacks is null there, and ints meet floats as floats.

        Raises:
            SchemaError: A column whose types have nothing in common.
        """
        import pyarrow as pa

        tables = [_table(value) for value in values]
        if all(table.schema.equals(tables[0].schema, check_metadata=True) for table in tables):
            return pa.concat_tables(tables)
        try:
            return pa.concat_tables(_same_marks(tables), promote_options="permissive")
        except pa.ArrowException as error:
            raise SchemaError(
                f"tables of different columns cannot be joined: {error}",
                where="TableData.concat",
                fix="declare a Schema, so that every partition has the same types",
            ) from error


def _table(value: Any) -> "pa.Table":
    import pyarrow as pa

    if isinstance(value, pa.RecordBatch):
        return pa.Table.from_batches([value])
    return value if isinstance(value, pa.Table) else value.table()  # a reader's batches


def _same_marks(tables: list["pa.Table"]) -> list["pa.Table"]:
    """Bring columns that are JSON in one table and plain in another to JSON in all, as joined they are one column."""
    from airflow_provider.schema.arrow_types import MARK, from_arrow_column, to_arrow_array
    from airflow_provider.schema.fields import FieldSpec

    marked = {f.name for table in tables for f in table.schema if (f.metadata or {}).get(MARK)}
    for name in marked:
        fields = [table.schema.field(name) for table in tables if name in table.column_names]
        if len({(f.metadata or {}).get(MARK) for f in fields}) == 1:
            continue
        for number, table in enumerate(tables):
            if name not in table.column_names:
                continue
            spec = FieldSpec(name, Any, nullable=True)
            index, field = table.column_names.index(name), table.schema.field(name)
            array = to_arrow_array(from_arrow_column(table.column(name), field), spec, where="TableData.concat")
            tables[number] = table.set_column(index, field.with_type(array.type).with_metadata({MARK: b"json"}), array)
    return tables
