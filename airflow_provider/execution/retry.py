"""Tries in plain Python, as a policy says: the graph and the command line; on Airflow the task is tried again.

Every try is the same attempt, so that it writes only what is missing.
"""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from airflow_provider.definitions.retry import RetryPolicy, told_reason
from airflow_provider.execution.events import Event, emit
from airflow_provider.execution.outcome import ComputationResult, PartitionOutcome
from airflow_provider.execution.write import Progress

log = logging.getLogger(__name__)


class Run(Protocol):
    """One try of a run."""

    def __call__(self, *, progress: Progress | None) -> ComputationResult:
        """Run, telling ``progress`` of each partition."""


def with_retries(
    run: Run,
    policy: RetryPolicy | None,
    *,
    name: str,
    seed: Sequence[str],
    progress: Progress | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> ComputationResult:
    """The result of ``run``, tried again while it fails and ``policy`` says so.

    Args:
        run: Does one try, and tells the progress that it is given.
        policy: None for a single try.
        name: The qualified key of what runs, for the log.
        seed: Names of the run that the jitter depends on.
        progress: Hears of each partition once: when it was written, or when it is given up.
        sleep: Waits that many seconds.

    Raises:
        Exception: What the last try raised.
    """
    if policy is None:
        return run(progress=progress)
    relay = _Relay(progress)
    try:
        for attempt in range(1, policy.max_attempts + 1):
            failure: Exception | None
            try:
                result = run(progress=relay)
                failure = result.failure()
                if failure is None or attempt == policy.max_attempts or not policy.retryable(failure):
                    return result
            except Exception as error:
                if attempt == policy.max_attempts or not policy.retryable(error):
                    raise
                failure = error
            wait = policy.delay(attempt, seed=[*seed, name], error=failure).total_seconds()
            said = told_reason(failure)
            log.warning("%s: try %s of %s failed (%s); again in %.1f s", name, attempt, policy.max_attempts, said, wait)
            emit(Event("retried", name, values={"attempt": attempt, "seconds": wait, "error": type(failure).__name__}))
            sleep(wait)
    finally:
        relay.give_up()
    raise AssertionError("a policy has at least one attempt")


class _Relay:
    """Tells each partition write once over several tries; what failed is held back until no try is left."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._told: set[tuple[str, str, str | None]] = set()
        self._failed: dict[tuple[str, str, str | None], PartitionOutcome] = {}

    def __call__(self, outcome: PartitionOutcome) -> None:
        place = (outcome.asset, outcome.address, outcome.key)
        if outcome.is_bad:
            self._failed[place] = outcome
            return
        self._failed.pop(place, None)
        if place not in self._told:
            self._told.add(place)
            self._tell(outcome)

    def give_up(self) -> None:
        """No try is left: what failed last is told."""
        for outcome in self._failed.values():
            self._tell(outcome)

    def _tell(self, outcome: PartitionOutcome) -> None:
        if self._progress is not None:
            self._progress(outcome)
