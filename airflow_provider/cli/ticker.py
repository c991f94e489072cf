"""A line every two seconds from work that may take minutes, so that nobody wonders whether it goes on."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from airflow_provider.cli.console import Terminal

EVERY_S = 2.0

T = TypeVar("T")


class Ticker:
    """Counts what is done and says so now and then, on stderr.

    Args:
        terminal: Where to write.
        what: What the work is about.
        clock: Seconds that never go back.
    """

    def __init__(self, terminal: Terminal, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._terminal = terminal
        self._what = what
        self._clock = clock
        self._told = clock()

    def over(self, items: Iterable[T], doing: str, total: int | None = None) -> Iterator[T]:
        """``items`` as they come; ``doing`` says what becomes of each, ``total`` how many there will be, if known."""
        of = "" if total is None else f" of {total:,}"
        for number, item in enumerate(items, start=1):
            yield item
            if self._clock() - self._told >= EVERY_S:
                self._told = self._clock()
                self._terminal.note(f"{self._what}: {doing} {number:,}{of}")
