"""Reading a schema off data that came without one.

All rows are looked at, and no type depends on their order; only the order of the columns is that of their first
appearance. Every column is nullable, for what was seen in these rows says nothing of the next.
"""

import datetime as dt
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from uuid import UUID

from airflow_provider.errors import SchemaError
from airflow_provider.schema.fields import NONE_TYPE, FieldSpec
from airflow_provider.schema.representations.rows import RowsRepresentation, cells_of
from airflow_provider.schema.representations.table import TableData
from airflow_provider.schema.schema import Schema, nullable_specs, schema_from_specs
from airflow_provider.schema.values import all_zoned, is_null

if TYPE_CHECKING:
    import pyarrow as pa

# Order matters: a bool is an int and a datetime is a date.
_KINDS: tuple[tuple[Any, Any], ...] = (
    (bool, bool),
    (numbers.Integral, int),
    (Decimal, Decimal),
    (numbers.Real, float),
    (str, str),
    (bytes, bytes),
    (dt.datetime, dt.datetime),
    (dt.date, dt.date),
    (dt.time, dt.time),
    (dt.timedelta, dt.timedelta),
    (UUID, UUID),
    (dict, dict),
    ((list, tuple), list),
)


def infer(data: Any, *, name: str = "Inferred", where: str = "data") -> type[Schema]:
    """Read the schema off tabular data.

    Ints and floats together are float, ints and Decimals Decimal; other mixtures are ``Any``, which travels as JSON; a
    column of nulls alone is ``null``. Datetimes of one named zone keep it, others become UTC. Arrow tables, and typed
    columns of DataFrames, keep their types.

    Args:
        data: Rows, an Arrow table, a DataFrame, or a ``TableData`` of them.
        name: Name of the schema.
        where: Whose data it is, for the error.

    Raises:
        SchemaError: The data is not tabular, or has no rows to read (Arrow and DataFrames: no columns).
    """
    table = data if isinstance(data, TableData) else TableData.of(data)
    if table is None:
        raise SchemaError(
            f"a {type(data).__name__} has no columns to infer a schema from",
            where=where,
            fix="pass a list of dicts, an Arrow table or a DataFrame",
        )
    columns = table.checked_columns(where=where)
    if not columns or (table.kind == "rows" and table.is_empty):
        raise SchemaError("no schema can be inferred from no rows", where=where, fix="declare a Schema")
    if table.kind == "rows":
        return schema_from_specs(name, infer_rows(table.value))
    return schema_from_specs(name, _from_arrow(table, where=where))


def _from_arrow(table: TableData, *, where: str) -> list[FieldSpec]:
    from airflow_provider.schema.arrow_types import specs_from_arrow

    return list(nullable_specs(specs_from_arrow(table.arrow(where=where).schema)))


def infer_rows(rows: Sequence[Mapping[str, Any]]) -> list[FieldSpec]:
    """The columns of rows, in order of first appearance; a row without a column holds null there."""
    names = RowsRepresentation().labels(rows)
    return list(map(infer_column, names, cells_of(rows, names)))


def infer_column(name: str, values: Sequence[Any]) -> FieldSpec:
    """The spec that all values of one column fit, nulls aside."""
    spec = FieldSpec(name, Any, nullable=True)
    kinds = {_kind(kind) for kind in set(map(type, values))} - {NONE_TYPE}
    if not kinds:
        return replace(spec, type=NONE_TYPE)
    if kinds == {int, float}:
        return replace(spec, type=float)
    if kinds == {int, Decimal}:
        return _refine_decimal(replace(spec, type=Decimal), [None if is_null(v) else Decimal(v) for v in values])
    if len(kinds) > 1:
        return spec
    kind = kinds.pop()
    refine = _REFINE.get(kind)
    return replace(spec, type=kind) if refine is None else refine(replace(spec, type=kind), values)


def _kind(kind: type) -> Any:
    if kind is NONE_TYPE or kind.__name__ in ("NaTType", "NAType"):
        return NONE_TYPE
    return next((ours for theirs, ours in _KINDS if issubclass(kind, theirs)), Any)


def _present(values: Sequence[Any]) -> Sequence[Any]:
    if any(_kind(kind) is NONE_TYPE for kind in set(map(type, values))):
        return [value for value in values if not is_null(value)]
    return values


def _refine_int(spec: FieldSpec, values: Sequence[Any]) -> FieldSpec:
    present = _present(values)
    fits = min(present) >= -(2**63) and max(present) < 2**63
    return spec if fits else replace(spec, type=Any)


def _refine_decimal(spec: FieldSpec, values: Sequence[Any]) -> FieldSpec:
    present = _present(values)
    if not all(value.is_finite() for value in present):
        return replace(spec, type=Any)
    parts = [value.as_tuple() for value in present]
    scale = max(0, *(-part.exponent for part in parts), 0)
    digits = max(len(part.digits) + part.exponent for part in parts)
    if scale <= 9 and digits <= 29:
        return spec
    return replace(spec, arrow_type=_decimal_type(max(digits, 0) + scale, scale))


def _decimal_type(precision: int, scale: int) -> "pa.DataType":
    import pyarrow as pa

    return pa.decimal128(max(precision, 1), scale) if precision <= 38 else pa.decimal256(min(precision, 76), scale)


def _refine_datetime(spec: FieldSpec, values: Sequence[Any]) -> FieldSpec:
    present = _present(values)
    zone: str | None
    if set(map(type, present)) == {dt.datetime} and all_zoned(present, aware=True):
        fine, zone = False, _zone(present)
    else:
        zoned = {value.utcoffset() is not None for value in present}
        if len(zoned) > 1:
            return replace(spec, type=Any)
        fine = any(getattr(value, "nanosecond", 0) for value in present)
        zone = _zone(present) if zoned == {True} else None
    if not fine and zone == "UTC":
        return spec
    import pyarrow as pa

    return replace(spec, arrow_type=pa.timestamp("ns" if fine else "us", tz=zone))


def _zone(moments: Iterable[dt.datetime]) -> str:
    """The named zone that all datetimes share, else UTC: then the instants are kept, and the offsets are not."""
    zones = {id(zone): zone for zone in map(attrgetter("tzinfo"), moments)}.values()
    names = {getattr(zone, "key", None) for zone in zones}
    return (names.pop() if len(names) == 1 else None) or "UTC"


def _refine_time(spec: FieldSpec, values: Sequence[Any]) -> FieldSpec:
    return spec if all(value.tzinfo is None for value in _present(values)) else replace(spec, type=Any)


def _refine_list(spec: FieldSpec, values: Sequence[Any]) -> FieldSpec:
    item = infer_column("item", [entry for value in _present(values) for entry in value])
    if item.repeated:
        return replace(spec, type=Any)
    return replace(spec, type=item.type, repeated=True, items_nullable=True, arrow_type=item.arrow_type)


_REFINE: dict[Any, Callable[[FieldSpec, Sequence[Any]], FieldSpec]] = {
    int: _refine_int,
    Decimal: _refine_decimal,
    dt.datetime: _refine_datetime,
    dt.time: _refine_time,
    list: _refine_list,
}
