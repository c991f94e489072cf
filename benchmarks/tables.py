"""The table that the benchmarks of data use: six columns, about 44 bytes a row, one row somewhere in each day."""

import datetime as dt
from typing import Any

FIRST = dt.date(2025, 1, 1)
DAYS = 365


def make_table(rows: int, *, days: int = DAYS, shuffled: bool = True) -> Any:
    """The table.

    ``id`` int64, ``ts`` timestamp, ``value`` float64, ``name`` text of 8 letters (100,000 distinct), ``cat`` dictionary
    (20 distinct), ``day`` date32.
    """
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(1)
    day = np.sort(rng.integers(0, days, rows)).astype(np.int32)
    if shuffled:
        rng.shuffle(day)
    offset = (FIRST - dt.date(1970, 1, 1)).days
    micros = (day.astype(np.int64) + offset) * 86_400_000_000 + rng.integers(0, 86_400_000_000, rows)
    names = pa.array([f"n{number:07d}" for number in range(100_000)])
    cats = pa.array([f"cat{number}" for number in range(20)])
    return pa.table(
        {
            "id": pa.array(np.arange(rows)),
            "ts": pa.array(micros).cast(pa.timestamp("us", "UTC")),
            "value": pa.array(rng.random(rows)),
            "name": names.take(pa.array(rng.integers(0, len(names), rows))),
            "cat": pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, 20, rows).astype(np.int32)), cats),
            "day": pa.array(day + np.int32(offset)).cast(pa.date32()),
        }
    )


def make_window(days: int = DAYS) -> Any:
    """The days of the table."""
    from airflow_provider.partitioning.window import TimePartitionWindow

    return TimePartitionWindow(FIRST, FIRST + dt.timedelta(days=days - 1), timezone="UTC")
