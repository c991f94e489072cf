"""What every destination must do, as a test class: subclass it, say how to build yours, and pytest runs the lot.

::

    from airflow_provider.testing import Cannot, DestinationContract

    class TestMine(DestinationContract):
        cannot = {"non_tabular": Cannot(DestinationError, "holds tables only")}

        def make(self, folder):
            return MyDestination(root=str(folder))

``make`` is called several times with one folder, and must give the same store each time. What the destination cannot
do stands in ``cannot``; see ``Cannot``. How strict the checks of crashes and of concurrent work are follows from the
``guarantee`` that the destination states.
"""

from airflow_provider.testing.commit_contract import CommitContract
from airflow_provider.testing.destination_suite import DestinationSuite, run_hook
from airflow_provider.testing.partition_contract import PartitionContract
from airflow_provider.testing.round_trip_contract import RoundTripContract
from airflow_provider.testing.run_contract import RunContract
from airflow_provider.testing.samples import StoredAsset, context_of, days, plain, rows_for, typed_rows, typed_table

__all__ = [
    "DestinationContract",
    "DestinationSuite",
    "StoredAsset",
    "context_of",
    "days",
    "plain",
    "rows_for",
    "run_hook",
    "typed_rows",
    "typed_table",
]


class DestinationContract(RoundTripContract, PartitionContract, CommitContract, RunContract):
    """All suites of a destination: what is read is what was written, partition by partition, whatever goes wrong."""
