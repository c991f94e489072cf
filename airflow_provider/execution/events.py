"""What happens in a run, told to whoever listens: plain values, one event before and one after each step.

Listeners are called in the run's own thread, in order. One that raises is logged and does not stop the run.
"""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airflow_provider.execution.tracing import span

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Event:
    """One event.

    Attributes:
        name: ``asset_data_started``, ``..._completed``, ``..._failed``; the same with ``dest_write`` and ``dest_read``;
            ``log`` for a warning.
        asset: The asset's qualified key.
        keys: Keys of the partitions it is about; empty for an unpartitioned asset.
        values: Counts, seconds, destination; never data.
        metadata: The run's free values.
    """

    name: str
    asset: str
    keys: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)


Listener = Callable[[Event], None]

_listeners: list[Listener] = []


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have ``listener`` called with every event inside the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def emit(event: Event) -> None:
    """Tell every listener."""
    for listener in tuple(_listeners):
        try:
            listener(event)
        except Exception:
            log.exception("a listener failed on %s of %s", event.name, event.asset)


class Emitter:
    """Emits the events of one run: the asset, its keys and the run's metadata are filled in."""

    def __init__(self, asset: str, keys: tuple[str, ...], metadata: Mapping[str, Any]) -> None:
        self._asset, self._keys, self._metadata = asset, keys, metadata

    def emit(self, name: str, *, keys: tuple[str, ...] | None = None, **values: Any) -> None:
        """Emit one event."""
        emit(Event(name, self._asset, self._keys if keys is None else keys, values, self._metadata))

    def warn(self, text: str, *args: Any, keys: tuple[str, ...] | None = None) -> None:
        """Log a warning, and emit it as a ``log`` event with ``level`` and ``message``."""
        log.warning(text, *args)
        self.emit("log", keys=keys, level="warning", message=text % args)

    @contextlib.contextmanager
    def step(self, name: str, *, keys: tuple[str, ...] | None = None, **values: Any) -> Iterator[dict[str, Any]]:
        """``name_started``, then ``name_completed`` with what the block put into the mapping, or ``name_failed``.

        The block is a span, too.
        """
        self.emit(f"{name}_started", keys=keys, **values)
        started = time.monotonic()
        found: dict[str, Any] = {}
        named = {name: str(value) for name, value in values.items()}
        try:
            with span(name, asset=self._asset, partitions=len(self._keys if keys is None else keys), **named):
                yield found
        except BaseException as error:
            self.emit(f"{name}_failed", keys=keys, **values, error=type(error).__name__)
            raise
        self.emit(f"{name}_completed", keys=keys, **values, **found, seconds=time.monotonic() - started)
