"""Rows: a list or tuple of dicts, whose keys may differ."""

from collections import defaultdict
from typing import Any

import pyarrow as pa

from airflow_provider.schema import Schema
from airflow_provider.schema.representations.rows import RowsRepresentation, cells_of, cells_to_arrow, exact_cells

ROWS = RowsRepresentation()


class Sub(dict[str, Any]):
    """A kind of dict."""


def test_every_element_counts() -> None:
    assert ROWS.matches([{}, Sub(a=1)])
    assert not ROWS.matches([{}] * 1000 + [1])


def test_renaming_leaves_a_missing_key_missing() -> None:
    assert ROWS.rename([{"a": 1}, {"b": 2}], ["x", "y"]) == [{"x": 1}, {"y": 2}]


def test_selecting_fills_with_null() -> None:
    assert ROWS.select([{"a": 1}, {"b": 2}], ["b"]) == [{"b": None}, {"b": 2}]


def test_uniform_rows_are_handed_out_as_they_are() -> None:
    rows = [{"a": 1, "b": 2}, {"b": 3, "a": 4}]

    assert ROWS.to_rows(rows) is rows


def test_grouping_keeps_the_order_within_a_group() -> None:
    import numpy as np

    rows = [{"n": n} for n in range(5)]

    groups = ROWS.group(rows, np.array([1, 0, 1, 3, 0], dtype=np.int16), 4)

    assert [[row["n"] for row in group] for group in groups] == [[1, 4], [0, 2], [], [3]]


def test_labels_are_the_union_of_the_keys_in_order_of_first_appearance() -> None:
    assert ROWS.labels([{"b": 1, "a": 2}, {"a": 3, "b": 4}, {"c": 5, "b": 6}]) == ("b", "a", "c")
    assert ROWS.labels([]) == ()


def test_rows_of_just_these_keys_are_taken_apart() -> None:
    assert exact_cells([{"a": 1, "b": 2}, {"b": 3, "a": 4}], ["a", "b"]) == [[1, 4], [2, 3]]
    assert exact_cells([{}, {}], []) == []


def test_rows_of_other_keys_are_not_exact() -> None:
    for rows in ([{"a": 1}], [{"a": 1, "b": 2, "c": 3}], [{"a": 1, "c": 2}], [{"a": 1, "b": 2}, {"a": 1}], []):
        assert exact_cells(rows, ["a", "b"]) is None


def test_a_dict_that_makes_up_what_it_lacks_is_not_changed_by_a_look() -> None:
    row: defaultdict[str, Any] = defaultdict(int, {"a": 1, "c": 2})

    assert exact_cells([row], ["a", "b"]) is None
    assert cells_of([row], ["a", "b"]) == [[1], [None]]
    assert row == {"a": 1, "c": 2}


def test_cells_become_a_table_of_their_specs() -> None:
    class Orders(Schema):
        n: int
        name: str | None

    table = cells_to_arrow([[1, 2], ["x", None]], Orders.field_specs(), 2, where="test")

    assert table.schema == Orders.arrow()
    assert table.to_pylist() == [{"n": 1, "name": "x"}, {"n": 2, "name": None}]
    assert cells_to_arrow([], (), 3, where="test").num_rows == 3
    assert ROWS.to_arrow([{"n": 1}, {"m": "x"}], None, where="test").equals(
        pa.table({"n": [1, None], "m": [None, "x"]})
    )
