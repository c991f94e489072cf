"""Which partition of a window holds a value."""

import datetime as dt
from typing import Any

import pytest

from airflow_provider.errors import PartitionError, SchemaError
from airflow_provider.partitioning import TimePartitionWindow
from airflow_provider.schema.representations.place import MisplacedError, TimePlaces, missing, shown

UTC = dt.timezone.utc
DAYS = TimePlaces(TimePartitionWindow(dt.date(2026, 1, 1), dt.date(2026, 1, 3), timezone="America/New_York"))


@pytest.mark.parametrize(
    ("value", "index"),
    [
        (dt.date(2026, 1, 1), 0),
        (dt.date(2026, 1, 3), 2),
        (dt.date(2026, 1, 4), 3),
        (dt.date.min, 3),
        (dt.datetime(2026, 1, 1, 4, 59, 59, 999999, UTC), 3),
        (dt.datetime(2026, 1, 1, 5, tzinfo=UTC), 0),
        ("2026-01-02", 1),
        ("2025-01-02", 3),
        ("2026-01-02T04:59:00Z", 0),
        ("2026-01-02 05:00:00+00:00", 1),
    ],
)
def test_a_value_lies_in_its_partition_or_outside(value: Any, index: int) -> None:
    assert DAYS.of(value) == index


def test_a_bare_window_has_the_bounds_of_utc() -> None:
    places = TimePlaces(TimePartitionWindow(dt.date(2026, 1, 1)))

    assert places.of(dt.datetime(2026, 1, 1, tzinfo=UTC)) == 0
    assert places.of(dt.datetime(2026, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))) == places.outside


@pytest.mark.parametrize(
    "value", [dt.datetime(2026, 1, 1), "2026-01-01T05:00:00", 2026, "2026", True, b"", [], dt.time(1)]
)
def test_a_value_that_names_no_day_is_refused(value: Any) -> None:
    with pytest.raises(MisplacedError) as caught:
        DAYS.of(value)

    assert caught.value.error is PartitionError
    assert caught.value.fix


def test_a_date_names_no_hour() -> None:
    hours = TimePlaces(TimePartitionWindow("2026-01-01T00", timezone="UTC"))

    with pytest.raises(MisplacedError) as caught:
        hours.of(dt.date(2026, 1, 1))

    assert caught.value.error is SchemaError


def test_nothing_at_all_is_missing_and_so_is_nan() -> None:
    assert missing(None)
    assert missing(float("nan"))
    assert not missing("")


def test_values_are_shown_in_iso_form_and_cut() -> None:
    assert shown(dt.date(2026, 1, 1)) == "2026-01-01"
    assert len(shown("x" * 1000)) < 70
