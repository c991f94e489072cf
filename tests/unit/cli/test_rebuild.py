"""The index anew from the commit records; orphans are listed, and forgotten when asked for."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from airflow_provider.ledger import AttemptNote, CommitRecord
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


def test_a_note_that_a_run_writes_meanwhile_is_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("materialize", "orders", "--window", "2026-01-01")
    address = open_index().destinations("shop.orders")[0]
    replacing = IndexStore.replace

    def notes_first(self: IndexStore, *args: Any) -> None:
        self.append([AttemptNote("shop.orders", address, "2026-01-05", "a", "failed", at="2026")])
        replacing(self, *args)

    monkeypatch.setattr(IndexStore, "replace", notes_first)
    run("index", "rebuild", "orders")

    assert open_index().read("shop.orders").failed == ["2026-01-05"]


def test_what_only_the_index_claims_is_no_longer_held(run: Run) -> None:
    run("materialize", "orders", "--window", "2026-01-01")
    (record,) = open_index().read("shop.orders").records.values()
    open_index().append([replace(record, key="2026-01-02"), replace(record, fence=record.fence + 7)])

    run("index", "rebuild", "orders")

    assert open_index().read("shop.orders").records == {"2026-01-01": record}


@pytest.fixture
def orphaned(run: Run) -> None:
    """Beside ``orders`` the index knows an asset, and a place of ``orders``, that no definition names."""
    run("materialize", "orders", "--window", "2026-01-01")
    old = CommitRecord("shop.old", "parquet:/gone", "2026-01-01", 1, "a")
    open_index().append([old, replace(old, asset="shop.orders"), replace(old, key="2026-01-02")])


def test_orphans_are_listed_and_kept(run: Run, orphaned: None) -> None:
    done = run("index", "rebuild")

    assert done.exit_code == 0
    assert "orphan shop.old in parquet:/gone: 2 partitions; no definition names it" in done.stdout
    assert "orphan shop.orders in parquet:/gone: 1 partition;" in done.stdout
    assert open_index().assets() == ["shop.old", "shop.orders"]


def test_prune_forgets_the_orphans_that_are_named(run: Run, orphaned: None) -> None:
    done = run("index", "rebuild", "shop.old", "orders", "--prune")

    assert done.exit_code == 0
    assert "forgot shop.old in parquet:/gone: 2 partitions" in done.stdout
    assert open_index().assets() == ["shop.orders"]
    assert len(open_index().destinations("shop.orders")) == 1
    assert open_index().read("shop.orders").keys == ["2026-01-01"]


def test_prune_of_all_takes_the_definitions_of_the_deployment(shell: Run, orphaned: None) -> None:
    done = shell("index", "rebuild", "--prune")

    assert done.returncode == 0, done.stderr
    assert open_index().assets() == ["shop.orders"]


def test_prune_of_all_is_refused_where_from_may_hide_some(run: Run, orphaned: None) -> None:
    done = run("index", "rebuild", "--prune")

    assert done.exit_code == 1
    assert "--from may name a part of the deployment only" in done.stderr
    assert open_index().assets() == ["shop.old", "shop.orders"]


def test_prune_is_refused_while_a_definition_cannot_be_loaded(run: Run, folder: Path, orphaned: None) -> None:
    (folder / "broken.py").write_text("import airflow_provider\nraise ValueError('bad')\n", encoding="utf-8")

    done = run("index", "rebuild", "shop.old", "--prune")

    assert done.exit_code == 1
    assert "1 definition could not be loaded, and their assets would be forgotten" in done.stderr
    assert open_index().assets() == ["shop.old", "shop.orders"]


def test_an_orphan_that_is_named_without_prune_is_an_error(run: Run, orphaned: None) -> None:
    done = run("index", "rebuild", "shop.old")

    assert done.exit_code == 1
    assert "'shop.old' is known to the index, but no definition names it" in done.stderr
