"""What one column is: its name, the Python type of its values, and whether it may be null.

A field is read from an annotation. The rule is that an annotation either means exactly one column type or is
refused when the class is defined: nothing is guessed at run time. Pydantic, pyarrow and the like are recognised
without being imported, for whoever uses them in an annotation has imported them already.
"""

import datetime as dt
import enum
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import MISSING as DATACLASS_MISSING
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin
from uuid import UUID

from airflow_provider.errors import DefinitionError
from airflow_provider.schema.loaded import loaded

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.schema.schema import Schema


class _Missing(enum.Enum):
    MISSING = "no default"


MISSING: Final = _Missing.MISSING

NONE_TYPE: Final = type(None)
SCALARS: Final = (
    bool, int, float, str, bytes, dt.date, dt.datetime, dt.time, dt.timedelta, Decimal, UUID, NONE_TYPE,
)  # fmt: skip
_SUPPORTED = (
    "bool, int, float, str, bytes, date, datetime, time, timedelta, Decimal, UUID, Enum, Literal, list[T], "
    "dict[str, T], another Schema, or Any"
)


@dataclass(frozen=True)
class FieldSpec:
    """One column.

    Attributes:
        name: Name of the column, any text.
        type: Type of one value: a scalar type, ``dict``, an Enum, a ``Literal``, a record class (then ``fields`` says
            what it holds), ``NoneType`` (only nulls were seen) or ``Any``.
        nullable: Whether a value may be None.
        repeated: Whether a value is a list of ``type``.
        fields: The columns of a nested record, in order.
        description: What the column means, for catalogues.
        default: Value of a row that lacks the column, or ``MISSING``.
        default_factory: Makes the default, where each row needs its own.
        items_nullable: Whether the items of a list may be None.
        arrow_type: Arrow type of one value where it is not the usual one of ``type``.
    """

    name: str
    type: Any
    nullable: bool = False
    repeated: bool = False
    fields: "tuple[FieldSpec, ...]" = ()
    description: str | None = None
    default: Any = MISSING
    default_factory: Callable[[], Any] | None = None
    items_nullable: bool = False
    arrow_type: "pa.DataType | None" = None

    @property
    def has_default(self) -> bool:
        """Whether a row may leave the column out."""
        return self.default is not MISSING or self.default_factory is not None

    def make_default(self) -> Any:
        """A fresh default value, so that no two rows share a list."""
        return self.default_factory() if self.default_factory is not None else deepcopy(self.default)

    @property
    def item(self) -> "FieldSpec":
        """The spec of one item of a repeated field."""
        return replace(self, name="item", repeated=False, nullable=self.items_nullable, default=MISSING)

    @property
    def choices(self) -> tuple[Any, ...] | None:
        """The values an Enum or ``Literal`` allows; None for any other type."""
        if get_origin(self.type) is Literal:
            return get_args(self.type)
        return _member_values(self.type) if isinstance(self.type, enum.EnumMeta) else None

    @property
    def base_type(self) -> Any:
        """The type values are stored as: that of the choices of an Enum or a ``Literal``, else ``type``."""
        return self.type if self.choices is None else type(self.choices[0])

    @property
    def type_name(self) -> str:
        """The type in words, for messages and fingerprints: ``list[int]``, ``struct<a: int, b: str | null>``."""
        if self.fields:
            inner = ", ".join(
                f"{spec.name}: {spec.type_name}{' | null' if spec.nullable else ''}" for spec in self.fields
            )
            name = f"struct<{inner}>"
        elif self.choices is not None:
            name = f"one of {', '.join(map(repr, self.choices))}"
        else:
            name = "null" if self.type is NONE_TYPE else getattr(self.type, "__name__", str(self.type))
        if self.arrow_type is not None:
            name = f"{name} ({self.arrow_type})"
        return f"list[{name}{' | null' if self.items_nullable else ''}]" if self.repeated else name


def _member_values(kind: Any) -> tuple[Any, ...]:
    return tuple(member.value for member in kind)


def field_from_annotation(name: Any, annotation: Any, *, where: str, default: Any = MISSING) -> FieldSpec:
    """Read one field from its annotation.

    Args:
        name: Name of the column.
        annotation: A resolved annotation; no strings.
        where: The schema, for the error.
        default: Value given in the class body: a plain default or a ``pydantic.Field``.

    Raises:
        DefinitionError: The annotation has no one column type.
    """
    place = f"{where}, field {name!r}"
    if not isinstance(name, str) or not name:
        raise DefinitionError(f"a column name is text, not {name!r}", where=where, fix="give the column a name")
    spec = _read(FieldSpec(name, Any), annotation, place)
    if _is_field_info(default):
        return _with_field_info(spec, default, place)
    return spec if default is MISSING else replace(spec, default=default)


def _read(spec: FieldSpec, annotation: Any, place: str) -> FieldSpec:
    """Return ``spec`` with what ``annotation`` says of the type."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _with_metadata(_read(spec, args[0], place), args[1:], place)
    if origin in (Union, types.UnionType):
        return _read_union(spec, args, place)
    if origin is Literal:
        return _read_literal(spec, args, place)
    if annotation is list or origin in (list, Sequence):
        return _read_list(spec, args[0] if args else Any, place)
    if annotation is dict or origin in (dict, Mapping):
        if args and args[0] is not str:
            raise _unsupported(annotation, place)
        return replace(spec, type=dict)
    if isinstance(annotation, typing.NewType):
        return _read(spec, annotation.__supertype__, place)
    return _read_class(spec, annotation, place)


def _read_class(spec: FieldSpec, annotation: Any, place: str) -> FieldSpec:
    if annotation is Any:
        return replace(spec, type=Any, nullable=True)
    if annotation is None or annotation is NONE_TYPE:
        return replace(spec, type=NONE_TYPE, nullable=True)
    if annotation in SCALARS:
        return replace(spec, type=annotation)
    if isinstance(annotation, enum.EnumMeta):
        kinds = {type(value) for value in _member_values(annotation)}
        if kinds in ({str}, {int}):
            return replace(spec, type=annotation)
        raise _unsupported(annotation, place, "use an Enum whose values are all str or all int")
    if is_record_class(annotation):
        nested = record_fields(annotation, where=place)
        if not nested:
            raise _unsupported(annotation, place, "give the nested record a field")
        return replace(spec, type=annotation, fields=nested)
    raise _unsupported(annotation, place)


def _read_union(spec: FieldSpec, args: tuple[Any, ...], place: str) -> FieldSpec:
    members = [arg for arg in args if arg is not NONE_TYPE]
    if set(members) == {int, float}:
        members = [float]
    if len(members) != 1:
        raise _unsupported(Union[args], place, "choose one type, or Any for a column of mixed values")  # noqa: UP007
    inner = _read(spec, members[0], place)
    return replace(inner, nullable=inner.nullable or NONE_TYPE in args)


def _read_literal(spec: FieldSpec, args: tuple[Any, ...], place: str) -> FieldSpec:
    values = tuple(arg for arg in args if arg is not None)
    if {type(value) for value in values} not in ({str}, {int}):
        raise _unsupported(Literal[args], place, "use a Literal of only str or only int values")
    return replace(spec, type=Literal[values], nullable=None in args)


def _read_list(spec: FieldSpec, item: Any, place: str) -> FieldSpec:
    inner = _read(FieldSpec("item", Any), item, place)
    if inner.repeated:
        raise _unsupported(list[item], place, "nest a Schema in the list, or use Any")
    return replace(
        spec,
        type=inner.type,
        fields=inner.fields,
        repeated=True,
        items_nullable=inner.nullable,
        arrow_type=inner.arrow_type,
    )


def _with_metadata(spec: FieldSpec, metadata: tuple[Any, ...], place: str) -> FieldSpec:
    """Apply what stands in ``Annotated``; notes meant for other tools are left alone."""
    for note in metadata:
        if _is_field_info(note):
            spec = _with_field_info(spec, note, place)
        elif _is_arrow_type(note):
            spec = replace(spec, arrow_type=note)
        elif type(note).__module__.partition(".")[0] == "annotated_types":
            raise _constraint(note, place)
    return spec


def _with_field_info(spec: FieldSpec, info: Any, place: str) -> FieldSpec:
    if info.metadata:
        raise _constraint(info.metadata[0], place)
    if info.alias is not None:
        raise DefinitionError(
            f"Field(alias={info.alias!r}) is not supported",
            where=place,
            fix="name the field as the column, or use Schema.from_fields for a name that is no identifier",
        )
    return _described(spec, info)


def _described(spec: FieldSpec, info: Any) -> FieldSpec:
    """Take description and default from a pydantic FieldInfo."""
    default = MISSING if type(info.default).__name__ == "PydanticUndefinedType" or info.default is ... else info.default
    return replace(
        spec,
        description=info.description or spec.description,
        default=spec.default if default is MISSING else default,
        default_factory=info.default_factory or spec.default_factory,
    )


def _is_field_info(value: Any) -> bool:
    return isinstance(value, loaded("pydantic.fields", "FieldInfo"))


def _is_arrow_type(value: Any) -> bool:
    return isinstance(value, loaded("pyarrow", "DataType"))


def _constraint(note: Any, place: str) -> DefinitionError:
    return DefinitionError(
        f"the constraint {note!r} would not be enforced",
        where=place,
        fix="state it as a check of the asset; a schema says names, types and nullability only",
    )


def _unsupported(annotation: Any, place: str, fix: str = f"use {_SUPPORTED}") -> DefinitionError:
    name = annotation.__name__ if isinstance(annotation, type) and not get_args(annotation) else str(annotation)
    return DefinitionError(f"the annotation {name} has no column type", where=place, fix=fix)


def is_schema(kind: Any) -> "typing.TypeGuard[type[Schema]]":
    """Whether ``kind`` is a Schema class."""
    return isinstance(kind, type) and type(kind).__name__ == "SchemaMeta"


def is_record_class(kind: Any) -> bool:
    """Whether ``kind`` describes records: a Schema, pydantic model, dataclass or TypedDict class."""
    if not isinstance(kind, type):
        return False
    return is_schema(kind) or any(hasattr(kind, mark) for mark in _RECORD_MARKS)


_RECORD_MARKS = ("model_fields", "__dataclass_fields__", "__total__")


def record_fields(kind: Any, *, where: str) -> tuple[FieldSpec, ...]:
    """Read the fields of a record class.

    Of a pydantic model the types, defaults and descriptions are taken; its validators, constraints and aliases are not.

    Raises:
        DefinitionError: A field has no column type, or the class holds itself.
    """
    if is_schema(kind):
        return kind.field_specs()
    try:
        hints = typing.get_type_hints(kind, include_extras=True)
        return tuple(
            _record_field(kind, name, hint, where) for name, hint in hints.items() if _is_column(kind, name, hint)
        )
    except RecursionError:
        raise DefinitionError(f"{kind.__name__} holds itself", where=where, fix="type the inner field as Any") from None
    except NameError as error:
        fix = "import the name at module level, or give the annotation unquoted"
        raise DefinitionError(f"{kind.__name__}: {error}", where=where, fix=fix) from error


def _is_column(kind: Any, name: str, hint: Any) -> bool:
    if hasattr(kind, "model_fields"):
        return name in kind.model_fields
    return get_origin(hint) is not typing.ClassVar and hint is not typing.ClassVar


def _record_field(kind: Any, name: str, hint: Any, where: str) -> FieldSpec:
    origin = getattr(get_origin(hint), "__name__", None) or str(get_origin(hint))
    optional_key = hasattr(kind, "__total__") and name in getattr(kind, "__optional_keys__", ())
    if origin.rpartition(".")[2] in ("Required", "NotRequired", "ReadOnly"):
        hint = get_args(hint)[0]
    if hasattr(kind, "model_fields"):
        info = kind.model_fields[name]
        return _described(field_from_annotation(name, info.annotation, where=where), info)
    spec = field_from_annotation(name, hint, where=where)
    if hasattr(kind, "__dataclass_fields__"):
        return _with_dataclass_default(spec, kind)
    return replace(spec, nullable=True, default=None) if optional_key else spec


def _with_dataclass_default(spec: FieldSpec, kind: Any) -> FieldSpec:
    field = next(field for field in dataclass_fields(kind) if field.name == spec.name)
    if field.default_factory is not DATACLASS_MISSING:
        return replace(spec, default_factory=field.default_factory)
    return spec if field.default is DATACLASS_MISSING else replace(spec, default=field.default)
