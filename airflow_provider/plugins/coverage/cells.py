"""Pieces of the page's answers: a cell, the gaps, the failures, the period that is shown. All of them are bounded."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from airflow_provider.ledger.coverage import Cell
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.partitioning import PartitionWindow, TimePartition, TimePartitionConfig, TimePartitionWindow
from airflow_provider.plugins.coverage.period import clipped, newest, periods_of

MAX_CELLS = 4000
MAX_GAPS = 200
MAX_FAILURES = 50

Dates = tuple[dt.date | None, dt.date | None]


def gap_values(gaps: Sequence[PartitionWindow]) -> dict[str, Any]:
    """The newest gaps, oldest first, and how many more there are."""
    told = [
        {"first": gap.first.key, "last": gap.last.key, "count": len(gap), "text": str(gap)} for gap in gaps[-MAX_GAPS:]
    ]
    return {"gaps": told, "more_gaps": max(0, len(gaps) - MAX_GAPS)}


def range_of(
    partitioning: TimePartitionConfig, extent: TimePartitionWindow, dates: Dates
) -> tuple[dict[str, Any], TimePartitionWindow | None]:
    """The range and the periods as they are told, and the partitions of ``extent`` that lie in the range.

    Args:
        partitioning: How time is cut.
        extent: From the first to the last partition that there is anything to say of.
        dates: The local dates asked for; None stands for that end of the newest period.
    """
    period = newest(partitioning, extent)
    first, last = dates[0] or min(period[0], dates[1] or period[0]), dates[1] or max(period[1], dates[0] or period[1])
    told = {
        "range": {"from": first.isoformat(), "to": last.isoformat()},
        "periods": [
            {"label": label, "from": begin.isoformat(), "to": end.isoformat()}
            for label, begin, end in periods_of(partitioning, extent)
        ],
    }
    return told, clipped(partitioning, extent, first, last)


def gaps_between(expected: TimePartitionWindow | None, held: Sequence[TimePartition]) -> list[TimePartitionWindow]:
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


def cell_values(cell: Cell, zone: ZoneInfo, *, due: bool = True) -> dict[str, Any]:
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


def failures_of(index: AssetIndex, keys: Iterable[str | None], zone: ZoneInfo) -> list[dict[str, Any]]:
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
