"""Write the table of ``docs/explanation/types.md`` from the type maps: ``python docs/generate_types.py``.

A test fails while the page is not what this script would write.
"""

from pathlib import Path

import airflow_provider as ap
from airflow_provider.schema.type_map import KINDS

PAGE = Path(__file__).with_name("explanation") / "types.md"
START, END = "<!-- table of the type maps: written by docs/generate_types.py -->\n", "<!-- end of the table -->"
DESTINATIONS = (ap.ParquetDestination, ap.CSVDestination, ap.FileDestination, ap.MemoryDestination)


def table() -> str:
    """The table, a row for each kind of type and a column for each destination."""
    names = [destination.name for destination in DESTINATIONS]
    lines = [f"| what a column holds | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    lines += [
        f"| {text} | {' | '.join(held(destination.type_map, kind) for destination in DESTINATIONS)} |"
        for kind, text in KINDS.items()
    ]
    return "\n".join(lines) + "\n"


def held(types: ap.TypeMap, kind: str) -> str:
    """What becomes of one kind, for a cell of the table."""
    if kind in types.refused:
        return f"no: {types.refused[kind]}"
    notes = [f"as {types.becomes[kind][0]}"] if kind in types.becomes else ["yes"]
    if kind in types.refused_inside:
        notes.append("not inside a list, record or map")
    if types.years and kind in ("date", "timestamp", "timestamp_tz"):
        notes.append(f"years {types.years[0]} to {types.years[1]}")
    return "; ".join(notes)


def page() -> str:
    """The page with the table as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(START)[0], text.split(END)[1]
    return f"{before}{START}{table()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
