"""Arrow tables as CSV text and back, without loss.

The text alone cannot say whether ``1`` was a number: the types stand in a sidecar, content-addressed, so that the files
of one type share one. UTF-8, lines end with LF. Text is always quoted and null is an empty unquoted field, so ``""``
and null differ. What CSV has no form for is written as text: times as ISO 8601, durations as a count of their unit,
bytes as base64, lists and structs as JSON.
"""

import base64
import decimal
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from airflow_provider.errors import SchemaError

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 16 << 20
_LONGEST_BLOCK = (1 << 31) - 1
YEARS = (1, 9999)
"""First and last year that ISO 8601 dates of four digits have."""


def write_csv(table: "pa.Table", sink: BinaryIO, *, where: str) -> bytes:
    """Write ``table`` with a header to ``sink``.

    Returns:
        The content of the type sidecar.

    Raises:
        SchemaError: A column of a type that CSV cannot hold; nothing was written.
    """
    plain = _plain(table, where)
    types = _sidecar(table.schema)
    if plain.num_columns:
        sink.write(_header(table.schema))
        _write_lines(plain, sink)
    return types


def write_batches(reader: "pa.RecordBatchReader", sink: BinaryIO, *, where: str) -> tuple[int, bytes]:
    """Like ``write_csv``, batch by batch.

    Returns:
        The number of rows, and the content of the type sidecar.
    """
    import pyarrow as pa

    types, rows = _sidecar(reader.schema), 0
    _plain(reader.schema.empty_table(), where)  # refuses a type before the first line
    if len(reader.schema):
        sink.write(_header(reader.schema))
    for batch in reader:
        rows += batch.num_rows
        if batch.num_columns:
            _write_lines(_plain(pa.Table.from_batches([batch]), where), sink)
    return rows, types


def _plain(table: "pa.Table", where: str) -> "pa.Table":
    """The table with every column as what CSV writes without loss, named by position."""
    import pyarrow as pa

    columns = [_to_text(table.column(i), table.schema.field(i), where) for i in range(table.num_columns)]
    return pa.Table.from_arrays(columns, names=[str(i) for i in range(len(columns))])


def _write_lines(plain: "pa.Table", sink: BinaryIO) -> None:
    import pyarrow.csv as arrow_csv

    arrow_csv.write_csv(plain, sink, arrow_csv.WriteOptions(include_header=False))


def read_csv(content: bytes, types: bytes) -> "pa.Table":
    """The table that ``write_csv`` wrote.

    Raises:
        pyarrow.ArrowException, ValueError, KeyError: ``content`` or ``types`` is damaged.
    """
    schema = schema_of(types)
    if not len(schema):
        return schema.empty_table()
    header = _header(schema)
    if not content.startswith(header):
        raise ValueError("the header is another one")
    return _typed(_parse(memoryview(content)[len(header) :], [_plain_type(field.type) for field in schema]), schema)


def schema_of(types: bytes) -> "pa.Schema":
    """The Arrow schema that a type sidecar tells; raises as ``read_csv`` does."""
    import pyarrow as pa

    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(json.loads(types)["arrow"])))


def read_csv_batches(file: BinaryIO, types: bytes, *, block_bytes: int = _BLOCK) -> "Iterator[pa.RecordBatch]":
    """The table that ``write_csv`` wrote, in batches of about ``block_bytes`` of text; raises as ``read_csv`` does."""
    import pyarrow as pa

    schema = schema_of(types)
    header, start = _header(schema), file.tell()
    if not len(schema):
        return
    if file.read(len(header)) != header:
        raise ValueError("the header is another one")
    rows = 0
    try:
        for batch in _parse_batches(file, schema, block_bytes):
            yield batch
            rows += batch.num_rows
    except pa.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
        file.seek(start)  # one value is longer than a block: what is left at once
        yield from read_csv(file.read(), types).slice(rows).to_batches()


def _parse_batches(file: BinaryIO, schema: "pa.Schema", block_bytes: int) -> "Iterator[pa.RecordBatch]":
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    start = file.tell()
    if not file.read(1):
        return
    file.seek(start)
    names, convert, parse = _options([_plain_type(field.type) for field in schema])
    options = arrow_csv.ReadOptions(column_names=names, block_size=block_bytes)
    source = pa.PythonFile(file, mode="r")
    with arrow_csv.open_csv(source, read_options=options, parse_options=parse, convert_options=convert) as reader:
        for batch in reader:
            yield from _typed(pa.Table.from_batches([batch]), schema).to_batches()


def _typed(plain: "pa.Table", schema: "pa.Schema") -> "pa.Table":
    import pyarrow as pa

    columns = [_from_text(plain.column(i), field.type) for i, field in enumerate(schema)]
    return pa.Table.from_arrays(columns, schema=schema)


def read_untyped(content: bytes) -> "pa.Table":
    """A CSV file that came without types: every column is text, an empty unquoted field is null."""
    import csv
    import io

    import pyarrow as pa

    if not content.strip():
        return pa.table({})
    reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    header = next(reader)
    rest = b"".join(content.splitlines(keepends=True)[reader.line_num :])
    return _parse(rest, [pa.string()] * len(header)).rename_columns(header)


def _parse(content: bytes | memoryview, types: "list[pa.DataType]") -> "pa.Table":
    """Parse lines without a header, by position."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    names, convert, parse = _options(types)

    def read(block_size: int) -> "pa.Table":
        options = arrow_csv.ReadOptions(column_names=names, block_size=block_size)
        return arrow_csv.read_csv(
            pa.BufferReader(content), read_options=options, parse_options=parse, convert_options=convert
        )

    if not content:
        return pa.table({name: pa.array([], kind) for name, kind in zip(names, types, strict=True)})
    try:
        return read(min(len(content) + 1, _BLOCK))
    except pa.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
        return read(min(len(content) + 1, _LONGEST_BLOCK))  # one value is longer than a block


def _options(types: "list[pa.DataType]") -> tuple[list[str], Any, Any]:
    """Names by position, how values are converted, how lines are parsed."""
    import pyarrow.csv as arrow_csv

    names = [str(i) for i in range(len(types))]
    convert = arrow_csv.ConvertOptions(
        column_types=dict(zip(names, types, strict=True)),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    return names, convert, arrow_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)


def _sidecar(schema: "pa.Schema") -> bytes:
    columns = [{"name": field.name, "type": str(field.type)} for field in schema]
    arrow = base64.b64encode(schema.serialize().to_pybytes()).decode()
    return json.dumps({"version": 1, "columns": columns, "arrow": arrow}, sort_keys=True).encode()


def _header(schema: "pa.Schema") -> bytes:
    names = ('"' + name.replace('"', '""') + '"' for name in schema.names)
    return (",".join(names) + "\n").encode()


def _is_native(kind: "pa.DataType") -> bool:
    """Whether pyarrow writes and reads the type in CSV without loss."""
    import pyarrow.types as t

    return bool(
        t.is_boolean(kind)
        or t.is_integer(kind)
        or t.is_float32(kind)
        or t.is_float64(kind)
        or t.is_string(kind)
        or t.is_large_string(kind)
        or t.is_date32(kind)
    )


def _without_view(kind: "pa.DataType") -> "pa.DataType | None":
    """The type that a view of text or bytes is a view of; None for any other type."""
    import pyarrow as pa

    return {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}.get(kind)


def refused(kind: "pa.DataType", is_inside: bool) -> str | None:
    """Why a type of a kind that CSV has a form for cannot be stored; None where it can."""
    import pyarrow.types as t

    if t.is_list_view(kind) or t.is_large_list_view(kind):
        return "CSV has no form for it; cast it to a list"
    if t.is_struct(kind) and len({field.name for field in kind}) < kind.num_fields:
        return "it has two fields of one name, which JSON cannot hold"
    return None


def _plain_type(kind: "pa.DataType") -> "pa.DataType":
    import pyarrow as pa

    return kind if _is_native(kind) else pa.string()


def _to_text(column: "pa.ChunkedArray", field: "pa.Field", where: str) -> "pa.ChunkedArray":
    import pyarrow as pa

    try:
        _require_years(column)
        return _encoded(column, field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise SchemaError(
            f"column {field.name!r} of type {field.type} cannot be stored as CSV: {error}",
            where=where,
            fix="change the column to a type that CSV can hold, or use ParquetDestination",
        ) from error


def _require_years(column: "pa.ChunkedArray") -> None:
    """Refuse dates that Arrow would write as text that nothing reads."""
    from airflow_provider.schema.type_map import row_outside

    row = row_outside(column, *YEARS)
    if row is not None:
        raise ValueError(f"row {row} lies outside the years {YEARS[0]} to {YEARS[1]}")


def _encoded(column: "pa.ChunkedArray", kind: "pa.DataType") -> "pa.ChunkedArray":
    import pyarrow as pa
    import pyarrow.types as t

    if _is_native(kind):
        return column
    if (plain := _without_view(kind)) is not None:
        return _encoded(column.cast(plain), plain)
    if t.is_dictionary(kind):
        return _encoded(column.cast(kind.value_type), kind.value_type).cast(pa.string())
    if t.is_timestamp(kind) and kind.tz is not None:
        return column.cast(pa.timestamp(kind.unit, "UTC")).cast(pa.string())
    if t.is_duration(kind):
        return column.cast(pa.int64()).cast(pa.string())
    if _is_bytes(kind):
        return _mapped(column, lambda value: base64.b64encode(value).decode())
    if t.is_nested(kind):
        stored = column.cast(_stored_type(kind))
        return _mapped(stored, lambda value: json.dumps(_to_json(value), ensure_ascii=False))
    if not (t.is_null(kind) or t.is_temporal(kind) or t.is_decimal(kind) or t.is_float16(kind)):
        raise TypeError("no CSV form is known for it")
    return column.cast(pa.string())


def _from_text(column: "pa.ChunkedArray", kind: "pa.DataType") -> "pa.ChunkedArray":
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as t

    if _is_native(kind):
        return column
    if (plain := _without_view(kind)) is not None:
        return _from_text(column, plain).cast(kind)
    if t.is_null(kind):
        return pa.chunked_array([pa.nulls(len(column))])
    if t.is_dictionary(kind):
        return _as_dictionary(_from_text(column.cast(_plain_type(kind.value_type)), kind.value_type), kind)
    if t.is_time(kind):
        dated = pc.binary_join_element_wise(pa.scalar("1970-01-01"), column, " ")
        return dated.cast(pa.timestamp(kind.unit)).cast(kind)
    if t.is_duration(kind):
        return column.cast(pa.int64()).cast(kind)
    if _is_bytes(kind):
        return _mapped(column, base64.b64decode, kind)
    if t.is_nested(kind):
        return _mapped(column, lambda text: _from_json(json.loads(text), kind), kind)
    return column.cast(kind)


def _as_dictionary(column: "pa.ChunkedArray", kind: "pa.DataType") -> "pa.ChunkedArray":
    import pyarrow as pa

    encoded = column.combine_chunks().dictionary_encode()
    indices = encoded.indices.cast(kind.index_type)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, encoded.dictionary, ordered=kind.ordered)])


def _mapped(
    column: "pa.ChunkedArray", function: Callable[[Any], Any], kind: "pa.DataType | None" = None
) -> "pa.ChunkedArray":
    """Apply ``function`` to every value that is not null, in Python."""
    import pyarrow as pa

    values = [None if value is None else function(value) for value in column.to_pylist()]
    return pa.chunked_array([pa.array(values, kind if kind is not None else pa.string())])


def _is_bytes(kind: "pa.DataType") -> bool:
    import pyarrow.types as t

    return bool(t.is_binary(kind) or t.is_large_binary(kind) or t.is_fixed_size_binary(kind))


def _stored_type(kind: "pa.DataType") -> "pa.DataType":
    """The nested type with each date, time and duration replaced by its count; raises TypeError for what JSON lacks."""
    import pyarrow as pa
    import pyarrow.types as t

    if t.is_struct(kind):
        return pa.struct([field.with_type(_stored_type(field.type)) for field in kind])
    if t.is_map(kind):
        return pa.map_(_stored_type(kind.key_type), _stored_type(kind.item_type))
    if t.is_fixed_size_list(kind):
        return pa.list_(kind.value_field.with_type(_stored_type(kind.value_type)), kind.list_size)
    if t.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_stored_type(kind.value_type)))
    if t.is_list(kind):
        return pa.list_(kind.value_field.with_type(_stored_type(kind.value_type)))
    if t.is_temporal(kind):
        return pa.int32() if kind.bit_width == 32 else pa.int64()
    if t.is_null(kind):
        return pa.int8()  # a cast of nested nulls to themselves fails
    if _is_native(kind) or _is_bytes(kind) or t.is_decimal(kind):
        return kind
    raise TypeError(f"JSON has no form for {kind} inside a list or struct")


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, dict):
        return {key: _to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(item) for item in value]
    return value


def _from_json(value: Any, kind: "pa.DataType") -> Any:
    import pyarrow.types as t

    if value is None:
        return None
    if _is_bytes(kind):
        return base64.b64decode(value)
    if t.is_decimal(kind):
        return decimal.Decimal(value)
    if t.is_struct(kind):
        return {field.name: _from_json(value.get(field.name), field.type) for field in kind}
    if t.is_map(kind):
        return [(_from_json(k, kind.key_type), _from_json(v, kind.item_type)) for k, v in value]
    if t.is_nested(kind):
        return [_from_json(item, kind.value_type) for item in value]
    return value
