"""What parameters receive."""

from typing import Any

import pytest
from pydantic import SecretStr

from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.resource import Config
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import ConfigError
from airflow_provider.execution import resolve
from airflow_provider.execution.resolve import WHOLE, Inputs


class Budget(Config):
    limit: int


class Cheap(Config):
    limit: int = 1


@asset
def report(budget: Budget, spare: Budget | None, cheap: Cheap, several: list[Cheap]) -> list[dict[str, Any]]:
    return []


def test_what_is_bound_is_given() -> None:
    """A027, A100."""
    budget, cheap = Budget(limit=1), Cheap()
    found = resolve.resources(report(budget=budget, spare=budget, cheap=cheap, several=[cheap, cheap]))

    assert found == {"budget": budget, "spare": budget, "cheap": cheap, "several": [cheap]}


def test_what_sources_and_destinations_read_of_their_own_is_filled_for_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """D058, A013: ``self.budget`` is what is bound, else the fallback."""

    class Box(MemoryDestination):
        budget: Budget

    class Shop(Source):
        budget: Budget

        @asset
        def limits(self) -> list[dict[str, Any]]:
            return [{"limit": self.budget.limit}]

    shop = Shop(destinations=Box())
    with pytest.raises(ConfigError, match="destination 'box': relation 'budget' needs a Budget") as caught:
        shop.limits.materialize()
    assert "set LIMIT" in caught.value.fix
    monkeypatch.setenv("LIMIT", "7")

    assert shop.limits.materialize() == [{"limit": 7}]
    assert shop.destinations[0].budget.limit == 7
    assert shop.destinations[0].bound("budget") == ()
    shop.budget = Budget(limit=8)
    assert shop.limits.materialize() == [{"limit": 8}]


def test_a_source_that_cannot_fill_itself_stops_no_asset_that_does_without() -> None:
    class Shop(Source):
        budget: Budget

        @asset
        def plain(self) -> list[dict[str, Any]]:
            return [{"n": 1}]

    assert Shop().plain.materialize() == [{"n": 1}]


def test_what_is_half_set_is_an_error_even_where_it_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pair(Config):
        env_prefix = "PAIR_"
        one: int
        two: int

    @asset
    def halves(pair: Pair | None = None) -> list[dict[str, Any]]:
        return [{"there": pair is not None}]

    assert halves().run() == [{"there": False}]
    monkeypatch.setenv("PAIR_ONE", "1")
    with pytest.raises(ConfigError, match="asset 'halves': the environment fills a Pair in part: PAIR_ONE is set"):
        halves().run()
    monkeypatch.setenv("PAIR_TWO", "2")
    assert halves().run() == [{"there": True}]


def test_secrets_of_what_a_run_is_given_are_masked_in_its_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    class Vault(Config):
        pin: SecretStr
        sensitive = True

    @asset
    def opened(vault: Vault) -> list[dict[str, Any]]:
        return []

    masked: list[str] = []
    monkeypatch.setattr("airflow_provider.hooks.lookup.mask", masked.extend)
    resolve.resources(opened(vault=Vault(pin=SecretStr("1234"))))

    assert masked == ["1234"]


def test_what_is_not_bound_fills_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A027."""
    monkeypatch.setenv("LIMIT", "7")
    found = resolve.resources(report())

    assert (found["budget"].limit, found["spare"].limit, found["cheap"].limit, found["several"]) == (7, 7, 1, [])


def test_an_optional_one_that_cannot_fill_itself_is_none() -> None:
    assert resolve.resources(report(budget=Budget(limit=1)))["spare"] is None


def test_one_that_must_be_filled_is_named() -> None:
    with pytest.raises(
        ConfigError, match="asset 'report': parameter 'budget' needs a Budget, but none is bound"
    ) as caught:
        resolve.resources(report())
    assert "pass budget=Budget(...)" in caught.value.fix


def test_a_value_that_does_not_fit_is_an_error_even_where_it_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMIT", "x")
    with pytest.raises(ConfigError, match="limit: Input should be a valid integer"):
        resolve.resources(report(budget=Budget(limit=1)))


def test_the_source_lends_what_it_holds() -> None:
    class Shop(Source):
        budget: Budget

        @asset
        def report(self, budget: Budget) -> list[dict[str, Any]]:
            return []

    shop = Shop(budget=Budget(limit=3))
    assert resolve.resources(shop.report) == {"budget": shop.budget}


def test_a_default_of_the_relation_is_made() -> None:
    @asset(relations={"budget": Relation(Budget, default=lambda: Budget(limit=9))})
    def with_default(budget: Budget) -> list[dict[str, Any]]:
        return []

    assert resolve.resources(with_default())["budget"].limit == 9


def test_versions_are_those_of_the_partition_or_of_the_whole() -> None:
    inputs = Inputs(versions={"raw": {"a": "1-x", "b": "2-y"}, "rates": {WHOLE: "3-z"}, "none": {}})

    assert inputs.versions_for("a") == {"raw": "1-x", "rates": "3-z"}
    assert inputs.versions_for("c") == {"rates": "3-z"}
    assert inputs.versions_for(None) == {"rates": "3-z"}


def test_secrets_of_destinations_are_masked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Store(Destination):
        password: str
        url: str
        place: str = "n"

        def read(self, context: Any) -> Any:
            return [{"n": 1}]

    @asset
    def orders() -> list[dict[str, Any]]:
        return []

    @asset
    def totals(orders: Upstream) -> list[dict[str, Any]]:
        return orders.rows

    masked: list[str] = []
    monkeypatch.setattr("airflow_provider.hooks.lookup.mask", masked.extend)
    mine = Store(password="pa55word", url="db://me:swordfish@host/x")
    theirs = Store(password="other", url="db://host/x")
    totals(orders=orders(destinations=theirs), destinations=mine).run()

    assert set(masked) == {"pa55word", "swordfish", "other"}
