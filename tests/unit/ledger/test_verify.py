"""What follows from what a store holds, what its records say, and what the index says."""

from dataclasses import replace
from typing import Any

import pytest

from airflow_provider.ledger import AssetIndex, CommitRecord, UntrackedNote
from airflow_provider.ledger.verify import KINDS, Holding, compare, states

KEY = "2026-03-01"
RECORD = CommitRecord("shop.orders", "parquet:/lake", KEY, 3, "a", rows=5, bytes=100, sha256="f" * 64, uri="file:///x")
GOOD = Holding(KEY, RECORD, is_there=True, bytes=100, sha256="f" * 64, rows=5, uri="/x")
TOLD = AssetIndex.of([RECORD])


def found(holding: Holding, index: AssetIndex = TOLD, **options: Any) -> list[tuple[str, str]]:
    return [(one.kind, one.what) for one in compare(holding, index, asset="shop.orders", **options)]


def test_what_agrees_is_no_finding() -> None:
    assert found(GOOD) == []
    assert found(replace(GOOD, sha256=None, rows=None)) == []
    assert found(replace(GOOD, is_there=None, bytes=None, sha256=None, rows=None)) == []
    assert found(Holding("2026-03-02", is_there=False)) == []


@pytest.mark.parametrize(
    ("changed", "kind", "what"),
    [
        ({"is_there": False, "bytes": None, "sha256": None, "rows": None}, "lost", "/x is gone"),
        ({"bytes": 99}, "damaged", "it has 99 bytes, its record says 100"),
        ({"sha256": "0" * 64}, "damaged", "its hash is not the one in its record: it was changed after the commit"),
        ({"problem": "cannot be read: no"}, "damaged", "it cannot be read: no"),
        ({"rows": 4}, "drift", "it has 4 rows, its record says 5"),
        ({"unsettled": "suspect"}, "unsettled", "suspect"),
        ({"unsettled": "open", "bytes": 99, "rows": 7}, "unsettled", "open"),
    ],
)
def test_data_that_is_not_what_was_committed(changed: dict[str, Any], kind: str, what: str) -> None:
    assert found(replace(GOOD, **changed)) == [(kind, what)]


def test_a_partition_recorded_as_empty_has_no_file_and_no_rows() -> None:
    empty = replace(RECORD, state="empty", rows=0, bytes=None, sha256=None)
    index = AssetIndex.of([empty])
    assert found(Holding(KEY, empty, is_there=False), index) == []
    assert found(Holding(KEY, empty, is_there=True, rows=0), index) == []
    assert found(Holding(KEY, empty, is_there=True, bytes=9), index)[0][0] == "damaged"
    assert found(Holding(KEY, empty, is_there=True, rows=2), index)[0][0] == "drift"


def test_data_without_a_record_is_untracked_and_says_whether_it_can_be_adopted() -> None:
    (finding,) = compare(Holding(KEY, is_there=True, bytes=7), AssetIndex(), asset="shop.orders")
    assert (finding.kind, finding.what) == ("untracked", "data of 7 bytes without a commit record")
    assert f"airflow-assets adopt shop.orders --window {KEY} keeps it" in finding.fix
    (bad,) = compare(Holding(KEY, is_there=True, problem="is no table"), AssetIndex(), asset="shop.orders")
    assert "which is no table" in bad.what
    assert "adopt" not in bad.fix


def test_a_damaged_record_does_not_make_its_data_untracked() -> None:
    holding = Holding(KEY, is_there=True, bytes=100, record_problem="is not a commit record (JSONDecodeError)")
    assert found(holding) == [("damaged", "its commit record is not a commit record (JSONDecodeError)")]


def test_the_index_is_held_against_the_records() -> None:
    assert found(GOOD, AssetIndex())[0][1].startswith("the index does not know its commit")
    stale = AssetIndex.of([replace(RECORD, fence=2, rows=1)])
    assert found(GOOD, stale) == [("index", "the index says fence 2 with 1 rows, the record 3, 5 rows")]
    assert found(Holding(KEY, is_there=False)) == [("index", "the index says committed, but there is no commit record")]
    gone = AssetIndex.of([UntrackedNote("shop.orders", "parquet:/lake", KEY)])
    assert found(Holding(KEY, is_there=False), gone) == [("index", "the index says untracked, but nothing is there")]


def test_what_is_no_partition_or_is_being_written_is_named_and_no_difference() -> None:
    for holding in (GOOD, Holding(KEY, is_there=True)):
        (foreign,) = compare(holding, AssetIndex(), asset="shop.orders", is_own=False)
        assert (foreign.kind, foreign.is_difference) == ("foreign", False)
    assert found(Holding(KEY, is_there=False), is_own=False) == []
    (running,) = compare(replace(GOOD, is_running=True, bytes=1), AssetIndex(), asset="shop.orders")
    assert (running.kind, running.is_difference) == ("running", False)


def test_every_finding_says_how_to_mend_it_for_a_shell() -> None:
    strange = replace(GOOD, key="it's; rm", bytes=1)
    (first, *_) = compare(strange, AssetIndex(), asset="shop.orders")
    assert first.fix.startswith("""airflow-assets materialize shop.orders --window 'it'"'"'s; rm'""")
    (whole, *_) = compare(replace(GOOD, key=None, bytes=1), AssetIndex(), asset="shop.orders")
    assert "--window" not in whole.fix


def test_states_are_counted() -> None:
    empty = replace(GOOD, record=replace(RECORD, state="empty"))
    assert states([GOOD, GOOD, empty, Holding("a", is_there=True), Holding("b")]) == {
        "committed": 2, "empty": 1, "untracked": 1, "absent": 1,
    }  # fmt: skip


def test_every_kind_is_explained() -> None:
    assert next(iter(KINDS)) == "lost"
    assert all(KINDS.values())
