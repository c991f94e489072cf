"""The windows of a run."""

import datetime as dt
from typing import Any

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.asset_def import AssetDef
from airflow_provider.definitions.computation import Computation
from airflow_provider.definitions.decorators import asset, multi_asset
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import PartitionError
from airflow_provider.execution.window import check_all, windows_for, writes
from airflow_provider.partitioning import TimePartition, TimePartitionConfig, TimePartitionWindow


def _nothing() -> list[dict[str, Any]]:
    return []


def made(key: str = "users", **settings: Any) -> Asset:
    partitioning = TimePartitionConfig(column="day", **settings) if settings.pop("partitioned", True) else None
    result: Asset = asset(key=key, partitioning=partitioning)(_nothing)()
    return result


BERLIN = made(timezone="Europe/Berlin", start=dt.date(2026, 3, 1))
ALONE: Asset = asset(key="alone")(_nothing)()


def told(windows: Any) -> list[str]:
    return [str(window) for window in windows]


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (TimePartitionWindow("2026-03-01", "2026-03-02"), ["2026-03-01..2026-03-02"]),
        (TimePartition(dt.date(2026, 3, 1)), ["2026-03-01"]),
        ("2026-03-01", ["2026-03-01"]),
        ("2026-03-01..2026-03-03", ["2026-03-01..2026-03-03"]),
        (
            [TimePartitionWindow("2026-03-03"), TimePartitionWindow("2026-03-01", "2026-03-02")],
            ["2026-03-01..2026-03-03"],
        ),
        ([TimePartitionWindow("2026-03-05"), TimePartitionWindow("2026-03-01")], ["2026-03-01", "2026-03-05"]),
        (dt.date(2026, 3, 1), ["2026-03-01"]),
        (["2026-03-01", dt.date(2026, 3, 2)], ["2026-03-01..2026-03-02"]),
        ([], []),
    ],
)
def test_a_window_in_any_form_becomes_the_assets_own(window: Any, expected: list[str]) -> None:
    windows = windows_for(BERLIN, window)

    assert windows is not None
    assert told(windows) == expected
    assert all(one.first.timezone == "Europe/Berlin" for one in windows)  # type: ignore[attr-defined]


def test_an_asset_without_partitions_has_no_windows() -> None:
    assert windows_for(ALONE, TimePartitionWindow("2026-03-01")) is None
    assert windows_for(ALONE, None) is None


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (None, "the run was given no window"),
        ("", "the run was given no window"),
        (TimePartitionWindow("2026-03", granularity="month"), "is by month"),
        (TimePartitionWindow("2026-03-01", timezone="Asia/Tokyo"), "is in Asia/Tokyo"),
        (TimePartitionWindow("2026-02-28"), "lies before the first partition"),
        ("yesterday", "yesterday"),
        ("../x", r"'\.\./x' is not a range"),
        (5, "5 is a int"),
    ],
)
def test_what_does_not_fit_is_an_error_of_the_asset(window: Any, message: str) -> None:
    with pytest.raises(PartitionError, match=f"asset 'users': .*{message}"):
        windows_for(BERLIN, window)


def test_all_assets_are_checked_before_any_runs() -> None:
    window = TimePartitionWindow("2026-02-28")
    other = made("orders", start=dt.date(2026, 4, 1))

    assert check_all([ALONE, made("free")], window).keys() == {"alone", "free"}
    with pytest.raises(PartitionError, match="asset 'users': 2026-02-28 lies before"):
        check_all([ALONE, BERLIN], window)
    with pytest.raises(PartitionError, match=r"window 2026-02-28: asset 'users': .*; asset 'orders': "):
        check_all([BERLIN, other], window)


def test_several_assets_that_need_a_window_are_named_together() -> None:
    with pytest.raises(PartitionError, match="given no window") as caught:
        check_all([BERLIN, made("other")], None)
    assert caught.value.where == "no window"


def test_the_window_of_a_function_and_what_each_output_writes() -> None:
    @multi_asset(outputs=["orders", AssetDef("shops", partitioning=None)], partitioning=BERLIN.partitioning)
    def feed() -> None: ...

    multi = feed(destinations=[MemoryDestination(), MemoryDestination()])
    window = TimePartitionWindow("2026-03-01", "2026-03-03")
    windows = windows_for(Computation.of(multi.shops), window)

    assert windows == windows_for(BERLIN, window)
    assert windows_for(multi.shops, window) is None
    assert [writes(asset, windows) for asset in multi.assets.values()] == [6, 2]
    assert [writes(asset, windows) for asset in (BERLIN, ALONE)] == [3, 1]
