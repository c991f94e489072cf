"""Values of a list as partitions and windows."""

import enum
import pickle

import pytest

from airflow_provider.errors import DefinitionError, PartitionError
from airflow_provider.partitioning import ListPartition, ListPartitionWindow


class Region(str, enum.Enum):
    EU = "eu"


def test_the_value_is_the_key() -> None:
    partition = ListPartition("eu west")

    assert (partition.key, str(partition), partition.time) == ("eu west", "eu west", None)
    assert partition == ListPartition("eu west") != ListPartition("eu")
    assert partition.window.partitions == (partition,)
    assert pickle.loads(pickle.dumps(partition)) == partition


def test_a_member_of_an_enum_is_its_text() -> None:
    assert type(ListPartition(Region.EU).key) is str
    assert ListPartition(Region.EU).key == "eu"


@pytest.mark.parametrize("value", ["", " \n", None, 1, b"eu"])
def test_what_is_no_value_is_refused(value: object) -> None:
    with pytest.raises(PartitionError, match="is no value of a list"):
        ListPartition(value)


def test_values_have_no_order_of_their_own() -> None:
    with pytest.raises(TypeError):
        sorted([ListPartition("b"), ListPartition("a")])  # type: ignore[type-var]


def test_it_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        ListPartition("eu").key = "us"  # type: ignore[misc]


def test_a_window_holds_its_values_in_order() -> None:
    window = ListPartitionWindow(["us", ListPartition("eu")])

    assert window.keys == window.values == ("us", "eu")
    assert (len(window), window.first.key, window.last.key) == (2, "us", "eu")
    assert list(window) == [ListPartition("us"), ListPartition("eu")]
    assert "eu" in window
    assert ListPartition("us") in window
    assert "asia" not in window
    assert pickle.loads(pickle.dumps(window)) == window
    assert window != ListPartitionWindow(["eu", "us"])


def test_a_window_is_written_as_a_range_only_where_it_is_one() -> None:
    assert str(ListPartitionWindow(["eu", "us"])) == "eu,us"
    assert str(ListPartitionWindow.of(("eu", "us"))) == "eu..us"
    assert str(ListPartitionWindow(["eu"])) == "eu"


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ("eu", DefinitionError, "is one text, not a list of them"),
        ([], PartitionError, "holds no value"),
        (["eu", "eu"], PartitionError, "holds a value twice"),
        (["eu", 1], PartitionError, "1 is no value of a list"),
    ],
)
def test_a_wrong_window_is_refused(values: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ListPartitionWindow(values)  # type: ignore[arg-type]
