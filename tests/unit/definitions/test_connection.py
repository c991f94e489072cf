"""Connections: where values come from, when, and that none is shown."""

import copy
import json
from typing import Any

import pytest

from airflow_provider.definitions import ports
from airflow_provider.definitions.connection import Connection
from airflow_provider.errors import ConfigError, ConnectionLookupError, DefinitionError

SECRET = "hunter2-secret"


class Shop(Connection):
    env_prefix = "SHOP_"
    host: str
    user: str | None = None
    password: str
    database: str = "main"
    port: int = 80
    region: str = "nowhere"


@pytest.fixture
def in_airflow(monkeypatch: pytest.MonkeyPatch) -> None:
    text = {
        "conn_type": "http", "host": "shop.example", "port": 8080, "schema": "sales",
        "login": "ann", "password": SECRET, "extra": {"region": "eu"},
    }  # fmt: skip
    monkeypatch.setenv("AIRFLOW_CONN_SHOP_API", json.dumps(text))


@pytest.fixture
def no_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any look-up fails the test."""
    monkeypatch.setitem(ports._plugged, "connection_lookup", "no_such_module")


def test_fields_and_extras_of_the_airflow_connection_fill_it(in_airflow: None) -> None:
    shop = Shop(conn_id="shop_api")

    assert (shop.host, shop.user, shop.password, shop.port) == ("shop.example", "ann", SECRET, 8080)
    assert (shop.database, shop.region) == ("sales", "eu")


def test_the_constructor_wins_then_airflow_then_the_environment(
    in_airflow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wider(Shop):
        api_version: str

    monkeypatch.setenv("SHOP_HOST", "environment.example")
    monkeypatch.setenv("SHOP_API_VERSION", "v2")
    shop = Wider(conn_id="shop_api", port="9090", region="us")

    assert (shop.port, shop.region, shop.host, shop.api_version) == (9090, "us", "shop.example", "v2")


def test_without_conn_id_the_environment_fills_it(monkeypatch: pytest.MonkeyPatch, no_lookup: None) -> None:
    monkeypatch.setenv("SHOP_HOST", "environment.example")
    monkeypatch.setenv("SHOP_PASSWORD", SECRET)

    assert (Shop().host, Shop().resolved().database) == ("environment.example", "main")


def test_nothing_is_looked_up_before_a_field_is_read(no_lookup: None) -> None:
    shop = Shop(conn_id="shop_api", region="us")

    assert (shop.conn_id, shop.region, shop.key) == ("shop_api", "us", "shop")
    assert shop.id
    assert shop(region="eu").region == "eu"
    assert copy.deepcopy(shop).region == "us"
    assert repr(shop) == "Shop(key='shop')"
    with pytest.raises(ModuleNotFoundError):
        _ = shop.host


@pytest.mark.parametrize("annotated", [True, False])
def test_conn_id_may_be_a_default_of_the_class(annotated: bool, in_airflow: None) -> None:
    body: dict[str, Any] = {"__module__": __name__, "__qualname__": "Fixed", "conn_id": "shop_api"}
    if annotated:
        body["__annotations__"] = {"conn_id": str}
    fixed = type(Shop)("Fixed", (Shop,), body)()

    assert fixed.host == "shop.example"


def test_the_name_may_come_from_the_environment(in_airflow: None, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(conn_id="{env.WHICH_SHOP}")

    with pytest.raises(ConfigError, match="environment variable 'WHICH_SHOP' is not set"):
        _ = shop.host
    monkeypatch.setenv("WHICH_SHOP", "shop_api")
    assert shop.host == "shop.example"


def test_it_is_looked_up_once(in_airflow: None, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(conn_id="shop_api")
    assert shop.resolved() is shop.resolved()
    assert shop.resolved().id == shop.id

    shop.port = 1
    assert (shop.port, shop.host) == (1, "shop.example")


def test_a_missing_connection_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConnectionLookupError, match="connection 'nosuch_conn'") as caught:
        _ = Shop(conn_id="nosuch_conn").host
    assert "AIRFLOW_CONN_NOSUCH_CONN" in caught.value.fix


def test_a_field_that_nothing_fills_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_SHOP_API", json.dumps({"conn_type": "http", "password": SECRET}))
    with pytest.raises(ConfigError, match="host: Field required"):
        _ = Shop(conn_id="shop_api").host


def test_a_value_that_does_not_fit_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(Shop):
        password: int  # type: ignore[assignment]

    for make in (lambda: Odd(host="x", password=SECRET), lambda: Odd(conn_id="shop_api", password=SECRET)):
        with pytest.raises(ConfigError, match="password: Input should be a valid integer") as caught:
            make()
        assert SECRET not in str(caught.value)
        assert SECRET not in repr(caught.value)


def test_no_value_is_shown(in_airflow: None) -> None:
    shop = Shop(conn_id="shop_api")
    full = shop.resolved()
    given = Shop(host="x", password=SECRET)

    assert SECRET not in "".join(f"{one!r}{one!s}{one.label}{one.__repr_args__()}" for one in (shop, full, given))


def test_unknown_keywords_are_refused(no_lookup: None) -> None:
    with pytest.raises(DefinitionError, match="unexpected keyword"):
        Shop(conn_id="shop_api", colour="red")
    with pytest.raises(AttributeError):
        _ = Shop(conn_id="shop_api").colour


def test_the_hook_is_airflows_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_MAIL", json.dumps({"conn_type": "smtp", "host": "mail.example"}))

    assert type(Connection(conn_id="mail").hook).__name__ == "SmtpHook"
    with pytest.raises(ConfigError, match="has no conn_id"):
        _ = Connection().hook
    monkeypatch.setenv("AIRFLOW_CONN_ODD", json.dumps({"conn_type": "nosuchtype"}))
    with pytest.raises(ConnectionLookupError, match="no hook for its type 'nosuchtype'"):
        _ = Connection(conn_id="odd").hook


def test_variables_in_fields_and_the_airflow_connection_together(
    in_airflow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHERE", "asia")
    shop = Shop(conn_id="shop_api", region="{env.WHERE}")

    assert (shop.region, shop.host) == ("asia", "shop.example")


class HookWithTest:
    answer: Any = (True, "fine")

    def test_connection(self) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((True, "fine"), None),
        ((False, "refused"), "its test failed: refused"),
        (ValueError(SECRET), "failed: ValueError"),
    ],
)
def test_a_check_fills_every_field_and_runs_the_hooks_own_test(
    answer: Any, said: str | None, in_airflow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HookWithTest, "answer", answer)
    monkeypatch.setattr("airflow_provider.hooks.lookup.hook", lambda conn_id: HookWithTest())

    problems = Shop(conn_id="shop_api").check()

    assert len(problems) == (said is not None)
    assert all(said in problem and SECRET not in problem for problem in problems if said)


def test_a_check_of_a_connection_that_is_not_there_says_so() -> None:
    (problem,) = Shop(conn_id="nowhere_at_all").check()

    assert "connection 'nowhere_at_all'" in problem


def test_a_check_without_a_hook_or_without_airflow_looks_at_the_fields_only(
    in_airflow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_hook(conn_id: str) -> Any:
        raise ConnectionLookupError("no hook", where="x", fix="y")

    monkeypatch.setattr("airflow_provider.hooks.lookup.hook", no_hook)

    assert Shop(conn_id="shop_api").check() == []
    assert Shop(host="h", password="p").check() == []
