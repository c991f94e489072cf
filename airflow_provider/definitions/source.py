"""Sources: groups of assets that share settings, destinations and resources.

The assets are declared in the class body; an instance of the source holds an instance of each, which reads unset
settings and unbound relations through it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from pydantic import PrivateAttr
from typing_extensions import Self

from airflow_provider.definitions.asset import Asset, Producer, is_dataset, to_identifier
from airflow_provider.definitions.component import Component, IgnoredDescriptor
from airflow_provider.definitions.environment import holds_env
from airflow_provider.definitions.multi_asset import MultiAsset, narrowed
from airflow_provider.errors import ConfigError, DefinitionError

Definition = type[Asset] | type[MultiAsset]

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")


class AssetSlot(IgnoredDescriptor):
    """On the class the definition of an asset or multi-asset, on an instance of the source its live instance."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition

    def __get__(self, instance: "Source | None", owner: type) -> Any:
        if instance is None:
            return self.definition
        key = self.definition.key
        found = instance.multi_assets.get(key) if issubclass(self.definition, MultiAsset) else instance.sibling(key)
        if found is None:
            raise AttributeError(f"{instance.label} was narrowed to {', '.join(instance.assets)}; {key!r} is not in it")
        return found


class Source(Producer):
    """A group of assets.

    ``assets={key: {setting: value}}`` at construction narrows the source to the assets named, each with its overrides;
    a list of keys narrows it without overrides. The key of a multi-asset stands for all its outputs.

    ``discriminator`` names the field that tells instances of one class apart, such as the account that each reads: its
    value is part of each asset's identity (``ads__act_42.orders``) and table (``orders__act_42``), in one dataset. A
    relation's key ``ads.orders`` names the asset of all of them, ``ads__act_42.orders`` that of one.
    """

    kind: ClassVar[str] = "source"
    key: ClassVar[str] = "source"
    asset_types: ClassVar[tuple[Definition, ...]] = ()
    discriminator: ClassVar[str] = ""

    _multi_assets: dict[str, MultiAsset] = PrivateAttr(default_factory=dict)
    _assets: dict[str, Asset] = PrivateAttr(default_factory=dict)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Collect the assets of the class body."""
        cls.asset_types = _collected(cls)
        super().__pydantic_init_subclass__(**kwargs)
        if cls.discriminator and cls.discriminator not in cls.__pydantic_fields__:
            raise DefinitionError(
                f"discriminator={cls.discriminator!r} is no field of the source",
                where=f"source {cls.key!r}",
                fix=f"declare the field {cls.discriminator}: str, or name another one",
            )

    def __init__(self, *, assets: Mapping[str, Mapping[str, Any]] | Iterable[str] | None = None, **data: Any) -> None:
        super().__init__(**data)
        _ = self.instance_key  # a value that tells nothing apart shows when the source is made
        self.fill(self.__dict__.get("dataset") or "")  # a field that is not there shows when the source is made
        overrides = _overrides(self, assets)
        for definition in type(self).asset_types:
            if issubclass(definition, MultiAsset):
                self._make_multi(definition, overrides)
            elif definition.key in overrides:
                self._hold(definition(**overrides[definition.key]))

    def _make_multi(self, definition: type[MultiAsset], overrides: Mapping[str, dict[str, Any]]) -> None:
        outputs = {output.key: overrides.get(output.key, {}) for output in definition.output_types}
        if definition.key not in overrides:
            outputs = {key: settings for key, settings in outputs.items() if key in overrides}
        if outputs:
            self._hold_multi(definition(outputs=outputs, **overrides.get(definition.key, {})))

    def _hold_multi(self, multi: MultiAsset) -> None:
        multi.join(self)
        self._multi_assets[multi.key] = multi
        self.fill(multi.__dict__.get("dataset") or "")
        for asset in multi.assets.values():
            self._hold(asset)

    def _hold(self, asset: Asset) -> None:
        asset._owner = self
        self._assets[asset.key] = asset
        self.fill(asset.__dict__.get("dataset") or "")
        _ = asset.table  # a field that is not there shows when the source is made

    def __call__(self, **changes: Any) -> Self:
        """A reconfigured copy with copies of its assets; outside targets are shared."""
        copy = super().__call__(**changes)
        copy._assets, copy._multi_assets = {}, {}
        for asset in self._assets.values():
            if asset.computation is None:
                copy._hold(asset())
            elif asset.computation.key not in copy._multi_assets:
                copy._hold_multi(asset.computation())
        for part in (*copy._assets.values(), *copy._multi_assets.values()):
            for name, targets in part._bindings.items():
                part._bindings[name] = tuple(copy._assets.get(t.key, t) if t._owner is self else t for t in targets)
        return copy

    @property
    def assets(self) -> dict[str, Asset]:
        """The source's assets by key, in the order of the class body; those of multi-assets among them."""
        return dict(self._assets)

    @property
    def multi_assets(self) -> dict[str, MultiAsset]:
        """The source's multi-assets by key, in the order of the class body."""
        return dict(self._multi_assets)

    def sibling(self, key: str) -> Asset | None:
        """The source's asset called ``key``, or None."""
        return self._assets.get(key)

    @property
    def instance_key(self) -> str:
        """The key, with the discriminator's value if there is one: ``ads__act_42``.

        Raises:
            ConfigError: The value is empty, or only known in the worker.
        """
        return f"{self.key}__{self._distinct()}" if self.discriminator else self.key

    def _distinct(self) -> str:
        value = getattr(self, self.discriminator)
        text = "" if value is None else to_identifier(str(value)).strip("_")
        if not text or holds_env(value):
            raise ConfigError(
                f"the discriminator {self.discriminator!r} is {value!r}, which tells it from no other",
                where=f"source {self.key!r}",
                fix=f"pass {self.discriminator}=... with a letter or digit in it, and no {{env.NAME}}",
            )
        return text

    def table(self, asset: Asset) -> str:
        """The storage name of one of the source's assets: its key, with the discriminator's value if there is one."""
        return to_identifier(f"{asset.key}__{self._distinct()}" if self.discriminator else asset.key)

    def fill(self, text: str, *, what: str = "dataset") -> str:
        """``text``, of the kind that ``what`` says, with ``{field}`` filled in; ``{env.NAME}`` stays for the worker.

        Raises:
            ConfigError: There is no such field, it is None, or its value makes no name out of the whole.
        """

        def value(match: re.Match[str]) -> str:
            name = match.group(1)
            own = sorted(set(type(self).__pydantic_fields__) - set(Producer.__pydantic_fields__))
            if name not in own or getattr(self, name) is None:
                raise ConfigError(
                    f"{what} {text!r} names {{{name}}}, which is {'None' if name in own else 'no field'} of the source",
                    where=self.label,
                    fix=f"use one of {', '.join([*own, f'env.{name}'])}, and give it a value",
                )
            return str(getattr(self, name))

        filled = _PLACEHOLDER.sub(value, text)
        if filled != text and not is_dataset(filled):
            raise ConfigError(
                f"{what} {text!r} becomes {filled!r}, which is not a name",
                where=self.label,
                fix=f"use values of letters, digits, _, - and . only in a {what}",
            )
        return filled


def _collected(cls: type[Source]) -> tuple[Definition, ...]:
    """The definitions of the class and its bases, in order, each turned into slots under its name and keys."""
    found: dict[str, Definition] = {a.key: a for base in reversed(cls.__mro__[1:]) for a in _types_of(base)}
    slots = _own_slots(cls)
    own = list(dict.fromkeys(slots.values()))
    keys = Counter(key for definition in own for key in _parts_of(definition))
    merged = found | {definition.key: definition for definition in own}
    held = Counter(key for definition in merged.values() for key in _parts_of(definition))
    for name in [*slots, *keys]:
        if keys[name] > 1 or held[name] > 1 or _is_taken(cls, name):
            raise DefinitionError(
                f"asset key {name!r} is taken {'by the source itself' if _is_taken(cls, name) else 'twice'}",
                where=f"source {cls.__name__}",
                fix="rename the asset, or give it another key=",
            )
    parts = {key: part for definition in own for key, part in _parts_of(definition).items()}
    for name, definition in {**slots, **parts}.items():
        setattr(cls, name, AssetSlot(definition))
    return tuple(merged.values())


def _parts_of(definition: Definition) -> dict[str, Definition]:
    """The definition, and those of its outputs, by key."""
    outputs = definition.output_types if issubclass(definition, MultiAsset) else ()
    return {definition.key: definition, **{output.key: output for output in outputs}}


def _own_slots(cls: type[Source]) -> dict[str, Definition]:
    """The definitions that the class body and plain bases hold, by name, and those of ``asset_types`` by key."""
    bodies = [base for base in reversed(cls.__mro__) if base is cls or not issubclass(base, Component)]
    slots = {name: value for body in bodies for name, value in vars(body).items() if _is_definition(value)}
    return {a.key: a for a in cls.__dict__.get("asset_types", ()) if a not in slots.values()} | slots


def _is_definition(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, (Asset, MultiAsset))


def _is_taken(cls: type[Source], name: str) -> bool:
    """Whether ``name`` means something else on the source: a field, a relation, a method."""
    if name in cls.__pydantic_fields__ or name.startswith("_"):
        return True
    held = [vars(base)[name] for base in cls.__mro__ if name in vars(base)]
    return any(not isinstance(h, AssetSlot) and not _is_definition(h) for h in held)


def _types_of(base: type) -> tuple[Definition, ...]:
    held: tuple[Definition, ...] = base.__dict__.get("asset_types", ())
    return held


def _overrides(source: Source, assets: Any) -> dict[str, dict[str, Any]]:
    """The overrides of what is held, by key; where all is held, those of outputs are left to their multi-asset."""
    definitions = type(source).asset_types
    if assets is None:
        return {definition.key: {} for definition in definitions}
    known = [key for definition in definitions for key in _parts_of(definition)]
    return narrowed(assets, known, where=source.label, what="assets", owner="source")
