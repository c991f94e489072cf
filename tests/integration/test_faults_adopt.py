"""Adopting data that was there before, and running over it, cut short at every step and by real kills."""

import multiprocessing
import random
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from fault_tools import ASSET, check_agreement, staged_files, table
from test_faults_syscalls import CRASHED, LIMIT, commit_all, run_forked

from airflow_provider.cli.adopt import adopt
from airflow_provider.cli.console import Terminal
from airflow_provider.cli.rebuild import rebuild
from airflow_provider.cli.verify import verify
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file_like import FileLikeDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.execution import runner
from airflow_provider.execution.write import RunInfo
from airflow_provider.storage.index import open_index
from airflow_provider.testing.destination_contract import context_of, days

KINDS: dict[str, type[FileLikeDestination]] = {"parquet": ParquetDestination, "csv": CSVDestination}
CONTEXT = context_of(ASSET, days(2))


def put_old(base: Path, kind: str, count: int = 2) -> None:
    """Files as a hand, or another tool, would have made them: in our layout, without any record."""
    import pyarrow.csv as arrow_csv
    import pyarrow.parquet as pq

    for partition in days(count):
        folder = base / "shop" / "orders" / f"day={partition.key}"
        folder.mkdir(parents=True)
        if kind == "parquet":
            pq.write_table(table(partition, 1), folder / "data.parquet")
        else:
            arrow_csv.write_csv(table(partition, 1), folder / "data.csv")


def version_of(destination: FileLikeDestination, partition: Any) -> int:
    """The version stored, after checking that it is whole; an untyped CSV reads as text."""
    found = destination.read_partition(CONTEXT, partition)
    versions = {int(value) for value in found["version"].to_pylist()}
    assert found.num_rows == 40
    (version,) = versions
    return version


def adopt_all(destination: FileLikeDestination) -> None:
    for partition in CONTEXT.partitions:
        destination.inspector(CONTEXT).adopt(partition)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_crash_before_any_call_of_an_adoption_leaves_it_untracked_or_adopted(kind: str, tmp_path: Path) -> None:
    for at in range(1, LIMIT):
        base = tmp_path / f"base{at}"
        put_old(base, kind)
        files = {path: path.read_bytes() for path in base.rglob("data.*")}
        destination = KINDS[kind](base_path=base)
        code = run_forked(at, lambda: adopt_all(destination))  # noqa: B023
        assert code in (0, CRASHED)
        assert {version_of(destination, partition) for partition in CONTEXT.partitions} == {1}
        assert {path: path.read_bytes() for path in base.rglob("data.*")} == files
        if at % 2:
            destination.committer(CONTEXT).repair()
        adopt_all(destination)
        records = destination.committer(CONTEXT).all_records()
        assert [(record.fence, record.rows, record.attempt[:6]) for record in records] == [(0, 40, "adopt:")] * 2
        assert {path: path.read_bytes() for path in base.rglob("data.*")} == files
        assert destination.committer(CONTEXT).repair() == []
        assert staged_files(base) == []
        shutil.rmtree(base)
        if code == 0:
            break
    assert code == 0
    assert at > 10


@pytest.mark.parametrize("adopted", [True, False], ids=["adopted", "untracked"])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_crash_of_a_run_over_old_data_leaves_old_or_new(kind: str, adopted: bool, tmp_path: Path) -> None:
    for at in range(1, LIMIT):
        base = tmp_path / f"base{at}"
        put_old(base, kind)
        destination = KINDS[kind](base_path=base)
        if adopted:
            adopt_all(destination)
        code = run_forked(at, lambda: commit_all(destination, CONTEXT, 2))  # noqa: B023
        assert code in (0, CRASHED)
        assert {version_of(destination, partition) for partition in CONTEXT.partitions} <= {1, 2}
        destination.committer(CONTEXT).repair()
        assert destination.committer(CONTEXT).repair() == []
        for partition in CONTEXT.partitions:
            record = destination.committer(CONTEXT).record(partition.key)  # type: ignore[union-attr]
            if version_of(destination, partition) == 2:
                assert record is not None
                assert record.attempt == "v2"
            else:
                assert (record is not None) is adopted
        commit_all(destination, CONTEXT, 3)
        destination.committer(CONTEXT).repair()
        check_agreement(destination, CONTEXT)
        assert staged_files(base) == []
        shutil.rmtree(base)
        if code == 0:
            break
    assert code == 0
    assert at > 30


def orders(base: Path) -> Any:
    """An asset that gives version 2 of each day of its window."""
    import pyarrow as pa

    from airflow_provider.definitions.decorators import asset
    from airflow_provider.execution.context import ExecutionContext
    from airflow_provider.partitioning import TimePartitionConfig

    @asset(key="orders", dataset="shop", partitioning=TimePartitionConfig(column="day", allow_window=True))
    def made(context: ExecutionContext) -> pa.Table:
        return pa.concat_tables([table(partition, 2) for partition in context.window])

    return made(destinations=ParquetDestination(base_path=base))


def silent() -> Terminal:
    import io

    from rich.console import Console

    return Terminal(Console(file=io.StringIO()), Console(file=io.StringIO()))


def adopt_for_ever(base: str) -> None:
    while True:
        adopt(silent(), [orders(Path(base))], open_index())


def run_for_ever(base: str) -> None:
    while True:
        runner.execute(orders(Path(base)), windows=(days(5),), info=RunInfo("v2"))


def test_adoptions_and_runs_that_are_killed_leave_what_can_be_adopted_and_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    chance, fork = random.Random(3), multiprocessing.get_context("fork")
    adopt(silent(), [orders(tmp_path / "warm")], open_index())
    outcomes = set()
    for number in range(25):
        base = tmp_path / f"base{number}"
        put_old(base, "parquet", 12)
        works = [adopt_for_ever, run_for_ever][: 1 + number % 2]
        started = [fork.Process(target=work, args=[str(base)], daemon=True) for work in works]
        for process in started:
            process.start()
        time.sleep(chance.uniform(0.005, 0.2))
        for process in started:
            process.kill()
            process.join()
        made = orders(base)
        destination, context = made.default_destination, context_of(ASSET, days(12))
        committer = destination.committer(context)
        outcomes.add(len(committer.all_records()))
        assert adopt(silent(), [made], open_index())
        versions = {partition.key: version_of(destination, partition) for partition in days(12)}
        assert len(committer.all_records()) == 12
        (report,) = verify(silent(), [made], open_index(), deep=True)
        assert not report.error
        # A killed run had not told the index, or had begun to commit; either is mended by the command that is named.
        assert {finding.kind for finding in report.all} <= {"index", "unsettled"}
        rebuild(silent(), [made], open_index())
        for key, record in open_index().read("orders", destination.address).records.items():
            assert (record.attempt == "v2") is (versions[key] == 2)
            assert (record.fence == 0) is (versions[key] == 1)
        (mended,) = verify(silent(), [made], open_index(), deep=True)
        assert (mended.all, mended.error) == ([], "")
    assert len(outcomes) > 2, "the kills all came at the same moment"
