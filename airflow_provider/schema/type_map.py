"""What a destination can hold, by kind of type: as it is, as another type, or not at all, with the reason.

A destination declares its map as a class attribute. What it cannot hold is refused where a schema is declared and the
destination is known, and otherwise before the first write, so that no partition of a window is written.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from airflow_provider.errors import ConfigError, SchemaError
from airflow_provider.schema.fields import NONE_TYPE, FieldSpec

if TYPE_CHECKING:
    import pyarrow as pa

KINDS: Mapping[str, str] = {
    "null": "a column of nulls alone",
    "bool": "true and false",
    "int": "whole numbers of 8 to 64 bits",
    "uint": "whole numbers without a sign, of 8 to 64 bits",
    "float16": "numbers of 16 bits",
    "float": "numbers of 32 and 64 bits, with NaN and infinity",
    "decimal": "exact numbers, with precision and scale",
    "text": "text",
    "binary": "bytes",
    "date": "dates",
    "time": "times of day",
    "timestamp": "datetimes without a zone",
    "timestamp_tz": "datetimes with a zone",
    "duration": "spans of time",
    "list": "lists of one type",
    "struct": "records with named fields",
    "map": "maps from keys to values",
    "dictionary": "values from a small set (pandas category, polars Categorical and Enum)",
    "json": "`dict` and `Any`: values of any type that JSON has",
    "uuid": "`UUID`",
    "view": "Arrow's views: string_view, binary_view, list_view",
    "interval": "calendar intervals of months, days and nanoseconds",
    "union": "Arrow's unions",
    "run_end": "run-end encoded columns",
    "extension": "extension types of Arrow",
}
"""Every kind of type, in words."""

_PYTHON_KINDS: Mapping[Any, str] = {
    NONE_TYPE: "null", bool: "bool", int: "int", float: "float", str: "text", bytes: "binary", dict: "json",
    Any: "json", UUID: "uuid",
}  # fmt: skip
_PYTHON_NAMES: Mapping[str, str] = {
    "date": "date", "datetime": "timestamp_tz", "time": "time", "timedelta": "duration", "Decimal": "decimal",
}  # fmt: skip


def kind_of(field: "pa.Field") -> str:
    """The kind of an Arrow column, one of ``KINDS``."""
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import MARK, is_bytes, is_list, is_text

    mark = (field.metadata or {}).get(MARK)
    if mark is not None:
        return "uuid" if mark == b"uuid" else "json"
    is_, kind = pa.types, field.type
    if isinstance(kind, pa.BaseExtensionType):
        return "extension"
    tests: list[tuple[str, Callable[[Any], bool]]] = [
        ("null", is_.is_null), ("bool", is_.is_boolean), ("int", is_.is_signed_integer),
        ("uint", is_.is_unsigned_integer), ("float16", is_.is_float16), ("float", is_.is_floating),
        ("decimal", is_.is_decimal), ("view", _is_view), ("text", is_text), ("binary", is_bytes), ("date", is_.is_date),
        ("time", is_.is_time), ("timestamp", lambda kind: is_.is_timestamp(kind) and kind.tz is None),
        ("timestamp_tz", is_.is_timestamp), ("duration", is_.is_duration), ("list", is_list), ("struct", is_.is_struct),
        ("map", is_.is_map), ("dictionary", is_.is_dictionary), ("interval", is_.is_interval), ("union", is_.is_union),
        ("run_end", is_.is_run_end_encoded),
    ]  # fmt: skip
    return next((name for name, test in tests if test(kind)), "extension")


def _is_view(kind: "pa.DataType") -> bool:
    return str(kind).partition("<")[0].endswith("_view")


@dataclass(frozen=True)
class TypeMap:
    """What a destination holds. Without arguments it holds everything as it is.

    Args:
        refused: Kind -> why it is not held.
        refused_inside: Kind -> why it is not held inside a list, a record or a map, where it is held as a column.
        becomes: Kind -> the Arrow type that is read back instead of the one written; as words and a function.
        rule: What is refused of a kind that is held otherwise: takes the Arrow type and whether it is inside another,
            returns the reason or None.
        years: First and last year of the dates and datetimes that are held.
    """

    refused: Mapping[str, str] = field(default_factory=dict)
    refused_inside: Mapping[str, str] = field(default_factory=dict)
    becomes: "Mapping[str, tuple[str, Callable[[pa.DataType], pa.DataType]]]" = field(default_factory=dict)
    rule: "Callable[[pa.DataType, bool], str | None] | None" = None
    years: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        for kind in (*self.refused, *self.refused_inside, *self.becomes):
            if kind not in KINDS:
                raise ConfigError(
                    f"{kind!r} is no kind of type", where="TypeMap", fix=f"use one of {', '.join(map(repr, KINDS))}"
                )

    @property
    def is_open(self) -> bool:
        """Whether everything is held."""
        return not (self.refused or self.refused_inside or self.rule or self.years)

    def returned(self, field: "pa.Field") -> "pa.Field":
        """The column as it is read back."""
        found = self.becomes.get(kind_of(field))
        return field if found is None else field.with_type(found[1](field.type))

    def check_specs(self, specs: Iterable[FieldSpec], *, where: str, destination: str) -> None:
        """Refuse declared columns that cannot be held; loads no data library.

        Raises:
            ConfigError: The first such column, with the reason.
        """
        for spec in specs:
            for path, kind, arrow in _declared(spec, spec.name):
                reason = self._reason(kind, arrow, is_inside=path != spec.name or spec.repeated)
                if reason:
                    raise ConfigError(
                        f"column {path!r} of type {spec.type_name} cannot be stored in {destination}: {reason}",
                        where=where,
                        fix="declare another type for the column, or choose another destination",
                    )

    def check_schema(self, schema: "pa.Schema", *, where: str, destination: str) -> None:
        """Refuse columns that cannot be held.

        Raises:
            SchemaError: The first such column, with the reason.
        """
        for column in schema:
            for path, inner in _parts(column, column.name):
                reason = self._reason(kind_of(inner), inner.type, is_inside=inner is not column)
                if reason:
                    raise _refusal(path, inner.type, reason, where, destination)

    def check_table(self, table: "pa.Table", *, where: str, destination: str) -> None:
        """Refuse columns and values that cannot be held; nothing is copied.

        Raises:
            SchemaError: The first such column, with the reason.
        """
        self.check_schema(table.schema, where=where, destination=destination)
        if self.years is None:
            return
        for column, held in zip(table.schema, table.columns, strict=True):
            row = row_outside(held, *self.years)
            if row is not None:
                reason = f"row {row} lies outside the years {self.years[0]} to {self.years[1]}"
                raise _refusal(column.name, column.type, reason, where, destination)

    def _reason(self, kind: str, arrow: "pa.DataType | None", *, is_inside: bool) -> str | None:
        reason = self.refused.get(kind) or (self.refused_inside.get(kind) if is_inside else None)
        if reason is None and self.rule is not None and arrow is not None:
            return self.rule(arrow, is_inside)
        return reason


def _refusal(path: str, kind: "pa.DataType", reason: str, where: str, destination: str) -> SchemaError:
    return SchemaError(
        f"column {path!r} of type {kind} cannot be stored in {destination}: {reason}",
        where=where,
        fix="give the column another type in data(), or choose another destination",
    )


def _declared(spec: FieldSpec, path: str) -> "Iterator[tuple[str, str, pa.DataType | None]]":
    """Each type in a declared column, from the outside inwards: its place, its kind, its Arrow type if one is named."""
    if spec.repeated:
        yield path, "list", None
    if spec.arrow_type is not None:
        import pyarrow as pa  # whoever names one of its types has loaded it

        for place, inner in _parts(pa.field(path, spec.arrow_type), path):
            yield place, kind_of(inner), inner.type
    elif spec.fields:
        yield path, "struct", None
        for inner_spec in spec.fields:
            yield from _declared(inner_spec, f"{path}.{inner_spec.name}")
    else:
        base = spec.base_type
        yield path, _PYTHON_KINDS.get(base) or _PYTHON_NAMES[base.__name__], None


def _parts(field: "pa.Field", path: str) -> "Iterator[tuple[str, pa.Field]]":
    import pyarrow as pa

    yield path, field
    kind = field.type
    if pa.types.is_dictionary(kind):
        yield path, field.with_type(kind.value_type)
    for number in range(kind.num_fields):
        inner = kind.field(number)
        yield from _parts(inner, f"{path}.{inner.name}" if pa.types.is_struct(kind) else path)


def row_outside(column: "pa.ChunkedArray", first: int, last: int) -> int | None:
    """Number of the first row with a date or datetime outside the years ``first`` to ``last``; None without one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_date32(kind):
        per_day, width = 1, pa.int32()
    elif pa.types.is_date64(kind) or pa.types.is_timestamp(kind):
        per_day, width = _PER_DAY["ms" if pa.types.is_date64(kind) else kind.unit], pa.int64()
    else:
        return None
    low = max((dt.date(first, 1, 1).toordinal() - _EPOCH_DAY) * per_day, -_INT64)
    high = min((dt.date(last, 12, 31).toordinal() - _EPOCH_DAY + 1) * per_day - 1, _INT64 - 1)
    numbers = pa.chunked_array([chunk.view(width) for chunk in column.chunks], width)
    bounds = pc.min_max(numbers).as_py()
    if bounds["min"] is None or (bounds["min"] >= low and bounds["max"] <= high):
        return None
    strays = pc.or_(pc.less(numbers, pa.scalar(low, width)), pc.greater(numbers, pa.scalar(high, width)))
    return int(pc.index(strays, True).as_py())


_EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
_PER_DAY = {unit: 86_400 * 1_000**power for power, unit in enumerate(("s", "ms", "us", "ns"))}
_INT64 = 1 << 63
