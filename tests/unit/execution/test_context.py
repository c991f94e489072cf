"""What a function is told about its run."""

import datetime as dt
import logging
from typing import Any

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.source import Source
from airflow_provider.execution.context import ExecutionContext
from airflow_provider.execution.events import Event, listening
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow

DAILY = TimePartitionConfig(column="day")
TWO = TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 2))
ACCESSORS = ("window", "partition", "partition_date", "partition_time_window")


def made(partitioning: Any = DAILY) -> Asset:
    @asset(partitioning=partitioning)
    def users() -> list[dict[str, Any]]:
        return []

    result: Asset = users()
    return result


def test_one_partition() -> None:
    context = ExecutionContext(made(), TWO.first.window, {"run": 1})

    assert (context.partition, context.partition_key) == (TWO.first, "2026-03-01")
    assert context.partition_date == dt.date(2026, 3, 1)
    assert context.metadata == {"run": 1}
    assert context.selected_outputs == ("users",)


def test_several_partitions() -> None:
    """A117."""
    context = ExecutionContext(made(), TWO)

    assert (context.window, context.partition_key) == (TWO, None)
    assert context.partition_time_window == TWO.bounds
    for name in ("partition", "partition_date"):
        with pytest.raises(AttributeError, match=r"covers 2 partitions, 2026-03-01\.\.2026-03-02. Use context.window"):
            getattr(context, name)


@pytest.mark.parametrize("name", ACCESSORS)
def test_without_partitioning_the_accessors_say_why_they_are_not_there(name: str) -> None:
    """A115."""
    with pytest.raises(AttributeError, match="asset 'users' is not partitioned"):
        getattr(ExecutionContext(made(None), TWO), name)


@pytest.mark.parametrize("name", ACCESSORS)
def test_without_a_window_the_accessors_say_why_they_are_not_there(name: str) -> None:
    """A116."""
    with pytest.raises(AttributeError, match="asset 'users': no window was given to this run"):
        getattr(ExecutionContext(made()), name)


def test_the_date_is_that_of_a_day() -> None:
    """A118."""
    monthly = TimePartitionConfig(column="day", granularity="month")
    context = ExecutionContext(made(monthly), TimePartitionWindow("2026-03", granularity="month"))

    assert context.partition_key == "2026-03"
    with pytest.raises(AttributeError, match="is partitioned by month"):
        _ = context.partition_date


def test_log_and_logger_are_one_and_named_after_the_asset() -> None:
    context = ExecutionContext(made())

    assert context.log is context.logger
    assert context.log.name == "airflow_provider.asset.users"


def test_what_is_logged_is_an_event_of_the_run_too(caplog: pytest.LogCaptureFixture) -> None:
    """A114: ``context.logger`` logs as any logger does, and listeners hear it with the run's keys and metadata."""
    context = ExecutionContext(made(), TWO.first.window, {"run": "r1"})
    heard: list[Event] = []
    caplog.set_level(logging.INFO)

    with listening(heard.append):
        context.logger.info("got %s rows", 3)
        context.logger.warning("100% sure")
        context.logger.debug("not heard")

    assert [(e.name, e.values["level"], e.values["message"], e.keys, e.metadata) for e in heard] == [
        ("log", "info", "got 3 rows", ("2026-03-01",), {"run": "r1"}),
        ("log", "warning", "100% sure", ("2026-03-01",), {"run": "r1"}),
    ]
    assert [(r.name, r.getMessage(), r.filename) for r in caplog.records] == [
        ("airflow_provider.asset.users", "got 3 rows", "test_context.py"),
        ("airflow_provider.asset.users", "100% sure", "test_context.py"),
    ]


def test_an_exception_is_logged_with_its_trace(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise KeyError("x")
    except KeyError:
        ExecutionContext(made()).log.exception("failed", extra={"mark": 1})

    (record,) = caplog.records
    assert (record.exc_info is not None, record.mark) == (True, 1)  # type: ignore[attr-defined]


def test_the_source_is_the_assets() -> None:
    class Shop(Source):
        @asset
        def users(self) -> list[dict[str, Any]]:
            return []

    shop = Shop()
    assert ExecutionContext(shop.users).source is shop
    assert ExecutionContext(made()).source is None


def test_added_metadata_reaches_the_result() -> None:
    from airflow_provider.execution import runner

    @asset
    def users(context: ExecutionContext) -> list[dict[str, Any]]:
        context.add_metadata(pages=3)
        context.add_metadata(pages=4, note="x")
        return []

    assert runner.execute(users(), windows=None).metadata == {"pages": 4, "note": "x"}
