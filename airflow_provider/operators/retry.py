"""A retry policy of ours on Airflow's retries: what the operator takes, and who decides after a failure.

From Airflow 3.3 on the task asks the policy, which also sets the delay. Before, the delays are Airflow's own and only
the policy's verdict counts: an error that is not worth it fails the task at once. The static options are set on every
version, for they are used where the worker dies and nobody can be asked.
"""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.retry import RetryPolicy, told_reason
from airflow_provider.definitions.task_options import TaskOptions, merged
from airflow_provider.errors import ConfigError
from airflow_provider.version_compat import (
    EXPONENTIAL_BACKOFF,
    HAS_RETRY_POLICY,
    AirflowFailException,
    AirflowRetryPolicy,
    RetryDecision,
)

STATIC = frozenset({"retries", "retry_delay", "max_retry_delay", "retry_exponential_backoff"})


class TaskRetryPolicy(AirflowRetryPolicy):
    """Answers Airflow after a failed try as ``policy`` says."""

    def __init__(self, policy: RetryPolicy) -> None:
        self.policy = policy

    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Any = None) -> RetryDecision:
        """Fail at once, or try again after the policy's delay; a clear starts to count anew."""
        attempt = max(1, try_number - (max_tries - self.policy.max_retries))
        said = told_reason(exception)
        if not self.policy.retryable(exception):
            return RetryDecision.fail(reason=f"not worth another try: {said}"[:500])
        if attempt >= self.policy.max_attempts:
            return RetryDecision.default()
        delay = self.policy.delay(attempt, seed=_seed(context), error=exception)
        told = (
            f"attempt {attempt} of {self.policy.max_attempts} failed, next one in {delay.total_seconds():.1f} s: {said}"
        )
        return RetryDecision.retry(delay=delay, reason=told[:500])


def retry_arguments(policy: RetryPolicy) -> dict[str, Any]:
    """The operator's arguments for ``policy``."""
    arguments: dict[str, Any] = {
        "retries": policy.max_retries,
        "retry_delay": dt.timedelta(seconds=policy.initial_seconds),
        "max_retry_delay": dt.timedelta(seconds=policy.max_seconds),
    }
    if policy.backoff == "exponential":
        arguments["retry_exponential_backoff"] = EXPONENTIAL_BACKOFF
    if HAS_RETRY_POLICY:
        arguments["retry_policy"] = TaskRetryPolicy(policy)
    return arguments


def chosen_policy(asset: Asset | MultiAsset, job: RetryPolicy | None, given: Mapping[str, Any]) -> RetryPolicy | None:
    """The policy of the asset's task; None where something nearer than a policy says how often.

    The nearest that says anything about retries says it all: the operator's own arguments, then the asset, then its
    source, then the DAG.

    Raises:
        ConfigError: An asset or a source says it twice, by ``retry=`` and by ``airflow=``.
    """
    if set(given) & {*STATIC, "retry_policy"}:
        return None
    levels: list[Any] = [asset] if asset.source is None else [asset, asset.source]
    for level in levels:
        own: RetryPolicy | None = level.__dict__.get("retry")
        options = _static_options(type(level).airflow)
        if own is not None and options:
            raise ConfigError(
                f"retry= and airflow=TaskOptions({', '.join(options)}) both say how often a run is tried",
                where=level.label,
                fix="keep retry=",
            )
        if own is not None or options:
            return own
    return job


def merged_options(asset: Asset | MultiAsset, policy: RetryPolicy | None) -> dict[str, Any]:
    """The operator's arguments of the source's and the asset's task options, and of ``policy``."""
    kwargs = merged(type(asset.source).airflow if asset.source is not None else None, type(asset).airflow)
    if policy is not None:
        kwargs = {name: value for name, value in kwargs.items() if name not in STATIC} | retry_arguments(policy)
    return kwargs


def refuse_retry(policy: RetryPolicy | None, error: Exception) -> None:
    """Fail the task at once where Airflow cannot ask the policy and another try is not worth it.

    Raises:
        AirflowFailException: That is so.
    """
    if policy is not None and not HAS_RETRY_POLICY and not policy.retryable(error):
        raise AirflowFailException(f"not worth another try: {told_reason(error)}") from error


def _static_options(options: TaskOptions | None) -> list[str]:
    return sorted(STATIC & set(options.as_kwargs())) if options is not None else []


def _seed(context: Any) -> list[str]:
    ti = context.get("ti") if isinstance(context, Mapping) or hasattr(context, "get") else None
    return [str(getattr(ti, name, "")) for name in ("dag_id", "task_id", "run_id", "map_index")]
