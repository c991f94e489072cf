"""Compare-and-swap on a folder."""

import multiprocessing
from pathlib import Path

import pytest

from airflow_provider.errors import ConfigError, DataCorruptError
from airflow_provider.storage import PosixConditionalStore, open_store


@pytest.fixture
def store(tmp_path: Path) -> PosixConditionalStore:
    return PosixConditionalStore(str(tmp_path))


def test_a_value_is_created_once(store: PosixConditionalStore) -> None:
    tag = store.create("a/b", b"one")
    assert store.create("a/b", b"two") is None
    assert store.get("a/b") == (b"one", tag)
    assert store.get("a/c") is None


def test_a_swap_needs_the_newest_tag_even_for_equal_bytes(store: PosixConditionalStore) -> None:
    first = store.create("a", b"same") or ""
    second = store.replace_if("a", b"same", first) or ""
    assert second != first
    assert store.replace_if("a", b"late", first) is None
    assert store.get("a") == (b"same", second)


def test_listing_and_deleting(store: PosixConditionalStore) -> None:
    for name in ("x/b", "x/a", "y"):
        store.create(name, b"")
    assert store.list("x") == ["x/a", "x/b"]
    assert store.list("") == ["x/a", "x/b", "y"]
    assert store.delete("x/a")
    assert not store.delete("x/a")
    assert store.list("x") == ["x/b"]


@pytest.mark.parametrize("name", ["", "../x", "a//b", "/abs", ".lock", "a/.tmp", "a\n"])
def test_a_name_cannot_climb(store: PosixConditionalStore, name: str) -> None:
    with pytest.raises(ConfigError, match="not a name"):
        store.create(name, b"")


def test_a_damaged_value_is_named(store: PosixConditionalStore, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"short")
    with pytest.raises(DataCorruptError) as caught:
        store.get("a")
    assert str(tmp_path / "a") in caught.value.where


def test_other_schemes_are_refused() -> None:
    with pytest.raises(ConfigError, match="not supported by this version"):
        open_store("s3://bucket")


def count_up(root: str) -> None:
    store = PosixConditionalStore(root)
    for _ in range(50):
        while True:
            data, tag = store.get("n") or (b"", "")
            if store.replace_if("n", str(int(data) + 1).encode(), tag):
                break


def test_no_increment_is_lost_between_processes(store: PosixConditionalStore) -> None:
    store.create("n", b"0")
    processes = [multiprocessing.get_context("fork").Process(target=count_up, args=(store.root,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert (store.get("n") or (b"",))[0] == b"150"
