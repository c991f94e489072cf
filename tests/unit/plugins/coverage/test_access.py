"""Who sees what. Airflow's own REST API is played by a route of the application around ours; the rest is real."""

import sys

import pytest
from fastapi import FastAPI, HTTPException, Request
from fastapi.testclient import TestClient

from airflow_provider.plugins.coverage import access
from airflow_provider.plugins.coverage.app import build_app
from airflow_provider.plugins.coverage.lazy import LazyApp


def asset(name, *dag_ids, uri=None, extra=None):
    return {
        "name": name,
        "uri": uri or f"x-asset://{name.replace('.', '/')}",
        "extra": extra,
        "producing_tasks": [{"dag_id": dag_id, "task_id": "t"} for dag_id in dag_ids],
    }


class FakeAirflow:
    """An API server with the one public route that the page asks, for callers who carry the right cookie or token."""

    def __init__(self, *assets, permission=lambda: None):
        self.assets = assets
        self.status = 200
        self.asked = []
        self.app = FastAPI()
        self.app.add_api_route("/api/v2/assets", self.list)
        self.app.mount("/asset-coverage", LazyApp(lambda: build_app(permission)))
        self.client = TestClient(self.app, cookies={"_token": "good"})

    def list(self, request: Request, dag_ids: str, limit: int, offset: int = 0, name_pattern: str = ""):
        self.asked.append(request)
        if request.cookies.get("_token") != "good" and request.headers.get("authorization") != "Bearer good":
            raise HTTPException(401)
        if self.status != 200:
            raise HTTPException(self.status, "a detail of the server's")
        found = [one for one in self.assets if name_pattern in one["name"]]
        return {"assets": found[offset : offset + limit], "total_entries": len(found)}

    def get(self, path, **options):
        return self.client.get(f"/asset-coverage{path}", **options)

    def names(self, dag_id="nyc"):
        return [one["name"] for one in self.get(f"/dags/{dag_id}/assets").json()["assets"]]


@pytest.fixture(autouse=True)
def index(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path))
    return tmp_path


def test_a_dag_shows_what_it_produces_and_nothing_else():
    airflow = FakeAirflow(
        asset("nyc.weather", "nyc"),
        asset("nyc.flights", "nyc", "other"),
        asset("secret.salaries", "secret"),  # read by the DAG, or what it waits for
        asset("lake", "nyc", uri="s3://lake/x"),  # not of this package
    )

    assert airflow.names() == ["nyc.flights", "nyc.weather"]


@pytest.mark.parametrize("name", ["secret.salaries", "no.such", "nyc", "%", "~", "<script>", "../../etc/passwd", "a|b"])
def test_a_foreign_asset_and_none_at_all_look_alike(name):
    airflow = FakeAirflow(asset("nyc.flights", "nyc"), asset("secret.salaries", "secret"))

    answer = airflow.get("/dags/nyc/coverage", params={"asset": name})

    assert (answer.status_code, answer.json()) == (404, {"detail": "not found"})


def test_an_asset_of_the_dag_is_served():
    airflow = FakeAirflow(asset("nyc.flights_old", "nyc"), asset("nyc.flights", "nyc"))

    answer = airflow.get("/dags/nyc/coverage", params={"asset": "nyc.flights"})

    assert answer.status_code == 200
    assert answer.json()["name"] == "nyc.flights"


def test_airflow_is_asked_with_the_callers_own_credentials():
    airflow = FakeAirflow(asset("nyc.flights", "nyc"))
    anonymous = TestClient(airflow.app)
    url = "/asset-coverage/dags/nyc/assets"

    assert anonymous.get(url).status_code == 401
    assert anonymous.get(url, headers={"Authorization": "Bearer bad"}).status_code == 401
    assert anonymous.get(url, headers={"Authorization": "Bearer good"}).status_code == 200
    assert airflow.get("/dags/nyc/assets", headers={"X-Other": "kept"}).status_code == 200
    assert "x-other" not in airflow.asked[-1].headers


def test_a_forged_host_changes_nothing():
    airflow = FakeAirflow(asset("nyc.flights", "nyc"))

    assert airflow.get("/dags/nyc/assets", headers={"Host": "evil.example"}).status_code == 200
    assert airflow.asked[-1].headers["host"] == "localhost"


@pytest.mark.parametrize(("status", "ours"), [(401, 401), (403, 403), (404, 502), (500, 502)])
def test_what_airflow_refuses_is_refused_without_its_details(status, ours):
    airflow = FakeAirflow(asset("nyc.flights", "nyc"))
    airflow.status = status

    for path in ("/dags/nyc/assets", "/dags/nyc/coverage?asset=nyc.flights"):
        answer = airflow.get(path)
        assert answer.status_code == ours
        assert "a detail" not in answer.text


def test_every_page_of_the_listing_is_read():
    airflow = FakeAirflow(*(asset(f"nyc.a{number:03}", "nyc") for number in range(250)))

    assert len(airflow.names()) == 250
    assert len(airflow.asked) == 3


def test_the_permission_is_asked_before_anything_else():
    def refuse() -> None:
        raise HTTPException(403, "Forbidden")

    airflow = FakeAirflow(asset("nyc.flights", "nyc"), permission=refuse)

    assert airflow.get("/dags/nyc/assets").status_code == 403
    assert airflow.get("/dags/nyc/coverage?asset=nyc.flights").status_code == 403
    assert airflow.asked == []


def test_without_airflows_check_nobody_gets_in(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "airflow.api_fastapi.core_api.security", None)

    airflow = FakeAirflow(asset("nyc.flights", "nyc"), permission=None)

    assert airflow.get("/dags/nyc/assets").status_code == 503
    assert airflow.get("/dags/nyc/coverage?asset=nyc.flights").status_code == 503
    assert airflow.asked == []
    assert airflow.get("/page").status_code == 200
    assert "no permission check" in caplog.text


def test_airflows_own_check_is_the_one_that_is_used():
    assert "requires_access_dag" in access.dag_permission().__qualname__


def test_on_its_own_the_page_tells_nothing():
    assert TestClient(build_app(lambda: None)).get("/dags/nyc/assets").status_code == 503
