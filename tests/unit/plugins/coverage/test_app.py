"""The routes: what they answer, what they refuse, and that a name or an error stays text."""

import time

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_provider.ledger.record import AttemptNote, CommitRecord
from airflow_provider.partitioning import TimePartitionConfig
from airflow_provider.plugins.coverage.app import FILES, build_app
from airflow_provider.plugins.coverage.lazy import LazyApp
from airflow_provider.storage.index import IndexStore

NAME = "nyc.flights"
DAILY = TimePartitionConfig(column="date", start="2013-01-01", end="2013-12-31").to_definition()
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path))
    return IndexStore(str(tmp_path))


@pytest.fixture
def client(index):
    return client_for({"partitioning": DAILY})


def client_for(extra):
    host = FastAPI()
    listed = {"name": NAME, "uri": "x-asset://nyc/flights", "extra": extra, "producing_tasks": [{"dag_id": "nyc"}]}
    host.add_api_route("/api/v2/assets", lambda: {"assets": [listed], "total_entries": 1})
    host.mount("/asset-coverage", LazyApp(lambda: build_app(lambda: None)))
    return TestClient(host, base_url="http://127.0.0.1/asset-coverage/")


def record(key, number=0):
    return CommitRecord(NAME, "file:///lake", key, 1, "a", rows=number, committed_at="2026-01-01T00:00:00.000000Z")


def test_the_assets_are_listed_with_how_they_are_partitioned(client):
    [listed] = client.get("dags/nyc/assets").json()["assets"]

    assert (listed["name"], listed["kind"], listed["granularity"], listed["timezone"]) == (NAME, "time", "day", "UTC")
    assert (listed["start"], listed["end"]) == ("2013-01-01", "2013-12-31")


def test_the_coverage_comes_from_the_index(client, index):
    index.append(
        [record("2013-01-01", 842), AttemptNote(NAME, "file:///lake", "2013-01-02", "b", "failed", error=EVIL)]
    )

    answer = client.get("dags/nyc/coverage", params={"asset": NAME})

    body = answer.json()
    assert body["totals"] == {"held": 1, "untracked": 0, "missing": 364, "failed": 1, "rows": 842, "expected": 365}
    assert body["failures"][0]["error"] == EVIL
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_a_range_is_two_dates_and_nothing_else(client):
    good = client.get("dags/nyc/coverage", params={"asset": NAME, "from": "2013-02-01", "to": "2013-02-28"})

    assert len(good.json()["cells"]) == 28
    for bad in ("2013-02-30", "x", "2013-02-01T00", "' or 1=1"):
        assert client.get("dags/nyc/coverage", params={"asset": NAME, "from": bad}).status_code == 422
    assert client.get("dags/nyc/coverage").status_code == 422


def test_an_unpartitioned_asset_is_one_cell(index):
    index.append([record(None, 9)])

    body = client_for({}).get("dags/nyc/coverage", params={"asset": NAME}).json()

    assert (body["kind"], body["totals"]["rows"], len(body["cells"])) == (None, 9, 1)


def test_a_partitioning_of_another_version_is_said_and_breaks_nothing_else(index, caplog):
    client = client_for({"partitioning": {"kind": "moon"}})

    assert "another version" in client.get("dags/nyc/assets").json()["assets"][0]["problem"]
    assert client.get("dags/nyc/coverage", params={"asset": NAME}).status_code == 502
    assert "moon" in caplog.text


def test_an_index_out_of_reach_is_said_without_its_place(client, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "file"))

    answer = client.get("dags/nyc/coverage", params={"asset": NAME})

    assert answer.status_code == 503
    assert str(tmp_path) not in answer.text


def test_ten_thousand_partitions_answer_within_a_second(index):
    hourly = TimePartitionConfig(column="at", granularity="hour", start="2025-01-01T00")
    first = hourly.partition("2025-01-01T00")
    index.append(record(first.step(number).key, number) for number in range(10_000))
    client = client_for({"partitioning": hourly.to_definition()})
    client.get("dags/nyc/assets")
    seconds = []
    for _ in range(3):  # the best of three: other threads of the process count too
        begun = time.process_time()
        body = client.get("dags/nyc/coverage", params={"asset": NAME}).json()
        seconds.append(time.process_time() - begun)

    assert min(seconds) < 1
    assert body["totals"]["held"] == 10_000


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_shell_is_open_and_lets_nothing_from_elsewhere_in(client, name):
    answer = client.get(name)

    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in answer.text


@pytest.mark.parametrize("name", ["app.py", "..%2fapp.py", "docs", "openapi.json", "redoc", "static", ""])
def test_nothing_else_is_served(client, name):
    assert client.get(name).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_can_be_changed(client, method):
    for path in ("dags/nyc/assets", "dags/nyc/coverage", "page"):
        assert client.request(method, path).status_code == 405


def test_scripts_write_text_never_markup(client):
    for name in ("page.js", "grid.js"):
        script = client.get(name).text
        for sink in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser", "srcdoc"):
            assert sink not in script
