"""The lease of a writer at work."""

import threading
import time

import pytest

from airflow_provider.destinations import lease
from airflow_provider.errors import DestinationError


def test_a_lease_holds_for_its_time_and_none_is_over() -> None:
    assert not lease.has_expired(lease.until())
    assert lease.has_expired(lease.until(-0.001))
    assert lease.has_expired("")


def test_it_is_renewed_while_the_block_lasts_and_not_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "LEASE_S", 0.03)
    calls: list[int] = []
    with lease.renewed(lambda: calls.append(1)):
        time.sleep(0.1)
    seen = len(calls)
    assert seen >= 2
    time.sleep(0.05)
    assert len(calls) == seen
    assert not [thread for thread in threading.enumerate() if thread.name == "lease"]


def test_a_store_that_refuses_does_not_end_the_block_and_the_blocks_error_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lease, "LEASE_S", 0.01)

    def refuse() -> None:
        raise DestinationError("no", where="here", fix="wait")

    def fail_late() -> None:
        with lease.renewed(refuse):
            time.sleep(0.05)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_late()
