"""A whole Airflow on 127.0.0.1, for demos and for tests that must not trust a stand-in.

`AirflowInstance` starts scheduler, DAG processor, triggerer and API server as separate processes over a home of its
own, and ends them all. The rules kept: nothing listens outside 127.0.0.1; whatever ends the launcher but SIGKILL, no
process is left, and what a killed launcher left is ended by the next one of the same home; stopped and started again
it goes on where it was.
"""

import atexit
import contextlib
import fcntl
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Any

from airflow_provider.testing import processes
from airflow_provider.testing.airflow_client import AirflowClient, AirflowInstanceError, Record

COMPONENTS: dict[str, tuple[str, ...]] = {
    # The servers of task logs would listen on every address; on one host the API server reads the files itself.
    "scheduler": ("scheduler", "--skip-serve-logs"),
    "dag-processor": ("dag-processor",),
    "triggerer": ("triggerer", "--skip-serve-logs"),
    "api-server": ("api-server", "--host", processes.LOOPBACK),
}
LAST_TO_END = ("triggerer", "api-server")
HEALTH_OF = {"metadatabase", "scheduler", "dag_processor", "triggerer"}
TERMINAL = {"success", "failed"}
UNFINISHED = ("running", "queued", "scheduled", "restarting")

SETTINGS = {
    "CORE__EXECUTOR": "LocalExecutor",
    "CORE__LOAD_EXAMPLES": "False",
    "CORE__DAGS_ARE_PAUSED_AT_CREATION": "True",
    "API__HOST": processes.LOOPBACK,
    "API__WORKERS": "1",
    "API__EXPOSE_CONFIG": "False",
    "DAG_PROCESSOR__PARSING_PROCESSES": "1",
    "DAG_PROCESSOR__REFRESH_INTERVAL": "5",
    "DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "5",
    "SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
    "SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.2",
    # A task whose process ended is noticed within this time: at the default of 5 half of all tasks take 5 s longer.
    "WORKERS__MIN_HEARTBEAT_INTERVAL": "1",
    "USAGE_DATA_COLLECTION__ENABLED": "False",
}


class AirflowInstance:
    """An Airflow of its own, as a context manager or with `start` and `stop`.

    Args:
        home: Its AIRFLOW_HOME, made if absent. One that was used before goes on with its runs and its passwords.
        dags_folder: Where the DAG files are.
        sql_alchemy_conn: The metadata database; None is a SQLite file in the home.
        environment: More environment variables for every process, also ``AIRFLOW__SECTION__OPTION``.
        parallelism: Tasks that run at once; more than the machine has cores makes nothing faster.
        port: Of the API server and UI, if it is free; None or a taken one: any free port.

    Source: `design.md` of the project for what an instance must keep; Airflow's configuration reference for settings.
    """

    def __init__(
        self,
        home: str | os.PathLike[str],
        *,
        dags_folder: str | os.PathLike[str],
        sql_alchemy_conn: str | None = None,
        environment: Mapping[str, str] | None = None,
        parallelism: int = 2,
        port: int | None = None,
    ) -> None:
        self.home = Path(home).resolve()
        self.dags_folder = Path(dags_folder).resolve()
        self.logs = self.home / "logs"
        self.sql_alchemy_conn = sql_alchemy_conn or f"sqlite:///{self.home / 'airflow.db'}"
        self.environment: dict[str, str] = {}
        self.started_in_s = 0.0
        self._extra_environment = dict(environment or {})
        self._parallelism = parallelism
        self._preferred_port = port
        self._port = 0
        self._identity: dict[str, str] = {}
        self._programs: dict[str, subprocess.Popen[bytes]] = {}
        self._clients: dict[str, AirflowClient] = {}
        self._lock: IO[bytes] | None = None
        self._former_handlers: dict[int, Any] = {}

    # Life

    def __enter__(self) -> "AirflowInstance":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, *, timeout_s: float = 120.0, progress: Callable[[str], None] = lambda line: None) -> None:
        """Prepare the database, start every component and wait until all are healthy.

        Args:
            timeout_s: For the whole start, in seconds.
            progress: Called with a few words at each step.

        Raises:
            AirflowInstanceError: A component ended or was not healthy in time; the text has the end of its log.
        """
        begun = time.monotonic()
        deadline = begun + timeout_s
        self._claim_home()
        self._catch_signals()
        atexit.register(self.stop)
        try:
            self._identity = self._load_identity()
            processes.end_marked(self.mark)  # left by a launcher that was killed
            self._port = processes.free_port(self._preferred_port)
            self.environment = self._compose_environment()
            progress("preparing the database")
            self._migrate(deadline)
            self._release_unfinished()
            progress("starting scheduler, DAG processor, triggerer and API server")
            self._start_components()
            self._wait_until_healthy(deadline)
        except BaseException:
            self.stop()
            raise
        self.started_in_s = time.monotonic() - begun

    def stop(self) -> list[str]:
        """End every process of this instance, politely first; a second call does nothing.

        Returns:
            A line for each process that had to be killed.
        """
        if self._lock is None:
            return []
        with _deaf_to_signals():
            for client in self._clients.values():
                client.close()
            self._clients.clear()
            killed = self._end_processes()
            atexit.unregister(self.stop)
            self._lock.close()
            self._lock = None
        self._restore_handlers()
        return killed

    def processes(self) -> list[str]:
        """A line for each living process of this instance."""
        return [f"{one.pid} {one.name()}" for one in processes.marked(self.mark)] if self._identity else []

    def listening(self) -> list[tuple[str, int]]:
        """Addresses and ports on which any process of this instance listens."""
        return processes.listening(self.mark)

    # Access

    @property
    def mark(self) -> str:
        """What every process of this instance carries in its environment."""
        return self._identity["mark"]

    @property
    def url(self) -> str:
        """Where the UI and the API answer."""
        return f"http://{processes.LOOPBACK}:{self._port}"

    @property
    def passwords(self) -> dict[str, str]:
        """User -> password: ``admin`` may do everything, ``viewer`` may only look."""
        return {"admin": self._identity["admin"], "viewer": self._identity["viewer"]}

    @property
    def client(self) -> AirflowClient:
        """The REST API as ``admin``."""
        return self.client_of("admin")

    def client_of(self, username: str) -> AirflowClient:
        """The REST API as one of the users."""
        if username not in self._clients:
            password = self.passwords[username]
            self._clients[username] = AirflowClient(self.url, username=username, password=password)
        return self._clients[username]

    def log_tail(self, component: str, lines: int = 30) -> str:
        """The end of what a component has printed, ``scheduler`` for example."""
        return processes.tail(self._log_of(component), lines)

    def xcom_rows(self) -> int:
        """How many rows the whole ``xcom`` table holds."""
        import sqlalchemy

        engine = sqlalchemy.create_engine(self.sql_alchemy_conn)
        try:
            with engine.connect() as connection:
                return int(connection.execute(sqlalchemy.text("SELECT count(*) FROM xcom")).scalar_one())
        finally:
            engine.dispose()

    # Runs

    def unpause(self, dag_id: str, *, timeout_s: float = 60.0) -> None:
        """Wait until the DAG is parsed, then let the scheduler make its runs."""
        self.wait_for_dag(dag_id, timeout_s=timeout_s)
        self.client.unpause(dag_id)

    def trigger(self, dag_id: str, **fields: Any) -> str:
        """Make a manual run, see `AirflowClient.trigger`; its run id."""
        return self.client.trigger(dag_id, **fields)

    def wait_for_dag(self, dag_id: str, *, timeout_s: float = 60.0) -> None:
        """Wait until the DAG is parsed and served.

        Raises:
            AirflowInstanceError: It is not there in time; the text has the import errors there are.
        """

        def describe() -> str:
            errors = "\n".join(f"{file}:\n{text}" for file, text in self.client.import_errors().items())
            return f"DAG {dag_id!r} is not there after {timeout_s:.0f} s; import errors: {errors or 'none'}"

        self._wait(lambda: self.client.has_dag(dag_id), describe, timeout_s=timeout_s, pause_s=0.3)

    def wait_for_runs(
        self, dag_id: str, *, run_ids: Sequence[str] | None = None, count: int | None = None, timeout_s: float = 120.0
    ) -> list[Record]:
        """Wait until runs have ended, well or not.

        Args:
            dag_id: The DAG.
            run_ids: The runs meant; None means every run of the DAG.
            count: At least so many; None means ``len(run_ids)``, or 1.
            timeout_s: In seconds.

        Returns:
            The runs meant, oldest first; each has a ``state`` of ``success`` or ``failed``.

        Raises:
            AirflowInstanceError: They have not all ended in time; the text has their states.
        """
        wanted = count if count is not None else len(run_ids or "1")
        found: list[Record] = []

        def ended() -> bool:
            runs = self.client.runs(dag_id)
            found[:] = [run for run in runs if run_ids is None or run["dag_run_id"] in run_ids]
            return len(found) >= wanted and all(run["state"] in TERMINAL for run in found)

        def describe() -> str:
            states = {run["dag_run_id"]: run["state"] for run in found}
            return f"{wanted} runs of {dag_id!r} have not ended after {timeout_s:.0f} s: {states}"

        self._wait(ended, describe, timeout_s=timeout_s, pause_s=0.3)
        return found

    # The steps of a start

    def _claim_home(self) -> None:
        if self._lock is not None:
            raise self._error("it runs already", fix="stop() it first")
        self.logs.mkdir(parents=True, exist_ok=True)
        lock = (self.home / "instance.lock").open("wb")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise self._error(
                "another launcher runs an Airflow in this home", fix="stop that one, or choose another home"
            ) from None
        self._lock = lock

    def _load_identity(self) -> dict[str, str]:
        """The mark and the secrets of this home, made once and readable by its owner only."""
        path = self.home / "instance.json"
        try:
            known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        made = {name: secrets.token_hex(16) for name in ("mark", "jwt", "session")}
        made |= {user: secrets.token_urlsafe(9) for user in ("admin", "viewer")}
        identity = {**made, **known}
        _write_private(path, json.dumps(identity))
        _write_private(self.home / "passwords.json", json.dumps({user: identity[user] for user in ("admin", "viewer")}))
        return identity

    def _compose_environment(self) -> dict[str, str]:
        """Ours alone decides: settings of another Airflow on this machine are not inherited."""
        inherited = {key: value for key, value in os.environ.items() if not key.lstrip("_").startswith("AIRFLOW")}
        inherited.pop("PYTHONDONTWRITEBYTECODE", None)  # or each of the many processes compiles everything anew
        settings = SETTINGS | {
            "CORE__DAGS_FOLDER": str(self.dags_folder),
            "CORE__PARALLELISM": str(self._parallelism),
            "CORE__EXECUTION_API_SERVER_URL": f"{self.url}/execution/",
            "CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin,viewer:viewer",
            "CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(self.home / "passwords.json"),
            "DATABASE__SQL_ALCHEMY_CONN": self.sql_alchemy_conn,
            "LOGGING__BASE_LOG_FOLDER": str(self.logs / "tasks"),
            "API__BASE_URL": self.url,
            "API__PORT": str(self._port),
            "API__SECRET_KEY": self._identity["session"],
            "API_AUTH__JWT_SECRET": self._identity["jwt"],
        }
        no_proxy = ",".join(filter(None, [inherited.get("NO_PROXY"), processes.LOOPBACK, "localhost"]))
        return {
            **inherited,
            "AIRFLOW_HOME": str(self.home),
            **{f"AIRFLOW__{name}": value for name, value in settings.items()},
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), inherited.get("PATH", os.defpath)]),
            "HOME": inherited.get("HOME") or str(self.home),
            "NO_PROXY": no_proxy,
            "no_proxy": no_proxy,
            "PYTHONUNBUFFERED": "1",
            "SPT_NOENV": "1",  # setproctitle would write over the environment that the mark is read from
            processes.MARK: self.mark,
            **self._extra_environment,
        }

    def _migrate(self, deadline: float) -> None:
        self._programs["migrate"] = program = self._start("migrate", "db", "migrate")
        self._wait_for(lambda: program.poll() is not None, "the database was not ready", deadline)
        del self._programs["migrate"]
        if program.returncode:
            raise self._error(
                f"'airflow db migrate' ended with {program.returncode}:\n{self.log_tail('migrate')}",
                fix=f"remove {self.home} if it was made by a newer Airflow",
            )

    def _release_unfinished(self) -> None:
        """Hand tasks back to the scheduler that were cut off when this home was last stopped.

        No process of theirs lives, but the scheduler would believe in them for as long as their heartbeat may be late.
        """
        import sqlalchemy

        states = ", ".join(f"'{state}'" for state in UNFINISHED)
        engine = sqlalchemy.create_engine(self.sql_alchemy_conn)
        try:
            with engine.begin() as connection:
                connection.execute(
                    sqlalchemy.text(f"UPDATE task_instance SET state = NULL WHERE state IN ({states})")  # noqa: S608
                )
        finally:
            engine.dispose()

    def _start_components(self) -> None:
        for name, arguments in COMPONENTS.items():
            self._programs[name] = self._start(name, *arguments)

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "airflow", *arguments]
        return processes.start(command, environment=self.environment, log=self._log_of(name), cwd=self.home)

    def _wait_until_healthy(self, deadline: float) -> None:
        health: dict[str, str] = {}

        def healthy() -> bool:
            self._check_alive()
            health.update(self.client.health())
            return all(health.get(part) == "healthy" for part in HEALTH_OF)

        self._wait_for(healthy, f"not every component became healthy: {health}", deadline)

    def _check_alive(self) -> None:
        for name, program in self._programs.items():
            if program.poll() is not None:
                raise self._error(
                    f"{name} ended with {program.returncode}:\n{self.log_tail(name)}",
                    fix=f"read {self._log_of(name)}",
                )

    def _wait_for(self, happened: Callable[[], bool], complaint: str, deadline: float) -> None:
        left = max(deadline - time.monotonic(), 0.0)
        self._wait(happened, lambda: f"{complaint} in time", timeout_s=left, pause_s=0.1)

    def _wait(
        self, happened: Callable[[], bool], describe: Callable[[], str], *, timeout_s: float, pause_s: float
    ) -> None:
        """Look until it has happened; a component that ended meanwhile is an error at once."""
        deadline = time.monotonic() + timeout_s
        while not happened():
            if "migrate" not in self._programs:
                self._check_alive()
            if time.monotonic() >= deadline:
                raise self._error(describe(), fix=f"read the logs in {self.logs}, or allow more time")
            time.sleep(pause_s)

    # The steps of a stop

    def _end_processes(self) -> list[str]:
        """The API server last: what the others report on their way out still reaches it."""
        if not self._identity:
            return []
        triggerer, server = ([self._programs[name]] if name in self._programs else [] for name in LAST_TO_END)
        others = [program for program in self._programs.values() if program not in server]
        processes.ask_to_end(others)
        if not processes.have_ended(triggerer, patience_s=2.0):
            processes.ask_to_end(triggerer)  # asked twice it waits no longer for triggers, which keep nothing
        processes.have_ended(others, patience_s=10.0)
        processes.ask_to_end(server)
        processes.have_ended(server, patience_s=5.0)
        killed = processes.end_marked(self.mark)
        for program in self._programs.values():
            program.wait(timeout=10)  # ended above: this collects the exit status
        self._programs.clear()
        return killed

    def _catch_signals(self) -> None:
        """SIGTERM and SIGHUP unwind the launcher as Ctrl-C does, so that `stop` runs."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._former_handlers[number] = signal.signal(number, _leave)

    def _restore_handlers(self) -> None:
        for number, handler in self._former_handlers.items():
            signal.signal(number, handler)
        self._former_handlers.clear()

    def _log_of(self, component: str) -> Path:
        return self.logs / f"{component}.log"

    def _error(self, what: str, *, fix: str) -> AirflowInstanceError:
        return AirflowInstanceError(what, where=f"Airflow in {self.home}", fix=fix)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextlib.contextmanager
def _deaf_to_signals() -> Iterator[None]:
    """A second Ctrl-C must not cut a stop short: it would leave processes behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    former = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _write_private(path: Path, text: str) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(text)
