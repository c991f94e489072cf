"""Arrow: views where possible, one copy where not."""

import pyarrow as pa

from airflow_provider.schema.representations.arrow import ArrowRepresentation

ARROW = ArrowRepresentation()


def test_a_batch_is_the_table_of_itself() -> None:
    batch = pa.record_batch({"a": [1, 2]})

    assert ARROW.num_rows(batch) == 2
    assert ARROW.to_arrow(batch, None, where="x").to_pydict() == {"a": [1, 2]}
    assert ARROW.slice(batch, 1, 2).to_pydict() == {"a": [2]}
    assert ARROW.concat([batch, batch]).num_rows == 4


def test_renaming_keeps_marks() -> None:
    table = pa.table({"a": ["{}"]}, schema=pa.schema([pa.field("a", pa.string(), metadata={"k": "v"})]))

    assert ARROW.rename(table, ["b"]).schema.field("b").metadata == {b"k": b"v"}
