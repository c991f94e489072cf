"""Destinations that only write and read: refused late writers, suspect partitions, open intents."""

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.destination import Destination, Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.hook_commit import HookCommitter
from airflow_provider.errors import DestinationError, SupersededError
from airflow_provider.partitioning import Partition
from airflow_provider.storage import open_store
from airflow_provider.testing.destination_contract import StoredAsset, context_of, days


class Scripted(Destination):
    """Runs what the test asks for in the middle of a write."""

    meanwhile: ClassVar[list[Any]] = []
    stored: ClassVar[list[Any]] = []

    def write_partition(self, context: IOContext, partition: Partition | None, data: Any) -> None:
        if self.meanwhile:
            self.meanwhile.pop(0)()
        self.stored.append(data)


CONTEXT = context_of(StoredAsset(), days(1))
(DAY,) = CONTEXT.partitions
KEY = "2026-03-01"


@pytest.fixture
def committer(tmp_path: Path) -> HookCommitter:
    Scripted.meanwhile.clear()
    Scripted.stored.clear()
    return HookCommitter(Scripted(), CONTEXT, lambda hook, *args: hook(*args), open_store(str(tmp_path)))


def stamp(fence: int, attempt: str = "") -> Stamp:
    return Stamp(fence=fence, attempt=attempt or f"a{fence}")


def test_a_newer_commit_during_a_write_makes_the_partition_suspect_and_due(committer: HookCommitter) -> None:
    Scripted.meanwhile.append(lambda: committer.commit(DAY, "newer", stamp(2)))
    with pytest.raises(SupersededError, match="suspect"):
        committer.commit(DAY, "older", stamp(1))
    assert Scripted.stored == ["newer", "older"]
    assert committer.records([KEY]) == {}
    assert committer.all_records() == []
    assert "suspect" in committer.repair()[0]
    with pytest.raises(DestinationError, match="suspect") as caught:
        committer.require_settled([KEY])
    assert KEY in caught.value.where
    committer.commit(DAY, "again", stamp(3))
    assert committer.records([KEY])[KEY].attempt == "a3"
    committer.require_settled([KEY])


def test_an_older_write_that_lands_during_ours_makes_us_write_again(committer: HookCommitter) -> None:
    def older_lands() -> None:
        assert committer.state(KEY).intent_fence == 2
        committer._update(KEY, lambda state: replace(state, suspect=True))

    Scripted.meanwhile.append(older_lands)
    committer.commit(DAY, "newer", stamp(2))
    assert Scripted.stored == ["newer", "newer"]
    assert committer.state(KEY).is_settled


def test_a_late_writer_is_refused_before_it_writes(committer: HookCommitter) -> None:
    committer.commit(DAY, "newer", stamp(2))
    with pytest.raises(SupersededError, match="changed nothing"):
        committer.commit(DAY, "older", stamp(1))
    assert Scripted.stored == ["newer"]


def test_a_write_that_fails_is_unknown_and_may_be_tried_again(committer: HookCommitter) -> None:
    committer.commit(DAY, "old", stamp(1))

    def fail() -> None:
        raise RuntimeError("the store went away")

    Scripted.meanwhile.append(fail)
    with pytest.raises(RuntimeError):
        committer.commit(DAY, "new", stamp(2))
    assert committer.records([KEY]) == {}
    assert "unknown" in committer.repair()[0]
    with pytest.raises(DestinationError, match="being written"):
        committer.require_settled([KEY])
    committer.commit(DAY, "new", stamp(2))
    assert committer.records([KEY])[KEY].fence == 2


def test_the_whole_and_a_key_called_whole_stay_apart(committer: HookCommitter) -> None:
    committer.commit(None, "w", stamp(1))
    assert committer.records([None, "whole"]).keys() == {None}
    assert [record.key for record in committer.all_records()] == [None]


def test_the_hooks_are_given_no_rows_in_the_form_they_ask_for(tmp_path: Path) -> None:
    class InArrow(Scripted):
        representation: ClassVar[str | None] = "arrow"
        stored: ClassVar[list[Any]] = []

    committer = HookCommitter(InArrow(), CONTEXT, lambda hook, *args: hook(*args), open_store(str(tmp_path)))

    assert committer.commit_empty(DAY, stamp(1)).state == "empty"

    assert [type(data).__name__ for data in InArrow.stored] == ["Table"]
    assert InArrow.stored[0].num_rows == 0


def test_a_write_by_hand_hands_over_the_form_asked_for() -> None:
    class InArrow(Scripted):
        representation: ClassVar[str | None] = "arrow"
        stored: ClassVar[list[Any]] = []

    InArrow().write(CONTEXT, [{"day": DAY.date, "n": 1}])

    assert [data.to_pylist() for data in InArrow.stored] == [[{"day": DAY.date, "n": 1}]]
