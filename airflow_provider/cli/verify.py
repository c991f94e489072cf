"""``verify``: data, commit records and index against each other, partition by partition. It changes nothing.

What a run at work is about to change is not taken for a difference: doubtful files are looked at under their lock, and
what the index says is asked twice.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from airflow_provider.cli.bundle import Problem
from airflow_provider.cli.console import Terminal, counted
from airflow_provider.cli.ticker import Ticker
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import located
from airflow_provider.execution.offload import Bridge
from airflow_provider.ledger.foreign import is_own
from airflow_provider.ledger.verify import KINDS, Finding, Holding, Kind, compare, states
from airflow_provider.storage.index import IndexStore

JSON_VERSION = 1
SHOWN = 20


@dataclass
class Report:
    """What was found of one asset in one destination.

    Attributes:
        asset: The asset's qualified key.
        destination: The destination's address.
        holdings: What the store holds, by key.
        findings: What differs, by key, the worst first.
        unplaced: What lies among the data and is no partition.
        error: Why it could not be compared; empty when it could.
    """

    asset: str
    destination: str
    holdings: dict[str | None, Holding] = field(default_factory=dict)
    findings: dict[str | None, list[Finding]] = field(default_factory=dict)
    unplaced: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def differs(self) -> bool:
        """Whether something is to be mended."""
        return any(finding.is_difference for finding in self.all)

    @property
    def all(self) -> list[Finding]:
        """Every finding, by kind, the worst first, then by key."""
        order = {kind: number for number, kind in enumerate(KINDS)}
        found = [finding for findings in self.findings.values() for finding in findings]
        return sorted(found, key=lambda one: (order[one.kind], one.key is not None, one.key or ""))

    @property
    def unread(self) -> int:
        """How many recorded partitions the store could not speak of without reading them."""
        return sum(h.is_there is None and h.record is not None for h in self.holdings.values())


def verify(
    terminal: Terminal, assets: Sequence[Asset], index: IndexStore, *, windows: Sequence[str] = (), deep: bool = False
) -> list[Report]:
    """Compare ``assets`` in every destination.

    Args:
        terminal: Where to say how far it is.
        assets: What to compare.
        index: The deployment's index.
        windows: Keys or ranges; none compares everything that is there.
        deep: Read the data.

    Returns:
        A report per asset and destination; one that could not be compared says why, and the others are there.

    Raises:
        PartitionError: A window does not fit one of the assets; nothing was compared.
    """
    keys = {asset.qualified_key: keys_of(asset, windows) for asset in assets}
    reports = []
    with Bridge() as bridge:
        for asset in assets:
            if asset.partitioning is None and windows:
                terminal.note(f"{asset.label} is not partitioned, so no --window of it was compared")
                continue
            for destination in asset.destinations:
                if isinstance(destination, MemoryDestination):
                    terminal.note(f"{asset.label}: memory is not shared between processes, so it is not compared")
                    continue
                ticker = Ticker(terminal, f"{asset.qualified_key} in {destination.address}")
                reports.append(_report(asset, destination, index, keys[asset.qualified_key], bridge, ticker, deep=deep))
    return reports


def keys_of(asset: Asset, windows: Sequence[str]) -> list[str | None] | None:
    """The keys that ``windows`` name; None for no window, and for an asset without partitions.

    Raises:
        PartitionError: One does not fit.
    """
    if not windows or asset.partitioning is None:
        return None
    return [key for window in asset.partitioning.parse(list(windows), where=asset.label) for key in window.keys]


def print_reports(terminal: Terminal, reports: Sequence[Report]) -> None:
    """Each report's findings, how to mend them, and its totals."""
    for report in reports:
        terminal.say(f"{report.asset} in {report.destination}", style="bold")
        if report.error:
            terminal.say(f"  could not be compared: {report.error}", style="red")
            continue
        for kind in KINDS:
            _print_kind(terminal, kind, [finding for finding in report.all if finding.kind == kind])
        for line in report.unplaced[:SHOWN]:
            terminal.say(f"  note  {line}")
        if len(report.unplaced) > SHOWN:
            terminal.say(f"  note  ... and {len(report.unplaced) - SHOWN:,} more that are not ours")
        terminal.say(f"  {_totals(report)}", style="red" if report.differs else "green")


def as_json(reports: Sequence[Report], problems: Sequence[Problem] = (), *, deep: bool) -> str:
    """The reports for programs: the schema is in docs/how-to/command-line.md."""
    values = {
        "version": JSON_VERSION,
        "deep": deep,
        "assets": [_values(report) for report in reports],
        "problems": [{"name": problem.name, "text": problem.text} for problem in problems],
    }
    return json.dumps(values, indent=2)


def _report(
    asset: Asset,
    destination: Destination,
    index: IndexStore,
    keys: list[str | None] | None,
    bridge: Bridge,
    ticker: Ticker,
    *,
    deep: bool,
) -> Report:
    report = Report(asset.qualified_key, destination.address)
    try:
        inspector = destination.inspector(IOContext(asset, schema=asset.schema), call=bridge.call)
        found = inspector.holdings(keys, deep=deep)
        total = None if keys is None else len(keys)
        report.holdings = {holding.key: holding for holding in ticker.over(found, "compared", total)}
        scope = None if keys is None else frozenset(keys)
        report.findings = _findings(report, asset, index, scope)
        # A run may have committed between the look at the store and that at the index: such keys are looked at anew.
        again = [key for key, found in report.findings.items() if any(one.kind == "index" for one in found)]
        if again:
            report.holdings.update({holding.key: holding for holding in inspector.holdings(again, deep=deep)})
            report.findings = _findings(report, asset, index, scope)
        report.unplaced = inspector.unplaced() if keys is None else []
    except Exception as error:  # noqa: BLE001 -- a hook of the user's may raise anything; the others are compared
        report.error = located(error)
    return report


def _findings(
    report: Report, asset: Asset, index: IndexStore, scope: Collection[str | None] | None
) -> dict[str | None, list[Finding]]:
    known = index.read(report.asset, report.destination)
    indexed = {key for key in {*known.records, *known.untracked} if scope is None or key in scope}
    found = {}
    for key in {*report.holdings, *indexed}:
        holding = report.holdings.get(key) or Holding(key, is_there=False)
        findings = compare(holding, known, asset=report.asset, is_own=is_own(asset.partitioning, key))
        found[key] = list(findings)
    return {key: findings for key, findings in found.items() if findings}


def _print_kind(terminal: Terminal, kind: Kind, findings: Sequence[Finding]) -> None:
    if not findings:
        return
    style = "red" if findings[0].is_difference else None
    terminal.say(f"  {kind}: {counted(len(findings), 'partition')} ({KINDS[kind]})", style=style)
    for finding in findings[:SHOWN]:
        terminal.say(f"    {finding.key if finding.key is not None else 'whole'}  {finding.what}")
        terminal.say(f"      mend: {finding.fix}")
    if len(findings) > SHOWN:
        terminal.say(f"    ... and {len(findings) - SHOWN:,} more; --json has them all")


def _totals(report: Report) -> str:
    foreign = {key for key, found in report.findings.items() if found[0].kind == "foreign"}
    own = [holding for key, holding in report.holdings.items() if key not in foreign]
    parts = [f"{count:,} {state}" for state, count in states(own).items() if state != "absent"]
    differing = sum(any(one.is_difference for one in found) for found in report.findings.values())
    said = f"{', '.join(parts) or 'nothing is held'}; "
    said += f"{counted(differing, 'partition')} to mend" if differing else "nothing differs"
    return said + (f"; {report.unread:,} not read: --deep reads them" if report.unread else "")


def _values(report: Report) -> dict[str, Any]:
    keys = sorted({*report.holdings, *report.findings}, key=lambda key: (key is not None, key or ""))
    counts: dict[str, int] = {}
    for finding in report.all:
        counts[finding.kind] = counts.get(finding.kind, 0) + 1
    return {
        "asset": report.asset,
        "destination": report.destination,
        "error": report.error or None,
        "differs": report.differs,
        "counts": counts,
        "unplaced": report.unplaced,
        "partitions": [_partition(report, key) for key in keys],
    }


def _partition(report: Report, key: str | None) -> dict[str, Any]:
    holding = report.holdings.get(key) or Holding(key)
    return {
        "key": key,
        "held": holding.held,
        "rows": holding.rows,
        "bytes": holding.bytes,
        "findings": [
            {"kind": finding.kind, "what": finding.what, "fix": finding.fix, "differs": finding.is_difference}
            for finding in report.findings.get(key, ())
        ],
    }
