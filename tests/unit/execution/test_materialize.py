"""Materializing one asset: steps, slices, outcomes, upstreams, custom destinations, loops, secrets."""

import asyncio
import dataclasses
import datetime as dt
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pyarrow as pa
import pytest

import airflow_provider as ap
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.connection import Connection
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import (
    AssetError,
    AssetNotFoundError,
    AssetsError,
    DataNotFoundError,
    PartitionError,
    SchemaError,
    SupersededError,
)
from airflow_provider.execution import runner
from airflow_provider.execution.events import Event, listening
from airflow_provider.execution.outcome import RunResult
from airflow_provider.execution.window import windows_for
from airflow_provider.execution.write import RunInfo
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow
from airflow_provider.schema import Normalizer, Schema, conform
from airflow_provider.storage.index import open_index

DAILY = TimePartitionConfig(column="day")
WINDOWS = TimePartitionConfig(column="day", allow_window=True)
FIRST = dt.date(2026, 3, 1)


def days(count: int, first: dt.date = FIRST) -> TimePartitionWindow:
    return TimePartitionWindow(first, first + dt.timedelta(days=count - 1))


def day(number: int) -> dt.date:
    return FIRST + dt.timedelta(days=number - 1)


def rows(*numbers: int, version: int = 1) -> list[dict[str, Any]]:
    return [{"day": day(number), "version": version} for number in numbers]


class Orders(Schema):
    day: dt.date
    version: int


def returning(value: Any, partitioning: Any = WINDOWS, **settings: Any) -> Any:
    """An asset called ``orders`` that returns ``value``, or what it gives when called with the context."""

    @asset(partitioning=partitioning, **settings)
    def orders(context: Any) -> Any:
        return value(context) if callable(value) else value

    return orders


def execute(made: Asset, window: Any = None, attempt: str = "first") -> RunResult:
    return runner.execute(made, windows=windows_for(made, window), info=RunInfo(attempt, {"run_id": "r"}))


def statuses(result: RunResult) -> list[tuple[str | None, str]]:
    return [(outcome.key and outcome.key[-2:], outcome.status) for outcome in result.outcomes]


def stored(made: Asset, window: Any = None) -> Any:
    return made.default_destination.read(IOContext(made, window))


class Failing(MemoryDestination):
    """Fails to take the partitions that are named, as a store that is there and does not work."""

    fails: ClassVar[set[str]] = set()

    def committer(self, context: IOContext, *, call: Any = None) -> Any:
        inner, commit = super().committer(context), super().committer(context).commit

        def failing(partition: Any, data: Any, stamp: Any) -> CommitRecord:
            if str(partition) in self.fails:
                raise OSError(f"no space left, says user hunter2 at {partition}")
            return commit(partition, data, stamp)

        inner.commit = failing  # type: ignore[method-assign]
        return inner


@pytest.fixture(autouse=True)
def nothing_fails() -> Iterator[None]:
    Failing.fails = set()
    return


# --- order and events ------------------------------------------------------------------------------------------------


def test_the_steps_come_in_order() -> None:
    """A100, A101, A104, A106, A107, A108: fence, read, data, write, each between its events."""
    log: list[str] = []

    class Noting(MemoryDestination):
        def committer(self, context: IOContext, *, call: Any = None) -> Any:
            inner = super().committer(context)
            take = inner.take_fence
            inner.take_fence = lambda: log.append("fence") or take()  # type: ignore[func-returns-value, method-assign]
            return inner

    class Shop(Source):
        @asset
        def raw(self) -> list[dict[str, Any]]:
            return [{"Some Name": 1}]

        @asset(normalizer=Normalizer())
        def clean(self, raw: Upstream) -> list[dict[str, Any]]:
            log.append("data")
            return raw.rows

    shop = Shop(destinations=Noting())
    shop.raw.materialize()
    log.clear()
    with listening(lambda event: log.append(event.name)):
        result = shop.clean.materialize(metadata={"run": 1})

    assert log == [
        "fence", "dest_read_started", "dest_read_completed", "asset_data_started", "data", "asset_data_completed",
        "dest_write_started", "dest_write_completed",
    ]  # fmt: skip
    assert result == [{"some_name": 1}]
    assert stored(shop.clean) == [{"some_name": 1}]


def test_events_carry_counts_keys_and_the_runs_metadata() -> None:
    """A097."""
    found: list[Event] = []
    with listening(found.append):
        returning(rows(1, 2, 2))(destinations=MemoryDestination()).materialize(window=days(2), metadata={"run": 1})

    writes = [event for event in found if event.name == "dest_write_completed"]
    assert [(event.keys, event.values["rows"]) for event in writes] == [(("2026-03-01",), 1), (("2026-03-02",), 2)]
    assert {event.asset for event in found} == {"orders"}
    assert all(event.metadata == {"run": 1} for event in found)
    assert found[0].keys == ("2026-03-01", "2026-03-02")


def test_an_error_in_a_generator_is_an_error_of_the_data() -> None:
    """A107: what is yielded is made inside the data step."""

    def broken(context: Any) -> Any:
        yield {"day": FIRST}
        raise ZeroDivisionError

    found: list[str] = []
    with listening(lambda event: found.append(event.name)), pytest.raises(ZeroDivisionError):
        returning(broken)(destinations=MemoryDestination()).materialize(window=days(1))

    assert found == ["asset_data_started", "asset_data_failed"]


# --- what is stored --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [rows(1, 2), pa.table({"day": [day(1), day(2)], "version": [1, 1]}), pd.DataFrame(rows(1, 2)), tuple(rows(1, 2))],
)
def test_a_window_is_cut_into_its_partitions(value: Any) -> None:
    orders = returning(value)(destinations=MemoryDestination())
    orders.materialize(window=days(2))

    found = stored(orders, days(1, day(2)))
    assert (found.to_dict("records") if isinstance(found, pd.DataFrame) else pa.table(found).to_pylist()
            if isinstance(found, pa.Table) else found) == rows(2)  # fmt: skip


def test_twice_is_once(tmp_path: Path) -> None:
    orders = returning(rows(1, 2), schema=Orders)(destinations=ParquetDestination(base_path=tmp_path))
    orders.materialize(window=days(2))
    before = stored(orders, days(2)).to_pylist()
    orders.materialize(window=days(2))

    assert stored(orders, days(2)).to_pylist() == before == rows(1, 2)


def test_neighbours_are_untouched() -> None:
    version = [1]
    orders = returning(lambda c: [{"day": p.date, "version": version[0]} for p in c.window])
    made = orders(destinations=MemoryDestination())
    made.materialize(window=days(3))
    version[0] = 2
    made.materialize(window=days(1, day(2)))

    assert stored(made, days(3)) == [*rows(1), *rows(2, version=2), *rows(3)]


def test_a_partition_or_a_key_may_stand_for_a_window() -> None:
    """A095."""
    made = returning(lambda c: [{"day": p.date, "version": 1} for p in c.window])(destinations=MemoryDestination())

    assert made.materialize(window=days(1).first) == rows(1)
    assert made.materialize(window="2026-03-02..2026-03-03") == rows(2, 3)


def test_a_window_is_ignored_by_an_asset_without_partitions() -> None:
    """A095."""
    made = returning([{"n": 1}], partitioning=None)(destinations=MemoryDestination())

    assert made.materialize(window=days(3)) == [{"n": 1}]
    assert stored(made) == [{"n": 1}]


def test_a_partitioned_asset_needs_a_window() -> None:
    """A095, A099."""
    with pytest.raises(PartitionError, match="the run was given no window"):
        returning([])().materialize()


@pytest.mark.parametrize("extra", [{"day": day(9), "version": 1}, {"day": None, "version": 1}, {"version": 1}])
def test_stray_rows_are_an_error_before_any_write(extra: dict[str, Any], tmp_path: Path) -> None:
    made = returning([*rows(1, 2), extra])(destinations=CSVDestination(base_path=tmp_path))

    with pytest.raises(PartitionError, match=r"outside the window 2026-03-01..2026-03-02") as caught:
        made.materialize(window=days(2))
    assert "stray_rows='drop'" in caught.value.fix
    assert list(tmp_path.rglob("data.csv")) == []


def test_a_single_partition_is_checked_too() -> None:
    made = returning(rows(1, 2))(destinations=MemoryDestination())
    with pytest.raises(PartitionError, match=r"row 1 has day='?2026-03-02"):
        made.materialize(window=days(1))
    with pytest.raises(DataNotFoundError):
        stored(made, days(1))


def test_stray_rows_can_be_dropped_and_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    made = returning([*rows(1, 2, 9), {"day": None}], stray_rows="drop")(destinations=MemoryDestination())
    made.materialize(window=days(2))

    assert [row["day"] for row in stored(made, days(2))] == [day(1), day(2)]
    assert "dropped 2 rows outside the window 2026-03-01..2026-03-02 or without day" in caplog.text


@pytest.mark.parametrize("empty", [[], None, pa.table({"day": pa.array([], pa.date32())}), pd.DataFrame()])
def test_no_rows_keep_what_was_held(empty: Any, caplog: pytest.LogCaptureFixture) -> None:
    """A098, A021: no write, and a warning that is an event, too."""
    values = [rows(1, 2)]
    made = returning(lambda c: values[0])(destinations=MemoryDestination())
    made.materialize(window=days(2))
    values[0] = empty
    events: list[Event] = []
    with listening(events.append):
        result = execute(made, days(2), "second")

    assert statuses(result) == [("01", "kept"), ("02", "kept")]
    assert stored(made, days(2)) == rows(1, 2)
    assert "produced no data for 2026-03-01; skipping the write to memory_destination" in caplog.text
    warned = [event for event in events if event.name == "log"]
    assert [event.keys for event in warned] == [("2026-03-01",), ("2026-03-02",)]
    assert warned[0].values["level"] == "warning"
    assert not [event for event in events if event.name.startswith("dest_write")]


def test_no_rows_in_one_slice_keep_what_that_partition_held() -> None:
    values = [rows(1, 2)]
    made = returning(lambda c: values[0])(destinations=MemoryDestination())
    made.materialize(window=days(2))
    values[0] = rows(1, version=2)

    assert statuses(execute(made, days(2), "second")) == [("01", "committed"), ("02", "kept")]
    assert stored(made, days(2)) == [*rows(1, version=2), *rows(2)]


@pytest.mark.parametrize("left", [[], rows(1, version=2)])
def test_no_rows_may_replace_what_was_held(left: list[dict[str, Any]]) -> None:
    values = [rows(1, 2)]
    made = returning(lambda c: values[0], on_empty="replace")(destinations=MemoryDestination())
    made.materialize(window=days(2))
    values[0] = left

    first = "committed" if left else "empty"
    assert statuses(execute(made, days(2), "second")) == [("01", first), ("02", "empty")]
    assert stored(made, days(2)) == left


def test_no_rows_may_be_a_failure() -> None:
    made = returning(rows(1), on_empty="fail")(destinations=MemoryDestination())
    result = execute(made, days(2))

    assert statuses(result) == [("01", "committed"), ("02", "failed")]
    with pytest.raises(AssetError, match="1 of 2 partition writes failed"):
        result.raise_for_failures()
    whole = returning([], partitioning=None, on_empty="fail")(destinations=MemoryDestination())
    with pytest.raises(AssetError, match="produced no rows for the asset"):
        whole.materialize()


def test_the_result_is_conformed_and_normalised() -> None:
    """A102, A103."""
    made = returning([{"Day": "2026-03-01", "Version": "1"}], schema=Orders, normalizer=Normalizer())()

    assert made.run(window=days(1)) == rows(1)
    with pytest.raises(SchemaError):
        made(materialization_strategy="strict").run(window=days(1))


# --- data that is no table -------------------------------------------------------------------------------------------


def test_a_value_that_is_no_table_is_stored_under_each_partition(tmp_path: Path) -> None:
    """D091, A022."""
    made = returning({"model", "weights"})(destinations=FileDestination(base_path=tmp_path))
    result = execute(made, days(2))

    assert statuses(result) == [("01", "committed"), ("02", "committed")]
    assert stored(made, days(2)) == [{"model", "weights"}] * 2
    assert stored(made, days(1)) == {"model", "weights"}


def test_a_slice_does_not_take_its_neighbours_along(tmp_path: Path) -> None:
    notes = [f"note {number}" for number in range(10_000)]
    table = pa.table({"day": [day(1)] * 9_999 + [day(2)], "note": notes})
    returning(table)(destinations=FileDestination(base_path=tmp_path)).materialize(window=days(2))

    sizes = {path.parent.name: path.stat().st_size for path in tmp_path.rglob("data.pkl")}
    assert sizes["day=2026-03-02"] < 2_000 < sizes["day=2026-03-01"]
    assert b"note 5" not in next(tmp_path.rglob("day=2026-03-02/data.pkl")).read_bytes()


def test_a_value_that_is_no_table_does_not_fit_a_schema() -> None:
    """A023."""
    with pytest.raises(AssetError, match="returned a set, which is no table, but the asset declares a schema"):
        returning({1}, schema=Orders)().run(window=days(1))


def test_a_table_store_refuses_a_value_that_is_no_table(tmp_path: Path) -> None:
    made = returning({1})(destinations=ParquetDestination(base_path=tmp_path))

    with pytest.raises(AssetsError, match="holds tables only"):
        made.materialize(window=days(1))


# --- each partition has an outcome of its own ------------------------------------------------------------------------


def test_one_partition_fails_and_a_retry_writes_only_that_one(index_uri: Path) -> None:
    made = returning(rows(1, 2, 3, 4, 5))(destinations=Failing())
    Failing.fails = {"2026-03-03"}
    first = execute(made, days(5))

    ok = ["01", "02", "04", "05"]
    assert statuses(first) == [(f"0{n}", "failed" if n == 3 else "committed") for n in range(1, 6)]
    with pytest.raises(AssetError, match=r"1 of 5 partition writes failed: 2026-03-03: FAILED, OSError") as caught:
        first.raise_for_failures()
    assert isinstance(caught.value.__cause__, OSError)
    index = open_index().read("orders")
    assert (index.keys, index.failed) == ([f"2026-03-{n}" for n in ok], ["2026-03-03"])

    Failing.fails = set()
    again = execute(made, days(5))
    assert statuses(again) == [(f"0{n}", "committed" if n == 3 else "held") for n in range(1, 6)]
    assert [outcome.rows for outcome in again.outcomes] == [1] * 5
    assert open_index().read("orders").failed == []

    assert statuses(execute(made, days(5))) == [(f"0{n}", "held") for n in range(1, 6)]
    assert statuses(execute(made, days(5), "second")) == [(f"0{n}", "committed") for n in range(1, 6)]


def test_without_windows_an_asset_runs_partition_by_partition_and_resumes() -> None:
    calls: list[str] = []
    broken = {"2026-03-03"}

    def data(context: Any) -> list[dict[str, Any]]:
        calls.append(context.partition.key)
        if context.partition.key in broken:
            raise ConnectionError("gone")
        return [{"day": context.partition.date, "version": 1}]

    made = returning(data, partitioning=DAILY)(destinations=MemoryDestination())
    result = execute(made, days(4))
    assert statuses(result) == [("01", "committed"), ("02", "committed"), ("03", "failed"), ("04", "committed")]
    with pytest.raises(AssetError, match="1 of 4 partition writes failed") as caught:
        result.raise_for_failures()
    assert isinstance(caught.value.__cause__, ConnectionError)
    assert stored(made, days(4)) == rows(1, 2, 4)
    index = open_index().read("orders")
    assert (index.keys, index.failed) == (["2026-03-01", "2026-03-02", "2026-03-04"], ["2026-03-03"])

    calls.clear()
    broken.clear()
    assert statuses(execute(made, days(4))) == [
        ("01", "held"),
        ("02", "held"),
        ("03", "committed"),
        ("04", "held"),
    ]
    assert calls == ["2026-03-03"]
    assert made.materialize(window=days(4)) == rows(1, 2, 3, 4)


def test_a_partition_that_its_store_refused_does_not_stop_the_next_one() -> None:
    Failing.fails = {"2026-03-01"}
    made = returning(lambda c: rows(c.partition.date.day), partitioning=DAILY)(destinations=Failing())

    assert statuses(execute(made, days(2))) == [("01", "failed"), ("02", "committed")]


def test_of_two_destinations_one_fails_and_the_other_stands(tmp_path: Path) -> None:
    Failing.fails = {"2026-03-01", "2026-03-02"}
    csv = CSVDestination(base_path=tmp_path)
    made = returning(rows(1, 2))(destinations=[Failing(), csv])
    first = execute(made, days(2))

    assert [(o.destination, o.status) for o in first.outcomes] == [
        ("failing", "failed"), ("failing", "failed"),
        ("csv_destination", "committed"), ("csv_destination", "committed"),
    ]  # fmt: skip
    with pytest.raises(AssetError, match="2 of 4 partition writes failed"):
        first.raise_for_failures()

    Failing.fails = set()
    again = execute(made, days(2))
    assert [o.status for o in again.outcomes] == ["committed", "committed", "held", "held"]


def test_a_superseded_writer_says_so_and_changes_nothing() -> None:
    made: Any = None

    def slow(context: Any) -> list[dict[str, Any]]:
        runner.execute(returning(rows(1, version=2))(destinations=MemoryDestination()), windows=(days(1),),
                       info=RunInfo("newer"))  # fmt: skip
        return rows(1)

    made = returning(slow)(destinations=MemoryDestination())
    result = execute(made, days(1))

    assert statuses(result) == [("01", "superseded")]
    with pytest.raises(SupersededError, match="a newer attempt has committed"):
        result.raise_for_failures()
    assert stored(made, days(1)) == rows(1, version=2)
    assert open_index().read("orders").held("2026-03-01").held == "committed"


def test_a_retry_tells_the_index_what_it_missed(index_uri: Path) -> None:
    made = returning(rows(1))(destinations=MemoryDestination())
    execute(made, days(1))
    for file in index_uri.rglob("*.jsonl"):
        file.unlink()

    assert statuses(execute(made, days(1))) == [("01", "held")]
    assert open_index().read("orders").keys == ["2026-03-01"]


def test_the_commit_record_says_who_from_what_and_when(tmp_path: Path) -> None:
    class Shop(Source):
        @asset(partitioning=WINDOWS)
        def raw(self) -> list[dict[str, Any]]:
            return rows(1, 2)

        @asset
        def rates(self) -> list[dict[str, Any]]:
            return [{"n": 1}]

        @asset(partitioning=WINDOWS, schema=Orders, code_version="7")
        def clean(self, raw: Upstream, rates: Upstream) -> list[dict[str, Any]]:
            return raw.rows

    shop = Shop(destinations=ParquetDestination(base_path=tmp_path))
    for made in (shop.raw, shop.rates, shop.clean):
        execute(made, days(2), f"{made.key}-attempt")

    record = open_index().read("shop.clean").records["2026-03-02"]
    assert (record.attempt, record.rows, record.state, record.run) == ("clean-attempt", 1, "committed", {"run_id": "r"})
    assert record.upstreams == {"shop.raw": "1-raw-attempt", "shop.rates": "1-rates-attempt"}
    assert record.schema_fingerprint == Orders.fingerprint()
    assert record.code_fingerprint
    assert record.started_at <= record.committed_at
    assert record.uri.startswith("file://")


# --- upstreams -------------------------------------------------------------------------------------------------------


class Pair(Source):
    @asset(partitioning=WINDOWS)
    def raw(self, context: Any) -> list[dict[str, Any]]:
        return [{"day": partition.date, "version": 1} for partition in context.window]

    @asset(partitioning=WINDOWS)
    def clean(self, raw: Upstream) -> list[dict[str, Any]]:
        return [{"day": day(1), "seen": raw.data is not None, "rows": len(raw.rows), "missing": list(raw.missing)}]


def test_an_upstream_that_is_not_there_is_none_and_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    pair = Pair(destinations=MemoryDestination())
    events: list[str] = []
    with listening(lambda event: events.append(event.name)):
        data = pair.clean.materialize(window=days(2))

    assert data == [{"day": day(1), "seen": False, "rows": 0, "missing": ["2026-03-01", "2026-03-02"]}]
    assert "asset 'pair.clean' reads asset 'pair.raw', but nothing is stored there" in caplog.text
    assert "log" in events


def test_a_window_with_a_hole_gives_what_is_there_and_names_the_hole(caplog: pytest.LogCaptureFixture) -> None:
    pair = Pair(destinations=MemoryDestination())
    pair.raw.materialize(window=days(1))
    pair.raw.materialize(window=days(1, day(3)))

    assert pair.clean.run(window=days(3)) == [{"day": day(1), "seen": True, "rows": 2, "missing": ["2026-03-02"]}]
    assert "which misses 2026-03-02" in caplog.text


def test_an_upstream_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    pair = Pair(destinations=CSVDestination(base_path=tmp_path))
    pair.raw.materialize(window=days(1))
    next(tmp_path.rglob("data.csv")).write_bytes(b"torn")

    with pytest.raises(AssetError, match=r"asset 'pair.clean': upstream 'pair.raw' could not be read"):
        pair.clean.materialize(window=days(1))


def test_an_upstream_that_is_bound_is_read_from_its_own_destination(tmp_path: Path) -> None:
    """A100."""
    raw = returning([{"n": 1}], partitioning=None)(destinations=FileDestination(base_path=tmp_path))
    raw.materialize()

    @asset
    def report(orders: Upstream) -> list[dict[str, Any]]:
        return orders.rows

    assert report(orders=raw).run() == [{"n": 1}]
    with pytest.raises(AssetsError, match="which is not there"):
        report().run()


def test_a_sibling_that_cannot_be_wired_does_not_stop_the_others() -> None:
    class Shop(Source):
        @asset
        def users(self) -> list[dict[str, Any]]:
            return [{"n": 1}]

        @asset
        def report(self, nowhere: Upstream) -> list[dict[str, Any]]:
            return []

    assert Shop().users.run() == [{"n": 1}]


# --- custom destinations ---------------------------------------------------------------------------------------------


class Box(Destination):
    """Partition hooks, sync."""

    held: ClassVar[dict[str, Any]] = {}
    loops: ClassVar[set[int]] = set()
    place: str = "a"

    def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
        self.held[f"{context.table}/{partition}"] = data

    def read_partition(self, context: IOContext, partition: Any) -> Any:
        try:
            return self.held[f"{context.table}/{partition}"]
        except KeyError:
            raise DataNotFoundError("nothing", where="box", fix="write") from None


class AsyncBox(Destination):
    """Partition hooks that take effect only behind an await, and note their event loop."""

    held: ClassVar[dict[str, Any]] = {}
    loops: ClassVar[set[int]] = set()

    async def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
        await asyncio.sleep(0.001)
        self.loops.add(id(asyncio.get_running_loop()))
        self.held[f"{context.table}/{partition}"] = data

    async def read_partition(self, context: IOContext, partition: Any) -> Any:
        await asyncio.sleep(0.001)
        self.loops.add(id(asyncio.get_running_loop()))
        try:
            return self.held[f"{context.table}/{partition}"]
        except KeyError:
            raise DataNotFoundError("nothing", where="box", fix="write") from None


class WholeBox(Destination):
    """Only ``write`` and ``read``, async."""

    held: ClassVar[dict[str, Any]] = {}
    loops: ClassVar[set[int]] = set()

    async def write(self, context: IOContext, data: Any) -> None:
        await asyncio.sleep(0.001)
        (partition,) = context.partitions
        self.held[f"{context.table}/{partition}"] = data

    async def read(self, context: IOContext) -> Any:
        await asyncio.sleep(0.001)
        return [row for p in context.partitions for row in self.held.get(f"{context.table}/{p}", [])]


@pytest.mark.parametrize("kind", [Box, AsyncBox, WholeBox])
def test_a_custom_destination_takes_part_fully(kind: Any) -> None:
    """D055, D056, D057."""
    kind.held.clear()
    kind.loops.clear()
    pair = Pair(destinations=kind())
    first = execute(pair.raw, days(3))

    assert statuses(first) == [("01", "committed"), ("02", "committed"), ("03", "committed")]
    assert len(kind.held) == 3
    assert statuses(execute(pair.raw, days(3))) == [("01", "held"), ("02", "held"), ("03", "held")]
    assert statuses(execute(pair.raw, days(3), "second"))[0] == ("01", "committed")
    assert pair.clean.run(window=days(3))[0]["rows"] == 3
    assert pair.raw.partition_row_counts() == {"2026-03-01": 1, "2026-03-02": 1, "2026-03-03": 1}


def test_async_hooks_share_one_loop_within_a_run() -> None:
    AsyncBox.held.clear()
    AsyncBox.loops.clear()
    pair = Pair(destinations=AsyncBox())
    execute(pair.raw, days(5))

    assert len(AsyncBox.loops) == 1


class Client:
    """Belongs to the loop it was made in, as clients do."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.log: list[str] = []

    async def send(self, text: str) -> None:
        assert asyncio.get_running_loop() is self.loop
        await asyncio.sleep(0.001)
        self.log.append(text)  # only behind an await


def awaited(hook: Any) -> Any:
    """A decorator that hides that the hook is async."""
    return lambda *args: hook(*args)


class Clients(Destination):
    """Makes a client in its first hook, and uses it in the others; its counts are awaited, too."""

    clients: ClassVar[list[Client]] = []
    held: ClassVar[dict[str, Any]] = {}

    @awaited
    async def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
        if not self.clients:
            self.clients.append(Client())
        await self.clients[0].send(f"write {partition.key}")
        self.held[partition.key] = data

    async def read_partition(self, context: IOContext, partition: Any) -> Any:
        await asyncio.sleep(0.001)
        return self.held[partition.key]

    @awaited
    async def partition_row_counts(self, context: IOContext) -> dict[str, int]:
        await asyncio.sleep(0.001)
        return {key: len(data) for key, data in self.held.items()}


@pytest.mark.parametrize("windows", [True, False])
def test_a_client_made_in_one_hook_serves_the_next_and_nothing_is_left_unawaited(windows: bool) -> None:
    """Every hook records only after an await, and data() is async as well."""
    Clients.clients, Clients.held = [], {}
    made_in: list[Any] = []

    async def orders(context: Any) -> Any:
        await asyncio.sleep(0.001)
        made_in.append(asyncio.get_running_loop())
        return [{"day": partition.date, "version": 1} for partition in context.window]

    made = asset(partitioning=TimePartitionConfig(column="day", allow_window=windows))(orders)(destinations=Clients())
    execute(made, days(3))

    assert Clients.clients[0].log == ["write 2026-03-01", "write 2026-03-02", "write 2026-03-03"]
    assert set(made_in) == {Clients.clients[0].loop}
    assert made.partition_row_counts() == {"2026-03-01": 1, "2026-03-02": 1, "2026-03-03": 1}


def test_a_custom_destination_is_superseded_by_a_newer_attempt() -> None:
    def slow(context: Any) -> list[dict[str, Any]]:
        execute(returning(rows(1, version=2))(destinations=Box()), days(1), "newer")
        return rows(1)

    Box.held.clear()
    made = returning(slow)(destinations=Box())

    assert statuses(execute(made, days(1))) == [("01", "superseded")]
    assert Box.held == {"orders/2026-03-01": rows(1, version=2)}


def test_what_a_custom_destination_left_half_written_is_not_read() -> None:
    class Dying(Box):
        dies: ClassVar[bool] = True

        def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
            super().write_partition(context, partition, data)
            if self.dies:
                raise KeyboardInterrupt

    pair = Pair(destinations=Dying())
    with pytest.raises(KeyboardInterrupt):
        execute(pair.raw, days(1))

    with pytest.raises(AssetError, match=r"upstream 'pair.raw' could not be read: is unknown: a write began"):
        pair.clean.run(window=days(1))
    Dying.dies = False
    execute(pair.raw, days(1), "second")
    assert pair.clean.run(window=days(1))[0]["rows"] == 1


# --- event loops -----------------------------------------------------------------------------------------------------


def test_materialize_works_inside_a_running_loop() -> None:
    async def orders(context: Any) -> list[dict[str, Any]]:
        await asyncio.sleep(0.001)
        return rows(1)

    made = asset(partitioning=WINDOWS)(orders)(destinations=AsyncBox())

    async def main() -> Any:
        return made.materialize(window=days(1))

    assert asyncio.run(main()) == rows(1)


def test_materialize_async_leaves_the_loop_free() -> None:
    """A011: a sync function runs in a worker thread."""
    released = threading.Event()

    def data(context: Any) -> list[dict[str, Any]]:
        assert released.wait(5), "the loop was blocked"
        return rows(1)

    made = returning(data)(destinations=MemoryDestination())

    async def main() -> Any:
        task = asyncio.create_task(made.materialize_async(window=days(1)))
        await asyncio.sleep(0.02)
        released.set()
        return await task

    assert asyncio.run(main()) == rows(1)


def test_materialize_async_awaits_on_the_callers_loop() -> None:
    """A012, D057."""
    seen: list[Any] = []

    async def orders() -> list[dict[str, Any]]:
        seen.append(asyncio.get_running_loop())
        return [{"n": 1}]

    async def main() -> Any:
        await asset(orders)(destinations=AsyncBox()).materialize_async()
        return asyncio.get_running_loop()

    AsyncBox.loops.clear()
    loop = asyncio.run(main())
    assert seen == [loop]
    assert AsyncBox.loops == {id(loop)}


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_a_password_appears_nowhere_when_a_run_fails(
    tmp_path: Path, index_uri: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "hunter2-secret"
    caplog.set_level(logging.DEBUG)

    class Api(Connection):
        host: str
        password: str

    class Leaky(Box):
        url: str = f"http://user.test:{secret}@shop.test/"
        password: str = secret

        def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
            if str(partition) == "2026-03-02":
                raise AssetsError("the store refused", where=self.label, fix="look at it")
            super().write_partition(context, partition, data)

    text = json.dumps({"conn_type": "http", "host": "x", "password": secret, "extra": {"token": secret}})
    monkeypatch.setenv("AIRFLOW_CONN_API", text)

    class Shop(Source):
        api: Api

        @asset(partitioning=WINDOWS)
        def orders(self, api: Api) -> list[dict[str, Any]]:
            assert api.password == self.api.password == secret  # type: ignore[union-attr]
            return rows(1, 2)

    events: list[Event] = []
    for api in (Api(conn_id="api"), Api(host="x", password=secret)):
        shop = Shop(api=api, destinations=Leaky())
        with listening(events.append), pytest.raises(AssetError) as caught:
            shop.orders.materialize(window=days(2), metadata={"run": "r"})
        assert "the store refused" in str(caught.value)
        assert secret not in f"{caught.value}{caught.value!r}{caught.value.__cause__}{shop.api!r}{shop.orders!r}"

    written = "".join(path.read_text(encoding="utf-8") for path in index_uri.rglob("*") if path.is_file())
    assert "the store refused" in written
    assert "http://shop.test/" in written
    assert secret not in written
    assert secret not in caplog.text
    assert secret not in repr(events)


def test_the_words_of_others_stay_out_of_what_is_kept(index_uri: Path) -> None:
    Failing.fails = {"2026-03-01", "2026-03-02"}
    made = returning(rows(1, 2))(destinations=Failing())
    events: list[Event] = []
    with listening(events.append), pytest.raises(AssetError) as caught:
        made.materialize(window=days(2))

    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in repr(events)
    assert not any("hunter2" in path.read_text(encoding="utf-8") for path in index_uri.rglob("*.jsonl"))


def test_a_damaged_commit_record_is_mended_by_the_run(tmp_path: Path) -> None:
    made = returning(rows(1, 2))(destinations=ParquetDestination(base_path=str(tmp_path)))
    execute(made, days(2))
    (record,) = tmp_path.glob("**/_ledger/records/2026-03-01*")
    record.write_text("{", encoding="utf-8")

    assert statuses(execute(made, days(2), "second")) == [("01", "committed"), ("02", "committed")]
    assert stored(made, days(2)).num_rows == 2


@pytest.mark.parametrize(
    ("value", "message"),
    [([{"n": 1}, {"n": {1, 2}}], "asset 'orders': row 1, column 'n': a value of type set"), ({1}, "returned a set")],
)
def test_what_one_destination_cannot_hold_is_written_to_none(value: Any, message: str, tmp_path: Path) -> None:
    stores = [FileDestination(base_path=str(tmp_path / "a")), ParquetDestination(base_path=str(tmp_path / "b"))]
    made = returning(value, None)(destinations=stores)

    with pytest.raises(AssetsError, match=message):
        execute(made)
    assert list(tmp_path.glob("**/data.*")) == []


def test_instances_of_a_dataclass_that_is_the_schema_are_rows() -> None:
    @dataclasses.dataclass
    class Order:
        day: dt.date
        version: int

    made = returning([Order(day(1), 7)], schema=Order)(destinations=MemoryDestination())

    assert statuses(execute(made, days(1))) == [("01", "committed")]
    assert stored(made, days(1)) == [{"day": day(1), "version": 7}]


def test_a_partition_column_that_fits_no_path_is_told_before_the_data_is_made(tmp_path: Path) -> None:
    made = returning(lambda _: pytest.fail("was called"), TimePartitionConfig(column="x" * 300))(
        destinations=ParquetDestination(base_path=str(tmp_path))
    )

    with pytest.raises(PartitionError, match="does not fit a path as partition column"):
        execute(made, days(1))
    assert list(tmp_path.iterdir()) == []


def test_a_graph_is_where_upstreams_are_found() -> None:
    """A096: the graph's own node is read; without a graph what is bound, or the sibling."""

    @asset
    def base() -> list[dict[str, Any]]:
        return [{"n": 1}]

    @asset
    def report(base: Upstream) -> list[dict[str, Any]]:
        return base.rows

    memory = MemoryDestination()
    node, alone = base(destinations=memory), report(destinations=memory)
    node.materialize()

    assert alone.materialize(dag=AssetGraph(node, alone)) == [{"n": 1}]
    assert report(base=node).materialize() == [{"n": 1}]
    with pytest.raises(AssetNotFoundError, match="parameter 'base' reads 'base', which is not there"):
        alone.materialize()
    with pytest.raises(AssetNotFoundError, match="is not part of the graph"):
        alone.materialize(dag=AssetGraph(node))


def test_the_result_is_reshaped_and_fitted_in_a_thread_while_the_loop_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A105, A011."""
    threads: dict[str, int] = {}

    class Noting(Normalizer):
        def normalize(self, data: Any, *, where: str) -> Any:
            threads["normalize"] = threading.get_ident()
            return super().normalize(data, where=where)

    def noting(*args: Any, **kwargs: Any) -> Any:
        threads["conform"] = threading.get_ident()
        return conform(*args, **kwargs)

    monkeypatch.setattr("airflow_provider.execution.produce.conform", noting)
    made = returning([{"n": 1}], partitioning=None, normalizer=Noting())(destinations=MemoryDestination())

    async def main() -> int:
        await made.materialize_async()
        return threading.get_ident()

    loop = asyncio.run(main())
    assert loop not in threads.values()
    assert len(threads) == 2


@pytest.mark.parametrize("yields", [0, 2])
def test_a_value_returned_from_a_generator_is_refused_before_any_write(yields: int, tmp_path: Path) -> None:
    @ap.asset
    def mixed():
        for n in range(yields):
            yield {"n": n}
        return [{"n": 9}]

    made = mixed(destinations=ap.ParquetDestination(base_path=str(tmp_path)))
    with pytest.raises(ap.errors.AssetError, match="returned a list from a function that also has a yield"):
        made.materialize()
    assert not list(tmp_path.rglob("data.parquet"))


def test_a_narrowed_computation_drops_what_is_left_out() -> None:
    @ap.multi_asset(outputs=[ap.AssetDef("p"), ap.AssetDef("q")])
    def feed():
        yield ap.Output("p", [{"n": 1}])
        yield ap.Output("q", [{"n": 2}])

    assert feed(outputs=["q"], destinations=ap.MemoryDestination()).materialize() == {"q": [{"n": 2}]}
    ap.MemoryDestination.clear()
