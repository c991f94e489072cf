"""What ``data()`` yields, in batches: rows are held until they fill one, tables are cut or joined to about that size.

What ends within its first batch is no stream: it is treated as if it had been returned whole.
"""

import contextlib
import itertools
import re
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from airflow_provider.errors import AssetError, NormalizerError, PartitionError, SchemaError
from airflow_provider.schema.representations import TableData, unwrap
from airflow_provider.schema.representations.reader import BATCH_BYTES, BATCH_ROWS, as_reader
from airflow_provider.schema.representations.unwrap import is_row

_RUN = 256
"""Rows taken from a generator at a time, before their size is looked at."""
_ROW = re.compile(r"^row (\d+)\b")


@dataclass(frozen=True)
class Batch:
    """Some rows of a stream, and how many came before."""

    data: TableData
    first_row: int


@dataclass(frozen=True)
class _Run:
    """Items as they were yielded, with an estimate of what they hold."""

    items: list[Any]
    rows: int
    size: int


class Stream:
    """A generator, iterator or reader that is read once; a context manager that closes it.

    Args:
        source: The iterator.
        dataclass_rows: Whether instances of dataclasses are rows.
        where: The asset, for messages.
    """

    def __init__(self, source: Iterator[Any], *, dataclass_rows: bool, where: str) -> None:
        self._source = source
        self._dataclass_rows = dataclass_rows
        self._where = where
        self._runs = map(_measured, _runs(source))
        self._first: list[_Run] = []

    @classmethod
    def of(cls, value: Any, *, dataclass_rows: bool, where: str) -> "Stream | None":
        """The stream that ``value`` is, or None where it is none."""
        if (reader := as_reader(value)) is not None:
            return cls(reader, dataclass_rows=dataclass_rows, where=where)
        return cls(value, dataclass_rows=dataclass_rows, where=where) if isinstance(value, Iterator) else None

    def whole(self) -> "tuple[Any] | None":
        """Read one batch; what there was, as ``unwrap`` gives it, where the stream ended with it, else None."""
        rows = size = 0
        for run in self._runs:
            self._first.append(run)
            rows, size = rows + run.rows, size + run.size
            if rows > BATCH_ROWS or (size > BATCH_BYTES and len(self._first) > 1):
                return None
        return (self.all(),)

    def all(self) -> Any:
        """Everything, as ``unwrap`` gives it."""
        items = itertools.chain.from_iterable(run.items for run in itertools.chain(self._first, self._runs))
        if (schema := getattr(self._source, "schema", None)) is not None:
            return _table(items, schema)
        return self._unwrapped(items)

    def batches(self) -> Iterator[Batch]:
        """The rows in batches.

        Raises:
            AssetError: An item that is no row and no table; it is named by its number.
        """
        first_row = 0
        for data in _joined(self._parts()):
            yield Batch(data, first_row)
            first_row += data.num_rows

    def _parts(self) -> Iterator[TableData]:
        number = 0
        first, self._first = self._first, []
        first.reverse()
        while first:
            yield from self._tables(run := first.pop(), number)  # popped: held no longer than needed
            number += len(run.items)
        for run in self._runs:
            yield from self._tables(run, number)
            number += len(run.items)

    def _tables(self, run: _Run, number: int) -> Iterator[TableData]:
        if len(run.items) > 1 and all(map(is_row, run.items)):
            rows = None
            with contextlib.suppress(AssetError):  # said below, with the number in the stream
                rows = TableData.of(self._unwrapped(run.items))
            if rows is not None:
                yield rows
                return
        for offset, item in enumerate(run.items):
            data = None if item is None else TableData.of(self._unwrapped(item))
            if data is None:
                raise AssetError(
                    f"yielded a {type(item).__name__} as item {number + offset}, which is neither a row nor a table",
                    where=self._where,
                    fix="yield rows, models, lists of rows, Arrow tables or DataFrames",
                )
            yield from _cut(data)

    def _unwrapped(self, value: Any) -> Any:
        return unwrap(value, dataclass_rows=self._dataclass_rows, where=self._where)

    def close(self) -> None:
        """Close the source, so that its ``finally`` blocks run; a second call does nothing."""
        close: Callable[[], Any] | None = getattr(self._source, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def yielded(returned: Any, *, where: str) -> Any:
    """What ``data()`` gave; a generator of which is refused at its end if it returns a value, which would be lost."""
    return _without_value(returned, where) if isinstance(returned, types.GeneratorType) else returned


def _without_value(items: Any, where: str) -> Iterator[Any]:
    value = yield from items
    if value is not None:
        raise AssetError(
            f"returned a {type(value).__name__} from a function that also has a yield, so nothing would take it",
            where=where,
            fix="yield it instead, or take the yield out of the function",
        )


@contextlib.contextmanager
def counted_from(first_row: int) -> Iterator[None]:
    """Have errors that name a row of a batch name the row of the whole stream."""
    try:
        yield
    except (SchemaError, PartitionError, NormalizerError) as error:
        if not first_row or not (named := _ROW.match(error.what)):
            raise
        what = f"row {int(named.group(1)) + first_row}{error.what[named.end() :]}"
        raise type(error)(what, where=error.where, fix=error.fix) from error.__cause__


def _runs(source: Iterable[Any]) -> Iterator[list[Any]]:
    """Rows some at a time, anything else on its own, for it may be large; of a reader each batch."""
    source = iter(source)
    for item in source:
        if is_row(item):
            yield [item, *itertools.islice(source, _RUN - 1)]
        elif (reader := as_reader(item)) is not None:
            yield from ([batch] for batch in reader)
        else:
            yield [item]


def _measured(items: list[Any]) -> _Run:
    first = items[0]
    if isinstance(first, dict) or len(items) > 1:
        return _Run(items, len(items), _weight(first) * len(items))
    data = TableData.of(first)
    if data is None or data.kind == "rows":
        rows = len(first) if isinstance(first, (list, tuple)) else 1
        return _Run(items, rows, _weight(first[0]) * rows if rows and isinstance(first, (list, tuple)) else 0)
    return _Run(items, data.num_rows, size_of(data))


def _weight(value: Any) -> int:
    """About how many bytes a row's values take."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_weight, value.values()))
    return sum(map(_weight, value)) if isinstance(value, (list, tuple)) else 8


def size_of(data: TableData) -> int:
    """Bytes of a table; of a frame about."""
    if data.kind == "rows":
        return _weight(data.value[0]) * data.num_rows if data.num_rows else 0
    size = getattr(data.value, "nbytes", None)
    if size is None and hasattr(data.value, "memory_usage"):
        size = data.value.memory_usage().sum()
    return int(size if size is not None else data.arrow().nbytes)


def _cut(data: TableData) -> Iterator[TableData]:
    """A table in parts of one batch at most."""
    size = max(1, size_of(data) // BATCH_BYTES + 1)
    rows = min(BATCH_ROWS, max(1, data.num_rows // size))
    for start in range(0, data.num_rows, rows):
        yield data if rows >= data.num_rows else data.slice(start, min(start + rows, data.num_rows))


def _joined(parts: Iterator[TableData]) -> Iterator[TableData]:
    """Small parts of one form joined to batches."""
    held: list[TableData] = []
    rows = size = 0
    for part in parts:
        more_rows, more = part.num_rows, size_of(part)
        if held and (held[0].kind != part.kind or rows + more_rows > BATCH_ROWS or size + more > BATCH_BYTES):
            yield _one(held)
            held, rows, size = [], 0, 0
        held.append(part)
        rows, size = rows + more_rows, size + more
    if held:
        yield _one(held)


def _one(parts: list[TableData]) -> TableData:
    return parts[0] if len(parts) == 1 else TableData.concat(parts)


def _table(batches: Iterable[Any], schema: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches(list(batches), schema=schema)
