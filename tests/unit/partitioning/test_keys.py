"""Keys of several parts."""

import pytest

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning.keys import escaped, join_key, split_at, split_key, unescaped


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (("2026-01-01", "eu"), "2026-01-01|eu"),
        (("a|b", "c"), r"a\|b|c"),
        (("a", "|b"), r"a|\|b"),
        (("a\\", "b"), r"a\\|b"),
        (("a", "b", "c"), "a|b|c"),
        (("a\\|", "b"), r"a\\\||b"),
    ],
)
def test_parts_are_joined_in_one_way(parts: tuple[str, ...], key: str) -> None:
    assert join_key(parts) == key
    assert split_key(key) == parts


@pytest.mark.parametrize("key", ["a\\", r"a\b|c", "a|b\\"])
def test_a_key_that_no_parts_give_is_refused(key: str) -> None:
    with pytest.raises(PartitionError, match="is no key of several parts"):
        split_key(key)


def test_more_characters_can_be_escaped_and_are_not_cut_at() -> None:
    written = escaped("a,b|c\\", ",")

    assert written == r"a\,b\|c" + "\\\\"
    assert unescaped(written) == "a,b|c\\"
    assert split_at(f"{written},d", ",") == [written, "d"]
