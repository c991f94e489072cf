"""What an asset holds against what it should hold: one cell per partition, for the calendar and the command line.

Expected is what the partitioning says is complete by now; held is what the index knows. A cell keeps apart what is
held and how its last attempt went, so that a failed re-run of good data shows both.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from airflow_provider.ledger.fold import LastAttempt
from airflow_provider.ledger.foreign import is_own
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.partitioning import Partition, PartitionConfig, PartitionWindow, TimePartitionWindow

CellState = Literal["committed", "empty", "untracked", "missing"]
"""As ``HeldState``, where ``absent`` is ``missing``: what is not held of what is expected."""


@dataclass(frozen=True)
class Cell:
    """One partition.

    Attributes:
        key: The partition's key; None is the unpartitioned whole.
        state: What is held; ``untracked`` is data that was there before the package, which is never due.
        last_attempt: How the last attempt went; None when none is known.
        rows: Rows held, where known.
        committed_at: When it was committed, ISO 8601 in UTC; empty when it is missing.
        error: Why the last attempt failed, if it did.
    """

    key: str | None
    state: CellState
    last_attempt: LastAttempt | None = None
    rows: int | None = None
    committed_at: str = ""
    error: str = ""


@dataclass(frozen=True)
class Coverage:
    """The cells of one asset, in the order of its partitions.

    Attributes:
        window: The partitions that were expected; None for an unpartitioned asset, and where nothing says what to
            expect.
        cells: The expected partitions, and those held or tried outside of them.
    """

    window: PartitionWindow | None
    cells: tuple[Cell, ...]

    @property
    def held(self) -> int:
        """How many cells are committed or empty."""
        return sum(cell.state in ("committed", "empty") for cell in self.cells)

    @property
    def untracked(self) -> int:
        """How many cells were there before the package: neither held nor missing."""
        return sum(cell.state == "untracked" for cell in self.cells)

    @property
    def missing(self) -> int:
        """How many partitions, expected or tried, are not held."""
        return sum(cell.state == "missing" for cell in self.cells)

    @property
    def failed(self) -> int:
        """How many cells' last attempt failed, whatever they hold."""
        return sum(cell.last_attempt == "failed" for cell in self.cells)

    @property
    def totals(self) -> dict[str, int]:
        """The counts by name, and the rows, for what is sent as JSON."""
        names = ("held", "untracked", "missing", "failed", "rows")
        return {name: getattr(self, name) for name in names}

    def spanned_time(self, partitioning: PartitionConfig) -> TimePartitionWindow | None:
        """The time from the first to the last cell; None without cells, and where partitions have no time."""
        times = [partitioning.partition(cell.key).time for cell in self.cells if cell.key is not None]
        found = [time for time in times if time is not None]
        return TimePartitionWindow.between(min(found), max(found)) if found else None

    @property
    def rows(self) -> int:
        """Rows held, over all cells whose count is known."""
        return sum(cell.rows or 0 for cell in self.cells)


def coverage(
    partitioning: PartitionConfig | None, index: AssetIndex, *, now: dt.datetime, window: PartitionWindow | None = None
) -> Coverage:
    """The coverage of an asset.

    Args:
        partitioning: The asset's; None gives one cell for the whole.
        index: What is known of it.
        now: The instant up to which partitions are expected, aware.
        window: Look at these partitions only, instead of at what is expected from ``start`` on. Without ``start`` the
            stretch from the first to the last one held is expected.
    """
    if partitioning is None:
        return Coverage(None, (_cell(None, index),))
    if window is not None:
        window = partitioning.adopt(window)
        return Coverage(window, tuple(_cell(partition.key, index) for partition in window))
    known = list(_known(partitioning, index))
    expected = partitioning.expected(now) or partitioning.spanning(known)
    partitions = partitioning.ordered([*(expected or ()), *known])
    return Coverage(expected, tuple(_cell(partition.key, index) for partition in partitions))


def _known(partitioning: PartitionConfig, index: AssetIndex) -> "Iterator[Partition]":
    """The partitions that the index says anything of, those of an older partitioning left out."""
    for key in {*index.records, *index.notes, *index.untracked}:
        if key is not None and is_own(partitioning, key):
            yield partitioning.partition(key)


def _cell(key: str | None, index: AssetIndex) -> Cell:
    record, note, held = index.records.get(key), index.notes.get(key), index.held(key)
    error = note.error if note is not None and held.last_attempt == "failed" else ""
    if record is None:
        return Cell(key, "untracked" if held.held == "untracked" else "missing", held.last_attempt, error=error)
    return Cell(key, record.state, held.last_attempt, record.rows, record.committed_at, error)
