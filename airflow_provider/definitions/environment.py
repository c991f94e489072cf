"""``{env.NAME}`` in a setting: filled in where the setting is used, never while a DAG is parsed.

One definition thus serves development and production, and the serialised DAG does not depend on the machine.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from airflow_provider.errors import ConfigError

_PLACEHOLDER = re.compile(r"\{env\.([A-Za-z_][A-Za-z0-9_]*)\}")


def resolve_env(text: str, *, where: str, environ: Mapping[str, str] | None = None) -> str:
    """``text`` with each ``{env.NAME}`` replaced by that environment variable; ``AIRFLOW_HOME`` has Airflow's default.

    Raises:
        ConfigError: A variable is not set. The message names it, never a value.
    """
    values = os.environ if environ is None else environ

    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        if name == "AIRFLOW_HOME" and name not in values:
            return str(Path("~/airflow").expanduser())  # what Airflow itself takes
        if name not in values:
            raise ConfigError(
                f"environment variable {name!r} is not set, but {text!r} needs it",
                where=where,
                fix=f"set {name} for the process that runs the asset, or write the value into the setting",
            )
        return values[name]

    return _PLACEHOLDER.sub(fill, text)
