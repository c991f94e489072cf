# Plain text paths and os calls: thousands per window, and tests stop the process between any two of them.
# ruff: noqa: PTH118, PTH120, PTH208
"""The deployment's index: what every asset holds, in one append-only file per asset and destination.

It is rebuildable from the commit records, so reading forgives: a line that a crash tore, or that is damaged, is skipped
with a warning. Folding takes the highest fence per partition, so repeats and disorder do no harm.

Compaction leaves the lines that count. Every change of a file is made under its lock, by whoever opens the file then,
so nobody can write into one that was replaced; a new file takes its place by one rename, so a reader, who takes no
lock, has the old one or the new one whole, and a crash leaves one of them.
"""

import contextlib
import hashlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from airflow_provider.errors import PartitionError
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.record import Entry
from airflow_provider.ledger.standing import Standing, standing, whole_lines
from airflow_provider.partitioning import names
from airflow_provider.storage import posix
from airflow_provider.storage.conditional import local_root
from airflow_provider.storage.options import environment_name, option

log = logging.getLogger(__name__)

ENVIRONMENT = environment_name("index_uri")
COMPACT_FROM_BYTES = 1 << 18
"""Size from which a file is compacted by itself."""
COMPACT_AT = 4
"""How many times the size of what counts a file must have to be compacted by itself."""


@dataclass(frozen=True)
class Compaction:
    """What a compaction did to one file.

    Attributes:
        destination: The destination's address; empty where nothing counts.
        lines: Lines before and after.
        bytes: Size before and after.
        damaged: How many damaged lines were dropped.
    """

    destination: str
    lines: tuple[int, int]
    bytes: tuple[int, int]
    damaged: int = 0


@dataclass(frozen=True)
class IndexStore:
    """The index under a folder.

    Args:
        root: The folder; made on the first write. Other state of the deployment may lie beside it.
        lock_timeout_s: How long an append waits for another one to the same file, in seconds.
    """

    root: str
    lock_timeout_s: float = 60.0

    def append(self, entries: Iterable[Entry]) -> None:
        """Add commit records and attempt notes, durable when this returns; one sync per asset and destination.

        Raises:
            DestinationError: The disk refused; the index is as it was.
        """
        batches: dict[tuple[str, str], list[str]] = {}
        for entry in entries:
            batches.setdefault((entry.asset, entry.destination), []).append(entry.to_json())
        for (asset, destination), lines in batches.items():
            path, block = self._path(asset, destination), _block(lines)
            with self._locked(path):
                size = posix.append_lines(path, block)
                _compact_if_worth_it(path, size - len(block), size)

    def replace(self, asset: str, destination: str, change: Callable[[list[Entry]], Iterable[Entry]]) -> None:
        """Make one file anew from what ``change`` returns for the entries that count, and keep all appenders out.

        Readers see the old file or the new one. ``change`` must be quick: appenders wait for it.
        """
        path = self._path(asset, destination)
        with self._locked(path):
            known = [entry for entry in _read(path).entries if entry.asset == asset]
            block = _block([entry.to_json() for entry in change(known)])
            if block:
                posix.write_atomic(path, block)
            else:
                posix.remove(path)

    def compact(self, asset: str) -> list[Compaction]:
        """Leave only the lines that count, in every file of ``asset``; what a reader makes of it stays the same.

        Raises:
            DestinationError: The disk refused; the file is as it was.
        """
        found = []
        for path in self._paths(asset):
            with self._locked(path):
                content = posix.read_bytes(path)
                if content is not None:
                    found.append(_compacted(path, content))
        return [one for one in found if one is not None]

    def forget(self, asset: str, destination: str | None = None) -> list[str]:
        """Remove what is known of ``asset`` (in ``destination``; None: everywhere); the files that were removed."""
        paths = self._paths(asset) if destination is None else [self._path(asset, destination)]
        removed = []
        for path in paths:
            with self._locked(path):
                if posix.remove(path):
                    removed.append(path)
        return removed

    def read(self, asset: str, destination: str | None = None) -> AssetIndex:
        """What ``asset`` holds in ``destination`` (None: in any; per key the highest fence of all of them).

        Raises:
            DestinationError: The file cannot be read. Damaged lines are skipped with a warning.
        """
        return AssetIndex.of(self.entries(asset, destination))

    def entries(self, asset: str, destination: str | None = None) -> list[Entry]:
        """The records and notes of ``asset`` that count: of each destination and partition the newest."""
        paths = self._paths(asset) if destination is None else [self._path(asset, destination)]
        return [entry for path in paths for entry in _read(path).entries if entry.asset == asset]

    def destinations(self, asset: str) -> list[str]:
        """The addresses that hold records of ``asset``, sorted."""
        return sorted({entry.destination for entry in self.entries(asset)})

    def assets(self) -> list[str]:
        """The qualified keys of every asset with an entry, sorted."""
        found = []
        for name in _listing(self._folder):
            try:
                asset = names.decode(name)
            except PartitionError:
                log.warning("%s is not a file of the index: ignored", os.path.join(self._folder, name))
                continue
            if self._paths(asset):
                found.append(asset)
        return sorted(found)

    @property
    def _folder(self) -> str:
        return os.path.join(self.root, "index")

    def _paths(self, asset: str) -> list[str]:
        folder = os.path.join(self._folder, names.component(asset))
        return [os.path.join(folder, name) for name in _listing(folder) if name.endswith(".jsonl")]

    def _path(self, asset: str, destination: str) -> str:
        digest = hashlib.sha256(destination.encode()).hexdigest()[:24]
        return os.path.join(self._folder, names.component(asset), f"{digest}.jsonl")

    @contextlib.contextmanager
    def _locked(self, path: str) -> Iterator[None]:
        with posix.mapped(path, where="index"):
            posix.make_folder(os.path.dirname(path))
            with posix.locked(f"{path}.lock", timeout_s=self.lock_timeout_s, where="index"):
                yield


def open_index(uri: str | None = None) -> IndexStore:
    """The deployment's index.

    ``uri`` wins; then the environment variable ``AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI``; then Airflow's own option
    ``[airflow_provider] index_uri``, where there is an Airflow to ask; else a folder under ``AIRFLOW_HOME``, which is
    right for one host.

    Raises:
        ConfigError: A scheme that this version does not support.
    """
    found = uri or option("index_uri")
    home = os.environ.get("AIRFLOW_HOME") or "~/airflow"
    return IndexStore(local_root(found or os.path.join(home, "airflow_provider_index"), where="index_uri"))


def _block(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _listing(folder: str) -> list[str]:
    with posix.mapped(folder, where="index"):
        try:
            return sorted(name for name in os.listdir(folder) if not name.startswith("."))
        except FileNotFoundError:
            return []


def _read(path: str) -> Standing:
    with posix.mapped(path, where="index"):
        content = posix.read_bytes(path)
    found = standing(whole_lines(content or b""))
    for number, what in found.damaged:
        log.warning("skipped a line of the index: %s, line %s: %s", path, number, what)
    return found


def _compact_if_worth_it(path: str, before: int, after: int) -> None:
    """Compact a file that has doubled since it was last looked at, if little of it counts; the caller holds its lock.

    A look costs as much as reading the file, so it is taken only when the size passes a power of two: spread over the
    appends in between that is a small constant for each, and no file grows beyond twice ``COMPACT_AT`` times of what
    counts in it. The append is done: a compaction that fails is put off until the next look.
    """
    if after < COMPACT_FROM_BYTES or before.bit_length() == after.bit_length():
        return
    try:
        content = posix.read_bytes(path) or b""
        done = _compacted(path, content, at_most=len(content) // COMPACT_AT)
    except OSError as error:
        log.warning("the index file %s could not be compacted, and goes on as it is: %s", path, error)
        return
    if done is not None:
        log.info("compacted the index file %s: %s to %s lines", path, *done.lines)


def _compacted(path: str, content: bytes, *, at_most: int | None = None) -> Compaction | None:
    """Replace a file by its lines that count, unless they take more than ``at_most`` bytes; the lock is held."""
    lines = whole_lines(content)
    found = standing(lines)
    kept = b"".join(line + b"\n" for line in found.lines)
    if at_most is not None and len(kept) > at_most:
        return None
    if found.damaged:
        log.warning("dropped %s damaged lines of the index file %s", len(found.damaged), path)
    if len(kept) < len(content):
        posix.write_atomic(path, kept)
    destination = next((str(values["destination"]) for _, values in found.found if "destination" in values), "")
    return Compaction(destination, (len(lines), len(found.found)), (len(content), len(kept)), len(found.damaged))
