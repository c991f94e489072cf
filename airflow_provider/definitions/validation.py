"""Values of fields, checked; what is said of one that does not fit never quotes what may be a secret."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import PydanticUserError, ValidationError

from airflow_provider.errors import ConfigError

if TYPE_CHECKING:
    from airflow_provider.definitions.component import Component


SECRET_NAME = re.compile("pass|secret|token|credential|(^|_)(key|auth|pwd)($|_)", re.IGNORECASE)
"""Names of fields whose values are taken for secrets."""


def set_defaults(cls: "type[Component]", defaults: Mapping[str, Any], *, where: str) -> None:
    """Make ``defaults`` the values of fields that an instance is not given, after checking each as its field.

    Raises:
        ConfigError: A value that its field does not take.
    """
    validated(cls, defaults, where=where)
    cls._field_defaults = {**cls._field_defaults, **defaults}


def validated(cls: "type[Component]", values: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """The values as their fields take them, each on its own; other fields may be missing.

    Raises:
        ConfigError: A value that its field does not take.
    """
    probe = cls.model_construct()
    for name, value in values.items():
        try:
            cls.__pydantic_validator__.validate_assignment(probe, name, value)
        except ValidationError as error:
            shown = f"{name}={value!r}: " if cls.kind in ("asset", "source") else ""
            fix = _fix(cls, error) or "correct the option"
            raise ConfigError(f"{shown}{_problems(cls, error)}", where=where, fix=fix) from None
        except (PydanticUserError, AttributeError):
            return dict(values)  # types that are not there yet, or a check of all fields at once: the instance tells
    return {name: probe.__dict__[name] for name in values}


def config_error(component: "Component", error: ValidationError) -> ConfigError:
    """The error of a component of which some values do not fit."""
    cls = type(component)
    fix = _fix(cls, error) or "correct the named settings"
    return ConfigError(_problems(cls, error), where=f"{cls.kind} {cls.key!r}", fix=fix)


def missing_fields(error: ConfigError) -> list[str]:
    """The fields that ``config_error`` complains of, where all that is wrong with them is that they are not given."""
    cause = error.__context__
    problems = cause.errors(include_input=False) if isinstance(cause, ValidationError) else []
    is_missing = all(problem["type"] == "missing" and len(problem["loc"]) == 1 for problem in problems)
    return [str(problem["loc"][0]) for problem in problems] if is_missing else []


def _problems(cls: "type[Component]", error: ValidationError) -> str:
    """The problems of a pydantic error by field name, without the values, which may be secrets."""
    own_words = ("value_error", "assertion_error") if getattr(cls, "sensitive", False) else ()  # may quote the value
    problems = []
    for problem in error.errors(include_input=False):
        said = "was refused by its check" if problem["type"] in own_words else _said(problem)
        name = ".".join(map(str, problem["loc"])) or "fields"
        problems.append(said if said.startswith(f"{name} ") else f"{name}: {said}")
    return "; ".join(problems)


def _said(problem: Any) -> str:
    """What a check said, without the fix, which has its own line."""
    cause = problem.get("ctx", {}).get("error")
    return cause.what if isinstance(cause, ConfigError) else str(problem["msg"])


def _fix(cls: "type[Component]", error: ValidationError) -> str:
    """What to do, as far as the checks of the fields know it."""
    if getattr(cls, "sensitive", False):
        return ""  # a fix may quote the value
    fixes = []
    for problem in error.errors(include_input=False):
        context = problem.get("ctx", {})
        cause = context.get("error")
        if isinstance(cause, ConfigError):
            fixes.append(cause.fix)
        elif context.get("class") == "RetryPolicy":
            fixes.append("give ap.RetryPolicy(max_attempts=3)")
    return "; ".join(dict.fromkeys(fix for fix in fixes if fix))
