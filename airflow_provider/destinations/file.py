"""Pickle files, one per partition: whatever the asset returned, tabular or not.

Unpickling runs code, so a file is only read when its hash stands in a commit record that this destination wrote.
Whoever can write both can run code in the reader: keep ``base_path`` to those you trust, and use Parquet for tables.
"""

import pickle
from typing import Any, BinaryIO, ClassVar

from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.commit import Encoded
from airflow_provider.destinations.file_like import FileLikeDestination, detached, rows_of
from airflow_provider.destinations.snapshot import Snapshot
from airflow_provider.errors import DataCorruptError, DestinationError

_PROTOCOL = 5


class FileDestination(FileLikeDestination):
    """Stores each partition as ``data.pkl``; reads give back the value that was written.

    Args:
        base_path: A folder; made when it is not there. ``~`` and ``{env.NAME}`` are filled in where it is used.
        lock_timeout_s: How long a commit waits for another writer of the same partition, in seconds.
    """

    key: ClassVar[str] = "file_destination"
    name: ClassVar[str] = "File"
    extension: ClassVar[str] = "pkl"

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
        """Unpickle a value, if a commit record vouches for the file."""
        if snapshot.record is None:
            raise DataCorruptError(
                f"{path!r} has no commit record, so nothing says that we wrote it; unpickling it could run any code",
                where=where,
                fix="materialize the partition again; to keep the old data, load it yourself and write it",
            )
        try:
            return pickle.loads(snapshot.content or b"")  # noqa: S301 -- its hash stands in our commit record
        except Exception as error:
            raise DataCorruptError(
                f"{path!r} cannot be unpickled: {type(error).__name__}: {error}",
                where=where,
                fix="install or restore the classes it was written with, or materialize the partition again",
            ) from error

    def empty(self, context: IOContext) -> list[Any]:
        """No rows."""
        return []
