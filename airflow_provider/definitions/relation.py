"""What a component may be joined to: the declaration, not the binding.

A relation says of which kind or class its targets are and which keys they may have. It is declared once on a class and
never changes; what is bound to it belongs to the instance.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from airflow_provider.errors import ConfigError, DefinitionError

if TYPE_CHECKING:
    from airflow_provider.definitions.component import Component

KINDS = ("asset", "source", "destination", "config", "connection", "resource")


class Relation:
    """A declared link from one component to others.

    Args:
        target: A kind (``"asset"``), a component class, or several classes of one kind.
        key: Key or keys that a target may have: ``orders`` (a sibling in the same source), ``shop.orders``, or
            ``*.orders`` (any source). Empty accepts every key.
        many: Whether several targets may be bound.
        optional: Whether it may stay unbound.
        default: Called without arguments to make the target when none is bound.
        on_delete: What a catalogue does when the target goes: ``"block"`` or ``"detach"``.

    Raises:
        DefinitionError: ``target`` is neither a kind nor component classes of one kind, a key is none of the forms,
            ``default`` cannot be called, or ``on_delete`` is unknown.
    """

    __slots__ = ("classes", "default", "keys", "kind", "many", "name", "on_delete", "optional")

    def __init__(
        self,
        target: "str | type[Component] | Sequence[type[Component]]",
        key: str | Sequence[str] = "",
        *,
        many: bool = False,
        optional: bool = False,
        default: Any = None,
        on_delete: Literal["block", "detach"] = "block",
    ) -> None:
        self.name = ""
        self.kind, self.classes = _kind_and_classes(target)
        self.keys = _checked_keys(key)
        _refuse_options(default, on_delete)
        self.many = many
        self.optional = optional
        self.default = default
        self.on_delete = on_delete

    def named(self, name: str) -> "Relation":
        """The same relation, called ``name``."""
        copy = Relation(
            self.classes or self.kind,
            self.keys,
            many=self.many,
            optional=self.optional,
            default=self.default,
            on_delete=self.on_delete,
        )
        copy.name = name
        return copy

    def narrowed(self, classes: Sequence["type[Component]"], where: str) -> "Relation":
        """The same relation, restricted to ``classes``, which must be of its kind."""
        for cls in classes:
            if cls.kind != self.kind:
                raise DefinitionError(
                    f"relation {self.name!r} takes {_one(self.kind)}, not the {cls.kind} {cls.__name__}",
                    where=where,
                    fix=f"list {self.kind} classes only",
                )
        copy = self.named(self.name)
        copy.classes, copy.keys = tuple(classes), ()  # the classes say more than a key does
        return copy

    def mismatch(self, target: "Component", owner: "Component | None") -> str | None:
        """Why ``target`` may not be bound, or None when it may.

        A class accepts its subclasses too, whatever their keys: what it can do they can. ``owner`` is the component
        that holds the relation.
        """
        if target.kind != self.kind:
            return f"takes {_one(self.kind)}, not the {target.kind} {target.key!r}"
        if self.classes and not isinstance(target, self.classes):
            wanted = ", ".join(cls.__name__ for cls in self.classes)
            return f"takes {wanted}, not {type(target).__name__}"
        if self.keys and not any(self._matches(key, target, owner) for key in self.keys):
            return f"takes {' or '.join(self.keys)}, not {target.qualified_key}"
        return None

    def fallback(self, *, where: str) -> "Component | None":
        """What stands in when nothing is bound: ``default()``, else a class that fills itself, else None.

        Raises:
            ConfigError: The environment fills a part of it only, or with a value that does not fit.
        """
        if self.default is not None:
            made: Component = self.default()
            if problem := self.mismatch(made, None):
                raise ConfigError(
                    f"the default of relation {self.name!r} {problem}", where=where, fix="return what it accepts"
                )
            return made.for_run()
        found = (cls.filled_by_itself(where=where) for cls in self.classes)
        return next((one for one in found if one is not None), None)

    def _matches(self, key: str, target: "Component", owner: "Component | None") -> bool:
        source, _, bare = key.rpartition(".")
        if bare != target.key:
            return False
        if not source:
            return True
        owners = (target.owner.key, target.owner.instance_key) if target.owner is not None else ()
        return bool(owners) and source in ("*", *owners)

    def __repr__(self) -> str:
        names = ", ".join(cls.__name__ for cls in self.classes) or self.kind
        return f"Relation({names}, {'|'.join(self.keys)!r}, many={self.many}, optional={self.optional})"


def relation_from(cls: "type[Component]", name: str, value: Any, before: Relation | None) -> Relation:
    """The relation that ``relations={name: value}`` declares; classes narrow what was declared ``before``."""
    where = f"{cls.kind} {cls.__name__}"
    if isinstance(value, Relation):
        return value.named(name)
    if isinstance(value, type) and hasattr(value, "relations"):
        return before.narrowed([value], where) if before is not None else Relation(value).named(name)
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, type) for v in value):
        if before is None:
            raise DefinitionError(
                f"relations[{name!r}] narrows a relation that is not declared",
                where=where,
                fix="declare it with an annotation or a Relation first",
            )
        return before.narrowed(value, where)
    raise DefinitionError(
        f"relations[{name!r}] is {value!r}",
        where=where,
        fix="give a Relation, a component class, or a non-empty list of component classes",
    )


_KEY = re.compile(r"(?:(?:\*|[A-Za-z_]\w*)\.)?[A-Za-z_]\w*", re.ASCII)


def _checked_keys(key: Any) -> tuple[str, ...]:
    keys = ((key,) if key else ()) if isinstance(key, str) else tuple(key) if isinstance(key, Iterable) else (key,)
    for one in keys:
        if not isinstance(one, str) or not _KEY.fullmatch(one):
            raise DefinitionError(
                f"key={one!r} names nothing",
                where="Relation",
                fix="write 'orders' (a sibling), 'shop.orders', '*.orders' (any source), or a list of those",
            )
    return keys


def _refuse_options(default: Any, on_delete: Any) -> None:
    if default is not None and not callable(default):
        raise DefinitionError(
            f"default={default!r} cannot be called",
            where="Relation",
            fix="pass a class or a function without arguments",
        )
    if on_delete not in ("block", "detach"):
        raise DefinitionError(f"on_delete={on_delete!r}", where="Relation", fix="use 'block' or 'detach'")


def _one(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _kind_and_classes(target: Any) -> "tuple[str, tuple[type[Component], ...]]":
    if isinstance(target, str):
        if target not in KINDS:
            raise DefinitionError(f"unknown kind {target!r}", where="Relation", fix=f"use one of {', '.join(KINDS)}")
        return target, ()
    classes = (target,) if isinstance(target, type) else tuple(target)
    kinds = {getattr(cls, "kind", None) for cls in classes}
    if len(kinds) != 1 or None in kinds:
        raise DefinitionError(
            f"{target!r} is neither a kind nor component classes of one kind",
            where="Relation",
            fix="pass a kind such as 'asset', a component class, or a non-empty list of classes of one kind",
        )
    return kinds.pop(), classes  # type: ignore[return-value]
