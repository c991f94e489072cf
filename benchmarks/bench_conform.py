"""Conforming rows to a schema, against a bare typed Arrow build, pydantic per row, and interloper's reconcile.

The base is what anybody pays who wants typed rows in Arrow: ``pa.Table.from_pylist(schema)``, for text a cast of the
columns after it. Ours ends in Arrow too: conform, then the Arrow form.

Run: ``python benchmarks/bench_conform.py [--rows 100000] [--peer-python .../bin/python]``
"""

import argparse
import datetime as dt
import json
import subprocess
from pathlib import Path
from typing import Any

from harness import Run, SkippedError, Suite
from tables import make_table

suite = Suite("conform", 100_000)
suite.options.append(("--peer-python", {"default": "", "help": "interpreter that has interloper-core 0.117"}))
# Text is to compare: each value is parsed by our own rules, which are stricter than Arrow's casts.
TYPED, TEXT = "ours: typed rows, conform and Arrow", "ours: rows of text, conform and Arrow"
ALONE = "ours: typed rows, conform alone"
BASE, BASE_TEXT = "pa.Table.from_pylist(schema)", "from_pylist of text, cast"
PYDANTIC = "pydantic per row"
PEER = "interloper reconcile, rows"


def plain_table(options: argparse.Namespace) -> Any:
    import pyarrow as pa

    table = make_table(options.rows)
    return table.set_column(table.column_names.index("cat"), "cat", table.column("cat").cast(pa.string()))


def typed_rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = plain_table(options).to_pylist()
    for row in rows:
        row["ts"] = row["ts"].replace(tzinfo=dt.timezone.utc)
    return rows


def text_rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    return [
        {name: value.isoformat() if hasattr(value, "isoformat") else str(value) for name, value in row.items()}
        for row in typed_rows(options)
    ]


def make_schema() -> Any:
    import airflow_provider as ap

    class Events(ap.Schema):
        id: int
        ts: dt.datetime
        value: float
        name: str
        cat: str
        day: dt.date

    return Events


def conforming(rows: list[dict[str, Any]], *, to_arrow: bool) -> Run:
    from airflow_provider.schema import conform
    from airflow_provider.schema.representations import TableData

    schema = make_schema()

    def run() -> Any:
        data, _ = conform(TableData.of(rows), schema, where="benchmark")
        return data.arrow() if to_arrow else data

    return run


@suite.case(BASE)
def base(options: argparse.Namespace) -> Run:
    import pyarrow as pa

    rows, schema = typed_rows(options), make_schema().arrow()
    return lambda: pa.Table.from_pylist(rows, schema=schema)


@suite.case(TYPED)
def typed(options: argparse.Namespace) -> Run:
    return conforming(typed_rows(options), to_arrow=True)


@suite.case(ALONE)
def typed_alone(options: argparse.Namespace) -> Run:
    return conforming(typed_rows(options), to_arrow=False)


@suite.case(BASE_TEXT)
def base_text(options: argparse.Namespace) -> Run:
    import pyarrow as pa

    rows, schema = text_rows(options), make_schema().arrow()
    text = pa.schema([(name, pa.string()) for name in schema.names])
    return lambda: pa.Table.from_pylist(rows, schema=text).cast(schema)


@suite.case(TEXT)
def text(options: argparse.Namespace) -> Run:
    return conforming(text_rows(options), to_arrow=True)


@suite.case(PYDANTIC)
def pydantic_rows(options: argparse.Namespace) -> Run:
    import pydantic

    class Events(pydantic.BaseModel):
        id: int
        ts: dt.datetime
        value: float
        name: str
        cat: str
        day: dt.date

    rows = typed_rows(options)
    return lambda: [Events.model_validate(row).model_dump() for row in rows]


@suite.case(PEER, once=True)
def peer(options: argparse.Namespace) -> Run:
    if not options.peer_python:
        raise SkippedError("give --peer-python, an interpreter that has interloper-core 0.117")
    script = Path(__file__).with_name("peer_interloper.py")
    ran = subprocess.run(
        [options.peer_python, str(script), "reconcile", "rows", str(options.rows), "365"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ran.returncode:
        raise SkippedError(f"{options.peer_python} failed: {ran.stderr.strip().splitlines()[-1:]}")
    found = json.loads(ran.stdout)
    return lambda: found


suite.ratio(TYPED, BASE, 1.3)
suite.ratio(TYPED, PEER, 3, at_least=True)

if __name__ == "__main__":
    suite.main()
