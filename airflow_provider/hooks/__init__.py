"""Access to the systems that assets read and write, through Airflow's connections."""
