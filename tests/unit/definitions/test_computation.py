"""The one-output computation."""

from typing import Any

from airflow_provider.definitions.computation import Computation, Output
from airflow_provider.definitions.decorators import asset


def test_an_asset_is_the_computation_of_one_output() -> None:
    @asset
    def users(context: Any) -> list[dict[str, Any]]:
        return []

    made = users()
    computation = Computation.of(made)

    assert (computation.subject, computation.outputs, computation.selected) == (made, (made,), ("users",))
    assert computation.parameters.context_name == "context"
    assert list(computation.results([{"n": 1}])) == [Output("users", [{"n": 1}])]
