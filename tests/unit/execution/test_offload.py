"""Sync and async functions from synchronous code."""

import asyncio
import signal
import threading
from typing import Any

import pytest

from airflow_provider.execution.offload import Bridge, in_thread


async def answer(value: Any) -> Any:
    await asyncio.sleep(0)
    return value


async def numbers() -> Any:
    for number in range(3):
        await asyncio.sleep(0)
        yield number


async def generator_in_a_coroutine() -> Any:
    return numbers()


def test_sync_and_async_functions_are_called_alike() -> None:
    with Bridge() as bridge:
        assert bridge.call(lambda a, b=0: a + b, 1, b=2) == 3
        assert bridge.call(answer, 5) == 5
        assert bridge.call(lambda: answer(6)) == 6
        assert bridge.call(numbers) == [0, 1, 2]
        assert bridge.call(generator_in_a_coroutine) == [0, 1, 2]


def test_errors_pass_through() -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    with Bridge() as bridge, pytest.raises(ZeroDivisionError):
        bridge.call(broken)


def test_one_loop_serves_the_whole_run_and_ends_with_it() -> None:
    async def loop() -> Any:
        return asyncio.get_running_loop()

    with Bridge() as bridge:
        first, second = bridge.call(loop), bridge.call(loop)
    assert first is second
    assert first.is_closed()
    assert not [thread for thread in threading.enumerate() if thread.name == "asset-event-loop"]


def test_without_async_functions_there_is_no_loop() -> None:
    before = threading.active_count()
    with Bridge() as bridge:
        bridge.call(int)
        assert threading.active_count() == before


def test_what_still_runs_is_cancelled_at_the_end() -> None:
    ended: list[str] = []

    async def for_ever() -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def start() -> Any:
        task = asyncio.create_task(for_ever())
        await asyncio.sleep(0)
        return task

    with Bridge() as bridge:
        bridge.call(start)
    assert ended == ["cancelled"]


def test_the_callers_loop_is_used_where_there_is_one() -> None:
    async def loop() -> Any:
        return asyncio.get_running_loop()

    async def main() -> bool:
        own = asyncio.get_running_loop()
        with Bridge(own) as bridge:
            return await in_thread(bridge.call, loop) is own

    assert asyncio.run(main())


# --- async generators, read as they are asked for ---------------------------------------------------------------------


def rows_until(count: int, log: list[Any]) -> Any:
    async def rows() -> Any:
        try:
            for number in range(count):
                await asyncio.sleep(0)
                log.append(number)
                yield {"a": number}
        finally:
            await asyncio.sleep(0)
            log.append("closed")

    return rows


def test_an_async_generator_is_read_as_it_is_asked_for() -> None:
    log: list[Any] = []
    with Bridge() as bridge:
        items = bridge.stream(rows_until(10_000, log))
        assert log == []
        assert [next(items) for _ in range(3)] == [{"a": 0}, {"a": 1}, {"a": 2}]
        assert len(log) <= 128  # what may be read ahead
        assert [row["a"] for row in items] == list(range(3, 10_000))
        items.close()
    assert log[-1] == "closed"
    assert log.count("closed") == 1


def test_large_items_are_asked_for_one_by_one() -> None:
    made: list[int] = []

    async def pages() -> Any:
        for number in range(5):
            made.append(number)
            yield [{"a": number}]

    with Bridge() as bridge:
        items = bridge.stream(pages)
        for number in range(5):
            next(items)
            assert made == list(range(number + 1))


def test_sync_results_and_awaited_ones_pass() -> None:
    with Bridge() as bridge:
        assert bridge.stream(answer, 5) == 5
        assert bridge.stream(lambda: [1]) == [1]
        assert list(bridge.stream(generator_in_a_coroutine)) == [0, 1, 2]


def test_an_async_iterator_that_is_no_generator_is_read_too() -> None:
    class Rows:
        def __init__(self) -> None:
            self.left = 3

        def __aiter__(self) -> Any:
            return self

        async def __anext__(self) -> int:
            self.left -= 1
            if self.left < 0:
                raise StopAsyncIteration
            return self.left

    with Bridge() as bridge:
        assert list(bridge.stream(Rows)) == [2, 1, 0]


def test_closing_early_runs_the_finally_of_the_generator() -> None:
    log: list[Any] = []
    with Bridge() as bridge:
        items = bridge.stream(rows_until(10_000, log))
        next(items)
        items.close()
        assert log[-1] == "closed"
        assert list(items) == []
        items.close()


def test_one_that_was_never_read_is_closed_without_a_loop() -> None:
    log: list[Any] = []
    with Bridge() as bridge:
        bridge.stream(rows_until(3, log)).close()
    assert log == []


def test_an_error_of_the_generator_comes_through_after_its_finally() -> None:
    log: list[Any] = []

    async def broken() -> Any:
        try:
            yield {"a": 1}
            raise ZeroDivisionError
        finally:
            log.append("closed")

    with Bridge() as bridge:
        items = bridge.stream(broken)
        with pytest.raises(ZeroDivisionError):
            list(items)
        items.close()
    assert log == ["closed"]


def test_one_task_reads_a_generator_from_its_first_item_to_its_end() -> None:
    tasks: list[Any] = []

    async def rows() -> Any:
        try:
            for number in range(300):
                tasks.append(asyncio.current_task())
                yield {"a": number}
        finally:
            tasks.append(asyncio.current_task())

    with Bridge() as bridge:
        items = bridge.stream(rows)
        for _ in range(200):
            next(items)
        items.close()
    assert len(set(tasks)) == 1


def test_an_interrupt_stops_the_generator_where_it_waits() -> None:
    """A task's time-out is a signal, too."""
    log: list[str] = []

    async def waiting() -> Any:
        try:
            yield {"a": 1}
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            log.append("cancelled")
            raise
        finally:
            log.append("closed")

    def too_late(*_: object) -> None:
        raise TimeoutError("too late")

    before = signal.signal(signal.SIGALRM, too_late)
    try:
        with Bridge() as bridge:
            items = bridge.stream(waiting)
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(TimeoutError, match="too late"):
                list(items)
            items.close()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert log == ["cancelled", "closed"]


def test_a_cancelled_caller_ends_the_run_at_its_next_step() -> None:
    log: list[Any] = []

    def run(loop: Any) -> None:
        with Bridge(loop) as bridge:
            items = bridge.stream(rows_until(10**9, log))
            try:
                for _ in items:
                    pass
            except asyncio.CancelledError:
                log.append("run cancelled")
                raise
            finally:
                items.close()

    async def main() -> None:
        task = asyncio.create_task(in_thread(run, asyncio.get_running_loop()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert {"closed", "run cancelled"} <= set(log[-3:])  # an item may be under way; which thread is first is open

    asyncio.run(main())


def test_a_cancelled_caller_stops_what_the_run_awaits() -> None:
    log: list[str] = []

    async def for_ever() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            log.append("ended")

    def run(loop: Any) -> None:
        with Bridge(loop) as bridge:
            try:
                bridge.call(for_ever)
            finally:
                with pytest.raises(asyncio.CancelledError):
                    bridge.check()
                log.append("told")

    async def main() -> None:
        task = asyncio.create_task(in_thread(run, asyncio.get_running_loop()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert sorted(log) == ["ended", "told"]
