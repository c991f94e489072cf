"""Records taken apart: paths, not names, tell columns apart."""

from typing import Any

import pyarrow as pa
import pytest

from airflow_provider.errors import NormalizerError
from airflow_provider.schema.flattening import Flattener, Path, without_empty


def keys(flat: dict[Path, Any]) -> dict[tuple[str, ...], Any]:
    return {tuple(path.keys): value for path, value in flat.items()}


def test_equal_paths_are_one_object() -> None:
    flattener = Flattener(None, where="x")

    first, second = flattener.row({"a": {"b": 1}}, 0), flattener.row({"a": {"b": 2}}, 1)

    assert list(first) == list(second)
    assert next(iter(first)) is next(iter(second))


def test_leaves_come_in_order_and_empty_records_are_leaves() -> None:
    row = {"a": {"x": 1, "e": {}, "y": {"z": None}}, "b": [{"c": 1}]}

    assert list(keys(Flattener(None, where="x").row(row, 0)).items()) == [
        (("a", "x"), 1), (("a", "e"), {}), (("a", "y", "z"), None), (("b",), [{"c": 1}]),
    ]  # fmt: skip


@pytest.mark.parametrize(("level", "deepest"), [(0, 1), (1, 2), (2, 3), (None, 4)])
def test_the_level_is_the_number_of_records_that_are_opened(level: int | None, deepest: int) -> None:
    (path,) = Flattener(level, where="x").row({"a": {"b": {"c": {"d": 1}}}}, 0)

    assert path.depth == deepest


def test_values_of_a_column_are_spread_and_the_column_itself_goes_when_only_nulls_are_left() -> None:
    flattener = Flattener(None, where="x")

    assert keys(flattener.values(flattener.path("a"), [{"b": 1}, None, {"c": 2}])) == {
        ("a", "b"): [1, None, None],
        ("a", "c"): [None, None, 2],
    }
    assert keys(flattener.values(flattener.path("a"), [{"b": 1}, 7])) == {("a", "b"): [1, None], ("a",): [None, 7]}
    assert keys(flattener.values(flattener.path("n"), [None])) == {("n",): [None]}


def test_a_struct_that_is_null_is_null_in_all_its_columns() -> None:
    column = pa.chunked_array([pa.array([{"b": 1}, None]), pa.array([{"b": None}], pa.struct([("b", pa.int64())]))])
    flattener = Flattener(None, where="x")

    ((path, values, field),) = flattener.arrow(flattener.path("a"), column, pa.field("a", column.type))

    assert (path.keys, values.to_pylist(), field.type) == (["a", "b"], [1, None, None], pa.int64())


def test_an_empty_struct_keeps_its_column() -> None:
    column = pa.chunked_array([pa.array([{}, None], pa.struct([]))])
    flattener = Flattener(None, where="x")

    ((path, values, _),) = flattener.arrow(flattener.path("a"), column, pa.field("a", column.type))

    assert (path.keys, values) == (["a"], column)


def test_a_key_that_is_no_text_is_named_with_its_place() -> None:
    with pytest.raises(NormalizerError, match="row 3, 'a' has the key 1 of type int"):
        Flattener(None, where="x").row({"a": {1: 2}}, 3)


@pytest.mark.parametrize(
    ("value", "emptied"),
    [
        ({}, None),
        ({"a": {}}, {"a": None}),
        ([{}, {"b": [{}]}], [None, {"b": [None]}]),
        ({"a": []}, {"a": []}),
        (5, 5),
        ("", ""),
    ],
)
def test_empty_dicts_are_null_at_any_depth(value: Any, emptied: Any) -> None:
    before = repr(value)

    assert without_empty(value) == emptied
    assert repr(value) == before


def test_a_value_without_empty_dicts_is_itself() -> None:
    value = {"a": [{"b": 1}]}

    assert without_empty(value) is value
