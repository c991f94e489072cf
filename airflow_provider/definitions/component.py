"""The base of everything a user declares: keyed, configurable, joined to other components by relations.

Classes are frozen definitions; instances can be bound and reconfigured until a DAG is built from them, and calling one
gives a reconfigured copy. A field of a component class is a pydantic field; an annotation that names a component class
is a relation. Unset inherited fields and unbound relations are read through the owner on every read.
"""

import inspect
import re
import types
import typing
import uuid
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError
from typing_extensions import Self

from airflow_provider.definitions.annotations import annotated_names, resolved_annotation, scope_of_text
from airflow_provider.definitions.relation import Relation, relation_from
from airflow_provider.definitions.settings import check_settings
from airflow_provider.definitions.validation import config_error, set_defaults
from airflow_provider.errors import ConfigError, DefinitionError

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")


def snake_case(name: str) -> str:
    """``CSVDestination`` -> ``csv_destination``."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


class IgnoredDescriptor:
    """Base of descriptors that pydantic must not take for fields."""


class InheritedField(IgnoredDescriptor):
    """A field that is read through the owner while it is None."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: "Component | None", owner: type) -> Any:
        if instance is None:
            raise AttributeError(self.name)
        value = instance.__dict__.get(self.name)
        if value is None or value == "":
            parent = instance.owner
            return None if parent is None else getattr(parent, self.name, None)
        return value

    def __set__(self, instance: "Component", value: Any) -> None:
        instance.__dict__[self.name] = value


class RelationSlot(IgnoredDescriptor):
    """Reads what is bound to a relation: on the class the declaration, on an instance the targets."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation

    def __get__(self, instance: "Component | None", owner: type) -> Any:
        if instance is None:
            return self.relation
        targets = instance.targets(self.relation.name)
        if self.relation.many:
            return list(targets)
        return targets[0] if targets else instance._lent.get(self.relation.name)

    def __set__(self, instance: "Component", value: Any) -> None:
        instance.assign(self.relation.name, value)


def _refuse_instances(cls_name: str, namespace: Mapping[str, Any], annotated: set[str]) -> None:
    """An instance in a class body would be shared by all instances of the class, and is none of its fields."""
    for attribute, value in namespace.items():
        if isinstance(type(value), ComponentMeta) and attribute not in annotated:
            raise DefinitionError(
                f"{attribute} is an instance of {type(value).__name__}; a class body holds definitions",
                where=f"class {cls_name}",
                fix=f"write {attribute} = {type(value).__name__} without a call, or pass it when constructing",
            )


class ComponentMeta(ModelMetaclass):
    """Keeps class settings apart from fields, and dispatches a positional call on a base class."""

    if TYPE_CHECKING:
        kind: str
        key: str
        relations: dict[str, Relation]
        __pydantic_fields__: dict[str, Any]
        _field_defaults: dict[str, Any]

        def from_positional(cls, *args: Any, **kwargs: Any) -> Any:
            """See ``Component``."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> Any:
        """Make the class; a field of a base class that the body sets without annotation becomes a default."""
        defaults: dict[str, Any] = {}
        field_names = {field for base in bases for field in getattr(base, "__pydantic_fields__", ())}
        annotated = annotated_names(namespace)
        _refuse_instances(name, namespace, annotated)
        for attribute in field_names & set(namespace):
            value = namespace[attribute]
            if isinstance(value, ComponentMeta):
                raise DefinitionError(
                    f"{value.kind} key {attribute!r} is taken by the source itself",
                    where=f"source {name}",
                    fix=f"rename the {value.kind}, or give it another key=",
                )
            if attribute not in annotated and not isinstance(value, IgnoredDescriptor):
                defaults[attribute] = namespace.pop(attribute)
        scope = scope_of_text(namespace)
        if scope:  # pydantic would look for the names in the frame that calls it, which is this one
            namespace["__pydantic_parent_namespace__"] = scope
            kwargs["__pydantic_reset_parent_namespace__"] = False
        cls: Any = super().__new__(mcs, name, bases, namespace, **kwargs)
        inherited: dict[str, Any] = {}
        for base in reversed(cls.__mro__[1:]):
            inherited.update(getattr(base, "_field_defaults", {}))
        cls._field_defaults = inherited
        if defaults:
            set_defaults(cls, defaults, where=f"{cls.kind} {cls.key!r}")
        return cls

    @property
    def __signature__(cls) -> inspect.Signature:
        """Fields and relations as keywords, the same before and after pydantic has built the class."""
        empty, keyword = inspect.Parameter.empty, inspect.Parameter.KEYWORD_ONLY
        fields = {
            name: cls._field_defaults.get(name, empty if field.is_required() else field.default)
            for name, field in cls.__pydantic_fields__.items()
        }
        given = fields | dict.fromkeys(cls.relations)
        return inspect.Signature([inspect.Parameter(name, keyword, default=given[name]) for name in given])

    @__signature__.setter
    def __signature__(cls, value: Any) -> None:
        """Pydantic's own has no relations."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make an instance; a component takes keywords only, unless its class has a positional form."""
        if args:
            return cls.from_positional(*args, **kwargs)
        return super().__call__(**kwargs)


class Component(BaseModel, metaclass=ComponentMeta):
    """Base class of assets, sources, destinations, configs, connections and resources."""

    model_config = ConfigDict(
        arbitrary_types_allowed=True,
        ignored_types=(IgnoredDescriptor, Relation, ComponentMeta),
        defer_build=True,
        extra="forbid",
        validate_assignment=True,
    )

    kind: ClassVar[str] = "resource"
    key: ClassVar[str] = ""
    name: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    tags: ClassVar[Any] = []
    description: ClassVar[str] = ""
    relations: ClassVar[dict[str, Relation]] = {}
    inherited_fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}
    _undecided: ClassVar[dict[str, Any]] = {}

    id: str = ""

    _bindings: dict[str, tuple["Component", ...]] = PrivateAttr(default_factory=dict)
    _owner: "Component | None" = PrivateAttr(default=None)
    _lent: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Turn annotations of component classes into relations, and fill the class settings that were left out."""
        super().__pydantic_init_subclass__(**kwargs)
        check_settings(cls, {*class_settings(cls), "relations"}, where=f"{cls.kind} {cls.__name__}")
        if not cls.__dict__.get("key"):
            cls.key = snake_case(cls.__name__)
        if not _KEY.fullmatch(cls.key):
            raise DefinitionError(
                f"key {cls.key!r} is not a valid name",
                where=f"{cls.kind} {cls.__name__}",
                fix="use letters, digits and _, not starting with a digit, at most 200 characters",
            )
        if "description" not in cls.__dict__:
            cls.description = inspect.cleandoc(cls.__dict__.get("__doc__") or "")
        declared = _relations_from_fields(cls)
        own = cls.__dict__.get("relations") or {}
        cls.relations = _merged_relations(cls, declared, own)
        for name in cls.relations:
            if not isinstance(cls.__dict__.get(name), RelationSlot):
                setattr(cls, name, RelationSlot(cls.relations[name]))
        for name in cls.inherited_fields:
            if name not in cls.__dict__ and name in cls.__pydantic_fields__:
                setattr(cls, name, InheritedField(name))

    @classmethod
    def from_positional(cls, *args: Any, **kwargs: Any) -> Any:
        """Refuse positional arguments; a base class with a positional form overrides this."""
        raise DefinitionError(
            f"takes keywords only, {len(args)} positional argument(s) given",
            where=f"{cls.kind} {cls.__name__}",
            fix=f"name each argument: {', '.join(sorted({*cls.__pydantic_fields__, *cls.relations} - {'id'}))}",
        )

    def __init__(self, **data: Any) -> None:
        _refuse_late_relations(type(self))
        fields, bindings = self._split(data, "got unexpected keyword argument(s)")
        try:
            super().__init__(**{**type(self)._field_defaults, **fields})
        except ValidationError as error:
            raise config_error(self, error) from None
        self.__pydantic_fields_set__.update(fields)
        for name, value in bindings.items():
            self.assign(name, value)

    def model_post_init(self, context: Any, /) -> None:
        """Give the instance an id when it has none."""
        if not self.id:
            self.__dict__["id"] = str(uuid.uuid4())

    def __call__(self, **changes: Any) -> Self:
        """A reconfigured copy with the same id and owner; None clears a relation or inherits a setting again."""
        fields, bindings = self._split(changes, "has no field or relation named")
        copy = type(self)(**{**self._given(), "id": self.id, **fields})
        copy._owner = self._owner
        copy._bindings = dict(self._bindings)
        for name, value in bindings.items():
            copy.assign(name, value)
        return copy

    def _given(self) -> dict[str, Any]:
        """The fields that were set on this instance, as they were given."""
        return {name: self.__dict__[name] for name in self.__pydantic_fields_set__ if name in self.__dict__}

    def _split(self, data: dict[str, Any], complaint: str) -> tuple[dict[str, Any], dict[str, Any]]:
        cls = type(self)
        fields = {name: value for name, value in data.items() if name in cls.__pydantic_fields__}
        bindings = {name: value for name, value in data.items() if name in cls.relations and name not in fields}
        unknown = sorted(set(data) - set(fields) - set(bindings))
        if unknown:
            known = sorted({*cls.__pydantic_fields__, *cls.relations})
            raise DefinitionError(
                f"{complaint}: {', '.join(unknown)}",
                where=f"{cls.kind} {cls.key!r}",
                fix=f"use one of {', '.join(known)}",
            )
        return fields, bindings

    @classmethod
    def filled_by_itself(cls, *, where: str) -> "Component | None":
        """An instance that needs nothing of anybody, or None; resources fill themselves from the environment."""
        return None

    def for_run(self) -> "Component":
        """The component as a run is given it; resources look up what they need."""
        return self

    @property
    def owner(self) -> "Component | None":
        """The component that holds this one (an asset's source), or None."""
        return self._owner

    @property
    def instance_key(self) -> str:
        """The key, made distinct where several instances of one class stand side by side; see ``Source``."""
        return self.key

    @property
    def qualified_key(self) -> str:
        """``source.key``, or the bare key of a component that stands alone."""
        return f"{self._owner.instance_key}.{self.key}" if self._owner is not None else self.instance_key

    @property
    def label(self) -> str:
        """Kind and qualified key, for messages: ``asset 'shop.orders'``."""
        return f"{self.kind} {self.qualified_key!r}"

    def bound(self, name: str) -> tuple["Component", ...]:
        """What is bound to relation ``name`` on this very instance, first to last."""
        self._relation(name)
        return self._bindings.get(name, ())

    def targets(self, name: str) -> tuple["Component", ...]:
        """What is bound to relation ``name`` here, else what the owner holds under that name and this one accepts."""
        relation = self._relation(name)
        own = self._bindings.get(name, ())
        if own or self.owner is None or name not in type(self.owner).relations:
            return own
        return tuple(t for t in self.owner.targets(name) if relation.mismatch(t, self) is None)

    def bind(self, name: str, *targets: "Component") -> None:
        """Add ``targets`` to a many-valued relation, or set the one of a single-valued relation.

        Raises:
            ConfigError: A target of the wrong kind, class or key, or several for a single-valued relation. What was
                bound before stays.
            KeyError: There is no such relation.
        """
        relation = self._relation(name)
        if not targets:
            return
        self._check(relation, targets)
        kept = self._bindings.get(name, ()) if relation.many else ()
        self._bindings[name] = _unique((*kept, *targets))

    def unbind(self, name: str, *targets: "Component") -> None:
        """Take ``targets`` off a relation; those that are not bound to it are passed over.

        Raises:
            ConfigError: It would leave a relation empty that must be filled; see ``assign``.
            KeyError: There is no such relation.
        """
        relation = self._relation(name)
        left = tuple(t for t in self._bindings.get(name, ()) if all(t is not gone for gone in targets))
        if not left:
            self._refuse_emptying(relation)
        self._bindings[name] = left

    def assign(self, name: str, value: Any) -> None:
        """Replace what is bound to relation ``name``; None or an empty list clears it.

        What was never bound may be cleared, and so may a component with an owner, through which it reads then.

        Raises:
            ConfigError: A target that does not fit, or none for one that must be filled. What was bound before stays.
        """
        relation = self._relation(name)
        targets = _as_targets(value)
        if targets:
            self._check(relation, targets)
        else:
            self._refuse_emptying(relation)
        self._bindings[name] = _unique(targets)

    def resolve(self, name: str) -> "Component | list[Component] | None":
        """What a run is given for relation ``name``: what is bound, else ``Relation.fallback``, else None.

        A fallback is made anew and never bound; a many-valued relation has none.

        Raises:
            ConfigError: The environment fills a part of it only, or with a value that does not fit.
        """
        relation = self._relation(name)
        targets = self.targets(name)
        if relation.many:
            return list(targets)
        return targets[0] if targets else relation.fallback(where=self.label)

    def lend(self, name: str, target: "Component") -> None:
        """Have ``self.<name>`` read ``target`` while nothing is bound; for fallbacks, in the worker."""
        self._lent[self._relation(name).name] = target

    def _refuse_emptying(self, relation: Relation) -> None:
        if not relation.optional and self._bindings.get(relation.name) and self._owner is None:
            raise ConfigError(
                f"relation {relation.name!r} must have a target",
                where=self.label,
                fix="bind another target in its place",
            )

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).relations:
            self.assign(name, value)
            return
        if not (name.startswith("_") or name in type(self).__pydantic_fields__ or hasattr(type(self), name)):
            raise DefinitionError(
                f"has no field or relation named: {name}", where=self.label, fix="set a declared field or relation"
            )
        try:
            super().__setattr__(name, value)
        except ValidationError as error:
            raise config_error(self, error) from None

    def _relation(self, name: str) -> Relation:
        try:
            return type(self).relations[name]
        except KeyError:
            raise KeyError(f"{self.label} has no relation {name!r}; it has {sorted(type(self).relations)}") from None

    def _check(self, relation: Relation, targets: Iterable["Component"]) -> None:
        targets = tuple(targets)
        problem, fix = None, "bind an instance that it accepts"
        if len(targets) > 1 and not relation.many:
            problem = f"takes one target, {len(targets)} given"
        for target in targets:
            if isinstance(target, type) or not isinstance(target, Component):
                problem = f"takes component instances, not {target!r}"
                fix = f"call it: {getattr(target, '__name__', 'Component')}(...)" if inspect.isclass(target) else fix
            elif target is self:
                problem = "cannot be bound to its own component"
            problem = problem or relation.mismatch(target, self)
        if problem:
            raise ConfigError(f"relation {relation.name!r} {problem}", where=self.label, fix=fix)

    def __str__(self) -> str:
        return f"{self.name or type(self).__name__} (key: {self.key}, id: {self.id})"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(key={self.qualified_key!r})"

    def __repr_args__(self) -> Any:
        """Only the key: a field may hold a secret."""
        return [("key", self.qualified_key)]

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return object.__hash__(self)


def component_in(annotation: Any) -> tuple["type[Component] | None", bool, bool]:
    """The component class that an annotation names, whether it is a list of them, and whether None is allowed."""
    optional = many = False
    if get_origin(annotation) in (Union, types.UnionType):
        members = [arg for arg in get_args(annotation) if arg is not type(None)]
        optional = len(members) < len(get_args(annotation))
        if len(members) != 1:
            return None, False, optional
        annotation = members[0]
    if get_origin(annotation) is list:
        many, annotation = True, get_args(annotation)[0]
    is_component = isinstance(annotation, type) and issubclass(annotation, Component)
    return (annotation if is_component else None), many, optional


def _relations_from_fields(cls: type[Component]) -> dict[str, Relation]:
    """Take the fields whose annotation names a component class out of the model, as relations."""
    declared = {}
    bases = [base for base in cls.__mro__[1:] if isinstance(base, ComponentMeta)]
    inherited = {name for base in bases for name in vars(base).get("relations", ())}
    cls._undecided = {}
    for name, field in list(cls.__pydantic_fields__.items()):
        annotation = resolved_annotation(cls, field.annotation)
        if isinstance(annotation, (str, typing.ForwardRef)):
            cls._undecided[name] = annotation
        target, many, optional = component_in(annotation)
        if target is None:
            continue
        del cls.__pydantic_fields__[name]
        optional = optional or (field.default is None)
        if name not in inherited or name in annotated_names(vars(cls)):
            declared[name] = Relation(target, many=many, optional=optional)
    return declared


def _refuse_late_relations(cls: type[Component]) -> None:
    """An annotation that could not be read when the class was made and names a component would be a silent field."""
    for name, annotation in cls._undecided.items():
        target, _, _ = component_in(resolved_annotation(cls, annotation))
        if target is not None:
            raise DefinitionError(
                f"{name} is annotated with {target.__name__}, which was defined later, so it is no relation",
                where=f"{cls.kind} {cls.key!r}",
                fix=f"define {target.__name__} above {cls.__name__}",
            )


def class_settings(cls: type[Component]) -> set[str]:
    """The public class-level settings that a decorator may set on ``cls``."""
    made = {"asset_types", "output_types", "parameters", "function", "guarantee", "relations", "model_config"}
    found = {name for base in cls.__mro__ for name in getattr(base, "__class_vars__", ())} - made
    return {name for name in found if not name.startswith("_") and name not in ("kind", "inherited_fields")}


def _merged_relations(cls: type[Component], declared: dict[str, Relation], own: dict[str, Any]) -> dict[str, Relation]:
    merged: dict[str, Relation] = {}
    for base in reversed(cls.__mro__[1:]):
        merged.update(getattr(base, "relations", None) or {})
    merged.update({name: relation.named(name) for name, relation in declared.items()})
    for name, value in own.items():
        merged[name] = relation_from(cls, name, value, merged.get(name))
    return merged


def _as_targets(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return tuple(value) if isinstance(value, (list, tuple, set)) else (value,)


def _unique(targets: Iterable[Component]) -> tuple[Component, ...]:
    kept: list[Component] = []
    for target in targets:
        if all(target is not other for other in kept):
            kept.append(target)
    return tuple(kept)
