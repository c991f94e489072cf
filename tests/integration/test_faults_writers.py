"""Several writers, late writers and readers of one partition."""

import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from fault_tools import ASSET, KINDS, check_agreement, staged_files, table, version_of

from airflow_provider.definitions.destination import Stamp
from airflow_provider.errors import LockTimeoutError, SupersededError
from airflow_provider.storage import posix
from airflow_provider.testing.destination_contract import context_of, days

ROUNDS = 200
FORK = multiprocessing.get_context("fork")


def write_rounds(kind: str, base: Path, partition_number: int, results: Any) -> None:
    destination, context = KINDS[kind](base_path=base), context_of(ASSET, days(2))
    partition, committer = context.partitions[partition_number], destination.committer(context)
    won = 0
    for _ in range(ROUNDS):
        fence = committer.take_fence()
        try:
            committer.commit(partition, table(partition, fence), Stamp(fence=fence, attempt=f"v{fence}"))
            won += 1
        except SupersededError:
            pass
    results.put(won)


def run_writers(kind: str, base: Path, partitions: list[int]) -> tuple[list[int], int]:
    """Run one writer per entry, and read meanwhile; returns the commits of each and the number of reads."""
    results: Any = FORK.Queue()
    writers = [FORK.Process(target=write_rounds, args=(kind, base, number, results)) for number in partitions]
    for writer in writers:
        writer.start()
    destination, context = KINDS[kind](base_path=base), context_of(ASSET, days(2))
    reads, last = 0, dict.fromkeys(partitions, 0)
    while any(writer.is_alive() for writer in writers):
        for number in last:
            version = version_of(destination, context, context.partitions[number]) or 0
            assert version >= last[number], "a reader went back in time"
            last[number] = version
            reads += 1
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    return [results.get() for _ in writers], reads


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_two_writers_and_a_reader_never_tear(kind: str, tmp_path: Path) -> None:
    won, reads = run_writers(kind, tmp_path, [0, 0])
    assert sum(won) >= ROUNDS
    assert reads > 20
    context = context_of(ASSET, days(1))
    destination = KINDS[kind](base_path=tmp_path)
    assert version_of(destination, context, context.partitions[0]) is not None
    check_agreement(destination, context)
    assert staged_files(tmp_path) == []


def test_writers_of_different_partitions_never_meet(tmp_path: Path) -> None:
    won, _ = run_writers("parquet", tmp_path, [0, 1])
    assert won == [ROUNDS, ROUNDS]


class StopsHere:
    """Stops the process that pickles it, as a stalled worker would, in the middle of staging."""

    def __reduce__(self) -> tuple[Any, ...]:
        os.kill(os.getpid(), signal.SIGSTOP)
        return (str, ("late",))


def test_a_stopped_writer_that_wakes_late_is_refused(tmp_path: Path) -> None:
    destination, context = KINDS["file"](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    for number in range(100):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                committer = destination.committer(context)
                committer.commit(day, StopsHere(), Stamp(fence=committer.take_fence(), attempt="late"))
            except SupersededError:
                code = 7
            finally:
                os._exit(code)
        os.waitpid(pid, os.WUNTRACED)
        committer = destination.committer(context)
        committer.commit(day, number, Stamp(fence=committer.take_fence(), attempt="newer"))
        os.kill(pid, signal.SIGCONT)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        assert destination.read_partition(context, day) == number
    assert staged_files(tmp_path) == []
    assert destination.committer(context).repair() == []


def test_a_writer_that_stalls_inside_the_lock_holds_others_only_so_long(tmp_path: Path) -> None:
    destination, context = KINDS["parquet"](base_path=tmp_path, lock_timeout_s=0.2), context_of(ASSET, days(1))
    (day,) = context.partitions
    committer = destination.committer(context)
    committer.commit(day, table(day, 1), Stamp(fence=committer.take_fence(), attempt="v1"))
    lock = destination.folder(context).lock(day.key)
    with posix.locked(lock, timeout_s=1, where="test"):
        began = time.monotonic()
        with pytest.raises(LockTimeoutError, match=r"another writer held the lock .*day|lock"):
            committer.commit(day, table(day, 2), Stamp(fence=committer.take_fence(), attempt="v2"))
        assert 0.2 <= time.monotonic() - began < 5
        assert version_of(destination, context, day) == 1, "readers take no lock"
    assert staged_files(tmp_path) == []


def test_the_lock_of_a_dead_writer_is_free(tmp_path: Path) -> None:
    lock = str(tmp_path / "lock")
    pid = os.fork()
    if pid == 0:
        with posix.locked(lock, timeout_s=1, where="test"):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    with posix.locked(lock, timeout_s=0.0, where="test"):
        pass
