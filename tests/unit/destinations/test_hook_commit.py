"""Destinations that only write and read: refused late writers, suspect partitions, open intents."""

import contextlib
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.destination import Destination, Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations import lease
from airflow_provider.destinations.hook_commit import HookCommitter, PartitionState
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


def killed() -> None:
    raise KeyboardInterrupt


def stamp(fence: int, attempt: str = "") -> Stamp:
    return Stamp(fence=fence, attempt=attempt or f"a{fence}")


def test_a_newer_commit_during_a_write_makes_the_partition_suspect_and_due(committer: HookCommitter) -> None:
    Scripted.meanwhile.append(lambda: committer.commit(DAY, "newer", stamp(2)))
    with pytest.raises(SupersededError, match="suspect") as superseded:
        committer.commit(DAY, "older", stamp(1))
    assert superseded.value.leaves_suspect
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
    with pytest.raises(DestinationError, match="unknown: a write began and did not end"):
        committer.require_settled([KEY])
    committer.commit(DAY, "new", stamp(2))
    assert committer.records([KEY])[KEY].fence == 2


def test_a_write_at_work_renews_its_lease_and_is_neither_believed_nor_reported(
    committer: HookCommitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LEASE_S", 0.3)
    seen: list[Any] = []

    def look_for_a_while() -> None:
        first = committer.state(KEY)
        time.sleep(0.7)
        later = committer.state(KEY)
        seen.extend([later.is_running, later.lease > first.lease, committer.repair(), committer.records([KEY])])
        with pytest.raises(DestinationError, match="is being written") as caught:
            committer.require_settled([KEY])
        seen.append(caught.value.fix)

    Scripted.meanwhile.append(look_for_a_while)
    committer.commit(DAY, "new", stamp(1))
    assert seen == [True, True, [], {}, "wait for the write to end"]
    assert committer.state(KEY) == replace(committer.state(KEY), lease="", intent_fence=0)


def test_an_open_intent_whose_lease_is_over_is_unknown_and_due(
    committer: HookCommitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LEASE_S", 0.05)

    with monkeypatch.context() as patched:
        patched.setattr(lease, "renewed", lambda _: contextlib.nullcontext())
        patched.setattr(PartitionState, "lapsed", lambda state, _: state)
        Scripted.meanwhile.append(killed)
        with pytest.raises(KeyboardInterrupt):
            committer.commit(DAY, "new", stamp(1))
    time.sleep(0.06)
    assert not committer.state(KEY).is_running
    assert "unknown" in committer.repair()[0]
    assert committer.records([KEY]) == {}


def test_a_lease_that_cannot_be_renewed_does_not_stop_the_write(
    committer: HookCommitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LEASE_S", 0.03)
    tried: list[int] = []

    def refuse(state: PartitionState, fence: int) -> PartitionState:
        tried.append(fence)
        raise DestinationError("no", where="here", fix="wait")

    monkeypatch.setattr(PartitionState, "renewed", refuse)
    Scripted.meanwhile.append(lambda: time.sleep(0.1))
    assert committer.commit(DAY, "new", stamp(1)).fence == 1
    assert tried


def test_the_state_of_an_older_version_has_no_lease(committer: HookCommitter) -> None:
    text = b'{"record": null, "intent": {"fence": 3, "attempt": "a"}, "suspect": false}'
    state = PartitionState.from_json(text, where="x")
    assert (state.intent_fence, state.is_running) == (3, False)
    assert "unknown" in state.unsettled


def test_what_was_there_before_is_adopted_below_every_fence(committer: HookCommitter) -> None:
    record, is_new = committer.adopt(DAY, 5, stamp(0, "adopt:x"))
    assert (is_new, record.rows, record.fence) == (True, 5, 0)
    assert committer.adopt(DAY, 7, stamp(0, "adopt:y")) == (record, False)
    assert committer.commit(DAY, "new", stamp(1)).fence == 1
    assert committer.adopt(DAY, 7, stamp(0, "adopt:y"))[0].fence == 1
    assert Scripted.stored == ["new"]


def test_what_cannot_be_believed_is_not_adopted(committer: HookCommitter) -> None:
    committer._update(KEY, lambda state: replace(state, suspect=True))
    with pytest.raises(DestinationError, match="suspect"):
        committer.adopt(DAY, 5, stamp(0))


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
