"""``index compact``: leave only what counts in the index. It needs no definitions, and happens by itself as well."""

from collections.abc import Sequence

from airflow_provider.cli.console import Terminal, counted
from airflow_provider.errors import AssetNotFoundError
from airflow_provider.storage.index import IndexStore


def compact(terminal: Terminal, names: Sequence[str], index: IndexStore) -> None:
    """Compact the index of the assets called ``names``, bare or qualified; of all that it knows for no name.

    Raises:
        AssetNotFoundError: The index knows no asset of a name; nothing was done.
        DestinationError: A file could not be replaced; those before are compacted.
    """
    known = index.assets()
    chosen = known if not names else sorted({key for name in names for key in named(name, known, index)})
    for asset in chosen:
        for done in index.compact(asset):
            (lines, fewer), (size, smaller) = done.lines, done.bytes
            dropped = f", {counted(done.damaged, 'damaged line')} dropped" if done.damaged else ""
            terminal.say(
                f"{asset} in {done.destination or 'a file without entries'}: {counted(lines, 'line')} to {fewer:,}, "
                f"{counted(size, 'byte')} to {smaller:,}{dropped}"
            )
    if not chosen:
        terminal.note("the index is empty")


def named(name: str, known: Sequence[str], index: IndexStore) -> list[str]:
    """The assets of the index that ``name`` means: that qualified key, else those whose last part it is.

    Raises:
        AssetNotFoundError: There is none.
    """
    found = [key for key in known if key == name] or [key for key in known if key.rpartition(".")[2] == name]
    if not found:
        raise AssetNotFoundError(
            f"the index knows no asset {name!r}",
            where=f"index at {index.root}",
            fix="name one that has run: " + (", ".join(known[:10]) or "none has"),
        )
    return found
