"""Twelve secrets go through runs that succeed and runs that fail in every way: none of them is seen anywhere."""

import base64
import datetime as dt
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from airflow.sdk.execution_time.context import OutletEventAccessors
from airflow.sdk.log import _secrets_masker, redact

import airflow_provider as ap
from airflow_provider.errors import AssetsError, DataNotFoundError

UTC = dt.timezone.utc
DAILY = ap.TimePartitionConfig(column="day", allow_window=True)
PLACES = (
    "connection_password", "connection_token_in_extra", "connection_login_uri", "connection_field", "config_api_key",
    "environment_secret", "resource_token", "destination_password", "base_path_credentials", "row_value",
    "store_dsn_password", "source_secret",
)  # fmt: skip
CANARIES = {name: f"canary/{number:02d}+{name}=%{chr(97 + number)}Zq7" for number, name in enumerate(PLACES)}


URL = f"postgresql://me:{quote(CANARIES['store_dsn_password'], safe='')}@db/x"


def forms(secret: str) -> list[str]:
    """The secret as it may be written: plain, in URLs, in JSON, in base64 from any of three positions."""
    encoded = [base64.b64encode(b"x" * shift + secret.encode()).decode()[4 * (shift > 0) : -4] for shift in range(3)]
    return [secret, quote(secret, safe=""), quote_plus(secret), quote(secret), json.dumps(secret)[1:-1], *encoded]


KINDS = ["parquet", "csv", "file", "store", "store that fails to write", "store that fails to read"]


class Api(ap.Connection):
    """Filled from Airflow's connection."""

    password: str
    token: str
    uri: str = ""
    signing_key: str = ""


class Options(ap.Config):
    api_key: str


class Client(ap.Resource):
    env_prefix = "CANARY_"
    access_token: str
    other_token: str = ""


class Store(ap.Destination):
    """A store that holds a secret, and whose errors quote it, as those of database drivers do."""

    password: str
    url: str
    fail: str = ""

    def write_partition(self, context: Any, partition: Any, data: Any) -> None:
        if self.fail == "write":
            raise ConnectionError(f"{self.url} refused {self.password}")

    def read_partition(self, context: Any, partition: Any) -> Any:
        if self.fail == "read":
            raise ConnectionError(f"{self.url} refused {self.password}")
        raise DataNotFoundError("nothing there", where="store", fix="write it")


class Shop(ap.Source):
    secret: str = ""

    @ap.asset(partitioning=DAILY)
    def orders(self, context: ap.ExecutionContext, api: Api, options: Options, client: Client) -> Any:
        assert api.password and api.token and options.api_key and client.access_token  # noqa: PT018 -- all are read
        context.log.debug("calling %s with %s, %s, %s", self, api, options, client)
        return [{"day": day.date, "note": CANARIES["row_value"], "n": 1} for day in context.window]

    @ap.asset(partitioning=DAILY)
    def strays(self, context: ap.ExecutionContext) -> Any:
        return [{"day": dt.date(1999, 1, 1), "note": CANARIES["row_value"]}]

    @ap.asset(partitioning=DAILY)
    def mixed(self, context: ap.ExecutionContext) -> Any:
        return [{"day": dt.date(2026, 3, 5), "note": CANARIES["row_value"], "n": value} for value in (1, object())]

    @ap.asset(partitioning=DAILY)
    def totals(self, orders: ap.Upstream) -> Any:
        return orders.rows


class Everything(logging.Handler):
    """Every record at every level, with its traceback, as a worker writes it: through Airflow's own masking."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.text = io.StringIO()
        self.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s %(args)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.text.write(str(redact(self.format(record))) + "\n")


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Everything]:
    """Secrets in the environment and in Airflow's connection; every log record is kept."""
    extra = {"token": CANARIES["connection_token_in_extra"], "signing_key": CANARIES["connection_field"]}
    connection = {
        "conn_type": "http",
        "host": "127.0.0.1",
        "password": CANARIES["connection_password"],
        "extra": {**extra, "uri": f"http://me:{CANARIES['connection_login_uri']}@127.0.0.1/"},
    }
    monkeypatch.setenv("AIRFLOW_CONN_CANARY_API", json.dumps(connection))
    monkeypatch.setenv("CANARY_ACCESS_TOKEN", CANARIES["environment_secret"])
    monkeypatch.setenv("CANARY_OTHER_TOKEN", CANARIES["resource_token"])
    monkeypatch.setenv("API_KEY", CANARIES["config_api_key"])
    monkeypatch.setenv("CANARY_FOLDER", quote(CANARIES["base_path_credentials"], safe=""))
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    _secrets_masker().reset_masker()
    handler = Everything()
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler
    _secrets_masker().reset_masker()
    root.removeHandler(handler)
    root.setLevel(level)


def shop(destination: Any) -> Shop:
    return Shop(destinations=destination, secret=CANARIES["source_secret"])


def airflow_context() -> dict[str, Any]:
    ti = SimpleNamespace(dag_id="d", run_id="r", task_id="t", map_index=-1, max_tries=1, try_number=1, id="1")
    run = SimpleNamespace(
        conf={}, run_type="scheduled", run_after=dt.datetime(2026, 3, 6, tzinfo=UTC), start_date=None, clear_number=0
    )
    bounds = {"data_interval_start": dt.datetime(2026, 3, 5, tzinfo=UTC), "data_interval_end": run.run_after}
    return {"dag_run": run, "ti": ti, "params": {}, "outlet_events": OutletEventAccessors(), **bounds}


def run_task(asset: ap.Asset, said: list[str]) -> None:
    """Run one task as a worker does, and keep whatever it gives to Airflow or to a person."""
    operator = ap.AssetOperator(task_id="t", asset=asset)
    context = airflow_context()
    try:
        said.append(repr(operator.execute(context)))  # what would go to XCom
    except Exception as error:  # whatever it is: what is looked at is its text, not that of the store behind it
        said += [repr(error), str(error)] if isinstance(error, AssetsError) else [type(error).__name__]
    said += [repr(operator), repr({name: getattr(operator, name) for name in operator.template_fields})]
    said += [repr(accessor.extra) for accessor in context["outlet_events"]._dict.values()]


def stored(folder: Path, *, leave: str) -> str:
    """The text of every file but the data itself."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.match(leave)]
    return "\n".join([str(path) + path.read_bytes().decode("utf-8", "replace") for path in files])


def assert_unseen(texts: dict[str, str], *, but: tuple[str, ...] = ()) -> None:
    seen = [
        (name, place)
        for name, secret in CANARIES.items()
        for place, text in texts.items()
        for form in forms(secret)
        if form in text and name not in but
    ]
    assert seen == []


def test_the_search_finds_a_secret_in_each_of_its_forms() -> None:
    """F14: a search that finds nothing must be one that could."""
    secret = CANARIES["row_value"]
    for text in (secret, quote_plus(f"a {secret}"), base64.b64encode(f"me:{secret}".encode()).decode()):
        with pytest.raises(AssertionError, match="row_value"):
            assert_unseen({"somewhere": f"before {text} after"})


@pytest.mark.parametrize("asset", ["orders", "totals", "strays", "mixed"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_secret_is_seen_in_any_output(
    kind: str, asset: str, tmp_path: Path, outputs: Everything, capfd: pytest.CaptureFixture[str]
) -> None:
    """F14: logs at DEBUG, errors, XCom, event extras, templates, reprs, commit records, the index."""
    files = {"parquet": ap.ParquetDestination, "csv": ap.CSVDestination, "file": ap.FileDestination}
    made: Any
    if kind in files:
        made = files[kind](base_path=tmp_path / "lake")
    else:
        made = Store(
            password=CANARIES["destination_password"], url=URL, fail=kind.rpartition(" ")[2].replace("store", "")
        )
    source = shop(made)
    bound = {"api": Api(conn_id="canary_api")} if asset == "orders" else {}
    said = [repr(source), repr(made), made.address, made.label, *map(str, made.check())]

    run_task(getattr(source, asset)(**bound), said)
    run_task(getattr(source, asset)(**bound), said)

    out, err = capfd.readouterr()
    assert_unseen(
        {
            "said": "\n".join(said),
            "log": outputs.text.getvalue(),
            "stdout": str(redact(out)),
            "stderr": str(redact(err)),
            "index": stored(tmp_path / "index", leave="nothing"),
            "records": stored(tmp_path / "lake", leave="data.*"),
        }
    )


def test_no_secret_is_in_a_serialised_dag(tmp_path: Path, outputs: Everything) -> None:
    """F14: what the scheduler stores and the UI shows of the same definitions."""
    from airflow.serialization.serialized_objects import DagSerialization

    source = shop(Store(password=CANARIES["destination_password"], url=URL))
    dag = ap.build_dag(source, schedule="@daily", start_date=dt.datetime(2026, 1, 1, tzinfo=UTC))

    assert_unseen({"dag": json.dumps(DagSerialization.to_dict(dag)), "log": outputs.text.getvalue()})
