"""Start a real Airflow, let it fill two weeks of an example's data, and show what is held.

`make demo` calls it. It keeps everything in ``.demo`` beside this folder: a second call starts on what is there and
runs nothing again that is right. With ``--exit`` it ends by itself, with status 0 only if every task succeeded and
every day is held; without, it stays until Ctrl-C for a look at the UI. It leaves no process behind either way.
"""

import argparse
import datetime as dt
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from airflow_provider.errors import AssetsError
from airflow_provider.storage.index import open_index
from airflow_provider.testing.airflow_instance import AirflowInstance

HERE = Path(__file__).resolve().parent
DAG_ID = "nyc"
FIRST, DAYS = dt.date(2013, 1, 1), 14
RUNS = {DAG_ID: DAYS, "nyc_reference": 1}
"""How many runs each DAG of the demo makes."""
DAILY_ASSETS = ("nyc.carrier_delays", "nyc.flights", "nyc.weather")
PATIENCE_S = 240.0
DONE = {"success", "skipped"}
FAILED = {"failed", "upstream_failed"}


class DemoFailedError(Exception):
    """The demo did not end as it should; the text says why."""


class Progress:
    """One line that is redrawn on a terminal, a new line every two seconds elsewhere."""

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self._drawn = 0.0
        self._redraws = sys.stdout.isatty()
        self._last = ""

    def say(self, text: str) -> None:
        """Print a line of its own."""
        end = "\r\x1b[K" if self._redraws and self._last else ""
        print(f"{end}{time.monotonic() - self.begun:5.1f} s  {text}", flush=True)
        self._last = ""

    def draw(self, done: int, total: int) -> None:
        """Show how many of the tasks are done."""
        bar = "#" * (30 * done // max(total, 1))
        text = f"[{bar:.<30}] {done}/{total} tasks"
        now = time.monotonic()
        if not self._redraws and done < total and (text == self._last or now - self._drawn < 2):
            return
        self._last, self._drawn = text, now
        elapsed = f"{time.monotonic() - self.begun:5.1f} s  "
        print(f"\r\x1b[K{elapsed}{text}" if self._redraws else f"{elapsed}{text}", end="", flush=True)
        if not self._redraws:
            print(flush=True)


def main() -> int:
    """Parse the command line, run the demo and say how it ended."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--exit", action="store_true", help="end by itself; the status says if all is well")
    options.add_argument("--folder", type=Path, default=HERE.parent / ".demo", help="where everything is kept")
    options.add_argument("--dags", type=Path, default=HERE, help="folder of the DAG files")
    options.add_argument("--port", type=int, default=8080, help="of the UI, if it is free")
    chosen = options.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # scripts start it with Ctrl-C ignored
    progress = Progress()
    instance = AirflowInstance(
        chosen.folder / "airflow",
        dags_folder=chosen.dags,
        # Parsed when it starts; looking again every few seconds would take time from the tasks.
        environment={"AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "30"},
        parallelism=4,  # a task spends much of its second waiting: for its process, for the API
        port=chosen.port,
    )
    ready = False
    try:
        instance.start(progress=progress.say)
        run(instance, progress)
        ready = True
        progress.say("every task succeeded and every day is held")
        if not chosen.exit:
            show_address(instance)
        while not chosen.exit:
            time.sleep(3600)
    except KeyboardInterrupt:
        return 0 if ready else 130
    except (AssetsError, DemoFailedError) as error:
        print(f"\nThe demo failed: {error}", file=sys.stderr, flush=True)
        return 1
    finally:
        print("stopping Airflow", flush=True)
        instance.stop()
    return 0


def run(instance: AirflowInstance, progress: Progress) -> None:
    """Let the scheduler make the runs that are due, wait for them, and check what is held."""
    progress.say(f"Airflow answers at {instance.url}")
    for dag_id in RUNS:
        instance.wait_for_dag(dag_id)
        if any(run["state"] == "failed" for run in instance.client.runs(dag_id)):
            progress.say(f"clearing {instance.client.clear_failed(dag_id)} tasks of {dag_id} that failed before")
        instance.unpause(dag_id)
    try:
        wait_for_tasks(instance, progress.draw)
    finally:
        progress.say(summary(instance))
    print_coverage(instance)
    check_coverage(instance)


def wait_for_tasks(instance: AirflowInstance, draw: Callable[[int, int], None]) -> None:
    """Wait until every task of every day has ended.

    Raises:
        DemoFailedError: A task failed, with the end of its log, or they took too long.
    """
    client = instance.client
    total = sum(runs * len(client.get(f"/dags/{dag_id}/tasks")["tasks"]) for dag_id, runs in RUNS.items())
    deadline = time.monotonic() + PATIENCE_S
    while True:
        tasks = task_instances(instance)
        done = sum(task["state"] in DONE for task in tasks)
        draw(done, total)
        failed = [task for task in tasks if task["state"] in FAILED]
        runs = [run["state"] for dag_id in RUNS for run in client.runs(dag_id)]
        if failed and all(state in {"success", "failed"} for state in runs):
            raise DemoFailedError(f"{len(failed)} tasks failed\n{first_failure(instance, failed)}")
        if done >= total and runs.count("success") >= sum(RUNS.values()):
            return
        if time.monotonic() >= deadline:
            raise DemoFailedError(
                f"only {done} of {total} tasks were done after {PATIENCE_S:.0f} s\n{instance.log_tail('scheduler')}"
            )
        time.sleep(0.4)


def task_instances(instance: AirflowInstance) -> list[dict[str, Any]]:
    """The task instances of every run of the demo's DAGs."""
    return [task for dag_id in RUNS for task in instance.client.task_instances(dag_id)]


def first_failure(instance: AirflowInstance, failed: list[dict[str, Any]]) -> str:
    """The end of the log of the first task that failed by itself."""
    first = min(failed, key=lambda task: (task["state"] != "failed", task["start_date"] or "9"))
    log = "\n".join(instance.client.task_log(first).splitlines()[-40:])
    return f"first: task {first['task_id']!r} of run {first['dag_run_id']!r}, whose log ends with\n{log}"


def summary(instance: AirflowInstance) -> str:
    """How many tasks are in which state."""
    states = Counter(task["state"] or "not started" for task in task_instances(instance))
    return ", ".join(f"{count} tasks {state}" for state, count in sorted(states.items())) or "no task was started"


def print_coverage(instance: AirflowInstance) -> None:
    """Show what is held as our command line shows it.

    Raises:
        DemoFailedError: The command failed.
    """
    window = f"{FIRST}..{FIRST + dt.timedelta(days=DAYS - 1)}"
    example = instance.dags_folder / "example_nyc_flights.py"
    command = [sys.executable, "-m", "airflow_provider.cli", "coverage", *DAILY_ASSETS, "--window", window]
    print(flush=True)
    done = subprocess.run([*command, "--from", str(example)], env=instance.environment, cwd=instance.home, check=False)
    print(flush=True)
    if done.returncode:
        raise DemoFailedError(f"airflow-assets coverage ended with status {done.returncode}")


def check_coverage(instance: AirflowInstance) -> None:
    """Look into the index itself, so that the demo does not take its own command's word.

    Raises:
        DemoFailedError: An asset lacks a day.
    """
    index = open_index(str(instance.home / "airflow_provider_index"))
    days = [str(FIRST + dt.timedelta(days=number)) for number in range(DAYS)]
    for asset in DAILY_ASSETS:
        held = set(index.read(asset).keys)
        if gaps := [day for day in days if day not in held]:
            raise DemoFailedError(f"asset {asset!r} lacks {len(gaps)} of {DAYS} days: {', '.join(gaps[:5])}")


def show_address(instance: AirflowInstance) -> None:
    """Say where to look, and as whom."""
    print(f"\n  UI     {instance.url}/dags/{DAG_ID}")
    print(f"  login  admin  {instance.passwords['admin']}")
    print(f"  logs   {instance.logs}")
    print(f"  In the tab Coverage the rest of {FIRST.year} is missing: the schedule ends after {DAYS} days.")
    print("  Ctrl-C stops it; make demo starts it again with what is there.\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
