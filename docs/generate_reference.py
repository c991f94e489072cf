"""Write ``docs/reference.md`` from the docstrings of the public names: ``python docs/generate_reference.py``.

The page is a view of the code: a test fails while it is not what this script would write.
"""

import enum
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import airflow_provider

PAGE = Path(__file__).with_name("reference.md")
INTRODUCTION = """# Reference

What `import airflow_provider as ap` offers, from the docstrings. `docs/generate_reference.py` writes this page:
change the code, then run it.
"""
_SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Yields|Source):\s*(.*)")
_ENTRY = re.compile(r" {4}(\*{0,2}\w+(?: \([^)]*\))?): (.*)")


def page() -> str:
    """The whole page."""
    names = [name for name in airflow_provider.__all__ if name != "errors"]
    links = ",\n".join(f"[`{name}`](#{anchor(name)})" for name in [*names, "errors"])
    parts = [INTRODUCTION, f"{links}\n", *(described(name, getattr(airflow_provider, name)) for name in names)]
    return "\n".join([*parts, described_errors()]) + "\n"


def anchor(name: str) -> str:
    """Where a heading is linked to: a second one that differs in case alone has a number."""
    before = airflow_provider.__all__[: airflow_provider.__all__.index(name)]
    twins = sum(other.lower() == name.lower() for other in before)
    return name.lower() + (f"-{twins}" if twins else "")


def described(name: str, value: Any) -> str:
    """The section of one public name."""
    lines = [f"## {name}", ""]
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return "\n".join([*lines, *prose(value), f"Values: {', '.join(f'`{one.name}`' for one in value)}.", ""])
    lines += [f"`{name}{parameters(value)}`", ""]
    if isinstance(value, type) and (base := public_base(value)):
        lines += [f"A [`{base}`](#{anchor(base)}), with all its members.", ""]
    lines += prose(value)
    if isinstance(value, type):
        lines += members(value)
    return "\n".join(lines)


def described_errors() -> str:
    """The section of the module of exceptions."""
    found = vars(airflow_provider.errors).values()
    kinds = [kind for kind in found if isinstance(kind, type) and issubclass(kind, airflow_provider.errors.AssetsError)]
    listed = [f"- `{kind.__name__}` ({kind.__mro__[1].__name__}): {first_line(kind)}" for kind in kinds]
    return "\n".join(
        ["## errors", "", "Every exception of the package; each has `what`, `where` and `fix`.", "", *listed]
    )


def parameters(called: Any) -> str:
    """Names and defaults of what a callable takes."""
    found = inspect.signature(called).parameters.values()
    plain = inspect.Signature([one.replace(annotation=inspect.Parameter.empty) for one in found])
    return re.sub(r"<(\w+)\.(\w+): [^>]*>", r"\1.\2", re.sub(r" at 0x[0-9a-f]+", "", str(plain)))


def public_base(kind: type) -> str | None:
    """The nearest base class that is public itself."""
    return next((base.__name__ for base in kind.__mro__[1:] if base.__name__ in airflow_provider.__all__), None)


def members(kind: type) -> list[str]:
    """A line for each public method and property that the class, or a base that is not public, defines."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith("airflow_provider")]
    inherited = {name for base in bases[1:] if base.__name__ in airflow_provider.__all__ for name in vars(base)}
    own = {
        name for base in bases if base is kind or base.__name__ not in airflow_provider.__all__ for name in vars(base)
    }
    lines = []
    for name in sorted(own - inherited):
        value = inspect.getattr_static(kind, name)
        if name.startswith(("_", "model_")) or not (isinstance(value, property) or is_function(value)):
            continue
        shown = name if isinstance(value, property) else f"{name}{parameters(getattr(kind, name))}"
        lines.append(f"- `{shown}`: {first_line(value)}")
    return ["**Members**", "", *lines, ""] if lines else []


def is_function(value: Any) -> bool:
    """Whether a class attribute is a method of any kind."""
    return inspect.isfunction(value) or isinstance(value, (classmethod, staticmethod))


def first_line(value: Any) -> str:
    """The first paragraph of a docstring, in one line."""
    return plain(" ".join((inspect.getdoc(value) or "").split("\n\n")[0].split()))


def prose(value: Any) -> list[str]:
    """A docstring in Markdown: its sections in bold, their entries as a list."""
    return [*_converted(plain(inspect.getdoc(value) or "").splitlines()), ""]


def _converted(lines: list[str]) -> Iterator[str]:
    in_section = False
    for line in lines:
        if line == "::":  # the indented block that follows is code in Markdown too
            continue
        if section := _SECTION.fullmatch(line):
            in_section = True
            yield f"**{section[1]}** {section[2]}".rstrip()
            yield ""
        elif in_section and (entry := _ENTRY.fullmatch(line)):
            yield f"- `{entry[1]}`: {entry[2]}"
        elif in_section and line.startswith(" "):
            yield f"  {line.strip()}" if line.startswith(" " * 8) else line.strip()
        else:
            in_section = in_section and not line
            yield line


def plain(text: str) -> str:
    """Code marks of docstrings as Markdown's."""
    return text.replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
