"""Where the rows of whole columns lie: one small integer for each row, the index of its partition in the window.

Columns of time are compared as integers, text by its distinct values; of several columns the indexes are combined.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

from airflow_provider.schema.representations.place import (
    AWARE,
    ListPlaces,
    MisplacedError,
    Places,
    TimePlaces,
    missing,
    no_text,
    shown,
)
from airflow_provider.schema.representations.table import TableData

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Ints = np.ndarray[Any, np.dtype[Any]]

_GRID_CELLS = 1 << 22
_BLOCK_ROWS = 1 << 17


@dataclass(frozen=True, eq=False, repr=False)  # comparing or showing it would go through all rows
class Placed:
    """Where ``n`` rows lie.

    Attributes:
        size: How many partitions there are.
        codes: The index of each row's partition, ``size`` for none; None where ``cuts`` say it.
        cuts: Of rows in order of time, the ``size + 1`` row numbers between which the partitions lie.
        nulls: Which rows have no value; None where all have.
        value_of: The value of a row, for messages.
    """

    size: int
    codes: "Ints | None"
    nulls: "Ints | None"
    value_of: Callable[[int], Any]
    cuts: "Ints | None" = None


def place_columns(data: TableData, columns: Sequence[str], places: Sequence[Places], where: str) -> Placed:
    """Place the rows of a table by its partition columns.

    Raises:
        PartitionError: A value that names no partition; the first such row is named.
        SchemaError: Dates, where partitions are hours.
    """
    if len(columns) == 1:
        return _place_column(data, columns[0], places[0], where, cuts=True)
    placed = [
        _place_column(data, column, place, where, cuts=False) for column, place in zip(columns, places, strict=True)
    ]
    return _combined(placed)


def code_type(size: int) -> Any:
    """The smallest type that holds ``size``: NumPy sorts 16-bit integers by counting, in linear time."""
    import numpy as np

    return np.int16 if size < 2**15 - 1 else np.int32


def misplaced(row: int, column: str, value: Any, problem: MisplacedError, where: str) -> NoReturn:
    """Raise what is wrong with the value of a row."""
    raise problem.error(
        f"row {row} has {column}={shown(value)!r}: {problem.what}", where=where, fix=problem.fix
    ) from None


def _combined(columns: Sequence[Placed]) -> Placed:
    import numpy as np

    size = math.prod(column.size for column in columns)
    kind = code_type(size)
    codes: Any = 0
    outside: Any = False
    for column in columns:
        codes = codes * kind(column.size) + column.codes.astype(kind)  # type: ignore[union-attr]  # none has cuts
        outside = outside | (column.codes == column.size)
    codes[outside] = size
    masks = [column.nulls for column in columns if column.nulls is not None]
    nulls = np.logical_or.reduce(masks) if masks else None
    return Placed(size, codes, nulls, lambda row: "|".join(shown(column.value_of(row)) for column in columns))


def _place_column(data: TableData, column: str, places: Places, where: str, *, cuts: bool) -> Placed:
    values = data.column(column)
    if isinstance(values, list):
        return _place_values(values, column, places, where)
    return _place_arrow(data, values, column, places, where, cuts=cuts)


def _place_values(values: list[Any], column: str, places: Places, where: str) -> Placed:
    """Place a column of Python objects."""
    import numpy as np

    codes, nulls = np.empty(len(values), dtype=code_type(places.size)), np.zeros(len(values), dtype=bool)
    known: dict[Any, int] = {}
    for row, value in enumerate(values):
        try:
            code = known.get(value) if places.keeps(value) else None
            if code is None:
                nulls[row] = missing(value)
                code = places.outside if nulls[row] else places.of(value)
                if not nulls[row] and places.keeps(value):
                    known[value] = code
        except (MisplacedError, TypeError) as error:
            problem = (
                error if isinstance(error, MisplacedError) else MisplacedError("the value is no partition value", AWARE)
            )
            misplaced(row, column, value, problem, where)
        codes[row] = code
    return Placed(places.size, codes, nulls if nulls.any() else None, lambda row: values[row])


def _place_arrow(
    data: TableData, values: "pa.ChunkedArray", column: str, places: Places, where: str, *, cuts: bool
) -> Placed:
    import numpy as np
    import pyarrow as pa

    if values.null_count == len(values):
        codes = np.full(len(values), places.outside, dtype=code_type(places.size))
        return Placed(places.size, codes, np.ones(len(values), dtype=bool), lambda row: None)
    nulls = values.is_null().to_numpy() if values.null_count else None
    value_of = _value_reader(values)
    try:
        texts = _as_texts(data, values, column, places)
        numbers, edges = _as_numbers(values, places) if texts is None else (None, [])
    except MisplacedError as problem:
        row = 0 if nulls is None else int(np.argmin(nulls))
        misplaced(row, column, value_of(row), problem, where)
    if texts is not None or numbers is None:
        codes = _text_codes(values if texts is None else texts, column, places, where)
        return Placed(places.size, codes, nulls, value_of)
    assert isinstance(places, TimePlaces)  # noqa: S101 -- a list is always compared as text
    bounds = np.clip(np.array(edges, dtype=object), *_limits(numbers.dtype)).astype(numbers.dtype)
    gaps = pa.types.is_date(values.type) and places.has_gaps
    if cuts and nulls is None and not gaps and _is_sorted(numbers):
        return Placed(places.size, None, None, value_of, np.searchsorted(numbers, bounds))
    codes = _codes(numbers, bounds, places.size)
    if gaps:
        codes[bounds[codes] != numbers] = places.outside
    if nulls is not None:
        codes[nulls] = places.outside
    return Placed(places.size, codes, nulls, value_of)


def _as_texts(data: TableData, values: "pa.ChunkedArray", column: str, places: Places) -> "pa.ChunkedArray | None":
    """The column as text, where partitions are the values of a list; None where they are stretches of time.

    Raises:
        MisplacedError: A type without one exact text, or JSON, which is what values of several types become.
    """
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import MARK

    if not isinstance(places, ListPlaces):
        return None
    kind = pa.types
    value_type = values.type.value_type if kind.is_dictionary(values.type) else values.type
    mark = (data.value.schema.field(column).metadata or {}).get(MARK) if data.kind == "arrow" else None
    if mark not in (None, b"uuid"):
        raise MisplacedError("the column holds values of several types", "give all its values one type, best as text")
    if kind.is_integer(value_type) or kind.is_date(value_type):
        # Of dates the days alone: date64 counts milliseconds, and has a time of day as text.
        return values.cast(pa.date32() if kind.is_date(value_type) else value_type).cast(pa.string())
    if kind.is_string(value_type) or kind.is_large_string(value_type) or kind.is_string_view(value_type):
        return values
    raise no_text(str(value_type))


def _codes(numbers: "Ints", bounds: "Ints", size: int) -> "Ints":
    """The index of the partition of each number.

    Edges of time lie on a grid (a day, or an hour where clocks change), so that dividing finds the cell of the grid
    and one look-up its partition; a binary search for each row costs ten times as much. Blocks keep the intermediate
    arrays in the processor's cache.
    """
    import numpy as np

    kind = code_type(size)
    steps = [int(stop) - int(start) for start, stop in pairwise(bounds)]
    step = math.gcd(*steps)
    on_grid = step > 0 and sum(steps) // step <= _GRID_CELLS
    grid = np.repeat(np.arange(size, dtype=kind), [length // step for length in steps]) if on_grid else None
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
            found[~inside] = size
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

    assert isinstance(places, TimePlaces)  # noqa: S101 -- a list is always compared as text
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
    table = np.full(len(texts) + 1, places.outside, dtype=code_type(places.size))
    for position, text in enumerate(texts):
        if position not in used or text is None:
            continue
        try:
            table[position] = places.of(text)
        except MisplacedError as problem:
            misplaced(pc.index(whole.indices, position).as_py(), column, text, problem, where)
    found: Ints = table[whole.indices.fill_null(len(texts)).to_numpy()]
    return found


def _is_sorted(numbers: "Ints") -> bool:
    return bool((numbers[1:] >= numbers[:-1]).all())
