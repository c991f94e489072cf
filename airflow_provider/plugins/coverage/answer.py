"""What the page is told of one asset: totals and gaps over everything, cells of one period at a time.

The totals cost a step per record of the index and the cells are bounded, so that ten years of hours answer in about the
time that reading their index takes.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from airflow_provider.errors import PartitionError
from airflow_provider.ledger.coverage import coverage
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.record import Entry
from airflow_provider.partitioning import PartitionConfig, TimePartition, TimePartitionConfig, TimePartitionWindow
from airflow_provider.partitioning.grain import grain_of_key
from airflow_provider.plugins.coverage.cells import (
    MAX_CELLS,
    Dates,
    cell_values,
    failures_of,
    gap_values,
    gaps_between,
    range_of,
)
from airflow_provider.plugins.coverage.matrix import matrix


def describe(name: str, partitioning: PartitionConfig | None) -> dict[str, Any]:
    """An asset's name, and how it is partitioned."""
    time = partitioning.time if partitioning is not None else None
    return {
        "name": name,
        "kind": partitioning.kind if partitioning is not None else None,
        "columns": list(partitioning.columns) if partitioning is not None else [],
        "granularity": time.granularity.value if time else None,
        "timezone": time.timezone if time else None,
        "start": time.start.key if time and time.start else None,
        "end": time.end.key if time and time.end else None,
    }


def survey(
    name: str,
    partitioning: PartitionConfig | None,
    entries: Sequence[Entry],
    *,
    now: dt.datetime,
    dates: Dates = (None, None),
    destination: str | None = None,
) -> dict[str, Any]:
    """The coverage of one asset as JSON-able values.

    Args:
        name: The asset's qualified key.
        partitioning: The asset's; None for an asset that is one whole.
        entries: Every record and note of the asset.
        now: Up to when partitions are expected, aware.
        dates: Cells of these local dates, both included; None stands for that end of the newest period.
        destination: The address meant; None is the one there is, or all together.

    Returns:
        ``totals``, ``gaps`` and ``failures`` over all partitions; ``cells`` of the ``range`` asked for, at most
        ``MAX_CELLS``, oldest first, of lists with the ``row`` and ``column`` of each; ``periods`` that a page may ask
        for one by one.
    """
    addresses = sorted({entry.destination for entry in entries})
    chosen = destination if destination in addresses else None
    index = AssetIndex.of(entry for entry in entries if chosen is None or entry.destination == chosen)
    inferred = _inferred(index) if partitioning is None else None
    partitioning = partitioning or inferred
    answer = describe(name, partitioning) | {
        "destinations": addresses,
        "destination": chosen,
        "inferred": bool(inferred),
    }
    if isinstance(partitioning, TimePartitionConfig):
        return answer | _by_time(partitioning, index, now, dates)
    if partitioning is not None:
        return answer | matrix(partitioning, index, now, dates)
    return answer | _whole(index, now)


def _inferred(index: AssetIndex) -> PartitionConfig | None:
    """A partitioning that fits the newest key held, for an asset that Airflow says is not partitioned.

    Airflow keeps one extra per asset: a DAG that names the asset by hand, without an extra, wipes what ours said.
    """
    keys = index.keys
    grain = grain_of_key(keys[-1]) if keys else None
    return TimePartitionConfig(column="unknown", granularity=grain) if grain else None


def _whole(index: AssetIndex, now: dt.datetime) -> dict[str, Any]:
    """The one cell of an asset that is not partitioned."""
    found = coverage(None, index, now=now)
    utc = ZoneInfo("UTC")
    return {
        "totals": {**found.totals, "expected": len(found.cells)},
        **gap_values([]),
        "failures": failures_of(index, index.failed, utc),
        "range": None,
        "periods": [],
        "cells": [cell_values(cell, utc) for cell in found.cells],
        "cut": False,
    }


def _by_time(partitioning: TimePartitionConfig, index: AssetIndex, now: dt.datetime, dates: Dates) -> dict[str, Any]:
    known = _partitions(partitioning, {*index.records, *index.notes, *index.untracked})
    noted = [partition for partition, _ in known]
    there = [partition for partition, key in known if key in index.records or key in index.untracked]
    expected = partitioning.expected(now) or (TimePartitionWindow.between(noted[0], noted[-1]) if noted else None)
    gaps = gaps_between(expected, there)
    keys = {key for _, key in known}
    failed = [key for key in index.failed if key in keys]
    totals = {
        "held": len(keys & index.records.keys()),
        "untracked": len(keys & index.untracked),
        "missing": sum(map(len, gaps)),
        "failed": len(failed),
        "rows": sum(index.records[key].rows or 0 for key in keys & index.records.keys()),
        "expected": len(expected) if expected else 0,
    }
    return {
        "totals": totals,
        **gap_values(gaps),
        # What belongs to no partition, because the run failed before it came to one, is told as well.
        "failures": failures_of(index, [key for key in index.failed if key is None or key in keys], partitioning.zone),
        **_calendar(partitioning, index, now, dates, noted, expected),
    }


def _calendar(
    partitioning: TimePartitionConfig,
    index: AssetIndex,
    now: dt.datetime,
    dates: Dates,
    noted: Sequence[TimePartition],
    expected: TimePartitionWindow | None,
) -> dict[str, Any]:
    ends = [*noted[:1], *noted[-1:], *((expected.first, expected.last) if expected else ())]
    if not ends:
        return {"range": None, "periods": [], "cells": [], "cut": False}
    extent = TimePartitionWindow.between(min(ends), max(ends))
    told, window = range_of(partitioning, extent, dates)
    shown = _newest_cells(window)
    found = coverage(partitioning, index, now=now, window=shown).cells if shown else ()
    cells = []
    for partition, cell in zip(shown or (), found, strict=True):
        due = expected is not None and partition in expected
        cells.append(cell_values(cell, partitioning.zone, due=due) | {"date": partition.date.isoformat()})
    return {
        **told,
        "cells": cells,
        "cut": shown != window,
    }


def _newest_cells(window: TimePartitionWindow | None) -> TimePartitionWindow | None:
    if window is None or len(window) <= MAX_CELLS:
        return window
    return TimePartitionWindow.between(window.last.step(1 - MAX_CELLS), window.last)


def _partitions(partitioning: TimePartitionConfig, keys: Iterable[str | None]) -> list[tuple[TimePartition, str]]:
    """The partitions with these keys, and the key of each, in order; keys of an older partitioning are left out."""
    found = []
    for key in keys:
        if key is not None:
            try:
                found.append((partitioning.partition(key), key))
            except PartitionError:
                continue
    return sorted(found, key=lambda pair: pair[0].cell)
