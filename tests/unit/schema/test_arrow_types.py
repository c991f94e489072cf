"""What Arrow has no type for travels as marked text, at any depth."""

import datetime as dt
import io
import json
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_provider.errors import SchemaError
from airflow_provider.schema import Schema, TableData
from airflow_provider.schema.arrow_types import (
    MARK,
    arrow_field,
    decoder,
    encoder,
    is_bytes,
    is_text,
    to_arrow_array,
    to_json,
)
from airflow_provider.schema.fields import FieldSpec, field_from_annotation


class Inner(Schema):
    id: UUID
    extra: dict[str, Any]


class Outer(Schema):
    plain: int
    inner: Inner | None
    many: list[Inner]


ROWS = [
    {"plain": 1, "inner": {"id": UUID(int=1), "extra": {"a": [1, {"b": None}]}}, "many": []},
    {"plain": 2, "inner": None, "many": [{"id": UUID(int=2), "extra": {}}, {"id": UUID(int=3), "extra": {"": "é"}}]},
]


def spec(annotation: Any) -> FieldSpec:
    return field_from_annotation("c", annotation, where="test")


def test_marked_values_come_back_at_any_depth_and_through_parquet() -> None:
    table = TableData.of(ROWS, schema=Outer).arrow()
    file = io.BytesIO()
    pq.write_table(table, file)

    assert TableData.of(table).to("rows") == ROWS
    assert TableData.of(pq.read_table(file)).to("rows") == ROWS


def test_only_what_needs_it_is_marked_and_encoded() -> None:
    assert arrow_field(spec(dict)).metadata == {MARK: b"json"}
    assert arrow_field(spec(UUID)).metadata == {MARK: b"uuid"}
    assert arrow_field(spec(int)).metadata is None
    assert encoder(spec(list[int])) is None
    assert decoder(arrow_field(spec(list[int]))) is None


@pytest.mark.parametrize("value", [None, 1, 2**70, 0.1, "é\n", True, [], {}, [1, {"a": [None]}]])
def test_json_reads_back_as_the_same_value(value: Any) -> None:
    decode = decoder(arrow_field(spec(Any)))

    assert decode is not None
    assert decode(to_json(value)) == value


@pytest.mark.parametrize("value", [(1,), {1: 2}, {"a": dt.date(2026, 1, 1)}, [int], {1}, b"x"])
def test_what_json_would_change_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        to_json(value)


def test_the_first_value_that_does_not_fit_is_named() -> None:
    with pytest.raises(
        SchemaError, match="asset 'x': row 2, column 'c': a value of type int has no place in a column of int"
    ):
        to_arrow_array([1, None, 2**63, 2**64], spec(int), where="asset 'x'")


def test_families_of_types() -> None:
    assert all(map(is_text, (pa.string(), pa.large_string(), pa.string_view())))
    assert all(map(is_bytes, (pa.binary(), pa.large_binary(), pa.binary(3))))
    assert not is_text(pa.binary())
    assert not is_bytes(pa.string())


@pytest.mark.parametrize("holder", [lambda inner: {"k": inner}, lambda inner: [inner]], ids=["dicts", "lists"])
def test_json_nested_too_deep_to_be_read_again_is_refused_by_row(holder: Any) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = holder(deep)
    assert json.loads(to_json(deep)) == deep
    for _ in range(5_000):
        deep = holder(deep)
    with pytest.raises(SchemaError, match="row 1, column 'c'"):
        to_arrow_array([1, deep], FieldSpec("c", Any, nullable=True), where="x")


def test_a_lone_surrogate_is_said_to_be_no_utf8() -> None:
    class Texts(Schema):
        x: str

    (spec,) = Texts.field_specs()
    with pytest.raises(SchemaError, match="row 1, column 'x': the text is not valid UTF-8"):
        to_arrow_array(["fine", "\ud800"], spec, where="t")
