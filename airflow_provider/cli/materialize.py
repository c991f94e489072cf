"""``materialize``: run assets in this process, without Airflow, and say what became of each partition.

The first Ctrl-C lets every partition that is being written end, for a few seconds at most; the second ends at once.
Either way what was committed stands, and a partition that was cut off is as it was.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from airflow_provider.cli.bundle import Bundle
from airflow_provider.cli.console import INTERRUPTED, Terminal, counted
from airflow_provider.cli.progress import Progress
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import computations
from airflow_provider.errors import located
from airflow_provider.execution.outcome import PartitionOutcome, counts, summary
from airflow_provider.execution.progress import duration
from airflow_provider.execution.runner import GraphResult, materialize_graph
from airflow_provider.execution.window import check_all, writes

GRACE_S = 5.0

_SAID = {
    "success": "succeeded",
    "failed": "FAILED",
    "upstream_failed": "not run: what it reads failed",
    "skipped": "not run",
    "disabled": "not enabled",
}
_STYLES = {"success": "green", "failed": "red", "upstream_failed": "yellow", "skipped": "yellow", "disabled": "dim"}


def materialize(
    terminal: Terminal,
    bundle: Bundle,
    names: Sequence[str],
    *,
    windows: Sequence[str] = (),
    max_workers: int = 4,
    fail_fast: bool = False,
) -> bool:
    """Run the assets called ``names`` (all for none) for ``windows``, one after the other.

    Args:
        terminal: Where to draw and to print.
        bundle: The definitions.
        names: Bare or qualified keys.
        windows: Keys or ranges; none for assets that are not partitioned.
        max_workers: How many assets run at a time.
        fail_fast: Start nothing more after a failure.

    Returns:
        Whether every partition was written.

    Raises:
        PartitionError: A window does not fit; nothing has run.
        KeyboardInterrupt: Ctrl-C; what was done is printed.
    """
    assets = bundle.select(names)
    for asset in assets:
        if not asset.destinations:
            terminal.note(f"{asset.label} has no destination: its data is produced and not stored")
    given: list[Any] = list(windows) or [None]  # text is read by each asset's own partitioning
    total = sum(_writes(assets, window) for window in given)
    results: list[GraphResult] = []
    with Progress(terminal, total=total) as progress, _interruptible(terminal, progress):
        try:
            for window in given:
                results.append(
                    materialize_graph(
                        bundle.graph,
                        window=window,
                        select=[asset.qualified_key for asset in assets],
                        max_workers=max_workers,
                        fail_fast=fail_fast,
                        progress=progress,
                    )
                )
                if fail_fast and not results[-1].is_success:
                    break
        except KeyboardInterrupt:
            progress.__exit__(None, None, None)
            _print_results(terminal, results, progress)
            raise
    _print_results(terminal, results, progress)
    return all(result.is_success for result in results)


def _writes(assets: Sequence[Asset], window: Any) -> int:
    """How many partition writes a run will do.

    Raises:
        PartitionError: The window does not fit one of the assets.
    """
    runs = {run.qualified_key: run for run in computations(asset for asset in assets if asset.enabled)}
    found = check_all(runs.values(), window)
    return sum(
        writes(asset, windows) for key, windows in found.items() for asset in runs[key].outputs if asset.destinations
    )


@contextlib.contextmanager
def _interruptible(terminal: Terminal, progress: Progress) -> Iterator[None]:
    """Make Ctrl-C end the run at the next partition, or after ``GRACE_S``, or at once when it comes again."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave() -> None:
        terminal.note("\nended in the midst of a partition, which is as it was; what was committed stands")
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(INTERRUPTED)  # threads that run a user's code cannot be ended otherwise

    def stop(*_: Any) -> None:
        if progress.is_stopping:
            leave()
        progress.is_stopping = True
        timer.start()
        terminal.note("\nstopping after the partitions at hand; Ctrl-C again ends at once")
        raise KeyboardInterrupt

    timer = threading.Timer(GRACE_S, leave)
    timer.daemon = True
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def _print_results(terminal: Terminal, results: Sequence[GraphResult], progress: Progress) -> None:
    shown: set[int] = set()  # assets that one function fills may have one error
    for result in results:
        for key, status in result.statuses.items():
            terminal.say(f"{key}: {_SAID[status]}", style=_STYLES[status])
            run = result.results.get(key)
            for line in summary(run.outcomes) if run is not None else ():
                terminal.say(f"  {line}")
            if key in result.errors and id(result.errors[key]) not in shown:
                shown.add(id(result.errors[key]))
                terminal.say(_indented(located(_root(result.errors[key]))))
    unfinished = [key for result in results for key in result.errors if key not in result.results]
    known = {id(outcome) for result in results for run in result.results.values() for outcome in run.outcomes}
    if before := [outcome for outcome in progress.outcomes if id(outcome) not in known]:
        terminal.say(f"before {unfinished[0] if len(unfinished) == 1 else 'the run'} ended:")
        for line in summary(before):
            terminal.say(f"  {line}")
    terminal.say(_total(progress.outcomes, progress))


def _root(error: BaseException) -> BaseException:
    """What a run's error is about: the first thing that went wrong in one of its partitions."""
    return error if error.__cause__ is None else error.__cause__


def _total(outcomes: Sequence[PartitionOutcome], progress: Progress) -> str:
    said = ", ".join(f"{count} {status}" for status, count in counts(outcomes).items()) or "nothing written"
    return f"{said}; {counted(sum(outcome.rows or 0 for outcome in outcomes), 'row')} in {duration(progress.seconds)}"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
