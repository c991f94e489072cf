"""The list of representations can grow without touching those who use it."""

from collections.abc import Iterator
from typing import Any

import pytest

from airflow_provider.errors import RepresentationError
from airflow_provider.schema import TableData, register
from airflow_provider.schema.representations import registry
from airflow_provider.schema.representations.rows import RowsRepresentation


class Columns(dict[str, list[Any]]):
    """A table as a dict of lists."""


class ColumnsRepresentation(RowsRepresentation):
    kind = "columns"

    def matches(self, value: Any) -> bool:
        return isinstance(value, Columns)

    def num_rows(self, value: Any) -> int:
        return len(next(iter(value.values()), []))


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_REPRESENTATIONS", dict(registry._REPRESENTATIONS))
    register(ColumnsRepresentation())
    return iter(())


@pytest.mark.usefixtures("columns")
def test_a_registered_form_is_recognised() -> None:
    data = TableData.of(Columns(a=[1, 2]))

    assert data is not None
    assert (data.kind, data.num_rows) == ("columns", 2)


def test_without_it_the_value_is_no_table() -> None:
    assert TableData.of(Columns(a=[1, 2])) is None


def test_a_kind_nobody_registered_is_named() -> None:
    with pytest.raises(RepresentationError, match="'columns'"):
        registry.by_kind("columns")


def test_pythons_own_values_never_make_it_look_for_what_packages_offer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_load_offered", lambda: pytest.fail("looked"))

    assert [TableData.of(value) for value in ("text", 7, None, {"a": 1}, [1], b"")] == [None] * 6


def test_frames_of_different_columns_keep_their_ints() -> None:
    import pandas as pd

    big = 2**53 + 1
    parts = [TableData.of(pd.DataFrame({"a": [big]})), TableData.of(pd.DataFrame({"b": [1]}))]
    joined = TableData.concat([part for part in parts if part is not None])

    assert joined.to("rows") == [{"a": big, "b": None}, {"a": None, "b": 1}]


@pytest.mark.usefixtures("columns")
def test_a_form_that_hands_out_a_stream_of_arrow_is_itself_and_no_stream() -> None:
    class Streaming(Columns):
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise AssertionError("not asked")

    data = TableData.of(Streaming(a=[1]))

    assert data is not None
    assert data.kind == "columns"
