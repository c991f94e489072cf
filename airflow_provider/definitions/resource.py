"""Resources: what an asset needs beside data. Filled by the constructor, else from the environment.

A parameter of ``data()`` that is annotated with a resource class receives what is bound to it, else an instance that
the class can fill by itself in the worker. A field that is not given takes the variable of its name, upper case, with
``env_prefix`` before it: from the environment, else from ``env_file``. A field with a default does so only when the
class has an ``env_prefix``. A value given with ``{env.NAME}`` in it is filled in where the field is read.
"""

import contextlib
import json
import os
import types
from collections import ChainMap
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel, PrivateAttr, SecretStr
from typing_extensions import Self

from airflow_provider.definitions.component import Component
from airflow_provider.definitions.environment import file_variables, fill_env, holds_env
from airflow_provider.definitions.validation import SECRET_NAME, missing_fields, validated
from airflow_provider.errors import AssetsError, ConfigError


class Resource(Component):
    """Base class of what assets are given: configs, connections, and clients of a user's own.

    Class settings: ``env_prefix``; ``env_file``, a file of ``NAME=value`` lines that counts after the environment, and
    need not be there (a relative path is one beside the module of the class); ``sensitive``, by which errors quote
    nothing of what the class's own checks say, and Airflow masks the values of fields named like secrets.
    """

    kind: ClassVar[str] = "resource"
    key: ClassVar[str] = "resource"
    env_prefix: ClassVar[str] = ""
    env_file: ClassVar["str | os.PathLike[str] | None"] = None
    sensitive: ClassVar[bool] = False

    _deferred: dict[str, Any] = PrivateAttr(default_factory=dict)
    _full: "Resource | None" = PrivateAttr(default=None)

    def __init__(self, **data: Any) -> None:
        cls = type(self)
        given = {**cls._field_defaults, **data}
        deferred = {n: v for n, v in given.items() if cls._is_deferred(n, v)}
        if deferred or cls._is_elsewhere(given):
            self._init_lazily(data, {n: v for n, v in given.items() if n not in deferred}, deferred)
        else:
            super().__init__(**{**cls._from_environment(given), **data})

    def _init_lazily(self, data: dict[str, Any], given: dict[str, Any], deferred: dict[str, Any]) -> None:
        """Check what is given, and leave every other field out, so that reading it looks it up."""
        cls = type(self)
        _, bindings = self._split(data, "got unexpected keyword argument(s)")
        fields = {name: value for name, value in given.items() if name in cls.__pydantic_fields__}
        known = validated(cls, fields, where=f"{cls.kind} {cls.key!r}")
        for attribute, value in (
            ("__dict__", {"id": "", **known}),
            ("__pydantic_fields_set__", {*known, *deferred}),
            ("__pydantic_extra__", None),
            ("__pydantic_private__", None),
        ):
            object.__setattr__(self, attribute, value)
        self.model_post_init(None)
        self._deferred = deferred
        for name, target in bindings.items():
            self.assign(name, target)

    @classmethod
    def _is_deferred(cls, name: str, value: Any) -> bool:
        return name in cls.__pydantic_fields__ and holds_env(value)

    @classmethod
    def _is_elsewhere(cls, given: Mapping[str, Any]) -> bool:
        """Whether fields that are not given come from somewhere that must not be asked yet."""
        return False

    @classmethod
    def variable(cls, name: str) -> str:
        """The environment variable of field ``name``."""
        return f"{cls.env_prefix}{name}".upper()

    @classmethod
    def needed_variables(cls) -> list[str]:
        """The variables of the fields that must be given."""
        fields = cls.__pydantic_fields__.items()
        return [cls.variable(n) for n, f in fields if f.is_required() and n not in cls._field_defaults]

    @classmethod
    def _from_environment(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        variables = cls._variables()
        for name, field in cls.__pydantic_fields__.items():
            if name in given or name == "id" or not (cls.env_prefix or field.is_required()):
                continue
            text = variables.get(cls.variable(name))
            if text is not None:
                found[name] = _parsed(text, field.annotation)
        return found

    @classmethod
    def _variables(cls) -> Mapping[str, str]:
        if not cls.env_file:
            return os.environ
        path = Path(fill_env(os.fspath(cls.env_file), where=f"{cls.kind} {cls.key!r}")).expanduser()
        return ChainMap(dict(os.environ), file_variables(_beside(cls, path), where=f"{cls.kind} {cls.key!r}"))

    @classmethod
    def filled_by_itself(cls, *, where: str) -> Component | None:
        """An instance that the environment fills, or None when it holds none of what must be given.

        Raises:
            ConfigError: It fills a part only, or a value does not fit.
        """
        try:
            return cls().for_run()
        except ConfigError as error:
            missing = missing_fields(error)
            if missing and not (found := cls._from_environment(cls._field_defaults)):
                return None
            if missing:
                raise cls._half_filled(missing, sorted(found), where) from None
            raise ConfigError(error.what, where=f"{where}, {error.where}", fix=error.fix) from None

    @classmethod
    def _half_filled(cls, missing: list[str], found: list[str], where: str) -> ConfigError:
        wanted, there = (", ".join(map(cls.variable, names)) for names in (missing, found))
        return ConfigError(
            f"the environment fills a {cls.__name__} in part: {there} is set, {wanted} is not",
            where=where,
            fix=f"set {wanted} for the process that runs the asset, or bind a {cls.__name__}"
            + ("" if cls.env_prefix else "; if the variable is another program's, give the class an env_prefix"),
        )

    def __getattr__(self, name: str) -> Any:
        if name in type(self).__pydantic_fields__ and self._is_lazy():
            return getattr(self.resolved(), name)
        return super().__getattr__(name)  # type: ignore[misc]

    def __setattr__(self, name: str, value: Any) -> None:
        cls = type(self)
        if name not in cls.__pydantic_fields__:
            super().__setattr__(name, value)
            return
        if cls._is_deferred(name, value):
            self.__dict__.pop(name, None)
            self._deferred = {**self._deferred, name: value}
            self.__pydantic_fields_set__.add(name)
        else:
            super().__setattr__(name, value)
            self._deferred = {n: v for n, v in self._deferred.items() if n != name}
        self._full = None

    def _given(self) -> dict[str, Any]:
        return {**super()._given(), **self._deferred}

    def _is_lazy(self) -> bool:
        return bool(self._deferred)

    def _looked_up(self) -> dict[str, Any]:
        """Fields not given that are known from elsewhere, before the environment is asked."""
        return {}

    def resolved(self) -> Self:
        """The resource with every field filled.

        Raises:
            ConnectionLookupError: Airflow gave no connection of that name.
            ConfigError: A field is missing everywhere, a value does not fit, or ``{env.NAME}`` is not set.
        """
        if not self._is_lazy():
            return self
        if self._full is None:
            cls = type(self)
            values = {name: fill_env(value, where=self.label) for name, value in self._deferred.items()}
            known = {**self._looked_up(), **{n: v for n, v in self.__dict__.items() if n not in values}, **values}
            full = cls.__new__(cls)
            Component.__init__(full, **{**cls._from_environment({**cls._field_defaults, **known}), **known})
            full._owner, full._bindings = self._owner, self._bindings
            self._full = full
        return self._full  # type: ignore[return-value]

    def for_run(self) -> Component:
        """The resource with every field filled."""
        return self.resolved()

    def secrets(self) -> Iterator[str]:
        """The values that logs should mask: secret fields, and of a sensitive class those named like secrets."""
        for name, value in self.resolved().__dict__.items():
            if isinstance(value, SecretStr):
                yield value.get_secret_value()
            elif self.sensitive and isinstance(value, str) and value and SECRET_NAME.search(name):
                yield value

    def check(self) -> list[str]:
        """What is wrong with the resource here and now, one line each; empty when it can be used.

        The base looks whether every field can be filled; a client of your own may reach out to its service, too.
        """
        try:
            self.resolved()
        except AssetsError as error:
            return [str(error)]
        return []


class Config(Resource):
    """Settings that assets read, declared as fields."""

    kind: ClassVar[str] = "config"
    key: ClassVar[str] = "config"


def _beside(cls: type[Resource], path: Path) -> Path:
    """A relative path is beside the module of the class: a worker's own folder is nobody's choice."""
    import sys

    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return path if path.is_absolute() or not file else Path(file).parent / path


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
