"""What is read is what was written: every type, every form, tables without rows, and values that are no tables."""

from typing import Any

import pytest

from airflow_provider.definitions.destination import Destination
from airflow_provider.errors import RepresentationError
from airflow_provider.testing.contract import ability, each
from airflow_provider.testing.destination_suite import DestinationSuite
from airflow_provider.testing.samples import (
    ARROW_TYPES,
    FIRST,
    PYTHON_CELLS,
    StoredAsset,
    arrow_columns,
    context_of,
    days,
    plain,
    rows_for,
    typed_rows,
    typed_table,
)


class RoundTripContract(DestinationSuite):
    """Law 5, ``read(write(x)) == x``: abilities ``type_*``, ``arrow_*``, ``form_*``, ``non_tabular``, ``zero_rows``."""

    @each("kind", PYTHON_CELLS, prefix="type_")
    def test_a_python_type_survives(self, destination: Destination, kind: str) -> None:
        context = context_of(self.asset, days(1))
        rows = [{"day": FIRST, "cell": cell} for cell in PYTHON_CELLS[kind]]
        self.store(destination, context, rows)
        assert plain(self.load(destination, context)) == plain(rows)

    @ability("type_all")
    def test_all_python_types_survive_beside_each_other(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        self.store(destination, context, typed_rows())
        assert plain(self.load(destination, context)) == plain(typed_rows())

    @each("kind", ARROW_TYPES, prefix="arrow_")
    def test_an_arrow_type_survives(self, destination: Destination, kind: str) -> None:
        import pyarrow as pa

        context = context_of(self.asset, days(1))
        column = arrow_columns()[kind]
        table = pa.table({"day": pa.array([FIRST] * len(column)), "cell": column})
        self.store(destination, context, table)
        self.assert_same(destination, self.load(destination, context), table)

    @ability("arrow_all")
    def test_all_arrow_types_survive_beside_each_other(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        self.store(destination, context, typed_table())
        self.assert_same(destination, self.load(destination, context), typed_table())

    @each("form", ("rows", "arrow", "pandas", "polars"), prefix="form_")
    def test_a_table_of_any_form_survives(self, destination: Destination, form: str) -> None:
        context = context_of(self.asset, days(2))
        rows = [{**row, "text": text} for row, text in zip(rows_for(days(2)), ["a", "", None, "é"], strict=True)]
        self.store(destination, context, _of_form(rows, form))
        assert plain(self.load(destination, context)) == rows

    @ability("ragged_rows")
    def test_rows_of_different_keys_survive_with_null_for_what_they_lack(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        self.store(destination, context, [{"day": FIRST, "a": 1}, {"day": FIRST, "b": 2}])
        found = plain(self.load(destination, context))
        assert [(row.get("a"), row.get("b")) for row in found] == [(1, None), (None, 2)]

    @ability("zero_rows")
    def test_zero_rows_keep_their_columns(self, destination: Destination) -> None:
        from airflow_provider.schema.representations import TableData

        context = context_of(self.asset, days(1))
        self.store(destination, context, typed_table().slice(0, 0))
        data = TableData.of(self.load(destination, context))
        assert data is not None
        assert data.num_rows == 0
        assert list(data.columns) == typed_table().column_names

    def test_the_unpartitioned_whole_is_replaced_as_a_whole(self, destination: Destination) -> None:
        context = context_of(StoredAsset(partitioning=None))
        self.store(destination, context, [{"n": 1}, {"n": 2}])
        self.store(destination, context, [{"n": 3}])
        assert plain(self.load(destination, context)) == [{"n": 3}]

    @ability("non_tabular")
    def test_a_value_that_is_no_table_survives(self, destination: Destination) -> None:
        context = context_of(StoredAsset(partitioning=None))
        for value in ("text", ["a", 2.5, None], b"\x00bytes", {1, 2}):
            self.store(destination, context, value)
            assert self.load(destination, context) == value

    @ability("non_tabular")
    def test_a_window_of_values_that_are_no_tables_is_a_list_of_them(self, destination: Destination) -> None:
        context = context_of(self.asset, days(3))
        for partition in context.partitions[:2]:
            self.store(destination, context.narrowed(partition), f"model of {partition}")
        assert self.load(destination, context) == ["model of 2026-03-01", "model of 2026-03-02"]
        assert context.missing == ["2026-03-03"]
        self.store(destination, context, "one for all")
        assert self.load(destination, context) == ["one for all"] * 3

    def test_a_producer_that_changes_its_data_later_changes_nothing(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        rows = rows_for(context.partitions)
        self.store(destination, context, rows)
        rows[0]["n"] = 99
        rows.clear()
        assert plain(self.load(destination, context)) == rows_for(context.partitions)

    def test_a_reader_that_changes_what_it_read_changes_nothing(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        self.store(destination, context, rows_for(context.partitions))
        found = self.load(destination, context)
        if isinstance(found, list):
            found[0]["n"] = 99
            found.clear()
        assert plain(self.load(destination, context)) == rows_for(context.partitions)

    def assert_same(self, destination: Destination, found: Any, table: Any) -> None:
        """Equal to the type where the store deals in Arrow, equal in value where its form has coarser types."""
        from airflow_provider.schema.representations import TableData

        data = TableData.of(found)
        assert data is not None, f"not tabular: {type(found)}"
        if destination.representation in (None, "arrow"):
            assert data.arrow().schema.equals(table.schema)
            assert data.arrow().equals(table)
        else:
            assert plain(found) == plain(table)


def _of_form(rows: list[dict[str, Any]], form: str) -> Any:
    from airflow_provider.schema.representations import TableData

    data = TableData.of(rows)
    assert data is not None
    if form == "polars":
        pytest.importorskip("polars")
    try:
        return data.to(form)
    except RepresentationError:
        pytest.skip(f"nothing here knows the form {form!r}")
