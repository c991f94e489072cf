"""What Airflow finds: only what 3.1 knows, under the path that Airflow is served from."""

import pytest

from airflow_provider.plugins import registrations
from airflow_provider.plugins.registrations import URL_PREFIX, AssetsPlugin


def test_the_view_stands_on_a_dag_and_leads_to_the_mounted_page():
    [view] = AssetsPlugin.external_views
    [app] = AssetsPlugin.fastapi_apps

    assert (view["name"], view["destination"], view["url_route"]) == ("Coverage", "dag", "asset-coverage")
    assert view["href"].endswith(f"{app['url_prefix']}/page?dag_id={{DAG_ID}}")
    assert set(view) <= {"name", "href", "destination", "url_route", "icon", "icon_dark_mode", "category"}


def test_the_prefix_is_none_that_airflow_keeps_for_itself():
    assert not URL_PREFIX.startswith(("/api/v2", "/ui", "/execution", "/auth", "/pluginsv2"))


@pytest.mark.parametrize(
    ("base_url", "root"),
    [("http://localhost:8080", ""), ("https://company.example/airflow/", "/airflow"), ("", ""), ("/", "")],
)
def test_links_begin_where_airflow_is_served(base_url, root, monkeypatch):
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", base_url)

    assert registrations.root_path() == root
