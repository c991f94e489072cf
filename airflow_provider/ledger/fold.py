"""From a heap of records to what is held: per key the highest fence wins.

Duplicates and disorder change nothing, which is why the index may be appended to without order and delivered twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from airflow_provider.ledger.record import AttemptNote, CommitRecord

HeldState = Literal["committed", "empty", "absent", "untracked"]
LastAttempt = Literal["running", "ok", "failed"]


@dataclass(frozen=True)
class Held:
    """What the store holds of one partition, and, apart from that, how its last attempt went.

    Attributes:
        held: ``untracked`` is data that was there before the package: never due.
        last_attempt: None when no attempt is known.
    """

    held: HeldState
    last_attempt: LastAttempt | None = None


def fold(records: Iterable[CommitRecord]) -> dict[str | None, CommitRecord]:
    """The record of the highest fence per key (None: the unpartitioned whole); of equal fences the last one given."""
    folded: dict[str | None, CommitRecord] = {}
    for record in records:
        current = folded.get(record.key)
        if current is None or record.fence >= current.fence:
            folded[record.key] = record
    return folded


def fold_notes(notes: Iterable[AttemptNote]) -> dict[str | None, AttemptNote]:
    """The latest note per key; of equal times the last one given."""
    folded: dict[str | None, AttemptNote] = {}
    for note in notes:
        current = folded.get(note.key)
        if current is None or note.at >= current.at:
            folded[note.key] = note
    return folded
