"""The one module that knows threads and event loops.

The steps of a run are synchronous code. An async function of a user's is awaited on the caller's event loop where
there is one (``materialize_async``), else on one private loop that lives as long as the run, so that a client made in
one hook can be used in the next. An async generator is read as it is asked for, a few items ahead at most, all in one
task of that loop; where its reader stops early it is closed.
"""

import asyncio
import collections
import concurrent.futures
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from airflow_provider.definitions.computation import Output
from airflow_provider.schema.representations.unwrap import is_row

_PULL = 128
"""Rows that an async generator is asked for at a time; of anything else, which may be large, one."""
_WIND_DOWN_S = 10.0
"""How long a cancelled caller waits for the run to end; one that sits in a synchronous call may take longer."""


class Stop:
    """Asks a run in another thread to end at its next step."""

    def __init__(self) -> None:
        self._requested = False
        self._waiting: concurrent.futures.Future[Any] | None = None

    def request(self) -> None:
        """Cancel what the run waits for, and have its next step refuse."""
        self._requested = True
        if self._waiting is not None:
            self._waiting.cancel()

    def check(self) -> None:
        """Raise where the run shall end.

        Raises:
            asyncio.CancelledError: ``request`` was called.
        """
        if self._requested:
            raise asyncio.CancelledError

    def wait(self, future: "concurrent.futures.Future[Any]") -> Any:
        """The result of ``future``, which is cancelled where the run shall end, or is interrupted."""
        self._waiting = future
        try:
            self.check()
            return future.result()
        except BaseException as error:
            future.cancel()
            if isinstance(error, concurrent.futures.CancelledError):
                raise asyncio.CancelledError from None
            raise
        finally:
            self._waiting = None


_STOP: contextvars.ContextVar[Stop | None] = contextvars.ContextVar("stop", default=None)


class Bridge:
    """Calls sync and async functions alike from synchronous code, as a context manager.

    Args:
        loop: The caller's running loop, when the bridge is used from another thread; None for a private one.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._outer = loop
        self._private: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop = _STOP.get() or Stop()

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The result of ``function``, awaited if need be; an async generator is consumed to a list."""
        result = function(*args, **kwargs)
        if inspect.isawaitable(result) or inspect.isasyncgen(result):
            return self.wait(_awaited(result))
        return result

    def stream(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Like ``call``, but an async generator or iterator comes back as an iterator to be closed after use."""
        result = function(*args, **kwargs)
        return self.iterable(self.wait(_settled(result)) if inspect.isawaitable(result) else result)

    def iterable(self, value: Any) -> Any:
        """``value``; an async generator or iterator as a synchronous one, to be closed after use."""
        return Pulled(self, value.__aiter__()) if hasattr(type(value), "__aiter__") else value

    def check(self) -> None:
        """Raise ``asyncio.CancelledError`` where whoever awaits the run was cancelled."""
        self._stop.check()

    def wait(self, awaitable: Any) -> Any:
        """The result of a coroutine."""
        return self._stop.wait(asyncio.run_coroutine_threadsafe(awaitable, self.loop))

    def wait_for(self, future: "concurrent.futures.Future[Any]") -> Any:
        """The result of a future that the loop will fill."""
        return self._stop.wait(future)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that async functions are awaited on; a private one is started when it is first asked for."""
        if self._outer is not None:
            return self._outer
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


class Pulled(Iterator[Any]):
    """An async iterator as a synchronous one.

    One task reads it from its first item to its end, for what it holds open (a timeout, a task group) belongs to a
    task. The task reads only when it is asked to.
    """

    def __init__(self, bridge: Bridge, items: Any) -> None:
        self._bridge = bridge
        self._items = items
        self._held: collections.deque[Any] = collections.deque()
        self._requests: asyncio.Queue[concurrent.futures.Future[Any] | None] = asyncio.Queue()
        self._has_begun = False
        self._task: asyncio.Task[Any] | None = None
        self._is_cancelled = False
        self._ended = threading.Event()
        self._is_last = False

    def __next__(self) -> Any:
        while not self._held:
            if self._is_last:
                raise StopIteration
            self._held.extend(self._pull())
        return self._held.popleft()

    def _pull(self) -> list[Any]:
        if not self._has_begun:
            self._has_begun = True
            asyncio.run_coroutine_threadsafe(self._read(), self._bridge.loop)
        answer: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._bridge.loop.call_soon_threadsafe(self._requests.put_nowait, answer)
        try:
            items, self._is_last = self._bridge.wait_for(answer)
        except BaseException:
            self._is_last = True
            self._bridge.loop.call_soon_threadsafe(self._cancel)
            raise
        return list(items)

    async def _read(self) -> None:
        """Answer requests until there is nothing more to read."""
        answer: concurrent.futures.Future[Any] | None = None
        self._task = asyncio.current_task()
        try:
            while not self._is_cancelled and (answer := await self._requests.get()) is not None:
                found = await _some(self._items)
                with contextlib.suppress(concurrent.futures.InvalidStateError):  # nobody waits for it any more
                    answer.set_result(found)
                if found[1]:
                    return
        except BaseException as error:  # noqa: BLE001 -- raised in the thread that waits
            if answer is not None:
                with contextlib.suppress(concurrent.futures.InvalidStateError):
                    answer.set_exception(error)
        finally:
            try:
                if hasattr(self._items, "aclose"):
                    await self._items.aclose()
            finally:
                self._ended.set()

    def close(self) -> None:
        """Close the iterator, so that its ``finally`` blocks run, and wait until they have."""
        self._held.clear()
        self._is_last = True
        if not self._has_begun:
            return
        if not self._ended.is_set():
            self._bridge.loop.call_soon_threadsafe(self._requests.put_nowait, None)
        self._ended.wait()

    def _cancel(self) -> None:
        """Stop the task where it waits; called in its loop."""
        self._is_cancelled = True
        if self._task is not None:
            self._task.cancel()


@contextlib.contextmanager
def closing(value: Any) -> Iterator[None]:
    """Close ``value`` at the end of the block where it is an iterator that can be closed, so that its code ends."""
    try:
        yield
    finally:
        if isinstance(value, Iterator) and hasattr(value, "close"):
            value.close()


async def in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run ``function`` in a worker thread, so that the event loop goes on.

    Where the caller is cancelled, the run ends at its next step; it has ended when this raises, unless a synchronous
    call in it goes on for longer than ten seconds.
    """
    stop = Stop()
    token = _STOP.set(stop)
    try:
        work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    finally:
        _STOP.reset(token)
    work.add_done_callback(lambda done: done.cancelled() or done.exception())  # else asyncio says that nobody looked
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.request()
        await asyncio.wait({work}, timeout=_WIND_DOWN_S)
        raise


async def _some(items: Any) -> tuple[list[Any], bool]:
    """The next items, and whether there are no more."""
    taken: list[Any] = []
    while len(taken) < _PULL:
        try:
            item = await items.__anext__()
        except StopAsyncIteration:
            return taken, True
        taken.append(item)
        if isinstance(item, Output) or not is_row(item):  # an output's data may need what the generator holds open
            break
    return taken, False


async def _settled(result: Any) -> Any:
    return await result


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
