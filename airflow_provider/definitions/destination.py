"""The contract of a place that stores partitions and reads them back.

A destination of a user's own defines ``write_partition`` and ``read_partition``, or just ``write`` and ``read``; sync
or ``async def``, both honoured. How a partition becomes visible is the business of its committer; execution knows
nothing else of a destination.
"""

import datetime as dt
import inspect
import itertools
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

from pydantic import SecretStr

from airflow_provider.definitions import ports
from airflow_provider.definitions.component import Component
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.definitions.validation import SECRET_NAME
from airflow_provider.errors import ConfigError, DataNotFoundError, DestinationError
from airflow_provider.ledger.foreign import own
from airflow_provider.ledger.record import CommitRecord, utc_text
from airflow_provider.ledger.verify import Holding
from airflow_provider.partitioning import Partition
from airflow_provider.schema.type_map import TypeMap

Call = Callable[..., Any]
"""``call(function, *args)`` runs a sync or async function to its end and returns its result."""

_CREDENTIALS = re.compile(r"//[^/@\s]*@")

Guarantee = Literal["atomic", "idempotent", "none"]


@dataclass(frozen=True)
class Stamp:
    """What a commit carries beside the data: who writes, from what, checked how."""

    fence: int
    attempt: str
    run: Mapping[str, str] = field(default_factory=dict)
    schema_fingerprint: str = ""
    code_fingerprint: str = ""
    upstreams: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[Mapping[str, Any], ...] = ()
    started_at: str = ""

    def record(self, *, asset: str, destination: str, partition: Partition | None, uri: str) -> CommitRecord:
        """The record of a commit that happens now; rows, bytes and the like are the store's to add."""
        return CommitRecord(
            asset=asset,
            destination=destination,
            key=None if partition is None else partition.key,
            fence=self.fence,
            attempt=self.attempt,
            schema_fingerprint=self.schema_fingerprint,
            code_fingerprint=self.code_fingerprint,
            upstreams=dict(self.upstreams),
            checks=tuple(self.checks),
            started_at=self.started_at,
            committed_at=utc_text(dt.datetime.now(dt.timezone.utc)),
            run=dict(self.run),
            uri=uri,
        )


class Committer(Protocol):
    """Commits partitions of one asset in one destination; how is the store's protocol."""

    @property
    def guarantee(self) -> Guarantee:
        """What readers and late writers can rely on."""

    def take_fence(self) -> int:
        """A number above every fence taken before. Taken before upstreams are read."""

    def records(self, keys: Sequence[str | None]) -> dict[str | None, CommitRecord]:
        """The commit records of those ``keys`` that have one; None is the unpartitioned whole."""

    def all_records(self) -> list[CommitRecord]:
        """Every commit record of the asset, in any order."""

    def commit(self, partition: Partition | None, data: Any, stamp: Stamp) -> CommitRecord:
        """Replace exactly this partition by ``data``.

        Raises:
            SupersededError: A commit with a higher fence is there; nothing was changed.
            DestinationError: The store failed; what was committed before stays.
        """

    def commit_empty(self, partition: Partition | None, stamp: Stamp) -> CommitRecord:
        """Record the partition as held and empty; its data is gone."""

    def repair(self) -> list[str]:
        """Finish or discard what a crash left, one line for each thing mended."""


@dataclass(frozen=True)
class Adoption:
    """What became of data that was there before the package.

    Attributes:
        record: Its commit record.
        is_new: Whether it was made now; False for one that was there.
        note: What a reader of the data should know; mostly empty.
    """

    record: CommitRecord
    is_new: bool
    note: str = ""


class Inspector(Protocol):
    """Looks at what a destination holds of one asset, beside what its commit records say. It changes no data."""

    def holdings(self, keys: Sequence[str | None] | None = None, *, deep: bool = False) -> Iterator[Holding]:
        """What is held.

        Args:
            keys: The partitions to look at, there or not; None looks at every one with a record or with data.
            deep: Read the data: hash it, count its rows.
        """

    def untracked(self) -> list[Holding]:
        """What can be found without reading data that has no commit record."""

    def unplaced(self) -> list[str]:
        """What lies among the asset's data and has no key: one line each, with the reason."""

    def adopt(self, partition: Partition | None, *, dry_run: bool = False) -> Adoption:
        """Write a commit record, with the lowest fence, for data that has none; the data is only read.

        Raises:
            DestinationError: There is no data, or it cannot be read, or may not be.
        """


class Destination(Component):
    """Stores assets partition by partition; base class of all destinations.

    ``guarantee`` says what it promises: ``atomic`` (readers see old or new, a late writer cannot win), ``idempotent``
    (twice is once) or ``none``. ``representation`` names the form in which slices arrive: None for what the asset
    returned, ``"arrow"`` for ``pyarrow.Table``. With ``streams`` it is handed a ``pyarrow.RecordBatchReader``, so that
    what an asset yields is never held whole. ``dialect`` names the SQL dialect of a destination that holds views.
    ``type_map`` says which types it holds; a column of another is refused when a graph is built of an asset that
    declares it, and otherwise before the first write.
    """

    kind: ClassVar[str] = "destination"
    key: ClassVar[str] = "destination"
    guarantee: ClassVar[Guarantee] = "idempotent"
    representation: ClassVar[str | None] = None
    dialect: ClassVar[str] = ""
    type_map: ClassVar[TypeMap] = TypeMap()
    streams: ClassVar[bool] = False

    @classmethod
    def from_positional(cls, *args: Any, **kwargs: Any) -> Any:
        """``Destination("csv", ...)`` is ``Destination.of("csv", ...)``; subclasses take keywords."""
        if cls is Destination and len(args) <= 2 and isinstance(args[0], str):
            return cls.of(*args[:1], **kwargs)
        return super().from_positional(*args, **kwargs)

    @classmethod
    def of(cls, connector: str, /, **options: Any) -> "Destination":
        """Build a destination by the name of its kind: ``Destination.of("parquet", base_path="/lake")``."""
        found: type[Destination] = ports.resolve("destination_registry")(connector)
        return found(**options)

    @property
    def address(self) -> str:
        """A stable name of the place, the same in every process; it holds no secret."""
        plain = (str, int, float, bool)
        parts = [
            f"{name}={_CREDENTIALS.sub('//', value) if isinstance(value, str) else value}"
            for name, value in sorted(self.__dict__.items())
            if name != "id" and isinstance(value, plain) and not SECRET_NAME.search(name)
        ]
        return f"{self.key}:{';'.join(parts)}"

    def secrets(self) -> Iterator[str]:
        """The values that logs should mask: secret fields, those named like secrets, passwords in URLs."""
        for name, value in self.__dict__.items():
            if isinstance(value, SecretStr):
                yield value.get_secret_value()
            elif isinstance(value, str) and value:
                if SECRET_NAME.search(name):
                    yield value
                yield from (found for user in _CREDENTIALS.findall(value) if (found := user[2:-1].partition(":")[2]))

    def write_partition(self, context: IOContext, partition: Partition | None, data: Any) -> Any:
        """Store one partition; None is the unpartitioned whole."""
        raise self._missing_hook("write_partition")

    def read_partition(self, context: IOContext, partition: Partition | None) -> Any:
        """Load one partition.

        Raises:
            DataNotFoundError: Nothing is stored for it.
        """
        raise self._missing_hook("read_partition")

    def partition_row_counts(self, context: IOContext) -> Any:
        """Rows held per partition key, from the commit records and without reading data."""
        records = self.committer(context, call=_call_sync).all_records()
        counts = {r.key: r.rows for r in sorted(records, key=lambda r: r.key or "") if r.key and r.rows is not None}
        return own(context.asset.partitioning, counts)

    def write(self, context: IOContext, data: Any) -> Any:
        """Write ``data``, one ``write_partition`` per partition of the context, each with its slice."""
        slices = iter(context.slices(data))
        for partition, part in slices:
            pending = self.write_partition(context, partition, in_form(self, part))
            if inspect.isawaitable(pending):
                return self._write_async(pending, context, slices)
        return None

    def read(self, context: IOContext) -> Any:
        """Read what the context covers.

        Returns:
            One table in the destination's own form; for data that is not tabular, a list with a value per partition
            found, in window order. ``context.missing`` names the partitions that are not there.

        Raises:
            DataNotFoundError: None of the partitions is there.
        """
        found: list[Any] = []
        partitions = iter(context.partitions)
        for partition in partitions:
            try:
                value = self.read_partition(context, partition)
            except DataNotFoundError:
                context.missing.append(_key(partition))
                continue
            if _is_pending(value):
                return self._read_async(value, partition, context, partitions, found)
            found.append(value)
        return join(self, context, found)

    def read_batches(self, context: IOContext) -> Any:
        """Read what the context covers as a ``pyarrow.RecordBatchReader``, in memory that does not grow with it.

        ``context.missing`` names the partitions that are not there; it is filled when this returns.

        Raises:
            DataNotFoundError: None of the partitions is there.
            DestinationError: The destination cannot.
        """
        raise DestinationError(
            "cannot be read in batches", where=self.label, fix="define read_batches(context), or read it as a whole"
        )

    async def _write_async(
        self, pending: Awaitable[Any], context: IOContext, slices: Iterator[tuple[Partition | None, Any]]
    ) -> None:
        await pending
        for partition, part in slices:
            await _settled(self.write_partition(context, partition, in_form(self, part)))

    async def _read_async(
        self,
        pending: Any,
        first: Partition | None,
        context: IOContext,
        rest: Iterator[Partition | None],
        found: list[Any],
    ) -> Any:
        for number, partition in enumerate(itertools.chain([first], rest)):
            try:
                found.append(await _settled(self.read_partition(context, partition) if number else pending))
            except DataNotFoundError:
                context.missing.append(_key(partition))
        return join(self, context, found)

    def reaches(self, other: "Destination") -> bool:
        """Whether a view here can read what ``other`` stores: by default when both are the same place."""
        return self is other or (type(self) is type(other) and self.address == other.address)

    def reference(self, asset: Any) -> Any:
        """A handle on an asset's stored data for a view to build on, such as its quoted name in SQL.

        Raises:
            ConfigError: Always; a destination that holds views says what it is.
        """
        raise self._no_views(asset)

    def create_view(self, asset: Any, definition: Any) -> Any:
        """Make ``definition`` the view that the ``dataset`` and ``table`` of ``asset`` name, in place of an older one.

        Args:
            asset: The view.
            definition: Its query, as SQL text in the destination's dialect.

        Raises:
            ConfigError: Always; a destination that holds views creates it.
        """
        raise self._no_views(asset)

    def committer(self, context: IOContext, *, call: Call) -> Committer:
        """The committer of the context's asset. The base keeps fences and records in the deployment's index."""
        committer: Committer = ports.resolve("hook_committer")(self, context, call)
        return committer

    def inspector(self, context: IOContext, *, call: Call) -> Inspector:
        """What looks at the asset's data for ``verify`` and ``adopt``. The base uses the hooks that are defined."""
        inspector: Inspector = ports.resolve("hook_inspector")(self, context, call)
        return inspector

    def check(self) -> list[str]:
        """What is wrong with the place now, one line each; empty when it can be written."""
        return []

    def _missing_hook(self, hook: str) -> DestinationError:
        other = {"write_partition": "write", "read_partition": "read"}[hook]
        return DestinationError(
            f"defines neither {hook} nor {other}", where=self.label, fix=f"define {hook}(context, partition, ...)"
        )

    def _no_views(self, asset: Any) -> ConfigError:
        return ConfigError(
            "holds no views",
            where=f"{self.label}, {getattr(asset, 'label', asset)}",
            fix="use a destination that defines reference(asset) and create_view(asset, definition)",
        )


def _is_pending(value: Any) -> bool:
    """Whether a hook's result is still to be awaited; asked of the result, for a decorated hook does not look async."""
    return inspect.isawaitable(value) or inspect.isasyncgen(value)


async def _settled(value: Any) -> Any:
    """What a hook gave, awaited where it must be: hooks may await for one partition and not for another."""
    if inspect.isasyncgen(value):
        return [item async for item in value]
    return await value if inspect.isawaitable(value) else value


def in_form(destination: Destination, data: Any) -> Any:
    """``data`` in the form that the destination's hooks take; what is not tabular stays as it is."""
    from airflow_provider.schema.representations import TableData

    form = "reader" if destination.streams else destination.representation
    if form is None:
        return data
    table = TableData.of(data)
    return data if table is None else table.to(form)


def join(destination: Destination, context: IOContext, found: list[Any], keys: Sequence[str] = ()) -> Any:
    """One value out of those of the partitions that were found; see ``Destination.read``.

    Args:
        destination: Where they were read.
        context: What was asked for.
        found: The values, in window order.
        keys: The key of each, where not all that are not missing were found.

    Raises:
        DataNotFoundError: There are none.
        SchemaError: A column whose types in several partitions have nothing in common; they are named.
    """
    from airflow_provider.schema.representations import TableData, unwrap

    if not found:
        raise DataNotFoundError(
            f"nothing is stored for {context.window if context.window is not None else 'the asset'}",
            where=f"{context.asset.label} in {destination.label}",
            fix="materialize it first, or name partitions that are there",
        )
    found = [unwrap(value) if isinstance(value, Iterator) else value for value in found]  # what hooks yield or stream
    if len(context.partitions) == 1:
        return found[0]
    tables = [TableData.of(value) for value in found]
    if any(table is None for table in tables):
        return found
    missing = set(context.missing)
    names = keys or [key for key in map(_key, context.partitions) if key not in missing]
    return TableData.concat(
        [table for table in tables if table is not None],
        names=names if len(names) == len(found) else (),
        where=f"{context.asset.label} in {destination.label}",
    ).value


def _key(partition: Partition | None) -> str:
    return "" if partition is None else partition.key


def _call_sync(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)
