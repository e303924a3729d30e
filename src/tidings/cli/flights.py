"""`tidings demo flights`: 284,505 real positions of aircraft, through everything there is."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tidings.cli import render

DOES_NOT_HOLD = 1


def flights(
    positions: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first so many. [default: all]")
    ] = None,
    samples: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The wheel of the PyPI package traffic 2.13. [default: fetched with pip]",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Keep the data there: archive and lake. [default: not kept]"
        ),
    ] = None,
) -> None:
    """Take real positions of aircraft through service, archive, lake, backtest and warnings.

    A morning around Paris, as receivers heard it (ADS-B), is published into a channel. The archive
    keeps it, Spark makes a typed table of it, asks what a filter would have matched, and publishes
    a warning into another channel where two aircraft came too close. A subscriber gets these. Each
    count is compared with plain arithmetic over the sample.

    Exit code: 0 if all counts are right, 1 if one is not, 2 if it could not be done.
    """
    from tidings.apps.flights.samples import fetched, read_positions
    from tidings.cli.flights_show import FlightsShow
    from tidings.pipeline.session import SparkOptions
    from tidings.pipeline.session.job import require_spark, spark_job

    require_spark()
    with TemporaryDirectory(prefix="tidings-flights-") as temporary:
        # The service has a working folder of its own.
        place = Path(temporary) if folder is None else folder.resolve()
        place.mkdir(parents=True, exist_ok=True)
        if samples is None:
            render.note("fetching the samples with pip", "dim")
        found = read_positions(samples or fetched(place), positions)
        with spark_job(SparkOptions()) as spark:
            right = FlightsShow(place, found).play(spark)
    if not right:
        raise typer.Exit(DOES_NOT_HOLD)
