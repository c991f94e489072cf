"""Assets that yield more than a batch: what is stored, what a failure leaves, what each destination is given."""

import asyncio
import datetime as dt
import errno
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_provider import AssetDef, multi_asset
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Output
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import AssetError, DataNotFoundError, PartitionError, SchemaError
from airflow_provider.execution import runner, spool, stream
from airflow_provider.execution.events import listening
from airflow_provider.execution.outcome import RunResult
from airflow_provider.execution.write import RunInfo
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow
from airflow_provider.schema import Schema

FIRST = dt.date(2026, 3, 1)
DAYS = TimePartitionWindow(FIRST, dt.date(2026, 3, 3))
COUNT = 50


class Orders(Schema):
    day: dt.date
    n: int


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(stream, "BATCH_ROWS", 10)
    monkeypatch.setattr(spool, "BATCH_ROWS", 10)
    folder = tmp_path / "spool"
    folder.mkdir()
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__SPOOL_DIR", str(folder))
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    return folder


def row(number: int) -> dict[str, Any]:
    return {"day": FIRST + dt.timedelta(days=number % 3), "n": number}


def rows(count: int = COUNT) -> Iterator[dict[str, Any]]:
    return map(row, range(count))


def returning(value: Any, *destinations: Any, windows: bool = True, **settings: Any) -> Any:
    """An asset called ``orders`` that returns what ``value`` gives when called."""

    @asset(partitioning=TimePartitionConfig(column="day", allow_window=windows), **settings)
    def orders(context: Any) -> Any:
        return value()

    return orders(destinations=list(destinations))


def execute(made: Asset, attempt: str = "first") -> RunResult:
    return runner.execute(made, windows=(DAYS,), info=RunInfo(attempt))


def stored(destination: Any, made: Asset, window: Any = DAYS) -> list[list[int]]:
    """The numbers in each partition."""
    found = []
    for partition in window:
        try:
            table = destination.read_partition(IOContext(made, window), partition)
        except DataNotFoundError:
            found.append([])
            continue
        found.append([one["n"] for one in (table if isinstance(table, list) else table.to_pylist())])
    return found


EACH = [list(range(start, COUNT, 3)) for start in range(3)]


@pytest.fixture(params=[ParquetDestination, CSVDestination], ids=["parquet", "csv"])
def destination(request: Any, tmp_path: Path) -> Any:
    return request.param(base_path=str(tmp_path / "data"))


# --- every kind of stream ----


async def async_rows() -> Any:
    for one in rows():
        await asyncio.sleep(0)
        yield one


async def rows_in_a_coroutine() -> Any:
    return rows()


def pages() -> Iterator[Any]:
    held = list(rows())
    return (held[start : start + 7] for start in range(0, COUNT, 7))


def whole() -> pa.Table:
    return pa.Table.from_pylist(list(rows()))


@pytest.mark.parametrize(
    "value",
    [
        rows,
        pages,
        async_rows,
        rows_in_a_coroutine,
        lambda: iter(list(rows())),
        lambda: (Orders(**one) for one in rows()),
        lambda: iter([whole().slice(0, 20), whole().slice(20)]),
        lambda: (pd.DataFrame(page) for page in pages()),
        lambda: whole().to_reader(max_chunksize=4),
    ],
    ids=["rows", "pages", "async", "coroutine", "iterator", "models", "tables", "frames", "reader"],
)
def test_a_stream_is_stored_as_if_it_had_been_returned_whole(value: Any, destination: Any) -> None:
    made = returning(value, destination)
    result = execute(made)

    assert [(outcome.status, outcome.rows) for outcome in result.outcomes] == [
        ("committed", 17), ("committed", 17), ("committed", 16),
    ]  # fmt: skip
    assert stored(destination, made) == EACH
    at_once = type(destination)(base_path=f"{destination.base_path}-at-once")
    plain = returning(lambda: list(rows()), at_once)
    execute(plain)
    assert destination.read(IOContext(made, DAYS)) == at_once.read(IOContext(plain, DAYS))
    assert [r.schema_fingerprint for r in destination.committer(IOContext(made)).all_records()] == [
        r.schema_fingerprint for r in at_once.committer(IOContext(plain)).all_records()
    ]


def test_a_duckdb_relation_is_streamed(destination: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    made = returning(
        lambda: duckdb.sql(f"select date '2026-03-01' + (i % 3)::int as day, i as n from range({COUNT}) t(i)"),
        destination,
    )
    execute(made)

    assert stored(destination, made) == EACH


def test_without_partitions_a_stream_is_one_file(destination: Any) -> None:
    @asset
    def orders() -> Any:
        return rows()

    made = orders(destinations=destination)
    (outcome,) = runner.execute(made, windows=None).outcomes

    assert outcome.rows == COUNT
    assert destination.read(IOContext(made)).column("n").to_pylist() == list(range(COUNT))


def test_an_asset_without_windows_streams_each_partition(destination: Any) -> None:
    @asset(partitioning=TimePartitionConfig(column="day"))
    def orders(context: Any) -> Any:
        return ({"day": context.partition_date, "n": number} for number in range(COUNT))

    made = orders(destinations=destination)
    reader = made.materialize(window=DAYS)

    assert stored(destination, made) == [list(range(COUNT))] * 3
    assert reader.read_all().num_rows == 3 * COUNT


def test_row_groups_are_written_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow_provider.destinations import parquet

    monkeypatch.setattr(parquet, "_GROUP_ROWS", 10)
    made = returning(rows, ParquetDestination(base_path=str(tmp_path / "data")))
    execute(made)

    metadata = pq.read_metadata(next((tmp_path / "data").rglob("day=2026-03-01/data.parquet")))
    assert [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)] == [10, 7]


# --- what a run gives back ----


def test_what_fits_one_batch_is_given_back_as_it_was_yielded(destination: Any) -> None:
    made = returning(lambda: rows(9), destination)

    assert made.materialize(window=DAYS) == list(rows(9))


def test_more_is_given_back_as_a_reader_of_what_is_stored(destination: Any) -> None:
    made = returning(rows, destination)
    reader = made.materialize(window=DAYS)

    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.read_all().column("n").to_pylist() == [n for part in EACH for n in part]


def test_run_collects_for_nothing_is_stored(destination: Any) -> None:
    assert returning(rows, destination).run(window=DAYS) == list(rows())
    assert returning(rows).materialize(window=DAYS) == list(rows())


@pytest.mark.parametrize("kind", [MemoryDestination, FileDestination])
def test_a_destination_that_takes_what_was_yielded_gets_all_of_it(kind: Any, destination: Any, tmp_path: Path) -> None:
    other = kind() if kind is MemoryDestination else kind(base_path=str(tmp_path / "pickle"))
    made = returning(rows, destination, other)

    assert made.materialize(window=DAYS) == list(rows())
    assert stored(destination, made) == stored(other, made) == EACH


def test_one_event_tells_of_the_data_and_one_of_each_write(destination: Any) -> None:
    log: list[Any] = []
    with listening(lambda event: log.append((event.name, event.values.get("rows")))):
        execute(returning(rows, destination))

    assert log == [
        ("asset_data_started", None), ("asset_data_completed", None),
        ("dest_write_started", None), ("dest_write_completed", 17),
        ("dest_write_started", None), ("dest_write_completed", 17),
        ("dest_write_started", None), ("dest_write_completed", 16),
    ]  # fmt: skip


# --- failures ----


def broken(after: int, log: list[str]) -> Iterator[Any]:
    try:
        yield from rows(after)
        raise ZeroDivisionError("the source went away")
    finally:
        log.append("closed")


@pytest.mark.parametrize("after", [5, 35])
def test_a_generator_that_fails_leaves_every_partition_as_it_was(after: int, destination: Any) -> None:
    before = returning(lambda: list(rows(3)), destination)
    execute(before)
    log: list[str] = []
    seen: list[str] = []
    with listening(lambda event: seen.append(event.name)), pytest.raises(ZeroDivisionError):
        execute(returning(lambda: broken(after, log), destination), "second")

    assert log == ["closed"]
    assert seen == ["asset_data_started", "asset_data_failed"]
    assert stored(destination, before) == [[0], [1], [2]]


def test_an_async_generator_that_fails_is_closed_too(destination: Any) -> None:
    log: list[str] = []

    async def failing() -> Any:
        try:
            async for one in async_rows():
                yield one
            raise ZeroDivisionError
        finally:
            await asyncio.sleep(0)
            log.append("closed")

    with pytest.raises(ZeroDivisionError):
        execute(returning(failing, destination))
    assert log == ["closed"]


def test_what_does_not_fit_closes_the_generator(destination: Any) -> None:
    log: list[str] = []

    def odd() -> Iterator[Any]:
        try:
            yield from rows(35)
            yield {"day": FIRST, "n": "many"}
            yield from rows()
        finally:
            log.append("closed")

    with pytest.raises(SchemaError, match="row 35, column 'n'"):
        execute(returning(odd, destination, schema=Orders))
    assert log == ["closed"]
    with pytest.raises(AssetError, match="yielded a str as item 35"):
        execute(returning(lambda: iter([*rows(35), "many"]), destination))


def stray() -> Iterator[Any]:
    for number, one in enumerate(rows()):
        yield {**one, "day": dt.date(2026, 4, 1)} if number == 33 else {**one, "day": None} if number == 44 else one


def test_strays_are_refused_before_any_write_and_named_by_their_row(destination: Any, tmp_path: Path) -> None:
    with pytest.raises(PartitionError, match=r"row 33 has day=2026-04-01, .*2 such rows, 1 of them without a value"):
        execute(returning(stray, destination))
    assert list(tmp_path.rglob("data.*")) == []


def test_strays_that_are_dropped_are_counted(destination: Any, caplog: pytest.LogCaptureFixture) -> None:
    made = returning(stray, destination, stray_rows="drop")
    with caplog.at_level(logging.WARNING):
        execute(made)

    assert "dropped 2 rows outside the window" in caplog.text
    assert sum(map(len, stored(destination, made))) == COUNT - 2


def test_a_full_spool_fails_the_run_before_any_write(
    destination: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    write = spool.Spool._write

    def full(self: Any, content: memoryview) -> None:
        written.append(len(content))
        if len(written) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, content)

    monkeypatch.setattr(spool.Spool, "_write", full)
    monkeypatch.setattr("airflow_provider.execution.intake._PLACED_AT_ONCE", 1)
    with pytest.raises(AssetError, match=r"could not be spooled .* No space left on device"):
        execute(returning(rows, destination))
    assert list(tmp_path.rglob("data.*")) == []


def test_nothing_is_left_in_the_spool(destination: Any, small_batches: Path) -> None:
    execute(returning(rows, destination))
    with pytest.raises(ZeroDivisionError):
        execute(returning(lambda: broken(35, []), destination), "second")

    assert list(small_batches.iterdir()) == []


# --- partitions without rows ----


def first_day() -> Iterator[Any]:
    return ({"day": FIRST, "n": number} for number in range(COUNT))


def test_a_partition_without_rows_keeps_what_it_held(destination: Any) -> None:
    made = returning(first_day, destination)
    execute(returning(rows, destination))
    result = execute(made, "second")

    assert [outcome.status for outcome in result.outcomes] == ["committed", "kept", "kept"]
    assert stored(destination, made) == [list(range(COUNT)), EACH[1], EACH[2]]


def test_or_becomes_empty_where_that_is_asked_for(destination: Any) -> None:
    execute(returning(rows, destination))
    made = returning(first_day, destination, on_empty="replace")
    result = execute(made, "second")

    assert [outcome.status for outcome in result.outcomes] == ["committed", "empty", "empty"]
    assert stored(destination, made) == [list(range(COUNT)), [], []]


# --- several destinations ----


class Feed(Destination):
    """Takes readers, awaits, and may fail at its nth write."""

    representation: ClassVar[str] = "arrow"
    streams: ClassVar[bool] = True
    got: ClassVar[dict[str, list[int]]] = {}
    batches: ClassVar[list[int]] = []
    fails: ClassVar[set[str]] = set()

    async def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
        assert isinstance(data, pa.RecordBatchReader)
        await asyncio.sleep(0)
        if partition.key in self.fails:
            raise OSError("full")
        held: list[int] = []
        for batch in data:
            self.batches.append(batch.num_rows)
            held += batch.column("n").to_pylist()
        self.got[partition.key] = held

    def read_partition(self, context: IOContext, partition: Any) -> Any:
        if partition.key not in self.got:
            raise DataNotFoundError("no", where="feed", fix="write it")
        return pa.table({"n": self.got[partition.key]})


class Tables(Feed):
    """Takes tables."""

    streams: ClassVar[bool] = False

    async def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
        assert isinstance(data, pa.Table)
        self.got[partition.key] = data.column("n").to_pylist()


class Readers(Feed):
    """Asks for readers by the form."""

    representation: ClassVar[str] = "reader"
    streams: ClassVar[bool] = False


@pytest.fixture(autouse=True)
def fresh() -> None:
    Feed.got, Tables.got, Feed.batches, Feed.fails = {}, {}, [], set()
    MemoryDestination.clear()


def test_each_destination_reads_the_stream_for_itself(tmp_path: Path) -> None:
    parquet = ParquetDestination(base_path=str(tmp_path / "parquet"))
    csv = CSVDestination(base_path=str(tmp_path / "csv"))
    feed, tables = Feed(), Tables()
    made = returning(rows, feed, parquet, csv, tables)
    result = execute(made)

    assert [outcome.rows for outcome in result.outcomes] == [17, 17, 16] * 4
    for each in (feed, parquet, csv, tables):
        assert stored(each, made) == EACH
    assert Feed.batches == [10, 7, 10, 7, 10, 6]


@pytest.mark.parametrize("kind", [Feed, Readers])
@pytest.mark.parametrize("value", [rows, lambda: list(rows()), whole], ids=["stream", "rows", "table"])
def test_a_destination_that_takes_readers_is_given_one_whatever_was_returned(kind: Any, value: Any) -> None:
    made = returning(value, kind())
    result = execute(made)

    assert stored(kind(), made) == EACH
    assert [outcome.rows for outcome in result.outcomes] == [17, 17, 16]


def test_rows_without_columns_are_refused(destination: Any) -> None:
    @asset
    def orders() -> Any:
        return ({} for _ in range(COUNT))

    with pytest.raises(AssetError, match=r"50 row\(s\) without a column"):
        runner.execute(orders(destinations=destination), windows=None)


def test_a_retry_repeats_only_what_is_missing_per_partition_and_destination(tmp_path: Path) -> None:
    parquet = ParquetDestination(base_path=str(tmp_path / "parquet"))
    feed = Feed()
    made = returning(rows, parquet, feed)
    Feed.fails = {"2026-03-02"}
    first = execute(made)
    assert [outcome.status for outcome in first.outcomes] == ["committed"] * 4 + ["failed", "committed"]
    Feed.fails, Feed.batches = set(), []
    second = execute(made)

    assert [outcome.status for outcome in second.outcomes] == ["held"] * 4 + ["committed", "held"]
    assert Feed.batches == [10, 7]
    assert stored(feed, made) == stored(parquet, made) == EACH


def test_a_reader_can_be_written_by_hand(destination: Any) -> None:
    made = returning(rows, destination)
    one = TimePartitionWindow(FIRST, FIRST)
    destination.write(IOContext(made, one), pa.Table.from_pylist([row(0), row(3)]).to_reader())
    assert stored(destination, made, one) == [[0, 3]]

    destination.write(IOContext(made, DAYS), whole().to_reader())
    assert stored(destination, made) == EACH


def test_a_reader_written_by_hand_to_a_store_of_values_is_a_table(tmp_path: Path) -> None:
    made = returning(rows)
    for each in (MemoryDestination(), FileDestination(base_path=str(tmp_path))):
        each.write(IOContext(made, TimePartitionWindow(FIRST, FIRST)), pa.table({"n": [1]}).to_reader())
        assert stored(each, made, [DAYS.first]) == [[1]]
        counts = each.partition_row_counts(IOContext(made))
        assert counts == {"2026-03-01": 1}


# --- several outputs of one function ----


def outputs_of(log: list[str], *, is_async: bool) -> Any:
    """A function of two outputs, each a stream that needs what the function holds open."""

    def part(name: str) -> Iterator[Any]:
        for one in rows():
            assert log[-1] == "opened"
            yield {**one, "name": name}

    async def async_part(name: str) -> Any:
        for one in part(name):
            await asyncio.sleep(0)
            yield one

    async def awaited() -> Any:
        log.append("opened")
        yield Output("orders", part("orders"))
        yield Output("lines", async_part("lines"))
        log.append("closed")

    def plain() -> Any:
        log.append("opened")
        yield Output("orders", part("orders"))
        yield Output("lines", async_part("lines"))
        log.append("closed")

    return awaited if is_async else plain


@pytest.mark.parametrize("is_async", [False, True])
def test_each_output_of_a_function_is_streamed_while_the_function_waits(is_async: bool, destination: Any) -> None:
    log: list[str] = []
    partitioning = TimePartitionConfig(column="day", allow_window=True)
    shop: Any = multi_asset(outputs=[AssetDef(name, partitioning=partitioning) for name in ("orders", "lines")])(
        outputs_of(log, is_async=is_async)
    )
    found = shop(destinations=destination).materialize(window=DAYS)

    assert log == ["opened", "closed"]
    assert {name: reader.read_all().num_rows for name, reader in found.items()} == {"orders": COUNT, "lines": COUNT}
