"""kill -9 at random moments of a window write: every partition stays old or new, whole, and repair makes all agree."""

import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fault_tools import (
    ASSET,
    KINDS,
    KINDS_AND_HOOKS,
    believed_version,
    check_agreement,
    produced_at,
    staged_files,
    table,
    version_of,
)
from rich.console import Console

import airflow_provider
from airflow_provider.cli.console import Terminal
from airflow_provider.cli.rebuild import rebuild
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.storage.index import open_index
from airflow_provider.testing.destination_contract import context_of, days, run_hook

PARTITIONS = 12
YEAR = 365
FIXED_NAMES = 3  # files that have one temporary name each: the fence, and the type sidecars of the two schemas


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))


@contextmanager
def writer(kind: str, base: Path, acks: Path, writes: str = "commits") -> Iterator[subprocess.Popen[str]]:
    script = Path(__file__).with_name("fault_tools.py")
    root = str(Path(airflow_provider.__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, str(script), writes, kind, str(base), str(acks)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    ) as process:
        yield process
        process.stdin.close()  # type: ignore[union-attr]


def kill_once(process: subprocess.Popen[str], first: int, partitions: int, after_s: float) -> None:
    process.stdin.write(f"{first} {partitions}\n")  # type: ignore[union-attr]
    process.stdin.flush()  # type: ignore[union-attr]
    pid = int(process.stdout.readline())  # type: ignore[union-attr]
    time.sleep(after_s)
    os.kill(pid, signal.SIGKILL)
    assert process.stdout.readline() == "dead\n"  # type: ignore[union-attr]


def acknowledged(acks: Path) -> dict[str, int]:
    lines = acks.read_text().splitlines() if acks.exists() else []
    return {key: int(version) for key, version in (line.split() for line in lines)}


def run_kills(kind: str, tmp_path: Path, kills: int) -> None:
    """Every third kill falls into a window of a year; the others into one of twelve days."""
    base, acks = tmp_path / "base", tmp_path / "acks"
    destination: Any = KINDS_AND_HOOKS[kind](base_path=str(base))
    year = context_of(ASSET, days(YEAR + 1))
    bystander = year.partitions[-1]
    committed(destination, year.narrowed(bystander), 0)
    untouched = bytes_of(base, bystander)
    chance = random.Random(kills)
    highest = 0
    with writer(kind, base, acks) as process:
        for number in range(kills):
            partitions = YEAR if number % 3 == 2 else PARTITIONS
            kill_once(process, highest + 1, partitions, chance.uniform(0.003, 0.3 if partitions == YEAR else 0.045))
            told = acknowledged(acks)
            for partition in year.partitions[:partitions]:
                version = found_version(kind, destination, year, partition, told.get(partition.key, 0))
                highest = max(highest, version or 0, told.get(partition.key, 0))
            litter = staged_files(base)
            assert sum(path.name.startswith(".data.") for path in litter) <= number + 1
            assert sum(path.name.endswith(".tmp") for path in litter) <= FIXED_NAMES, "these must not add up"
            assert all(path.name.startswith(".data.") or path.name.endswith(".tmp") for path in litter)
            assert bytes_of(base, bystander) == untouched, "a partition outside the window has changed"
            if kind in KINDS and number % 5 == 0:
                destination.committer(year).repair()
                check_agreement(destination, year)
    assert highest > kills / 4, "the writers hardly wrote: the kills came too early to mean anything"
    finish(kind, destination, context_of(ASSET, days(YEAR)), base, highest + 1)


def found_version(kind: str, destination: Any, context: Any, partition: Any, told: int) -> int | None:
    """What a reader finds, which must be whole and not older than what was acknowledged.

    Of hooks that overwrite in place it is what a record vouches for: without one, the partition is due again.
    """
    if kind in KINDS:
        version = version_of(destination, context, partition)
        assert (version or 0) >= told, "an acknowledged write is gone"
        return version
    version = believed_version(destination, context, partition)
    assert version is None or version >= told
    return version


def committed(destination: Any, context: Any, version: int) -> None:
    from airflow_provider.definitions.destination import Stamp

    committer = destination.committer(context, call=run_hook)
    fence = committer.take_fence()
    for partition in context.partitions:
        committer.commit(partition, table(partition, version), Stamp(fence=fence, attempt=f"v{version}"))


def bytes_of(base: Path, partition: Any) -> dict[str, bytes]:
    files = [path for path in base.rglob("*") if path.is_file() and partition.key in str(path)]
    return {str(path): path.read_bytes() for path in files}


def finish(kind: str, destination: Any, context: Any, base: Path, version: int) -> None:
    """A clean run after all the crashes leaves no litter."""
    committed(destination, context, version)
    destination.committer(context, call=run_hook).repair()
    assert {believed_version(destination, context, p) for p in context.partitions} == {version}
    assert staged_files(base) == []
    assert destination.committer(context, call=run_hook).repair() == []


@pytest.mark.parametrize(("kind", "kills"), [("parquet", 100), ("csv", 100), ("file", 100), ("hooks", 30)])
def test_killed_writers_leave_whole_partitions(kind: str, kills: int, tmp_path: Path) -> None:
    """F1, F3: at most one staged partition for each kill, none of them is read, and all are swept.

    A CSV file's type sidecar has a temporary beside it, whose name is fixed: however many kills, there is one of it.
    """
    run_kills(kind, tmp_path, kills)


def test_after_killed_runs_the_rebuilt_index_says_what_is_stored(tmp_path: Path) -> None:
    """F1: whole runs, the index included; what was told is indexed, and a rebuild says what is stored."""
    base, acks = tmp_path / "base", tmp_path / "acks"
    made = produced_at(0)(destinations=KINDS["parquet"](base_path=base))
    context = IOContext(made, days(PARTITIONS))
    chance, highest = random.Random(1), 0
    with writer("parquet", base, acks, "runs") as process:
        for _ in range(60):
            kill_once(process, highest + 1, PARTITIONS, chance.uniform(0.005, 0.12))
            told, indexed = acknowledged(acks), open_index().read("orders").records
            assert all(int(indexed[key].attempt[1:]) >= version for key, version in told.items())
            rebuilt = rebuild_index(made)
            stored = {p.key: version_of(made.default_destination, context, p) for p in context.partitions}
            assert {key: int(rebuilt[key].attempt[1:]) if key in rebuilt else None for key in stored} == stored
            highest = max(highest, *(version or 0 for version in stored.values()))
    assert highest > 3, "the runs hardly wrote: the kills came too early to mean anything"


def rebuild_index(made: Any) -> Any:
    """What the index says after ``airflow-assets index rebuild``."""
    nowhere = Console(file=io.StringIO())
    rebuild(Terminal(nowhere, nowhere), [made], open_index())
    return open_index().read("orders").records


@pytest.mark.full
@pytest.mark.parametrize("kind", sorted(KINDS_AND_HOOKS))
def test_a_thousand_killed_writers(kind: str, tmp_path: Path) -> None:
    """F1, F3: the whole bar, for each destination."""
    run_kills(kind, tmp_path, 1000)


def test_staged_files_are_swept_by_the_next_commit_and_never_read(tmp_path: Path) -> None:
    """F3: the litter of a dead writer looks like data to nobody, and goes with the next commit of its partition."""
    destination, context = KINDS["parquet"](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    committed(destination, context, 1)
    folder = Path(destination.folder(context).folder(day.key))
    litter = folder / f"{destination.folder(context).staged_prefix()}1.dead"
    litter.write_bytes((folder / "data.parquet").read_bytes()[:100])

    assert version_of(destination, context, day) == 1
    assert destination.partition_row_counts(context) == {"2026-03-01": 40}
    committed(destination, context, 2)
    assert not litter.exists()
