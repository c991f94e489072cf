"""TableData: what is tabular, and conversions that change nothing."""

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.errors import RepresentationError, SchemaError
from airflow_provider.schema import Schema, TableData, conform

UTC = dt.timezone.utc
ROWS = [
    {
        "b": True,
        "i": 2**60,
        "f": 0.1,
        "s": 'é\n,"',
        "y": b"\x00",
        "d": dt.date(2026, 1, 1),
        "t": dt.datetime(2026, 1, 1, 5, 6, 7, 8, UTC),
        "n": dt.datetime(2026, 1, 1, 5),
        "h": dt.time(5, 6),
        "p": dt.timedelta(seconds=1),
        "m": Decimal("1.25"),
        "u": UUID(int=7),
        "j": {"a": [1, None, {"b": "x"}], "": 2.5},
        "l": [1, None],
        "x": [{"a": 1}, {"b": None}],
        "z": None,
        "mix": 1,
    },
    dict.fromkeys("bifsydtnhpmujlxz") | {"mix": "a"},
]


def of(value: Any) -> TableData:
    data = TableData.of(value)
    assert data is not None
    return data


@pytest.mark.parametrize("value", [[], [{}], [{"a": 1}], ({"a": 1},), ()])
def test_lists_and_tuples_of_dicts_are_rows(value: Any) -> None:
    assert (of(value).kind, of(value).num_rows, of(value).is_empty) == ("rows", len(value), not value)


@pytest.mark.parametrize(
    "value", [None, 1, "text", {"a": 1}, [1, 2], [{"a": 1}, 2], [None], {1, 2}, iter([]), np.arange(3)]
)
def test_other_objects_are_not_tabular(value: Any) -> None:
    assert TableData.of(value) is None


def test_tables_batches_and_frames_are_known() -> None:
    table = pa.table({"a": [1, 2]})

    assert of(table).kind == of(table.to_batches()[0]).kind == "arrow"
    assert of(table.to_pandas()).kind == "pandas"
    assert TableData.of(pd.Series([1])) is None
    assert of(of(table)).value is table


@pytest.mark.parametrize("through", ["arrow", "pandas"])
def test_rows_come_back_as_they_were_through_any_form(through: str) -> None:
    back = of(of(ROWS).to(through)).to("rows")

    assert back == ROWS
    assert [{name: type(value) for name, value in row.items()} for row in back] == [
        {name: type(value) for name, value in row.items()} for row in ROWS
    ]


def test_rows_through_arrow_through_pandas_and_back() -> None:
    frame = of(of(ROWS).to("arrow")).to("pandas")

    assert of(of(frame).to("arrow")).to("rows") == ROWS


def test_an_empty_table_keeps_its_columns_through_pandas() -> None:
    table = of(ROWS).arrow().slice(0, 0)

    assert of(of(table).to("pandas")).columns == tuple(table.column_names)
    assert of(table).to("rows") == []


def test_the_arrow_form_is_made_once() -> None:
    data = of([{"a": 1}])

    assert data.arrow() is data.arrow()


def test_a_form_nobody_knows_is_an_error() -> None:
    with pytest.raises(RepresentationError, match=r"'polar'.*\n.*'rows', 'arrow', 'pandas'"):
        of([]).to("polar")


def test_columns_are_the_union_of_keys_in_order_of_first_appearance() -> None:
    assert of([{"b": 1}, {"a": 1, "b": 2}, {"c": 3}]).columns == ("b", "a", "c")
    assert of([{"b": 1}, {"a": 1}]).to("arrow").column_names == ["b", "a"]
    assert of(({"b": 1}, {"a": 1})).to("arrow").to_pylist() == [{"b": 1, "a": None}, {"b": None, "a": 1}]


@pytest.mark.parametrize(
    "value",
    [[{1: 2}], [{None: 1}], pd.DataFrame([[1]]), pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")]))],
)
def test_labels_that_are_not_text_are_refused(value: Any) -> None:
    with pytest.raises(SchemaError, match=r"not text\n  Fix: .*frame.columns"):
        of(value).columns  # noqa: B018


@pytest.mark.parametrize(
    "value", [pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"]), pd.DataFrame([[1, 2]], columns=["a", "a"])]
)
def test_a_label_of_two_columns_is_refused(value: Any) -> None:
    for use in (lambda data: data.columns, lambda data: data.arrow(), lambda data: data.to("rows")):
        with pytest.raises(SchemaError, match="two columns are called 'a'"):
            use(of(value))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({1, 2}, "set"),
        (object(), "object"),
        ({"d": dt.date(2026, 1, 1)}, "dict"),
        ({"t": (1,)}, "dict"),
        (float("nan"), None),
    ],
)
def test_what_arrow_has_no_type_for_is_named_with_its_row(value: Any, kind: str | None) -> None:
    data = of([{"a": 1, "c": None}, {"a": 2, "c": value}])

    if kind is None:
        assert data.arrow().num_rows == 2
        return
    with pytest.raises(SchemaError, match=rf"asset 'x': row 1, column 'c': a value of type {kind}"):
        data.arrow(where="asset 'x'")


def test_a_mixed_column_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(SchemaError, match="row 1, column 'c': a value of type date"):
        of([{"c": 1}, {"c": dt.date(2026, 1, 1)}]).arrow()


def test_naive_and_aware_datetimes_are_never_mixed_up() -> None:
    mixed = [{"c": dt.datetime(2026, 1, 1)}, {"c": dt.datetime(2026, 1, 1, tzinfo=UTC)}]

    with pytest.raises(SchemaError, match="row 0, column 'c': a value of type datetime"):
        of(mixed).arrow()


def test_large_ints_with_nulls_keep_their_value_in_pandas() -> None:
    frame = of([{"a": 2**53 + 1}, {"a": None}]).to("pandas")

    assert str(frame["a"].dtype) == "Int64"
    assert of(frame).to("rows") == [{"a": 2**53 + 1}, {"a": None}]


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint16(), pa.uint64(), pa.bool_()])
def test_nullable_columns_keep_their_width_in_pandas(kind: pa.DataType) -> None:
    table = pa.table({"a": pa.array([1, None]).cast(kind)})

    assert of(of(table).to("pandas")).arrow().column("a").type == kind


def test_nan_of_pandas_is_null_and_of_rows_a_number() -> None:
    assert of(pd.DataFrame({"a": [1.0, np.nan]})).to("rows") == [{"a": 1.0}, {"a": None}]
    assert of([{"a": float("nan")}]).arrow().column("a").null_count == 0


@pytest.mark.parametrize("kind", ["rows", "arrow", "pandas"])
def test_parts_are_joined_in_order_and_keep_their_form(kind: str) -> None:
    parts = [of(of([{"a": n, "b": "x"}]).to(kind)) for n in (3, 1, 2)]

    joined = TableData.concat(parts)

    assert (joined.kind, [row["a"] for row in joined.to("rows")]) == (kind, [3, 1, 2])


def test_parts_of_different_forms_are_joined_in_arrow() -> None:
    joined = TableData.concat([of([{"a": 1}]), of(pd.DataFrame({"a": [2]})), of(pa.table({"a": [3]}))])

    assert (joined.kind, joined.to("rows")) == ("arrow", [{"a": 1}, {"a": 2}, {"a": 3}])


def test_columns_that_parts_lack_are_null_and_ints_meet_floats() -> None:
    joined = TableData.concat([of(pa.table({"a": [1]})), of(pa.table({"a": [0.5], "b": ["x"]}))])

    assert joined.to("rows") == [{"a": 1.0, "b": None}, {"a": 0.5, "b": "x"}]


def test_a_column_that_is_json_in_one_part_is_json_in_all() -> None:
    mixed, plain = of(of([{"a": 1}, {"a": "x"}]).arrow()), of(of([{"a": "[1]"}]).arrow())

    assert TableData.concat([mixed, plain]).to("rows") == [{"a": 1}, {"a": "x"}, {"a": "[1]"}]
    assert TableData.concat([plain, mixed]).to("rows") == [{"a": "[1]"}, {"a": 1}, {"a": "x"}]


def test_columns_without_a_common_type_are_an_error() -> None:
    with pytest.raises(SchemaError, match="column 'a' is int64 in part 0 and string in part 1"):
        TableData.concat([of(pa.table({"a": [1]})), of(pa.table({"a": ["x"]}))])


def test_nothing_cannot_be_joined() -> None:
    with pytest.raises(RepresentationError, match="nothing to join"):
        TableData.concat([])


def test_the_known_schema_decides_the_arrow_types() -> None:
    schema = Schema.from_fields("S", {"a": int | None, "b": float | None})
    data, _ = conform(of([{"a": None, "b": 1}]), schema, where="asset 'x'")

    assert data.arrow().schema == schema.arrow()


def test_rows_without_columns_are_still_rows() -> None:
    assert of([{}, {}]).arrow().num_rows == 2
    assert of(of([{}, {}]).arrow()).to("rows") == [{}, {}]
    assert of(of([{}, {}]).arrow()).to("pandas").shape == (2, 0)


def test_the_text_of_table_data_shows_no_values() -> None:
    assert repr(of([{"a": "secret"}])) == "TableData(rows, 1 rows)"
