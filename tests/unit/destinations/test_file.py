"""Pickle files: what they take up, and what is never unpickled."""

import datetime as dt
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import airflow_provider as ap
from airflow_provider.errors import DataCorruptError, DestinationError

WEEK = ap.TimePartitionWindow("2026-01-01", "2026-01-07")


@ap.asset(partitioning=ap.TimePartitionConfig(column="day"))
def readings(): ...


def table(rows_per_day: int) -> pa.Table:
    days = [day.date for day in WEEK for _ in range(rows_per_day)]
    return pa.table({"day": days, "value": list(range(len(days)))})


def test_a_slice_of_a_table_takes_up_its_own_rows_only(tmp_path: Path) -> None:
    store = ap.FileDestination(base_path=str(tmp_path))

    store.write(ap.IOContext(readings(), WEEK), table(20_000))

    sizes = [path.stat().st_size for path in sorted(tmp_path.rglob("data.pkl"))]
    assert len(sizes) == 7
    assert max(sizes) < 2 * table(20_000).nbytes / 7


def test_a_file_that_no_record_vouches_for_is_not_unpickled(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "went-off",))

    store = ap.FileDestination(base_path=str(tmp_path))
    asset = readings()
    place = tmp_path / "readings" / "day=2026-01-01" / "data.pkl"
    place.parent.mkdir(parents=True)
    place.write_bytes(pickle.dumps(Bomb()))

    with pytest.raises(DataCorruptError, match="no commit record"):
        store.read(ap.IOContext(asset, ap.TimePartitionWindow("2026-01-01", "2026-01-01")))
    assert not (tmp_path / "went-off").exists()


def test_a_value_that_cannot_be_pickled_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    store = ap.FileDestination(base_path=str(tmp_path))

    with pytest.raises(DestinationError, match="cannot be pickled"):
        store.write_partition(ap.IOContext(readings()), None, lambda: None)
    assert list(tmp_path.rglob("*data*")) == []


def test_the_place_of_a_file(tmp_path: Path) -> None:
    """D087, D088, D089: dataset and table, and a folder for each partition."""
    store = ap.FileDestination(base_path=str(tmp_path))

    @ap.asset
    def whole():
        return {"weights": [1.5]}

    whole(destinations=store).materialize()
    whole(destinations=store, dataset="shop").materialize()
    store.write(ap.IOContext(readings(dataset="shop"), WEEK.first.window), [{"day": "2026-01-01"}])

    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("data.pkl")) == [
        "shop/readings/day=2026-01-01/data.pkl", "shop/whole/data.pkl", "whole/data.pkl",
    ]  # fmt: skip


@pytest.mark.parametrize("value", [{"weights": [1.5]}, ("a", 1), b"bytes", {1, 2}, dt.timedelta(1), [1, 2], "text"])
def test_anything_that_pickles_comes_back_as_it_was(value: Any, tmp_path: Path) -> None:
    """D090."""
    store = ap.FileDestination(base_path=str(tmp_path))
    context = ap.IOContext(readings(), WEEK.first.window)
    store.write(context, value)

    assert store.read(context) == value


# --- what is never unpickled -----------------------------------------------------------------------------------------

DAY = ap.TimePartitionWindow("2026-01-01", "2026-01-01")


class Bomb:
    """Makes a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


def read(store: Any) -> Any:
    return store.read(ap.IOContext(readings(), DAY))


def written(tmp_path: Path, value: Any, **options: Any) -> Path:
    """A partition that was committed; its data file."""
    ap.FileDestination(base_path=str(tmp_path / "data"), **options).write(ap.IOContext(readings(), DAY), value)
    return next(tmp_path.rglob("data.pkl"))


def test_f13_a_file_that_was_exchanged_is_not_unpickled(tmp_path: Path) -> None:
    path = written(tmp_path, [1])
    path.write_bytes(pickle.dumps(Bomb(tmp_path / "went-off")))

    for trusted in (None, True):
        with pytest.raises(DataCorruptError, match=r"data.pkl' (has \d+ bytes|is not what was committed)"):
            read(ap.FileDestination(base_path=str(tmp_path / "data"), trusted=trusted))
    assert not (tmp_path / "went-off").exists()


def test_f13_where_nothing_is_trusted_nothing_is_unpickled(tmp_path: Path) -> None:
    written(tmp_path, Bomb(tmp_path / "went-off"), trusted=False)

    with pytest.raises(DestinationError, match="this destination is not trusted"):
        read(ap.FileDestination(base_path=str(tmp_path / "data"), trusted=False))
    assert not (tmp_path / "went-off").exists()


@pytest.mark.parametrize("which", ["base", "table", "partition", "records", "file"])
def test_f13_a_place_that_everybody_can_write_to_is_not_trusted(which: str, tmp_path: Path) -> None:
    path = written(tmp_path, [1])
    places = {
        "base": tmp_path / "data",
        "table": path.parents[1],
        "partition": path.parent,
        "records": next(place for place in tmp_path.rglob("*.json") if "record" in str(place)).parent,
        "file": path,
    }
    places[which].chmod(places[which].stat().st_mode | 0o002)

    with pytest.raises(DestinationError, match="everybody can write to") as told:
        read(ap.FileDestination(base_path=str(tmp_path / "data")))
    assert "trusted=True" in told.value.fix
    assert read(ap.FileDestination(base_path=str(tmp_path / "data"), trusted=True)) == [1]


def test_a_group_that_may_write_and_a_sticky_folder_are_trusted(tmp_path: Path) -> None:
    path = written(tmp_path, [1])
    path.chmod(0o664)
    path.parent.chmod(0o775)
    (tmp_path / "data").chmod(0o1777)

    assert read(ap.FileDestination(base_path=str(tmp_path / "data"))) == [1]


def test_a_pickle_that_was_there_before_is_read_where_that_is_said(tmp_path: Path) -> None:
    place = tmp_path / "data" / "readings" / "day=2026-01-01" / "data.pkl"
    place.parent.mkdir(parents=True)
    place.write_bytes(pickle.dumps({1, 2}))

    with pytest.raises(DataCorruptError, match="no commit record of a run"):
        read(ap.FileDestination(base_path=str(tmp_path / "data")))
    assert read(ap.FileDestination(base_path=str(tmp_path / "data"), trusted=True)) == {1, 2}


def test_a_pickle_is_adopted_only_where_all_are_trusted_and_read_only_there(tmp_path: Path) -> None:
    place = tmp_path / "data" / "readings" / "day=2026-01-01" / "data.pkl"
    place.parent.mkdir(parents=True)
    place.write_bytes(pickle.dumps([{"value": 1}]))
    careful = ap.FileDestination(base_path=str(tmp_path / "data"))
    trusting = ap.FileDestination(base_path=str(tmp_path / "data"), trusted=True)
    io = ap.IOContext(readings(), DAY)

    with pytest.raises(DataCorruptError, match="no commit record of a run"):
        careful.inspector(io, call=None).adopt(DAY.first)  # type: ignore[arg-type]
    trusting.inspector(io, call=None).adopt(DAY.first)  # type: ignore[arg-type]

    assert read(trusting) == [{"value": 1}]
    with pytest.raises(DataCorruptError, match="no commit record of a run"):
        read(careful)
