"""Commits: fences and late attempts, records, several writers, readers meanwhile, and a crash in the middle.

The stronger checks follow from the guarantee that the destination states: with ``atomic`` a reader sees old or new at
any moment; with ``idempotent`` it may see a mixture, but no commit record vouches for one, and the next run mends it.
"""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airflow_provider.definitions.destination import Destination, Stamp, in_form
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import SupersededError
from airflow_provider.testing import crash
from airflow_provider.testing.contract import ability
from airflow_provider.testing.destination_suite import DestinationSuite
from airflow_provider.testing.samples import context_of, days, plain, rows_for

ROWS = 40
ROUNDS = 25
_STRENGTH = ("none", "idempotent", "atomic")


class CommitContract(DestinationSuite):
    """Laws 4, 10 and 17: abilities ``crash``, ``writers``."""

    def test_the_committer_keeps_the_guarantee_that_the_destination_states(self, destination: Destination) -> None:
        kept = self.committer(destination, context_of(self.asset, days(1))).guarantee
        assert _STRENGTH.index(kept) >= _STRENGTH.index(destination.guarantee), f"keeps {kept!r} only"

    def test_the_address_is_the_same_for_the_same_place(self, destination: Destination, folder: Path) -> None:
        assert self.make(folder).address == destination.address

    def test_what_one_instance_wrote_another_one_reads(self, destination: Destination, folder: Path) -> None:
        context = context_of(self.asset, days(2))
        self.store(destination, context, rows_for(context.partitions))
        assert plain(self.load(self.make(folder), context)) == rows_for(context.partitions)

    def test_fences_rise(self, destination: Destination, folder: Path) -> None:
        context = context_of(self.asset, days(1))
        fences = [self.committer(self.make(folder), context).take_fence() for _ in range(5)]
        assert fences == sorted(set(fences))

    def test_a_late_writer_is_refused(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        late, newer = self.committer(destination, context), self.committer(destination, context)
        late_fence, newer_fence = late.take_fence(), newer.take_fence()
        (day,) = context.partitions
        newer.commit(day, _version(destination, day, 2), Stamp(fence=newer_fence, attempt="newer"))
        with pytest.raises(SupersededError, match="newer"):
            late.commit(day, _version(destination, day, 1), Stamp(fence=late_fence, attempt="late"))
        assert self.version(destination, context) == 2
        assert late.records([day.key if day else None])["2026-03-01"].attempt == "newer"

    def test_a_late_writer_empties_nothing(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        late = self.committer(destination, context)
        fence = late.take_fence()
        self.store(destination, context, _rows(context.partitions[0], 2))
        with pytest.raises(SupersededError):
            late.commit_empty(context.partitions[0], Stamp(fence=fence, attempt="late"))
        assert self.version(destination, context) == 2

    def test_a_fence_commits_a_partition_once(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        (day,) = context.partitions
        fence = self.store(destination, context, _rows(day, 1), attempt="first")
        committer = self.committer(destination, context)
        with pytest.raises(SupersededError):
            committer.commit(day, _version(destination, day, 2), Stamp(fence=fence, attempt="again"))
        assert self.version(destination, context) == 1

    def test_records_say_what_was_committed(self, destination: Destination) -> None:
        context = context_of(self.asset, days(3))
        fence = self.store(destination, context, rows_for(context.partitions), attempt="mine")
        committer = self.committer(destination, context)
        found = committer.records(["2026-03-02", "2026-03-09"])
        assert list(found) == ["2026-03-02"]
        record = found["2026-03-02"]
        assert (record.asset, record.destination) == ("shop.orders", destination.address)
        assert (record.fence, record.attempt, record.state, record.rows) == (fence, "mine", "committed", 2)
        assert sorted(r.key or "" for r in committer.all_records()) == ["2026-03-01", "2026-03-02", "2026-03-03"]

    def test_a_healthy_store_needs_no_repair(self, destination: Destination) -> None:
        context = context_of(self.asset, days(2))
        self.store(destination, context, rows_for(context.partitions))
        assert self.committer(destination, context).repair() == []
        assert destination.check() == []

    @ability("writers")
    def test_of_two_writers_of_a_partition_one_wins_whole(self, destination: Destination, folder: Path) -> None:
        context = context_of(self.asset, days(2))
        self.store(destination, context, [row for day in context.partitions for row in _rows(day, 0)])
        with _threads(lambda: self.write_often(folder, ROUNDS), lambda: self.write_often(folder, ROUNDS)):
            pass
        self.assert_believed_is_whole(destination, context)
        assert self.version(destination, context.narrowed(context.partitions[1])) == 0
        self.store(destination, context, [row for day in context.partitions for row in _rows(day, 9999)])
        assert {self.version(destination, context.narrowed(day)) for day in context.partitions} == {9999}
        assert self.committer(destination, context).repair() == []

    @ability("writers")
    def test_a_reader_meets_no_mixture(self, destination: Destination, folder: Path) -> None:
        context = context_of(self.asset, days(1))
        self.store(destination, context, _rows(context.partitions[0], 0))
        last = 0
        with _threads(lambda: self.write_often(folder, ROUNDS)) as writers:
            while any(writer.is_alive() for writer in writers):
                found = self.believed(destination, context)
                assert found is None or found >= last, "a reader went back in time"
                last = last if found is None else found
        assert self.version(destination, context) >= last

    @ability("crash")
    def test_a_crash_at_any_moment_is_survived(self, destination: Destination, folder: Path) -> None:
        if not hasattr(os, "fork"):
            pytest.skip("needs os.fork")
        context, bystander = context_of(self.asset, days(1)), context_of(self.asset, days(2))
        self.store(destination, bystander, [row for day in bystander.partitions for row in _rows(day, 0)])

        def write(version: int) -> None:
            rows = [row for day in context.partitions for row in _rows(day, version)]
            self.store(self.make(folder), context, rows, attempt=f"v{version}")

        write(1)
        moments = crash.moments(lambda: write(2), changes=90, others=6)
        write(3)
        for version, moment in enumerate(moments, start=4):
            crash.killed(lambda: write(version), moment)  # noqa: B023 -- done before the next turn
            self.assert_believed_is_whole(destination, context)
            assert self.version(destination, bystander.narrowed(bystander.partitions[1])) == 0
        self.committer(destination, context).repair()
        write(9999)
        versions = [self.version(destination, bystander.narrowed(day)) for day in bystander.partitions]
        assert versions == [9999, 0]
        assert self.committer(destination, context).repair() == []

    def write_often(self, folder: Path, rounds: int) -> None:
        """Commit the first day again and again, each time under a fence of its own, which is the version too."""
        destination, context = self.make(folder), context_of(self.asset, days(1))
        committer = self.committer(destination, context)
        for _ in range(rounds):
            fence = committer.take_fence()
            with contextlib.suppress(SupersededError):
                data = _version(destination, context.partitions[0], fence)
                committer.commit(context.partitions[0], data, Stamp(fence=fence, attempt=f"v{fence}"))

    def version(self, destination: Destination, context: IOContext) -> int:
        """The one version that the context's one partition holds, which must be whole."""
        rows = plain(self.load(destination, context))
        found = {row["version"] for row in rows}
        assert len(found) == 1, f"a mixture of versions {found}"
        assert len(rows) == ROWS, f"{len(rows)} of {ROWS} rows"
        (version,) = found
        return int(version)

    def believed(self, destination: Destination, context: IOContext) -> int | None:
        """What a careful reader finds: the version, or None where no record vouches for what is there.

        A destination that is ``atomic`` needs no care: there, every read counts.
        """
        committer, key = self.committer(destination, context), _key(context)
        if self.is_atomic(destination):
            return self.version(destination, context)
        before = committer.records([key]).get(key)
        try:
            found, error = self.version(destination, context), None
        except Exception as caught:  # noqa: BLE001 -- of a partition that is being written anything may be found
            found, error = 0, caught
        if before is None or committer.records([key]).get(key) != before:
            return None
        if error is not None:
            raise error
        return found

    def assert_believed_is_whole(self, destination: Destination, context: IOContext) -> None:
        """Each partition is whole, or known not to be."""
        for partition in context.partitions:
            self.believed(destination, context.narrowed(partition))


def _rows(partition: Any, version: int) -> list[dict[str, Any]]:
    return rows_for([partition], version=version, per_day=ROWS)


def _version(destination: Destination, partition: Any, version: int) -> Any:
    return in_form(destination, _rows(partition, version))


def _key(context: IOContext) -> str | None:
    (partition,) = context.partitions
    return None if partition is None else partition.key


@contextlib.contextmanager
def _threads(*works: Any) -> Iterator[list[threading.Thread]]:
    """Run functions beside the block; what one of them raises is raised when the block ends."""
    failures: list[BaseException] = []

    def guarded(work: Any) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 -- raised again below
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield threads
    finally:
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]
