"""What the page is told of an asset with lists among its dimensions: a matrix, whose cells name their row and column.

With a time its partitions are the columns, and the values of the lists the rows; without one the values of the last
list are the columns. A list alone has one column.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from airflow_provider.ledger.coverage import Coverage, coverage
from airflow_provider.ledger.foreign import is_own
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.partitioning import (
    MultiPartition,
    Partition,
    PartitionConfig,
    PartitionWindow,
    TimePartition,
    TimePartitionWindow,
)
from airflow_provider.partitioning.keys import join_key
from airflow_provider.plugins.coverage.cells import (
    MAX_CELLS,
    Dates,
    cell_values,
    failures_of,
    gap_values,
    gaps_between,
    range_of,
)

UTC = ZoneInfo("UTC")


def matrix(partitioning: PartitionConfig, index: AssetIndex, now: dt.datetime, dates: Dates) -> dict[str, Any]:
    """Totals, gaps and failures over all partitions, and the cells of the period asked for."""
    keys = {key for key in (*index.records, *index.notes, *index.untracked) if key is not None}
    known = {key: partitioning.partition(key) for key in keys if is_own(partitioning, key)}
    there = {key: known[key] for key in known if key in index.records or key in index.untracked}
    expected = partitioning.expected(now) or partitioning.spanning(known.values())
    gaps = _gaps(partitioning, expected, there)
    failed = [key for key in index.failed if key in known]
    zone = partitioning.time.zone if partitioning.time is not None else UTC
    return {
        "totals": {
            "held": len(known.keys() & index.records.keys()),
            "untracked": len(known.keys() & index.untracked),
            "missing": sum(map(len, gaps)),
            "failed": len(failed),
            "rows": sum(index.records[key].rows or 0 for key in known.keys() & index.records.keys()),
            "expected": len(expected) if expected else 0,
        },
        **gap_values(gaps),
        "failures": failures_of(index, [key for key in index.failed if key is None or key in known], zone),
        **_cells(partitioning, index, now, dates, expected, list(known.values())),
    }


def _gaps(
    partitioning: PartitionConfig, expected: PartitionWindow | None, there: dict[str, Partition]
) -> Sequence[PartitionWindow]:
    """The stretches of ``expected`` that are not there; of a time, stretch by stretch for each row."""
    if expected is None:
        return []
    if expected.time is None:
        return partitioning.join(partition.window for partition in expected if partition.key not in there)
    times: dict[str, list[TimePartition]] = {}
    for partition in there.values():
        if partition.time is not None:
            times.setdefault(row_of(partition), []).append(partition.time)
    (rows,) = partitioning.parse(expected.time.first)  # one partition for each combination of values
    return partitioning.join(
        partitioning.window(_at(row, gap.first), _at(row, gap.last))
        for row in rows
        for gap in gaps_between(expected.time, sorted(times.get(row_of(row), ()), key=lambda time: time.cell))
    )


def _at(partition: Partition, time: TimePartition) -> Partition:
    """The partition with the same values at another time."""
    assert isinstance(partition, MultiPartition)  # noqa: S101 -- a list beside a time
    parts = {column: time if part is partition.time else part for column, part in partition.parts.items()}
    return MultiPartition(parts)


def _cells(
    partitioning: PartitionConfig,
    index: AssetIndex,
    now: dt.datetime,
    dates: Dates,
    expected: PartitionWindow | None,
    known: Sequence[Partition],
) -> dict[str, Any]:
    if partitioning.time is None:
        found = coverage(partitioning, index, now=now)
        return {"range": None, "periods": [], **_drawn(partitioning, found, expected, UTC)}
    times = [time for partition in known if (time := partition.time) is not None]
    ends = [*times, *((expected.time.first, expected.time.last) if expected and expected.time else ())]
    if not ends:
        return {"range": None, "periods": [], "cells": [], "cut": False}
    extent = TimePartitionWindow.between(min(ends), max(ends))
    told, window = range_of(partitioning.time, extent, dates)
    (whole,) = partitioning.parse(extent)
    shown = _newest_columns(window, len(whole) // len(extent))
    found = Coverage(None, ())
    if shown is not None:
        (asked,) = partitioning.parse(shown)
        found = coverage(partitioning, index, now=now, window=asked)
    drawn = _drawn(partitioning, found, expected, partitioning.time.zone)
    return {**told, **drawn, "cut": drawn["cut"] or shown != window}


def _newest_columns(window: TimePartitionWindow | None, rows: int) -> TimePartitionWindow | None:
    most = max(1, MAX_CELLS // rows)
    if window is None or len(window) <= most:
        return window
    return TimePartitionWindow.between(window.last.step(1 - most), window.last)


def _drawn(
    partitioning: PartitionConfig, found: Coverage, expected: PartitionWindow | None, zone: ZoneInfo
) -> dict[str, Any]:
    cells = []
    for cell in found.cells[:MAX_CELLS]:
        partition = partitioning.partition(cell.key)
        due = expected is not None and partition in expected
        place = {"row": row_of(partition), "column": column_of(partition)}
        cells.append(cell_values(cell, zone, due=due) | place)
    return {"cells": cells, "cut": len(found.cells) > MAX_CELLS}


def row_of(partition: Partition) -> str:
    """The name of a partition's row: the values of its lists, but for the one that is the column."""
    if not isinstance(partition, MultiPartition):
        return partition.key
    parts = list(partition.parts.values())
    column = parts[-1] if partition.time is None else partition.time
    return join_key(part.key for part in parts if part is not column)


def column_of(partition: Partition) -> str:
    """The name of a partition's column."""
    if not isinstance(partition, MultiPartition):
        return ""
    return (list(partition.parts.values())[-1] if partition.time is None else partition.time).key
