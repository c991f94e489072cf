"""``list`` and ``show``: what the definitions say, without running or storing anything."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from airflow_provider.cli.bundle import Bundle
from airflow_provider.cli.console import Terminal
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Computation
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.definitions.task_options import merged
from airflow_provider.errors import AssetsError
from airflow_provider.partitioning import MultiPartitionConfig, PartitionConfig
from airflow_provider.schema import Schema
from airflow_provider.translation.naming import grain_name

Lines = Iterator[tuple[str, str]]
NONE = "-"


def print_list(terminal: Terminal, bundle: Bundle) -> None:
    """One line per asset, upstreams first."""
    table = Table("asset", "grain", "zone", "destinations", "reads", box=None, pad_edge=False, header_style="bold")
    for asset in bundle.select([]):
        destinations = ", ".join(destination.name or destination.key for destination in asset.destinations)
        reads = ", ".join(up.qualified_key for up in bundle.graph.upstreams(asset))
        name = asset.qualified_key + ("" if asset.enabled else " (not enabled)")
        table.add_row(
            name, grain_name(asset.partitioning), zone_of(asset.partitioning), destinations or NONE, reads or NONE
        )
    terminal.out.print(table, markup=False)


def print_asset(terminal: Terminal, bundle: Bundle, asset: Asset) -> None:
    """Everything that is known of one asset's definition."""
    terminal.say(asset.qualified_key, style="bold")
    if asset.description:
        terminal.say(asset.description.strip())
    for title, lines in (
        ("settings", _settings(asset)),
        ("partitioning", _partitioning(asset.partitioning)),
        ("schema", _schema(asset.schema)),
        ("parameters", _parameters(bundle, asset)),
        ("graph", _neighbours(bundle, asset)),
        ("stored in", _places(asset)),
    ):
        _section(terminal, title, list(lines))


def zone_of(partitioning: PartitionConfig | None) -> str:
    """The zone of a partitioning by time."""
    return partitioning.time.timezone if partitioning is not None and partitioning.time is not None else NONE


def place_of(destination: Destination, asset: Asset) -> str:
    """Where the destination keeps the asset: its folder, else the destination's address.

    Raises:
        ConfigError: An environment variable that the place needs is not set.
    """
    folder = getattr(destination, "folder", None)
    return str(folder(IOContext(asset)).root) if folder is not None else destination.address


def _section(terminal: Terminal, title: str, lines: Sequence[tuple[str, str]]) -> None:
    terminal.say(f"\n{title}", style="bold")
    width = max((len(name) for name, _ in lines), default=0)
    for name, value in lines or [("", "none")]:
        terminal.say(f"  {name:<{width}}  {value}".rstrip() if name else f"  {value}")


def _settings(asset: Asset) -> Lines:
    yield "source", asset.source.key if asset.source is not None else NONE
    if asset.computation is not None:
        yield "filled by", f"{asset.computation.qualified_key}, with {', '.join(asset.computation.assets)}"
    yield "dataset", asset.dataset or NONE
    yield "table", asset.table
    yield "airflow asset", asset.uri
    yield "enabled", _told(asset.enabled)
    yield "strategy", asset.strategy.value
    yield "normalizer", type(asset.normalizer).__name__ if asset.normalizer is not None else NONE
    yield "on_empty", asset.on_empty
    yield "stray_rows", asset.stray_rows
    yield "code_version", asset.code_version or NONE
    yield "retry", NONE if asset.retry is None else str(asset.retry)
    yield "tags", ", ".join(asset.tags) or NONE
    own = type(Computation.of(asset).subject).airflow
    options = merged(type(asset.source).airflow if asset.source is not None else None, own)
    yield "task options", ", ".join(f"{name}={value}" for name, value in options.items()) or NONE


def _partitioning(partitioning: PartitionConfig | None) -> Lines:
    if isinstance(partitioning, MultiPartitionConfig):
        yield "kind", partitioning.kind
        for dimension in partitioning.dimensions:
            yield f"by {dimension.column}", dimension.described
        yield "allow_window", _told(partitioning.allow_window)
        return
    for name, value in (partitioning.to_definition() if partitioning is not None else {}).items():
        yield name, ", ".join(value) if isinstance(value, list) else _told(value)


def _schema(schema: type[Schema] | None) -> Lines:
    for spec in schema.field_specs() if schema is not None else ():
        kind = "list of " * spec.repeated + getattr(spec.type, "__name__", str(spec.type))
        nullable = ", may be null" if spec.nullable else ""
        optional = ", has a default" if spec.has_default else ""
        yield spec.name, f"{kind}{nullable}{optional}" + (f": {spec.description}" if spec.description else "")


def _parameters(bundle: Bundle, asset: Asset) -> Lines:
    subject = Computation.of(asset).subject
    parameters = type(subject).parameters
    if parameters.context_name:
        yield parameters.context_name, "the run"
    if parameters.takes_source:
        yield "source", "the asset's source"
    inputs = bundle.graph.inputs(asset)
    for name, relation in parameters.relations.items():
        found = inputs.get(name, ()) if relation.kind == "asset" else subject.targets(name)
        wanted = " or ".join(cls.__name__ for cls in relation.classes) or relation.kind
        bound = ", ".join(one.qualified_key for one in found)
        yield name, f"{wanted} {bound}" if bound else f"{wanted}, nothing bound"


def _neighbours(bundle: Bundle, asset: Asset) -> Lines:
    reads = [up.qualified_key for up in bundle.graph.upstreams(asset)]
    readers = [key for key, other in bundle.graph.assets.items() if asset in bundle.graph.upstreams(other)]
    yield "reads", ", ".join(reads) or NONE
    yield "is read by", ", ".join(readers) or NONE


def _places(asset: Asset) -> Lines:
    for destination in asset.destinations:
        is_default = destination is asset.default_destination and len(asset.destinations) > 1
        try:
            place = place_of(destination, asset)
        except AssetsError as error:
            place = f"not known here: {error.what}"
        said = f"{place} ({destination.guarantee})"
        yield destination.name or destination.key, f"{said}, read from by others" if is_default else said


def _told(value: Any) -> str:
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
