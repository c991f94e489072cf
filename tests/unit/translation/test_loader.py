"""Many definitions of one file: layouts, isolation of broken ones, and bytes that never change."""

import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.errors import AssetNotFoundError, ConfigError

daily = ap.TimePartitionConfig(column="day", allow_window=True)
hourly = ap.TimePartitionConfig(column="at", granularity="hour")

PARSE = """
import json, sys, structlog, logging
structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
logging.disable(logging.CRITICAL)
from airflow.dag_processing.dagbag import DagBag
from airflow.dag_processing.processor import _serialize_dags
import time
DagBag(sys.argv[2])
cpu = time.process_time()
bag = DagBag(sys.argv[1])
cpu = time.process_time() - cpu
dags, errors = _serialize_dags(bag, structlog.get_logger())
heavy = [name for name in ("pandas", "pyarrow", "polars", "duckdb") if name in sys.modules]
json.dump({"dags": {d.data["dag"]["dag_id"]: d.data for d in dags}, "errors": {**bag.import_errors, **errors},
           "heavy": heavy, "cpu": cpu}, open(sys.argv[3], "w"), sort_keys=True)
"""


class Shop(ap.Source):
    @ap.asset(partitioning=daily)
    def orders(self): ...

    @ap.asset(partitioning=daily)
    def totals(self, orders: ap.Upstream): ...


class Ads(ap.Source):
    @ap.asset(partitioning=daily, relations={"orders": ap.Relation("asset", "shop.ordrs")})
    def spend(self, orders: ap.Upstream): ...


class Web(ap.Source):
    @ap.asset(partitioning=daily, relations={"orders": ap.Relation("asset", "shop.orders")})
    def visits(self, orders: ap.Upstream): ...


class Mixed(ap.Source):
    @ap.asset(partitioning=daily)
    def days(self): ...

    @ap.asset(partitioning=hourly)
    def hours(self): ...

    @ap.asset
    def things(self): ...


def test_one_dag_per_source_and_upstreams_of_other_sources_are_found() -> None:
    dags = ap.build_dags(Shop, Web)

    assert sorted(dags) == ["shop", "web"]
    assert dags["web"].get_task("visits").upstream_task_ids == set()


def test_a_source_of_several_grains_is_split_by_grain() -> None:
    assert sorted(ap.build_dags(Mixed)) == ["mixed__daily", "mixed__hourly", "mixed__unpartitioned"]


def test_a_view_is_in_the_dag_of_what_it_reads_and_after_it(sqlite_file: Any, tmp_path: Path) -> None:
    class Viewed(Mixed):
        @ap.view(relations={"one": ap.Relation("asset", "viewed.of_days")})
        def of_a_view(self, one: ap.Upstream): ...

        @ap.view
        def of_days(self, days: ap.Upstream): ...

        @ap.view
        def of_both(self, days: ap.Upstream, hours: ap.Upstream): ...

        @ap.reference
        def theirs(self): ...

    dags = ap.build_dags(Viewed(destinations=sqlite_file(path=str(tmp_path / "x.db"))), strict=True)

    assert {name: sorted(dag.task_ids) for name, dag in dags.items()} == {
        "viewed__daily": ["days", "of_a_view", "of_days"],
        "viewed__hourly": ["hours"],
        "viewed__unpartitioned": ["of_both", "things"],
    }
    assert dags["viewed__daily"].get_task("of_a_view").upstream_task_ids == {"of_days"}
    assert dags["viewed__daily"].get_task("of_days").upstream_task_ids == {"days"}


def test_a_source_of_views_and_one_grain_is_one_dag(sqlite_file: Any, tmp_path: Path) -> None:
    class Viewed(Shop):
        @ap.view
        def of_orders(self, orders: ap.Upstream): ...

    (dag,) = ap.build_dags(Viewed(destinations=sqlite_file(path=str(tmp_path / "x.db"))), strict=True).values()

    assert dag.get_task("of_orders").upstream_task_ids == {"orders"}


def test_one_dag_per_asset() -> None:
    assert sorted(ap.build_dags([Shop, Web], layout="asset")) == ["shop.orders", "shop.totals", "web.visits"]


def test_one_dag_for_all() -> None:
    (dag,) = ap.build_dags(Shop, Web, layout="single", dag_id="everything").values()

    assert sorted(dag.task_ids) == ["shop.orders", "shop.totals", "web.visits"]
    assert dag.get_task("web.visits").upstream_task_ids == {"shop.orders"}
    with pytest.raises(ConfigError, match="name"):
        ap.build_dags(Shop, layout="single")


def test_a_broken_definition_becomes_a_stub_that_says_so_and_the_others_live() -> None:
    dags = ap.build_dags(Shop, Ads, Web)

    assert sorted(dags) == ["ads", "shop", "web"]
    assert "did you mean 'shop.orders'?" in (dags["ads"].doc_md or "")
    assert dags["ads"].tags == {"broken definition"}
    with pytest.raises(ConfigError, match=r"shop\.ordrs"):
        dags["ads"].get_task("broken_definition").execute({})


def test_strict_raises_the_first_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssetNotFoundError):
        ap.build_dags(Shop, Ads, strict=True)
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__STRICT_DEFINITIONS", "True")
    with pytest.raises(AssetNotFoundError):
        ap.build_dags(Shop, Ads)


def test_two_sources_of_one_key_are_one_dag_and_a_named_error() -> None:
    dags = ap.build_dags(Shop(), Shop())

    assert sorted(dags) == ["shop", "shop__duplicate"]
    assert "two definitions have this name" in (dags["shop__duplicate"].doc_md or "")


def test_each_further_source_of_one_key_is_an_error_of_its_own() -> None:
    dags = ap.build_dags(Shop(), Shop(), Shop())

    assert sorted(dags) == ["shop", "shop__duplicate", "shop__duplicate_2"]


def test_two_sources_in_one_place_are_one_dag_and_a_named_error(tmp_path: Path) -> None:
    class Again(ap.Source):
        dataset = "shop"

        @ap.asset
        def orders(self): ...

    lake = ap.ParquetDestination(base_path=tmp_path)
    dags = ap.build_dags(Shop(destinations=lake), Again(destinations=lake))

    assert len(dags["shop"].tasks) == 2
    assert "'shop.orders' and 'again.orders' are both stored as 'orders'" in dags["again"].doc_md


def test_a_module_that_fails_to_import_is_one_definitions_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good_assets.py").write_text(
        "import airflow_provider as ap\n\nclass Good(ap.Source):\n    @ap.asset\n    def a(self): ...\n"
    )
    (tmp_path / "bad_assets.py").write_text("import airflow_provider as ap\n\n@ap.asset\ndef a(x): ...\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    dags = ap.build_dags("good_assets", "bad_assets")

    assert sorted(dags) == ["bad_assets", "good"]
    assert "no annotation" in (dags["bad_assets"].doc_md or "")
    assert f"At: line 3 of {tmp_path / 'bad_assets.py'}" in (dags["bad_assets"].doc_md or "")


DAGS = """
# airflow dag
import airflow_provider as ap

day = ap.TimePartitionConfig(column="day", start="2026-01-01", allow_window=True)

quiet = ap.TaskOptions(on_failure_callback=lambda context: None)

class Shop(ap.Source):
    tags = {tags}
    @ap.asset(partitioning=day, normalizer=ap.Normalizer())
    def orders(self): ...
    @ap.asset(partitioning=day, tags={tags})
    def totals(self, orders: ap.Upstream): ...
    @ap.asset(partitioning=day)
    def refunds(self): ...
    @ap.asset(partitioning=day)
    def report(self, totals: ap.Upstream, refunds: ap.Upstream, orders: ap.Upstream): ...

class Ads(ap.Source):
    @ap.asset(partitioning=day, relations={{"orders": ap.Relation("asset", "shop.ordrs")}})
    def spend(self, orders: ap.Upstream): ...

class Web(ap.Source):
    @ap.asset(partitioning=day, relations={{"orders": ap.Relation("asset", "shop.orders")}}, airflow=quiet)
    def visits(self, orders: ap.Upstream): ...

def numbered(number):
    @ap.asset(key=f"asset_{{number:02}}", partitioning=day, tags={tags})
    def made(context: ap.ExecutionContext): ...
    return made

@ap.source
def fifty():
    numbers = range(50)
    return [numbered(number) for number in (numbers if "{order}" < "T" else reversed(numbers))]

ap.build_dags(fifty, {order}, schedule="@daily")
"""


def test_the_serialised_dag_is_the_same_in_any_process_seed_and_order(tmp_path: Path) -> None:
    first = parsed(tmp_path, DAGS.format(order="Shop, Ads, Web", tags='{"x", "y", "z"}'), seed="1")
    second = parsed(tmp_path, DAGS.format(order="Web, Ads, Shop", tags='{"z", "y", "x"}'), seed="2")

    assert json.dumps(first["dags"]) == json.dumps(second["dags"])
    assert sorted(first["dags"]) == ["ads", "fifty", "shop", "web"]
    assert len(first["dags"]["fifty"]["dag"]["tasks"]) == 50


def test_one_import_error_names_file_and_definition(tmp_path: Path) -> None:
    errors = parsed(tmp_path, DAGS.format(order="Shop, Ads, Web", tags="[]"))["errors"]

    (name,) = errors
    assert name.endswith("dags.py [ads]")
    assert "shop.ordrs" in errors[name]


def test_a_thousand_assets_parse_within_three_seconds_and_load_no_data_library(tmp_path: Path) -> None:
    text = """
        # airflow dag
        import airflow_provider as ap
        day = ap.TimePartitionConfig(column="day", start="2026-01-01", allow_window=True)
        def make(number):
            @ap.asset(key=f"asset_{number}", partitioning=day)
            def produce(context: ap.ExecutionContext): return []
            return produce
        @ap.source
        def many(): return [make(number) for number in range(1000)]
        ap.build_dags(many(destinations=ap.ParquetDestination(base_path="/lake", )), schedule="@daily")
    """

    found = parsed(tmp_path, textwrap.dedent(text))

    assert len(found["dags"]["many"]["dag"]["tasks"]) == 1000
    assert found["heavy"] == []
    assert found["cpu"] < 3.0
    assert len(json.dumps(found["dags"]["many"])) < 2_000 * 1000


SECRETIVE = """
# airflow dag
import airflow_provider as ap

class Api(ap.Connection):
    host: str
    password: str

class Shop(ap.Source):
    api: Api
    @ap.asset(airflow=ap.TaskOptions(pool="api"))
    def orders(self, api: Api): ...

ap.build_dags(Shop(api=Api(host="x", password="hunter2")), schedule=None)
"""


def test_no_secret_of_a_definition_is_in_the_serialised_dag(tmp_path: Path) -> None:
    found = parsed(tmp_path, SECRETIVE)

    assert list(found["dags"]) == ["shop"]
    assert "hunter2" not in json.dumps(found)


WATCHED = """
import os, sys
import airflow_provider as ap
from airflow_provider.translation import dag, loader  # what an import reads is not what a definition reads
seen = []
def watch(event, args):
    wrote = event == "open" and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    moved = event in ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate")
    asked = event.startswith(("socket.connect", "socket.getaddrinfo", "sqlite3.connect", "subprocess.", "os.posix"))
    if wrote or moved or asked:
        seen.append((event, str(args)))

class Api(ap.Connection):
    host: str
    password: str

class Shop(ap.Source):
    api: Api
    @ap.asset(partitioning=ap.TimePartitionConfig(column="day", start="2026-01-01"))
    def orders(self, api: Api): ...
    @ap.asset(partitioning=ap.TimePartitionConfig(column="day", start="2026-01-01"))
    def totals(self, orders: ap.Upstream): ...

sys.addaudithook(watch)
lake = ap.ParquetDestination(base_path="{env.NOT_SET_HERE}/lake")
dags = ap.build_dags(Shop(api=Api(conn_id="nobody_defined_it"), destinations=lake), schedule="@daily")
assert sorted(dags) == ["shop"] and len(dags["shop"].tasks) == 2, dags
assert seen == [], seen
"""


def test_building_dags_connects_to_nothing_and_writes_nothing(tmp_path: Path) -> None:
    home = {**os.environ, "AIRFLOW_HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}

    done = subprocess.run([sys.executable, "-c", WATCHED], env=home, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr[-2000:]


def parsed(tmp_path: Path, text: str, seed: str = "0") -> dict:
    """Parse and serialise ``text`` in a process of its own; an empty file goes first, to load Airflow."""
    (tmp_path / "dags.py").write_text(text)
    (tmp_path / "empty.py").write_text("# airflow dag\n")
    out = tmp_path / f"{time.monotonic_ns()}.json"
    subprocess.run(
        [sys.executable, "-c", PARSE, str(tmp_path / "dags.py"), str(tmp_path / "empty.py"), str(out)],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        timeout=120,
    )
    return json.loads(out.read_text())


def test_instances_of_a_source_with_a_discriminator_are_dags_of_their_own(tmp_path: Path) -> None:
    class Accounts(ap.Source):
        discriminator = "account"
        account: str

        @ap.asset(partitioning=daily)
        def spend(self): ...

        @ap.asset
        def names(self): ...

    store = ap.ParquetDestination(base_path=str(tmp_path))
    dags = ap.build_dags([Accounts(account=account, destinations=store) for account in ("a", "B")], strict=True)

    assert sorted(dags) == [
        "accounts__a__daily", "accounts__a__unpartitioned", "accounts__b__daily", "accounts__b__unpartitioned",
    ]  # fmt: skip
    assert dags["accounts__b__daily"].get_task("spend").outlets[0].name == "accounts__b.spend"
    assert ap.build_dag(Accounts(account="B").names).dag_id == "accounts__b.names"
