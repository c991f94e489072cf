"""Resources from constructor and environment."""

from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.resource import Config, Resource, fallback
from airflow_provider.errors import ConfigError


class Shop(Config):
    env_prefix = "SHOP_"
    region: str
    size: int = 3
    names: list[str] | None = None
    account: SecretStr | None = None
    note: str | None = None


@pytest.fixture(autouse=True)
def region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_REGION", "eu")


def test_fields_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_SIZE", "4")

    assert (Shop().region, Shop().size) == ("eu", 4)


def test_the_constructor_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_SIZE", "4")

    assert (Shop(region="us", size=5).region, Shop(size=5).size) == ("us", 5)


def test_class_defaults_win_over_the_environment() -> None:
    class Fixed(Shop):
        region = "asia"

    assert Fixed().region == "asia"


def test_without_a_prefix_only_fields_that_must_be_given_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(Config):
        api_region: str
        user: str = "nobody"

    monkeypatch.setenv("API_REGION", "eu")
    monkeypatch.setenv("USER", "root")

    assert (Plain().api_region, Plain().user) == ("eu", "nobody")


def test_several_values_are_read_as_json_and_text_stays_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_NAMES", '["a", "b"]')
    monkeypatch.setenv("SHOP_ACCOUNT", '{"type": "service_account"}')
    monkeypatch.setenv("SHOP_NOTE", '{"a": 1}')
    made = Shop()

    assert made.names == ["a", "b"]
    assert made.account is not None
    assert made.account.get_secret_value() == '{"type": "service_account"}'
    assert made.note == '{"a": 1}'


def test_a_model_is_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point(BaseModel):
        x: int

    class Map(Config):
        centre: Point

    monkeypatch.setenv("CENTRE", '{"x": 1}')
    assert Map().centre.x == 1
    monkeypatch.setenv("CENTRE", "{broken")
    with pytest.raises(ConfigError, match="centre"):
        Map()


def test_what_is_nowhere_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP_REGION")
    with pytest.raises(ConfigError, match="config 'shop': region: Field required"):
        Shop()


def test_a_copy_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Shop()
    monkeypatch.setenv("SHOP_REGION", "us")

    assert (made(size=9).region, made(size=9).size) == ("eu", 9)


def test_the_fallback_is_an_instance_that_fills_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    found: Any = fallback(Shop, where="asset 'x'")
    assert found.region == "eu"

    monkeypatch.delenv("SHOP_REGION")
    assert fallback(Shop, where="asset 'x'") is None
    assert fallback(Destination, where="asset 'x'") is None


def test_a_value_that_was_found_and_does_not_fit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_SIZE", "lots-of-money")
    with pytest.raises(ConfigError, match="asset 'x', config 'shop': size: Input should be a valid integer") as caught:
        fallback(Shop, where="asset 'x'")
    assert "lots-of-money" not in str(caught.value)


def test_a_resource_is_its_own_resolved_form() -> None:
    class Client(Resource):
        url: str = "http://shop.test"

    made = Client()
    assert made.resolved() is made
