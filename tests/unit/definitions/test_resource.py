"""Resources from constructor and environment."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr, field_validator

from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.resource import Config, Resource
from airflow_provider.errors import ConfigError, DefinitionError


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
    found: Any = Shop.filled_by_itself(where="asset 'x'")
    assert found.region == "eu"

    monkeypatch.delenv("SHOP_REGION")
    assert Shop.filled_by_itself(where="asset 'x'") is None
    assert Destination.filled_by_itself(where="asset 'x'") is None


def test_a_value_that_was_found_and_does_not_fit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_SIZE", "lots-of-money")
    with pytest.raises(ConfigError, match="asset 'x', config 'shop': size: Input should be a valid integer") as caught:
        Shop.filled_by_itself(where="asset 'x'")
    assert "lots-of-money" not in str(caught.value)


def test_a_resource_is_its_own_resolved_form() -> None:
    class Client(Resource):
        url: str = "http://shop.test"

    made = Client()
    assert made.resolved() is made


class Paths(Config):
    """Where things are."""

    base: str
    port: int = 1
    more: dict[str, list[str]] | None = None


def test_an_environment_that_fills_a_part_is_an_error_also_where_the_resource_is_optional(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Api(Config):
        env_prefix = "HALF_"
        url: str
        token: str

    assert Api.filled_by_itself(where="asset 'x'") is None
    monkeypatch.setenv("HALF_TOKEN", "hunter2")

    with pytest.raises(
        ConfigError, match="asset 'x': the environment fills a Api in part: HALF_TOKEN is set"
    ) as caught:
        Api.filled_by_itself(where="asset 'x'")
    assert "set HALF_URL" in caught.value.fix
    assert "hunter2" not in str(caught.value)


def test_variables_in_fields_are_filled_in_where_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Paths(base="{env.LAKE}/raw", port="{env.LAKE_PORT}", more={"a": ["{env.LAKE}", "b"]})
    with pytest.raises(ConfigError, match="environment variable 'LAKE' is not set"):
        _ = made.base
    monkeypatch.setenv("LAKE", "/lake")
    monkeypatch.setenv("LAKE_PORT", "8080")

    assert (made.base, made.port, made.more) == ("/lake/raw", 8080, {"a": ["/lake", "b"]})
    assert made.resolved().base == "/lake/raw"
    assert str(made).startswith("Paths (key: paths")


def test_a_variable_whose_value_does_not_fit_is_an_error_without_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKE_PORT", "hunter2")

    with pytest.raises(ConfigError, match="port: Input should be a valid integer") as caught:
        _ = Paths(base="/x", port="{env.LAKE_PORT}").port
    assert "hunter2" not in str(caught.value)


def test_copies_and_assignments_keep_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKE", "/one")
    made = Paths(base="{env.LAKE}")
    assert made.base == "/one"
    copy = made(port=3)
    monkeypatch.setenv("LAKE", "/two")
    assert (copy.base, copy.port) == ("/two", 3)

    copy.base = "plain"
    assert copy.base == "plain"
    copy.base = "{env.LAKE}/again"
    assert copy.base == "/two/again"


def test_a_field_that_is_given_wrong_beside_a_variable_fails_at_once() -> None:
    with pytest.raises(ConfigError, match="port"):
        Paths(base="{env.LAKE}", port="many")


def test_a_file_of_variables_counts_after_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "dev.env"
    file.write_text("SHOP_REGION=from-file\nSHOP_SIZE='7' # seven\nexport SHOP_NOTE=\"a b\"\n", encoding="utf-8")

    class Filed(Shop):
        env_file = file

    assert (Filed().region, Filed().size, Filed().note) == ("eu", 7, "a b")
    monkeypatch.delenv("SHOP_REGION")
    assert Filed().region == "from-file"
    file.unlink()
    assert Filed.filled_by_itself(where="x") is None


def test_the_file_is_beside_the_module_and_may_hold_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("NESTED_A=1\n", encoding="utf-8")
    (tmp_path / "beside.py").write_text(
        "import airflow_provider as ap\n\nclass Nested(ap.Config):\n"
        "    env_prefix = 'NESTED_'\n    env_file = '.env'\n    a: int\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("FOLDER", str(tmp_path))

    class Elsewhere(Config):
        env_prefix = "NESTED_"
        env_file = "{env.FOLDER}/.env"
        a: int

    assert importlib.import_module("beside").Nested().a == 1
    assert Elsewhere().a == 1


@pytest.mark.parametrize(("setting", "value"), [("env_file", 3), ("env_prefix", 3), ("sensitive", "yes")])
def test_a_wrong_class_setting_fails_at_definition(setting: str, value: Any) -> None:
    with pytest.raises(DefinitionError, match=f"{setting}="):
        type("Odd", (Config,), {setting: value, "__module__": __name__, "__qualname__": "Odd"})


def test_a_sensitive_resource_says_nothing_of_its_own_checks_and_names_its_secrets_for_masking() -> None:
    class Vault(Config):
        sensitive = True
        api_token: str = "abc"
        host: str = "h"
        pin: SecretStr = SecretStr("1234")

        @field_validator("api_token")
        @classmethod
        def _checked(cls, value: str) -> str:
            if value == "hunter2":
                raise ValueError(f"{value} is known")
            return value

    with pytest.raises(ConfigError, match="api_token: was refused by its check") as caught:
        Vault(api_token="hunter2")
    assert "hunter2" not in str(caught.value)
    assert set(Vault().secrets()) == {"abc", "1234"}
    assert "1234" not in repr(Vault())


def test_a_check_tells_what_cannot_be_filled() -> None:
    assert Shop().check() == []
    (problem,) = Paths(base="{env.NOT_SET_HERE}").check()
    assert "environment variable 'NOT_SET_HERE' is not set" in problem
