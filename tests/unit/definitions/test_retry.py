import copy
import datetime as dt
import pickle
import urllib.error
from types import SimpleNamespace
from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.definitions.retry import causes, http_status, told_reason
from airflow_provider.errors import (
    AssetError,
    ConfigError,
    ConnectionLookupError,
    DestinationError,
    PartitionError,
    PartitionsFailedError,
    SchemaError,
    SupersededError,
)


class AirflowTaskTimeout(BaseException):
    """Called like Airflow's, which is no Exception either."""


def ours(kind):
    return kind("what", where="where", fix="fix")


class HttpError(Exception):
    def __init__(self, status, **more):
        self.response = SimpleNamespace(status_code=status)
        self.__dict__.update(more)


def delays(policy, attempts=5):
    return [policy.delay(n, seed=["dag", "task", "run", "-1"]).total_seconds() for n in range(1, attempts + 1)]


@pytest.mark.parametrize(
    ("backoff", "expected"),
    [("exponential", [1, 2, 4, 8, 10]), ("linear", [1, 2, 3, 4, 5]), ("constant", [1, 1, 1, 1, 1])],
)
def test_the_delay_grows_as_the_backoff_says_up_to_the_longest(backoff, expected):
    """S058, S059, S060."""
    assert delays(ap.RetryPolicy(9, backoff, "1s", "10s", jitter=False)) == expected


def test_jitter_takes_between_half_and_the_whole_and_differs_by_run_yet_repeats():
    """S061."""
    policy = ap.RetryPolicy(initial_delay=8, jitter=True)
    of_runs = [policy.delay(1, seed=["dag", "task", f"run{n}"]).total_seconds() for n in range(200)]

    assert all(4 <= seconds <= 8 for seconds in of_runs)
    assert len(set(of_runs)) == 200
    assert min(of_runs) < 4.2
    assert max(of_runs) > 7.8
    assert of_runs == [policy.delay(1, seed=["dag", "task", f"run{n}"]).total_seconds() for n in range(200)]
    assert policy.delay(1, seed=["a"]) != policy.delay(2, seed=["a"]) / 2


def test_a_thousand_attempts_do_not_overflow():
    assert ap.RetryPolicy(2000, jitter=False).delay(1999) == dt.timedelta(minutes=10)


def test_what_the_server_asks_for_is_waited_for_beyond_the_longest_delay():
    policy = ap.RetryPolicy(max_delay="10s", jitter=False)

    assert policy.delay(1, error=HttpError(429, retry_after=60)).total_seconds() == 60
    assert policy.delay(1, error=HttpError(429, retry_after=dt.timedelta(minutes=2))).total_seconds() == 120
    assert policy.delay(1, error=HttpError(429, retry_after=0.1)).total_seconds() == 1
    assert policy.delay(1, error=HttpError(429, retry_after="soon")).total_seconds() == 1


@pytest.mark.parametrize(
    ("error", "is_worth_it"),
    [
        (ValueError("x"), True), (KeyError("x"), True), (AirflowTaskTimeout(), True), (HttpError(500), True),
        (HttpError(429), True), (HttpError(408), True), (HttpError(425), True), (HttpError(404), False),
        (HttpError(401), False), (ours(DestinationError), True), (ours(ConnectionLookupError), True),
        (ours(SchemaError), False), (ours(PartitionError), False), (ours(SupersededError), False),
        (ours(AssetError), True),
    ],
)  # fmt: skip
def test_without_rules_only_what_would_fail_again_is_not_repeated(error, is_worth_it):
    assert ap.RetryPolicy().retryable(error) is is_worth_it


@pytest.mark.parametrize(
    ("rules", "repeated", "not_repeated"),
    [
        ([ValueError], [ValueError(), UnicodeError()], [KeyError(), TimeoutError()]),
        ([429], [HttpError(429)], [HttpError(500), ValueError()]),
        (["5xx"], [HttpError(500), urllib.error.HTTPError("u", 502, "m", None, None)], [HttpError(429)]),
        (["timeout"], [TimeoutError(), TimeoutError(), AirflowTaskTimeout()], [ConnectionResetError()]),
        (["connection"], [ConnectionRefusedError(), BrokenPipeError()], [TimeoutError()]),
        (["urllib.error.URLError"], [urllib.error.HTTPError("u", 404, "m", None, None)], [OSError()]),
        ([SchemaError], [ours(SchemaError)], [ValueError()]),
        ([], [], [ValueError(), HttpError(500)]),
        (ValueError, [ValueError()], [KeyError()]),
    ],
)  # fmt: skip
def test_rules_given_are_the_only_ones(rules, repeated, not_repeated):
    """S062, R050."""
    policy = ap.RetryPolicy(retry_on=rules)

    assert [policy.retryable(error) for error in repeated] == [True] * len(repeated)
    assert [policy.retryable(error) for error in not_repeated] == [False] * len(not_repeated)


def test_the_errors_of_partitions_and_of_an_assets_own_error_are_looked_through():
    failed = ours(PartitionsFailedError)
    failed.errors = (ours(SupersededError), HttpError(404))
    wrapped = ours(AssetError)
    wrapped.__cause__ = HttpError(404)

    assert not ap.RetryPolicy().retryable(failed)
    assert not ap.RetryPolicy().retryable(wrapped)
    failed.errors = (ours(SupersededError), OSError())
    assert ap.RetryPolicy().retryable(failed)
    assert ap.RetryPolicy(jitter=False).delay(1, error=wrapped).total_seconds() == 1
    assert list(causes(None)) == []


def test_what_is_told_of_an_error_is_ours_or_its_class():
    assert told_reason(ours(SchemaError)) == "what"
    assert told_reason(ValueError("password=hunter2")) == "ValueError"


def test_a_status_is_found_where_libraries_keep_it():
    assert http_status(HttpError(503)) == 503
    assert http_status(urllib.error.HTTPError("u", 404, "m", None, None)) == 404
    assert http_status(SimpleNamespace(code=7)) is None  # type: ignore[arg-type]
    assert http_status(ValueError()) is None


def test_max_retries_is_another_way_to_say_max_attempts():
    """R049, S057."""
    assert ap.RetryPolicy().max_attempts == 3
    assert ap.RetryPolicy(max_retries=4) == ap.RetryPolicy(max_attempts=5)
    assert ap.RetryPolicy(max_retries=0).max_attempts == 1
    assert ap.RetryPolicy(5).max_retries == 4
    with pytest.raises(ConfigError, match="say the same"):
        ap.RetryPolicy(max_attempts=3, max_retries=2)


@pytest.mark.parametrize(
    "given",
    [
        {"max_attempts": 0}, {"max_attempts": 1.5}, {"max_attempts": True}, {"max_retries": -1}, {"backoff": "cubic"},
        {"initial_delay": "soon"}, {"max_delay": -1}, {"initial_delay": "2m", "max_delay": "1m"},
        {"retry_on": ["6xx"]}, {"retry_on": [99]}, {"retry_on": [ValueError()]}, {"retry_on": [int]},
        {"retry_on": ["not dotted"]}, {"retry_on": [None]}, {"retry_on": [True]},
    ],
)  # fmt: skip
def test_values_that_cannot_be_are_refused_when_defined(given):
    with pytest.raises(ConfigError, match="RetryPolicy"):
        ap.RetryPolicy(**given)


def test_a_policy_is_a_value():
    """S056, R048."""
    policy = ap.RetryPolicy(2, retry_on=[ValueError, 429, "5xx"], initial_delay=dt.timedelta(seconds=3))

    assert ap.Retry is ap.RetryPolicy
    assert pickle.loads(pickle.dumps(policy)) == policy == copy.deepcopy(policy)
    assert hash(policy) == hash(pickle.loads(pickle.dumps(policy)))
    assert policy != ap.RetryPolicy(2)
    assert ap.RetryPolicy(initial_delay="60s") == ap.RetryPolicy(initial_delay="1m")
    assert repr(ap.RetryPolicy(retry_on={"timeout", 429})) == repr(ap.RetryPolicy(retry_on={429, "timeout"}))
    assert str(policy) == "2 attempts, exponential from 0:00:03 to 10m, jitter, on builtins.ValueError, 429, 5xx"
    with pytest.raises(AttributeError, match="frozen"):
        policy.max_attempts = 7
    with pytest.raises(AttributeError, match="frozen"):
        del policy.jitter


def test_a_subclass_may_decide_for_itself():
    class Patient(ap.RetryPolicy):
        def retryable(self, error):
            return "later" in str(error)

    policy = Patient(4)
    assert policy.retryable(ValueError("come later"))
    assert not policy.retryable(ValueError("no"))
    assert policy != ap.RetryPolicy(4)


def test_an_asset_inherits_the_policy_of_its_source():
    """A065, A072, S011."""

    @ap.source(retry=ap.RetryPolicy(7))
    class Shop(ap.Source):
        @ap.asset
        def orders(self):
            return []

        @ap.asset(retry=ap.RetryPolicy(2))
        def lines(self):
            return []

    shop = Shop()
    assert shop.orders.retry == ap.RetryPolicy(7)
    assert shop.lines.retry == ap.RetryPolicy(2)
    assert Shop(retry=ap.RetryPolicy(9)).orders.retry == ap.RetryPolicy(9)
    assert shop.lines(retry=None).retry == ap.RetryPolicy(7)


def test_anything_but_a_policy_is_refused():
    with pytest.raises(ap.errors.AssetsError, match="retry"):

        @ap.asset(retry=3)
        def orders():
            return []


@pytest.mark.parametrize("jitter", [0.1, "no", 1, None])
def test_jitter_that_is_no_bool_is_refused(jitter: Any) -> None:
    with pytest.raises(ConfigError, match=r"jitter=.* is no bool\n.*Fix: use jitter=True"):
        ap.RetryPolicy(jitter=jitter)
