"""Runs assets and graphs in this process; the operator, the command line and ``asset.materialize()`` all come here."""

import asyncio
import collections
import concurrent.futures
import functools
import graphlib
import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Computation, computations
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.errors import AssetsError, DefinitionError
from airflow_provider.execution.materialize import ComputationRun
from airflow_provider.execution.offload import Bridge, in_thread
from airflow_provider.execution.outcome import ComputationResult, RunResult, told
from airflow_provider.execution.retry import with_retries
from airflow_provider.execution.tracing import span
from airflow_provider.execution.window import Windows, check_all, windows_for
from airflow_provider.execution.write import Progress, RunInfo
from airflow_provider.partitioning import Partition, PartitionWindow

log = logging.getLogger(__name__)

WindowLike = PartitionWindow | Partition | Iterable[PartitionWindow] | str | None


def execute(
    asset: Asset,
    *,
    windows: Windows,
    graph: AssetGraph | None = None,
    **options: Any,
) -> RunResult:
    """Run ``asset`` alone for ``windows``, which must be its own; options as for ``execute_computation``."""
    (result,) = execute_computation(Computation.of(asset), windows=windows, graph=graph, **options).results
    return result


def execute_computation(
    computation: Computation,
    *,
    windows: Windows,
    graph: AssetGraph | None = None,
    info: RunInfo | None = None,
    metadata: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    write: bool = True,
    keep_data: bool = False,
    loop: asyncio.AbstractEventLoop | None = None,
) -> ComputationResult:
    """Run a computation for ``windows``, which must be its own (``windows_for``).

    Without ``graph`` its upstreams are what is bound to it, and its siblings. Failed partitions are outcomes, not
    exceptions.
    """
    graph = graph if graph is not None else AssetGraph(*computation.outputs)
    if not isinstance(graph, AssetGraph):
        raise DefinitionError(f"dag={graph!r} is no graph", where=computation.label, fix="pass ap.AssetGraph(...)")
    with span("asset_run", asset=computation.subject.qualified_key), Bridge(loop) as bridge:
        return ComputationRun(
            computation=computation,
            graph=graph,
            windows=windows,
            info=info or RunInfo(uuid.uuid4().hex[:16]),
            metadata=dict(metadata or {}),
            bridge=bridge,
            progress=progress,
            write=write,
            keep_data=keep_data,
        ).execute()


def run_asset(
    asset: Asset,
    *,
    window: WindowLike = None,
    graph: AssetGraph | None = None,
    metadata: Mapping[str, Any] | None = None,
    loop: asyncio.AbstractEventLoop | None = None,
) -> Any:
    """Produce and conform without writing."""
    windows = windows_for(Computation.of(asset), window)
    return execute(asset, windows=windows, graph=graph, metadata=metadata, write=False, keep_data=True, loop=loop).data


def materialize_asset(
    asset: Asset,
    *,
    window: WindowLike = None,
    graph: AssetGraph | None = None,
    metadata: Mapping[str, Any] | None = None,
    loop: asyncio.AbstractEventLoop | None = None,
) -> Any:
    """Produce, conform and write; the data, or None for an asset that is not enabled."""
    windows = windows_for(Computation.of(asset), window)
    if not asset.enabled:
        log.info("%s is not enabled: not run", asset.label)
        return None
    result = execute(asset, windows=windows, graph=graph, metadata=metadata, keep_data=True, loop=loop)
    result.raise_for_failures()
    return result.data


def run_multi_asset(
    multi: MultiAsset, *, window: WindowLike = None, select: Sequence[str] | None = None, **options: Any
) -> dict[str, Any]:
    """Produce and conform without writing; the data by output."""
    computation = Computation.of(multi, select)
    windows = windows_for(computation, window)
    result = execute_computation(computation, windows=windows, write=False, keep_data=True, **options)
    return _data_of(computation, result)


def materialize_multi_asset(
    multi: MultiAsset, *, window: WindowLike = None, select: Sequence[str] | None = None, **options: Any
) -> dict[str, Any]:
    """Produce, conform and write; the data by output, without those that are not enabled."""
    asked = Computation.of(multi, select)
    windows = windows_for(asked, window)
    computation = asked.enabled
    for asset in asked.outputs:
        if not asset.enabled:
            log.info("%s is not enabled: not run", asset.label)
    if computation is None:
        return {}
    result = execute_computation(computation, windows=windows, keep_data=True, **options)
    result.raise_for_failures()
    return _data_of(computation, result)


def _data_of(computation: Computation, result: ComputationResult) -> dict[str, Any]:
    return {asset.key: one.data for asset, one in zip(computation.outputs, result.results, strict=True)}


async def run_asset_async(asset: Asset, **options: Any) -> Any:
    """``run_asset`` in a worker thread; async functions are awaited on the running loop."""
    return await in_thread(run_asset, asset, loop=asyncio.get_running_loop(), **options)


async def materialize_asset_async(asset: Asset, **options: Any) -> Any:
    """``materialize_asset`` in a worker thread; async functions are awaited on the running loop."""
    return await in_thread(materialize_asset, asset, loop=asyncio.get_running_loop(), **options)


async def run_multi_asset_async(multi: MultiAsset, **options: Any) -> dict[str, Any]:
    """``run_multi_asset`` in a worker thread; async functions are awaited on the running loop."""
    found: dict[str, Any] = await in_thread(run_multi_asset, multi, loop=asyncio.get_running_loop(), **options)
    return found


async def materialize_multi_asset_async(multi: MultiAsset, **options: Any) -> dict[str, Any]:
    """``materialize_multi_asset`` in a worker thread; async functions are awaited on the running loop."""
    found: dict[str, Any] = await in_thread(materialize_multi_asset, multi, loop=asyncio.get_running_loop(), **options)
    return found


def call(function: Any, *args: Any) -> Any:
    """The result of a sync or async function."""
    with Bridge() as bridge:
        return bridge.call(function, *args)


AssetStatus = Literal["success", "failed", "upstream_failed", "skipped", "disabled"]


@dataclass
class GraphResult:
    """What became of each asset of a graph, by qualified key, in the order of the graph.

    Attributes:
        statuses: ``success``, ``failed``, ``upstream_failed`` (not started), ``skipped`` (nothing started any more),
            ``disabled``.
        results: The outcome of those that ran, partition by partition.
        errors: What the failed ones raised.
    """

    statuses: dict[str, AssetStatus] = field(default_factory=dict)
    results: dict[str, RunResult] = field(default_factory=dict)
    errors: dict[str, BaseException] = field(default_factory=dict)

    @property
    def is_success(self) -> bool:
        """Whether every enabled asset succeeded."""
        return all(status in ("success", "disabled") for status in self.statuses.values())

    def raise_for_failures(self) -> None:
        """Raise the first failure, if there is one."""
        for error in self.errors.values():
            raise error


def materialize_graph(
    graph: AssetGraph,
    *,
    window: PartitionWindow | Partition | None = None,
    select: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    max_workers: int = 4,
    fail_fast: bool = False,
    retry: RetryPolicy | None = None,
    progress: Progress | None = None,
) -> GraphResult:
    """Run what fills the graph's assets in order, at most ``max_workers`` functions at a time.

    One that fills several assets runs once for those that are selected. What depends on a failure is not started. One
    that fails is tried again as its own policy says, else as ``retry`` says.

    Raises:
        PartitionError: The window does not fit an asset; nothing has run.
    """
    selected = {asset.qualified_key: asset for asset in graph.select(select)}
    runs = {one.qualified_key: one for one in computations(selected.values())}
    enabled = {key: one for key, run in runs.items() if (one := run.enabled) is not None}
    windows = check_all(enabled.values(), window)
    needs = {
        key: [up for up in graph.upstreams(run.subject) if up.qualified_key in selected] for key, run in runs.items()
    }
    result = GraphResult({key: "skipped" if asset.enabled else "disabled" for key, asset in selected.items()})
    filled_by = {asset.qualified_key: key for key, run in runs.items() for asset in run.outputs}
    order = graphlib.TopologicalSorter({key: {filled_by[up.qualified_key] for up in ups} for key, ups in needs.items()})
    order.prepare()
    ready: collections.deque[str] = collections.deque()
    running: dict[concurrent.futures.Future[ComputationResult], str] = {}
    with concurrent.futures.ThreadPoolExecutor(max_workers) as pool:
        while order.is_active():
            ready.extend(sorted(order.get_ready()))
            while ready and len(running) < max_workers:
                key = ready.popleft()
                if key not in enabled or not _is_due(result, enabled[key], needs[key], fail_fast=fail_fast):
                    order.done(key)
                    continue
                info = RunInfo(uuid.uuid4().hex[:16])  # one attempt, however often it is tried
                run = functools.partial(
                    execute_computation, enabled[key], windows=windows[key], graph=graph, info=info, metadata=metadata
                )
                policy = enabled[key].subject.retry or retry
                future = pool.submit(with_retries, run, policy, name=key, seed=[info.attempt], progress=progress)
                running[future] = key
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                key = running.pop(future)
                _settle(result, enabled[key], future)
                order.done(key)
    return result


def _is_due(result: GraphResult, run: Computation, needs: list[Asset], *, fail_fast: bool) -> bool:
    """Whether it starts, now that all it needs has ended; noted where something it needs did not succeed."""
    if fail_fast and result.errors:
        return False
    if any(result.statuses[up.qualified_key] not in ("success", "disabled") for up in needs):
        result.statuses.update(dict.fromkeys((asset.qualified_key for asset in run.outputs), "upstream_failed"))
        return False
    return True


def _settle(result: GraphResult, run: Computation, future: "concurrent.futures.Future[ComputationResult]") -> None:
    try:
        found = future.result().results
    except Exception as error:
        log.error("%s failed: %s", run.label, told(error), exc_info=_trace(error))  # noqa: TRY400 -- our own errors say enough
        for asset in run.outputs:
            result.statuses[asset.qualified_key], result.errors[asset.qualified_key] = "failed", error
        return
    for asset, one in zip(run.outputs, found, strict=True):
        key, failure = asset.qualified_key, one.failure()
        one.data = None  # a graph may be larger than memory
        result.results[key], result.statuses[key] = one, "success" if failure is None else "failed"
        if failure is not None:
            log.error("asset %r failed: %s", key, told(failure), exc_info=_trace(failure))
            result.errors[key] = failure


def _trace(error: Exception) -> Exception | None:
    return None if isinstance(error, AssetsError) else error
