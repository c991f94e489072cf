"""The rule for one value, where the forms of data play no part."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pydantic
import pytest

from airflow_provider.schema import Schema
from airflow_provider.schema.fields import field_from_annotation
from airflow_provider.schema.values import UnfitError, coercer, is_null


class Inner(Schema):
    a: int
    b: str = "default"


class Model(pydantic.BaseModel):
    a: int
    b: str = "b"


def lax(value: Any, annotation: Any) -> Any:
    return coercer(field_from_annotation("c", annotation, where="test"), strict=False)(value)


def strict(value: Any, annotation: Any) -> Any:
    return coercer(field_from_annotation("c", annotation, where="test"), strict=True)(value)


def test_only_what_means_null_is_null() -> None:
    assert is_null(None)
    assert not any(is_null(value) for value in (0, "", float("nan"), [], {}, False))


def test_decimals_keep_their_written_scale() -> None:
    assert str(lax("1.10", Decimal)) == "1.10"
    assert lax(Decimal("1.10"), str) == "1.10"


def test_a_decimal_far_below_one_is_refused_and_a_round_one_taken() -> None:
    assert lax(Decimal("1E+5"), Decimal) == 100000
    assert lax(Decimal("0E-30"), Decimal) == 0
    with pytest.raises(UnfitError):
        lax(Decimal("1E-10"), Decimal)
    with pytest.raises(UnfitError, match="not finite"):
        lax(Decimal("Infinity"), Decimal)


@pytest.mark.parametrize(
    "text", ["5e-324", "1.7976931348623157e308", "0.1", "-0.0", "123456789012345", "0.30000000000000004"]
)
def test_text_of_a_float_is_that_float(text: str) -> None:
    assert repr(lax(text, float)) == repr(float(text))


@pytest.mark.parametrize("text", ["1e-400", "1e400", "0.1000000000000000000001", "1,5", "0x1p3", "", "1_0", "\uff11"])
def test_text_that_no_float_says_is_refused(text: str) -> None:
    with pytest.raises(UnfitError):
        lax(text, float)


def test_not_a_number_is_a_float_when_spelled_out() -> None:
    assert lax("nan", float) != lax("NaN", float)
    assert lax("-inf", float) == float("-inf")


@pytest.mark.parametrize("value", [{"a": 1}, {"a": 1, "x": 2}, Inner(a=1)])
def test_records_are_filled_and_trimmed(value: Any) -> None:
    assert lax(value, Inner) == {"a": 1, "b": "default"}


def test_models_stand_for_their_record() -> None:
    assert lax(Model(a=1), Inner) == {"a": 1, "b": "b"}
    assert lax(Model(a=1), dict) == {"a": 1, "b": "b"}


def test_the_field_at_fault_inside_a_record_is_named() -> None:
    with pytest.raises(UnfitError, match="field 'a' is a str that is no whole number"):
        lax({"a": "x"}, Inner)
    with pytest.raises(UnfitError, match="without the field 'a'"):
        lax({}, Inner)
    with pytest.raises(UnfitError, match="unknown field 'x'"):
        strict({"a": 1, "b": "", "x": 2}, Inner)


def test_a_tuple_is_a_list_unless_strict() -> None:
    assert lax((1, "2"), list[int]) == [1, 2]
    with pytest.raises(UnfitError):
        strict((1, 2), list[int])


def test_nested_data_as_text_is_json() -> None:
    assert lax({"b": [1, None], "a": "é"}, str) == '{"b":[1,null],"a":"é"}'
    with pytest.raises(UnfitError, match="not JSON"):
        lax({"a": dt.date(2026, 1, 1)}, str)


def test_an_aware_midnight_is_the_date_of_its_own_zone() -> None:
    zone = dt.timezone(dt.timedelta(hours=5))

    assert lax(dt.datetime(2026, 1, 2, tzinfo=zone), dt.date) == dt.date(2026, 1, 2)


@pytest.mark.parametrize(("value", "annotation"), [(True, int), (True, float), (1, str), (1, bool), ("a", bytes)])
def test_strict_does_not_mix_types(value: Any, annotation: Any) -> None:
    with pytest.raises(UnfitError):
        strict(value, annotation)


def test_messages_never_hold_the_value() -> None:
    with pytest.raises(UnfitError) as caught:
        lax("secret", int)

    assert "secret" not in str(caught.value)
