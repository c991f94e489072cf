"""Marks of what a thing cannot do are strict: the exact exception, no unknown name, none that outlives its reason."""

from typing import Any, ClassVar

import pytest

from airflow_provider.errors import DefinitionError, DestinationError, SupersededError
from airflow_provider.testing import Cannot
from airflow_provider.testing.contract import Contract, ability, each

XFailed: type[BaseException] = pytest.xfail.Exception
Failed: type[BaseException] = pytest.fail.Exception


class Suite(Contract):
    raises: ClassVar[Exception | None] = None

    @ability("hold")
    def test_holding(self) -> None:
        if self.raises:
            raise self.raises

    @each("kind", ("a", "b"), prefix="kind_")
    def test_a_kind(self, kind: str) -> None:
        if self.raises and kind == "a":
            raise self.raises


def marked(error: Exception | None, **cannot: Cannot) -> Any:
    return type("Marked", (Suite,), {"raises": error, "cannot": cannot})()


NO_ROOM = Cannot(DestinationError, "it has no room", match="no room")


def refusal(what: str = "no room", kind: type[DestinationError] = DestinationError) -> DestinationError:
    return kind(what, where="here", fix="wait")


def test_a_marked_test_that_ends_as_the_mark_says_is_an_expected_failure() -> None:
    with pytest.raises(XFailed, match="DestinationError: it has no room"):
        marked(refusal(), hold=NO_ROOM).test_holding()


def test_a_mark_may_name_the_test() -> None:
    with pytest.raises(XFailed):
        marked(refusal(), test_holding=NO_ROOM).test_holding()


@pytest.mark.parametrize("error", [refusal("out of order"), refusal(kind=SupersededError), ValueError("no room")])
def test_another_exception_than_the_exact_one_is_a_failure(error: Exception) -> None:
    with pytest.raises(type(error)):
        marked(error, hold=NO_ROOM).test_holding()


def test_a_marked_test_that_passes_is_a_failure() -> None:
    with pytest.raises(Failed, match=r"works now.*it has no room.*take the mark off"):
        marked(None, hold=NO_ROOM).test_holding()


def test_a_mark_speaks_of_one_case_of_many() -> None:
    one = marked(refusal(), kind_a=NO_ROOM)
    one.test_a_kind(kind="b")
    with pytest.raises(XFailed):
        one.test_a_kind(kind="a")


def test_without_a_mark_the_test_is_itself() -> None:
    marked(None).test_holding()
    with pytest.raises(DestinationError):
        marked(refusal()).test_holding()


def test_a_mark_that_no_test_asks_for_is_refused_when_it_is_written() -> None:
    with pytest.raises(DefinitionError, match="'hodl'") as caught:
        marked(None, hodl=NO_ROOM)
    assert "did you mean 'hold'" in caught.value.fix


def test_the_abilities_are_those_of_tests_and_cases() -> None:
    assert Suite.abilities() == {"hold", "kind_a", "kind_b", "test_holding", "test_a_kind"}
