"""Splitting the data of a window into its partitions, in one pass whatever their number.

Every row ends in exactly one place: the partition its column names, or ``outside``. Input order is kept. Sorted
Arrow data and DataFrames are cut without a copy; unsorted ones are brought into order by one stable sort of small
integers and copied once.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn, cast

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning import PartitionConfig, PartitionWindow, TimePartitionWindow
from airflow_provider.schema.representations.place import AWARE, MisplacedError, Places, missing, shown
from airflow_provider.schema.representations.table import TableData

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Ints = np.ndarray[Any, np.dtype[Any]]


_GRID_CELLS = 1 << 22
_BLOCK_ROWS = 1 << 17


@dataclass(frozen=True, eq=False, repr=False)  # comparing or showing it would go through all rows
class Split:
    """The rows of a window, by partition.

    Attributes:
        slices: One entry for each partition of the window, in its order, of the same form as the input; a partition
            without rows has an empty entry.
        outside: The rows of no partition of the window, among them those without a partition value.
        nulls: How many rows of ``outside`` have no partition value.
        first_stray: Row number and value of the first row that lies outside the window, null ones not counted.
    """

    slices: list[TableData]
    outside: TableData
    nulls: int
    first_stray: tuple[int, str] | None

    @property
    def stray_count(self) -> int:
        """How many rows lie in no partition of the window, those without a value among them."""
        return self.outside.num_rows


def split(data: TableData, partitioning: PartitionConfig, window: PartitionWindow, *, where: str) -> Split:
    """Split data by the partition that each row's partition columns name.

    Dates lie in the partition holding that local date, aware datetimes in the one holding that instant. Text is a key
    of the window's grain, an ISO date, or an ISO datetime with offset; an int is a year, where partitions are years.

    Args:
        data: The data.
        partitioning: How the data is partitioned; it names the columns.
        window: The partitions asked for, of this partitioning.
        where: The asset, for the error.

    Raises:
        PartitionError: The column is not there, or a value names no partition: a naive datetime, a number, other text.
        SchemaError: Dates, where partitions are hours.
    """
    (column,) = partitioning.columns
    places = Places(cast("TimePartitionWindow", window))
    if data.is_empty:
        return Split([data.slice(0, 0) for _ in range(places.size)], data, 0, None)
    if data.kind == "rows":
        return _split_rows(data, column, places, where)
    if column not in data.checked_columns(where=where):
        raise _no_column(column, data.columns, where)
    values = data.column(column)
    if isinstance(values, list):
        return _split_values(data, values, column, places, where)
    return _split_arrow(data, values, column, places, where)


def _no_column(column: str, columns: Sequence[str], where: str) -> PartitionError:
    names = ", ".join(map(repr, columns[:10])) + (", ..." if len(columns) > 10 else "")
    return PartitionError(
        f"the data has no partition column {column!r}, only {names or 'no columns'}",
        where=where,
        fix="return the column from data(), or name another one in the asset's partitioning",
    )


def _misplaced(row: int, column: str, value: Any, problem: MisplacedError, where: str) -> NoReturn:
    raise problem.error(
        f"row {row} has {column}={shown(value)!r}: {problem.what}", where=where, fix=problem.fix
    ) from None


class _Sinks(dict[Any, Callable[[Any], None]]):
    """Partition value -> what takes a row of that value. Each distinct value is looked at once."""

    def __init__(self, places: Places, buckets: list[list[Any]]) -> None:
        super().__init__()
        self.places = places
        self.sinks = [bucket.append for bucket in buckets]

    def __missing__(self, value: Any) -> Callable[[Any], None]:
        index = self.places.outside if missing(value) else self.places.of(value)
        sink = self.sinks[index]
        if not hasattr(value, "utcoffset"):  # nearly every instant is another: keeping them only costs memory
            self[value] = sink
        return sink


def _split_rows(data: TableData, column: str, places: Places, where: str) -> Split:
    rows = data.value
    if not any(column in row for row in rows):
        raise _no_column(column, data.columns, where)
    buckets: list[list[Any]] = [[] for _ in range(places.size + 1)]
    sinks = _Sinks(places, buckets)
    try:
        for row in rows:
            try:
                value = row[column]
            except KeyError:
                value = None
            sinks[value](row)
    except (MisplacedError, TypeError) as error:
        number = sum(map(len, buckets))
        problem = (
            error if isinstance(error, MisplacedError) else MisplacedError("the value is no partition value", AWARE)
        )
        _misplaced(number, column, rows[number].get(column), problem, where)
    *held, outside = buckets
    strays = [row for row in outside if not missing(row.get(column))]
    first = None
    if strays:
        first = next(number for number, row in enumerate(rows) if row is strays[0]), shown(strays[0].get(column))
    slices = [data.with_value(bucket) for bucket in held]
    return Split(slices, data.with_value(outside), len(outside) - len(strays), first)


def _split_values(data: TableData, values: list[Any], column: str, places: Places, where: str) -> Split:
    """Split a DataFrame by a column of Python objects."""
    import numpy as np

    codes, nulls = np.empty(len(values), dtype=_code_type(places)), np.zeros(len(values), dtype=bool)
    known: dict[Any, int] = {}
    for row, value in enumerate(values):
        try:
            code = known.get(value)
            if code is None:
                nulls[row] = missing(value)
                code = places.outside if nulls[row] else places.of(value)
                if not nulls[row]:
                    known[value] = code
        except (MisplacedError, TypeError) as error:
            problem = (
                error if isinstance(error, MisplacedError) else MisplacedError("the value is no partition value", AWARE)
            )
            _misplaced(row, column, value, problem, where)
        codes[row] = code
    return _by_codes(data, codes, nulls, places, lambda row: values[row])


def _split_arrow(data: TableData, values: "pa.ChunkedArray", column: str, places: Places, where: str) -> Split:
    import numpy as np
    import pyarrow as pa

    if values.null_count == len(values):
        codes = np.full(len(values), places.outside, dtype=_code_type(places))
        return _by_codes(data, codes, np.ones(len(values), dtype=bool), places, lambda row: None)
    nulls = values.is_null().to_numpy() if values.null_count else None
    value_of = _value_reader(values)
    try:
        numbers, edges = _as_numbers(values, places)
    except MisplacedError as problem:
        row = 0 if nulls is None else int(np.argmin(nulls))
        _misplaced(row, column, value_of(row), problem, where)
    if numbers is None:
        codes = _text_codes(values, column, places, where)
        return _by_codes(data, codes, nulls, places, value_of)
    bounds = np.clip(np.array(edges, dtype=object), *_limits(numbers.dtype)).astype(numbers.dtype)
    gaps = pa.types.is_date(values.type) and places.has_gaps
    if nulls is None and not gaps and _is_sorted(numbers):
        return _cut(data, np.searchsorted(numbers, bounds), value_of)
    codes = _codes(numbers, bounds, places)
    if gaps:
        codes[bounds[codes] != numbers] = places.outside
    if nulls is not None:
        codes[nulls] = places.outside
    return _by_codes(data, codes, nulls, places, value_of)


def _codes(numbers: "Ints", bounds: "Ints", places: Places) -> "Ints":
    """The index of the partition of each number.

    Edges of time lie on a grid (a day, or an hour where clocks change), so that dividing finds the cell of the grid
    and one look-up its partition; a binary search for each row costs ten times as much. Blocks keep the intermediate
    arrays in the processor's cache.
    """
    import numpy as np

    kind = _code_type(places)
    steps = [int(stop) - int(start) for start, stop in pairwise(bounds)]
    step = math.gcd(*steps)
    on_grid = step > 0 and sum(steps) // step <= _GRID_CELLS
    grid = np.repeat(np.arange(places.size, dtype=kind), [size // step for size in steps]) if on_grid else None
    codes: Ints = np.empty(len(numbers), dtype=kind)
    for start in range(0, len(numbers), _BLOCK_ROWS):
        block = numbers[start : start + _BLOCK_ROWS]
        inside = (block >= bounds[0]) & (block < bounds[-1])
        if not inside.all():
            block = np.where(inside, block, bounds[0])  # so that the distance below cannot overflow
        if grid is None:
            found = np.searchsorted(bounds, block, side="right") - 1
        else:
            found = grid[block - bounds[0] if step == 1 else (block - bounds[0]) // numbers.dtype.type(step)]
        if not inside.all():
            found[~inside] = places.outside
        codes[start : start + _BLOCK_ROWS] = found
    return codes


def _value_reader(values: "pa.ChunkedArray") -> Callable[[int], Any]:
    def value_of(row: int) -> Any:
        try:
            return values[row].as_py()
        except (OverflowError, ValueError):  # a time that Python has no form for, such as the year 300000
            return f"{values[row].value} ({values.type})"

    return value_of


def _as_numbers(values: "pa.ChunkedArray", places: Places) -> "tuple[Ints | None, list[int]]":
    """The column as integers with the edges in the same unit; ``(None, [])`` for text.

    Raises:
        MisplacedError: A type that names no partition of this grain.
    """
    import pyarrow as pa

    kind = pa.types
    value_type = values.type.value_type if kind.is_dictionary(values.type) else values.type
    if kind.is_string(value_type) or kind.is_large_string(value_type) or kind.is_string_view(value_type):
        return None, []
    if kind.is_dictionary(values.type):
        values = values.cast(value_type)
    if kind.is_date(value_type):
        return _ints(values.cast(pa.date32())), places.days
    if kind.is_timestamp(value_type):
        if value_type.tz is None:
            raise MisplacedError("a naive timestamp names no instant", AWARE)
        return _ints(values), _in_unit(places.instants, value_type.unit)
    if kind.is_integer(value_type) or kind.is_floating(value_type):
        places.check_years()
        return _whole_years(values), places.years
    raise MisplacedError(f"a column of type {value_type} names no partition", AWARE)


def _whole_years(values: "pa.ChunkedArray") -> "Ints":
    import pyarrow as pa

    try:
        return _ints(values.cast(pa.int64()))
    except pa.ArrowInvalid:
        raise MisplacedError("the column holds numbers that are no years", "give whole years, such as 2013") from None


def _ints(values: "pa.ChunkedArray") -> "Ints":
    """The integers behind a column, without a copy where it is in one piece; nulls are 0."""
    import pyarrow as pa

    whole = values.chunk(0) if values.num_chunks == 1 else pa.concat_arrays(values.chunks)
    numbers = whole.view(pa.int32() if whole.type.bit_width == 32 else pa.int64())
    found: Ints = (numbers.fill_null(0) if numbers.null_count else numbers).to_numpy()
    return found


def _in_unit(instants: list[int], unit: str) -> list[int]:
    """Microseconds in another unit, rounded up, so that ``value >= edge`` stays true for the same values."""
    if unit == "ns":
        return [instant * 1000 for instant in instants]
    size = {"s": 1_000_000, "ms": 1_000, "us": 1}[unit]
    return [-(-instant // size) for instant in instants]


def _limits(kind: "np.dtype[Any]") -> tuple[int, int]:
    import numpy as np

    return int(np.iinfo(kind).min), int(np.iinfo(kind).max)


def _text_codes(values: "pa.ChunkedArray", column: str, places: Places, where: str) -> "Ints":
    """Code of each row of a text column; each distinct text is parsed once."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    whole = encoded.unify_dictionaries().combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    used = set(pc.unique(whole.indices).to_pylist())
    texts = whole.dictionary.to_pylist()
    table = np.full(len(texts) + 1, places.outside, dtype=_code_type(places))
    for position, text in enumerate(texts):
        if position not in used or text is None:
            continue
        try:
            table[position] = places.of(text)
        except MisplacedError as problem:
            _misplaced(pc.index(whole.indices, position).as_py(), column, text, problem, where)
    found: Ints = table[whole.indices.fill_null(len(texts)).to_numpy()]
    return found


def _code_type(places: Places) -> Any:
    """The smallest type: NumPy sorts 16-bit integers by counting, in linear time."""
    import numpy as np

    return np.int16 if places.size < 2**15 - 1 else np.int32


def _is_sorted(numbers: "Ints") -> bool:
    return bool((numbers[1:] >= numbers[:-1]).all())


def _cut(data: TableData, positions: "Ints", value_of: Callable[[int], Any]) -> Split:
    """Cut data in order of time at these ``n + 1`` positions."""
    ends = [int(position) for position in positions]
    slices = [data.slice(start, stop) for start, stop in pairwise(ends)]
    before, after = data.slice(0, ends[0]), data.slice(ends[-1], data.num_rows)
    outside = after if before.is_empty else before if after.is_empty else TableData.concat([before, after])
    first = None if outside.is_empty else 0 if ends[0] else ends[-1]
    return Split(slices, outside, 0, None if first is None else (first, shown(value_of(first))))


def _by_codes(
    data: TableData, codes: "Ints", nulls: "Ints | None", places: Places, value_of: Callable[[int], Any]
) -> Split:
    """Group rows by code, ``places.outside`` last; a copy is made only where they are not grouped already."""
    import numpy as np

    stray = codes == places.outside if nulls is None else (codes == places.outside) & ~nulls
    row = int(np.argmax(stray))
    first = (row, shown(value_of(row))) if stray[row] else None
    *slices, outside = data.group(codes, places.size + 1)
    return Split(slices, outside, 0 if nulls is None else int(nulls.sum()), first)
