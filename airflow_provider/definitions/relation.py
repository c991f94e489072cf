"""What a component may be joined to: the declaration, not the binding.

A relation says of which kind or class its targets are and which keys they may have. It is declared once on a class and
never changes; what is bound to it belongs to the instance.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from airflow_provider.errors import DefinitionError

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
        DefinitionError: ``target`` is neither a kind nor component classes of one kind.
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
        self.keys: tuple[str, ...] = ((key,) if key else ()) if isinstance(key, str) else tuple(key)
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

        A class accepts its subclasses too. ``owner`` is the component that holds the relation, against whose source
        a bare asset key is read.
        """
        if target.kind != self.kind:
            return f"takes {_one(self.kind)}, not the {target.kind} {target.key!r}"
        if self.classes and not isinstance(target, self.classes):
            wanted = ", ".join(cls.__name__ for cls in self.classes)
            return f"takes {wanted}, not {type(target).__name__}"
        if self.keys and not any(self._matches(key, target, owner) for key in self.keys):
            return f"takes {' or '.join(self.keys)}, not {target.qualified_key}"
        return None

    def _matches(self, key: str, target: "Component", owner: "Component | None") -> bool:
        source, _, bare = key.rpartition(".")
        if bare != target.key:
            return False
        if not source:
            return True
        target_source = target.owner.key if target.owner is not None else ""
        return bool(target_source) and source in ("*", target_source)

    def __repr__(self) -> str:
        names = ", ".join(cls.__name__ for cls in self.classes) or self.kind
        return f"Relation({names}, {'|'.join(self.keys)!r}, many={self.many}, optional={self.optional})"


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
