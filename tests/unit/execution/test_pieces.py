"""What one output is given piece by piece: joined in memory, or on the disk when it is more than a batch."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import airflow_provider as ap
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import AssetError, PartitionsFailedError
from airflow_provider.execution.pieces import Pieces
from airflow_provider.execution.produce import Spooled
from airflow_provider.schema.representations.reader import BATCH_ROWS

DAYS = ap.TimePartitionConfig(column="day", allow_window=True)
WINDOW = ap.TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 2))


@ap.asset(partitioning=DAYS)
def orders() -> Any: ...


def pieces(*destinations: Any) -> Pieces:
    return Pieces(orders(), WINDOW, destinations or (ap.ParquetDestination(base_path="lake"),))


def table(rows: int, first: int = 0, day: int = 1) -> pa.Table:
    days = pa.array([dt.date(2026, 3, day)] * rows)
    return pa.table({"day": days, "n": pa.array(range(first, first + rows))})


def numbers(spooled: Spooled, position: int) -> list[int]:
    found: list[int] = spooled.spool.table(position).column("n").to_pylist()
    return found


def test_nothing_is_no_rows() -> None:
    held = pieces()

    assert held.is_empty
    assert held.whole() == []


def test_one_piece_is_given_on_as_it_is() -> None:
    held, value = pieces(), object()
    held.add(value)

    assert not held.is_empty
    assert held.whole() is value


def test_small_pieces_are_joined_in_memory() -> None:
    held = pieces()
    held.add([{"n": 1}])
    held.add(pa.table({"n": [2]}))
    held.add([])
    held.add({"n": 3} for _ in range(1))

    assert held.whole().column("n").to_pylist() == [1, 2, 3]


@pytest.mark.parametrize("as_stream", [True, False])
def test_pieces_of_more_than_a_batch_are_on_the_disk_in_order(as_stream: bool) -> None:
    held, half = pieces(), BATCH_ROWS // 2 + 1
    for number in range(3):
        piece = table(half, first=number * half)
        held.add(iter([piece]) if as_stream else piece)
    held.add([{"day": dt.date(2026, 3, 2), "n": -1}])
    spooled = held.whole()

    assert isinstance(spooled, Spooled)
    assert numbers(spooled, 0) == list(range(3 * half))
    assert numbers(spooled, 1) == [-1]
    held.close()
    held.close()


def test_a_stream_of_several_batches_goes_to_the_disk_at_once_and_more_may_follow() -> None:
    held = pieces()
    held.add(table(1, first=-1))
    held.add(table(BATCH_ROWS, first=number * BATCH_ROWS) for number in range(2))
    held.add(table(1, first=-2))

    assert numbers(held.whole(), 0) == [-1, *range(2 * BATCH_ROWS), -2]


def test_a_destination_that_takes_no_arrow_is_given_all_at_once() -> None:
    held = pieces(ap.MemoryDestination())
    held.add(table(BATCH_ROWS))
    held.add(table(BATCH_ROWS))

    assert held.whole().num_rows == 2 * BATCH_ROWS


def test_what_is_no_table_cannot_be_joined() -> None:
    held = pieces()
    held.add([{"n": 1}])
    held.add(object())

    with pytest.raises(AssetError, match="was given 2 times, one of them a object"):
        held.whole()


def test_a_row_is_named_by_its_number_among_all_pieces(tmp_path: Any) -> None:
    class Numbered(ap.Schema):
        day: dt.date
        n: int

    @ap.multi_asset(outputs=[ap.AssetDef("orders", schema=Numbered), "lines"], partitioning=DAYS)
    def feed() -> Iterator[ap.Output]:
        for number in range(3):
            yield ap.Output("orders", table(BATCH_ROWS, first=number))
            yield ap.Output("lines", table(1, day=number % 2 + 1))
        yield ap.Output("orders", [{"day": dt.date(2026, 3, 1), "n": "many"}])
        yield ap.Output("orders", table(1))

    multi = feed(destinations=ap.ParquetDestination(base_path=str(tmp_path)))
    with pytest.raises(PartitionsFailedError, match=f"asset 'orders': .*row {3 * BATCH_ROWS}, column 'n'"):
        multi.materialize(WINDOW)

    assert multi.lines.partition_row_counts() == {"2026-03-01": 2, "2026-03-02": 1}


def test_outputs_that_take_turns_are_spooled_each_by_itself(tmp_path: Any) -> None:
    closed: list[str] = []

    def stream(first: int) -> Iterator[pa.Table]:
        try:
            yield table(BATCH_ROWS, first=first)
            yield table(BATCH_ROWS, first=first, day=2)
        finally:
            closed.append("closed")

    @ap.multi_asset(outputs=["orders", "lines"], partitioning=DAYS)
    async def feed() -> Any:
        for number in range(2):
            yield ap.Output("orders", stream(number))
            yield ap.Output("lines", stream(-number))

    multi = feed(destinations=ap.ParquetDestination(base_path=str(tmp_path)))
    multi.materialize(WINDOW)

    assert closed == ["closed"] * 4
    for asset in multi.assets.values():
        assert asset.partition_row_counts() == {"2026-03-01": 2 * BATCH_ROWS, "2026-03-02": 2 * BATCH_ROWS}
        assert asset.default_destination.read(IOContext(asset, WINDOW)).num_rows == 4 * BATCH_ROWS


def test_a_stream_of_an_output_that_was_not_asked_for_is_not_read(tmp_path: Any) -> None:
    read: list[int] = []

    def stream() -> Iterator[Any]:
        read.append(1)
        yield {"n": 1}

    @ap.multi_asset(outputs=["orders", "lines"])
    def feed() -> Any:
        return {"orders": stream(), "lines": [{"n": 1}]}

    feed(destinations=ap.ParquetDestination(base_path=str(tmp_path))).lines.materialize()

    assert read == []
