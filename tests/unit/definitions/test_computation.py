"""The one-output computation."""

from typing import Any

import pytest

from airflow_provider.definitions.asset_def import AssetDef
from airflow_provider.definitions.computation import Computation, Output, computations
from airflow_provider.definitions.decorators import asset, multi_asset
from airflow_provider.errors import AssetError, AssetNotFoundError


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


def test_a_multi_asset_is_a_computation_of_those_asked_for_in_the_order_declared() -> None:
    @multi_asset(outputs=["orders", AssetDef("lines", enabled=False), "shops"])
    def feed() -> Any: ...

    made = feed()
    whole, some = Computation.of(made), Computation.of(made, ["shops", "feed.orders"])
    one = Computation.of(made.lines)

    assert (whole.subject, whole.selected) == (made, ("orders", "lines", "shops"))
    assert (some.selected, one.selected, one.subject) == (("orders", "shops"), ("lines",), made)
    assert (whole.label, whole.qualified_key, whole.partitioning) == ("multi_asset 'feed'", "feed", None)
    assert whole.enabled is not None
    assert (whole.enabled.selected, one.enabled) == (("orders", "shops"), None)
    with pytest.raises(AssetNotFoundError, match="has no output called nosuch"):
        Computation.of(made, ["nosuch"])


def test_assets_are_gathered_by_what_fills_them() -> None:
    @multi_asset(outputs=["orders", "lines"])
    def feed() -> Any: ...

    @asset
    def users() -> Any: ...

    made, other = feed(), users()
    found = computations([made.lines, other, made.orders])

    assert [(one.subject, one.selected) for one in found] == [(made, ("orders", "lines")), (other, ("users",))]


def test_what_is_yielded_is_checked_as_it_comes() -> None:
    @multi_asset(outputs=["orders", "lines"])
    def feed() -> Any: ...

    given = iter([Output("orders", 1), Output("lines", 2, metadata={"n": 3}), "no output"])
    results = Computation.of(feed()).results(given)

    assert next(results) == Output("orders", 1)
    assert next(results).metadata == {"n": 3}
    with pytest.raises(AssetError, match="gave a str"):
        next(results)
