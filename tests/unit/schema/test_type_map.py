"""Type maps: what a destination holds, and what it refuses by name before anything is written."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest

from airflow_provider.errors import ConfigError, SchemaError
from airflow_provider.schema import Schema, TableData
from airflow_provider.schema.type_map import KINDS, TypeMap, kind_of, row_outside

SAMPLES: dict[str, pa.DataType] = {
    "null": pa.null(), "bool": pa.bool_(), "int": pa.int8(), "uint": pa.uint64(), "float16": pa.float16(),
    "float": pa.float32(), "decimal": pa.decimal256(50, 2), "text": pa.large_string(), "binary": pa.binary(3),
    "date": pa.date64(), "time": pa.time32("s"), "timestamp": pa.timestamp("ns"),
    "timestamp_tz": pa.timestamp("s", "UTC"), "duration": pa.duration("us"), "list": pa.large_list(pa.int8()),
    "struct": pa.struct([("a", pa.int8())]), "map": pa.map_(pa.string(), pa.int8()),
    "dictionary": pa.dictionary(pa.int8(), pa.string()), "view": pa.list_view(pa.int8()),
    "interval": pa.month_day_nano_interval(), "union": pa.sparse_union([pa.field("a", pa.int8())]),
    "run_end": pa.run_end_encoded(pa.int32(), pa.int8()), "extension": pa.uuid(),
}  # fmt: skip


class Everything(Schema):
    flag: bool
    number: int
    real: float
    text: str
    raw: bytes
    day: dt.date
    at: dt.datetime
    hour: dt.time
    span: dt.timedelta
    money: Decimal
    who: UUID
    bag: dict
    anything: Any
    many: list[str]
    naive: Annotated[dt.datetime, pa.timestamp("us")]


class Inner(Schema):
    amount: Decimal


class Outer(Schema):
    inner: list[Inner]


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_arrow_type_has_one_kind(kind: str) -> None:
    assert kind_of(pa.field("c", SAMPLES[kind])) == kind


def test_marks_have_kinds_of_their_own() -> None:
    data = TableData.of([{"u": UUID(int=1), "j": {"a": 1}}])
    assert data is not None

    assert [kind_of(field) for field in data.arrow().schema] == ["uuid", "json"]
    assert set(KINDS) == {*SAMPLES, "uuid", "json"}


def test_a_map_without_arguments_holds_everything() -> None:
    table = pa.table({name: pa.array([], kind) for name, kind in SAMPLES.items() if name not in ("run_end", "union")})

    TypeMap().check_table(table, where="x", destination="d")
    TypeMap().check_specs(Everything.field_specs(), where="x", destination="d")
    assert TypeMap().is_open


def test_a_kind_that_does_not_exist_is_refused_when_defined() -> None:
    with pytest.raises(ConfigError, match="'integer' is no kind of type"):
        TypeMap(refused={"integer": "why"})


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("flag", "bool"), ("number", "int"), ("real", "float"), ("text", "text"), ("raw", "binary"), ("day", "date"),
        ("at", "timestamp_tz"), ("hour", "time"), ("span", "duration"), ("money", "decimal"), ("who", "uuid"),
        ("bag", "json"), ("many", "list"), ("naive", "timestamp"),
    ],
)  # fmt: skip
def test_a_declared_column_is_refused_by_its_kind(column: str, kind: str) -> None:
    types = TypeMap(refused={kind: "the store has none"})

    with pytest.raises(ConfigError, match=f"asset 'x': column '{column}' of type .* cannot be stored in d: the store"):
        types.check_specs(Everything.field_specs(), where="asset 'x'", destination="d")
    with pytest.raises(SchemaError, match=f"column '{column}' of type .* cannot be stored in d: the store has none"):
        types.check_schema(Everything.arrow(), where="asset 'x'", destination="d")


def test_what_is_refused_inside_others_is_named_by_its_path() -> None:
    types = TypeMap(refused_inside={"decimal": "no"})

    types.check_specs(Everything.field_specs(), where="x", destination="d")
    with pytest.raises(ConfigError, match=r"column 'inner\.amount'"):
        types.check_specs(Outer.field_specs(), where="x", destination="d")
    with pytest.raises(SchemaError, match=r"column 'inner\.amount' of type decimal128"):
        types.check_schema(Outer.arrow(), where="x", destination="d")


def test_a_rule_looks_at_the_type_itself() -> None:
    types = TypeMap(rule=lambda kind, is_inside: "too wide" if kind == pa.decimal256(76, 0) and not is_inside else None)

    types.check_schema(pa.schema([("c", pa.list_(pa.decimal256(76, 0)))]), where="x", destination="d")
    with pytest.raises(SchemaError, match="too wide"):
        types.check_schema(pa.schema([("c", pa.decimal256(76, 0))]), where="x", destination="d")


def test_what_comes_back_as_another_type() -> None:
    types = TypeMap(becomes={"time": ("microseconds", lambda kind: pa.time64("us"))})

    assert types.returned(pa.field("c", pa.time32("s"))).type == pa.time64("us")
    assert types.returned(pa.field("c", pa.int8())).type == pa.int8()


@pytest.mark.parametrize(
    ("array", "row"),
    [
        (pa.array([dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]), None),
        (pa.array([dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)], pa.timestamp("us")), None),
        (pa.array([0, None, 2**62], pa.timestamp("us", "UTC")), 2),
        (pa.array([-(2**55)], pa.timestamp("s")), 0),
        (pa.array([0, 2**63 - 1, -(2**63)], pa.timestamp("ns")), None),
        (pa.array([2**31 - 1], pa.int32()).cast(pa.date32()), 0),
        (pa.array([2**62], pa.int64()), None),
        (pa.array([], pa.date32()), None),
        (pa.array([None], pa.date64()), None),
    ],
    ids=str,
)
def test_dates_beyond_the_years_are_found_by_row(array: pa.Array, row: int | None) -> None:
    assert row_outside(pa.chunked_array([array]), 1, 9999) == row
    assert row_outside(pa.chunked_array([array.slice(0, 0), array]), 1, 9999) == row


def test_values_beyond_the_years_are_refused() -> None:
    table = pa.table({"a": pa.array([1.5], pa.float64()), "t": pa.array([2**62], pa.timestamp("us"))})

    with pytest.raises(SchemaError, match=r"column 't' of type timestamp.* row 0 lies outside the years 1 to 9999"):
        TypeMap(years=(1, 9999)).check_table(table, where="x", destination="d")


def test_declared_columns_are_checked_without_a_data_library() -> None:
    code = (
        "import sys, airflow_provider.schema as s; from airflow_provider.schema.type_map import TypeMap\n"
        "S = s.Schema.from_fields('S', {'a': int, 'b': list[str]})\n"
        "TypeMap(refused={'union': 'no'}).check_specs(S.field_specs(), where='x', destination='d')\n"
        "print([m for m in ('pandas', 'pyarrow', 'numpy', 'polars') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert found.strip() == "[]"


def test_half_floats_are_a_kind() -> None:
    assert kind_of(pa.field("c", pa.array(np.array([1.5], dtype="f2")).type)) == "float16"
