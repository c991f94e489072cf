"""The steps of one run of a computation, in their order; an asset is the computation of one output.

Fence of every output -> upstreams -> ``data()`` -> for each output: unwrap, normalize, conform, slice -> for each
output, destination and partition: commit, index. Fences are taken before upstreams are read, so that a stalled run that
wakes late has the lower number.
"""

import contextlib
import datetime as dt
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Computation, Output
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import AssetsError, NormalizerError, PartitionError, SchemaError
from airflow_provider.execution import resolve
from airflow_provider.execution.context import ExecutionContext
from airflow_provider.execution.events import Emitter
from airflow_provider.execution.journal import Journal
from airflow_provider.execution.offload import Bridge, closing
from airflow_provider.execution.outcome import ComputationResult, RunResult
from airflow_provider.execution.pieces import Pieces
from airflow_provider.execution.produce import Produced, Slices, conformed, joined, require_forms, sliced
from airflow_provider.execution.stream import yielded
from airflow_provider.execution.write import Progress, RunInfo, Writer, keys_of
from airflow_provider.ledger.record import utc_text
from airflow_provider.partitioning import PartitionWindow

log = logging.getLogger(__name__)


@dataclass
class OutputRun:
    """One output of a run: its writer, and what this pass has for it.

    Args:
        asset: The output.
        writer: Commits its partitions.
        keep_data: Have the result hold the data of every pass, not of the last one only.
        is_alone: Whether it is the run's only output, so that nothing could go on without it.
    """

    asset: Asset
    writer: Writer
    keep_data: bool
    is_alone: bool
    _window: PartitionWindow | None = field(default=None, init=False, repr=False)
    _emitter: Emitter = field(init=False, repr=False)
    _pieces: Pieces = field(init=False, repr=False)
    _failure: AssetsError | None = field(default=None, init=False, repr=False)
    _slices: Slices = field(init=False, repr=False)
    _kept: list[Produced] = field(default_factory=list, init=False, repr=False)

    def start(self, window: PartitionWindow | None) -> bool:
        """Whether something of the pass is missing here; an attempt at it is noted then."""
        self._window = window if self.asset.partitioning is not None else None
        self._failure = None
        keys = keys_of(self._window)
        if self.writer.targets and self.writer.is_held(keys):
            return False
        self._emitter = Emitter(self.asset.qualified_key, tuple(key for key in keys if key), self.writer.metadata)
        self._pieces = Pieces(self.asset, self._window, self._destinations)
        self.writer.note_running(keys)
        return True

    @property
    def _destinations(self) -> list[Destination]:
        return [target.destination for target in self.writer.targets]

    def take(self, output: Output) -> None:
        """Take up what ``data()`` gave for this output; what comes piece by piece is read here.

        What does not fit is told by ``prepare``, so that the other outputs get theirs.
        """
        if self._failure is not None:
            return
        try:
            self._pieces.add(self.writer.bridge.iterable(output.data))
        except (SchemaError, PartitionError, NormalizerError) as error:
            if self.is_alone:
                raise
            self._failure = error
        self.writer.result.metadata.update(output.metadata)

    def free(self) -> None:
        """Give back what the data of this pass took; to be called when the pass ends, however it does."""
        self._pieces.close()

    def prepare(self) -> None:
        """Conform and slice what was taken up; nothing is written.

        Raises:
            AssetsError: It does not fit.
        """
        if self._failure is not None:
            raise self._failure
        if self._pieces.is_empty:
            self._emitter.warn("%s was asked for and not given: it has no rows", self.asset.label)
        produced = conformed(self._pieces.whole(), self.asset, self._window)
        require_forms(produced, self.asset, self._destinations)
        self._slices = sliced(produced, self.asset, self._window, self._emitter)
        self._kept = [*self._kept, produced] if self.keep_data else [produced]

    def write(self, inputs: resolve.Inputs, started_at: str) -> None:
        """Commit what was prepared."""
        self.writer.write(self._slices, self._kept[-1], inputs, started_at, self._emitter)

    def note_failed(self, error: BaseException) -> None:
        """This pass failed here before its first write."""
        self.writer.note_failed(keys_of(self._window), error)

    def fail(self, error: Exception) -> None:
        """Make the failure of this pass an outcome of each of its partitions."""
        self.writer.fail_pass(self._window, error)

    def end(self) -> RunResult:
        """What became of the output in all passes."""
        is_spooled = any(produced.is_spooled for produced in self._kept)
        self.writer.result.data = self._stored() if is_spooled else joined(self._kept)
        return self.writer.result

    def _stored(self) -> Any:
        """What a streamed run stands for afterwards: a reader of what is stored, for its rows are in no memory."""
        result, asset = self.writer.result, self.asset
        if not self.keep_data or result.bad:
            return None
        windows = [None] if result.windows is None else [*result.windows]
        contexts = [IOContext(asset, window, self.writer.metadata, asset.schema) for window in windows]
        try:
            found = [asset.default_destination.read_batches(context) for context in contexts]
        except AssetsError as error:
            log.warning("%s was written, and cannot be read back in batches: %s", asset.label, error.what)
            return None
        return found[0] if len(found) == 1 else found


@dataclass
class ComputationRun:
    """One run of one computation; ``execute`` does it.

    Args:
        computation: What to run, and the outputs asked for.
        graph: Where its upstreams are found.
        windows: What to fill, in time order; None for the unpartitioned whole.
        info: The attempt.
        metadata: Free values for the events.
        bridge: Calls sync and async functions.
        progress: Called with each outcome as it comes.
        write: False to produce and conform only.
        keep_data: Have the results hold the data of every pass, not of the last one only.
    """

    computation: Computation
    graph: AssetGraph
    windows: tuple[PartitionWindow, ...] | None
    info: RunInfo
    metadata: Mapping[str, Any]
    bridge: Bridge
    progress: Progress | None = None
    write: bool = True
    keep_data: bool = False

    def execute(self) -> ComputationResult:
        """Run every pass and return the outcomes; a failed partition is an outcome, not an exception.

        What fails before the first write (an upstream, ``data()``, a schema) is an outcome too where other passes or
        outputs can go on.

        Raises:
            Exception: What failed before the first write, where nothing else could go on: the definition, an upstream,
                whatever ``data()`` raises, the schema.
        """
        subject = self.computation.subject
        with contextlib.ExitStack() as stack:
            outputs = [self._output(asset, stack) for asset in self.computation.outputs]
            resources = resolve.resources(subject)
            if self.write:
                for output in outputs:
                    output.writer.take_fences()
            passes = list(self._passes())
            for number, window in enumerate(passes, start=1):
                # What has no partitions is replaced whole by every pass, so the last one alone makes it.
                concerned = [o for o in outputs if o.asset.partitioning is not None or number == len(passes)]
                self._pass(window, resources, concerned, is_only=len(passes) == 1)
            return ComputationResult(subject.label, [output.end() for output in outputs])

    def _output(self, asset: Asset, stack: contextlib.ExitStack) -> OutputRun:
        result = RunResult(asset.qualified_key, self.windows if asset.partitioning is not None else None)
        journal = stack.enter_context(Journal(asset))
        writer = Writer(asset, self.info, self.metadata, self.bridge, journal, result, self.progress)
        return OutputRun(asset, writer, self.keep_data, is_alone=len(self.computation.outputs) == 1)

    def _passes(self) -> Iterator[PartitionWindow | None]:
        """The windows to run ``data()`` for: whole windows where it takes them, else partition by partition."""
        if self.windows is None:
            yield None
            return
        partitioning = self.computation.partitioning
        for window in self.windows:
            if partitioning is not None and partitioning.allow_window:
                yield window
            else:
                yield from (partition.window for partition in window)

    def _pass(
        self,
        window: PartitionWindow | None,
        resources: dict[str, Any],
        outputs: Sequence[OutputRun],
        *,
        is_only: bool,
    ) -> None:
        self.bridge.check()
        due = [output for output in outputs if output.start(window)]
        try:
            if due:
                self._run(window, resources, due, is_only=is_only)
        finally:
            for output in due:
                output.free()

    def _run(
        self,
        window: PartitionWindow | None,
        resources: dict[str, Any],
        due: Sequence[OutputRun],
        *,
        is_only: bool,
    ) -> None:
        """One pass for the outputs that are due."""
        started_at = utc_text(dt.datetime.now(dt.timezone.utc))
        try:
            inputs, context = self._produce(window, resources, due)
        except BaseException as error:
            for output in due:
                output.note_failed(error)
            if is_only or not self.write or not isinstance(error, Exception):
                raise
            for output in due:
                output.fail(error)
            return
        for output in [output for output in due if self._prepare(output, is_only=is_only)]:
            output.writer.result.metadata.update(context.added_metadata)
            output.write(inputs, started_at)

    def _prepare(self, output: OutputRun, *, is_only: bool) -> bool:
        """Whether the output's data fits; where it does not, that is the output's own failure."""
        try:
            output.prepare()
        except BaseException as error:
            output.note_failed(error)
            if (is_only and output.is_alone) or not self.write or not isinstance(error, Exception):
                raise
            output.fail(error)
            return False
        return True

    def _produce(
        self, window: PartitionWindow | None, resources: dict[str, Any], due: Sequence[OutputRun]
    ) -> tuple[resolve.Inputs, ExecutionContext]:
        """Read the upstreams and call the function, whose data each output takes up; what was read, and its context."""
        computation, subject = self.computation, self.computation.subject
        emitter = Emitter(subject.qualified_key, tuple(key for key in keys_of(window) if key), self.metadata)
        inputs = resolve.upstreams(
            subject, self.graph, window, bridge=self.bridge, emitter=emitter, metadata=self.metadata
        )
        selected = tuple(output.asset.key for output in due)
        context = ExecutionContext(subject, window, self.metadata, selected_outputs=selected)
        values = {**resources, **inputs.values}
        if computation.parameters.context_name:
            values[computation.parameters.context_name] = context
        if computation.parameters.takes_source:
            values["source"] = subject.source
        started = time.monotonic()
        with emitter.step("asset_data"):
            returned = yielded(self.bridge.stream(subject.bound_data(), **values), where=subject.label)
            by_name = {output.asset.key: output for output in due}
            with closing(returned):
                for item in computation.results(returned):
                    if item.name in by_name:
                        by_name[item.name].take(item)
                    else:
                        with closing(item.data):
                            log.info("%s gave %s, which was not asked for: dropped", subject.label, item.name)
        log.info("%s produced its data in %.2f s", subject.label, time.monotonic() - started)
        return inputs, context
