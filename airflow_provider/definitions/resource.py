"""Resources: what an asset needs beside data. Filled by the constructor, else from the environment.

A parameter of ``data()`` that is annotated with a resource class receives what is bound to it, else an instance that
the class can fill by itself in the worker. A field that is not given takes the environment variable of its name, upper
case, with ``env_prefix`` before it; a field with a default only when the class has an ``env_prefix``.
"""

import contextlib
import json
import os
import types
from collections.abc import Collection
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from airflow_provider.definitions.component import Component
from airflow_provider.errors import ConfigError


class Resource(Component):
    """Base class of what assets are given: configs, connections, and clients of a user's own."""

    kind: ClassVar[str] = "resource"
    key: ClassVar[str] = "resource"
    env_prefix: ClassVar[str] = ""

    def __init__(self, **data: Any) -> None:
        given = {**type(self)._field_defaults, **data}
        super().__init__(**{**self._from_environment(given), **data})

    @classmethod
    def _from_environment(cls, given: dict[str, Any]) -> dict[str, Any]:
        found = {}
        for name, field in cls.__pydantic_fields__.items():
            if name in given or name == "id" or not (cls.env_prefix or field.is_required()):
                continue
            text = os.environ.get(f"{cls.env_prefix}{name}".upper())
            if text is not None:
                found[name] = _parsed(text, field.annotation)
        return found

    def resolved(self) -> "Resource":
        """The resource with every field filled; called in the worker."""
        return self


class Config(Resource):
    """Settings that assets read, declared as fields."""

    kind: ClassVar[str] = "config"
    key: ClassVar[str] = "config"


def fallback(cls: type[Component], *, where: str) -> Component | None:
    """An instance that ``cls`` can fill by itself, or None when a value that it needs is nowhere to be found.

    Raises:
        ConfigError: A value was found, but it does not fit.
    """
    if not issubclass(cls, Resource):
        return None
    try:
        return cls().resolved()
    except ConfigError as error:
        cause = error.__context__
        if isinstance(cause, ValidationError) and {e["type"] for e in cause.errors(include_input=False)} == {"missing"}:
            return None
        raise ConfigError(error.what, where=f"{where}, {error.where}", fix=error.fix) from None


def _parsed(text: str, annotation: Any) -> Any:
    """The environment's text as pydantic takes it: JSON for a field that holds several values, else as it is."""
    if text[:1] in ("[", "{") and _holds_several(annotation):
        with contextlib.suppress(ValueError):
            return json.loads(text)
    return text


def _holds_several(annotation: Any) -> bool:
    members = get_args(annotation) if get_origin(annotation) in (Union, types.UnionType, Annotated) else (annotation,)
    kinds = [get_origin(member) or member for member in members]
    return any(isinstance(k, type) and issubclass(k, (Collection, BaseModel)) and k not in (str, bytes) for k in kinds)
