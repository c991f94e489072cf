"""The windows of a run, checked before anything starts: problems are told all at once."""

from collections.abc import Iterable, Mapping
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Computation
from airflow_provider.errors import PartitionError
from airflow_provider.partitioning import Partition, PartitionWindow

Windows = tuple[PartitionWindow, ...] | None


def windows_for(
    asset: Asset | Computation,
    window: PartitionWindow | Partition | Iterable[PartitionWindow] | Mapping[str, Any] | str | None,
) -> Windows:
    """``window`` as the windows that ``asset``, or what fills it, is run for, in its own zone; None without partitions.

    Anything but windows is read as typed: a key, ``first..last``, a date, an aware datetime, a mapping of columns, or a
    list of those; see ``parse`` of the asset's partitioning.

    Raises:
        PartitionError: None was given to a partitioned asset, or something that names no partition, or a window is of
            another grain, or outside start and end.
    """
    if asset.partitioning is None:
        return None
    if isinstance(window, Iterable) and not isinstance(window, (str, bytes, PartitionWindow, Mapping)):
        given: Windows = asset.partitioning.parse(list(window), where=asset.label)
    else:
        given = asset.partitioning.parse(window, where=asset.label)
        if not given:
            asset.partitioning.check(None, where=asset.label)
    adopted = []
    for one in given or ():
        asset.partitioning.check(one, where=asset.label)
        adopted.append(asset.partitioning.adopt(one))
    return asset.partitioning.join(adopted)


def writes(asset: Asset, windows: Windows) -> int:
    """How many partition writes a run for ``windows`` does for ``asset``: one per partition and destination."""
    partitions = 1 if windows is None or asset.partitioning is None else sum(map(len, windows))
    return partitions * max(1, len(asset.destinations))


def check_all(assets: Iterable[Asset | Computation], window: Any) -> dict[str, Windows]:
    """The windows of each by qualified key.

    Raises:
        PartitionError: It does not fit at least one of them; all that do not are named.
    """
    found: dict[str, Windows] = {}
    problems: list[PartitionError] = []
    for asset in assets:
        try:
            found[asset.qualified_key] = windows_for(asset, window)
        except PartitionError as error:
            problems.append(error)
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise PartitionError(
            "; ".join(f"{problem.where}: {problem.what}" for problem in problems),
            where="no window" if window is None else f"window {window}",
            fix=problems[0].fix,
        )
    return found
