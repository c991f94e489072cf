"""The partitions of one asset on their way into its destinations; each write has an outcome of its own.

One that fails leaves the others committed, and a retry of the same attempt commits only what is missing.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.destination import Committer, Destination, Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import AssetError, AssetsError, SupersededError
from airflow_provider.execution import resolve
from airflow_provider.execution.events import Emitter
from airflow_provider.execution.fingerprint import code_fingerprint
from airflow_provider.execution.journal import Journal
from airflow_provider.execution.offload import Bridge
from airflow_provider.execution.outcome import PartitionOutcome, RunResult, told
from airflow_provider.execution.produce import Produced, Slices
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.partitioning import Partition, PartitionWindow

log = logging.getLogger(__name__)

Progress = Callable[[PartitionOutcome], None]


@dataclass(frozen=True)
class RunInfo:
    """Who runs: the attempt, which a retry keeps and a clear changes, and names for the commit record."""

    attempt: str
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Target:
    """One destination of the run: its committer, the fence taken for this run, and what this attempt has committed."""

    destination: Destination
    committer: Committer
    fence: int = 0
    mine: dict[str | None, CommitRecord] = field(default_factory=dict)


@dataclass
class Writer:
    """Writes one asset's partitions to all its destinations.

    Args:
        asset: The asset to fill.
        info: The attempt.
        metadata: Free values for events and IO contexts.
        bridge: Calls sync and async hooks.
        journal: Where commits and attempts are indexed.
        result: Takes up the outcomes.
        progress: Called with each outcome as it comes.
        targets: The destinations with the fences of this run; none for a run that does not write.
    """

    asset: Asset
    info: RunInfo
    metadata: Mapping[str, Any]
    bridge: Bridge
    journal: Journal
    result: RunResult
    progress: Progress | None = None
    targets: list[Target] = field(default_factory=list)

    def take_fences(self) -> None:
        """Take a fence in every destination; to be called before upstreams are read."""
        io = IOContext(self.asset, None, self.metadata, self.asset.schema)
        for destination in self.asset.stores:
            committer = destination.committer(io, call=self.bridge.call)
            self.targets.append(Target(destination, committer, committer.take_fence()))

    def is_held(self, keys: Sequence[str | None]) -> bool:
        """Whether this attempt has committed all of ``keys`` everywhere, which are outcomes then; notes what it has."""
        held = [target.committer.records(keys) for target in self.targets]
        for target, records in zip(self.targets, held, strict=True):
            target.mine = {key: record for key, record in records.items() if record.attempt == self.info.attempt}
        if any(len(target.mine) < len(keys) for target in self.targets):
            return False
        for target in self.targets:
            for key in keys:
                self._held(target, key)
        return True

    def note_running(self, keys: Sequence[str | None]) -> None:
        """An attempt at ``keys`` starts."""
        self.journal.running(self.targets, keys, self.info)

    def note_failed(self, keys: Sequence[str | None], error: BaseException) -> None:
        """The attempt at ``keys`` failed before its first write."""
        self.journal.failed(self.targets, keys, self.info, error)

    def fail_pass(self, window: PartitionWindow | None, error: Exception) -> None:
        """Make a pass that failed before its first write an outcome for each of its partitions."""
        trace = None if isinstance(error, AssetsError) else error
        log.error("%s, %s: %s", self.asset.label, window or "whole", told(error), exc_info=trace)
        for target in self.targets:
            for key in keys_of(window):
                self._say(_outcome(target, key, "failed", None, error=error))
        if not self.targets:
            for key in keys_of(window):
                self._say(PartitionOutcome(key, "no destination", "", "failed", error=error))

    def write(
        self, slices: Slices, produced: Produced, inputs: resolve.Inputs, started_at: str, emitter: Emitter
    ) -> None:
        """Commit every slice to every destination, one after another."""
        for target in self.targets:
            self._write_to(target, slices, produced, inputs, started_at, emitter)

    def _write_to(
        self,
        target: Target,
        slices: Slices,
        produced: Produced,
        inputs: resolve.Inputs,
        started_at: str,
        emitter: Emitter,
    ) -> None:
        schema = produced.schema
        stamp = Stamp(
            fence=target.fence,
            attempt=self.info.attempt,
            run=self.info.names,
            schema_fingerprint=schema.fingerprint() if schema is not None else "",
            code_fingerprint=code_fingerprint(self.asset),
            started_at=started_at,
        )
        if schema is not None:
            target.committer = target.destination.committer(
                IOContext(self.asset, None, self.metadata, schema), call=self.bridge.call
            )
        for partition, piece in slices.pairs():
            self.bridge.check()
            key = partition.key if partition is not None else None
            if key in target.mine:
                self._held(target, key)
                continue
            stamped = replace(stamp, upstreams=inputs.versions_for(key))
            self._say(self._commit(target, partition, piece, stamped, emitter))

    def _commit(
        self, target: Target, partition: Partition | None, piece: Produced, stamp: Stamp, emitter: Emitter
    ) -> PartitionOutcome:
        """Commit one partition; what goes wrong becomes its outcome, so that the others go on."""
        key = partition.key if partition is not None else None
        started = time.monotonic()
        try:
            if piece.is_empty and self.asset.on_empty != "replace":
                return self._without_rows(target, key, emitter)
            with emitter.step("dest_write", keys=(key,) if key else (), destination=target.destination.key) as found:
                if piece.is_empty:
                    record = target.committer.commit_empty(partition, stamp)
                else:
                    data = piece.form(target.destination, where=self.asset.label)
                    record = target.committer.commit(partition, data, stamp)
                found["rows"] = record.rows
        except SupersededError as error:
            log.warning("%s", error)
            self.journal.superseded(target, key, self.info, error)
            return _outcome(target, key, "superseded", None, error=error)
        except Exception as error:
            trace = None if isinstance(error, AssetsError) else error
            log.error("%s, partition %s failed: %s", self.asset.label, key or "whole", told(error), exc_info=trace)  # noqa: TRY400 -- our own errors say enough
            self.journal.failed([target], [key], self.info, error)
            return _outcome(target, key, "failed", None, error=error)
        self.journal.committed(record)
        return _outcome(target, key, record.state, record, seconds=time.monotonic() - started)

    def _without_rows(self, target: Target, key: str | None, emitter: Emitter) -> PartitionOutcome:
        if self.asset.on_empty == "fail":
            raise AssetError(
                f"produced no rows for {key or 'the asset'}",
                where=self.asset.label,
                fix="see why the source gave none, or set on_empty='keep' or 'replace'",
            )
        emitter.warn(
            "%s produced no data for %s; skipping the write to %s, what was held stays",
            self.asset.label, key or "the asset", target.destination.key, keys=(key,) if key else (),
        )  # fmt: skip
        self.journal.kept(target, key, self.info)
        return _outcome(target, key, "kept", None, rows=0)

    def _held(self, target: Target, key: str | None) -> None:
        self.journal.committed(target.mine[key])  # once more: the attempt may have died between commit and index
        self._say(_outcome(target, key, "held", target.mine[key]))

    def _say(self, outcome: PartitionOutcome) -> None:
        outcome = replace(outcome, asset=self.asset.qualified_key)
        self.result.outcomes.append(outcome)
        if self.progress is not None:
            self.progress(outcome)


def keys_of(window: PartitionWindow | None) -> list[str | None]:
    """The keys of ``window``; ``[None]`` for the unpartitioned whole."""
    return [None] if window is None else list(window.keys)


def _outcome(
    target: Target, key: str | None, status: Any, record: CommitRecord | None, **values: Any
) -> PartitionOutcome:
    if record is not None:
        values = {"rows": record.rows, "uri": record.uri, "fence": record.fence, **values}
    return PartitionOutcome(key, target.destination.key, target.destination.address, status, **values)
