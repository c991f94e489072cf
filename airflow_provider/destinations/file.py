# Plain text paths and os calls, as in the other stores of files.
# ruff: noqa: PTH116, PTH120
"""Pickle files, one per partition: whatever the asset returned, tabular or not.

Unpickling runs code, so a file is only read where its folder can be trusted: its hash stands in a commit record that a
run of ours wrote, and nobody but the owner and the group of the folder could have written either. Whoever else can is
for you to vouch for, by ``trusted=True``. Use Parquet for tables, which needs no trust.
"""

import os
import pickle
import stat
from typing import Any, BinaryIO, ClassVar

from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.commit import Encoded
from airflow_provider.destinations.file_like import FileLikeDestination, detached, rows_of
from airflow_provider.destinations.snapshot import Snapshot
from airflow_provider.errors import DataCorruptError, DestinationError
from airflow_provider.ledger.record import ADOPTED_FENCE

_PROTOCOL = 5


class FileDestination(FileLikeDestination):
    """Stores each partition as ``data.pkl``; reads give back the value that was written.

    Args:
        base_path: A folder; made when it is not there. ``~`` and ``{env.NAME}`` are filled in where it is used.
        lock_timeout_s: How long a commit waits for another writer of the same partition, in seconds.
        trusted: Whether pickles are loaded. None: those that runs of ours have committed, in a folder that only its
            owner and group can write to. True: all of them, also those that were there before; whoever can write to
            the folder can then run code in the reader. False: none; the destination can be written only.
    """

    key: ClassVar[str] = "file_destination"
    name: ClassVar[str] = "File"
    extension: ClassVar[str] = "pkl"

    trusted: bool | None = None

    def encode(self, data: Any, sink: BinaryIO, *, where: str) -> Encoded:
        """Pickle a value."""
        try:
            data = detached(data)
            pickle.dump(data, sink, protocol=_PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
            raise DestinationError(
                f"a value of type {type(data).__name__} cannot be pickled: {error}",
                where=where,
                fix="return data without open files, locks, generators, lambdas or local classes",
            ) from error
        return Encoded(rows=rows_of(data))

    def decode(self, snapshot: Snapshot, context: IOContext, *, path: str, where: str) -> Any:
        """Unpickle a value.

        Raises:
            DataCorruptError: No commit record vouches for the file, or it cannot be unpickled.
            DestinationError: The folder is not trusted. In both cases nothing of the file was run.
        """
        if not self.trusted:
            self._require_trust(snapshot, context, path=path, where=where)
        try:
            return pickle.loads(snapshot.content or b"")  # noqa: S301 -- only from where it is trusted
        except Exception as error:
            raise DataCorruptError(
                f"{path!r} cannot be unpickled: {type(error).__name__}: {error}",
                where=where,
                fix="install or restore the classes it was written with, or materialize the partition again",
            ) from error

    def empty(self, context: IOContext) -> list[Any]:
        """No rows."""
        return []

    def _require_trust(self, snapshot: Snapshot, context: IOContext, *, path: str, where: str) -> None:
        if self.trusted is False:
            raise DestinationError(
                f"{path!r} is a pickle, and this destination is not trusted; unpickling it could run any code",
                where=where,
                fix="leave trusted=False out to read what runs have committed, or use ParquetDestination",
            )
        if snapshot.record is None or snapshot.record.fence <= ADOPTED_FENCE:
            raise DataCorruptError(
                f"{path!r} has no commit record of a run, so nothing says that we wrote it; unpickling it could run "
                "any code",
                where=where,
                fix="materialize the partition again; to keep the old data, set trusted=True if you trust all who can "
                "write there, or load it yourself and write it",
            )
        folder = self.folder(context)
        ways = (self.root, os.path.dirname(folder.root), folder.root, os.path.dirname(path), path)
        for place in (*ways, folder.ledger, folder.records, folder.record(snapshot.record.key)):
            if _is_open_to_all(place):
                raise DestinationError(
                    f"everybody can write to {place!r}, and unpickling {path!r} runs the code of whoever wrote it",
                    where=where,
                    fix=f"chmod o-w {place!r}, or set trusted=True if you trust all who can write there",
                )


def _is_open_to_all(path: str) -> bool:
    """Whether others than owner and group may write; in a sticky folder they may only add names of their own."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX
