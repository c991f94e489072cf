"""``index rebuild``: the index anew from the commit records, which stand beside the data and are the truth.

What a crash left is settled first, so that records, data and index agree afterwards. How attempts went is known to the
index alone, so those notes are kept. What the index knows and no definition names is an orphan: it is listed, and
forgotten only with ``--prune``.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from airflow_provider.cli.bundle import Bundle
from airflow_provider.cli.console import Terminal, counted
from airflow_provider.cli.ticker import Ticker
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.destination import Committer, Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import AssetNotFoundError, ConfigError, DestinationError
from airflow_provider.execution.offload import Bridge
from airflow_provider.ledger.foreign import is_own
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.record import AttemptNote, Entry, UntrackedNote, utc_text
from airflow_provider.storage.index import IndexStore


@dataclass(frozen=True)
class Orphan:
    """What the index knows of an asset in a place that no definition names."""

    asset: str
    destination: str
    partitions: int

    def __str__(self) -> str:
        return f"{self.asset} in {self.destination}: {counted(self.partitions, 'partition')}"


def rebuild(terminal: Terminal, assets: Sequence[Asset], index: IndexStore) -> None:
    """Repair and rebuild the index of ``assets`` in every destination, with a line for each, and for each thing mended.

    Raises:
        AssetsError: Records could not be read or mended, or the index not written; what was rebuilt before stays.
    """
    with Bridge() as bridge:
        for asset in assets:
            if not asset.destinations:
                terminal.note(f"{asset.label} has no destination: nothing to rebuild")
            for destination in asset.destinations:
                if isinstance(destination, MemoryDestination):
                    terminal.note(f"{asset.label}: memory is not shared between processes, so its index stays")
                else:
                    _rebuild_one(terminal, asset, destination, index, bridge)


def rebuild_and_prune(
    terminal: Terminal, bundle: Bundle, names: Sequence[str], index: IndexStore, *, prune: bool, narrowed: bool
) -> None:
    """``rebuild``, then list the orphans, or forget them.

    Args:
        terminal: Where to print.
        bundle: The definitions.
        names: Bare or qualified keys of assets and orphans; none: all of them.
        index: The index.
        prune: Forget the orphans.
        narrowed: ``bundle`` was asked for by name and may not hold all that the deployment has.

    Raises:
        ConfigError: Orphans could not be told from assets whose definitions were not loaded; nothing was forgotten.
        AssetNotFoundError: A name is neither an asset nor an orphan; nothing was done.
    """
    orphans = _orphans(bundle, index)
    lost = {orphan.asset for orphan in orphans} - set(bundle.graph.assets)
    named = {name for name in names if name in lost}
    if named and not prune:
        raise AssetNotFoundError(
            f"{sorted(named)[0]!r} is known to the index, but no definition names it",
            where=", ".join(bundle.origins),
            fix="bring its definition back, or give --prune to forget it",
        )
    rest = [name for name in names if name not in named]
    if prune:
        _check_prune(bundle, narrowed=narrowed and not named)
    if rest or not names:
        chosen = bundle.select(rest)
        rebuild(terminal, chosen, index)
        if names:
            named |= {asset.qualified_key for asset in chosen}
    for orphan in orphans if not names else [one for one in orphans if one.asset in named]:
        if prune:
            index.forget(orphan.asset, orphan.destination)
            terminal.say(f"forgot {orphan}")
        else:
            terminal.say(f"orphan {orphan}; no definition names it: --prune forgets it", style="yellow")


def _check_prune(bundle: Bundle, *, narrowed: bool) -> None:
    if bundle.problems:
        raise ConfigError(
            f"{counted(len(bundle.problems), 'definition')} could not be loaded, and their assets would be forgotten",
            where="--prune",
            fix="mend the problems above, then prune",
        )
    if narrowed:
        raise ConfigError(
            "--from may name a part of the deployment only, and every other asset would be forgotten",
            where="--prune",
            fix="name the assets to forget, or set AIRFLOW_ASSETS_FROM to all definitions and leave out --from",
        )


def _orphans(bundle: Bundle, index: IndexStore) -> list[Orphan]:
    defined = {
        (key, destination.address) for key, asset in bundle.graph.assets.items() for destination in asset.destinations
    }
    found = []
    for asset in index.assets():
        known: dict[str, list[Entry]] = {}
        for entry in index.entries(asset):
            known.setdefault(entry.destination, []).append(entry)
        for address, entries in sorted(known.items()):
            if (asset, address) not in defined:
                found.append(Orphan(asset, address, len(AssetIndex.of(entries).records)))
    return found


def _rebuild_one(terminal: Terminal, asset: Asset, destination: Destination, index: IndexStore, bridge: Bridge) -> None:
    committer = destination.committer(IOContext(asset), call=bridge.call)
    ticker = Ticker(terminal, f"{asset.qualified_key} in {destination.address}")
    _repair(terminal, committer, ticker)
    each = getattr(committer, "each_record", committer.all_records)
    records = {record.key: record for record in ticker.over(each(), "read the records of")}
    untracked = _untracked(asset, destination, bridge)
    before: list[int] = []

    def change(known: list[Entry]) -> Iterable[Entry]:
        held = AssetIndex.of(known).records
        before.append(len(held))
        # Where index and records differ a run may have committed after we looked, so those are looked at once more.
        differing = [key for key in {*held, *records} if held.get(key) != records.get(key)]
        fresh = committer.records(differing)
        settled = {**{key: record for key, record in records.items() if key not in differing}, **fresh}
        notes = [entry for entry in known if isinstance(entry, AttemptNote)]
        return [*notes, *sorted(settled.values(), key=lambda record: record.key or ""), *untracked]

    index.replace(asset.qualified_key, destination.address, change)
    found = index.read(asset.qualified_key, destination.address)
    now, old = len(found.records), len(found.untracked)
    terminal.say(
        f"{asset.qualified_key} in {destination.address}: {counted(now, 'partition')}"
        + (f", {before[0]} before" if before[0] != now else "")
        + (f"; {old:,} untracked: airflow-assets adopt {asset.qualified_key}" if old else "")
    )


def _untracked(asset: Asset, destination: Destination, bridge: Bridge) -> list[UntrackedNote]:
    """Data that no record vouches for, so that coverage shows it; other assets' keys are left out."""
    inspector = destination.inspector(IOContext(asset, schema=asset.schema), call=bridge.call)
    at = utc_text(dt.datetime.now(dt.timezone.utc))
    return [
        UntrackedNote(asset.qualified_key, destination.address, found.key, uri=found.uri, bytes=found.bytes, at=at)
        for found in inspector.untracked()
        if is_own(asset.partitioning, found.key)
    ]


def _repair(terminal: Terminal, committer: Committer, ticker: Ticker) -> None:
    """Settle what crashes left; where the store takes no write, the records are read as they are."""
    steps = getattr(committer, "repairing", None) or (lambda: [committer.repair()])
    try:
        for lines in ticker.over(steps(), "repaired"):
            for line in lines:
                terminal.say(line)
    except DestinationError as error:
        terminal.note(f"not repaired: {error}")
