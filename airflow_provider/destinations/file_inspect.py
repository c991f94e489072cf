# Plain text paths and os calls, as in `commit`.
# ruff: noqa: PTH113, PTH116
"""Looks at the files of one table for ``verify`` and ``adopt``: what is there, whatever the records say.

A look takes no lock. Where it finds something that does not agree, it looks once more under the partition's lock, where
no commit is under way: a run at work is never taken for damage.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property
from typing import Any

from airflow_provider.definitions.destination import Adoption, Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.commit import PosixCommitter, Seen
from airflow_provider.destinations.file_like import FileLikeDestination, rows_of
from airflow_provider.destinations.paths import TableFolder, column_component
from airflow_provider.destinations.snapshot import Snapshot
from airflow_provider.errors import AssetsError, DataCorruptError, DataNotFoundError, LockTimeoutError, SchemaError
from airflow_provider.ledger.record import ADOPTED_FENCE, CommitRecord, utc_text
from airflow_provider.ledger.verify import Holding, data_findings
from airflow_provider.partitioning import Partition
from airflow_provider.storage import posix

_LOCK_WAIT_S = 1.0


@dataclass(frozen=True)
class FileInspector:
    """The files of one asset in one destination."""

    destination: FileLikeDestination
    context: IOContext

    @cached_property
    def _folder(self) -> TableFolder:
        return self.destination.folder(self.context)

    @cached_property
    def _committer(self) -> PosixCommitter:
        return self.destination.committer(self.context)

    def holdings(self, keys: Sequence[str | None] | None = None, *, deep: bool = False) -> Iterator[Holding]:
        """What is held; see ``Inspector.holdings``. In time order of the keys' text."""
        committer = self._committer
        for key in _sorted(committer.keys()) if keys is None else keys:
            yield self._settled(key, deep=deep)

    def untracked(self) -> list[Holding]:
        """Data files without a commit record; they are not opened."""
        committer, folder = self._committer, self._folder
        found = (key for key in _sorted(committer.keys() - committer.recorded()) if os.path.isfile(folder.data(key)))
        return [self._looked(key, deep=False, count=False) for key in found]

    def unplaced(self) -> list[str]:
        """Files and folders of the table's folder that are no partition, and files beside a partition's own."""
        return list(_unplaced(self._folder, self._folder.root, 0))

    def adopt(self, partition: Partition | None, *, dry_run: bool = False) -> Adoption:
        """Record a file that was there before; see ``Inspector.adopt``."""
        key = None if partition is None else partition.key
        committer = self._committer
        current = committer.records([key]).get(key)
        if current is not None:
            return Adoption(current, is_new=False)
        path, where = self._folder.data(key), self._where(key)
        with posix.mapped(path, where=where):
            identity = Seen.identity_of(path) if os.path.lexists(path) else None
            content = posix.read_bytes(path)
        if content is None or identity is None:
            raise DataNotFoundError(f"{path!r} is not there", where=where, fix="name partitions whose data is there")
        value = self._decoded(content, None, path, where)
        seen = Seen(identity, len(content), hashlib.sha256(content).hexdigest(), rows_of(value))
        stamp = _stamp(value, seen)
        if dry_run:
            record = stamp.record(
                asset=self.context.asset.qualified_key,
                destination=self.destination.address,
                partition=partition,
                uri=path,
            )
            record = replace(record, rows=seen.rows, bytes=seen.bytes, sha256=seen.sha256)
            return Adoption(record, is_new=True, note=self._note(value))
        record, is_new = committer.adopt(partition, seen, stamp)
        return Adoption(record, is_new, self._note(value) if is_new else "")

    def _settled(self, key: str | None, *, deep: bool) -> Holding:
        holding = self._looked(key, deep=deep)
        folder = self._folder
        doubtful = holding.unsettled or (not holding.is_untracked and any(data_findings(holding)))
        if not doubtful or not os.path.isdir(folder.locks):  # noqa: PTH112 -- as below
            return holding
        try:
            with posix.locked(folder.lock(key), timeout_s=_LOCK_WAIT_S, where=self._where(key)):
                return self._looked(key, deep=deep)
        except LockTimeoutError:
            return replace(holding, is_running=True)
        except OSError:  # a store that we may only read: what was seen is all there is to say
            return holding

    def _looked(self, key: str | None, *, deep: bool, count: bool = True) -> Holding:
        path, where = self._folder.data(key), self._where(key)
        committer = self._committer
        holding = Holding(key, is_there=False, uri=path)
        with posix.mapped(path, where=where):
            if (intent := committer.intent(key)) is not None:
                began = f"a commit with fence {intent.record.fence} began and did not end"
                holding = replace(holding, unsettled=began)
            try:
                holding = replace(holding, record=committer.record(key))
            except DataCorruptError as error:
                holding = replace(holding, record_problem=error.what)
            try:
                found = os.stat(path)
            except (FileNotFoundError, NotADirectoryError):
                return holding
            if not stat.S_ISREG(found.st_mode):
                return replace(holding, is_there=True, problem="is no file")
            holding = replace(holding, is_there=True, bytes=found.st_size)
        return self._content(holding, path, where, deep=deep) if count else holding

    def _content(self, holding: Holding, path: str, where: str, *, deep: bool) -> Holding:
        """Add what only the content says. A file that nothing vouches for is not decoded: it may be a pickle."""
        record = holding.record
        if record is not None and record.bytes not in (None, holding.bytes):
            return holding
        counts = type(self.destination).count is not FileLikeDestination.count
        rows = self.destination.count(path) if counts else None
        problem = f"is not a readable {self.destination.name} file" if counts and rows is None else ""
        if record is not None and record.types is not None and not self._has_sidecar(record.types):
            problem = f"cannot be read: its type sidecar {record.types}.json is gone"
        holding = replace(holding, rows=rows, problem=problem)
        if not deep or record is None:
            return holding
        with posix.mapped(path, where=where):
            sha256 = posix.sha256_of(path)
        holding = replace(holding, sha256=sha256)
        if counts or problem or sha256 != record.sha256:
            return holding
        try:
            content = posix.read_bytes(path) or b""
            return replace(holding, rows=rows_of(self._decoded(content, record, path, where)))
        except AssetsError as error:
            return replace(holding, problem=f"cannot be read: {error.what}")

    def _decoded(self, content: bytes, record: CommitRecord | None, path: str, where: str) -> Any:
        return self.destination.decode(Snapshot(content, record), self.context, path=path, where=where)

    def _has_sidecar(self, name: str) -> bool:
        return os.path.isfile(self._folder.sidecar(name))

    def _note(self, value: Any) -> str:
        columns = getattr(value, "column_names", None)
        lacking = [repr(name) for name in self.context.columns if columns is not None and name not in columns]
        return f"the file has no column {', '.join(lacking)}: the partition reads without it" if lacking else ""

    def _where(self, key: str | None) -> str:
        partition = "" if key is None else f", partition {key!r}"
        return f"{self.context.asset.label}{partition} in {self.destination.address}"


def _unplaced(folder: TableFolder, path: str, depth: int) -> Iterator[str]:
    """What is in a folder of the table without a place there, and in the folders of partitions below."""
    columns = folder.columns
    for entry in _entries(path, keep=f"{column_component(columns[depth])}=" if depth < len(columns) else None):
        if depth and depth == len(columns):
            yield f"{entry.path!r} is no file of ours: a partition's data is data.{folder.extension}"
        elif not entry.is_dir():
            yield f"{entry.path!r} is no file of ours"
        elif not columns or folder.part_of_folder(depth, entry.name) is None:
            wanted = f"{column_component(columns[depth])}=<key>" if columns else "no folder"
            yield f"{entry.path!r} is no partition: expected is {wanted}, keys percent-encoded"
        else:
            yield from _unplaced(folder, entry.path, depth + 1)


def _stamp(value: Any, seen: Seen) -> Stamp:
    """Who adopts, named by the content, so that adopting twice is the same attempt."""
    from airflow_provider.schema import Schema

    try:
        fingerprint = Schema.infer(value).fingerprint() if seen.rows is not None else ""
    except SchemaError:  # no columns, or rows of none
        fingerprint = ""
    changed = datetime.fromtimestamp(seen.identity[3] / 1e9, timezone.utc)
    return Stamp(
        fence=ADOPTED_FENCE,
        attempt=f"adopt:{seen.sha256[:16]}",
        run={"adopted": "true", "modified_at": utc_text(changed)},
        schema_fingerprint=fingerprint,
    )


def _sorted(keys: Iterable[str | None]) -> list[str | None]:
    return sorted(keys, key=lambda key: (key is not None, key or ""))


def _entries(path: str, keep: str | None) -> list["os.DirEntry[str]"]:
    """What is not ours: hidden and underscored names are, and ``data.*`` of whatever format; but what begins so is."""
    try:
        with os.scandir(path) as entries:
            found = [
                entry for entry in entries if not entry.name.startswith((".", "_", "data.")) or _begins(entry, keep)
            ]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found, key=lambda entry: entry.name)


def _begins(entry: "os.DirEntry[str]", prefix: str | None) -> bool:
    return prefix is not None and entry.name.startswith(prefix)
