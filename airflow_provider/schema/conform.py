"""Bringing data to its schema: the right columns, types and nulls, in the form it came in.

Columns are looked at as a whole: one whose values all have the right type passes untouched, an Arrow column is cast
where Arrow's cast means the same as the rule for one value (``airflow_provider.schema.values``), and only what is left
goes value by value, which also finds the row to name. Nothing is returned unless everything fits.
"""

import datetime as dt
import logging
import operator
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from airflow_provider.errors import ConfigError, SchemaError
from airflow_provider.schema.fields import MISSING, NONE_TYPE, FieldSpec
from airflow_provider.schema.infer import infer
from airflow_provider.schema.representations.rows import exact_cells
from airflow_provider.schema.representations.table import TableData
from airflow_provider.schema.values import UnfitError, all_zoned, coercer, int_bounds, is_null, plain_types

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.schema.schema import Schema

log = logging.getLogger(__name__)

_NAMES_SHOWN = 10
_VALUE_SHOWN = 40


class MaterializationStrategy(str, Enum):
    """How data meets its schema: ``reconcile`` mends what can be mended without loss, ``strict`` only compares."""

    RECONCILE = "reconcile"
    STRICT = "strict"

    @classmethod
    def _missing_(cls, value: object) -> "MaterializationStrategy":
        if value == "auto":
            return cls.RECONCILE
        raise ConfigError(
            f"{value!r} is not a strategy",
            where="materialization_strategy",
            fix=f"use {' or '.join(repr(member.value) for member in cls)}",
        )


def conform(
    data: TableData,
    schema: "type[Schema] | None",
    strategy: MaterializationStrategy | str = MaterializationStrategy.RECONCILE,
    *,
    where: str,
    told: set[str] | None = None,
) -> "tuple[TableData, type[Schema] | None]":
    """Bring data to its schema.

    Reconciling drops columns the schema lacks (one warning in the log), fills those the data lacks with their default
    or null, and changes the form of values where that loses nothing. Strict refuses extra columns, columns without a
    default that are missing, and values of another type; an int may stand for a wider number.

    Args:
        data: The data, which is not changed.
        schema: What it should be; without one the schema is inferred, as far as that is possible.
        strategy: ``reconcile`` or ``strict``.
        where: The asset, for messages.
        told: Dropped columns that the log was told of; filled, so that of many batches each is told of once.

    Returns:
        The data in the form it came in (the same object where nothing changed), and its schema: None only where none
        was given and none could be inferred.

    Raises:
        SchemaError: The data does not fit; the first row and column at fault are named.
        ConfigError: No such strategy.
    """
    strict = MaterializationStrategy(strategy) is MaterializationStrategy.STRICT
    told = set() if told is None else told
    if schema is not None and data.kind == "rows" and data.value:
        return _conform_rows(data, schema, told, strict=strict, where=where), schema
    columns = data.checked_columns(where=where)
    if schema is None:
        return _without_schema(data, strict=strict, where=where)
    if data.kind == "rows":
        return TableData(data.value, data.representation, schema=schema), schema
    specs = schema.field_specs()
    _check_extras(data, columns, specs, told, strict=strict, where=where)
    conform_form: Callable[..., Any] = _CONFORM.get(data.kind, _conform_other)
    conformed = conform_form(data, specs, strict=strict, where=where)
    return TableData(conformed, data.representation, schema=schema), schema


def _without_schema(data: TableData, *, strict: bool, where: str) -> "tuple[TableData, type[Schema] | None]":
    if strict:
        raise SchemaError("strict needs a schema", where=where, fix="declare one (schema=...), or use 'reconcile'")
    value = data.representation.to_rows(data.value) if data.kind == "rows" else data.value
    table = data if value is data.value else TableData(value, data.representation)
    try:
        schema = infer(table, where=where)
    except SchemaError as error:
        log.debug("%s: no schema inferred: %s", where, error.what)
        return table, None
    return table.inferred(schema), schema


def _check_extras(
    data: TableData, columns: Sequence[str], specs: Sequence[FieldSpec], told: set[str], *, strict: bool, where: str
) -> None:
    known = {spec.name for spec in specs}
    extras = [name for name in columns if name not in known and name not in told]
    if not extras:
        return
    names = ", ".join(map(repr, extras[:_NAMES_SHOWN])) + (", ..." if len(extras) > _NAMES_SHOWN else "")
    if not strict:
        log.warning("%s: dropped %d column(s) that the schema lacks: %s", where, len(extras), names)
        told.update(extras)
        return
    row = next(row for row, held in enumerate(data.value) if extras[0] in held) if data.kind == "rows" else 0
    raise SchemaError(
        f"row {row}: the schema has no column(s) {names}",
        where=where,
        fix="add them to the schema, leave them out in data(), or use materialization_strategy='reconcile'",
    )


def _conform_rows(data: TableData, schema: "type[Schema]", told: set[str], *, strict: bool, where: str) -> TableData:
    """Rows that have just the schema's columns are taken apart once; their keys are not looked at again."""
    specs, rows = schema.field_specs(), data.value
    names = [spec.name for spec in specs]
    cells = exact_cells(rows, names)
    as_they_are = cells is not None and isinstance(rows, list)
    if cells is None:
        _check_extras(data, data.checked_columns(where=where), specs, told, strict=strict, where=where)
        cells = [[row.get(name, MISSING) for row in rows] for name in names]
    fitted = [
        conform_values(values, spec, strict=strict, where=where) for values, spec in zip(cells, specs, strict=True)
    ]
    if as_they_are and all(map(operator.is_, fitted, cells)):
        return TableData.of_rows(rows, schema, fitted)
    whole = [dict(zip(names, row, strict=True)) for row in zip(*fitted, strict=True)] if names else [{} for _ in rows]
    return TableData.of_rows(whole, schema, fitted)


def _conform_arrow(data: TableData, specs: Sequence[FieldSpec], *, strict: bool, where: str) -> "pa.Table":
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import arrow_schema

    table, target = data.arrow(where=where), arrow_schema(specs)
    arrays = [
        _arrow_column(table.column(spec.name), table.schema.field(spec.name), spec, strict=strict, where=where)
        if spec.name in data.columns
        else _absent(spec, table.num_rows, strict=strict, where=where)
        for spec in specs
    ]
    if not arrays or table.schema.equals(target, check_metadata=True):
        return table.select([spec.name for spec in specs])
    return pa.Table.from_arrays(arrays, schema=target)


def _conform_pandas(data: TableData, specs: Sequence[FieldSpec], *, strict: bool, where: str) -> Any:
    import pandas as pd

    frame = data.value
    series = {
        spec.name: _pandas_column(data, spec, strict=strict, where=where)
        if spec.name in data.columns
        else _to_series(_absent(spec, len(frame), strict=strict, where=where), spec)
        for spec in specs
    }
    if list(frame.columns) == list(series) and all(series[name] is None for name in series):
        return frame
    columns = [frame[name] if held is None else held.set_axis(frame.index) for name, held in series.items()]
    conformed = pd.DataFrame(dict(enumerate(columns)), index=frame.index)
    conformed.columns = pd.Index(list(series), dtype=object)
    return conformed


def _pandas_column(data: TableData, spec: FieldSpec, *, strict: bool, where: str) -> Any:
    """The column as a new series, or None where the one that is there fits."""
    from airflow_provider.schema.arrow_types import is_text, to_arrow_array

    column = data.column(spec.name)
    if isinstance(column, list):
        result = conform_values(column, spec, strict=strict, where=where)
        return None if result is column else _to_series(to_arrow_array(result, spec, where=where), spec)
    import pyarrow as pa

    array = _arrow_column(column, pa.field(spec.name, column.type), spec, strict=strict, where=where)
    unchanged = array is column or (spec.base_type is str and is_text(column.type))  # text has three types in Arrow
    return None if unchanged else _to_series(array, spec)


def _to_series(array: Any, spec: FieldSpec) -> Any:
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import arrow_field
    from airflow_provider.schema.representations.pandas import arrow_to_series

    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    return arrow_to_series(chunked, arrow_field(spec))


def _conform_polars(data: TableData, specs: Sequence[FieldSpec], *, strict: bool, where: str) -> Any:
    frame = data.value
    columns = [
        _polars_column(data, spec, strict=strict, where=where)
        if spec.name in data.columns
        else _to_polars(_absent(spec, frame.height, strict=strict, where=where), spec)
        for spec in specs
    ]
    names = [spec.name for spec in specs]
    if frame.columns == names and all(held is None for held in columns):
        return frame
    return type(frame)(
        [frame.get_column(name) if held is None else held for name, held in zip(names, columns, strict=True)]
    )


def _polars_column(data: TableData, spec: FieldSpec, *, strict: bool, where: str) -> Any:
    """The column as a new series, or None where the one that is there fits."""
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import to_arrow_array

    column = data.column(spec.name)
    if isinstance(column, list):
        result = conform_values(column, spec, strict=strict, where=where)
        return None if result is column else _to_polars(to_arrow_array(result, spec, where=where), spec)
    array = _arrow_column(column, pa.field(spec.name, column.type), spec, strict=strict, where=where)
    if array is column:
        return None
    series = _to_polars(array, spec)
    # Arrow has several types for one of polars: of text, of lists, of times of day.
    return None if series.dtype == data.value.get_column(spec.name).dtype else series


def _to_polars(array: Any, spec: FieldSpec) -> Any:
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import arrow_field
    from airflow_provider.schema.representations.polars import arrow_to_series

    return arrow_to_series(
        array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array]), arrow_field(spec)
    )


def _conform_other(data: TableData, specs: Sequence[FieldSpec], *, strict: bool, where: str) -> Any:
    """A form that we know nothing of but its way to Arrow and back."""
    return data.representation.from_arrow(_conform_arrow(data, specs, strict=strict, where=where))


_CONFORM: dict[str, Callable[..., Any]] = {
    "arrow": _conform_arrow,
    "pandas": _conform_pandas,
    "polars": _conform_polars,
    "reader": _conform_arrow,
}


def conform_values(values: list[Any], spec: FieldSpec, *, strict: bool, where: str) -> list[Any]:
    """Bring one column of Python values to its spec; the same list where all of them fit already.

    Args:
        values: The values; ``MISSING`` where a row lacks the column.
        spec: What they should be.
        strict: Whether values of another type are refused.
        where: The asset, for the error.

    Raises:
        SchemaError: A value that does not fit, a null or a gap where none may be.
    """
    if _all_plain(values, spec):
        return values
    coerce = coercer(spec, strict=strict)
    result: list[Any] = []
    for row, value in enumerate(values):
        if value is MISSING:
            value = _fill(spec, row, strict=strict, where=where)
        if is_null(value):
            if not spec.nullable:
                raise _error(row, spec, "a null", where)
            result.append(None)
            continue
        try:
            result.append(coerce(value))
        except UnfitError as unfit:
            raise _error(row, spec, f"{unfit}{_shown(value)}", where) from None
    return values if all(map(operator.is_, values, result)) else result


def _all_plain(values: list[Any], spec: FieldSpec) -> bool:
    """Whether the types, or a look at the column as a whole, show that every value fits as it is."""
    kinds = set(map(type, values))
    if NONE_TYPE in kinds and not spec.nullable:
        return False
    has_nulls = NONE_TYPE in kinds
    kinds.discard(NONE_TYPE)
    if kinds <= plain_types(spec):
        return True
    if spec.repeated or spec.fields or kinds != {spec.base_type}:
        return False
    return _fits_as_whole([value for value in values if value is not None] if has_nulls else values, spec)


def _fits_as_whole(present: list[Any], spec: FieldSpec) -> bool:
    if spec.choices is not None:
        return set(present) <= set(spec.choices)
    if spec.type is int:
        low, high = int_bounds(spec)
        return bool(low <= min(present) and max(present) <= high)
    if spec.type is dt.datetime:
        return all_zoned(present, aware=spec.arrow_type is None or spec.arrow_type.tz is not None)
    return False


def _fill(spec: FieldSpec, row: int, *, strict: bool, where: str) -> Any:
    if spec.has_default:
        return spec.make_default()
    if strict or not spec.nullable:
        raise SchemaError(
            f"row {row} has no column {spec.name!r}",
            where=where,
            fix="fill it in data(), or give the field a default in the schema",
        )
    return None


def _error(row: int, spec: FieldSpec, found: str, where: str) -> SchemaError:
    fix = "mend the value in data(), or change the type in the schema"
    if found == "a null":
        fix = f"fill it in data(), or declare `{spec.name}: ... | None`"
    elif spec.base_type is dt.datetime and found.startswith(("an int", "a float", "a Decimal")):
        fix = "say what the number counts: Normalizer(epoch_columns=[...], epoch_unit='s')"
    elif "naive" in found:
        fix = "make it aware: value.replace(tzinfo=...), series.dt.tz_localize(...), pc.assume_timezone(...)"
    return SchemaError(f"row {row}, column {spec.name!r}: expected {spec.type_name}, got {found}", where=where, fix=fix)


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list, tuple, bytes)):
        return ""
    text = repr(value)
    return f": {text}" if len(text) <= _VALUE_SHOWN else f": {text[:_VALUE_SHOWN]}..."


def _absent(spec: FieldSpec, length: int, *, strict: bool, where: str) -> "pa.Array":
    """A column the data lacks, of defaults or nulls."""
    from airflow_provider.schema.arrow_types import to_arrow_array

    if length == 0 and not strict:
        return to_arrow_array([], spec, where=where)
    value = _fill(spec, 0, strict=strict, where=where)
    values = conform_values([value], spec, strict=strict, where=where)
    return to_arrow_array(values * length, spec, where=where)


def _arrow_column(
    column: "pa.ChunkedArray", field: "pa.Field", spec: FieldSpec, *, strict: bool, where: str
) -> "pa.ChunkedArray | pa.Array":
    """One Arrow column: untouched where it fits, cast where a cast means the same, else value by value."""
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import MARK, arrow_field, from_arrow_column, to_arrow_array
    from airflow_provider.schema.casts import exact_cast

    target = arrow_field(spec)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    marks = [(held.metadata or {}).get(MARK) for held in (field, target)]
    if marks[0] == marks[1] and (spec.nullable or not column.null_count):
        result = column if column.type == target.type else exact_cast(column, target.type, strict=strict)
        if result is not None and (marks[0] is None or result is column) and _only_choices(result, spec):
            return result
    values = from_arrow_column(column, field)
    return to_arrow_array(conform_values(values, spec, strict=strict, where=where), spec, where=where)


def _only_choices(column: "pa.ChunkedArray", spec: FieldSpec) -> bool:
    """Whether a column of an Enum or Literal holds nothing else."""
    allowed = spec.choices
    if allowed is None:
        return True
    return not spec.repeated and {value for value in column.unique().to_pylist() if value is not None} <= set(allowed)
