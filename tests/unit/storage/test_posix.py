"""Small files that are whole or not there."""

import errno
import hashlib
from pathlib import Path

import pytest

from airflow_provider.errors import DestinationError
from airflow_provider.storage import posix


def test_a_staged_file_knows_its_size_and_hash(tmp_path: Path) -> None:
    staged = posix.StagedFile(str(tmp_path / "x"))
    staged.write(b"ab")
    staged.write(memoryview(b"c"))
    staged.finish()
    assert (tmp_path / "x").read_bytes() == b"abc"
    assert (staged.size, staged.sha256) == (3, hashlib.sha256(b"abc").hexdigest())
    assert posix.sha256_of(str(tmp_path / "x")) == staged.sha256


def test_a_discarded_file_is_gone_and_may_be_discarded_again(tmp_path: Path) -> None:
    staged = posix.StagedFile(str(tmp_path / "x"))
    staged.discard()
    staged.discard()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("torn", [b"", b"half a li"])
def test_appending_cuts_a_torn_line_off(torn: bytes, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 70_000 + b"\n" + torn * 9000)
    posix.append_lines(str(path), b"new\n")
    assert path.read_bytes() == b"x" * 70_000 + b"\nnew\n"


def test_a_file_that_is_one_torn_line_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"torn")
    posix.append_lines(str(path), b"new\n")
    assert path.read_bytes() == b"new\n"


def test_folders_are_made_with_their_parents_and_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    posix.make_folder(str(tmp_path / "a" / "b" / "c"))
    posix.make_folder(str(tmp_path / "a" / "b" / "c"))
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        posix.make_folder(str(tmp_path / "file"))


@pytest.mark.parametrize(
    ("code", "fix"),
    [
        (errno.ENOSPC, "free space"),
        (errno.EDQUOT, "quota"),
        (errno.EACCES, "permission"),
        (errno.EROFS, "writable"),
        (errno.ENOTDIR, "is a file"),
        (errno.EISDIR, "a folder stands"),
        (errno.EIO, "check the disk"),
    ],
)
def test_every_error_says_what_where_and_how_to_mend_it(code: int, fix: str) -> None:
    with pytest.raises(DestinationError) as caught, posix.mapped("/lake/x", where="asset 'a'"):
        raise OSError(code, "text of the system")
    assert errno.errorcode[code] in caught.value.what
    assert "/lake/x" in caught.value.what
    assert caught.value.where == "asset 'a'"
    assert fix in caught.value.fix


def test_a_folder_in_place_of_a_file_is_named_by_its_path(tmp_path: Path) -> None:
    for read in (posix.read_bytes, posix.sha256_of):
        with pytest.raises(DestinationError, match="EISDIR") as caught, posix.mapped("other", where="here"):
            read(str(tmp_path))
        assert str(tmp_path) in caught.value.what


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="no /proc")
def test_a_parent_that_takes_no_folders_is_named_with_its_fix() -> None:
    told = r"takes no new folders .*'/proc/x'\n.*Fix: give the process"
    with pytest.raises(DestinationError, match=told), posix.mapped("/proc/x/y", where="d"):
        posix.make_folder("/proc/x/y")
