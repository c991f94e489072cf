"""What a store holds against what its commit records and the index say of it: what differs, and how to mend it.

A destination tells what it finds (`Holding`); what follows from it is decided here, the same for every store.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from airflow_provider.ledger.fold import HeldState
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.record import CommitRecord

Kind = Literal["lost", "damaged", "drift", "unsettled", "untracked", "index", "foreign", "running"]

KINDS: dict[Kind, str] = {
    "lost": "recorded, but its data is gone",
    "damaged": "its data, or its record, is not what was committed",
    "drift": "its rows are not as many as were committed",
    "unsettled": "a crash, or a late writer, left open what holds",
    "untracked": "data without a commit record: never due, and not vouched for",
    "index": "the index says something else than the commit record",
    "foreign": "no partition of this asset: left out everywhere",
    "running": "being written now: not compared",
}
"""Each kind of finding, the worst first, and what it means."""

HARMLESS: frozenset[Kind] = frozenset({"foreign", "running"})
"""Kinds that are worth knowing and no difference."""


@dataclass(frozen=True)
class Holding:
    """What a store holds of one partition, as it finds it.

    Attributes:
        key: The partition's key; None is the unpartitioned whole.
        record: Its commit record; None when there is none.
        is_there: Whether there is data; None when the store cannot tell without reading it.
        bytes: Size of the data file; None where there is none.
        sha256: Hash of the data file, where it was computed.
        rows: Rows of the data, where they were counted.
        problem: Why the data cannot be read; empty when it can, or was not tried.
        record_problem: Why the record cannot be read.
        unsettled: What a crash or a late writer left open.
        is_running: Whether a writer is at work on it now.
        uri: Where the data is.
    """

    key: str | None
    record: CommitRecord | None = None
    is_there: bool | None = None
    bytes: int | None = None
    sha256: str | None = None
    rows: int | None = None
    problem: str = ""
    record_problem: str = ""
    unsettled: str = ""
    is_running: bool = False
    uri: str = ""

    @property
    def is_untracked(self) -> bool:
        """Whether there is data and nothing vouches for it."""
        return bool(self.is_there) and self.record is None and not self.record_problem

    @property
    def held(self) -> HeldState:
        """What is held, by the record and the data."""
        if self.record is not None:
            return self.record.state
        return "untracked" if self.is_untracked else "absent"


@dataclass(frozen=True)
class Finding:
    """One thing that differs.

    Attributes:
        key: The partition's key; None is the unpartitioned whole.
        kind: What kind of difference.
        what: What differs, with the values seen.
        fix: How to mend it.
    """

    key: str | None
    kind: Kind
    what: str
    fix: str

    @property
    def is_difference(self) -> bool:
        """Whether something is to be mended."""
        return self.kind not in HARMLESS


def compare(holding: Holding, index: AssetIndex, *, asset: str, is_own: bool = True) -> Iterator[Finding]:
    """What differs of one partition, the worst first; nothing when all agrees.

    Args:
        holding: What the store holds.
        index: What the index says of the asset in that store.
        asset: The asset's qualified key, for the commands that mend.
        is_own: Whether the key is a partition of the asset.
    """
    key = holding.key
    if not is_own:
        if holding.is_there or holding.record is not None:
            yield Finding(key, "foreign", f"{_named(key)} is no partition of this asset", _FOREIGN)
        return
    if holding.is_running:
        yield Finding(key, "running", "a writer is at work on it", "verify it again when the run has ended")
        return
    yield from data_findings(holding, asset=asset)
    yield from _index_findings(holding, index, asset)


def data_findings(holding: Holding, *, asset: str = "") -> Iterator[Finding]:
    """What differs between the data of one partition and its record."""
    key, record = holding.key, holding.record
    again = f"airflow-assets materialize {asset}{window_option(key)}"
    rebuild = f"airflow-assets index rebuild {asset}"
    if holding.unsettled:  # until that is settled, nothing says which version the data ought to be
        yield Finding(key, "unsettled", holding.unsettled, f"{rebuild} settles what can be; else {again}")
    elif holding.record_problem:
        what = f"its commit record {holding.record_problem}"
        adopt = f"airflow-assets adopt {asset}{window_option(key)}"
        yield Finding(key, "damaged", what, f"{again}; or {rebuild}, which drops the record, and {adopt}")
    elif holding.is_untracked:
        size = "" if holding.bytes is None else f" of {holding.bytes:,} bytes"
        if holding.problem:
            fix = f"{again}, which replaces it, or put a file there that can be read"
            yield Finding(key, "untracked", f"data{size} without a commit record, which {holding.problem}", fix)
        else:
            adopt = f"airflow-assets adopt {asset}{window_option(key)} keeps it as it is; {again} replaces it"
            yield Finding(key, "untracked", f"data{size} without a commit record", adopt)
    elif record is not None and holding.is_there is False and record.state == "committed":
        gone = f"{again}, or restore it from a backup; {rebuild} makes it a gap"
        yield Finding(key, "lost", f"{holding.uri or record.uri} is gone", gone)
    elif record is not None:
        kind, what = _mismatch(holding, record)
        if kind is not None:
            yield Finding(key, kind, what, f"{again}, or restore it from a backup")


def _mismatch(holding: Holding, record: CommitRecord) -> tuple[Literal["damaged", "drift"] | None, str]:
    if record.state == "empty" and holding.bytes is not None:
        return "damaged", f"it is recorded as empty, but there is a file of {holding.bytes:,} bytes"
    if _differ(holding.bytes, record.bytes):
        return "damaged", f"it has {holding.bytes:,} bytes, its record says {record.bytes:,}"
    if _differ(holding.sha256, record.sha256):
        return "damaged", "its hash is not the one in its record: it was changed after the commit"
    if holding.problem:
        return "damaged", f"it {holding.problem}"
    if _differ(holding.rows, record.rows):
        return "drift", f"it has {holding.rows:,} rows, its record says {record.rows:,}"
    return None, ""


def _index_findings(holding: Holding, index: AssetIndex, asset: str) -> Iterator[Finding]:
    key, record, indexed = holding.key, holding.record, index.records.get(holding.key)
    fix = f"airflow-assets index rebuild {asset}"
    if holding.record_problem or holding.unsettled:
        return
    if record is not None and indexed is None:
        what = "the index does not know its commit (a run that is still at work tells it by its end)"
        yield Finding(key, "index", what, fix)
    elif record is None and indexed is not None:
        yield Finding(key, "index", f"the index says {indexed.state}, but there is no commit record", fix)
    elif record is not None and indexed is not None and _version(record) != _version(indexed):
        what = f"the index says fence {indexed.fence} with {_rows(indexed)}, the record {record.fence}, {_rows(record)}"
        yield Finding(key, "index", what, fix)
    elif record is None and holding.is_there is False and key in index.untracked:
        yield Finding(key, "index", "the index says untracked, but nothing is there", fix)


def states(holdings: Iterable[Holding]) -> dict[HeldState, int]:
    """How many partitions there are of each state of being held, without states that do not occur."""
    counts: dict[HeldState, int] = {}
    for holding in holdings:
        counts[holding.held] = counts.get(holding.held, 0) + 1
    return counts


def window_option(key: str | None) -> str:
    """The option of a command that names one partition, quoted for a shell where that is needed."""
    if key is None:
        return ""
    import shlex

    return f" --window {shlex.quote(key)}"


_FOREIGN = "move its data away if nobody needs it here; it is neither counted nor due, and no run touches it"


def _named(key: str | None) -> str:
    return "the unpartitioned whole" if key is None else f"{key!r}"


def _differ(found: object, recorded: object) -> bool:
    return found is not None and recorded is not None and found != recorded


def _version(record: CommitRecord) -> tuple[object, ...]:
    return record.fence, record.attempt, record.state, record.rows, record.sha256


def _rows(record: CommitRecord) -> str:
    return "unknown rows" if record.rows is None else f"{record.rows:,} rows"
