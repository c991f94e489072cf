"""How a table is laid out in a Parquet file: in how many pieces it is written, and which columns have a dictionary.

A dictionary of values that hardly repeat holds nearly all of them: it makes the file larger and costs more than all
other work on it. So a sample of each column says whether its values repeat. All depends on the content alone, so that
the same rows give the same file.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_SAMPLE_ROWS = 1_024
_STRETCHES = 4
_SHORT_CHUNK_ROWS = 16_384
_DISTINCT_AT_MOST = 0.9


def joined(table: "pa.Table") -> "pa.Table":
    """The table with many short chunks made one, for each chunk is encoded by itself."""
    import pyarrow as pa

    chunks = max((column.num_chunks for column in table.columns), default=1)
    if chunks <= 1 or table.num_rows > chunks * _SHORT_CHUNK_ROWS:
        return table
    try:
        return table.combine_chunks()
    except pa.ArrowException:
        return table  # such as a text column that is longer than Arrow holds in one piece


def dictionary_columns(table: "pa.Table") -> list[str]:
    """Paths of the columns, and of the leaves of nested ones, that are stored through a dictionary."""
    return [
        path
        for index, field in enumerate(table.schema)
        for path in _leaves(field, field.name)
        if path != field.name or _repeats(table.column(index))
    ]


def _leaves(field: "pa.Field", path: str) -> Iterator[str]:
    """The paths of a field's leaves as Parquet names them."""
    import pyarrow as pa

    kind, test = field.type, pa.types
    if test.is_struct(kind):
        for child in kind:
            yield from _leaves(child, f"{path}.{child.name}")
    elif test.is_map(kind):
        yield from _leaves(kind.key_field, f"{path}.key_value.key")
        yield from _leaves(kind.item_field, f"{path}.key_value.value")
    elif test.is_list(kind) or test.is_large_list(kind) or test.is_fixed_size_list(kind):
        yield from _leaves(kind.value_field, f"{path}.list.element")
    else:
        yield path


def _repeats(column: "pa.ChunkedArray") -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return True
    sample = _sample(column)
    try:
        distinct = len(sample.unique())
    except pa.ArrowNotImplementedError:
        return True  # a type that Arrow cannot compare, such as an extension: left as Parquet has it
    return distinct <= _DISTINCT_AT_MOST * len(sample)


def _sample(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """A few stretches from all over the column, for neighbours are often alike; all of a short one."""
    import pyarrow as pa

    if len(column) <= _SAMPLE_ROWS:
        return column
    size, step = _SAMPLE_ROWS // _STRETCHES, len(column) // _STRETCHES
    stretches = [column.slice(number * step, size) for number in range(_STRETCHES)]
    return pa.chunked_array([chunk for stretch in stretches for chunk in stretch.chunks], column.type)
