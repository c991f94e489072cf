"""Where the command line writes: results to stdout, everything else to stderr.

While a command runs, ``sys.stdout`` is stderr: whatever a library or a definition prints cannot mix with the results,
which are written to the real one. Colours and bars appear on a terminal only, whatever the environment says.
"""

import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO

import typer
from rich.console import Console

from airflow_provider.errors import AssetsError

FAILED, BROKEN, INTERRUPTED = 1, 2, 130
_PIPE_WIDTH = 100_000  # a pipe has no width: nothing is wrapped or cut
_HELD_BACK = ("airflow", "alembic", "sqlalchemy", "httpx", "asyncio")


@dataclass(frozen=True)
class Terminal:
    """The two streams of one command.

    Attributes:
        out: For results.
        err: For problems, progress and logs.
    """

    out: Console
    err: Console

    def say(self, text: str = "", *, style: str | None = None) -> None:
        """Print one result line, as it is: no markup is read, nothing is wrapped."""
        self.out.print(text, style=style, markup=False, highlight=False, soft_wrap=True)

    def complain(self, text: str) -> None:
        """Print a problem to stderr."""
        self.err.print(text, style="red", markup=False, highlight=False, soft_wrap=True)

    def note(self, text: str) -> None:
        """Print something worth knowing to stderr."""
        self.err.print(text, style="dim", markup=False, highlight=False, soft_wrap=True)

    def can_show(self, text: str) -> bool:
        """Whether stdout's encoding has all characters of ``text``."""
        try:
            text.encode(self.out.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True


def counted(number: int, noun: str) -> str:
    """``1 partition``, ``2 partitions``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@contextlib.contextmanager
def session(*, verbose: bool = False, failed: int = FAILED) -> Iterator[Terminal]:
    """The streams of one command, with its errors worded and its exit status set.

    Raises:
        typer.Exit: ``failed`` for an error of the package, which is printed without a trace; 130 for Ctrl-C.
    """
    terminal = Terminal(_console(sys.stdout), _console(sys.stderr))
    with contextlib.redirect_stdout(sys.stderr), quiet(verbose=verbose):
        try:
            yield terminal
        except AssetsError as error:
            terminal.complain(str(error))
            raise typer.Exit(failed) from None
        except KeyboardInterrupt:
            terminal.note("interrupted")
            raise typer.Exit(INTERRUPTED) from None


@contextlib.contextmanager
def quiet(*, verbose: bool = False) -> Iterator[None]:
    """Send logs to stderr, plainly: warnings and worse, with ``verbose`` our own INFO too.

    Importing Airflow installs a handler of its own on stdout, so ``hush`` is to be called again after it.
    """
    root, before = logging.getLogger(), logging.getLogger().handlers[:]
    levels = {name: logging.getLogger(name).level for name in ("", "airflow_provider", *_HELD_BACK)}
    os.environ.setdefault("AIRFLOW__LOGGING__LOGGING_LEVEL", "WARNING")
    structured = sys.modules["structlog"].get_config() if "structlog" in sys.modules else None
    hush(verbose=verbose)
    try:
        yield
    finally:
        if structured is not None:
            sys.modules["structlog"].configure(**structured)
        root.handlers[:] = before
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def hush(*, verbose: bool | None = None) -> None:
    """Put our handler in the place of plain stream handlers; ``verbose`` None keeps what was chosen."""
    root = logging.getLogger()
    own = next((handler for handler in root.handlers if isinstance(handler, _Handler)), None) or _Handler()
    root.handlers[:] = [h for h in root.handlers if type(h) is not logging.StreamHandler and h is not own] + [own]
    if verbose is not None:
        root.setLevel(logging.WARNING)
        logging.getLogger("airflow_provider").setLevel(logging.INFO if verbose else logging.WARNING)
    for name in _HELD_BACK:
        logging.getLogger(name).setLevel(logging.WARNING)
    if "structlog" in sys.modules:  # Airflow's: what it logs goes past the logging module
        import structlog

        structlog.configure(
            wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
            logger_factory=structlog.PrintLoggerFactory(_Stderr()),  # type: ignore[arg-type]  # only write and flush are used
        )


class _Stderr:
    """Whatever ``sys.stderr`` is at that moment, so that a progress bar can put lines above itself."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


class _Handler(logging.Handler):
    """Writes log records to the stderr of that moment."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(f"{self.format(record)}\n")
        except Exception:  # noqa: BLE001 -- logging's own rule: a log line never ends the program
            self.handleError(record)


def _console(stream: TextIO) -> Console:
    is_terminal = bool(getattr(stream, "isatty", lambda: False)())
    options: dict[str, Any] = {} if is_terminal else {"width": _PIPE_WIDTH, "color_system": None}
    return Console(file=stream, force_terminal=is_terminal, highlight=False, emoji=False, **options)
