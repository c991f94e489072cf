"""Definitions as users write them: mypy reads this file strictly, and Python runs it."""

import datetime as dt
from typing import Any

from typing_extensions import assert_type

import airflow_provider as ap


class Flights(ap.Schema):
    date: dt.date
    carrier: str


class Api(ap.Connection):
    token: str


class Limits(ap.Config):
    top: int = 3


@ap.source(dataset="nyc", tags=["demo"], retry=ap.RetryPolicy(3))
class NYC(ap.Source):
    api: Api
    region: str = "eu"

    @ap.asset(
        schema=Flights,
        partitioning=ap.TimePartitionConfig(column="date", granularity="day"),
        relations={"destinations": [ap.CSVDestination]},
        stray_rows="drop",
    )
    def flights(self, context: ap.ExecutionContext) -> list[dict[str, Any]]:
        context.logger.info("token has %s characters in %s", len(self.api.token), self.region)
        return [{"date": context.partition_date, "carrier": "UA"}]

    @ap.asset
    def delays(self, flights: ap.Upstream, limits: Limits) -> list[dict[str, Any]]:
        return flights.rows[: limits.top]

    @ap.view(dialect="duckdb")
    def latest(self, flights: ap.Upstream) -> str:
        return f"SELECT * FROM {flights.data}"

    @ap.reference(table="raw_{region}")
    def raw(self) -> None: ...


@ap.asset
def users() -> list[dict[str, Any]]:
    return []


@ap.asset(key="people", enabled=False)
async def persons(limits: Limits) -> list[dict[str, Any]]:
    return []


@ap.destination(name="Mine")
class Mine(ap.Destination):
    path: str


@ap.destination
class Plain:
    def write(self, context: ap.IOContext, data: Any) -> None: ...

    def read(self, context: ap.IOContext) -> Any: ...


@ap.config(env_prefix="X_")
class Budget(ap.Config):
    limit: int


@ap.connection
class Shop(ap.Connection):
    url: str


@ap.resource
class Client(ap.Resource):
    url: str


class Extended(ap.Asset):
    def data(self, **kwargs: Any) -> Any:
        return []


nyc = NYC(api=Api(token="x"), destinations=ap.ParquetDestination(base_path="/lake"), region="us")
assert_type(nyc, NYC)
assert_type(nyc.region, str)
assert_type(nyc.flights, ap.Asset)
assert_type(NYC.flights, type[ap.Asset])
assert_type(nyc.latest, ap.View)
assert_type(nyc.raw, ap.Reference)
assert_type(nyc(region="eu").delays(enabled=False), ap.Asset)
assert_type(nyc.flights.destinations, list[ap.Destination])
assert_type(nyc.flights.schema, type[ap.Schema] | None)
assert_type(users(), ap.Asset)
assert_type(persons(destinations=[Mine(path="/x")]), ap.Asset)
assert_type(Mine(path="/x").path, str)
assert_type(Budget(limit=3).limit, int)
assert_type(Shop(url="x").url, str)
assert_type(Client(url="x"), Client)
assert_type(Extended(enabled=False), Extended)

graph = ap.AssetGraph(users, persons())
assert_type(graph.find("users"), ap.Asset)


def only_read() -> None:
    """Every form is a workload."""
    ap.AssetGraph(nyc, NYC, users, Extended, nyc.flights, NYC.flights)
    ap.build_dag(users, schedule="@daily")
    ap.build_dag([nyc, users], dag_id="all")
    ap.AssetOperator(task_id="users", asset=users)
    ap.AssetOperator(task_id="flights", asset=nyc.flights)
