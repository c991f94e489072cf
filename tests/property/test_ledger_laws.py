"""The index is a fold: order, repeats and torn lines change nothing; the highest fence wins."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_provider.ledger import AttemptNote, CommitRecord, UntrackedNote, fold, parse_line
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.standing import standing
from airflow_provider.storage.index import IndexStore

texts = st.text(max_size=8)
keys = st.none() | st.sampled_from(["2026-03-01", "2026-03-02", "2026-03-03"]) | texts
records = st.builds(
    CommitRecord,
    asset=st.just("shop.orders"),
    destination=st.just("parquet:/lake"),
    key=keys,
    fence=st.integers(0, 2**63),
    attempt=texts,
    state=st.sampled_from(["committed", "empty"]),
    rows=st.none() | st.integers(0, 10**12),
    upstreams=st.dictionaries(texts, texts, max_size=2),
    checks=st.lists(st.dictionaries(texts, texts, max_size=2), max_size=2).map(tuple),
    run=st.dictionaries(texts, texts, max_size=2),
)
notes = st.builds(
    AttemptNote,
    asset=st.just("shop.orders"),
    destination=st.just("parquet:/lake"),
    key=keys,
    attempt=texts,
    outcome=st.sampled_from(["running", "ok", "failed", "superseded"]),
    error=texts,
    at=st.datetimes().map(lambda moment: moment.isoformat()),
)
untracked = st.builds(
    UntrackedNote, asset=st.just("shop.orders"), destination=st.just("parquet:/lake"), key=keys, uri=texts
)
entries_of_all_kinds = st.lists(records | notes | untracked, max_size=16)
with_unique_fences = st.lists(records, max_size=12, unique_by=lambda record: (record.key, record.fence))


@given(records | notes | untracked)
def test_an_entry_survives_its_line(entry: CommitRecord | AttemptNote | UntrackedNote) -> None:
    line = entry.to_json()
    assert "\n" not in line
    assert parse_line(line, where="test") == entry


@given(with_unique_fences, st.randoms(use_true_random=False))
def test_order_and_repeats_change_nothing(entries: list[CommitRecord], chance: random.Random) -> None:
    shuffled = [*entries, *chance.sample(entries, len(entries) // 2)]
    chance.shuffle(shuffled)
    assert fold(shuffled) == fold(entries)


@given(with_unique_fences)
def test_the_highest_fence_of_each_key_wins(entries: list[CommitRecord]) -> None:
    folded = fold(entries)
    assert set(folded) == {entry.key for entry in entries}
    assert all(folded[entry.key].fence >= entry.fence for entry in entries)


@given(with_unique_fences, with_unique_fences)
def test_folding_a_fold_adds_nothing(one: list[CommitRecord], other: list[CommitRecord]) -> None:
    unique = list({(r.key, r.fence): r for r in [*one, *other]}.values())
    first = [record for record in unique if record in one]
    assert fold([*fold(first).values(), *unique]) == fold(unique)


@settings(max_examples=25, deadline=None)
@given(st.lists(records | notes, min_size=1, max_size=6), st.data())
def test_a_torn_last_line_loses_only_itself(entries: list[CommitRecord | AttemptNote], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        store = IndexStore(folder)
        store.append(entries)
        (path,) = Path(folder).rglob("*.jsonl")
        content = path.read_bytes()
        last = len(entries[-1].to_json()) + 1
        path.write_bytes(content[: len(content) - data.draw(st.integers(1, last))])
        assert store.read("shop.orders") == AssetIndex.of(entries[:-1])
        store.append(entries[-1:])
        assert store.read("shop.orders") == AssetIndex.of(entries)


def lines_of(entries: list[CommitRecord | AttemptNote | UntrackedNote]) -> list[bytes]:
    return [entry.to_json().encode() for entry in entries]


@given(entries_of_all_kinds, st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line), max_size=3))
def test_what_is_read_of_the_lines_that_count_is_what_is_read_of_all(
    entries: list[CommitRecord | AttemptNote | UntrackedNote], garbage: list[bytes]
) -> None:
    found = standing([*garbage, *lines_of(entries)])
    assert AssetIndex.of(found.entries) == AssetIndex.of(entries)
    assert standing(found.lines).lines == found.lines


@given(entries_of_all_kinds, entries_of_all_kinds)
def test_what_comes_after_a_compaction_changes_what_it_would_have_changed_before(
    before: list[CommitRecord | AttemptNote | UntrackedNote], after: list[CommitRecord | AttemptNote | UntrackedNote]
) -> None:
    compacted = standing(lines_of(before)).lines
    assert AssetIndex.of(standing([*compacted, *lines_of(after)]).entries) == AssetIndex.of([*before, *after])


@settings(max_examples=25, deadline=None)
@given(entries_of_all_kinds.filter(bool))
def test_compacting_the_index_changes_nothing_that_is_read(
    entries: list[CommitRecord | AttemptNote | UntrackedNote],
) -> None:
    with TemporaryDirectory() as folder:
        store = IndexStore(folder)
        store.append(entries)
        before = store.read("shop.orders")
        store.compact("shop.orders")
        assert store.read("shop.orders") == before == AssetIndex.of(entries)
        assert all(one.bytes[0] == one.bytes[1] for one in store.compact("shop.orders"))
