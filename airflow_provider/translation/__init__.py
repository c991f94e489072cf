"""From definitions to Airflow's DAGs, tasks and assets; runs while a DAG file is parsed and does no I/O."""
