"""Keys that climb, hide, collide or end a statement: each is kept apart from all others, or refused in words."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fault_tools import KINDS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from airflow_provider.definitions.destination import in_form
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import PartitionError
from airflow_provider.testing.destination_contract import StoredAsset, context_of
from airflow_provider.testing.samples import HOSTILE_KEYS, ORDINARY_KEYS, KeyedBy, NamedPartition

ASSET = StoredAsset(partitioning=KeyedBy())
REFUSED = {"", "x" * 300, "\ud800"}
alike = st.text(alphabet="aAbBeEkK/\\.%=_-~ \n\0:|\u00e9\u0301\u212a\u0131\u0130\u017f日25TWQ", max_size=10)
ascii_only = st.text(alphabet=st.characters(max_codepoint=127), max_size=30)
texts = st.text(max_size=40) | ascii_only | alike | st.sampled_from(HOSTILE_KEYS) | st.sampled_from(ORDINARY_KEYS)


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder in memory where there is one: ten thousand commits sync forty thousand times."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder) / "base"


def make(kind: str, base: Path) -> Any:
    MemoryDestination.clear()
    return MemoryDestination() if kind == "memory" else KINDS[kind](base_path=base)


def store_all(destination: Any, keys: list[str]) -> dict[str, int]:
    """Write each key its number; those accepted are returned. A refusal is one of ours, and writes nothing."""
    context, accepted = context_of(ASSET), {}
    for number, key in enumerate(keys):
        partition = NamedPartition(key)
        data = in_form(destination, [{"region": "", "n": number}])
        try:
            destination.write_partition(context.narrowed(partition), partition, data)
        except PartitionError:
            continue
        accepted[key] = number
    return accepted


def check_all(destination: Any, accepted: dict[str, int]) -> None:
    from airflow_provider.schema.representations import TableData

    context = context_of(ASSET)
    for key, number in accepted.items():
        partition = NamedPartition(key)
        data = TableData.of(destination.read_partition(context.narrowed(partition), partition))
        assert data is not None
        assert [row["n"] for row in data.to("rows")] == [number], f"{key!r} met another key"
    assert destination.partition_row_counts(context) == dict.fromkeys(accepted, 1)
    committed = destination.committer(context).all_records()
    assert sorted(record.key for record in committed) == sorted(accepted)


@pytest.mark.parametrize("kind", [*sorted(KINDS), "memory"])
def test_every_hostile_key_is_kept_apart_or_refused(kind: str, base: Path) -> None:
    """F11: written, read, listed and counted under its own name; nothing outside the base path."""
    destination = make(kind, base)
    keys = [*ORDINARY_KEYS, *HOSTILE_KEYS]

    accepted = store_all(destination, keys)

    assert set(keys) - set(accepted) == REFUSED
    check_all(destination, accepted)
    assert [path.name for path in base.parent.iterdir()] == ([] if kind == "memory" else ["base"])


@pytest.mark.parametrize("kind", ["parquet", "memory"])
def test_any_texts_are_kept_apart_or_refused(kind: str) -> None:
    """F11: of texts that were drawn to be alike, no two meet, also where case does not count."""
    draw_keys(kind, examples=40)


@pytest.mark.full
@pytest.mark.parametrize("kind", [*sorted(KINDS), "memory"])
def test_ten_thousand_texts_are_kept_apart_or_refused(kind: str) -> None:
    """F11: the whole bar, 10,000 generated strings for each destination."""
    assert draw_keys(kind, examples=250) >= 10_000


def draw_keys(kind: str, *, examples: int) -> int:
    """How many keys were drawn."""
    drawn = 0
    memory = Path("/dev/shm")

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(texts, min_size=40, max_size=60, unique=True))
    def check(keys: list[str]) -> None:
        nonlocal drawn
        drawn += len(keys)
        with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
            destination = make(kind, Path(folder) / "base")
            accepted = store_all(destination, keys)
            check_all(destination, accepted)
            assert set(keys) - set(accepted) <= {key for key in keys if is_beyond_paths(key)}
            names = [path.name for path in Path(folder).rglob("*=*") if path.is_dir()]
            assert len({name.casefold() for name in names}) == len(names)

    check()
    return drawn


def is_beyond_paths(key: str) -> bool:
    """Empty, not valid Unicode, or too long for a path once it is encoded (three bytes for one)."""
    return not key or 3 * len(key.encode("utf-8", "surrogatepass")) > 200 or any("\ud800" <= c <= "\udfff" for c in key)
