"""`tidings subscribe`: print events as they come, as lines or JSON."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from tidings.cli import render, showing
from tidings.cli.connection import Channel, channel_key, new_name, service_command
from tidings.cli.moments import Since, arrival_of, beginning
from tidings.cli.options import Json, Types, examples

if TYPE_CHECKING:
    from tidings.channel.effects import Message
    from tidings.client.client import Client
    from tidings.client.subscription import Subscription

FEWER = 1
ENDED = 2

Constraint = Annotated[
    str | None,
    typer.Argument(metavar="CONSTRAINT", help="Which events, as in '$price < 10'. None: all."),
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the command tree."""
    service_command(
        app,
        epilog=examples(
            "tidings subscribe auction",
            "tidings subscribe auction '$price < 10' --type 'Auction::offer'",
            "tidings subscribe auction --name bargains --json >> bargains.jsonl",
            "tidings subscribe auction --since 10m --count 100",
        ),
    )(subscribe)


async def subscribe(  # noqa: PLR0913, PLR0917 -- one argument for each option
    client: Client,
    channel: Channel,
    constraint: Constraint = None,
    type: Types = None,
    name: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A subscription that stays: events wait for it while this does not run.",
        ),
    ] = "",
    since: Since = None,
    count: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="End after N events.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0, metavar="S", help="End after S seconds.")
    ] = None,
    json: Json = False,
) -> None:
    """Write events as they come.

    Each is a line: number, time, type, name and fields. An event is acknowledged when it is
    written. With --since what the journal has comes first, and then goes over into what comes,
    without a gap. When the service goes away and comes back, the subscription goes on.

    With --json each event is an object: seq, arrival (microseconds since 1970), priority,
    redelivered, event, and producer and number if it has them.

    Exit code: 0 done, 1 fewer than --count came in --seconds, 2 the subscription has ended.
    """
    start = beginning(since)
    if name:
        new_name(name, "subscription")
    key = channel_key(channel)
    moment = await arrival_of(client, key, start.first) if start.first else start.since
    subscription = await client.subscribe(
        key, constraint, types=type or (), name=name, manual_ack=True, since=moment
    )
    if not json and render.on_terminal():
        render.note(f"subscribed to {channel}{f' as {name}' if name else ''}; Ctrl-C ends", "dim")
    async with subscription:
        try:
            async with asyncio.timeout(seconds):
                wanting = await _write(subscription, start.first, count, json)
        except TimeoutError:
            raise typer.Exit(0 if count is None else FEWER) from None
    if wanting:
        render.note(
            "the subscription has ended: it was deleted, somebody else took it over, or the "
            "service was restarted and the channel is BestEffort"
        )
        raise typer.Exit(ENDED)


async def _write(subscription: Subscription, first: int, count: int | None, json: bool) -> bool:
    """Print events; return whether the subscription ended before `count` was reached."""
    written = 0
    async for delivery in subscription:
        if delivery.seq >= first:
            again = delivery.redelivered
            show_event(delivery.message, json, again)
            written += 1
        delivery.ack()
        if written == count:
            return False
    return True


def show_event(message: Message, json: bool, redelivered: bool | None = None) -> None:
    """Print an event as a line, or as JSON."""
    if not json:
        render.say(showing.event_line(message, bool(redelivered)))
        return
    data = showing.message_data(message)
    render.as_json(data if redelivered is None else {**data, "redelivered": redelivered})
