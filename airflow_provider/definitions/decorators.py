"""``@asset``, ``@multi_asset``, ``@source``, ``@destination``, ``@config``, ``@connection`` and ``@resource``.

Each is used bare or with options.

Options have three channels: class settings (``key``, ``tags``, ``schema`` ...), defaults of fields (``dataset`` ...),
and relations by name in ``relations={...}``. Every value is checked when the decorator runs.
"""

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, TypeVar

from airflow_provider.definitions.annotations import annotated_names
from airflow_provider.definitions.asset import Asset, Computing
from airflow_provider.definitions.component import Component, class_settings, snake_case
from airflow_provider.definitions.connection import Connection
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.options import channels, share_validator, with_defaults, with_synonyms
from airflow_provider.definitions.parameters import signature_of
from airflow_provider.definitions.resource import Config, Resource
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.view import Reference, View
from airflow_provider.errors import DefinitionError

C = TypeVar("C", bound=Component)


def asset(target: Any = None, /, **settings: Any) -> Any:
    """Make an asset definition of a function, a method of a source, or a class with ``data``."""
    settings = with_synonyms(settings)
    return _decorator(Asset, target, settings, _asset_from_function)


def multi_asset(target: Any = None, /, **settings: Any) -> Any:
    """Make the definition of several assets that one function fills; see ``MultiAsset``."""
    settings = with_synonyms(settings)
    return _decorator(MultiAsset, target, settings, functools.partial(_asset_from_function, base=MultiAsset))


def view(target: Any = None, /, **settings: Any) -> Any:
    """Make a view of a function, a method of a source, or a class with ``data``; see ``View``."""
    return _decorator(View, target, settings, functools.partial(_asset_from_function, base=View))


def reference(target: Any = None, /, **settings: Any) -> Any:
    """Make a reference to a table that is there already; of the function only name and docstring count.

    ``table=`` names it, by default the key; see ``Reference``.
    """
    if "table" in settings:
        settings = {"table_name": settings["table"], **{n: v for n, v in settings.items() if n != "table"}}
    return _decorator(Reference, target, settings, functools.partial(_asset_from_function, base=Reference))


def source(target: Any = None, /, **settings: Any) -> Any:
    """Make a source of a class, or of a function that returns assets and whose parameters become fields."""
    return _decorator(Source, target, settings, _source_from_function)


def destination(target: Any = None, /, **settings: Any) -> Any:
    """Make a destination of a class that defines ``write`` and ``read``, or their partition hooks."""
    return _decorator(Destination, target, settings, None)


def config(target: Any = None, /, **settings: Any) -> Any:
    """Make a config of a class with annotated fields."""
    return _decorator(Config, target, settings, None)


def connection(target: Any = None, /, **settings: Any) -> Any:
    """Make a connection of a class with annotated fields."""
    return _decorator(Connection, target, settings, None)


def resource(target: Any = None, /, **settings: Any) -> Any:
    """Make a resource of a class with annotated fields."""
    return _decorator(Resource, target, settings, None)


def _decorator(base: type[C], target: Any, settings: dict[str, Any], from_function: Any) -> Any:
    def decorate(target: Any) -> type[C]:
        if inspect.isclass(target):
            return _from_class(base, target, settings)
        if from_function is None or not callable(target) or not hasattr(target, "__name__"):
            raise DefinitionError(
                f"cannot decorate {target!r}", where=f"@{base.kind}", fix=f"decorate a class{_or_function(base)}"
            )
        made: type[C] = from_function(target, settings)
        return made

    return decorate if target is None else decorate(target)


def _or_function(base: type[Component]) -> str:
    return " or a function" if issubclass(base, (Computing, Source)) else ""


def _from_class(base: type[C], target: type, settings: dict[str, Any]) -> type[C]:
    """Subclass ``target`` (and ``base``, for a plain class) with the settings."""
    bases = (target,) if issubclass(target, base) else (target, base)
    where = f"{base.kind} {target.__name__}"
    cls_for_names = target if issubclass(target, base) else base
    body = vars(target)
    own = {name for name in body if not name.startswith("_")} | annotated_names(body)
    namespace, defaults = channels(cls_for_names, settings, where, extra=own)
    # What the body sets is this class's own, not inherited: a plain class has no other way to say it.
    said = class_settings(base) | set(base.__pydantic_fields__) | {"relations"}
    carried = {"key", "description"} if issubclass(target, base) else said - annotated_names(body)
    namespace |= {name: body[name] for name in carried & set(body) - set(namespace) - set(defaults)}
    namespace |= {"__module__": target.__module__, "__qualname__": target.__qualname__, "__doc__": target.__doc__}
    if issubclass(target, Source):
        namespace["asset_types"] = vars(target).get("asset_types", ())
    cls: Any = types.new_class(target.__name__, bases, exec_body=lambda body: body.update(namespace))
    return with_defaults(cls, defaults, where)


def _asset_from_function(
    function: Callable[..., Any], settings: dict[str, Any], base: type[Computing] = Asset
) -> type[Computing]:
    where = f"{base.kind} {settings.get('key', function.__name__)!r}"
    namespace, defaults = channels(base, settings, where)
    namespace.setdefault("key", snake_case(function.__name__.lstrip("_")))
    namespace |= {
        "__module__": function.__module__,
        "__qualname__": function.__qualname__,
        "__doc__": function.__doc__,
        "function": staticmethod(function),
    }
    cls: Any = types.new_class(function.__name__, (base,), exec_body=lambda body: body.update(namespace))
    share_validator(cls, base)
    return with_defaults(cls, defaults, where)


def _source_from_function(function: Callable[..., Any], settings: dict[str, Any]) -> type[Source]:
    where = f"source {settings.get('key', function.__name__)!r}"
    namespace, defaults = channels(Source, settings, where)
    namespace.setdefault("key", snake_case(function.__name__))
    annotations, given = {}, {}
    for parameter in signature_of(function).parameters.values():
        if parameter.annotation is parameter.empty:
            raise DefinitionError(
                f"parameter {parameter.name!r} has no annotation",
                where=where,
                fix="annotate it: it becomes a field of the source",
            )
        annotations[parameter.name] = parameter.annotation
        if parameter.default is not parameter.empty:
            given[parameter.name] = parameter.default
    if any(name not in given for name in annotations):
        raise DefinitionError(
            "a parameter has no default, so the assets cannot be listed when the source is defined",
            where=where,
            fix="give every parameter a default, or write the source as a class",
        )
    produced = function(**given)
    made = tuple(produced) if isinstance(produced, (list, tuple)) else (produced,)
    if not made or not all(inspect.isclass(t) and issubclass(t, (Asset, MultiAsset)) for t in made):
        raise DefinitionError(
            f"returned {produced!r}",
            where=where,
            fix="return an asset, or a list of assets, made with @ap.asset or @ap.multi_asset",
        )
    namespace |= {
        "__module__": function.__module__,
        "__qualname__": function.__qualname__,
        "__doc__": function.__doc__,
        "__annotations__": annotations,
        "asset_types": made,
        **given,
    }
    cls: Any = types.new_class(function.__name__, (Source,), exec_body=lambda body: body.update(namespace))
    return with_defaults(cls, defaults, where)
