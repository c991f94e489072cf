"""The pure model of what is held: commit records, how they fold, and the view over them."""

from airflow_provider.ledger.fold import Held, fold, fold_notes
from airflow_provider.ledger.index import AssetIndex
from airflow_provider.ledger.record import AttemptNote, CommitRecord, Entry, UntrackedNote, parse_line, utc_text

__all__ = [
    "AssetIndex",
    "AttemptNote",
    "CommitRecord",
    "Entry",
    "Held",
    "UntrackedNote",
    "fold",
    "fold_notes",
    "parse_line",
    "utc_text",
]
