"""What the index is told."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from airflow_provider.definitions.decorators import asset
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import AssetError, DestinationError, SupersededError
from airflow_provider.execution import journal as journal_module
from airflow_provider.execution.journal import Journal
from airflow_provider.execution.write import RunInfo, Target
from airflow_provider.ledger.record import AttemptNote, CommitRecord, utc_text
from airflow_provider.storage.index import open_index

INFO = RunInfo("attempt", {"run_id": "r"})


@asset
def users() -> list[dict[str, Any]]:
    return []


def target() -> Target:
    return Target(MemoryDestination(), None)  # type: ignore[arg-type]


def record(key: str = "2026-03-01") -> CommitRecord:
    now = utc_text(dt.datetime.now(dt.timezone.utc))
    return CommitRecord("users", "memory:", key, 1, "attempt", committed_at=now)


def commit_and_fail() -> None:
    with Journal(users()) as journal:
        journal.committed(record())
        raise ZeroDivisionError


def notes() -> list[AttemptNote]:
    return [entry for entry in open_index().entries("users") if isinstance(entry, AttemptNote)]


def test_each_outcome_is_noted() -> None:
    with Journal(users()) as journal:
        journal.running([target()], ["a", "b"], INFO)
        assert [note.outcome for note in notes()] == ["running", "running"]
        journal.failed([target()], ["a"], INFO, AssetError("gone", where="asset", fix="wait"))
        journal.superseded(target(), "b", INFO, DestinationError("newer", where="asset", fix="wait"))
        journal.kept(target(), None, INFO)

    told = [(note.key, note.outcome, note.error.partition("\n")[0]) for note in notes()]
    assert told == [("a", "failed", "asset: gone"), ("b", "superseded", "asset: newer"), (None, "ok", "")]
    assert {(note.attempt, note.run["run_id"], note.destination) for note in notes()} == {("attempt", "r", "memory:")}


def test_of_the_errors_of_others_only_the_class_is_kept() -> None:
    with Journal(users()) as journal:
        journal.failed([target()], ["a"], INFO, OSError("hunter2"))

    assert notes()[0].error == "OSError"


def test_a_writer_whose_data_may_have_landed_last_is_seen_as_failed() -> None:
    error = SupersededError("newer; the partition is suspect", where="asset", fix="run it again")
    error.leaves_suspect = True
    with Journal(users()) as journal:
        journal.superseded(target(), "b", INFO, error)

    assert [(note.outcome, "suspect" in note.error) for note in notes()] == [("failed", True)]


def test_commits_are_written_in_batches_and_all_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "MAX_LINES", 3)
    monkeypatch.setattr(journal_module, "MAX_DELAY_S", 60.0)
    seen = []
    with Journal(users()) as journal:
        for day in range(1, 6):
            journal.committed(record(f"2026-03-0{day}"))
            seen.append(len(open_index().entries("users")))

    assert seen == [0, 0, 3, 3, 3]
    assert len(open_index().entries("users")) == 5


def test_a_run_that_fails_is_written_down_too() -> None:
    with pytest.raises(ZeroDivisionError):
        commit_and_fail()

    assert open_index().read("users").keys == ["2026-03-01"]


def test_an_index_that_cannot_be_written_is_an_error_and_hides_no_other_one(
    index_uri: Path, caplog: pytest.LogCaptureFixture
) -> None:
    index_uri.write_text("a file where the folder should be", encoding="utf-8")

    with pytest.raises(DestinationError), Journal(users()) as journal:
        journal.committed(record())
    with pytest.raises(ZeroDivisionError):
        commit_and_fail()
    assert "the index could not be told what the run did" in caplog.text


def test_nothing_to_say_touches_no_index(index_uri: Path) -> None:
    with Journal(users()) as journal:
        journal.running([], ["a"], INFO)

    assert not index_uri.exists()
