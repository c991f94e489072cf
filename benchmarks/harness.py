"""What the benchmarks share: each case in a process of its own, rounds interleaved, medians, and goals.

CPU is that of the whole process, all threads, user and system. A case runs ``1 + --repeats`` times in its process. The
first run touches fresh memory, which a task pays too and which can cost more than the work itself; it is given as
``first s``, and its peak of memory above what was there before it. ``CPU s`` is the median of the others.

A file of benchmarks makes a ``Suite``, adds cases and goals, and ends with ``suite.main()``.
"""

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Run = Callable[[], Any]


class SkippedError(Exception):
    """A case that cannot run here; the text says what is missing."""


@dataclass(frozen=True)
class Case:
    """One thing to measure: ``prepare(options)`` loads its input and returns what to run.

    ``once`` is for what takes minutes and whose figure is far from its bar: one process, one run.
    """

    name: str
    prepare: Callable[[argparse.Namespace], Run]
    once: bool = False


@dataclass(frozen=True)
class Goal:
    """A bar: a figure made of the medians of cases, and its limit."""

    name: str
    limit: float
    value: Callable[["Figures"], float]
    at_least: bool = False
    unit: str = "x"

    def met(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit


class Figures(dict[str, dict[str, float]]):
    """Case -> its figures: ``cpu``, ``first`` and ``wall`` in seconds, ``memory`` in bytes, and what a run reports."""

    def cpu(self, case: str) -> float:
        return self.figure(case, "cpu")

    def first(self, case: str) -> float:
        return self.figure(case, "first")

    def memory(self, case: str) -> float:
        return self.figure(case, "memory")

    def figure(self, case: str, name: str) -> float:
        if case not in self:
            raise SkippedError(f"{case!r} did not run")
        return self[case][name]


@dataclass
class Suite:
    """The cases and goals of one file."""

    title: str
    rows: int
    cases: list[Case] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    options: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def case(
        self, name: str, *, once: bool = False
    ) -> Callable[[Callable[[argparse.Namespace], Run]], Callable[[argparse.Namespace], Run]]:
        """Add the decorated function as the case ``name``."""

        def add(prepare: Callable[[argparse.Namespace], Run]) -> Callable[[argparse.Namespace], Run]:
            self.cases.append(Case(name, prepare, once))
            return prepare

        return add

    def ratio(self, case: str, base: str, limit: float, *, name: str = "", at_least: bool = False) -> None:
        """Ask that CPU of ``case`` is at most ``limit`` times that of ``base`` (at least: ``base`` is so much more)."""
        if at_least:
            name = name or f"{base} / {case}"
            self.goals.append(Goal(name, limit, lambda f: f.cpu(base) / f.cpu(case), at_least=True))
        else:
            name = name or f"{case} / {base}"
            self.goals.append(Goal(name, limit, lambda f: f.cpu(case) / f.cpu(base)))

    def goal(self, name: str, limit: float, value: Callable[[Figures], float], **more: Any) -> None:
        """Ask that a figure made of the medians stays below ``limit``."""
        self.goals.append(Goal(name, limit, value, **more))

    def main(self) -> None:
        """Run what the command line asks for."""
        parser = argparse.ArgumentParser(description=self.title)
        parser.add_argument("--rows", type=int, default=self.rows)
        parser.add_argument("--rounds", type=int, default=3, help="processes per case")
        parser.add_argument("--repeats", type=int, default=3, help="measured runs per process")
        parser.add_argument("--only", default="", help="cases whose name holds this text, with what they compare to")
        parser.add_argument("--check", action="store_true", help="exit with 1 when a goal is missed")
        parser.add_argument("--case", default="", help=argparse.SUPPRESS)
        for flag, settings in self.options:
            parser.add_argument(flag, **settings)
        options = parser.parse_args()
        if options.case:
            _measure(next(case for case in self.cases if case.name == options.case), options)
        else:
            self._run(options)

    def _run(self, options: argparse.Namespace) -> None:
        cases = [case for case in self.cases if options.only in case.name]
        with tempfile.TemporaryDirectory(prefix="airflow-assets-bench-") as shared:
            figures, skipped = self._rounds(cases, options.rounds, shared)
        print(
            f"{self.title}: --rows {options.rows:,}, medians of {options.rounds} processes x {options.repeats} runs\n"
        )
        print(f"{'case':52} {'CPU s':>9} {'first s':>9} {'wall s':>9} {'memory MB':>10}")
        for name, held in figures.items():
            print(f"{name:52} {held['cpu']:9.4f} {held['first']:9.4f} {held['wall']:9.4f} {held['memory'] / 1e6:10.0f}")
        for name, reason in skipped.items():
            print(f"{name:52} skipped: {reason}")
        if not self._judge(figures) and options.check:
            sys.exit(1)

    @staticmethod
    def _rounds(cases: list[Case], rounds: int, shared: str) -> tuple[Figures, dict[str, str]]:
        results: dict[str, list[dict[str, float]]] = {case.name: [] for case in cases}
        skipped: dict[str, str] = {}
        for round_ in range(rounds):
            for case in cases:
                if case.name in skipped or (case.once and round_):
                    continue
                found = _spawn(case.name, shared)
                if "skipped" in found:
                    skipped[case.name] = str(found["skipped"])
                else:
                    results[case.name].append(found)
        figures = Figures(
            (name, {key: statistics.median(one[key] for one in held) for key in held[0]})
            for name, held in results.items()
            if held
        )
        return figures, skipped

    def _judge(self, figures: Figures) -> bool:
        print(f"\n{'goal':64} {'measured':>10} {'bar':>10}")
        met = True
        for goal in self.goals:
            try:
                value = goal.value(figures)
            except SkippedError as reason:
                print(f"{goal.name:64} {'-':>10} {goal.limit:>10g}  SKIP ({reason})")
                continue
            met = met and goal.met(value)
            bar = f"{'>=' if goal.at_least else '<='}{goal.limit:g} {goal.unit}"
            print(f"{goal.name:64} {value:10.2f} {bar:>10}  {'PASS' if goal.met(value) else 'FAIL'}")
        return met


def _spawn(case: str, shared: str) -> dict[str, Any]:
    """Run one case. It may leave what others need in ``BENCH_SHARED``, and litter in ``BENCH_SCRATCH``."""
    with tempfile.TemporaryDirectory(dir=shared, prefix="scratch-") as scratch:
        ran = subprocess.run(
            [sys.executable, *sys.argv, "--case", case],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "BENCH_SHARED": shared, "BENCH_SCRATCH": scratch},
        )
    if ran.returncode:
        raise SystemExit(f"case {case!r} failed:\n{ran.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    return found


def _measure(case: Case, options: argparse.Namespace) -> None:
    try:
        run = case.prepare(options)
    except SkippedError as reason:
        print(json.dumps({"skipped": str(reason)}))
        return
    gc.collect()
    floor = _reset_peak()
    first, wall, reported = _timed(run)
    found = {"memory": max(0, _peak() - floor), "first": first, "cpu": first, "wall": wall}
    if not case.once and options.repeats:
        timed = [_timed(run)[:2] for _ in range(options.repeats)]
        found["cpu"] = statistics.median(cpu for cpu, _ in timed)
        found["wall"] = statistics.median(wall for _, wall in timed)
    if reported and all(isinstance(value, (int, float)) for value in reported.values()):
        found.update(reported)  # a run may report figures of its own, its CPU among them
    print(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)  # freeing gigabytes at exit is nobody's business


def _timed(run: Run) -> tuple[float, float, Any]:
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    held = run()
    took = time.process_time() - cpu, time.perf_counter() - wall
    return *took, held if isinstance(held, dict) else None


def _reset_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    """The most memory the process has held since ``_reset_peak``, in bytes."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024
