"""``index rebuild``: the index anew from the commit records, which stand beside the data and are the truth.

What a crash left is settled first, so that records, data and index agree afterwards. How attempts went is known to the
index alone, so those notes are kept.
"""

from collections.abc import Sequence

from airflow_provider.cli.console import Terminal, counted
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.destination import Committer, Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import DestinationError
from airflow_provider.execution.offload import Bridge
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.record import AttemptNote
from airflow_provider.storage.index import IndexStore


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


def _rebuild_one(terminal: Terminal, asset: Asset, destination: Destination, index: IndexStore, bridge: Bridge) -> None:
    committer = destination.committer(IOContext(asset), call=bridge.call)
    _repair(terminal, committer)
    records = committer.all_records()
    known = index.entries(asset.qualified_key, destination.address)
    notes = [entry for entry in known if isinstance(entry, AttemptNote)]
    index.replace(asset.qualified_key, destination.address, [*notes, *records])
    # A run that committed in between told the file that has just been replaced.
    index.append(record for record in committer.all_records() if record not in records)
    before = len(AssetIndex.of(known).records)
    terminal.say(
        f"{asset.qualified_key} in {destination.address}: {counted(len(records), 'partition')}"
        + (f", {before} before" if before != len(records) else "")
    )


def _repair(terminal: Terminal, committer: Committer) -> None:
    """Settle what crashes left; where the store takes no write, the records are read as they are."""
    try:
        for line in committer.repair():
            terminal.say(line)
    except DestinationError as error:
        terminal.note(f"not repaired: {error}")
