"""What every form of tabular data must do, as a test class; a form of your own is registered and put to the same test.

::

    from airflow_provider.testing import RepresentationContract

    class TestMine(RepresentationContract):
        kind = "mine"

The form is found by its name, as ``airflow_provider.schema.register`` or an entry point of the group
``airflow_provider.representations`` made it known.
"""

import datetime as dt
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from airflow_provider.errors import PartitionError
from airflow_provider.testing.contract import Contract, ability, each
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
)

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.schema.representations import TableData
    from airflow_provider.schema.representations.registry import Representation


class RepresentationContract(Contract):
    """Laws of a form: recognised, counted, converted, joined and split without losing or changing a cell.

    Abilities: ``value_*`` and ``arrow_*`` (one for each type), ``conform_*``, ``zero_rows``.

    Attributes:
        kind: The name of the form.
    """

    kind: ClassVar[str]

    def make(self, table: "pa.Table") -> Any:
        """A value of the form that holds the rows of ``table``."""
        return self.representation.from_arrow(table)

    @property
    def representation(self) -> "Representation":
        """The form under test."""
        from airflow_provider.schema.representations import registry  # the package registers the built-in forms

        return registry.by_kind(self.kind)

    def data(self, rows: list[dict[str, Any]]) -> "TableData":
        """The rows in the form under test."""
        return self.wrapped(self.make(_table(rows)))

    def wrapped(self, value: Any) -> "TableData":
        """``value`` as ``TableData``, which must take it for the form under test."""
        from airflow_provider.schema.representations import TableData

        data = TableData.of(value)
        assert data is not None, f"{type(value)} is not recognised"
        assert data.kind == self.kind
        return data

    def test_a_value_is_recognised_by_this_form_alone(self) -> None:
        from airflow_provider.schema.representations import registry

        value = self.make(_table(rows_for(days(1))))
        others = [form for form in registry.known() if not form.last_resort]
        assert [form.kind for form in others if form.matches(value)] == [self.kind]

    @pytest.mark.parametrize(
        "value", ["text", 7, None, {"a": 1}, [1, 2], object()], ids=lambda value: type(value).__name__
    )
    def test_what_is_no_table_is_not_recognised(self, value: Any) -> None:
        assert not self.representation.matches(value)

    @pytest.mark.parametrize("count", [1, 3])
    def test_rows_and_columns_are_counted(self, count: int) -> None:
        data = self.data(rows_for(days(count)))
        assert (data.num_rows, data.columns, data.is_empty) == (2 * count, ("day", "n", "version"), False)

    @ability("zero_rows")
    def test_zero_rows_keep_their_columns(self) -> None:
        data = self.wrapped(self.make(_table(rows_for(days(1))).slice(0, 0)))
        assert (data.num_rows, data.is_empty) == (0, True)
        assert data.columns == ("day", "n", "version")
        assert data.arrow().column_names == ["day", "n", "version"]

    @each("kind", PYTHON_CELLS, prefix="value_")
    def test_cells_survive_the_way_there_and_back(self, kind: str) -> None:
        rows = [{"day": FIRST, "cell": cell} for cell in PYTHON_CELLS[kind]]
        data = self.data(rows)
        assert plain(data.to("rows")) == plain(rows)
        assert plain(data.arrow()) == plain(rows)

    @each("kind", ARROW_TYPES, prefix="arrow_")
    def test_cells_of_arrow_types_survive(self, kind: str) -> None:
        import pyarrow as pa

        table = pa.table({"cell": arrow_columns()[kind]})
        data = self.wrapped(self.make(table))
        assert plain(data.arrow()) == plain(table)
        assert data.arrow().column("cell").null_count == table.column("cell").null_count

    @each("kind", PYTHON_CELLS, prefix="conform_")
    def test_conforming_gives_what_it_gives_for_rows(self, kind: str) -> None:
        from airflow_provider.schema import conform
        from airflow_provider.schema.conform import MaterializationStrategy
        from airflow_provider.schema.representations import TableData

        rows = [{"day": FIRST, "cell": cell} for cell in PYTHON_CELLS[kind]]
        as_rows = TableData.of(rows)
        assert as_rows is not None
        expected, schema = conform(as_rows, None, MaterializationStrategy.RECONCILE, where="rows")
        found, _ = conform(self.data(rows), schema, MaterializationStrategy.RECONCILE, where="contract")
        assert _types(found) == _types(expected)
        assert plain(found.arrow()) == plain(expected.arrow())

    def test_joined_parts_are_all_rows_in_order(self) -> None:
        from airflow_provider.schema.representations import TableData

        parts = [rows_for([day], version=number) for number, day in enumerate(days(3))]
        joined = TableData.concat([self.data(part) for part in parts])
        assert joined.kind == self.kind
        assert plain(joined.value) == [row for part in parts for row in part]

    def test_parts_of_different_columns_are_joined_by_name(self) -> None:
        from airflow_provider.schema.representations import TableData

        joined = TableData.concat([self.data([{"a": 1, "b": "x"}]), self.data([{"b": "y", "c": 2.5}])])
        found = [{name: row.get(name) for name in "abc"} for row in plain(joined.value)]
        assert found == plain([{"a": 1, "b": "x", "c": None}, {"a": None, "b": "y", "c": 2.5}])

    def test_a_part_without_rows_changes_nothing(self) -> None:
        from airflow_provider.schema.representations import TableData

        nothing = self.wrapped(self.make(_table(rows_for(days(1))).slice(0, 0)))
        joined = TableData.concat([nothing, self.data(rows_for(days(1))), nothing])
        assert plain(joined.value) == rows_for(days(1))

    def test_a_window_is_split_into_its_days_in_the_order_of_the_rows(self) -> None:
        rows = [{"day": day, "n": n} for n, day in enumerate([p.date for p in days(3)] * 4)]
        context = context_of(StoredAsset(), days(4))
        slices = context.slices(self.make(_table(rows)))
        assert [None if p is None else p.key for p, _ in slices] == list(days(4).keys)
        numbers = [[row["n"] for row in plain(part)] for _, part in slices[:3]]
        assert numbers == [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]
        assert [self.wrapped(part).num_rows for _, part in slices] == [4, 4, 4, 0]

    @pytest.mark.parametrize("stray", [None, dt.date(1999, 1, 1)])
    def test_a_row_of_no_day_of_the_window_is_refused(self, stray: dt.date | None) -> None:
        rows = [*rows_for(days(2)), {"day": stray, "n": 0, "version": 1}]
        with pytest.raises(PartitionError, match="outside"):
            context_of(StoredAsset(), days(2)).slices(self.make(_table(rows)))

    def test_rows_are_sliced_and_taken_by_position(self) -> None:
        import numpy as np

        rows = rows_for(days(3))
        data = self.data(rows)
        assert plain(data.slice(1, 4).value) == rows[1:4]
        assert plain(data.take(np.array([5, 0, 0])).value) == [rows[5], rows[0], rows[0]]
        assert data.take(np.array([], dtype=np.int64)).num_rows == 0

    def test_rows_are_grouped_by_code(self) -> None:
        import numpy as np

        rows = rows_for(days(3))
        groups = self.data(rows).group(np.array([2, 0, 2, 0, 0, 2]), 4)
        assert [group.num_rows for group in groups] == [3, 0, 3, 0]
        assert plain(groups[0].value) == [rows[1], rows[3], rows[4]]
        assert plain(groups[2].value) == [rows[0], rows[2], rows[5]]

    def test_columns_are_selected_and_renamed(self) -> None:
        form, value = self.representation, self.make(_table(rows_for(days(1))))
        assert plain(form.select(value, ["version", "n"])) == [{"version": 1, "n": 0}, {"version": 1, "n": 1}]
        assert list(self.wrapped(form.rename(value, ["a", "b", "c"])).columns) == ["a", "b", "c"]

    def test_nothing_changes_the_value_it_was_given(self) -> None:
        import numpy as np

        from airflow_provider.schema.representations import TableData

        rows = rows_for(days(3))
        value = self.make(_table(rows))
        data, form = self.wrapped(value), self.representation
        data.group(np.array([1, 0, 1, 0, 1, 0]), 2)
        TableData.concat([data, data])
        form.rename(value, ["a", "b", "c"])
        form.select(value, ["n"])
        data.arrow()
        assert plain(value) == rows


def _table(rows: list[dict[str, Any]]) -> "pa.Table":
    from airflow_provider.schema.representations import TableData

    data = TableData.of(rows)
    assert data is not None
    return data.arrow()


def _types(data: "TableData") -> dict[str, str]:
    """Column -> type; offsets of 64 bits are no other type."""
    return {field.name: str(field.type).replace("large_", "") for field in data.arrow().schema}
