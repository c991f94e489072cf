"""What the hooks of a destination tell of what it holds."""

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.destination import Destination, Inspector, Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations import lease
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import DataNotFoundError, DestinationError
from airflow_provider.ledger.verify import data_findings
from airflow_provider.partitioning import Partition
from airflow_provider.testing.destination_contract import StoredAsset, context_of, days, rows_for

CONTEXT = context_of(StoredAsset(), days(2))
FIRST, SECOND = CONTEXT.partitions
KEYS = ["2026-03-01", "2026-03-02"]


def call(hook: Any, *args: Any) -> Any:
    return hook(*args)


class Dict(Destination):
    """Keeps rows in a dict; only reading tells what is there."""

    kept: ClassVar[dict[str, Any]] = {}

    def write_partition(self, context: IOContext, partition: Partition | None, data: Any) -> None:
        self.kept[partition.key if partition else ""] = data

    def read_partition(self, context: IOContext, partition: Partition | None) -> Any:
        try:
            return self.kept[partition.key if partition else ""]
        except KeyError:
            raise DataNotFoundError("nothing", where="dict", fix="write it") from None


class Counting(Dict):
    """Says how many rows there are."""

    def partition_row_counts(self, context: IOContext) -> dict[str, int]:
        return {key: len(rows) for key, rows in self.kept.items() if key and rows}


class Whole(Destination):
    """Defines ``read`` and ``write`` alone."""

    kept: ClassVar[dict[str, Any]] = Dict.kept

    def write(self, context: IOContext, data: Any) -> None:
        self.kept[context.partitions[0].key] = data

    def read(self, context: IOContext) -> Any:
        return self.kept[context.partitions[0].key]


@pytest.fixture(autouse=True)
def empty() -> None:
    Dict.kept.clear()


def inspector(destination: Destination, context: IOContext = CONTEXT) -> Inspector:
    return destination.inspector(context, call=call)


def fill(destination: Destination) -> None:
    committer = destination.committer(CONTEXT, call=call)
    for partition in CONTEXT.partitions:
        committer.commit(partition, rows_for([partition]), Stamp(committer.take_fence(), "a"))


def kinds(destination: Destination, **options: Any) -> dict[str | None, list[str]]:
    holdings = inspector(destination).holdings(**options)
    found = {holding.key: [one.kind for one in data_findings(holding)] for holding in holdings}
    return {key: kinds for key, kinds in found.items() if kinds}


@pytest.mark.parametrize("kind", [Dict, Counting, Whole, MemoryDestination])
@pytest.mark.parametrize("deep", [True, False])
def test_what_was_committed_agrees(kind: type[Destination], deep: bool) -> None:
    destination = kind()
    fill(destination)
    assert [holding.key for holding in inspector(destination).holdings(deep=deep)] == KEYS
    assert kinds(destination, deep=deep) == {}


def test_only_reading_tells_what_a_destination_without_counts_holds() -> None:
    fill(Dict())
    del Dict.kept[KEYS[0]]
    Dict.kept[KEYS[1]] = [{"n": 1}]
    assert [holding.is_there for holding in inspector(Dict()).holdings()] == [None, None]
    assert kinds(Dict()) == {}
    assert kinds(Dict(), deep=True) == {KEYS[0]: ["lost"], KEYS[1]: ["drift"]}


def test_counts_tell_what_is_gone_what_drifted_and_what_was_there_before() -> None:
    fill(Counting())
    del Dict.kept[KEYS[0]]
    Dict.kept |= {KEYS[1]: [{"n": 1}], "2026-03-07": [{"n": 1}], "2026": [{"n": 1}]}
    assert kinds(Counting()) == {
        KEYS[0]: ["lost"],
        KEYS[1]: ["drift"],
        "2026": ["untracked"],
        "2026-03-07": ["untracked"],
    }
    assert {one.key for one in inspector(Counting()).untracked()} == {"2026", "2026-03-07"}
    assert inspector(Dict()).untracked() == []


def test_a_partition_without_rows_may_be_left_out_of_the_counts() -> None:
    committer = Counting().committer(CONTEXT, call=call)
    committer.commit_empty(FIRST, Stamp(committer.take_fence(), "a"))
    committer.commit(SECOND, [], Stamp(committer.take_fence(), "a"))
    assert kinds(Counting()) == {}
    assert kinds(Counting(), deep=True) == {}


def test_what_the_reading_hook_raises_is_a_problem_of_that_partition() -> None:
    class Failing(Dict):
        def read_partition(self, context: IOContext, partition: Partition | None) -> Any:
            if partition == FIRST:
                raise RuntimeError("the disk is on fire")
            return super().read_partition(context, partition)

    fill(Failing())
    first, second = inspector(Failing()).holdings(deep=True)
    assert "RuntimeError" in first.problem
    assert second.problem == ""


def test_open_and_suspect_partitions_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    fill(Dict())
    committer: Any = Dict().committer(CONTEXT, call=call)
    committer._update(KEYS[0], lambda state: replace(state, suspect=True))
    committer._update(KEYS[1], lambda state: replace(state, intent_fence=9, lease=lease.until()))
    first, second = inspector(Dict()).holdings(deep=True)
    assert (first.unsettled, first.is_running) == ("suspect: an older write may have landed last", False)
    assert (second.unsettled, second.is_running) == ("", True)
    monkeypatch.setattr(lease, "has_expired", lambda _: True)
    assert next(iter(inspector(Dict()).holdings([KEYS[1]]))).unsettled.startswith("unknown")


@pytest.mark.parametrize("kind", [Dict, Counting])
def test_old_data_is_adopted_by_reading_it(kind: type[Destination]) -> None:
    Dict.kept[KEYS[0]] = [{"n": 1}, {"n": 2}]
    tried = inspector(kind()).adopt(FIRST, dry_run=True)
    assert tried.is_new
    assert kind().committer(CONTEXT, call=call).all_records() == []
    done = inspector(kind()).adopt(FIRST)
    assert (done.is_new, done.record.rows, done.record.fence) == (True, 2, 0)
    assert done.record.attempt == "adopt:2026-03-01"
    assert done.record.schema_fingerprint
    assert inspector(kind()).adopt(FIRST).is_new is False
    assert kinds(kind(), deep=True) == {}
    with pytest.raises(DataNotFoundError):
        inspector(kind()).adopt(SECOND)


def test_memory_has_nothing_to_adopt() -> None:
    with pytest.raises(DestinationError, match="nothing to adopt"):
        inspector(MemoryDestination()).adopt(FIRST)


def test_hooks_speak_of_keys_only() -> None:
    assert inspector(Dict()).unplaced() == []
