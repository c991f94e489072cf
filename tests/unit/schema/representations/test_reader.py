"""Readers as tables: read once, whole or batch by batch."""

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.errors import RepresentationError
from airflow_provider.schema.representations import TableData
from airflow_provider.schema.representations.reader import Batches, as_reader

TABLE = pa.table({"a": [1, 2, 3], "b": ["x", None, "z"]})


class Handing:
    """Hands out a stream of Arrow, as a DuckDB relation or an ADBC cursor does."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return TABLE.__arrow_c_stream__(requested_schema)


def wrapped(value: Any) -> TableData:
    data = TableData.of(value)
    assert data is not None
    return data


@pytest.mark.parametrize("make", [TABLE.to_reader, Handing], ids=["reader", "object"])
def test_a_reader_is_a_table_of_every_form(make: Any) -> None:
    assert wrapped(make()).kind == "reader"
    assert wrapped(make()).columns == ("a", "b")
    assert wrapped(make()).num_rows == 3
    assert wrapped(make()).arrow() == TABLE
    assert wrapped(make()).to("rows") == TABLE.to_pylist()
    assert wrapped(make()).to("pandas")["a"].tolist() == [1, 2, 3]
    assert wrapped(make()).to("reader").read_all() == TABLE


def test_it_can_be_asked_again_once_it_was_read_whole() -> None:
    data = wrapped(TABLE.to_reader())

    assert (data.num_rows, data.num_rows) == (3, 3)
    assert data.to("reader").read_all() == data.to("reader").read_all() == TABLE
    assert data.slice(1, 2).arrow().to_pylist() == [{"a": 2, "b": None}]


def test_a_reader_that_was_given_away_says_so() -> None:
    data = wrapped(TABLE.to_reader())
    data.to("reader")

    with pytest.raises(RepresentationError, match="can be read once"):
        data.to("reader")
    with pytest.raises(RepresentationError, match="can be read once"):
        data.arrow()


def test_the_columns_are_known_without_reading() -> None:
    def batches() -> Any:
        raise AssertionError("was read")
        yield

    assert wrapped(pa.RecordBatchReader.from_batches(TABLE.schema, batches())).columns == ("a", "b")


def test_tables_and_single_columns_are_no_readers() -> None:
    frame = pd.DataFrame({"a": [1]})
    for value in (TABLE, frame, frame["a"], TABLE.column("a"), [{"a": 1}], 5, Handing):
        assert as_reader(value) is None
    assert wrapped(TABLE).kind == "arrow"
    assert wrapped(frame).kind == "pandas"


def test_any_other_form_gives_a_reader() -> None:
    assert wrapped([{"a": 1}]).to("reader").read_all().to_pylist() == [{"a": 1}]


def test_batches_that_can_be_opened_anew_are_read_any_number_of_times() -> None:
    batches = Batches(TABLE.schema, TABLE.to_reader, 3)

    assert len(batches) == 3
    assert [batches.reader().read_all() for _ in range(2)] == [TABLE, TABLE]


def test_a_duckdb_relation_is_a_reader() -> None:
    duckdb = pytest.importorskip("duckdb")

    assert wrapped(duckdb.sql("select 7 as a")).to("rows") == [{"a": 7}]


def test_the_parts_of_a_window_can_be_cut_from_a_reader() -> None:
    import numpy as np

    parts = wrapped(TABLE.to_reader()).group(np.array([1, 0, 1], dtype=np.int16), 2)

    assert [part.arrow().column("a").to_pylist() for part in parts] == [[2], [1, 3]]
