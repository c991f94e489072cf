# Plain text paths and os calls: thousands per window, and tests stop the process between any two of them.
# ruff: noqa: PTH111, PTH113, PTH118, PTH120, PTH208
"""The deployment's index: what every asset holds, in one append-only file per asset and destination.

It is rebuildable from the commit records, so reading forgives: a line that a crash tore, or that is damaged, is skipped
with a warning. Folding takes the highest fence per partition, so repeats and disorder do no harm.
"""

import contextlib
import hashlib
import logging
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from airflow_provider.errors import DataCorruptError, PartitionError
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.record import Entry, parse_line
from airflow_provider.storage import names, posix
from airflow_provider.storage.conditional import local_root

log = logging.getLogger(__name__)

ENVIRONMENT = "AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI"


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
            path = self._path(asset, destination)
            with self._locked(path):
                posix.append_lines(path, _block(lines))

    def replace(self, asset: str, destination: str, entries: Iterable[Entry]) -> None:
        """Rebuild one file from ``entries``, whole: readers see the old file or the new one."""
        path = self._path(asset, destination)
        with self._locked(path):
            posix.write_atomic(path, _block([entry.to_json() for entry in entries]))

    def read(self, asset: str, destination: str | None = None) -> AssetIndex:
        """What ``asset`` holds in ``destination`` (None: in any; per key the highest fence of all of them).

        Raises:
            DestinationError: The file cannot be read. Damaged lines are skipped with a warning.
        """
        return AssetIndex.of(self.entries(asset, destination))

    def entries(self, asset: str, destination: str | None = None) -> list[Entry]:
        """Every record and note of ``asset``, unfolded, in the order they were written per destination."""
        paths = self._paths(asset) if destination is None else [self._path(asset, destination)]
        return [entry for path in paths for entry in _read(path) if entry.asset == asset]

    def destinations(self, asset: str) -> list[str]:
        """The addresses that hold records of ``asset``, sorted."""
        return sorted({entry.destination for entry in self.entries(asset)})

    def assets(self) -> list[str]:
        """The qualified keys of every asset with an entry, sorted."""
        found = []
        for name in _listing(self._folder):
            try:
                found.append(names.decode(name))
            except PartitionError:
                log.warning("%s is not a file of the index: ignored", os.path.join(self._folder, name))
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
    found = uri or os.environ.get(ENVIRONMENT) or _airflow_option()
    home = os.environ.get("AIRFLOW_HOME") or "~/airflow"
    return IndexStore(local_root(found or os.path.join(home, "airflow_provider_index"), where="index_uri"))


def _airflow_option() -> str | None:
    """Airflow's option, without importing Airflow for a process that has none configured."""
    home = os.path.expanduser(os.environ.get("AIRFLOW_HOME") or "~/airflow")
    if "airflow" not in sys.modules and not os.path.isfile(os.path.join(home, "airflow.cfg")):
        return None
    try:
        from airflow.configuration import conf
    except ImportError:
        return None
    value: str | None = conf.get("airflow_provider", "index_uri", fallback=None)
    return value or None


def _block(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _listing(folder: str) -> list[str]:
    with posix.mapped(folder, where="index"):
        try:
            return sorted(name for name in os.listdir(folder) if not name.startswith("."))
        except FileNotFoundError:
            return []


def _read(path: str) -> list[Entry]:
    with posix.mapped(path, where="index"):
        content = posix.read_bytes(path)
    lines = (content or b"").split(b"\n")[:-1]  # what follows the last line end is torn, or being written
    found: list[Entry] = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(parse_line(line, where=f"{path}, line {number}"))
        except DataCorruptError as error:
            log.warning("skipped a line of the index: %s", error)
    return found
