"""Sync and async functions from synchronous code."""

import asyncio
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
