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
from fault_tools import ASSET, KINDS, check_agreement, produced_at, staged_files, table, version_of
from rich.console import Console

import airflow_provider
from airflow_provider.cli.console import Terminal
from airflow_provider.cli.rebuild import rebuild
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.storage.index import open_index
from airflow_provider.testing.destination_contract import context_of, days

PARTITIONS = 12


@contextmanager
def writer(kind: str, base: Path, acks: Path, writes: str = "commits") -> Iterator[subprocess.Popen[str]]:
    script = Path(__file__).with_name("fault_tools.py")
    root = str(Path(airflow_provider.__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, str(script), writes, kind, str(base), str(acks), str(PARTITIONS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    ) as process:
        yield process
        process.stdin.close()  # type: ignore[union-attr]


def kill_once(process: subprocess.Popen[str], first: int, after_s: float) -> None:
    process.stdin.write(f"{first}\n")  # type: ignore[union-attr]
    process.stdin.flush()  # type: ignore[union-attr]
    pid = int(process.stdout.readline())  # type: ignore[union-attr]
    time.sleep(after_s)
    os.kill(pid, signal.SIGKILL)
    assert process.stdout.readline() == "dead\n"  # type: ignore[union-attr]


def acknowledged(acks: Path) -> dict[str, int]:
    lines = acks.read_text().splitlines() if acks.exists() else []
    return {key: int(version) for key, version in (line.split() for line in lines)}


def run_kills(kind: str, tmp_path: Path, kills: int) -> None:
    base, acks = tmp_path / "base", tmp_path / "acks"
    destination, context = KINDS[kind](base_path=base), context_of(ASSET, days(PARTITIONS))
    chance = random.Random(kills)
    highest = 0
    with writer(kind, base, acks) as process:
        for number in range(kills):
            kill_once(process, highest + 1, chance.uniform(0.002, 0.045))
            told, versions = acknowledged(acks), {}
            for partition in context.partitions:
                version = version_of(destination, context, partition)
                versions[partition.key] = version or 0
                assert versions[partition.key] >= told.get(partition.key, 0), "an acknowledged write is gone"
            highest = max(highest, *versions.values())
            assert len(staged_files(base / "shop" / "orders")) <= number + 1
            if number % 5 == 0 and base.exists():
                destination.committer(context).repair()
                check_agreement(destination, context)
    assert highest > kills / 4, "the writers hardly wrote: the kills came too early to mean anything"
    finish(destination, context, base, highest + 1)


def finish(destination: Any, context: Any, base: Path, version: int) -> None:
    """A clean run after all the crashes leaves no litter."""
    import pyarrow as pa

    destination.write(context, pa.concat_tables([table(p, version) for p in context.partitions]))
    destination.committer(context).repair()
    assert {version_of(destination, context, p) for p in context.partitions} == {version}
    assert staged_files(base) == []
    assert destination.committer(context).repair() == []


@pytest.mark.parametrize(("kind", "kills"), [("parquet", 200), ("csv", 40), ("file", 40)])
def test_killed_writers_leave_whole_partitions(kind: str, kills: int, tmp_path: Path) -> None:
    run_kills(kind, tmp_path, kills)


def test_after_killed_runs_the_rebuilt_index_says_what_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    base, acks = tmp_path / "base", tmp_path / "acks"
    made = produced_at(0)(destinations=KINDS["parquet"](base_path=base))
    context = IOContext(made, days(PARTITIONS))
    chance, highest = random.Random(1), 0
    with writer("parquet", base, acks, "runs") as process:
        for _ in range(60):
            kill_once(process, highest + 1, chance.uniform(0.005, 0.12))
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
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_thousand_killed_writers(kind: str, tmp_path: Path) -> None:
    run_kills(kind, tmp_path, 1000)
