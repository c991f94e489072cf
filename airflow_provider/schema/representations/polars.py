"""polars: a DataFrame, or a LazyFrame, which is collected when it is taken up.

A column keeps its values on the way from Arrow and back, and its type where polars has that one: seconds become
milliseconds, times of day nanoseconds. What Arrow itself has no type for, a ``dict`` or a ``UUID``, is a column of
Python objects.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from airflow_provider.errors import RepresentationError, SchemaError
from airflow_provider.schema.loaded import loaded
from airflow_provider.schema.representations.registry import Column, Representation

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.schema.schema import Schema

_MOST_DIGITS = 38


class PolarsRepresentation(Representation):
    """A ``polars.DataFrame``; a ``LazyFrame`` is collected."""

    kind: ClassVar[str] = "polars"

    def matches(self, value: Any) -> bool:
        """Whether ``value`` is a DataFrame or a LazyFrame."""
        return isinstance(value, loaded("polars", "DataFrame", "LazyFrame"))

    def wrap(self, value: Any) -> Any:
        """A LazyFrame collected, for each question to it would run its query anew."""
        return collected(value)

    def num_rows(self, value: Any) -> int:
        """Number of rows."""
        return int(value.height)

    def labels(self, value: Any) -> Sequence[Any]:
        """The column names."""
        return tuple(value.columns)

    def to_arrow(self, value: Any, schema: "type[Schema] | None", *, where: str) -> "pa.Table":
        """The frame in Arrow, without a copy of numbers; an Enum keeps its categories in the field's metadata."""
        import pyarrow as pa

        from airflow_provider.schema.arrow_types import arrow_field, to_arrow_array
        from airflow_provider.schema.infer import infer_column

        specs = {} if schema is None else {spec.name: spec for spec in schema.field_specs()}
        fields, arrays = [], []
        for series in value.get_columns():
            if _is_object(series):
                values = series.to_list()
                spec = specs.get(series.name) or infer_column(series.name, values)
                fields.append(arrow_field(spec))
                arrays.append(to_arrow_array(values, spec, where=where))
                continue
            table = _to_arrow(series, where)
            fields.append(table.schema.field(0))
            arrays.append(table.column(0))
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def from_arrow(self, table: "pa.Table") -> Any:
        """A frame of the table's columns."""
        polars = _polars()
        if not table.num_columns and table.num_rows:
            raise SchemaError(
                f"{table.num_rows} rows without a column have no form in polars",
                where="polars",
                fix="give the rows a column, or take another form",
            )
        return polars.DataFrame(
            [arrow_to_series(table.column(i), table.schema.field(i)) for i in range(table.num_columns)]
        )

    def to_rows(self, value: Any) -> list[dict[str, Any]]:
        """The rows as dicts, nulls as None."""
        from airflow_provider.schema.representations.rows import RowsRepresentation

        return RowsRepresentation().from_arrow(self.to_arrow(value, None, where="polars"))

    def column(self, value: Any, name: str) -> "list[Any] | pa.ChunkedArray":
        """One column as Arrow; one of Python objects as a list."""
        series = value.get_column(name)
        return list(series.to_list()) if _is_object(series) else _to_arrow(series, "polars").column(0)

    def select(self, value: Any, names: Sequence[str]) -> Any:
        """These columns, in this order."""
        # Not value.select(names), which takes a name such as "^a$" for a pattern.
        return type(value)([value.get_column(name) for name in names])

    def rename(self, value: Any, names: Sequence[str]) -> Any:
        """The same columns under new names."""
        renamed = value.clone()
        renamed.columns = list(names)
        return renamed

    def assemble(self, value: Any, columns: Sequence[Column]) -> Any:
        """A frame of these columns; those that are taken over keep their type."""
        series = [
            value.get_column(column) if isinstance(column, str) else arrow_to_series(column[1], column[0])
            for _, column in columns
        ]
        return type(value)([held.alias(name) for held, (name, _) in zip(series, columns, strict=True)])

    def slice(self, value: Any, start: int, stop: int) -> Any:
        """A view, without a copy."""
        return value.slice(start, stop - start)

    def take(self, value: Any, positions: Any) -> Any:
        """The rows at these positions."""
        return value[positions]

    def concat(self, values: Sequence[Any]) -> Any:
        """All rows; frames of other columns or types are joined as Arrow is, by its rules."""
        from airflow_provider.schema.representations.arrow import ArrowRepresentation

        if all(value.schema == values[0].schema for value in values):
            return _polars().concat(values)
        tables = [self.to_arrow(value, None, where="TableData.concat") for value in values]
        return self.from_arrow(ArrowRepresentation().concat(tables))


def collected(value: Any) -> Any:
    """The result of a LazyFrame; any other value as it is."""
    kinds: Any = loaded("polars", "LazyFrame")
    return value.collect() if isinstance(value, kinds) else value


def holds_objects(value: Any) -> bool:
    """Whether ``value`` is a frame with a column of Python objects."""
    kinds: Any = loaded("polars", "DataFrame")
    return isinstance(value, kinds) and any(map(_is_object, value.get_columns()))


def arrow_to_series(column: "pa.ChunkedArray", field: "pa.Field") -> Any:
    """One Arrow column as polars holds it without changing a value.

    Raises:
        SchemaError: A type or a value that polars cannot hold; the column is named.
    """
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import from_arrow_column, is_marked

    polars = _polars()
    if is_marked(field):
        return polars.Series(field.name, from_arrow_column(column, field), dtype=polars.Object)
    if pa.types.is_run_end_encoded(field.type):
        import pyarrow.compute as pc

        column = pc.run_end_decode(column)
        field = field.with_type(column.type)
    try:
        kind = _nearest(field.type)
        if kind != field.type:
            column, field = column.cast(kind), field.with_type(kind)
        frame = polars.from_arrow(pa.Table.from_arrays([column], schema=pa.schema([field])))
    except (pa.ArrowException, TypeError, ValueError, OverflowError, polars.exceptions.PolarsError) as error:
        raise SchemaError(
            f"column {field.name!r} of type {field.type} has no form in polars: {error}",
            where="polars",
            fix="take the data as Arrow, or give the column another type",
        ) from error
    series = frame.to_series(0)
    if series.null_count() != column.null_count:  # polars makes null of what an Enum's categories lack
        return arrow_to_series(column, field.remove_metadata())
    return series


def _nearest(kind: "pa.DataType") -> "pa.DataType":
    """The type that polars takes and that holds the same values; raises TypeError where there is none."""
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import map_leaves

    def leaf(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_date64(kind):
            return pa.date32()
        if pa.types.is_timestamp(kind) and kind.tz is not None and not _is_zone(kind.tz):
            return pa.timestamp("ms" if kind.unit == "s" else kind.unit, "UTC")
        if pa.types.is_timestamp(kind) and kind.unit == "s":
            return pa.timestamp("ms", kind.tz)
        if pa.types.is_duration(kind) and kind.unit == "s":
            return pa.duration("ms")
        if pa.types.is_decimal(kind) and (kind.precision > _MOST_DIGITS or kind.scale < 0):
            return pa.decimal128(_MOST_DIGITS, max(kind.scale, 0))  # a value that does not fit fails the cast
        if pa.types.is_interval(kind):
            raise TypeError("polars has no intervals")
        return kind

    return map_leaves(kind, leaf)


def _is_zone(name: str) -> bool:
    """Whether the time zone database has the name; polars takes no offsets such as ``+05:30``."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return False
    return True


def _is_object(series: Any) -> bool:
    return str(series.dtype) == "Object"


def _to_arrow(series: Any, where: str) -> "pa.Table":
    import pyarrow as pa

    try:
        return series.to_frame().to_arrow()
    except (pa.ArrowException, _polars().exceptions.PolarsError) as error:
        raise SchemaError(
            f"column {series.name!r} of dtype {series.dtype} has no Arrow form: {error}",
            where=where,
            fix="cast the column in data(), a large int to polars.Decimal or polars.String",
        ) from error


def _polars() -> Any:
    try:
        import polars
    except ImportError as error:
        raise RepresentationError(
            "polars is not installed",
            where="polars",
            fix="install the extra: pip install 'airflow-provider-assets[polars]'",
        ) from error
    return polars
