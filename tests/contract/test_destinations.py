"""Every destination runs the one contract suite."""

import copy
from pathlib import Path
from typing import Any, ClassVar

from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import DataNotFoundError
from airflow_provider.partitioning import Partition
from airflow_provider.testing.destination_contract import DestinationContract


class TestParquet(DestinationContract):
    def make(self, tmp_path: Path) -> Destination:
        return ParquetDestination(base_path=tmp_path)


class TestCSV(DestinationContract):
    def make(self, tmp_path: Path) -> Destination:
        return CSVDestination(base_path=tmp_path)


class TestFile(DestinationContract):
    def make(self, tmp_path: Path) -> Destination:
        return FileDestination(base_path=tmp_path)


class TestMemory(DestinationContract):
    def make(self, tmp_path: Path) -> Destination:
        MemoryDestination.clear()
        return MemoryDestination()


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
        found: list[Any] = []
        for partition in context.partitions:
            key = None if partition is None else partition.key
            part = self.stores.get((self.place, context.dataset, context.table, key))
            if part is None:
                context.missing.append(key or "")
            elif len(context.partitions) == 1:
                return copy.deepcopy(part)
            else:
                found += copy.deepcopy(part)
        if not found:
            raise DataNotFoundError("nothing there", where=context.asset.label, fix="write it")
        return found


class TestCustomHooks(DestinationContract):
    def make(self, tmp_path: Path) -> Destination:
        return DictDestination(place=str(tmp_path))


class TestCustomAsyncHooks(DestinationContract):
    def make(self, tmp_path: Path) -> Destination:
        return AsyncDictDestination(place=str(tmp_path))


class TestCustomWriteAndRead(DestinationContract):
    def make(self, tmp_path: Path) -> Destination:
        return WriteReadDestination(place=str(tmp_path))
