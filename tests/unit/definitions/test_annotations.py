"""What class bodies annotate."""

from typing import Any, ForwardRef

from airflow_provider.definitions.annotations import annotated_names, resolved_annotation, scope_of_text

HERE = int


def test_names_are_read_without_evaluating_them() -> None:
    class Body:
        a: int
        b: "NotThere"  # noqa: F821
        c = 3

    assert annotated_names(vars(Body)) == {"a", "b"}
    assert annotated_names({}) == set()


def test_text_is_looked_up_in_the_module_and_stays_text_where_it_is_not_there() -> None:
    class Body: ...

    assert resolved_annotation(Body, "HERE | None") == int | None
    assert resolved_annotation(Body, ForwardRef("Any")) is Any
    assert resolved_annotation(Body, "NotThere") == "NotThere"
    assert resolved_annotation(Body, int) is int


def test_only_the_locals_that_text_names_are_kept() -> None:
    class Local: ...

    namespace = {"__annotations__": {"a": "Local"}, "__module__": __name__}
    qualname = "test_only_the_locals_that_text_names_are_kept.<locals>.Body"

    assert scope_of_text({**namespace, "__qualname__": qualname}) == {"Local": Local}
    assert scope_of_text({"__annotations__": {"a": int}}) == {}
