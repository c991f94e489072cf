"""The page's routes: a static shell, the assets of a DAG, and the coverage of one of them. All of them only read.

The shell holds nothing worth protecting and is open; both JSON routes need the login and the permission on the DAG.
"""

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Query, Response

from airflow_provider.errors import AssetsError
from airflow_provider.ledger.record import Entry
from airflow_provider.partitioning import PartitionConfig
from airflow_provider.plugins.coverage import access
from airflow_provider.plugins.coverage.answer import describe, survey
from airflow_provider.storage.index import open_index

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
FILES = {
    "page": ("page.html", "text/html"),
    "page.js": ("page.js", "text/javascript"),
    "grid.js": ("grid.js", "text/javascript"),
    "page.css": ("page.css", "text/css"),
    "icon.svg": ("icon.svg", "image/svg+xml"),
    "icon-dark.svg": ("icon-dark.svg", "image/svg+xml"),
}
SHELL_HEADERS = {
    # Even if an asset's name or error found a way into the page as markup, it could run and load nothing.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
DATA_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def build_app(permission: Callable[..., Any] | None = None) -> FastAPI:
    """The application.

    Args:
        permission: The dependency that admits callers who may read the DAG ``dag_id`` in the path; None is Airflow's.
    """
    # No generated documentation: it is open to anybody and loads scripts from elsewhere.
    app = FastAPI(title="Coverage of assets", docs_url=None, redoc_url=None, openapi_url=None)
    admitted = [Depends(permission or access.dag_permission())]
    app.add_api_route("/dags/{dag_id}/assets", assets, dependencies=admitted, methods=["GET"])
    app.add_api_route("/dags/{dag_id}/coverage", coverage, dependencies=admitted, methods=["GET"])
    app.add_api_route("/{name}", shell, methods=["GET"])
    return app


def shell(name: str) -> Response:
    """One of the page's own files."""
    if name not in FILES:
        raise HTTPException(access.NOT_FOUND, "not found")
    file, media_type = FILES[name]
    return Response((STATIC / file).read_bytes(), media_type=media_type, headers=SHELL_HEADERS)


def assets(
    response: Response, found: Annotated[list[Mapping[str, Any]], Depends(access.assets_of_dag)]
) -> dict[str, Any]:
    """The DAG's assets: name, grain and zone of each."""
    response.headers.update(DATA_HEADERS)
    return {"assets": [_described(asset) for asset in found]}


def coverage(
    response: Response,
    asset: Annotated[Mapping[str, Any], Depends(access.asset_of_dag)],
    first: Annotated[dt.date | None, Query(alias="from")] = None,
    last: Annotated[dt.date | None, Query(alias="to")] = None,
    destination: Annotated[str | None, Query(max_length=2000)] = None,
) -> dict[str, Any]:
    """The coverage of one asset; cells of the local dates ``from`` to ``to`` only, by default of the newest period."""
    response.headers.update(DATA_HEADERS)
    name, partitioning = str(asset["name"]), _partitioning(asset)
    now = dt.datetime.now(dt.timezone.utc)
    return survey(name, partitioning, _entries(name), now=now, dates=(first, last), destination=destination)


def _described(asset: Mapping[str, Any]) -> dict[str, Any]:
    """One asset of the list; one that cannot be read says so and leaves the others standing."""
    name = str(asset["name"])
    try:
        return describe(name, _partitioning(asset))
    except HTTPException as error:
        return describe(name, None) | {"problem": str(error.detail)}


def _partitioning(asset: Mapping[str, Any]) -> PartitionConfig | None:
    definition = (asset.get("extra") or {}).get("partitioning")
    if definition is None:
        return None
    try:
        return PartitionConfig.from_definition(definition)
    except (AssetsError, TypeError, ValueError) as error:
        log.exception("the partitioning of asset %s cannot be read", asset.get("name"))
        raise HTTPException(
            access.BAD_GATEWAY, "an asset's partitioning cannot be read: the DAG was written by another version"
        ) from error


def _entries(name: str) -> list[Entry]:
    try:
        return open_index().entries(name)
    except AssetsError as error:  # its text names folders of the server: that is for the log
        log.exception("the index cannot be read")
        raise HTTPException(
            access.UNAVAILABLE, "the index of held partitions cannot be read; the API server's log says why"
        ) from error
