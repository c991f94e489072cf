"""Kill a process in the middle of its work, at moments that are chosen and not left to luck.

The work runs in a forked child, which counts its own steps: entering and leaving a Python function or a function of C.
Those just behind a call that opened, wrote, renamed, removed, sent or committed something are told apart: there, the
world outside the process has changed. At the chosen step the child is killed by SIGKILL, so that no ``finally`` runs
and no buffer is flushed.
"""

import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

CHANGES = frozenset(
    {
        "__exit__", "close", "commit", "execute", "executemany", "flush", "fsync", "ftruncate", "link", "mkdir",
        "open", "remove", "rename", "replace", "rmdir", "send", "sendall", "symlink", "truncate", "unlink", "write",
        "writelines",
    }
)  # fmt: skip
"""Names of functions of C that change what outlives the process."""

Work = Callable[[], object]


class WorkFailedError(Exception):
    """The work raised where it should have been done or killed; the text is its traceback."""


class Moment(NamedTuple):
    """Where to kill: at the n-th step, or just behind the n-th change, both counted from 0."""

    kind: Literal["step", "change"]
    number: int


def moments(work: Work, *, changes: int, others: int) -> list[Moment]:
    """Do ``work`` in a child, and name moments at which it can be killed.

    Args:
        work: What to do. Its second run may take other steps than the first one, if it remembers anything.
        changes: How many moments behind a change outside, at most; evenly spread where there are more.
        others: How many other ones.

    Raises:
        WorkFailedError: ``work`` raised.
    """
    steps, changed = map(int, _in_child(work, None).split())
    behind = [Moment("change", number) for number in _spread(changed, changes)]
    return [*behind, *(Moment("step", number) for number in _spread(steps, others))]


def killed(work: Work, moment: Moment) -> bool:
    """Do ``work`` in a child that is killed at ``moment``; False where the work was done before.

    Raises:
        WorkFailedError: ``work`` raised.
    """
    return _in_child(work, moment) == b""


def _spread(total: int, count: int) -> list[int]:
    return list(range(total)) if total <= count else [number * total // count for number in range(count)]


def _in_child(work: Work, moment: Moment | None) -> bytes:
    """What the child says of its steps; empty when it was killed."""
    read_end, write_end = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads: the child does its work and ends
        pid = os.fork()
    if pid == 0:
        _child(work, moment, write_end)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        said = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == -signal.SIGKILL:
        return b""
    if code != 0:
        raise WorkFailedError(said.decode(errors="replace") or f"the child ended with code {code}")
    return said


def _child(work: Work, moment: Moment | None, write_end: int) -> None:
    code = 1
    try:
        counts = {"step": 0, "change": 0}

        def passed(kind: Literal["step", "change"]) -> None:
            if moment == (kind, counts[kind]):
                os.kill(os.getpid(), signal.SIGKILL)
            counts[kind] += 1

        def watch(frame: Any, event: str, arg: Any) -> None:
            passed("step")
            if event == "c_return" and arg.__name__ in CHANGES:
                passed("change")

        threading.setprofile(watch)
        sys.setprofile(watch)
        try:
            work()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        _write_all(write_end, f"{counts['step']} {counts['change']}".encode())
        code = 0
    except BaseException:  # noqa: BLE001 -- nothing may leave the child but its exit
        _write_all(write_end, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _write_all(handle: int, content: bytes) -> None:
    while content:
        content = content[os.write(handle, content) :]
