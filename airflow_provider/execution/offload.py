"""The one module that knows threads and event loops.

The steps of a run are synchronous code. An async function of a user's is awaited on the caller's event loop where
there is one (``materialize_async``), else on one private loop that lives as long as the run, so that a client made in
one hook can be used in the next.
"""

import asyncio
import inspect
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any


class Bridge:
    """Calls sync and async functions alike from synchronous code, as a context manager.

    Args:
        loop: The caller's running loop, when the bridge is used from another thread; None for a private one.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._outer = loop
        self._private: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The result of ``function``, awaited if need be; an async generator is consumed to a list."""
        result = function(*args, **kwargs)
        if inspect.isawaitable(result) or inspect.isasyncgen(result):
            return self._wait(result)
        return result

    def _wait(self, awaitable: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(_awaited(awaitable), self._outer or self._own_loop()).result()

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        if self._private is None:
            self._private = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._private.run_forever, name="asset-event-loop", daemon=True)
            self._thread.start()
        return self._private

    def __enter__(self) -> "Bridge":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._private is None or self._thread is None:
            return
        asyncio.run_coroutine_threadsafe(_wound_down(), self._private).result()
        self._private.call_soon_threadsafe(self._private.stop)
        self._thread.join()
        self._private.close()


async def in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run ``function`` in a worker thread, so that the event loop goes on."""
    return await asyncio.to_thread(function, *args, **kwargs)


async def _awaited(result: Any) -> Any:
    """The result, awaited; of an async generator the list of what it yields."""
    if inspect.isawaitable(result):
        result = await result
    return [item async for item in result] if inspect.isasyncgen(result) else result


async def _wound_down() -> None:
    """Cancel what still runs on this loop, and close its generators."""
    loop = asyncio.get_running_loop()
    left = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()
