# Plain text paths and os calls: thousands per window, and tests stop the process between any two of them.
# ruff: noqa: PTH102, PTH105, PTH108, PTH112, PTH118, PTH120
"""Files that are whole or not there, on local and shared POSIX file systems.

Every write goes to a temporary name in the same folder, is synced, and takes its place by a rename that is synced too;
what fails leaves the old file and no litter. Only ``os`` calls change the disk, so that a test can stop the process
between any two of them. Errors of the system become ``DestinationError`` with the path and what to do.
"""

import contextlib
import errno
import hashlib
import io
import os
import time
from collections.abc import Iterator
from typing import Any

from airflow_provider.errors import DestinationError, LockTimeoutError

_FIXES = {
    errno.ENOSPC: "free space on the disk, then run again; what was stored before is intact",
    errno.EDQUOT: "raise the quota or free space, then run again; what was stored before is intact",
    errno.EACCES: "give the process that runs the asset permission to read and write this folder",
    errno.EPERM: "give the process that runs the asset permission to read and write this folder",
    errno.EROFS: "mount the file system writable, or choose another base_path",
    errno.ENOTDIR: "part of the path is a file: choose a base_path that is a folder, or move the file away",
    errno.EEXIST: "part of the path is a file: choose a base_path that is a folder, or move the file away",
    errno.EISDIR: "a folder stands where the file should be: move it away",
    errno.ENAMETOOLONG: "shorten the dataset, table or base_path",
}
_FIRST_WAIT_S = 0.001
_LONGEST_WAIT_S = 0.05


def destination_error(error: OSError, path: str, *, where: str) -> DestinationError:
    """Word an error of the operating system: what failed, at which path, and what to do."""
    name = errno.errorcode.get(error.errno or 0, type(error).__name__)
    return DestinationError(
        f"{error.strerror or error} ({name}) at {path!r}",
        where=where,
        fix=_FIXES.get(error.errno or 0, "check the disk or the mount, then run again"),
    )


@contextlib.contextmanager
def mapped(path: str, *, where: str) -> Iterator[None]:
    """Turn an ``OSError`` of the block into a ``DestinationError`` that names ``path``."""
    try:
        yield
    except OSError as error:
        raise destination_error(error, str(error.filename or path), where=where) from error


def sync_folder(path: str) -> None:
    """Make renames and new names in a folder survive a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(path: str) -> None:
    """Create a folder and its parents; each new name is synced. Several processes may do it at once."""
    try:
        os.mkdir(path)
    except FileExistsError:
        if not os.path.isdir(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from None
        return
    except FileNotFoundError:
        parent = os.path.dirname(path)
        if parent == path:
            raise
        make_folder(parent)
        try:
            os.mkdir(path)
        except FileExistsError:
            make_folder(path)  # another process was faster, or a file stands there
        except FileNotFoundError as error:
            if os.path.isdir(parent):  # the parent is there and still takes no folder, as in /proc
                raise OSError(errno.EPERM, "the parent folder takes no new folders", path) from error
            raise
    sync_folder(os.path.dirname(path))


def remove(path: str) -> bool:
    """Remove a file; False when it was not there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def read_bytes(path: str) -> bytes | None:
    """The whole file, read through one descriptor and thus from one version of it; None when it is not there."""
    try:
        with open(path, "rb", buffering=0, opener=os.open) as file:
            return file.read()
    except FileNotFoundError:
        return None


def sha256_of(path: str) -> str | None:
    """Hash of a file in blocks of 1 MiB; None when it is not there."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb", buffering=0, opener=os.open) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except FileNotFoundError:
        return None
    return digest.hexdigest()


class StagedFile(io.RawIOBase):
    """A new file under a temporary name that hashes what is written to it.

    ``finish()`` makes it durable; then the caller renames it. ``discard()`` removes it. Writing never returns short.
    """

    _handle = -1

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.size = 0
        self._digest = hashlib.sha256()
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)

    @property
    def sha256(self) -> str:
        """Hash of what was written so far."""
        return self._digest.hexdigest()

    def writable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """Bytes written so far."""
        return self.size

    def write(self, data: Any) -> int:
        """Append ``data`` whole."""
        view = memoryview(data).cast("B")
        self._digest.update(view)
        write_all(self._handle, view)
        self.size += len(view)
        return len(view)

    def finish(self) -> None:
        """Sync the content and close the file."""
        os.fsync(self._handle)
        self.close()

    def discard(self) -> None:
        """Close and remove the file; never raises."""
        with contextlib.suppress(OSError):
            self.close()
        with contextlib.suppress(OSError):
            remove(self.path)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        super().close()
        if self._handle >= 0:
            handle, self._handle = self._handle, -1
            os.close(handle)


def write_all(handle: int, data: bytes | memoryview) -> None:
    """Write all of ``data``, however often the system takes only part of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def write_new(path: str, data: bytes) -> None:
    """Write a file in place and sync it with its name. A crash may leave it torn: the reader must be able to tell.

    The caller holds a lock. On failure the file is removed.
    """
    staged = StagedFile(path)
    try:
        staged.write(data)
        staged.finish()
        sync_folder(os.path.dirname(path))
    except BaseException:
        staged.discard()
        raise


def write_atomic(path: str, data: bytes) -> None:
    """Replace a small file whole.

    The caller holds a lock: the temporary name is fixed, so that any number of crashes leaves one at most.
    """
    folder, name = os.path.split(path)
    staged = StagedFile(os.path.join(folder, f".{name}.tmp"))
    try:
        staged.write(data)
        staged.finish()
        os.replace(staged.path, path)
    except BaseException:
        staged.discard()
        raise
    sync_folder(folder)


@contextlib.contextmanager
def locked(path: str, *, timeout_s: float, where: str) -> Iterator[None]:
    """Hold an exclusive ``flock`` on a lock file, which is created and never removed.

    The kernel drops the lock when its holder dies, so nobody waits for the dead.

    Raises:
        LockTimeoutError: Another writer held it for longer than ``timeout_s`` seconds.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        _wait_for_lock(handle, path, timeout_s, where)
        try:
            yield
        finally:
            _unlock(handle)
    finally:
        os.close(handle)


def _wait_for_lock(handle: int, path: str, timeout_s: float, where: str) -> None:
    import fcntl

    deadline = time.monotonic() + timeout_s
    wait = _FIRST_WAIT_S
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise LockTimeoutError(
                    f"another writer held the lock {path!r} for more than {timeout_s:g} s",
                    where=where,
                    fix="wait for the other run of this partition, or stop it; the lock ends with its process",
                ) from None
        time.sleep(wait)
        wait = min(wait * 2, _LONGEST_WAIT_S)


def _unlock(handle: int) -> None:
    import fcntl

    # A forked child shares the lock: closing our copy alone would leave it held.
    fcntl.flock(handle, fcntl.LOCK_UN)


def append_lines(path: str, data: bytes) -> int:
    """Append whole lines and sync; returns the size of the file then. A torn last line of a crash is cut off first.

    The caller holds a lock. On failure the file is cut back to what it was.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        size = _end_of_lines(handle)
        os.lseek(handle, size, os.SEEK_SET)
        try:
            write_all(handle, data)
            os.fsync(handle)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)
    return size + len(data)


def _end_of_lines(handle: int) -> int:
    size = os.fstat(handle).st_size
    end = size
    while end > 0:
        start = max(0, end - 65536)
        os.lseek(handle, start, os.SEEK_SET)
        found = os.read(handle, end - start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end != size:
        os.ftruncate(handle, end)
    return end
