"""What the package costs Airflow: imports, parsing and serialising 1,000 assets, one task, the arithmetic of windows.

Parsing is what Airflow's DAG processor does: a ``DagBag`` over one file, then serialisation of every DAG. By hand means
the same DAGs written with ``EmptyOperator``: as many tasks, the same edges, the same schedule.

Run: ``python benchmarks/bench_airflow.py [--rows 1000]``, where rows are assets.
"""

import argparse
import datetime as dt
import os
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from harness import Run, Suite
from tables import make_window

os.environ.setdefault("AIRFLOW_HOME", os.environ.get("BENCH_SHARED", "/nonexistent"))
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
os.environ["AIRFLOW__USAGE_DATA_COLLECTION__ENABLED"] = "False"

suite = Suite("airflow", 1_000)
IMPORT, NAMES = "import airflow_provider, after airflow.sdk", "import, and the names of a DAG file"
OURS, BY_HAND = "assets: parse and serialise", "EmptyOperator: parse and serialise"
CHAIN, WINDOW = "chain of assets: AssetGraph", "window of 365 days: made, keys, edges, resolved"
TASK, EMPTY = "AssetOperator.execute, one partition in memory", "EmptyOperator.execute"


def load_airflow() -> None:
    """Load what every DAG file has loaded. Airflow reads our provider info and thus our package: that is undone."""
    from airflow.sdk import DAG, BaseOperator  # noqa: F401

    for name in [name for name in sys.modules if name.partition(".")[0] == "airflow_provider"]:
        del sys.modules[name]


@suite.case(IMPORT)
def import_facade(options: argparse.Namespace) -> Run:
    load_airflow()

    def run() -> Any:
        import airflow_provider

        return airflow_provider

    return run


@suite.case(NAMES)
def import_names(options: argparse.Namespace) -> Run:
    load_airflow()

    def run() -> Any:
        import airflow_provider as ap

        return ap.asset, ap.Source, ap.TimePartitionConfig, ap.Upstream, ap.ParquetDestination, ap.build_dags

    return run


ASSETS = """
    # airflow dag
    import airflow_provider as ap
    day = ap.TimePartitionConfig(column="day", start="2026-01-01", allow_window=True)

    def make(number):
        upstream = {{"before": ap.Relation("asset", f"asset_{{number - 1}}")}} if number % {size} else {{}}
        if upstream:
            @ap.asset(key=f"asset_{{number}}", partitioning=day, relations=upstream)
            def produce(context: ap.ExecutionContext, before: ap.Upstream): return []
        else:
            @ap.asset(key=f"asset_{{number}}", partitioning=day)
            def produce(context: ap.ExecutionContext): return []
        return produce

    def group(first):
        @ap.source(key=f"group_{{first}}")
        def made(): return [make(number) for number in range(first, first + {size})]
        return made(destinations=ap.ParquetDestination(base_path="/lake"))

    ap.build_dags(*[group(first) for first in range(0, {count}, {size})], schedule="@daily")
"""

EMPTIES = """
    # airflow dag
    import datetime as dt
    from airflow.providers.standard.operators.empty import EmptyOperator
    from airflow.sdk import DAG
    start = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
    for first in range(0, {count}, {size}):
        with DAG(f"group_{{first}}", schedule="@daily", start_date=start, catchup=False):
            before = None
            for number in range(first, first + {size}):
                task = EmptyOperator(task_id=f"asset_{{number}}")
                if before is not None:
                    before >> task
                before = task
"""


def parsing(text: str, count: int) -> Run:
    """Parse and serialise a file of DAGs of 100 tasks each; a small one goes first, to load Airflow and ours."""
    import logging

    import structlog

    logging.disable(logging.CRITICAL)
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    from airflow.dag_processing.dagbag import DagBag
    from airflow.dag_processing.processor import _serialize_dags

    folder = Path(os.environ["BENCH_SCRATCH"])

    def parse(name: str, tasks: int) -> tuple[int, int, int]:
        file = folder / f"{name}.py"
        file.write_text(textwrap.dedent(text).format(count=tasks, size=min(100, tasks)))
        bag = DagBag(str(file))
        assert not bag.import_errors, bag.import_errors
        dags, errors = _serialize_dags(bag, structlog.get_logger())
        assert not errors, errors
        return len(dags), sum(len(dag.data["dag"]["tasks"]) for dag in dags), sum(len(_json(dag.data)) for dag in dags)

    def run() -> dict[str, float]:
        _, tasks, size = parse("measured", count)
        assert tasks == count
        heavy = sum(name in sys.modules for name in ("pandas", "pyarrow", "polars", "duckdb"))
        return {"json": size / tasks, "heavy": heavy}

    parse("first", 10)
    return run


def _json(value: Any) -> str:
    import json

    return json.dumps(value)


@suite.case(OURS)
def assets(options: argparse.Namespace) -> Run:
    return parsing(ASSETS, options.rows)


@suite.case(BY_HAND)
def by_hand(options: argparse.Namespace) -> Run:
    return parsing(EMPTIES, options.rows)


@suite.case(CHAIN)
def chain(options: argparse.Namespace) -> Run:
    import airflow_provider as ap

    def make(number: int) -> Any:
        if not number:

            @ap.asset(key="asset_0")
            def first(context): ...

            return first

        @ap.asset(key=f"asset_{number}", relations={"before": ap.Relation("asset", f"asset_{number - 1}")})
        def produce(before: ap.Upstream): ...

        return produce

    made = [make(number)() for number in range(options.rows)]

    def run() -> int:
        graph = ap.AssetGraph(*made)
        assert len(graph.assets) == options.rows
        return sum(len(graph.upstreams(asset)) for asset in graph.assets.values())

    return run


@suite.case(WINDOW)
def window(options: argparse.Namespace) -> Run:
    from airflow_provider.partitioning import RunFacts, TimePartitionConfig, resolve

    partitioning = TimePartitionConfig(column="day", timezone="America/New_York", allow_window=True)
    start = dt.datetime(2025, 1, 1, 5, tzinfo=dt.timezone.utc)
    facts = RunFacts(interval=(start, start + dt.timedelta(days=365)), run_after=start)

    def run() -> Any:
        made = make_window()
        resolved = resolve(facts, partitioning, where="benchmark").windows
        assert resolved is not None
        return [partition.key for partition in made], made.edges, [part.start for one in resolved for part in one]

    return run


def fake_context() -> dict[str, Any]:
    from airflow.sdk.execution_time.context import OutletEventAccessors

    moment = dt.datetime(2026, 3, 6, tzinfo=dt.timezone.utc)
    dag_run = SimpleNamespace(conf={}, run_type="scheduled", run_after=moment, start_date=moment, clear_number=0)
    ti = SimpleNamespace(dag_id="d", run_id="r", task_id="t", map_index=-1, max_tries=1, try_number=1, id="1")
    return {
        "dag_run": dag_run, "ti": ti, "params": {}, "outlet_events": OutletEventAccessors(),
        "data_interval_start": moment - dt.timedelta(days=1), "data_interval_end": moment,
    }  # fmt: skip


@suite.case(TASK)
def task(options: argparse.Namespace) -> Run:
    import airflow_provider as ap

    os.environ["AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI"] = os.environ["BENCH_SCRATCH"] + "/index"

    @ap.asset(partitioning=ap.TimePartitionConfig(column="day"))
    def events(context: ap.ExecutionContext):
        return [{"day": context.partition.date, "n": 1}]

    asset = events(destinations=ap.MemoryDestination())

    def run() -> None:
        ap.AssetOperator(task_id="events", asset=asset).execute(fake_context())

    return run


@suite.case(EMPTY)
def empty(options: argparse.Namespace) -> Run:
    from airflow.providers.standard.operators.empty import EmptyOperator

    return lambda: EmptyOperator(task_id="empty").execute(fake_context())


def _over_empty(figures: Any) -> float:
    return (figures.cpu(TASK) - figures.cpu(EMPTY)) * 1000


suite.goal("import airflow_provider: milliseconds", 50, lambda f: f.first(IMPORT) * 1000, unit="ms")
suite.goal("import airflow_provider: memory", 5, lambda f: f.memory(IMPORT) / 1e6, unit="MB")
suite.ratio(OURS, BY_HAND, 2)
suite.goal("JSON of a task", 2_000, lambda f: f.figure(OURS, "json"), unit="B")
suite.goal("data libraries loaded by parsing", 0, lambda f: f.figure(OURS, "heavy"), unit="")
suite.goal("AssetOperator above EmptyOperator: milliseconds", 20, _over_empty, unit="ms")
suite.goal("window of 365 partitions: milliseconds", 5, lambda f: f.cpu(WINDOW) * 1000, unit="ms")
suite.goal("chain of assets: seconds", 1, lambda f: f.cpu(CHAIN), unit="s")

if __name__ == "__main__":
    suite.main()
