"""How far a run is: partition writes done, rows, rate and the time left, for the task log and the command line."""

import time
from collections.abc import Callable

from airflow_provider.execution.outcome import PartitionOutcome


class Tally:
    """Counts the partition writes of a run, one per partition and destination.

    Args:
        total: How many there will be.
        clock: Seconds that only grow.
    """

    def __init__(self, total: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.total = total
        self.done = 0
        self.rows = 0
        self._clock = clock
        self._begun = clock()

    def add(self, outcome: PartitionOutcome) -> None:
        """Count one outcome."""
        self.done += 1
        self.rows += outcome.rows or 0

    @property
    def seconds(self) -> float:
        """How long the run takes so far."""
        return self._clock() - self._begun

    def line(self) -> str:
        """Where the run stands, in one line."""
        seconds = max(self.seconds, 1e-3)
        parts = [f"{self.done:,}/{self.total:,} partitions", f"{self.rows:,} rows"]
        if self.done:
            parts.append(f"{self.done / seconds:,.1f} partitions/s, {self.rows / seconds:,.0f} rows/s")
        if 0 < self.done < self.total:
            parts.append(f"{duration(seconds / self.done * (self.total - self.done))} left")
        return ", ".join(parts)


class LoggedProgress:
    """Says where a run stands every few seconds, as its outcomes come; nothing of a run that is over before.

    Args:
        total: How many partition writes there will be.
        say: Takes each line.
        every_s: The seconds between two lines.
        clock: Seconds that only grow.
    """

    def __init__(
        self,
        total: int,
        say: Callable[[str], None],
        *,
        every_s: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tally = Tally(total, clock=clock)
        self._say, self._every_s = say, every_s
        self._told_s = 0.0

    def __call__(self, outcome: PartitionOutcome) -> None:
        """Count one outcome, and say so if it is time."""
        self._tally.add(outcome)
        seconds = self._tally.seconds
        if seconds - self._told_s >= self._every_s and self._tally.done < self._tally.total:
            self._told_s = seconds
            self._say(self._tally.line())


def duration(seconds: float) -> str:
    """Seconds as ``45 s``, ``3 min 20 s`` or ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
