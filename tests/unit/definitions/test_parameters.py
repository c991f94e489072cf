"""What annotations of parameters declare."""

import textwrap
from typing import Any, Optional

import pytest

from airflow_provider.definitions.parameters import Parameters, signature_of
from airflow_provider.definitions.resource import Config
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.errors import DefinitionError

WHERE = "asset 'orders'"


class Budget(Config):
    limit: int = 5


def parameters(function: Any) -> Parameters:
    return Parameters(function, where=WHERE)


def from_text(signature: str) -> Any:
    """A function whose annotations are text, as under ``from __future__ import annotations``."""
    code = f"from __future__ import annotations\nfrom typing import *\ndef data({signature}): ..."
    namespace: dict[str, Any] = {"Upstream": Upstream, "Budget": Budget}
    exec(compile(textwrap.dedent(code), "data.py", "exec"), namespace)
    return namespace["data"]


def test_reserved_names_declare_nothing() -> None:
    """A025."""
    found = parameters(from_text("self, context, source, **kwargs"))

    assert found.relations == {}
    assert (found.takes_self, found.context_name, found.takes_source, found.takes_any) == (True, "context", True, True)


def test_the_context_may_be_called_ctx() -> None:
    assert parameters(lambda ctx: None).context_name == "ctx"


@pytest.mark.parametrize(
    ("annotation", "kind", "keys", "many", "optional", "on_delete"),
    [
        ("Upstream", "asset", ("x",), False, False, "block"),
        ("Upstream | None", "asset", ("x",), False, True, "detach"),
        ("Optional[Upstream]", "asset", ("x",), False, True, "detach"),
        ("Upstream = None", "asset", ("x",), False, True, "detach"),
        ("list[Upstream]", "asset", ("x",), True, False, "block"),
        ("list[Upstream] | None", "asset", ("x",), True, True, "detach"),
        ("Budget", "config", (), False, False, "block"),
        ("Budget | None", "config", (), False, True, "block"),
        ("Budget = None", "config", (), False, True, "block"),
        ("list[Budget]", "config", (), True, False, "block"),
    ],
)
def test_what_an_annotation_declares(
    annotation: str, kind: str, keys: tuple[str, ...], many: bool, optional: bool, on_delete: str
) -> None:
    """A024, A029: a list is many-valued."""
    relation = parameters(from_text(f"x: {annotation}")).relations["x"]

    assert (relation.kind, relation.keys, relation.many, relation.optional) == (kind, keys, many, optional)
    assert relation.on_delete == on_delete


def test_live_annotations_say_the_same_as_text() -> None:
    def data(a: Upstream, b: Optional[Upstream], c: list[Upstream], d: Budget | None) -> Any:  # noqa: UP045
        return None

    found = parameters(data).relations

    assert [(name, r.many, r.optional) for name, r in found.items()] == [
        ("a", False, False), ("b", False, True), ("c", True, False), ("d", False, True),
    ]  # fmt: skip


def test_an_unannotated_parameter_is_refused() -> None:
    def data(orders):
        return None

    with pytest.raises(DefinitionError, match="asset 'orders': parameter 'orders' has no annotation") as caught:
        parameters(data)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("annotation", ["int", "list[int]", "Upstream | Budget", "dict[str, Any]", "Any"])
def test_an_annotation_that_nothing_fills_is_refused(annotation: str) -> None:
    """A032."""
    with pytest.raises(DefinitionError, match=r"neither a component class nor ap\.Upstream"):
        parameters(from_text(f"x: {annotation}"))


def test_text_that_does_not_resolve_is_refused() -> None:
    with pytest.raises(DefinitionError, match="is annotated 'Nowhere', which does not resolve") as caught:
        parameters(from_text("x: Nowhere"))
    assert "TYPE_CHECKING" in caught.value.fix


@pytest.mark.parametrize("signature", ["x, /", "*args"])
def test_positional_parameters_are_refused(signature: str) -> None:
    with pytest.raises(DefinitionError, match="is positional"):
        parameters(from_text(signature))


def test_a_default_other_than_none_is_refused() -> None:
    with pytest.raises(DefinitionError, match="has the default 5, which is not None"):
        parameters(from_text("x: Budget = 5"))


def test_text_may_name_a_class_of_the_function_around() -> None:
    class Local(Config):
        size: int = 1

    def data(x: "Local") -> Any:
        return Local

    assert parameters(data).relations["x"].classes == (Local,)


def test_a_function_that_refers_to_itself_can_still_be_defined() -> None:
    def decorate(function: Any) -> Any:
        return parameters(function)

    @decorate
    def data(x: "Upstream") -> Any:
        return data

    assert list(data.relations) == ["x"]


def test_the_signature_keeps_annotations_as_they_are() -> None:
    assert signature_of(from_text("x: Nowhere")).parameters["x"].annotation == "Nowhere"
