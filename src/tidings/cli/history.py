"""`tidings peek` and `tidings replay`: past events in a channel's journal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tidings.cli import render
from tidings.cli.connection import Channel, channel_key, service_command
from tidings.cli.moments import Beginning, Since, arrival_of, beginning
from tidings.cli.options import Json, examples
from tidings.cli.subscribing import Constraint, show_event
from tidings.errors import InvalidUsage, TidingsError

if TYPE_CHECKING:
    from tidings.channel.effects import Message
    from tidings.client.client import Client
    from tidings.client.publishing import Publisher

# Events per batch published to another channel.
_AT_ONCE: Final = 500


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command tree."""
    service_command(
        app,
        epilog=examples(
            "tidings peek auction",
            "tidings peek auction '$price < 10' --since 1h --most 20",
            "tidings peek auction --after 100 --json",
        ),
    )(peek)
    service_command(
        app,
        epilog=examples(
            "tidings replay auction --since 2026-11-15T08:30:00Z",
            "tidings replay auction --since 1h --into auction-test --speed 10",
            "tidings replay auction '$price < 10' --since 100 --follow --json",
        ),
    )(replay)


async def peek(
    client: Client,
    channel: Channel,
    constraint: Constraint = None,
    after: Annotated[
        int | None, typer.Option(min=0, metavar="SEQ", help="Only events with higher numbers.")
    ] = None,
    since: Since = None,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="At most so many.")] = 100,
    json: Json = False,
) -> None:
    """Look at past events, the oldest first.

    Nobody loses them by that. Only persistent events are there, and only as long as the service
    keeps them.
    """
    start = beginning(since)
    found = await client.peek(
        channel_key(channel), constraint, after=_after(after, start), since=start.since, most=most
    )
    for message in found:
        show_event(message, json)
    if json:
        return
    if not found:
        render.note("the journal has no such events")
    elif len(found) == most:
        render.note(f"there may be more: --after {found[-1].seq}")


def _after(after: int | None, start: Beginning) -> int | None:
    if after is not None and start.first:
        raise InvalidUsage("--after and --since both give a number; leave one out")
    return start.first - 1 if start.first else after


async def replay(  # noqa: PLR0913, PLR0917 -- one argument for each option
    client: Client,
    channel: Channel,
    constraint: Constraint = None,
    since: Since = None,
    into: Annotated[
        str, typer.Option(metavar="CHANNEL", help="Publish them there, and do not write them.")
    ] = "",
    speed: Annotated[
        float | None,
        typer.Option(min=0, help="As fast as they came, times this. [default: without pauses]"),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with what comes, until Ctrl-C.")
    ] = False,
    json: Json = False,
) -> None:
    """Write past events, or publish them into another channel.

    Into another channel each event goes once, however often this is run: it is marked with where
    it came from and its number there.

    Exit code: 0 done, 2 an event was not accepted.
    """
    key = channel_key(channel)
    origin = (await client.channel(key)).origin
    messages = _paced(_messages(client, key, constraint, beginning(since), follow), speed)
    if not into:
        async for message in messages:
            show_event(message, json)
        return
    target = await client.channel(channel_key(into))
    if target.origin == origin:
        raise InvalidUsage("a channel cannot be replayed into itself: that would never end")
    async with await client.publisher(target, f"replay of {origin}") as publisher:
        run = _Into(client, publisher, json, at_once=not follow and not speed)
        try:
            async for message in messages:
                await run.add(message)
            await run.flush()
        finally:
            run.report(into)
    raise typer.Exit(run.exit_code)


async def _messages(
    client: Client,
    channel: int | str,
    constraint: str | None,
    start: Beginning,
    follow: bool,
) -> AsyncIterator[Message]:
    if not follow:
        after = start.first - 1 if start.first else None
        past = client.history(channel, constraint, after=after, since=start.since)
        async for message in past:
            yield message
        return
    moment = await arrival_of(client, channel, start.first) if start.first else start.since
    async with await client.subscribe(channel, constraint, since=moment or 0) as subscription:
        async for delivery in subscription:
            if delivery.seq >= start.first:
                yield delivery.message


async def _paced(messages: AsyncIterator[Message], speed: float | None) -> AsyncIterator[Message]:
    """Pause between events as long as between their arrivals, divided by the speed."""
    began, first = time.perf_counter(), None
    async for message in messages:
        if speed:
            first = message.arrival if first is None else first
            due = began + (message.arrival - first) / 1_000_000 / speed
            await asyncio.sleep(due - time.perf_counter())
        yield message


class _Into:
    """A publisher of events to another channel under their original numbers."""

    def __init__(self, client: Client, publisher: Publisher, json: bool, *, at_once: bool) -> None:
        self._transport = client.transport
        self._publisher = publisher
        self._json = json
        self._most = _AT_ONCE if at_once else 1
        self._waiting: list[Message] = []
        self._counts = {"accepted": 0, "stopped": 0, "refused": 0}

    async def add(self, message: Message) -> None:
        """Publish an event, or buffer it until the batch is full."""
        self._waiting.append(message)
        if len(self._waiting) >= self._most:
            await self.flush()

    async def flush(self) -> None:
        """Publish the buffered events."""
        from tidings.channel.commands import Push
        from tidings.events.envelope import ProducerMark

        sent, self._waiting = self._waiting, []
        if not sent:
            return
        publisher = self._publisher
        marks = [ProducerMark(publisher.producer, one.seq) for one in sent]
        events = [one.event for one in sent]
        push = Push(publisher.channel, publisher.proxy, events, marks)
        answers: Sequence[Any] = await self._transport.ask(push)
        for message, answer in zip(sent, answers, strict=True):
            if isinstance(answer, TidingsError):
                self._counts["refused"] += 1
                render.error(f"event {message.seq}: {answer}")
            else:
                self._counts["accepted" if answer else "stopped"] += 1

    def report(self, into: str) -> None:
        """Report the counts."""
        if self._json:
            render.as_json(self._counts)
            return
        told = ", ".join(f"{n} {word}" for word, n in self._counts.items() if n)
        render.say(f"into {into}: {told or 'nothing'}")

    @property
    def exit_code(self) -> int:
        """Return 0 if everything was accepted, else 2."""
        return 2 if self._counts["refused"] else 0
