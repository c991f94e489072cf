"""The contract of destinations of a user's own."""

import asyncio
import datetime as dt
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.component import IgnoredDescriptor
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.definitions.relation import Relation
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.errors import ConfigError, DataNotFoundError, DefinitionError, DestinationError
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow


@asset(partitioning=TimePartitionConfig(column="day"))
def users() -> list[dict[str, Any]]:
    return []


THREE = TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 3))
IO = IOContext(users(), THREE)
ROWS = [{"day": dt.date(2026, 3, day)} for day in (1, 2, 3)]


class Box(Destination):
    """Keeps partitions in a dict."""

    held: ClassVar[dict[Any, Any]] = {}

    def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
        self.held[str(partition)] = data

    def read_partition(self, context: IOContext, partition: Any) -> Any:
        if str(partition) not in self.held:
            raise DataNotFoundError("nothing there", where="box", fix="write it")
        return self.held[str(partition)]


class AsyncBox(Destination):
    """The same, through hooks that really wait."""

    held: ClassVar[dict[Any, Any]] = {}

    async def write_partition(self, context: IOContext, partition: Any, data: Any) -> None:
        await asyncio.sleep(0)
        self.held[str(partition)] = data

    async def read_partition(self, context: IOContext, partition: Any) -> Any:
        await asyncio.sleep(0)
        if str(partition) not in self.held:
            raise DataNotFoundError("nothing there", where="box", fix="write it")
        return self.held[str(partition)]


class WrappedBox(AsyncBox):
    """Its hooks are async and do not look it, as decorated functions do."""

    held: ClassVar[dict[Any, Any]] = {}

    def write_partition(self, context: IOContext, partition: Any, data: Any) -> Any:
        return super().write_partition(context, partition, data)

    def read_partition(self, context: IOContext, partition: Any) -> Any:
        return super().read_partition(context, partition)


class MixedBox(AsyncBox):
    """Awaits for every other partition only."""

    held: ClassVar[dict[Any, Any]] = {}

    def write_partition(self, context: IOContext, partition: Any, data: Any) -> Any:
        if int(str(partition)[-1]) % 2:
            return super().write_partition(context, partition, data)
        self.held[str(partition)] = data
        return None

    def read_partition(self, context: IOContext, partition: Any) -> Any:
        waits = int(str(partition)[-1]) % 2 and str(partition) in self.held
        return super().read_partition(context, partition) if waits else Box.read_partition(self, context, partition)  # type: ignore[arg-type]


class Promise:
    """An awaitable that is no coroutine."""

    def __init__(self, coroutine: Any) -> None:
        self.coroutine = coroutine

    def __await__(self) -> Any:
        return self.coroutine.__await__()


class PromisingBox(AsyncBox):
    """Its hooks give awaitables of its own."""

    held: ClassVar[dict[Any, Any]] = {}

    def write_partition(self, context: IOContext, partition: Any, data: Any) -> Any:
        return Promise(super().write_partition(context, partition, data))

    def read_partition(self, context: IOContext, partition: Any) -> Any:
        return Promise(super().read_partition(context, partition))


@pytest.fixture(params=[Box, AsyncBox, WrappedBox, MixedBox, PromisingBox])
def box(request: pytest.FixtureRequest) -> Any:
    request.param.held.clear()
    return request.param()


def done(result: Any) -> Any:
    return asyncio.run(_awaited(result)) if asyncio.iscoroutine(result) else result


async def _awaited(result: Any) -> Any:
    return await result


def test_a_write_goes_to_each_partition_with_its_slice(box: Any) -> None:
    """D050: one call per partition, sync or async."""
    done(box.write(IO, ROWS))

    assert box.held == {f"2026-03-0{day}": [row] for day, row in zip((1, 2, 3), ROWS, strict=True)}


def test_a_read_joins_what_is_there_and_names_what_is_not(box: Any) -> None:
    """D039."""
    done(box.write(IO, ROWS))
    del box.held["2026-03-02"]
    io = IOContext(users(), THREE)

    assert done(box.read(io)) == [ROWS[0], ROWS[2]]
    assert io.missing == ["2026-03-02"]


def test_a_read_of_values_that_are_no_tables_lists_them(box: Any) -> None:
    """D040."""
    done(box.write(IO, {1}))

    assert done(box.read(IO)) == [{1}, {1}, {1}]
    assert done(box.read(IOContext(users(), THREE.first.window))) == {1}


def test_a_read_of_nothing_is_an_error(box: Any) -> None:
    with pytest.raises(DataNotFoundError, match=r"nothing is stored for 2026-03-01\.\.2026-03-03"):
        done(box.read(IOContext(users(), THREE)))


def test_a_destination_without_hooks_says_which_to_define() -> None:
    class Empty(Destination):
        pass

    with pytest.raises(DestinationError, match="destination 'empty': defines neither write_partition nor write"):
        Empty().write(IO, ROWS)
    with pytest.raises(DestinationError, match="defines neither read_partition nor read"):
        Empty().read(IO)


def test_row_counts_come_from_the_commit_records() -> None:
    made = users(destinations=Box())
    committer = made.default_destination.committer(IO, call=lambda f, *a: f(*a))

    assert made.partition_row_counts() == {}
    assert committer.guarantee == "idempotent"


def test_the_address_tells_the_place_and_no_secret() -> None:
    class Api(Destination):
        url: str
        size: int = 1
        password: str = "hunter2"
        api_key: str = "hunter2"
        access_token: str = "hunter2"
        client_secret: str = "hunter2"

    made = Api(url="http://user.test:hunter2@shop.test/x")

    assert made.address == "api:size=1;url=http://shop.test/x"
    assert Api(url="http://user.test:hunter2@shop.test/x").address == made.address


def test_a_destination_by_name(tmp_path: Any) -> None:
    assert isinstance(Destination.of("csv", base_path=str(tmp_path)), CSVDestination)
    assert isinstance(Destination("csv", base_path=str(tmp_path)), CSVDestination)
    with pytest.raises(ConfigError, match="no destination is called 'cvs'"):
        Destination.of("cvs")
    with pytest.raises(DefinitionError, match="takes keywords only"):
        CSVDestination("csv")
    with pytest.raises(DefinitionError, match="takes keywords only"):
        Destination(5)


def test_views_are_refused_by_a_destination_without_them() -> None:
    """D031, D046."""
    for call in (lambda: Box().reference(users()), lambda: Box().create_view(users(), "select 1")):
        with pytest.raises(ConfigError, match="holds no views"):
            call()


def test_a_destination_without_a_check_has_no_complaint() -> None:
    assert Box().check() == []


def test_fields_may_be_of_any_type() -> None:
    """D020."""

    class Handle:
        pass

    class Odd(Destination):
        handle: Handle

    handle = Handle()
    assert Destination.model_config["arbitrary_types_allowed"] is True
    assert Odd(handle=handle).handle is handle
    with pytest.raises(ConfigError, match="handle: Input should be an instance of"):
        Odd(handle=5)


def test_relations_and_descriptors_are_no_fields() -> None:
    """D021."""

    class Marker(IgnoredDescriptor):
        def __get__(self, instance: Any, owner: type) -> str:
            return "read"

    class Odd(Destination):
        marker = Marker()
        link = Relation("config", optional=True)
        path: str = ""

    assert {Relation, IgnoredDescriptor} <= set(Destination.model_config["ignored_types"])
    assert set(Odd.model_fields) == {"id", "path"}
    assert Odd().marker == "read"


def test_a_destination_that_counts_by_itself_is_asked_by_key_of_the_partition_column() -> None:
    """D036, D056: the third hook replaces what commit records say."""

    class Counting(Box):
        held: ClassVar[dict[Any, Any]] = {}

        async def partition_row_counts(self, context: IOContext) -> dict[str, int]:
            assert context.column == context.asset.partitioning.column == "day"  # type: ignore[union-attr]
            return {key: len(rows) for key, rows in self.held.items()}

    store = Counting()
    store.write(IO, ROWS)

    assert users(destinations=store).partition_row_counts() == {f"2026-03-0{n}": 1 for n in (1, 2, 3)}


@pytest.mark.parametrize("is_async", [False, True])
def test_a_hook_may_yield_the_rows_of_a_partition(is_async: bool) -> None:
    class Yielding(Destination):
        def read_partition(self, context: IOContext, partition: Any) -> Any:
            return later(partition) if is_async else iter([{"day": partition.date}])

    async def later(partition: Any) -> Any:
        await asyncio.sleep(0)
        yield {"day": partition.date}

    assert done(Yielding().read(IO)) == ROWS
