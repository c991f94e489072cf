"""Partitionings in one word."""

import datetime as dt

import pytest

from airflow_provider.errors import ConfigError, DefinitionError
from airflow_provider.partitioning import Granularity, Partitions


def test_one_partition_a_day() -> None:
    """S071, S072, S073, S074."""
    config = Partitions.daily("2026-01-01")

    assert (config.granularity, config.timezone, config.column) == (Granularity.DAY, "UTC", "_partition")
    assert (str(config.start), config.end, config.allow_window) == ("2026-01-01", None, False)
    assert str(Partitions.daily(dt.date(2026, 1, 1), dt.date(2026, 2, 1)).end) == "2026-02-01"
    assert Partitions.daily("2026-01-01", timezone="Europe/Brussels", allow_window=True).allow_window


def test_one_partition_a_year() -> None:
    """S075, S076, S077: the last year is included."""
    config = Partitions.years(2018, 2020)

    assert [partition.key for partition in config.window(config.start, config.end)] == ["2018", "2019", "2020"]
    assert Partitions.years("2018", "2020") == config


def test_named_partitions() -> None:
    """S078, S079."""
    config = Partitions.static(["b", "a"])

    assert (config.values, config.column, config.is_managed) == (("b", "a"), "_partition", True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Partitions.daily(None), "has no start"),
        (lambda: Partitions.daily("January"), "'January' is not a key"),
        (lambda: Partitions.years(2020, 2018), "start=2020 lies after end=2018"),
        (lambda: Partitions.years(True, 2018), "True is no year"),
        (lambda: Partitions.years(2018.0, 2020), "2018.0 is no year"),
        (lambda: Partitions.static([]), "has no values"),
    ],
)
def test_what_says_no_partitions_is_refused(make, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


def test_a_bare_text_is_no_list_and_the_name_itself_no_partitioning() -> None:
    with pytest.raises(DefinitionError, match="is one text, not a list"):
        Partitions.static("eu")
    with pytest.raises(DefinitionError, match=r"Partitions\(\) is no partitioning"):
        Partitions()
