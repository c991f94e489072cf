"""The index under real processes: appenders, compactors and readers at once, and kill -9 at every step."""

import contextlib
import errno
import multiprocessing
import os
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fault_tools import ASSET as STORED
from fault_tools import KINDS, produced_at
from test_faults_kill import rebuild_index
from test_faults_syscalls import CRASHED, LIMIT, patch_calls, run_forked

from airflow_provider.errors import DestinationError
from airflow_provider.execution import runner
from airflow_provider.execution.write import RunInfo
from airflow_provider.ledger import AssetIndex, AttemptNote, CommitRecord
from airflow_provider.storage import index as index_module
from airflow_provider.storage.index import IndexStore
from airflow_provider.testing.destination_contract import context_of, days

ASSET, PLACE = "shop.orders", "parquet:/lake"
RECORD = CommitRecord(ASSET, PLACE, "", 0, "")
ROUNDS = 200
KEYS = 7


def appender(root: str, name: str, acks: str) -> None:
    """Raise the fence of each key, round after round, and note what is acknowledged."""
    index_module.COMPACT_FROM_BYTES = 1 << 13
    store = IndexStore(root)
    handle = os.open(acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for fence in range(1, ROUNDS + 1):
        key = f"{name}{fence % KEYS}"
        note = AttemptNote(ASSET, PLACE, key, f"{fence}", "running", at=f"{fence:06}")
        store.append([note, replace(RECORD, key=key, fence=fence, attempt=f"{fence}")])
        os.write(handle, f"{key} {fence}\n".encode())


def compactor(root: str) -> None:
    """Compact without a pause."""
    while True:
        IndexStore(root).compact(ASSET)


def start(work: Any, *args: Any) -> Any:
    """A process of its own that does ``work``; forked, for it is killed a moment later."""
    process = multiprocessing.get_context("fork").Process(target=work, args=[str(arg) for arg in args], daemon=True)
    process.start()
    return process


def acknowledged(acks: Path) -> dict[str, int]:
    lines = acks.read_text().splitlines() if acks.exists() else []
    return {key: int(fence) for key, fence in (line.split() for line in lines)}


def fences(index: AssetIndex) -> dict[str | None, int]:
    return {key: record.fence for key, record in index.records.items()}


def expected(name: str) -> dict[str, int]:
    return {f"{name}{fence % KEYS}": fence for fence in range(1, ROUNDS + 1)}


@pytest.fixture
def processes() -> Any:
    started: list[Any] = []
    yield started
    for process in started:
        process.kill()
        process.join()


def test_two_appenders_a_compactor_and_a_reader_lose_nothing(
    tmp_path: Path, processes: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    store = IndexStore(str(tmp_path))
    store.append([replace(RECORD, key="first")])
    writers = [start(appender, tmp_path, name, tmp_path / name) for name in "ab"]
    processes += [*writers, start(compactor, tmp_path)]
    seen: dict[str | None, int] = {}
    reads = 0
    while any(writer.is_alive() for writer in writers):
        found = fences(store.read(ASSET))
        assert all(found.get(key, -1) >= fence for key, fence in seen.items()), "a reader saw an entry disappear"
        seen, reads = found, reads + 1
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert fences(store.read(ASSET)) == {"first": 0, **expected("a"), **expected("b")}
    assert {key: note.at for key, note in store.read(ASSET).notes.items()} == {
        key: f"{fence:06}" for key, fence in {**expected("a"), **expected("b")}.items()
    }
    assert reads > 20
    assert "damaged" not in caplog.text


def test_killed_appenders_and_compactors_lose_nothing_that_was_acknowledged(
    tmp_path: Path, processes: list[Any]
) -> None:
    store, chance = IndexStore(str(tmp_path)), random.Random(7)
    store.append([replace(RECORD, key="first")])
    told: dict[str, int] = {}
    for number in range(60):
        acks = tmp_path / f"acks{number}"
        pair = [start(compactor, tmp_path), start(appender, tmp_path, f"{number}-", acks)]
        processes += pair
        time.sleep(chance.uniform(0.01, 0.12))
        for process in pair if number % 2 else reversed(pair):
            process.kill()
            process.join()
        told |= acknowledged(acks)
        found = fences(store.read(ASSET))
        assert all(found.get(key, -1) >= fence for key, fence in told.items()), "an acknowledged entry is gone"
    assert len(told) > 60, "the appenders hardly wrote: the kills came too early to mean anything"
    store.append([replace(RECORD, key="last", attempt="a" * 5000)])
    store.compact(ASSET)
    assert {"first", "last", *told} <= set(store.read(ASSET).records)
    store.replace(ASSET, PLACE, lambda known: known)
    assert [path.name for path in tmp_path.rglob("*.tmp")] == []


def filled(root: Path) -> IndexStore:
    store = IndexStore(str(root))
    store.append(replace(RECORD, key=f"k{fence % 3}", fence=fence) for fence in range(30))
    return store


@pytest.mark.parametrize("work", ["compact", "append", "replace"])
def test_a_crash_before_any_call_leaves_the_index_as_it_was_or_as_it_shall_be(
    work: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "COMPACT_FROM_BYTES", 1024)
    new = replace(RECORD, key="new", fence=1)

    def run(store: IndexStore) -> None:
        if work == "compact":
            store.compact(ASSET)
        elif work == "replace":
            store.replace(ASSET, PLACE, lambda known: [*known, new])
        else:
            store.append(replace(new, attempt="a" * 4000) for _ in range(3))

    for at in range(1, 60):
        store = filled(tmp_path / str(at))
        before = fences(store.read(ASSET))
        code = run_forked(at, lambda: run(store))  # noqa: B023
        assert code in (0, CRASHED)
        assert fences(store.read(ASSET)) in ([before] if work == "compact" else [before, {**before, "new": 1}])
        run(store)
        assert fences(store.read(ASSET)) == (before if work == "compact" else {**before, "new": 1})
        assert [path.name for path in (tmp_path / str(at)).rglob("*.tmp")] == []
        if code == 0:
            break
    assert code == 0
    assert at > 4


def test_an_error_at_any_call_of_a_compaction_is_worded_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str, args: Any) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    for at in range(1, 60):
        store = filled(tmp_path / str(at))
        before = fences(store.read(ASSET))
        with monkeypatch.context() as patched:
            seen = patch_calls(at, fail, lambda name, function: patched.setattr(os, name, function))
            with contextlib.suppress(DestinationError):
                store.compact(ASSET)
        assert fences(store.read(ASSET)) == before
        if len(seen) < at:
            break
    assert len(seen) < at


def test_an_appender_that_waited_for_the_lock_writes_into_the_new_file(tmp_path: Path, processes: list[Any]) -> None:
    store = filled(tmp_path)
    (path,) = tmp_path.rglob("*.jsonl")
    inode = path.stat().st_ino
    with store._locked(str(path)):
        waiting = start(appender, tmp_path, "w", tmp_path / "acks")
        processes.append(waiting)
        time.sleep(0.3)
        index_module._compacted(str(path), path.read_bytes())
        assert path.stat().st_ino != inode
        assert acknowledged(tmp_path / "acks") == {}
    waiting.join()
    assert waiting.exitcode == 0
    assert fences(store.read(ASSET)) == {"k0": 27, "k1": 28, "k2": 29, **expected("w")}


@pytest.mark.parametrize(
    "kind", ["parquet", pytest.param("csv", marks=pytest.mark.full), pytest.param("file", marks=pytest.mark.full)]
)
def test_after_a_crash_at_any_call_of_a_run_or_a_rebuild_the_index_is_the_commit_records(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each round goes on where the last one was killed, so that what one crash leaves meets the next one."""
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    base = tmp_path / "base"

    def run(version: int) -> None:
        made = produced_at(version)(destinations=KINDS[kind](base_path=base))
        runner.execute(made, windows=(days(2),), info=RunInfo(f"a{version}")).raise_for_failures()

    run(0)
    for at in range(1, LIMIT):
        code = run_forked(at, lambda: run(at))  # noqa: B023
        made = produced_at(0)(destinations=KINDS[kind](base_path=base))
        rebuilding = run_forked(at % 37 + 1, lambda: rebuild_index(made))  # noqa: B023
        assert {code, rebuilding} <= {0, CRASHED}
        rebuilt = rebuild_index(made)
        committer = KINDS[kind](base_path=base).committer(context_of(STORED, days(2)))
        assert rebuilt == {record.key: record for record in committer.all_records()}
        assert len(rebuilt) == 2
        if code == 0:
            break
    assert code == 0
    assert at > 50
