"""What an asset returned: which shapes mean rows."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pydantic
import pytest

from airflow_provider.errors import AssetError
from airflow_provider.schema import Schema, unwrap


class Model(pydantic.BaseModel):
    a: int


class Row(Schema):
    a: int


@dataclasses.dataclass
class Point:
    a: int


def generator() -> Iterator[Any]:
    yield {"a": 1}
    yield Model(a=2)
    yield Row(a=3)


ONE_TO_THREE = [{"a": 1}, {"a": 2}, {"a": 3}]


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        (None, []),
        ({"a": 1}, [{"a": 1}]),
        ({}, [{}]),
        (Model(a=1), [{"a": 1}]),
        (Row(a=1), [{"a": 1}]),
        ([], []),
        ((), []),
        ([Model(a=1), {"a": 2}, Row(a=3)], ONE_TO_THREE),
        ([{"a": 1}, Model(a=2), {"a": 3}], ONE_TO_THREE),
        (({"a": 1}, {"a": 2}, {"a": 3}), ONE_TO_THREE),
        (generator(), ONE_TO_THREE),
        (iter(ONE_TO_THREE), ONE_TO_THREE),
        (map(dict, ONE_TO_THREE), ONE_TO_THREE),
        (iter([]), []),
    ],
    ids=lambda value: type(value).__name__,
)
def test_these_mean_rows(value: Any, rows: list[dict[str, Any]]) -> None:
    """A015, A018, A019, A020, A021."""
    assert unwrap(value) == rows


@pytest.mark.parametrize(
    "value",
    ["text", b"x", 5, 0.5, [1, 2], (1, 2), {1, 2}, ["a"], [None], object(), Row, Model],
    ids=lambda value: str(value)[:20],
)
def test_these_pass_untouched(value: Any) -> None:
    """A014."""
    assert unwrap(value) is value


def test_a_list_of_dicts_is_the_same_list() -> None:
    assert unwrap(ONE_TO_THREE) is ONE_TO_THREE


def test_an_iterator_of_other_things_is_a_list() -> None:
    assert unwrap(iter([1, 2])) == [1, 2]


def test_tables_and_frames_pass_and_readers_are_read() -> None:
    table = pa.table({"a": [1, 2]})
    frame = table.to_pandas()

    assert unwrap(table) is table
    assert unwrap(frame) is frame
    assert unwrap(table.to_reader()) == table


def test_a_generator_of_tables_or_frames_is_one_table() -> None:
    table = pa.table({"a": [1]})

    assert unwrap(iter([table, table])).to_pydict() == {"a": [1, 1]}
    assert unwrap(iter(table.to_batches())).to_pydict() == {"a": [1]}
    assert unwrap(iter([table.to_pandas()] * 2)).equals(pd.DataFrame({"a": [1, 1]}))


def test_an_error_in_a_generator_comes_through() -> None:
    def broken() -> Iterator[Any]:
        yield {"a": 1}
        raise KeyError("source")

    with pytest.raises(KeyError, match="source"):
        unwrap(broken())


def test_models_with_awkward_columns_are_dumped_whole() -> None:
    awkward = Schema.from_fields("S", {"as_row": int, "model_dump": int, "keys": int})

    assert unwrap(awkward(as_row=1, model_dump=2, keys=3)) == [{"as_row": 1, "model_dump": 2, "keys": 3}]


def test_instances_of_dataclasses_are_rows_where_that_is_said() -> None:
    one = Point(1)

    assert unwrap([one]) == [one]
    for value in (one, [one], (one,), iter([one])):
        assert unwrap(value, dataclass_rows=True) == [{"a": 1}]
    assert unwrap([1, 2], dataclass_rows=True) == [1, 2]


@pytest.mark.parametrize("kind", [list, tuple, iter])
@pytest.mark.parametrize("odd", [None, 2, "text"])
@pytest.mark.parametrize("good", [{"a": 1}, Model(a=1), pa.table({"a": [1]}), pd.DataFrame({"a": [1]})], ids=type)
def test_one_odd_item_among_rows_or_tables_is_named(kind: Any, odd: Any, good: Any) -> None:
    verb = "yielded" if kind is iter else "returned"
    with pytest.raises(AssetError, match=f"{verb} a {type(odd).__name__} as item 2, which is neither a row nor a tab"):
        unwrap(kind([good, good, odd]))
    with pytest.raises(AssetError, match="as item 0"):
        unwrap(kind([odd, good]))


def test_rows_and_tables_of_every_form_are_one_table() -> None:
    table = pa.table({"a": [1]})
    items = [{"a": 1}, table, Model(a=1), [{"a": 1}], table.to_batches()[0], table.to_pandas(), table.to_reader()]

    assert unwrap(iter(items)).to_pydict() == {"a": [1] * 7}
    assert unwrap([{"a": 1}, table]).to_pydict() == {"a": [1, 1]}
