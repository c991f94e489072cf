"""Columns as Arrow types, and rows as Arrow columns and back.

What Arrow has no type for travels as text under a mark in the field's metadata, at any depth: ``json`` for ``dict``
and ``Any``, ``uuid`` for ``UUID``. Decoding reads the mark alone, so that rows come back as they were even where the
schema is not known.
"""

import datetime as dt
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from airflow_provider.errors import SchemaError
from airflow_provider.schema.fields import NONE_TYPE, FieldSpec

if TYPE_CHECKING:
    import pyarrow as pa

MARK = b"airflow_provider.type"
_DEEPEST = 400
Convert = Callable[[Any], Any]


def arrow_schema(specs: Iterable[FieldSpec]) -> "pa.Schema":
    """The Arrow schema of the columns, in their order."""
    import pyarrow as pa

    return pa.schema([arrow_field(spec) for spec in specs])


def arrow_field(spec: FieldSpec) -> "pa.Field":
    """One column as an Arrow field, marked where its values travel as text."""
    import pyarrow as pa

    if spec.repeated:
        return pa.field(spec.name, pa.list_(arrow_field(spec.item)), spec.nullable)
    mark = _mark(spec)
    return pa.field(spec.name, value_type(spec), spec.nullable, metadata={MARK: mark} if mark else None)


def _mark(spec: FieldSpec) -> bytes | None:
    if spec.arrow_type is not None or spec.fields:
        return None
    return {dict: b"json", Any: b"json", UUID: b"uuid"}.get(spec.type)


def value_type(spec: FieldSpec) -> "pa.DataType":
    """The Arrow type of one value, that of an item for a list."""
    import pyarrow as pa

    if spec.arrow_type is not None:
        return spec.arrow_type
    if spec.fields:
        return pa.struct([arrow_field(field) for field in spec.fields])
    makers: dict[Any, Callable[[], Any]] = {
        bool: pa.bool_,
        int: pa.int64,
        float: pa.float64,
        str: pa.string,
        bytes: pa.binary,
        dt.date: pa.date32,
        dt.datetime: lambda: pa.timestamp("us", tz="UTC"),
        dt.time: lambda: pa.time64("us"),
        dt.timedelta: lambda: pa.duration("us"),
        Decimal: lambda: pa.decimal128(38, 9),
        NONE_TYPE: pa.null,
    }
    return makers.get(spec.base_type, pa.string)()


def specs_from_arrow(schema: "pa.Schema") -> tuple[FieldSpec, ...]:
    """The columns of an Arrow schema; a type that is not the usual one of its Python type is kept as it is."""
    return tuple(_spec_from_arrow(field) for field in schema)


def _spec_from_arrow(field: "pa.Field") -> FieldSpec:
    import pyarrow as pa

    kind = field.type
    if pa.types.is_dictionary(kind):
        return _spec_from_arrow(field.with_type(kind.value_type))
    spec = FieldSpec(field.name, Any, nullable=field.nullable)
    if (mark := (field.metadata or {}).get(MARK)) is not None:
        return replace(spec, type=UUID if mark == b"uuid" else Any)
    if pa.types.is_struct(kind) and kind.num_fields:
        return replace(spec, type=dict, fields=tuple(_spec_from_arrow(kind.field(i)) for i in range(kind.num_fields)))
    if pa.types.is_list(kind):
        item = _spec_from_arrow(kind.value_field)
        if not item.repeated:
            return replace(
                spec,
                type=item.type,
                fields=item.fields,
                repeated=True,
                items_nullable=item.nullable,
                arrow_type=item.arrow_type,
            )
    spec = replace(spec, type=_python_type(kind))
    usual = None if spec.type is Any else value_type(spec)
    return spec if usual == kind else replace(spec, arrow_type=kind)


def _python_type(kind: "pa.DataType") -> Any:
    import pyarrow as pa

    tests: list[tuple[Callable[[Any], bool], Any]] = [
        (pa.types.is_boolean, bool),
        (pa.types.is_integer, int),
        (pa.types.is_floating, float),
        (is_text, str),
        (is_bytes, bytes),
        (pa.types.is_date, dt.date),
        (pa.types.is_timestamp, dt.datetime),
        (pa.types.is_time, dt.time),
        (pa.types.is_duration, dt.timedelta),
        (pa.types.is_decimal, Decimal),
        (pa.types.is_null, NONE_TYPE),
    ]
    return next((python for test, python in tests if test(kind)), Any)


def is_text(kind: "pa.DataType") -> bool:
    """Whether the Arrow type is one of the text types."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_bytes(kind: "pa.DataType") -> bool:
    """Whether the Arrow type is one of the binary types."""
    import pyarrow as pa

    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    return any(test(kind) for test in tests)


def is_list(kind: "pa.DataType") -> bool:
    """Whether the Arrow type is one of the list types; a map is none."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def is_marked(field: "pa.Field") -> bool:
    """Whether a value travels as text under a mark, at any depth."""
    return MARK in (field.metadata or {}) or any(map(is_marked, _parts(field.type)))


def holds_json_or_empty(field: "pa.Field") -> bool:
    """Whether a value may hold a dict that is no struct, or one without keys, at any depth."""
    import pyarrow as pa

    is_empty = pa.types.is_struct(field.type) and not field.type.num_fields
    is_json = (field.metadata or {}).get(MARK) == b"json"
    return bool(is_empty or is_json or any(map(holds_json_or_empty, _parts(field.type))))


def _parts(kind: "pa.DataType") -> "list[pa.Field]":
    return [kind.field(number) for number in range(kind.num_fields)]


def map_leaves(kind: "pa.DataType", leaf: "Callable[[pa.DataType], pa.DataType]") -> "pa.DataType":
    """The type with each type inside it that has no parts replaced by what ``leaf`` makes of it."""
    import pyarrow as pa

    def inside(field: "pa.Field") -> "pa.Field":
        return field.with_type(map_leaves(field.type, leaf))

    if pa.types.is_struct(kind):
        return pa.struct([inside(field) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(inside(kind.key_field), inside(kind.item_field), kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(inside(kind.value_field), kind.list_size)
    if pa.types.is_large_list(kind):
        return pa.large_list(inside(kind.value_field))
    return pa.list_(inside(kind.value_field)) if pa.types.is_list(kind) else leaf(kind)


def as_type(column: "pa.ChunkedArray | pa.Array", kind: "pa.DataType") -> "pa.ChunkedArray | pa.Array":
    """The column as another type; unlike a cast of Arrow, a dictionary of any type of value."""
    import pyarrow as pa

    if column.type == kind:
        return column
    if not pa.types.is_dictionary(kind) or pa.types.is_dictionary(column.type):
        return column.cast(kind)
    plain = column.cast(kind.value_type)
    encoded = (plain.combine_chunks() if isinstance(plain, pa.ChunkedArray) else plain).dictionary_encode()
    whole = pa.DictionaryArray.from_arrays(
        encoded.indices.cast(kind.index_type), encoded.dictionary, ordered=kind.ordered
    )
    return pa.chunked_array([whole]) if isinstance(column, pa.ChunkedArray) else whole


def as_declared(table: "pa.Table", specs: "Sequence[FieldSpec]") -> "pa.Table":
    """A table that fits ``specs`` with just their types, so that every form of the same data is stored alike.

    Frames have one type of text, of lists, of times of day, where Arrow has several. What is encoded as a dictionary
    stays so, and so does text that is too long for the type.
    """
    import pyarrow as pa

    target = arrow_schema(specs)
    if table.schema.equals(target, check_metadata=True) or table.column_names != target.names:
        return table
    parts = [_as_declared(table.column(at), table.schema.field(at), target.field(at)) for at in range(len(target))]
    fields = [field for _, field in parts]
    return pa.Table.from_arrays([column for column, _ in parts], schema=pa.schema(fields, table.schema.metadata))


def _as_declared(column: Any, held: "pa.Field", target: "pa.Field") -> "tuple[Any, pa.Field]":
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return column, held
    try:
        return (column if column.type == target.type else column.cast(target.type)), target
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column, held


def to_arrow_array(values: Sequence[Any], spec: FieldSpec, *, where: str) -> "pa.Array":
    """Build one Arrow column from Python values that already fit ``spec``.

    Raises:
        SchemaError: Arrow cannot hold a value, such as an int past 64 bits; the row is named.
    """
    import pyarrow as pa

    encode = encoder(spec)
    field = arrow_field(spec)
    try:
        encoded = values if encode is None else [None if value is None else encode(value) for value in values]
        return pa.array(encoded, type=field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise _unfit(values, spec, encode, where) from error


def _unfit(values: Sequence[Any], spec: FieldSpec, encode: Convert | None, where: str) -> SchemaError:
    """Name the first value that Arrow refuses on its own."""
    import pyarrow as pa

    kind = arrow_field(spec).type
    for row, value in enumerate(values):
        try:
            pa.array([value if encode is None or value is None else encode(value)], type=kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, UnicodeEncodeError):
                return SchemaError(
                    f"row {row}, column {spec.name!r}: the text is not valid UTF-8: it holds a lone surrogate",
                    where=where,
                    fix="mend it in data(): value.encode('utf-8', 'replace').decode()",
                )
            return SchemaError(
                f"row {row}, column {spec.name!r}: a value of type {type(value).__name__} has no place in "
                f"a column of {spec.type_name}, {kind} in Arrow",
                where=where,
                fix="declare a wider type for the column in a Schema, or make the values of one type in data()",
            )
    return SchemaError(
        f"column {spec.name!r} does not fit {kind}", where=where, fix="make the values of one type in data()"
    )


def encoder(spec: FieldSpec) -> Convert | None:
    """What turns a value into its Arrow form, or None where it is that already."""
    if spec.repeated:
        item = encoder(spec.item)
        return None if item is None else lambda values: [None if value is None else item(value) for value in values]
    if spec.fields:
        inner = {field.name: encoder(field) for field in spec.fields}
        return None if not any(inner.values()) else lambda value: _map_record(value, inner)
    encoders: dict[bytes | None, Convert] = {b"json": to_json, b"uuid": str}
    return encoders.get(_mark(spec))


def decoder(field: "pa.Field") -> Convert | None:
    """What turns the Arrow form, as ``to_pylist`` gives it, back into the value, or None where it is that already."""
    import pyarrow as pa

    mark = (field.metadata or {}).get(MARK)
    if mark is not None:
        return UUID if mark == b"uuid" else json.loads
    if is_list(field.type):
        item = decoder(field.type.value_field)
        return None if item is None else lambda values: [None if value is None else item(value) for value in values]
    if pa.types.is_struct(field.type):
        inner = {field.type.field(i).name: decoder(field.type.field(i)) for i in range(field.type.num_fields)}
        return None if not any(inner.values()) else lambda value: _map_record(value, inner)
    if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
        return lambda value: value.to_pydatetime() if getattr(value, "nanosecond", None) == 0 else value
    return None


def _map_record(value: dict[str, Any], inner: dict[str, Convert | None]) -> dict[str, Any]:
    return {
        name: item if item is None or (convert := inner.get(name)) is None else convert(item)
        for name, item in value.items()
    }


def to_json(value: Any) -> str:
    """JSON text that reads back as the same value; refuses what would not.

    Raises:
        TypeError: A value JSON has no form for, such as a date, or a key that is not text.
    """
    _check_json(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _check_json(value: Any) -> None:
    """Refuse what ``json`` would change without a word: tuples, keys that are not text, subclasses.

    And what is nested so deep that reading it might fail: ``json`` goes by recursion.
    """
    level = [value]
    for _ in range(_DEEPEST):
        level = [item for held in level for item in _items(held)]
        if not level:
            return
    raise TypeError(f"a value nested deeper than {_DEEPEST} levels")


def _items(value: Any) -> Iterable[Any]:
    """What a value of JSON holds, in turn; raises TypeError for any other value."""
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"a key of type {type(key).__name__}")
        return value.values()
    if isinstance(value, list):
        return value
    if value is not None and type(value) not in (bool, int, float, str):
        raise TypeError(f"a value of type {type(value).__name__}")
    return ()


def from_arrow_column(column: "pa.ChunkedArray | pa.Array", field: "pa.Field") -> list[Any]:
    """The Python values of one Arrow column."""
    decode = decoder(field)
    values: list[Any] = column.to_pylist()
    return values if decode is None else [None if value is None else decode(value) for value in values]
