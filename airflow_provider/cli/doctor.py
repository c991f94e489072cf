"""``doctor``: is what the definitions name there, reachable and writable, from this process and now."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from airflow_provider.cli.bundle import Bundle
from airflow_provider.cli.console import Terminal, counted
from airflow_provider.definitions import ports
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.component import Component
from airflow_provider.definitions.computation import computations
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.environment import resolve_env
from airflow_provider.definitions.resource import Resource
from airflow_provider.errors import AssetsError, located
from airflow_provider.execution.resolve import resources
from airflow_provider.storage.index import ENVIRONMENT, IndexStore, open_index

Mark = Literal["ok", "note", "WRONG"]
_STYLES: dict[Mark, str] = {"ok": "green", "note": "yellow", "WRONG": "red"}


@dataclass(frozen=True)
class Finding:
    """One line of the examination.

    Attributes:
        mark: ``WRONG`` fails the command; ``note`` is worth knowing.
        text: What was looked at, what it is like, and, where it is wrong, the fix.
    """

    mark: Mark
    text: str


def examine(bundle: Bundle) -> Iterator[Finding]:
    """Look at the definitions, destinations, index and connections, one after the other."""
    yield from (Finding("WRONG", f"definition {problem}") for problem in bundle.problems)
    assets = list(bundle.graph.assets.values())
    yield Finding("ok", f"{counted(len(assets), 'asset')} in {', '.join(bundle.origins)}")
    yield from _destinations(assets)
    yield from _index()
    told: set[str] = set()
    yield from _connections(assets, told)
    yield from _resources(assets, told)
    yield from _checks(assets, told)


def print_findings(terminal: Terminal, bundle: Bundle) -> bool:
    """Print each finding as it is made; whether nothing is wrong."""
    is_well = True
    for finding in examine(bundle):
        is_well = is_well and finding.mark != "WRONG"
        first, *more = finding.text.splitlines()
        terminal.say(f"{finding.mark:<5}  {first}", style=_STYLES[finding.mark])
        for line in more:
            terminal.say(f"       {line}")
    return is_well


def _destinations(assets: list[Asset]) -> Iterator[Finding]:
    for asset in assets:
        if not asset.destinations:
            yield Finding("note", f"{asset.label} has no destination: its data is produced and not stored")
    found: dict[int, Destination] = {id(d): d for asset in assets for d in asset.destinations}
    seen: set[str] = set()
    for destination in found.values():
        try:
            address = destination.address
            problems = [] if address in seen else destination.check()
        except Exception as error:  # noqa: BLE001 -- a destination of the user's own may raise anything
            yield Finding("WRONG", _once(destination.label, located(error)))
            continue
        if address not in seen:
            yield from (Finding("WRONG", _once(destination.label, problem)) for problem in problems)
            if not problems:
                yield Finding("ok", f"{destination.label} at {address}: {_checked(destination)}")
        seen.add(address)


def _checked(destination: Destination) -> str:
    own = type(destination).check is not Destination.check
    return f"writable, {destination.guarantee}" if own else f"{destination.guarantee}; it brings no check of its own"


def _index() -> Iterator[Finding]:
    try:
        store = open_index()
        _try(store)
    except AssetsError as error:
        yield Finding("WRONG", f"index: {error}")
        return
    except OSError as error:
        yield Finding(
            "WRONG",
            f"index at {store.root}: cannot be written ({error.strerror or type(error).__name__})\n"
            f"  Fix: let this user write there, or name another folder in {ENVIRONMENT}",
        )
        return
    yield Finding("ok", f"index at {store.root}: writable")
    if store.root == _default_root():
        yield Finding(
            "note",
            "the index is at its default place, which is right while everything runs on one host; with workers on "
            f"several, set [airflow_provider] index_uri ({ENVIRONMENT}) to a folder that all of them share",
        )


def _default_root() -> str:
    """The folder that ``open_index`` takes when nothing is set."""
    home = os.environ.get("AIRFLOW_HOME") or "~/airflow"
    return open_index(os.path.join(home, "airflow_provider_index")).root  # noqa: PTH118 -- as open_index does


def _try(store: IndexStore) -> None:
    """Make a file where the index is, or in the nearest folder above it that is there; raises ``OSError``."""
    folder = store.root
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:  # noqa: PTH120 -- roots are text
        folder = os.path.dirname(folder)  # noqa: PTH120 -- as above
    with tempfile.TemporaryFile(dir=folder):
        pass


def _connections(assets: list[Asset], told: set[str]) -> Iterator[Finding]:
    """Look each connection up as a worker would; no field of it is shown. Errors are added to ``told``."""
    named: dict[str, str] = {}
    for asset in assets:
        for component in _around(asset):
            conn_id = component.__dict__.get("conn_id")
            if isinstance(conn_id, str) and conn_id:
                named.setdefault(conn_id, component.label)
    for conn_id, label in sorted(named.items()):
        try:
            name = resolve_env(conn_id, where=label)
            found = ports.resolve("connection_lookup").connection(name)
        except AssetsError as error:
            told.add(str(error))
            yield Finding("WRONG", f"{error}\n  (named by {label})")
        else:
            yield Finding("ok", f"connection {name!r}: found, of type {found.conn_type!r} (named by {label})")


def _resources(assets: list[Asset], told: set[str]) -> Iterator[Finding]:
    """Fill each asset's configs and connections as a run does; an error in ``told`` is not said again."""
    for run in computations(assets):
        try:
            resources(run.subject)
        except AssetsError as error:
            if str(error) not in told:
                yield Finding("WRONG", _once(run.label, str(error)))


def _checks(assets: list[Asset], told: set[str]) -> Iterator[Finding]:
    """Ask each bound resource what is wrong with it: a connection tests its hook, a client of a user's its service."""
    resources = {id(one): one for asset in assets for one in _around(asset) if isinstance(one, Resource)}
    for resource in resources.values():
        try:
            problems = resource.check()
        except Exception as error:  # noqa: BLE001 -- a check of the user's own may raise anything
            problems = [located(error)]
        yield from (Finding("WRONG", _once(resource.label, problem)) for problem in problems if problem not in told)


def _around(asset: Asset) -> Iterator[Component]:
    """The asset, its source, and every component bound to them that is no asset, each once."""
    waiting: list[Component] = [one for one in (asset, asset.computation, asset.source) if one is not None]
    seen: set[int] = set()
    while waiting:
        component = waiting.pop()
        if id(component) in seen:
            continue
        seen.add(id(component))
        yield component
        for name in type(component).relations:
            waiting.extend(target for target in component.targets(name) if not isinstance(target, Asset))


def _once(label: str, text: str) -> str:
    return text if text.startswith(label) else f"{label}: {text}"
