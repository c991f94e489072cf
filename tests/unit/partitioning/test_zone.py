"""Stretches of one UTC offset, midnights and skipped dates."""

import datetime as dt
from zoneinfo import ZoneInfo

import pendulum
import pytest

from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning import zone as tz

BRUSSELS = ZoneInfo("Europe/Brussels")
APIA = ZoneInfo("Pacific/Apia")


def seconds(*parts: int) -> int:
    return int(dt.datetime(*parts, tzinfo=dt.timezone.utc).timestamp())


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("Europe/Brussels", "Europe/Brussels"),
        (BRUSSELS, "Europe/Brussels"),
        (pendulum.timezone("Europe/Brussels"), "Europe/Brussels"),
        (pendulum.UTC, "UTC"),
        (dt.timezone.utc, "UTC"),
    ],
)
def test_a_zone_is_known_by_its_name_or_by_an_object_that_has_one(value: object, key: str) -> None:
    zone = tz.zone_of(value, where="x")

    assert zone is ZoneInfo(key)


@pytest.mark.parametrize(
    "value",
    ["Mars/Olympus", "", "../../etc/passwd", "/etc/passwd", "Europe", dt.timezone(dt.timedelta(hours=2)), None, 5],
)
def test_an_unknown_zone_is_refused_with_an_example(value: object) -> None:
    with pytest.raises(ConfigError, match=r"thing: time zone .* is not known\n  Fix: name a zone .*'Europe/Brussels'"):
        tz.zone_of(value, where="thing")


def test_stretches_are_cut_where_the_offset_changes() -> None:
    found = tz.stretches(BRUSSELS, seconds(2026, 1, 1), seconds(2027, 1, 1))

    assert found == [
        (seconds(2026, 1, 1), seconds(2026, 3, 29, 1), 3600),
        (seconds(2026, 3, 29, 1), seconds(2026, 10, 25, 1), 7200),
        (seconds(2026, 10, 25, 1), seconds(2027, 1, 1), 3600),
    ]


def test_a_stretch_runs_on_across_new_year() -> None:
    found = tz.stretches(BRUSSELS, seconds(2026, 12, 1), seconds(2027, 2, 1))

    assert found == [(seconds(2026, 12, 1), seconds(2027, 2, 1), 3600)]


def test_an_offset_holds_from_the_second_of_the_change() -> None:
    assert tz.offset_at(BRUSSELS, seconds(2026, 3, 29, 1) - 1) == 3600
    assert tz.offset_at(BRUSSELS, seconds(2026, 3, 29, 1)) == 7200


def test_a_midnight_that_does_not_exist_is_the_first_instant_after_it() -> None:
    # Sao Paulo set its clock from 00:00 to 01:00 on 2018-11-04.
    ordinal = dt.date(2018, 11, 4).toordinal()

    assert tz.midnight(ZoneInfo("America/Sao_Paulo"), ordinal) == seconds(2018, 11, 4, 3)


def test_a_midnight_that_comes_twice_is_the_first_of_the_two() -> None:
    # St John's set its clock from 00:01 back to 23:01 on 2010-11-07.
    ordinal = dt.date(2010, 11, 7).toordinal()

    assert tz.midnight(ZoneInfo("America/St_Johns"), ordinal) == seconds(2010, 11, 7, 2, 30)


@pytest.mark.parametrize(
    ("zone", "skipped"),
    [
        ("Pacific/Apia", dt.date(2011, 12, 30)),
        ("Pacific/Fakaofo", dt.date(2011, 12, 30)),
        ("Pacific/Kiritimati", dt.date(1994, 12, 31)),
        ("Pacific/Kwajalein", dt.date(1993, 8, 21)),
    ],
)
def test_a_zone_that_crossed_the_date_line_skipped_a_date(zone: str, skipped: dt.date) -> None:
    day = skipped.toordinal()

    assert tz.skipped_dates(ZoneInfo(zone), day - 400, day + 400) == [day]
    assert tz.skipped_dates(ZoneInfo(zone), day, day) == [day]
    assert tz.skipped_dates(ZoneInfo(zone), day + 1, day + 400) == []


def test_a_naive_datetime_is_refused() -> None:
    with pytest.raises(PartitionError, match="has no time zone"):
        tz.seconds_of(dt.datetime(2026, 1, 1), where="x")


@pytest.mark.parametrize("value", [dt.datetime.min, dt.datetime.max])
def test_the_ends_of_the_calendar_are_refused(value: dt.datetime) -> None:
    with pytest.raises(PartitionError, match="outside the years 0002 to 9998"):
        tz.seconds_of(value.replace(tzinfo=dt.timezone.utc), where="x")
