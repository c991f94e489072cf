"""The plugin that Airflow finds through the entry point ``airflow.plugins``: the page "Coverage" of a DAG.

Every Airflow process loads plugins, workers too. So this module imports nothing heavy, and nothing here can raise: the
page's application is built at its first request, and what is wrong with it is said there.
"""

from typing import Any
from urllib.parse import urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin

from airflow_provider.plugins.coverage.lazy import LazyApp

URL_PREFIX = "/asset-coverage"


def root_path() -> str:
    """The path under which a proxy serves Airflow, ``/airflow`` for example; mostly empty.

    Links of plugins are taken as they are, so this has to be put in front.
    """
    return urlsplit(conf.get("api", "base_url", fallback="") or "").path.rstrip("/")


class AssetsPlugin(AirflowPlugin):
    """Puts the tab "Coverage" on every DAG: which partitions of its assets are held, empty, missing or failed."""

    name = "airflow_assets"
    fastapi_apps: list[Any] = [  # noqa: RUF012 -- Airflow reads it off the class
        {"app": LazyApp(), "url_prefix": URL_PREFIX, "name": "Coverage of assets"},
    ]
    external_views: list[Any] = [  # noqa: RUF012 -- Airflow reads it off the class
        {
            "name": "Coverage",
            "href": f"{root_path()}{URL_PREFIX}/page?dag_id={{DAG_ID}}",
            "destination": "dag",
            "url_route": "asset-coverage",
            "icon": f"{root_path()}{URL_PREFIX}/icon.svg",
            "icon_dark_mode": f"{root_path()}{URL_PREFIX}/icon-dark.svg",
        },
    ]
