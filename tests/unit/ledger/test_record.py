"""Commit records and notes as lines of JSON, and the seal that tells when a bit of one has flipped."""

import json
from dataclasses import replace

import pytest

from airflow_provider.errors import DataCorruptError
from airflow_provider.ledger.record import AttemptNote, CommitRecord, parse_line, sealed

RECORD = CommitRecord("shop.orders", "parquet:/lake", "2026-03-01", 7, "a", rows=2, sha256="00", types="t" * 64)


def test_a_line_reads_back_as_what_it_was() -> None:
    note = AttemptNote("shop.orders", "parquet:/lake", None, "a", "failed", error="é" * 9)

    assert parse_line(RECORD.to_json(), where="here") == RECORD
    assert parse_line(note.to_json().encode(), where="here") == note


def test_a_note_keeps_the_first_part_of_a_long_error() -> None:
    note = AttemptNote("shop.orders", "parquet:/lake", None, "a", "failed", error="x" * 9999)

    assert json.loads(note.to_json())["error"] == "x" * 500


def test_fields_of_a_newer_version_are_ignored() -> None:
    line = json.dumps({**json.loads(RECORD.to_json()), "colour": "red"})

    assert CommitRecord.from_json(line, where="here") == RECORD


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"asset": "x"}', '{"type": "attempt"}', b"\xff"])
def test_what_is_no_record_is_named_with_its_place(text: str | bytes) -> None:
    with pytest.raises(DataCorruptError, match="the file of the day"):
        CommitRecord.from_json(text, where="the file of the day")


def test_a_sealed_line_reads_as_the_line() -> None:
    line = sealed(RECORD.to_json())

    assert json.loads(line)["fence"] == 7
    assert CommitRecord.from_json(line, where="here") == RECORD
    assert CommitRecord.from_json(f"{line}\n".encode(), where="here") == RECORD


def test_a_line_without_a_seal_is_believed() -> None:
    assert CommitRecord.from_json(RECORD.to_json(), where="here") == RECORD


def test_no_flipped_bit_of_a_sealed_line_changes_what_is_read() -> None:
    line = sealed(RECORD.to_json()).encode()
    for at in range(len(line)):
        for bit in range(8):
            damaged = line[:at] + bytes([line[at] ^ 1 << bit]) + line[at + 1 :]
            try:
                found = CommitRecord.from_json(damaged, where="here")
            except DataCorruptError:
                continue
            assert found == RECORD, f"byte {at}, bit {bit}"


def test_a_sealed_line_that_was_changed_by_hand_says_so() -> None:
    line = sealed(RECORD.to_json()).replace('"rows":2', '"rows":7')

    with pytest.raises(DataCorruptError, match="its checksum differs"):
        CommitRecord.from_json(line, where="here")
    assert CommitRecord.from_json(sealed(replace(RECORD, rows=7).to_json()), where="here").rows == 7
