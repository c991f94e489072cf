import pytest

import airflow_provider as ap
from airflow_provider.errors import PartitionsFailedError, SchemaError
from airflow_provider.execution.events import listening
from airflow_provider.execution.outcome import PartitionOutcome, RunResult
from airflow_provider.execution.retry import with_retries

QUICK = ap.RetryPolicy(3, initial_delay="2s", jitter=False)


def outcome(key, status="committed", error=None):
    return PartitionOutcome(key, "csv", "csv:/lake", status, rows=1, error=error)


class Tries:
    """Each call does the next thing: raises it, or has these outcomes."""

    def __init__(self, *things):
        self.things = list(things)
        self.calls = 0

    def __call__(self, *, progress):
        self.calls += 1
        thing = self.things.pop(0)
        if isinstance(thing, BaseException):
            raise thing
        for each in thing:
            if progress is not None:
                progress(each)
        return RunResult("orders", None, outcomes=list(thing))


def run(tries, policy=QUICK, progress=None):
    waits = []
    try:
        return with_retries(tries, policy, name="orders", seed=["run"], progress=progress, sleep=waits.append), waits
    except Exception as error:
        return error, waits


def test_a_run_that_fails_is_tried_again_after_the_delay():
    result, waits = run(Tries(OSError(), OSError(), [outcome("a")]))

    assert [o.key for o in result.outcomes] == ["a"]
    assert waits == [2, 4]


def test_the_last_failure_is_raised_when_no_try_is_left():
    tries = Tries(OSError("1"), OSError("2"), OSError("3"))
    error, waits = run(tries)

    assert str(error) == "3"
    assert len(waits) == 2


def test_what_is_not_worth_it_is_not_repeated():
    tries = Tries(SchemaError("no", where="orders", fix="mend"))
    error, waits = run(tries)

    assert isinstance(error, SchemaError)
    assert (tries.calls, waits) == (1, [])


def test_partitions_that_failed_are_tried_again_and_each_is_told_once():
    heard = []
    first = [outcome("a"), outcome("b", "failed", OSError())]
    second = [outcome("a", "held"), outcome("b")]
    result, _ = run(Tries(first, second), progress=heard.append)

    assert result.failure() is None
    assert [(o.key, o.status) for o in heard] == [("a", "committed"), ("b", "committed")]


def test_a_partition_that_is_given_up_is_told_as_failed():
    heard = []
    bad = [outcome("a"), outcome("b", "failed", OSError())]
    result, _ = run(Tries(bad, bad, bad), progress=heard.append)

    assert isinstance(result.failure(), PartitionsFailedError)
    assert [(o.key, o.status) for o in heard] == [("a", "committed"), ("b", "failed")]


def test_without_a_policy_there_is_one_try():
    tries = Tries(OSError())
    assert isinstance(run(tries, policy=None)[0], OSError)
    assert tries.calls == 1


def test_each_retry_is_an_event():
    events = []
    with listening(events.append):
        run(Tries(OSError(), [outcome("a")]))

    (event,) = [event for event in events if event.name == "retried"]
    assert dict(event.values) == {"attempt": 1, "seconds": 2.0, "error": "OSError"}


@pytest.mark.parametrize("attempts", [1, 2])
def test_there_are_as_many_tries_as_the_policy_says(attempts):
    tries = Tries(*[OSError()] * 5)
    run(tries, policy=ap.RetryPolicy(attempts))
    assert tries.calls == attempts
