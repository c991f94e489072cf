"""A computation runs once and fills one or more outputs; an asset is the case of one output.

Execution runs computations, so that an asset that fills one table and one that fills several take the same path.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.asset_def import OutputAsset
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.parameters import Parameters
from airflow_provider.errors import AssetError, AssetNotFoundError
from airflow_provider.partitioning import PartitionConfig

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Output:
    """The data of one output, by the output's name.

    Attributes:
        name: The output's key.
        data: Whatever an asset may return.
        metadata: Values for the event of this output.
    """

    name: str
    data: Any
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Computation:
    """One function and the assets that it fills in this run.

    Attributes:
        subject: The component whose function runs: the asset itself where it has one, else the multi-asset.
        outputs: The assets asked for, in the order declared.
    """

    subject: Asset | MultiAsset
    outputs: tuple[Asset, ...]

    @classmethod
    def of(cls, component: Asset | MultiAsset, select: Sequence[str] | None = None) -> "Computation":
        """What fills ``component``: one asset, or all outputs of a multi-asset, or those that ``select`` names.

        Raises:
                AssetNotFoundError: A name is no output.
            AssetError: An output that was made without its multi-asset.
        """
        if isinstance(component, Asset):
            return cls(_subject_of(component), (component,))
        outputs = component.assets
        names = list(outputs) if select is None else [name.rpartition(".")[2] for name in select]
        if unknown := sorted(set(names) - set(outputs)) or ([] if names else ["nothing"]):
            raise AssetNotFoundError(
                f"has no output called {', '.join(unknown)}",
                where=component.label,
                fix=f"name some of {', '.join(outputs)}",
            )
        return cls(component, tuple(asset for key, asset in outputs.items() if key in names))

    @property
    def label(self) -> str:
        """What runs, for messages."""
        return self.subject.label

    @property
    def qualified_key(self) -> str:
        """The key of what runs, with that of its source."""
        return self.subject.qualified_key

    @property
    def partitioning(self) -> PartitionConfig | None:
        """What the windows of a run are made of; None where no output is partitioned."""
        return self.subject.partitioning

    @property
    def enabled(self) -> "Computation | None":
        """The same for those outputs that are enabled; None where none is."""
        outputs = tuple(asset for asset in self.outputs if asset.enabled)
        return Computation(self.subject, outputs) if outputs else None

    @property
    def selected(self) -> tuple[str, ...]:
        """Names of the outputs asked for; a function may do less work for fewer outputs."""
        return tuple(asset.key for asset in self.outputs)

    @property
    def parameters(self) -> Parameters:
        """What the function asks for."""
        return type(self.subject).parameters

    def results(self, returned: Any) -> Iterator[Output]:
        """What the function returned or yields, as it comes: one ``Output`` after the other, each of an output of ours.

        Raises:
            AssetError: It named an output that is none of these, or gave something that is no ``Output``.
        """
        if isinstance(self.subject, Asset):
            yield self._checked(returned if isinstance(returned, Output) else Output(self.subject.key, returned))
            return
        for item in _items(returned):
            yield self._checked(item)

    def _checked(self, item: Any) -> Output:
        subject = self.subject  # a narrowed one has all the outputs that its function knows of
        known = [subject.key] if isinstance(subject, Asset) else [made.key for made in type(subject).output_types]
        if not isinstance(item, Output):
            raise AssetError(
                f"gave a {type(item).__name__}, which does not say for which output it is",
                where=self.label,
                fix=f"yield ap.Output(name, data), with a name out of {', '.join(known)}",
            )
        if item.name not in known:
            raise AssetError(
                f"gave Output({item.name!r}), which is none of its outputs",
                where=self.label,
                fix=f"name one of {', '.join(known)}" + ("" if len(known) > 1 else ", or return the data itself"),
            )
        return item


def computations(assets: Iterable[Asset]) -> list[Computation]:
    """What fills ``assets``: one computation per function, in the order of the first output of each."""
    groups: dict[int, tuple[Asset | MultiAsset, list[Asset]]] = {}
    for asset in assets:
        subject = _subject_of(asset)
        groups.setdefault(id(subject), (subject, []))[1].append(asset)
    return [Computation(subject, _as_declared(subject, outputs)) for subject, outputs in groups.values()]


def _as_declared(subject: Asset | MultiAsset, outputs: Sequence[Asset]) -> tuple[Asset, ...]:
    if isinstance(subject, Asset):
        return tuple(outputs)
    places = {key: place for place, key in enumerate(subject.assets)}
    return tuple(sorted(outputs, key=lambda output: places[output.key]))


def _subject_of(asset: Asset) -> Asset | MultiAsset:
    if asset.computation is None and isinstance(asset, OutputAsset):
        raise AssetError(
            "is an output that was made without its multi-asset, whose function fills it",
            where=asset.label,
            fix="make the multi-asset and take the output from that: feed(destinations=...).orders",
        )
    return asset.computation or asset


def _items(returned: Any) -> Iterable[Any]:
    """What a function of several outputs gave: one output, a dict of name to data, or several outputs."""
    if returned is None:
        return ()
    if isinstance(returned, Mapping):
        return (Output(str(name), data) for name, data in returned.items())
    return returned if isinstance(returned, (list, tuple, Iterator)) else (returned,)
