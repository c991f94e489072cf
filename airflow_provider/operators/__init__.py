"""The operator that runs one asset as one Airflow task."""
