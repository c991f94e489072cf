"""The definitions that a command works on, from files, folders and modules.

A file that cannot be loaded, and a definition that does not fit, is a problem with a name; the others are there. What a
DAG was built from wins over what a module merely names, and that over a class of which nothing was made: the first
knows the destinations in force.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from airflow_provider.cli.modules import Capture, files_in, module_of_file, module_of_name
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.catalog import Catalog, assets_of
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.selection import classes_in, instances_in
from airflow_provider.errors import AssetNotFoundError, CircularDependencyError, ConfigError, located

ENVIRONMENT = "AIRFLOW_ASSETS_FROM"
_OF_DAG, _OF_MODULE, _OF_CLASS = range(3)


@dataclass(frozen=True)
class Problem:
    """What is wrong with one file or definition."""

    name: str
    text: str

    def __str__(self) -> str:
        return self.text if self.text.startswith((self.name, f"asset {self.name!r}")) else f"{self.name}: {self.text}"


@dataclass
class Bundle:
    """What was found.

    Attributes:
        origins: Where was looked.
        files: How many files and modules were loaded.
        problems: What could not be loaded or does not fit.
    """

    origins: tuple[str, ...]
    files: int = 0
    problems: list[Problem] = field(default_factory=list)
    _found: dict[str, tuple[int, str, Asset]] = field(default_factory=dict, repr=False)
    _graph: AssetGraph | None = field(default=None, repr=False)

    @property
    def graph(self) -> AssetGraph:
        """The graph of all assets that are right.

        Raises:
            ConfigError: There is none.
        """
        if self._graph is None:
            raise ConfigError(
                "holds no asset" + (" that could be loaded" if self.problems else ""),
                where=", ".join(self.origins),
                fix="mend the problems above"
                if self.problems
                else f"name a file, a folder or a module with --from, or in {ENVIRONMENT}",
            )
        return self._graph

    def select(self, names: Sequence[str]) -> list[Asset]:
        """The assets called ``names``, bare or qualified, upstreams first; all of them for no name.

        The name of a multi-asset stands for its outputs.

        Raises:
            AssetNotFoundError: A name is unknown, or fits several.
        """
        for name in names:
            if os.sep in name or name.endswith(".py"):
                raise AssetNotFoundError(
                    f"{name!r} is a path, not an asset", where="command line", fix=f"write --from {name}"
                )
        try:
            return self.graph.select(names or None)
        except AssetNotFoundError as error:
            failed = f" ({len(self.problems)} definitions could not be loaded)" if self.problems else ""
            raise AssetNotFoundError(f"{error.what}{failed}", where=", ".join(self.origins), fix=error.fix) from None

    def find(self, name: str) -> Asset:
        """The one asset called ``name``.

        Raises:
            AssetNotFoundError: As for ``select``, or the name is that of a multi-asset.
        """
        found = self.select([name])
        if len(found) > 1:
            raise AssetNotFoundError(
                f"{name!r} is a multi-asset",
                where=", ".join(self.origins),
                fix=f"name one of {', '.join(asset.qualified_key for asset in found)}",
            )
        return found[0]

    def add(self, asset: Asset, *, rank: int, place: str) -> None:
        """Take an asset in, unless a better one of its name is there."""
        known = self._found.get(asset.qualified_key)
        if known is not None and known[2] is not asset and known[0] == rank:
            self.problem(asset.qualified_key, _twice(known[2], known[1], asset, place))
        if known is None or rank < known[0]:
            self._found[asset.qualified_key] = (rank, place, asset)

    def problem(self, name: str, error: BaseException | str) -> None:
        """Note what is wrong; the same text is noted once, for a DAG and a module may tell of one definition."""
        text = error if isinstance(error, str) else located(error)
        if all(known.text != text for known in self.problems):
            self.problems.append(Problem(name, text))

    def join(self) -> None:
        """Build the graph out of the assets that fit; the others become problems."""
        assets = [asset for _, _, asset in self._found.values()]
        catalog = Catalog(assets)
        good: dict[str, Asset] = {}
        for asset in assets:
            try:
                AssetGraph(asset, among=catalog)
            except Exception as error:  # noqa: BLE001 -- whatever a user's definition raises is its own problem
                self.problem(asset.qualified_key, error)
            else:
                good[asset.qualified_key] = asset
        while good and self._graph is None:
            try:
                self._graph = AssetGraph(*good.values(), among=catalog)
            except CircularDependencyError as error:
                self.problem(error.where, error)
                cycle = set(error.what.split(" -> ")) & set(good)
                good = {key: asset for key, asset in good.items() if cycle and key not in cycle}


def _twice(one: Asset, place: str, other: Asset, other_place: str) -> str:
    """What is wrong with two assets of one name."""
    if place != other_place:
        return f"is defined twice: in {place} and in {other_place}\n  Fix: give one of its sources another key="
    owner = "asset" if one.source is None else "source"
    if type(one) is type(other):
        return (
            f"is there twice: {place} makes two instances of one {owner}\n"
            f"  Fix: keep one of them under a name of the module, or give one another key="
        )
    return f"is defined twice in {place}\n  Fix: give one {owner} another key="


def origins_of(given: Sequence[str]) -> tuple[str, ...]:
    """Where definitions are looked for: ``given``, else the environment, else Airflow's folder of DAGs."""
    if given:
        return tuple(given)
    if listed := [part for part in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if part.strip()]:
        return tuple(listed)
    home = os.environ.get("AIRFLOW_HOME") or "~/airflow"
    return (os.path.expanduser(os.environ.get("AIRFLOW__CORE__DAGS_FOLDER") or f"{home}/dags"),)  # noqa: PTH111


def load(given: Sequence[str] = ()) -> Bundle:
    """Load every definition of ``origins_of(given)``; what is wrong is in ``problems``."""
    bundle = Bundle(origins_of(given))
    modules: list[tuple[str, ModuleType]] = []
    capture = Capture()
    for origin in bundle.origins:
        for name, loader in _loaders(origin, bundle):
            try:
                module = capture.run(loader)
            except (Exception, SystemExit) as error:  # noqa: BLE001 -- one bad file is one problem
                bundle.problem(name, error)
                continue
            finally:
                for asset in capture.assets():
                    for one in assets_of(asset.source) or [asset] if asset.source is not None else [asset]:
                        bundle.add(one, rank=_OF_DAG, place=name)
                for broken, message in capture.broken():
                    bundle.problem(f"{name}, {broken}", message)
            bundle.files += 1
            modules.append((name, module))
            for asset in capture.assets_of_dags_in(module):
                bundle.add(asset, rank=_OF_DAG, place=name)
            _add(bundle, instances_in(module), rank=_OF_MODULE, place=name)
    _add_classes(bundle, modules)
    bundle.join()
    return bundle


def _loaders(origin: str, bundle: Bundle) -> Iterable[tuple[str, Callable[[], ModuleType]]]:
    path = Path(origin).expanduser()
    if path.is_dir():
        return [(str(file), lambda file=file: module_of_file(file, root=path)) for file in files_in(path)]  # type: ignore[misc]
    if path.is_file():
        return [(origin, lambda: module_of_file(path, root=path.parent))]
    if os.sep in origin or origin.endswith(".py"):
        bundle.problem(origin, "there is no such file or folder\n  Fix: correct --from")
        return []
    return [(origin, lambda: module_of_name(origin))]


def _add(bundle: Bundle, workloads: Iterable[Any], *, rank: int, place: str) -> None:
    for workload in workloads:
        for asset in assets_of(workload) or ():
            bundle.add(asset, rank=rank, place=place)


def _add_classes(bundle: Bundle, modules: Sequence[tuple[str, ModuleType]]) -> None:
    """Make what was declared and nowhere made."""
    assets = [asset for _, _, asset in bundle._found.values()]
    made: set[type] = {type(asset) for asset in assets}
    made |= {type(owner) for asset in assets for owner in (asset.source, asset.computation) if owner is not None}
    for _, module in modules:
        made |= {type(one) for one in instances_in(module)}
    for place, module in modules:
        for definition in classes_in(module, made=made):
            try:
                _add(bundle, [definition()], rank=_OF_CLASS, place=place)
            except Exception as error:  # noqa: BLE001 -- whatever a user's definition raises is its own problem
                bundle.problem(f"{place}, {definition.__name__}", error)
