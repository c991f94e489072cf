"""A run that stops at one of thirty partitions, and the retry that ends it: nothing twice, nothing lost."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from fault_tools import KINDS, ROWS, check_agreement, produced_at, staged_files, version_of

from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.commit import PosixCommitter
from airflow_provider.errors import DestinationError
from airflow_provider.execution import runner
from airflow_provider.execution.outcome import RunResult
from airflow_provider.execution.write import RunInfo
from airflow_provider.storage.index import open_index
from airflow_provider.testing.destination_contract import days

WINDOW = days(30)


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))


def run(made: Any, attempt: str = "v2") -> RunResult:
    return runner.execute(made, windows=(WINDOW,), info=RunInfo(attempt))


def files(base: Path) -> dict[str, bytes]:
    return {str(path.relative_to(base)): path.read_bytes() for path in base.rglob("data.*")}


def from_then_on(number: int, act: Any) -> Any:
    """``PosixCommitter.commit`` that does ``act`` instead, from the n-th call on."""
    real, calls = PosixCommitter.commit, []

    def commit(self: Any, *args: Any) -> Any:
        calls.append(args)
        return act() if len(calls) > number else real(self, *args)

    return commit


def refuse() -> None:
    raise DestinationError("is away", where="the store", fix="wait")


@pytest.mark.parametrize("at", [0, 1, 17, 29])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_retry_after_failing_at_a_partition_equals_a_clean_run(
    kind: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F7: what stands before the failure stays as it is, byte by byte; the retry writes the rest."""
    clean, base = tmp_path / "clean", tmp_path / "base"
    run(produced_at(2)(destinations=KINDS[kind](base_path=clean)))
    made = produced_at(2)(destinations=KINDS[kind](base_path=base))
    with monkeypatch.context() as patched:
        patched.setattr(PosixCommitter, "commit", from_then_on(at, refuse))
        assert len(run(made).bad) == 30 - at
    before = files(base)
    assert len(before) == at

    statuses = [outcome.status for outcome in run(made).outcomes]

    assert statuses == ["held"] * at + ["committed"] * (30 - at)
    assert files(base) == files(clean)
    assert {name: files(base)[name] for name in before} == before
    assert made.partition_row_counts() == dict.fromkeys(WINDOW.keys, ROWS)
    indexed = open_index().read("orders", made.default_destination.address).records
    assert {key: record.rows for key, record in indexed.items()} == dict.fromkeys(WINDOW.keys, ROWS)


@pytest.mark.parametrize("at", [0, 1, 17, 29])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_retry_after_being_killed_at_a_partition_equals_a_clean_run(kind: str, at: int, tmp_path: Path) -> None:
    """F7: the killed run could say nothing, not even to the index."""
    base = tmp_path / "base"
    made = produced_at(2)(destinations=KINDS[kind](base_path=base))
    run(produced_at(1)(destinations=KINDS[kind](base_path=base)), "v1")
    pid = os.fork()
    if pid == 0:
        try:
            PosixCommitter.commit = from_then_on(at, lambda: os.kill(os.getpid(), signal.SIGKILL))  # type: ignore[method-assign]
            run(made)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL

    statuses = [outcome.status for outcome in run(made).outcomes]

    assert statuses == ["held"] * at + ["committed"] * (30 - at)
    context = IOContext(made, WINDOW)
    destination: Any = made.default_destination
    assert {version_of(destination, context, partition) for partition in WINDOW} == {2}
    check_agreement(destination, context)
    assert staged_files(base / "shop" / "orders") == []
    indexed = open_index().read("orders", destination.address).records
    assert {key: record.attempt for key, record in indexed.items()} == dict.fromkeys(WINDOW.keys, "v2")


def test_a_clear_after_a_failure_writes_everything_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F7: another attempt does not count what the failed one left as its own."""
    made = produced_at(2)(destinations=KINDS["parquet"](base_path=tmp_path / "base"))
    with monkeypatch.context() as patched:
        patched.setattr(PosixCommitter, "commit", from_then_on(17, refuse))
        run(made, "before")

    assert {outcome.status for outcome in run(made, "after").outcomes} == {"committed"}
