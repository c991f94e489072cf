import datetime as dt

import pytest

from airflow_provider.cli.calendar import draw, look_of, place
from airflow_provider.ledger.coverage import Cell
from airflow_provider.partitioning import TimePartition, TimePartitionConfig


def cells(config: TimePartitionConfig, first: str, last: str, *, held: set[str]) -> list[Cell]:
    return [Cell(key, "committed" if key in held else "missing") for key in config.window(first, last).keys]


def text(config: TimePartitionConfig, some: list[Cell], **options: bool) -> list[str]:
    return [line.plain for line in draw(config, some, ascii_only=True, **options)]


def test_a_day_stands_in_the_row_of_its_month_under_its_number() -> None:
    config = TimePartitionConfig(column="day")

    assert text(config, cells(config, "2026-01-30", "2026-02-03", held={"2026-01-31", "2026-02-02"})) == [
        "         1   5    10   15   20   25   30",
        "2026-01                               .#",
        "2026-02  .#.",
        "# held   . missing",
    ]


def test_the_hours_of_a_day_are_a_row_and_the_repeated_one_shows_the_worse() -> None:
    config = TimePartitionConfig(column="at", granularity="hour", timezone="America/New_York")
    held = {key for key in config.window("2025-11-02T00", "2025-11-02T23").keys if key != "2025-11-02T01-05:00"}

    assert text(config, cells(config, "2025-11-02T00", "2025-11-02T23", held=held))[1] == (
        "2025-11-02  #.######################"
    )


@pytest.mark.parametrize(
    ("key", "grain", "found"),
    [
        ("2026-03-09T13", "hour", ("2026-03-09", 13)),
        ("2026-03-09", "day", ("2026-03", 8)),
        ("2026-W53", "week", ("2026", 52)),
        ("2026-12", "month", ("2026", 11)),
        ("2026-Q4", "quarter", ("2026", 3)),
        ("2026", "year", ("202x", 6)),
    ],
)
def test_each_grain_has_its_place(key: str, grain: str, found: tuple[str, int]) -> None:
    assert place(TimePartition(key, grain)) == found


def test_of_a_long_stretch_the_newest_rows_are_shown_unless_all_are_asked_for() -> None:
    config = TimePartitionConfig(column="at", granularity="hour", start=dt.date(2026, 1, 1))
    some = cells(config, "2026-01-01T00", "2026-03-01T23", held=set())

    assert text(config, some)[0] == "the newest 31 of 60 rows; --since shows others"
    assert len(text(config, some)) == 1 + 1 + 31 + 1
    assert len(text(config, some, everything=True)) == 1 + 60 + 1


def test_a_failed_attempt_looks_different_where_something_is_held() -> None:
    assert look_of(Cell("a", "missing", "failed")) == "failed"
    assert look_of(Cell("a", "committed", "failed")) == "stale"
    assert look_of(Cell("a", "missing", "running")) == "running"
    assert look_of(Cell("a", "empty", "ok")) == "empty"


def test_every_look_has_shapes_of_its_own() -> None:
    from airflow_provider.cli.calendar import LOOKS

    assert len({look[0] for look in LOOKS.values()}) == len({look[1] for look in LOOKS.values()}) == len(LOOKS)
