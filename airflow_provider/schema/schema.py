"""A schema names the columns of an asset's rows, their types, and which of them may be null.

It is written as a class with annotations. It is not a pydantic model, so a column may have any name: ``schema``,
``copy``, ``json``, ``fields`` or ``_id`` are columns like others and hide nothing of the class.
"""

import contextlib
import hashlib
import inspect
import sys
import typing
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from airflow_provider.errors import DefinitionError, SchemaError
from airflow_provider.schema.fields import (
    MISSING,
    FieldSpec,
    field_from_annotation,
    is_record_class,
    is_schema,
    record_fields,
)
from airflow_provider.schema.scope import locals_around

if TYPE_CHECKING:
    import pyarrow as pa


class SchemaMeta(type):
    """Reads the fields of a Schema class, at once where its annotations can be resolved, else on first use."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> "SchemaMeta":
        """Take the defaults out of the class body, so that no column hides a method."""
        cls = super().__new__(mcs, name, bases, namespace)
        annotations = _own_annotations(cls)
        if bases:
            _refuse_unannotated(cls, annotations)
        cls._schema_names = tuple(annotations)
        cls._schema_defaults = {column: cls.__dict__[column] for column in annotations if column in cls.__dict__}
        for column in cls._schema_defaults:
            type.__delattr__(cls, column)
        cls._schema_own = None
        cls._schema_scope = locals_around(cls.__qualname__, cls.__module__)
        with contextlib.suppress(NameError):  # a name that is defined further down: resolved on first use
            cls._resolve()
            cls._schema_scope = {}
        return cls

    _schema_names: tuple[str, ...]
    _schema_defaults: dict[str, Any]
    _schema_own: tuple[FieldSpec, ...] | None
    _schema_scope: dict[str, Any]

    def _resolve(cls) -> tuple[FieldSpec, ...]:
        """The fields of this class's own body, without those of its bases."""
        if cls._schema_own is None:
            where = f"schema {cls.__name__!r}"
            scope = {**cls._schema_scope, cls.__name__: _HoldsItself}
            hints = typing.get_type_hints(cls, localns=scope, include_extras=True)
            cls._schema_own = tuple(
                field_from_annotation(name, hints[name], where=where, default=cls._schema_defaults.get(name, MISSING))
                for name in cls._schema_names
                if typing.get_origin(hints[name]) is not ClassVar and hints[name] is not ClassVar
            )
        return cls._schema_own

    def _specs(cls) -> tuple[FieldSpec, ...]:
        """All fields, those of the bases first; a class overrides a field of its base in place."""
        merged: dict[str, FieldSpec] = {}
        for base in reversed(cls.__mro__):
            if isinstance(base, SchemaMeta):
                merged.update((spec.name, spec) for spec in base._resolve())
        return tuple(merged.values())


class _HoldsItself:
    """Stands for a class inside its own body; no column type, so that it is refused there."""


def _own_annotations(cls: type) -> Mapping[str, Any]:
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(cls)


def _refuse_unannotated(cls: type, annotations: Mapping[str, Any]) -> None:
    for name, value in vars(cls).items():
        if name.startswith("__") or name in annotations or callable(value) or hasattr(type(value), "__get__"):
            continue
        raise DefinitionError(
            f"{name} = {type(value).__name__}(...) has no annotation",
            where=f"schema {cls.__name__!r}",
            fix=f"write `{name}: {type(value).__name__} = ...` for a column with a default",
        )


class Schema(metaclass=SchemaMeta):
    """Columns of a table, declared by annotations.

    ::

        class Flights(Schema):
            date: dt.date
            carrier: Annotated[str, pydantic.Field(description="IATA code")]
            dep_delay: float | None
            tags: list[str] = []

    An instance is one row: its values are attributes, it compares by value, and it is not changed once made. Values
    are not validated here but when the asset's data is conformed.

    Raises:
        DefinitionError: At definition, an annotation that has no column type.
        SchemaError: An instance with an unknown field, or without one that has no default.
    """

    def __init__(self, /, **values: Any) -> None:
        specs = {spec.name: spec for spec in type(self).field_specs()}
        _check_names(type(self).__name__, specs, values)
        row = {name: values[name] if name in values else _absent(spec) for name, spec in specs.items()}
        # The instance's dict comes before the methods of the class: a column named `arrow` reads as its value.
        vars(self).update(row)

    def as_row(self) -> dict[str, Any]:
        """The values as a row, in the order of the fields."""
        return dict(vars(self))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a row of {type(self).__name__} is not changed once made: build another one")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    @classmethod
    def field_specs(cls) -> tuple[FieldSpec, ...]:
        """The fields in declaration order, those of base schemas first.

        Raises:
            DefinitionError: A quoted annotation names something that does not exist.
        """
        try:
            return cls._specs()
        except NameError as error:
            raise DefinitionError(
                f"an annotation cannot be resolved: {error}",
                where=f"schema {cls.__name__!r}",
                fix="import the name in the module of the schema (not under TYPE_CHECKING)",
            ) from error

    @classmethod
    def arrow(cls) -> "pa.Schema":
        """The Arrow form: int64, float64, string, date32, timestamp[us, UTC], decimal128(38, 9), struct, list, ...

        What Arrow has no type for travels as text and is marked in the field's metadata, so that reading gives back
        what was written: ``dict`` and ``Any`` as JSON, ``UUID`` as its usual form.
        """
        from airflow_provider.schema.arrow_types import arrow_schema

        return arrow_schema(cls.field_specs())

    @classmethod
    def fingerprint(cls) -> str:
        """Names, types and nullability as 16 hex digits; the same for any order of the columns, in any process."""
        lines = sorted(
            f"{spec.name!r}: {spec.type_name}{' | null' if spec.nullable else ''}" for spec in cls.field_specs()
        )
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    @staticmethod
    def from_fields(name: str, fields: Mapping[str, Any]) -> "type[Schema]":
        """Make a schema from ``{column: annotation}`` or ``{column: (annotation, default)}``; any column name will do.

        Raises:
            DefinitionError: An annotation that has no column type.
        """
        where = f"schema {name!r}"
        pairs = {column: value if isinstance(value, tuple) else (value, MISSING) for column, value in fields.items()}
        return schema_from_specs(
            name,
            [field_from_annotation(column, pair[0], where=where, default=pair[1]) for column, pair in pairs.items()],
        )

    @staticmethod
    def from_arrow(schema: "pa.Schema", name: str = "Schema") -> "type[Schema]":
        """Make a schema from an Arrow one. Widths, units and zones of the Arrow types are kept."""
        from airflow_provider.schema.arrow_types import specs_from_arrow

        return schema_from_specs(name, specs_from_arrow(schema))

    @staticmethod
    def infer(data: Any, name: str = "Inferred") -> "type[Schema]":
        """Read the schema off the data; see ``airflow_provider.schema.infer``.

        Raises:
            SchemaError: The data has no columns, or is not tabular.
        """
        from airflow_provider.schema.infer import infer

        return infer(data, name=name)


def _check_names(schema: str, specs: Mapping[str, FieldSpec], values: Mapping[str, Any]) -> None:
    unknown = [name for name in values if name not in specs]
    missing = [name for name, spec in specs.items() if name not in values and not (spec.has_default or spec.nullable)]
    if unknown or missing:
        verb, names = ("unknown", unknown) if unknown else ("missing", missing)
        raise SchemaError(
            f"{verb} field(s): {', '.join(map(repr, names[:10]))}",
            where=f"schema {schema!r}",
            fix=f"the fields are {', '.join(specs) or 'none'}",
        )


def _absent(spec: FieldSpec) -> Any:
    return spec.make_default() if spec.has_default else None


def schema_from_specs(name: str, specs: "typing.Iterable[FieldSpec]") -> type[Schema]:
    """Make a schema class that has exactly these fields."""
    cls = SchemaMeta(name, (Schema,), {"__module__": __name__, "__doc__": f"Schema {name}, made from its fields."})
    cls._schema_own = tuple(specs)
    return typing.cast("type[Schema]", cls)


def coerce_schema(kind: Any, *, where: str = "schema") -> type[Schema]:
    """Accept a Schema, pydantic model, dataclass or TypedDict class as a schema.

    Of a pydantic model the field types, defaults and descriptions are taken; its validators and constraints are not
    run.

    Raises:
        DefinitionError: Another kind of object, an instance, or a field that has no column type.
    """
    if is_schema(kind):
        return kind
    if not is_record_class(kind):
        shown = f"the class {kind.__name__}" if isinstance(kind, type) else f"a value of type {type(kind).__name__}"
        raise DefinitionError(
            f"{shown} is not a schema",
            where=where,
            fix="pass a class: a Schema, a pydantic model, a dataclass or a TypedDict",
        )
    return schema_from_specs(kind.__name__, record_fields(kind, where=f"{where}, {kind.__name__}"))


def nullable_specs(specs: "typing.Iterable[FieldSpec]") -> Iterator[FieldSpec]:
    """The same fields, all nullable: what was seen in some rows says nothing of the others."""
    return (replace(spec, nullable=True) for spec in specs)
