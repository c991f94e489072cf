"""One schema for tables that come one after another and differ: widened without loss, or an error.

A column of nulls takes the type that comes later, ints become floats where each is exact, narrow numbers become wide
ones. Rows whose values have nothing in common become JSON, as they do where all rows are looked at at once; a column of
a table keeps its type, so there a conflict is an error.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from airflow_provider.errors import SchemaError
from airflow_provider.schema.arrow_types import MARK, is_bytes, is_list, is_text

if TYPE_CHECKING:
    import pyarrow as pa

_EXACT = 2**53
"""Ints up to here have a float of their own."""
_UNITS = ("s", "ms", "us", "ns")
_MOST_DIGITS = 76


@dataclass
class _Seen:
    """The first value of one type in one column."""

    field: "pa.Field"
    row: int
    kind: str


@dataclass
class GrowingSchema:
    """The schema that all tables so far fit.

    Args:
        where: The asset, for messages.
        fixed: Whether a schema is declared, so that every table has the same columns and nothing needs to be tracked.

    Attributes:
        schema: The Arrow schema; None before the first table.
    """

    where: str
    fixed: bool = False
    schema: "pa.Schema | None" = None
    _seen: dict[str, list[_Seen]] = field(default_factory=dict)
    _inexact: dict[str, int] = field(default_factory=dict)

    def add(self, table: "pa.Table", first_row: int, *, from_rows: bool) -> None:
        """Widen the schema so that ``table`` fits too.

        Args:
            table: The next rows, without dictionary-encoded columns.
            first_row: How many rows came before.
            from_rows: Whether its types were inferred from rows, so that a conflict makes the column JSON.

        Raises:
            SchemaError: Types that have nothing in common; the row and column of the first offending value are named.
        """
        import pyarrow as pa

        if not self.fixed:
            self._track(table, first_row)
        if self.schema is None:
            self.schema = table.schema
            return
        if table.schema.equals(self.schema, check_metadata=True):
            return
        coming = {held.name: held for held in table.schema}
        fields = [
            self._merged(held, coming.pop(held.name), first_row, from_rows)
            if held.name in coming
            else held.with_nullable(True)
            for held in self.schema
        ]
        fields += [held.with_nullable(True) for held in coming.values()]
        self.schema = pa.schema(fields, metadata=self.schema.metadata)

    def _merged(self, held: "pa.Field", coming: "pa.Field", first_row: int, from_rows: bool) -> "pa.Field":
        merged = promoted(held, coming)
        if merged is None:
            if not (from_rows or is_json(held) or is_json(coming)):
                raise SchemaError(
                    f"row {first_row}, column {held.name!r}: {coming.type} follows {held.type}, which have nothing in "
                    "common",
                    where=self.where,
                    fix="give every table the same types, or declare a Schema",
                )
            merged = json_field(held.name)
        if is_json(merged):
            self._require_json(merged)
        elif merged.type != held.type or merged.type != coming.type:
            self._require_exact(merged)
        return merged

    def _track(self, table: "pa.Table", first_row: int) -> None:
        for held in table.schema:
            seen = self._seen.setdefault(held.name, [])
            column = table.column(held.name)
            if not any(_same(held, one.field) for one in seen):
                row = next(_valid_rows(column), None)
                if row is not None:
                    seen.append(_Seen(held, first_row + row, type(_value(column, row, held)).__name__))
            if held.name not in self._inexact and (row := _inexact_row(column)) is not None:
                self._inexact[held.name] = first_row + row

    def _require_json(self, merged: "pa.Field") -> None:
        lossy = [one for one in self._seen.get(merged.name, []) if not has_json_form(one.field)]
        if lossy:
            first = min(lossy, key=lambda one: one.row)
            raise self._unfit(first.row, merged.name, first.kind, "Any", "string")

    def _require_exact(self, merged: "pa.Field") -> None:
        import pyarrow as pa

        if merged.name in self._inexact and any(pa.types.is_floating(kind) for kind in _leaves(merged.type)):
            raise self._unfit(self._inexact[merged.name], merged.name, "int", "float", str(merged.type))

    def _unfit(self, row: int, name: str, value: str, python: str, arrow: str) -> SchemaError:
        return SchemaError(
            f"row {row}, column {name!r}: a value of type {value} has no place in a column of {python}, {arrow} in "
            "Arrow",
            where=self.where,
            fix="declare a wider type for the column in a Schema, or make the values of one type in data()",
        )


def fitted(table: "pa.Table", schema: "pa.Schema") -> "pa.Table":
    """``table`` with the columns and types of ``schema``, a ``GrowingSchema`` that has seen it."""
    import pyarrow as pa

    if table.schema.equals(schema, check_metadata=True):
        return table
    columns = [
        _fitted_column(table.column(held.name), table.schema.field(held.name), held)
        if held.name in table.column_names
        else pa.nulls(table.num_rows, held.type)
        for held in schema
    ]
    if not columns:
        return table
    return pa.Table.from_arrays(columns, schema=schema)


def _fitted_column(column: "pa.ChunkedArray", held: "pa.Field", target: "pa.Field") -> Any:
    from airflow_provider.schema.arrow_types import from_arrow_column, to_arrow_array
    from airflow_provider.schema.fields import FieldSpec

    if is_json(target) and not is_json(held):
        spec = FieldSpec(target.name, Any, nullable=True)
        return to_arrow_array(from_arrow_column(column, held), spec, where="column")
    return column if column.type == target.type else column.cast(target.type)


def promoted(one: "pa.Field", other: "pa.Field") -> "pa.Field | None":
    """The field that the values of both fit without loss, ints and floats aside, whose values must be looked at.

    Returns:
        None where the types have nothing in common.
    """
    import pyarrow as pa

    nullable = one.nullable or other.nullable
    if pa.types.is_null(one.type):
        return other.with_nullable(True)
    if pa.types.is_null(other.type):
        return one.with_nullable(True)
    if _mark(one) != _mark(other):
        return None
    kind = one.type if one.type == other.type else _wider(one.type, other.type)
    if kind is None:
        return None
    merged = one.with_type(kind).with_nullable(nullable)
    # What one of two says of its values, such as the categories of a polars Enum, need not hold for both.
    return merged if one.metadata == other.metadata or _mark(one) is not None else merged.remove_metadata()


def _wider(one: "pa.DataType", other: "pa.DataType") -> "pa.DataType | None":
    import pyarrow as pa

    kind = pa.types
    if kind.is_dictionary(one) or kind.is_dictionary(other):
        return _wider_dictionary(one, other)
    rules: list[tuple[Callable[[Any], bool], Callable[[Any, Any], Any]]] = [
        (kind.is_integer, _wider_int),
        (lambda held: bool(kind.is_integer(held) or kind.is_floating(held)), _wider_float),
        (lambda held: bool(kind.is_integer(held) or kind.is_decimal(held)), _wider_decimal),
        (is_text, lambda a, b: pa.large_string() if pa.large_string() in (a, b) else pa.string()),
        (is_bytes, lambda a, b: pa.large_binary() if pa.large_binary() in (a, b) else pa.binary()),
        (kind.is_date, lambda a, b: pa.date64()),
        (kind.is_timestamp, _wider_timestamp),
        (kind.is_time, lambda a, b: pa.time64(_finer("us", _finer(a.unit, b.unit)))),
        (kind.is_duration, lambda a, b: pa.duration(_finer(a.unit, b.unit))),
        (is_list, _wider_list),
        (kind.is_map, _wider_map),
        (kind.is_struct, _wider_struct),
    ]
    return next((join(one, other) for test, join in rules if test(one) and test(other)), None)


def _wider_int(one: Any, other: Any) -> "pa.DataType | None":
    import pyarrow as pa

    signed = [pa.types.is_signed_integer(kind) for kind in (one, other)]
    if signed[0] == signed[1]:
        return one if one.bit_width >= other.bit_width else other
    small, unsigned = (one, other) if signed[0] else (other, one)
    width = max(small.bit_width, unsigned.bit_width * 2)
    return {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}.get(width)


def _wider_float(one: Any, other: Any) -> "pa.DataType":
    import pyarrow as pa

    if pa.types.is_integer(one) or pa.types.is_integer(other):
        return pa.float64()
    return one if one.bit_width >= other.bit_width else other


def _wider_decimal(one: Any, other: Any) -> "pa.DataType | None":
    import pyarrow as pa

    (whole, scale), (other_whole, other_scale) = _digits(one), _digits(other)
    scale = max(scale, other_scale)
    digits = max(whole, other_whole) + scale
    if digits > _MOST_DIGITS:
        return None
    return pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(digits, scale)


def _digits(kind: Any) -> tuple[int, int]:
    """Digits before and after the point that values of an exact number may have."""
    import pyarrow as pa

    if pa.types.is_integer(kind):
        bits = kind.bit_width - pa.types.is_signed_integer(kind)
        return len(str(2**bits - 1)), 0
    return kind.precision - kind.scale, kind.scale


def _wider_dictionary(one: Any, other: Any) -> "pa.DataType | None":
    """A dictionary for two of one type of value, else the values themselves."""
    import pyarrow as pa

    encoded = [pa.types.is_dictionary(kind) for kind in (one, other)]
    values = [kind.value_type if is_encoded else kind for kind, is_encoded in zip((one, other), encoded, strict=True)]
    if values[0] != values[1]:
        return _wider(*values)
    if all(encoded) and one.ordered == other.ordered:
        index = _wider_int(one.index_type, other.index_type)
        return values[0] if index is None else pa.dictionary(index, values[0], ordered=one.ordered)
    return values[0]


def _wider_map(one: Any, other: Any) -> "pa.DataType | None":
    import pyarrow as pa

    key = promoted(one.key_field, other.key_field.with_name(one.key_field.name))
    item = promoted(one.item_field, other.item_field.with_name(one.item_field.name))
    return None if key is None or item is None else pa.map_(key.with_nullable(False), item)


def _wider_timestamp(one: Any, other: Any) -> "pa.DataType | None":
    import pyarrow as pa

    if (one.tz is None) != (other.tz is None):
        return None
    return pa.timestamp(_finer(one.unit, other.unit), one.tz if one.tz == other.tz else "UTC")


def _finer(one: str, other: str) -> str:
    return max(one, other, key=_UNITS.index)


def _wider_list(one: Any, other: Any) -> "pa.DataType | None":
    import pyarrow as pa

    item = promoted(one.value_field, other.value_field.with_name(one.value_field.name))
    if item is None:
        return None
    is_large = pa.types.is_large_list(one) or pa.types.is_large_list(other)
    return pa.large_list(item) if is_large else pa.list_(item)


def _wider_struct(one: Any, other: Any) -> "pa.DataType | None":
    import pyarrow as pa

    coming = {held.name: held for held in other}
    fields = []
    for held in one:
        merged = promoted(held, coming.pop(held.name)) if held.name in coming else held.with_nullable(True)
        if merged is None:
            return None
        fields.append(merged)
    return pa.struct([*fields, *(held.with_nullable(True) for held in coming.values())])


def _mark(held: "pa.Field") -> bytes | None:
    mark: bytes | None = (held.metadata or {}).get(MARK)
    return mark


def is_json(held: "pa.Field") -> bool:
    """Whether the values of a column travel as JSON."""
    return _mark(held) == b"json"


def json_field(name: str) -> "pa.Field":
    """A column of values that travel as JSON."""
    import pyarrow as pa

    return pa.field(name, pa.string(), metadata={MARK: b"json"})


def _same(one: "pa.Field", other: "pa.Field") -> bool:
    return bool(one.type == other.type) and _mark(one) == _mark(other)


def has_json_form(held: "pa.Field") -> bool:
    """Whether every value that a column can hold has a form in JSON."""
    import pyarrow as pa

    if _mark(held) is not None:
        return is_json(held)
    kind = pa.types
    tests = (kind.is_null, kind.is_boolean, kind.is_integer, kind.is_floating, is_text)
    return all(any(test(leaf) for test in tests) for leaf in _leaves(held.type))


def _leaves(kind: "pa.DataType") -> "Iterator[pa.DataType]":
    """The types without parts inside a type; the type itself where it has none."""
    if not kind.num_fields:
        yield kind
    for number in range(kind.num_fields):
        yield from _leaves(kind.field(number).type)


def _valid_rows(column: "pa.ChunkedArray") -> Iterator[int]:
    """Numbers of the rows that hold a value."""
    import pyarrow.compute as pc

    if not column.null_count:
        yield from range(len(column))
    elif column.null_count < len(column):
        yield pc.index(column.is_valid(), True).as_py()


def _value(column: "pa.ChunkedArray", row: int, held: "pa.Field") -> Any:
    from airflow_provider.schema.arrow_types import from_arrow_column

    return from_arrow_column(column.slice(row, 1), held)[0]


def _inexact_row(column: "pa.ChunkedArray") -> int | None:
    """Number of the first row with an int that no float equals."""
    import pyarrow as pa

    if not any(pa.types.is_integer(kind) and kind.bit_width == 64 for kind in _leaves(column.type)):
        return None
    if all(_is_exact(chunk) for chunk in column.chunks):
        return None
    return next((row for row, value in enumerate(column.to_pylist()) if not _all_exact(value)), None)


def _is_exact(array: "pa.Array") -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_integer(kind):
        found = pc.min_max(array).as_py()
        return found["min"] is None or (found["min"] >= -_EXACT and found["max"] <= _EXACT)
    if pa.types.is_struct(kind):
        return all(map(_is_exact, array.flatten()))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _is_exact(array.flatten())
    return not kind.num_fields or _all_exact(array.to_pylist())


def _all_exact(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_all_exact, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_all_exact, value))
    return not isinstance(value, int) or -_EXACT <= value <= _EXACT
