import datetime as dt
from types import SimpleNamespace

import pytest
from airflow.sdk.exceptions import AirflowFailException, AirflowTaskTimeout

import airflow_provider as ap
from airflow_provider import version_compat
from airflow_provider.errors import ConfigError, SchemaError
from airflow_provider.operators import retry
from airflow_provider.operators.retry import TaskRetryPolicy

needs_policies = pytest.mark.skipif(not version_compat.HAS_RETRY_POLICY, reason="Airflow asks policies from 3.3 on")
POLICY = ap.RetryPolicy(5, initial_delay="2s", max_delay="1m")


def operator(asset, **options):
    return ap.AssetOperator(task_id=asset.key, asset=asset, **options)


@ap.source(retry=ap.RetryPolicy(2), airflow=ap.TaskOptions(pool="shop"))
class Shop(ap.Source):
    @ap.asset
    def orders(self):
        return []

    @ap.asset(retry=POLICY)
    def lines(self):
        return []

    @ap.asset(airflow=ap.TaskOptions(retries=9))
    def items(self):
        return []


@ap.asset
def alone():
    return []


def decide(error, try_number=1, max_tries=4, run_id="r1"):
    context = {"ti": SimpleNamespace(dag_id="d", task_id="t", run_id=run_id, map_index=-1)}
    return TaskRetryPolicy(POLICY).evaluate(error, try_number, max_tries, context)


def test_a_policy_sets_retries_and_the_delays_that_are_used_when_the_worker_dies():
    task = operator(Shop().lines)

    assert task.retries == 4
    assert task.retry_delay == dt.timedelta(seconds=2)
    assert task.max_retry_delay == dt.timedelta(minutes=1)
    assert task.retry_exponential_backoff == 2.0
    assert task.pool == "shop"


@needs_policies
def test_the_task_asks_the_policy():
    assert operator(Shop().lines).retry_policy.policy == POLICY
    assert operator(alone()).retry_policy is None


def test_the_nearest_that_says_anything_about_retries_says_it_all():
    shop, job = Shop(), ap.RetryPolicy(7)

    assert operator(shop.orders, retry=job).retries == 1
    assert operator(shop.lines, retry=job).retries == 4
    assert operator(shop.items, retry=job).retries == 9
    assert operator(alone(), retry=job).retries == 6
    assert operator(shop.lines, retry=job, retries=0).retries == 0
    assert operator(shop.items, retry=job).retry_exponential_backoff == 0


@needs_policies
def test_a_policy_that_does_not_count_is_not_asked():
    shop = Shop()

    assert operator(shop.items).retry_policy is None
    assert operator(shop.lines, retries=0).retry_policy is None


def test_one_definition_that_says_it_twice_is_refused():
    @ap.asset(retry=POLICY, airflow=ap.TaskOptions(retries=1))
    def twice():
        return []

    with pytest.raises(ConfigError, match="both say how often"):
        operator(twice())


def test_a_dag_has_a_policy_for_assets_that_have_none():
    dag = ap.build_dag(alone(), retry=ap.RetryPolicy(7), schedule=None)
    assert dag.get_task("alone").retries == 6
    (other,) = ap.build_dags(alone(), retry=ap.RetryPolicy(6), schedule=None).values()
    assert other.get_task("alone").retries == 5


@needs_policies
def test_an_error_worth_it_is_tried_again_after_a_delay_of_the_runs_own():
    decision = decide(OSError("secret"))

    assert decision.action.value == "retry"
    assert 1 <= decision.retry_delay.total_seconds() <= 2
    assert "attempt 1 of 5" in decision.reason
    assert "secret" not in decision.reason
    assert decide(AirflowTaskTimeout()).action.value == "retry"
    assert decide(OSError(), run_id="r2").retry_delay != decision.retry_delay
    assert 4 <= decide(OSError(), try_number=3).retry_delay.total_seconds() <= 8


@needs_policies
def test_an_error_that_the_next_try_would_meet_again_fails_the_task_with_the_reason():
    decision = decide(SchemaError("units is text", where="orders", fix="mend"))

    assert decision.action.value == "fail"
    assert decision.reason == "not worth another try: units is text"


@needs_policies
def test_a_clear_starts_to_count_anew():
    assert "attempt 1 of 5" in decide(OSError(), try_number=6, max_tries=9).reason
    assert decide(OSError(), try_number=5, max_tries=4).action.value == "default"


@needs_policies
def test_without_a_context_there_is_a_delay_too():
    assert TaskRetryPolicy(POLICY).evaluate(OSError(), 1, 4).action.value == "retry"


def test_before_policies_the_operator_fails_the_task_itself(monkeypatch):
    monkeypatch.setattr(retry, "HAS_RETRY_POLICY", False)

    assert "retry_policy" not in retry.retry_arguments(POLICY)
    with pytest.raises(AirflowFailException, match="units is text"):
        retry.refuse_retry(POLICY, SchemaError("units is text", where="orders", fix="mend"))
    retry.refuse_retry(POLICY, OSError())
    retry.refuse_retry(None, SchemaError("x", where="x", fix="x"))
