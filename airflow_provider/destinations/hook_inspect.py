"""Looks at a destination through the hooks that it defines, for ``verify`` and ``adopt``.

Without reading data, a destination's own ``partition_row_counts`` says what is there; where there is none, only
``deep`` can tell, by reading each partition. Nothing is written but the record of what is adopted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airflow_provider.definitions.destination import Adoption, Call, Destination, Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.file_like import rows_of
from airflow_provider.destinations.hook_commit import HookCommitter, PartitionState
from airflow_provider.errors import DataNotFoundError, DestinationError, SchemaError, located
from airflow_provider.ledger.foreign import is_own
from airflow_provider.ledger.record import ADOPTED_FENCE
from airflow_provider.ledger.verify import Holding
from airflow_provider.partitioning import Partition


@dataclass(frozen=True)
class HookInspector:
    """What a destination's hooks tell of one asset.

    Args:
        destination: The destination.
        context: Names the asset.
        call: Runs a sync or async hook to its end.
    """

    destination: Destination
    context: IOContext
    call: Call

    def holdings(self, keys: Sequence[str | None] | None = None, *, deep: bool = False) -> Iterator[Holding]:
        """What is held; see ``Inspector.holdings``. Of data that is no table, only that it is there."""
        states, counts = self._states(), self._counts()
        whole = [None] if self.context.asset.partitioning is None else []
        known = {*states, *(counts or {}), *whole}
        for key in sorted(known, key=lambda key: (key is not None, key or "")) if keys is None else keys:
            yield self._holding(key, states.get(key, PartitionState()), counts, deep=deep)

    def untracked(self) -> list[Holding]:
        """What ``partition_row_counts`` names and no record does; nothing where there is no such hook."""
        states, counts = self._states(), self._counts() or {}
        return [Holding(key, is_there=True, rows=rows) for key, rows in counts.items() if key not in states]

    def unplaced(self) -> list[str]:
        """Nothing: hooks speak of keys only."""
        return []

    def adopt(self, partition: Partition | None, *, dry_run: bool = False) -> Adoption:
        """Record what can be read under a key; see ``Inspector.adopt``."""
        key = None if partition is None else partition.key
        committer = self.destination.committer(self.context, call=self.call)
        if not isinstance(committer, HookCommitter):
            raise DestinationError(
                "writes every record together with its data, so there is nothing to adopt",
                where=f"{self.context.asset.label} in {self.destination.label}",
                fix="materialize the asset",
            )
        current = committer.records([key]).get(key)
        if current is not None:
            return Adoption(current, is_new=False)
        value = self._read(partition)
        stamp = Stamp(ADOPTED_FENCE, f"adopt:{key or 'whole'}", {"adopted": "true"}, _fingerprint(value))
        if dry_run:
            asset, address = self.context.asset.qualified_key, self.destination.address
            record = stamp.record(asset=asset, destination=address, partition=partition, uri=address)
            return Adoption(record, is_new=True)
        return Adoption(*committer.adopt(partition, rows_of(value), stamp))

    def _holding(
        self, key: str | None, state: PartitionState, counts: Mapping[str, int] | None, *, deep: bool
    ) -> Holding:
        is_open = bool(state.intent_fence) or state.suspect
        found: dict[str, Any] = {
            "record": None if is_open else state.record,
            "is_running": state.is_running,
            "unsettled": state.unsettled,
            "uri": self.destination.address,
        }
        if is_open or not is_own(self.context.asset.partitioning, key):
            return Holding(key, is_there=key in counts if counts is not None else None, **found)
        if deep:
            return Holding(key, **found, **self._content(key))
        if counts is None or key is None:
            return Holding(key, **found)
        if key in counts:
            return Holding(key, is_there=True, rows=counts[key], **found)
        # A count may leave out what has no rows.
        return Holding(key, is_there=None if state.record is not None and not state.record.rows else False, **found)

    def _content(self, key: str | None) -> dict[str, Any]:
        config = self.context.asset.partitioning
        try:
            value = self._read(None if config is None or key is None else config.partition(key))
        except DataNotFoundError:
            return {"is_there": False}
        except Exception as error:  # noqa: BLE001 -- a hook of the user's may raise anything
            return {"is_there": True, "problem": f"cannot be read: {located(error)}"}
        return {"is_there": True, "rows": rows_of(value)}

    def _read(self, partition: Partition | None) -> Any:
        context = self.context.narrowed(partition)
        if type(self.destination).read_partition is not Destination.read_partition:
            return self.call(self.destination.read_partition, context, partition)
        return self.call(self.destination.read, context)

    def _counts(self) -> Mapping[str, int] | None:
        """Rows per key as the destination's own hook counts them; None where it has none that looks at the data."""
        if type(self.destination).partition_row_counts is Destination.partition_row_counts:
            return None
        counts: Mapping[str, int] = self.call(self.destination.partition_row_counts, self.context)
        return counts

    def _states(self) -> Mapping[str | None, PartitionState]:
        committer = self.destination.committer(self.context, call=self.call)
        if isinstance(committer, HookCommitter):
            return committer.states()
        return {record.key: PartitionState(record) for record in committer.all_records()}


def _fingerprint(value: Any) -> str:
    from airflow_provider.schema import Schema

    try:
        return Schema.infer(value).fingerprint() if rows_of(value) is not None else ""
    except SchemaError:
        return ""
