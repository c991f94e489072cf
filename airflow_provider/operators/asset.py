"""One asset as one Airflow task: which partitions the run covers, the run itself, and what Airflow is told of it."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Computation
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.definitions.view import Reference
from airflow_provider.errors import DefinitionError
from airflow_provider.execution import runner
from airflow_provider.execution.outcome import ComputationResult, counts, summary
from airflow_provider.execution.progress import LoggedProgress
from airflow_provider.execution.window import Windows, writes
from airflow_provider.operators.outlets import airflow_asset, event_extra, stored
from airflow_provider.operators.retry import chosen_policy, merged_options, refuse_retry
from airflow_provider.operators.run_facts import run_facts, run_info, selected
from airflow_provider.partitioning import Resolution, resolve
from airflow_provider.version_compat import AirflowSkipException, BaseOperator, ParamsDict, guard_supervisor_socket

if TYPE_CHECKING:
    from airflow.sdk.definitions.context import Context

    from airflow_provider.definitions.signatures import Definition

log = logging.getLogger(__name__)


class AssetOperator(BaseOperator):
    """Runs one asset, or the assets of one function, for the partitions that the run covers.

    The run's ``window`` (params or conf) wins, then the operator's, then the rules of ``airflow-assets explain``. A
    task emits one event for the Airflow asset of each output that it filled; no XCom is written.

    Args:
        asset: The asset or multi-asset, bound to its destinations. A definition (class) is instantiated.
        graph: Where its upstreams are found; by default its source.
        window: A key, ``first..last``, or a template that renders to one.
        retry: The policy where neither the asset nor its source says how often it is tried.
        outputs: Names of the outputs of a multi-asset to fill; all of them by default.
        kwargs: Airflow's own operator arguments; they win over the asset's ``TaskOptions``.
    """

    template_fields: Sequence[str] = ("window",)
    shallow_copy_attrs: Sequence[str] = ("asset", "graph", "computation")
    ui_color = "#e3f1ea"

    def __init__(
        self,
        *,
        asset: "Asset | MultiAsset | type[Asset] | type[MultiAsset] | Definition[Any]",
        graph: AssetGraph | None = None,
        window: str | None = None,
        retry: RetryPolicy | None = None,
        outputs: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        asset = asset() if isinstance(asset, type) and issubclass(asset, (Asset, MultiAsset)) else asset
        if not isinstance(asset, (Asset, MultiAsset)):
            raise DefinitionError(
                f"asset={asset!r} is no asset", where="AssetOperator", fix="pass an asset such as shop.orders"
            )
        if isinstance(asset, Reference):
            raise DefinitionError(
                "is a reference, which is never run", where=asset.label, fix="make tasks of the assets that read it"
            )
        if outputs is not None and isinstance(asset, Asset):
            raise DefinitionError("outputs= is for a multi-asset", where=asset.label, fix="leave it out")
        computation = Computation.of(asset, outputs)
        policy = chosen_policy(computation.subject, retry, kwargs)
        kwargs = {**merged_options(computation.subject, policy), **kwargs}
        kwargs.setdefault("do_xcom_push", False)
        kwargs.setdefault("outlets", [airflow_asset(output) for output in computation.outputs])
        kwargs.setdefault("doc_md", asset.description or None)
        super().__init__(**kwargs)
        self._drop_params_of_the_dag()
        self.asset = asset
        self.graph = graph
        self.window = window
        self.computation = computation
        self._policy = policy

    def _drop_params_of_the_dag(self) -> None:
        """Leave the DAG's params to the DAG: Airflow copies them into every task, and adds them again to each run.

        Versions that do not say where a param comes from keep the copies.
        """
        if isinstance(self.params, ParamsDict):
            for name in [name for name in self.params if getattr(self.params.get_param(name), "source", "") == "dag"]:
                del self.params[name]

    def execute(self, context: "Context") -> None:
        """Run the asset; a partition that failed fails the task, while those that were committed stay.

        Raises:
            AirflowSkipException: No partition completes in this run.
            AssetsError: The run says something that does not fit, or a partition failed.
        """
        guard_supervisor_socket()
        try:
            self._execute(context)
        except AirflowSkipException:
            raise
        except Exception as error:
            refuse_retry(self._policy, error)
            raise

    def _execute(self, context: "Context") -> None:
        computation, idle = self._asked(selected(context))
        if computation is None:
            log.info("%s is %s: nothing to do", self.computation.label, idle)
            self.outlets = []  # nothing was stored, so no event
            return
        where, partitioning = computation.label, computation.partitioning
        resolution = resolve(run_facts(context, window=self.window, where=where), partitioning, where=where)
        self._open_log(computation, resolution)
        if resolution.skip:
            raise AirflowSkipException(resolution.reason)
        result = self._run(context, computation, resolution.windows)
        self._close_log(computation, result)
        self._tell_airflow(context, computation, result)
        result.raise_for_failures()

    def _asked(self, chosen: list[str] | None) -> tuple[Computation | None, str]:
        """What this run does, and why where that is nothing."""
        if chosen is None:
            return self.computation.enabled, "not enabled"
        outputs = self._named(chosen)
        if not outputs:
            return None, f"not selected in this run ({', '.join(chosen)})"
        return Computation(self.computation.subject, outputs).enabled, "not enabled"

    def _named(self, chosen: list[str]) -> tuple[Asset, ...]:
        """The outputs that the run's ``select`` names."""
        subject, outputs = self.computation.subject, self.computation.outputs
        if self.graph is not None:  # a name that is unknown, or only read here, is an error, not a run of nothing
            keys = {asset.qualified_key for asset in self.graph.select(chosen)}
            return tuple(output for output in outputs if output.qualified_key in keys)
        if {subject.key, subject.qualified_key} & set(chosen):
            return outputs
        return tuple(output for output in outputs if {output.key, output.qualified_key} & set(chosen))

    def _run(self, airflow_context: "Context", computation: Computation, windows: Windows) -> ComputationResult:
        total = sum(writes(output, windows) for output in computation.outputs)
        progress = LoggedProgress(total, lambda line: log.info("%s: %s", computation.label, line))
        info = run_info(airflow_context)
        metadata = {**info.names, "attempt": info.attempt}
        return runner.execute_computation(
            computation, windows=windows, graph=self.graph, info=info, metadata=metadata, progress=progress
        )

    def _open_log(self, computation: Computation, resolution: Resolution) -> None:
        windows = "the whole asset" if resolution.windows is None else ", ".join(map(str, resolution.windows)) or "none"
        log.info("%s: %s (rule %s: %s)", computation.label, windows, resolution.rule, resolution.reason)
        if isinstance(computation.subject, MultiAsset):
            log.info("%s fills %s", computation.label, ", ".join(computation.selected))
        named = {destination: None for output in computation.outputs for destination in output.destinations}
        for destination in named:
            log.info("destination %s (%s)", destination.address, destination.guarantee)
        for output in computation.outputs:
            if not output.destinations:
                log.warning("%s has no destination: its data is produced and not stored", output.label)

    def _close_log(self, computation: Computation, result: ComputationResult) -> None:
        for one in result.results:
            prefix = f"{one.asset}, " if len(result.results) > 1 else ""
            for line in summary(one.outcomes):
                log.info("%s%s", prefix, line)
        said = ", ".join(f"{count} {status}" for status, count in counts(result.outcomes).items()) or "nothing to do"
        log.info("%s: %s", computation.label, said)

    def _tell_airflow(self, airflow_context: "Context", computation: Computation, result: ComputationResult) -> None:
        """One event for each output that was filled; a task that fails emits none, its next try tells of all."""
        ours = {output.qualified_key: airflow_asset(output) for output in self.computation.outputs}
        filled = {} if result.bad else {one.asset: one for one in result.results if stored(one)}
        unfilled = [outlet for key, outlet in ours.items() if key not in filled]
        self.outlets = [outlet for outlet in self.outlets if outlet not in unfilled] if filled else []
        events = airflow_context.get("outlet_events")
        for output in computation.outputs:
            outlet = ours[output.qualified_key]
            if events is not None and output.qualified_key in filled and outlet in self.outlets:
                events[outlet].extra = event_extra(filled[output.qualified_key], output)
