"""The upstream that a parameter receives: its data in any form."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.errors import RepresentationError


@asset
def users() -> list[dict[str, Any]]:
    return []


ROWS = [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize("data", [ROWS, pa.table({"n": [1, 2]}), pd.DataFrame({"n": [1, 2]}), pl.DataFrame(ROWS)])
def test_the_data_in_any_form(data: Any) -> None:
    upstream = Upstream(users(), data)

    assert upstream.rows == ROWS
    assert upstream.arrow().to_pylist() == ROWS
    assert upstream.pandas().to_dict("records") == ROWS
    assert upstream.batches().read_all().to_pylist() == ROWS
    assert upstream.batches().read_all().to_pylist() == ROWS
    assert upstream.polars().to_dicts() == ROWS


def test_nothing_is_an_empty_table() -> None:
    upstream = Upstream(users(), missing=("2026-03-01",))

    assert (upstream.data, upstream.rows, upstream.missing) == (None, [], ("2026-03-01",))
    assert upstream.arrow().num_rows == 0
    assert upstream.pandas().empty
    assert upstream.batches().read_all().num_rows == 0
    assert upstream.polars().is_empty()


def test_what_is_no_table_is_had_as_data() -> None:
    upstream = Upstream(users(), {1, 2})

    assert upstream.data == {1, 2}
    with pytest.raises(RepresentationError, match="asset 'users': its data is a set, not a table"):
        _ = upstream.rows


class Counted:
    """Reads when it is asked to, and counts."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def whole(self) -> Any:
        self.log.append("whole")
        return ROWS

    def batches(self) -> pa.RecordBatchReader:
        self.log.append("batches")
        return pa.Table.from_pylist(ROWS).to_reader()


def test_data_that_is_read_when_it_is_asked_for_is_read_once() -> None:
    reads = Counted()
    upstream = Upstream(users(), reads=reads)
    assert "users" in repr(upstream)
    assert reads.log == []

    assert upstream.batches().read_all().to_pylist() == ROWS
    assert (upstream.rows, upstream.data) == (ROWS, ROWS)
    assert upstream.batches().read_all().to_pylist() == ROWS
    assert reads.log == ["batches", "whole"]


def test_an_upstream_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Upstream(users()).data = []  # type: ignore[misc]
