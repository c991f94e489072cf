"""Grains: keys, and how a zone's axis is cut."""

import datetime as dt
import json
import pickle
from zoneinfo import ZoneInfo

import pytest

from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning.grain import Granularity, axis_of, grain_of_key, shown
from airflow_provider.partitioning.partition import TimePartition


def test_a_grain_is_its_word() -> None:
    assert Granularity("day") is Granularity.DAY
    assert str(Granularity.DAY) == f"{Granularity.DAY}" == json.loads(json.dumps(Granularity.DAY)) == "day"
    assert pickle.loads(pickle.dumps(Granularity.WEEK)) is Granularity.WEEK


@pytest.mark.parametrize("value", ["daily", "DAY", "", None, 1])
def test_an_unknown_grain_is_refused_with_the_known_ones(value: object) -> None:
    with pytest.raises(ConfigError, match="use one of hour, day, week, month, quarter, year"):
        Granularity(value)


@pytest.mark.parametrize("grain", list(Granularity))
def test_the_form_of_a_key_tells_its_grain(grain: Granularity) -> None:
    assert grain_of_key(grain.example) is grain
    assert TimePartition(grain.example, grain).key == grain.example


def test_a_text_that_is_no_key_has_no_grain() -> None:
    assert grain_of_key("2025-1-2") is None


@pytest.mark.parametrize(
    ("grain", "key", "start", "end"),
    [
        ("hour", "2026-07-01T05", "2026-07-01T03:00", "2026-07-01T04:00"),
        ("day", "2026-07-01", "2026-06-30T22:00", "2026-07-01T22:00"),
        ("day", "2026-03-29", "2026-03-28T23:00", "2026-03-29T22:00"),
        ("day", "2026-10-25", "2026-10-24T22:00", "2026-10-25T23:00"),
        ("week", "2026-W01", "2025-12-28T23:00", "2026-01-04T23:00"),
        ("week", "2026-W53", "2026-12-27T23:00", "2027-01-03T23:00"),
        ("month", "2026-02", "2026-01-31T23:00", "2026-02-28T23:00"),
        ("month", "2026-12", "2026-11-30T23:00", "2026-12-31T23:00"),
        ("quarter", "2026-Q2", "2026-03-31T22:00", "2026-06-30T22:00"),
        ("quarter", "2026-Q4", "2026-09-30T22:00", "2026-12-31T23:00"),
        ("year", "2026", "2025-12-31T23:00", "2026-12-31T23:00"),
        ("year", "0999", "0998-12-31T23:42:30", "0999-12-31T23:42:30"),
    ],
)
def test_a_key_names_a_stretch_of_instants(grain: str, key: str, start: str, end: str) -> None:
    partition = TimePartition(key, grain, "Europe/Brussels")

    assert partition.bounds == tuple(dt.datetime.fromisoformat(f"{text}+00:00") for text in (start, end))
    assert partition.key == key


@pytest.mark.parametrize(
    "key",
    [
        "2025-1-2",
        " 2025-01-02",
        "2025-01-02 ",
        "2025-01-02\n",
        "2025-02-30",
        "2025-13-01",
        "2025-01-00",
        "0000-01-01",
        "20250102",
        "2025/01/02",
        "2025-01-02T05:00:00",
        "2025-01",
        "٢٠٢٥-01-02",
        "+2025-01-02",
        "../x",
        "a/b",
        "a=b",
        "",
        "x" * 300,
        "%2F",
        "2025-01-02..2025-01-03",
    ],
)
def test_a_text_that_is_not_exactly_a_key_is_refused(key: str) -> None:
    with pytest.raises(PartitionError) as caught:
        TimePartition(key)

    assert shown(key) in str(caught.value) or "0000" in key
    assert len(str(caught.value)) < 250
    with pytest.raises(PartitionError):
        TimePartition.from_key(key)


@pytest.mark.parametrize(
    ("grain", "key"),
    [
        ("hour", "2025-01-02t05"),
        ("hour", "2025-01-02 05"),
        ("hour", "2025-01-02T24"),
        ("hour", "2025-01-02T5"),
        ("hour", "2025-02-30T05"),
        ("hour", "2025-01-02T05Z"),
        ("hour", "2025-01-02"),
        ("week", "2025-W00"),
        ("week", "2025-W53"),
        ("week", "2025-w05"),
        ("month", "2025-13"),
        ("month", "2025-1"),
        ("quarter", "2025-Q0"),
        ("quarter", "2025-Q5"),
        ("year", "999"),
        ("year", "10000"),
    ],
)
def test_a_malformed_key_names_the_expected_form(grain: str, key: str) -> None:
    with pytest.raises(PartitionError, match=f"write it exactly like '{Granularity(grain).example}'"):
        TimePartition(key, grain)


def test_a_long_key_is_cut_in_the_message() -> None:
    assert shown("x" * 300) == "'" + "x" * 59 + "…"
    assert shown("2025") == "'2025'"


def test_the_autumn_day_has_25_hours_with_25_keys() -> None:
    axis = axis_of(Granularity.HOUR, ZoneInfo("Europe/Brussels"))

    first, last = axis.on_date(dt.date(2026, 10, 25), where="x")
    keys = [axis.key(cell) for cell in axis.cells(first, last)]

    assert axis.count(first, last) == len(set(keys)) == 25
    assert keys[1:5] == ["2026-10-25T01", "2026-10-25T02+02:00", "2026-10-25T02+01:00", "2026-10-25T03"]


def test_the_spring_day_has_23_hours() -> None:
    axis = axis_of(Granularity.HOUR, ZoneInfo("Europe/Brussels"))

    first, last = axis.on_date(dt.date(2026, 3, 29), where="x")
    keys = [axis.key(cell) for cell in axis.cells(first, last)]

    assert axis.count(first, last) == len(keys) == 23
    assert keys[1:3] == ["2026-03-29T01", "2026-03-29T03"]


def test_a_shift_of_half_an_hour_cuts_an_hour_in_two() -> None:
    hours = [
        TimePartition(key, "hour", "Australia/Lord_Howe") for key in ("2026-04-05T01+11:00", "2026-04-05T01+10:30")
    ]

    assert [hour.end - hour.start for hour in hours] == [dt.timedelta(hours=1), dt.timedelta(minutes=30)]
    assert hours[0].end == hours[1].start
    assert hours[0].next() == hours[1]
    assert hours[1].next().key == "2026-04-05T02"


def test_a_shift_forward_of_half_an_hour_shortens_an_hour() -> None:
    hour = TimePartition("2026-10-04T02", "hour", "Australia/Lord_Howe")

    assert hour.end - hour.start == dt.timedelta(minutes=30)
    assert hour.previous().key == "2026-10-04T01"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("2026-10-25T02", r"comes twice in Europe/Brussels\n  Fix: write 2026-10-25T02\+02:00 or 2026-10-25T02\+01:00"),
        ("2026-10-25T02+03:00", r"comes twice in Europe/Brussels"),
        ("2026-10-25T03+01:00", r"has another key in Europe/Brussels\n  Fix: write 2026-10-25T03$"),
        ("2026-03-29T02", r"does not exist in Europe/Brussels: the clock was set forward"),
    ],
)
def test_an_hour_that_its_label_does_not_name_is_refused(key: str, message: str) -> None:
    with pytest.raises(PartitionError, match=message):
        TimePartition(key, "hour", "Europe/Brussels")


def test_an_offset_of_local_mean_time_keeps_its_seconds() -> None:
    # Brussels went back 17 min 30 s in 1892, from local mean time to Greenwich's.
    keys = ["1892-05-01T00+00:00", "1892-05-01T00+00:17:30", "1892-04-30T23"]

    hour = TimePartition(keys[0], "hour", "Europe/Brussels")

    assert [hour.key, hour.previous().key, hour.previous().previous().key] == keys
    assert all(TimePartition(key, "hour", "Europe/Brussels").key == key for key in keys)


def test_a_date_that_the_zone_skipped_does_not_exist() -> None:
    with pytest.raises(PartitionError, match="2011-12-30 does not exist in Pacific/Apia, which skipped it"):
        TimePartition("2011-12-30", "day", "Pacific/Apia")

    before = TimePartition("2011-12-29", "day", "Pacific/Apia")

    assert before.next().key == "2011-12-31"
    assert before.next().previous() == before
    assert before.step(3).key == "2012-01-02"
    assert before.step(3).step(-3) == before
    assert before.end == before.next().start


def test_the_date_has_begun_although_the_clock_shows_the_old_one_again() -> None:
    # At 00:01 the clock went back to 23:01: the new date began at the first midnight, for good.
    second_pass = dt.datetime(2010, 11, 7, 3, 0, tzinfo=dt.timezone.utc)

    assert second_pass.astimezone(ZoneInfo("America/St_Johns")).isoformat() == "2010-11-06T23:30:00-03:30"
    assert TimePartition(second_pass, "day", "America/St_Johns").key == "2010-11-07"


@pytest.mark.parametrize("value", ["0001-12-31", "9999-01-01", "9999-12-31", dt.date.min, dt.date.max])
def test_a_date_at_the_end_of_the_calendar_is_refused(value: object) -> None:
    with pytest.raises(PartitionError, match="outside the years 0002 to 9998"):
        TimePartition(value, "day", "Pacific/Apia")


@pytest.mark.parametrize("grain", list(Granularity))
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Apia", "America/Los_Angeles"])
def test_the_first_and_last_partitions_have_bounds_and_no_neighbour(grain: Granularity, zone: str) -> None:
    earliest = TimePartition(dt.datetime(2, 1, 9, tzinfo=dt.timezone.utc), grain, zone)
    latest = TimePartition(dt.datetime(9998, 12, 24, tzinfo=dt.timezone.utc), grain, zone)

    assert earliest.start < earliest.end <= latest.start < latest.end
    with pytest.raises(PartitionError, match="outside the years"):
        latest.step(10**7)
    with pytest.raises(PartitionError, match="outside the years"):
        earliest.step(-(10**7))


def test_a_far_step_is_as_exact_as_many_small_ones() -> None:
    start = TimePartition("2026-03-28T12", "hour", "Australia/Lord_Howe")
    walked = start
    for _ in range(9000):
        walked = walked.next()

    assert start.step(9000) == walked
    assert walked.step(-9000) == start
