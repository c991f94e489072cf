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
        self._terminal, self._total, self._clock = terminal, total, clock
        self._begun = self._told = clock()
        self._rows = 0
        self._lock = threading.Lock()
        self._bar: Bar | None = None

    def __call__(self, outcome: PartitionOutcome) -> None:
        """Count one outcome.

        Raises:
            Stopped: The run is to end here; the outcome is counted, its partition stands.
        """
        with self._lock:
            self.outcomes.append(outcome)
            self._rows += outcome.rows or 0
            self._draw()
        if self.is_stopping:
            raise Stopped

    @property
    def done(self) -> int:
        """How many partition writes have ended."""
        return len(self.outcomes)

    @property
    def seconds(self) -> float:
        """How long the run takes so far."""
        return self._clock() - self._begun

    def line(self) -> str:
        """Where the run stands, in one line."""
        seconds = max(self.seconds, 1e-3)
        parts = [f"{self.done}/{self._total} partitions", f"{self._rows:,} rows"]
        if self.done:
            parts.append(f"{self.done / seconds:.1f} partitions/s, {self._rows / seconds:,.0f} rows/s")
        if 0 < self.done < self._total:
            parts.append(f"{duration(seconds / self.done * (self._total - self.done))} left")
        return ", ".join(parts)

    def _draw(self) -> None:
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self.done, said=self.line())
        elif self._clock() - self._told >= PLAIN_EVERY_S or self.done == self._total:
            self._told = self._clock()
            self._terminal.note(self.line())

    def __enter__(self) -> "Progress":
        if self._terminal.err.is_terminal:
            columns = (BarColumn(bar_width=24), TaskProgressColumn(), TextColumn("{task.fields[said]}", markup=False))
            self._bar = Bar(*columns, console=self._terminal.err, transient=True)
            self._bar.start()
            self._bar.add_task("", total=self._total, said=self.line())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def duration(seconds: float) -> str:
    """Seconds as ``45 s``, ``3 min 20 s`` or ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
