"""`tidings demo`: an evening of auctions, with the service killed in the middle of it."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tidings.cli import demo_filters, render
from tidings.cli.flights import flights
from tidings.cli.options import examples

DOES_NOT_HOLD = 1

# Seconds between two offers of a house; on a terminal there is something to watch.
PAUSE = 0.01
PAUSE_TO_WATCH = 0.06

app = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
app.command(epilog=examples("tidings demo filters", "tidings demo filters --seed 7"))(
    demo_filters.filters
)
app.command(epilog=examples("tidings demo flights", "tidings demo flights --positions 20000"))(
    flights
)


@app.callback(epilog=examples("tidings demo", "tidings demo --seed 7", "tidings demo filters"))
def demo(
    context: typer.Context,
    seed: Annotated[int, typer.Option(help="Another seed, other offers.")] = 1,
    spark: Annotated[bool, typer.Option(help="End with a report and an audit on Spark.")] = True,
) -> None:
    """Play an evening of auctions, with the service killed in the middle of it.

    Houses offer things, bidders get alerts for what they look for, over HTTP and WebSockets, in
    processes of their own. So is `tidings serve`; it is killed with SIGKILL and started again, and
    the others come back by themselves. At the end the houses' ledgers are compared with what each
    bidder got, and Spark reports and audits what the archive has of the evening; without Java it
    is said what to install. All figures are of this run.

    Exit code: 0 if nothing was lost, nothing came twice, the order was kept and the audit finds
    nothing unexplained; 1 otherwise.
    """
    if context.invoked_subcommand is not None:
        return
    from tidings.cli.auction_show import AuctionShow
    from tidings.cli.demo_pipeline import show_pipeline

    pause = PAUSE_TO_WATCH if render.on_terminal() else PAUSE
    with TemporaryDirectory(prefix="tidings-demo-") as folder:
        show = AuctionShow(folder, seed, pause)
        if not show.play() or (spark and not show_pipeline(show.archive)):
            raise typer.Exit(DOES_NOT_HOLD)
