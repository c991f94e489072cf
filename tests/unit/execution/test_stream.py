"""What data() yields, in batches."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pydantic
import pytest

from airflow_provider.errors import AssetError, SchemaError
from airflow_provider.execution import stream as module
from airflow_provider.execution.stream import Stream, counted_from
from airflow_provider.schema import Schema


class Model(pydantic.BaseModel):
    a: int


class Row(Schema):
    a: int


@dataclasses.dataclass
class Point:
    a: int


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 10)
    monkeypatch.setattr(module, "_RUN", 4)


def opened(value: Any) -> Stream:
    stream = Stream.of(value, dataclass_rows=True, where="asset 'a'")
    assert stream is not None
    return stream


def dicts(count: int) -> Iterator[dict[str, Any]]:
    return ({"a": number} for number in range(count))


def values_of(stream: Stream) -> list[list[int]]:
    assert stream.whole() is None
    return [[row["a"] for row in batch.data.to("rows")] for batch in stream.batches()]


@pytest.mark.parametrize("value", [None, [], [{"a": 1}], {"a": 1}, pa.table({"a": [1]}), pd.DataFrame(), "text", 5])
def test_what_is_returned_whole_is_no_stream(value: Any) -> None:
    assert Stream.of(value, dataclass_rows=False, where="a") is None


@pytest.mark.parametrize("count", [0, 1, 9, 10])
def test_what_ends_within_a_batch_is_as_if_it_had_been_returned(count: int) -> None:
    assert opened(dicts(count)).whole() == ([{"a": number} for number in range(count)],)


@pytest.mark.parametrize("count", [11, 20, 35])
def test_more_rows_come_in_batches_with_their_place(count: int) -> None:
    stream = opened(dicts(count))

    assert stream.whole() is None
    batches = list(stream.batches())
    assert [row["a"] for batch in batches for row in batch.data.to("rows")] == list(range(count))
    assert all(batch.data.num_rows <= 12 for batch in batches)
    assert all(batch.data.value[0]["a"] == batch.first_row for batch in batches)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: {"a": n},
        lambda n: Model(a=n),
        lambda n: Row(a=n),
        lambda n: Point(n),
        lambda n: [{"a": n}],
        lambda n: [Model(a=n)],
        lambda n: pa.table({"a": [n]}),
        lambda n: pa.record_batch({"a": [n]}),
        lambda n: pd.DataFrame({"a": [n]}),
        lambda n: pa.table({"a": [n]}).to_reader(),
        lambda n: [{"a": n}, {"a": n}][: 1 + n % 1],
        lambda n: {"a": n} if n % 2 else pa.table({"a": [n]}),
    ],
    ids=[
        "dict",
        "model",
        "schema",
        "dataclass",
        "list",
        "models",
        "table",
        "batch",
        "frame",
        "reader",
        "page",
        "mixed",
    ],
)
def test_every_kind_of_item_is_taken(make: Any) -> None:
    stream = opened(make(number) for number in range(25))

    assert [a for batch in values_of(stream) for a in batch] == list(range(25))


def test_a_reader_is_a_stream_and_a_small_one_a_table() -> None:
    table = pa.table({"a": list(range(25))})

    assert [len(batch) for batch in values_of(opened(table.to_reader(max_chunksize=4)))] == [8, 8, 9]
    assert opened(table.slice(0, 5).to_reader()).whole() == (table.slice(0, 5),)


def test_a_reader_without_rows_keeps_its_columns() -> None:
    empty = pa.schema([("a", pa.int64())]).empty_table()

    assert opened(empty.to_reader()).whole() == (empty,)


def test_a_large_table_is_cut() -> None:
    assert [len(batch) for batch in values_of(opened(iter([pa.table({"a": list(range(25))})])))] == [10, 10, 5]


def test_large_rows_make_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_BYTES", 1000)
    stream = opened({"a": number, "text": "x" * 300} for number in range(12))

    assert [len(batch) for batch in values_of(stream)] == [4, 4, 4]


def test_no_more_is_read_ahead_than_a_run() -> None:
    seen: list[int] = []

    def rows() -> Iterator[Any]:
        for number in range(1000):
            seen.append(number)
            yield {"a": number}

    stream = opened(rows())
    assert stream.whole() is None
    assert len(seen) <= 10 + 4
    next(stream.batches())
    assert len(seen) <= 10 + 2 * 4 + 4


def test_a_table_is_not_held_once_the_next_is_asked_for() -> None:
    import weakref

    held: list[weakref.ref[Any]] = []

    class Frame(pd.DataFrame):
        pass

    def frames() -> Iterator[Any]:
        for number in range(40):
            frame = Frame({"a": [number] * 10})
            held.append(weakref.ref(frame))
            yield frame

    stream = opened(frames())
    assert stream.whole() is None
    most = max(sum(ref() is not None for ref in held) for _ in stream.batches())
    assert most <= 5


@pytest.mark.parametrize("item", [None, 5, "text", [1, 2]])
def test_an_item_that_is_no_row_is_named_by_its_number(item: Any) -> None:
    stream = opened(iter([*dicts(21), item]))

    assert stream.whole() is None
    with pytest.raises(AssetError, match=rf"yielded a {type(item).__name__} as item 21"):
        list(stream.batches())


def test_closing_runs_the_finally_of_the_generator() -> None:
    log: list[str] = []

    def rows() -> Iterator[Any]:
        try:
            yield from dicts(1000)
        finally:
            log.append("closed")

    with opened(rows()) as stream:
        stream.whole()
    assert log == ["closed"]
    stream.close()


def test_rows_of_a_batch_are_counted_from_the_start_of_the_stream() -> None:
    with pytest.raises(SchemaError) as told, counted_from(200):
        raise SchemaError("row 5, column 'a': a null", where="here", fix="mend it")
    assert (told.value.what, told.value.where, told.value.fix) == ("row 205, column 'a': a null", "here", "mend it")

    with pytest.raises(SchemaError, match=r"^here: column 'row 5'"), counted_from(200):
        raise SchemaError("column 'row 5' is odd", where="here", fix="mend it")
    with pytest.raises(KeyError), counted_from(200):
        raise KeyError("row 5")
