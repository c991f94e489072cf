import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from airflow_provider.storage.index import IndexStore, open_index

Run = Callable[..., Any]


def test_an_index_that_is_gone_comes_back_from_the_commit_records(run: Run, home: Path) -> None:
    run("materialize", "orders", "--window", "2026-01-01..2026-01-03")
    before = open_index().read("shop.orders").records
    shutil.rmtree(home / "airflow_provider_index")

    done = run("index", "rebuild")

    assert done.exit_code == 0
    assert "shop.orders in parquet:" in done.stdout
    assert "3 partitions, 0 before" in done.stdout
    assert open_index().read("shop.orders").records == before


def test_what_a_crash_left_is_settled_first(run: Run, home: Path) -> None:
    run("materialize", "orders", "--window", "2026-01-01..2026-01-02")
    ledger = home / "data" / "shop" / "orders" / "_ledger"
    (record,) = ledger.glob("records/2026-01-01*")
    (intents := ledger / "intents").mkdir(exist_ok=True)
    # Killed after the data took its place and before its record did.
    record.rename(intents / record.name)
    shutil.rmtree(home / "airflow_provider_index")

    done = run("index", "rebuild", "orders")

    assert "partition '2026-01-01' in parquet:" in done.stdout
    assert "finished the commit with fence 1" in done.stdout
    assert open_index().read("shop.orders").keys == ["2026-01-01", "2026-01-02"]


def test_data_that_is_gone_is_no_longer_held(run: Run, home: Path) -> None:
    run("materialize", "orders", "--window", "2026-01-01..2026-01-02")
    (home / "data" / "shop" / "orders" / "day=2026-01-02" / "data.parquet").unlink()

    done = run("index", "rebuild", "orders")

    assert "withdrew the record" in done.stdout
    assert "1 partition, 2 before" in done.stdout
    assert open_index().read("shop.orders").keys == ["2026-01-01"]


def test_a_run_that_commits_meanwhile_is_not_forgotten(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("materialize", "orders", "--window", "2026-01-01")
    replace = IndexStore.replace

    def commits_first(self: IndexStore, *args: Any) -> None:
        run("materialize", "orders", "--window", "2026-01-02")
        replace(self, *args)

    monkeypatch.setattr(IndexStore, "replace", commits_first)
    run("index", "rebuild", "orders")

    assert open_index().read("shop.orders").keys == ["2026-01-01", "2026-01-02"]


def test_what_is_known_of_failures_stays(run: Run) -> None:
    run("materialize", "orders", "--window", "2026-01-13")

    run("index", "rebuild", "orders")

    assert open_index().read("shop.orders").failed == ["2026-01-13"]


def test_only_the_assets_named_are_rebuilt(run: Run, home: Path) -> None:
    run("materialize", "orders", "whole", "--window", "2026-01-01", "--max-workers", "1")
    shutil.rmtree(home / "airflow_provider_index")

    run("index", "rebuild", "shop.whole")

    assert list(open_index().read("shop.whole").records) == [None]
    assert open_index().read("shop.orders").records == {}


def test_the_index_of_memory_stays_for_no_other_process_can_see_it(run: Run, folder: Path) -> None:
    text = (folder / "shop.py").read_text(encoding="utf-8")
    place = 'ParquetDestination(base_path="{env.AIRFLOW_HOME}/data")'
    (folder / "shop.py").write_text(text.replace(place, "MemoryDestination()"), encoding="utf-8")
    run("materialize", "whole")

    done = run("index", "rebuild", "whole")

    assert "memory is not shared" in done.stderr
    assert list(open_index().read("shop.whole").records) == [None]


def test_a_damaged_record_is_removed_and_the_rest_comes_back(run: Run, home: Path) -> None:
    run("materialize", "orders", "--window", "2026-01-01..2026-01-03")
    (record,) = home.glob("data/**/_ledger/records/2026-01-02*")
    record.write_text("{", encoding="utf-8")

    done = run("index", "rebuild", "orders")

    assert done.exit_code == 0
    assert "removed a record that is not a commit record" in done.stdout
    assert sorted(open_index().read("shop.orders").records) == ["2026-01-01", "2026-01-03"]


def test_a_commit_that_was_cut_short_is_finished_first(run: Run, home: Path) -> None:
    run("materialize", "orders", "--window", "2026-01-01")
    (record,) = home.glob("data/**/_ledger/records/2026-01-01*")
    (intents,) = home.glob("data/**/_ledger/intents")
    record.rename(intents / record.name)  # killed between the two renames
    shutil.rmtree(home / "airflow_provider_index")

    run("index", "rebuild", "orders")

    assert list(open_index().read("shop.orders").records) == ["2026-01-01"]
