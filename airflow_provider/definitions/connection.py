"""Connections: fields from the constructor, else from the Airflow connection of ``conn_id``, else the environment.

Nothing is looked up while a DAG is parsed. The first read of a field that was not given, or ``resolved()`` in the
worker, asks Airflow; no value of a connection appears in a repr, a log or an error.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from airflow_provider.definitions import ports
from airflow_provider.definitions.environment import resolve_env
from airflow_provider.definitions.resource import Resource
from airflow_provider.errors import AssetsError, ConfigError

_ALIASES = {"user": "login", "username": "login", "database": "schema"}
_PLAIN_FIELDS = ("conn_type", "host", "login", "password", "port", "schema")


class Connection(Resource):
    """How to reach a system. Subclasses declare the fields that they need.

    ``conn_id`` names an Airflow connection and may hold ``{env.NAME}``. Its host, login (also ``user``, ``username``),
    password, port and schema (also ``database``) and its extras fill the fields of those names; extras are read name by
    name.
    """

    kind: ClassVar[str] = "connection"
    key: ClassVar[str] = "connection"
    sensitive: ClassVar[bool] = True

    conn_id: str | None = None

    @classmethod
    def _is_elsewhere(cls, given: Mapping[str, Any]) -> bool:
        return bool({"conn_id": cls.__pydantic_fields__["conn_id"].default, **given}["conn_id"])

    @classmethod
    def _is_deferred(cls, name: str, value: Any) -> bool:
        return name != "conn_id" and super()._is_deferred(name, value)  # resolved with each look-up

    def _init_lazily(self, data: dict[str, Any], given: dict[str, Any], deferred: dict[str, Any]) -> None:
        conn_id = type(self).__pydantic_fields__["conn_id"].default
        super()._init_lazily(data, {"conn_id": conn_id, **given}, deferred)

    def _is_lazy(self) -> bool:
        return bool(self.__dict__.get("conn_id")) or super()._is_lazy()

    @property
    def hook(self) -> Any:
        """Airflow's own hook for the connection's type."""
        return ports.resolve("connection_lookup").hook(self._resolved_conn_id())

    def check(self) -> list[str]:
        """What is wrong with the connection: a field that nothing fills, or what its hook's own test says."""
        problems = super().check()
        if problems or not self.__dict__.get("conn_id"):
            return problems
        try:
            test = getattr(self.hook, "test_connection", None)
        except AssetsError:
            return []  # a type without a hook: only its fields are used
        if test is None:
            return []
        try:
            is_well, said = test()
        except Exception as error:  # noqa: BLE001 -- whatever a hook raises is the answer; its text may hold a secret
            is_well, said = False, type(error).__name__
        return [] if is_well else [f"{self.label}: its test failed: {said}"]

    def _looked_up(self) -> dict[str, Any]:
        """The fields not given that Airflow's connection has."""
        given = {*self.__dict__, *self._deferred, "id"}
        wanted = [name for name in type(self).__pydantic_fields__ if name not in given]
        if not wanted or not self.__dict__.get("conn_id"):
            return {}
        found = ports.resolve("connection_lookup").connection(self._resolved_conn_id())
        extras = found.extra_dejson
        values = {}
        for name in wanted:
            plain = _ALIASES.get(name, name)
            value = getattr(found, plain, None) if plain in _PLAIN_FIELDS else extras.get(name)
            value = extras.get(name) if value is None else value
            if value is not None:
                values[name] = value
        return values

    def _resolved_conn_id(self) -> str:
        conn_id = self.__dict__.get("conn_id")
        if not conn_id:
            raise ConfigError(
                "has no conn_id, so there is no Airflow connection to ask",
                where=self.label,
                fix="construct it with conn_id='...'",
            )
        return resolve_env(conn_id, where=self.label)
