"""Counts of time: exact, or an error."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airflow_provider.errors import NormalizerError
from airflow_provider.schema.epochs import moment, moments

UTC = dt.timezone.utc
NEWTON = dt.datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (1_700_000_000, "s", NEWTON),
        (1_700_000_000_000, "ms", NEWTON),
        (1_700_000_000_000_000, "us", NEWTON),
        (1_700_000_000_000_000_000, "ns", NEWTON),
        (1_700_000_000.25, "s", NEWTON.replace(microsecond=250_000)),
        (Decimal("1700000000.000001"), "s", NEWTON.replace(microsecond=1)),
        (np.int64(1_700_000_000), "s", NEWTON),
        (-1, "s", dt.datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
        (float("nan"), "s", None),
        (None, "s", None),
        (NEWTON, "ms", NEWTON),
    ],
)
def test_a_count_names_a_moment(value: Any, unit: Any, expected: Any) -> None:
    assert moment(value, unit) == expected


@pytest.mark.parametrize(
    ("value", "unit", "message"),
    [
        (True, "s", "a bool that counts no s"),
        ("1700000000", "s", "a str that counts no s"),
        (float("inf"), "s", "a float that counts no s"),
        (1, "ns", "between two microseconds"),
        (10**15, "s", "beyond the years 1 to 9999"),
    ],
)
def test_what_names_no_moment_is_told(value: Any, unit: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        moment(value, unit)


def test_a_column_of_ints_is_cast_as_a_whole_and_keeps_its_unit() -> None:
    column = pa.chunked_array([[1, None]], pa.int64())

    assert moments(column, "ns", name="c", where="x").type == pa.timestamp("ns", "UTC")
    assert moments(column.cast(pa.int32()), "s", name="c", where="x").null_count == 1


def test_other_numbers_go_one_by_one_and_datetimes_stay() -> None:
    floats = pa.chunked_array([[1.5, None]])
    times = pa.chunked_array([[NEWTON]], pa.timestamp("us", "UTC"))

    assert moments(floats, "s", name="c", where="x").to_pylist()[0].microsecond == 500_000
    assert moments(times, "s", name="c", where="x") is times
    assert moments([None, 0], "s", name="c", where="x") == [None, dt.datetime(1970, 1, 1, tzinfo=UTC)]


@pytest.mark.parametrize("column", [[0, 10**15], pa.chunked_array([[0], [10**15]])], ids=["rows", "arrow"])
def test_the_row_of_a_wrong_count_is_named(column: Any) -> None:
    with pytest.raises(NormalizerError, match="asset 'x': row 1, column 'c'"):
        moments(column, "s", name="c", where="asset 'x'")
