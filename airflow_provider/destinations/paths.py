# Plain text paths and os calls: thousands per window, and tests stop the process between any two of them.
# ruff: noqa: PTH118
"""Where things lie under a ``base_path``.

Layout: ``{base}/{dataset}/{table}/{column}={key}/data.{ext}``; of several dimensions each part has its folder,
``date=2026-01-01/region=eu``; without dataset ``{base}/{table}/...``; unpartitioned
``{base}/{dataset}/{table}/data.{ext}``; beside the data ``_ledger/`` (fence, locks, intents, records) and ``_meta/``.
Dataset, table and key are encoded by ``component``, which is injective and never climbs: see ``partitioning.names``.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from urllib.parse import quote

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning.keys import join_key, split_key
from airflow_provider.partitioning.names import MAX_COMPONENT, component, decode, refused

__all__ = ["MAX_COMPONENT", "TableFolder", "column_component", "component", "decode"]


@lru_cache(maxsize=256)
def column_component(column: str) -> str:
    """Encode the column of ``{column}={key}``. Case stays: at each depth a table has one partition column."""
    encoded = quote(column, safe=" ")
    if encoded.startswith("."):
        encoded = f"%2E{encoded[1:]}"
    if not encoded or len(encoded) > 255 - MAX_COMPONENT - 1:
        raise refused(column, "does not fit a path as partition column")
    return encoded


def partition_components(columns: tuple[str, ...], key: str) -> list[str]:
    """The folders of a partition, ``{column}={part}`` one in another.

    A key of fewer parts, left from an older partitioning, has fewer folders: there its data was.
    """
    parts = _parts(key, len(columns))
    return [f"{column_component(column)}={component(part)}" for column, part in zip(columns, parts, strict=False)]


def _parts(key: str, count: int) -> tuple[str, ...]:
    if count == 1:
        return (key,)
    try:
        parts = split_key(key)
    except PartitionError:  # of an older partitioning, too
        return (key,)
    return parts if len(parts) <= count else (*parts[: count - 1], join_key(parts[count - 1 :]))


@dataclass(frozen=True)
class TableFolder:
    """The places of one table in one format.

    Attributes:
        root: ``{base}/{dataset}/{table}``, absolute.
        columns: The partition columns, in the order of a key's parts; none for an unpartitioned table.
        extension: ``parquet``, ``csv``, ``pkl``: also keeps the ledger files of several formats in one folder apart.
    """

    root: str
    columns: tuple[str, ...]
    extension: str

    @classmethod
    def of(cls, base: str, *, dataset: str, table: str, columns: tuple[str, ...], extension: str) -> "TableFolder":
        """The folder of ``table``; ``dataset`` and ``columns`` may be empty.

        Raises:
            PartitionError: One of them fits no path.
        """
        for column in columns:
            column_component(column)
        parts = [component(dataset)] if dataset else []
        return cls(os.path.join(base, *parts, component(table)), columns, extension)

    def folder(self, key: str | None) -> str:
        """The folder that holds the data file of ``key``; None is the unpartitioned whole."""
        if key is None:
            return self.root
        return os.path.join(self.root, *partition_components(self.columns, key))

    def data(self, key: str | None) -> str:
        """The data file."""
        return os.path.join(self.folder(key), f"data.{self.extension}")

    def staged_prefix(self) -> str:
        """How the names of staged files begin; the fence and the attempt follow."""
        return f".data.{self.extension}."

    def record(self, key: str | None) -> str:
        """The commit record."""
        return os.path.join(self.records, self._name(key))

    def intent(self, key: str | None) -> str:
        """The intent: present only while a commit is under way, or after a crash."""
        return os.path.join(self.intents, self._name(key))

    def lock(self, key: str | None) -> str:
        """The lock file of one partition."""
        return os.path.join(self.locks, f"{self._stem(key)}.{self.extension}.lock")

    def key_of(self, name: str) -> str | None:
        """The key whose record or intent is called ``name``.

        Raises:
            PartitionError: It is not a record of this format.
        """
        suffix = f".{self.extension}.json"
        if not name.endswith(suffix):
            raise refused(name, f"is not a record of a {self.extension} file")
        stem = name[: -len(suffix)]
        return None if stem == "_whole" else decode(stem)

    def part_of_folder(self, depth: int, name: str) -> str | None:
        """The part of a key whose partitions lie in the folder called ``name``; None when it is not ours.

        Args:
            depth: How many folders of parts lie above it.
            name: The folder's own name.
        """
        prefix = f"{column_component(self.columns[depth])}=" if self.columns else ""
        if not prefix or not name.startswith(prefix):
            return None
        try:
            return decode(name[len(prefix) :])
        except PartitionError:
            return None

    def keys_on_disk(self) -> Iterator[str]:
        """The key of every partition's folder, sorted by the folders' names; one listing per folder above them."""
        for parts in self._parts_on_disk(self.root, 0):
            yield parts[0] if len(self.columns) == 1 else join_key(parts)

    def _parts_on_disk(self, path: str, depth: int) -> Iterator[tuple[str, ...]]:
        for name in _folders(path) if self.columns else ():
            part = self.part_of_folder(depth, name)
            if part is None:
                continue
            if depth + 1 == len(self.columns):
                yield (part,)
            else:
                yield from ((part, *rest) for rest in self._parts_on_disk(os.path.join(path, name), depth + 1))

    @cached_property
    def ledger(self) -> str:
        """The folder of fence, locks, intents and records."""
        return os.path.join(self.root, "_ledger")

    @cached_property
    def locks(self) -> str:
        """The folder of lock files."""
        return os.path.join(self.ledger, "locks")

    @cached_property
    def intents(self) -> str:
        """The folder of intents."""
        return os.path.join(self.ledger, "intents")

    @cached_property
    def records(self) -> str:
        """The folder of commit records."""
        return os.path.join(self.ledger, "records")

    @cached_property
    def fence(self) -> str:
        """The file with the highest fence given out."""
        return os.path.join(self.ledger, "fence")

    @cached_property
    def meta(self) -> str:
        """The folder of type sidecars."""
        return os.path.join(self.root, "_meta")

    def sidecar(self, sha256: str) -> str:
        """A type sidecar, named by the hash of its content."""
        return os.path.join(self.meta, f"{sha256}.json")

    def _stem(self, key: str | None) -> str:
        return "_whole" if key is None else component(key)

    def _name(self, key: str | None) -> str:
        return f"{self._stem(key)}.{self.extension}.json"


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []
