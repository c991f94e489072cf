"""What the page is told of one asset: totals and gaps over everything, cells of one period at a time.

The totals cost a step per record of the index and the cells are bounded, so that ten years of hours answer in about the
time that reading their index takes.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from airflow_provider.errors import PartitionError
from airflow_provider.ledger.coverage import Cell, coverage
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.record import Entry
from airflow_provider.partitioning import PartitionConfig, TimePartition, TimePartitionConfig, TimePartitionWindow
from airflow_provider.partitioning.grain import grain_of_key
from airflow_provider.plugins.coverage.period import clipped, newest, periods_of

MAX_CELLS = 4000
MAX_GAPS = 200
MAX_FAILURES = 50

Dates = tuple[dt.date | None, dt.date | None]


def describe(name: str, partitioning: PartitionConfig | None) -> dict[str, Any]:
    """An asset's name, and how it is partitioned."""
    time = partitioning if isinstance(partitioning, TimePartitionConfig) else None
    return {
        "name": name,
        "kind": partitioning.kind if partitioning is not None else None,
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
        ``MAX_CELLS``, oldest first; ``periods`` that a page may ask for one by one.
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
    return answer | _as_list(partitioning, index, now)


def _inferred(index: AssetIndex) -> PartitionConfig | None:
    """A partitioning that fits the newest key held, for an asset that Airflow says is not partitioned.

    Airflow keeps one extra per asset: a DAG that names the asset by hand, without an extra, wipes what ours said.
    """
    keys = index.keys
    grain = grain_of_key(keys[-1]) if keys else None
    return TimePartitionConfig(column="unknown", granularity=grain) if grain else None


def _as_list(partitioning: PartitionConfig | None, index: AssetIndex, now: dt.datetime) -> dict[str, Any]:
    """The one cell of the whole, or the cells of a partitioning that does not follow time."""
    found = coverage(partitioning, index, now=now)
    utc = ZoneInfo("UTC")
    return {
        "totals": {
            "held": found.held,
            "untracked": found.untracked,
            "missing": found.missing,
            "failed": found.failed,
            "rows": found.rows,
            "expected": len(found.cells),
        },
        "gaps": [],
        "more_gaps": 0,
        "failures": _failures(index, index.failed, utc),
        "range": None,
        "periods": [],
        "cells": [_cell_values(cell, utc) for cell in found.cells[:MAX_CELLS]],
        "cut": len(found.cells) > MAX_CELLS,
    }


def _by_time(partitioning: TimePartitionConfig, index: AssetIndex, now: dt.datetime, dates: Dates) -> dict[str, Any]:
    known = _partitions(partitioning, {*index.records, *index.notes, *index.untracked})
    noted = [partition for partition, _ in known]
    there = [partition for partition, key in known if key in index.records or key in index.untracked]
    expected = partitioning.expected(now) or (TimePartitionWindow.between(noted[0], noted[-1]) if noted else None)
    gaps = _gaps(expected, there)
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
        "gaps": [{"first": gap.first.key, "last": gap.last.key, "count": len(gap)} for gap in gaps[-MAX_GAPS:]],
        "more_gaps": max(0, len(gaps) - MAX_GAPS),
        # What belongs to no partition, because the run failed before it came to one, is told as well.
        "failures": _failures(index, [key for key in index.failed if key is None or key in keys], partitioning.zone),
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
    period = newest(partitioning, extent)
    first, last = dates[0] or min(period[0], dates[1] or period[0]), dates[1] or max(period[1], dates[0] or period[1])
    window = clipped(partitioning, extent, first, last)
    shown = _newest_cells(window)
    found = coverage(partitioning, index, now=now, window=shown).cells if shown else ()
    cells = []
    for partition, cell in zip(shown or (), found, strict=True):
        due = expected is not None and partition in expected
        cells.append(_cell_values(cell, partitioning.zone, due=due) | {"date": partition.date.isoformat()})
    return {
        "range": {"from": first.isoformat(), "to": last.isoformat()},
        "periods": [
            {"label": label, "from": begin.isoformat(), "to": end.isoformat()}
            for label, begin, end in periods_of(partitioning, extent)
        ],
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


def _gaps(expected: TimePartitionWindow | None, held: Sequence[TimePartition]) -> list[TimePartitionWindow]:
    """The stretches of ``expected`` that are not held, found from held neighbour to held neighbour, oldest first."""
    if expected is None:
        return []
    found = []
    at = expected.first
    for partition in held:
        if partition.cell < at.cell:
            continue
        if partition.cell > expected.last.cell:
            break
        if partition.cell > at.cell:
            found.append(TimePartitionWindow.between(at, partition.previous()))
        if partition.cell == expected.last.cell:
            return found
        at = partition.next()
    return [*found, TimePartitionWindow.between(at, expected.last)]


def _cell_values(cell: Cell, zone: ZoneInfo, *, due: bool = True) -> dict[str, Any]:
    """A cell without what it does not have."""
    values = {
        "key": cell.key,
        "state": cell.state if due or cell.state != "missing" else "outside",
        "attempt": cell.last_attempt if cell.last_attempt != "ok" else None,
        "rows": cell.rows,
        "at": _moment(cell.committed_at, zone),
        "error": cell.error,
    }
    return {name: value for name, value in values.items() if value is not None and value != ""}


def _failures(index: AssetIndex, keys: Iterable[str | None], zone: ZoneInfo) -> list[dict[str, Any]]:
    """The newest failed attempts, newest first."""
    notes = sorted((index.notes[key] for key in keys), key=lambda note: note.at, reverse=True)
    return [{"key": note.key, "error": note.error, "at": _moment(note.at, zone)} for note in notes[:MAX_FAILURES]]


def _moment(text: str, zone: ZoneInfo) -> str:
    """An instant as a reader wants it: in the asset's zone, and in UTC where that differs."""
    try:
        instant = dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return text
    utc = instant.astimezone(dt.timezone.utc)
    if zone.key == "UTC":
        return f"{utc:%Y-%m-%d %H:%M:%S} UTC"
    return f"{instant.astimezone(zone):%Y-%m-%d %H:%M:%S %Z} ({utc:%Y-%m-%d %H:%M:%S} UTC)"
