"""Files that were cut, changed or swapped by hand: always a named error, never wrong rows."""

import random
from pathlib import Path

import pytest
from fault_tools import ASSET, KINDS, ROWS, check_agreement, table, version_of

from airflow_provider.definitions.destination import Stamp
from airflow_provider.errors import DataCorruptError, SupersededError
from airflow_provider.testing.destination_contract import context_of, days

OFFSETS = 200


def flipped(good: bytes, at: int, bit: int) -> bytes:
    return good[:at] + bytes([good[at] ^ 1 << bit]) + good[at + 1 :]


def zeroed(good: bytes, at: int) -> bytes:
    return good[:at] + bytes(min(16, len(good) - at)) + good[at + 16 :]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_flip_cut_and_gap_is_named(kind: str, tmp_path: Path) -> None:
    """F10: at 200 offsets each, with the path; never wrong rows."""
    destination, context = KINDS[kind](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    destination.write(context, table(day, 1))
    path = Path(destination.folder(context).data(day.key))
    good, chance = path.read_bytes(), random.Random(1)
    offsets = [0, len(good) - 1, *(chance.randrange(len(good)) for _ in range(OFFSETS - 2))]
    damaged = [flipped(good, at, chance.randrange(8)) for at in offsets]
    damaged += [good[:at] for at in offsets]
    damaged += [content for at in offsets if (content := zeroed(good, at)) != good]
    assert len(damaged) > 2 * OFFSETS
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(DataCorruptError) as caught:
            destination.read_partition(context, day)
        assert str(path) in caught.value.what
        assert caught.value.fix
    path.write_bytes(good)
    assert version_of(destination, context, day) == 1


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_file_that_is_another_one_is_named(kind: str, tmp_path: Path) -> None:
    """F10: empty, of another format, of another schema, of the day before, an older version, or gone."""
    destination, context = KINDS[kind](base_path=tmp_path), context_of(ASSET, days(2))
    first, second = context.partitions
    destination.write_partition(context, second, table(second, 1))
    path = Path(destination.folder(context).data(second.key))
    older = path.read_bytes()
    destination.write_partition(context, first, table(first, 2))
    destination.write_partition(context, second, table(second, 2))
    good = path.read_bytes()
    other = KINDS[kind](base_path=tmp_path / "other")
    other.write_partition(context, second, [{"day": second.date, "another": "column"}])  # type: ignore[union-attr]
    foreign = Path(other.folder(context).data(second.key)).read_bytes()
    before = Path(destination.folder(context).data(first.key)).read_bytes()
    wrong = [b"", bytes(len(good)), good + b"\0", b"PAR1", b"PK\x03\x04" + good[4:], good[::-1], foreign, before, older]
    for content in wrong:
        path.write_bytes(content)
        with pytest.raises(DataCorruptError) as caught:
            destination.read_partition(context, second)
        assert str(path) in caught.value.what
        with pytest.raises(DataCorruptError, match="2026-03-02"):
            destination.read(context)
    path.unlink()
    with pytest.raises(DataCorruptError, match="is gone"):
        destination.read_partition(context, second)
    path.write_bytes(good)
    assert version_of(destination, context, second) == 2


def test_a_parquet_file_without_a_record_is_checked_by_its_format(tmp_path: Path) -> None:
    """F10: what was there before us has no hash to compare; a file that is cut, empty or no Parquet is named."""
    destination, context = KINDS["parquet"](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    destination.write(context, table(day, 1))
    folder = destination.folder(context)
    path = Path(folder.data(day.key))
    good = path.read_bytes()
    Path(folder.record(day.key)).unlink()
    assert destination.read(context).equals(table(day, 1))
    for content in [b"", b"PAR1", bytes(len(good)), *(good[: len(good) * n // 100] for n in range(100))]:
        path.write_bytes(content)
        with pytest.raises(DataCorruptError) as caught:
            destination.read(context)
        assert str(path) in caught.value.what


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_damage_of_a_commit_record_never_gives_wrong_rows(kind: str, tmp_path: Path) -> None:
    """F10: at every offset of the record: the right rows, or a named error."""
    destination, context = KINDS[kind](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    destination.write(context, table(day, 1))
    record = Path(destination.folder(context).record(day.key))
    good, chance, named = record.read_bytes(), random.Random(2), 0
    for at in range(len(good)):
        for content in (flipped(good, at, chance.randrange(8)), good[:at]):
            record.write_bytes(content)
            try:
                found = destination.read_partition(context, day)
            except DataCorruptError as error:
                named += str(tmp_path) in str(error)
            else:
                assert found.equals(table(day, 1)), f"offset {at}"
    assert named > len(good)
    record.write_bytes(good)
    assert version_of(destination, context, day) == 1


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_file_cut_short_is_reported_and_the_next_commit_mends_it(kind: str, tmp_path: Path) -> None:
    """F10: a window read names the partition; so does repair."""
    destination, context = KINDS[kind](base_path=tmp_path), context_of(ASSET, days(2))
    for partition in context.partitions:
        destination.write_partition(context, partition, table(partition, 1))
    path = Path(destination.folder(context).data("2026-03-02"))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DataCorruptError, match="2026-03-02"):
        destination.read(context)
    (line,) = destination.committer(context).repair()
    assert "damaged" in line
    assert str(path) in line
    destination.write_partition(context, context.partitions[1], table(context.partitions[1], 2))
    assert destination.read(context.narrowed(context.partitions[1])).num_rows == ROWS


def test_repair_withdraws_the_record_of_data_that_is_gone(tmp_path: Path) -> None:
    destination, context = KINDS["parquet"](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    destination.write(context, table(day, 1))
    Path(destination.folder(context).data(day.key)).unlink()
    (line,) = destination.committer(context).repair()
    assert "withdrew" in line
    assert version_of(destination, context, day) is None
    check_agreement(destination, context)


def test_a_commit_that_a_crash_left_unfinished_still_wins_over_late_writers(tmp_path: Path) -> None:
    destination, context = KINDS["parquet"](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    committer, folder = destination.committer(context), destination.folder(context)
    committer.commit(day, table(day, 5), Stamp(fence=5, attempt="v5"))
    # Killed after the data took its place and before its record did.
    Path(folder.record(day.key)).rename(folder.intent(day.key))
    with pytest.raises(SupersededError, match="fence 5"):
        committer.commit(day, table(day, 3), Stamp(fence=3, attempt="v3"))
    assert version_of(destination, context, day) == 5
    check_agreement(destination, context)


def test_a_damaged_record_is_named_and_the_next_commit_mends_it(tmp_path: Path) -> None:
    """F10: the record is read whole or not at all."""
    destination, context = KINDS["parquet"](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    destination.write(context, table(day, 1))
    record = Path(destination.folder(context).record(day.key))
    record.write_text('{"asset": ')
    with pytest.raises(DataCorruptError) as caught:
        destination.read(context)
    assert str(record) in caught.value.where
    destination.write(context, table(day, 2))
    assert version_of(destination, context, day) == 2


def test_a_lost_sidecar_is_named(tmp_path: Path) -> None:
    """F10: types that are gone or changed are no types."""
    destination, context = KINDS["csv"](base_path=tmp_path), context_of(ASSET, days(1))
    destination.write(context, table(context.partitions[0], 1))
    (sidecar,) = Path(destination.folder(context).meta).iterdir()
    sidecar.write_text("{}")
    with pytest.raises(DataCorruptError, match="damaged") as caught:
        destination.read(context)
    assert str(sidecar) in caught.value.what
    sidecar.unlink()
    with pytest.raises(DataCorruptError, match="gone"):
        destination.read(context)


def test_a_pickle_that_we_did_not_write_is_not_run(tmp_path: Path) -> None:
    """F13: nothing vouches for it."""
    destination, context = KINDS["file"](base_path=tmp_path), context_of(ASSET, days(1))
    path = Path(destination.folder(context).data("2026-03-01"))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "run").encode() + b"'\ntR.")
    with pytest.raises(DataCorruptError, match="no commit record"):
        destination.read(context)
    assert not (tmp_path / "run").exists()


def test_a_lost_fence_starts_above_every_fence_on_record(tmp_path: Path) -> None:
    destination, context = KINDS["parquet"](base_path=tmp_path), context_of(ASSET, days(1))
    for version in (1, 2, 3):
        destination.write(context, table(context.partitions[0], version))
    fence = Path(destination.folder(context).fence)
    given = int(fence.read_text())
    for damage in (fence.unlink, lambda: fence.write_text("abc"), lambda: fence.write_text(str(given)[:1])):
        damage()
        assert destination.committer(context).take_fence() > given
