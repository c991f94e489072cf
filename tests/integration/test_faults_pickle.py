"""Pickle files of strangers: nothing of them is run, whatever stands beside them."""

import os
import pickle
import resource
import stat
from pathlib import Path
from typing import Any

import pytest
from fault_tools import ASSET, table

import airflow_provider as ap
from airflow_provider.destinations.file import FileDestination
from airflow_provider.errors import DataCorruptError, DestinationError
from airflow_provider.testing.destination_contract import context_of, days

CONTEXT = context_of(ASSET, days(1))
(DAY,) = CONTEXT.partitions


class Runs:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.path}",)


def bomb(size: int) -> bytes:
    """A pickle of a few hundred bytes that becomes a bytes object of ``size``."""
    return pickle.PROTO + b"\x04" + b"cbuiltins\nbytearray\n" + b"(" + b"L%dL\n" % size + b"tR."


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "base"


def path_of(base: Path) -> Path:
    return Path(FileDestination(base_path=base).folder(CONTEXT).data(DAY.key))


@pytest.mark.parametrize("tracked", [True, False], ids=["beside a commit record", "without one"])
@pytest.mark.parametrize("content", ["reduce", "bomb", "plain"])
def test_a_file_that_we_did_not_commit_is_refused_before_it_is_unpickled(
    content: str, tracked: bool, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F13: its hash is looked at first, so nothing runs and nothing grows."""
    destination = FileDestination(base_path=base)
    if tracked:
        destination.write(CONTEXT, table(DAY, 1))
    path = path_of(base)
    path.parent.mkdir(parents=True, exist_ok=True)
    contents = {
        "reduce": pickle.dumps(Runs(tmp_path / "ran")),
        "bomb": bomb(2**31),
        "plain": pickle.dumps([{"day": 1}]),
    }
    path.write_bytes(contents[content])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    monkeypatch.setattr(pickle, "loads", lambda *args: pytest.fail("unpickled"))

    with pytest.raises(DataCorruptError) as caught:
        destination.read(CONTEXT)

    assert str(path) in caught.value.what
    assert not (tmp_path / "ran").exists()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024  # in KiB


def test_these_files_would_have_done_harm(tmp_path: Path) -> None:
    """F13: the test of the test."""
    pickle.loads(pickle.dumps(Runs(tmp_path / "ran")))
    assert (tmp_path / "ran").exists()
    assert len(pickle.loads(bomb(10**6))) == 10**6
    assert len(bomb(2**31)) < 100


def open_to_all(path: Path) -> None:
    path.chmod(path.stat().st_mode | stat.S_IWOTH)


@pytest.mark.parametrize("which", ["base", "dataset", "table", "partition", "file", "ledger", "records", "record"])
def test_a_place_that_everybody_can_write_to_is_not_read(which: str, base: Path, tmp_path: Path) -> None:
    """F13: whoever can write the data and its record can run code in the reader, so such a folder is not trusted."""
    destination = FileDestination(base_path=base)
    destination.write(CONTEXT, Runs(tmp_path / "ran"))
    folder = destination.folder(CONTEXT)
    path = path_of(base)
    places = {
        "base": base,
        "dataset": base / "shop",
        "table": base / "shop" / "orders",
        "partition": path.parent,
        "file": path,
        "ledger": Path(folder.ledger),
        "records": Path(folder.records),
        "record": Path(folder.record(DAY.key)),
    }
    open_to_all(places[which])

    with pytest.raises(DestinationError, match="everybody can write to") as caught:
        destination.read(CONTEXT)

    assert str(places[which]) in caught.value.what
    assert "trusted=True" in caught.value.fix
    assert not (tmp_path / "ran").exists()


def test_a_folder_may_be_trusted_by_decision(base: Path) -> None:
    """F13: several users that share a folder say so."""
    destination = FileDestination(base_path=base, trusted=True)
    base.mkdir()
    open_to_all(base)
    destination.write(CONTEXT, {"model": 1})

    assert destination.read(CONTEXT) == {"model": 1}


def test_a_sticky_folder_as_tmp_is_no_danger(base: Path) -> None:
    """F13: in /tmp nobody can put a file in the place of ours."""
    base.mkdir()
    base.chmod(0o1777)
    destination = FileDestination(base_path=base)
    destination.write(CONTEXT, {"model": 1})

    assert destination.read(CONTEXT) == {"model": 1}


@pytest.mark.parametrize("kind", [ap.ParquetDestination, ap.CSVDestination])
def test_formats_for_tables_unpickle_nothing(kind: Any, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F13: neither writing nor reading a table goes through pickle."""
    for name in ("load", "loads", "dump", "dumps", "Unpickler", "Pickler"):
        monkeypatch.setattr(pickle, name, lambda *args, **options: pytest.fail("pickled"))
    destination = kind(base_path=base)

    destination.write(CONTEXT, table(DAY, 1))

    assert destination.read(CONTEXT).equals(table(DAY, 1))
