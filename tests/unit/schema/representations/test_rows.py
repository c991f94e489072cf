"""Rows: a list or tuple of dicts, whose keys may differ."""

from typing import Any

from airflow_provider.schema.representations.rows import RowsRepresentation

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
