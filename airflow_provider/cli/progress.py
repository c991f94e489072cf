"""How far a run is: a bar on a terminal, a plain line every few seconds elsewhere.

Counted are partition writes: one per partition and destination. Both go to stderr, so that results stay alone.
"""

import threading
import time
from collections.abc import Callable
from types import TracebackType

from rich.progress import BarColumn, TaskProgressColumn, TextColumn
from rich.progress import Progress as Bar

from airflow_provider.cli.console import Terminal
from airflow_provider.execution.outcome import PartitionOutcome
from airflow_provider.execution.progress import Tally

PLAIN_EVERY_S = 2.0


class Stopped(BaseException):
    """Ends an asset's run at a partition's end. No ``Exception``, so that nothing takes it for a failure."""


class Progress:
    """Counts the outcomes of a run as they come, from several threads; a context manager that draws meanwhile.

    Args:
        terminal: Where to draw.
        total: How many partition writes there will be.
        clock: Seconds that only grow.
    """

    def __init__(self, terminal: Terminal, *, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.outcomes: list[PartitionOutcome] = []
        self.is_stopping = False
        self._terminal, self._tally = terminal, Tally(total, clock=clock)
        self._told_s = 0.0
        self._lock = threading.Lock()
        self._bar: Bar | None = None

    def __call__(self, outcome: PartitionOutcome) -> None:
        """Count one outcome.

        Raises:
            Stopped: The run is to end here; the outcome is counted, its partition stands.
        """
        with self._lock:
            self.outcomes.append(outcome)
            self._tally.add(outcome)
            self._draw()
        if self.is_stopping:
            raise Stopped

    @property
    def done(self) -> int:
        """How many partition writes have ended."""
        return self._tally.done

    @property
    def seconds(self) -> float:
        """How long the run takes so far."""
        return self._tally.seconds

    def line(self) -> str:
        """Where the run stands, in one line."""
        return self._tally.line()

    def _draw(self) -> None:
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self.done, said=self.line())
        elif self.seconds - self._told_s >= PLAIN_EVERY_S or self.done == self._tally.total:
            self._told_s = self.seconds
            self._terminal.note(self.line())

    def __enter__(self) -> "Progress":
        if self._terminal.err.is_terminal:
            columns = (BarColumn(bar_width=24), TaskProgressColumn(), TextColumn("{task.fields[said]}", markup=False))
            self._bar = Bar(*columns, console=self._terminal.err, transient=True)
            self._bar.start()
            self._bar.add_task("", total=self._tally.total, said=self.line())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
