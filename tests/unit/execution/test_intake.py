"""A stream on its way to the spool: conformed, placed, counted."""

import datetime as dt
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from airflow_provider.definitions.decorators import asset
from airflow_provider.errors import NormalizerError, PartitionError, SchemaError
from airflow_provider.execution import intake as module
from airflow_provider.execution import stream as stream_module
from airflow_provider.execution.intake import Intake
from airflow_provider.execution.spool import Spool
from airflow_provider.execution.stream import Stream
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow
from airflow_provider.schema import Normalizer, Schema, conform
from airflow_provider.schema.representations import TableData

FIRST = dt.date(2026, 3, 1)
DAYS = TimePartitionWindow(FIRST, dt.date(2026, 3, 3))


class Orders(Schema):
    day: dt.date
    units: int


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_module, "BATCH_ROWS", 10)
    monkeypatch.setattr(stream_module, "_RUN", 5)


def row(number: int, **more: Any) -> dict[str, Any]:
    return {"day": FIRST + dt.timedelta(days=number % 3), "units": number, **more}


def taken(values: Any, folder: Path, *, window: Any = DAYS, **settings: Any) -> Intake:
    @asset(partitioning=TimePartitionConfig(column="day", allow_window=True) if window else None, **settings)
    def orders() -> None: ...

    intake = Intake(orders(), window, Spool(len(window) if window else 1, where="asset 'orders'", folder=str(folder)))
    with Stream(iter(values), dataclass_rows=False, where="asset 'orders'") as stream:
        intake.take(stream)
    return intake


def units(intake: Intake) -> list[list[int]]:
    return [intake.spool.table(at).column("units").to_pylist() for at in range(len(intake.spool.rows))]


@pytest.mark.parametrize("at_once", [0, 1 << 20])
def test_every_row_lies_in_its_partition_in_input_order(
    tmp_path: Path, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PLACED_AT_ONCE", at_once)

    assert units(taken(map(row, range(50)), tmp_path)) == [list(range(start, 50, 3)) for start in range(3)]


def test_without_partitions_all_rows_lie_in_one(tmp_path: Path) -> None:
    assert units(taken(map(row, range(50)), tmp_path, window=None)) == [list(range(50))]


def test_the_schema_is_that_of_all_rows_at_once(tmp_path: Path) -> None:
    rows = [row(n, ratio=n if n < 30 else n / 2, note=None if n < 20 else "x", odd=n if n < 10 else {"a": [n]})
            for n in range(50)]  # fmt: skip
    at_once, schema = conform(TableData.of(rows), None, where="")  # type: ignore[arg-type]
    intake = taken(rows, tmp_path)

    assert intake.spool.schema == at_once.arrow().schema
    assert intake.schema is not None
    assert schema is not None
    assert intake.schema.fingerprint() == schema.fingerprint()
    held = pa.concat_tables([intake.spool.table(at) for at in range(3)]).sort_by("units")
    assert held == at_once.arrow()


def test_a_declared_schema_holds_for_every_batch(tmp_path: Path) -> None:
    intake = taken(({"units": str(n), "day": "2026-03-01"} for n in range(50)), tmp_path, schema=Orders)

    assert intake.schema is Orders
    assert intake.spool.schema == Orders.arrow()
    assert units(intake)[0] == list(range(50))


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (row(0, units="many"), SchemaError, r"row 33, column 'units': expected int, got .*'many'"),
        (row(0, units=None), SchemaError, "row 33, column 'units': expected int, got a null"),
        ({"day": FIRST}, SchemaError, "row 33 has no column 'units'"),
    ],
    ids=["type", "null", "missing"],
)
def test_a_row_that_does_not_fit_is_named_by_its_number_in_the_stream(
    tmp_path: Path, bad: Any, error: Any, message: str
) -> None:
    rows = [row(n) for n in range(50)]
    rows[33] = {**bad}
    with pytest.raises(error, match=message):
        taken(rows, tmp_path, schema=Orders)


def test_an_extra_column_is_refused_by_row_or_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = [row(n, **({"extra": 1} if n >= 12 else {})) for n in range(50)]
    with pytest.raises(SchemaError, match=r"row 12: the schema has no column\(s\) 'extra'"):
        taken(rows, tmp_path, schema=Orders, materialization_strategy="strict")

    with caplog.at_level(logging.WARNING):
        taken(rows, tmp_path, schema=Orders)
    assert [record.getMessage() for record in caplog.records if "dropped 1 column" in record.getMessage()] == [
        "asset 'orders': dropped 1 column(s) that the schema lacks: 'extra'"
    ]


def test_values_of_no_common_type_are_named_by_row_and_column(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="row 31, column 'a': a value of type date has no place"):
        taken((row(n, a=1 if n < 31 else FIRST) for n in range(50)), tmp_path)


def test_a_value_that_names_no_partition_is_named_by_its_row(tmp_path: Path) -> None:
    rows = [{"day": "2026-03-01" if n != 27 else "soon", "units": n} for n in range(50)]
    with pytest.raises(PartitionError, match="row 27 has day='soon'"):
        taken(rows, tmp_path)


def test_strays_and_nulls_are_counted_over_the_whole_stream(tmp_path: Path) -> None:
    rows = [row(n) for n in range(50)]
    rows[7]["day"] = None
    rows[23]["day"] = dt.date(2026, 3, 9)
    rows[48]["day"] = dt.date(2026, 4, 9)
    strays = taken(rows, tmp_path).strays

    assert (strays.stray_count, strays.nulls, strays.first_stray) == (3, 1, (23, "2026-03-09"))


def test_a_batch_without_the_partition_column_holds_nulls_there(tmp_path: Path) -> None:
    rows = [{"units": n} if n < 20 else row(n) for n in range(50)]
    strays = taken(rows, tmp_path).strays

    assert (strays.stray_count, strays.nulls) == (20, 20)


def test_a_stream_without_the_partition_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PartitionError, match="no partition column 'day', only 'units'"):
        taken(({"units": n} for n in range(50)), tmp_path)


def test_names_are_normalised_and_a_key_that_is_no_text_named_by_its_row(tmp_path: Path) -> None:
    rows: list[Any] = [{"Day": FIRST, "Units": n} for n in range(50)]
    assert units(taken(rows, tmp_path, normalizer=Normalizer()))[0] == list(range(50))

    rows[41] = {5: 1}
    with pytest.raises((NormalizerError, SchemaError), match=r"row 41|label 5"):
        taken(rows, tmp_path, normalizer=Normalizer())


def test_dictionaries_that_differ_from_batch_to_batch_are_read_as_their_values(tmp_path: Path) -> None:
    def tables() -> Iterator[pa.Table]:
        for number in range(6):
            text = pa.array([f"t{number}", "t"] * 3).dictionary_encode()
            nested = pa.ListArray.from_arrays([0, 1, 2, 3, 4, 5, 6], text)
            yield pa.table({"day": [FIRST] * 6, "text": text, "nested": nested})

    table = taken(tables(), tmp_path).spool.table(0)

    assert table.schema.field("text").type == pa.string()
    assert table.column("text").to_pylist()[-2:] == ["t5", "t"]
    assert table.column("nested").to_pylist()[-2:] == [["t5"], ["t"]]
