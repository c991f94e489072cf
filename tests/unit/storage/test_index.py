"""The deployment's index on disk."""

import logging
import time
from dataclasses import replace
from pathlib import Path

import pytest

from airflow_provider.errors import ConfigError
from airflow_provider.ledger import AttemptNote, CommitRecord
from airflow_provider.storage import IndexStore, open_index

RECORD = CommitRecord("shop.orders", "parquet:/lake", "2026-03-01", 1, "a", rows=3)


def test_ten_thousand_partitions_are_read_in_a_second(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    store.append(
        replace(RECORD, key=f"k{n:05}", upstreams={"shop.raw": "v" * 20}, sha256="0" * 64) for n in range(10_000)
    )
    began = time.perf_counter()
    index = store.read("shop.orders")
    assert time.perf_counter() - began < 1
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
    store.replace("shop.orders", "parquet:/lake", [replace(RECORD, key="2026-03-02")])
    assert store.read("shop.orders").keys == ["2026-03-02"]
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
