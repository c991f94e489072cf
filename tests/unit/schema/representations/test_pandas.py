"""pandas: dtypes that change no value, and nulls of every spelling."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.errors import SchemaError
from airflow_provider.schema import TableData
from airflow_provider.schema.representations.pandas import PandasRepresentation, arrow_to_series, column_of

PANDAS = PandasRepresentation()


@pytest.mark.parametrize("null", [None, np.nan, pd.NaT, pd.NA], ids=repr)
def test_every_null_of_an_object_column_is_none(null: Any) -> None:
    assert column_of(pd.Series(["a", null], dtype=object)) == ["a", None]


def test_arrays_in_cells_are_lists() -> None:
    assert column_of(pd.Series([np.array([1, 2]), None], dtype=object)) == [[1, 2], None]


def test_lists_with_nulls_stay_lists_of_ints() -> None:
    column = pa.chunked_array([[[1, None], None]], pa.list_(pa.int64()))

    assert arrow_to_series(column, pa.field("c", column.type)).tolist() == [[1, None], None]


@pytest.mark.parametrize(
    ("kind", "dtype"), [(pa.int8(), "Int8"), (pa.int64(), "Int64"), (pa.uint32(), "UInt32"), (pa.bool_(), "boolean")]
)
def test_nulls_do_not_change_the_numbers_beside_them(kind: pa.DataType, dtype: str) -> None:
    column = pa.chunked_array([pa.array([1, None]).cast(kind)])

    assert str(arrow_to_series(column, pa.field("c", kind)).dtype) == dtype


def test_joining_ignores_index_and_empty_frames() -> None:
    frames = [
        pd.DataFrame({"a": [1]}, index=[7]),
        pd.DataFrame({"a": []}, dtype=object),
        pd.DataFrame({"a": [2]}, index=[7]),
    ]

    joined = PANDAS.concat(frames)

    assert joined["a"].tolist() == [1, 2]
    assert (str(joined["a"].dtype), list(joined.index)) == ("int64", [0, 1])
    assert len(PANDAS.concat(frames[1:2])) == 0


def test_a_dtype_arrow_does_not_know_is_named() -> None:
    frame = pd.DataFrame({"c": pd.Series([1 + 2j])})

    with pytest.raises(SchemaError, match=r"asset 'x': column 'c' of dtype complex128 has no Arrow form"):
        PANDAS.to_arrow(frame, None, where="asset 'x'")


def test_dates_of_objects_stay_dates() -> None:
    frame = pd.DataFrame({"d": [dt.date(2026, 1, 1), None]})

    assert PANDAS.to_arrow(frame, None, where="x").schema.field("d").type == pa.date32()


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1, None], dtype="Int64"),
        pd.Series([2**64 - 1, None], dtype="UInt64"),
        pd.Series([1.5, None], dtype="Float32"),
        pd.Series(["a", None], dtype="string"),
        pd.Series(["a", None], dtype="category"),
        pd.Series([1, None], dtype="category"),
        pd.Series([None, True], dtype="boolean"),
        pd.Series([Decimal("1.50"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        pd.Series([[1], None], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
        pd.Series([dt.time(1), None], dtype=pd.ArrowDtype(pa.time64("us"))),
        pd.Series(pd.to_datetime(["2026-01-01", None])).dt.tz_localize("Europe/Berlin"),
        pd.Series(pd.to_datetime(["2026-01-01T00:00:00+05:30"])),
        pd.Series(np.array(["0001-01-01", "9999-12-31"], dtype="datetime64[s]")),
        pd.Series(pd.to_timedelta([1, None], unit="s")),
        pd.Series([1, 0, 2]).astype("Sparse[int64]"),
        pd.Series([dt.date(2026, 1, 1), None], dtype=object),
    ],
    ids=lambda series: str(series.dtype),
)
def test_every_dtype_keeps_its_values_through_arrow(series: Any) -> None:
    frame = pd.DataFrame({"c": series})
    table = PANDAS.to_arrow(frame, None, where="x")

    again = PANDAS.from_arrow(table)["c"]

    assert PANDAS.to_rows(again.to_frame()) == PANDAS.to_rows(frame)
    assert again.isna().tolist() == series.isna().tolist()


@pytest.mark.parametrize(
    "series", [pd.Series(pd.period_range("2026-01", periods=2, freq="M")), pd.Series(pd.interval_range(0, 2))]
)
def test_periods_and_intervals_are_refused_by_name(series: Any) -> None:
    with pytest.raises(SchemaError, match=r"column 'c' of dtype .* has no Arrow form"):
        PANDAS.to_arrow(pd.DataFrame({"c": series}), None, where="asset 'x'")


def test_a_named_index_becomes_columns() -> None:
    sums = pd.DataFrame({"day": ["a", "b", "a"], "kind": [1, 1, 2], "n": [1, 2, 3]}).groupby(["day", "kind"]).sum()

    data = TableData.of(sums)

    assert data is not None
    assert data.columns == ("day", "kind", "n")
    assert data.to("rows")[0] == {"day": "a", "kind": 1, "n": 1}
    assert list(sums.columns) == ["n"]


def test_row_numbers_left_by_a_filter_are_no_data() -> None:
    frame = pd.DataFrame({"n": [1, 2, 3]})
    data = TableData.of(frame[frame["n"] > 1])

    assert data is not None
    assert data.columns == ("n",)
    assert data.arrow().to_pylist() == [{"n": 2}, {"n": 3}]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"n": [1]}, index=pd.to_datetime(["2026-01-01"])), "has no name, and holds datetime64"),
        (pd.DataFrame({"n": [1]}, index=["a"]), "has no name"),
        (pd.DataFrame({"n": [1]}, index=pd.MultiIndex.from_tuples([(1, 2)])), "has no name"),
        (pd.DataFrame({"n": [1]}).set_index("n", drop=False), "has the name of the column 'n' too"),
    ],
)
def test_an_index_that_would_be_lost_is_refused(frame: Any, message: str) -> None:
    data = TableData.of(frame)
    assert data is not None

    with pytest.raises(SchemaError, match=f"asset 'x': the index of the DataFrame {message}"):
        data.checked_columns(where="asset 'x'")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], "the column label 0 is a int, not text"),
        (["a", "a"], "two columns are called 'a'"),
        (pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]), r"the column label \('a', 'x'\) is a tuple"),
        (["a", None], "not text"),
    ],
)
def test_labels_that_are_no_column_names_are_refused(labels: Any, message: str) -> None:
    frame = pd.DataFrame([[1, 2]])
    frame.columns = labels
    data = TableData.of(frame)
    assert data is not None

    with pytest.raises(SchemaError, match=message):
        data.checked_columns(where="x")


def test_frames_of_other_dtypes_are_joined_without_rounding() -> None:
    joined = PANDAS.concat([pd.DataFrame({"a": [2**53 + 1]}), pd.DataFrame({"b": ["x"]})])

    assert PANDAS.to_rows(joined) == [{"a": 2**53 + 1, "b": None}, {"a": None, "b": "x"}]


@pytest.mark.parametrize(("values", "categories"), [(["hi", None, "lo"], ["lo", "mid", "hi"]), ([3, 1], [1, 2, 3])])
def test_ordered_categories_keep_their_order_whatever_a_store_makes_of_the_values(
    values: list[Any], categories: list[Any]
) -> None:
    series = pd.Series(pd.Categorical(values, categories=categories, ordered=True))
    table = PANDAS.to_arrow(pd.DataFrame({"c": series}), None, where="x")
    plain = table.column("c").cast(table.schema.field("c").type.value_type)

    stored = plain.dictionary_encode()  # in the order of the values, as CSV does
    again = arrow_to_series(stored, table.schema.field("c").with_type(stored.type))

    assert again.dtype == series.dtype
    assert again.tolist()[-1] == values[-1]


def test_a_value_that_is_none_of_the_categories_is_kept() -> None:
    field = pa.field("c", pa.string(), metadata={b"airflow_provider.categories": b'["a"]'})

    assert arrow_to_series(pa.chunked_array([["b"]]).dictionary_encode(), field).tolist() == ["b"]
