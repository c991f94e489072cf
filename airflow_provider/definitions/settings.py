"""The class settings that decorators and class bodies take, each checked when the class is made.

A setting that is wrong is wrong for every instance, so it fails at definition and names the value seen.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from airflow_provider.definitions.task_options import TaskOptions
from airflow_provider.errors import DefinitionError
from airflow_provider.partitioning import PartitionConfig


def _text(value: Any) -> Any:
    return value if isinstance(value, str) else _wrong("text")


def _tags(value: Any) -> Any:
    if isinstance(value, Mapping):
        value = [f"{name}:{text}" for name, text in value.items()]
    if isinstance(value, str) or not all(isinstance(tag, str) for tag in value):
        return _wrong("a list of texts, or a dict of texts")
    return sorted(value) if isinstance(value, (set, frozenset)) else list(value)


def _key(value: Any) -> Any:
    return value if isinstance(value, str) and value else _wrong("a name, or leave the key out")


def _schema(value: Any) -> Any:
    from airflow_provider.schema import coerce_schema

    return None if value is None else coerce_schema(value)


def _partitioning(value: Any) -> Any:
    if value is None or isinstance(value, PartitionConfig):
        return value
    return _wrong("a partitioning such as ap.TimePartitionConfig(column='date')")


def _task_options(value: Any) -> Any:
    return value if value is None or isinstance(value, TaskOptions) else _wrong("ap.TaskOptions(...)")


def _relations(value: Any) -> Any:
    return value if isinstance(value, Mapping) else _wrong("a dict of relation name to ap.Relation, class, or classes")


def _deps(value: Any) -> Any:
    def is_dep(one: Any) -> bool:
        return bool(one) if isinstance(one, str) else getattr(one, "kind", "") == "asset"

    if isinstance(value, (list, tuple)) and all(map(is_dep, value)):
        return tuple(dict.fromkeys(value))
    return _wrong("a list of assets or keys of assets, such as ['users', 'crm.customers']")


def _outputs(value: Any) -> Any:
    from airflow_provider.definitions.asset_def import AssetDef

    given = list(value) if isinstance(value, (list, tuple)) else [None]
    found = tuple(AssetDef(one) if isinstance(one, str) else one for one in given)
    return found if all(isinstance(one, AssetDef) for one in found) else _wrong("a list of ap.AssetDef('name', ...)")


def _path(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, os.PathLike)) else _wrong("the path of a file")


def _flag(value: Any) -> Any:
    return value if isinstance(value, bool) else _wrong("True or False")


def _one_of(*choices: str) -> Callable[[Any], Any]:
    return lambda value: value if value in choices else _wrong(" or ".join(map(repr, choices)))


class _WrongError(Exception):
    """What a setting takes instead of what it was given."""


def _wrong(wanted: str) -> Any:
    raise _WrongError(wanted)


CHECKS: dict[str, Callable[[Any], Any]] = {
    "key": _key,
    "name": _text,
    "icon": _text,
    "description": _text,
    "tags": _tags,
    "schema": _schema,
    "partitioning": _partitioning,
    "airflow": _task_options,
    "stray_rows": _one_of("error", "drop"),
    "on_empty": _one_of("keep", "replace", "fail"),
    "code_version": _text,
    "deps": _deps,
    "outputs": _outputs,
    "relations": _relations,
    "dialect": _text,
    "discriminator": _text,
    "table_name": _text,
    "env_prefix": _text,
    "env_file": _path,
    "sensitive": _flag,
}


def check_settings(cls: type, names: Iterable[str], *, where: str) -> None:
    """Bring the settings among ``names`` that the body of ``cls`` makes into their canonical form.

    Raises:
        DefinitionError: One is not what it should be.
    """
    for name in [name for name in names if name in vars(cls)]:
        value = checked(name, vars(cls)[name], where=where)
        if value is not vars(cls)[name]:
            setattr(cls, name, value)


def checked(name: str, value: Any, *, where: str) -> Any:
    """``value`` of class setting ``name`` in its canonical form.

    Raises:
        DefinitionError: It is not what the setting takes.
    """
    check = CHECKS.get(name)
    if check is None:
        return value
    try:
        return check(value)
    except (_WrongError, TypeError) as error:
        if isinstance(error, DefinitionError):
            raise
        wanted = error.args[0] if isinstance(error, _WrongError) else "a list of texts"
        raise DefinitionError(f"{name}={value!r}", where=where, fix=f"give {wanted}") from None
