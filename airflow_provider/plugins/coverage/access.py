"""Who may see what: the caller must be logged in, may read the DAG, and sees assets only that the DAG really produces.

Two checks, both Airflow's own. `dag_permission` is the dependency that Airflow's routes use. Which assets a DAG has is
asked of the public REST API (``GET /api/v2/assets``) with the caller's own credentials, in process, through the
application that ours is mounted in. Of the ways there are this is the most robust. It goes by what the DAG declares, so
an asset that never ran is there, and one that the DAG only reads is not. The caller must be allowed to see assets.
No request leaves the process, so neither proxies nor a forged ``Host`` header matter. No table of Airflow's is read.
"""

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import HTTPException, Query, Request

from airflow_provider.plugins.coverage.lazy import HOST

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

SCHEME = "x-asset://"
"""What the URIs of the package's own Airflow assets begin with."""

PAGE = 100
MAX_PAGES = 50
CREDENTIALS = ("authorization", "cookie")
OK, UNAUTHORIZED, FORBIDDEN = 200, 401, 403
NOT_FOUND, BAD_GATEWAY, UNAVAILABLE = 404, 502, 503

AirflowRecord = Mapping[str, Any]


def dag_permission() -> Callable[..., Any]:
    """The dependency that admits who may read the DAG in the path; where Airflow has none, one that admits nobody."""
    try:
        # Not a public module, though the one that plugins use: it may move. Then nobody gets in.
        from airflow.api_fastapi.core_api.security import requires_access_dag

        check: Callable[..., Any] = requires_access_dag(method="GET")
    except (ImportError, TypeError):
        log.exception("this Airflow offers no permission check for DAGs: the coverage page shows nothing")
        return nobody
    return check


def nobody() -> None:
    """Refuse every caller."""
    raise HTTPException(UNAVAILABLE, "this version of Airflow offers no permission check that the page could rely on")


async def assets_of_dag(request: Request, dag_id: str) -> list[AirflowRecord]:
    """The package's assets that tasks of the DAG produce, by name, as Airflow's REST API describes them."""
    return sorted(await _produced(request, dag_id, {}), key=lambda asset: str(asset["name"]))


async def asset_of_dag(
    request: Request, dag_id: str, asset: Annotated[str, Query(min_length=1, max_length=1500)]
) -> AirflowRecord:
    """The one asset asked for.

    Raises:
        HTTPException: 404 for an unknown asset and for one of another DAG alike: the answer tells nothing of either.
    """
    # The pattern only narrows: whatever it means to the server, an exact match is among its answers.
    for found in await _produced(request, dag_id, {"name_pattern": asset}):
        if found["name"] == asset:
            return found
    raise HTTPException(NOT_FOUND, "not found")


async def _produced(request: Request, dag_id: str, narrowed: Mapping[str, str]) -> list[AirflowRecord]:
    host = request.scope.get(HOST)
    if host is None:
        raise HTTPException(UNAVAILABLE, "the page is not mounted in Airflow's API server")
    import httpx

    headers = {name: value for name in CREDENTIALS if (value := request.headers.get(name))}
    transport = httpx.ASGITransport(app=host, raise_app_exceptions=False)
    found: list[AirflowRecord] = []
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        for page in range(MAX_PAGES):
            query: dict[str, str | int] = {"dag_ids": dag_id, "limit": PAGE, "offset": page * PAGE, **narrowed}
            records, total = _read(await client.get("/api/v2/assets", params=query))
            found += [record for record in records if _is_product(record, dag_id)]
            if not records or (page + 1) * PAGE >= total:
                break
    return found


def _is_product(record: AirflowRecord, dag_id: str) -> bool:
    """Ours, and an outlet of the DAG: the listing also has what the DAG only reads or waits for."""
    producers = {task["dag_id"] for task in record["producing_tasks"]}
    return dag_id in producers and str(record["uri"]).startswith(SCHEME)


def _read(answer: "httpx.Response") -> tuple[list[AirflowRecord], int]:
    if answer.status_code == UNAUTHORIZED:
        raise HTTPException(UNAUTHORIZED, "Not authenticated")
    if answer.status_code == FORBIDDEN:
        raise HTTPException(FORBIDDEN, "your role may not read assets")
    if answer.status_code != OK:
        log.error("Airflow answered the question for a DAG's assets with %s", answer.status_code)
        raise HTTPException(BAD_GATEWAY, "Airflow could not list the assets of this DAG")
    body = answer.json()
    return body["assets"], int(body["total_entries"])
