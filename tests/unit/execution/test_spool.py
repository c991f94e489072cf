"""Rows on the disk, by partition."""

import errno
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from airflow_provider.errors import AssetError
from airflow_provider.execution import spool as module
from airflow_provider.execution.spool import Spool


def make(tmp_path: Path, count: int = 2) -> Spool:
    return Spool(count, where="asset 'a'", folder=str(tmp_path))


def test_each_partition_gives_back_its_rows_in_order(tmp_path: Path) -> None:
    with make(tmp_path) as spool:
        for number in range(4):
            spool.append(number % 2, pa.table({"a": [number, number + 10], "b": ["x", None]}))
        spool.schema = pa.schema([("a", pa.int64()), ("b", pa.string())])

        assert spool.rows == [4, 4]
        assert spool.num_rows == 8
        assert spool.table(0).column("a").to_pylist() == [0, 10, 2, 12]
        assert spool.table(1).to_pylist()[-1] == {"a": 13, "b": None}
        assert spool.reader(0).read_all() == spool.reader(0).read_all()


def test_what_came_in_other_types_is_read_in_those_of_the_whole(tmp_path: Path) -> None:
    with make(tmp_path, 1) as spool:
        spool.append(0, pa.table({"a": pa.nulls(1)}))
        spool.append(0, pa.table({"a": [1]}))
        spool.append(0, pa.table({"b": ["x"]}))
        spool.schema = pa.schema([("a", pa.float64()), ("b", pa.string())])

        assert spool.table(0).to_pylist() == [{"a": None, "b": None}, {"a": 1.0, "b": None}, {"a": None, "b": "x"}]


def test_small_pieces_are_joined_and_large_ones_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 10)
    with make(tmp_path) as spool:
        for number in range(7):
            spool.append(0, pa.table({"a": [number] * 3}))
        spool.append(1, pa.table({"a": list(range(25))}))
        spool.schema = pa.schema([("a", pa.int64())])

        assert [batch.num_rows for batch in spool.reader(0)] == [9, 9, 3]
        assert [batch.num_rows for batch in spool.reader(1)] == [10, 10, 5]


def test_large_rows_make_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_BYTES", 1000)
    with make(tmp_path) as spool:
        for _ in range(4):
            spool.append(0, pa.table({"a": ["x" * 600]}))
        spool.schema = pa.schema([("a", pa.string())])

        assert [batch.num_rows for batch in spool.reader(0)] == [1, 1, 1, 1]


def test_a_slice_takes_only_its_own_rows_to_the_disk(tmp_path: Path) -> None:
    with make(tmp_path) as spool:
        spool.append(0, pa.table({"a": list(range(100_000))}).slice(5, 10))

        assert spool.size < 2000


def test_a_partition_without_rows_has_a_reader_too(tmp_path: Path) -> None:
    with make(tmp_path) as spool:
        spool.append(0, pa.table({"a": [1]}))
        spool.schema = pa.schema([("a", pa.int64())])

        assert spool.table(1).num_rows == 0
        assert spool.table(1).schema == spool.schema


def test_no_file_is_seen_while_it_is_open_or_afterwards(tmp_path: Path) -> None:
    with make(tmp_path) as spool:
        spool.append(0, pa.table({"a": [1]}))
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []
    spool.close()


def test_a_process_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        spool = make(tmp_path)
        spool.append(0, pa.table({"a": [1] * 1000}))
        os.kill(os.getpid(), 9)
    os.waitpid(child, 0)

    assert list(tmp_path.iterdir()) == []


def test_the_option_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__SPOOL_DIR", str(tmp_path))

    with Spool(1, where="a") as spool:
        assert spool.folder == str(tmp_path)


def test_a_folder_that_is_not_there_is_told_with_the_option(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=r"could not be spooled in .*nowhere.*\(ENOENT\)") as told:
        Spool(1, where="asset 'a'", folder=str(tmp_path / "nowhere"))
    assert "spool_dir" in told.value.fix


def test_a_full_disk_is_told_with_the_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with make(tmp_path) as spool:

        def full(content: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(spool, "_write", full)
        with pytest.raises(AssetError, match="No space left on device") as told:
            spool.append(0, pa.table({"a": [1]}))
    assert "free space" in told.value.fix


def test_a_device_that_is_full_is_told() -> None:
    """As above, of the system's own: /dev/full takes nothing."""
    with Path("/dev/full").open("wb", buffering=0) as device:
        spool = Spool(1, where="asset 'a'")
        spool._file.close()
        spool._file = device  # type: ignore[assignment]
        with pytest.raises(AssetError, match=r"\(ENOSPC\)"):
            spool.append(0, pa.table({"a": [1]}))
