"""Processes of ours are found and ended, whatever they did to hide."""

import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_provider.testing import processes

# A child in a session of its own whose parent is gone.
ORPHAN = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    time.sleep(60)
os._exit(0)
"""
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def mark() -> Iterator[str]:
    made = uuid.uuid4().hex
    yield made
    processes.end_marked(made)


def started(mark: str, code: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, processes.MARK: mark}
    return processes.start([sys.executable, "-c", code], environment=environment, log=folder / "log", cwd=folder)


def wait_until_printed(folder: Path, text: str) -> None:
    deadline = time.monotonic() + 10
    while text not in processes.tail(folder / "log"):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_orphan_in_its_own_session_is_found_and_ended(mark: str, tmp_path: Path) -> None:
    started(mark, ORPHAN, tmp_path).wait(timeout=10)
    assert len(processes.marked(mark)) == 1

    killed = processes.end_marked(mark)

    assert len(killed) == 1
    assert processes.marked(mark) == []


def test_a_program_that_ends_when_asked_is_not_waited_for_longer(mark: str, tmp_path: Path) -> None:
    program = started(mark, "import time; time.sleep(60)", tmp_path)

    processes.ask_to_end([program])

    assert processes.have_ended([program], patience_s=10)
    assert processes.marked(mark) == []


def test_a_program_that_will_not_end_is_reported_and_can_be_killed(mark: str, tmp_path: Path) -> None:
    program = started(mark, STUBBORN, tmp_path)
    wait_until_printed(tmp_path, "ready")

    processes.ask_to_end([program])

    assert not processes.have_ended([program], patience_s=0.3)
    assert len(processes.end_marked(mark)) == 1
    assert program.wait(timeout=5) < 0


def test_other_marks_are_left_alone(mark: str, tmp_path: Path) -> None:
    started(mark, "import time; print('ready', flush=True); time.sleep(60)", tmp_path)
    wait_until_printed(tmp_path, "ready")  # before it is on its way, its environment may still be ours

    assert processes.end_marked(uuid.uuid4().hex) == []
    assert len(processes.marked(mark)) == 1


def test_a_free_port_can_be_bound_and_a_taken_one_is_not_offered() -> None:
    port = processes.free_port()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()

        assert processes.free_port(port) != port
        assert 20_000 <= processes.free_port(port) < 32_000


def test_the_preferred_port_is_taken_when_it_is_free() -> None:
    port = processes.free_port()

    assert processes.free_port(port) == port


def test_addresses_that_are_listened_on_are_seen(mark: str, tmp_path: Path) -> None:
    code = "import socket, time; s = socket.create_server(('127.0.0.1', 0)); print('ready', flush=True); time.sleep(60)"
    started(mark, code, tmp_path)
    wait_until_printed(tmp_path, "ready")

    assert [address for address, _ in processes.listening(mark)] == ["127.0.0.1"]


def test_the_tail_of_a_log_that_is_not_there_says_so(tmp_path: Path) -> None:
    assert "no log" in processes.tail(tmp_path / "none.log")
