"""What lies in the folders of a table, whatever its records say."""

import re
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_provider.definitions.destination import Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations import file_inspect
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.file_like import FileLikeDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import DataCorruptError, DataNotFoundError, DestinationError, SupersededError
from airflow_provider.ledger.verify import Holding, data_findings
from airflow_provider.storage import posix
from airflow_provider.testing.destination_contract import StoredAsset, context_of, days, rows_for

KINDS = [ParquetDestination, CSVDestination, FileDestination]
CONTEXT = context_of(StoredAsset(), days(3))
KEYS = ["2026-03-01", "2026-03-02", "2026-03-03"]


def stored(kind: type[FileLikeDestination], base: Path) -> FileLikeDestination:
    destination = kind(base_path=base)
    destination.write(CONTEXT, rows_for(CONTEXT.partitions))
    return destination


def looked(destination: FileLikeDestination, *, deep: bool = True) -> dict[str | None, Holding]:
    return {holding.key: holding for holding in destination.inspector(CONTEXT).holdings(deep=deep)}


def kinds_of(destination: FileLikeDestination, *, deep: bool = True) -> dict[str | None, list[str]]:
    found = {key: [one.kind for one in data_findings(h)] for key, h in looked(destination, deep=deep).items()}
    return {key: kinds for key, kinds in found.items() if kinds}


def data_file(destination: FileLikeDestination, key: str) -> Path:
    return Path(destination.folder(CONTEXT).data(key))


def old_file(base: Path, key: str, table: pa.Table | None = None) -> Path:
    path = base / "shop" / "orders" / f"day={key}" / "data.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"n": [1, 2, 3]}) if table is None else table, path)
    return path


@pytest.mark.parametrize("deep", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_committed_agrees(kind: type[FileLikeDestination], deep: bool, tmp_path: Path) -> None:
    destination = stored(kind, tmp_path)
    found = looked(destination, deep=deep)
    assert list(found) == KEYS
    assert kinds_of(destination, deep=deep) == {}
    for holding in found.values():
        assert holding.record is not None
        assert (holding.held, holding.bytes) == ("committed", holding.record.bytes)
        assert holding.rows == (holding.record.rows if deep or kind is ParquetDestination else None)
        assert holding.sha256 == (holding.record.sha256 if deep else None)


@pytest.mark.parametrize("kind", KINDS)
def test_data_that_is_gone_cut_or_changed_is_found(kind: type[FileLikeDestination], tmp_path: Path) -> None:
    destination = stored(kind, tmp_path)
    gone, cut, changed = (data_file(destination, key) for key in KEYS)
    gone.unlink()
    cut.write_bytes(cut.read_bytes()[:-3])
    content = bytearray(changed.read_bytes())
    content[5] ^= 1
    changed.write_bytes(content)
    assert kinds_of(destination) == {KEYS[0]: ["lost"], KEYS[1]: ["damaged"], KEYS[2]: ["damaged"]}
    assert kinds_of(destination, deep=False).keys() >= {KEYS[0], KEYS[1]}


def test_a_changed_pickle_is_never_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    destination = stored(FileDestination, tmp_path)
    data_file(destination, KEYS[0]).write_bytes(b"cos\nsystem\n(S'touch /tmp/never'\ntR.")
    monkeypatch.setattr("pickle.loads", lambda _: pytest.fail("unpickled"))
    holding = next(iter(destination.inspector(CONTEXT).holdings([KEYS[0]], deep=True)))
    assert [one.kind for one in data_findings(holding)] == ["damaged"]


def unsealed(record: Path) -> str:
    """A record without the checksum that tells when it was changed by hand."""
    return re.sub(',"crc32":"[0-9a-f]{8}"', "", record.read_text())


def test_rows_that_are_not_as_many_as_recorded_are_drift(tmp_path: Path) -> None:
    for kind in KINDS:
        destination = stored(kind, tmp_path / kind.__name__)
        record = Path(destination.folder(CONTEXT).record(KEYS[0]))
        record.write_text(unsealed(record).replace('"rows":2', '"rows":7'))
        assert kinds_of(destination) == {KEYS[0]: ["drift"]}


def test_a_type_sidecar_that_is_gone_is_damage(tmp_path: Path) -> None:
    destination = stored(CSVDestination, tmp_path)
    for sidecar in (tmp_path / "shop/orders/_meta").iterdir():
        sidecar.unlink()
    assert set(kinds_of(destination, deep=False)) == set(KEYS)


def test_an_empty_partition_agrees_and_data_under_it_does_not(tmp_path: Path) -> None:
    destination = stored(ParquetDestination, tmp_path)
    committer = destination.committer(CONTEXT)
    content = data_file(destination, KEYS[0]).read_bytes()
    committer.commit_empty(CONTEXT.partitions[0], Stamp(committer.take_fence(), "a"))
    assert kinds_of(destination) == {}
    assert looked(destination)[KEYS[0]].held == "empty"
    data_file(destination, KEYS[0]).write_bytes(content)
    assert kinds_of(destination) == {KEYS[0]: ["damaged"]}


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    destination = stored(ParquetDestination, tmp_path)
    Path(destination.folder(CONTEXT).record(KEYS[1])).write_text("{")
    assert kinds_of(destination) == {KEYS[1]: ["damaged"]}
    assert "is not a commit record" in looked(destination)[KEYS[1]].record_problem


def test_a_commit_that_a_crash_left_open_is_unsettled(tmp_path: Path) -> None:
    destination = stored(ParquetDestination, tmp_path)
    folder = destination.folder(CONTEXT)
    Path(folder.record(KEYS[0])).rename(folder.intent(KEYS[0]))
    assert kinds_of(destination)[KEYS[0]][0] == "unsettled"
    destination.committer(CONTEXT).repair()
    assert kinds_of(destination) == {}


def test_a_writer_at_work_is_waited_for_and_a_long_one_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_inspect, "_LOCK_WAIT_S", 0.3)
    destination = stored(ParquetDestination, tmp_path)
    folder = destination.folder(CONTEXT)
    path, whole = data_file(destination, KEYS[0]), data_file(destination, KEYS[0]).read_bytes()

    def half_written(for_s: float, held: threading.Event) -> None:
        with posix.locked(folder.lock(KEYS[0]), timeout_s=1, where="test"):
            path.write_bytes(whole[:10])
            held.set()
            time.sleep(for_s)
            path.write_bytes(whole)

    for for_s, is_running in ((0.1, False), (0.7, True)):
        held = threading.Event()
        writer = threading.Thread(target=half_written, args=(for_s, held))
        writer.start()
        held.wait()
        holding = next(iter(destination.inspector(CONTEXT).holdings([KEYS[0]])))
        writer.join()
        assert holding.is_running is is_running
        assert is_running or list(data_findings(holding)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_verifying_beside_a_writer_finds_nothing(kind: type[FileLikeDestination], tmp_path: Path) -> None:
    destination, stop = stored(kind, tmp_path), threading.Event()

    def write() -> None:
        while not stop.is_set():
            destination.write(CONTEXT, rows_for(CONTEXT.partitions))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(25):
            assert kinds_of(destination) == {}
    finally:
        stop.set()
        writer.join()


def test_untracked_data_is_found_without_opening_it(tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    path = old_file(tmp_path, KEYS[0])
    path.write_bytes(b"junk")
    old_file(tmp_path, "2026")
    (whole := tmp_path / "shop/orders/data.parquet").write_bytes(b"junk")
    untracked = destination.inspector(CONTEXT).untracked()
    assert [(one.key, one.bytes, one.uri) for one in untracked if one.key != "2026"] == [
        (None, 4, str(whole)), (KEYS[0], 4, str(path)),
    ]  # fmt: skip
    assert not (tmp_path / "shop/orders/_ledger").exists()
    assert kinds_of(destination)[KEYS[0]] == ["untracked"]


def test_what_is_no_partition_is_named_with_what_is_expected(tmp_path: Path) -> None:
    destination = stored(ParquetDestination, tmp_path)
    table = tmp_path / "shop/orders"
    for name in ("region=eu", "day=2026-03-01T05:00"):
        (table / name).mkdir()
    (table / "README").write_text("x")
    (table / f"day={KEYS[0]}" / "part-0.parquet").write_text("x")
    (table / f"day={KEYS[0]}" / "data.csv").write_text("another destination's")
    lines = destination.inspector(CONTEXT).unplaced()
    assert [line.partition("' is no ")[0].rpartition("/")[2] for line in lines] == [
        "README", "part-0.parquet", "day=2026-03-01T05:00", "region=eu",
    ]  # fmt: skip
    assert "expected is day=<key>, keys percent-encoded" in lines[2]
    assert "a partition's data is data.parquet" in lines[1]


def test_old_data_is_adopted_as_it_is_and_only_once(tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    path = old_file(tmp_path, KEYS[0], pa.table({"day": [None], "n": [1]}))
    before = (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)
    day = CONTEXT.partitions[0]
    tried = destination.inspector(CONTEXT).adopt(day, dry_run=True)
    assert (tried.is_new, tried.record.rows, tried.note) == (True, 1, "")
    assert not (tmp_path / "shop/orders/_ledger").exists()
    done = destination.inspector(CONTEXT).adopt(day)
    assert done.is_new
    assert (done.record.fence, done.record.rows, done.record.bytes) == (0, 1, len(before[0]))
    assert done.record.attempt == f"adopt:{done.record.sha256[:16]}"  # type: ignore[index]
    assert done.record.schema_fingerprint
    assert done.record.run["adopted"] == "true"
    again = destination.inspector(CONTEXT).adopt(day)
    assert (again.is_new, again.record) == (False, done.record)
    assert (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) == before
    assert kinds_of(destination) == {}
    assert destination.partition_row_counts(CONTEXT) == {KEYS[0]: 1}
    assert destination.committer(CONTEXT).repair() == []


def test_adopted_data_loses_against_a_run_that_began_before(tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    old_file(tmp_path, KEYS[0])
    committer, day = destination.committer(CONTEXT), CONTEXT.partitions[0]
    early = committer.take_fence()
    destination.inspector(CONTEXT).adopt(day)
    assert committer.commit(day, pa.table({"n": [9]}), Stamp(early, "run")).fence == early
    assert destination.read_partition(CONTEXT, day).to_pydict() == {"n": [9]}
    assert destination.inspector(CONTEXT).adopt(day).record.fence == early
    with pytest.raises(SupersededError):
        committer.commit(day, pa.table({"n": [8]}), Stamp(early, "late"))


def test_the_first_fence_after_adopting_is_the_first(tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    old_file(tmp_path, KEYS[0])
    destination.inspector(CONTEXT).adopt(CONTEXT.partitions[0])
    assert destination.committer(CONTEXT).take_fence() == 1


def test_a_run_over_untracked_data_replaces_it(tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    old_file(tmp_path, KEYS[0])
    destination.write(context_of(StoredAsset(), days(1)), [{"day": None, "n": 9}])
    assert destination.partition_row_counts(CONTEXT) == {KEYS[0]: 1}
    assert kinds_of(destination) == {}


def test_csv_is_adopted_and_reads_as_before(tmp_path: Path) -> None:
    destination = CSVDestination(base_path=tmp_path)
    path = tmp_path / "shop" / "orders" / f"day={KEYS[0]}" / "data.csv"
    path.parent.mkdir(parents=True)
    path.write_text("n,text\n1,a\n2,\n")
    before = destination.read_partition(CONTEXT, CONTEXT.partitions[0])
    done = destination.inspector(CONTEXT).adopt(CONTEXT.partitions[0])
    assert (done.record.rows, done.note) == (2, "the file has no column 'day': the partition reads without it")
    assert destination.read_partition(CONTEXT, CONTEXT.partitions[0]).equals(before)
    assert kinds_of(destination) == {}


def test_the_whole_of_an_unpartitioned_asset_is_adopted(tmp_path: Path) -> None:
    destination, context = ParquetDestination(base_path=tmp_path), IOContext(StoredAsset(partitioning=None))
    path = tmp_path / "shop" / "orders" / "data.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"n": [1]}), path)
    assert [one.key for one in destination.inspector(context).untracked()] == [None]
    assert destination.inspector(context).adopt(None).record.key is None
    assert destination.inspector(context).untracked() == []


@pytest.mark.parametrize("content", [b"", b"junk", b"PAR1" + b"\0" * 40 + b"PAR1"])
def test_what_cannot_be_read_is_not_adopted(content: bytes, tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    old_file(tmp_path, KEYS[0]).write_bytes(content)
    with pytest.raises(DataCorruptError) as caught:
        destination.inspector(CONTEXT).adopt(CONTEXT.partitions[0])
    assert KEYS[0] in str(caught.value)
    assert not (tmp_path / "shop/orders/_ledger").exists()


def test_a_pickle_of_unknown_origin_is_not_adopted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    destination = FileDestination(base_path=tmp_path)
    path = tmp_path / "shop" / "orders" / f"day={KEYS[0]}" / "data.pkl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    monkeypatch.setattr("pickle.loads", lambda _: pytest.fail("unpickled"))
    with pytest.raises(DataCorruptError, match="nothing says that we wrote it"):
        destination.inspector(CONTEXT).adopt(CONTEXT.partitions[0])


def test_nothing_and_a_folder_in_the_place_of_the_file_are_told_apart(tmp_path: Path) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    with pytest.raises(DataNotFoundError):
        destination.inspector(CONTEXT).adopt(CONTEXT.partitions[0])
    (tmp_path / "shop" / "orders" / f"day={KEYS[0]}" / "data.parquet").mkdir(parents=True)
    with pytest.raises(DestinationError, match="EISDIR"):
        destination.inspector(CONTEXT).adopt(CONTEXT.partitions[0])
    (holding,) = destination.inspector(CONTEXT).holdings([KEYS[0]])
    assert holding.problem == "is no file"


def test_a_file_that_changes_while_it_is_adopted_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    path = old_file(tmp_path, KEYS[0])
    decode = ParquetDestination.decode

    def meanwhile(self: ParquetDestination, *args: Any, **kwargs: Any) -> Any:
        pq.write_table(pa.table({"n": [1, 2, 3, 4]}), path)
        return decode(self, *args, **kwargs)

    monkeypatch.setattr(ParquetDestination, "decode", meanwhile)
    with pytest.raises(DestinationError, match="was changed while it was read"):
        destination.inspector(CONTEXT).adopt(CONTEXT.partitions[0])
    assert destination.committer(CONTEXT).all_records() == []
    assert destination.committer(CONTEXT).repair() == []


def test_a_commit_that_comes_first_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    destination = ParquetDestination(base_path=tmp_path)
    old_file(tmp_path, KEYS[0])
    decode = ParquetDestination.decode

    def meanwhile(self: ParquetDestination, *args: Any, **kwargs: Any) -> Any:
        monkeypatch.undo()
        self.write_partition(CONTEXT, CONTEXT.partitions[0], pa.table({"n": [9]}))
        return decode(self, *args, **kwargs)

    monkeypatch.setattr(ParquetDestination, "decode", meanwhile)
    done = destination.inspector(CONTEXT).adopt(CONTEXT.partitions[0])
    assert (done.is_new, done.record.rows) == (False, 1)
    assert destination.read_partition(CONTEXT, CONTEXT.partitions[0]).to_pydict() == {"n": [9]}


def test_two_thousand_partitions_are_looked_at_in_two_seconds(tmp_path: Path) -> None:
    destination = stored(CSVDestination, tmp_path)
    folder = destination.folder(CONTEXT)
    content, record = data_file(destination, KEYS[0]).read_bytes(), unsealed(Path(folder.record(KEYS[0])))
    for number in range(2000):
        key = f"k{number}"
        Path(folder.folder(key)).mkdir()
        Path(folder.data(key)).write_bytes(content)
        Path(folder.record(key)).write_text(record.replace(KEYS[0], key))
    began = time.process_time()
    assert kinds_of(destination, deep=False) == {}
    assert time.process_time() - began < 2
