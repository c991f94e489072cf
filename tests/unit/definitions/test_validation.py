"""Values of fields are checked, and none that may be a secret is quoted."""

from typing import Any

import pytest
from pydantic import field_validator

import airflow_provider as ap
from airflow_provider.definitions.connection import Connection
from airflow_provider.definitions.resource import Config
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.validation import set_defaults, validated
from airflow_provider.errors import ConfigError


class Budget(Config):
    limit: int = 5


def test_defaults_are_checked_and_connections_keep_their_values_to_themselves() -> None:
    class Shop(Connection):
        password: str

        @field_validator("password")
        @classmethod
        def _long(cls, password: str) -> str:
            raise ValueError(f"{password} is too short")

    for attempt in (
        lambda: set_defaults(Shop, {"password": "hunter2"}, where="here"),
        lambda: Shop(password="hunter2"),
    ):
        with pytest.raises(ConfigError, match="password: was refused by its check") as caught:
            attempt()
        assert "hunter2" not in str(caught.value)
    assert validated(Budget, {"limit": "7"}, where="here") == {"limit": 7}


def test_the_value_of_a_source_is_quoted_and_that_of_a_config_is_not() -> None:
    class Shop(Source):
        size: int = 1

    wrong: Any = "lots"
    with pytest.raises(ConfigError, match="here: size='lots': size: Input should be a valid integer"):
        set_defaults(Shop, {"size": wrong}, where="here")
    with pytest.raises(ConfigError, match="here: limit: Input should be a valid integer"):
        set_defaults(Budget, {"limit": wrong}, where="here")


def test_a_check_that_knows_the_fix_is_heard_in_one_sentence() -> None:
    with pytest.raises(ConfigError) as caught:
        ap.ParquetDestination(base_path="s3://bucket/x")

    assert caught.value.what.startswith("base_path 's3://'... is not a local path")
    assert str(caught.value).count("Fix:") == 1
    assert caught.value.fix == "use a folder on a local or shared file system"


def test_a_number_for_a_retry_policy_is_told_the_policy() -> None:
    @ap.asset
    def users():
        return []

    with pytest.raises(ConfigError, match=r"Fix: give ap\.RetryPolicy\(max_attempts=3\)"):
        users(retry=3)


def test_a_class_in_place_of_an_instance_is_to_be_called() -> None:
    @ap.asset
    def users():
        return []

    with pytest.raises(ConfigError, match=r"Fix: call it: CSVDestination\(\.\.\.\)"):
        users(destinations=ap.CSVDestination)
