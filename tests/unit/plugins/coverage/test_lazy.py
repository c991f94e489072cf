"""The application that Airflow mounts: light, built once, closed while it cannot be built."""

import subprocess
import sys

from fastapi import FastAPI, Request
from fastapi.testclient import TestClient

from airflow_provider.plugins.coverage.lazy import HOST, LazyApp


def mounted(lazy: LazyApp) -> TestClient:
    host = FastAPI()
    host.mount("/page", lazy)
    host.add_api_route("/alive", lambda: "yes")
    return TestClient(host)


def test_it_is_built_at_the_first_request_and_once():
    built = []

    def build():
        built.append(1)
        return FastAPI()

    client = mounted(LazyApp(build))
    assert built == []

    client.get("/page/a")
    client.get("/page/b")

    assert built == [1]


def test_while_it_cannot_be_built_it_answers_503_and_the_server_lives(caplog):
    def build():
        raise ImportError("no such name in this Airflow")

    client = mounted(LazyApp(build))

    answer = client.get("/page/dags/nyc/assets")

    assert answer.status_code == 503
    assert "log of the API server" in answer.text
    assert "no such name" not in answer.text
    assert "no such name" in caplog.text
    assert client.get("/alive").json() == "yes"


def test_it_knows_the_application_around_it():
    inner = FastAPI()

    @inner.get("/title")
    def title(request: Request) -> str:
        return request.scope[HOST].title

    host = FastAPI(title="around")
    host.mount("/page", LazyApp(lambda: inner))

    assert TestClient(host).get("/page/title").json() == "around"


def test_the_plugin_loads_no_web_framework_and_no_data_library():
    # Schedulers and workers load it, too.
    code = (
        "import sys, airflow.plugins_manager; before = set(sys.modules);"
        "import airflow_provider.plugins.registrations as r; r.AssetsPlugin;"
        "new = {n.split('.')[0] for n in set(sys.modules) - before};"
        "assert not new & {'fastapi', 'starlette', 'pandas', 'pyarrow', 'numpy'}, new"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
