import io

import pytest
from rich.console import Console

from airflow_provider.cli.console import Terminal
from airflow_provider.cli.progress import Progress, Stopped
from airflow_provider.execution.outcome import PartitionOutcome

DONE = PartitionOutcome("2026-01-01", "csv", "csv:/lake", "committed", rows=50)


class Clock:
    """Time that passes when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def terminal(*, is_terminal: bool = False) -> Terminal:
    return Terminal(Console(file=io.StringIO()), Console(file=io.StringIO(), force_terminal=is_terminal, width=200))


def shown(on: Terminal) -> str:
    return on.err.file.getvalue()  # type: ignore[attr-defined]


def test_the_line_says_done_rows_rate_and_time_left() -> None:
    clock = Clock()
    progress = Progress(terminal(), total=4, clock=clock)
    clock.now = 10.0
    progress(DONE)

    assert progress.line() == "1/4 partitions, 50 rows, 0.1 partitions/s, 5 rows/s, 30 s left"


def test_without_a_terminal_lines_come_every_two_seconds_and_at_the_end() -> None:
    clock, pipe = Clock(), terminal()
    with Progress(pipe, total=30, clock=clock) as progress:
        for _ in range(30):
            clock.now += 0.1
            progress(DONE)

    lines = shown(pipe).splitlines()
    assert [line.split()[0] for line in lines] == ["20/30", "30/30"]
    assert "\x1b" not in shown(pipe)


def test_a_terminal_gets_a_bar() -> None:
    tty = terminal(is_terminal=True)
    with Progress(tty, total=2) as progress:
        progress(DONE)

    assert "1/2 partitions" in shown(tty)
    assert "\x1b[" in shown(tty)


def test_stopping_ends_the_run_after_the_partition_that_was_written() -> None:
    progress = Progress(terminal(), total=4)
    progress.is_stopping = True

    with pytest.raises(Stopped):
        progress(DONE)
    assert progress.done == 1
