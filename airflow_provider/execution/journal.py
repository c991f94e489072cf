"""Tells the deployment's index what a run did: commits, and how each attempt at a partition went.

Commits are the truth beside the data; the index follows them and can be rebuilt. Lines are written in small batches, at
the latest a second after the commit and always when the run ends.
"""

import datetime as dt
import logging
import time
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from airflow_provider.definitions import ports
from airflow_provider.definitions.asset import Asset
from airflow_provider.errors import AssetsError
from airflow_provider.ledger.record import AttemptNote, CommitRecord, Entry, Outcome, utc_text

if TYPE_CHECKING:
    from airflow_provider.execution.write import RunInfo, Target

log = logging.getLogger(__name__)

MAX_LINES = 64
MAX_DELAY_S = 1.0


class Journal:
    """The index entries of one run, as a context manager that flushes at the end."""

    def __init__(self, asset: Asset) -> None:
        self._asset = asset
        self._lines: list[Entry] = []
        self._last_flush = time.monotonic()
        self._index: Any = None

    def committed(self, record: CommitRecord) -> None:
        """A partition was committed."""
        self._add([record])

    def running(self, targets: "Iterable[Target]", keys: Iterable[str | None], info: "RunInfo") -> None:
        """An attempt at ``keys`` starts."""
        keys = list(keys)
        self._add([self._note(target, key, info, "running") for target in targets for key in keys])
        self.flush()

    def failed(
        self, targets: "Iterable[Target]", keys: Iterable[str | None], info: "RunInfo", error: BaseException
    ) -> None:
        """The attempt at ``keys`` failed."""
        keys = list(keys)
        self._add([self._note(target, key, info, "failed", error) for target in targets for key in keys])

    def superseded(self, target: "Target", key: str | None, info: "RunInfo", error: BaseException) -> None:
        """A newer attempt had committed the partition. Where ours may have landed on it, that is shown as a failure."""
        outcome: Outcome = "failed" if getattr(error, "leaves_suspect", False) else "superseded"
        self._add([self._note(target, key, info, outcome, error)])

    def kept(self, target: "Target", key: str | None, info: "RunInfo") -> None:
        """The attempt produced nothing, and what was held stays."""
        self._add([self._note(target, key, info, "ok")])

    def flush(self) -> None:
        """Write what is waiting."""
        if self._lines:
            self._index = self._index or ports.resolve("index")()
            self._index.append(self._lines)
            self._lines = []
        self._last_flush = time.monotonic()

    def _add(self, entries: list[Any]) -> None:
        self._lines.extend(entries)
        if len(self._lines) >= MAX_LINES or time.monotonic() - self._last_flush > MAX_DELAY_S:
            self.flush()

    def _note(
        self, target: "Target", key: str | None, info: "RunInfo", outcome: Outcome, error: BaseException | None = None
    ) -> AttemptNote:
        return AttemptNote(
            asset=self._asset.qualified_key,
            destination=target.destination.address,
            key=key,
            attempt=info.attempt,
            outcome=outcome,
            error=_said(error),
            at=utc_text(dt.datetime.now(dt.timezone.utc)),
            run=info.names,
        )

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.flush()
        except AssetsError:
            if error is None:
                raise
            log.exception("the index could not be told what the run did; what failed first is raised")


def _said(error: BaseException | None) -> str:
    """Our own texts, which hold no secret; of any other error its class alone."""
    if error is None:
        return ""
    return str(error) if isinstance(error, AssetsError) else type(error).__name__
