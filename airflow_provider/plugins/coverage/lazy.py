"""The page's application as Airflow mounts it: built at the first request, never a reason for the server not to start.

It also remembers which application it is mounted in, for the only way to ask Airflow itself is through that one.
"""

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

HOST = "airflow_provider.host"
"""Key of the ASGI scope under which the application stands that ours is mounted in; None when it is in none."""

UNAVAILABLE = b"The coverage page could not be loaded. The log of the API server says why.\n"


def _build() -> Application:
    from airflow_provider.plugins.coverage.app import build_app

    return build_app()


class LazyApp:
    """An ASGI application that stands for the page.

    Args:
        build: Makes the application proper, at the first request. While it raises, every request is answered with 503
            and the error is in the log; nothing is ever served without its permission checks.
    """

    def __init__(self, build: Callable[[], Application] = _build) -> None:
        self._build = build
        self._app: Application | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            self._app = self._app or self._build()
        except Exception:  # any fault of ours, or a name that this Airflow lacks: the server goes on without the page
            log.exception("the coverage page could not be built")
            await _refuse(scope, send)
            return
        await self._app({**scope, HOST: scope.get("app")}, receive, send)


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] != "http":
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": UNAVAILABLE})
