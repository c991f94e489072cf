"""``adopt`` vouches for data that was there before, and for nothing else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_provider.storage.index import IndexStore, open_index

Run = Callable[..., Any]


def old(home: Path, key: str, rows: int = 3) -> Path:
    path = home / "data" / "shop" / "orders" / f"day={key}" / "data.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"amount": [1.0] * rows}), path)
    return path


def held() -> dict[str | None, int | None]:
    return {key: record.rows for key, record in open_index().read("shop.orders").records.items()}


def test_old_folders_are_adopted_and_the_index_told(run: Run, home: Path) -> None:
    paths = [old(home, "2026-01-02"), old(home, "2026-01-03", 5)]
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in paths]

    done = run("adopt", "orders")

    assert done.exit_code == 0
    assert "adopted 2 partitions with 8 rows" in done.stdout
    assert "2026-01-02  3 rows" in done.stdout
    assert held() == {"2026-01-02": 3, "2026-01-03": 5}
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in paths] == before
    assert run("verify", "orders", "--deep").exit_code == 0


def test_adopting_again_changes_nothing(run: Run, home: Path) -> None:
    old(home, "2026-01-02")
    run("adopt", "orders")
    records = {path: path.read_bytes() for path in home.rglob("*.json*") if path.is_file()}

    done = run("adopt", "orders")

    assert done.exit_code == 0
    assert "nothing to adopt" in done.stdout
    assert {path: path.read_bytes() for path in home.rglob("*.json*") if path.is_file()} == records


def test_dry_run_says_the_same_and_writes_nothing(run: Run, home: Path) -> None:
    old(home, "2026-01-02")

    done = run("adopt", "orders", "--dry-run")

    assert done.exit_code == 0
    assert "would adopt 1 partition with 3 rows" in done.stdout
    assert not list(home.rglob("_ledger"))
    assert held() == {}


def test_what_is_no_key_or_cannot_be_read_is_refused_by_name_and_the_rest_adopted(run: Run, home: Path) -> None:
    old(home, "2026-01-02")
    old(home, "2025-12")
    old(home, "2026-01-04").write_bytes(b"junk")
    (home / "data/shop/orders/region=eu").mkdir()

    done = run("adopt", "orders")

    assert done.exit_code == 1
    assert "refused  '2025-12' is no key of this asset's partitioning" in done.stdout
    assert "refused  2026-01-04: " in done.stdout
    assert "is not a readable Parquet file" in done.stdout
    assert "adopted 1 partition with 3 rows, 2 refused" in done.stdout
    assert "region=eu" in done.stderr
    assert held() == {"2026-01-02": 3}


def test_a_window_narrows_it_and_what_is_not_there_is_said(run: Run, home: Path) -> None:
    old(home, "2026-01-02")
    old(home, "2026-01-05")

    done = run("adopt", "orders", "--window", "2026-01-01..2026-01-03")

    assert done.exit_code == 0
    assert "adopted 1 partition with 3 rows, 2 not there" in done.stdout
    assert held() == {"2026-01-02": 3}
    assert "1 held already" in run("adopt", "orders", "--window", "2026-01-02").stdout


def test_what_runs_wrote_is_left_alone(run: Run, home: Path) -> None:
    run("materialize", "orders", "--window", "2026-01-01")
    before = open_index().read("shop.orders").records
    old(home, "2026-01-02")

    run("adopt", "orders")

    assert open_index().read("shop.orders").records["2026-01-01"] == before["2026-01-01"]


def test_an_adopted_partition_can_be_run_again(run: Run, home: Path) -> None:
    old(home, "2026-01-02")
    run("adopt", "orders")

    assert run("materialize", "orders", "--window", "2026-01-02").exit_code == 0
    assert held() == {"2026-01-02": 1}
    assert run("verify", "orders", "--deep").exit_code == 0


def test_untracked_data_is_shown_by_coverage_and_never_missing(run: Run, home: Path) -> None:
    old(home, "2026-01-02")
    run("index", "rebuild", "orders")

    said = run("coverage", "orders", "--window", "2026-01-01..2026-01-03").stdout
    assert "held 0, untracked 1, missing 2" in said

    run("adopt", "orders")
    said = run("coverage", "orders", "--window", "2026-01-01..2026-01-03").stdout
    assert "held 1, missing 2" in said


def test_files_that_lack_the_partition_column_or_differ_in_columns_are_told(run: Run, home: Path) -> None:
    old(home, "2026-01-02")
    pq.write_table(pa.table({"other": ["x"]}), old(home, "2026-01-03"))

    done = run("adopt", "orders")

    assert "the file has no column 'day': the partition reads without it" in done.stdout
    assert "their columns differ: 2 schemas" in done.stdout


def test_the_whole_of_an_unpartitioned_asset_is_adopted(run: Run, home: Path) -> None:
    path = home / "data" / "shop" / "whole" / "data.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"a": [1]}), path)

    assert "whole  1 row" in run("adopt", "whole").stdout
    assert list(open_index().read("shop.whole").records) == [None]
    assert "1 held already" in run("adopt", "whole").stdout
    assert "is not partitioned" in run("adopt", "whole", "--window", "2026-01-01").stderr


def test_the_index_is_told_what_an_earlier_adopt_did_not_come_to_tell(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old(home, "2026-01-02")
    with monkeypatch.context() as patched:
        patched.setattr(IndexStore, "append", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        run("adopt", "orders")
    assert held() == {}

    assert run("adopt", "orders").exit_code == 0
    assert held() == {"2026-01-02": 3}


def test_an_asset_has_to_be_named(run: Run) -> None:
    assert run("adopt").exit_code == 2


@pytest.mark.parametrize(
    ("place", "said"),
    [("destinations=ap.MemoryDestination()", "memory holds nothing from before"), ("", "there is nothing to adopt")],
)
def test_memory_and_no_destination_have_nothing(run: Run, folder: Path, place: str, said: str) -> None:
    text = (folder / "shop.py").read_text(encoding="utf-8")
    before = 'destinations=ap.ParquetDestination(base_path="{env.AIRFLOW_HOME}/data")'
    (folder / "shop.py").write_text(text.replace(before, place), encoding="utf-8")

    assert said in run("adopt", "orders").stderr
