"""Starting programs so that every process they ever make can be found and ended again.

Each started program leads a session of its own, and carries a mark in its environment that its children inherit, also
those that make a session of their own or lose their parent. The rule kept: `end_marked` returns only when no process
with the mark is left.
"""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import psutil

MARK = "AIRFLOW_PROVIDER_INSTANCE"
LOOPBACK = "127.0.0.1"


def free_port(preferred: int | None = None) -> int:
    """Find a port of 127.0.0.1 that nobody listens on.

    Args:
        preferred: Taken if it is free.

    Returns:
        ``preferred``, or one the system never hands to outgoing connections, so that it is still free a moment later.
    """
    start = 20_000 + os.getpid() * 7 % 10_000
    for port in ([preferred] if preferred else []) + [20_000 + (start + step) % 12_000 for step in range(12_000)]:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return port
    raise OSError(f"no free port on {LOOPBACK} between 20000 and 32000")


def start(command: Sequence[str], *, environment: Mapping[str, str], log: Path, cwd: Path) -> subprocess.Popen[bytes]:
    """Start a program at the head of a session of its own; what it prints is added to ``log``."""
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - the commands are ours
            command,
            env=dict(environment),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def marked(mark: str) -> list[psutil.Process]:
    """Every living process, of any session, whose environment holds ``mark``."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue  # gone meanwhile, or somebody else's
    return found


def ask_to_end(programs: Iterable[subprocess.Popen[bytes]]) -> None:
    """SIGTERM to programs that still run.

    Only the programs are asked, not their children: a scheduler then waits for its running tasks instead of seeing
    them killed.
    """
    for program in programs:
        if program.poll() is None:
            program.send_signal(signal.SIGTERM)


def have_ended(programs: Iterable[subprocess.Popen[bytes]], *, patience_s: float) -> bool:
    """Wait until all programs have ended, and say whether they did within ``patience_s``."""
    waited_for = list(programs)
    deadline = time.monotonic() + patience_s
    while any(program.poll() is None for program in waited_for):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.05)
    return True


def end_marked(mark: str) -> list[str]:
    """Kill every process with the mark until none is left.

    Returns:
        A line for each process that was killed.
    """
    killed: list[str] = []
    while left := marked(mark):  # a killed parent may just have started another one
        for process in left:
            killed.append(_describe(process))
            _signal_process(process, signal.SIGKILL)
        time.sleep(0.05)  # no waiting here: it would take the exit status from the starter
    return killed


def listening(mark: str) -> list[tuple[str, int]]:
    """Addresses and ports on which processes with the mark listen, sorted."""
    found = set()
    for process in marked(mark):
        try:
            connections = process.net_connections(kind="inet")
        except (psutil.Error, OSError):
            continue
        found |= {(one.laddr.ip, one.laddr.port) for one in connections if one.status == psutil.CONN_LISTEN}
    return sorted(found)


def tail(path: Path, lines: int = 30) -> str:
    """The last lines of a text file, or a note that there is none."""
    try:
        return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except OSError as error:
        return f"(no log: {error.strerror} {path})"


def _describe(process: psutil.Process) -> str:
    try:
        return f"{process.pid} {' '.join(process.cmdline())[:120]}"
    except (psutil.Error, OSError):
        return str(process.pid)


def _signal_process(process: psutil.Process, number: signal.Signals) -> None:
    with contextlib.suppress(psutil.Error, OSError):  # ended already
        process.send_signal(number)
