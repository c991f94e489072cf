"""One output as it is declared: checked at once, as ``@asset`` checks."""

from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.errors import AssetsError, DefinitionError


def test_it_holds_what_was_said() -> None:
    """R066, R067, R070: name, deps and dep."""
    output = ap.AssetDef("issues", tags={"kind": "dlt"}, partitions=None, deps=[ap.AssetDef.dep("github_app")])

    assert (output.name, output.deps) == ("issues", ("github_app",))
    assert output.settings == {"tags": ["kind:dlt"], "partitioning": None, "deps": ("github_app",)}
    assert repr(output) == "AssetDef('issues')"
    assert ap.AssetDef(name="issues").deps == ()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"nosuch": 1}, "unknown option 'nosuch'"),
        ({"on_empty": "sometimes"}, "on_empty='sometimes'"),
        ({"schema": 3}, "is not a schema"),
        ({"partitioning": "daily"}, "partitioning='daily'"),
        ({"tags": 3}, "tags=3"),
        ({"dataset": "a/b"}, "is not a name"),
        ({"normalizer": 3}, "normalizer=3"),
        ({"enabled": "perhaps"}, "enabled='perhaps'"),
        ({"destinations": ap.MemoryDestination()}, "names a relation"),
        ({"relations": {"users": ap.Relation("asset", "users")}}, "parameters belong to the function"),
        ({"retry": ap.RetryPolicy()}, "retry= is no setting of one output"),
        ({"airflow": ap.TaskOptions()}, "airflow= is no setting of one output"),
        ({"key": "orders"}, "its name is its key"),
        ({"partitioning": None, "partitions": None}, "say the same"),
    ],
)
def test_what_is_wrong_is_told_at_once(settings: Any, said: str) -> None:
    with pytest.raises(AssetsError) as caught:
        ap.AssetDef("orders", **settings)

    assert said in str(caught.value)
    assert caught.value.fix


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_name_is_a_text(name: Any) -> None:
    with pytest.raises(DefinitionError, match="key="):
        ap.AssetDef(name)
    with pytest.raises(DefinitionError, match="key="):
        ap.AssetDef.dep(name)


def test_the_store_of_one_output_can_be_limited() -> None:
    class Other(ap.MemoryDestination): ...

    @ap.multi_asset(outputs=[ap.AssetDef("orders", relations={"destinations": [Other]}), "lines"])
    def feed() -> Any: ...

    made = feed(destinations=[Other(), ap.ParquetDestination(base_path="lake")])

    assert [type(one).__name__ for one in made.orders.destinations] == ["Other"]
    assert len(made.lines.destinations) == 2
