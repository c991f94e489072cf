"""``explain``: which partitions a run covers, by the very function that the operator uses."""

import datetime as dt
from collections.abc import Sequence

from airflow_provider.cli.console import Terminal, counted
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Computation
from airflow_provider.errors import ConfigError
from airflow_provider.partitioning import (
    PartitionConfig,
    PartitionWindow,
    RunFacts,
    resolve,
)

RULES = {
    1: "the window typed in params or conf",
    2: "Airflow's partition key",
    3: "the data interval: partitions whose end lies in (start, end]",
    4: "one instant: the last complete partitions at it",
    5: "the partitions that consumed events name",
    6: "nothing says a partition: the whole asset, or all values of a list",
}
SHOWN = 20


def facts_of(
    *,
    window: Sequence[str] = (),
    partition_key: str | None = None,
    interval: tuple[str, str] | None = None,
    logical_date: str | None = None,
    run_after: str | None = None,
    event_key: Sequence[str] | None = None,
    backfill: bool = False,
    explicit: bool = False,
) -> RunFacts:
    """The facts of a run, as they are typed on a command line.

    Args:
        window: Keys or ranges, as in the run's form.
        partition_key: Airflow's partition key.
        interval: The data interval, two instants in ISO 8601.
        logical_date: An instant.
        run_after: An instant.
        event_key: Keys of consumed events; a blank one stands for an event without a key, None for no event at all.
        backfill: Whether the run belongs to a backfill.
        explicit: Whether a person asked for this very run.

    Raises:
        ConfigError: An instant is none, or has no offset.
    """
    return RunFacts(
        typed=None if not window else window[0] if len(window) == 1 else list(window),
        partition_key=partition_key,
        interval=(instant(interval[0], "--interval"), instant(interval[1], "--interval")) if interval else None,
        logical_date=instant(logical_date, "--logical-date") if logical_date else None,
        run_after=instant(run_after, "--run-after") if run_after else None,
        event_keys=None if not event_key else tuple(key for key in event_key if key.strip()),
        backfill=backfill,
        explicit=explicit,
    )


def instant(text: str, option: str) -> dt.datetime:
    """An aware datetime.

    Raises:
        ConfigError: ``text`` is no ISO datetime, or has no offset: which instant it is would be a guess.
    """
    fix = "write an instant with its offset, such as 2026-03-01T00:00:00Z or 2026-03-01T00:00:00-05:00"
    try:
        found = dt.datetime.fromisoformat(text[:-1] + "+00:00" if text[-1:] in ("Z", "z") else text)
    except ValueError:
        raise ConfigError(f"{text!r} is not a date and time", where=option, fix=fix) from None
    if found.tzinfo is None:
        raise ConfigError(f"{text!r} has no time zone", where=option, fix=fix)
    return found


def print_explanation(terminal: Terminal, asset: Asset, facts: RunFacts) -> None:
    """Which partitions a run with these facts covers, and why.

    Raises:
        PartitionError: The run says something that does not fit, or nothing; the task would fail with the same text.
    """
    run = Computation.of(asset)
    found = resolve(facts, run.partitioning, where=asset.label)
    windows = found.windows
    terminal.say(asset.qualified_key, style="bold")
    terminal.say(f"  rule {found.rule}: {RULES[found.rule]}")
    terminal.say(f"  {found.reason}")
    if found.skip:
        terminal.say("  skipped: the task is marked as skipped, and nothing runs", style="yellow")
    elif windows is None:
        terminal.say("  covers the whole asset")
    else:
        count = sum(map(len, windows))
        terminal.say(f"  covers {counted(count, 'partition')}:")
        for window in windows[:SHOWN]:
            terminal.say(f"    {window}  {_bounds(window, run.partitioning)}", style="green")
        if len(windows) > SHOWN:
            terminal.say(f"    ... and {len(windows) - SHOWN} more stretches")
        terminal.say(f"  data() is called {_calls(run, count, len(windows))}")
    if asset.partitioning is None and windows:
        terminal.say(f"  {asset.key} has no partitions: it is replaced whole, by the last call")


def _bounds(window: PartitionWindow, partitioning: PartitionConfig | None) -> str:
    if window.time is None or partitioning is None or partitioning.time is None:
        return ""
    zone = partitioning.time.zone
    start, end = (instant.astimezone(zone).isoformat() for instant in (window.time.start, window.time.end))
    return f"[{start}, {end})"


def _calls(run: Computation, partitions: int, windows: int) -> str:
    whole = run.partitioning is not None and run.partitioning.allow_window
    calls = windows if whole else partitions
    said = "once" if calls == 1 else f"{calls} times"
    return f"{said}, {'with a whole stretch' if whole else 'one partition'} at a time"
