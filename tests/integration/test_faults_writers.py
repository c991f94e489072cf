"""Several writers, late writers and readers of one partition."""

import itertools
import multiprocessing
import os
import pickle
import queue
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fault_tools import (
    ASSET,
    KINDS,
    KINDS_AND_HOOKS,
    HookFiles,
    believed_version,
    check_agreement,
    staged_files,
    table,
    version_of,
)

from airflow_provider.definitions.destination import Stamp
from airflow_provider.destinations.commit import PosixCommitter
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import DestinationError, LockTimeoutError, SupersededError
from airflow_provider.storage import posix
from airflow_provider.testing.destination_contract import context_of, days, run_hook

ROUNDS = 200
FORK = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    MemoryDestination.clear()


def make(kind: str, base: Path) -> Any:
    return MemoryDestination() if kind == "memory" else KINDS_AND_HOOKS[kind](base_path=str(base))


def write_rounds(kind: str, base: Path, numbers: list[int], rounds: int, results: Any) -> None:
    """Commit each partition once a round; say which fences won."""
    destination, context = make(kind, base), context_of(ASSET, days(8))
    committer, won = destination.committer(context, call=run_hook), []
    for _ in range(rounds):
        fence = committer.take_fence()
        for number in numbers:
            partition = context.partitions[number]
            try:
                committer.commit(partition, table(partition, fence), Stamp(fence=fence, attempt=f"v{fence}"))
                won.append((number, fence))
            except SupersededError:
                pass
    results.put(won)


def run_writers(kind: str, base: Path, writers: list[list[int]], rounds: int = ROUNDS) -> list[list[tuple[int, int]]]:
    """Run writers to their end, as threads where the store is in memory; what each of them won."""
    fork: Any = threading.Thread if kind == "memory" else FORK.Process
    results: Any = FORK.SimpleQueue() if kind != "memory" else queue.Queue()
    started = [fork(target=write_rounds, args=(kind, base, numbers, rounds, results)) for numbers in writers]
    for writer in started:
        writer.start()
    found = [results.get() for _ in writers]
    for writer in started:
        writer.join()
        assert getattr(writer, "exitcode", 0) == 0
    return found


@pytest.mark.parametrize(
    ("kind", "count", "rounds"),
    [("parquet", 2, 200), ("parquet", 4, 50), ("csv", 3, 70), ("file", 2, 200), ("memory", 4, 200), ("hooks", 3, 40)],
)
def test_of_several_writers_of_one_partition_the_last_one_stands_whole(
    kind: str, count: int, rounds: int, tmp_path: Path
) -> None:
    """F4: the end is one writer's whole output, that of the highest fence that won; losers are told."""
    won = run_writers(kind, tmp_path / "base", [[0]] * count, rounds)
    fences = [fence for each in won for _, fence in each]
    assert len(set(fences)) == len(fences) <= count * rounds
    destination, context = make(kind, tmp_path / "base"), context_of(ASSET, days(1))
    (day,) = context.partitions
    found = believed_version(destination, context, day)
    if kind == "hooks" and found is None:  # the last one was overtaken in the middle: the partition is due again
        run_writers(kind, tmp_path / "base", [[0]], 1)
        assert believed_version(destination, context, day) is not None
    else:
        assert found == max(fences)
    if kind in KINDS:
        assert len(fences) >= rounds
        check_agreement(destination, context)
        assert staged_files(tmp_path / "base") == []


def partitions_written_by_two(base: Path, rounds: int) -> None:
    won = run_writers("parquet", base, [[0, 2, 4, 6], [1, 3, 5, 7]], rounds)
    assert [len(each) for each in won] == [4 * rounds, 4 * rounds], "a writer lost where it was alone"
    destination, context = make("parquet", base), context_of(ASSET, days(8))
    last = {number: fence for each in won for number, fence in each}
    assert [version_of(destination, context, p) for p in context.partitions] == [last[n] for n in range(8)]
    check_agreement(destination, context)


def test_writers_of_different_partitions_never_meet(tmp_path: Path) -> None:
    """F5: two writers, eight partitions: all there, no conflict. Throughput: benchmarks/bench_writers.py."""
    partitions_written_by_two(tmp_path, rounds=40)


@pytest.mark.full
def test_two_hundred_rounds_over_eight_partitions_never_meet(tmp_path: Path) -> None:
    """F5: the whole bar."""
    partitions_written_by_two(tmp_path, rounds=ROUNDS)


def stop_at(moment: str, destination: Any) -> None:
    """Have this process stop, as a stalled worker would, in the middle of its next commit."""

    def stopping(real: Any) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            os.kill(os.getpid(), signal.SIGSTOP)
            return real(*args, **options)

        return call

    kind: Any = type(destination)
    if moment == "before staging":
        kind.encode = stopping(kind.encode)
    else:
        PosixCommitter._swap = stopping(PosixCommitter._swap)  # type: ignore[method-assign]


@pytest.mark.parametrize("moment", ["before staging", "staged"])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_stopped_writer_that_wakes_late_is_refused(kind: str, moment: str, tmp_path: Path) -> None:
    """F6: SIGSTOP before the commit, a newer attempt commits, SIGCONT: refused by name, 100 times of 100."""
    destination, context = make(kind, tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    for number in range(1, 101):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                stop_at(moment, destination)
                committer = destination.committer(context)
                committer.commit(day, table(day, 0), Stamp(fence=committer.take_fence(), attempt="late"))
            except SupersededError as error:
                code = 7 if "newer attempt" in error.what and "changed nothing" in error.what else 8
            finally:
                os._exit(code)
        os.waitpid(pid, os.WUNTRACED)
        committer = destination.committer(context)
        committer.commit(day, table(day, number), Stamp(fence=committer.take_fence(), attempt=f"v{number}"))
        os.kill(pid, signal.SIGCONT)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        assert version_of(destination, context, day) == number
    assert staged_files(tmp_path) == []
    assert destination.committer(context).repair() == []


def test_a_late_writer_in_memory_is_refused() -> None:
    """F6: in one process, 100 times of 100."""
    destination, context = MemoryDestination(), context_of(ASSET, days(1))
    (day,) = context.partitions
    for number in range(1, 101):
        late, newer = destination.committer(context), destination.committer(context)
        fence = late.take_fence()
        newer.commit(day, table(day, number), Stamp(fence=newer.take_fence(), attempt=f"v{number}"))
        with pytest.raises(SupersededError):
            late.commit(day, table(day, 0), Stamp(fence=fence, attempt="late"))
        assert version_of(destination, context, day) == number


class StopsInside(HookFiles):
    """Stops the process inside its write hook."""

    def write_partition(self, context: Any, partition: Any, data: Any) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)
        super().write_partition(context, partition, data)

    @property
    def address(self) -> str:
        return HookFiles(base_path=self.base_path).address


def test_a_late_write_through_hooks_is_told_and_makes_the_partition_suspect(tmp_path: Path) -> None:
    """F6: a store without fences of its own cannot refuse the write; nobody believes it, and the next run mends it."""
    destination, context = HookFiles(base_path=str(tmp_path)), context_of(ASSET, days(1))
    (day,) = context.partitions
    for number in range(1, 21):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                committer: Any = StopsInside(base_path=str(tmp_path)).committer(context, call=run_hook)
                committer.commit(day, table(day, 0), Stamp(fence=committer.take_fence(), attempt="late"))
            except SupersededError:
                code = 7
            finally:
                os._exit(code)
        os.waitpid(pid, os.WUNTRACED)
        committer = destination.committer(context, call=run_hook)
        committer.commit(day, table(day, number), Stamp(fence=committer.take_fence(), attempt=f"v{number}"))
        os.kill(pid, signal.SIGCONT)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        assert committer.records([day.key]) == {}, "the late write is believed"
        with pytest.raises(DestinationError, match="suspect"):
            committer.require_settled([day.key])
        committer.commit(day, table(day, number), Stamp(fence=committer.take_fence(), attempt=f"v{number}"))
        assert believed_version(destination, context, day) == number


def write_until(kind: str, base: Path, end: Any) -> None:
    destination, context = make(kind, base), context_of(ASSET, days(2))
    committer = destination.committer(context, call=run_hook)
    for version in itertools.count(2):
        if end.is_set():
            return
        fence = committer.take_fence()
        for partition in context.partitions:
            committer.commit(partition, table(partition, version), Stamp(fence=fence, attempt=f"v{version}"))


def read_against_a_writer(kind: str, base: Path, seconds: float) -> None:
    destination, context = make(kind, base), context_of(ASSET, days(2))
    committer = destination.committer(context, call=run_hook)
    stamp = Stamp(fence=committer.take_fence(), attempt="v1")
    for partition in context.partitions:
        committer.commit(partition, table(partition, 1), stamp)
    end: Any = threading.Event() if kind == "memory" else FORK.Event()
    start: Any = threading.Thread if kind == "memory" else FORK.Process
    writer = start(target=write_until, args=(kind, base, end))
    writer.start()
    last, reads, until = dict.fromkeys(context.partitions, 1), 0, time.monotonic() + seconds
    while time.monotonic() < until:
        for partition in context.partitions:
            version = version_of(destination, context, partition)
            assert version is not None, "a partition was gone for a moment"
            assert version >= last[partition], "a reader went back in time"
            last[partition] = version
            reads += 1
    end.set()
    writer.join()
    assert getattr(writer, "exitcode", 0) == 0
    assert reads > 20 * seconds
    assert last[context.partitions[0]] > 3 * seconds, "the writer hardly wrote"


@pytest.mark.parametrize("kind", [*sorted(KINDS), "memory"])
def test_a_reader_at_full_speed_meets_whole_versions_only(kind: str, tmp_path: Path) -> None:
    """F9: no exception, every read one whole version, none older than the one before."""
    read_against_a_writer(kind, tmp_path, seconds=1.5)


@pytest.mark.full
@pytest.mark.parametrize("kind", [*sorted(KINDS), "memory"])
def test_thirty_seconds_of_reading_meet_whole_versions_only(kind: str, tmp_path: Path) -> None:
    """F9: the whole bar."""
    read_against_a_writer(kind, tmp_path, seconds=30)


def test_a_careful_reader_of_hooks_meets_whole_versions_only(tmp_path: Path) -> None:
    """F9: what overwrites in place may be met half written; under one and the same record before and after, never."""
    destination, context = make("hooks", tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    committer = destination.committer(context, call=run_hook)
    end = FORK.Event()
    writer = FORK.Process(target=write_until, args=("hooks", tmp_path, end))
    writer.start()
    met, until = 0, time.monotonic() + 1.5
    while time.monotonic() < until:
        before = committer.records([day.key])
        try:
            version, error = version_of(destination, context, day), None
        except (AssertionError, EOFError, pickle.UnpicklingError) as caught:
            version, error = None, caught
        if before and committer.records([day.key]) == before:
            assert error is None
            assert f"v{version}" == before[day.key].attempt
            met += 1
    end.set()
    writer.join()
    assert met > 0


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
