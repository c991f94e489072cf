"""Partitions by a declared list: what it accepts, what a person may type, and what a run covers."""

import datetime as dt
import enum
import pickle
from typing import Any

import pytest

from airflow_provider.errors import ConfigError, DefinitionError, PartitionError
from airflow_provider.partitioning import (
    ListPartition,
    ListPartitionConfig,
    ListPartitionWindow,
    TimePartition,
    TimePartitionConfig,
)

REGIONS = ListPartitionConfig(["eu", "us", "asia", "africa"], column="region")
NOW = dt.datetime(2026, 3, 1, tzinfo=dt.timezone.utc)


class Colour(str, enum.Enum):
    RED = "red"
    BLUE = "blue"


def texts(windows: tuple[ListPartitionWindow, ...]) -> list[str]:
    return [str(window) for window in windows]


def test_values_keep_their_order() -> None:
    assert REGIONS.values == ("eu", "us", "asia", "africa")
    assert REGIONS.whole.keys == REGIONS.values
    assert (REGIONS.allow_window, REGIONS.column, REGIONS.columns) == (False, "region", ("region",))
    assert pickle.loads(pickle.dumps(REGIONS)) == REGIONS
    assert hash(REGIONS) == hash(ListPartitionConfig(("eu", "us", "asia", "africa"), column="region"))
    assert ListPartitionConfig(list(Colour), column="c").values == ("red", "blue")
    assert all(type(value) is str for value in ListPartitionConfig(list(Colour), column="c").values)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ("eu", DefinitionError, "'eu' is one text, not a list of them"),
        (b"eu", DefinitionError, "is one text"),
        ({"eu", "us"}, DefinitionError, "has no order"),
        ({"eu": 1}, DefinitionError, "has no order"),
        (5, DefinitionError, "has no order"),
        ([], ConfigError, "has no values"),
        (["eu", "eu"], ConfigError, "'eu' stands twice"),
        (["eu", 1], ConfigError, "the value 1 is a int, not text"),
        (["eu", None], ConfigError, "the value None is a NoneType, not text"),
        (["eu", ""], ConfigError, "the value '' is blank"),
        (["eu", " \t"], ConfigError, "is blank"),
        (["x" * 201], ConfigError, "takes 201 bytes in a path, of at most 200"),
        (["\ud800"], ConfigError, "is not valid Unicode"),
        (["a", "b", "a..b"], ConfigError, "'a..b' reads as a range of other values"),
        (["a", "b", "b,a"], ConfigError, "'b,a' reads as a list of other values"),
    ],
)
def test_values_that_cannot_be_partitions_are_refused_when_defined(
    values: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        ListPartitionConfig(values, column="region")

    assert caught.value.where == "ListPartitionConfig(column='region')"  # type: ignore[attr-defined]
    assert caught.value.fix  # type: ignore[attr-defined]


@pytest.mark.parametrize("column", ["", None, 3])
def test_a_column_has_a_name(column: Any) -> None:
    with pytest.raises(ConfigError, match="is not the name of a column"):
        ListPartitionConfig(["eu"], column=column)


@pytest.mark.parametrize(
    "values",
    [
        ["../x", "../../esc", "a=b", "%2F", "a/b", "/abs", "a b", "nul\0", ".", "..", "CON", "con", "a\nb", " eu"],
        ["__HIVE_DEFAULT_PARTITION__", "'; DROP TABLE x; --", "\u00e9", "e\u0301", "EU", "eu", "*", "a|b", "a\\b"],
        ["a..z", "x,y", "2026-01-01", "_ledger", "data.csv", "字" * 22],
    ],
)
def test_hostile_values_are_partitions_like_any_other(values: list[str]) -> None:
    """F11: accepted, for their paths are injective."""
    config = ListPartitionConfig(values, column="c")

    for value in values:
        assert config.partition(value).key == value
        assert [window.keys for window in config.parse([value])] == [(value,)]


@pytest.mark.parametrize(
    ("typed", "windows"),
    [
        ("eu", ["eu"]),
        (" us \n", ["us"]),
        ("us..africa", ["us..africa"]),
        ("us .. africa", ["us..africa"]),
        ("us..us", ["us"]),
        ("eu,asia", ["eu", "asia"]),
        ("africa, eu..us", ["eu..us", "africa"]),
        ("*", ["eu..africa"]),
        (["asia", "eu", "us"], ["eu..asia"]),
        (["africa", "", None, "eu"], ["eu", "africa"]),
        (["eu", "eu..us"], ["eu..us"]),
        (ListPartition("us"), ["us"]),
        (ListPartitionWindow(["us", "asia"]), ["us..asia"]),
        ([ListPartitionWindow(["us"]), "eu"], ["eu..us"]),
        (None, []),
        (" ", []),
        ([], []),
    ],
)
def test_a_person_types_values_ranges_and_lists(typed: object, windows: list[str]) -> None:
    assert texts(REGIONS.parse(typed)) == windows


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("EU", "'EU' is not among the values of 'region'"),
        ("afrika", "did you mean 'africa'"),
        ("eu..", "'eu..' is not among"),
        ("eu..mars", "'eu..mars' is not among"),
        ("eu,mars", "'eu,mars' is not among"),
        ("africa..eu", "ends before it starts: in the list, 'eu' comes first"),
        (3, "3 is a int, which names no partition"),
        (["eu", 3], "3 is a int"),
        (dt.date(2026, 1, 1), "is a date, which names no partition"),
        (TimePartition("2026-01-01"), "is a TimePartitionWindow, but the partitions are those of a list"),
        (ListPartitionWindow(["eu", "asia"]), "'eu', 'asia' do not follow one another in the list"),
        (ListPartitionWindow(["us", "eu"]), "do not follow one another"),
        (ListPartitionWindow(["mars"]), "'mars' is not among"),
    ],
)
def test_what_names_no_value_is_refused(typed: object, message: str) -> None:
    with pytest.raises(PartitionError, match=message) as caught:
        REGIONS.parse(typed, where="asset 'shop.orders'")

    assert caught.value.where == "asset 'shop.orders'"


def test_a_value_with_dots_or_commas_can_be_said_alone_in_ranges_and_in_lists() -> None:
    config = ListPartitionConfig(["a..b", "c", "d,e", "f"], column="x")

    assert texts(config.parse("a..b")) == ["a..b"]
    assert texts(config.parse("a..b..c")) == ["a..b..c"]
    assert config.parse("a..b..c")[0].keys == ("a..b", "c")
    assert config.parse(["d,e", "a..b"]) == (config.window("a..b"), config.window("d,e"))
    assert config.parse("c..d,e")[0].keys == ("c", "d,e")


def test_a_text_that_may_be_two_ranges_is_refused() -> None:
    config = ListPartitionConfig(["a", "a..b", "b..c", "c"], column="x")

    with pytest.raises(PartitionError, match=r"may be any of the ranges 'a' to 'b..c' and 'a..b' to 'c'"):
        config.parse("a..b..c")


def test_a_star_that_is_declared_is_a_value() -> None:
    assert texts(ListPartitionConfig(["a", "*"], column="x").parse("*")) == ["*"]


def test_windows_run_in_the_order_of_the_list() -> None:
    assert REGIONS.window("us", "africa").keys == ("us", "asia", "africa")
    assert REGIONS.window(ListPartition("asia")).keys == ("asia",)
    with pytest.raises(PartitionError, match="ends before it starts"):
        REGIONS.window("us", "eu")
    with pytest.raises(PartitionError, match=r"\[1\] is not among"):
        REGIONS.partition([1])


def test_joined_windows_are_the_stretches_of_the_list() -> None:
    windows = [REGIONS.window(key) for key in ("africa", "us", "eu", "us")]

    assert texts(REGIONS.join(windows)) == ["eu..us", "africa"]
    assert REGIONS.join([]) == ()


def test_a_run_is_given_a_window_of_the_list() -> None:
    REGIONS.check(REGIONS.whole, where="a")
    with pytest.raises(PartitionError, match="was given no window") as caught:
        REGIONS.check(None, where="a")
    assert "window='*'" in caught.value.fix
    with pytest.raises(PartitionError, match=r"takes one partition at a time, but was given 4: eu\.\.africa"):
        REGIONS.check(REGIONS.whole, where="a", several=False)
    with pytest.raises(PartitionError, match="is not among"):
        REGIONS.check(ListPartitionWindow(["mars"]), where="a")


def test_a_list_has_no_time_and_is_expected_whole() -> None:
    assert REGIONS.completed_between(NOW, NOW) is REGIONS.in_progress(NOW) is REGIONS.newest(NOW) is None
    assert REGIONS.expected(NOW) == REGIONS.spanning([]) == REGIONS.whole
    assert REGIONS.clamp(REGIONS.window("us")) == REGIONS.window("us")


def test_a_run_key_is_a_value_or_a_range() -> None:
    assert str(REGIONS.parse_run_key(" us..asia ")) == "us..asia"
    with pytest.raises(PartitionError, match="neither a value nor a range"):
        REGIONS.parse_run_key("eu,asia")
    with pytest.raises(PartitionError, match="is not among"):
        REGIONS.parse_run_key("2026-01-01")


def test_lists_fit_where_values_and_order_are_the_same() -> None:
    assert REGIONS.compatible(ListPartitionConfig(REGIONS.values, column="other", allow_window=True))
    assert not REGIONS.compatible(ListPartitionConfig(REGIONS.values[::-1], column="region"))
    assert not REGIONS.compatible(TimePartitionConfig(column="region"))


def test_a_list_of_one_has_one_example() -> None:
    assert ListPartitionConfig(["eu"], column="r").examples == ("eu",)
    assert REGIONS.examples == ("eu", "eu..asia")
    assert REGIONS.described == "the list 'eu', 'us', 'asia' and 1 more"
