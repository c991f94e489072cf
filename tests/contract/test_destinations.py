"""Every destination runs the one contract suite."""

import copy
from pathlib import Path
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.destination import Destination, join
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import DataNotFoundError, DestinationError
from airflow_provider.partitioning import Partition
from airflow_provider.testing import Cannot, DestinationContract

TABLES_ONLY = {"non_tabular": Cannot(DestinationError, "holds tables only", match="holds tables only")}


class TestParquet(DestinationContract):
    cannot = TABLES_ONLY

    def make(self, folder: Path) -> Destination:
        return ParquetDestination(base_path=folder)


class TestCSV(DestinationContract):
    cannot = TABLES_ONLY

    def make(self, folder: Path) -> Destination:
        return CSVDestination(base_path=folder)


class TestFile(DestinationContract):
    def make(self, folder: Path) -> Destination:
        return FileDestination(base_path=folder)


class TestMemory(DestinationContract):
    def make(self, folder: Path) -> Destination:
        return MemoryDestination()

    @pytest.fixture(autouse=True)
    def _empty(self) -> None:
        MemoryDestination.clear()


class DictDestination(Destination):
    """A user's own, with the two partition hooks."""

    stores: ClassVar[dict[str, dict[Any, Any]]] = {}
    place: str

    def where(self, context: IOContext, partition: Partition | None) -> Any:
        return context.dataset, context.table, None if partition is None else partition.key

    def write_partition(self, context: IOContext, partition: Partition | None, data: Any) -> None:
        self.stores.setdefault(self.place, {})[self.where(context, partition)] = copy.deepcopy(data)

    def read_partition(self, context: IOContext, partition: Partition | None) -> Any:
        try:
            return copy.deepcopy(self.stores[self.place][self.where(context, partition)])
        except KeyError:
            raise DataNotFoundError("nothing there", where=context.asset.label, fix="write it") from None


class AsyncDictDestination(DictDestination):
    async def write_partition(self, context: IOContext, partition: Partition | None, data: Any) -> None:
        DictDestination.write_partition(self, context, partition, data)

    async def read_partition(self, context: IOContext, partition: Partition | None) -> Any:
        return DictDestination.read_partition(self, context, partition)


class WriteReadDestination(Destination):
    """A user's own that only knows write and read."""

    stores: ClassVar[dict[Any, Any]] = {}
    place: str

    def write(self, context: IOContext, data: Any) -> None:
        for partition, part in context.slices(data):
            key = None if partition is None else partition.key
            self.stores[self.place, context.dataset, context.table, key] = copy.deepcopy(part)

    def read(self, context: IOContext) -> Any:
        keys = [None if partition is None else partition.key for partition in context.partitions]
        places = [(self.place, context.dataset, context.table, key) for key in keys]
        context.missing.extend(place[-1] or "" for place in places if place not in self.stores)
        return join(self, context, [copy.deepcopy(self.stores[place]) for place in places if place in self.stores])


class AsyncWriteReadDestination(WriteReadDestination):
    async def write(self, context: IOContext, data: Any) -> None:
        WriteReadDestination.write(self, context, data)

    async def read(self, context: IOContext) -> Any:
        return WriteReadDestination.read(self, context)


class TestCustomHooks(DestinationContract):
    def make(self, folder: Path) -> Destination:
        return DictDestination(place=str(folder))


class TestCustomAsyncHooks(DestinationContract):
    def make(self, folder: Path) -> Destination:
        return AsyncDictDestination(place=str(folder))


class TestCustomWriteAndRead(DestinationContract):
    def make(self, folder: Path) -> Destination:
        return WriteReadDestination(place=str(folder))


class TestCustomAsyncWriteAndRead(DestinationContract):
    def make(self, folder: Path) -> Destination:
        return AsyncWriteReadDestination(place=str(folder))
