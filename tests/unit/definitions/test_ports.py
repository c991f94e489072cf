"""Ports and what the facade plugs into them."""

import pytest

import airflow_provider
from airflow_provider.definitions import ports


@pytest.mark.parametrize("port", ["runner", "hook_committer", "destination_registry", "connection_lookup", "index"])
def test_the_facade_plugs_every_port(port: ports.Port) -> None:
    assert airflow_provider.__version__
    assert ports.resolve(port) is not None


def test_a_port_takes_a_module_or_something_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_plugged", {})
    ports.plug("index", "os.path:join")
    ports.plug("runner", "os.path")

    assert ports.resolve("index")("a", "b") == "a/b"
    assert ports.resolve("runner").join("a", "b") == "a/b"
