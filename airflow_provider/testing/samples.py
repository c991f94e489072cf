"""What the contract suites write: assets, windows, rows of known versions, and cells of every type.

The cells are those that stores like to lose: empty text beside null, infinity, both times of an autumn night.
"""

import datetime as dt
import decimal
import math
import uuid
import zoneinfo
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airflow_provider.definitions.io_context import IOContext
from airflow_provider.partitioning import Partition, PartitionWindow, TimePartitionConfig, TimePartitionWindow

if TYPE_CHECKING:
    import pyarrow as pa

DAILY = TimePartitionConfig(column="day", allow_window=True)
HOURLY = TimePartitionConfig(column="at", granularity="hour", timezone="Europe/Berlin", allow_window=True)
FIRST = dt.date(2026, 3, 1)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


@dataclass(frozen=True)
class StoredAsset:
    """As much of an asset as a destination looks at."""

    key: str = "orders"
    table: str = "orders"
    dataset: str = "shop"
    partitioning: Any = DAILY

    @property
    def qualified_key(self) -> str:
        """``shop.orders``."""
        return f"shop.{self.key}"

    @property
    def label(self) -> str:
        """For messages."""
        return f"asset {self.qualified_key!r}"


def context_of(asset: StoredAsset, window: PartitionWindow | None = None, **fields: Any) -> IOContext:
    """An ``IOContext`` of ``asset``."""
    return IOContext(asset, window, **fields)  # type: ignore[arg-type]


def days(count: int, *, first: dt.date = FIRST) -> TimePartitionWindow:
    """A window of ``count`` days in UTC."""
    return DAILY.window(first, first + dt.timedelta(days=count - 1))


def rows_for(partitions: Iterable[Partition | None], *, version: int = 1, per_day: int = 2) -> list[dict[str, Any]]:
    """``per_day`` rows for each day, stamped with ``version``."""
    return [
        {"day": getattr(partition, "date", FIRST), "n": n, "version": version}
        for partition in partitions
        for n in range(per_day)
    ]


HOSTILE_KEYS = (
    "../x", "../../esc", "a=b", "", "null", "x" * 300, "日本語", "%2F", "a/b", "/absolute", "a b", "a\0b", ".", "..",
    "CON", "a\nb", "__HIVE_DEFAULT_PARTITION__", "'; DROP TABLE orders; --", "\u00e9", "e\u0301", "A=B", "con", "a\\b",
    "data.csv", "_ledger", "~", "\ud800",
)  # fmt: skip
"""Texts that climb, hide, collide, or end a statement, as partition keys."""

ORDINARY_KEYS = ("eu", "EU", "north-america", "2026-03-01")
"""Keys that every store must take; two of them differ in case alone."""


class NamedPartition(Partition):
    """A partition whose key is any text."""

    __slots__ = ("_text",)

    _text: str

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "_text", text)

    @property
    def key(self) -> str:
        """The text as it is."""
        return self._text

    @property
    def window(self) -> "NamedWindow":
        """This partition alone."""
        return NamedWindow(self)


class NamedWindow(PartitionWindow):
    """One partition whose key is any text."""

    __slots__ = ("_partition",)

    _partition: NamedPartition

    def __init__(self, partition: NamedPartition) -> None:
        object.__setattr__(self, "_partition", partition)

    @property
    def first(self) -> NamedPartition:
        """The partition."""
        return self._partition

    @property
    def last(self) -> NamedPartition:
        """The partition."""
        return self._partition

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The partition."""
        return (self._partition,)

    def __iter__(self) -> Iterator[Partition]:
        return iter(self.partitions)

    def __len__(self) -> int:
        return 1

    def __contains__(self, partition: object) -> bool:
        return partition == self._partition


@dataclass(frozen=True)
class KeyedBy:
    """A partitioning by free text, as much of it as a destination looks at."""

    column: str = "region"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def partition(self, value: str) -> NamedPartition:
        """The partition of that key."""
        return NamedPartition(value)


PYTHON_CELLS: dict[str, list[Any]] = {
    "text": ["", None, "é😀 \u200b", 'q"uo,te', "two\nlines", "cr\rlf\r\n", "007", " pad ", "nan", "NULL", "\\N", "'"],
    "integer": [0, None, 2**53 + 1, -(2**63), 2**63 - 1],
    "real": [1.5, None, math.inf, -math.inf, math.nan, -0.0, 1e-310, 1 / 3],
    "boolean": [True, None, False],
    "binary": [b"", None, b"\x00\xff\n", b"abc"],
    "date": [dt.date(1, 1, 1), None, dt.date(2024, 2, 29), dt.date(9999, 12, 31)],
    "naive_datetime": [dt.datetime(2026, 3, 1, 1, 2, 3, 456789), None, dt.datetime(1, 1, 1)],  # noqa: DTZ001 -- the case
    "aware_datetime": [dt.datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=BERLIN) for fold in (0, 1)] + [None],
    "time": [dt.time(23, 59, 59, 999999), None, dt.time(0)],
    "timedelta": [dt.timedelta(days=-1, microseconds=1), None, dt.timedelta(0)],
    "decimal": [decimal.Decimal("12.30"), None, decimal.Decimal("-0.01")],
    "list": [[1, 2], None, []],
    "struct": [{"a": "x", "b": 1.5}, None, {"a": "", "b": None}],
    "nothing": [None, None],
}
"""Type -> cells of one column of rows."""


def arrow_columns() -> "dict[str, pa.Array]":
    """Type -> a column that rows cannot tell from others."""
    import pyarrow as pa

    moment = {"t": dt.datetime(2026, 3, 1), "d": decimal.Decimal("1.0"), "b": b"\x00"}  # noqa: DTZ001 -- without a zone
    deep = pa.struct([("t", pa.timestamp("us")), ("d", pa.decimal128(5, 1)), ("b", pa.binary())])
    return {
        "int8": pa.array([1, None, -128], pa.int8()),
        "int32": pa.array([1, None, -(2**31)], pa.int32()),
        "uint64": pa.array([2**64 - 1, None, 0], pa.uint64()),
        "float32": pa.array([1.5, None, math.inf], pa.float32()),
        "seconds": pa.array([0, None, 1], pa.timestamp("s")),
        "nanoseconds_in_a_zone": pa.array([1, None, 1_000_000_007], pa.timestamp("ns", "America/New_York")),
        "time32": pa.array([43200, None, 0], pa.time32("s")),
        "duration": pa.array([5, None, -1], pa.duration("ms")),
        "decimal": pa.array([decimal.Decimal("0.000000001"), None, decimal.Decimal(-7)], pa.decimal128(38, 9)),
        "large_string": pa.array(["a", None, ""], pa.large_string()),
        "dictionary": pa.array(["x", None, "x"]).dictionary_encode(),
        "nested": pa.array([[moment], None, []], pa.list_(deep)),
        "null": pa.nulls(3),
    }


ARROW_TYPES = (
    "int8", "int32", "uint64", "float32", "seconds", "nanoseconds_in_a_zone", "time32", "duration", "decimal",
    "large_string", "dictionary", "nested", "null",
)  # fmt: skip
"""The names of ``arrow_columns``, which makes them when it is called: data libraries load late."""


def mapped_columns() -> "dict[str, pa.Array]":
    """Type -> a column of a type that a destination's type map may refuse, or give back as another one."""
    import pyarrow as pa

    return {
        **arrow_columns(),
        "float16": pa.array([1.5, None, 0.25], pa.float32()).cast(pa.float16()),
        "string_view": pa.array(["a", None, ""], pa.string_view()),
        "interval": pa.array([(1, 2, 3), None, (0, 0, 0)], pa.month_day_nano_interval()),
        "map": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
        "run_end": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1, 2])),
    }


MAPPED_TYPES = (*ARROW_TYPES, "float16", "string_view", "interval", "map", "run_end")
"""The names of ``mapped_columns``."""


def typed_rows() -> list[dict[str, Any]]:
    """Rows of all types at once, as many as the longest column."""
    count = max(map(len, PYTHON_CELLS.values()))
    return [
        {"day": FIRST, **{name: cells[n % len(cells)] for name, cells in PYTHON_CELLS.items()}} for n in range(count)
    ]


def typed_table() -> "pa.Table":
    """An Arrow table of all types at once."""
    import pyarrow as pa

    return pa.table({"day": pa.array([FIRST] * 3, pa.date32()), **arrow_columns()})


def plain(value: Any) -> list[dict[str, Any]]:
    """Tabular data as rows in which NaN equals NaN and equal instants are equal."""
    from airflow_provider.schema.representations import TableData

    data = TableData.of(value)
    assert data is not None, f"not tabular: {type(value)}"
    return [{name: _comparable(cell) for name, cell in row.items()} for row in data.to("rows")]


def _comparable(cell: Any) -> Any:
    if isinstance(cell, float):
        return "nan" if math.isnan(cell) else repr(cell)
    if isinstance(cell, dt.datetime) and cell.tzinfo is not None:
        return cell.astimezone(dt.timezone.utc)
    return cell


def unique(prefix: str) -> str:
    """A name that nothing else has."""
    return f"{prefix}-{uuid.uuid4().hex[:8]}"
