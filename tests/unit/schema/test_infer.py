"""Inference: all rows count, their order does not, and mixtures are not guessed at."""

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.errors import SchemaError
from airflow_provider.schema import Schema, TableData, infer

UTC = dt.timezone.utc


def inferred(*values: Any) -> str:
    (spec,) = infer([{"c": value} for value in values]).field_specs()
    assert spec.nullable
    return spec.type_name


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([True, None], "bool"),
        ([1, None], "int"),
        ([1, 0.5], "float"),
        ([np.int64(1), 2], "int"),
        ([np.float64(1), 2], "float"),
        (["a"], "str"),
        ([b"a"], "bytes"),
        ([dt.date(2026, 1, 1)], "date"),
        ([dt.datetime(2026, 1, 1, tzinfo=UTC), pd.NaT], "datetime"),
        ([pd.Timestamp("2026-01-01T00:00Z")], "datetime"),
        ([dt.datetime(2026, 1, 1)], "datetime (timestamp[us])"),
        ([pd.Timestamp("2026-01-01T00:00:00.000000001Z")], "datetime (timestamp[ns, tz=UTC])"),
        ([dt.time(1)], "time"),
        ([dt.timedelta(1)], "timedelta"),
        ([Decimal("1.5")], "Decimal"),
        ([Decimal("1E-12"), Decimal(10)], "Decimal (decimal128(14, 12))"),
        ([Decimal("1E+30")], "Decimal (decimal128(31, 0))"),
        ([UUID(int=1)], "UUID"),
        ([{"a": 1}, {"b": "x"}], "dict"),
        ([[1], [], [2.5]], "list[float | null]"),
        ([[]], "list[null | null]"),
        ([[{"a": 1}]], "list[dict | null]"),
        ([None, None], "null"),
    ],
    ids=str,
)
def test_one_kind_of_value_is_its_type(values: list[Any], name: str) -> None:
    assert inferred(*values) == name


@pytest.mark.parametrize(
    "values",
    [
        [1, "a"],
        [True, 1],
        [dt.date(2026, 1, 1), dt.datetime(2026, 1, 1)],
        [dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 1, tzinfo=UTC)],
        [2**63],
        [Decimal("NaN")],
        [[1], 1],
        [[[1]]],
        [int],
        [{1, 2}],
    ],
    ids=str,
)
def test_mixtures_are_any(values: list[Any]) -> None:
    assert inferred(*values) == "Any"


def test_columns_are_the_union_of_the_keys() -> None:
    assert [spec.name for spec in infer([{"b": 1}, {"a": 1}, {"c": None}]).field_specs()] == ["b", "a", "c"]


@pytest.mark.parametrize("data", [[], [{}], pa.table({}), pd.DataFrame()], ids=["[]", "[{}]", "arrow", "pandas"])
def test_nothing_to_read_is_an_error(data: Any) -> None:
    with pytest.raises(SchemaError, match="no rows"):
        infer(data)


@pytest.mark.parametrize("data", [[1, 2], "text", None, int])
def test_what_is_no_table_is_an_error(data: Any) -> None:
    with pytest.raises(SchemaError, match="has no columns"):
        Schema.infer(data)


def test_arrow_types_are_kept_and_nullable() -> None:
    table = pa.table({"a": pa.array([1], pa.int16()), "b": pa.array([None])})

    schema = infer(table)

    assert schema.arrow() == pa.schema([("a", pa.int16()), ("b", pa.null())])


def test_frames_are_read_by_dtype_and_objects_by_value() -> None:
    frame = pd.DataFrame(
        {"a": [1, 2], "b": [1.0, np.nan], "d": [dt.date(2026, 1, 1), None], "m": [1, "a"], "j": [{"a": 1}, None]}
    )

    names = {spec.name: spec.type_name for spec in infer(frame).field_specs()}

    assert names == {"a": "int", "b": "float", "d": "date", "m": "Any", "j": "Any"}


def test_rows_and_their_arrow_form_have_one_fingerprint() -> None:
    rows = [{"a": 1, "b": "x", "c": 0.5, "d": dt.date(2026, 1, 1), "e": [1], "f": None}]

    assert infer(rows).fingerprint() == infer(TableData.of(rows).arrow()).fingerprint()
