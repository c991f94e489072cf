"""Splitting: where each kind of value lies, what is refused, and that every form agrees."""

import datetime as dt
import time
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.errors import PartitionError, SchemaError
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow
from airflow_provider.schema import Split, TableData, split

WHERE = "asset 'shop.orders'"
UTC = dt.timezone.utc
FORMS = ("rows", "arrow", "pandas", "objects")
JANUARY = TimePartitionWindow(dt.date(2026, 1, 1), dt.date(2026, 1, 3), timezone="UTC")


def table(values: list[Any], form: str = "rows") -> TableData:
    """Rows of a partition column and their row number; ``objects`` is a frame of Python objects."""
    rows = [{"day": value, "n": n} for n, value in enumerate(values)]
    value = pd.DataFrame(rows, dtype=object) if form == "objects" else TableData.of(rows).to(form)
    data = TableData.of(value)
    assert data is not None
    return data


def by(column: str, window: TimePartitionWindow) -> TimePartitionConfig:
    """A partitioning that the window is one of."""
    return TimePartitionConfig(column=column, granularity=window.granularity, timezone=window.timezone or "UTC")


def numbers(found: Split) -> list[list[int]]:
    """The row numbers in each slice, and in what is outside."""
    return [[row["n"] for row in part.to("rows")] for part in [*found.slices, found.outside]]


def cut(values: list[Any], window: TimePartitionWindow = JANUARY, form: str = "rows") -> list[list[int]]:
    return numbers(split(table(values, form), by("day", window), window, where=WHERE))


def day(number: int, month: int = 1) -> dt.date:
    return dt.date(2026, month, number)


def at(text: str, zone: str = "UTC") -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize("form", FORMS)
def test_each_row_goes_to_its_date_in_input_order(form: str) -> None:
    assert cut([day(2), day(1), day(2), day(3), day(1)], form=form) == [[1, 4], [0, 2], [3], []]


@pytest.mark.parametrize("form", FORMS)
def test_sorted_input_is_cut_at_the_edges(form: str) -> None:
    values = [dt.date(2025, 12, 31), day(1), day(1), day(3), day(4), day(5)]

    found = split(table(values, form), by("day", JANUARY), JANUARY, where=WHERE)

    assert numbers(found) == [[1, 2], [], [3], [0, 4, 5]]
    assert (found.first_stray, found.stray_count, found.nulls) == ((0, "2025-12-31"), 3, 0)


@pytest.mark.parametrize("form", FORMS)
def test_strays_and_nulls_are_kept_apart_and_counted(form: str) -> None:
    found = split(table([None, day(1), day(9), None, day(8)], form), by("day", JANUARY), JANUARY, where=WHERE)

    assert numbers(found) == [[1], [], [], [0, 2, 3, 4]]
    assert (found.nulls, found.first_stray, found.stray_count) == (2, (2, "2026-01-09"), 4)


@pytest.mark.parametrize("form", FORMS)
def test_only_nulls_is_no_stray(form: str) -> None:
    found = split(table([None, None], form), by("day", JANUARY), JANUARY, where=WHERE)

    assert (found.nulls, found.first_stray, numbers(found)) == (2, None, [[], [], [], [0, 1]])


@pytest.mark.parametrize("form", FORMS)
def test_the_form_is_kept_and_a_partition_without_rows_is_empty(form: str) -> None:
    found = split(table([day(2)], form), by("day", JANUARY), JANUARY, where=WHERE)

    assert {part.kind for part in [*found.slices, found.outside]} == {form.replace("objects", "pandas")}
    assert [part.num_rows for part in found.slices] == [0, 1, 0]
    assert all(part.columns == ("day", "n") for part in found.slices if part.kind != "rows")


@pytest.mark.parametrize("form", FORMS)
def test_instants_go_by_the_zone_of_the_window(form: str) -> None:
    window = TimePartitionWindow(dt.date(2026, 3, 28), dt.date(2026, 3, 30), timezone="Europe/Berlin")
    values = [
        at("2026-03-28T22:59:59"),  # 23:59:59 in Berlin
        at("2026-03-28T23:00:00"),  # midnight in Berlin
        at("2026-03-29T21:59:59"),  # a day of 23 hours
        at("2026-03-29T22:00:00"),
        at("2026-03-27T23:00:00"),
        at("2026-03-30T22:00:00"),
    ]

    assert cut(values, window, form) == [[0, 4], [1, 2], [3], [5]]


@pytest.mark.parametrize("form", FORMS)
def test_the_repeated_hour_of_autumn_is_two_partitions(form: str) -> None:
    window = TimePartitionWindow(
        at("2026-10-25T00:00"), at("2026-10-25T02:00"), granularity="hour", timezone="Europe/Berlin"
    )
    values = [at("2026-10-25T00:30"), at("2026-10-25T01:30"), at("2026-10-25T02:30"), at("2026-10-25T03:30")]

    assert window.keys == ("2026-10-25T02+02:00", "2026-10-25T02+01:00", "2026-10-25T03")
    assert cut(values, window, form) == [[0], [1], [2], [3]]
    assert cut([*window.keys, "2026-10-25T04"], window, form) == [[0], [1], [2], [3]]


@pytest.mark.parametrize("form", FORMS)
def test_a_date_the_zone_skipped_lies_in_no_partition(form: str) -> None:
    window = TimePartitionWindow(dt.date(2011, 12, 29), dt.date(2011, 12, 31), timezone="Pacific/Apia")
    values = [dt.date(2011, 12, 29), dt.date(2011, 12, 30), dt.date(2011, 12, 31)]

    assert cut(values, window, form) == [[0], [2], [1]]
    assert cut([value.isoformat() for value in values], window, form) == [[0], [2], [1]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("grain", "values", "expected"),
    [
        ("week", [day(5), day(11), day(12), day(18), day(19), day(4)], [[0, 1], [2, 3], [4, 5]]),
        ("month", [day(5), day(28, 2), day(1, 3), dt.date(2025, 12, 31)], [[0], [1], [2, 3]]),
        ("quarter", [day(5), day(30, 6), day(1, 7)], [[0], [1], [2]]),
        ("year", [day(5), dt.date(2027, 12, 31), dt.date(2028, 1, 1)], [[0], [1], [2]]),
    ],
)
def test_a_date_lies_in_the_partition_that_holds_it(grain: str, values: Any, expected: Any, form: str) -> None:
    first = TimePartitionWindow(day(5), granularity=grain, timezone="UTC").first
    window = TimePartitionWindow(first, first.next())

    assert cut(values, window, form) == expected


@pytest.mark.parametrize("form", FORMS)
def test_text_is_a_key_or_an_iso_time(form: str) -> None:
    values = ["2026-01-02", "2026-01-01T23:59:59Z", "2026-01-02T01:00:00+02:00", "2026-01-04", "2026-01-03", None]

    assert cut(values, form=form) == [[1, 2], [0], [4], [3, 5]]


@pytest.mark.parametrize("form", FORMS)
def test_text_keys_of_coarse_grains_and_dates_inside_them(form: str) -> None:
    window = TimePartitionWindow("2026-01", "2026-02", granularity="month", timezone="UTC")

    assert cut(["2026-02", "2026-01-31", "2026-03", "2026-01"], window, form) == [[1, 3], [0], [2]]


@pytest.mark.parametrize("form", FORMS)
def test_ints_are_years_where_partitions_are(form: str) -> None:
    window = TimePartitionWindow("2025", "2026", granularity="year", timezone="UTC")

    assert cut([2026, 2025, 2024, 2026, 2027], window, form) == [[1], [0, 3], [2, 4]]
    assert cut([2026, None, 2025], window, form) == [[2], [0], [1]]


@pytest.mark.parametrize("form", FORMS)
def test_ints_name_nothing_else(form: str) -> None:
    with pytest.raises(PartitionError, match=r"row 0 has day='?20260101'?.*a number names no day"):
        cut([20260101], form=form)


@pytest.mark.parametrize("form", FORMS)
def test_naive_datetimes_are_refused_with_the_fix(form: str) -> None:
    with pytest.raises(
        PartitionError, match=r"(?s)asset 'shop.orders': row 0 has day='2026-01-01T05:00:00'.*tz_localize"
    ):
        cut([dt.datetime(2026, 1, 1, 5)], form=form)


@pytest.mark.parametrize("form", FORMS)
def test_naive_text_is_refused_too(form: str) -> None:
    with pytest.raises(PartitionError, match=r"row 1 .*naive"):
        cut(["2026-01-01", "2026-01-01T05:00:00"], form=form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", ["", "foo", "2026-1-2", "2026-02-30", "../etc", "2026-01-01 ", "x" * 300])
def test_other_text_is_refused_with_row_and_value(text: str, form: str) -> None:
    with pytest.raises(PartitionError, match=r"row 2 has day=.*neither a key nor an ISO date") as caught:
        cut(["2026-01-01", None, text, "bar"], form=form)

    assert "x" * 100 not in str(caught.value)


@pytest.mark.parametrize("form", FORMS)
def test_dates_are_refused_where_partitions_are_hours(form: str) -> None:
    window = TimePartitionWindow("2026-01-01T00", "2026-01-01T05", granularity="hour", timezone="UTC")

    with pytest.raises(SchemaError, match=r"row 1 .*a date names no hour"):
        cut([None, day(1)], window, form)


@pytest.mark.parametrize("form", ["rows", "objects"])
@pytest.mark.parametrize("value", [True, 1.5, b"x", ["2026-01-01"], {"a": 1}, dt.time(1), object()])
def test_values_of_other_types_are_refused(value: Any, form: str) -> None:
    with pytest.raises(PartitionError, match=r"row 1 has day="):
        cut([day(1), value], form=form)


@pytest.mark.parametrize("values", [[True], [b"x"], [dt.time(1)], [[day(1)]]])
def test_arrow_columns_of_other_types_are_refused(values: list[Any]) -> None:
    with pytest.raises(PartitionError, match="names no partition"):
        cut(values, form="arrow")


@pytest.mark.parametrize("form", ["rows", "arrow", "pandas"])
def test_a_missing_column_is_an_error_that_names_those_there(form: str) -> None:
    with pytest.raises(PartitionError, match=r"no partition column 'date', only 'day', 'n'"):
        split(table([day(1)], form), by("date", JANUARY), JANUARY, where=WHERE)


def test_a_row_without_the_column_has_no_partition_value() -> None:
    found = split(TableData.of([{"day": day(1)}, {"other": 1}]), by("day", JANUARY), JANUARY, where=WHERE)

    assert (found.nulls, found.outside.value) == (1, [{"other": 1}])


@pytest.mark.parametrize("value", [[], pa.table({}), pd.DataFrame()], ids=["rows", "arrow", "pandas"])
def test_no_rows_are_no_rows_in_every_partition(value: Any) -> None:
    found = split(TableData.of(value), by("day", JANUARY), JANUARY, where=WHERE)

    assert [part.num_rows for part in found.slices] == [0, 0, 0]
    assert (found.stray_count, found.nulls, found.first_stray) == (0, 0, None)


@pytest.mark.parametrize(
    "kind",
    [
        pa.timestamp("s", "UTC"),
        pa.timestamp("ms", "UTC"),
        pa.timestamp("us", "Asia/Tokyo"),
        pa.timestamp("ns", "UTC"),
        pa.date64(),
        pa.date32(),
    ],
    ids=str,
)
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_every_arrow_type_of_time_is_understood(kind: pa.DataType, order: list[int]) -> None:
    days = [day(1), day(2), day(3), day(4)]
    values = days if pa.types.is_date(kind) else [dt.datetime(d.year, d.month, d.day, tzinfo=UTC) for d in days]
    column = pa.array([values[i] for i in order], kind)

    found = split(TableData.of(pa.table({"day": column, "n": order})), by("day", JANUARY), JANUARY, where=WHERE)

    assert numbers(found) == [[0], [1], [2], [3]]


def test_a_coarse_unit_is_compared_with_edges_between_its_ticks() -> None:
    window = TimePartitionWindow(dt.date(1880, 1, 1), dt.date(1880, 1, 1), timezone="Europe/Amsterdam")
    edge = window.start
    column = pa.array([edge - dt.timedelta(seconds=1), edge, edge + dt.timedelta(seconds=1)], pa.timestamp("s", "UTC"))

    found = split(TableData.of(pa.table({"day": column, "n": [0, 1, 2]})), by("day", window), window, where=WHERE)

    assert numbers(found) == [[1, 2], [0]]


@pytest.mark.parametrize("values", [[-(2**63), 2**63 - 1, 0], [2**63 - 1, 0, -(2**63) + 1]])
def test_times_at_the_ends_of_the_type_do_not_overflow(values: list[int]) -> None:
    for unit in ("us", "ns"):
        column = pa.array(values, pa.int64()).cast(pa.timestamp(unit, "UTC"))
        window = TimePartitionWindow(dt.date(1970, 1, 1), timezone="UTC")

        found = split(TableData.of(pa.table({"n": values, "day": column})), by("day", window), window, where=WHERE)

        assert found.slices[0].value.column("n").to_pylist() == [0]
        assert found.stray_count == 2
        assert found.first_stray is not None


def test_a_window_past_the_range_of_nanoseconds_holds_none_of_them() -> None:
    window = TimePartitionWindow("3000", "3001", granularity="year", timezone="UTC")
    column = pa.array([0, 2**63 - 1], pa.int64()).cast(pa.timestamp("ns", "UTC"))

    found = split(TableData.of(pa.table({"day": column, "n": [0, 1]})), by("day", window), window, where=WHERE)

    assert [part.num_rows for part in found.slices] == [0, 0]


def test_the_last_partition_there_is_can_be_split() -> None:
    window = TimePartitionWindow("9998", granularity="year", timezone="UTC")
    values = [dt.date(9998, 12, 31), dt.date(9999, 1, 1), dt.date.max, dt.date.min]

    assert cut(values, window, "arrow") == [[0], [1, 2, 3]]
    assert cut(values, window) == [[0], [1, 2, 3]]


@pytest.mark.parametrize("values", [["2026-01-02", "2026-01-01", None], [day(2), day(1), None]])
def test_dictionary_columns_are_split_by_their_values(values: list[Any]) -> None:
    column = pa.chunked_array([pa.array(values).dictionary_encode(), pa.array(values[::-1]).dictionary_encode()])

    found = split(TableData.of(pa.table({"day": column, "n": range(6)})), by("day", JANUARY), JANUARY, where=WHERE)

    assert numbers(found) == [[1, 4], [0, 5], [], [2, 3]]


def test_a_dictionary_entry_that_no_row_uses_is_not_looked_at() -> None:
    column = pa.array(["bad", "2026-01-01"]).dictionary_encode().slice(1)

    found = split(TableData.of(pa.table({"day": column, "n": [0]})), by("day", JANUARY), JANUARY, where=WHERE)

    assert numbers(found) == [[0], [], [], []]


def test_categories_of_pandas_are_split_by_their_values() -> None:
    for values in (["2026-01-02", "2026-01-01"], [day(2), day(1)]):
        frame = pd.DataFrame({"day": pd.Categorical(values), "n": [0, 1]})
        assert numbers(split(TableData.of(frame), by("day", JANUARY), JANUARY, where=WHERE)) == [[1], [0], [], []]


def test_columns_in_many_chunks_are_split_as_one() -> None:
    column = pa.chunked_array([[day(2)], [], [day(1), day(3)], [day(1)]], pa.date32())

    found = split(TableData.of(pa.table({"day": column, "n": range(4)})), by("day", JANUARY), JANUARY, where=WHERE)

    assert numbers(found) == [[1, 3], [0], [2], []]


def test_a_record_batch_is_split_like_its_table() -> None:
    batch = pa.record_batch({"day": [day(1), day(2)], "n": [0, 1]})

    assert numbers(split(TableData.of(batch), by("day", JANUARY), JANUARY, where=WHERE)) == [[0], [1], [], []]


def test_row_numbers_of_a_frame_are_ignored() -> None:
    frame = pd.DataFrame({"day": [day(2), day(1)], "n": [0, 1]}, index=[5, 5])

    assert numbers(split(TableData.of(frame), by("day", JANUARY), JANUARY, where=WHERE)) == [[1], [0], [], []]


def test_sorted_arrow_slices_share_the_memory_of_their_table() -> None:
    data = table([day(1), day(2), day(2), day(3)], "arrow")

    found = split(data, by("day", JANUARY), JANUARY, where=WHERE)

    address = data.value.column("n").chunk(0).buffers()[1].address
    assert {part.value.column("n").chunk(0).buffers()[1].address for part in found.slices} == {address}


def test_rows_are_the_same_objects() -> None:
    data = table([day(2), day(1)])

    found = split(data, by("day", JANUARY), JANUARY, where=WHERE)

    assert found.slices[0].value[0] is data.value[1]


@pytest.mark.parametrize("count", [300, 40_000])
def test_many_partitions_and_batches_agree_with_a_plain_loop(count: int) -> None:
    rng = np.random.default_rng(3)
    first = dt.date(1900, 1, 1)
    window = TimePartitionWindow(first, first + dt.timedelta(days=count - 1), timezone="UTC")
    offsets = rng.integers(-5, count + 5, 1_300_000 if count == 300 else 100_000).astype(np.int32)
    days = pa.array(offsets + np.int32((first - day(1)).days + (day(1) - dt.date(1970, 1, 1)).days)).cast(pa.date32())
    data = TableData.of(pa.table({"day": days, "n": np.arange(len(offsets))}))

    found = split(data, by("day", window), window, where=WHERE)

    for index in (0, 1, count // 2, count - 1):
        assert found.slices[index].value.column("n").to_pylist() == np.flatnonzero(offsets == index).tolist()
    assert found.outside.value.column("n").to_pylist() == np.flatnonzero((offsets < 0) | (offsets >= count)).tolist()
    assert sum(part.num_rows for part in found.slices) + found.outside.num_rows == len(offsets)


def test_a_split_shows_no_rows() -> None:
    assert "2026" not in repr(split(table([day(1)]), by("day", JANUARY), JANUARY, where=WHERE))


@pytest.mark.parametrize("column", ["schema", "copy", "json", "validate", "_id", "index", "class"])
@pytest.mark.parametrize("form", ["rows", "arrow", "pandas"])
def test_the_partition_column_may_have_any_name(column: str, form: str) -> None:
    data = TableData.of(TableData.of([{column: day(2)}, {column: day(1)}]).to(form))

    found = split(data, by(column, JANUARY), JANUARY, where=WHERE)

    assert [part.to("rows") for part in found.slices] == [[{column: day(1)}], [{column: day(2)}], []]


@pytest.mark.parametrize("kind", ["rows", "arrow", "pandas"])
def test_splitting_costs_no_more_for_many_partitions_than_for_few(kind: str) -> None:
    """One pass: a splitter that looked at all rows once per partition would take a hundred times as long for 300."""
    first = dt.date(2026, 1, 1)
    table = pa.table({"day": [first + dt.timedelta(days=number * 37 % 300) for number in range(60_000)]})
    data = TableData.of(TableData.of(table).to(kind))

    def seconds(window: TimePartitionWindow) -> float:
        def once() -> float:
            started = time.process_time()
            split(data, by("day", window), window, where="asset 'x'")
            return time.process_time() - started

        return min(once() for _ in range(3))

    few = TimePartitionWindow(first, first + dt.timedelta(days=2))
    many = TimePartitionWindow(first, first + dt.timedelta(days=299))

    assert seconds(many) < 10 * seconds(few) + 0.05
