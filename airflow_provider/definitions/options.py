"""What a definition is given: class settings, defaults of fields and relations, each checked and put in its place."""

from typing import Any, TypeVar

from airflow_provider.definitions.component import Component, class_settings
from airflow_provider.definitions.settings import checked
from airflow_provider.definitions.validation import set_defaults
from airflow_provider.errors import DefinitionError

C = TypeVar("C", bound=Component)


def channels(
    cls: type[Component], settings: dict[str, Any], where: str, extra: set[str] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Class settings (with relations) and field defaults among ``settings``; an unknown name is refused."""
    class_level = class_settings(cls) | {"relations"}
    fields = set(cls.__pydantic_fields__) - {"id"}
    namespace, defaults = {}, {}
    for name, value in settings.items():
        if name in cls.relations and name not in fields:
            raise DefinitionError(
                f"{name}= names a relation, which is no plain option",
                where=where,
                fix=f"limit it with relations={{{name!r}: [...]}}, and pass instances when constructing the {cls.kind}",
            )
        if name in fields or (name in (extra or ()) and name not in class_level):
            defaults[name] = value
        elif name in class_level:
            namespace[name] = checked(name, value, where=where)
        else:
            known = ", ".join(sorted(class_level | fields | (extra or set())))
            raise DefinitionError(f"unknown option {name!r}", where=where, fix=f"use one of {known}")
    return namespace, defaults


def with_defaults(cls: type[C], defaults: dict[str, Any], where: str) -> type[C]:
    """``cls``, whose instances have ``defaults`` where they are not given other values."""
    if defaults:
        set_defaults(cls, defaults, where=where)
    return cls


def with_synonyms(settings: dict[str, Any]) -> dict[str, Any]:
    """``partitions=`` and ``partitions_def=`` are other spellings of ``partitioning=``."""
    spelled = [name for name in ("partitioning", "partitions", "partitions_def") if name in settings]
    if len(spelled) > 1:
        raise DefinitionError(f"{' and '.join(spelled)} say the same", where="@asset", fix="give partitioning= only")
    if not spelled:
        return settings
    rest = {name: value for name, value in settings.items() if name != spelled[0]}
    return {**rest, "partitioning": settings[spelled[0]]}


def share_validator(cls: type[Component], parent: type[Component]) -> None:
    """Let a class without fields of its own validate as its parent does: building a validator costs 2 ms per class."""
    parent.model_rebuild()
    for attribute in ("__pydantic_core_schema__", "__pydantic_validator__", "__pydantic_serializer__"):
        setattr(cls, attribute, getattr(parent, attribute))
    cls.__pydantic_complete__ = True
