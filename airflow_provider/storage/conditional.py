# Plain text paths and os calls: thousands per window, and tests stop the process between any two of them.
# ruff: noqa: PTH100, PTH111, PTH118, PTH120
"""Compare-and-swap on small named values: the one primitive under fences, intents and cursors.

A tag names one write of a value, not its content: writing the same bytes again gives a new tag, so that a late writer
cannot mistake a newer value for the one it read.
"""

import contextlib
import os
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote, urlsplit

from airflow_provider.errors import ConfigError, DataCorruptError
from airflow_provider.storage import posix

_NAME = re.compile(r"(?:[a-z0-9%=@+-][A-Za-z0-9%=@+._-]{0,219}/)*[a-z0-9%=@+-][A-Za-z0-9%=@+._-]{0,219}")
_TAG_BYTES = 32
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


class ConditionalStore(Protocol):
    """Named values with compare-and-swap. Names are ``/``-separated; values are small (kilobytes)."""

    def get(self, name: str) -> tuple[bytes, str] | None:
        """The value and its tag, or None."""

    def create(self, name: str, data: bytes) -> str | None:
        """Store a new value; its tag, or None when the name is taken (nothing was changed)."""

    def replace_if(self, name: str, data: bytes, tag: str) -> str | None:
        """Replace the value if ``tag`` is still its tag; the new tag, or None (nothing was changed)."""

    def list(self, prefix: str) -> "list[str]":
        """The names under the folder ``prefix``, sorted."""

    def delete(self, name: str) -> bool:
        """Remove a value; False when it was not there."""


@dataclass(frozen=True)
class PosixConditionalStore:
    """A ``ConditionalStore`` on a local or shared file system: one file per value, ``flock`` around each change.

    Args:
        root: The folder; made on the first write.
        lock_timeout_s: How long a change waits for another one of the same folder, in seconds.
    """

    root: str
    lock_timeout_s: float = 60.0

    def get(self, name: str) -> tuple[bytes, str] | None:
        """The value and its tag, or None."""
        path = self._path(name)
        with posix.mapped(path, where=f"store {self.root}"):
            content = posix.read_bytes(path)
        if content is None:
            return None
        if len(content) <= _TAG_BYTES or content[_TAG_BYTES : _TAG_BYTES + 1] != b"\n":
            raise DataCorruptError("is damaged: it has no tag", where=path, fix="remove the file, then run again")
        return content[_TAG_BYTES + 1 :], content[:_TAG_BYTES].decode("ascii", "replace")

    def create(self, name: str, data: bytes) -> str | None:
        """Store a new value; its tag, or None when the name is taken."""
        with self._changing(name) as path:
            return self._write(path, data) if posix.read_bytes(path) is None else None

    def replace_if(self, name: str, data: bytes, tag: str) -> str | None:
        """Replace the value if ``tag`` is still its tag; the new tag, or None."""
        with self._changing(name) as path:
            current = self.get(name)
            return self._write(path, data) if current is not None and current[1] == tag else None

    def list(self, prefix: str) -> "list[str]":
        """The names under the folder ``prefix`` (empty: all), sorted."""
        top = self._path(prefix) if prefix else self.root
        names = []
        for folder, _, files in os.walk(top):
            relative = os.path.relpath(folder, self.root)
            names += [file if relative == "." else f"{relative}/{file}" for file in files if not file.startswith(".")]
        return sorted(names)

    def delete(self, name: str) -> bool:
        """Remove a value; False when it was not there."""
        with self._changing(name) as path:
            return posix.remove(path)

    def _write(self, path: str, data: bytes) -> str:
        tag = uuid.uuid4().hex
        posix.write_atomic(path, tag.encode() + b"\n" + data)
        return tag

    @contextlib.contextmanager
    def _changing(self, name: str) -> Iterator[str]:
        path, where = self._path(name), f"store {self.root}"
        with posix.mapped(path, where=where):
            posix.make_folder(os.path.dirname(path))
            lock = os.path.join(os.path.dirname(path), ".lock")
            with posix.locked(lock, timeout_s=self.lock_timeout_s, where=where):
                yield path

    def _path(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"{name[:60]!r} is not a name", where=f"store {self.root}", fix="encode it with paths.component"
            )
        return os.path.join(self.root, *name.split("/"))


def local_root(uri: str, *, where: str) -> str:
    """The absolute path that a path or ``file://`` URI names.

    Raises:
        ConfigError: Another scheme.
    """
    scheme = _SCHEME.match(uri)
    if scheme and scheme.group(1).lower() != "file":
        raise ConfigError(
            f"{scheme.group()}... is not supported by this version",
            where=where,
            fix="use a folder on a local or shared file system",
        )
    if not uri.strip():
        raise ConfigError("is empty", where=where, fix="name a folder")
    return os.path.abspath(os.path.expanduser(unquote(urlsplit(uri).path) if scheme else uri))


def open_store(uri: str) -> ConditionalStore:
    """The store at a path or ``file://`` URI; nothing is touched until it is used.

    Raises:
        ConfigError: Another scheme.
    """
    return PosixConditionalStore(local_root(uri, where="store"))
