# Plain text paths, as everywhere in this package.
# ruff: noqa: PTH111, PTH113, PTH118
"""Options of Airflow's ``[airflow_provider]`` section, for code that must also run where no Airflow is set up."""

import os
import sys


def environment_name(name: str) -> str:
    """The environment variable that sets option ``name``."""
    return f"AIRFLOW__AIRFLOW_PROVIDER__{name.upper()}"


def option(name: str) -> str | None:
    """Option ``name``: from the environment, else from Airflow's configuration; None where it is unset or empty.

    Airflow is not imported for a process that has none configured.
    """
    given = os.environ.get(environment_name(name))
    if given:
        return given
    home = os.path.expanduser(os.environ.get("AIRFLOW_HOME") or "~/airflow")
    if "airflow" not in sys.modules and not os.path.isfile(os.path.join(home, "airflow.cfg")):
        return None
    try:
        from airflow.configuration import conf
    except ImportError:
        return None
    value: str | None = conf.get("airflow_provider", name, fallback=None)
    return value or None
