"""The command line ``airflow-assets``. It needs the extra ``cli``; without it, it says so and nothing else breaks."""

import sys

_EXTRA = ("typer", "rich")


def main() -> None:
    """Run the command line; it ends with 0, with 1 where something is wrong, with 2 for a command not understood."""
    try:
        import rich  # noqa: F401 -- asked for here so that its absence is told in one sentence
        import typer  # noqa: F401 -- as above
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        print(
            f"airflow-assets: the package {error.name!r} is not installed\n"
            "  Fix: pip install 'airflow-provider-assets[cli]'",
            file=sys.stderr,
        )
        sys.exit(2)
    from airflow_provider.cli.app import app

    try:
        app(prog_name="airflow-assets")
    except KeyboardInterrupt:
        sys.exit(130)
