"""A consistent read of one partition while writers are at work, without taking a lock.

The file is read through one descriptor, so it is one whole version. Which version is told by its hash: that of the
commit record read before, of the intent, or of the record read after. A hash that none of them knows, twice with
nothing committed in between, is damage.
"""

import hashlib
import time
from dataclasses import dataclass

from airflow_provider.destinations.commit import PosixCommitter
from airflow_provider.destinations.paths import TableFolder
from airflow_provider.errors import DataCorruptError
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.storage import posix

_GIVE_UP_AFTER_S = 30.0


@dataclass(frozen=True)
class Snapshot:
    """One version of a partition.

    Attributes:
        content: The file's bytes; None for a partition that is recorded as empty.
        record: Its commit record; None for untracked data.
    """

    content: bytes | None
    record: CommitRecord | None


def take_snapshot(folder: TableFolder, committer: PosixCommitter, key: str | None, *, where: str) -> Snapshot | None:
    """Read ``key``, checked against its record; None when nothing is stored.

    Raises:
        DataCorruptError: The file, or its record, is damaged; it is named.
        DestinationError: The file cannot be read.
    """
    path = folder.data(key)
    deadline = time.monotonic() + _GIVE_UP_AFTER_S
    seen: object = None
    with posix.mapped(path, where=where):
        while True:
            before = committer.record(key)
            content = posix.read_bytes(path)
            sha256 = None if content is None else hashlib.sha256(content).hexdigest()
            if before is not None and before.sha256 == sha256:
                return Snapshot(content, before)
            intent = committer.intent(key)
            after = committer.record(key)
            for record in (intent.record if intent else None, after):
                if record is not None and record.sha256 == sha256:
                    return Snapshot(content, record)
            if before is None and after is None:
                return None if content is None else Snapshot(content, None)
            state = (before and before.fence, sha256, intent and intent.record.fence, after and after.fence)
            if state == seen or time.monotonic() > deadline:
                raise _damaged(path, content, after or before, where)
            seen = state
            time.sleep(0.002)


def _damaged(path: str, content: bytes | None, record: CommitRecord | None, where: str) -> DataCorruptError:
    expected = None if record is None else record.bytes
    if content is None:
        what = f"{path!r} is gone, but its commit record says that it holds {expected} bytes"
    elif len(content) != expected:
        what = f"{path!r} has {len(content)} bytes, its commit record says {expected or 0}"
    else:
        what = f"{path!r} is not what was committed: its hash differs from that in its commit record"
    return DataCorruptError(what, where=where, fix="materialize the partition again, or restore the file from a backup")
