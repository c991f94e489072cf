"""Options of a definition, sorted into their channels."""

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.options import channels, share_validator, with_defaults, with_synonyms
from airflow_provider.errors import ConfigError, DefinitionError
from airflow_provider.partitioning import TimePartitionConfig


def test_settings_and_defaults_part() -> None:
    found = channels(Asset, {"tags": {"a": "b"}, "dataset": "raw", "on_empty": "fail"}, "here")

    assert found == ({"tags": ["a:b"], "on_empty": "fail"}, {"dataset": "raw"})


def test_what_is_unknown_or_a_relation_is_refused() -> None:
    with pytest.raises(DefinitionError, match="unknown option 'nosuch'"):
        channels(Asset, {"nosuch": 1}, "here")
    with pytest.raises(DefinitionError, match="names a relation"):
        channels(Asset, {"destinations": []}, "here")


def test_two_spellings_of_one_setting_are_refused() -> None:
    daily = TimePartitionConfig(column="day")

    assert with_synonyms({"partitions_def": daily, "tags": []}) == {"partitioning": daily, "tags": []}
    with pytest.raises(DefinitionError, match="say the same"):
        with_synonyms({"partitions": daily, "partitioning": daily})


def test_a_class_takes_defaults_and_its_parents_validator() -> None:
    class Own(Asset): ...

    share_validator(Own, Asset)

    assert with_defaults(Own, {"dataset": "raw"}, "here")().dataset == "raw"
    with pytest.raises(ConfigError, match="dataset"):
        with_defaults(Own, {"dataset": "a/b"}, "here")
