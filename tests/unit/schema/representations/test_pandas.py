"""pandas: dtypes that change no value, and nulls of every spelling."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.errors import SchemaError
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
