"""A package of somebody else's: a tiny destination that is good, and what it looks like with one bug each.

``test_broken_destinations`` runs the contract suite on them from outside, and looks at which tests tell.
"""

import contextlib
import datetime as dt
import pickle
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import airflow_provider as ap
from airflow_provider.definitions.destination import join
from airflow_provider.errors import DataNotFoundError


class Pickles(ap.Destination):
    """One file for each partition."""

    root: str

    def path(self, context, partition):
        key = "whole" if partition is None else f"={partition.key}"
        parts = [quote(part, safe="").replace(".", "%2E") for part in (context.dataset, context.table, key)]
        if max(map(len, parts)) > 200:
            raise ap.errors.PartitionError("is too long", where=context.asset.label, fix="use a shorter one")
        return Path(self.root, "data of", *parts)

    def write_partition(self, context, partition, data):
        path = self.path(context, partition)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(data))

    def read_partition(self, context, partition):
        try:
            return pickle.loads(self.path(context, partition).read_bytes())
        except FileNotFoundError:
            raise DataNotFoundError("nothing there", where=context.asset.label, fix="write it") from None


class SaysItIsAtomic(Pickles):
    """Overwrites in place, but states the stronger guarantee."""

    guarantee = "atomic"


class ClobbersNeighbours(Pickles):
    """Empties the table's folder before it writes a partition."""

    def write_partition(self, context, partition, data):
        for path in self.path(context, partition).parent.glob("*"):
            path.unlink()
        super().write_partition(context, partition, data)


class DropsZones(Pickles):
    """Forgets the zone of a datetime."""

    def write_partition(self, context, partition, data):
        if isinstance(data, list):
            data = [
                {name: self.naive(cell) for name, cell in row.items()} if isinstance(row, dict) else row for row in data
            ]
        super().write_partition(context, partition, data)

    @staticmethod
    def naive(cell):
        return cell.replace(tzinfo=None) if isinstance(cell, dt.datetime) else cell


class NeverAwaits(Pickles):
    """Calls an async hook and throws the coroutine away."""

    async def upload(self, context, partition, data):
        Pickles.write_partition(self, context, partition, data)

    def write_partition(self, context, partition, data):
        self.upload(context, partition, data)


class AwaitsOnlyInPartitions(Pickles):
    """Its hooks are async; its own ``write`` does not await them."""

    async def write_partition(self, context, partition, data):
        Pickles.write_partition(self, context, partition, data)

    def write(self, context, data):
        for partition, part in context.slices(data):
            self.write_partition(context, partition, part)


class LosesTheLastDay(Pickles):
    """Stores all partitions of a window but the last."""

    def write(self, context, data):
        slices = context.slices(data)
        for partition, part in slices[:-1] or slices:
            self.write_partition(context, partition, part)


class MissesTheWrongDays(Pickles):
    """Says of the days that are there that they are missing."""

    def read(self, context):
        found = []
        for partition in context.partitions:
            try:
                found.append(self.read_partition(context, partition))
                context.missing.append(partition.key if partition else "")
            except DataNotFoundError:
                pass
        return join(self, context, found)


class Appends(Pickles):
    """Adds rows to those that are there."""

    def write_partition(self, context, partition, data):
        if isinstance(data, list):
            with contextlib.suppress(DataNotFoundError):
                data = [*self.read_partition(context, partition), *data]
        super().write_partition(context, partition, data)


class MixesKeys(Pickles):
    """Takes keys that differ in case for one."""

    def path(self, context, partition):
        path = super().path(context, partition)
        return path.with_name(path.name.lower())


class LeavesATornFileThatBlocksIt(Pickles):
    """Refuses to write where a file is that it cannot read: after a crash, for ever."""

    def write_partition(self, context, partition, data):
        path = self.path(context, partition)
        if path.exists():
            pickle.loads(path.read_bytes())
        super().write_partition(context, partition, data)


class SharesItsValues(ap.Destination):
    """Keeps the very objects it was given."""

    root: str
    stores: ClassVar[dict] = {}

    def write_partition(self, context, partition, data):
        self.stores[self.root, context.dataset, context.table, partition and partition.key] = data

    def read_partition(self, context, partition):
        try:
            return self.stores[self.root, context.dataset, context.table, partition and partition.key]
        except KeyError:
            raise DataNotFoundError("nothing there", where=context.asset.label, fix="write it") from None


class WidensInts(Pickles):
    """Says that it holds every type as it is, and makes all ints those of 64 bits."""

    representation = "arrow"

    def write_partition(self, context, partition, data):
        import pyarrow as pa

        wide = [f.with_type(pa.int64()) if pa.types.is_signed_integer(f.type) else f for f in data.schema]
        super().write_partition(context, partition, data.cast(pa.schema(wide)))
