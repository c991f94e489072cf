"""A stream is stored as the same rows would be that were returned at once, wherever its batches end."""

import datetime as dt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import AssetsError
from airflow_provider.execution import intake, runner, spool, stream
from airflow_provider.execution.write import RunInfo
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow

FIRST = dt.date(2026, 3, 1)
DAYS = TimePartitionWindow(FIRST, dt.date(2026, 3, 3))

ints = st.integers(-(2**60), 2**60)
values = st.one_of(
    st.none(), st.booleans(), ints, st.floats(allow_nan=False), st.text(max_size=3), st.binary(max_size=2),
    st.dates(), st.lists(st.one_of(st.none(), ints), max_size=2), st.dictionaries(st.text(max_size=2), ints),
)  # fmt: skip
days = st.integers(0, 3).map(lambda day: FIRST + dt.timedelta(days=day)) | st.none()
rows = st.fixed_dictionaries({"n": st.integers(0, 99)}, optional={"day": days, "a": values, "b": values})


def outcome(value: Any, kind: Any, folder: str, **options: Any) -> Any:
    """What is stored, with its types; or the error."""

    @asset(partitioning=TimePartitionConfig(column="day", allow_window=True), **options)
    def orders() -> Any:
        return value

    destination = kind(base_path=folder)
    made = orders(destinations=destination)
    try:
        result = runner.execute(made, windows=(DAYS,), info=RunInfo("attempt"))
    except AssetsError as error:
        return type(error)
    if result.bad:
        return type(result.bad[0].error)
    if not any(outcome.status == "committed" for outcome in result.outcomes):
        return [outcome.status for outcome in result.outcomes]
    return destination.read(IOContext(made, DAYS))


@given(
    data=st.lists(rows, min_size=1, max_size=12),
    batch=st.integers(1, 4),
    at_once=st.sampled_from([0, 1 << 20]),
    kind=st.sampled_from([ParquetDestination, CSVDestination]),
    stray_rows=st.sampled_from(["error", "drop"]),
)
@settings(max_examples=150, deadline=None)
def test_a_stream_is_stored_as_if_it_had_been_returned_at_once(
    data: list[dict[str, Any]], batch: int, at_once: int, kind: Any, stray_rows: str
) -> None:
    with (
        TemporaryDirectory() as folder,
        patch.dict("os.environ", {"AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI": str(Path(folder, "index"))}),
        patch.object(stream, "BATCH_ROWS", batch),
        patch.object(stream, "_RUN", 1),
        patch.object(spool, "BATCH_ROWS", batch),
        patch.object(intake, "_PLACED_AT_ONCE", at_once),
    ):
        whole = outcome([dict(row) for row in data], kind, str(Path(folder, "whole")), stray_rows=stray_rows)
        streamed = outcome((dict(row) for row in data), kind, str(Path(folder, "stream")), stray_rows=stray_rows)

    assert type(streamed) is type(whole)
    assert streamed == whole
