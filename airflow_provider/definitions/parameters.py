"""What the parameters of an asset's function ask for, read off their annotations when the asset is defined.

``self``, ``context`` (or ``ctx``), ``source`` and ``**kwargs`` are reserved. Every other parameter declares a relation:
``Upstream`` an asset of the parameter's name, a component class whatever is bound to it. Anything else could never be
filled and is refused.
"""

import contextlib
import inspect
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, Union, get_args, get_origin

from airflow_provider.definitions.component import component_in
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.errors import DefinitionError
from airflow_provider.schema.scope import locals_around

CONTEXT_NAMES = ("context", "ctx")


class Parameters:
    """The parameters of one ``data()`` function.

    Attributes:
        relations: Relation of each parameter that declares one, by name.
        context_name: ``"context"``, ``"ctx"`` or None.
        takes_self: Whether the first parameter is ``self``.
        takes_source: Whether there is a parameter ``source``.
        takes_any: Whether there is a ``**kwargs``.
    """

    def __init__(self, function: Callable[..., Any], *, where: str) -> None:
        self.relations: dict[str, Relation] = {}
        self.context_name: str | None = None
        self.takes_self = self.takes_source = self.takes_any = False
        for parameter in signature_of(function).parameters.values():
            self._add(parameter, function, where)

    def _add(self, parameter: inspect.Parameter, function: Callable[..., Any], where: str) -> None:
        name = parameter.name
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            self.takes_any = True
        elif parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY):
            raise DefinitionError(
                f"parameter {name!r} is positional", where=where, fix="make it an ordinary parameter with a name"
            )
        elif name == "self":
            self.takes_self = True
        elif name in CONTEXT_NAMES:
            self.context_name = name
        elif name == "source":
            self.takes_source = True
        else:
            self.relations[name] = _relation(parameter, function, where)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The signature, with annotations that cannot be evaluated yet as forward references instead of an error."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)


def _relation(parameter: inspect.Parameter, function: Callable[..., Any], where: str) -> Relation:
    name = parameter.name
    if parameter.annotation is inspect.Parameter.empty:
        raise DefinitionError(
            f"parameter {name!r} has no annotation, so nothing says what fills it",
            where=where,
            fix=f"write {name}: ap.Upstream for an upstream asset, or annotate it with a Config or Connection class",
        )
    annotation = _evaluated(parameter, function, where)
    has_default = parameter.default is None
    if parameter.default not in (None, inspect.Parameter.empty):
        raise DefinitionError(
            f"parameter {name!r} has the default {parameter.default!r}, which is not None",
            where=where,
            fix=f"write = None, and bind {name}= on the asset or its source",
        )
    is_upstream, many, optional = _upstream_in(annotation)
    if is_upstream:
        return Relation(
            "asset",
            name,
            many=many,
            optional=optional or has_default,
            on_delete="detach" if optional or has_default else "block",
        )
    target, many, optional = component_in(annotation)
    if target is None:
        raise DefinitionError(
            f"parameter {name!r} is annotated {annotation!r}, which is neither a component class nor ap.Upstream; "
            "nothing could fill it",
            where=where,
            fix="annotate it with ap.Upstream, a Config, Connection or Resource class, or take the value from a Config",
        )
    return Relation(target, many=many, optional=optional or has_default)


def _evaluated(parameter: inspect.Parameter, function: Callable[..., Any], where: str) -> Any:
    """The annotation as an object; text in it, also inside ``list["..."]``, is read in the function's scopes."""
    annotation = parameter.annotation
    if not _holds_text(annotation):
        return annotation
    inner = inspect.unwrap(function)
    local = {**locals_around(getattr(inner, "__qualname__", ""), inner.__module__), **_closure(inner)}

    def holder() -> None: ...

    holder.__annotations__ = {"annotation": annotation}
    try:
        return typing.get_type_hints(holder, getattr(inner, "__globals__", {}), local)["annotation"]
    except Exception as error:
        raise DefinitionError(
            f"parameter {parameter.name!r} is annotated {_text(annotation)!r}, which does not resolve: {error}",
            where=where,
            fix="import the name at the top of the module, outside TYPE_CHECKING",
        ) from error


def _holds_text(annotation: Any) -> bool:
    return isinstance(annotation, (str, typing.ForwardRef)) or any(map(_holds_text, get_args(annotation)))


def _text(annotation: Any) -> Any:
    return annotation.__forward_arg__ if isinstance(annotation, typing.ForwardRef) else annotation


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    """What the function takes from the functions around it, as far as that is filled already."""
    found = {}
    cells = getattr(function, "__closure__", None) or ()
    for name, cell in zip(getattr(getattr(function, "__code__", None), "co_freevars", ()), cells, strict=False):
        with contextlib.suppress(ValueError):  # an empty cell
            found[name] = cell.cell_contents
    return found


def _upstream_in(annotation: Any) -> tuple[bool, bool, bool]:
    optional = many = False
    if get_origin(annotation) in (Union, types.UnionType):
        members = [arg for arg in get_args(annotation) if arg is not type(None)]
        optional = len(members) < len(get_args(annotation))
        annotation = members[0] if len(members) == 1 else annotation
    if get_origin(annotation) is list:
        many, annotation = True, get_args(annotation)[0]
    return annotation is Upstream, many, optional
