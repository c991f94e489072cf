"""What destinations with a committer of their own share: a write by hand is a commit too, under a fence of its own."""

import uuid
from collections.abc import Sequence
from typing import Any

from airflow_provider.definitions.destination import Destination, Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.partitioning import Partition


class CommittedDestination(Destination):
    """Base of the destinations whose committer stores the data itself. It has ``place``, which refuses a bad key."""

    def write_partition(self, context: IOContext, partition: Partition | None, data: Any) -> None:
        """Replace one partition, atomically, under a fence of its own."""
        self._commit(context, [(partition, data)])

    def write(self, context: IOContext, data: Any) -> None:
        """Write each partition of the context, each atomically, under one fence."""
        self._commit(context, context.slices(data))

    def _commit(self, context: IOContext, slices: Sequence[tuple[Partition | None, Any]]) -> None:
        committer: Any = self.committer(context, call=None)  # type: ignore[arg-type]  # no hook of a user's is called
        for partition, _ in slices:
            committer.place(partition)
        stamp = Stamp(fence=committer.take_fence(), attempt=uuid.uuid4().hex)
        for partition, part in slices:
            committer.commit(partition, part, stamp)
