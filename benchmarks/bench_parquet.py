"""A window of 365 days written to and read from Parquet, the whole way: ``materialize`` with a ``ParquetDestination``.

Writing includes the split, the temporary files, every fsync, the hashes, the commit records and the index. The floor is
encoding alone: slices that are sorted already, ``pq.write_table`` into memory. Reading includes the check of each file
against its record. Everyone reads the same files, those that ours has written.

Run: ``python benchmarks/bench_parquet.py [--rows 10000000]``
"""

import argparse
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from harness import Run, SkippedError, Suite
from tables import DAYS, FIRST, make_table, make_window

suite = Suite("parquet", 10_000_000)
FLOOR = "floor: encode alone, sorted, into memory"
OURS = "ours: shuffled Arrow, durable"
OURS_FRAME = "ours: shuffled DataFrame, durable"
READ = "ours: window read"


def scratch() -> str:
    """A new folder, which the harness removes when the process has ended."""
    return tempfile.mkdtemp(dir=os.environ["BENCH_SCRATCH"])


def make_asset(folder: str, value: Any) -> Any:
    import airflow_provider as ap

    os.environ["AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI"] = f"{folder}/index"
    partitioning = ap.TimePartitionConfig(
        column="day", granularity="day", start=FIRST, timezone="UTC", allow_window=True
    )

    @ap.asset(partitioning=partitioning)
    def events(context):
        return value

    return events(destinations=ap.ParquetDestination(base_path=f"{folder}/lake"))


def write(value: Any, size: int) -> Run:
    def run() -> dict[str, float]:
        folder = scratch()
        make_asset(folder, value).materialize(window=make_window())
        return {"input": size, **sizes(folder)}

    return run


def sizes(folder: str) -> dict[str, float]:
    return {"written": sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))}


@suite.case(FLOOR)
def floor(options: argparse.Namespace) -> Run:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = make_table(options.rows, shuffled=False)
    size = table.num_rows // DAYS
    slices = [table.slice(number * size, size) for number in range(DAYS)]

    def run() -> dict[str, float]:
        written = 0
        for one in slices:
            sink = pa.BufferOutputStream()
            pq.write_table(one, sink)
            written += sink.getvalue().size
        return {"written": written}

    return run


@suite.case(OURS)
def ours(options: argparse.Namespace) -> Run:
    table = make_table(options.rows)
    return write(table, table.nbytes)


@suite.case(OURS_FRAME)
def ours_frame(options: argparse.Namespace) -> Run:
    frame = make_table(options.rows).to_pandas()
    return write(frame, int(frame.memory_usage(deep=False).sum()))


@suite.case("pyarrow.dataset.write_dataset", once=True)
def dataset_write(options: argparse.Namespace) -> Run:
    import pyarrow as pa
    import pyarrow.dataset as ds

    table = make_table(options.rows)

    def run() -> dict[str, float]:
        folder = scratch()
        partitioning = ds.partitioning(pa.schema([("day", pa.date32())]), flavor="hive")
        ds.write_dataset(table, folder, format="parquet", partitioning=partitioning)
        return sizes(folder)

    return run


@suite.case("pandas.to_parquet(partition_cols)", once=True)
def pandas_write(options: argparse.Namespace) -> Run:
    frame = make_table(options.rows).to_pandas()

    def run() -> dict[str, float]:
        folder = scratch()
        frame.to_parquet(folder, partition_cols=["day"])
        return sizes(folder)

    return run


@suite.case("polars partitioned write, not durable, to compare")
def polars_write(options: argparse.Namespace) -> Run:
    pl = _polars()
    table = make_table(options.rows)

    def run() -> dict[str, float]:
        folder = scratch()
        pl.from_arrow(table).write_parquet(folder, partition_by="day", compression="snappy")
        return sizes(folder)

    return run


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise SkippedError("polars is not installed") from None
    return polars


def stored(options: argparse.Namespace) -> tuple[Any, list[str]]:
    """An asset whose window is stored, and its files; written once, by a process of its own."""
    folder = f"{os.environ['BENCH_SHARED']}/{options.rows}"
    if not Path(folder).exists():
        making = f"b.make_asset({folder!r}, b.make_table({options.rows}))"
        code = f"import bench_parquet as b; {making}.materialize(window=b.make_window())"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)
    files = sorted(map(str, Path(folder).rglob("data.parquet")))
    assert len(files) == DAYS
    return make_asset(folder, None), files


@suite.case(READ)
def ours_read(options: argparse.Namespace) -> Run:
    import airflow_provider as ap

    asset, _ = stored(options)
    (destination,) = asset.destinations

    def run() -> Any:
        table = destination.read(ap.IOContext(asset, make_window(), {}, None))
        assert table.num_rows == options.rows
        return {"result": table.nbytes, "rows": table.num_rows}

    return run


@suite.case("pyarrow.dataset to_table")
def dataset_read(options: argparse.Namespace) -> Run:
    import pyarrow.dataset as ds

    _, files = stored(options)
    return lambda: ds.dataset(files, format="parquet").to_table()


@suite.case("polars read_parquet")
def polars_read(options: argparse.Namespace) -> Run:
    pl = _polars()
    _, files = stored(options)
    return lambda: pl.read_parquet(files)


@suite.case("polars read_parquet, hashed as ours, to Arrow")
def polars_read_checked(options: argparse.Namespace) -> Run:
    import hashlib

    pl = _polars()
    _, files = stored(options)

    def run() -> Any:
        contents = [Path(file).read_bytes() for file in files]
        for content in contents:
            hashlib.sha256(content).hexdigest()
        return pl.concat([pl.read_parquet(io.BytesIO(content)) for content in contents]).to_arrow()

    return run


suite.ratio(OURS, FLOOR, 2.4)
suite.ratio(OURS, FLOOR, 1.5, name="the same, the bar of the polars extra")
suite.ratio(OURS_FRAME, FLOOR, 2.4)
suite.ratio(OURS, "pyarrow.dataset.write_dataset", 6, at_least=True)
suite.ratio(OURS_FRAME, "pandas.to_parquet(partition_cols)", 6, at_least=True)
suite.goal("ours: memory above the input / input", 1.5, lambda f: f.memory(OURS) / f.figure(OURS, "input"))
suite.goal(
    "ours: bytes written / write_dataset",
    0.8,
    lambda f: f.figure(OURS, "written") / f.figure("pyarrow.dataset.write_dataset", "written"),
)
suite.ratio(READ, "pyarrow.dataset to_table", 1.1)
suite.ratio(READ, "polars read_parquet", 1.1)
suite.goal("ours: memory of a read / result", 2.0, lambda f: f.memory(READ) / f.figure(READ, "result"))

if __name__ == "__main__":
    suite.main()
