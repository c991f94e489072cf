"""Partitions as a calendar of characters: a row of days for each month, of hours for each day, of months for each year.

Each partition is one character, whose place says when it is and whose shape says what is held; colour only repeats the
shape, so that a pipe and a colour-blind reader lose nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.text import Text

from airflow_provider.ledger.coverage import Cell
from airflow_provider.partitioning import Granularity, PartitionConfig, TimePartition

Look = Literal["committed", "empty", "untracked", "missing", "failed", "stale", "running"]
"""What a cell looks like: ``failed`` is a failed attempt at what is not held, ``stale`` one at what is."""

LOOKS: dict[Look, tuple[str, str, str, str]] = {
    "committed": ("■", "#", "green", "held"),
    "empty": ("□", "o", "cyan", "held, known to be empty"),
    "stale": ("▲", "!", "yellow", "held, but the last attempt failed"),
    "untracked": ("▒", "?", "magenta", "there before us, without a commit record"),
    "missing": ("·", ".", "dim", "missing"),
    "running": ("◌", "~", "blue", "missing, an attempt was started"),
    "failed": ("✗", "x", "red", "missing, the last attempt failed"),
}
_SEVERITY: tuple[Look, ...] = ("committed", "empty", "untracked", "stale", "running", "missing", "failed")


@dataclass(frozen=True)
class Grid:
    """How one grain is laid out.

    Attributes:
        columns: Positions in a row.
        step: A column is named every so many.
        first: The name of the first column.
        limit: How many rows are shown unless more are asked for.
    """

    columns: int
    step: int
    first: int
    limit: int


GRIDS = {
    Granularity.HOUR: Grid(24, 3, 0, 31),
    Granularity.DAY: Grid(31, 5, 1, 60),
    Granularity.WEEK: Grid(53, 5, 1, 60),
    Granularity.MONTH: Grid(12, 1, 1, 60),
    Granularity.QUARTER: Grid(4, 1, 1, 60),
    Granularity.YEAR: Grid(10, 1, 0, 60),
}


def look_of(cell: Cell) -> Look:
    """How a cell is drawn."""
    if cell.state == "missing":
        if cell.last_attempt == "failed":
            return "failed"
        return "running" if cell.last_attempt == "running" else "missing"
    return "stale" if cell.last_attempt == "failed" else cell.state


def draw(
    partitioning: PartitionConfig, cells: Sequence[Cell], *, everything: bool = False, ascii_only: bool = False
) -> list[Text]:
    """The calendar of ``cells``, oldest row first, with its heading, a note of what is left out, and the legend.

    Args:
        partitioning: How the asset is partitioned; with a time.
        cells: One per partition, in time order. Those of one time share a place, where the worst is drawn.
        everything: Draw every row; by default the newest ones, as many as fit a screen.
        ascii_only: Use ASCII characters.
    """
    assert partitioning.time is not None  # noqa: S101 -- asked for partitionings with a time only
    grid = GRIDS[partitioning.time.granularity]
    rows: dict[str, list[Look | None]] = {}
    for cell in cells:
        time = partitioning.partition(cell.key).time
        assert time is not None  # noqa: S101 -- as above
        label, column = place(time)
        row = rows.setdefault(label, [None] * grid.columns)
        row[column] = _worse(row[column], look_of(cell))  # the repeated hour of autumn shares a place
    shown = list(rows) if everything else list(rows)[-grid.limit :]
    width = max(map(len, shown), default=0)
    lines = [Text(f"{'':{width}}  {_heading(grid)}".rstrip(), style="dim")]
    for label in shown:
        line = Text(f"{label:>{width}}  ")
        for look in rows[label]:
            line.append(_glyph(look, ascii_only), style=LOOKS[look][2] if look else "")
        line.rstrip()
        lines.append(line)
    if len(shown) < len(rows):
        lines.insert(0, Text(f"the newest {len(shown)} of {len(rows)} rows; --since shows others", style="dim"))
    return [*lines, legend((look_of(cell) for cell in cells), ascii_only=ascii_only)]


def place(partition: TimePartition) -> tuple[str, int]:
    """The row of a partition and its column, counted from 0, by the clock of its zone."""
    grain, key = partition.granularity, partition.key
    if grain is Granularity.HOUR:
        return key[:10], int(key[11:13])
    if grain is Granularity.DAY:
        return key[:7], int(key[8:10]) - 1
    if grain is Granularity.WEEK:
        return key[:4], int(key[6:8]) - 1
    if grain is Granularity.MONTH:
        return key[:4], int(key[5:7]) - 1
    if grain is Granularity.QUARTER:
        return key[:4], int(key[6]) - 1
    return f"{key[:3]}x", int(key[3])


def legend(looks: Iterable[Look], *, ascii_only: bool = False) -> Text:
    """The shapes that occur, with their meaning."""
    found = set(looks)
    line = Text()
    for look in _SEVERITY:
        if look in found:
            line.append(_glyph(look, ascii_only), style=LOOKS[look][2])
            line.append(f" {LOOKS[look][3]}   ", style="dim")
    line.rstrip()
    return line


def worst(looks: Iterable[Look]) -> Look:
    """The look that asks for most attention; one at least is given."""
    return max(looks, key=_SEVERITY.index)


def glyph(look: Look, *, ascii_only: bool) -> Text:
    """The character of a look."""
    return Text(_glyph(look, ascii_only), style=LOOKS[look][2])


def _worse(one: Look | None, other: Look) -> Look:
    return other if one is None else max(one, other, key=_SEVERITY.index)


def _glyph(look: Look | None, ascii_only: bool) -> str:
    return " " if look is None else LOOKS[look][1 if ascii_only else 0]


def _heading(grid: Grid) -> str:
    """Column numbers, each beginning above its column."""
    line = ""
    for column in range(grid.columns):
        number = column + grid.first
        if number == grid.first or number % grid.step == 0:
            line = f"{line:<{column}}{str(number)[-2:] if grid.step > 1 else str(number)[-1:]}"
    return line
