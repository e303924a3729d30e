"""`tidings pipeline …`: analyse the archive on Spark."""

from __future__ import annotations

from typing import Annotated

import typer

from tidings.cli import pipeline_moving, pipeline_running, render
from tidings.cli.connection import TokenFile, shown_token
from tidings.cli.options import Json, Types, examples
from tidings.cli.pipeline_command import (
    Channels,
    Html,
    Job,
    Since,
    Until,
    check_html,
    pipeline_command,
    show_figures,
    show_sections,
    span_of,
    warn,
    write_html,
)

app = typer.Typer(
    help="Ask all history, and move it: jobs on Spark over the archive.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Live = Annotated[
    bool, typer.Option("--live", help="Ask all present subscriptions, too, side by side.")
]
LiveUrl = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        help="With --live: the service whose subscriptions are meant. [default: those that the "
        "archive has last]",
    ),
]
Top = Annotated[int, typer.Option("--top", min=1, metavar="N", help="Rows of long lists.")]


@pipeline_command(
    app,
    epilog=examples(
        "tidings pipeline report --archive /srv/archive",
        "tidings pipeline report --since 24h --channel auction --html report.html",
        "tidings pipeline report --since 2026-11-01 --until 2026-12-01 --json",
    ),
)
def report(
    job: Job,
    channel: Channels = None,
    since: Since = None,
    until: Until = None,
    top: Top = 20,
    html: Html = None,
    json: Json = False,
) -> None:
    """Report volumes, rates, latencies, suppliers and consumers.

    Per hour, channel and type; with fan-out, outcomes, dead letters, and which part of its
    channel's events each consumer's filters let pass.

    Exit code: 0 done, 2 it could not be done.
    """
    span = span_of(since, until)
    check_html(html)
    with job.session() as (spark, progress):
        from tidings.pipeline.report import ReportOptions, run_report
        from tidings.pipeline.report.view import report_figures, report_page, report_sections

        options = ReportOptions(
            job.archive, channels=tuple(channel or ()), **span._asdict(), top=top
        )
        found = run_report(spark, options, progress)
    warn(found.problems)
    write_html(html, lambda made: report_page(found, made), found.seconds)
    if json:
        render.as_json(found)
        return
    show_figures(report_figures(found))
    show_sections(list(report_sections(found)))


@pipeline_command(
    app,
    epilog=examples(
        "tidings pipeline backtest '$price < 10' --since 7d",
        "tidings pipeline backtest '$rate > 120' --type Traffic::Speed --samples 3",
        "tidings pipeline backtest '$price < 10' --live --html backtest.html",
        "tidings pipeline backtest '$price < 10' --live --url http://127.0.0.1:8080",
    ),
)
def backtest(  # noqa: PLR0913, PLR0917 -- one argument for each option
    job: Job,
    constraint: Annotated[
        str, typer.Argument(metavar="CONSTRAINT", help="What a filter would say.")
    ],
    type: Types = None,
    channel: Channels = None,
    since: Since = None,
    until: Until = None,
    samples: Annotated[
        int, typer.Option("--samples", min=0, metavar="N", help="Events to show, the newest.")
    ] = 10,
    live: Live = False,
    url: LiveUrl = None,
    token_file: TokenFile = None,
    html: Html = None,
    json: Json = False,
) -> None:
    """Tell what a filter would have matched, before it goes live.

    By hour and type, with samples.

    Exit code: 0 done, whatever matched; 2 it could not be done.
    """
    from tidings.filters.constraint import constraint as read

    read(constraint, type or ())  # fail early if it is invalid
    span = span_of(since, until)
    check_html(html)
    token = shown_token(token_file) if url else None
    with job.session() as (spark, progress):
        from tidings.pipeline.backtest import BacktestOptions, run_backtest
        from tidings.pipeline.backtest.view import (
            backtest_figures,
            backtest_page,
            backtest_sections,
        )

        options = BacktestOptions(
            job.archive, constraint, tuple(type or ()), samples, live, url, token,
            channels=tuple(channel or ()), **span._asdict(),
        )  # fmt: skip
        found = run_backtest(spark, options, progress)
    warn(found.problems)
    write_html(html, lambda made: backtest_page(found, made), found.seconds)
    if json:
        render.as_json(found)
        return
    show_figures(backtest_figures(found))
    show_sections(list(backtest_sections(found)))


@pipeline_command(
    app,
    epilog=examples(
        "tidings pipeline audit --archive /srv/archive",
        "tidings pipeline audit --channel auction --since 24h --html audit.html",
        "tidings pipeline audit --json",
    ),
)
def audit(
    job: Job,
    channel: Channels = None,
    since: Since = None,
    until: Until = None,
    sample: Annotated[
        int, typer.Option("--sample", min=1, metavar="N", help="Events to name in a finding.")
    ] = 20,
    html: Html = None,
    json: Json = False,
) -> None:
    """Prove that every event was accounted for.

    The rules in force are asked of every event again, and compared with what became of it: each
    copy was delivered, expired, discarded, dead-lettered, refused, or waits.

    Exit code: 0 all is explained, 1 something is not, 2 it could not be done.
    """
    span = span_of(since, until)
    check_html(html)
    with job.session() as (spark, progress):
        from tidings.pipeline.audit import AuditOptions, run_audit
        from tidings.pipeline.audit.view import audit_figures, audit_page, audit_sections

        options = AuditOptions(
            job.archive, channels=tuple(channel or ()), **span._asdict(), sample=sample
        )
        found = run_audit(spark, options, progress)
    write_html(html, lambda made: audit_page(found, made), found.seconds)
    if json:
        render.as_json(found)
    else:
        show_figures(audit_figures(found))
        show_sections(list(audit_sections(found)))
    if found.status:
        raise typer.Exit(found.status)


pipeline_moving.add_to(app)
pipeline_running.add_to(app)
