"""What each parameter of an asset's function receives.

Resources come by binding or fallback, upstreams are read from their default destination.
"""

import contextlib
from dataclasses import dataclass, field
from typing import Any

from airflow_provider.definitions import ports
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.component import Component
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.resource import Resource
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.definitions.view import View, placed
from airflow_provider.errors import ConfigError, ConnectionLookupError
from airflow_provider.execution.events import Emitter
from airflow_provider.execution.offload import Bridge
from airflow_provider.execution.reads import WHOLE, Reading
from airflow_provider.partitioning import PartitionWindow


@dataclass
class Inputs:
    """The keywords of one call, and which versions of the upstreams were read.

    Attributes:
        values: Parameter name -> value.
        versions: Upstream's qualified key -> partition key (``WHOLE`` for an unpartitioned upstream) -> version.
    """

    values: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)

    def versions_for(self, key: str | None) -> dict[str, str]:
        """The upstream versions that partition ``key`` was made from."""
        return {
            upstream: version
            for upstream, by_key in self.versions.items()
            if (version := by_key.get(key or WHOLE) or by_key.get(WHOLE))
        }


def resources(asset: Asset | MultiAsset) -> dict[str, Any]:
    """The value of every parameter that is no upstream. Connections are looked up here, in the caller's thread.

    What the source and the destinations read of their own (``self.connection``) is filled here, too.

    Raises:
        ConfigError: Nothing is bound to a parameter that must be filled, and its class cannot fill itself.
        ConnectionLookupError: A connection could not be resolved.
    """
    relations = type(asset).relations
    names = [name for name in type(asset).parameters.relations if relations[name].kind != "asset"]
    if asset.source is not None:
        with contextlib.suppress(ConfigError, ConnectionLookupError):  # told by the asset that needs it
            fill_in(asset.source)
    parts = [asset] if isinstance(asset, Asset) else asset.assets.values()
    for destination in dict.fromkeys(destination for part in parts for destination in part.destinations):
        fill_in(destination)
    return {name: _resource(asset, name) for name in names}


def fill_in(holder: Component) -> None:
    """Have a component's own relations read what a run is given, which is the fallback where nothing is bound.

    Raises:
        ConfigError: Nothing is bound to a relation that must be filled, and its class cannot fill itself.
        ConnectionLookupError: A connection could not be resolved.
    """
    if isinstance(holder, Destination):
        _mask(holder)
    for name, relation in type(holder).relations.items():
        if relation.kind in ("config", "connection", "resource") and not relation.many:
            found = _resource(holder, name)
            if found is not None and not holder.targets(name):
                holder.lend(name, found)


def _resource(holder: Component, name: str) -> Any:
    relation = type(holder).relations[name]
    found = holder.resolve(name)
    if isinstance(found, list):
        return [_for_run(one) for one in found]
    if found is None and not relation.optional:
        raise _unfilled(holder, name)
    return None if found is None else _for_run(found)


def _for_run(target: Component) -> Component:
    ready = target.for_run()
    if isinstance(ready, Resource):
        _mask(ready)
    return ready


def _mask(holder: Resource | Destination) -> None:
    """Have no log show the secrets of what a run is given, for errors of drivers quote them."""
    if secrets := list(holder.secrets()):
        ports.resolve("connection_lookup").mask(secrets)


def _unfilled(holder: Component, name: str) -> ConfigError:
    relation = type(holder).relations[name]
    wanted = " or ".join(cls.__name__ for cls in relation.classes) or f"a {relation.kind}"
    by_environment = [cls for cls in relation.classes if issubclass(cls, Resource)]
    variables = by_environment[0].needed_variables() if by_environment else []
    has_function = holder.kind in ("asset", "multi_asset")
    is_source = f" (or to its source, where that declares {name}: {wanted})" if has_function else ""
    return ConfigError(
        f"{'parameter' if has_function else 'relation'} {name!r} needs a {wanted}, but none is bound"
        + (" and the environment does not fill one" if by_environment else ""),
        where=holder.label,
        fix=f"pass {name}={wanted}(...) to the {holder.kind}{is_source}"
        + (f", or set {', '.join(variables)} for the process that runs it" if variables else ""),
    )


def upstreams(
    asset: Asset | MultiAsset,
    graph: AssetGraph,
    window: PartitionWindow | None,
    *,
    bridge: Bridge,
    emitter: Emitter,
    metadata: Any,
) -> Inputs:
    """Read every upstream parameter of ``asset`` for ``window``.

    Versions are taken before the data is read, so that a commit in between makes this run look stale, never fresh.

    Raises:
        AssetError: A read failed for another reason than that nothing is stored there.
    """
    inputs = Inputs()
    if isinstance(asset, View):
        inputs.values = _references(asset, graph, bridge)
        return inputs
    for name, targets in graph.inputs(asset).items():
        if name not in type(asset).parameters.relations:
            continue
        read = []
        for upstream in targets:
            fill_in(upstream.default_destination)
            reading = Reading(asset, upstream, window, bridge, emitter, metadata)
            read.append(reading.read())
            inputs.versions[upstream.qualified_key] = reading.versions
        many = type(asset).relations[name].many
        inputs.values[name] = read if many else (read[0] if read else None)
    return inputs


def _references(view: View, graph: AssetGraph, bridge: Bridge) -> dict[str, Any]:
    """What a view builds on: of each upstream the destination's own handle, and no data."""
    (destination,) = view.destinations
    values: dict[str, Any] = {}
    for name, targets in graph.inputs(view).items():
        handles = [Upstream(up, bridge.call(destination.reference, placed(up))) for up in targets]
        many = type(view).relations[name].many
        values[name] = handles if many else (handles[0] if handles else None)
    return values
