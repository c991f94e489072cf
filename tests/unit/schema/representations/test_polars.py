"""polars: types that change no value on the way from Arrow and back, and frames that are evaluated late."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from airflow_provider.errors import SchemaError
from airflow_provider.schema import Schema, TableData, conform, unwrap
from airflow_provider.schema.representations.polars import PolarsRepresentation, arrow_to_series

POLARS = PolarsRepresentation()
NOON = dt.datetime(2026, 1, 1, 12)

COLUMNS = [
    pl.Series("c", [1, None], dtype=pl.Int8),
    pl.Series("c", [2**64 - 1, None], dtype=pl.UInt64),
    pl.Series("c", [0.1, None, float("inf")], dtype=pl.Float32),
    pl.Series("c", ["", None, "é"]),
    pl.Series("c", [b"", None, b"\x00"]),
    pl.Series("c", [True, None]),
    pl.Series("c", ["b", None, "a"], dtype=pl.Categorical),
    pl.Series("c", ["b", None, "a"], dtype=pl.Enum(["b", "unused", "a"])),
    pl.Series("c", [Decimal("1.50"), None], dtype=pl.Decimal(38, 9)),
    pl.Series("c", [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    pl.Series("c", [NOON, None], dtype=pl.Datetime("ms")),
    pl.Series("c", [NOON, None], dtype=pl.Datetime("ns")),
    pl.Series("c", [NOON, None], dtype=pl.Datetime("us")).dt.replace_time_zone("Asia/Kathmandu"),
    pl.Series("c", [dt.timedelta(days=-1, microseconds=1), None], dtype=pl.Duration("us")),
    pl.Series("c", [dt.time(23, 59, 59, 999999), None]),
    pl.Series("c", [[1, None], None, []], dtype=pl.List(pl.Int16)),
    pl.Series("c", [[1, 2], None], dtype=pl.Array(pl.Int16, 2)),
    pl.Series("c", [{"e": "a", "l": [1]}, None], dtype=pl.Struct({"e": pl.Enum(["a"]), "l": pl.List(pl.Int64)})),
    pl.Series("c", [None, None], dtype=pl.Null),
]


@pytest.mark.parametrize("series", COLUMNS, ids=lambda series: str(series.dtype))
def test_every_dtype_survives_arrow_exactly(series: Any) -> None:
    again = POLARS.from_arrow(POLARS.to_arrow(series.to_frame(), None, where="x"))

    assert again.schema == series.to_frame().schema
    assert again.equals(series.to_frame(), null_equal=True)


@pytest.mark.parametrize("series", COLUMNS, ids=lambda series: str(series.dtype))
def test_conforming_without_a_schema_changes_nothing(series: Any) -> None:
    frame = series.to_frame()
    data, schema = conform(TableData.of(frame), None, where="x")

    assert data.value is frame
    assert schema is not None


def test_nan_and_null_stay_two_things() -> None:
    frame = pl.DataFrame({"x": [1.0, None, float("nan")]})
    again = POLARS.from_arrow(POLARS.to_arrow(frame, None, where="x"))["x"]

    assert (again.null_count(), again.is_nan().sum()) == (1, 1)


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (pa.array([0, None], pa.timestamp("s")), pl.Datetime("ms")),
        (pa.array([0, None], pa.timestamp("us", "+05:30")), pl.Datetime("us", "UTC")),
        (pa.array([1, None], pa.time32("s")), pl.Time()),
        (pa.array([1, None], pa.duration("s")), pl.Duration("ms")),
        (pa.array([dt.date(2026, 1, 1)], pa.date64()), pl.Date()),
        (pa.array([Decimal("1.5")], pa.decimal256(50, 9)), pl.Decimal(38, 9)),
        (pa.array([Decimal(1500)], pa.decimal128(5, -2)), pl.Decimal(38, 0)),
        (pa.array([[0, None]], pa.list_(pa.timestamp("s"))), pl.List(pl.Datetime("ms"))),
        (pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([5])), pl.Int64()),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_a_type_polars_lacks_becomes_the_nearest_that_holds_the_values(array: pa.Array, dtype: Any) -> None:
    series = arrow_to_series(pa.chunked_array([array]), pa.field("c", array.type))

    assert series.dtype == dtype
    assert [_plain(value) for value in series.to_list()] == [_plain(value) for value in array.to_pylist()]


def _plain(value: Any) -> Any:
    return value.astimezone(dt.timezone.utc) if isinstance(value, dt.datetime) and value.tzinfo else value


@pytest.mark.parametrize(
    "array",
    [
        pa.array([Decimal(10**40)], pa.decimal256(50, 0)),
        pa.array([2**55], pa.timestamp("s")),
        pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    ],
    ids=lambda array: str(array.type),
)
def test_what_polars_cannot_hold_is_refused_by_name(array: pa.Array) -> None:
    with pytest.raises(SchemaError, match=r"column 'c' of type .* has no form in polars"):
        arrow_to_series(pa.chunked_array([array]), pa.field("c", array.type))


def test_a_dtype_arrow_does_not_know_is_named() -> None:
    frame = pl.DataFrame({"c": pl.Series([2**70], dtype=pl.Int128)})

    with pytest.raises(SchemaError, match="asset 'x': column 'c' of dtype Int128 has no Arrow form"):
        POLARS.to_arrow(frame, None, where="asset 'x'")


def test_what_arrow_has_no_type_for_is_a_column_of_objects() -> None:
    rows = [{"u": UUID(int=7), "j": {"a": [1, None, {"b": 2**70}]}, "x": [{"a": UUID(int=1)}]}, {"u": None, "j": {}}]
    schema = Schema.from_fields("S", {"u": UUID | None, "j": dict | None, "x": Any})
    data, _ = conform(TableData.of(rows[:1]), Schema.from_fields("S", {"u": UUID, "j": dict}), where="x")

    frame = data.to("polars")

    assert frame.dtypes == [pl.Object(), pl.Object()]
    assert TableData.of(frame).to("rows") == data.to("rows")
    assert TableData.of(frame).slice(0, 1).take(np.array([0, 0])).num_rows == 2
    assert conform(TableData.of(frame), schema, where="x")[0].value.columns == ["u", "j", "x"]


def test_a_lazy_frame_is_collected_once() -> None:
    runs = []

    def seen(frame: pl.DataFrame) -> pl.DataFrame:
        runs.append(1)
        return frame

    lazy = pl.DataFrame({"n": [1, 2]}).lazy().map_batches(seen)
    data = TableData.of(lazy)

    assert data is not None
    assert (data.kind, data.num_rows, data.columns) == ("polars", 2, ("n",))
    assert (data.arrow().num_rows, len(runs)) == (2, 1)
    assert isinstance(unwrap(lazy), pl.DataFrame)


def test_frames_of_an_iterator_are_joined() -> None:
    joined = unwrap(pl.DataFrame({"n": [n]}) for n in range(3))

    assert joined.equals(pl.DataFrame({"n": [0, 1, 2]}))


def test_a_column_called_like_a_pattern_is_that_column() -> None:
    frame = pl.DataFrame({"^.*$": [1], "a": [2]})

    assert POLARS.select(frame, ["^.*$"]).columns == ["^.*$"]
    assert POLARS.rename(frame, ["a", "^.*$"]).rows() == [(1, 2)]
    assert frame.columns == ["^.*$", "a"]


def test_conforming_casts_whole_columns_and_keeps_the_rest() -> None:
    schema = Schema.from_fields("S", {"n": int, "s": str, "t": dt.time, "l": list[int], "new": str | None})
    frame = pl.DataFrame({"n": ["1", "2"], "s": ["a", "b"], "t": [dt.time(1)] * 2, "l": [[1], [2]], "gone": [1, 2]})

    data, _ = conform(TableData.of(frame), schema, where="x")
    again, _ = conform(data, schema, "strict", where="x")

    assert data.value.columns == ["n", "s", "t", "l", "new"]
    assert data.value["n"].to_list() == [1, 2]
    assert data.value["new"].dtype == pl.String
    assert again.value is data.value


def test_the_first_offending_row_is_named() -> None:
    schema = Schema.from_fields("S", {"n": int})

    with pytest.raises(SchemaError, match="row 1, column 'n': expected int, got a str"):
        conform(TableData.of(pl.DataFrame({"n": ["1", "x"]})), schema, where="x")
    with pytest.raises(SchemaError, match="row 1, column 'n': expected int, got a null"):
        conform(TableData.of(pl.DataFrame({"n": [1, None]})), schema, where="x")


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_polars_is_not_loaded_by_looking_at_other_data() -> None:
    code = (
        "import sys; from airflow_provider.schema import TableData\n"
        "TableData.of(object()); TableData.of([{'a': 1}]).arrow()\n"
        "print('polars' in sys.modules)"
    )

    assert run(code).strip() == "False"


def test_without_polars_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['polars'] = None\n"
        "from airflow_provider.schema import TableData\n"
        "from airflow_provider.errors import RepresentationError\n"
        "try: TableData.of([{'a': 1}]).to('polars')\n"
        "except RepresentationError as error: print(error)"
    )

    assert "airflow-provider-assets[polars]" in run(code)
