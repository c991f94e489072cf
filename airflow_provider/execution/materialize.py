"""The steps of materializing one asset, in their order.

Fence -> upstreams -> ``data()`` -> unwrap -> normalize -> conform -> slice -> for each destination and partition:
commit, index. The fence is taken before upstreams are read, so that a stalled run that wakes late has the lower number.
"""

import datetime as dt
import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Computation
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.execution import resolve
from airflow_provider.execution.context import ExecutionContext
from airflow_provider.execution.events import Emitter
from airflow_provider.execution.journal import Journal
from airflow_provider.execution.offload import Bridge
from airflow_provider.execution.outcome import RunResult
from airflow_provider.execution.produce import Produced, conformed, joined, require_forms, sliced
from airflow_provider.execution.write import Progress, RunInfo, Writer, keys_of
from airflow_provider.ledger.record import utc_text
from airflow_provider.partitioning import PartitionWindow
from airflow_provider.schema.representations import unwrap

log = logging.getLogger(__name__)


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
        writer = Writer(self.asset, self.info, self.metadata, self.bridge, self.journal, result, self.progress)
        if self.write:
            writer.take_fences()
        kept: list[Produced] = []
        passes = list(self._passes())
        for window in passes:
            try:
                produced = self._pass(window, resources, writer)
            except Exception as error:
                if len(passes) == 1 or not writer.targets:
                    raise
                writer.fail_pass(window, error)
                continue
            if produced is not None:
                kept = [*kept, produced] if self.keep_data else [produced]
        result.data = joined(kept)
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

    def _pass(self, window: PartitionWindow | None, resources: dict[str, Any], writer: Writer) -> Produced | None:
        keys = keys_of(window)
        emitter = Emitter(self.asset.qualified_key, tuple(key for key in keys if key), self.metadata)
        if writer.targets and writer.is_held(keys):
            return None
        started_at = utc_text(dt.datetime.now(dt.timezone.utc))
        writer.note_running(keys)
        try:
            inputs = resolve.upstreams(
                self.asset, self.graph, window, bridge=self.bridge, emitter=emitter, metadata=self.metadata
            )
            context = ExecutionContext(self.asset, window, self.metadata)
            value = self._produce(context, {**resources, **inputs.values}, emitter)
            produced = conformed(value, self.asset)
            require_forms(produced, self.asset, [target.destination for target in writer.targets])
            slices = sliced(produced, self.asset, window, emitter)
        except BaseException as error:
            writer.note_failed(keys, error)
            raise
        writer.result.metadata.update(context.added_metadata)
        writer.write(slices, produced, inputs, started_at, emitter)
        return produced

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
