"""Places that store partitions and read them back; each class is imported when it is first named."""

from airflow_provider.destinations.registry import CLASSES, find

__all__ = sorted([*CLASSES, "find"])


def __getattr__(name: str) -> object:
    """Import a destination class on first use."""
    if name in CLASSES:
        return find(CLASSES[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
