"""How long splitting a window takes, as a ratio to one copy of the same table.

Rounds of all cases are interleaved, so that a slow moment of the machine hits all alike, and the median CPU time is
taken. The copy in order is memory-bound and varies several-fold with the state of the allocator: read its ratio along
with that to the copy in shuffled order, which a split by sorting the whole table cannot beat.

Goals, with 10,000,000 rows in 365 days: sorted Arrow below 50 ms, shuffled below 3.3 copies, pandas below 4 copies,
rows below 1.5 bare loops.

Run: ``python benchmarks/bench_split.py [--rows 10000000] [--days 365] [--rounds 5]``
"""

import argparse
import datetime as dt
import statistics
import time
from collections.abc import Callable
from typing import Any

from airflow_provider.partitioning.window import TimePartitionWindow
from airflow_provider.schema.representations import TableData, split

FIRST = dt.date(2025, 1, 1)
ROWS_AT_MOST = 1_000_000


def make_table(rows: int, days: int, *, shuffled: bool, timestamps: bool = False) -> Any:
    """A table of a date (or instant) and four more columns."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(1)
    day = np.sort(rng.integers(0, days, rows)).astype(np.int32)
    if shuffled:
        rng.shuffle(day)
    offset = (FIRST - dt.date(1970, 1, 1)).days
    dates = pa.array(day + np.int32(offset)).cast(pa.date32())
    if timestamps:
        micros = (day.astype(np.int64) + offset) * 86_400_000_000 + rng.integers(0, 86_400_000_000, rows)
        dates = pa.array(micros).cast(pa.timestamp("us", tz="UTC"))
    carriers = pa.array(["AA", "B6", "DL", "UA", "WN"]).take(pa.array(rng.integers(0, 5, rows)))
    columns = [
        dates,
        carriers,
        pa.array(rng.random(rows)),
        pa.array(rng.integers(0, 10**9, rows)),
        pa.array(rng.random(rows)),
    ]
    return pa.Table.from_arrays(columns, names=["date", "carrier", "delay", "flight", "distance"])


def copy_of(table: Any) -> Callable[[], Any]:
    """What the ratios are measured against: one ``take`` of all rows in their order."""
    import numpy as np
    import pyarrow as pa

    order = pa.array(np.arange(table.num_rows))
    return lambda: table.take(order)


def bare_loop(rows: list[dict[str, Any]]) -> Callable[[], Any]:
    """The least a split of rows can be: one loop into a dict of lists."""

    def run() -> dict[Any, list[Any]]:
        held: dict[Any, list[Any]] = {}
        for row in rows:
            key = row["date"]
            if key in held:
                held[key].append(row)
            else:
                held[key] = [row]
        return held

    return run


def make_cases(rows: int, days: int) -> dict[str, tuple[str, Callable[[], Any]]]:
    """Name -> (name of its base, what to run)."""
    import numpy as np

    window = TimePartitionWindow(FIRST, FIRST + dt.timedelta(days=days - 1), timezone="UTC")

    def splitting(value: Any) -> Callable[[], Any]:
        return lambda: split(TableData.of(value), "date", window, where="benchmark")

    ordered = make_table(rows, days, shuffled=False)
    shuffled = make_table(rows, days, shuffled=True)
    frame = shuffled.select(["date", "delay", "flight", "distance"])
    stamps = make_table(rows, days, shuffled=True, timestamps=True)
    few = shuffled.slice(0, min(rows, ROWS_AT_MOST)).to_pylist()
    pandas_frame = _frame(frame, stamps)
    copy, loop, frame_copy = "copy of the table (take)", "bare loop over rows", "shuffled copy of the frame (take)"
    order = np.random.default_rng(2).permutation(rows)
    return {
        copy: (copy, copy_of(shuffled)),
        "copy in shuffled order (take)": (copy, lambda: shuffled.take(order)),
        "arrow, sorted": (copy, splitting(ordered)),
        "arrow, shuffled": (copy, splitting(shuffled)),
        "arrow, shuffled instants": (copy, splitting(stamps)),
        frame_copy: (frame_copy, lambda: pandas_frame.take(order)),
        "pandas, shuffled instants": (frame_copy, splitting(pandas_frame)),
        loop: (loop, bare_loop(few)),
        "rows, shuffled": (loop, splitting(few)),
    }


def _frame(table: Any, stamps: Any) -> Any:
    return table.set_column(0, "date", stamps.column("date")).to_pandas()


def timed(run: Callable[[], Any]) -> tuple[float, float]:
    """CPU and wall seconds of one run."""
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    return time.process_time() - cpu, time.perf_counter() - wall


def measure(cases: dict[str, tuple[str, Callable[[], Any]]], rounds: int) -> dict[str, list[Any]]:
    """CPU and wall seconds of each case, for each round."""
    times: dict[str, list[Any]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, (_base, run) in cases.items():
            times[name].append(timed(run))
    return times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    cases = make_cases(options.rows, options.days)
    times = measure(cases, options.rounds)
    cpu = {name: statistics.median(one for one, _ in rounds) for name, rounds in times.items()}
    print(f"{options.rows:,} rows (rows: at most {ROWS_AT_MOST:,}), {options.days} days, {options.rounds} rounds")
    print(f"{'case':34} {'CPU s':>8} {'ratio':>7} {'wall s (min-max)':>20}")
    for name, (base, _run) in cases.items():
        walls = [wall for _, wall in times[name]]
        print(f"{name:34} {cpu[name]:8.3f} {cpu[name] / cpu[base]:7.2f} {min(walls):12.3f}-{max(walls):.3f}")


if __name__ == "__main__":
    main()
