"""Reading an upstream: at once, or when it is asked for."""

import asyncio
import datetime as dt
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import AssetError, DataNotFoundError, RepresentationError
from airflow_provider.execution import reads
from airflow_provider.execution.events import listening
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow

PARTITIONING = TimePartitionConfig(column="day", allow_window=True)
FIRST = dt.date(2026, 3, 1)
DAYS = TimePartitionWindow(FIRST, dt.date(2026, 3, 3))
NUMBERS = list(range(30))


def row(number: int) -> dict[str, Any]:
    return {"day": FIRST + dt.timedelta(days=number // 10), "n": number}


class Shop(Source):
    @asset(partitioning=PARTITIONING)
    def orders(self, context: Any) -> Any:
        return [row(number) for number in NUMBERS if row(number)["day"] in [p.date for p in context.window]]

    @asset(partitioning=PARTITIONING)
    def asked(self, orders: Upstream) -> Any:
        return ASKS[-1](orders)


ASKS: list[Any] = []


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "BATCH_ROWS", 10)
    MemoryDestination.clear()
    Awaited.held.clear()
    Whole.held.clear()


def kinds(tmp_path: Path) -> dict[str, Any]:
    return {
        "parquet": lambda: ParquetDestination(base_path=str(tmp_path / "parquet")),
        "csv": lambda: CSVDestination(base_path=str(tmp_path / "csv")),
        "pickle": lambda: FileDestination(base_path=str(tmp_path / "pickle")),
        "memory": MemoryDestination,
        "awaited": Awaited,
        "whole": Whole,
    }


class Awaited(Destination):
    """A store of a user's own, awaited."""

    held: ClassVar[dict[tuple[str, str], Any]] = {}

    async def write_partition(self, context: Any, partition: Any, data: Any) -> None:
        await asyncio.sleep(0)
        self.held[context.table, partition.key] = data

    async def read_partition(self, context: Any, partition: Any) -> Any:
        await asyncio.sleep(0)
        if (context.table, partition.key) not in self.held:
            raise DataNotFoundError("none", where="here", fix="write it")
        return self.held[context.table, partition.key]


class Whole(Destination):
    """Defines only write and read, and names nothing that is missing."""

    held: ClassVar[dict[tuple[str, str], Any]] = {}

    def write(self, context: Any, data: Any) -> None:
        (partition,) = context.partitions
        self.held[context.table, partition.key] = data

    def read(self, context: Any) -> Any:
        """Row by row."""
        return (one for p in context.partitions for one in self.held.get((context.table, p.key), []))


@pytest.fixture(params=["parquet", "csv", "pickle", "memory", "awaited", "whole"])
def shop(request: Any, tmp_path: Path) -> Shop:
    return Shop(destinations=kinds(tmp_path)[request.param]())


def seen(shop: Shop, ask: Any, window: Any = DAYS) -> list[Any]:
    """What ``ask`` finds out about the upstream."""
    found: list[Any] = []

    def asked(orders: Upstream) -> None:
        found.append(ask(orders))

    ASKS.append(asked)
    shop.asked.run(window=window)
    return found


def test_every_form_of_a_large_window_can_be_asked_for(shop: Shop) -> None:
    shop.orders.materialize(window=DAYS)
    (found,) = seen(
        shop,
        lambda orders: [
            [one["n"] for one in orders.rows],
            orders.arrow().column("n").to_pylist(),
            orders.pandas()["n"].tolist(),
            orders.batches().read_all().column("n").to_pylist(),
            orders.batches().read_all().column("n").to_pylist(),
        ],
    )

    assert found == [NUMBERS] * 5


def test_a_window_with_a_hole_gives_what_is_there_and_names_what_is_missing(shop: Shop) -> None:
    for number in (1, 3):
        shop.orders.materialize(window=TimePartitionWindow(*[dt.date(2026, 3, number)] * 2))
    (found,) = seen(
        shop, lambda orders: (list(orders.missing), [one["n"] for one in orders.rows], orders.batches().read_all()["n"])
    )

    assert found[0] == ["2026-03-02"]
    assert found[1] == found[2].to_pylist() == [*NUMBERS[:10], *NUMBERS[20:]]


def test_nothing_stored_is_none_and_no_batches(shop: Shop) -> None:
    (found,) = seen(shop, lambda orders: (orders.data or None, orders.rows, orders.batches().read_all().num_rows))

    assert found == (None, [], 0)


def test_values_that_are_no_tables_come_as_a_list(tmp_path: Path) -> None:
    class Models(Source):
        @asset(partitioning=PARTITIONING)
        def orders(self) -> Any:
            return {1, 2}

        asked = Shop.asked

    for kind in ("pickle", "memory", "awaited"):
        shop = Models(destinations=kinds(tmp_path)[kind]())
        shop.orders.materialize(window=TimePartitionWindow(FIRST, dt.date(2026, 3, 2)))
        (found,) = seen(shop, lambda orders: (orders.data, list(orders.missing)))  # type: ignore[arg-type]
        assert found == ([{1, 2}, {1, 2}], ["2026-03-03"])
        with pytest.raises(RepresentationError, match="not a table"):
            seen(shop, lambda orders: orders.batches())  # type: ignore[arg-type]


def parquet(tmp_path: Path) -> Shop:
    made = Shop(destinations=kinds(tmp_path)["parquet"]())
    made.orders.materialize(window=DAYS)
    return made


def test_a_large_window_is_not_read_before_it_is_asked_for(tmp_path: Path) -> None:
    shop = parquet(tmp_path)
    for path in tmp_path.rglob("data.parquet"):
        path.write_bytes(path.read_bytes()[::-1][:4] + path.read_bytes()[4:])
    small = TimePartitionWindow(FIRST, FIRST)

    assert seen(shop, lambda orders: orders.missing) == [()]
    for ask in (lambda orders: orders.data, lambda orders: orders.batches().read_all()):
        with pytest.raises(AssetError, match=r"upstream 'shop.orders' could not be read: .*data.parquet"):
            seen(shop, ask)
    with pytest.raises(AssetError, match=r"upstream 'shop.orders' could not be read: .*data.parquet"):
        seen(shop, lambda orders: None, window=small)


def test_each_read_is_told_when_it_happens(tmp_path: Path) -> None:
    shop = parquet(tmp_path)
    log: list[str] = []
    with listening(lambda event: log.append(event.name)):
        seen(shop, lambda orders: (log.append("asked"), orders.rows, orders.rows))

    assert log[:2] == ["dest_read_started", "dest_read_completed"]
    assert log[2:] == [
        "asset_data_started", "asked", "dest_read_started", "dest_read_completed", "asset_data_completed",
    ]  # fmt: skip


def test_batches_stream_through_an_asset(tmp_path: Path) -> None:
    shop = parquet(tmp_path)

    def doubled(orders: Upstream) -> Any:
        for batch in orders.batches():
            yield pa.table({"day": batch.column("day"), "n": [2 * n for n in batch.column("n").to_pylist()]})

    ASKS.append(doubled)
    shop.asked.materialize(window=DAYS)
    assert seen(shop, lambda orders: None) == [None]
    stored = shop.asked.default_destination.read_batches(reads.IOContext(shop.asked, DAYS)).read_all()
    assert stored.column("n").to_pylist() == [2 * n for n in NUMBERS]


def test_a_reader_may_be_returned_as_it_is(tmp_path: Path) -> None:
    shop = parquet(tmp_path)
    ASKS.append(lambda orders: orders.batches())
    shop.asked.materialize(window=DAYS)

    assert shop.asked.partition_row_counts() == shop.orders.partition_row_counts()


def test_a_commit_after_the_versions_were_taken_makes_the_run_look_stale(tmp_path: Path) -> None:
    shop = parquet(tmp_path)

    def late(orders: Upstream) -> Any:
        shop.orders.materialize(window=DAYS)
        return orders.arrow()

    ASKS.append(late)
    shop.asked.materialize(window=DAYS)
    destination = shop.asked.default_destination
    (record, *_) = destination.committer(reads.IOContext(shop.asked)).all_records()
    (held, *_) = destination.committer(reads.IOContext(shop.orders)).all_records()
    assert record.upstreams["shop.orders"] == "1-" + record.upstreams["shop.orders"][2:]
    assert held.fence == 2
