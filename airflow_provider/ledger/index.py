"""The folded view of what one asset holds in one destination."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from airflow_provider.ledger.fold import Held, LastAttempt, fold, fold_notes
from airflow_provider.ledger.record import AttemptNote, CommitRecord, Entry, UntrackedNote


@dataclass(frozen=True)
class AssetIndex:
    """What is held, per partition key; None is the unpartitioned whole.

    Attributes:
        records: The winning commit record per key.
        notes: The latest attempt note per key.
        untracked: Keys of data that was there before the package; none of them has a record.
    """

    records: Mapping[str | None, CommitRecord] = field(default_factory=dict)
    notes: Mapping[str | None, AttemptNote] = field(default_factory=dict)
    untracked: frozenset[str | None] = frozenset()

    @classmethod
    def of(cls, entries: Iterable[Entry], *, untracked: Iterable[str | None] = ()) -> "AssetIndex":
        """Fold records and notes, in any order and with any repeats."""
        entries = list(entries)
        records = fold(entry for entry in entries if isinstance(entry, CommitRecord))
        noted = (entry.key for entry in entries if isinstance(entry, UntrackedNote))
        return cls(
            records=records,
            notes=fold_notes(entry for entry in entries if isinstance(entry, AttemptNote)),
            untracked=frozenset(key for key in (*untracked, *noted) if key not in records),
        )

    def held(self, key: str | None) -> Held:
        """What is held under ``key``, and how the last attempt at it went."""
        record = self.records.get(key)
        last = self._last_attempt(key, record)
        if record is not None:
            return Held(record.state, last)
        return Held("untracked" if key in self.untracked else "absent", last)

    @property
    def keys(self) -> list[str]:
        """Keys that are committed or empty, sorted as text."""
        return sorted(key for key in self.records if key is not None)

    @property
    def failed(self) -> list[str | None]:
        """Keys whose last attempt failed, whatever is held; the whole first, then sorted as text."""
        failed = [key for key in self.notes if self._last_attempt(key, self.records.get(key)) == "failed"]
        return sorted(failed, key=lambda key: (key is not None, key or ""))

    @property
    def row_counts(self) -> dict[str, int]:
        """Rows per key, for the keys whose count is known, sorted by key."""
        counts = {key: record.rows for key, record in self.records.items() if key is not None}
        return {key: counts[key] or 0 for key in sorted(counts) if counts[key] is not None}

    @property
    def total_rows(self) -> int:
        """Rows over all partitions whose count is known."""
        return sum(record.rows or 0 for record in self.records.values())

    @property
    def total_bytes(self) -> int:
        """Bytes over all partitions whose size is known."""
        return sum(record.bytes or 0 for record in self.records.values())

    def _last_attempt(self, key: str | None, record: CommitRecord | None) -> LastAttempt | None:
        note = self.notes.get(key)
        if note is None:
            return None if record is None else "ok"
        if record is not None and record.committed_at > note.at:
            return "ok"
        if note.outcome == "superseded":  # an older attempt that changed nothing: it says nothing of the newest one
            return None if record is None else "ok"
        if record is not None and record.attempt == note.attempt and note.outcome == "running":
            return "ok"
        return note.outcome
