"""Laws of partitions by list and by several dimensions: keys, paths, windows, joins, and splitting."""

import contextlib
import datetime as dt
import pickle
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from airflow_provider.destinations.paths import TableFolder
from airflow_provider.errors import ConfigError, PartitionError
from airflow_provider.partitioning import (
    ListPartitionConfig,
    MultiPartitionConfig,
    PartitionConfig,
    PartitionWindow,
    TimePartitionConfig,
)
from airflow_provider.partitioning.keys import join_key, split_key
from airflow_provider.schema import TableData, split

settings.register_profile("parts", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("parts")

FORMS = ("rows", "arrow", "pandas", "objects")
HOSTILE = [
    "../x", "../../esc", "a=b", "%2F", "a/b", "/abs", " ", "nul\0", ".", "..", "CON", "a\nb", "é", "e\u0301", "NULL",
    "__HIVE_DEFAULT_PARTITION__", "'; DROP TABLE x; --", "a|b", "a\\b", "\\", "|", "x,y", "a..b", "*", "2026-01-01",
]  # fmt: skip
DAY = TimePartitionConfig(column="day", start="2026-01-01", timezone="Europe/Brussels")
days = st.integers(0, 20).map(lambda number: dt.date(2026, 1, 1) + dt.timedelta(days=number))

texts = (
    st.text(min_size=1, max_size=12) | st.sampled_from(HOSTILE) | st.text(alphabet="ab|\\,. *A", min_size=1, max_size=5)
)


def made(values: list[str], column: str = "region") -> ListPartitionConfig:
    """The list, where it can be one."""
    try:
        return ListPartitionConfig(values, column=column)
    except ConfigError:
        assume(False)
        raise


lists = st.lists(texts.filter(lambda text: text.strip()), min_size=1, max_size=6, unique=True).map(made)


@st.composite
def partitionings(draw: st.DrawFn) -> PartitionConfig:
    one = draw(lists)
    other = ListPartitionConfig(draw(lists).values, column="kind")
    try:
        return draw(
            st.sampled_from(
                [
                    one,
                    MultiPartitionConfig(DAY, one),
                    MultiPartitionConfig(one, other),
                    MultiPartitionConfig(other, DAY, one),
                ]
            )
        )
    except ConfigError:
        assume(False)
        raise


@st.composite
def windows(draw: st.DrawFn, config: PartitionConfig) -> PartitionWindow:
    """Any window of a partitioning."""
    if isinstance(config, MultiPartitionConfig):
        typed: dict[str, Any] = {}
        for one in config.dimensions:
            if isinstance(one, ListPartitionConfig):
                typed[one.column] = draw(st.lists(st.sampled_from(one.values), min_size=1, unique=True))
            else:
                first, last = sorted((draw(days), draw(days)))
                typed[one.column] = f"{first}..{last}"
        (window,) = config.parse(typed)
        return window
    assert isinstance(config, ListPartitionConfig)
    first, last = sorted((draw(st.integers(0, len(config.values) - 1)), draw(st.integers(0, len(config.values) - 1))))
    return config.window(config.values[first], config.values[last])


# --- keys and paths ---


@settings(max_examples=10_000)
@given(st.lists(st.text(max_size=6) | st.sampled_from(HOSTILE), min_size=2, max_size=4))
def test_joining_parts_is_injective(parts: list[str]) -> None:
    assert list(split_key(join_key(parts))) == parts


@given(st.text(alphabet="ab|\\", max_size=8))
def test_a_text_is_a_key_of_parts_only_if_they_give_it_back(text: str) -> None:
    try:
        parts = split_key(text)
    except PartitionError:
        return
    assert join_key(parts) == text


@settings(max_examples=10_000)
@given(st.text(min_size=1, max_size=40))
def test_a_text_is_a_partition_like_any_other_or_refused_when_defined(text: str) -> None:
    """F11: 10,000 strings; what is accepted comes back from its key and its path, inside the table's folder."""
    try:
        config = ListPartitionConfig([text, "other"], column="c")
    except ConfigError:
        assert not text.strip() or text == "other" or len(text.encode("utf-8", "replace")) > 66 or "," in text
        return
    pairs: list[tuple[PartitionConfig, str]] = [(config, text)]
    with contextlib.suppress(ConfigError):  # together with the day it may be too long for a path
        pairs.append((MultiPartitionConfig(DAY, config), join_key(("2026-01-01", text))))
    for one, key in pairs:
        assert one.partition(key).key == key
        assert one.parse([key])[0].keys == (key,)
        folder = TableFolder.of("/lake", dataset="", table="t", columns=one.columns, extension="csv")
        path = Path(folder.data(key))
        assert path == Path(path.as_posix())
        assert path.is_relative_to("/lake/t")
        assert ".." not in path.parts
        assert len(path.parts) == 4 + len(one.columns)
        assert folder.key_of(Path(folder.record(key)).name) == key


@given(data=st.data(), config=partitionings())
def test_distinct_keys_have_distinct_paths_even_where_case_does_not_count(
    data: st.DataObject, config: PartitionConfig
) -> None:
    keys = data.draw(windows(config)).keys
    folder = TableFolder.of("/lake", dataset="", table="t", columns=config.columns, extension="csv")

    assert len(set(keys)) == len(keys)
    assert len({folder.data(key).casefold() for key in keys}) == len(keys)
    assert len({folder.record(key).casefold() for key in keys}) == len(keys)


@given(data=st.data(), config=partitionings())
def test_key_to_partition_to_key_is_the_identity(data: st.DataObject, config: PartitionConfig) -> None:
    for partition in data.draw(windows(config)):
        again = config.partition(partition.key)
        assert again == partition
        assert hash(again) == hash(partition)
        assert pickle.loads(pickle.dumps(partition)) == partition
        assert list(partition.window) == [partition]


@given(config=partitionings())
def test_a_definition_comes_back(config: PartitionConfig) -> None:
    assert PartitionConfig.from_definition(config.to_definition()) == config


@given(config=partitionings())
def test_examples_of_the_form_are_read(config: PartitionConfig) -> None:
    assert all(config.parse(example) for example in config.examples)


# --- windows ---


@given(data=st.data(), config=partitionings())
def test_a_window_is_in_order_and_knows_what_it_holds(data: st.DataObject, config: PartitionConfig) -> None:
    window = data.draw(windows(config))
    partitions = list(window)

    assert config.ordered(reversed(partitions)) == partitions
    assert len(window) == len(partitions) == len(set(partitions))
    assert window.keys == tuple(partition.key for partition in partitions)
    assert (window.first, window.last) == (partitions[0], partitions[-1])
    assert all(partition in window for partition in partitions)
    assert all(key in window for key in window.keys)
    assert config.adopt(window) == window


@given(data=st.data(), config=partitionings())
def test_a_window_as_it_is_written_is_read_as_itself_or_refused(data: st.DataObject, config: PartitionConfig) -> None:
    window = data.draw(windows(config))
    try:
        found = config.parse([str(window)])
    except PartitionError:  # a range that may be two, or a value with spaces at its ends
        assert any(
            value.strip() != value or ".." in str(window) for key in window.keys for value in (key, *split_parts(key))
        )
        return
    assert found == (window,)


def split_parts(key: str) -> tuple[str, ...]:
    try:
        return split_key(key)
    except PartitionError:
        return (key,)


@given(data=st.data(), config=partitionings())
def test_joined_windows_are_disjoint_in_order_and_hold_the_same(data: st.DataObject, config: PartitionConfig) -> None:
    drawn = [data.draw(windows(config)) for _ in range(data.draw(st.integers(0, 4)))]

    joined = config.join(drawn)

    wanted = {key for window in drawn for key in window.keys}
    assert sum(map(len, joined)) == len(wanted)
    assert {key for window in joined for key in window.keys} == wanted
    assert [config.rank(window.first) for window in joined] == sorted(config.rank(window.first) for window in joined)
    assert config.join([partition.window for window in drawn for partition in window]) == joined
    assert config.join(joined) == joined


@given(data=st.data(), config=partitionings())
def test_joining_a_window_with_its_own_partitions_is_the_window(data: st.DataObject, config: PartitionConfig) -> None:
    window = data.draw(windows(config))

    assert config.join([partition.window for partition in window]) == (window,)


# --- splitting ---


def table(rows: list[dict[str, Any]], columns: tuple[str, ...], form: str) -> TableData:
    value: Any = rows
    if form == "objects":
        value = pd.DataFrame(rows, columns=[*columns, "n"], dtype=object)
    if form in ("arrow", "pandas"):
        value = pa.table({name: [row.get(name) for row in rows] for name in (*columns, "n")})
    data = TableData.of(value)
    assert data is not None
    return TableData.of(data.to("pandas")) or data if form == "pandas" else data


def home(config: PartitionConfig, window: PartitionWindow, row: dict[str, Any]) -> str | None:
    """The key of the row's partition, by the slow and plain way: filter by value."""
    values = [row.get(column) for column in config.columns]
    if any(value is None for value in values):
        return None
    key = str(values[0]) if len(values) == 1 else join_key(map(str, values))
    return key if key in window.keys else None


@given(data=st.data(), config=partitionings(), form=st.sampled_from(FORMS))
def test_splitting_is_filtering_by_value(data: st.DataObject, config: PartitionConfig, form: str) -> None:
    window = data.draw(windows(config))
    choices: dict[str, st.SearchStrategy[Any]] = {}
    for one in config.dimensions if isinstance(config, MultiPartitionConfig) else (config,):
        known = days if not isinstance(one, ListPartitionConfig) else st.sampled_from([*one.values, "stray"])
        choices[one.column] = st.none() | known
    drawn = data.draw(st.lists(st.fixed_dictionaries(choices), min_size=1, max_size=20))
    rows = [{**row, "n": number} for number, row in enumerate(drawn)]
    assume(all(any(row[column] is not None for row in rows) for column in config.columns))

    found = split(table(rows, config.columns, form), config, window, where="asset 'x'")

    placed = [home(config, window, row) for row in rows]
    for key, part in zip(window.keys, found.slices, strict=True):
        assert [row["n"] for row in part.to("rows")] == [n for n, held in enumerate(placed) if held == key]
    assert [row["n"] for row in found.outside.to("rows")] == [n for n, held in enumerate(placed) if held is None]
    nulls = [any(row[column] is None for column in config.columns) for row in rows]
    assert found.nulls == sum(nulls)
    strays = [n for n, held in enumerate(placed) if held is None and not nulls[n]]
    assert (None if found.first_stray is None else found.first_stray[0]) == (strays[0] if strays else None)


@pytest.mark.parametrize("form", ["rows", "objects"])
@pytest.mark.parametrize("pair", list(combinations([1, "1", True, 1.0, dt.date(2026, 1, 1)], 2)), ids=str)
def test_values_of_two_types_are_never_one_partition(pair: tuple[Any, Any], form: str) -> None:
    config = ListPartitionConfig(["1", "2026-01-01", "True", "1.0"], column="region")
    data = table([{"region": value, "n": n} for n, value in enumerate(pair)], ("region",), form)

    with pytest.raises(PartitionError, match=r"mixes|is no text"):
        split(data, config, config.whole, where="asset 'x'")
