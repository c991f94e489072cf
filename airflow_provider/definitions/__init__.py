"""What users declare: assets, sources, destinations, resources, and the graph that joins them. No Airflow here."""
