"""Time partitions: what names them, and how they compare."""

import copy
import datetime as dt
import pickle
from zoneinfo import ZoneInfo

import pendulum
import pytest

from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning.partition import TimePartition

UTC = dt.timezone.utc
EVENING = dt.datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "grain", "zone", "key"),
    [
        (dt.date(2026, 3, 1), "day", None, "2026-03-01"),
        (dt.date(2026, 3, 15), "month", "UTC", "2026-03"),
        ("2026-03-15", "month", "UTC", "2026-03"),
        ("2026-03-15", "year", None, "2026"),
        ("2026-03-01T23:30:00Z", "day", "Europe/Brussels", "2026-03-02"),
        ("2026-03-01T23:30:00+0000", "day", "Europe/Brussels", "2026-03-02"),
        ("2026-03-01T23:30+00:00", "hour", "Europe/Brussels", "2026-03-02T00"),
        (EVENING, "day", "UTC", "2026-03-01"),
        (EVENING, "day", "Europe/Brussels", "2026-03-02"),
        (EVENING.astimezone(ZoneInfo("Europe/Brussels")), "day", "America/New_York", "2026-03-01"),
        (pendulum.datetime(2026, 3, 1, 23, 30, tz="UTC"), "hour", "Europe/Brussels", "2026-03-02T00"),
        (EVENING, "week", "Europe/Brussels", "2026-W10"),
    ],
)
def test_what_lies_in_a_partition_names_it(value: object, grain: str, zone: str | None, key: str) -> None:
    assert TimePartition(value, grain, zone).key == key


def test_a_bare_partition_takes_the_datetimes_own_calendar_date() -> None:
    assert TimePartition(EVENING).key == "2026-03-01"
    assert TimePartition(EVENING.astimezone(ZoneInfo("Europe/Brussels"))).key == "2026-03-02"


def test_an_aware_hour_without_a_zone_is_an_hour_of_utc() -> None:
    hour = TimePartition(EVENING.astimezone(ZoneInfo("Europe/Brussels")), "hour")

    assert (hour.key, hour.timezone) == ("2026-03-01T23", "UTC")
    assert TimePartition("2026-03-01T23", "hour").timezone is None


@pytest.mark.parametrize("zone", [None, "Europe/Brussels"])
@pytest.mark.parametrize("grain", ["hour", "day", "month"])
def test_a_naive_datetime_is_refused(grain: str, zone: str | None) -> None:
    with pytest.raises(PartitionError, match=r"has no time zone\n  Fix: make it aware"):
        TimePartition(dt.datetime(2026, 3, 1), grain, zone)


def test_a_naive_iso_datetime_is_no_key() -> None:
    with pytest.raises(PartitionError, match="is not a key"):
        TimePartition("2026-03-01T23:30:00", "day", "UTC")


def test_a_date_is_not_one_hour() -> None:
    with pytest.raises(PartitionError, match=r"the date 2026-03-01 is not one hour\n  Fix: name the hour"):
        TimePartition(dt.date(2026, 3, 1), "hour")


@pytest.mark.parametrize("value", [20260301, None, 1.5, b"2026-03-01", ["2026-03-01"]])
def test_a_value_that_names_no_time_is_refused(value: object) -> None:
    with pytest.raises(PartitionError, match="which names no time"):
        TimePartition(value)
    with pytest.raises(PartitionError):
        TimePartition.from_key(value)


def test_an_iso_datetime_that_does_not_exist_is_refused() -> None:
    with pytest.raises(PartitionError, match="is not a key"):
        TimePartition("2026-02-30T00:00:00Z", "day", "UTC")
    with pytest.raises(PartitionError, match="is not a key"):
        TimePartition("2026-02-20T00:00:00+99:00", "day", "UTC")


def test_from_key_takes_a_key_and_nothing_else() -> None:
    assert TimePartition.from_key("2026-03", "month").key == "2026-03"
    with pytest.raises(PartitionError, match="asset 'a': '2026-03-15' is not a key of a partition by month"):
        TimePartition.from_key("2026-03-15", "month", where="asset 'a'")


def test_unknown_grains_and_zones_are_config_errors() -> None:
    with pytest.raises(ConfigError, match="granularity 'daily'"):
        TimePartition("2026-03-01", "daily")
    with pytest.raises(ConfigError, match="time zone 'Nowhere'"):
        TimePartition("2026-03-01", "day", "Nowhere")


def test_bounds_are_aware_and_exact_across_a_transition() -> None:
    day = TimePartition("2026-03-29", "day", "Europe/Brussels")

    assert day.bounds == (day.start, day.end)
    assert day.end - day.start == dt.timedelta(hours=23)
    assert day.start.tzinfo is UTC


def test_a_partition_knows_what_it_is() -> None:
    week = TimePartition("2026-W10", "week", "Europe/Brussels")

    assert str(week) == week.key == "2026-W10"
    assert week.date == dt.date(2026, 3, 2)
    assert week.granularity == "week"
    assert (week.timezone, week.zone) == ("Europe/Brussels", ZoneInfo("Europe/Brussels"))
    assert week.window.partitions == (week,)
    assert (week.next().key, week.previous().key) == ("2026-W11", "2026-W09")


def test_equality_is_of_grain_zone_and_instant() -> None:
    day = TimePartition("2026-03-01", "day", "Europe/Brussels")

    assert day == TimePartition(dt.date(2026, 3, 1), "day", "Europe/Brussels")
    assert day != TimePartition("2026-03-01", "day", "UTC")
    assert day != TimePartition("2026-03", "month", "Europe/Brussels")
    assert day != "2026-03-01"
    assert len({day, TimePartition("2026-03-01", "day", "Europe/Brussels")}) == 1


def test_a_bare_partition_equals_that_of_utc_whose_bounds_it_has() -> None:
    assert TimePartition("2026-03-01") == TimePartition("2026-03-01", timezone="UTC")
    assert hash(TimePartition("2026-03-01")) == hash(TimePartition("2026-03-01", timezone="UTC"))


def test_partitions_are_ordered_by_their_start() -> None:
    keys = ["2026-10-25T02+02:00", "2026-10-25T02+01:00", "2026-10-25T03"]
    hours = [TimePartition(key, "hour", "Europe/Brussels") for key in keys]

    assert sorted([hours[2], hours[0], hours[1]]) == hours
    assert hours[0] < hours[1] <= hours[1] < hours[2]
    assert hours[2] > hours[1] >= hours[1]
    assert TimePartition("2026-01-01", "day", "Asia/Tokyo") < TimePartition("2026-01-01", "day", "UTC")
    with pytest.raises(TypeError):
        hours[0] < "2026"  # noqa: B015


def test_a_partition_is_frozen_and_pickles_and_copies() -> None:
    day = TimePartition("2026-03-01", "day", "Europe/Brussels")

    with pytest.raises(AttributeError, match="cannot be changed"):
        day.key = "x"
    with pytest.raises(AttributeError):
        del day._cell
    assert pickle.loads(pickle.dumps(day)) == copy.deepcopy(day) == day
    assert pickle.loads(pickle.dumps(TimePartition("2026"[:4], "year"))).timezone is None


def test_the_repr_builds_the_partition_again() -> None:
    for partition in (TimePartition("2026-03-01"), TimePartition("2026-10-25T02+01:00", "hour", "Europe/Brussels")):
        assert eval(repr(partition)) == partition
