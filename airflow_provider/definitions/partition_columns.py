"""How a definition says its partitioning, and what its schema must have for it: rows are conformed before sliced."""

import datetime as dt
from decimal import Decimal
from typing import Any

from airflow_provider.errors import DefinitionError
from airflow_provider.partitioning import MANAGED_COLUMN, PartitionConfig
from airflow_provider.schema import Schema
from airflow_provider.schema.fields import FieldSpec
from airflow_provider.schema.schema import SchemaMeta

_NAMES_NO_TIME = (float, bool, bytes, dict)
_NAMES_NO_VALUE = (float, bool, bytes, dict, Decimal, dt.datetime, dt.time, dt.timedelta)


def settle_synonym(cls: Any, *, where: str) -> None:
    """Have ``partitions``, which a class may say instead of ``partitioning``, always be the same.

    Raises:
        DefinitionError: The class says both.
    """
    own = [name for name in ("partitioning", "partitions") if name in vars(cls)]
    if len(own) > 1:
        raise DefinitionError("partitioning and partitions say the same", where=where, fix="give partitioning only")
    if own == ["partitions"]:
        cls.partitioning = cls.partitions
    elif own:
        cls.partitions = cls.partitioning


def with_partition_columns(schema: type[Schema], partitioning: PartitionConfig, *, where: str) -> type[Schema]:
    """The schema, checked; with the column ``_partition`` where the package keeps it and the schema lacks it.

    Raises:
        DefinitionError: A partition column is not there, or of a type whose values name no partition.
    """
    try:
        specs = {spec.name: spec for spec in schema.field_specs()}
    except DefinitionError:  # an annotation that names what is defined further down: told on first use
        return _with_key(schema) if partitioning.is_managed else schema
    if partitioning.is_managed and MANAGED_COLUMN not in specs:
        return _with_key(schema)
    for column in partitioning.columns:
        is_time = partitioning.time is not None and partitioning.time.column == column
        _check(schema, specs, column, where, is_time=is_time)
    return schema


def _with_key(schema: type[Schema]) -> type[Schema]:
    """A subclass of the schema that has the column, last."""
    if any(MANAGED_COLUMN in getattr(base, "_schema_names", ()) for base in schema.__mro__):
        return schema
    body = {"__module__": schema.__module__, "__qualname__": schema.__qualname__, "__doc__": schema.__doc__}
    keyed = SchemaMeta(schema.__name__, (schema,), body)
    keyed._schema_own = (FieldSpec(MANAGED_COLUMN, str, nullable=True),)
    return keyed  # type: ignore[return-value]  # its bases make it a Schema


def _check(schema: type[Schema], specs: dict[str, FieldSpec], column: str, where: str, *, is_time: bool) -> None:
    spec = specs.get(column)
    if spec is None:
        raise DefinitionError(
            f"schema {schema.__name__!r} has no partition column {column!r}, so no row could be placed",
            where=where,
            fix=f"add {column!r} to the schema, or partition by one of {', '.join(specs)}",
        )
    if spec.repeated or spec.type in (_NAMES_NO_TIME if is_time else _NAMES_NO_VALUE):
        raise DefinitionError(
            f"the partition column {column!r} is a {spec.type_name} in schema {schema.__name__!r}",
            where=where,
            fix="declare it as date, datetime or str" if is_time else "declare it as str",
        )
