"""One asset as one Airflow task: which partitions the run covers, the run itself, and what Airflow is told of it."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.definitions.view import Reference
from airflow_provider.errors import DefinitionError
from airflow_provider.execution import runner
from airflow_provider.execution.outcome import RunResult, counts, summary
from airflow_provider.execution.progress import LoggedProgress
from airflow_provider.execution.window import Windows
from airflow_provider.operators.outlets import airflow_asset, event_extra, stored
from airflow_provider.operators.retry import chosen_policy, merged_options, refuse_retry
from airflow_provider.operators.run_facts import run_facts, run_info, selected
from airflow_provider.partitioning import Resolution, resolve
from airflow_provider.version_compat import AirflowSkipException, BaseOperator, guard_supervisor_socket

if TYPE_CHECKING:
    from airflow.sdk.definitions.context import Context

    from airflow_provider.definitions.signatures import Definition

log = logging.getLogger(__name__)


class AssetOperator(BaseOperator):
    """Runs one asset for the partitions that the run covers.

    The run's ``window`` (params or conf) wins, then the operator's, then the rules of ``airflow-assets explain``. A
    task that stores something emits one event for the asset's Airflow asset; no XCom is written.

    Args:
        asset: The asset, bound to its destinations. A definition (class) is instantiated.
        graph: Where its upstreams are found; by default its source.
        window: A key, ``first..last``, or a template that renders to one.
        retry: The policy where neither the asset nor its source says how often it is tried.
        kwargs: Airflow's own operator arguments; they win over the asset's ``TaskOptions``.
    """

    template_fields: Sequence[str] = ("window",)
    shallow_copy_attrs: Sequence[str] = ("asset", "graph")
    ui_color = "#e3f1ea"

    def __init__(
        self,
        *,
        asset: "Asset | type[Asset] | Definition[Asset]",
        graph: AssetGraph | None = None,
        window: str | None = None,
        retry: RetryPolicy | None = None,
        **kwargs: Any,
    ) -> None:
        asset = asset() if isinstance(asset, type) and issubclass(asset, Asset) else asset
        if not isinstance(asset, Asset):
            raise DefinitionError(
                f"asset={asset!r} is no asset", where="AssetOperator", fix="pass an asset such as shop.orders"
            )
        if isinstance(asset, Reference):
            raise DefinitionError(
                "is a reference, which is never run", where=asset.label, fix="make tasks of the assets that read it"
            )
        policy = chosen_policy(asset, retry, kwargs)
        kwargs = {**merged_options(asset, policy), **kwargs}
        kwargs.setdefault("do_xcom_push", False)
        kwargs.setdefault("outlets", [airflow_asset(asset)])
        kwargs.setdefault("doc_md", asset.description or None)
        super().__init__(**kwargs)
        self.asset = asset
        self.graph = graph
        self.window = window
        self._policy = policy

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
        asset = self.asset
        if idle := self._why_idle(selected(context)):
            log.info("%s is %s: nothing to do", asset.label, idle)
            self.outlets = []  # nothing was stored, so no event
            return
        resolution = resolve(
            run_facts(context, window=self.window, where=asset.label), asset.partitioning, where=asset.label
        )
        self._open_log(resolution)
        if resolution.skip:
            raise AirflowSkipException(resolution.reason)
        result = self._run(context, resolution.windows)
        self._close_log(result)
        self._tell_airflow(context, result)
        result.raise_for_failures()

    def _why_idle(self, chosen: list[str] | None) -> str:
        """Why this run leaves the asset alone; empty when it runs."""
        if chosen is not None and not self._is_among(chosen):
            return f"not selected in this run ({', '.join(chosen)})"
        return "" if self.asset.enabled else "not enabled"

    def _is_among(self, chosen: list[str]) -> bool:
        if self.graph is not None:  # a name that is unknown, or only read here, is an error, not a run of nothing
            return self.asset.qualified_key in {asset.qualified_key for asset in self.graph.select(chosen)}
        return bool({self.asset.key, self.asset.qualified_key} & set(chosen))

    def _run(self, airflow_context: "Context", windows: Windows) -> RunResult:
        total = sum(map(len, windows)) * max(1, len(self.asset.destinations)) if windows else 0
        progress = LoggedProgress(total, lambda line: log.info("%s: %s", self.asset.label, line))
        info = run_info(airflow_context)
        metadata = {**info.names, "attempt": info.attempt}
        return runner.execute(
            self.asset, windows=windows, graph=self.graph, info=info, metadata=metadata, progress=progress
        )

    def _open_log(self, resolution: Resolution) -> None:
        windows = "the whole asset" if resolution.windows is None else ", ".join(map(str, resolution.windows)) or "none"
        log.info("%s: %s (rule %s: %s)", self.asset.label, windows, resolution.rule, resolution.reason)
        for destination in self.asset.destinations:
            log.info("destination %s (%s)", destination.address, destination.guarantee)
        if not self.asset.destinations:
            log.warning("%s has no destination: its data is produced and not stored", self.asset.label)

    def _close_log(self, result: RunResult) -> None:
        for line in summary(result.outcomes):
            log.info("%s", line)
        said = ", ".join(f"{count} {status}" for status, count in counts(result.outcomes).items()) or "nothing to do"
        log.info("%s: %s", self.asset.label, said)

    def _tell_airflow(self, airflow_context: "Context", result: RunResult) -> None:
        if result.bad or not stored(result):
            self.outlets = []
            return
        events = airflow_context.get("outlet_events")
        outlet = airflow_asset(self.asset)
        if events is not None and outlet in self.outlets:
            events[outlet].extra = event_extra(result, self.asset)
