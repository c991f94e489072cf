"""Splitting the data of a window into its partitions, in one pass whatever their number.

Every row ends in exactly one place: the partition its column names, or ``outside``. Input order is kept. Sorted
Arrow data and DataFrames are cut without a copy; unsorted ones are brought into order by one stable sort of small
integers and copied once.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning import PartitionConfig, PartitionWindow
from airflow_provider.schema.representations.place import MisplacedError, Places, missing, places_of, shown
from airflow_provider.schema.representations.place_column import Placed, misplaced, place_columns
from airflow_provider.schema.representations.table import TableData

if TYPE_CHECKING:
    import numpy as np

    Ints = np.ndarray[Any, np.dtype[Any]]


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

    By time, dates lie in the partition holding that local date, aware datetimes in the one holding that instant. Text
    is a key of the window's grain, an ISO date, or an ISO datetime with offset; an int is a year, where partitions are
    years. In a list, text lies in the partition of that value, an int in that of its digits, a date in that of its ISO
    form. Of several columns each names its part; a row lies outside if one of them does, and is null if one of them is.

    Args:
        data: The data.
        partitioning: How the data is partitioned; it names the columns.
        window: The partitions asked for, of this partitioning.
        where: The asset, for the error.

    Raises:
        PartitionError: A column is not there, or a value names no partition: a naive datetime, a number, other text;
            in a list a float, a bool, or values of several types.
        SchemaError: Dates, where partitions are hours.
    """
    columns, places = partitioning.columns, places_of(window)
    if data.is_empty:
        return Split([data.slice(0, 0) for _ in range(len(window))], data, 0, None)
    if data.kind == "rows":
        return _split_rows(data, columns, places, where)
    for column in columns:
        if column not in data.checked_columns(where=where):
            raise _no_column(column, data.columns, where)
    placed = place_columns(data, columns, places, where)
    return _by_codes(data, placed) if placed.cuts is None else _cut(data, placed.cuts, placed.value_of)


def _no_column(column: str, columns: Sequence[str], where: str) -> PartitionError:
    names = ", ".join(map(repr, columns[:10])) + (", ..." if len(columns) > 10 else "")
    return PartitionError(
        f"the data has no partition column {column!r}, only {names or 'no columns'}",
        where=where,
        fix="return the column from data(), or name another one in the asset's partitioning",
    )


class _Sinks(dict[Any, Callable[[Any], None]]):
    """Partition value -> what takes a row of that value; of several columns a tuple of them.

    Each distinct value is looked at once.
    """

    def __init__(self, places: Sequence[Places], buckets: list[list[Any]]) -> None:
        super().__init__()
        self.places = places
        self.sinks = [bucket.append for bucket in buckets]

    def __missing__(self, value: Any) -> Callable[[Any], None]:
        values = (value,) if len(self.places) == 1 else value
        index, is_outside = 0, False
        for places, one in zip(self.places, values, strict=True):
            place = places.outside if missing(one) else places.of(one)
            is_outside |= place == places.outside
            index = index * places.size + place
        sink = self.sinks[-1 if is_outside else index]
        if all(places.keeps(one) for places, one in zip(self.places, values, strict=True)):
            self[value] = sink
        return sink


def _split_rows(data: TableData, columns: Sequence[str], places: Sequence[Places], where: str) -> Split:
    rows = data.value
    for column in columns:
        if not any(column in row for row in rows):
            raise _no_column(column, data.columns, where)
    buckets: list[list[Any]] = [[] for _ in range(math.prod(place.size for place in places) + 1)]
    sinks, value_of = _Sinks(places, buckets), itemgetter(*columns)
    try:
        for row in rows:
            try:
                value = value_of(row)
            except KeyError:
                value = _values_of(row, columns)
            sinks[value](row)
    except (MisplacedError, TypeError) as error:
        number = sum(map(len, buckets))
        _refuse_row(number, rows[number], columns, places, error, where)
    *held, outside = buckets
    strays = [row for row in outside if not any(missing(row.get(column)) for column in columns)]
    first = None
    if strays:
        value = "|".join(shown(strays[0][column]) for column in columns)
        first = next(number for number, row in enumerate(rows) if row is strays[0]), value
    slices = [data.with_value(bucket) for bucket in held]
    return Split(slices, data.with_value(outside), len(outside) - len(strays), first)


def _values_of(row: Any, columns: Sequence[str]) -> Any:
    values = tuple(row.get(column) for column in columns)
    return values if len(values) > 1 else values[0]


def _refuse_row(
    number: int, row: Any, columns: Sequence[str], places: Sequence[Places], error: Exception, where: str
) -> None:
    """Raise for the first column of the row that names no partition."""
    for column, place in zip(columns, places, strict=True):
        value = row.get(column)
        try:
            if not missing(value):
                place.of(value)
        except MisplacedError as problem:
            misplaced(number, column, value, problem, where)
    raise error


def _cut(data: TableData, positions: "Ints", value_of: Callable[[int], Any]) -> Split:
    """Cut data in order of time at these ``n + 1`` positions."""
    ends = [int(position) for position in positions]
    slices = [data.slice(start, stop) for start, stop in pairwise(ends)]
    before, after = data.slice(0, ends[0]), data.slice(ends[-1], data.num_rows)
    outside = after if before.is_empty else before if after.is_empty else TableData.concat([before, after])
    first = None if outside.is_empty else 0 if ends[0] else ends[-1]
    return Split(slices, outside, 0, None if first is None else (first, shown(value_of(first))))


def _by_codes(data: TableData, placed: Placed) -> Split:
    """Group rows by code, those outside last; a copy is made only where they are not grouped already."""
    import numpy as np

    codes, nulls = placed.codes, placed.nulls
    assert codes is not None  # noqa: S101 -- rows without cuts have codes
    stray = codes == placed.size if nulls is None else (codes == placed.size) & ~nulls
    row = int(np.argmax(stray))
    first = (row, shown(placed.value_of(row))) if stray[row] else None
    *slices, outside = data.group(codes, placed.size + 1)
    return Split(slices, outside, 0 if nulls is None else int(nulls.sum()), first)
