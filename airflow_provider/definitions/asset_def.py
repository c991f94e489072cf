"""One output of a multi-asset as it is declared: its name, and the settings of the asset that it becomes."""

import types
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.options import channels, share_validator, with_defaults, with_synonyms
from airflow_provider.definitions.settings import checked
from airflow_provider.definitions.validation import validated
from airflow_provider.errors import AssetError, DefinitionError

_OF_THE_RUN = {
    "retry": "the outputs are filled, and tried again, together",
    "airflow": "the outputs are filled by one task",
}


class OutputAsset(Asset):
    """An asset that a multi-asset fills; it has no function of its own."""

    key: ClassVar[str] = "output"

    def data(self, **kwargs: Any) -> Any:
        """Refuse: only the multi-asset has a function."""
        raise AssetError(
            "is filled by a multi-asset", where=self.label, fix="run it, or the multi-asset, with materialize()"
        )


class AssetDef:
    """Declares one output of ``@multi_asset``.

    Args:
        name: The key of the asset.
        settings: What ``@asset`` takes: ``schema``, ``partitioning``, ``dataset``, ``tags``, ``description``,
            ``on_empty``, ``stray_rows``, ``normalizer``, ``deps`` and so on. What is left out comes from the
            multi-asset, then from its source; ``partitioning=None`` says that this one is not partitioned.

    Raises:
        DefinitionError: An option that is unknown, wrong, or belongs to the computation as a whole.
    """

    __slots__ = ("name", "settings")

    def __init__(self, name: str, **settings: Any) -> None:
        self.name: str = checked("key", name, where="AssetDef")
        where = f"output {name!r}"
        for setting in sorted(set(settings) & {*_OF_THE_RUN, "key"}):
            raise DefinitionError(
                f"{setting}= is no setting of one output: {_OF_THE_RUN.get(setting, 'its name is its key')}",
                where=where,
                fix=f"leave it out, or give {setting}= to the multi-asset",
            )
        class_settings, defaults = channels(Asset, with_synonyms(settings), where)
        for relation in sorted(set(class_settings.get("relations", ())) - {"destinations"}):
            raise DefinitionError(
                f"relations= names {relation!r}, but parameters belong to the function, not to one output",
                where=where,
                fix="give relations= to the multi-asset; of an output only 'destinations' can be limited",
            )
        self.settings: Mapping[str, Any] = {**class_settings, **validated(Asset, defaults, where=where)}

    @property
    def deps(self) -> Sequence[Any]:
        """The assets, or their keys, that must be filled before."""
        return tuple(self.settings.get("deps", ()))

    @staticmethod
    def dep(name: str) -> str:
        """A dependency on the asset called ``name``, for ``deps=``: an edge of the graph, nothing is read.

        Raises:
            DefinitionError: It is no name.
        """
        key: str = checked("key", name, where="AssetDef.dep")
        return key

    def definition(self, computation: type, inherited: Mapping[str, Any]) -> type[Asset]:
        """The class of the asset, as ``computation`` declares it.

        Args:
            computation: The multi-asset's class.
            inherited: Class settings for what the output does not say.

        Raises:
            DefinitionError: The settings do not go together.
        """
        settings, defaults = channels(Asset, {**inherited, **self.settings}, f"output {self.name!r}")
        namespace = {
            "key": self.name,
            "description": "",
            **settings,
            "__module__": computation.__module__,
            "__qualname__": f"{computation.__qualname__}.{self.name}",
        }
        cls: Any = types.new_class(self.name, (OutputAsset,), exec_body=lambda body: body.update(namespace))
        share_validator(cls, OutputAsset)
        made: type[Asset] = with_defaults(cls, defaults, f"output {self.name!r}")
        return made

    def __repr__(self) -> str:
        return f"AssetDef({self.name!r})"
