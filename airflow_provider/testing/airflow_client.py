"""A small client of Airflow's public REST API, for launchers and tests.

The rule kept: asking again is safe. What reads or sets a state is repeated while the server is not ready; a run that
is made carries an id of ours, so that a repeated request makes no second one.
"""

import time
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

import httpx

from airflow_provider.errors import AssetsError

PAGE = 100
TRIES = 6
PAUSE_S = 0.5
OK, CONFLICT, UNAUTHORIZED, SERVER_ERROR = 200, 409, 401, 500
Record = dict[str, Any]


class AirflowInstanceError(AssetsError):
    """An Airflow that was started for a test or a demo does not do what was asked of it."""


class AirflowClient:
    """One user's view of an Airflow.

    Args:
        url: Where the API server answers, ``http://127.0.0.1:8080``.
        username: Of the simple auth manager.
        password: In plain text; shown nowhere.
    """

    def __init__(self, url: str, *, username: str, password: str) -> None:
        self.url = url
        self.username = username
        self._password = password
        self._token: str | None = None
        # A proxy of the machine's has no business between us and 127.0.0.1.
        self._http = httpx.Client(base_url=url, timeout=30.0, trust_env=False)

    def __repr__(self) -> str:
        return f"AirflowClient({self.url!r}, username={self.username!r})"

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def health(self) -> dict[str, str]:
        """Component -> ``healthy``, ``unhealthy`` or ``absent``; empty while the server does not answer."""
        try:
            answer = self._http.get("/api/v2/monitor/health")
        except httpx.TransportError:
            return {}
        if answer.status_code != OK:
            return {}
        return {name: (part or {}).get("status") or "absent" for name, part in answer.json().items()}

    def get(self, path: str, **params: Any) -> Any:
        """GET ``/api/v2`` + ``path``; the decoded JSON body."""
        return self.request("GET", path, params=params).json()

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """POST a JSON body to ``/api/v2`` + ``path``; the decoded JSON body, None when there is none."""
        answer = self.request("POST", path, json=dict(body or {}))
        return answer.json() if answer.content else None

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """PATCH ``/api/v2`` + ``path``; the decoded JSON body."""
        return self.request("PATCH", path, json=dict(body)).json()

    def delete(self, path: str) -> None:
        """DELETE ``/api/v2`` + ``path``."""
        self.request("DELETE", path)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One call with a token, repeated while the server is not ready.

        Raises:
            AirflowInstanceError: The server refused it, or did not answer in time. Its text holds the server's answer.
        """
        answer = self.try_request(method, path, **options)
        if answer.status_code >= 400:
            raise AirflowInstanceError(
                f"{method} {path} was answered with {answer.status_code}: {answer.text[:500]}",
                where=f"Airflow at {self.url}",
                fix="see the logs of the instance, logs/api-server.log in its home",
            )
        return answer

    def try_request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Like `request`, but an answer that refuses is returned: 403, 404, 409, 422."""
        failure = "no answer"
        for attempt in range(TRIES):
            time.sleep(PAUSE_S if attempt else 0)
            try:
                headers = {"Authorization": f"Bearer {self.token()}"}
                answer = self._http.request(method, f"/api/v2{path}", headers=headers, **options)
            except httpx.TransportError as error:
                failure = f"{type(error).__name__}: {error}"
                continue
            if answer.status_code == UNAUTHORIZED:
                self._token = None
            elif answer.status_code < SERVER_ERROR:
                return answer
            failure = f"{answer.status_code} {answer.text[:300]}"
        raise AirflowInstanceError(
            f"{method} {path} failed {TRIES} times, at last with: {failure}",
            where=f"Airflow at {self.url}",
            fix="see the logs of the instance, logs/api-server.log in its home",
        )

    def token(self) -> str:
        """A bearer token of this user, asked for once."""
        if self._token is None:
            login = {"username": self.username, "password": self._password}
            answer = self._http.post("/auth/token", json=login)
            if answer.status_code == UNAUTHORIZED:
                raise AirflowInstanceError(
                    f"user {self.username!r} was not let in",
                    where=f"Airflow at {self.url}",
                    fix="use the password that the instance was started with",
                )
            if answer.status_code >= 400:
                raise httpx.TransportError(f"no token yet: {answer.status_code}")
            self._token = str(answer.json()["access_token"])
        return self._token

    def pages(self, path: str, collection: str, **params: Any) -> Iterator[Record]:
        """Every record of a paged listing, in the order of the server."""
        offset = 0
        while True:
            page = self.get(path, limit=PAGE, offset=offset, **params)
            yield from page[collection]
            offset += PAGE
            if offset >= page["total_entries"] or not page[collection]:
                return

    # What tests and demos ask most

    def has_dag(self, dag_id: str) -> bool:
        """Whether the DAG was parsed and is served."""
        return self.try_request("GET", f"/dags/{dag_id}").status_code == OK

    def import_errors(self) -> dict[str, str]:
        """File -> traceback of every DAG file that failed to import."""
        return {one["filename"]: one["stack_trace"] for one in self.pages("/importErrors", "import_errors")}

    def unpause(self, dag_id: str) -> None:
        """Let the scheduler make runs of the DAG."""
        self.patch(f"/dags/{dag_id}", {"is_paused": False})

    def pause(self, dag_id: str) -> None:
        """Let the scheduler make no more runs of the DAG."""
        self.patch(f"/dags/{dag_id}", {"is_paused": True})

    def trigger(
        self,
        dag_id: str,
        *,
        conf: Mapping[str, Any] | None = None,
        logical_date: datetime | None = None,
        run_id: str | None = None,
        **fields: Any,
    ) -> str:
        """Make a manual run and return its id.

        Args:
            dag_id: The DAG, unpaused or not.
            conf: Values typed by the user.
            logical_date: Aware; None makes a run without dates.
            run_id: An id of one's own; None makes one up.
            **fields: More of the request body, ``partition_key=`` for example.
        """
        run_id = run_id or f"manual__{datetime.now(timezone.utc):%Y%m%dT%H%M%S}_{uuid.uuid4().hex[:8]}"
        body = {
            "dag_run_id": run_id,
            "logical_date": logical_date.isoformat() if logical_date else None,
            "conf": dict(conf or {}),
            **fields,
        }
        answer = self.try_request("POST", f"/dags/{dag_id}/dagRuns", json=body)
        if answer.status_code == CONFLICT and self.try_request("GET", f"/dags/{dag_id}/dagRuns/{run_id}").is_success:
            return run_id  # the answer to an earlier try was lost
        if not answer.is_success:
            raise AirflowInstanceError(
                f"a run of {dag_id!r} was refused with {answer.status_code}: {answer.text[:500]}",
                where=f"Airflow at {self.url}",
                fix="mend what the server names; a 404 means that the DAG is not parsed yet, see wait_for_dag()",
            )
        return run_id

    def runs(self, dag_id: str) -> list[Record]:
        """Every run of the DAG, oldest first."""
        return list(self.pages(f"/dags/{dag_id}/dagRuns", "dag_runs", order_by="run_after"))

    def task_instances(self, dag_id: str, run_id: str = "~") -> list[Record]:
        """The task instances of one run, or with ``~`` of every run of the DAG."""
        return list(self.pages(f"/dags/{dag_id}/dagRuns/{run_id}/taskInstances", "task_instances"))

    def clear_failed(self, dag_id: str) -> int:
        """Let every failed or upstream-failed task of the DAG run again; the number of them."""
        body = {"dry_run": False, "only_failed": True, "reset_dag_runs": True}
        return int(self.post(f"/dags/{dag_id}/clearTaskInstances", body)["total_entries"])

    def task_log(self, instance: Record) -> str:
        """What the last try of a task instance, as `task_instances` returns it, has logged."""
        path = "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/logs/{try_number}".format(**instance)
        answer = self.try_request("GET", path, params={"map_index": instance["map_index"]})
        if not answer.is_success:
            return f"(no log: {answer.status_code})"
        lines = answer.json().get("content", [])
        return "\n".join(_log_line(line) for line in lines) if isinstance(lines, list) else str(lines)


def _log_line(line: Any) -> str:
    """One structured log entry as text; the frames of an exception one below the other."""
    if not isinstance(line, dict):
        return str(line)
    text = f"{line.get('timestamp') or '':.19} {line.get('level') or '':7} {line.get('event', '')}"
    for error in line.get("error_detail") or []:
        frames = [f"    {one['filename']}:{one['lineno']} in {one['name']}" for one in error.get("frames", [])]
        text = "\n".join([text, *frames, f"  {error.get('exc_type')}: {error.get('exc_value')}"])
    return text
