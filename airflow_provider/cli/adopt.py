"""``adopt``: commit records for data that was there before the package. Only records and the index are written.

An adopted partition loses against every run, also one that began before. Cut short at any moment, adopting again ends
what was begun, and says nothing twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from airflow_provider.cli.console import Terminal, counted
from airflow_provider.cli.ticker import Ticker
from airflow_provider.cli.verify import keys_of
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.destination import Adoption, Destination, Inspector
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import AssetsError, DataNotFoundError, located
from airflow_provider.execution.offload import Bridge
from airflow_provider.ledger.foreign import foreign, is_own
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.storage.index import IndexStore

SHOWN = 20
_BATCH = 64
_MARK = "adopt:"


@dataclass
class Adopted:
    """What became of one asset's data in one destination.

    Attributes:
        new: What was adopted, or would be.
        refused: What was not, one line each.
        absent: How many of the partitions asked for hold no data.
        held: How many of them had a record.
    """

    new: list[Adoption] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    absent: int = 0
    held: int = 0


def adopt(
    terminal: Terminal,
    assets: Sequence[Asset],
    index: IndexStore,
    *,
    windows: Sequence[str] = (),
    dry_run: bool = False,
) -> bool:
    """Adopt what is untracked of ``assets``, in every destination, and tell the index.

    Args:
        terminal: Where to print.
        assets: Whose data to adopt.
        index: The deployment's index.
        windows: Keys or ranges; none adopts all that is there.
        dry_run: Read the data and say what would be adopted; write nothing.

    Returns:
        Whether nothing was refused.

    Raises:
        PartitionError: A window does not fit one of the assets; nothing was done.
        DestinationError: Records could not be written, or the index not told; adopting again goes on.
    """
    keys = {asset.qualified_key: keys_of(asset, windows) for asset in assets}
    is_well = True
    with Bridge() as bridge:
        for asset in assets:
            if asset.partitioning is None and windows:
                terminal.note(f"{asset.label} is not partitioned, so no --window of it was adopted")
                continue
            if not asset.destinations:
                terminal.note(f"{asset.label} has no destination: there is nothing to adopt")
            for destination in asset.destinations:
                if isinstance(destination, MemoryDestination):
                    terminal.note(f"{asset.label}: memory holds nothing from before")
                    continue
                adopting = _Adopting(asset, destination, index, bridge, dry_run)
                found = adopting.run(terminal, keys[asset.qualified_key])
                _print(terminal, adopting, found)
                is_well = is_well and not found.refused
    return is_well


@dataclass
class _Adopting:
    """Adopts one asset's data in one destination."""

    asset: Asset
    destination: Destination
    index: IndexStore
    bridge: Bridge
    dry_run: bool

    def run(self, terminal: Terminal, keys: list[str | None] | None) -> Adopted:
        """Adopt ``keys``, or all that is there, and tell the index, also what an earlier one did not come to tell."""
        inspector = self.destination.inspector(IOContext(self.asset, schema=self.asset.schema), call=self.bridge.call)
        found = Adopted()
        if keys is None:
            for line in inspector.unplaced():
                terminal.note(f"not adopted: {line}")
        ticker = Ticker(terminal, f"{self.asset.qualified_key} in {self.destination.address}")
        waiting = self._own(found, inspector, keys)
        try:
            told = 0
            for key in ticker.over(waiting, "looked at", len(waiting)):
                self._adopt(inspector, key, found)
                if len(found.new) - told >= _BATCH:
                    told = self._tell(found, told)
        finally:
            self._tell(found, told)
        if not self.dry_run:
            self.index.append(self._untold())
        return found

    def _own(self, found: Adopted, inspector: Inspector, keys: list[str | None] | None) -> list[str | None]:
        """What to look at; what is no partition is refused."""
        partitioning = self.asset.partitioning
        there = [holding.key for holding in inspector.untracked()] if keys is None else keys
        if partitioning is None and None not in there:
            there = [None, *there]  # what the hooks of a user's own hold is known only by reading
        found.refused += [_foreign(self.asset, key) for key in foreign(partitioning, there)]
        return [key for key in there if is_own(partitioning, key)]

    def _adopt(self, inspector: Inspector, key: str | None, found: Adopted) -> None:
        partitioning = self.asset.partitioning
        partition = None if partitioning is None or key is None else partitioning.partition(key)
        try:
            adoption = inspector.adopt(partition, dry_run=self.dry_run)
        except DataNotFoundError:
            found.absent += partition is not None
        except Exception as error:  # noqa: BLE001 -- one file, or hook, that fails leaves the others adopted
            found.refused.append(f"{key or 'whole'}: {_said(error)}")
        else:
            found.held += not adoption.is_new
            found.new += [adoption] if adoption.is_new else []

    def _tell(self, found: Adopted, told: int) -> int:
        """Tell the index what is new since it was last told; returns how much it knows."""
        if not self.dry_run:
            self.index.append(adoption.record for adoption in found.new[told:])
        return len(found.new)

    def _untold(self) -> Iterator[CommitRecord]:
        """Adopted records that the index does not know: an earlier ``adopt`` was cut short before it told them."""
        known = self.index.read(self.asset.qualified_key, self.destination.address).records
        committer = self.destination.committer(IOContext(self.asset), call=self.bridge.call)
        records = committer.all_records()
        return (record for record in records if record.attempt.startswith(_MARK) and record.key not in known)


def _said(error: Exception) -> str:
    return f"{error.what}; {error.fix}" if isinstance(error, AssetsError) else located(error)


def _foreign(asset: Asset, key: str | None) -> str:
    if key is None:
        return "the data of an unpartitioned whole is no partition of this asset: move it into a partition's folder"
    grain = getattr(getattr(asset.partitioning, "granularity", None), "example", None)
    like = f", such as {grain!r}" if grain else ""
    return f"{key!r} is no key of this asset's partitioning{like}: rename it, or move it away"


def _print(terminal: Terminal, adopting: _Adopting, found: Adopted) -> None:
    terminal.say(f"{adopting.asset.qualified_key} in {adopting.destination.address}", style="bold")
    for adoption in found.new[:SHOWN]:
        record = adoption.record
        size = "" if record.bytes is None else f", {counted(record.bytes, 'byte')}"
        rows = "no table" if record.rows is None else counted(record.rows, "row")
        terminal.say(f"  {record.key or 'whole'}  {rows}{size}" + (f"; {adoption.note}" if adoption.note else ""))
    if len(found.new) > SHOWN:
        terminal.say(f"  ... and {len(found.new) - SHOWN:,} more")
    for line in found.refused:
        terminal.say(f"  refused  {line}", style="red")
    terminal.say(f"  {_totals(found, dry_run=adopting.dry_run)}", style="red" if found.refused else "green")


def _totals(found: Adopted, *, dry_run: bool) -> str:
    rows = counted(sum(adoption.record.rows or 0 for adoption in found.new), "row")
    did = f"{'would adopt' if dry_run else 'adopted'} {counted(len(found.new), 'partition')} with {rows}"
    parts = [did if found.new else "nothing to adopt"]
    schemas = {fingerprint for one in found.new if (fingerprint := one.record.schema_fingerprint)}
    notes = [(len(found.refused), "refused"), (found.held, "held already"), (found.absent, "not there")]
    parts += [f"{count:,} {said}" for count, said in notes if count]
    if len(schemas) > 1:
        parts.append(f"their columns differ: {len(schemas)} schemas")
    return ", ".join(parts)
