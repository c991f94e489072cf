"""CSV written and read, against ``pyarrow.csv`` on the same table.

Ours quotes all text, tells null from the empty text, and keeps the types in a sidecar; the base writes and reads the
same columns with pyarrow's defaults and the types given. Both work in memory: the disk is the same for both.

Run: ``python benchmarks/bench_csv.py [--rows 1000000]``
"""

import argparse
import csv
import io
from typing import Any

from harness import Run, Suite
from tables import make_table

suite = Suite("csv", 1_000_000)
WRITE, READ = "ours: write Arrow", "ours: read"
WRITE_ROWS, WRITE_FRAME = "ours: write rows", "ours: write DataFrame"
BASE_WRITE, BASE_READ = "pyarrow.csv.write_csv", "pyarrow.csv.read_csv, types given"
BASE_ROWS, BASE_FRAME = "rows: from_pylist(schema), write_csv", "DataFrame: Table.from_pandas, write_csv"


def plain_table(options: argparse.Namespace) -> Any:
    """The table with its dictionary column as text, for pyarrow.csv writes no dictionaries by itself."""
    import pyarrow as pa

    table = make_table(options.rows)
    return table.set_column(table.column_names.index("cat"), "cat", table.column("cat").cast(pa.string()))


def ours(value: Any) -> Run:
    from airflow_provider.destinations.csv import CSVDestination

    destination = CSVDestination(base_path="/unused")

    def run() -> None:
        destination.encode(value, io.BytesIO(), where="benchmark")

    return run


@suite.case(BASE_WRITE)
def base_write(options: argparse.Namespace) -> Run:
    import pyarrow.csv as arrow_csv

    table = plain_table(options)
    return lambda: arrow_csv.write_csv(table, io.BytesIO())


@suite.case(WRITE)
def write_arrow(options: argparse.Namespace) -> Run:
    return ours(plain_table(options))


@suite.case(BASE_ROWS)
def base_rows(options: argparse.Namespace) -> Run:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    table = plain_table(options)
    rows, schema = table.to_pylist(), table.schema
    return lambda: arrow_csv.write_csv(pa.Table.from_pylist(rows, schema=schema), io.BytesIO())


@suite.case(WRITE_ROWS)
def write_rows(options: argparse.Namespace) -> Run:
    return ours(plain_table(options).to_pylist())


@suite.case(BASE_FRAME)
def base_frame(options: argparse.Namespace) -> Run:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    frame = plain_table(options).to_pandas()
    return lambda: arrow_csv.write_csv(pa.Table.from_pandas(frame, preserve_index=False), io.BytesIO())


@suite.case(WRITE_FRAME)
def write_frame(options: argparse.Namespace) -> Run:
    return ours(plain_table(options).to_pandas())


@suite.case(BASE_READ)
def base_read(options: argparse.Namespace) -> Run:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    table, sink = plain_table(options), io.BytesIO()
    arrow_csv.write_csv(table, sink)
    content, types = sink.getvalue(), {field.name: field.type for field in table.schema}
    convert = arrow_csv.ConvertOptions(column_types=types)
    return lambda: arrow_csv.read_csv(pa.BufferReader(content), convert_options=convert)


@suite.case(READ)
def read(options: argparse.Namespace) -> Run:
    from airflow_provider.destinations.csv_codec import read_csv, write_csv

    table, sink = plain_table(options), io.BytesIO()
    types = write_csv(table, sink, where="benchmark")
    content = sink.getvalue()
    assert read_csv(content, types).equals(table)
    return lambda: read_csv(content, types)


@suite.case("csv.DictWriter on rows, to compare")
def dict_writer(options: argparse.Namespace) -> Run:
    rows = plain_table(options).to_pylist()

    def run() -> None:
        writer = csv.DictWriter(io.StringIO(), fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)

    return run


suite.ratio(WRITE, BASE_WRITE, 1.3)
suite.ratio(WRITE_ROWS, BASE_ROWS, 1.3)
suite.ratio(WRITE_FRAME, BASE_FRAME, 1.3)
suite.ratio(READ, BASE_READ, 1.3)

if __name__ == "__main__":
    suite.main()
