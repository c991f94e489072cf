"""Files that were cut, changed or swapped by hand: always a named error, never wrong rows."""

import random
from pathlib import Path

import pytest
from fault_tools import ASSET, KINDS, ROWS, check_agreement, table, version_of

from airflow_provider.definitions.destination import Stamp
from airflow_provider.errors import DataCorruptError, SupersededError
from airflow_provider.testing.destination_contract import context_of, days


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_damage_is_named(kind: str, tmp_path: Path) -> None:
    destination, context = KINDS[kind](base_path=tmp_path), context_of(ASSET, days(1))
    (day,) = context.partitions
    destination.write(context, table(day, 1))
    path = Path(destination.folder(context).data(day.key))
    good, chance = path.read_bytes(), random.Random(1)
    damaged = [good[: chance.randrange(len(good))] for _ in range(50)]
    damaged += [good[:n] + bytes([good[n] ^ 1 << chance.randrange(8)]) + good[n + 1 :] for n in range(0, len(good), 7)]
    damaged += [b"", bytes(len(good)), good + b"\0", b"PAR1", good[::-1]]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(DataCorruptError) as caught:
            destination.read_partition(context, day)
        assert str(path) in caught.value.what
    path.unlink()
    with pytest.raises(DataCorruptError, match="is gone"):
        destination.read_partition(context, day)
    path.write_bytes(good)
    assert version_of(destination, context, day) == 1


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_file_cut_short_is_reported_and_the_next_commit_mends_it(kind: str, tmp_path: Path) -> None:
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
