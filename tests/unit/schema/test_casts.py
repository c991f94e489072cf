"""Only casts that mean the rule for one value are left to Arrow."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from airflow_provider.schema.casts import exact_cast

UTC = pa.timestamp("us", "UTC")


def cast(values: list[Any], source: pa.DataType, target: pa.DataType, *, strict: bool = False) -> list[Any] | None:
    found = exact_cast(pa.chunked_array([pa.array(values, source)]), target, strict=strict)
    return None if found is None else found.to_pylist()


@pytest.mark.parametrize(
    ("values", "source", "target", "result"),
    [
        ([1, None], pa.int8(), pa.int64(), [1, None]),
        ([1], pa.int64(), pa.float64(), [1.0]),
        ([0.5], pa.float32(), pa.float64(), [0.5]),
        (["a"], pa.large_string(), pa.string(), ["a"]),
        ([Decimal("1.5")], pa.decimal128(5, 1), pa.decimal128(38, 9), [Decimal("1.5")]),
        ([None], pa.null(), pa.int64(), [None]),
        ([dt.date(2026, 1, 1)], pa.date64(), pa.date32(), [dt.date(2026, 1, 1)]),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_widths_and_scales_are_cast_in_either_strategy(
    values: Any, source: Any, target: Any, result: Any, strict: bool
) -> None:
    assert cast(values, source, target, strict=strict) == result


@pytest.mark.parametrize(
    ("values", "source", "target", "result"),
    [
        (["1", "-2", None], pa.string(), pa.int64(), [1, -2, None]),
        (["2026-01-01"], pa.string(), pa.date32(), [dt.date(2026, 1, 1)]),
        ([2.0], pa.float64(), pa.int64(), [2]),
        ([5], pa.int64(), pa.string(), ["5"]),
        ([dt.datetime(2026, 1, 1)], pa.timestamp("ns"), pa.date32(), [dt.date(2026, 1, 1)]),
    ],
)
def test_other_forms_are_cast_unless_strict(values: Any, source: Any, target: Any, result: Any) -> None:
    assert cast(values, source, target) == result
    assert cast(values, source, target, strict=True) is None


@pytest.mark.parametrize(
    ("values", "source", "target"),
    [
        (["0x10"], pa.string(), pa.int64()),
        (["x"], pa.string(), pa.int64()),
        ([300], pa.int64(), pa.int8()),
        ([2**53 + 1], pa.int64(), pa.float64()),
        ([0.1], pa.float64(), pa.float32()),
        ([1.5], pa.float64(), pa.int64()),
        ([1.0], pa.float64(), pa.string()),
        ([Decimal("0.1")], pa.decimal128(5, 1), pa.float64()),
        ([Decimal("0.123")], pa.decimal128(5, 3), pa.decimal128(5, 1)),
        ([dt.datetime(2026, 1, 1, 5)], pa.timestamp("us"), pa.date32()),
        ([dt.datetime(2026, 1, 1)], pa.timestamp("us"), UTC),
        ([dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)], UTC, pa.timestamp("us")),
        (["2026-01-01"], pa.string(), UTC),
        ([True], pa.bool_(), pa.int64()),
    ],
)
def test_what_could_change_a_value_is_left_to_the_rule_for_one(values: Any, source: Any, target: Any) -> None:
    assert cast(values, source, target) is None
