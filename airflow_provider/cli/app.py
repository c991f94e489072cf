"""The commands of ``airflow-assets`` and their options. What each does is in the module of its name."""

import contextlib
import datetime as dt
from collections.abc import Iterator
from typing import Annotated

import typer

import airflow_provider
from airflow_provider.cli import console
from airflow_provider.cli.bundle import Bundle, load
from airflow_provider.cli.console import BROKEN, FAILED, Terminal, counted

app = typer.Typer(
    name="airflow-assets",
    help="Look at assets, run them, and see what they hold, without a running Airflow.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
index_app = typer.Typer(help="The deployment's index of what is held.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(index_app, name="index")

Assets = Annotated[list[str] | None, typer.Argument(metavar="[ASSET]...", help="Keys, bare or qualified; none: all.")]
OneAsset = Annotated[str, typer.Argument(metavar="ASSET", help="Key, bare or qualified.")]
From = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="PATH_OR_MODULE",
        help="A .py file, a folder of them, or a module; may be repeated. "
        "Else AIRFLOW_ASSETS_FROM, else Airflow's folder of DAGs.",
    ),
]
Windows = Annotated[
    list[str] | None, typer.Option("--window", metavar="KEY|FIRST..LAST", help="Partitions; may be repeated.")
]


@contextlib.contextmanager
def opened(
    origins: list[str] | None, *, verbose: bool = False, tell: bool = True, failed: int = FAILED
) -> Iterator[tuple[Terminal, Bundle]]:
    """The terminal and the definitions of one command; ``failed`` is its status where one could not be loaded."""
    with console.session(verbose=verbose, failed=failed) as terminal:
        bundle = load(origins or ())
        console.hush()  # Airflow, which a file may have loaded, puts its own log handler on stdout
        for problem in bundle.problems if tell else ():
            terminal.complain(str(problem))
        yield terminal, bundle
        if bundle.problems:
            raise typer.Exit(failed)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(airflow_provider.__version__)
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Look at assets, run them, and see what they hold, without a running Airflow."""


@app.command("list")
def list_assets(origins: From = None) -> None:
    """List the assets: key, grain, zone, destinations, and what each reads."""
    from airflow_provider.cli.listing import print_list

    with opened(origins) as (terminal, bundle):
        print_list(terminal, bundle)


@app.command()
def show(asset: OneAsset, origins: From = None) -> None:
    """Show all that is known of one asset's definition, and where its data lies."""
    from airflow_provider.cli.listing import print_asset

    with opened(origins) as (terminal, bundle):
        found = bundle.find(asset)
        print_asset(terminal, bundle, found)


@app.command()
def explain(
    asset: OneAsset,
    origins: From = None,
    window: Windows = None,
    partition_key: Annotated[str | None, typer.Option(metavar="KEY", help="Airflow's partition key.")] = None,
    interval: Annotated[
        tuple[str, str] | None, typer.Option(metavar="START END", help="Data interval: two instants with offset.")
    ] = None,
    logical_date: Annotated[str | None, typer.Option(metavar="INSTANT", help="Logical date.")] = None,
    run_after: Annotated[str | None, typer.Option(metavar="INSTANT", help="When the run was due.")] = None,
    event_key: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Partition key of a consumed event; '' for an event without. Repeatable."),
    ] = None,
    backfill: Annotated[bool, typer.Option("--backfill", help="The run belongs to a backfill.")] = False,
    explicit: Annotated[bool, typer.Option("--explicit", help="A person asked for this very run.")] = False,
) -> None:
    """Explain which partitions a run covers, and by which rule."""
    from airflow_provider.cli.explain import facts_of, print_explanation

    with opened(origins) as (terminal, bundle):
        facts = facts_of(
            window=window or (),
            partition_key=partition_key,
            interval=interval,
            logical_date=logical_date,
            run_after=run_after,
            event_key=event_key,
            backfill=backfill,
            explicit=explicit,
        )
        found = bundle.find(asset)
        print_explanation(terminal, found, facts)


@app.command()
def materialize(
    assets: Assets = None,
    origins: From = None,
    window: Windows = None,
    select: Annotated[list[str] | None, typer.Option(metavar="ASSET", help="As ASSET; may be repeated.")] = None,
    max_workers: Annotated[int, typer.Option(min=1, help="How many assets run at a time.")] = 4,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Start nothing more after a failure.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the log of the run.")] = False,
) -> None:
    """Run assets in this process, upstreams first, without Airflow."""
    from airflow_provider.cli.materialize import materialize as run

    with opened(origins, verbose=verbose) as (terminal, bundle):
        names = [*(assets or ()), *(select or ())]
        if not run(terminal, bundle, names, windows=window or (), max_workers=max_workers, fail_fast=fail_fast):
            raise typer.Exit(FAILED)


@app.command()
def coverage(
    assets: Assets = None,
    origins: From = None,
    window: Annotated[str, typer.Option(metavar="KEY|FIRST..LAST", help="Look at these partitions only.")] = "",
    since: Annotated[str, typer.Option(metavar="DATE", help="From this day, month or key on.")] = "",
    until: Annotated[str, typer.Option(metavar="DATE", help="Up to this day, month or key, included.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    fail_on_gaps: Annotated[
        bool, typer.Option("--fail-on-gaps", help="Exit with 1 where anything is missing.")
    ] = False,
) -> None:
    """Show what is held against what is expected: a calendar, totals, and the gaps."""
    from airflow_provider.cli import coverage as surveying
    from airflow_provider.storage.index import open_index

    if window and (since or until):
        raise typer.BadParameter("--window says both ends: leave out --since and --until")
    with opened(origins) as (terminal, bundle):
        span, now = surveying.Span(window, since, until), dt.datetime.now(dt.timezone.utc)
        surveys = surveying.surveys_of(bundle, assets or (), open_index(), now=now, span=span)
        if as_json:
            terminal.say(surveying.as_json(surveys, bundle.problems))
        else:
            surveying.print_surveys(terminal, surveys, everything=span.is_given)
        if fail_on_gaps and any(one.lacks_anything for one in surveys):
            raise typer.Exit(FAILED)


@app.command()
def verify(
    assets: Assets = None,
    origins: From = None,
    window: Windows = None,
    deep: Annotated[bool, typer.Option("--deep", help="Read the data: hash it, count its rows.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Compare data, commit records and index. 0: all agree, 1: something differs, 2: something was not compared."""
    from airflow_provider.cli import verify as verifying
    from airflow_provider.storage.index import open_index

    with opened(origins, failed=BROKEN) as (terminal, bundle):
        found = verifying.verify(terminal, bundle.select(assets or ()), open_index(), windows=window or (), deep=deep)
        if as_json:
            terminal.say(verifying.as_json(found, bundle.problems, deep=deep))
        else:
            verifying.print_reports(terminal, found)
        if any(report.error for report in found):
            raise typer.Exit(BROKEN)
        if any(report.differs for report in found) and not bundle.problems:
            raise typer.Exit(FAILED)


@app.command()
def adopt(
    assets: Annotated[list[str], typer.Argument(metavar="ASSET...", help="Keys, bare or qualified.")],
    origins: From = None,
    window: Windows = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be adopted; write nothing.")] = False,
) -> None:
    """Write commit records for data that was there before the package. The data is read, and never touched."""
    from airflow_provider.cli.adopt import adopt as run
    from airflow_provider.storage.index import open_index

    with opened(origins) as (terminal, bundle):
        if not run(terminal, bundle.select(assets), open_index(), windows=window or (), dry_run=dry_run):
            raise typer.Exit(FAILED)


@app.command()
def doctor(origins: From = None) -> None:
    """Try destinations, index and connections from this process; say what to mend."""
    from airflow_provider.cli.doctor import print_findings

    with opened(origins, tell=False) as (terminal, bundle):
        if not print_findings(terminal, bundle):
            raise typer.Exit(FAILED)


@app.command()
def check(origins: From = None) -> None:
    """Load every definition, build the graphs, and print every problem."""
    with opened(origins, tell=False) as (terminal, bundle):
        for problem in bundle.problems:
            terminal.say(str(problem), style="red")
        if bundle.problems:
            terminal.say(counted(len(bundle.problems), "problem"), style="red")
        else:
            terminal.say(
                f"{counted(len(bundle.graph), 'asset')} in {', '.join(bundle.origins)}: no problem", style="green"
            )


@index_app.command()
def rebuild(
    assets: Assets = None,
    origins: From = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Forget what the index knows and no definition names any more.")
    ] = False,
) -> None:
    """Rebuild the index from the commit records beside the data, and list what no definition names any more."""
    from airflow_provider.cli.rebuild import rebuild_and_prune
    from airflow_provider.storage.index import open_index

    with opened(origins) as (terminal, bundle):
        rebuild_and_prune(terminal, bundle, assets or (), open_index(), prune=prune, narrowed=bool(origins))


@index_app.command()
def compact(assets: Assets = None) -> None:
    """Drop the lines of the index that no longer count. Appends do it by themselves where much can go."""
    from airflow_provider.cli.compact import compact as run
    from airflow_provider.storage.index import open_index

    with console.session() as terminal:
        run(terminal, assets or (), open_index())
