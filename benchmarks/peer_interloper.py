"""The same job done by interloper-core and interloper-pandas 0.117, in an interpreter that has them.

Called by other benchmarks: ``peer_interloper.py split|reconcile rows|frame ROWS DAYS``; prints CPU and wall seconds as
JSON. It imports nothing of ours.
"""

import datetime as dt
import json
import random
import sys
import time

FIRST = dt.date(2025, 1, 1)


def make_rows(count: int, days: int) -> list[dict[str, object]]:
    chance = random.Random(1)
    rows = []
    for number in range(count):
        day = FIRST + dt.timedelta(days=chance.randrange(days))
        rows.append(
            {
                "id": number,
                "ts": dt.datetime(day.year, day.month, day.day, chance.randrange(24), tzinfo=dt.timezone.utc),
                "value": chance.random(),
                "name": f"n{chance.randrange(100_000):07d}",
                "cat": f"cat{chance.randrange(20)}",
                "day": day,
            }
        )
    return rows


def main() -> None:
    job, form, count, days = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rows = make_rows(count, days)
    run = {"split": splitting, "reconcile": reconciling}[job](rows, form, days)
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    print(json.dumps({"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}))


def splitting(rows, form, days):
    from interloper.partitioning.time import TimePartitionWindow

    partitions = list(TimePartitionWindow(FIRST, FIRST + dt.timedelta(days=days - 1)).partitions)
    if form == "rows":
        return lambda: [partition.slice(rows, "day") for partition in partitions]
    import pandas as pd

    frame = pd.DataFrame(rows)[["id", "ts", "value"]]
    return lambda: [partition.slice(frame, "ts") for partition in partitions]


def reconciling(rows, form, days):
    from interloper.representation import TableData
    from interloper.schema import Schema

    class Events(Schema):
        id: int
        ts: dt.datetime
        value: float
        name: str
        cat: str
        day: dt.date

    return lambda: TableData.from_data(rows).reconcile(Events)


if __name__ == "__main__":
    main()
