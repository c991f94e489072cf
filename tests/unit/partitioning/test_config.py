"""What all partitionings share."""

import json

import pytest

from airflow_provider.errors import ConfigError
from airflow_provider.partitioning import (
    ListPartitionConfig,
    MultiPartitionConfig,
    PartitionConfig,
    Partitions,
    TimePartitionConfig,
)

LIST = ListPartitionConfig(["eu", "us"], column="region", allow_window=True)
TIME = TimePartitionConfig(column="day", start="2026-01-01", timezone="Europe/Brussels")
MULTI = MultiPartitionConfig(TIME, ListPartitionConfig(["a|b", "c"], column="kind"), allow_window=True)


@pytest.mark.parametrize(
    "config",
    [LIST, TIME, MULTI, Partitions.daily("2026-01-01"), Partitions.years(2018, 2020), Partitions.static(["a"])],
    ids=lambda config: config.described,
)
def test_a_definition_is_json_and_comes_back(config: PartitionConfig) -> None:
    written = json.loads(json.dumps(config.to_definition()))

    assert PartitionConfig.from_definition(written) == config


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({"kind": "hash"}, "partitioning of kind 'hash' is not known"),
        ({}, "partitioning of kind None is not known"),
        ({"kind": "list", "column": "x", "values": "eu"}, "is one text, not a list of them"),
        ({"kind": "list", "column": "x"}, "cannot be built"),
        ({"kind": "multi", "dimensions": [], "extra": 1}, "unexpected keyword argument"),
        ({"kind": "multi", "dimensions": [{"kind": "none"}]}, "partitioning of kind 'none' is not known"),
    ],
)
def test_an_unknown_kind_or_field_is_refused(definition: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PartitionConfig.from_definition(definition)


def test_each_kind_says_its_columns_and_its_time() -> None:
    assert (LIST.columns, LIST.time, LIST.is_managed) == (("region",), None, False)
    assert (TIME.columns, TIME.time) == (("day",), TIME)
    assert (MULTI.columns, MULTI.time) == (("day", "kind"), TIME)
    assert Partitions.static(["a"]).is_managed


@pytest.mark.parametrize("config", [LIST, TIME, MULTI], ids=lambda config: config.kind)
def test_its_examples_are_read_by_parse(config: PartitionConfig) -> None:
    assert config.partition(config.examples[0]).key == config.examples[0]
    assert all(config.parse(example) for example in config.examples)


@pytest.mark.parametrize("config", [LIST, TIME, MULTI], ids=lambda config: config.kind)
def test_partitions_are_brought_into_order_each_once(config: PartitionConfig) -> None:
    partitions = list(config.parse(config.examples[-1])[0])

    assert config.ordered([*reversed(partitions), *partitions]) == partitions
