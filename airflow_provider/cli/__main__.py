"""``python -m airflow_provider.cli`` is ``airflow-assets``."""

from airflow_provider.cli import main

main()
