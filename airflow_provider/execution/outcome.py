"""What became of each partition of a run, and how to say it in a few lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal
from urllib.parse import unquote

from airflow_provider.errors import AssetsError, PartitionsFailedError
from airflow_provider.partitioning import PartitionWindow

Status = Literal["committed", "empty", "kept", "held", "superseded", "failed"]

_SAID = {
    "committed": "committed",
    "empty": "recorded as empty",
    "kept": "no rows: nothing written, what was held stays",
    "held": "already committed by this attempt",
    "superseded": "superseded by a newer attempt",
    "failed": "FAILED",
}


@dataclass(frozen=True)
class PartitionOutcome:
    """One partition in one destination.

    Attributes:
        key: The partition's key; None is the unpartitioned whole.
        destination: The destination's key.
        address: The destination's address, as the index names it.
        status: What became of it.
        rows: Rows committed; None where that is not known.
        seconds: Time that the commit took.
        uri: Where the data is.
        fence: The fence it was committed with.
        error: What went wrong.
        asset: The asset's qualified key.
    """

    key: str | None
    destination: str
    address: str
    status: Status
    rows: int | None = None
    seconds: float = 0.0
    uri: str = ""
    fence: int = 0
    error: BaseException | None = None
    asset: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether the partition does not hold what this run produced."""
        return self.status in ("failed", "superseded")


@dataclass
class RunResult:
    """The run of one asset.

    Attributes:
        asset: Qualified key.
        windows: What was run; None for the unpartitioned whole.
        outcomes: One per partition and destination, in the order of the commits.
        data: What the last pass produced, conformed.
        metadata: What ``context.add_metadata`` was given.
    """

    asset: str
    windows: tuple[PartitionWindow, ...] | None
    outcomes: list[PartitionOutcome] = field(default_factory=list)
    data: Any = None
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def bad(self) -> list[PartitionOutcome]:
        """The partitions that failed or were superseded."""
        return [outcome for outcome in self.outcomes if outcome.is_bad]

    def failure(self) -> Exception | None:
        """One error that names the partitions that failed, and how many stand; None when none did."""
        bad = self.bad
        if not bad:
            return None
        first = bad[0].error
        if len(self.outcomes) == 1 and isinstance(first, AssetsError):
            return first
        failure = PartitionsFailedError(
            f"{len(bad)} of {len(self.outcomes)} partition writes failed: {'; '.join(summary(bad, limit=5))}. "
            f"The first one: {told(first)}",
            where=f"asset {self.asset!r}",
            fix="mend the cause and run again: a retry of this attempt writes only what is missing",
        )
        failure.errors = tuple(outcome.error for outcome in bad if outcome.error is not None)
        failure.__cause__ = first
        return failure

    def raise_for_failures(self) -> None:
        """Raise ``failure()``, if there is one.

        Raises:
            PartitionsFailedError: At least one of several partitions failed or was superseded.
            AssetsError: What failed, where there is only one partition.
        """
        failure = self.failure()
        if failure is not None:
            raise failure


@dataclass
class ComputationResult:
    """The run of one computation: a result per output that was asked for.

    Attributes:
        label: The computation, for messages.
        results: One per output, in the order declared.
    """

    label: str
    results: list[RunResult]

    @property
    def outcomes(self) -> list[PartitionOutcome]:
        """The outcomes of every output."""
        return [outcome for result in self.results for outcome in result.outcomes]

    @property
    def bad(self) -> list[PartitionOutcome]:
        """The partitions of all outputs that failed or were superseded."""
        return [outcome for outcome in self.outcomes if outcome.is_bad]

    def failure(self) -> Exception | None:
        """One error that names the outputs and partitions that failed; None when none did."""
        failures = [failure for result in self.results if (failure := result.failure()) is not None]
        if len(self.results) == 1 or not failures:
            return failures[0] if failures else None
        failure = PartitionsFailedError(
            f"{len(failures)} of {len(self.results)} outputs failed: {'; '.join(map(_said_by, failures))}",
            where=self.label,
            fix="mend the cause and run again: a retry of this attempt fills only what is missing",
        )
        failure.errors = tuple(outcome.error for outcome in self.bad if outcome.error is not None)
        failure.__cause__ = failure.errors[0] if failure.errors else None
        return failure

    def raise_for_failures(self) -> None:
        """Raise ``failure()``, if there is one.

        Raises:
            PartitionsFailedError: At least one of several partitions or outputs failed or was superseded.
            AssetsError: What failed, where there is one output of one partition.
        """
        failure = self.failure()
        if failure is not None:
            raise failure


def _said_by(failure: Exception) -> str:
    return f"{failure.where}: {failure.what}" if isinstance(failure, AssetsError) else told(failure)


def summary(outcomes: Sequence[PartitionOutcome], *, limit: int = 60) -> list[str]:
    """One line per partition, or per stretch of like outcomes when there would be more than ``limit`` lines.

    Each says the key or range, the status, rows, seconds, and where the data is.
    """
    if len(outcomes) <= limit:
        return [_line([outcome]) for outcome in outcomes]
    stretches = [list(group) for _, group in groupby(outcomes, key=lambda o: (o.destination, o.status))]
    lines = [_line(stretch) for stretch in stretches]
    return lines if len(lines) <= limit else [*lines[: limit - 1], f"... and {len(lines) - limit + 1} more stretches"]


def counts(outcomes: Iterable[PartitionOutcome]) -> dict[str, int]:
    """How many outcomes there are of each status that occurs."""
    found: dict[str, int] = {}
    for outcome in outcomes:
        found[outcome.status] = found.get(outcome.status, 0) + 1
    return found


def told(error: BaseException | None) -> str:
    """What we say of an error: our own words, which hold no secret; of any other its class alone."""
    return error.what if isinstance(error, AssetsError) else type(error).__name__


def _line(stretch: Sequence[PartitionOutcome]) -> str:
    first, last = stretch[0], stretch[-1]
    name = first.key or "whole"
    if len(stretch) > 1:
        name = f"{name}..{last.key} ({len(stretch)} partitions)"
    parts = [f"{name}: {_SAID[first.status]}"]
    if any(outcome.rows is not None for outcome in stretch):
        parts.append(f"{sum(outcome.rows or 0 for outcome in stretch):,} rows")
    if first.status in ("committed", "empty"):
        parts.append(f"{sum(outcome.seconds for outcome in stretch):.2f} s")
    if first.error is not None:
        parts.append(told(first.error))
    return f"{', '.join(parts)} -> {unquote(first.uri) or first.destination}"
