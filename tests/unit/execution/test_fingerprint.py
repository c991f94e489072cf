"""The mark of an asset's code."""

from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.asset_def import AssetDef
from airflow_provider.definitions.decorators import asset, multi_asset
from airflow_provider.execution.fingerprint import code_fingerprint


@asset
def one() -> list[dict[str, Any]]:
    return [{"n": 1}]


@asset
def other() -> list[dict[str, Any]]:
    return [{"n": 2}]


class Form(Asset):
    def data(self) -> list[dict[str, Any]]:
        return [{"n": 3}]


def made_at_run_time(code: str) -> Asset:
    namespace: dict[str, Any] = {}
    exec(f"def made(): return {code}", namespace)
    result: Asset = asset(namespace["made"])()
    return result


def test_the_mark_is_short_and_the_same_for_the_same_code() -> None:
    assert code_fingerprint(one()) == code_fingerprint(one(dataset="x"))
    assert len(code_fingerprint(one())) == 16
    int(code_fingerprint(one()), 16)


def test_another_function_has_another_mark() -> None:
    assert len({code_fingerprint(one()), code_fingerprint(other()), code_fingerprint(Form())}) == 3


def test_a_declared_version_wins_over_the_code() -> None:
    def versioned(function: Any, version: str) -> Asset:
        result: Asset = asset(code_version=version)(function)()
        return result

    def first() -> list[dict[str, Any]]:
        return []

    def second() -> list[dict[str, Any]]:
        return [{}]

    assert code_fingerprint(versioned(first, "1")) == code_fingerprint(versioned(second, "1"))
    assert code_fingerprint(versioned(first, "1")) != code_fingerprint(versioned(first, "2"))


def test_code_without_text_is_marked_too() -> None:
    assert code_fingerprint(made_at_run_time("[1]")) == code_fingerprint(made_at_run_time("[1]"))
    assert code_fingerprint(made_at_run_time("[1]")) != code_fingerprint(made_at_run_time("[2]"))
    assert code_fingerprint(made_at_run_time("[1]")) != code_fingerprint(made_at_run_time("[x for x in y]"))


def test_outputs_of_one_function_share_its_mark_unless_one_declares_its_own() -> None:
    @multi_asset(outputs=["orders", "lines", AssetDef("shops", code_version="2")])
    def feed() -> None: ...

    made = feed()
    orders, lines, shops = (code_fingerprint(asset) for asset in made.assets.values())

    assert orders == lines
    assert shops != orders
