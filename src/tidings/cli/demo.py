"""`tidings demo`: auctions, filters, flights, traffic and changes of services."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from tidings.cli.connection import service_command
from tidings.cli.options import command, commands, examples, option
from tidings.cli.pipeline import show_result
from tidings.errors import JavaNotFound, MissingExtra
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.apps.traffic_monitoring.show import TrafficShow
    from tidings.client.client import Client

DOES_NOT_HOLD = 1

# Seconds between two offers of a house, slow enough to watch.
PAUSE = 0.01
PAUSE_TO_WATCH = 0.06

# Spark's memory, for the demo's small archive.
_MEMORY = "1g"

app = commands()
demos = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
app.add_typer(demos, name="demo")


@demos.callback(
    epilog=examples("tidings demo", "tidings demo --open", "tidings demo --bounded --seed 7")
)
def demo(
    context: typer.Context,
    seed: Annotated[int, option("--seed", "Another seed, other offers.")] = 1,
    spark: Annotated[
        bool, option("--spark/--no-spark", "End with a report and an audit on Spark.")
    ] = True,
    bounded: Annotated[
        bool, option("--bounded", "Play one evening with a kill, and check it.")
    ] = False,
    opens: Annotated[bool, option("--open", "Open the auction in a browser.")] = False,
) -> None:
    """Try a service: auctions for people, or one evening that checks itself.

    On a terminal, the demo starts a service with its console and an auction with pages, where
    houses and bidders are busy, and tells the addresses. It goes on until Ctrl-C and keeps nothing.

    With --bounded, or without a terminal, it plays one evening, and kills the service in the middle
    of it. Houses offer things, bidders get alerts for what they look for, over HTTP and WebSockets,
    in processes of their own, and come back by themselves. At the end the houses' ledgers are
    compared with what each bidder got, and Spark reports and audits what the archive has of the
    evening; without Java, the demo says what to install. All figures are of this run.

    Exit code: 0 if nothing was lost, nothing came twice, the order was kept and the audit finds
    nothing unexplained; 1 otherwise.
    """
    if context.invoked_subcommand is not None:
        return
    if render.on_terminal() and not bounded:
        from tidings.apps.auction_alert.live import LiveDemo

        with TemporaryDirectory(prefix="tidings-demo-") as folder:
            LiveDemo(folder, seed, opens=opens).play()
        return
    from tidings.apps.auction_alert.show import AuctionShow

    pause = PAUSE_TO_WATCH if render.on_terminal() else PAUSE
    with TemporaryDirectory(prefix="tidings-demo-") as folder:
        show = AuctionShow(folder, seed, pause)
        if not show.play() or (spark and not show_pipeline(show.archive)):
            raise typer.Exit(DOES_NOT_HOLD)


def show_pipeline(archive: Path) -> bool:
    """Report on and audit an archive; return whether all is well, or Spark is missing."""
    render.heading("The same evening from its archive, on Spark")
    try:
        from tidings.pipeline.session.job import require_spark, spark_job

        require_spark()
    except (JavaNotFound, MissingExtra) as error:
        render.say(f"Left out: {error}")
        return True
    from tidings.pipeline.audit import AuditOptions, run_audit
    from tidings.pipeline.audit.view import audit_figures, audit_sections
    from tidings.pipeline.report import ReportOptions, run_report
    from tidings.pipeline.report.view import report_figures, report_sections
    from tidings.pipeline.session import SparkOptions

    with render.steps() as progress, spark_job(SparkOptions(memory=_MEMORY)) as spark:
        report = run_report(spark, ReportOptions(str(archive)), progress)
        audit = run_audit(spark, AuditOptions(str(archive)), progress)
    show_result(report, report_figures(report), list(report_sections(report)), most=6)
    render.heading("Audit: the rules asked again of every event, against what became of it")
    show_result(audit, audit_figures(audit), list(audit_sections(audit)), most=6)
    return not audit.status


@service_command(demos, "tidings demo auction", "tidings demo auction --port 9000")
async def auction(
    client: Client, *, port: Annotated[int, typer.Option(min=0, max=65_535)] = 8090
) -> None:
    """Serve the pages of auction alert for a service that is running.

    People announce lots and say what they look for in a browser on this machine. The program is a
    client of the service, in the channel auction-alert. Ctrl-C ends it; subscriptions stay.

    Options:
        port N: The port of the pages; 0 for a free one.
    """
    from tidings.apps.auction_alert.web import served
    from tidings.apps.local_pages import listener
    from tidings.client.transports.http.transport import HttpTransport

    assert isinstance(client.transport, HttpTransport)  # commands speak HTTP
    async with served(client, client.transport.url, listener(port)) as (url, _):
        if render.is_json():
            render.as_json({"url": url})
        else:
            render.say(f"Auction alert is at {url}")
        await asyncio.Event().wait()


@command(demos, "tidings demo filters", "tidings demo filters --seed 7", json=False)
def filters(seed: int = 1) -> None:
    """Play a stream of sample events against some subscriptions.

    Shows who gets what, why one event did not reach one of them, and what matching costs
    with many subscriptions. On a terminal the counts move; elsewhere it is plain lines.
    All figures are computed in this run.

    Options:
        seed: Another seed, other events.
    """
    from tidings.apps.filter_stream import play_filters

    play_filters(seed)


@command(demos, "tidings demo flights", "tidings demo flights --positions 20000", json=False)
def flights(
    positions: Annotated[int | None, typer.Option(min=1)] = None,
    samples: Path | None = None,
    folder: Path | None = None,
) -> None:
    """Take real positions of aircraft through service, archive, lake, backtest and warnings.

    A morning around Paris, as receivers heard it (ADS-B), is published into a channel. The archive
    keeps it, Spark makes a typed table of it, asks what a filter would have matched, and publishes
    a warning into another channel where two aircraft came too close. A subscriber gets these. Each
    count is compared with plain arithmetic over the sample.

    Exit code: 0 if all counts are right, 1 if one is not, 2 if it could not be done.

    Options:
        positions N: Only the first so many. [default: all]
        samples FILE: The wheel of the PyPI package traffic 2.13. [default: fetched with pip]
        folder DIR: Keep the data there: archive and lake. [default: not kept]
    """
    from tidings.apps.flights.samples import fetched, read_positions
    from tidings.apps.flights.show import FlightsShow
    from tidings.pipeline.session import SparkOptions
    from tidings.pipeline.session.job import require_spark, spark_job

    require_spark()
    with TemporaryDirectory(prefix="tidings-flights-") as temporary:
        # The service runs in another working directory.
        place = Path(temporary) if folder is None else folder.resolve()
        place.mkdir(parents=True, exist_ok=True)
        if samples is None:
            render.note("fetching the samples with pip", "dim")
        found = read_positions(samples or fetched(place), positions)
        with spark_job(SparkOptions()) as spark:
            right = FlightsShow(place, found).play(spark)
    if not right:
        raise typer.Exit(DOES_NOT_HOLD)


@command(demos, "tidings demo traffic", "tidings demo traffic --bounded --no-spark", json=False)
def traffic(
    *,
    bounded: bool = False,
    spark: Annotated[
        bool, option("--spark/--no-spark", "End with the offences derived on Spark.")
    ] = True,
    opens: Annotated[bool, option("--open", "Open the map in a browser.")] = False,
) -> None:
    """Watch cars, roadside monitors and a control room that a federation joins.

    Cars with a CAN bus and a radio drive through a small city. A gateway in each car joins COSMIC
    and STEAM, one at each monitor STEAM and SIENA; each is a process of its own. The control room
    sets limits by control events, gets what is faster, and fines it.

    On a terminal, the demo serves a map, on which the merged logs can be stepped through and limits
    set, until Ctrl-C. With --bounded, or without a terminal, it plays 36 seconds, and compares what
    was received and reported with what the cars drove; Spark derives the fines from the archive
    again.

    Exit code: 0 if all is as it must be; 1 otherwise.

    Options:
        bounded: Play a scene that checks itself.
    """
    if render.on_terminal() and not bounded:
        from tidings.apps.traffic_monitoring.live import LiveTraffic

        with TemporaryDirectory(prefix="tidings-traffic-") as folder:
            LiveTraffic(Path(folder), opens=opens).play()
        return
    from tidings.apps.traffic_monitoring.show import TrafficShow

    with TemporaryDirectory(prefix="tidings-traffic-") as folder:
        show = TrafficShow(Path(folder))
        if not show.play() or (spark and not derive_offences(show)):
            raise typer.Exit(DOES_NOT_HOLD)


def derive_offences(show: TrafficShow) -> bool:
    """Derive the offences on Spark; return whether they are the same, or Spark is missing."""
    render.heading("The same from the archive, on Spark")
    try:
        from tidings.pipeline.session.job import require_spark, spark_job

        require_spark()
    except (JavaNotFound, MissingExtra) as error:
        render.say(f"Left out: {error}")
        return True
    from tidings.pipeline.session import SparkOptions

    with spark_job(SparkOptions(memory=_MEMORY)) as spark:
        return show.derive(spark)


@command(demos, "tidings demo changes", "tidings demo changes --bounded", json=False)
def changes(
    *,
    bounded: bool = False,
    opens: Annotated[bool, option("--open", "Open the subscriber agent in a browser.")] = False,
) -> None:
    """Watch a bank service change, and read the notices of it.

    The bank is new, its interest changes, it gets another type, and it closes; each change is
    announced before it is made.

    On a terminal, the demo serves the page of a subscriber agent, on which services are picked,
    notices read and acknowledged, and changes announced, until Ctrl-C. With --bounded, or without a
    terminal, it plays the story once, and shows the notices in every format: structured, as
    sequences, as XML and as HTML documents.

    Exit code: 0 if every format told all of the story in order; 1 otherwise.

    Options:
        bounded: Play the story once, and check it.
    """
    with TemporaryDirectory(prefix="tidings-changes-") as folder:
        if render.on_terminal() and not bounded:
            from tidings.apps.subscriber_agent.live import LiveChanges

            LiveChanges(Path(folder), opens=opens).play()
            return
        from tidings.apps.subscriber_agent.show import ChangesShow

        if not ChangesShow(Path(folder)).play():
            raise typer.Exit(DOES_NOT_HOLD)


@service_command(demos, "tidings demo agent", "tidings demo agent --port 9000")
async def agent(
    client: Client, *, port: Annotated[int, typer.Option(min=0, max=65_535)] = 8092
) -> None:
    """Serve the pages of the subscriber agent for a service that is running.

    People on this machine pick services and kinds of change, read notices, and announce changes.
    The program is a client of the service. Ctrl-C ends it; subscribers stay.

    Options:
        port N: The port of the pages; 0 for a free one.
    """
    from tidings.apps.local_pages import listener
    from tidings.apps.subscriber_agent.web import served
    from tidings.client.transports.http.transport import HttpTransport

    assert isinstance(client.transport, HttpTransport)  # commands speak HTTP
    async with served(client, client.transport.url, listener(port)) as url:
        if render.is_json():
            render.as_json({"url": url})
        else:
            render.say(f"The subscriber agent is at {url}")
        await asyncio.Event().wait()
