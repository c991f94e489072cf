"""The smallest asset: ten lines from a function to a DAG with one partition per day."""

import airflow_provider as ap


@ap.asset(partitioning=ap.TimePartitionConfig(column="day", start="2026-01-01"))
def greetings(context: ap.ExecutionContext) -> list[dict]:
    return [{"day": context.partition_date, "text": "hello"}]


dag = ap.build_dag(greetings(destinations=ap.CSVDestination(base_path="{env.AIRFLOW_HOME}/data")))
