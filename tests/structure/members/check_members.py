"""Which members of the documented interface the package has.

Reads ``members.tsv`` beside this file. The ``home`` of a row is ``module:qualname`` for an object
or a field and ``module:qualname(param)`` for a parameter; ``" | "`` separates places of which one is enough. Where
``expected`` begins with ``= `` and a Python literal, the default is compared too.

The rule kept: a row is *present* only when it was seen. Rows that tell of behaviour, metadata, layout or the command
line, rows without a home, parameters that may hide in ``**kwargs`` and modules that need an absent library are
*not checkable*.

    python check_members.py [--part NAME] [--document NAME] [--list]

Exits 1 when a member is missing or has another default, 2 when no row fits the options.
"""

import argparse
import ast
import csv
import dataclasses
import importlib
import inspect
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

PRESENT, MISSING, WRONG, UNCHECKED = "present", "missing", "wrong default", "not checkable"
VERDICTS = (PRESENT, MISSING, WRONG, UNCHECKED)
NOT_CHECKABLE = {"behaviour", "metadata", "layout", "cli"}
HOME = re.compile(r"(?P<module>[\w.]+):(?P<path>[\w.]+)(?:\((?P<param>\w+)\))?")
FOREIGN = {"builtins", "pydantic", "pydantic_settings"}  # BaseModel.schema is not our schema
NO_VALUE = object()  # there, without a value to compare


class Absent(Exception):
    """The member is not there."""


class Unknowable(Exception):
    """The member may be there, but looking cannot tell."""


def explain(error: Exception, what: str, root: str) -> Exception:
    """Why ``what`` cannot be imported: only a library outside ``root`` that is absent leaves the question open."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ModuleNotFoundError) and (cause.name or root).split(".")[0] != root:
            return Unknowable(f"{what} needs {cause.name}")
        cause = cause.__cause__ or cause.__context__
    return Absent(f"{what} does not import: {error}")


def load(module: str) -> Any:
    """Import ``module``."""
    try:
        return importlib.import_module(module)
    except Exception as error:
        raise explain(error, module, module.split(".")[0]) from None


def fields(owner: Any) -> dict[str, Any]:
    """Dataclass and pydantic fields with their defaults, factories called."""
    found: dict[str, Any] = {}
    for name, field in getattr(owner, "__dataclass_fields__", {}).items():
        factory = field.default_factory
        value = field.default if factory is dataclasses.MISSING else factory()
        found[name] = NO_VALUE if value is dataclasses.MISSING else value
    models = getattr(owner, "model_fields", None)
    for name, field in (models if isinstance(models, dict) else {}).items():
        try:
            found[name] = NO_VALUE if field.is_required() else field.get_default(call_default_factory=True)
        except Exception:  # a factory that wants the other fields
            found[name] = NO_VALUE
    return found


def declared(owner: type, name: str) -> bool:
    """Whether a class body annotates ``name`` or a method of the class sets ``self.name``."""
    for base in owner.__mro__[:-1]:
        try:
            body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body  # type: ignore[attr-defined]
        except (OSError, TypeError, SyntaxError, IndexError):
            continue  # no source to read
        if any(isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name for node in body):
            return True
        methods = [node for node in body if not isinstance(node, ast.ClassDef)]
        for node in (inner for outer in methods for inner in ast.walk(outer)):
            for target in getattr(node, "targets", [getattr(node, "target", None)]):
                if isinstance(target, ast.Attribute) and ast.unparse(target) == f"self.{name}":
                    return True
    return False


def attribute(owner: type, name: str) -> Any:
    """What a class holds under ``name``, or ``NO_VALUE`` where it is declared without a value."""
    if name in (known := fields(owner)):
        return known[name]
    own = [base for base in owner.__mro__ if base.__module__.split(".")[0] not in FOREIGN]
    bases = owner.__mro__ if name.startswith("model_") else own
    if any(name in vars(base) for base in bases) or name in getattr(owner, "_member_map_", {}):
        return getattr(owner, name, NO_VALUE)
    if declared(owner, name):
        return NO_VALUE
    if any("__getattr__" in vars(base) for base in own):
        raise Unknowable(f"{owner.__qualname__} may make {name} in __getattr__")
    raise Absent(f"{owner.__qualname__} has no {name}")


def step(owner: Any, name: str) -> Any:
    """What a module, class or object holds under ``name``."""
    if isinstance(owner, type):
        return attribute(owner, name)
    try:
        return getattr(owner, name)
    except AttributeError:
        if inspect.ismodule(owner):
            return load(f"{owner.__name__}.{name}")
        raise Absent(f"{type(owner).__qualname__} object has no {name}") from None
    except Exception as error:  # a lazy facade whose import failed
        raise explain(error, name, getattr(owner, "__name__", "").split(".")[0]) from None


def parameter(called: Any, name: str) -> Any:
    """The default of a parameter, ``NO_VALUE`` when it has none."""
    if isinstance(called, type) and name in (known := fields(called)):
        return known[name]
    try:
        parameters = inspect.signature(called).parameters
    except (TypeError, ValueError):
        raise Unknowable("no readable signature") from None
    if name in parameters:
        default = parameters[name].default
        return NO_VALUE if default is inspect.Parameter.empty else default
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        raise Unknowable(f"{name} may hide in **kwargs")
    raise Absent(f"no parameter {name}")


def find(home: str) -> Any:
    """The object, default or ``NO_VALUE`` that one ``module:qualname(param)`` names."""
    match = HOME.fullmatch(home)
    if match is None:
        raise ValueError(f"members.tsv: cannot read the home {home!r}; write module:qualname or module:qualname(param)")
    found = load(match["module"])
    for name in match["path"].split("."):
        if found is NO_VALUE:
            raise Unknowable(f"nothing known behind the field before {name}")
        found = step(found, name)
    if match["param"]:
        return parameter(found, match["param"])
    return found


def fits(value: Any, kind: str) -> bool:
    """Whether what was found can be a member of that kind."""
    if kind in {"decorator", "method"}:
        return callable(value)
    if kind == "error":
        return isinstance(value, type) and issubclass(value, Exception)
    return kind != "class" or not inspect.ismodule(value)


def agrees(value: Any, expected: str) -> bool:
    """Whether ``value`` is the literal after ``= ``; a frozen container is as good as a list or dict."""
    if not expected.startswith("= "):
        return True
    literal = ast.literal_eval(expected.removeprefix("= ").split("; ")[0])
    plain = value.value if isinstance(value, Enum) else value
    plain = dict(plain) if isinstance(plain, Mapping) else list(plain) if isinstance(plain, tuple) else plain
    return type(plain) is type(literal) and plain == literal


def judge(row: dict[str, str]) -> tuple[str, str]:
    """The verdict on one row and the reason for it."""
    if row["kind"] in NOT_CHECKABLE:
        return UNCHECKED, "tells of behaviour"
    if not row["home"]:
        return UNCHECKED, "has no home"
    reasons: dict[str, str] = {}
    for home in row["home"].split(" | "):
        try:
            value = find(home)
            if not fits(value, row["kind"]):
                raise Absent(f"is no {row['kind']}")
        except Absent as reason:
            reasons.setdefault(MISSING, f"{home}: {reason}")
        except Unknowable as reason:
            reasons.setdefault(UNCHECKED, f"{home}: {reason}")
        else:
            if agrees(value, row["expected"]):
                return PRESENT, home
            shown = "no default" if value is NO_VALUE else f"{value!r:.60}"
            reasons.setdefault(WRONG, f"{home}: {shown}, expected {row['expected'].split('; ')[0]}")
    return next((verdict, reasons[verdict]) for verdict in (WRONG, MISSING, UNCHECKED) if verdict in reasons)


def read() -> list[dict[str, str]]:
    """Every row of the list."""
    with Path(__file__).with_name("members.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def table(title: str, counts: dict[str, Counter[str]]) -> Iterator[str]:
    """One line per group with its four counts."""
    yield f"{title:<24}" + "".join(f"{verdict:>15}" for verdict in VERDICTS)
    for group, count in sorted(counts.items()):
        yield f"{group:<24}" + "".join(f"{count[verdict]:>15}" for verdict in VERDICTS)


def main() -> int:
    options = argparse.ArgumentParser(description="Compare the package with the members that its documents name.")
    options.add_argument("--part", help="only rows of this part: core, ingestion, layers, dlt, tables")
    options.add_argument("--document", help="only rows of this document, for example sdk-reference")
    options.add_argument("--list", action="store_true", help="print only the ids of what is missing or wrong")
    chosen = options.parse_args()
    rows = [row for row in read() if chosen.part in (None, row["part"]) and chosen.document in (None, row["document"])]
    if not rows:
        options.error("no row of members.tsv fits these options")
    if chosen.list:
        print(*(row["id"] for row in rows if judge(row)[0] in {MISSING, WRONG}), sep="\n")
        return 0
    by_document: dict[str, Counter[str]] = {}
    by_part: dict[str, Counter[str]] = {}
    listed: dict[str, list[str]] = {MISSING: [], WRONG: [], "could not tell": []}
    for row in rows:
        verdict, reason = judge(row)
        by_document.setdefault(row["document"], Counter())[verdict] += 1
        by_part.setdefault(row["part"], Counter())[verdict] += 1
        if verdict == UNCHECKED and row["home"] and row["kind"] not in NOT_CHECKABLE:
            verdict = "could not tell"
        if verdict in listed:
            listed[verdict].append(f"  {row['id']} {row['member']}: {reason}")
    print(*table("document", by_document), "", *table("part", by_part), sep="\n")
    for title, found in listed.items():
        if found:
            print(f"\n{title} ({len(found)})", *found, sep="\n")
    return 1 if listed[MISSING] or listed[WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
