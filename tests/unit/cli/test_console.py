import io
import logging
import sys

import pytest
import typer

from airflow_provider.cli.console import counted, hush, session
from airflow_provider.errors import ConfigError


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_others_print_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with session() as terminal:
        print("noise")
        terminal.say("result [red]as it is[/red]")

    assert capsys.readouterr() == ("result [red]as it is[/red]\n", "noise\n")


def test_a_terminal_gets_colour_and_a_pipe_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for stream, is_coloured in ((Tty(), True), (io.StringIO(), False)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            with session() as terminal:
                terminal.say("x", style="red")
        assert ("\x1b[31m" in stream.getvalue()) is is_coloured


def test_an_error_of_ours_is_printed_without_a_trace_and_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended, session():
        raise ConfigError("is wrong", where="it", fix="mend it")

    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == "it: is wrong\n  Fix: mend it\n"


def test_ctrl_c_ends_with_130() -> None:
    with pytest.raises(typer.Exit) as ended, session():
        raise KeyboardInterrupt

    assert ended.value.exit_code == 130


def test_logs_go_to_stderr_plainly_and_handlers_are_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    before = logging.getLogger().handlers[:]
    with session():
        logging.getLogger().addHandler(logging.StreamHandler(sys.__stdout__))  # as an import of Airflow does
        hush()
        logging.getLogger("airflow_provider.x").info("not shown")
        logging.getLogger("airflow_provider.x").warning("shown")

    assert capsys.readouterr() == ("", "WARNING: shown\n")
    assert logging.getLogger().handlers == before


def test_verbose_shows_what_the_package_tells(capsys: pytest.CaptureFixture[str]) -> None:
    with session(verbose=True):
        logging.getLogger("airflow_provider.x").info("shown")
        logging.getLogger("airflow.x").info("not shown")

    assert capsys.readouterr().err == "INFO: shown\n"


def test_an_encoding_without_our_characters_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    with session() as terminal:
        assert not terminal.can_show("■")
        assert terminal.can_show("#")


def test_counts_are_worded() -> None:
    assert [counted(1, "row"), counted(2, "row"), counted(1234, "row")] == ["1 row", "2 rows", "1,234 rows"]
