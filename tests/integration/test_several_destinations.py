"""Destinations are written one after another: what a retry of the same attempt repeats, after a failure or a kill."""

import asyncio
import datetime as dt
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import DataNotFoundError
from airflow_provider.execution import runner, stream
from airflow_provider.execution.write import RunInfo
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow

FIRST = dt.date(2026, 3, 1)
DAYS = TimePartitionWindow(FIRST, dt.date(2026, 3, 4))
KEYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stream, "BATCH_ROWS", 10)
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    Files.dies, Files.fails = "", set()


class Files(Destination):
    """A store of a user's own that only has hooks: one text file per partition, which it may die in."""

    streams: ClassVar[bool] = True
    representation: ClassVar[str] = "arrow"
    folder: str
    dies: ClassVar[str] = ""
    fails: ClassVar[set[str]] = set()

    async def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
        await asyncio.sleep(0)
        self.store(partition, data)

    def store(self, partition: Any, data: Any) -> None:
        if partition.key in self.fails:
            raise OSError("no space")
        Path(self.folder).mkdir(exist_ok=True)
        path = Path(self.folder, partition.key)
        with path.open("w") as file:
            for batch in data:
                if partition.key == self.dies:
                    file.flush()
                    os.kill(os.getpid(), signal.SIGKILL)
                file.writelines(f"{version}\n" for version in batch.column("version").to_pylist())

    def read_partition(self, context: IOContext, partition: Any) -> Any:
        path = Path(self.folder, partition.key)
        if not path.exists():
            raise DataNotFoundError("none", where="files", fix="write it")
        return [{"version": int(line)} for line in path.read_text().split()]


class Dying(CSVDestination):
    """Dies in the middle of a file."""

    dies: ClassVar[str] = ""

    def encode(self, data: Any, sink: Any, *, where: str) -> Any:
        encoded = super().encode(data, sink, where=where)
        if self.dies and self.dies in where:
            os.kill(os.getpid(), signal.SIGKILL)
        return encoded


def make(value: Any, *destinations: Any) -> Asset:
    @asset(partitioning=TimePartitionConfig(column="day", allow_window=True))
    def orders() -> Any:
        return value()

    made: Asset = orders(destinations=list(destinations))
    return made


def streamed(version: int) -> Any:
    def rows() -> Iterator[Any]:
        return ({"day": FIRST + dt.timedelta(days=n % 4), "version": version} for n in range(44))

    return rows


def returned(version: int) -> Any:
    return lambda: list(streamed(version)())


def run(made: Asset, attempt: str) -> list[tuple[str, str, str]]:
    result = runner.execute(made, windows=(DAYS,), info=RunInfo(attempt))
    return [(outcome.destination[:2], str(outcome.key)[-2:], outcome.status) for outcome in result.outcomes]


def versions(destination: Destination, made: Asset) -> list[set[int]]:
    """The versions in each partition, of which there must be one."""
    found = []
    for partition in DAYS:
        data = destination.read_partition(IOContext(made, DAYS), partition)
        rows = data if isinstance(data, list) else data.to_pylist()
        assert len(rows) == 11
        found.append({row["version"] for row in rows})
    return found


def killed_while(run_it: Any) -> None:
    child = os.fork()
    if not child:
        try:
            run_it()
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.mark.parametrize("value", [returned, streamed])
@pytest.mark.parametrize("died_at", [0, 2, 3])
def test_a_kill_in_the_second_destination_leaves_the_first_and_a_retry_ends_the_second(
    value: Any, died_at: int, tmp_path: Path
) -> None:
    parquet, csv = ParquetDestination(base_path=str(tmp_path / "p")), Dying(base_path=str(tmp_path / "c"))
    made = make(value(1), parquet, csv)

    def dying() -> None:
        Dying.dies = KEYS[died_at]
        run(made, "attempt")

    killed_while(dying)

    assert run(made, "attempt") == [
        *[("pa", key[-2:], "held") for key in KEYS],
        *[("dy", key[-2:], "held" if at < died_at else "committed") for at, key in enumerate(KEYS)],
    ]
    assert versions(parquet, made) == versions(csv, made) == [{1}] * 4


@pytest.mark.parametrize("value", [returned, streamed])
def test_a_kill_inside_a_hook_leaves_its_write_open_and_the_retry_writes_it_again(value: Any, tmp_path: Path) -> None:
    files, csv = Files(folder=str(tmp_path / "f")), CSVDestination(base_path=str(tmp_path / "c"))
    made = make(value(1), files, csv)

    def dying() -> None:
        Files.dies = KEYS[1]
        run(made, "attempt")

    killed_while(dying)
    assert (tmp_path / "f" / KEYS[1]).read_text() == ""
    committer: Any = files.committer(IOContext(made), call=runner.call)
    assert committer.state(KEYS[1]).intent_fence
    assert list(committer.records(KEYS)) == [KEYS[0]]

    assert run(made, "attempt") == [
        ("fi", "01", "held"), ("fi", "02", "committed"), ("fi", "03", "committed"), ("fi", "04", "committed"),
        *[("cs", key[-2:], "committed") for key in KEYS],
    ]  # fmt: skip
    assert versions(files, made) == versions(csv, made) == [{1}] * 4


@pytest.mark.parametrize("value", [returned, streamed])
def test_what_was_superseded_meanwhile_is_written_again_by_the_retry(value: Any, tmp_path: Path) -> None:
    """The retry has the highest fence, and both destinations converge to it."""
    parquet, files = ParquetDestination(base_path=str(tmp_path / "p")), Files(folder=str(tmp_path / "f"))
    made = make(value(1), parquet, files)
    Files.fails = {KEYS[2]}
    assert [status for _, _, status in run(made, "attempt")] == ["committed"] * 6 + ["failed", "committed"]

    Files.fails = set()
    one_day = TimePartitionWindow(FIRST, FIRST)
    newer = make(lambda: [row for row in returned(2)() if row["day"] == FIRST], parquet, files)
    runner.execute(newer, windows=(one_day,), info=RunInfo("newer")).raise_for_failures()
    assert versions(parquet, made)[0] == {2}

    assert run(made, "attempt") == [
        ("pa", "01", "committed"), ("pa", "02", "held"), ("pa", "03", "held"), ("pa", "04", "held"),
        ("fi", "01", "committed"), ("fi", "02", "held"), ("fi", "03", "committed"), ("fi", "04", "held"),
    ]  # fmt: skip
    assert versions(parquet, made) == versions(files, made) == [{1}] * 4


def test_a_stalled_attempt_does_not_replace_a_newer_one_in_either(tmp_path: Path) -> None:
    parquet, files = ParquetDestination(base_path=str(tmp_path / "p")), Files(folder=str(tmp_path / "f"))

    def overtaken() -> Any:
        rows = streamed(1)()
        yield from [next(rows) for _ in range(15)]
        run(make(streamed(2), parquet, files), "newer")
        yield from rows

    made = make(overtaken, parquet, files)
    assert {status for _, _, status in run(made, "stalled")} == {"superseded"}
    assert versions(parquet, made) == versions(files, made) == [{2}] * 4


def test_a_clear_is_another_attempt_and_writes_everything(tmp_path: Path) -> None:
    parquet, files = ParquetDestination(base_path=str(tmp_path / "p")), Files(folder=str(tmp_path / "f"))
    run(make(streamed(1), parquet, files), "attempt")
    made = make(streamed(2), parquet, files)

    assert {status for _, _, status in run(made, "cleared")} == {"committed"}
    assert versions(parquet, made) == versions(files, made) == [{2}] * 4
