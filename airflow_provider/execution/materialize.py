"""The steps of materializing one asset, in their order.

Fence -> upstreams -> ``data()`` -> unwrap -> normalize -> conform -> slice -> for each destination and partition:
commit, index. The fence is taken before upstreams are read, so that a stalled run that wakes late has the lower number.
Each partition has an outcome of its own: one that fails leaves the others committed, and a retry of the same attempt
commits only what is missing.
"""

import datetime as dt
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Computation
from airflow_provider.definitions.destination import Committer, Destination, Stamp
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import AssetError, AssetsError, PartitionError, SupersededError
from airflow_provider.execution import resolve
from airflow_provider.execution.context import ExecutionContext
from airflow_provider.execution.events import Emitter
from airflow_provider.execution.fingerprint import code_fingerprint
from airflow_provider.execution.journal import Journal
from airflow_provider.execution.offload import Bridge
from airflow_provider.execution.outcome import PartitionOutcome, RunResult, told
from airflow_provider.ledger.record import CommitRecord, utc_text
from airflow_provider.partitioning import Partition, PartitionWindow
from airflow_provider.schema import Schema, conform
from airflow_provider.schema.representations import TableData, split, unwrap

if TYPE_CHECKING:
    from airflow_provider.partitioning import TimePartitionWindow

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
class AssetRun:
    """One run of one asset; ``execute`` does it.

    Args:
        asset: What to run.
        graph: Where its upstreams are found.
        windows: What to fill, in time order; None for the unpartitioned whole.
        info: The attempt.
        metadata: Free values for the events.
        bridge: Calls sync and async functions.
        journal: Where commits are indexed.
        progress: Called with each outcome as it comes.
        write: False to produce and conform only.
        keep_data: Have the result hold the data of every pass, not of the last one only.
    """

    asset: Asset
    graph: AssetGraph
    windows: tuple[PartitionWindow, ...] | None
    info: RunInfo
    metadata: Mapping[str, Any]
    bridge: Bridge
    journal: Journal
    progress: Progress | None = None
    write: bool = True
    keep_data: bool = False

    def execute(self) -> RunResult:
        """Run every pass and return the outcomes; a failed partition is an outcome, not an exception.

        A pass of several that fails before its first write (an upstream, ``data()``, the schema) is an outcome too, and
        the others go on.

        Raises:
            Exception: What failed before the first write, where there is only one pass: the definition, an upstream,
                whatever ``data()`` raises, the schema.
        """
        result = RunResult(self.asset.qualified_key, self.windows)
        resources = resolve.resources(self.asset)
        targets = self._targets() if self.write else []
        kept: list[Produced] = []
        passes = list(self._passes())
        for window in passes:
            try:
                produced = self._pass(window, resources, targets, result)
            except Exception as error:
                if len(passes) == 1 or not targets:
                    raise
                self._note_failed_pass(window, targets, error, result)
                continue
            if produced is not None:
                kept = [*kept, produced] if self.keep_data else [produced]
        result.data = _joined(kept)
        return result

    def _passes(self) -> Iterator[PartitionWindow | None]:
        """The windows to run ``data()`` for: whole windows where the asset takes them, else partition by partition."""
        if self.windows is None:
            yield None
            return
        partitioning = self.asset.partitioning
        for window in self.windows:
            if partitioning is not None and partitioning.allow_window:
                yield window
            else:
                yield from (partition.window for partition in window)

    def _targets(self) -> list[Target]:
        io = IOContext(self.asset, None, self.metadata, self.asset.schema)
        targets = []
        for destination in self.asset.destinations:
            committer = destination.committer(io, call=self.bridge.call)
            targets.append(Target(destination, committer, committer.take_fence()))
        return targets

    def _pass(
        self, window: PartitionWindow | None, resources: dict[str, Any], targets: list[Target], result: RunResult
    ) -> "Produced | None":
        keys = _keys(window)
        emitter = Emitter(self.asset.qualified_key, tuple(key for key in keys if key), self.metadata)
        if targets and self._is_held(keys, targets, result):
            return None
        started_at = utc_text(dt.datetime.now(dt.timezone.utc))
        self.journal.running(targets, keys, self.info)
        try:
            inputs = resolve.upstreams(
                self.asset, self.graph, window, bridge=self.bridge, emitter=emitter, metadata=self.metadata
            )
            context = ExecutionContext(self.asset, window, self.metadata)
            value = self._produce(context, {**resources, **inputs.values}, emitter)
            produced = self._conformed(value)
            self._require_forms(produced, targets)
            slices = self._sliced(produced, window, emitter)
        except BaseException as error:
            self.journal.failed(targets, keys, self.info, error)
            raise
        result.metadata.update(context.added_metadata)
        for target in targets:
            self._commit(target, slices, produced, inputs, started_at, emitter, result)
        return produced

    def _note_failed_pass(
        self, window: PartitionWindow | None, targets: list[Target], error: Exception, result: RunResult
    ) -> None:
        trace = None if isinstance(error, AssetsError) else error
        log.error("%s, %s: %s", self.asset.label, window or "whole", told(error), exc_info=trace)
        for target in targets:
            for key in _keys(window):
                self._say(result, _outcome(target, key, "failed", None, error=error))

    def _is_held(self, keys: Sequence[str | None], targets: list[Target], result: RunResult) -> bool:
        """Whether this attempt has committed all of ``keys`` everywhere; notes what it has."""
        held = [target.committer.records(keys) for target in targets]
        for target, records in zip(targets, held, strict=True):
            target.mine = {key: record for key, record in records.items() if record.attempt == self.info.attempt}
        if any(len(target.mine) < len(keys) for target in targets):
            return False
        for target in targets:
            for key in keys:
                self._held(target, key, result)
        return True

    def _held(self, target: Target, key: str | None, result: RunResult) -> None:
        self.journal.committed(target.mine[key])  # once more: the attempt may have died between commit and index
        self._say(result, _outcome(target, key, "held", target.mine[key]))

    def _produce(self, context: ExecutionContext, values: dict[str, Any], emitter: Emitter) -> Any:
        computation = Computation.of(self.asset)
        parameters = computation.parameters
        if parameters.context_name:
            values[parameters.context_name] = context
        if parameters.takes_source:
            values["source"] = self.asset.source
        started = time.monotonic()
        with emitter.step("asset_data"):
            returned = self.bridge.call(computation.subject.bound_data(), **values)
            (output,) = computation.results(returned)
            value = unwrap(output.data, dataclass_rows=self.asset.schema is not None)
        log.info("%s produced its data in %.2f s", self.asset.label, time.monotonic() - started)
        return value

    def _conformed(self, value: Any) -> "Produced":
        table = TableData.of(value)
        if table is None:
            if self.asset.schema is not None:
                raise AssetError(
                    f"returned a {type(value).__name__}, which is no table, but the asset declares a schema",
                    where=self.asset.label,
                    fix="return rows, a DataFrame or an Arrow table, or remove schema=",
                )
            return Produced(value, None, None)
        if self.asset.normalizer is not None:
            table = self.asset.normalizer.normalize(table, where=self.asset.label)
        table, schema = conform(table, self.asset.schema, self.asset.strategy, where=self.asset.label)
        return Produced(table.value, table, schema)

    def _require_forms(self, produced: "Produced", targets: Sequence[Target]) -> None:
        """Refuse what one destination cannot hold before another one is written to."""
        if len(targets) < 2 or produced.is_empty:
            return
        for destination in (target.destination for target in targets if target.destination.representation is not None):
            if produced.table is None:
                raise AssetError(
                    f"returned a {type(produced.value).__name__}, but {destination.key!r} holds tables only",
                    where=self.asset.label,
                    fix="return rows, a DataFrame or an Arrow table, or leave that destination out",
                )
            produced.table.to(cast("str", destination.representation), where=self.asset.label)

    def _sliced(self, produced: "Produced", window: PartitionWindow | None, emitter: Emitter) -> "Slices":
        """The partitions with their rows; stray rows are refused, or dropped and counted, before any write."""
        if window is None:
            return Slices([None], [produced.table], produced.value)
        partitions: list[Partition | None] = list(window)
        if produced.table is None:
            return Slices(partitions, [None] * len(partitions), produced.value)
        assert self.asset.partitioning is not None  # noqa: S101 -- a window means a partitioned asset
        if produced.table.is_empty:
            return Slices(partitions, [produced.table] * len(partitions), produced.value)
        column, by_time = self.asset.partitioning.column, cast("TimePartitionWindow", window)
        parts = split(_for_split(produced.table, self.asset), column, by_time, where=self.asset.label)
        if parts.stray_count and self.asset.stray_rows == "error":
            raise _stray_error(self.asset, window, parts)
        if parts.stray_count:
            emitter.warn(
                "%s dropped %s rows outside the window %s or without %s",
                self.asset.label, parts.stray_count, window, column,
            )  # fmt: skip
        return Slices(partitions, list(parts.slices), produced.value)

    def _commit(
        self,
        target: Target,
        slices: "Slices",
        produced: "Produced",
        inputs: resolve.Inputs,
        started_at: str,
        emitter: Emitter,
        result: RunResult,
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
        for partition, table in slices.pairs():
            key = partition.key if partition is not None else None
            if key in target.mine:
                self._held(target, key, result)
                continue
            stamped = replace(stamp, upstreams=inputs.versions_for(key))
            piece = Produced(slices.value, table, schema)
            self._say(result, self._commit_one(target, partition, piece, stamped, emitter))

    def _commit_one(
        self, target: Target, partition: Partition | None, piece: "Produced", stamp: Stamp, emitter: Emitter
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

    def _say(self, result: RunResult, outcome: PartitionOutcome) -> None:
        result.outcomes.append(outcome)
        if self.progress is not None:
            self.progress(outcome)


@dataclass(frozen=True)
class Produced:
    """What ``data()`` gave after conforming, or a part of it: the value, and its tabular view if it has one."""

    value: Any
    table: TableData | None
    schema: type[Schema] | None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        if self.table is not None:
            return self.table.is_empty
        return self.value is None or (hasattr(self.value, "__len__") and len(self.value) == 0)

    def form(self, destination: Destination, *, where: str) -> Any:
        """The data as ``destination`` wants it."""
        if self.table is None:
            return self.value
        if destination.representation is None:
            return self.table.value
        return self.table.to(destination.representation, where=where)


@dataclass(frozen=True)
class Slices:
    """Partitions with their tables (None for a value that is no table and goes whole to each)."""

    partitions: list[Partition | None]
    tables: list[TableData | None]
    value: Any

    def pairs(self) -> Iterator[tuple[Partition | None, TableData | None]]:
        """Each partition with its table, in time order."""
        return zip(self.partitions, self.tables, strict=True)


def _for_split(table: TableData, asset: Asset) -> TableData:
    """Arrow, converted once as a whole, where every destination takes that; so all slices have the same types."""
    forms = {destination.representation for destination in asset.destinations}
    return TableData.of(table.arrow(where=asset.label)) or table if forms == {"arrow"} else table


def _joined(kept: list[Produced]) -> Any:
    """One value out of those of several passes: a table where all are tables of one form, else a list of them."""
    if len(kept) <= 1:
        return kept[0].value if kept else None
    tables = [piece.table for piece in kept if piece.table is not None]
    filled = [table for table in tables if not table.is_empty] or tables[:1]
    if len(tables) < len(kept) or len({table.kind for table in filled}) > 1:
        return [piece.value for piece in kept]
    return TableData.concat(filled).value


def _stray_error(asset: Asset, window: PartitionWindow, parts: Any) -> PartitionError:
    assert asset.partitioning is not None  # noqa: S101 -- only partitioned data is sliced
    column = asset.partitioning.column
    first = f"row {parts.first_stray[0]} has {column}={parts.first_stray[1]}" if parts.first_stray else "a row"
    return PartitionError(
        f"{first}, outside the window {window} ({parts.stray_count} such rows, {parts.nulls} of them without a value)",
        where=asset.label,
        fix="filter the rows in data() on context.window, run the window that holds them, or set stray_rows='drop'",
    )


def _outcome(
    target: Target, key: str | None, status: Any, record: CommitRecord | None, **values: Any
) -> PartitionOutcome:
    if record is not None:
        values = {"rows": record.rows, "uri": record.uri, "fence": record.fence, **values}
    return PartitionOutcome(key, target.destination.key, target.destination.address, status, **values)


def _keys(window: PartitionWindow | None) -> list[str | None]:
    return [None] if window is None else list(window.keys)
