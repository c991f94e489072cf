"""Splitting a window into its partitions, against one copy of the same data, and against other packages.

The copy is ``take`` of all rows in their order, for frames ``take`` in shuffled order, for rows one bare loop into a
dict of lists. Both forms of text are measured: one whose values are all of one length, and one where they differ.

Run: ``python benchmarks/bench_split.py [--rows 10000000] [--peer-python .../bin/python]``, where the peer's
environment has ``interloper-core==0.117.*`` and ``interloper-pandas``.
"""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

from harness import Figures, Run, SkippedError, Suite
from tables import DAYS, make_table, make_window

ROWS_AT_MOST = 1_000_000
PEER_ROWS = 100_000

suite = Suite("split", 10_000_000)
suite.options.append(("--peer-python", {"default": "", "help": "interpreter that has interloper-core 0.117"}))


def splitting(value: Any, column: str = "day", days: int = DAYS) -> Run:
    from airflow_provider.partitioning import TimePartitionConfig
    from airflow_provider.schema.representations import TableData, split

    window = make_window(days)
    split(TableData.of(make_table(1_000)), TimePartitionConfig(column="day"), make_window(), where="warm-up")
    return lambda: split(TableData.of(value), TimePartitionConfig(column=column), window, where="benchmark")


def copying(table: Any) -> Run:
    import numpy as np
    import pyarrow as pa

    order = pa.array(np.arange(table.num_rows))
    table.slice(0, 1_000).take(order.slice(0, 1_000))
    return lambda: table.take(order)


def with_ragged_text(table: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    texts = pa.array([f"n{number}" * (1 + number % 2) for number in range(100_000)])
    chosen = np.random.default_rng(3).integers(0, len(texts), table.num_rows)
    return table.set_column(table.column_names.index("name"), "name", texts.take(pa.array(chosen)))


def some_rows(options: argparse.Namespace, most: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = make_table(min(options.rows, most)).to_pylist()
    return rows


def frame(rows: int) -> Any:
    return make_table(rows).drop_columns(["name", "cat", "day"]).to_pandas()


@suite.case("copy of the table (take)")
def copy(options: argparse.Namespace) -> Run:
    return copying(make_table(options.rows))


@suite.case("arrow, sorted")
def arrow_sorted(options: argparse.Namespace) -> Run:
    return splitting(make_table(options.rows, shuffled=False))


@suite.case("arrow, shuffled dates")
def arrow_dates(options: argparse.Namespace) -> Run:
    return splitting(make_table(options.rows))


@suite.case("arrow, shuffled instants")
def arrow_instants(options: argparse.Namespace) -> Run:
    return splitting(make_table(options.rows), "ts")


@suite.case("arrow, shuffled dates, in 3,650 days")
def arrow_many(options: argparse.Namespace) -> Run:
    return splitting(make_table(options.rows, days=10 * DAYS), days=10 * DAYS)


@suite.case("copy of the table with ragged text (take)")
def copy_ragged(options: argparse.Namespace) -> Run:
    return copying(with_ragged_text(make_table(options.rows)))


@suite.case("arrow, shuffled dates, ragged text")
def arrow_ragged(options: argparse.Namespace) -> Run:
    return splitting(with_ragged_text(make_table(options.rows)))


@suite.case("polars partition_by, to compare")
def polars_partition_by(options: argparse.Namespace) -> Run:
    try:
        import polars as pl
    except ImportError:
        raise SkippedError("polars is not installed") from None
    table = make_table(options.rows)
    return lambda: pl.from_arrow(table).partition_by("day", maintain_order=True)  # type: ignore[union-attr]


@suite.case("shuffled copy of the frame (take)")
def copy_frame(options: argparse.Namespace) -> Run:
    import numpy as np

    value, order = frame(options.rows), np.random.default_rng(2).permutation(options.rows)
    return lambda: value.take(order)


@suite.case("pandas, shuffled instants")
def pandas_instants(options: argparse.Namespace) -> Run:
    return splitting(frame(options.rows), "ts")


@suite.case("bare loop over rows")
def bare_loop(options: argparse.Namespace) -> Run:
    rows = some_rows(options, ROWS_AT_MOST)

    def run() -> dict[Any, list[Any]]:
        held: dict[Any, list[Any]] = {}
        for row in rows:
            key = row["day"]
            if key in held:
                held[key].append(row)
            else:
                held[key] = [row]
        return held

    return run


@suite.case("rows, shuffled dates")
def rows_dates(options: argparse.Namespace) -> Run:
    return splitting(some_rows(options, ROWS_AT_MOST))


@suite.case("rows, 100,000")
def rows_few(options: argparse.Namespace) -> Run:
    return splitting(some_rows(options, PEER_ROWS))


@suite.case("pandas, 100,000")
def pandas_few(options: argparse.Namespace) -> Run:
    return splitting(frame(PEER_ROWS), "ts")


@suite.case("interloper-core 0.117, rows, 100,000", once=True)
def peer_rows(options: argparse.Namespace) -> Run:
    return _peer(options, "rows")


@suite.case("interloper-pandas, 100,000", once=True)
def peer_frame(options: argparse.Namespace) -> Run:
    return _peer(options, "frame")


def _peer(options: argparse.Namespace, form: str) -> Run:
    """The peer in its own interpreter, which measures itself and takes minutes."""
    if not options.peer_python:
        raise SkippedError("give --peer-python, an interpreter that has interloper-core 0.117")
    script = Path(__file__).with_name("peer_interloper.py")
    ran = subprocess.run(
        [options.peer_python, str(script), "split", form, str(PEER_ROWS), str(DAYS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ran.returncode:
        raise SkippedError(f"{options.peer_python} failed: {ran.stderr.strip().splitlines()[-1:]}")
    found = json.loads(ran.stdout)
    return lambda: found


def _flat(figures: Figures) -> float:
    return figures.cpu("arrow, shuffled dates, in 3,650 days") / figures.cpu("arrow, shuffled dates")


suite.goal("arrow, sorted: milliseconds", 50, lambda f: f.cpu("arrow, sorted") * 1000, unit="ms")
suite.ratio("arrow, shuffled dates", "copy of the table (take)", 3.3)
suite.ratio("arrow, shuffled instants", "copy of the table (take)", 3.3)
suite.ratio("arrow, shuffled dates, ragged text", "copy of the table with ragged text (take)", 3.3)
suite.goal(
    "the same, the first touch of memory included",
    2.0,
    lambda f: f.first("arrow, shuffled dates") / f.first("copy of the table (take)"),
)
suite.goal("ten times the partitions / arrow, shuffled dates", 2.0, _flat)
suite.ratio("pandas, shuffled instants", "shuffled copy of the frame (take)", 4.0)
suite.ratio("rows, shuffled dates", "bare loop over rows", 1.5)
suite.ratio("rows, 100,000", "interloper-core 0.117, rows, 100,000", 100, at_least=True)
suite.ratio("pandas, 100,000", "interloper-pandas, 100,000", 100, at_least=True)

if __name__ == "__main__":
    suite.main()
