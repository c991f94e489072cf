"""Connections: fields from the constructor, else from the Airflow connection of ``conn_id``, else the environment.

Nothing is looked up while a DAG is parsed. The first read of a field that was not given, or ``resolved()`` in the
worker, asks Airflow; no value of a connection appears in a repr, a log or an error.
"""

from typing import Any, ClassVar

from pydantic import PrivateAttr

from airflow_provider.definitions import ports
from airflow_provider.definitions.environment import resolve_env
from airflow_provider.definitions.resource import Resource
from airflow_provider.definitions.validation import validated
from airflow_provider.errors import ConfigError

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

    conn_id: str | None = None

    _full: "Connection | None" = PrivateAttr(default=None)

    def __init__(self, **data: Any) -> None:
        cls = type(self)
        given = {"conn_id": cls.__pydantic_fields__["conn_id"].default, **cls._field_defaults}
        if not {**given, **data}.get("conn_id"):
            super().__init__(**data)
            return
        fields, bindings = self._split(data, "got unexpected keyword argument(s)")
        known = validated(cls, {**given, **fields}, where=f"{cls.kind} {cls.key!r}")
        values = {"id": "", **known}  # every other field is left out, so that reading it looks it up
        for attribute, value in (
            ("__dict__", values),
            ("__pydantic_fields_set__", set(known)),
            ("__pydantic_extra__", None),
            ("__pydantic_private__", None),
        ):
            object.__setattr__(self, attribute, value)
        self.model_post_init(None)
        for name, target in bindings.items():
            self.assign(name, target)

    def __getattr__(self, name: str) -> Any:
        if name in type(self).__pydantic_fields__ and self.__dict__.get("conn_id"):
            return getattr(self.resolved(), name)
        return super().__getattr__(name)  # type: ignore[misc]

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in type(self).__pydantic_fields__:
            self._full = None

    def resolved(self) -> "Connection":
        """Every field filled, with Airflow's connection where ``conn_id`` is set.

        Raises:
            ConnectionLookupError: Airflow gave no connection of that name.
            ConfigError: A field is missing everywhere, or a value does not fit.
        """
        if not self.__dict__.get("conn_id"):
            return self
        if self._full is None:
            full = type(self).__new__(type(self))
            Resource.__init__(full, **{**self._looked_up(), **self.__dict__})
            full._owner, full._bindings = self._owner, self._bindings
            self._full = full
        return self._full

    @property
    def hook(self) -> Any:
        """Airflow's own hook for the connection's type."""
        return ports.resolve("connection_lookup").hook(self._resolved_conn_id())

    def _looked_up(self) -> dict[str, Any]:
        """The fields not given that Airflow's connection has."""
        wanted = [name for name in type(self).__pydantic_fields__ if name not in self.__dict__ and name != "id"]
        if not wanted:
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
