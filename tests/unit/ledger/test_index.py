"""What is held, and how the last attempt went, are kept apart."""

import pytest

from airflow_provider.errors import DataCorruptError
from airflow_provider.ledger import AssetIndex, AttemptNote, CommitRecord, Held, UntrackedNote, parse_line


def record(key: str | None = "2026-03-01", **fields: object) -> CommitRecord:
    values = {"fence": 1, "attempt": "a", "committed_at": "2026-03-02T00:00:00.000000Z", "rows": 5, **fields}
    return CommitRecord("shop.orders", "parquet:/lake", key, **values)  # type: ignore[arg-type]


def note(outcome: str, at: str, attempt: str = "b", key: str | None = "2026-03-01") -> AttemptNote:
    return AttemptNote("shop.orders", "parquet:/lake", key, attempt, outcome, at=at)  # type: ignore[arg-type]


def test_a_failed_attempt_leaves_what_is_held() -> None:
    index = AssetIndex.of([record(), note("failed", "2026-03-03T00:00:00.000000Z")])
    assert index.held("2026-03-01") == Held("committed", "failed")
    assert index.failed == ["2026-03-01"]


def test_a_commit_after_a_failure_is_ok() -> None:
    index = AssetIndex.of([note("failed", "2026-03-01T00:00:00.000000Z"), record()])
    assert index.held("2026-03-01") == Held("committed", "ok")
    assert index.failed == []


def test_states_of_keys() -> None:
    index = AssetIndex.of([record("a", state="empty", rows=0), note("running", "2026", key="b")], untracked=["c"])
    assert [index.held(key).held for key in "abcd"] == ["empty", "absent", "untracked", "absent"]
    assert index.held("b").last_attempt == "running"
    assert index.held("d") == Held("absent", None)


@pytest.mark.parametrize("outcome", ["running", "ok", "failed", "superseded", None])
@pytest.mark.parametrize("state", ["committed", "empty", "absent", "untracked"])
def test_what_is_held_and_how_the_last_attempt_went_are_any_pair(state: str, outcome: str | None) -> None:
    held = {"untracked": [UntrackedNote("shop.orders", "parquet:/lake", "2026-03-01")], "absent": []}.get(
        state, [record(state=state)]
    )
    index = AssetIndex.of([*held, *([] if outcome is None else [note(outcome, "2026-03-03T00:00:00.000000Z")])])
    is_recorded = state in ("committed", "empty")
    last = {"superseded": "ok" if is_recorded else None, None: "ok" if is_recorded else None}.get(outcome, outcome)
    assert index.held("2026-03-01") == Held(state, last)  # type: ignore[arg-type]


def test_a_record_outweighs_the_note_that_its_data_was_untracked() -> None:
    old = UntrackedNote("shop.orders", "parquet:/lake", "2026-03-01")
    assert AssetIndex.of([record(fence=0), old]).untracked == frozenset()
    assert AssetIndex.of([old]).untracked == {"2026-03-01"}


def test_counts() -> None:
    index = AssetIndex.of([record("b", bytes=7), record("a", rows=None), record("c", state="empty", rows=0)])
    assert index.row_counts == {"b": 5, "c": 0}
    assert (index.total_rows, index.total_bytes, index.keys) == (5, 7, ["a", "b", "c"])


def test_unknown_fields_of_a_newer_version_are_ignored() -> None:
    line = record().to_json().replace('"version":1', '"version":2,"later":true')
    assert parse_line(line, where="x").version == 2


@pytest.mark.parametrize("line", ["", "[]", "1", "{}", '{"asset": ', '{"type":"attempt"}', b"\xff"])
def test_a_damaged_line_is_named(line: str) -> None:
    with pytest.raises(DataCorruptError) as caught:
        parse_line(line, where="index.jsonl, line 3")
    assert caught.value.where == "index.jsonl, line 3"


def test_error_texts_are_bounded() -> None:
    assert len(AttemptNote("a", "d", None, "x", "failed", error="e" * 10_000).to_json()) < 1000
