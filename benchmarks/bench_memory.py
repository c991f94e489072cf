"""How much memory a window takes on its way in and out: the peak of a process of its own for each case.

The peak is the resident set as the system counts it, beside what the process held before the step that is measured.
Every case works on the same five columns over 365 days, shuffled; a stream arrives in Arrow batches of 50,000 rows, as
rows in dicts (fewer of them, for that is slow), or in one partition.

Goals: writing a window of 10,000,000 rows takes below 1.5 times the input above the input, reading it below 2 times the
result; a stream stays below 600 MB for the whole process, however many rows it has.

Run: ``python benchmarks/bench_memory.py [--rows 10000000] [--days 365] [--case NAME ...]``
"""

import argparse
import datetime as dt
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FIRST = dt.date(2025, 1, 1)
STREAM_MB = 600.0
WRITE_RATIO = 1.5
READ_RATIO = 2.0


def make_batch(rows: int, days: int, seed: int) -> Any:
    """Rows of a date in shuffled order and four more columns."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    offset = (FIRST - dt.date(1970, 1, 1)).days
    dates = pa.array(rng.integers(0, days, rows).astype(np.int32) + np.int32(offset)).cast(pa.date32())
    carriers = pa.array(["AA", "B6", "DL", "UA", "WN"]).take(pa.array(rng.integers(0, 5, rows)))
    numbers = [pa.array(rng.random(rows)), pa.array(rng.integers(0, 10**9, rows)), pa.array(rng.random(rows))]
    return pa.Table.from_arrays([dates, carriers, *numbers], names=["date", "carrier", "delay", "flight", "distance"])


def make_asset(value: Callable[[], Any], destination: Any, *, partitioned: bool = True) -> Any:
    """An asset that returns ``value()``."""
    import airflow_provider as ap

    partitioning = ap.TimePartitionConfig(column="date", allow_window=True) if partitioned else None

    @ap.asset(partitioning=partitioning, dataset="bench")
    def flights() -> Any:
        return value()

    return flights(destinations=destination)


def window(days: int) -> Any:
    """The days."""
    import airflow_provider as ap

    return ap.TimePartitionWindow(FIRST, FIRST + dt.timedelta(days=days - 1))


def batches(rows: int, days: int) -> Iterator[Any]:
    """A stream of Arrow tables."""
    for number in range(0, rows, 50_000):
        yield make_batch(min(50_000, rows - number), days, number)


def dicts(rows: int, days: int) -> Iterator[dict[str, Any]]:
    """A stream of rows."""
    for number in range(rows):
        day = FIRST + dt.timedelta(days=number * 7919 % days)
        yield {"date": day, "carrier": "AA", "delay": number / 7, "flight": number, "distance": 0.5}


def stored(folder: str, kind: str) -> Any:
    """A destination."""
    import airflow_provider as ap

    return {"parquet": ap.ParquetDestination, "csv": ap.CSVDestination}[kind](base_path=folder)


def stream(rows: int, days: int, folder: str, kind: str = "parquet") -> dict[str, float]:
    """Write a stream; nothing is held before."""
    asset = make_asset(lambda: batches(rows, days), stored(folder, kind), partitioned=days > 1)
    asset.materialize(window=window(days) if days > 1 else None)
    return {"rows": rows}


def stream_dicts(rows: int, days: int, folder: str) -> dict[str, float]:
    """Write a stream of dicts."""
    asset = make_asset(lambda: dicts(rows, days), stored(folder, "parquet"))
    asset.materialize(window=window(days))
    return {"rows": rows}


def write(rows: int, days: int, folder: str) -> dict[str, float]:
    """Write a table that is in memory."""
    import pyarrow as pa

    table = pa.concat_tables(batches(rows, days)).combine_chunks()
    asset = make_asset(lambda: table, stored(folder, "parquet"))
    warm_up(folder)
    before = resident_mb()
    reset_peak()
    asset.materialize(window=window(days))
    return {"rows": rows, "input_mb": table.nbytes / 1e6, "before_mb": before}


def read(rows: int, days: int, folder: str) -> dict[str, float]:
    """Read the window that ``write`` wrote."""
    import airflow_provider as ap

    asset = make_asset(lambda: None, stored(folder, "parquet"))
    warm_up(folder)
    before = resident_mb()
    reset_peak()
    table = asset.default_destination.read(ap.IOContext(asset, window(days)))
    return {"rows": table.num_rows, "result_mb": table.nbytes / 1e6, "before_mb": before}


def read_batches(rows: int, days: int, folder: str) -> dict[str, float]:
    """Read it batch by batch."""
    import airflow_provider as ap

    asset = make_asset(lambda: None, stored(folder, "parquet"))
    reader = asset.default_destination.read_batches(ap.IOContext(asset, window(days)))
    return {"rows": sum(batch.num_rows for batch in reader)}


def warm_up(folder: str) -> None:
    """Load every library that a write and a read need, so that they do not count."""
    import airflow_provider as ap

    asset = make_asset(lambda: make_batch(100, 2, 1), stored(f"{folder}/warm-up", "parquet"))
    asset.materialize(window=window(2))
    asset.default_destination.read(ap.IOContext(asset, window(2)))


def reset_peak() -> None:
    """Have the system forget the peak so far."""
    Path("/proc/self/clear_refs").write_text("5")


def _status(name: str) -> float:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1e3


def resident_mb() -> float:
    """The resident set now."""
    return _status("VmRSS")


def peak_mb() -> float:
    """The largest resident set since the start, or since ``reset_peak``."""
    return _status("VmHWM")


CASES: dict[str, Callable[[int, int, str], dict[str, float]]] = {
    "stream": stream,
    "stream-3x": lambda rows, days, folder: stream(3 * rows, days, folder),
    "stream-one-partition": lambda rows, days, folder: stream(rows, 1, folder),
    "stream-one-partition-3x": lambda rows, days, folder: stream(3 * rows, 1, folder),
    "stream-csv": lambda rows, days, folder: stream(rows, days, folder, "csv"),
    "stream-dicts": lambda rows, days, folder: stream_dicts(rows // 5, days, folder),
    "write": write,
    "read": read,
    "read-batches": read_batches,
}


def run_case(name: str, rows: int, days: int, folder: str) -> dict[str, float]:
    """One case in this process; its figures in MB and seconds of CPU."""
    started = time.process_time()
    found = CASES[name](rows, days, folder)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {**found, "peak_mb": peak_mb(), "cpu_s": time.process_time() - started, "maxrss_mb": usage.ru_maxrss / 1e3}


def judged(name: str, found: dict[str, float]) -> tuple[float, float, str]:
    """The figure of a case, its goal, and what it is."""
    if name == "write":
        return (found["peak_mb"] - found["before_mb"]) / found["input_mb"], WRITE_RATIO, "times the input above it"
    if name == "read":
        return (found["peak_mb"] - found["before_mb"]) / found["result_mb"], READ_RATIO, "times the result"
    return found["peak_mb"], STREAM_MB, "MB, whole process"


def measured(name: str, *, rows: int, days: int, folder: str) -> dict[str, float]:
    """One case in a process of its own."""
    command = [sys.executable, __file__, "--inside", name, "--rows", str(rows), "--days", str(days), "--folder", folder]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--case", nargs="*", choices=[*CASES], default=[*CASES])
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(run_case(options.inside, options.rows, options.days, options.folder)))
        return
    with tempfile.TemporaryDirectory() as shared:
        for name in options.case:
            with tempfile.TemporaryDirectory() as own:
                folder = shared if name in ("write", "read", "read-batches") else own
                found = measured(name, rows=options.rows, days=options.days, folder=folder)
            value, goal, unit = judged(name, found)
            verdict = "ok" if value <= goal else "MISSED"
            print(
                f"{name:24} {found['rows']:>12,.0f} rows {value:8.2f} {unit} (goal {goal:g}, {verdict});"
                f" peak {found['peak_mb']:.0f} MB, {found['cpu_s']:.1f} s CPU",
                flush=True,
            )


if __name__ == "__main__":
    main()
