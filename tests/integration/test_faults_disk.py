"""A disk that is full or read-only, and a base_path that is no folder: worded errors, old data intact, no litter."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fault_tools import ASSET, KINDS, check_agreement, produced_at, staged_files, table, version_of

from airflow_provider.definitions.destination import Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import DestinationError, PartitionsFailedError
from airflow_provider.execution import runner
from airflow_provider.execution.write import RunInfo
from airflow_provider.testing.destination_contract import context_of, days


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small tmpfs needs root")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"tmpfs cannot be mounted here: {mounted.stderr.decode()}")
    yield place
    subprocess.run(["umount", "-l", place], check=False)


def commit(destination: Any, context: Any, data: Any, version: int) -> None:
    committer = destination.committer(context)
    stamp = Stamp(fence=committer.take_fence(), attempt=f"v{version}")
    committer.commit(context.partitions[0], data, stamp)


def fill(path: Path, leave: int) -> None:
    """Fill the disk but for ``leave`` bytes."""
    state = os.statvfs(path)
    with suppress(OSError):
        (path / "filler").write_bytes(b"x" * max(0, state.f_bavail * state.f_frsize - leave))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_full_disk_keeps_the_old_data_and_gives_the_space_back(kind: str, small_disk: Path) -> None:
    """F8: ENOSPC in the middle of a file."""
    destination, context = KINDS[kind](base_path=small_disk / "base"), context_of(ASSET, days(1))
    (day,) = context.partitions
    commit(destination, context, table(day, 1), 1)
    free = os.statvfs(small_disk).f_bavail
    big = table(day, 2).append_column("noise", [[os.urandom(100_000).hex() for _ in range(40)]])
    with pytest.raises(DestinationError, match=r"No space left on device \(ENOSPC\)") as caught:
        commit(destination, context, big, 2)
    assert str(small_disk) in caught.value.what
    assert "2026-03-01" in caught.value.where
    assert "free space" in caught.value.fix
    assert version_of(destination, context, day) == 1
    assert staged_files(small_disk) == []
    assert os.statvfs(small_disk).f_bavail == free
    check_agreement(destination, context)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_whatever_space_is_left_the_partition_is_old_or_new(kind: str, small_disk: Path) -> None:
    """F8: ENOSPC at any page of what a commit writes."""
    destination, context = KINDS[kind](base_path=small_disk / "base"), context_of(ASSET, days(1))
    (day,) = context.partitions
    commit(destination, context, table(day, 1), 1)
    version, outcomes = 1, set()
    for pages in range(8):
        fill(small_disk, pages * 4096)
        try:
            commit(destination, context, table(day, version + 2), version + 2)
            version += 2
            outcomes.add("committed")
        except DestinationError as error:
            outcomes.add("ENOSPC" if "ENOSPC" in error.what else error.what)
        assert version_of(destination, context, day) == version
        (small_disk / "filler").unlink(missing_ok=True)
        destination.committer(context).repair()
        check_agreement(destination, context)
        assert staged_files(small_disk) == []
    assert outcomes == {"committed", "ENOSPC"}


def test_a_read_only_disk_is_worded_and_still_read(small_disk: Path) -> None:
    """F8: EROFS."""
    destination, context = KINDS["parquet"](base_path=small_disk / "base"), context_of(ASSET, days(1))
    (day,) = context.partitions
    commit(destination, context, table(day, 1), 1)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(DestinationError, match="EROFS") as caught:
        commit(destination, context, table(day, 2), 2)
    assert "writable" in caught.value.fix
    assert version_of(destination, context, day) == 1
    assert any("EROFS" in line for line in destination.check())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_worded(tmp_path: Path) -> None:
    """F8: EACCES, of a real folder."""
    tmp_path.chmod(0o500)
    with pytest.raises(DestinationError, match="EACCES"):
        commit(KINDS["csv"](base_path=tmp_path / "base"), context_of(ASSET, days(1)), table(None, 1), 1)


@pytest.mark.parametrize("below", ["", "deeper"])
def test_a_base_path_that_is_a_file_is_worded(below: str, tmp_path: Path) -> None:
    """F8: ENOTDIR."""
    (tmp_path / "file").write_text("not a folder")
    destination = KINDS["parquet"](base_path=tmp_path / "file" / below)
    context = context_of(ASSET, days(1))
    with pytest.raises(DestinationError, match="ENOTDIR") as caught:
        commit(destination, context, table(None, 1), 1)
    assert "file" in caught.value.what
    assert "base_path" in caught.value.fix
    assert destination.check() != []
    with pytest.raises(DestinationError, match="ENOTDIR"):
        destination.read(context)


def test_a_folder_in_the_place_of_the_data_is_worded(tmp_path: Path) -> None:
    """F8: EISDIR."""
    destination, context = KINDS["parquet"](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    Path(destination.folder(context).data(day.key)).mkdir(parents=True)
    with pytest.raises(DestinationError, match="EISDIR"):
        commit(destination, context, table(day, 1), 1)
    assert staged_files(tmp_path) == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_run_on_a_full_disk_fails_and_a_retry_with_space_ends_it(
    kind: str, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F8: the task fails, it is no success; after the disk has room the retry writes what is missing."""
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    made = produced_at(2)(destinations=KINDS[kind](base_path=small_disk / "base"))
    made.materialize(window=days(1))
    fill(small_disk, 30_000)

    with pytest.raises(PartitionsFailedError, match=r"ENOSPC") as caught:
        runner.execute(made, windows=(days(60),), info=RunInfo("mine")).raise_for_failures()

    assert str(small_disk) in str(caught.value.errors[0])
    (small_disk / "filler").unlink()
    result = runner.execute(made, windows=(days(60),), info=RunInfo("mine"))
    result.raise_for_failures()
    assert {"held", "committed"} == {outcome.status for outcome in result.outcomes}
    context: Any = IOContext(made, days(60))
    assert {version_of(made.default_destination, context, p) for p in days(60)} == {2}
    assert staged_files(small_disk / "base" / "shop") == []
