"""Clock changes, leap days, and datetimes without a zone: each row is in exactly one partition, or refused aloud."""

import datetime as dt
import zoneinfo
from pathlib import Path
from typing import Any

import pytest
from fault_tools import KINDS

import airflow_provider as ap
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import AssetsError

UTC = dt.timezone.utc
# Zone, first and last local day. Clocks go forward and back by an hour or by half of one, at midnight too; a day is
# skipped as a whole; a leap day; a new year.
CHANGES = [
    ("Europe/Berlin", "2026-03-28", "2026-03-30"),
    ("Europe/Berlin", "2026-10-24", "2026-10-26"),
    ("America/New_York", "2013-03-09", "2013-03-11"),
    ("America/New_York", "2013-11-02", "2013-11-04"),
    ("Australia/Lord_Howe", "2026-04-04", "2026-04-06"),
    ("America/Santiago", "2026-09-05", "2026-09-07"),
    ("Pacific/Apia", "2011-12-28", "2012-01-01"),
    ("Asia/Kathmandu", "2024-02-28", "2024-03-01"),
    ("UTC", "2023-12-31", "2024-01-01"),
]


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    MemoryDestination.clear()


def destination(kind: str, base: Path) -> Any:
    return MemoryDestination() if kind == "memory" else KINDS[kind](base_path=base)


def instants(zone: str, first: str, last: str) -> list[dt.datetime]:
    """Every ten minutes from the start of the first local day to the end of the last, as aware instants."""
    local = zoneinfo.ZoneInfo(zone)
    start = dt.datetime.fromisoformat(first).replace(tzinfo=local).astimezone(UTC)
    end = (dt.datetime.fromisoformat(last) + dt.timedelta(days=1)).replace(tzinfo=local).astimezone(UTC)
    found, instant = [], start
    while instant < end:
        found.append(instant)
        instant += dt.timedelta(minutes=10)
    return found


def filled(kind: str, base: Path, granularity: Any, zone: str, window: str, rows: Any, **settings: Any) -> ap.Asset:
    partitioning = ap.TimePartitionConfig(column="at", granularity=granularity, timezone=zone, allow_window=True)

    @ap.asset(key="events", dataset="shop", partitioning=partitioning, **settings)
    def events() -> Any:
        return rows

    made = events(destinations=destination(kind, base))
    made.materialize(window=window)
    return made


@pytest.mark.parametrize("granularity", ["hour", "day"])
@pytest.mark.parametrize(("zone", "first", "last"), CHANGES)
@pytest.mark.parametrize("kind", ["parquet", "memory"])
def test_each_row_is_in_exactly_one_partition(
    kind: str, zone: str, first: str, last: str, granularity: str, tmp_path: Path
) -> None:
    """F16: whatever the clocks do, the counts add up, and each partition reads back its own instants only."""
    moments = instants(zone, first, last)
    rows = [{"at": moment, "n": number} for number, moment in enumerate(moments)]
    dates = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
    window = ap.TimePartitionWindow(*dates, granularity, zone)

    made = filled(kind, tmp_path, granularity, zone, window, rows)

    counts = made.partition_row_counts()
    assert sum(counts.values()) == len(rows)
    assert set(counts) == set(window.keys)
    seen: list[int] = []
    for partition in window:
        found = made.default_destination.read(IOContext(made, partition.window))
        for row in found if isinstance(found, list) else found.to_pylist():
            assert partition.start <= row["at"] < partition.end
            seen.append(row["n"])
    assert sorted(seen) == list(range(len(rows)))


@pytest.mark.parametrize("kind", [*sorted(KINDS), "memory"])
def test_both_times_of_an_autumn_night_stay_apart(kind: str, tmp_path: Path) -> None:
    """F16: 02:30 comes twice; the two rows are in two partitions, whose keys differ by their offset."""
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    rows = [{"at": dt.datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=berlin), "n": fold} for fold in (0, 1)]

    made = filled(kind, tmp_path, "hour", "Europe/Berlin", "2026-10-25T02+02:00..2026-10-25T02+01:00", rows)

    assert made.partition_row_counts() == {"2026-10-25T02+02:00": 1, "2026-10-25T02+01:00": 1}


NAIVE = dt.datetime(2026, 3, 29, 2, 30)


@pytest.mark.parametrize(
    ("at", "granularity", "window"),
    [
        pytest.param(NAIVE, "day", "2026-03-29", id="naive, by day"),
        pytest.param(NAIVE, "hour", "2026-03-29T01", id="naive, by hour"),
        pytest.param(None, "day", "2026-03-29", id="no time at all"),
        pytest.param(dt.datetime(2026, 3, 28, 22, 59, tzinfo=UTC), "day", "2026-03-29", id="a minute too early"),
        pytest.param(dt.datetime(2026, 3, 29, 22, 0, tzinfo=UTC), "day", "2026-03-29", id="at the very end"),
        pytest.param("yesterday", "day", "2026-03-29", id="a word"),
    ],
)
def test_a_row_of_no_partition_is_refused_before_anything_is_written(
    at: Any, granularity: str, window: str, tmp_path: Path
) -> None:
    """F16: loud by default, never a silent drop."""
    good = {"at": dt.datetime(2026, 3, 29, 0, 30, tzinfo=UTC), "n": 1}

    with pytest.raises(AssetsError) as caught:
        filled("parquet", tmp_path / "base", granularity, "Europe/Berlin", window, [good, {"at": at, "n": 2}])

    assert caught.value.fix
    assert list(tmp_path.rglob("data.parquet")) == []


def test_rows_that_are_dropped_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """F16: dropping is asked for, and says how many."""
    rows = [{"at": moment, "n": 1} for moment in instants("Europe/Berlin", "2026-03-28", "2026-03-30")]

    made = filled("parquet", tmp_path, "day", "Europe/Berlin", "2026-03-29", rows, stray_rows="drop")

    assert made.partition_row_counts() == {"2026-03-29": 23 * 6}
    assert f"dropped {2 * 24 * 6} rows" in caplog.text
