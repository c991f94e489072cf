"""A computation runs once and fills one or more outputs; an asset is the case of one output.

Execution runs computations, so that an asset that fills one table and one that fills several take the same path.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.parameters import Parameters
from airflow_provider.errors import AssetError


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
        subject: The component whose function runs: the asset itself where there is one output.
        outputs: The assets asked for, in the order declared.
    """

    subject: Asset
    outputs: tuple[Asset, ...]

    @classmethod
    def of(cls, asset: Asset) -> "Computation":
        """The computation that fills ``asset``."""
        return cls(subject=asset, outputs=(asset,))

    @property
    def label(self) -> str:
        """What runs, for messages."""
        return self.subject.label

    @property
    def selected(self) -> tuple[str, ...]:
        """Names of the outputs asked for; a function may do less work for fewer outputs."""
        return tuple(asset.key for asset in self.outputs)

    @property
    def parameters(self) -> Parameters:
        """What the function asks for."""
        return type(self.subject).parameters

    def results(self, returned: Any) -> Iterator[Output]:
        """What the function returned, as one ``Output`` per output.

        Raises:
            AssetError: It named an output that is none of these.
        """
        output = returned if isinstance(returned, Output) else Output(self.outputs[0].key, returned)
        known = [asset.key for asset in self.outputs]
        if output.name not in known:
            raise AssetError(
                f"returned Output({output.name!r}), which is none of its outputs",
                where=self.subject.label,
                fix=f"name one of {', '.join(known)}, or return the data itself",
            )
        yield output
