"""Where the rows of columns lie: lists by their text, and several columns together; the laws hold it to an oracle."""

import datetime as dt
import enum
import uuid
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning import (
    ListPartitionConfig,
    MultiPartitionConfig,
    PartitionConfig,
    TimePartitionConfig,
)
from airflow_provider.schema import TableData, split
from airflow_provider.schema.representations.place import places_of
from airflow_provider.schema.representations.place_column import code_type, place_columns

WHERE = "asset 'shop.orders'"
ID = uuid.UUID(int=7)
LIST = ListPartitionConfig(["eu", "us", "1", "2026-01-02", str(ID)], column="c")
BOTH = MultiPartitionConfig(TimePartitionConfig(column="day"), ListPartitionConfig(["eu", "us"], column="c"))


class Region(enum.Enum):
    EU = "eu"


class Text(str, enum.Enum):
    US = "us"


def cut(value: Any, config: PartitionConfig = LIST) -> dict[str, int]:
    """Rows by key; ``-`` is outside."""
    data = TableData.of(value)
    assert data is not None
    window = config.whole or config.parse("2026-01-01..2026-01-02")[0]
    found = split(data, config, window, where=WHERE)
    counts = {key: part.num_rows for key, part in zip(window.keys, found.slices, strict=True) if part.num_rows}
    return counts | ({"-": found.stray_count} if found.stray_count else {})


@pytest.mark.parametrize(
    ("values", "key"),
    [
        (["eu"], "eu"),
        ([Region.EU], "eu"),
        ([Text.US], "us"),
        ([1], "1"),
        ([dt.date(2026, 1, 2)], "2026-01-02"),
        ([ID], str(ID)),
        ([" eu"], "-"),
        (["EU"], "-"),
        ([2], "-"),
        ([None], "-"),
    ],
)
def test_a_value_lies_where_its_text_says(values: list[Any], key: str) -> None:
    assert cut([{"c": value} for value in values]) == {key: 1}
    assert cut(pd.DataFrame({"c": pd.Series(values, dtype=object)})) == {key: 1}


@pytest.mark.parametrize(
    ("column", "key"),
    [
        (pa.array(["eu"]), "eu"),
        (pa.array(["eu"], pa.large_string()), "eu"),
        (pa.array(["eu", "eu"]).dictionary_encode()[:1], "eu"),
        (pa.array([1], pa.uint8()), "1"),
        (pa.array([1], pa.int64()), "1"),
        (pa.array([dt.date(2026, 1, 2)], pa.date32()), "2026-01-02"),
        (pa.array([dt.date(2026, 1, 2)], pa.date64()), "2026-01-02"),
        (pa.array([None], pa.string()), "-"),
        (pa.nulls(1), "-"),
    ],
)
def test_arrow_columns_are_compared_by_their_text(column: pa.Array, key: str) -> None:
    assert cut(pa.table({"c": column})) == {key: 1}


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.0]),
        pa.array([True]),
        pa.array([b"eu"]),
        pa.array([dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)]),
        pa.array([["eu"]]),
        pa.array([{"a": 1}]),
    ],
    ids=lambda column: str(column.type),
)
def test_a_type_with_several_texts_is_refused(column: pa.Array) -> None:
    with pytest.raises(PartitionError, match=r"row 0 has c=.*is no text") as caught:
        cut(pa.table({"c": column}))

    assert caught.value.fix == "give the column as text"


@pytest.mark.parametrize("value", [1.0, True, b"eu", dt.datetime(2026, 1, 1), ["eu"], {"a": 1}, object()])
def test_an_object_with_several_texts_is_refused(value: Any) -> None:
    with pytest.raises(PartitionError, match="row 1 has c="):
        cut([{"c": None}, {"c": value}])
    with pytest.raises(PartitionError, match="row 1 has c="):
        cut(pd.DataFrame({"c": pd.Series([None, value], dtype=object)}))


def test_values_of_two_types_that_became_json_are_refused() -> None:
    mixed = TableData.of([{"c": 1}, {"c": "1"}])
    assert mixed is not None

    with pytest.raises(PartitionError, match="holds values of several types"):
        cut(mixed.arrow())


def test_uuids_that_travel_as_text_are_told_from_json() -> None:
    data = TableData.of([{"c": ID}])
    assert data is not None

    assert cut(data.arrow()) == {str(ID): 1}


@pytest.mark.parametrize("form", ["rows", "arrow", "pandas"])
def test_a_row_lies_in_the_combination_of_its_columns(form: str) -> None:
    day = dt.date(2026, 1, 1)
    rows = [
        {"day": day, "c": "us"}, {"day": day, "c": "eu"}, {"day": day, "c": "us"},
        {"day": dt.date(2026, 1, 2), "c": "eu"}, {"day": dt.date(2026, 1, 9), "c": "eu"},
        {"day": day, "c": "mars"}, {"day": None, "c": "eu"}, {"day": day, "c": None},
    ]  # fmt: skip
    data = TableData.of(rows)
    assert data is not None

    found = split(TableData.of(data.to(form)) or data, BOTH, BOTH.parse("2026-01-01..2026-01-02")[0], where=WHERE)

    assert [part.num_rows for part in found.slices] == [1, 2, 1, 0]
    assert (found.stray_count, found.nulls, found.first_stray) == (4, 2, (4, "2026-01-09|eu"))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"day": dt.date(2026, 1, 1)}], "has no partition column 'c', only 'day'"),
        ([{"c": "eu"}], "has no partition column 'day', only 'c'"),
        ([{"day": dt.date(2026, 1, 1), "c": 1.5}], "row 0 has c='1.5': a value of type float"),
        ([{"day": "soon", "c": "eu"}], "row 0 has day='soon': the text is neither a key"),
    ],
)
def test_the_column_at_fault_is_named(rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(PartitionError, match=message):
        cut(rows, BOTH)
    with pytest.raises(PartitionError, match=message.replace("float", "(float|double)")):
        cut(pa.Table.from_pylist(rows), BOTH)


def test_rows_in_order_of_time_are_cut_and_others_get_codes() -> None:
    config = TimePartitionConfig(column="day")
    window = config.window("2026-01-01", "2026-01-03")
    days = [dt.date(2026, 1, day) for day in (1, 1, 3)]

    def placed(values: list[dt.date]) -> Any:
        data = TableData.of(pa.table({"day": values}))
        assert data is not None
        return place_columns(data, ("day",), places_of(window), WHERE)

    assert placed(days).cuts.tolist() == [0, 2, 2, 3]
    assert placed(days[::-1]).codes.tolist() == [2, 0, 0]


def test_more_partitions_than_a_short_number_holds_are_told_apart() -> None:
    names = [f"v{n}" for n in range(300)]
    config = MultiPartitionConfig(ListPartitionConfig(names, column="a"), ListPartitionConfig(names, column="b"))
    data = TableData.of(pa.table({"a": ["v299", "v0"], "b": ["v299", "v1"]}))
    assert data is not None

    codes = place_columns(data, config.columns, places_of(config.parse("*|*")[0]), WHERE).codes

    assert codes is not None
    assert codes.tolist() == [89_999, 1]
    assert code_type(90_000).__name__ == "int32"
