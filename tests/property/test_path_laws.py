"""Any text becomes one harmless path component, and no two texts become the same one."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_provider.destinations.paths import MAX_COMPONENT, component, decode
from airflow_provider.errors import PartitionError

HOSTILE = ["a/b", "a", "/abs/x", "..", "0.94-to-0.95", "0.94-to-0.99", "A", "a%2Fb", "é", "x=y"]
time_keys = st.from_regex(
    r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}([+-][0-9]{2}:[0-9]{2})?)?\Z|\A[0-9]{4}-[WQwq][0-9]{1,2}\Z"
)
near_time_keys = time_keys.map(str.lower) | time_keys.map(str.swapcase) | time_keys.map(lambda key: key + "x")
awkward = st.text(alphabet="aAbB.%/\\_-=+:~ \n\0é2T5c\u0131o\u212an", min_size=1, max_size=8)
texts = st.text(min_size=1, max_size=12) | awkward | time_keys | near_time_keys | st.sampled_from(HOSTILE)


def encodable(text: str) -> bool:
    try:
        return bool(component(text))
    except PartitionError:
        return False


keys = texts.filter(encodable)


@settings(max_examples=3000)
@given(keys)
def test_decoding_is_the_inverse(key: str) -> None:
    assert decode(component(key)) == key


@settings(max_examples=3000)
@given(keys, keys)
def test_distinct_keys_stay_apart_even_where_case_does_not_count(one: str, other: str) -> None:
    assert one == other or component(one).casefold() != component(other).casefold()


@settings(max_examples=2000)
@given(keys)
def test_a_component_is_one_plain_visible_name(key: str) -> None:
    name = component(key)
    assert re.fullmatch(r"[A-Za-z0-9%_.+-]+", name)
    assert not name.startswith((".", "_"))
    assert not name.endswith((".", " "))
    assert "/" not in name
    assert len(name.encode()) <= MAX_COMPONENT
    assert not re.match(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", name, re.IGNORECASE)


@given(st.text(max_size=20))
def test_what_is_not_ours_is_refused_or_is_exactly_ours(name: str) -> None:
    try:
        key = decode(name)
    except PartitionError:
        return
    assert component(key) == name


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("2026-03-01", "2026-03-01"),
        ("2026-03-01T05", "2026-03-01T05"),
        ("2026-10-25T02+01:00", "2026-10-25T02+01%3A00"),
        ("2026-W10", "2026-W10"),
        ("2026-Q1", "2026-Q1"),
        ("2026-w10", "2026-%7710"),
        ("..", "%2E%2E"),
        ("A", "%41"),
        ("a%2Fb", "a%252%46b"),
        ("con", "%63on"),
        ("_ledger", "%5Fledger"),
        ("data.csv", "data%2Ecsv"),
    ],
)
def test_names_are_stable(key: str, name: str) -> None:
    assert component(key) == name


@pytest.mark.parametrize("key", ["", "x" * (MAX_COMPONENT + 1), "あ" * 70, "\ud800"])
def test_what_does_not_fit_is_refused_and_cut_in_the_message(key: str) -> None:
    with pytest.raises(PartitionError) as caught:
        component(key)
    assert len(caught.value.what) < 200
