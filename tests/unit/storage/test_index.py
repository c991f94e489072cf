"""The deployment's index on disk."""

import errno
import itertools
import json
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from airflow_provider.errors import ConfigError
from airflow_provider.ledger import AttemptNote, CommitRecord
from airflow_provider.storage import IndexStore, open_index
from airflow_provider.storage import index as index_module

RECORD = CommitRecord("shop.orders", "parquet:/lake", "2026-03-01", 1, "a", rows=3)


def test_ten_thousand_partitions_are_read_in_a_second(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    store.append(
        replace(RECORD, key=f"k{n:05}", upstreams={"shop.raw": "v" * 20}, sha256="0" * 64) for n in range(10_000)
    )
    began = time.process_time()
    index = store.read("shop.orders")
    assert time.process_time() - began < 1
    assert len(index.records) == 10_000


def test_destinations_of_one_asset_fold_together_or_apart(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    store.append([RECORD, replace(RECORD, destination="csv:/lake", fence=9, rows=4)])
    assert store.read("shop.orders").records["2026-03-01"].rows == 4
    assert store.read("shop.orders", "parquet:/lake").records["2026-03-01"].rows == 3
    assert store.destinations("shop.orders") == ["csv:/lake", "parquet:/lake"]
    assert store.assets() == ["shop.orders"]


def test_an_asset_that_was_never_seen_holds_nothing(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path / "nowhere"))
    assert store.read("a").records == {}
    assert store.assets() == []


def test_a_damaged_line_is_skipped_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = IndexStore(str(tmp_path))
    store.append([RECORD])
    (path,) = tmp_path.rglob("*.jsonl")
    path.write_bytes(b"garbage\n" + path.read_bytes())
    with caplog.at_level(logging.WARNING):
        assert len(store.read("shop.orders").records) == 1
    assert f"{path}, line 1" in caplog.text


def test_replace_rebuilds_one_destination(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    store.append([RECORD, AttemptNote("shop.orders", "parquet:/lake", None, "a", "failed")])
    store.append([replace(RECORD, destination="csv:/lake", key="2026-03-09")])
    store.replace("shop.orders", "parquet:/lake", lambda known: [replace(known[0], key="2026-03-02")])
    assert store.read("shop.orders").keys == ["2026-03-02", "2026-03-09"]
    assert store.read("shop.orders").failed == []


def test_where_the_index_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", raising=False)
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    assert open_index().root == str(tmp_path / "airflow_provider_index")
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", f"file://{tmp_path}/env%20index")
    assert open_index().root == str(tmp_path / "env index")
    assert open_index(str(tmp_path / "given")).root == str(tmp_path / "given")
    with pytest.raises(ConfigError, match="not supported by this version"):
        open_index("s3://bucket/index")


@contextmanager
def opens(found: list[str]) -> Iterator[None]:
    """Count the files and folders that are looked into."""
    counting = True

    def hook(event: str, args: tuple[object, ...]) -> None:
        if counting and event in ("open", "os.listdir", "os.scandir"):
            found.append(f"{event} {args[0]}")

    sys.addaudithook(hook)  # it cannot be taken away again
    yield
    counting = False


def test_ten_thousand_partitions_with_fifty_thousand_notes_take_a_second_and_few_reads(tmp_path: Path) -> None:
    records = [
        replace(RECORD, key=f"k{n:05}", upstreams={"shop.raw": "v" * 20}, sha256="0" * 64) for n in range(10_000)
    ]
    note = AttemptNote(
        "shop.orders", "parquet:/lake", None, "a", "running", run={"dag_id": "shop", "task_id": "orders"}
    )
    notes = [replace(note, key=f"k{n % 10_000:05}", at=f"2026-03-01T00:00:{n // 10_000:02}Z") for n in range(50_000)]
    path = Path(IndexStore(str(tmp_path))._path("shop.orders", "parquet:/lake"))
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{entry.to_json()}\n" for entry in [*records, *notes]))
    found: list[str] = []
    began = time.process_time()
    with opens(found):
        index = IndexStore(str(tmp_path)).read("shop.orders")
    assert time.process_time() - began < 1
    assert (len(index.records), len(index.notes)) == (10_000, 10_000)
    assert len(found) <= 10
    assert index.notes["k00000"].at == "2026-03-01T00:00:04Z"


def test_a_hundred_thousand_lines_are_compacted_in_seconds(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    path = Path(store._path("shop.orders", "parquet:/lake"))
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{replace(RECORD, key=f'k{n % 5000:04}', fence=n).to_json()}\n" for n in range(100_000)))
    began = time.process_time()
    (done,) = store.compact("shop.orders")
    assert time.process_time() - began < 3
    assert done.lines == (100_000, 5_000)
    assert store.read("shop.orders").records["k0001"].fence == 95_001
    assert store.compact("shop.orders")[0].lines == (5_000, 5_000)


def test_compaction_keeps_what_counts_and_nothing_else(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    failed = AttemptNote("shop.orders", "parquet:/lake", "2026-03-02", "a", "failed", error="no", at="2026-03-03")
    store.append([replace(RECORD, fence=2), RECORD, replace(failed, outcome="running", at="2026-03-02"), failed])
    store.append([replace(RECORD, destination="csv:/lake")])
    before = store.read("shop.orders")
    done = {one.destination: one.lines for one in store.compact("shop.orders")}
    assert done == {"csv:/lake": (1, 1), "parquet:/lake": (4, 2)}
    assert store.read("shop.orders") == before


def test_what_a_newer_version_wrote_survives_a_compaction(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    store.append([RECORD])
    (path,) = tmp_path.rglob("*.jsonl")
    newer = json.dumps({**json.loads(RECORD.to_json()), "fence": 2, "later": [1]})
    unknown = json.dumps({"type": "lineage", "asset": "shop.orders"})
    path.write_text(f"{path.read_text()}{newer}\n{unknown}\n{unknown}\n")
    assert [entry.fence for entry in store.entries("shop.orders")] == [2]
    store.compact("shop.orders")
    assert path.read_text().splitlines() == [newer, unknown]


def test_a_torn_or_damaged_line_is_dropped_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = IndexStore(str(tmp_path))
    store.append([RECORD])
    (path,) = tmp_path.rglob("*.jsonl")
    line = path.read_text()
    path.write_text(f'{line}[1]\n{{"type": "attempt"}}\n{line[:40]}')
    (done,) = store.compact("shop.orders")
    assert (done.damaged, path.read_text()) == (2, line)
    assert "2 damaged lines" in caplog.text


def test_appends_compact_a_file_of_which_little_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "COMPACT_FROM_BYTES", 4096)
    store = IndexStore(str(tmp_path))
    sizes = []
    for fence in range(400):
        store.append([replace(RECORD, key=f"k{fence % 3}", fence=fence)])
        (path,) = tmp_path.rglob("*.jsonl")
        sizes.append(path.stat().st_size)
    assert max(sizes) < 4096 + 400
    assert sum(after < before for before, after in itertools.pairwise(sizes)) > 5
    assert {key: record.fence for key, record in store.read("shop.orders").records.items()} == {
        "k0": 399, "k1": 397, "k2": 398,
    }  # fmt: skip


def test_a_file_that_counts_is_looked_at_once_for_each_doubling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "COMPACT_FROM_BYTES", 4096)
    looks: list[int] = []
    compacted = index_module._compacted
    monkeypatch.setattr(
        index_module,
        "_compacted",
        lambda path, content, **k: looks.append(len(content)) or compacted(path, content, **k),
    )
    store = IndexStore(str(tmp_path))
    for number in range(300):
        store.append([replace(RECORD, key=f"k{number}")])
    assert len(store.read("shop.orders").records) == 300
    assert len(looks) == 5  # 4, 8, 16, 32, 64 KiB


def test_a_compaction_that_fails_leaves_the_append_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(index_module, "COMPACT_FROM_BYTES", 256)
    store = IndexStore(str(tmp_path))
    store.append([RECORD])

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(index_module.posix, "write_atomic", full)
    store.append(replace(RECORD, fence=fence) for fence in range(20))
    assert store.read("shop.orders").records["2026-03-01"].fence == 19
    assert "could not be compacted" in caplog.text


def test_forgetting_removes_what_is_known_and_the_asset_from_the_list(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    store.append([RECORD, replace(RECORD, destination="csv:/lake")])
    assert len(store.forget("shop.orders", "csv:/lake")) == 1
    assert store.destinations("shop.orders") == ["parquet:/lake"]
    assert len(store.forget("shop.orders")) == 1
    assert store.forget("shop.orders") == []
    assert store.assets() == []
