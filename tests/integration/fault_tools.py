"""What the fault tests share: versioned rows, the check that a partition is one whole version, a writer to kill."""

import datetime as dt
import itertools
import os
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination, Stamp
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.file_like import FileLikeDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import DataNotFoundError
from airflow_provider.execution import runner
from airflow_provider.execution.context import ExecutionContext
from airflow_provider.execution.write import RunInfo
from airflow_provider.partitioning import TimePartitionConfig
from airflow_provider.testing.destination_contract import StoredAsset, context_of, days, run_hook


class HookFiles(Destination):
    """A user's own, with nothing but two hooks that overwrite in place: what is torn there must not be believed."""

    base_path: str

    def path(self, partition: Any) -> Path:
        return Path(self.base_path, f"{partition}.pkl")

    def write_partition(self, context: Any, partition: Any, data: Any) -> None:
        Path(self.base_path).mkdir(parents=True, exist_ok=True)
        self.path(partition).write_bytes(pickle.dumps(data))

    def read_partition(self, context: Any, partition: Any) -> Any:
        try:
            return pickle.loads(self.path(partition).read_bytes())
        except FileNotFoundError:
            raise DataNotFoundError("nothing there", where=self.label, fix="write it") from None


KINDS: dict[str, type[FileLikeDestination]] = {
    "parquet": ParquetDestination,
    "csv": CSVDestination,
    "file": FileDestination,
}
KINDS_AND_HOOKS: dict[str, Any] = {**KINDS, "hooks": HookFiles}
ROWS = 40
ASSET = StoredAsset()


def table(partition: Any, version: int) -> Any:
    """``ROWS`` rows that all name ``version``, with one column whose type changes with it."""
    import pyarrow as pa

    day = pa.array([getattr(partition, "date", dt.date(2026, 3, 1))] * ROWS)
    text = [f"{version}:{n}" for n in range(ROWS)]
    extra = pa.array(range(ROWS), pa.int32() if version % 2 else pa.int64())
    return pa.table({"day": day, "version": [version] * ROWS, "n": range(ROWS), "text": text, "extra": extra})


def version_of(destination: Any, context: Any, partition: Any) -> int | None:
    """The version that is stored, after checking that it is whole; None when nothing is stored."""
    try:
        found = destination.read_partition(context, partition)
    except DataNotFoundError:
        return None
    version = found["version"][0].as_py()
    assert found.equals(table(partition, version)), f"torn: {partition}, version {version}"
    return int(version)


def believed_version(destination: Any, context: Any, partition: Any) -> int | None:
    """The version that a record vouches for, after checking that just that is stored, whole; None without a record."""
    committer = destination.committer(context, call=run_hook)
    record = committer.records([partition.key]).get(partition.key)
    if record is None:
        return None
    version = version_of(destination, context, partition)
    assert f"v{version}" == record.attempt, f"{partition} holds {version}, its record says {record.attempt}"
    return version


def staged_files(base: Path) -> list[Path]:
    """Files that a reader must never see."""
    return [path for path in base.rglob(".*") if path.is_file()]


def check_agreement(destination: FileLikeDestination, context: Any) -> None:
    """Records and data say the same of every partition, and nothing is left under way."""
    committer = destination.committer(context)
    folder = destination.folder(context)
    assert committer.repair() == []
    assert not list(Path(folder.intents).glob("*"))
    for partition in context.partitions:
        version, record = version_of(destination, context, partition), committer.record(partition and partition.key)
        assert (version is None) == (record is None)
        assert record is None or (record.rows == ROWS and record.attempt == f"v{version}")


def write_for_ever(kind: str, base: str, first: int, acks: str, count: int) -> None:
    """Commit version after version of a window, noting what was acknowledged."""
    destination, context = KINDS_AND_HOOKS[kind](base_path=base), context_of(ASSET, days(count))
    committer = destination.committer(context, call=run_hook)
    handle = os.open(acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for version in itertools.count(first):
        fence = committer.take_fence()
        for partition in context.partitions:
            committer.commit(partition, table(partition, version), Stamp(fence=fence, attempt=f"v{version}"))
            os.write(handle, f"{partition} {version}\n".encode())


def produced_at(version: int) -> type[Asset]:
    """An asset that gives ``version`` of every partition of its window."""
    import pyarrow as pa

    @asset(key="orders", dataset="shop", partitioning=TimePartitionConfig(column="day", allow_window=True))
    def orders(context: ExecutionContext) -> pa.Table:
        return pa.concat_tables([table(partition, version) for partition in context.window])

    return orders


def run_for_ever(kind: str, base: str, first: int, acks: str, count: int) -> None:
    """Run version after version of a window through every step, the index included; what is told last is indexed."""
    destination = KINDS[kind](base_path=base)
    handle = os.open(acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for version in itertools.count(first):
        made = produced_at(version)(destinations=destination)
        runner.execute(made, windows=(days(count),), info=RunInfo(f"v{version}")).raise_for_failures()
        os.write(handle, "".join(f"{partition} {version}\n" for partition in days(count)).encode())


WRITERS = {"commits": write_for_ever, "runs": run_for_ever}


def serve() -> None:
    """Fork a writer for each line of input (``first version, partitions``), say its pid, and say when it is dead."""
    writer, kind, base, acks = sys.argv[1:]
    with tempfile.TemporaryDirectory() as warm:  # what is imported here is not imported again by each fork
        KINDS_AND_HOOKS[kind](base_path=warm).write(context_of(ASSET, days(1)), table(None, 1))
        made = produced_at(1)(destinations=KINDS_AND_HOOKS[kind](base_path=warm))
        runner.execute(made, windows=(days(1),), write=False)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            first, count = map(int, line.split())
            WRITERS[writer](kind, base, first, acks, count)
        print(pid, flush=True)
        os.waitpid(pid, 0)
        print("dead", flush=True)


if __name__ == "__main__":
    serve()
