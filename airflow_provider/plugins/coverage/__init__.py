"""The page that shows, for each asset of a DAG, which partitions are held."""
