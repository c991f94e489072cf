"""The commit protocol of destinations that only define write and read: guarantee ``idempotent``.

The store itself cannot compare and swap, so fence, intent and record live in the deployment's index folder, one small
document per partition. A writer swaps in its intent if no newer one is there, writes, and swaps in its record if the
intent is still its own. If it is not, an older write may have landed last: the partition is ``suspect``, and due again.
While it writes it renews a lease on the intent. An open intent whose lease is over is ``unknown``: due again, never
done.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from airflow_provider.definitions.destination import Call, Destination, Guarantee, Stamp, in_form
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations import lease
from airflow_provider.destinations.file_like import rows_of
from airflow_provider.errors import AssetsError, DataCorruptError, DestinationError, SupersededError
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.partitioning import Partition
from airflow_provider.partitioning.names import component, decode
from airflow_provider.storage.conditional import ConditionalStore, open_store
from airflow_provider.storage.index import open_index


@dataclass(frozen=True)
class PartitionState:
    """What is known of one partition.

    Attributes:
        record: The last commit, or None.
        intent_fence: Fence of a write that has begun and not ended; 0 when there is none.
        intent_attempt: Its attempt.
        lease: Until when that write vouches for being at work, ISO 8601 in UTC; empty when there is none.
        suspect: An older write may have landed after the newest one.
    """

    record: CommitRecord | None = None
    intent_fence: int = 0
    intent_attempt: str = ""
    suspect: bool = False
    lease: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether the record can be believed."""
        return self.record is not None and not self.suspect and not self.intent_fence

    @property
    def is_running(self) -> bool:
        """Whether a writer is at work: its intent is open, and its lease holds."""
        return bool(self.intent_fence) and not lease.has_expired(self.lease)

    @property
    def unsettled(self) -> str:
        """Why the partition cannot be believed though nobody is at work on it; empty when it can, or somebody is."""
        if self.suspect:
            return "suspect: an older write may have landed last"
        began = "unknown: a write began and did not end, and its lease is over"
        return began if self.intent_fence and not self.is_running else ""

    @property
    def fence(self) -> int:
        """The highest fence that has begun to write, or written."""
        return max(self.intent_fence, self.record.fence if self.record else 0)

    def finished(self, record: CommitRecord) -> "PartitionState":
        """After the write of ``record``: committed, suspect, or, where an older write came between, to be repeated."""
        if self.intent_fence != record.fence:
            return replace(self, suspect=True)
        return replace(self, suspect=False) if self.suspect else PartitionState(record=record)

    def renewed(self, fence: int) -> "PartitionState":
        """With a new lease, if the open write is that of ``fence``."""
        return replace(self, lease=lease.until()) if self.intent_fence == fence else self

    def lapsed(self, fence: int) -> "PartitionState":
        """Without a lease, if the open write is that of ``fence``: its writer has given up."""
        return replace(self, lease="") if self.intent_fence == fence else self

    def to_json(self) -> bytes:
        """One JSON document."""
        record = None if self.record is None else json.loads(self.record.to_json())
        intent = {"fence": self.intent_fence, "attempt": self.intent_attempt, "lease": self.lease}
        return json.dumps({"record": record, "intent": intent, "suspect": self.suspect}, sort_keys=True).encode()

    @classmethod
    def from_json(cls, text: bytes, *, where: str) -> "PartitionState":
        """Read a document back; ``DataCorruptError`` when it is damaged."""
        try:
            values = json.loads(text)
            intent, record = values["intent"], values["record"]
            fence, attempt, suspect = int(intent["fence"]), str(intent["attempt"]), bool(values["suspect"])
            end = str(intent.get("lease", ""))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataCorruptError(
                f"is not the state of a partition ({type(error).__name__})",
                where=where,
                fix="remove the file and materialize the partition again",
            ) from error
        parsed = None if record is None else CommitRecord.from_json(json.dumps(record), where=where)
        return cls(parsed, fence, attempt, suspect, end)


class HookCommitter:
    """Commits through a destination's own hooks.

    Args:
        destination: Defines ``write_partition`` or ``write``, sync or async.
        context: Names the asset.
        call: Runs a sync or async hook to its end.
        store: Where fences, intents and records live; None: under the deployment's index folder.
    """

    guarantee: Guarantee = "idempotent"

    def __init__(
        self, destination: Destination, context: IOContext, call: Call, store: ConditionalStore | None = None
    ) -> None:
        self._destination = destination
        self._context = context
        self._call = call
        self._store = open_store(open_index().root) if store is None else store
        digest = hashlib.sha256(destination.address.encode()).hexdigest()[:24]
        self._prefix = f"hooks/{component(context.asset.qualified_key)}/{digest}"

    def take_fence(self) -> int:
        """A number above every fence taken before; durable when this returns."""
        name = f"{self._prefix}/fence"
        while True:
            found = self._store.get(name)
            fence = 1 if found is None else int(found[0]) + 1
            text = str(fence).encode()
            tag = self._store.create(name, text) if found is None else self._store.replace_if(name, text, found[1])
            if tag is not None:
                return fence

    def records(self, keys: Sequence[str | None]) -> dict[str | None, CommitRecord]:
        """The records of those ``keys`` that have one that can be believed: not suspect, no write under way."""
        states = {key: self.state(key) for key in keys}
        return {key: state.record for key, state in states.items() if state.record is not None and state.is_settled}

    def all_records(self) -> list[CommitRecord]:
        """Every record that can be believed, by key."""
        records = [state.record for state in self.states().values() if state.is_settled]
        return sorted((r for r in records if r is not None), key=lambda record: record.key or "")

    def state(self, key: str | None) -> PartitionState:
        """What is known of ``key``."""
        found = self._store.get(self._name(key))
        return PartitionState() if found is None else PartitionState.from_json(found[0], where=self._where(key))

    def require_settled(self, keys: Sequence[str | None]) -> None:
        """Refuse to read what may be half written.

        Raises:
            DestinationError: A partition has an open intent or is suspect; it is named.
        """
        for key in keys:
            state = self.state(key)
            if state.intent_fence or state.suspect:
                raise DestinationError(
                    f"is {state.unsettled or 'being written'}",
                    where=self._where(key),
                    fix="materialize the partition again" if state.unsettled else "wait for the write to end",
                )

    def commit(self, partition: Partition | None, data: Any, stamp: Stamp) -> CommitRecord:
        """Replace this partition through the destination's hooks.

        Raises:
            SupersededError: A newer attempt has begun or committed. If it came while we wrote, the partition is
                suspect.
        """
        record = replace(self._record(partition, stamp), rows=rows_of(data))
        return self._commit(partition, data, record)

    def commit_empty(self, partition: Partition | None, stamp: Stamp) -> CommitRecord:
        """Have the hooks store no rows (an empty list, in the form they take), and record the partition as empty."""
        return self._commit(partition, [], replace(self._record(partition, stamp), state="empty", rows=0))

    def repair(self) -> list[str]:
        """What cannot be believed, one line each. Nothing can be mended from outside: run those partitions again."""
        found = ((key, state.unsettled) for key, state in self.states().items())
        return [f"{self._where(key)}: {unsettled}; run it again" for key, unsettled in found if unsettled]

    def adopt(self, partition: Partition | None, rows: int | None, stamp: Stamp) -> tuple[CommitRecord, bool]:
        """Record data that was there before, under the stamp's fence; nothing is written to the store.

        Returns:
            The record, and whether it is new: a partition that has one keeps it.

        Raises:
            DestinationError: The partition is being written, or cannot be believed; nothing was recorded.
        """
        record = replace(self._record(partition, stamp), rows=rows)

        def enter(state: PartitionState) -> PartitionState:
            if state.intent_fence or state.suspect:
                self.require_settled([record.key])
            return state if state.record is not None else PartitionState(record=record)

        held = self._update(record.key, enter).record or record
        return held, held == record

    def _commit(self, partition: Partition | None, data: Any, record: CommitRecord) -> CommitRecord:
        key, fence = record.key, record.fence

        def begin(state: PartitionState) -> PartitionState:
            own = state.intent_fence == fence and state.intent_attempt == record.attempt
            if state.fence >= fence and not own:
                raise self._superseded(key, state, fence, "changed nothing")
            return replace(state, intent_fence=fence, intent_attempt=record.attempt, suspect=False, lease=lease.until())

        self._update(key, begin)
        while True:
            self._write_leased(partition, data, key, fence)
            state = self._update(key, lambda state: state.finished(record))
            if state.record is not None and state.record.fence == fence and state.is_settled:
                return record
            if state.intent_fence != fence:
                error = self._superseded(key, state, fence, "may have landed last, so the partition is suspect")
                error.leaves_suspect = True
                raise error

    def _write_leased(self, partition: Partition | None, data: Any, key: str | None, fence: int) -> None:
        try:
            with lease.renewed(lambda: self._update(key, lambda state: state.renewed(fence))):
                self._write(partition, data)
        except BaseException:
            with contextlib.suppress(AssetsError, OSError):  # the lease would end by itself, only later
                self._update(key, lambda state: state.lapsed(fence))
            raise

    def _write(self, partition: Partition | None, data: Any) -> None:
        destination, context = self._destination, self._context.narrowed(partition)
        data = in_form(destination, data)  # here, for a reader can be read once and this may have to be done again
        if type(destination).write_partition is not Destination.write_partition:
            self._call(destination.write_partition, context, partition, data)
        else:
            self._call(destination.write, context, data)

    def _update(self, key: str | None, change: Callable[[PartitionState], PartitionState]) -> PartitionState:
        """Compare and swap until it takes; returns the new state."""
        name = self._name(key)
        while True:
            found = self._store.get(name)
            where = self._where(key)
            state = change(PartitionState() if found is None else PartitionState.from_json(found[0], where=where))
            text = state.to_json()
            tag = self._store.create(name, text) if found is None else self._store.replace_if(name, text, found[1])
            if tag is not None:
                return state

    def states(self) -> Mapping[str | None, PartitionState]:
        """What is known of every partition that was ever written."""
        states: dict[str | None, PartitionState] = {}
        for name in self._store.list(f"{self._prefix}/partitions"):
            found = self._store.get(name)
            if found is not None:
                key = None if name.endswith("/whole") else decode(name.rpartition("/=")[2])
                states[key] = PartitionState.from_json(found[0], where=self._where(key))
        return states

    def _record(self, partition: Partition | None, stamp: Stamp) -> CommitRecord:
        asset, address = self._context.asset.qualified_key, self._destination.address
        return stamp.record(asset=asset, destination=address, partition=partition, uri=address)

    def _name(self, key: str | None) -> str:
        return f"{self._prefix}/partitions/{'whole' if key is None else f'={component(key)}'}"

    def _where(self, key: str | None) -> str:
        partition = "" if key is None else f", partition {key!r}"
        return f"{self._context.asset.label}{partition} in {self._destination.label}"

    def _superseded(self, key: str | None, state: PartitionState, fence: int, effect: str) -> SupersededError:
        return SupersededError(
            f"a newer attempt has fence {state.fence}; this one has fence {fence} and {effect}",
            where=self._where(key),
            fix="let the newer attempt end; run the partition again if it is suspect",
        )
