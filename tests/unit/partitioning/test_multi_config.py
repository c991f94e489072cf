"""Partitions by several dimensions: what fits together, what a person may type, and what a run covers."""

import datetime as dt
import pickle
from typing import Any

import pytest

from airflow_provider.errors import ConfigError, DefinitionError, PartitionError
from airflow_provider.partitioning import (
    ListPartition,
    ListPartitionConfig,
    ListPartitionWindow,
    MultiPartition,
    MultiPartitionConfig,
    MultiPartitionWindow,
    PartitionWindow,
    TimePartition,
    TimePartitionConfig,
    TimePartitionWindow,
)

UTC = dt.timezone.utc
DAY = TimePartitionConfig(column="day", start="2026-01-01", timezone="Europe/Brussels")
REGION = ListPartitionConfig(["eu", "us", "a|b", "c,d"], column="region")
KIND = ListPartitionConfig(["x", "y"], column="kind")
BOTH = MultiPartitionConfig(DAY, REGION)
LISTS = MultiPartitionConfig(REGION, KIND)
THREE = MultiPartitionConfig(KIND, DAY, REGION)


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=UTC)


def texts(windows: tuple[PartitionWindow, ...]) -> list[str]:
    return [str(window) for window in windows]


def test_it_has_a_column_for_each_dimension() -> None:
    assert (BOTH.columns, BOTH.time, BOTH.allow_window, BOTH.incomplete) == (("day", "region"), DAY, False, "skip")
    assert (LISTS.time, THREE.time) == (None, DAY)
    with pytest.raises(AttributeError, match="has several columns: use columns"):
        BOTH.column  # noqa: B018
    assert pickle.loads(pickle.dumps(THREE)) == THREE
    assert BOTH.described == "day in Europe/Brussels times the list 'eu', 'us', 'a|b' and 1 more"


@pytest.mark.parametrize(
    ("dimensions", "error", "message"),
    [
        ([], ConfigError, "has fewer than two dimensions"),
        ([DAY], ConfigError, "has fewer than two dimensions"),
        ([DAY, "region"], DefinitionError, "'region' is no dimension"),
        ([BOTH, KIND], DefinitionError, "is no dimension"),
        ([DAY, TimePartitionConfig(column="hour", granularity="hour")], ConfigError, "'day' and 'hour' are both times"),
        ([REGION, ListPartitionConfig(["z"], column="region")], ConfigError, "two dimensions have one column: region"),
        ([DAY, ListPartitionConfig(["z"], column="_partition")], ConfigError, "has no column of its own"),
        (
            [DAY, ListPartitionConfig(["z"], column="z", allow_window=True)],
            ConfigError,
            "allow_window=True stands at the dimension 'z'",
        ),
        ([DAY, ListPartitionConfig(["z" * 190], column="z")], ConfigError, "is longer than a path takes"),
    ],
)
def test_dimensions_that_do_not_fit_together_are_refused(
    dimensions: list[Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        MultiPartitionConfig(*dimensions)

    assert caught.value.fix  # type: ignore[attr-defined]


def test_a_key_names_one_partition() -> None:
    partition = BOTH.partition(r"2026-01-01|a\|b")

    assert partition.parts == {"day": DAY.partition("2026-01-01"), "region": ListPartition("a|b")}
    assert BOTH.partition(partition) == partition
    assert BOTH.partition({"region": "a|b", "day": dt.date(2026, 1, 1)}) == partition
    assert BOTH.partition(MultiPartition({"day": TimePartition("2026-01-01"), "region": ListPartition("a|b")})) == (
        partition
    ), "a bare day is taken into the zone"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("2026-01-01", "is not one part for each of day, region"),
        ("2026-01-01|eu|x", "is not one part for each"),
        ("eu|2026-01-01", "is not a key of a partition by day"),
        ("2026-01-01|mars", "'mars' is not among the values of 'region'"),
        (5, "5 is not one part for each"),
        ({"day": "2026-01-01"}, "lacks 'region'"),
        ({"day": "2026-01-01", "region": "eu", "x": 1}, "names 'x'"),
        (TimePartition("2026-01-01"), "the partitions are by 2 dimensions: day, region"),
    ],
)
def test_what_names_no_partition_is_refused(key: Any, message: str) -> None:
    with pytest.raises(PartitionError, match=message):
        BOTH.partition(key)


@pytest.mark.parametrize(
    ("typed", "windows"),
    [
        ("2026-01-01|eu", ["2026-01-01|eu"]),
        (" 2026-01-01 | us \n", ["2026-01-01|us"]),
        ("2026-01-01..2026-01-03|eu,c\\,d", ["2026-01-01..2026-01-03|eu,c\\,d"]),
        ("2026-01-01..2026-01-03|eu..us", ["2026-01-01..2026-01-03|eu..us"]),
        ("2026-01-01|*", [r"2026-01-01|eu..c\,d"]),
        ("2026-01-01", [r"2026-01-01|eu..c\,d"]),
        (r"2026-01-01|a\|b", [r"2026-01-01|a\|b"]),
        ("2026-01-01|c,d", ["2026-01-01|c,d"]),
        (dt.date(2026, 1, 5), [r"2026-01-05|eu..c\,d"]),
        (TimePartitionWindow("2026-01-01", "2026-01-02"), [r"2026-01-01..2026-01-02|eu..c\,d"]),
        (TimePartition("2026-01-01"), [r"2026-01-01|eu..c\,d"]),
        ({"day": "2026-01-01", "region": ["eu", "c,d"]}, ["2026-01-01|eu,c\\,d"]),
        ({"day": "2026-01-01..2026-01-02"}, [r"2026-01-01..2026-01-02|eu..c\,d"]),
        ({"day": ["2026-01-01", "2026-01-03"], "region": "us"}, ["2026-01-01|us", "2026-01-03|us"]),
        ({"day": "2026-01-01", "region": ListPartitionWindow(["us"])}, ["2026-01-01|us"]),
        ({"day": "2026-01-01", "region": [None, ""]}, [r"2026-01-01|eu..c\,d"]),
        (["2026-01-02|eu", "2026-01-01|eu", "2026-01-01|us"], ["2026-01-01..2026-01-02|eu", "2026-01-01|us"]),
        (None, []),
        (["", None], []),
    ],
)
def test_a_person_types_parts_times_and_mappings(typed: object, windows: list[str]) -> None:
    found = BOTH.parse(typed)

    assert texts(found) == windows
    assert all(BOTH.parse(str(window)) == (window,) for window in found)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("eu", "'eu' is not a key of a partition by day"),
        ("2026-01-01|", "is not one part for each"),
        ("|eu", "is not one part for each"),
        ("2026-01-01|eu,", "is not one part for each"),
        ("2026-01-01|eu..2026-01-02|us", "is not one part for each"),
        ({"region": "eu"}, "no 'day' is given, and time has no end"),
        ({"day": "2026-01-01", "regio": "eu"}, "names 'regio'"),
        (3, "3 is a int, which names no partition"),
        (ListPartition("eu"), "the partitions are by 2 dimensions"),
    ],
)
def test_what_is_no_window_is_refused(typed: object, message: str) -> None:
    with pytest.raises(PartitionError, match=message):
        BOTH.parse(typed, where="asset 'shop.orders'")


def test_lists_alone_have_no_time_to_say() -> None:
    with pytest.raises(PartitionError, match="is not one part for each of region, kind"):
        LISTS.parse("eu")
    with pytest.raises(PartitionError, match="is not one part for each"):
        LISTS.parse(dt.date(2026, 1, 1))
    assert texts(LISTS.parse("eu..us|*")) == ["eu..us|x..y"]
    assert texts(LISTS.parse({"kind": "y"})) == [r"eu..c\,d|y"]
    assert str(LISTS.whole) == r"eu..c\,d|x..y"
    assert BOTH.whole is None


def test_a_window_goes_part_by_part_from_one_partition_to_another() -> None:
    assert str(BOTH.window("2026-01-01|eu", "2026-01-02|us")) == "2026-01-01..2026-01-02|eu..us"
    assert BOTH.window("2026-01-01|eu").keys == ("2026-01-01|eu",)


def test_a_window_is_adopted_by_the_names_of_its_columns_else_by_place() -> None:
    swapped = MultiPartitionWindow(
        {"region": ListPartitionWindow(["eu"]), "day": TimePartitionWindow("2026-01-01", "2026-01-02")}
    )
    renamed = MultiPartitionWindow({"date": TimePartitionWindow("2026-01-01"), "area": ListPartitionWindow(["eu"])})

    assert BOTH.adopt(swapped).keys == ("2026-01-01|eu", "2026-01-02|eu")
    assert BOTH.adopt(renamed).columns == ("day", "region")
    with pytest.raises(PartitionError, match="are by 2 dimensions"):
        BOTH.adopt(THREE.parse("x|2026-01-01|eu")[0])
    with pytest.raises(PartitionError, match="is not among"):
        BOTH.adopt(MultiPartitionWindow({"day": DAY.window("2026-01-01"), "region": ListPartitionWindow(["mars"])}))


def test_a_run_is_given_a_window_inside_the_start_and_end() -> None:
    BOTH.check(BOTH.parse("2026-01-01")[0], where="a")
    with pytest.raises(PartitionError, match="was given no window"):
        BOTH.check(None, where="a")
    with pytest.raises(PartitionError, match="2025-12-31 lies before the first partition"):
        BOTH.check(BOTH.parse("2025-12-31")[0], where="a")
    with pytest.raises(PartitionError, match="takes one partition at a time, but was given 4"):
        BOTH.check(BOTH.parse("2026-01-01")[0], where="a", several=False)


def test_what_says_a_time_covers_all_values() -> None:
    assert str(BOTH.completed_between(at("2026-01-02"), at("2026-01-04"))) == r"2026-01-02..2026-01-03|eu..c\,d"
    assert BOTH.completed_between(at("2026-01-02T00:00"), at("2026-01-02T01:00")) is None
    assert str(BOTH.in_progress(at("2026-01-02"))) == r"2026-01-02|eu..c\,d"
    assert str(BOTH.newest(at("2026-01-02"))) == r"2026-01-01|eu..c\,d"
    assert str(THREE.newest(at("2026-01-02"))) == r"x..y|2026-01-01|eu..c\,d"
    assert LISTS.newest(at("2026-01-02")) is LISTS.completed_between(at("2026-01-02"), at("2026-01-04")) is None


def test_all_combinations_of_the_times_due_are_expected() -> None:
    assert str(BOTH.expected(at("2026-01-03T12:00"))) == r"2026-01-01..2026-01-02|eu..c\,d"
    assert BOTH.expected(at("2025-12-01")) is None
    assert LISTS.expected(at("2026-01-01")) == LISTS.whole
    without_start = MultiPartitionConfig(TimePartitionConfig(column="day"), REGION)
    known = [without_start.partition(key) for key in ("2026-01-03|eu", "2026-01-01|us")]
    assert str(without_start.spanning(known)) == r"2026-01-01..2026-01-03|eu..c\,d"
    assert without_start.spanning([]) is None
    assert LISTS.spanning([]) == LISTS.whole


def test_the_time_is_cut_at_the_start() -> None:
    window = MultiPartitionWindow(
        {"day": DAY.window("2025-12-30", "2026-01-01"), "region": ListPartitionWindow(["eu", "c,d"])}
    )

    assert str(BOTH.clamp(window)) == r"2026-01-01|eu,c\,d"
    assert BOTH.clamp(BOTH.parse("2025-12-30")[0]) is None
    assert LISTS.clamp(LISTS.parse("eu|x")[0]) == LISTS.parse("eu|x")[0]


@pytest.mark.parametrize(
    ("key", "window"),
    [
        ("2026-01-01|eu", "2026-01-01|eu"),
        ("2026-01-01..2026-01-02|eu..us", "2026-01-01..2026-01-02|eu..us"),
        ("2026-01-05", r"2026-01-05|eu..c\,d"),
        ("2026-01-05T00:00:00", r"2026-01-05|eu..c\,d"),
        ("2026-01-05T00:00:00+01:00", r"2026-01-05|eu..c\,d"),
    ],
)
def test_a_run_key_may_be_one_of_the_time_alone(key: str, window: str) -> None:
    assert str(BOTH.parse_run_key(key)) == window


def test_joined_windows_are_few_and_hold_the_same() -> None:
    keys = ["2026-01-01|eu", "2026-01-02|eu", "2026-01-01|us", "2026-01-02|us", "2026-01-04|us"]

    joined = BOTH.join([BOTH.partition(key).window for key in keys])

    assert texts(joined) == ["2026-01-01..2026-01-02|eu..us", "2026-01-04|us"]
    assert sorted(key for window in joined for key in window.keys) == sorted(keys)


def test_three_dimensions_join_too() -> None:
    parts = [f"{kind}|2026-01-0{day}|{region}" for kind in "xy" for day in (1, 2) for region in ("eu", "us")]

    joined = THREE.join([THREE.partition(key).window for key in parts[:-1]])

    assert sorted(key for window in joined for key in window.keys) == sorted(parts[:-1])
    assert len(joined) <= 3
    assert texts(THREE.join([THREE.partition(key).window for key in parts])) == ["x..y|2026-01-01..2026-01-02|eu..us"]


def test_dimensions_fit_where_all_of_them_do() -> None:
    renamed = MultiPartitionConfig(
        TimePartitionConfig(column="date", timezone="Europe/Brussels"), ListPartitionConfig(REGION.values, column="r")
    )
    origin, destination = (ListPartitionConfig(["a", "b"], column=column) for column in ("origin", "destination"))

    assert BOTH.compatible(renamed)
    assert not BOTH.compatible(DAY)
    assert not DAY.compatible(BOTH)
    assert not BOTH.compatible(THREE)
    assert not BOTH.compatible(MultiPartitionConfig(DAY, KIND))
    swapped = MultiPartitionConfig(destination, origin)
    assert not MultiPartitionConfig(origin, destination).compatible(swapped), "same columns, other order"


def test_partitions_sort_by_the_first_dimension_first() -> None:
    keys = ["2026-01-02|eu", "2026-01-01|c,d", "2026-01-01|eu"]

    assert [p.key for p in BOTH.ordered([BOTH.partition(key) for key in keys])] == [keys[2], keys[1], keys[0]]
