"""When a failed run is tried again, and after how long: one policy for Airflow's tasks and for plain Python.

The delay is a pure function of the attempt and of the run's names, so that it repeats in a test and differs from run to
run: many runs that fail together do not come back together.
"""

import datetime as dt
import hashlib
import inspect
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from airflow_provider.definitions.durations import seconds_of
from airflow_provider.errors import (
    AssetError,
    AssetsError,
    ConfigError,
    DefinitionError,
    GraphError,
    NormalizerError,
    PartitionsFailedError,
    RepresentationError,
    SchemaError,
    SupersededError,
)

Backoff = Literal["exponential", "linear", "constant"]
RetryOn = type[BaseException] | int | str

PERMANENT = (
    ConfigError,
    DefinitionError,
    GraphError,
    NormalizerError,
    RepresentationError,
    SchemaError,
    SupersededError,
)
"""Errors that the next try would meet again, so that a policy without ``retry_on`` does not repeat them."""

WORTH_REPEATING = (408, 425, 429)
"""The HTTP statuses below 500 that pass by themselves."""

_TIMEOUTS = {"Timeout", "TimeoutException", "AirflowTaskTimeout"}
_BREAKS = {"ConnectionError", "ConnectError", "ConnectTimeout", "ClientConnectionError"}
_CLASSES = {f"{digit}xx" for digit in range(1, 6)}


class _Default(int):
    """A default that can be told from the same number given."""


_ATTEMPTS = _Default(3)


class RetryPolicy:
    """How often a failed asset is tried again, after how long, and for which errors. Frozen, hashable and comparable.

    Of a run that wrote some of its partitions, the next try writes only those that are missing.

    Args:
        max_attempts: How many tries there are, the first among them; at least 1.
        backoff: ``"exponential"`` (the delay doubles), ``"linear"`` (it grows by itself) or ``"constant"``.
        initial_delay: Before the second try: ``"250ms"``, ``"1s"``, ``"15m"``, ``"2h"``, ``"1d"``, seconds or a
            timedelta.
        max_delay: The longest delay.
        jitter: Take a delay between half and the whole of it, another one for each run and try.
        retry_on: What is tried again: exception classes, their dotted names (nothing is imported for those), HTTP
            statuses (``429``), classes of them (``"5xx"``), ``"timeout"``, ``"connection"``. None: everything but what
            the next try would meet again: wrong definitions, data that does not fit its schema, a partition that a
            newer run has written, and HTTP statuses from 400 to 499 other than 408, 425 and 429.
        max_retries: Another way to say ``max_attempts``: the tries after the first.

    Raises:
        ConfigError: A value that is none of these, or both ``max_attempts`` and ``max_retries``.
    """

    __slots__ = ("_initial_s", "_max_s", "backoff", "initial_delay", "jitter", "max_attempts", "max_delay", "retry_on")

    max_attempts: int
    backoff: Backoff
    initial_delay: Any
    max_delay: Any
    jitter: bool
    retry_on: tuple[RetryOn, ...] | None
    _initial_s: float
    _max_s: float

    def __init__(
        self,
        max_attempts: int = _ATTEMPTS,
        backoff: Backoff = "exponential",
        initial_delay: str | float | dt.timedelta = "1s",
        max_delay: str | float | dt.timedelta = "10m",
        jitter: bool = True,
        retry_on: Sequence[RetryOn] | RetryOn | None = None,
        *,
        max_retries: int | None = None,
    ) -> None:
        where = type(self).__name__
        if max_retries is not None and max_attempts is not _ATTEMPTS:
            raise ConfigError("max_attempts and max_retries say the same", where=where, fix="give one of them")
        attempts = max_attempts if max_retries is None else _counted(max_retries, "max_retries", 0, where) + 1
        if backoff not in ("exponential", "linear", "constant"):
            raise ConfigError(
                f"backoff={backoff!r} is none", where=where, fix="use 'exponential', 'linear' or 'constant'"
            )
        if not isinstance(jitter, bool):
            raise ConfigError(f"jitter={jitter!r} is no bool", where=where, fix="use jitter=True or jitter=False")
        put = object.__setattr__
        put(self, "max_attempts", int(_counted(attempts, "max_attempts", 1, where)))
        put(self, "backoff", backoff)
        put(self, "initial_delay", initial_delay)
        put(self, "max_delay", max_delay)
        put(self, "jitter", jitter)
        put(self, "retry_on", None if retry_on is None else _checked_rules(retry_on, where))
        put(self, "_initial_s", seconds_of(initial_delay, name="initial_delay", where=where))
        put(self, "_max_s", seconds_of(max_delay, name="max_delay", where=where))
        if self._initial_s > self._max_s:
            raise ConfigError(
                f"initial_delay={initial_delay!r} is longer than max_delay={max_delay!r}",
                where=where,
                fix="raise max_delay",
            )

    @property
    def max_retries(self) -> int:
        """How many tries there are after the first."""
        return self.max_attempts - 1

    @property
    def initial_seconds(self) -> float:
        """``initial_delay`` in seconds."""
        return self._initial_s

    @property
    def max_seconds(self) -> float:
        """``max_delay`` in seconds."""
        return self._max_s

    def retryable(self, error: BaseException) -> bool:
        """Whether ``error`` is worth another try. A subclass may decide otherwise.

        Of an error that stands for several partitions, one that is worth it is enough.
        """
        return any(self._is_worth(cause) for cause in causes(error))

    def delay(self, attempt: int, *, seed: Sequence[str] = (), error: BaseException | None = None) -> dt.timedelta:
        """How long to wait after try number ``attempt`` has failed.

        Args:
            attempt: The try that failed, 1 for the first.
            seed: Names of the run that the jitter depends on.
            error: What failed; a ``retry_after`` of it (seconds) is waited for, whatever ``max_delay`` says.
        """
        factor = {"exponential": 2.0 ** min(attempt - 1, 62), "linear": float(attempt), "constant": 1.0}[self.backoff]
        seconds = min(self._initial_s * factor, self._max_s)
        if self.jitter:
            seconds *= 0.5 + 0.5 * _fraction([*seed, str(attempt)])
        asked = [found for cause in causes(error) if (found := _retry_after(cause)) is not None] if error else []
        return dt.timedelta(seconds=max([seconds, *asked]))

    def _is_worth(self, error: BaseException) -> bool:
        if self.retry_on is None:
            status = http_status(error)
            refused = status is not None and 400 <= status < 500 and status not in WORTH_REPEATING
            return not refused and not isinstance(error, PERMANENT)
        return any(_matches(rule, error) for rule in self.retry_on)

    def __repr__(self) -> str:
        given = [f"max_attempts={self.max_attempts}", f"backoff={self.backoff!r}"]
        given += [f"initial_delay={self.initial_delay!r}", f"max_delay={self.max_delay!r}", f"jitter={self.jitter}"]
        if self.retry_on is not None:
            given.append(f"retry_on=[{', '.join(map(_rule_text, self.retry_on))}]")
        return f"{type(self).__name__}({', '.join(given)})"

    def __str__(self) -> str:
        waits = f"{self.backoff} from {self.initial_delay} to {self.max_delay}" + (", jitter" if self.jitter else "")
        rules = "" if self.retry_on is None else f", on {', '.join(map(_rule_text, self.retry_on))}"
        return f"{self.max_attempts} attempts, {waits}{rules}"

    def _identity(self) -> tuple[Any, ...]:
        return (
            type(self),
            self.max_attempts,
            self.backoff,
            self._initial_s,
            self._max_s,
            self.jitter,
            self.retry_on,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RetryPolicy) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: make another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: make another one")

    def __reduce__(self) -> tuple[Any, ...]:
        rules = None if self.retry_on is None else list(self.retry_on)
        given = (self.max_attempts, self.backoff, self.initial_delay, self.max_delay, self.jitter, rules)
        return type(self), given


def _signature() -> inspect.Signature:
    """The constructor's own, where the default that can be told from a given 3 is a plain one."""
    told = inspect.signature(RetryPolicy.__init__)
    parameters = [p.replace(default=3) if p.default is _ATTEMPTS else p for p in list(told.parameters.values())[1:]]
    return told.replace(parameters=parameters, return_annotation=inspect.Signature.empty)


RetryPolicy.__signature__ = _signature()  # type: ignore[attr-defined]  # inspect's protocol

Retry = RetryPolicy
"""The same class by its other documented name."""


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """The errors that ``error`` stands for: those of each partition, or what an asset's error was raised from."""
    if isinstance(error, PartitionsFailedError) and error.errors:
        for each in error.errors:
            yield from causes(each)
    elif type(error) is AssetError and error.__cause__ is not None:
        yield from causes(error.__cause__)
    elif error is not None:
        yield error


def http_status(error: BaseException) -> int | None:
    """The HTTP status that ``error`` or its ``response`` carries; None when it has none."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:
                return int(value)
    return None


def _retry_after(error: BaseException) -> float | None:
    value = getattr(error, "retry_after", None)
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _matches(rule: RetryOn, error: BaseException) -> bool:
    if isinstance(rule, type):
        return isinstance(error, rule)
    status = http_status(error)
    if isinstance(rule, int):
        return status == rule
    if rule in _CLASSES:
        return status is not None and status // 100 == int(rule[0])
    names = {cls.__name__ for cls in type(error).__mro__}
    if rule == "timeout":
        return isinstance(error, TimeoutError) or bool(names & _TIMEOUTS)
    if rule == "connection":
        return isinstance(error, ConnectionError) or bool(names & _BREAKS)
    return any(f"{cls.__module__}.{cls.__qualname__}" == rule for cls in type(error).__mro__)


def _checked_rules(given: Any, where: str) -> tuple[RetryOn, ...]:
    rules = tuple(given) if isinstance(given, (list, tuple, set, frozenset)) else (given,)
    for rule in rules:
        if not _is_rule(rule):
            raise ConfigError(
                f"retry_on has {rule!r}",
                where=where,
                fix="name exception classes or their dotted names, HTTP statuses such as 429, '5xx', 'timeout' or "
                "'connection'",
            )
    return rules if not isinstance(given, (set, frozenset)) else tuple(sorted(rules, key=_rule_text))


def _is_rule(rule: Any) -> bool:
    if isinstance(rule, type):
        return issubclass(rule, BaseException)
    if isinstance(rule, int) and not isinstance(rule, bool):
        return 100 <= rule <= 599
    if not isinstance(rule, str):
        return False
    is_dotted = "." in rule and all(part.isidentifier() for part in rule.split("."))
    return rule in {"timeout", "connection", *_CLASSES} or is_dotted


def _rule_text(rule: RetryOn) -> str:
    return f"{rule.__module__}.{rule.__qualname__}" if isinstance(rule, type) else str(rule)


def _counted(value: Any, name: str, least: int, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{name}={value!r}", where=where, fix=f"give a whole number, at least {least}")
    return value


def _fraction(parts: Sequence[str]) -> float:
    """A number in [0, 1) that the texts decide."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def told_reason(error: BaseException) -> str:
    """What is said of ``error`` where a policy decides on it: our own words, of any other error its class alone."""
    cause = next(causes(error), error)
    return cause.what if isinstance(cause, AssetsError) else type(cause).__name__
