"""Partitionings: what they accept, and which partitions there are."""

import dataclasses
import datetime as dt
import json
import pickle
from zoneinfo import ZoneInfo

import pytest

from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning.config import PartitionConfig
from airflow_provider.partitioning.partition import TimePartition
from airflow_provider.partitioning.time_config import TimePartitionConfig
from airflow_provider.partitioning.window import PartitionWindow, TimePartitionWindow

UTC = dt.timezone.utc
DAILY = TimePartitionConfig(
    column="day", start=dt.date(2026, 1, 1), end=dt.date(2026, 12, 31), timezone="Europe/Brussels"
)


def texts(windows: tuple[PartitionWindow, ...]) -> list[str]:
    return [str(window) for window in windows]


def test_a_partitioning_by_day_in_utc_is_the_default() -> None:
    config = TimePartitionConfig(column="day")

    assert (config.granularity, config.timezone, config.start, config.end) == ("day", "UTC", None, None)
    assert (config.allow_window, config.lookback, config.offset, config.incomplete) == (False, 1, 1, "skip")
    assert config.zone is ZoneInfo("UTC")


@pytest.mark.parametrize(
    ("start", "grain", "key"),
    [
        (dt.date(2026, 3, 15), "month", "2026-03"),
        ("2026-03-15", "year", "2026"),
        (dt.date(2026, 3, 15), "hour", "2026-03-15T00"),
        (dt.datetime(2026, 3, 15, 23, 30, tzinfo=UTC), "day", "2026-03-16"),
        (TimePartition("2026-03-15"), "day", "2026-03-15"),
    ],
)
def test_the_start_is_cut_to_the_grain(start: object, grain: str, key: str) -> None:
    config = TimePartitionConfig(column="day", granularity=grain, start=start, timezone="Europe/Brussels")

    assert config.start == TimePartition(key, grain, "Europe/Brussels")


def test_a_date_as_the_end_of_hours_is_its_last_hour() -> None:
    assert TimePartitionConfig(column="at", granularity="hour", end=dt.date(2026, 3, 15)).end.key == "2026-03-15T23"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"column": ""}, "column='' is not the name of a column"),
        ({"column": "  "}, "is not the name of a column"),
        ({"column": None}, "column=None is not the name of a column"),
        ({"column": 5}, "column=5 is not the name of a column"),
        ({"granularity": "daily"}, "granularity 'daily' is not known"),
        ({"timezone": "Nowhere"}, "time zone 'Nowhere' is not known"),
        ({"start": dt.datetime(2026, 1, 1)}, "has no time zone"),
        ({"start": "2026-1-1"}, "'2026-1-1' is not a key"),
        ({"start": dt.date(2026, 2, 1), "end": dt.date(2026, 1, 1)}, "start=2026-02-01 lies after end=2026-01-01"),
        ({"start": TimePartition("2026-01", "month")}, "is a partition by month, not by day"),
        ({"lookback": 0}, "lookback=0 is not a whole number from 1 up"),
        ({"offset": -1}, "offset=-1 is not a whole number from 0 up"),
        ({"incomplete": "wait"}, "incomplete='wait' is not known"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_with_a_fix(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        TimePartitionConfig(**{"column": "day", **options})

    assert caught.value.where
    assert caught.value.fix


def test_a_partitioning_takes_keywords_only_and_known_ones() -> None:
    with pytest.raises(TypeError):
        TimePartitionConfig("day")
    with pytest.raises(TypeError):
        TimePartitionConfig(column="day", grain="day")


def test_a_partitioning_is_frozen_hashable_and_pickles() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        DAILY.column = "x"
    assert pickle.loads(pickle.dumps(DAILY)) == DAILY
    assert hash(pickle.loads(pickle.dumps(DAILY))) == hash(DAILY)
    assert dataclasses.replace(DAILY, lookback=7).lookback == 7
    assert dataclasses.replace(DAILY) == DAILY != TimePartitionConfig(column="day")


def test_the_repr_is_stable_and_tells_all() -> None:
    assert repr(TimePartitionConfig(column="day", start="2026-01-01")) == (
        "TimePartitionConfig(column='day', granularity=<Granularity.DAY: 'day'>, "
        "start=TimePartition('2026-01-01', granularity='day', timezone='UTC'), end=None, timezone='UTC', "
        "allow_window=False, lookback=1, offset=1, incomplete='skip')"
    )


@pytest.mark.parametrize(
    "config", [DAILY, TimePartitionConfig(column="h", granularity="hour", lookback=3, incomplete="run")]
)
def test_a_definition_is_json_and_builds_the_partitioning_again(config: TimePartitionConfig) -> None:
    definition = json.loads(json.dumps(config.to_definition()))

    assert definition["kind"] == "time"
    assert PartitionConfig.from_definition(definition) == config


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({"kind": "moon"}, "kind 'moon' is not known"),
        ({"column": "day"}, "kind None is not known"),
        ({"kind": "time", "column": "day", "phase": 1}, "cannot be built: .*phase"),
        ({"kind": "time"}, "cannot be built: .*column"),
    ],
)
def test_an_unknown_kind_or_field_of_a_definition_is_refused(definition: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PartitionConfig.from_definition(definition)


def test_a_partition_is_named_by_its_key_strictly_or_by_what_lies_in_it() -> None:
    monthly = TimePartitionConfig(column="day", granularity="month", timezone="Europe/Brussels")

    assert monthly.partition("2026-03").key == "2026-03"
    assert monthly.partition(dt.date(2026, 3, 15)).key == "2026-03"
    assert monthly.partition(dt.datetime(2026, 3, 31, 23, tzinfo=UTC)).key == "2026-04"
    assert monthly.partition(TimePartition("2026-03", "month")).timezone == "Europe/Brussels"
    with pytest.raises(PartitionError, match=r"of column 'day' \(Europe/Brussels\): '2026-03-15' is not a key"):
        monthly.partition("2026-03-15")


def test_an_instant_lies_in_the_partition_of_its_local_date() -> None:
    assert DAILY.containing(dt.datetime(2026, 3, 1, 22, 59, tzinfo=UTC)).key == "2026-03-01"
    assert DAILY.containing(dt.datetime(2026, 3, 1, 23, tzinfo=UTC)).key == "2026-03-02"
    with pytest.raises(PartitionError, match="has no time zone"):
        DAILY.containing(dt.datetime(2026, 3, 1))


def test_a_window_is_built_in_the_partitionings_zone() -> None:
    assert DAILY.window("2026-03-01", dt.date(2026, 3, 3)) == TimePartitionWindow(
        "2026-03-01", "2026-03-03", timezone="Europe/Brussels"
    )
    assert str(DAILY.window("2026-03-01")) == "2026-03-01"
    with pytest.raises(PartitionError, match="before its start"):
        DAILY.window("2026-03-03", "2026-03-01")


def test_a_bare_window_is_adopted_by_its_keys() -> None:
    bare = TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 7))

    own = DAILY.adopt(bare)

    assert own.keys == bare.keys
    assert (own.timezone, own.start) == ("Europe/Brussels", dt.datetime(2026, 2, 28, 23, tzinfo=UTC))


def test_a_bare_hour_that_the_zone_lacks_is_not_adopted() -> None:
    hourly = TimePartitionConfig(column="at", granularity="hour", timezone="Europe/Brussels")

    with pytest.raises(PartitionError, match="does not exist in Europe/Brussels"):
        hourly.adopt(TimePartitionWindow("2026-03-29T02"))


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (None, "is partitioned, but the run was given no window"),
        (TimePartitionWindow("2026-03", granularity="month"), "is by month, but the partitions are by day"),
        (TimePartitionWindow("2026-03-01", timezone="UTC"), "is in UTC, but the partitions are in Europe/Brussels"),
        (TimePartitionWindow("2025-12-31", "2026-01-02"), "2025-12-31 lies before the first partition 2026-01-01"),
        (TimePartitionWindow("2026-12-31", "2027-01-01"), "2027-01-01 lies after the last partition 2026-12-31"),
        ("2026-03-01", "'2026-03-01' is a str, but the partitions are by time"),
    ],
)
def test_a_window_that_does_not_fit_is_refused_where_it_was_given(window: object, message: str) -> None:
    with pytest.raises(PartitionError, match=message) as caught:
        DAILY.check(window, where="asset 'nyc.flights'")

    assert str(caught.value).startswith("asset 'nyc.flights': ")
    assert caught.value.fix


def test_several_partitions_are_refused_only_where_they_would_be_one_call() -> None:
    window = DAILY.window("2026-03-01", "2026-03-03")

    DAILY.check(window, where="x")
    DAILY.check(DAILY.window("2026-03-01"), where="x", several=False)
    dataclasses.replace(DAILY, allow_window=True).check(window, where="x", several=False)
    with pytest.raises(PartitionError, match=r"one partition at a time, but was given 3: 2026-03-01\.\.2026-03-03"):
        DAILY.check(window, where="x", several=False)


@pytest.mark.parametrize(
    ("first", "last", "kept"),
    [
        ("2025-12-01", "2027-01-31", "2026-01-01..2026-12-31"),
        ("2025-12-01", "2026-01-01", "2026-01-01"),
        ("2026-03-01", "2026-03-02", "2026-03-01..2026-03-02"),
        ("2025-12-01", "2025-12-31", "None"),
        ("2027-01-01", "2027-01-01", "None"),
    ],
)
def test_clamp_keeps_what_lies_between_start_and_end(first: str, last: str, kept: str) -> None:
    assert str(DAILY.clamp(DAILY.window(first, last))) == kept


@pytest.mark.parametrize(
    ("typed", "windows"),
    [
        (None, []),
        ("", []),
        ("  \n", []),
        ([], []),
        (["", None, " \n"], []),
        ("2026-03-01", ["2026-03-01"]),
        (" 2026-03-01\n", ["2026-03-01"]),
        ("2026-03-01..2026-03-03", ["2026-03-01..2026-03-03"]),
        (" 2026-03-01 .. 2026-03-03 \n", ["2026-03-01..2026-03-03"]),
        ("2026-03-01..2026-03-01", ["2026-03-01"]),
        (["2026-03-03", "", "2026-03-01", None], ["2026-03-01", "2026-03-03"]),
        (["2026-03-02", "2026-03-01", "2026-03-02"], ["2026-03-01..2026-03-02"]),
        (("2026-03-05..2026-03-07", "2026-03-01..2026-03-04"), ["2026-03-01..2026-03-07"]),
        (dt.date(2026, 3, 1), ["2026-03-01"]),
        (TimePartition("2026-03-01"), ["2026-03-01"]),
        (TimePartitionWindow("2026-03-01", "2026-03-02"), ["2026-03-01..2026-03-02"]),
    ],
)
def test_typed_values_are_keys_ranges_or_lists_of_them(typed: object, windows: list[str]) -> None:
    assert texts(DAILY.parse(typed)) == windows


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("2026-3-1", "'2026-3-1' is not a key of a partition by day"),
        ("2026-03", "'2026-03' is not a key of a partition by day"),
        ("2026-03-01T00:00:00", "is not a key"),
        ("2026-03-01,2026-03-02", "is not a key"),
        ("2026-03-01..", "'2026-03-01..' is not a range"),
        ("..2026-03-01", "'..2026-03-01' is not a range"),
        ("2026-03-01..2026-03-02..2026-03-03", "is not a key"),
        ("2026-03-03..2026-03-01", "range 2026-03-03..2026-03-01 ends before it starts"),
        (5, "5 is a int, which names no partition"),
        ({"start": "2026-03-01"}, "is a dict, which names no partition"),
        ([["2026-03-01"]], "is a list, which names no partition"),
        (TimePartition("2026-03", "month"), "is by month, but the partitions are by day"),
        (TimePartitionWindow("2026-03-01", timezone="UTC"), "is in UTC"),
    ],
)
def test_a_typed_value_that_names_no_partition_is_refused(typed: object, message: str) -> None:
    with pytest.raises(PartitionError, match=message) as caught:
        DAILY.parse(typed, where="asset 'a'")

    assert str(caught.value).startswith("asset 'a': ")


@pytest.mark.parametrize(
    ("grain", "text", "window"),
    [
        ("day", "2026-03-05", "2026-03-05"),
        ("day", "2026-03-05T00:00:00", "2026-03-05"),
        ("day", "2026-03-05T06:30:00", "2026-03-05"),
        ("day", "2026-03-05T23:30:00Z", "2026-03-06"),
        ("day", "2026-03-05T23:30:00+0100", "2026-03-05"),
        ("day", "2026-03-01..2026-03-03", "2026-03-01..2026-03-03"),
        ("day", " 2026-03-01T00:00:00 .. 2026-03-03T00:00:00 ", "2026-03-01..2026-03-03"),
        ("month", "2026-03-01T00:00:00", "2026-03"),
        ("week", "2026-03-02T00:00:00", "2026-W10"),
        ("hour", "2026-03-05T07:00:00", "2026-03-05T07"),
        ("hour", "2026-10-25T02+01:00", "2026-10-25T02+01:00"),
        ("hour", "2026-10-25T02:00:00+01:00", "2026-10-25T02+01:00"),
    ],
)
def test_a_runs_key_may_have_our_form_or_airflows(grain: str, text: str, window: str) -> None:
    config = TimePartitionConfig(column="at", granularity=grain, timezone="Europe/Brussels")

    assert str(config.parse_run_key(text)) == window


@pytest.mark.parametrize(
    "text", ["2026-03-05T25:00:00", "2026-02-30T00:00:00", "2026-03", "eu", "", "2026-03-05..2026-03-01"]
)
def test_a_runs_key_that_names_no_partition_is_refused(text: str) -> None:
    with pytest.raises(PartitionError, match="asset 'a': "):
        DAILY.parse_run_key(text, where="asset 'a'")


def test_a_runs_key_of_an_hour_that_comes_twice_is_refused() -> None:
    hourly = TimePartitionConfig(column="at", granularity="hour", timezone="Europe/Brussels")

    with pytest.raises(PartitionError, match="comes twice"):
        hourly.parse_run_key("2026-10-25T02:00:00")


@pytest.mark.parametrize(
    ("start", "end", "completed"),
    [
        ("2026-03-01T23:00", "2026-03-02T23:00", "2026-03-02"),
        ("2026-03-01T22:59", "2026-03-02T22:59", "2026-03-01"),
        ("2026-03-01T22:59", "2026-03-01T23:00", "2026-03-01"),
        ("2026-03-01T23:00", "2026-03-02T22:59", "None"),
        ("2026-03-01T23:00", "2026-03-01T23:00", "None"),
        ("2026-03-28T23:00", "2026-03-29T22:00", "2026-03-29"),
        ("2025-11-30T23:00", "2026-01-01T23:00", "2025-12-01..2026-01-01"),
    ],
)
def test_completed_are_the_partitions_that_end_in_the_interval(start: str, end: str, completed: str) -> None:
    instants = [dt.datetime.fromisoformat(f"{text}+00:00") for text in (start, end)]

    assert str(DAILY.completed_between(*instants)) == completed


def test_the_newest_are_the_last_complete_ones_by_the_partitionings_own_lookback() -> None:
    now = dt.datetime(2026, 3, 10, 12, tzinfo=UTC)
    trailing = dataclasses.replace(DAILY, lookback=3, offset=2)

    assert str(DAILY.newest(now)) == "2026-03-09"
    assert str(trailing.newest(now)) == "2026-03-06..2026-03-08"
    assert str(trailing.newest(now, 1, 0)) == str(DAILY.in_progress(now)) == "2026-03-10"
    with pytest.raises(ConfigError, match="lookback=0"):
        DAILY.newest(now, 0)


def test_expected_runs_from_the_start_to_the_newest_complete_partition() -> None:
    assert str(DAILY.expected(dt.datetime(2026, 1, 3, 12, tzinfo=UTC))) == "2026-01-01..2026-01-02"
    assert str(DAILY.expected(dt.datetime(2029, 1, 1, tzinfo=UTC))) == "2026-01-01..2026-12-31"
    assert DAILY.expected(dt.datetime(2026, 1, 1, 12, tzinfo=UTC)) is None
    assert TimePartitionConfig(column="day").expected(dt.datetime(2026, 1, 1, tzinfo=UTC)) is None


def test_compatible_is_one_grain_in_one_zone() -> None:
    assert DAILY.compatible(TimePartitionConfig(column="other", timezone="Europe/Brussels"))
    assert not DAILY.compatible(TimePartitionConfig(column="day"))
    assert not DAILY.compatible(TimePartitionConfig(column="day", granularity="month", timezone="Europe/Brussels"))


def test_join_adopts_and_joins() -> None:
    windows = [TimePartitionWindow("2026-03-02"), DAILY.window("2026-03-01"), DAILY.window("2026-03-09")]

    assert texts(DAILY.join(windows)) == ["2026-03-01..2026-03-02", "2026-03-09"]
