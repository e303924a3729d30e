"""`tidings pipeline run FILE.py`: continuous queries that publish derived events."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from tidings.cli import render
from tidings.cli.connection import TokenFile, Url, chosen_service
from tidings.cli.options import Json, examples
from tidings.cli.pipeline_command import Job, pipeline_command, warn


def add_to(app: typer.Typer) -> None:
    """Add the command to the pipeline group."""
    pipeline_command(
        app,
        "run",
        epilog=examples(
            "tidings pipeline run speeding.py --archive /srv/archive",
            "tidings pipeline run speeding.py --once --json",
            "tidings pipeline run speeding.py --checkpoint /srv/queries --every 5",
        ),
    )(run)


def run(  # noqa: PLR0913, PLR0917 -- one argument for each option
    job: Job,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Python file with queries.")],
    url: Url = None,
    token_file: TokenFile = None,
    checkpoint: Annotated[
        Path,
        typer.Option(
            "--checkpoint", metavar="DIR", help="Where it is kept how far each query has come."
        ),
    ] = Path("tidings-queries"),
    once: Annotated[
        bool, typer.Option("--once", help="End when all that is archived was asked about.")
    ] = False,
    every: Annotated[
        float,
        typer.Option("--every", min=0.05, metavar="SECONDS", help="How often to look for more."),
    ] = 1.0,
    json: Json = False,
) -> None:
    """Run continuous queries: they read channels from the archive and publish derived events.

    The file's functions with @query (from tidings.pipeline.derive) are asked about every batch
    of sealed segments. Stopped or killed anywhere, the next run goes on: each derived event is
    published once.

    Exit code: 0 done, or ended by Ctrl-C or SIGTERM; 2 it could not be done.
    """
    service = chosen_service(url, token_file)
    stopping = Event()
    with job.session() as (spark, progress):
        from tidings.pipeline.derive import RunOptions, load_queries, run_queries
        from tidings.pipeline.session.job import stopped_by_signals

        queries = load_queries(file)
        options = RunOptions(job.archive, service.url, checkpoint, service.token, once, every)
        with stopped_by_signals(stopping):
            found = run_queries(spark, queries, options, progress, stopping.is_set)
    warn([problem for one in found.queries for problem in one.problems])
    if json:
        render.as_json(found)
        return
    rows = [
        (
            *(one.query, ", ".join(one.reads), one.writes),
            *map(str, (one.batches, one.events, one.published, one.seal)),
        )
        for one in found.queries
    ]
    names = ("query", "reads", "writes", "batches", "events", "published", "up to seal")
    render.table(names, rows, range(3, 7))
