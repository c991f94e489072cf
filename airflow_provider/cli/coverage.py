"""``coverage``: what each asset holds against what it should hold, for people and, with ``--json``, for programs.

Looked at is the default destination, which is the one that others read the asset from.
"""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from airflow_provider.cli import calendar
from airflow_provider.cli.bundle import Bundle, Problem
from airflow_provider.cli.console import Terminal, counted
from airflow_provider.definitions.asset import Asset
from airflow_provider.errors import PartitionError
from airflow_provider.ledger.coverage import Cell, Coverage, coverage
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.partitioning import (
    MultiPartition,
    Partition,
    PartitionConfig,
    PartitionWindow,
    TimePartition,
    TimePartitionConfig,
    TimePartitionWindow,
)
from airflow_provider.partitioning.grain import grain_of_key
from airflow_provider.partitioning.keys import join_key
from airflow_provider.storage.index import IndexStore
from airflow_provider.translation.naming import grain_name

JSON_VERSION = 1
SHOWN = 20
MAX_VALUES = 60
_GLYPHS = "".join(look[0] for look in calendar.LOOKS.values())


@dataclass(frozen=True)
class Span:
    """The stretch asked for; empty is open.

    Attributes:
        window: A key or ``first..last``.
        since: A key or date; a coarser one stands for its beginning.
        until: A key or date; a coarser one stands for its end.
    """

    window: str = ""
    since: str = ""
    until: str = ""

    @property
    def is_given(self) -> bool:
        """Whether anything was asked for."""
        return bool(self.window or self.since or self.until)


@dataclass(frozen=True)
class Survey:
    """One asset's coverage.

    Attributes:
        asset: The asset.
        destination: The address looked at; empty for an asset without destination.
        found: Its coverage there.
        elsewhere: Further addresses that the index knows for it.
    """

    asset: Asset
    destination: str
    found: Coverage
    elsewhere: tuple[str, ...] = ()

    @property
    def gaps(self) -> list[PartitionWindow]:
        """The stretches that are missing, oldest first."""
        config = self.asset.partitioning
        if config is None:
            return []
        missing = [cell.key for cell in self.found.cells if cell.state == "missing" and cell.key is not None]
        return list(config.join(config.partition(key).window for key in missing))

    @property
    def lacks_anything(self) -> bool:
        """Whether something that is expected is not held."""
        return self.found.missing > 0


def survey(asset: Asset, index: IndexStore, *, now: dt.datetime, span: Span) -> Survey:
    """Look up one asset.

    Raises:
        PartitionError: The span does not fit the asset's partitioning.
    """
    address = _address(asset)
    entries = index.entries(asset.qualified_key)
    known = {entry.destination for entry in entries}
    held = AssetIndex.of(entry for entry in entries if entry.destination == address)
    config = asset.partitioning
    window = None
    elsewhere = tuple(sorted(known - {address}))
    if config is not None and span.is_given:
        window = _window(asset.label, config, span, coverage(config, held, now=now), now)
        if window is None:
            return Survey(asset, address, Coverage(None, ()), elsewhere)
    return Survey(asset, address, coverage(config, held, now=now, window=window), elsewhere)


def print_surveys(terminal: Terminal, surveys: Sequence[Survey], *, everything: bool) -> None:
    """Each asset's totals, calendar and gaps."""
    for number, one in enumerate(surveys):
        if number:
            terminal.say()
        _print(terminal, one, everything=everything)


def as_json(surveys: Sequence[Survey], problems: Sequence[Problem] = ()) -> str:
    """The surveys for programs: the schema is in docs/how-to/command-line.md."""
    values = {
        "version": JSON_VERSION,
        "assets": [_values(one) for one in surveys],
        "problems": [{"name": problem.name, "text": problem.text} for problem in problems],
    }
    return json.dumps(values, indent=2)


def surveys_of(
    bundle: Bundle, names: Sequence[str], index: IndexStore, *, now: dt.datetime, span: Span
) -> list[Survey]:
    """The coverage of the assets called ``names``; of all of them for no name."""
    return [survey(asset, index, now=now, span=span) for asset in bundle.select(names)]


def _address(asset: Asset) -> str:
    if not asset.destinations:
        return ""
    return asset.default_destination.address


def _window(
    where: str, config: PartitionConfig, span: Span, whole: Coverage, now: dt.datetime
) -> PartitionWindow | None:
    """The stretch asked for, without the ends that nothing is expected beyond; None where nothing is left."""
    if span.window:
        windows = config.parse(span.window, where=where)
        if len(windows) != 1:
            what = "is several stretches" if windows else "is empty"
            raise PartitionError(f"--window {span.window!r} {what}", where=where, fix="give a key, or first..last")
        return windows[0]
    if config.time is None:
        raise PartitionError(
            "has no time that --since and --until could mean", where=where, fix="use --window, or leave them out"
        )
    stretch = _stretch(where, config.time, span, whole.spanned_time(config), now)
    return None if stretch is None else config.parse(stretch, where=where)[0]


def _stretch(
    where: str, config: TimePartitionConfig, span: Span, known: TimePartitionWindow | None, now: dt.datetime
) -> TimePartitionWindow | None:
    """The time from --since to --until; an end that is not given is that of what is known, or the newest."""
    newest = config.containing(now).previous()
    first = _named(config, span.since, where).first if span.since else known.first if known else newest
    last = _named(config, span.until, where).last if span.until else known.last if known else newest
    if not span.until:
        last = max(last, newest)
    if span.since and span.until and last < first:
        raise PartitionError(
            f"--until {span.until} lies before --since {span.since}", where=where, fix="give the earlier one first"
        )
    return config.clamp(config.window(first, last)) if first <= last else None


def _named(config: TimePartitionConfig, text: str, where: str) -> Any:
    """The window of the partitions that a key of any grain, in the asset's zone, overlaps."""
    grain = grain_of_key(text.strip())
    if grain is None:
        raise PartitionError(f"{text!r} is no date and no key", where=where, fix="write 2026-03-01, or 2026-03")
    named = TimePartition(text.strip(), grain, config.timezone)
    first, after = config.containing(named.start), config.containing(named.end)
    return config.window(first, max(first, after.previous() if after.start >= named.end else after))


def _print(terminal: Terminal, one: Survey, *, everything: bool) -> None:
    config, found = one.asset.partitioning, one.found
    time = config.time if config is not None else None
    zone = f" in {time.timezone}" if time is not None else ""
    by = f" by {' and '.join(config.columns)}" if config is not None and config is not time else ""
    terminal.say(f"{one.asset.qualified_key}  {grain_name(config)}{zone}{by}", style="bold")
    terminal.say(f"  {one.destination or 'no destination: nothing is stored'}", style="dim")
    if one.elsewhere:
        terminal.say(f"  the index also knows it in {', '.join(one.elsewhere)}", style="dim")
    if config is not None and not found.cells:
        terminal.say("  nothing is held, and no start says what is expected" if found.window is None else "  nothing")
        return
    ascii_only = not terminal.can_show(_GLYPHS)
    lines: list[Text] = []
    if config is not None and config is not time:
        lines += _by_value(config, found.cells, everything=everything, ascii_only=ascii_only)
    if config is not None and time is not None:
        lines += calendar.draw(config, found.cells, everything=everything, ascii_only=ascii_only)
    else:
        lines.append(calendar.legend(map(calendar.look_of, found.cells), ascii_only=ascii_only))
    for line in lines:
        terminal.out.print(Text("  ").append_text(line), soft_wrap=True)
    before_us = f"untracked {found.untracked}, " if found.untracked else ""
    terminal.say(f"  held {found.held}, {before_us}missing {found.missing}, failed {found.failed}, rows {found.rows:,}")
    _print_gaps(terminal, one)
    _print_failures(terminal, one)


def _by_value(config: PartitionConfig, cells: Sequence[Cell], *, everything: bool, ascii_only: bool) -> list[Text]:
    """A line for each value of the lists, drawn as the worst of its partitions."""
    by_value: dict[str, list[Cell]] = {}
    for cell in cells:
        by_value.setdefault(_value_of(config.partition(cell.key)), []).append(cell)
    shown = list(by_value) if everything else list(by_value)[:MAX_VALUES]
    width = max(map(len, shown), default=0)
    lines = []
    for value in shown:
        held = sum(cell.state in ("committed", "empty") for cell in by_value[value])
        rows = sum(cell.rows or 0 for cell in by_value[value])
        look = calendar.worst(map(calendar.look_of, by_value[value]))
        line = calendar.glyph(look, ascii_only=ascii_only).append(f" {value:<{width}}  ", style="default")
        lines.append(line.append(f"held {held} of {len(by_value[value])}, rows {rows:,}", style="dim"))
    if len(shown) < len(by_value):
        lines.append(Text(f"... and {len(by_value) - len(shown)} more; --json shows all", style="dim"))
    return lines


def _value_of(partition: Partition) -> str:
    """The parts of a partition that are values of lists."""
    if not isinstance(partition, MultiPartition):
        return partition.key
    return join_key(part.key for part in partition.parts.values() if part is not partition.time)


def _print_gaps(terminal: Terminal, one: Survey) -> None:
    gaps = one.gaps
    for gap in gaps[:SHOWN]:
        terminal.say(f"  gap {gap}" + (f" ({counted(len(gap), 'partition')})" if len(gap) > 1 else ""), style="yellow")
    if len(gaps) > SHOWN:
        terminal.say(f"  ... and {len(gaps) - SHOWN} more gaps")


def _print_failures(terminal: Terminal, one: Survey) -> None:
    failed = [cell for cell in one.found.cells if cell.last_attempt == "failed"]
    for cell in failed[-3:]:
        reason = (cell.error.splitlines() or ["no reason is known"])[0]
        terminal.say(f"  failed {cell.key or 'whole'}: {reason}", style="red")
    if len(failed) > 3:
        terminal.say(f"  ... and {len(failed) - 3} earlier failures")


def _values(one: Survey) -> dict[str, Any]:
    config, found = one.asset.partitioning, one.found
    time = config.time if config is not None else None
    ends = list(found.window) if found.window is not None else []
    return {
        "asset": one.asset.qualified_key,
        "kind": config.kind if config is not None else None,
        "columns": list(config.columns) if config is not None else [],
        "grain": time.granularity.value if time is not None else None,
        "zone": time.timezone if time is not None else None,
        "destination": one.destination or None,
        "expected": {"first": ends[0].key, "last": ends[-1].key, "count": len(ends)} if ends else None,
        "totals": found.totals,
        "gaps": [
            {"first": gap.first.key, "last": gap.last.key, "count": len(gap), "window": str(gap)} for gap in one.gaps
        ],
        "partitions": [
            {
                "key": cell.key,
                "state": cell.state,
                "last_attempt": cell.last_attempt,
                "rows": cell.rows,
                "committed_at": cell.committed_at or None,
                "error": cell.error or None,
            }
            for cell in found.cells
        ],
    }
