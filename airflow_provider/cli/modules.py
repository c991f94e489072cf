"""Files and modules with definitions, loaded one by one, and the DAGs that they build on the way.

A file is loaded under the name by which its neighbours import it, so that a definition is there once however it is
reached; a file whose name is taken (``json.py``) gets one of its own.
"""

import contextlib
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.multi_asset import MultiAsset

_OURS = b"airflow_provider"


def files_in(folder: Path) -> list[Path]:
    """The Python files under ``folder`` that mention the package, sorted; hidden folders and caches left out.

    The other files of a folder of DAGs are not executed: they hold nothing for us.
    """
    return [
        file
        for file in sorted(folder.rglob("*.py"))
        if not any(part.startswith(".") or part == "__pycache__" for part in file.relative_to(folder).parts)
        and _mentions(file, _OURS)
    ]


def module_of_file(file: Path, *, root: Path) -> ModuleType:
    """Load ``file`` with ``root``, or the folder above the package that it is in, on the import path."""
    file, root = file.resolve(), root.resolve()
    while (root / "__init__.py").exists() and root.parent != root:
        root = root.parent
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    relative = file.relative_to(root).with_suffix("")
    name = ".".join(relative.parts[:-1] if relative.name == "__init__" else relative.parts)
    _expect_dags(file)
    if _finds(name, file):
        return importlib.import_module(name)
    return _executed(f"airflow_assets_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}", file)


def module_of_name(name: str) -> ModuleType:
    """Import the module called ``name``; the working folder is on the import path, as for ``python -m``."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.origin is not None:
        _expect_dags(Path(spec.origin))
    return importlib.import_module(name)


@dataclass
class Capture:
    """Remembers the DAGs that are built while modules load, also those that no variable keeps."""

    _dags: list[Any] = field(default_factory=list)

    def run(self, loader: Callable[[], ModuleType]) -> ModuleType:
        """Load a module; the DAGs that it built can be asked for until the next call."""
        self._dags = []
        try:
            return loader()
        finally:
            self._dags = _registered()

    def assets(self) -> list[Asset]:
        """The assets of the tasks of those DAGs."""
        return [asset for dag in self._dags for asset in _assets_of_dag(dag)]

    def broken(self) -> list[tuple[str, str]]:
        """Definitions for which ``build_dags`` put a stub in place: the stub's name and the message."""
        found: dict[str, str] = {}
        for dag in self._dags:
            for task in dag.tasks:
                if type(task).__name__ == "BrokenDefinitionOperator":
                    found.setdefault(task.message, dag.dag_id)
        return sorted((dag_id.removesuffix("__import_error"), message) for message, dag_id in found.items())

    def assets_of_dags_in(self, module: ModuleType) -> list[Asset]:
        """The assets of DAGs that a variable of ``module`` holds."""
        sdk = sys.modules.get("airflow.sdk")
        dag_class = getattr(sdk, "DAG", None) if sdk is not None else None
        if dag_class is None:
            return []
        dags = [value for value in vars(module).values() if isinstance(value, dag_class)]
        return [asset for dag in dags for asset in _assets_of_dag(dag)]


def _assets_of_dag(dag: Any) -> Iterator[Asset]:
    for task in dag.tasks:
        asset = getattr(task, "asset", None)
        if isinstance(asset, MultiAsset):
            yield from asset.assets.values()
        elif isinstance(asset, Asset):
            yield asset


def _registered() -> list[Any]:
    """The DAGs that Airflow registered for us since ``_expect_dags``, by id; the registry is left as it was."""
    registry = _registry()
    if registry is None:
        return []
    registry.current_autoregister_module_name = None
    own = [entry for entry in registry.autoregistered_dags if entry[1] is sys.modules[__name__]]
    registry.autoregistered_dags.difference_update(own)
    return sorted((entry[0] for entry in own), key=lambda dag: str(dag.dag_id))


def _registry() -> Any:
    """Where Airflow notes DAGs that no variable keeps. Not public: without it only those in variables are found."""
    if "airflow.sdk" not in sys.modules:
        return None
    try:
        from airflow.sdk.definitions._internal.contextmanager import DagContext
    except ImportError:
        return None
    wanted = ("autoregistered_dags", "current_autoregister_module_name")
    return DagContext if all(hasattr(DagContext, name) for name in wanted) else None


def _expect_dags(file: Path) -> None:
    """Have Airflow note the DAGs of a file that seems to build some, by Airflow's own test; others need no Airflow."""
    if not _mentions(file, b"dag"):
        return
    with contextlib.suppress(ImportError):
        import airflow.sdk  # noqa: F401 -- its registry is looked at below
    registry = _registry()
    if registry is not None:
        registry.current_autoregister_module_name = __name__


def _mentions(file: Path, word: bytes) -> bool:
    try:
        return word in file.read_bytes().lower()
    except OSError:
        return True  # loading it tells what is wrong


def _finds(name: str, file: Path) -> bool:
    """Whether an import of ``name`` gives ``file``."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == file


def _executed(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
