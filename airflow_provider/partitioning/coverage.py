"""Which stretches of time, and which partitions, are held, and which are missing.

A span is half-open, ``(start, end)``: two spans touch when one ends where the next starts, and no
instant belongs to both. A span whose end is not after its start holds nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning.config import PartitionConfig
from airflow_provider.partitioning.partition import TimePartition
from airflow_provider.partitioning.window import TimePartitionWindow

Span = tuple[datetime, datetime]


def merge(spans: Iterable[Span]) -> list[Span]:
    """Join spans that overlap or touch; the result is sorted and disjoint, without empty spans."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def missing(wanted: Span, held: Iterable[Span]) -> list[Span]:
    """Return the parts of a span that no held span covers, oldest first."""
    gaps: list[Span] = []
    at, until = wanted
    for start, end in merge(held):
        if start >= until:
            break
        if start > at:
            gaps.append((at, start))
        at = max(at, end)
    return [*gaps, (at, until)] if at < until else gaps


def subtract(spans: Iterable[Span], removed: Iterable[Span]) -> list[Span]:
    """Return what is left of the spans without the removed ones, sorted and disjoint."""
    gone = merge(removed)
    return [left for span in merge(spans) for left in missing(span, gone)]


def gaps(expected: TimePartitionWindow, held: Collection[str]) -> tuple[TimePartitionWindow, ...]:
    """Return the partitions of a window that are not held, neighbours as one window.

    Args:
        expected: The partitions that ought to be there.
        held: The keys that are. Keys outside the window, or of another grain, are ignored.
    """
    keys = frozenset(held)
    found: list[TimePartitionWindow] = []
    first: TimePartition | None = None
    previous: TimePartition | None = None
    for partition in expected:
        if partition.key in keys:
            if first is not None and previous is not None:
                found.append(TimePartitionWindow.between(first, previous))
            first = None
        elif first is None:
            first = partition
        previous = partition
    return (*found, TimePartitionWindow.between(first, expected.last)) if first is not None else tuple(found)


def stretches(keys: Iterable[str], config: PartitionConfig, *, limit: int = 10) -> list[str]:
    """Write keys in few words: ``first..last`` per stretch of neighbours, oldest first.

    Args:
        keys: Keys in any order; one that is no key of the partitioning is listed as it is, at the end.
        config: The partitioning.
        limit: How many entries at most; a last one says how many more there are.
    """
    windows, alien = [], []
    for key in keys:
        try:
            windows.append(config.partition(key).window)
        except PartitionError:
            alien.append(key)
    texts = [*(str(window) for window in config.join(windows)), *sorted(set(alien))]
    return texts if len(texts) <= limit else [*texts[:limit], f"and {len(texts) - limit} more"]
