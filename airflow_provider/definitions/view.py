"""Views and references: nodes of a graph that no run fills with rows.

A view is a query that its one destination keeps; what it reads is never loaded, each upstream stands for the place of
its data. A reference is a table that somebody else fills: it is read, and never run.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from airflow_provider.definitions.asset import Asset, is_dataset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.environment import holds_env, resolve_env
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.definitions.settings import check_settings
from airflow_provider.errors import AssetError, ConfigError, DefinitionError
from airflow_provider.partitioning import Partition


class View(Asset):
    """A query that a destination keeps under the asset's name.

    ``data()`` returns SQL text, or an object with ``compile(dialect)``, such as SQLAlchemy's ``select``. The ``data``
    of each upstream parameter is what the destination's ``reference`` says of that asset. Class settings: ``dialect``,
    the SQL dialect of the query, where it is bound to one; ``schema``, what readers may expect.
    """

    key: ClassVar[str] = "view"
    dialect: ClassVar[str] = ""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a partitioning: a view is one query over all there is."""
        super().__pydantic_init_subclass__(**kwargs)
        if cls.partitioning is not None:
            raise DefinitionError(
                "is partitioned, but a view holds no partitions",
                where=f"view {cls.key!r}",
                fix="remove partitioning=; filter in the query, or make it an asset that stores its result",
            )

    @property
    def stores(self) -> Sequence[Destination]:
        """The destination as a place of views."""
        return [ViewStore.before(destination) for destination in self.destinations]

    def check_placement(self, upstreams: Sequence[Asset]) -> None:
        """Refuse a view that cannot be kept where it is to go; asked when a graph is built.

        Raises:
            ConfigError: There is not exactly one destination, it holds no views, speaks another dialect, or does not
                reach what an upstream is stored in.
        """
        if len(self.destinations) != 1:
            raise ConfigError(
                f"is a view and needs exactly one destination, {len(self.destinations)} given",
                where=self.label,
                fix="pass destinations=[...] with the one that holds its upstreams",
            )
        destination = self.destinations[0]
        if type(destination).create_view is Destination.create_view:
            raise ConfigError(
                f"{destination.key!r} holds no views",
                where=self.label,
                fix="use a destination that defines create_view",
            )
        if self.dialect and destination.dialect and self.dialect != destination.dialect:
            raise ConfigError(
                f"is written in {self.dialect!r}, but {destination.key!r} speaks {destination.dialect!r}",
                where=self.label,
                fix="return an object with compile(dialect), or write it in that dialect",
            )
        for upstream in upstreams:
            if not any(destination.reaches(place) for place in upstream.destinations):
                places = ", ".join(place.key for place in upstream.destinations) or "nowhere"
                raise ConfigError(
                    f"reads {upstream.qualified_key!r}, which is in {places}, out of reach of {destination.key!r}",
                    where=self.label,
                    fix=f"store {upstream.qualified_key!r} in the view's destination too",
                )

    def definition(self, returned: Any) -> Any:
        """What ``create_view`` is given for what ``data()`` returned: text as it is, else what it compiles to.

        Raises:
            AssetError: It is neither text nor to be compiled, or there is nothing in it.
        """
        compile_ = getattr(returned, "compile", None)
        if not isinstance(returned, str) and callable(compile_):
            returned = _compiled(returned, self._dialect())
        if not isinstance(returned, str):
            raise AssetError(
                f"returned {'nothing' if returned == [] else f'a {type(returned).__name__}'}, which is no query",
                where=self.label,
                fix="return SQL text, or an object with compile(dialect)",
            )
        if not returned.strip():
            raise AssetError("returned an empty query", where=self.label, fix="return the text of a SELECT")
        return returned

    def _dialect(self) -> str:
        return self.dialect or next((destination.dialect for destination in self.destinations), "")


class ViewStore(Destination):
    """A destination as a committer sees it when it keeps a view: one write creates the view."""

    key: ClassVar[str] = "view_store"
    guarantee = "idempotent"
    place: Destination

    @classmethod
    def before(cls, place: Destination) -> "ViewStore":
        """The store in front of ``place``, under its key and address."""
        store = cls(place=place)
        store.__dict__["key"] = place.key  # outcomes and messages speak of the destination itself
        return store

    @property
    def address(self) -> str:
        """Where the view is."""
        return self.place.address

    def write_partition(self, context: IOContext, partition: Partition | None, data: Any) -> Any:
        """Create or replace the view."""
        return self.place.create_view(placed(context.asset), data)


class Reference(Asset):
    """A table that is there already: others read it, and no run touches it.

    Class settings: ``table_name`` (``table=`` of the decorator), which may hold ``{field}`` of the source and is taken
    as it is written, by default the key; ``schema`` and ``partitioning``, what readers may expect.
    """

    key: ClassVar[str] = "reference"
    table_name: ClassVar[str] = ""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a name that is none, and parameters: nothing will fill them."""
        super().__pydantic_init_subclass__(**kwargs)
        where = f"reference {cls.key!r}"
        check_settings(cls, ["table_name"], where=where)
        if cls.table_name and not is_dataset(cls.table_name):
            raise DefinitionError(
                f"table={cls.table_name!r} is not a name",
                where=where,
                fix="use letters, digits, _, - and . only; the schema goes into dataset=",
            )
        asked = cls.parameters.relations if hasattr(cls, "parameters") else {}
        if asked:
            raise DefinitionError(
                f"has the parameter {next(iter(asked))!r}, but a reference is never run",
                where=where,
                fix="leave the parameters out; an asset that reads others is made with @ap.asset or @ap.view",
            )

    @property
    def table(self) -> str:
        """The table's name as it is written, ``{field}`` filled in."""
        if not self.table_name:
            return self.key
        if self.source is not None:
            return self.source.fill(self.table_name, what="table")
        if "{" in self.table_name:
            raise ConfigError(
                f"table {self.table_name!r} names a field of its source, but it has no source",
                where=self.label,
                fix="write the table out, or make the reference part of a source",
            )
        return self.table_name

    def run(self, *_: Any, **__: Any) -> None:
        """Nothing: a reference is never run."""

    def materialize(self, *_: Any, **__: Any) -> None:
        """Nothing: a reference is never run."""

    async def run_async(self, *_: Any, **__: Any) -> None:
        """Nothing: a reference is never run."""

    async def materialize_async(self, *_: Any, **__: Any) -> None:
        """Nothing: a reference is never run."""


def placed(asset: Asset) -> Asset:
    """``asset`` with ``{env.NAME}`` in its dataset filled in, as a hook without an ``IOContext`` needs it."""
    dataset = asset.dataset
    return asset(dataset=resolve_env(dataset, where=asset.label)) if dataset and holds_env(dataset) else asset


def _compiled(query: Any, dialect: str) -> Any:
    """The text of a query object; of one of SQLAlchemy's with its values in it, for a view takes no parameters."""
    if not dialect:
        raise ConfigError(
            f"a {type(query).__name__} cannot be compiled without a dialect",
            where="view",
            fix="set dialect= on the view, or a dialect on the destination",
        )
    if not type(query).__module__.startswith("sqlalchemy"):
        return query.compile(dialect)
    from sqlalchemy.dialects import registry

    return str(query.compile(dialect=registry.load(dialect)(), compile_kwargs={"literal_binds": True}))
