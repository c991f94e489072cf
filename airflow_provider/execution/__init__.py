"""Runs assets and graphs in this process; of a destination it knows the contract alone. No Airflow here."""
