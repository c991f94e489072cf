# Plain text paths and os calls: thousands per window, and tests stop the process between any two of them.
# ruff: noqa: PTH105, PTH112, PTH113, PTH116, PTH118
"""The commit protocol of local and shared POSIX file systems, and the consistent read that goes with it.

A commit stages the file, then, under the partition's lock: settles what a crash left, compares fences, writes an
intent, renames the data, and renames the intent onto the commit record. The intent is the next record with the hash of
the file it replaces, so the last rename both records the commit and ends the intent. Killed between any two steps, the
partition is old or new, and whoever holds the lock next can tell which.
"""

import contextlib
import hashlib
import io
import json
import logging
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from airflow_provider.definitions.destination import Guarantee, Stamp
from airflow_provider.destinations.paths import TableFolder
from airflow_provider.errors import DataCorruptError, DestinationError, PartitionError, SupersededError
from airflow_provider.ledger.record import CommitRecord, sealed
from airflow_provider.partitioning import Partition
from airflow_provider.storage import posix

log = logging.getLogger(__name__)

STALE_AFTER_S = 7 * 86400.0
"""Age at which a staged file of a writer that never came back is removed, in seconds."""

_BUFFER_BYTES = 1 << 20
_FENCE_JUMP = 1_000_000
_FENCE = re.compile(rb"[0-9]+\n")  # with its line end: a file cut short would be a lower number


@dataclass(frozen=True)
class Encoded:
    """What an encoder knows once it has written: rows (None if not tabular) and the content of a type sidecar."""

    rows: int | None = None
    types: bytes | None = None


class Encoder(Protocol):
    """Writes one value as one file."""

    @property
    def extension(self) -> str:
        """Without the dot."""

    def encode(self, data: Any, sink: BinaryIO, *, where: str) -> Encoded:
        """Write ``data`` to ``sink``. May raise anything: nothing was replaced yet."""


@dataclass(frozen=True)
class Intent:
    """A commit under way: the record it will leave, and the hash of the file it replaces (None: no file)."""

    record: CommitRecord
    prev: str | None

    def to_json(self) -> bytes:
        """The record with ``prev`` added, sealed: as a record file it reads as the record."""
        values = json.loads(self.record.to_json())
        line = json.dumps({**values, "prev": self.prev}, sort_keys=True, separators=(",", ":"))
        return sealed(line).encode() + b"\n"

    @classmethod
    def from_json(cls, text: bytes, *, where: str) -> "Intent":
        """Read an intent back.

        Raises:
            DataCorruptError: It is torn: its commit had not touched the data yet.
        """
        record = CommitRecord.from_json(text, where=where)
        return cls(record, json.loads(text).get("prev"))


@dataclass(frozen=True)
class Seen:
    """A data file as it was read.

    Attributes:
        identity: Tells this very file from one that takes its place or is written to.
        bytes: Its size.
        sha256: Hash of its content.
        rows: Its rows; None for data that is no table.
    """

    identity: tuple[int, ...]
    bytes: int
    sha256: str
    rows: int | None

    @staticmethod
    def identity_of(path: str) -> tuple[int, ...]:
        """Device, inode, size and time of the last change of the file at ``path``; raises ``OSError``."""
        found = os.stat(path)
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


class PosixCommitter:
    """Commits and reads partitions of one asset under one folder.

    Args:
        folder: The table's places.
        encoder: Writes the data file.
        asset: The asset's qualified key.
        address: The destination's address.
        lock_timeout_s: How long to wait for another writer of the same partition, in seconds.
    """

    guarantee: Guarantee = "atomic"

    def __init__(
        self, folder: TableFolder, encoder: Encoder, *, asset: str, address: str, lock_timeout_s: float = 60.0
    ) -> None:
        self._folder = folder
        self._encoder = encoder
        self._asset = asset
        self._address = address
        self._lock_timeout_s = lock_timeout_s
        self._known_types: set[str] = set()
        self._has_folders = False

    def take_fence(self) -> int:
        """A number above every fence taken before; durable when this returns."""
        path = self._folder.fence
        with self._writing(path), self._lock(os.path.join(self._folder.locks, "_fence.lock")):
            text = posix.read_bytes(path)
            fence = (int(text) if text is not None and _FENCE.fullmatch(text) else self._lost_fence()) + 1
            posix.write_atomic(path, f"{fence}\n".encode())
            return fence

    def records(self, keys: Sequence[str | None]) -> dict[str | None, CommitRecord]:
        """The commit records of those ``keys`` that have one; one file is read per key.

        A damaged record counts as none: what asks may be the run whose commit mends it.
        """
        found = {key: self._readable_record(key) for key in keys}
        return {key: record for key, record in found.items() if record is not None}

    def all_records(self) -> list[CommitRecord]:
        """Every commit record, sorted by file name; one listing for all of them."""
        return list(self.each_record())

    def each_record(self) -> Iterator[CommitRecord]:
        """``all_records``, one after the other, for who wants to show how far it is."""
        for key in self._keys_in(self._folder.records):
            record = self.record(key)
            if record is not None:
                yield record

    def record(self, key: str | None) -> CommitRecord | None:
        """The commit record of ``key``, or None.

        Raises:
            DataCorruptError: The record file is damaged; it is named.
        """
        path = self._folder.record(key)
        with posix.mapped(path, where=self._where(key)):
            text = posix.read_bytes(path)
        return None if text is None else CommitRecord.from_json(text, where=path)

    def place(self, partition: Partition | None) -> str:
        """The data file of ``partition``, there or not; a key that fits no path raises ``PartitionError``."""
        return self._folder.data(None if partition is None else partition.key)

    def keys(self) -> set[str | None]:
        """Every key with a record, an unfinished commit, or data; the whole too, if it has one of them."""
        whole = {None} if os.path.isfile(self._folder.data(None)) else set()
        folders = {key for key in self._keys_on_disk() if key is not None and os.path.isfile(self._folder.data(key))}
        return {*self.recorded(), *self._keys_in(self._folder.intents), *folders, *whole}

    def recorded(self) -> set[str | None]:
        """The keys that have a commit record; one listing, no record is read."""
        return set(self._keys_in(self._folder.records))

    def untracked(self, known: Collection[str]) -> list[str]:
        """Keys with data but no record (``known`` are those with one), sorted; one listing of the table's folder."""
        keys = self._folder.keys_on_disk()
        return [key for key in keys if key not in known and os.path.isfile(self._folder.data(key))]

    def commit(self, partition: Partition | None, data: Any, stamp: Stamp) -> CommitRecord:
        """Replace exactly this partition by ``data``.

        Raises:
            SupersededError: A commit with a fence at or above ours is there; nothing was changed.
            LockTimeoutError: Another writer of the partition did not finish.
            DestinationError: The disk refused; what was committed before is intact.
        """
        key = None if partition is None else partition.key
        path = self._folder.data(key)
        with self._writing(path, key):
            posix.make_folder(self._folder.folder(key))
            staged, encoded = self._stage(key, data, stamp)
            try:
                record = replace(
                    self._record(partition, stamp),
                    rows=encoded.rows,
                    bytes=staged.size,
                    sha256=staged.sha256,
                    types=self._store_types(encoded.types),
                )
                return self._swap(record, staged.path)
            except BaseException:
                staged.discard()
                raise

    def commit_empty(self, partition: Partition | None, stamp: Stamp) -> CommitRecord:
        """Record the partition as held and empty, and remove its data; raises as ``commit`` does."""
        key = None if partition is None else partition.key
        with self._writing(self._folder.data(key), key):
            return self._swap(replace(self._record(partition, stamp), state="empty", rows=0), None)

    def adopt(self, partition: Partition | None, seen: Seen, stamp: Stamp) -> tuple[CommitRecord, bool]:
        """Record data that was there before, as it was ``seen``, under the stamp's fence; the data is not touched.

        Returns:
            The record, and whether it is new: a partition that has one keeps it.

        Raises:
            DestinationError: The file is not the one that was seen any more; nothing was recorded.
        """
        key = None if partition is None else partition.key
        path = self._folder.data(key)
        with self._writing(path, key), self._lock(self._folder.lock(key), key):
            for line in self._settle(key):
                log.warning("%s", line)
            current = self._readable_record(key)
            if current is not None:
                return current, False
            if Seen.identity_of(path) != seen.identity:
                raise DestinationError(
                    f"{path!r} was changed while it was read",
                    where=self._where(key),
                    fix="adopt it again when nothing else writes there",
                )
            record = replace(self._record(partition, stamp), rows=seen.rows, bytes=seen.bytes, sha256=seen.sha256)
            # As a commit that replaces the file by itself: cut short, it is finished like any other.
            posix.write_new(self._folder.intent(key), Intent(record, seen.sha256).to_json())
            os.replace(self._folder.intent(key), self._folder.record(key))
        return record, True

    def repair(self) -> list[str]:
        """Settle every intent that a crash left, withdraw records whose data is gone, sweep staged files.

        Returns:
            One line for each thing mended, and for each partition that is damaged.
        """
        return [line for lines in self.repairing() for line in lines]

    def repairing(self) -> Iterator[list[str]]:
        """``repair``, step by step: the lines of each partition that was looked at, mostly none."""
        if not os.path.isdir(self._folder.ledger):
            return
        with self._writing(self._folder.ledger):
            for key in self._keys_in(self._folder.intents):
                with self._lock(self._folder.lock(key), key):
                    settled = self._settle(key)
                yield settled
            for key in self._keys_in(self._folder.records):
                with self._lock(self._folder.lock(key), key):
                    checked = self._check_record(key)
                yield checked
            for key in self._keys_on_disk():
                with self._lock(self._folder.lock(key), key):
                    swept = self._sweep(key, self._committed_fence(key))
                yield swept
            for folder, lock in ((self._folder.meta, "_meta"), (self._folder.ledger, "_fence")):
                with self._lock(os.path.join(self._folder.locks, f"{lock}.lock")):
                    swept = self._sweep_temporary(folder)
                yield swept

    def _stage(self, key: str | None, data: Any, stamp: Stamp) -> tuple[posix.StagedFile, Encoded]:
        attempt = hashlib.sha256(stamp.attempt.encode()).hexdigest()[:12]
        name = f"{self._folder.staged_prefix()}{stamp.fence}.{attempt}"
        staged = posix.StagedFile(os.path.join(self._folder.folder(key), name))
        try:
            buffered = io.BufferedWriter(staged, _BUFFER_BYTES)  # encoders write many small pieces
            encoded = self._encoder.encode(data, buffered, where=self._where(key))
            buffered.detach()
            staged.finish()
        except BaseException:
            staged.discard()
            raise
        return staged, encoded

    def _swap(self, record: CommitRecord, staged: str | None) -> CommitRecord:
        """Compare fences and exchange data and record, as one step under the partition's lock."""
        key, folder = record.key, self._folder
        with self._lock(folder.lock(key), key):
            for line in self._settle(key):
                log.warning("%s", line)
            current = self._readable_record(key)
            if current is not None and current.fence >= record.fence:
                raise self._superseded(key, current, record)
            prev = current.sha256 if current is not None else posix.sha256_of(folder.data(key))
            posix.write_new(folder.intent(key), Intent(record, prev).to_json())
            self._exchange(key, staged)
            # Not synced: if a power cut takes this rename back, the intent is there again and is rolled forward.
            os.replace(folder.intent(key), folder.record(key))
            self._sweep(key, record.fence)
        return record

    def _exchange(self, key: str | None, staged: str | None) -> None:
        """Put the staged file in its place; None removes the data."""
        path = self._folder.data(key)
        try:
            if staged is not None:
                os.replace(staged, path)
            elif not posix.remove(path):
                return
            posix.sync_folder(self._folder.folder(key))
        except OSError:
            # Whether the rename took place is for the hashes to say; if they cannot be read now, the next commit asks.
            with contextlib.suppress(OSError):
                self._settle(key)
            raise

    def _settle(self, key: str | None) -> list[str]:
        """Finish or discard a commit that was cut short; the caller holds the partition's lock."""
        path = self._folder.intent(key)
        text = posix.read_bytes(path)
        if text is None:
            return []
        try:
            intent = Intent.from_json(text, where=path)
        except DataCorruptError:
            posix.remove(path)
            return [f"{self._where(key)}: discarded a torn intent; the data was not touched"]
        actual = posix.sha256_of(self._folder.data(key))
        if actual == intent.record.sha256:
            os.replace(path, self._folder.record(key))
            return [f"{self._where(key)}: finished the commit with fence {intent.record.fence}"]
        posix.remove(path)
        if actual == intent.prev:
            return [f"{self._where(key)}: discarded the unfinished commit with fence {intent.record.fence}"]
        return [f"{self._where(key)}: damaged: {self._folder.data(key)!r} is neither the old nor the new version"]

    def _check_record(self, key: str | None) -> list[str]:
        path = self._folder.data(key)
        try:
            record = self.record(key)
        except DataCorruptError as error:
            posix.remove(self._folder.record(key))
            return [f"{self._where(key)}: removed a record that {error.what}; its data is untracked now"]
        if record is None or record.state == "empty":
            return []
        try:
            size = os.stat(path).st_size
        except FileNotFoundError:
            posix.remove(self._folder.record(key))
            return [f"{self._where(key)}: withdrew the record of {path!r}, which is gone"]
        if size != record.bytes:
            return [f"{self._where(key)}: damaged: {path!r} has {size} bytes, its record says {record.bytes}"]
        return []

    def _sweep(self, key: str | None, fence: int) -> list[str]:
        """Remove staged files of writers that can no longer win, and those of long ago."""
        prefix = self._folder.staged_prefix()
        swept = []
        for entry in _entries(self._folder.folder(key)):
            number = entry.name[len(prefix) :].partition(".")[0]
            if not entry.name.startswith(prefix) or not number.isdigit():
                continue
            if int(number) < fence or _is_stale(entry):
                with contextlib.suppress(OSError):  # the commit stands, with or without the litter
                    posix.remove(entry.path)
                swept.append(f"{self._where(key)}: removed the staged file {entry.name}")
        return swept

    def _sweep_temporary(self, folder: str) -> list[str]:
        """Remove what ``write_atomic`` left when it was killed; the caller holds the lock it is called under."""
        left = [entry for entry in _entries(folder) if entry.name.startswith(".") and entry.name.endswith(".tmp")]
        for entry in left:
            posix.remove(entry.path)
        return [f"{self._where(None)}: removed the temporary file {entry.name}" for entry in left]

    def _store_types(self, types: bytes | None) -> str | None:
        """Store a type sidecar under the hash of its content, before the data that needs it."""
        if types is None:
            return None
        name = hashlib.sha256(types).hexdigest()
        if name not in self._known_types:
            path = self._folder.sidecar(name)
            posix.make_folder(self._folder.meta)
            if posix.read_bytes(path) != types:
                with self._lock(os.path.join(self._folder.locks, "_meta.lock")):
                    posix.write_atomic(path, types)
            self._known_types.add(name)
        return name

    def intent(self, key: str | None) -> Intent | None:
        """The commit under way for ``key``; None when there is none, or it is not yet written whole."""
        path = self._folder.intent(key)
        text = posix.read_bytes(path)
        with contextlib.suppress(DataCorruptError):
            return None if text is None else Intent.from_json(text, where=path)
        return None

    def _record(self, partition: Partition | None, stamp: Stamp) -> CommitRecord:
        uri = Path(self.place(partition)).as_uri()
        return stamp.record(asset=self._asset, destination=self._address, partition=partition, uri=uri)

    def _readable_record(self, key: str | None) -> CommitRecord | None:
        """The record, or None when it is damaged: the commit that is about to follow mends it."""
        try:
            return self.record(key)
        except DataCorruptError as error:
            log.warning("%s", error)
            return None

    def _committed_fence(self, key: str | None) -> int:
        record = self._readable_record(key)
        return 0 if record is None else record.fence

    def _lost_fence(self) -> int:
        """Start above every fence on record. The jump clears those that were given out and not committed."""
        fences = [record.fence for key in self._keys_in(self._folder.records) if (record := self._readable_record(key))]
        return max(fences) + _FENCE_JUMP if any(fences) else 0  # adopted data alone has fence 0, and gave none out

    def _keys_in(self, path: str) -> Iterator[str | None]:
        for entry in _entries(path):
            with contextlib.suppress(PartitionError):
                yield self._folder.key_of(entry.name)

    def _keys_on_disk(self) -> Iterator[str | None]:
        yield None
        yield from self._folder.keys_on_disk()

    @contextlib.contextmanager
    def _writing(self, path: str, key: str | None = None) -> Iterator[None]:
        """Have the ledger's folders, and word errors of the disk."""
        with posix.mapped(path, where=self._where(key)):
            if not self._has_folders:
                for folder in (self._folder.locks, self._folder.intents, self._folder.records):
                    posix.make_folder(folder)
                self._has_folders = True
            yield

    def _lock(self, path: str, key: str | None = None) -> contextlib.AbstractContextManager[None]:
        return posix.locked(path, timeout_s=self._lock_timeout_s, where=self._where(key))

    def _superseded(self, key: str | None, current: CommitRecord, mine: CommitRecord) -> SupersededError:
        return SupersededError(
            f"a newer attempt has committed (fence {current.fence}, at {current.committed_at}); this one has fence"
            f" {mine.fence} and changed nothing",
            where=self._where(key),
            fix="nothing needs mending; run the partition again if its newer data is not what you want",
        )

    def _where(self, key: str | None) -> str:
        return f"asset {self._asset!r}{'' if key is None else f', partition {key!r}'} in {self._address}"


def _entries(path: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(path) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []


def _is_stale(entry: "os.DirEntry[str]") -> bool:
    try:
        now = datetime.now(timezone.utc).timestamp()
        return now - entry.stat().st_mtime > STALE_AFTER_S
    except FileNotFoundError:
        return False
