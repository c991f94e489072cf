"""Listeners and steps."""

import logging
import time

import pytest

from airflow_provider.execution.events import Emitter, Event, emit, listening


def test_listeners_hear_events_in_order_while_they_listen() -> None:
    heard: list[str] = []
    with listening(lambda event: heard.append(f"one {event.name}")), listening(lambda e: heard.append(f"two {e.name}")):
        emit(Event("a", "users"))
    emit(Event("b", "users"))

    assert heard == ["one a", "two a"]


def test_a_listener_that_raises_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Event] = []

    def broken(event: Event) -> None:
        raise ZeroDivisionError

    with listening(broken), listening(heard.append):
        emit(Event("a", "users"))

    assert [event.name for event in heard] == ["a"]
    assert "a listener failed on a of users" in caplog.text


def test_a_step_is_told_at_both_ends() -> None:
    heard: list[Event] = []
    with listening(heard.append), Emitter("users", ("k",), {"run": 1}).step("dest_write", destination="csv") as found:
        found["rows"] = 3
        time.sleep(0.002)

    started, completed = heard
    assert (started.name, started.asset, started.keys, started.metadata) == (
        "dest_write_started",
        "users",
        ("k",),
        {"run": 1},
    )
    assert completed.name == "dest_write_completed"
    assert completed.values["rows"] == 3
    assert completed.values["destination"] == "csv"
    assert completed.values["seconds"] >= 0.002


def test_a_step_that_fails_names_the_class_of_the_error_only() -> None:
    heard: list[Event] = []
    with listening(heard.append), pytest.raises(OSError, match="hunter2"), Emitter("users", (), {}).step("asset_data"):
        raise OSError("hunter2")

    assert [event.name for event in heard] == ["asset_data_started", "asset_data_failed"]
    assert heard[1].values == {"error": "OSError"}


def test_a_warning_is_logged_and_emitted(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Event] = []
    with listening(heard.append), caplog.at_level(logging.WARNING):
        Emitter("users", ("a", "b"), {}).warn("%s has %s", "users", 3, keys=("a",))

    assert caplog.messages == ["users has 3"]
    assert [(e.name, e.keys, dict(e.values)) for e in heard] == [
        ("log", ("a",), {"level": "warning", "message": "users has 3"})
    ]
