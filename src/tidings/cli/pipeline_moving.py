"""`tidings pipeline lake` and `tidings pipeline replay`: history to tables and channels."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidings.cli import render
from tidings.cli.connection import (
    Service,
    TokenFile,
    Url,
    channel_key,
    chosen_service,
    connected,
)
from tidings.cli.options import Json, Types, examples
from tidings.cli.pipeline_command import (
    Channels,
    Job,
    Since,
    Until,
    pipeline_command,
    span_of,
    warn,
)
from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.pipeline.lake import LakeResult
    from tidings.pipeline.replay import ReplayResult

REFUSED = 2
_PATIENCE = 30.0

Into = Annotated[str, typer.Option("--into", metavar="CHANNEL", help="The channel that gets them.")]
Speed = Annotated[
    str,
    typer.Option(
        "--speed", metavar="N", help="As fast as they came, times this; max for no pauses."
    ),
]
RunName = Annotated[
    str,
    typer.Option(
        "--run", metavar="NAME", help="Go on with a replay that was broken off. [default: new]"
    ),
]
Patience = Annotated[
    float,
    typer.Option(
        "--patience",
        min=0.5,
        metavar="SECONDS",
        help="How long to wait for a service that is away or a channel that is full.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands to the pipeline group."""
    pipeline_command(
        app,
        epilog=examples(
            "tidings pipeline lake /srv/lake --archive /srv/archive",
            "tidings pipeline lake /srv/lake --follow",
            "tidings pipeline lake /srv/lake --checks checks.py --compact-every 20 --json",
        ),
    )(lake)
    pipeline_command(
        app,
        epilog=examples(
            "tidings pipeline replay --into auction-test --since 1h",
            "tidings pipeline replay '$price < 10' --into cheap --channel auction --speed max",
            "tidings pipeline replay --into rehearsal --speed 10 --run monday",
        ),
    )(replay)


def lake(  # noqa: PLR0913, PLR0917 -- one argument for each option
    job: Job,
    folder: Annotated[str, typer.Argument(metavar="LAKE", help="The folder of the tables.")],
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with what is sealed, until Ctrl-C.")
    ] = False,
    every: Annotated[
        float,
        typer.Option(
            "--every", min=0.1, metavar="SECONDS", help="With --follow: between two looks."
        ),
    ] = 2.0,
    checks: Annotated[
        Path | None,
        typer.Option(
            "--checks",
            metavar="FILE",
            help="A Python file with a list EXPECTATIONS; events that fail go to quarantine.",
        ),
    ] = None,
    compact_every: Annotated[
        int,
        typer.Option(
            "--compact-every", min=0, metavar="N", help="Join small files after N batches; 0 never."
        ),
    ] = 0,
    retry_damaged: Annotated[
        bool,
        typer.Option("--retry-damaged", help="Try segments again that were damaged before."),
    ] = False,
    json: Json = False,
) -> None:
    """Bring a lake of tables up to its archive.

    Partitioned Parquet tables, one for each event type, that anybody can read. Every event is in
    it once, however often this is run or killed.

    Exit code: 0 done, 2 it could not be done.
    """
    if checks is not None and not checks.is_file():
        raise InvalidUsage(f"--checks {checks}: there is no such file")
    with job.session(waits=follow) as (spark, progress):
        from tidings.pipeline.expectations import load_expectations
        from tidings.pipeline.lake import LakeOptions, run_lake

        options = LakeOptions(
            job.archive, folder, once=not follow, every=every, compact_every=compact_every,
            expectations=load_expectations(checks) if checks else (), retry_damaged=retry_damaged,
        )  # fmt: skip
        found = run_lake(spark, options, progress)
    if json:
        render.as_json(found)
    else:
        _show_lake(found)


def _show_lake(found: LakeResult) -> None:
    for path, problem in found.damaged.items():
        render.warning(f"{path} is left out: {problem}")
    for gap in found.gaps:
        render.warning(gap)
    for conflict in found.conflicts:
        render.warning(
            f"{conflict.domain}::{conflict.type}: {conflict.rows:,} events have {conflict.name} "
            f"as {conflict.kind}; they are whole in the table events"
        )
    render.say(
        f"{found.events:,} events and {found.outcomes:,} outcomes in {found.batches:,} batches, "
        f"up to seal {found.upto_seal:,}, in {found.seconds:.1f} s"
    )
    if found.quarantined:
        render.say(f"{found.quarantined:,} events are in quarantine")
    rows = [(name, f"{count:,}") for name, count in found.rows_by_table.items()]
    if rows:
        render.say()
        render.table(("table", "rows"), rows, numbers=(1,))
    failed = [(name, f"{count:,}") for name, count in found.failed_checks.items()]
    if failed:
        render.say()
        render.table(("check", "failed"), failed, numbers=(1,))


def replay(  # noqa: PLR0913, PLR0917 -- one argument for each option
    job: Job,
    constraint: Annotated[
        str, typer.Argument(metavar="CONSTRAINT", help="Only events that match.")
    ] = "",
    into: Into = "",
    type: Types = None,
    channel: Channels = None,
    since: Since = None,
    until: Until = None,
    speed: Speed = "1",
    run: RunName = "",
    stamp: Annotated[
        bool, typer.Option("--stamp", help="Let each event's header tell which one it was.")
    ] = False,
    url: Url = None,
    token_file: TokenFile = None,
    patience: Patience = _PATIENCE,
    json: Json = False,
) -> None:
    """Publish history into a channel, at any speed.

    Each channel's order is kept. In one run the channel gets each event once: a replay that was
    broken off goes on with --run and its name.

    Exit code: 0 done, 2 an event was not accepted, or it could not be done.
    """
    from tidings.filters.constraint import constraint as read

    read(constraint, type or ())  # fail early if it is invalid
    if not into:
        raise InvalidUsage("--into CHANNEL says where the events go")
    span, pace = span_of(since, until), _speed(speed)
    service = chosen_service(url, token_file, patience=5.0, json=json)
    asyncio.run(_check(service, into))
    with job.session() as (spark, progress):
        from tidings.pipeline.replay import ReplayOptions, run_replay

        options = ReplayOptions(
            job.archive, into, service.url, service.token, run, constraint, pace, stamp, patience,
            channels=tuple(channel or ()), types=tuple(type or ()), **span._asdict(),
        )  # fmt: skip
        found = run_replay(spark, options, progress)
    if json:
        render.as_json(found)
    else:
        _show_replay(found)
    if found.refused:
        raise typer.Exit(REFUSED)


def _speed(text: str) -> float | None:
    if text == "max":
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        raise InvalidUsage(f"--speed {text!r} should be a number above 0, such as 1 or 10, or max")
    return speed


async def _check(service: Service, into: str) -> None:
    """Check that the channel exists before starting Spark."""
    async with connected(service) as client:
        await client.channel(channel_key(into))


def _show_replay(found: ReplayResult) -> None:
    warn(found.problems)
    for reason in found.reasons:
        render.error(reason)
    words = ("before", "accepted", "stopped", "refused")
    told = ", ".join(f"{getattr(found, word):,} {_WORDS[word]}" for word in words
                     if getattr(found, word))  # fmt: skip
    render.say(f"into {found.into}: {told or 'nothing'}, in {found.seconds:.1f} s")
    if found.behind_ms > 1_000:
        render.note(f"it was up to {found.behind_ms / 1_000:.1f} s behind its pace")
    render.note(f"this was run {found.run}")


_WORDS = {
    "before": "sent before",
    "accepted": "accepted",
    "stopped": "stopped by a filter",
    "refused": "refused",
}
