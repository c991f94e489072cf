"""What Airflow's provider registry is told about this package.

A plain dictionary without imports: every Airflow process reads it at its start. Options of the ``[airflow_provider]``
section are documented here, shown by ``airflow config list`` and read with ``conf.get("airflow_provider", ...)``.
"""

from typing import Any


def get_provider_info() -> dict[str, Any]:
    """The package's metadata, valid against Airflow's ``provider_info.schema.json``."""
    return {
        "package-name": "airflow-provider-assets",
        "name": "Assets",
        "description": "Partitioned data assets: declared in Python, stored atomically, covered visibly.",
        "integrations": [{"integration-name": "Assets"}],
        "config": {"airflow_provider": {"description": "Settings of airflow-provider-assets.", "options": _options()}},
    }


def _options() -> dict[str, dict[str, Any]]:
    return {
        "index_uri": _option(
            "Folder of the deployment's index of held partitions. Every scheduler, worker and API server must reach "
            "the same one. Empty means the folder airflow_provider_index in AIRFLOW_HOME, right for one host.",
            example="/mnt/shared/airflow_provider_index",
            default="",
        ),
        "spool_dir": _option(
            "Folder on a local disk for the rows of assets that yield more than fit one batch, until they are "
            "committed. Empty means the system's temporary folder, which should not be in memory (tmpfs).",
            example="/mnt/scratch",
            default="",
        ),
        "strict_definitions": _option(
            "Whether a wrong definition stops the whole DAG file. False shows it as one import error and lets every "
            "other DAG of the file run.",
            kind="boolean",
            example="True",
            default="False",
        ),
    }


def _option(
    description: str, *, example: str | None = None, default: str, kind: str = "string", sensitive: bool = False
) -> dict[str, Any]:
    return {
        "description": description,
        "version_added": "0.1.0",
        "type": kind,
        "example": example,
        "default": default,
        "sensitive": sensitive,
    }
