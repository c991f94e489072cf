"""A lease that a writer renews while it writes: how others tell a write that goes on from one that was cut short.

It is advisory. Nobody is kept from writing by it, and nothing is believed because of it: fences decide. A writer whose
host stood still for longer than the lease is taken for dead, and refused or found out by its fence when it wakes.
"""

import contextlib
import datetime as dt
import threading
from collections.abc import Callable, Iterator

from airflow_provider.errors import AssetsError
from airflow_provider.ledger.record import utc_text

LEASE_S = 60.0
"""How long a lease holds without being renewed, in seconds: many times what the clocks of two hosts may differ."""


def until(seconds: float | None = None) -> str:
    """The end of a lease that begins now, ISO 8601 in UTC."""
    return utc_text(dt.datetime.now(dt.timezone.utc) + dt.timedelta(seconds=LEASE_S if seconds is None else seconds))


def has_expired(end: str) -> bool:
    """Whether a lease is over; one without an end, as an older version wrote it, is."""
    return end <= utc_text(dt.datetime.now(dt.timezone.utc))


@contextlib.contextmanager
def renewed(renew: Callable[[], object]) -> Iterator[None]:
    """Call ``renew`` three times per lease, in a thread, until the block ends.

    An error of the store while renewing is no reason to stop the write: the lease is only the worse for it.
    """
    done = threading.Event()

    def work() -> None:
        while not done.wait(LEASE_S / 3):
            with contextlib.suppress(AssetsError, OSError):
                renew()

    thread = threading.Thread(target=work, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
