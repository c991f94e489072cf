"""Airflow connections by name: looked up synchronously, in the worker, never while a DAG is parsed.

Airflow reports several faults as a missing connection, and a plain Python process sees only environment variables and
secrets backends; the error says so.
"""

import sys
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, quote_plus

from airflow_provider.errors import ConnectionLookupError


def connection(conn_id: str) -> Any:
    """Airflow's connection called ``conn_id``.

    Raises:
        ConnectionLookupError: Airflow gave none.
    """
    from airflow_provider.version_compat import BaseHook, guard_supervisor_socket

    guard_supervisor_socket()
    try:
        return BaseHook.get_connection(conn_id)
    except Exception as error:  # Airflow raises different classes for the same fault, by version and by process
        raise ConnectionLookupError(
            f"Airflow gave no connection of that name ({type(error).__name__})",
            where=f"connection {conn_id!r}",
            fix="add it in Airflow (Admin, Connections) or a secrets backend; outside Airflow set "
            f"AIRFLOW_CONN_{conn_id.upper()} to its JSON, since connections of Airflow's database are not seen there",
        ) from error


def mask(values: Iterable[str]) -> None:
    """Have Airflow's logs show ``***`` for these values, also as they stand in URLs; without Airflow nobody masks."""
    if "airflow" not in sys.modules:
        return
    from airflow_provider.version_compat import mask_secret

    for value in values:
        for form in dict.fromkeys((value, quote(value), quote(value, safe=""), quote_plus(value))):
            mask_secret(form)


def hook(conn_id: str) -> Any:
    """Airflow's own hook for the type of connection ``conn_id``.

    Raises:
        ConnectionLookupError: There is no such connection, or no hook for its type.
    """
    from airflow_provider.version_compat import BaseHook

    found = connection(conn_id)
    try:
        return BaseHook.get_hook(conn_id)
    except Exception as error:  # as above
        raise ConnectionLookupError(
            f"no hook for its type {found.conn_type!r} ({type(error).__name__})",
            where=f"connection {conn_id!r}",
            fix=f"install the provider package of {found.conn_type!r}",
        ) from error
