"""The one-output computation."""

from typing import Any

import pytest

from airflow_provider.definitions.computation import Computation, Output
from airflow_provider.definitions.decorators import asset
from airflow_provider.errors import AssetError


def test_an_asset_is_the_computation_of_one_output() -> None:
    @asset
    def users(context: Any) -> list[dict[str, Any]]:
        return []

    made = users()
    computation = Computation.of(made)

    assert (computation.subject, computation.outputs, computation.selected) == (made, (made,), ("users",))
    assert computation.label == "asset 'users'"
    assert computation.parameters.context_name == "context"
    assert list(computation.results([{"n": 1}])) == [Output("users", [{"n": 1}])]
    assert list(computation.results(Output("users", 5))) == [Output("users", 5)]
    with pytest.raises(AssetError, match="gave Output\\('orders'\\), which is none of its outputs"):
        list(computation.results(Output("orders", 5)))
