"""Every type through every destination, in every form: ``read(write(x)) == conform(x)``, or a refusal by name."""

import datetime as dt
import itertools
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import airflow_provider as ap
from airflow_provider.definitions.destination import Destination
from airflow_provider.errors import SchemaError
from airflow_provider.schema import TableData, conform, infer
from airflow_provider.testing.destination_contract import StoredAsset, context_of, days

BERLIN = ZoneInfo("Europe/Berlin")
UTC = dt.timezone.utc
DAY = dt.date(2026, 3, 1)

CELLS: dict[str, list[Any]] = {
    "int": [0, None, 2**63 - 1, -(2**63)],
    "huge_int": [2**70, None, -(2**70), 1],
    "float": [0.1, None, math.inf, -math.inf, -0.0, 1e-310],
    "bool": [True, None, False],
    "text": ["", None, "é😀", 'a"b,c\n\r\n', "\0", "nan", " x "],
    "binary": [b"", None, b"\x00\xff"],
    "date": [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)],
    "naive": [dt.datetime(1, 1, 1), None, dt.datetime(9999, 12, 31, 23, 59, 59, 999999)],
    "utc": [dt.datetime(1, 1, 1, tzinfo=UTC), None, dt.datetime(9999, 12, 31, tzinfo=UTC)],
    "zone": [dt.datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=BERLIN) for fold in (0, 1)] + [None],
    "offsets": [dt.datetime(2026, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=h, minutes=30))) for h in (5, -4)],
    "time": [dt.time(23, 59, 59, 999999), None, dt.time(0)],
    "timedelta": [dt.timedelta(days=-1, microseconds=1), None, dt.timedelta(days=9_999)],
    "decimal": [Decimal("12.30"), None, Decimal("-0.000000001")],
    "wide_decimal": [Decimal(10**35), None, Decimal("1E-20")],
    "uuid": [UUID(int=7), None],
    "dict": [{"a": [1, None, {"b": 2.5}], "": "x"}, None, {}],
    "list": [[1, None], None, []],
    "list_of_text": [["", None], None, []],
    "list_of_dicts": [[{"a": 1}, {"b": None}], None, []],
    "mixed": [1, "1", None, True, 1.5],
    "nothing": [None, None],
}
NAN_AND_NULL = [1.5, None, math.nan]

COLUMNS: dict[str, Callable[[], pa.Array]] = {
    "int8": lambda: pa.array([1, None, -128], pa.int8()),
    "uint64": lambda: pa.array([2**64 - 1, None, 0], pa.uint64()),
    "float16": lambda: pa.array([np.float16(1.5), None], pa.float16()),
    "float32": lambda: pa.array([0.1, None, math.inf], pa.float32()),
    "decimal": lambda: pa.array([Decimal("1.50"), None], pa.decimal128(5, 2)),
    "decimal256": lambda: pa.array([Decimal("1.50"), None], pa.decimal256(38, 2)),
    "large_string": lambda: pa.array(["a", None, ""], pa.large_string()),
    "string_view": lambda: pa.array(["a", None, "", "x" * 20], pa.string_view()),
    "binary_view": lambda: pa.array([b"a", None, b""], pa.binary_view()),
    "fixed_binary": lambda: pa.array([b"ab", None], pa.binary(2)),
    "date64": lambda: pa.array([dt.date(1, 1, 1), None], pa.date64()),
    "seconds": lambda: pa.array([0, None], pa.timestamp("s")),
    "nanoseconds": lambda: pa.array([1, None], pa.timestamp("ns", "Asia/Kathmandu")),
    "offset": lambda: pa.array([1, None], pa.timestamp("us", "+05:30")),
    "time32": lambda: pa.array([1, None], pa.time32("s")),
    "duration": lambda: pa.array([1, None], pa.duration("ns")),
    "text_dictionary": lambda: pa.array(["b", None, "a", "b"]).dictionary_encode(),
    "int_dictionary": lambda: pa.array([2, None, 1, 2]).dictionary_encode(),
    "decimal_dictionary": lambda: pa.array([Decimal("1.5"), None]).dictionary_encode(),
    "large_list": lambda: pa.array([[1, None], None], pa.large_list(pa.int8())),
    "fixed_list": lambda: pa.array([[1, 2], None], pa.list_(pa.int8(), 2)),
    "struct": lambda: pa.array([{"a": 1, "b": [dt.date(1, 1, 1)]}, None]),
    "map": lambda: pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int8())),
}
FRAMES: dict[str, Callable[[], Any]] = {
    "category": lambda: pd.Series(["b", None, "a"], dtype="category"),
    "category_of_ints": lambda: pd.Series([2, None, 1], dtype="category"),
    "Int64": lambda: pd.Series([2**53 + 1, None], dtype="Int64"),
    "tz": lambda: pd.Series(pd.to_datetime(["2026-01-01", None])).dt.tz_localize(BERLIN),
    "arrow": lambda: pd.Series([Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
    "pl_enum": lambda: pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a", "c"])),
    "pl_categorical": lambda: pl.Series(["b", None, "a"], dtype=pl.Categorical),
    "pl_struct": lambda: pl.Series([{"a": [1]}, None]),
    "pl_duration": lambda: pl.Series([dt.timedelta(1), None], dtype=pl.Duration("ms")),
    "pl_null": lambda: pl.Series([None, None], dtype=pl.Null),
}
STORES: dict[str, Callable[[str], Destination]] = {
    "parquet": lambda base: ap.ParquetDestination(base_path=base),
    "csv": lambda base: ap.CSVDestination(base_path=base),
    "file": lambda base: ap.FileDestination(base_path=base, trusted=True),
    "memory": lambda base: ap.MemoryDestination(),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Destination:
    ap.MemoryDestination.clear()
    return STORES[request.param](str(tmp_path))


def through(store: Destination, value: Any, key: str = "t") -> TableData:
    context = context_of(StoredAsset(key=key, table=key, partitioning=None))
    store.write(context, value)
    found = TableData.of(store.read(context))
    assert found is not None
    return found


def said(data: TableData) -> list[dict[str, Any]]:
    return [{name: _comparable(cell) for name, cell in row.items()} for row in data.to("rows")]


def _comparable(cell: Any) -> Any:
    if isinstance(cell, float):
        return repr(cell)
    return cell.astimezone(UTC) if isinstance(cell, dt.datetime) and cell.tzinfo else cell


@pytest.mark.parametrize("form", ["rows", "arrow", "pandas", "polars"])
@pytest.mark.parametrize("kind", CELLS)
def test_cells_come_back_as_they_were_conformed(store: Destination, kind: str, form: str) -> None:
    given = TableData.of([{"n": n, "c": cell} for n, cell in enumerate(CELLS[kind])])
    assert given is not None
    if (kind, form) == ("wide_decimal", "polars"):
        with pytest.raises(SchemaError, match=r"column 'c' of type decimal256.* has no form in polars"):
            given.to(form)
        return
    data = TableData.of(given.to(form))
    assert data is not None
    conformed, _ = conform(data, None, where="x")

    found = through(store, conformed.value)

    assert said(found) == said(conformed) == said(given)
    assert found.arrow().schema.field("c").equals(conformed.arrow().schema.field("c"))


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_arrow_come_back_with_their_type(store: Destination, kind: str) -> None:
    array = COLUMNS[kind]()
    table = pa.table({"c": array, "n": range(len(array))})

    found = through(store, table).arrow()

    assert found.schema.equals(table.schema)
    assert found.column("c").to_pylist() == table.column("c").to_pylist()


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_of_frames_come_back_with_their_dtype(store: Destination, kind: str) -> None:
    series = FRAMES[kind]()
    form = "polars" if kind.startswith("pl_") else "pandas"
    frame = pl.DataFrame({"c": series}) if form == "polars" else pd.DataFrame({"c": series})

    again = through(store, frame).to(form)

    assert said(TableData.of(again)) == said(TableData.of(frame))
    if kind != "arrow":
        assert again["c"].dtype == series.dtype


@pytest.mark.parametrize("form", ["rows", "arrow", "polars"])
def test_nan_and_null_stay_two_things(store: Destination, form: str) -> None:
    given = TableData.of([{"c": cell} for cell in NAN_AND_NULL])
    assert given is not None

    found = through(store, given.to(form)).to("rows")

    assert [repr(row["c"]) for row in found] == ["1.5", "None", "nan"]


REFUSED: dict[str, tuple[str, Callable[[], pa.Array]]] = {
    "interval": ("parquet csv", lambda: pa.array([(1, 2, 3)], pa.month_day_nano_interval())),
    "union": (
        "parquet csv",
        lambda: pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]),
    ),
    "run_end": ("parquet csv", lambda: pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([5]))),
    "negative_scale": ("parquet", lambda: pa.array([Decimal(1500)], pa.decimal128(5, -2))),
    "empty_struct": ("parquet", lambda: pa.array([{}], pa.struct([]))),
    "nested_dictionary": ("csv", lambda: pa.array([["a"]], pa.list_(pa.dictionary(pa.int32(), pa.string())))),
    "far_future": ("csv", lambda: pa.array([2**62], pa.timestamp("us"))),
    "uuid_extension": ("csv", lambda: pa.array([b"0" * 16], pa.uuid())),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("name", STORES)
def test_what_a_store_cannot_hold_is_refused_before_any_partition_is_written(
    kind: str, name: str, tmp_path: Path
) -> None:
    array, refusing = REFUSED[kind][1](), REFUSED[kind][0].split()
    table = pa.table({"day": [DAY, DAY + dt.timedelta(days=1)], "c": pa.concat_arrays([array, array])})
    ap.MemoryDestination.clear()

    @ap.asset(partitioning=ap.TimePartitionConfig(column="day", allow_window=True))
    def odd() -> pa.Table:
        return table

    made = odd(destinations=STORES[name](str(tmp_path)))
    if name not in refusing:
        assert made.materialize(window=days(2)).num_rows == 2
        return
    with pytest.raises(SchemaError, match=r"asset 'odd': column 'c' of type .* cannot be stored in destination"):
        made.materialize(window=days(2))
    assert made.partition_row_counts() == {}


@pytest.mark.parametrize("first_null", [True, False])
def test_a_column_of_nulls_in_one_partition_does_not_freeze_its_type(store: Destination, first_null: bool) -> None:
    parts = [[None], [7]] if first_null else [[7], [None]]
    for number, cells in enumerate(parts):
        context = context_of(StoredAsset(), days(1, first=DAY + dt.timedelta(days=number)))
        store.write(context, [{"day": DAY + dt.timedelta(days=number), "c": cell} for cell in cells])

    found = TableData.of(store.read(context_of(StoredAsset(), days(2))))

    assert found is not None
    assert found.arrow().schema.field("c").type == pa.int64()
    assert [row["c"] for row in found.to("rows")] == [cell for part in parts for cell in part]


@pytest.mark.parametrize("form", ["rows", "arrow", "pandas", "polars"])
def test_the_order_of_writes_decides_nothing(store: Destination, form: str) -> None:
    cells = [[1, None], [None], [2.5]]
    schemas = []
    for order in itertools.permutations(range(3)):
        asset = StoredAsset(key="t" + "".join(map(str, order)), table="t" + "".join(map(str, order)))
        for number in order:
            day = DAY + dt.timedelta(days=number)
            data = TableData.of([{"day": day, "c": cell} for cell in cells[number]])
            assert data is not None
            store.write(context_of(asset, days(1, first=day)), data.to(form))
        found = TableData.of(store.read(context_of(asset, days(3))))
        assert found is not None
        schemas.append(found.arrow().schema)

    assert all(schema.equals(schemas[0]) for schema in schemas)
    assert schemas[0].field("c").type == pa.float64()


def test_types_that_differ_between_partitions_are_told_by_column_and_partition(store: Destination) -> None:
    for number, cell in enumerate(["x", 1]):
        day = DAY + dt.timedelta(days=number)
        store.write(context_of(StoredAsset(), days(1, first=day)), pa.table({"day": [day], "c": [cell]}))

    with pytest.raises(SchemaError, match="column 'c' is string in 2026-03-01 and int64 in 2026-03-02"):
        store.read(context_of(StoredAsset(), days(2)))


@pytest.mark.parametrize("granularity", ["hour", "month", "year"])
def test_partitions_keep_the_values_of_their_column(store: Destination, granularity: str) -> None:
    moments = [dt.datetime(2026, 3, 1, hour, 17, tzinfo=UTC) for hour in (0, 1)]

    @ap.asset(partitioning=ap.TimePartitionConfig(column="at", granularity=granularity, allow_window=True))
    def events() -> list[dict[str, Any]]:
        return [{"at": moment} for moment in moments]

    made = events(destinations=store)
    made.materialize(window=ap.TimePartitionWindow(moments[0], moments[-1], granularity))

    found = TableData.of(store.read(ap.IOContext(made, ap.TimePartitionWindow(moments[0], moments[-1], granularity))))
    assert found is not None
    assert [row["at"] for row in found.to("rows")] == moments


def test_one_zone_is_kept_and_several_become_utc() -> None:
    def kind(*zones: Any) -> Any:
        rows = [{"t": dt.datetime(2026, 1, 1, tzinfo=zone)} for zone in zones]
        return infer(rows).arrow().field("t").type

    assert kind(BERLIN, BERLIN) == pa.timestamp("us", "Europe/Berlin")
    assert kind(BERLIN, UTC) == kind(UTC) == kind(ZoneInfo("UTC")) == pa.timestamp("us", "UTC")


def test_every_form_of_the_same_data_is_stored_alike_where_a_schema_is_declared(tmp_path: Path) -> None:
    class Declared(ap.Schema):
        text: str
        raw: bytes | None
        hour: dt.time
        span: dt.timedelta
        tags: list[str]
        many: list[int | None] | None
        money: Decimal
        at: dt.datetime

    rows = [
        {
            "text": "a", "raw": b"x", "hour": dt.time(1), "span": dt.timedelta(1), "tags": ["t"], "many": [1, None],
            "money": Decimal("1.5"), "at": dt.datetime(2026, 1, 1, tzinfo=UTC),
        },
    ]  # fmt: skip
    schemas = {}
    for form in ("rows", "arrow", "pandas", "polars"):
        given = TableData.of(rows)
        assert given is not None
        value = given.to(form)

        @ap.asset(schema=Declared)
        def typed() -> Any:
            return value  # noqa: B023 -- run at once

        store = ap.ParquetDestination(base_path=str(tmp_path / form))
        made = typed(destinations=store)
        made.materialize()
        schemas[form] = store.read(ap.IOContext(made, None)).schema

    assert all(schema.equals(Declared.arrow()) for schema in schemas.values()), schemas
