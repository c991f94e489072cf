"""What users and this project test assets with: runners, contract suites, and a real Airflow."""
