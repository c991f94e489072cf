"""Run one asset on upstream data that the test writes down: no destination, no Airflow, nothing stored.

::

    from airflow_provider.testing import run_asset

    assert run_asset(shop.totals, window="2026-01-01", upstreams={"orders": [...]}) == [...]
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from airflow_provider.definitions.asset import Asset, to_identifier
from airflow_provider.definitions.computation import Computation
from airflow_provider.definitions.decorators import asset as define
from airflow_provider.definitions.destination import Destination, join
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.errors import AssetError, GraphError
from airflow_provider.execution import runner
from airflow_provider.execution.runner import WindowLike
from airflow_provider.execution.window import windows_for
from airflow_provider.ledger.record import CommitRecord
from airflow_provider.schema.representations import TableData, split, unwrap


def run_asset(
    asset: Asset | type[Asset],
    *,
    window: WindowLike = None,
    upstreams: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Any:
    """Produce and conform the data of ``asset``; its upstreams read what the test gives, and nothing is written.

    Args:
        asset: The asset; a class is instantiated without arguments.
        window: The partitions to produce, as ``asset.run`` takes them, or as text: ``"2026-01-01..2026-01-07"``.
        upstreams: The name of a parameter, or the key of the upstream asset (``orders``, ``shop.orders``) -> its data:
            rows, a frame, an Arrow table, or any other value. Of a table, each pass sees the rows of its partitions,
            and a partition without rows is one that is missing; None is an upstream that holds nothing. A parameter
            for several upstreams (``list[Upstream]``) takes a mapping of keys to data.
        metadata: The run's free values.

    Returns:
        The data after unwrapping, normalizing and conforming, as ``asset.run`` returns it.

    Raises:
        AssetError: An upstream that is needed was not given, or one was given that the asset does not read.
    """
    made = asset() if isinstance(asset, type) else asset
    fed = _FedGraph(Computation.of(made).subject, dict(upstreams or {}))
    windows = windows_for(made, window)
    result = runner.execute(
        made,
        windows=windows,
        graph=fed,
        metadata=metadata,
        write=False,
        keep_data=True,
    )
    return result.data


class _FedGraph(AssetGraph):
    """A graph of one asset, in which each parameter reads stand-ins that hold the given data."""

    def __init__(self, asset: Asset | MultiAsset, given: dict[str, Any]) -> None:
        # Not that of AssetGraph, which would look for the upstreams: they need not be there.
        self._fed = {
            name: _targets(asset, name, given)
            for name, relation in type(asset).relations.items()
            if relation.kind == "asset"
        }
        if given:
            raise AssetError(
                f"reads no upstream called {', '.join(sorted(given))}",
                where=asset.label,
                fix=f"name one of {', '.join(sorted(self._fed)) or 'none: it has no upstreams'}",
            )

    def inputs(self, component: Asset | MultiAsset) -> dict[str, tuple[Asset, ...]]:
        """The stand-ins of each parameter."""
        return self._fed


class GivenData(Destination):
    """Holds the data that a test gave for one upstream. Nothing is written to it."""

    key: ClassVar[str] = "given_data"

    given: Any = None

    def read(self, context: IOContext) -> Any:
        """The rows of the context's partitions; a value that is no table is there for each of them."""
        if self.given is None:
            return join(self, context, [])
        value = unwrap(self.given)
        table, partitioning = TableData.of(value), context.asset.partitioning
        if table is None or context.window is None or partitioning is None:
            return join(self, context, [value] * len(context.partitions))
        parts = split(table, partitioning, context.window, where=f"what the test gives for {context.asset.label}")
        found = [part.value for part in parts.slices if not part.is_empty]
        pairs = zip(context.window.keys, parts.slices, strict=True)
        context.missing.extend(key for key, part in pairs if part.is_empty)
        return join(self, context, found)

    def committer(self, context: IOContext, *, call: Any) -> Any:
        """A committer without records: what a test gives has no versions."""
        return _NoRecords()


class _NoRecords:
    """Nothing was ever committed."""

    def records(self, keys: Any) -> dict[str | None, CommitRecord]:
        return {}


def _targets(asset: Asset | MultiAsset, name: str, given: dict[str, Any]) -> tuple[Asset, ...]:
    relation, real = type(asset).relations[name], _real_upstreams(asset, name)
    keys = {key for up in real for key in (up.key, up.qualified_key)} | {k.split(".")[-1] for k in relation.keys}
    named = [key for key in (name, *sorted(keys | set(relation.keys))) if key in given]
    if not relation.many:
        if named:
            found = real[0] if real else None
            return (_stand_in(asset, name, found, given.pop(named[0])),)
        if relation.optional:
            return ()
        raise AssetError(
            f"needs the data of its upstream {name!r}",
            where=asset.label,
            fix=f"pass upstreams={{{name!r}: rows}}; None stands for an upstream that holds nothing",
        )
    data = given.pop(name, {})
    data = dict(data) if isinstance(data, Mapping) else {name: data}
    data |= {key: given.pop(key) for key in named if key in given}
    by_key = {key: up for up in real for key in (up.key, up.qualified_key)}
    return tuple(_stand_in(asset, key, by_key.get(key), value) for key, value in data.items())


def _real_upstreams(asset: Asset | MultiAsset, name: str) -> tuple[Asset, ...]:
    try:
        return AssetGraph(asset).inputs(asset).get(name, ())
    except GraphError:  # the upstream is in another file, or not written yet
        return ()


def _stand_in(asset: Asset | MultiAsset, name: str, real: Asset | None, data: Any) -> Asset:
    """The real upstream with the given data in the place of its destinations, or one of that name."""
    given = GivenData(given=data)
    if real is not None:
        copy: Asset = real(destinations=given)
        return copy
    table = None if data is None else TableData.of(unwrap(data))
    partitioning = asset.partitioning
    by_partition = partitioning is not None and (table is None or set(partitioning.columns) <= set(table.columns))
    made = define(key=to_identifier(name), partitioning=partitioning if by_partition else None)(lambda: None)
    bound: Asset = made(destinations=given)
    return bound
