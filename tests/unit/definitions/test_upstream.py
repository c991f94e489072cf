"""The upstream that a parameter receives: its data in any form."""

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.errors import RepresentationError


@asset
def users() -> list[dict[str, Any]]:
    return []


ROWS = [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize("data", [ROWS, pa.table({"n": [1, 2]}), pd.DataFrame({"n": [1, 2]})])
def test_the_data_in_any_form(data: Any) -> None:
    upstream = Upstream(users(), data)

    assert upstream.rows == ROWS
    assert upstream.arrow().to_pylist() == ROWS
    assert upstream.pandas().to_dict("records") == ROWS


def test_nothing_is_an_empty_table() -> None:
    upstream = Upstream(users(), missing=("2026-03-01",))

    assert (upstream.data, upstream.rows, upstream.missing) == (None, [], ("2026-03-01",))
    assert upstream.arrow().num_rows == 0
    assert upstream.pandas().empty


def test_what_is_no_table_is_had_as_data() -> None:
    upstream = Upstream(users(), {1, 2})

    assert upstream.data == {1, 2}
    with pytest.raises(RepresentationError, match="asset 'users': its data is a set, not a table"):
        _ = upstream.rows
