"""What every contract suite shares: strict marks for what the thing under test cannot do.

A mark is a claim that is tested too: the test must end in just the exception that the mark names. If it passes, or ends
in another one, it fails, so that no mark outlives its reason.
"""

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from airflow_provider.errors import DefinitionError

Test = Callable[..., None]


@dataclass(frozen=True)
class Cannot:
    """A mark: this ability is missing, for this reason, and asking for it ends in just this exception.

    Args:
        error: The exact class; a subclass does not count. ``AssertionError`` marks a silent loss: a refusal is better.
        reason: Why, for whoever reads the test report.
        match: A regular expression that the exception's text must hold.
    """

    error: type[Exception]
    reason: str
    match: str = ""

    def require(self, test: Callable[[], None]) -> None:
        """Run ``test``, which must fail as the mark says; it is then reported as an expected failure.

        Raises:
            Exception: Whatever else the test raised.
        """
        __tracebackhide__ = True
        try:
            test()
        except self.error as error:
            if type(error) is not self.error or not re.search(self.match, str(error)):
                raise
            pytest.xfail(f"{self.error.__name__}: {self.reason}")
        pytest.fail(f"works now, although it is marked as one that cannot ({self.reason}): take the mark off")


def ability(name: str) -> Callable[[Test], Test]:
    """Name what a test asks for, so that ``cannot`` can speak of it; several tests may ask for the same."""

    def mark(test: Test) -> Test:
        test.abilities = {None: name}  # type: ignore[attr-defined]
        return test

    return mark


def each(argument: str, cases: Iterable[str], prefix: str) -> Callable[[Test], Test]:
    """Run a test once for each case, each of which is an ability of its own: ``prefix`` and the case's name."""
    names = list(cases)

    def mark(test: Test) -> Test:
        test.abilities = {name: f"{prefix}{name}" for name in names}  # type: ignore[attr-defined]
        test.argument = argument  # type: ignore[attr-defined]
        marked: Test = pytest.mark.parametrize(argument, names)(test)
        return marked

    return mark


class Contract:
    """Base of the suites.

    Attributes:
        cannot: What is missing: the name of an ability, or of a test, -> its mark. An unknown name is an error.
    """

    cannot: ClassVar[Mapping[str, Cannot]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, test in list(vars(cls).items()):
            if name.startswith("test_") and inspect.isfunction(test):
                setattr(cls, name, _guarded(test))
        known = cls.abilities()
        for name in cls.cannot:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                raise DefinitionError(
                    f"cannot names {name!r}, which no test asks for",
                    where=f"contract {cls.__name__!r}",
                    fix=f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(sorted(known))}",
                )

    @classmethod
    def abilities(cls) -> set[str]:
        """Every name that ``cannot`` may hold: the abilities that tests ask for, and the tests themselves."""
        tests = {name: getattr(cls, name) for name in dir(cls) if name.startswith("test_")}
        return {*tests, *(found for test in tests.values() for found in getattr(test, "abilities", {}).values())}


def _guarded(test: Test) -> Test:
    @functools.wraps(test)
    def run(self: Contract, *args: Any, **arguments: Any) -> None:
        __tracebackhide__ = True
        case = arguments.get(getattr(test, "argument", ""))
        asked_for: str = getattr(test, "abilities", {}).get(case, "")
        mark = self.cannot.get(test.__name__, self.cannot.get(asked_for))
        if mark is None:
            test(self, *args, **arguments)
        else:
            mark.require(lambda: test(self, *args, **arguments))

    return run
