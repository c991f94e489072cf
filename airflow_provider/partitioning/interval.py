"""From a run to the partitions it covers: one pure function, first matching rule wins.

====  ==================================================================  ======================================
rule  what the run carries                                                windows
====  ==================================================================  ======================================
1     ``window`` typed in params or conf; null and blanks are absent      as typed; refused in a backfill
2     a partition key of Airflow's                                        the partition or range it names
3     a data interval wider than zero                                     the partitions whose end lies in
                                                                          ``(start, end]``; none: skip, an error
                                                                          where explicit, or the one in progress
4     a zero-width interval, a logical date, or only ``run_after``        the last ``lookback`` complete ones
5     consumed events that name partitions                                their union
6     nothing                                                             the whole, or an error if partitioned
                                                                          by time
====  ==================================================================  ======================================

A list has no time, so rules 3 and 4 say nothing about it: without a typed window, a key or keys of events a run covers
all its values. With several dimensions, what rules 2 to 5 say of the time is covered for all values of the lists.

The rule never depends on a run's type, and run ids are never read: Airflow's versions differ in both.
Nothing is rounded: an interval that cuts a partition does not cover it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning.config import PartitionConfig
from airflow_provider.partitioning.grain import shown
from airflow_provider.partitioning.window import PartitionWindow

CONF_KEYS = ("window", "select")

_SAID_HOW = (
    "say which partitions: type `window` in the run's form or conf (a key, first..last, or a list), trigger with a "
    "partition key or a logical date, or give the DAG a timetable with data intervals"
)


@dataclass(frozen=True)
class RunFacts:
    """What a run carries that may say which partitions it covers.

    Attributes:
        typed: ``window`` from params or conf, as it came; ``None`` is absent.
        partition_key: Airflow's partition key.
        interval: Airflow's data interval, half-open, aware.
        logical_date: Airflow's logical date, aware.
        run_after: When the run was due, aware; known of every run, and used only where nothing else is.
        event_keys: The keys that consumed events name; ``None`` for a run that no event started, ``()``
            for events without keys.
        event_sources: Names of the assets whose events were consumed, for the message.
        backfill: Whether the run belongs to a backfill.
        explicit: Whether a person asked for this very run, so that having nothing to do is an error.
    """

    typed: object = None
    partition_key: str | None = None
    interval: tuple[datetime, datetime] | None = None
    logical_date: datetime | None = None
    run_after: datetime | None = None
    event_keys: Sequence[str] | None = None
    event_sources: Sequence[str] = ()
    backfill: bool = False
    explicit: bool = False


@dataclass(frozen=True)
class Resolution:
    """Which partitions a run covers, and why.

    Attributes:
        windows: The windows, in order and disjoint; ``None`` is the unpartitioned whole, ``()`` a skip.
        rule: The number of the rule that applied.
        reason: A sentence for the log.
        skip: Whether no partition completes in this run.
    """

    windows: tuple[PartitionWindow, ...] | None
    rule: int
    reason: str
    skip: bool = False


def resolve(facts: RunFacts, config: PartitionConfig | None, *, where: str) -> Resolution:
    """Work out which partitions a run covers.

    Args:
        facts: What the run carries.
        config: The asset's partitioning; ``None`` for an unpartitioned asset.
        where: The asset, for the message, for example ``asset 'nyc.flights'``.

    Returns:
        The windows with the rule that gave them.

    Raises:
        PartitionError: The run says something that does not fit the asset, or says nothing.
    """
    if _is_typed(facts.typed):
        return _typed(facts, config, where=where)
    if config is None:
        return Resolution(None, 6, "the asset is not partitioned: the run covers all of it")
    return (
        _by_partition_key(facts, config, where=where)
        or _by_interval(facts, config, where=where)
        or _by_instant(facts, config, where=where)
        or _by_events(facts, config, where=where)
        or _by_nothing(facts, config, where=where)
    )


def near_misses(keys: Iterable[str]) -> dict[str, str]:
    """Find the conf keys that look like one of ours but are not: Airflow lets a misspelt key pass in silence.

    Returns:
        Each such key with the one that was probably meant.
    """
    found = {}
    for key in keys:
        close = get_close_matches(str(key).strip().lower(), CONF_KEYS, n=1, cutoff=0.75)
        if key not in CONF_KEYS and close:
            found[key] = close[0]
    return found


def _is_typed(typed: object) -> bool:
    items = typed if isinstance(typed, (list, tuple)) else [typed]
    return any(not (item is None or (isinstance(item, str) and not item.strip())) for item in items)


def _typed(facts: RunFacts, config: PartitionConfig | None, *, where: str) -> Resolution:
    if facts.backfill:
        raise PartitionError(
            f"window={shown(facts.typed)} is in the conf of a backfill, whose every run would repeat it",
            where=where,
            fix="leave window out: the backfill's dates say which partitions to run; if you did not type it, the "
            "backfill reprocesses a run that was started with it (Airflow 3.1 keeps the old conf): clear that run, "
            "or trigger its window by hand",
        )
    if config is None:
        raise PartitionError(
            f"is not partitioned, but the run was given window={shown(facts.typed)}",
            where=where,
            fix="leave window out, or give the asset a partitioning",
        )
    windows = config.parse(facts.typed, where=where)
    for window in windows:
        config.check(window, where=where)
    return Resolution(windows, 1, f"the window typed for this run: {_listed(windows)}")


def _by_partition_key(facts: RunFacts, config: PartitionConfig, *, where: str) -> Resolution | None:
    if facts.partition_key is None or not facts.partition_key.strip():
        return None
    window = config.parse_run_key(facts.partition_key, where=where)
    return _bounded([window], 2, f"the run's partition key {facts.partition_key.strip()}", facts, config, where=where)


def _by_interval(facts: RunFacts, config: PartitionConfig, *, where: str) -> Resolution | None:
    if facts.interval is None:
        return None
    start, end = facts.interval
    _check_aware(start, end, where=where)
    if end < start:
        raise PartitionError(
            f"the data interval {_span(start, end)} ends before it starts",
            where=where,
            fix="give data_interval_start and data_interval_end in order",
        )
    if start == end:
        return None
    window = config.completed_between(start, end)
    if window is not None:
        return _bounded([window], 3, f"complete in the interval {_span(start, end)}", facts, config, where=where)
    return _none_completes(start, end, facts, config, where=where)


def _none_completes(
    start: datetime, end: datetime, facts: RunFacts, config: PartitionConfig, *, where: str
) -> Resolution | None:
    progress = config.in_progress(start)
    if progress is None:
        return None  # not partitioned by time: the interval says nothing
    if config.incomplete == "run":
        reason = f"in progress in the interval {_span(start, end)}, where none completes"
        return _bounded([progress], 3, reason, facts, config, where=where)
    reason = f"no partition completes in the interval {_span(start, end)}, which lies inside {progress}"
    if not facts.explicit:
        return Resolution((), 3, reason, skip=True)
    raise PartitionError(
        reason,
        where=where,
        fix="type the partition as `window`, give an interval in which one ends, or set incomplete='run' in the "
        "partitioning to take the one in progress",
    )


def _by_instant(facts: RunFacts, config: PartitionConfig, *, where: str) -> Resolution | None:
    named = _instant(facts)
    if named is None:
        return None
    instant, name = named
    _check_aware(instant, where=where)
    window = config.newest(instant)
    if window is None:
        return None
    return _bounded([window], 4, f"the newest at the {name} {instant.isoformat()}", facts, config, where=where)


def _instant(facts: RunFacts) -> tuple[datetime, str] | None:
    """Return the one instant a run carries. ``run_after`` of an event's run is only when it was noticed."""
    if facts.interval is not None:
        return facts.interval[1], "zero-width interval"
    if facts.logical_date is not None:
        return facts.logical_date, "logical date"
    if facts.run_after is not None and facts.event_keys is None:
        return facts.run_after, "time of the run"
    return None


def _by_events(facts: RunFacts, config: PartitionConfig, *, where: str) -> Resolution | None:
    if facts.event_keys is None:
        return None
    sources = ", ".join(facts.event_sources) or "its upstreams"
    if not facts.event_keys and config.whole is not None:
        return None
    if not facts.event_keys:
        raise PartitionError(
            f"is partitioned, but the events of {sources} name no partition",
            where=where,
            fix=f"let {sources} emit events with partition keys, or {_SAID_HOW}",
        )
    place = f"{where}, event of {sources}"
    windows = config.join(config.parse_run_key(key, where=place) for key in facts.event_keys)
    return _bounded(windows, 5, f"named by the events of {sources}", facts, config, where=where)


def _by_nothing(facts: RunFacts, config: PartitionConfig, *, where: str) -> Resolution:
    if config.whole is not None:
        reason = "the partitions are a list, which has no time, and the run names none: it covers all of them"
        return _bounded([config.whole], 6, reason, facts, config, where=where)
    raise PartitionError("is partitioned, but the run says no partition", where=where, fix=_SAID_HOW)


def _bounded(
    windows: Sequence[PartitionWindow], rule: int, reason: str, facts: RunFacts, config: PartitionConfig, *, where: str
) -> Resolution:
    """Keep what lies between the partitioning's start and end: outside it there is nothing to run."""
    inside = tuple(part for window in windows if (part := config.clamp(window)) is not None)
    if inside:
        cut = (
            "" if inside == tuple(windows) else f"; {_listed(windows)} reaches outside the partitioning's start or end"
        )
        return Resolution(inside, rule, f"{_listed(inside)}: {reason}{cut}")
    if facts.explicit:
        for window in windows:
            config.check(window, where=where)  # words what is wrong with it
    return Resolution(
        (), rule, f"{_listed(windows)} lies outside the partitioning's start and end: {reason}", skip=True
    )


def _check_aware(*instants: datetime, where: str) -> None:
    for instant in instants:
        if instant.utcoffset() is None:
            raise PartitionError(
                f"the run's date {instant.isoformat()} has no time zone",
                where=where,
                fix="pass an aware datetime, for example datetime(..., tzinfo=ZoneInfo('UTC'))",
            )


def _listed(windows: Sequence[PartitionWindow], limit: int = 5) -> str:
    more = f" and {len(windows) - limit} more" if len(windows) > limit else ""
    return ", ".join(str(window) for window in windows[:limit]) + more


def _span(start: datetime, end: datetime) -> str:
    return f"({start.isoformat()}, {end.isoformat()}]"
