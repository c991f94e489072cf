"""Which lines of an index count."""

import json

import pytest

from airflow_provider.ledger import AttemptNote, CommitRecord, UntrackedNote
from airflow_provider.ledger.standing import standing, whole_lines

RECORD = CommitRecord("shop.orders", "parquet:/lake", "2026-03-01", 3, "a")
NOTE = AttemptNote("shop.orders", "parquet:/lake", "2026-03-01", "a", "failed", at="2026-03-02")
OLD = UntrackedNote("shop.orders", "parquet:/lake", "2026-03-01")


def line(entry: CommitRecord | AttemptNote | UntrackedNote, **changed: object) -> bytes:
    return json.dumps({**json.loads(entry.to_json()), **changed}).encode()


def test_of_one_partition_the_highest_fence_and_the_latest_note_count() -> None:
    lines = [line(RECORD, fence=9), line(RECORD), line(NOTE, at="2026-03-09"), line(NOTE)]
    assert standing(lines).lines == [lines[0], lines[2]]


def test_partitions_destinations_and_assets_do_not_outweigh_each_other() -> None:
    lines = [line(RECORD), line(RECORD, key=None), line(RECORD, destination="csv:/lake"), line(RECORD, asset="b")]
    assert standing(lines).lines == lines


def test_untracked_data_counts_until_a_record_outweighs_it() -> None:
    other = line(OLD, key="2026-03-02")
    assert standing([line(OLD), other, line(RECORD)]).lines == [other, line(RECORD)]
    assert standing([line(OLD), line(OLD, uri="x")]).lines == [line(OLD, uri="x")]


@pytest.mark.parametrize(
    "damaged",
    [
        b"", b"{", b"[]", b"1", b"\xff", b'{"type":7}', b'{"type":["x"]}', line(RECORD, fence="3"),
        line(RECORD, fence=True),
        line(RECORD, key=1), line(RECORD, asset=[]), line(RECORD, destination={}), line(RECORD, checks=5),
        line(NOTE, at=None), b'{"type":"attempt"}', b'{"type":"untracked","asset":"a"}',
    ],
)  # fmt: skip
def test_a_line_that_is_none_is_named_and_harms_no_other(damaged: bytes) -> None:
    found = standing([line(RECORD), damaged, line(NOTE)])
    assert found.lines == [line(RECORD), line(NOTE)]
    ((number, why),) = found.damaged
    assert number == 2
    assert why
    assert len(found.entries) == 2


def test_what_follows_the_last_line_end_is_not_a_line() -> None:
    assert whole_lines(b"a\nb\nto") == [b"a", b"b"]
    assert whole_lines(b"") == []
