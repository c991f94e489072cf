"""What a field knows of itself."""

import enum
from dataclasses import FrozenInstanceError
from typing import Any, Literal

import pytest

from airflow_provider.errors import DefinitionError
from airflow_provider.schema import Schema
from airflow_provider.schema.fields import FieldSpec, field_from_annotation, is_record_class, is_schema, record_fields


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


class Point(Schema):
    x: int
    label: str | None


def field(annotation: Any, default: Any = None) -> FieldSpec:
    return field_from_annotation(
        "c", annotation, where="schema 'S'", **({} if default is None else {"default": default})
    )


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (int, "int"),
        (list[str], "list[str]"),
        (list[str | None], "list[str | null]"),
        (Literal["a", "b"], "one of 'a', 'b'"),
        (Size, "one of 1, 2"),
        (Point, "struct<x: int, label: str | null>"),
        (list[Point], "list[struct<x: int, label: str | null>]"),
        (Any, "Any"),
        (None, "null"),
    ],
)
def test_the_type_in_words(annotation: Any, name: str) -> None:
    assert field(annotation).type_name == name


def test_choices_are_values_and_their_type_is_what_is_stored() -> None:
    assert (field(Size).choices, field(Size).base_type) == ((1, 2), int)
    assert (field(Literal["a"]).choices, field(Literal["a"]).base_type) == (("a",), str)
    assert field(int).choices is None


def test_an_item_is_the_field_of_one_value() -> None:
    item = field(list[int | None], default=[1]).item

    assert (item.type, item.repeated, item.nullable, item.has_default) == (int, False, True, False)


def test_defaults_are_made_anew() -> None:
    spec = field(list[int], default=[1])

    assert spec.make_default() == spec.make_default() == [1]
    assert spec.make_default() is not spec.make_default()


def test_a_field_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        field(int).name = "x"  # type: ignore[misc]


def test_mixed_enums_are_refused() -> None:
    mixed = enum.Enum("mixed", {"A": 1, "B": "b"})

    with pytest.raises(DefinitionError, match="all str or all int"):
        field(mixed)


@pytest.mark.parametrize(
    ("kind", "schema", "record"), [(Point, True, True), (int, False, False), ("Point", False, False)]
)
def test_schemas_and_record_classes_are_told_apart(kind: Any, schema: bool, record: bool) -> None:
    assert (is_schema(kind), is_record_class(kind)) == (schema, record)


def test_the_fields_of_a_schema_are_its_own() -> None:
    assert record_fields(Point, where="x") == Point.field_specs()
