"""Bringing rows into the order of small integer codes: once, stable, and in time that does not grow with their number.

Arrow counts instead of sorting where codes are integers of a small range. Arrow tables are ordered batch by batch: a
batch fits the processor's cache, which makes the copy several times cheaper, and no text column is ever joined into
one piece, which past 2 GB Arrow cannot do.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Ints = np.ndarray[Any, np.dtype[Any]]

_BATCH_ROWS = 1 << 18
_BATCH_BYTES = 1 << 30
_ROWS_PER_GROUP = 1_000  # on average and at least, or slicing would cost more than copying
_PROBED = 64


def in_order(codes: "Ints") -> bool:
    """Whether rows of these codes are grouped already."""
    return bool((codes[1:] >= codes[:-1]).all())


def stable_order(codes: "Ints") -> "pa.UInt64Array":
    """The positions that bring ``codes`` into order; equal ones keep theirs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.sort_indices(pa.array(codes))


def group_bounds(codes: "Ints", count: int) -> list[int]:
    """Where each of the ``count`` groups starts once rows are in order, and where the last one ends."""
    import numpy as np

    return [0, *np.cumsum(np.bincount(codes, minlength=count)).tolist()]


def group_table(table: "pa.Table", codes: "Ints", count: int) -> "list[pa.Table]":
    """Group the rows of a table by code; a group has one chunk for each batch it has rows in.

    Args:
        table: The table.
        codes: One integer for each row, ``0`` to ``count - 1``.
        count: Number of groups.
    """
    import pyarrow as pa

    if not table.num_columns or in_order(codes):
        return [table.slice(start, stop - start) for start, stop in pairwise(group_bounds(codes, count))]
    groups: list[list[pa.RecordBatch]] = [[] for _ in range(count)]
    rows, start = max(_BATCH_ROWS, count * _ROWS_PER_GROUP), 0
    while start < table.num_rows:
        batch = _batch(table, start, rows)
        held = codes[start : start + batch.num_rows]
        ordered = _ordered(batch, held)
        for group, (first, stop) in zip(groups, pairwise(group_bounds(held, count)), strict=True):
            if first < stop:
                group.append(ordered.slice(first, stop - first))
        start += batch.num_rows
    return [pa.Table.from_batches(batches, table.schema) for batches in groups]


def _batch(table: "pa.Table", start: int, rows: int) -> "pa.Table":
    batch = table.slice(start, rows)
    while batch.num_rows > 1 and batch.nbytes > _BATCH_BYTES:
        batch = batch.slice(0, batch.num_rows // 2)
    return batch


def _ordered(batch: "pa.Table", codes: "Ints") -> "pa.RecordBatch":
    import pyarrow as pa

    order = stable_order(codes)
    columns = [_reordered(column, order) for column in batch.columns]
    (ordered,) = pa.Table.from_arrays(columns, schema=batch.schema).combine_chunks().to_batches()
    return ordered


def _reordered(column: "pa.ChunkedArray", order: "pa.UInt64Array") -> Any:
    import pyarrow.compute as pc

    width = _common_width(column)
    if width:
        return _reordered_fixed(column.chunk(0), order, width)
    return pc.take(column, order, boundscheck=False)


def _common_width(column: "pa.ChunkedArray") -> int:
    """How long every text or bytes value of a column is; 0 where that differs, or the column is none of these."""
    import pyarrow as pa

    kind = pa.types
    of_offsets = (kind.is_string, kind.is_binary, kind.is_large_string, kind.is_large_binary)
    if column.num_chunks != 1 or column.null_count or not any(test(column.type) for test in of_offsets):
        return 0
    every = _offsets(column.chunk(0))
    width = int(every[1] - every[0])
    for ends in (every[:_PROBED], every):  # most columns of differing widths show it early
        if ((ends[1:] - ends[:-1]) != width).any():
            return 0
    return width


def _offsets(array: "pa.Array") -> "Ints":
    import numpy as np
    import pyarrow as pa

    large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    ends: Ints = np.frombuffer(array.buffers()[1], dtype=np.int64 if large else np.int32)
    return ends[array.offset : array.offset + len(array) + 1]


def _reordered_fixed(array: "pa.Array", order: "pa.UInt64Array", width: int) -> "pa.Array":
    """Codes, ISO dates, hashes and the like: values of one length are copied several times faster as such."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = _offsets(array)
    content = array.buffers()[2].slice(int(ends[0]))
    taken = pc.take(pa.Array.from_buffers(pa.binary(width), len(array), [None, content]), order, boundscheck=False)
    starts = np.arange(0, (len(array) + 1) * width, width, dtype=ends.dtype)
    return pa.Array.from_buffers(array.type, len(array), [None, pa.py_buffer(starts), taken.buffers()[1]])
