"""``{env.NAME}`` in a setting: filled in where the setting is used, never while a DAG is parsed.

One definition thus serves development and production, and the serialised DAG does not depend on the machine.
"""

import io
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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


def holds_env(value: Any) -> bool:
    """Whether a ``{env.NAME}`` is in ``value``: a text, or a text in a list, tuple or dict."""
    if isinstance(value, str):
        return _PLACEHOLDER.search(value) is not None
    if isinstance(value, Mapping):
        return any(map(holds_env, value.values()))
    return isinstance(value, (list, tuple)) and any(map(holds_env, value))


def fill_env(value: Any, *, where: str) -> Any:
    """``value`` with every ``{env.NAME}`` in it filled in; other values as they are."""
    if isinstance(value, str):
        return resolve_env(value, where=where)
    if isinstance(value, Mapping):
        return {name: fill_env(one, where=where) for name, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(fill_env(one, where=where) for one in value)
    return value


def file_variables(path: Path, *, where: str) -> dict[str, str]:
    """The variables of a ``.env`` file, by upper-case name; none where there is no such file.

    Raises:
        ConfigError: The file cannot be read, or python-dotenv, which reads it, is not installed.
    """
    if not path.exists():
        return {}
    try:
        from dotenv import dotenv_values
    except ImportError:
        raise ConfigError(
            f"env_file needs python-dotenv to read {path}", where=where, fix="install airflow-provider-assets[dotenv]"
        ) from None
    try:
        found = dotenv_values(stream=io.StringIO(path.read_text(encoding="utf-8")), interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} cannot be read ({type(error).__name__})", where=where, fix="let this user read it, as UTF-8 text"
        ) from None
    return {name.upper(): value for name, value in found.items() if value is not None}
