"""Two writers of different partitions at once, against one that writes them all: what the locks and fences cost.

Fault F5 of the fault suite asks that they never meet, and for at least 1.5 times the throughput on two cores. Each
writer is a process; one round commits its partitions once, each of ``--rows`` rows, durably. Rounds with one and with
two writers are interleaved; the figure is the median of their ratios. It says little on a machine that is busy.

Run: ``python benchmarks/bench_writers.py [--rows 200000] [--rounds 9]``
"""

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from typing import Any

GOAL = 1.5
PARTITIONS = 8


def table_of(partition: Any, rows: int) -> Any:
    """A partition's rows; the encoder has work to do."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(partition.date.toordinal())
    return pa.table({"day": [partition.date] * rows, "n": rng.integers(0, 10**9, rows), "x": rng.random(rows)})


def work(base: str, numbers: list[int], rows: int, turns: Any, done: Any) -> None:
    """Commit the partitions of these numbers once for each turn; a turn of None ends it."""
    import pyarrow as pa

    from airflow_provider.definitions.destination import Stamp
    from airflow_provider.destinations.parquet import ParquetDestination
    from airflow_provider.testing.samples import StoredAsset, context_of, days

    pa.set_cpu_count(1)
    context = context_of(StoredAsset(), days(PARTITIONS))
    tables = {number: table_of(context.partitions[number], rows) for number in numbers}
    committer = ParquetDestination(base_path=base).committer(context)
    while turns.get() is not None:
        fence = committer.take_fence()
        for number, table in tables.items():
            committer.commit(context.partitions[number], table, Stamp(fence=fence, attempt=f"v{fence}"))
        done.put(None)


class Crew:
    """Writers that share the partitions among them."""

    def __init__(self, base: str, count: int, rows: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.turns = [spawn.SimpleQueue() for _ in range(count)]
        self.done = spawn.SimpleQueue()
        shares = [list(range(PARTITIONS))[first::count] for first in range(count)]
        self.writers = [
            spawn.Process(target=work, args=(base, share, rows, turns, self.done))
            for share, turns in zip(shares, self.turns, strict=True)
        ]
        for writer in self.writers:
            writer.start()
        self.round_s()  # the first one loads libraries

    def round_s(self) -> float:
        """Seconds until every writer has committed its share."""
        began = time.perf_counter()
        for turns in self.turns:
            turns.put(0)
        for _ in self.writers:
            self.done.get()
        return time.perf_counter() - began

    def end(self) -> None:
        """Have the writers go home."""
        for turns in self.turns:
            turns.put(None)
        for writer in self.writers:
            writer.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        alone, pair = Crew(one, 1, options.rows), Crew(two, 2, options.rows)
        times = [(alone.round_s(), pair.round_s()) for _ in range(options.rounds)]
        alone.end()
        pair.end()
    ratio = statistics.median(first / second for first, second in times)
    first, second = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"{PARTITIONS} partitions of {options.rows:,} rows, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"one writer {first:.3f} s, two writers {second:.3f} s a round")
    print(f"throughput of two: {ratio:.2f}x of one (goal: at least {GOAL}x) {'ok' if ratio >= GOAL else 'MISSED'}")


if __name__ == "__main__":
    main()
