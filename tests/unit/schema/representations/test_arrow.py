"""Arrow: views where possible, one copy where not."""

import numpy as np
import pyarrow as pa
import pytest

from airflow_provider.schema.representations import arrow
from airflow_provider.schema.representations.arrow import ArrowRepresentation

ARROW = ArrowRepresentation()


@pytest.mark.parametrize("batch_rows", [3, 1 << 19])
def test_grouping_in_batches_is_grouping(batch_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "_BATCH_ROWS", batch_rows)
    monkeypatch.setattr(arrow, "_ROWS_PER_GROUP", 1)
    codes = np.array([2, 0, 1, 2, 0, 0, 1, 2, 2, 0], dtype=np.int16)
    table = pa.table({"n": range(10), "s": [str(n) for n in range(10)]})

    groups = ARROW.group(table, codes, 4)

    assert [group.column("n").to_pylist() for group in groups] == [[1, 4, 5, 9], [2, 6], [0, 3, 7, 8], []]
    assert {group.schema for group in groups} == {table.schema}


def test_a_batch_is_the_table_of_itself() -> None:
    batch = pa.record_batch({"a": [1, 2]})

    assert ARROW.num_rows(batch) == 2
    assert ARROW.to_arrow(batch, None, where="x").to_pydict() == {"a": [1, 2]}
    assert ARROW.slice(batch, 1, 2).to_pydict() == {"a": [2]}
    assert ARROW.concat([batch, batch]).num_rows == 4


def test_renaming_keeps_marks() -> None:
    table = pa.table({"a": ["{}"]}, schema=pa.schema([pa.field("a", pa.string(), metadata={"k": "v"})]))

    assert ARROW.rename(table, ["b"]).schema.field("b").metadata == {b"k": b"v"}
