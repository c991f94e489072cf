# Plain text paths and os calls: thousands per window, and tests stop the process between any two of them.
# ruff: noqa: PTH118
"""Where things lie under a ``base_path``.

Layout: ``{base}/{dataset}/{table}/{column}={key}/data.{ext}``; without dataset ``{base}/{table}/...``; unpartitioned
``{base}/{dataset}/{table}/data.{ext}``; beside the data ``_ledger/`` (fence, locks, intents, records) and ``_meta/``.
Dataset, table and key are encoded by ``component``, which is injective and never climbs: see ``storage.names``.
"""

import os
from dataclasses import dataclass
from functools import cached_property, lru_cache
from urllib.parse import quote

from airflow_provider.errors import PartitionError
from airflow_provider.storage.names import MAX_COMPONENT, component, decode, refused

__all__ = ["MAX_COMPONENT", "TableFolder", "column_component", "component", "decode"]


@lru_cache(maxsize=256)
def column_component(column: str) -> str:
    """Encode the column of ``{column}={key}``. Case stays: a table has one partition column."""
    encoded = quote(column, safe=" ")
    if encoded.startswith("."):
        encoded = f"%2E{encoded[1:]}"
    if not encoded or len(encoded) > 255 - MAX_COMPONENT - 1:
        raise refused(column, "does not fit a path as partition column")
    return encoded


@dataclass(frozen=True)
class TableFolder:
    """The places of one table in one format.

    Attributes:
        root: ``{base}/{dataset}/{table}``, absolute.
        column: The partition column; empty for an unpartitioned table.
        extension: ``parquet``, ``csv``, ``pkl``: also keeps the ledger files of several formats in one folder apart.
    """

    root: str
    column: str
    extension: str

    @classmethod
    def of(cls, base: str, *, dataset: str, table: str, column: str, extension: str) -> "TableFolder":
        """The folder of ``table``; ``dataset`` and ``column`` may be empty.

        Raises:
            PartitionError: One of them fits no path.
        """
        if column:
            column_component(column)
        parts = [component(dataset)] if dataset else []
        return cls(os.path.join(base, *parts, component(table)), column, extension)

    def folder(self, key: str | None) -> str:
        """The folder that holds the data file of ``key``; None is the unpartitioned whole."""
        if key is None:
            return self.root
        return os.path.join(self.root, f"{column_component(self.column)}={component(key)}")

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

    def key_of_folder(self, name: str) -> str | None:
        """The key whose data lies in the folder called ``name``; None when it is not a partition's folder."""
        prefix = f"{column_component(self.column)}=" if self.column else ""
        if not prefix or not name.startswith(prefix):
            return None
        try:
            return decode(name[len(prefix) :])
        except PartitionError:
            return None

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
