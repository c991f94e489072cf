"""Durable small state: atomic files, compare-and-swap, and the deployment's index of commit records."""

from airflow_provider.storage.conditional import ConditionalStore, PosixConditionalStore, open_store
from airflow_provider.storage.index import IndexStore, open_index

__all__ = ["ConditionalStore", "IndexStore", "PosixConditionalStore", "open_index", "open_store"]
