"""Where a definition needs something above it, it asks here.

A definition must not import the layers that run it. Each port names what it expects; the facade plugs in the dotted
name of the implementation, which is imported on first use.
"""

import importlib
from typing import Any, Literal

Port = Literal["runner", "hook_committer", "hook_inspector", "destination_registry", "connection_lookup", "index"]

_plugged: dict[str, str] = {}


def plug(port: Port, target: str) -> None:
    """Name the implementation of ``port`` as ``module:attribute``."""
    _plugged[port] = target


def resolve(port: Port) -> Any:
    """The implementation plugged into ``port``.

    * ``runner``: module with ``run_asset``, ``materialize_asset``, ``materialize_graph`` (see ``execution.runner``).
    * ``hook_committer``: ``(destination, context, call) -> Committer`` for destinations that only write and read.
    * ``hook_inspector``: ``(destination, context, call) -> Inspector`` for the same.
    * ``destination_registry``: ``(name) -> type[Destination]``.
    * ``connection_lookup``: module with ``connection(conn_id)`` and ``hook(conn_id)``, both Airflow's own, and
      ``mask(values)`` for its logs.
    * ``index``: ``() -> IndexStore`` of the deployment.
    """
    module, _, attribute = _plugged[port].partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded
