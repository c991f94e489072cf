"""``TableData``: tabular data of any form, converted only when another form is asked for.

Converting is lossless or an error. The Arrow form is made once and kept.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow_provider.errors import RepresentationError, SchemaError
from airflow_provider.schema.joining import MismatchError
from airflow_provider.schema.representations.arrow import ArrowRepresentation
from airflow_provider.schema.representations.pandas import PandasRepresentation
from airflow_provider.schema.representations.polars import PolarsRepresentation
from airflow_provider.schema.representations.reader import ReaderRepresentation
from airflow_provider.schema.representations.registry import Representation, by_kind, find, register
from airflow_provider.schema.representations.rows import RowsRepresentation, cells_to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.schema.schema import Schema

register(RowsRepresentation())
register(ArrowRepresentation())
register(PandasRepresentation())
register(PolarsRepresentation())
register(ReaderRepresentation())


class TableData:
    """Tabular data in the form it came in.

    Attributes:
        value: The data itself: a list of dicts, an Arrow table, a DataFrame of pandas or polars.
        representation: What handles data of this form.
        schema: The schema the data is known to fit, or None.
    """

    __slots__ = ("_arrow", "_cells", "_columns", "representation", "schema", "value")

    def __init__(self, value: Any, representation: Representation, *, schema: "type[Schema] | None" = None) -> None:
        self.value = value
        self.representation = representation
        self.schema = schema
        self._arrow: pa.Table | None = None
        self._cells: Sequence[Sequence[Any]] | None = None
        self._columns: tuple[str, ...] | None = None

    @classmethod
    def of(cls, value: Any, *, schema: "type[Schema] | None" = None) -> "TableData | None":
        """Wrap ``value``, or return None where it is not tabular. ``[]`` is rows; ``[1, 2]`` is not tabular."""
        if isinstance(value, TableData):
            return value
        representation = find(value)
        return None if representation is None else cls(representation.wrap(value), representation, schema=schema)

    def __repr__(self) -> str:
        return f"TableData({self.kind}, {self.num_rows} rows)"

    @property
    def kind(self) -> str:
        """``"rows"``, ``"arrow"``, ``"pandas"``, ``"polars"`` or ``"reader"``."""
        return self.representation.kind

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return self.representation.num_rows(self.value)

    @property
    def is_empty(self) -> bool:
        """Whether there is no row."""
        return self.num_rows == 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names; of rows the union of their keys, in order of first appearance.

        Raises:
            SchemaError: A label that is not text, or one that two columns share.
        """
        return self.checked_columns(where="data")

    def checked_columns(self, *, where: str) -> tuple[str, ...]:
        """Like ``columns``, with the place for the error."""
        if self._columns is None:
            self.representation.check(self.value, where=where)
            self._columns = _check_labels(self.representation.labels(self.value), where)
        return self._columns

    def arrow(self, *, where: str = "data") -> "pa.Table":
        """The Arrow form, made once.

        Raises:
            SchemaError: A column that Arrow has no type for, a label that is not text or not unique.
        """
        if self._cells is not None and self.schema is not None:
            self._arrow = cells_to_arrow(self._cells, self.schema.field_specs(), self.num_rows, where=where)
            self._cells = None
        if self._arrow is None:
            from airflow_provider.schema.arrow_types import as_declared

            self.checked_columns(where=where)
            table = self.representation.to_arrow(self.value, self.schema, where=where)
            self._arrow = table if self.schema is None else as_declared(table, self.schema.field_specs())
        return self._arrow

    def to(self, kind: str, *, where: str = "data") -> Any:
        """The data in another form; the value itself where it has that form already.

        Raises:
            RepresentationError: No such form.
            SchemaError: See ``arrow``.
        """
        target = by_kind(kind)
        if kind == self.kind and kind not in ("arrow", "reader"):
            return self.value
        if kind == self.kind == "reader" and hasattr(self.value, "reader"):
            return self.value.reader()
        if kind == "arrow":
            return self.arrow(where=where)
        if kind == "rows":
            self.checked_columns(where=where)
            return self.representation.to_rows(self.value)
        return target.from_arrow(self.arrow(where=where))

    def with_value(self, value: Any) -> "TableData":
        """Other data of the same form, and of the same schema."""
        return TableData(value, self.representation, schema=self.schema)

    @classmethod
    def of_rows(
        cls, rows: list[dict[str, Any]], schema: "type[Schema]", cells: "Sequence[Sequence[Any]]"
    ) -> "TableData":
        """Rows that fit ``schema`` and have just its columns, with the values of each column, from which Arrow is made.

        Args:
            rows: At least one row.
            schema: Their schema.
            cells: One sequence of values for each field of the schema.
        """
        found = cls(rows, by_kind("rows"), schema=schema)
        found._cells, found._columns = cells, tuple(rows[0])
        return found

    def inferred(self, schema: "type[Schema]") -> "TableData":
        """The same data with the schema that was read off it; the Arrow form, if it was made, is kept."""
        found = self.with_value(self.value)
        found.schema, found._arrow, found._columns = schema, self._arrow, self._columns
        return found

    def column(self, name: str) -> "list[Any] | pa.ChunkedArray":
        """One column, as a list of Python values or as Arrow."""
        return self.representation.column(self.value, name)

    def filled(self, name: str, text: str) -> "TableData":
        """The same data with ``text`` in column ``name`` wherever that is null, or everywhere where it is not there."""
        return TableData(self.representation.filled(self.value, name, text), self.representation)

    def slice(self, start: int, stop: int) -> "TableData":
        """Rows ``start`` up to ``stop``, without a copy where that is possible."""
        return self.with_value(self.representation.slice(self.value, start, stop))

    def take(self, positions: Any) -> "TableData":
        """The rows at these positions (a NumPy array), in that order."""
        return self.with_value(self.representation.take(self.value, positions))

    def group(self, codes: Any, count: int) -> "list[TableData]":
        """Group the rows by their code, ``0`` to ``count - 1`` (a NumPy array), input order kept."""
        return [self.with_value(value) for value in self.representation.group(self.value, codes, count)]

    @staticmethod
    def concat(
        parts: "Sequence[TableData]", *, names: Sequence[str] = (), where: str = "TableData.concat"
    ) -> "TableData":
        """All rows of all parts, in order. Parts of one form keep it; mixed ones become Arrow.

        Types that differ are widened where that loses nothing; rows keep each value as it is.

        Args:
            parts: At least one.
            names: What to call each part in an error, such as its partition.
            where: What is joined, for the error.

        Raises:
            RepresentationError: No parts.
            SchemaError: A column whose types have nothing in common; the parts that hold them are named.
        """
        if not parts:
            raise RepresentationError("there is nothing to join", where=where, fix="pass at least one part")
        if len({part.kind for part in parts}) > 1:
            parts = [TableData(part.arrow(), by_kind("arrow"), schema=part.schema) for part in parts]
        schema = parts[0].schema if all(part.schema is parts[0].schema for part in parts) else None
        first = parts[0].representation
        try:
            return TableData(first.concat([part.value for part in parts]), first, schema=schema)
        except MismatchError as mismatch:
            raise mismatch.told(names, where=where) from mismatch.__cause__


def _check_labels(labels: Sequence[Any], where: str) -> tuple[str, ...]:
    for label in labels:
        if not isinstance(label, str):
            fix = "name the columns with text, for a DataFrame by frame.columns = [...] or frame.rename(columns=str)"
            if isinstance(label, tuple):  # a MultiIndex
                fix = "join the levels of the columns: frame.columns = ['_'.join(map(str, c)) for c in frame.columns]"
            raise SchemaError(f"the column label {label!r} is a {type(label).__name__}, not text", where=where, fix=fix)
    if len(set(labels)) == len(labels):
        return tuple(labels)
    repeated = next(label for number, label in enumerate(labels) if label in labels[:number])
    raise SchemaError(f"two columns are called {repeated!r}", where=where, fix="rename or drop one of them in data()")
