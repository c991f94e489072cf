"""Rows: a list or tuple of dicts.

Rows may have different keys; a row without a column holds null there. An element that is not a dict makes the whole
list an ordinary object, not a table.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from airflow_provider.schema.representations.registry import Representation

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.schema.fields import FieldSpec
    from airflow_provider.schema.schema import Schema

Row = Mapping[str, Any]


class RowsRepresentation(Representation):
    """A list or tuple whose every element is a dict."""

    kind: ClassVar[str] = "rows"

    def matches(self, value: Any) -> bool:
        """The empty list is a table without rows; the empty tuple too."""
        if type(value) not in (list, tuple):
            return False
        kinds = set(map(type, value))
        return kinds <= {dict} or all(issubclass(kind, dict) for kind in kinds)

    def num_rows(self, value: Any) -> int:
        """Number of rows."""
        return len(value)

    def labels(self, value: Any) -> Sequence[Any]:
        """The union of the rows' keys, in order of first appearance."""
        return tuple(dict.fromkeys(name for keys in dict.fromkeys(map(tuple, value)) for name in keys))

    def to_arrow(self, value: Any, schema: "type[Schema] | None", *, where: str) -> "pa.Table":
        """One typed Arrow column at a time; types are inferred from all rows where no schema is known."""
        from airflow_provider.schema.infer import infer_column

        names = self.labels(value) if schema is None else [spec.name for spec in schema.field_specs()]
        cells = cells_of(value, names)
        specs = list(map(infer_column, names, cells)) if schema is None else schema.field_specs()
        return cells_to_arrow(cells, specs, len(value), where=where)

    def from_arrow(self, table: "pa.Table") -> list[dict[str, Any]]:
        """The table's rows as dicts."""
        from airflow_provider.schema.arrow_types import from_arrow_column

        columns = [from_arrow_column(table.column(i), table.schema.field(i)) for i in range(table.num_columns)]
        names = table.column_names
        if not columns:
            return [{} for _ in range(table.num_rows)]
        return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]

    def to_rows(self, value: Any) -> list[dict[str, Any]]:
        """The rows, with null for the keys that some lack."""
        names = self.labels(value)
        if isinstance(value, list) and set(map(len, value)) <= {len(names)}:  # the names are all keys there are
            return value
        return [{name: row.get(name) for name in names} for row in value]

    def column(self, value: Any, name: str) -> list[Any]:
        """One column as a list; a row without it holds None."""
        return [row.get(name) for row in value]

    def select(self, value: Any, names: Sequence[str]) -> list[dict[str, Any]]:
        """These columns, in this order."""
        return [{name: row.get(name) for name in names} for row in value]

    def rename(self, value: Any, names: Sequence[str]) -> list[dict[str, Any]]:
        """New keys; a row that lacks a key still lacks it."""
        renamed = dict(zip(self.labels(value), names, strict=True))
        return [{renamed[name]: item for name, item in row.items()} for row in value]

    def filled(self, value: Any, name: str, text: str) -> list[dict[str, Any]]:
        """New rows with the text."""
        return [row if row.get(name) is not None else {**row, name: text} for row in value]

    def slice(self, value: Any, start: int, stop: int) -> Any:
        """Rows ``start`` up to ``stop``."""
        return value[start:stop]

    def take(self, value: Any, positions: Any) -> list[dict[str, Any]]:
        """The rows at these positions."""
        return [value[position] for position in positions]

    def concat(self, values: Sequence[Any]) -> list[dict[str, Any]]:
        """All rows in one list; their keys stay as they are."""
        return [row for rows in values for row in rows]


def exact_cells(rows: Sequence[Row], names: Sequence[str]) -> list[list[Any]] | None:
    """One list of values for each of ``names``, or None unless every row is a plain dict with just these keys."""
    if set(map(type, rows)) != {dict} or set(map(len, rows)) != {len(names)}:
        return None
    try:
        return [list(map(itemgetter(name), rows)) for name in names]
    except KeyError:
        return None


def cells_of(rows: Sequence[Row], names: Sequence[str]) -> list[list[Any]]:
    """One list of values for each of ``names``; a row without one holds None there."""
    cells = exact_cells(rows, names)
    return [[row.get(name) for row in rows] for name in names] if cells is None else cells


def cells_to_arrow(
    cells: "Sequence[Sequence[Any]]", specs: "Sequence[FieldSpec]", num_rows: int, *, where: str
) -> "pa.Table":
    """A table of columns that fit their specs; raises as ``to_arrow_array`` does."""
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import arrow_schema, to_arrow_array

    arrays = [to_arrow_array(values, spec, where=where) for values, spec in zip(cells, specs, strict=True)]
    if not arrays:
        # Rows without columns are still rows: Arrow counts them only through a column.
        return pa.table({"_": pa.nulls(num_rows)}).select([])
    return pa.Table.from_arrays(arrays, schema=arrow_schema(specs))
