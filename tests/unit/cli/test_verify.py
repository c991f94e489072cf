"""``verify`` says what differs, how to mend it, and by its status whether anything does."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from airflow_provider.ledger import CommitRecord
from airflow_provider.storage.index import IndexStore, open_index

Run = Callable[..., Any]


@pytest.fixture
def filled(run: Run) -> None:
    run("materialize", "orders", "--window", "2026-01-01..2026-01-05")


def data(home: Path, key: str) -> Path:
    return home / "data" / "shop" / "orders" / f"day={key}" / "data.parquet"


def findings(done: Any) -> dict[str | None, list[str]]:
    (asset,) = json.loads(done.stdout)["assets"]
    found = {one["key"]: [finding["kind"] for finding in one["findings"]] for one in asset["partitions"]}
    return {key: kinds for key, kinds in found.items() if kinds}


@pytest.mark.parametrize("options", [(), ("--deep",)])
def test_where_all_agrees_the_status_is_0(run: Run, filled: None, options: tuple[str, ...]) -> None:
    done = run("verify", *options)

    assert (done.exit_code, done.stderr) == (0, "")
    assert "5 committed; nothing differs" in done.stdout


def test_each_difference_is_named_with_what_mends_it(run: Run, home: Path, filled: None) -> None:
    data(home, "2026-01-01").unlink()
    data(home, "2026-01-02").write_bytes(b"junk")
    (record,) = home.glob("data/**/_ledger/records/2026-01-03*")
    record.unlink()
    open_index().replace("shop.orders", open_index().destinations("shop.orders")[0], lambda known: [
        entry for entry in known if entry.key != "2026-01-04"
    ])  # fmt: skip

    done = run("verify", "orders", "--json")

    assert done.exit_code == 1
    assert findings(done) == {
        "2026-01-01": ["lost"],
        "2026-01-02": ["damaged"],
        "2026-01-03": ["untracked", "index"],
        "2026-01-04": ["index"],
    }
    text = run("verify", "orders")
    assert text.exit_code == 1
    assert "lost: 1 partition (recorded, but its data is gone)" in text.stdout
    assert "mend: airflow-assets materialize shop.orders --window 2026-01-01" in text.stdout
    assert "4 committed, 1 untracked; 4 partitions to mend" in text.stdout


def test_following_the_advice_mends_it(run: Run, home: Path, filled: None) -> None:
    data(home, "2026-01-01").unlink()
    (record,) = home.glob("data/**/_ledger/records/2026-01-03*")
    record.unlink()
    for command in ("index rebuild shop.orders", "adopt shop.orders --window 2026-01-03"):
        assert run(*command.split()).exit_code == 0
    run("materialize", "shop.orders", "--window", "2026-01-01")

    assert run("verify", "--deep").exit_code == 0


def test_only_the_partitions_asked_for_are_compared(run: Run, home: Path, filled: None) -> None:
    data(home, "2026-01-01").unlink()

    assert run("verify", "orders", "--window", "2026-01-02..2026-01-05").exit_code == 0
    assert run("verify", "orders", "--window", "2026-01-01", "--window", "2026-01-09").exit_code == 1
    narrowed = json.loads(run("verify", "--window", "2026-01-02", "--json", "orders").stdout)["assets"][0]
    assert [one["key"] for one in narrowed["partitions"]] == ["2026-01-02"]


def test_keys_of_another_grain_are_named_and_no_difference(run: Run, home: Path, filled: None) -> None:
    old = data(home, "2025-12")
    old.parent.mkdir()
    old.write_bytes(b"x")

    done = run("verify", "orders")

    assert done.exit_code == 0
    assert "foreign: 1 partition" in done.stdout
    assert "'2025-12' is no partition of this asset" in done.stdout


def test_what_is_no_file_of_ours_is_a_note(run: Run, home: Path, filled: None) -> None:
    (data(home, "2026-01-01").parent / "part-0.parquet").write_bytes(b"x")

    done = run("verify", "orders")

    assert done.exit_code == 0
    assert "note" in done.stdout
    assert "part-0.parquet" in done.stdout


def test_a_change_that_only_the_hash_shows_needs_deep(run: Run, home: Path, filled: None) -> None:
    content = bytearray(data(home, "2026-01-01").read_bytes())
    content[6] ^= 255
    data(home, "2026-01-01").write_bytes(content)

    assert run("verify", "orders").exit_code == 0
    assert findings(run("verify", "orders", "--deep", "--json")) == {"2026-01-01": ["damaged"]}


def test_what_cannot_be_compared_is_status_2_and_the_others_are_compared(run: Run, folder: Path, home: Path) -> None:
    text = (folder / "shop.py").read_text(encoding="utf-8")
    broken = """
class Broken(ap.Destination):
    def write(self, context, data): pass
    def read(self, context): pass
    def partition_row_counts(self, context): raise RuntimeError("the store is away")
shop = Shop(destinations=[Broken(), ap.ParquetDestination(base_path="{env.AIRFLOW_HOME}/data")])
"""
    (folder / "shop.py").write_text(text + broken, encoding="utf-8")

    done = run("verify", "orders")

    assert done.exit_code == 2
    assert "could not be compared: RuntimeError: the store is away" in done.stdout
    assert "nothing is held; nothing differs" in done.stdout


@pytest.mark.parametrize(("words", "said"), [(("nothing",), "nothing"), (("orders", "--window", "2026-99"), "2026-99")])
def test_what_is_asked_wrongly_is_status_2(run: Run, words: tuple[str, ...], said: str) -> None:
    done = run("verify", *words)

    assert done.exit_code == 2
    assert said in done.stderr


def test_a_definition_that_cannot_be_loaded_is_status_2(run: Run, folder: Path, filled: None) -> None:
    (folder / "broken.py").write_text("import airflow_provider\nraise ValueError('bad')\n", encoding="utf-8")

    done = run("verify")

    assert done.exit_code == 2
    assert "nothing differs" in done.stdout


def test_an_unpartitioned_asset_is_compared_as_a_whole(run: Run, home: Path) -> None:
    run("materialize", "whole")
    (home / "data/shop/whole/data.parquet").unlink()

    done = run("verify", "whole")

    assert done.exit_code == 1
    assert "    whole  " in done.stdout
    assert "mend: airflow-assets materialize shop.whole," in done.stdout
    assert "is not partitioned" in run("verify", "whole", "--window", "2026-01-01").stderr


def test_a_commit_between_the_two_looks_is_no_difference(
    run: Run, filled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, seen = IndexStore.read, []

    def commits_first(self: IndexStore, *args: Any) -> Any:
        if not seen:
            seen.append(1)
            run("materialize", "orders", "--window", "2026-01-05..2026-01-06")
        return read(self, *args)

    monkeypatch.setattr(IndexStore, "read", commits_first)

    assert run("verify", "orders").exit_code == 0


def test_many_findings_are_cut_in_text_and_whole_in_json(run: Run, home: Path) -> None:
    address = f"parquet:{home / 'data'}"
    open_index().append(CommitRecord("shop.orders", address, f"2026-01-{day:02}", 1, "a") for day in range(1, 31))

    assert "... and 10 more; --json has them all" in run("verify", "orders").stdout
    assert len(findings(run("verify", "orders", "--json"))) == 30


def test_memory_is_not_compared(run: Run, folder: Path) -> None:
    text = (folder / "shop.py").read_text(encoding="utf-8")
    place = 'ParquetDestination(base_path="{env.AIRFLOW_HOME}/data")'
    (folder / "shop.py").write_text(text.replace(place, "MemoryDestination()"), encoding="utf-8")
    run("materialize", "whole")

    done = run("verify", "whole")

    assert done.exit_code == 0
    assert "memory is not shared" in done.stderr
