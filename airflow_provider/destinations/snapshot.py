"""A consistent read of one partition while writers are at work, without taking a lock.

The file is read through one descriptor, so it is one whole version. Which version is told by its hash: that of the
commit record read before, of the intent, or of the record read after. A hash that none of them knows, twice with
nothing committed in between, is damage.
"""

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from airflow_provider.destinations.commit import PosixCommitter
from airflow_provider.destinations.paths import TableFolder
from airflow_provider.errors import DataCorruptError
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.storage import posix

_GIVE_UP_AFTER_S = 30.0
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Snapshot:
    """One version of a partition.

    Attributes:
        content: The file's bytes; None for a partition that is recorded as empty.
        record: Its commit record; None for untracked data.
    """

    content: bytes | None
    record: CommitRecord | None


@dataclass(frozen=True)
class OpenSnapshot:
    """One version of a partition as an open file, whose content was checked against its record; to be closed.

    Attributes:
        file: At its first byte; None for a partition that is recorded as empty.
        record: Its commit record; None for untracked data.
    """

    file: BinaryIO | None
    record: CommitRecord | None


def take_snapshot(folder: TableFolder, committer: PosixCommitter, key: str | None, *, where: str) -> Snapshot | None:
    """Read ``key``, checked against its record; None when nothing is stored.

    Raises:
        DataCorruptError: The file, or its record, is damaged; it is named.
        DestinationError: The file cannot be read.
    """

    def read(path: str) -> _Version:
        content = posix.read_bytes(path)
        if content is None:
            return _Version(None, None, None)
        return _Version(content, hashlib.sha256(content).hexdigest(), len(content))

    found = _matched(folder, committer, key, read, where)
    return None if found is None else Snapshot(*found)


def open_snapshot(
    folder: TableFolder, committer: PosixCommitter, key: str | None, *, where: str
) -> OpenSnapshot | None:
    """Like ``take_snapshot``, for files that are too large to be held: read twice, once to check it."""
    found = _matched(folder, committer, key, _opened, where)
    return None if found is None else OpenSnapshot(*found)


class _Version(NamedTuple):
    """What was found at a path: the content in some form, its hash and size; all None for no file."""

    content: Any
    sha256: str | None
    size: int | None


def _opened(path: str) -> _Version:
    try:
        file = open(path, "rb", opener=os.open)  # noqa: SIM115 -- whoever takes it closes it
    except FileNotFoundError:
        return _Version(None, None, None)
    digest, size = hashlib.sha256(), 0
    try:
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return _Version(file, digest.hexdigest(), size)


def _matched(
    folder: TableFolder,
    committer: PosixCommitter,
    key: str | None,
    read: Callable[[str], _Version],
    where: str,
) -> tuple[Any, CommitRecord | None] | None:
    """Read until what was read is a version that is known; its content and record."""
    path = folder.data(key)
    deadline = time.monotonic() + _GIVE_UP_AFTER_S
    seen: object = None
    with posix.mapped(path, where=where):
        while True:
            before = committer.record(key)
            content, sha256, size = read(path)
            if before is not None and before.sha256 == sha256:
                return content, before
            intent = committer.intent(key)
            after = committer.record(key)
            for record in (intent.record if intent else None, after):
                if record is not None and record.sha256 == sha256:
                    return content, record
            if before is None and after is None:
                return None if content is None else (content, None)
            if hasattr(content, "close"):
                content.close()
            state = (before and before.fence, sha256, intent and intent.record.fence, after and after.fence)
            if state == seen or time.monotonic() > deadline:
                raise _damaged(path, size, after or before, where)
            seen = state
            time.sleep(0.002)


def _damaged(path: str, size: int | None, record: CommitRecord | None, where: str) -> DataCorruptError:
    expected = None if record is None else record.bytes
    if size is None:
        what = f"{path!r} is gone, but its commit record says that it holds {expected} bytes"
    elif size != expected:
        what = f"{path!r} has {size} bytes, its commit record says {expected or 0}"
    else:
        what = f"{path!r} is not what was committed: its hash differs from that in its commit record"
    return DataCorruptError(what, where=where, fix="materialize the partition again, or restore the file from a backup")
