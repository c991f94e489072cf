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
