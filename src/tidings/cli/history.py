"""`tidings subscribe`, `peek` and `replay`: a channel's events as they come, and past ones."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from tidings.cli import showing
from tidings.cli.connection import Channel, channel_key, new_name, service_command
from tidings.cli.options import Most, Types, commands, option
from tidings.cli.reading import moment
from tidings.clock import SystemClock, duration_us
from tidings.errors import InvalidUsage, TidingsError
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.channel.effects import Message
    from tidings.client.client import Client
    from tidings.client.publishing import Publisher
    from tidings.client.subscription import Subscription

FEWER: Final = 1
ENDED: Final = 2
# Events per batch published to another channel.
_AT_ONCE: Final = 500

Constraint = Annotated[
    str | None, option("<CONSTRAINT>", "Which events, as in '$price < 10'. None: all.")
]
Since = Annotated[
    str | None,
    option(
        "--since TIME",
        "Where to begin: 2026-11-15T08:30:00Z, or 10m ago (s, m, h, d), or an event's number.",
    ),
]

app = commands()


class Beginning(NamedTuple):
    """A start: microseconds since 1970 (None: everything), and lowest seq (0: all)."""

    since: int | None = None
    first: int = 0


def beginning(text: str | None) -> Beginning:
    """Parse a start position; raise InvalidUsage if it is invalid."""
    if text is None:
        return Beginning()
    if text.isascii() and text.isdecimal():
        return Beginning(first=int(text))
    ago = duration_us(text)
    if ago is not None:
        return Beginning(since=max(0, SystemClock().now() - ago))
    try:
        return Beginning(since=moment(text))
    except InvalidUsage as error:
        or_else = "or 10m for ten minutes ago, or 17 for the event with that number"
        raise InvalidUsage(f"{error}, {or_else}") from error


async def arrival_of(client: Client, channel: int | str, start: Beginning) -> int | None:
    """Return when the first event of a start came, now if none yet; None for everything."""
    if not start.first:
        return start.since
    found = await client.peek(channel, after=start.first - 1, most=1)
    return found[0].arrival if found else SystemClock().now()


@service_command(
    app,
    "tidings subscribe auction",
    "tidings subscribe auction '$price < 10' --type 'Auction::offer'",
    "tidings subscribe auction --name bargains --json >> bargains.jsonl",
    "tidings subscribe auction --since 10m --count 100",
)
async def subscribe(  # noqa: PLR0913, PLR0917 -- one argument for each option
    client: Client,
    channel: Channel,
    constraint: Constraint = None,
    type: Types = None,
    name: str = "",
    since: Since = None,
    count: Annotated[int | None, typer.Option(min=1)] = None,
    seconds: Annotated[float | None, typer.Option(min=0)] = None,
) -> None:
    """Write events as they come.

    Each is a line: number, time, type, name and fields. An event is acknowledged when it is
    written. With --since what the journal has comes first, and then goes over into what comes,
    without a gap. When the service goes away and comes back, the subscription goes on.

    With --json each event is an object: seq, arrival (microseconds since 1970), priority,
    redelivered, event, and producer and number if it has them.

    Exit code: 0 done, 1 fewer than --count came in --seconds, 2 the subscription has ended.

    Options:
        name NAME: A subscription that stays: events wait for it while this does not run.
        count N: End after N events.
        seconds S: End after S seconds.
    """
    start = beginning(since)
    if name:
        new_name(name, "subscription")
    key = channel_key(channel)
    since_us = await arrival_of(client, key, start)
    subscription = await client.subscribe(
        key, constraint, types=type or (), name=name, manual_ack=True, since=since_us
    )
    if not render.is_json() and render.on_terminal():
        render.note(f"subscribed to {channel}{f' as {name}' if name else ''}; Ctrl-C ends", "dim")
    async with subscription:
        try:
            async with asyncio.timeout(seconds):
                wanting = await _write(subscription, start.first, count)
        except TimeoutError:
            raise typer.Exit(0 if count is None else FEWER) from None
    if wanting:
        render.note(
            "the subscription has ended: it was deleted, somebody else took it over, or the "
            "service was restarted and the channel is BestEffort"
        )
        raise typer.Exit(ENDED)


async def _write(subscription: Subscription, first: int, count: int | None) -> bool:
    """Print events; return whether the subscription ended before `count` was reached."""
    written = 0
    async for delivery in subscription:
        if delivery.seq >= first:
            show_event(delivery.message, delivery.redelivered)
            written += 1
        delivery.ack()
        if written == count:
            return False
    return True


def show_event(message: Message, redelivered: bool | None = None) -> None:
    """Print an event as a line, or as JSON."""
    if render.is_json():
        again = {} if redelivered is None else {"redelivered": redelivered}
        render.as_json({**showing.message_data(message), **again})
    else:
        render.say(showing.event_line(message, bool(redelivered)))


@service_command(
    app,
    "tidings peek auction",
    "tidings peek auction '$price < 10' --since 1h --most 20",
    "tidings peek auction --after 100 --json",
)
async def peek(
    client: Client,
    channel: Channel,
    constraint: Constraint = None,
    after: Annotated[int | None, typer.Option(min=0)] = None,
    since: Since = None,
    most: Most = 100,
) -> None:
    """Look at past events, the oldest first.

    Nobody loses them by that. Only persistent events are there, and only as long as the service
    keeps them.

    Options:
        after SEQ: Only events with higher numbers.
    """
    start = beginning(since)
    found = await client.peek(
        channel_key(channel), constraint, after=_after(after, start), since=start.since, most=most
    )
    for message in found:
        show_event(message)
    if render.is_json():
        return
    if not found:
        render.note("the journal has no such events")
    elif len(found) == most:
        render.note(f"there may be more: --after {found[-1].seq}")


def _after(after: int | None, start: Beginning) -> int | None:
    if after is not None and start.first:
        raise InvalidUsage("--after and --since both give a number; leave one out")
    return start.first - 1 if start.first else after


@service_command(
    app,
    "tidings replay auction --since 2026-11-15T08:30:00Z",
    "tidings replay auction --since 1h --into auction-test --speed 10",
    "tidings replay auction '$price < 10' --since 100 --follow --json",
)
async def replay(
    client: Client,
    channel: Channel,
    constraint: Constraint = None,
    since: Since = None,
    into: str = "",
    speed: Annotated[float | None, typer.Option(min=0)] = None,
    follow: bool = False,
) -> None:
    """Write past events, or publish them into another channel.

    Into another channel each event goes once, however often this is run: it is marked with where
    it came from and its number there.

    Exit code: 0 done, 2 an event was not accepted.

    Options:
        into CHANNEL: Publish them there, and do not write them.
        speed: As fast as they came, times this. [default: without pauses]
        follow: Go on with what comes, until Ctrl-C.
    """
    key = channel_key(channel)
    origin = (await client.channel(key)).origin
    messages = _paced(_messages(client, key, constraint, beginning(since), follow), speed)
    if not into:
        async for message in messages:
            show_event(message)
        return
    target = await client.channel(channel_key(into))
    if target.origin == origin:
        raise InvalidUsage("a channel cannot be replayed into itself: that would never end")
    async with await client.publisher(target, f"replay of {origin}") as publisher:
        run = _Into(client, publisher, 1 if follow or speed else _AT_ONCE)
        try:
            async for message in messages:
                await run.add(message)
            await run.flush()
        finally:
            run.report(into)
    raise typer.Exit(run.exit_code)


async def _messages(
    client: Client, channel: int | str, constraint: str | None, start: Beginning, follow: bool
) -> AsyncIterator[Message]:
    if not follow:
        after = start.first - 1 if start.first else None
        past = client.history(channel, constraint, after=after, since=start.since)
        async for message in past:
            yield message
        return
    since = await arrival_of(client, channel, start) or 0
    async with await client.subscribe(channel, constraint, since=since) as subscription:
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

    def __init__(self, client: Client, publisher: Publisher, at_once: int) -> None:
        self._transport = client.transport
        self._publisher = publisher
        self._at_once = at_once
        self._waiting: list[Message] = []
        self._counts = {"accepted": 0, "stopped": 0, "refused": 0}

    async def add(self, message: Message) -> None:
        """Publish an event, or buffer it until the batch is full."""
        self._waiting.append(message)
        if len(self._waiting) >= self._at_once:
            await self.flush()

    async def flush(self) -> None:
        from tidings.channel.commands import Push
        from tidings.events.envelope import ProducerMark

        sent, self._waiting = self._waiting, []
        if not sent:
            return
        publisher = self._publisher
        marks = [ProducerMark(publisher.producer, one.seq) for one in sent]
        events = [one.event for one in sent]
        push = Push(publisher.channel, publisher.proxy, events, marks)
        answers = await self._transport.ask(push)
        for message, answer in zip(sent, answers, strict=True):
            if isinstance(answer, TidingsError):
                self._counts["refused"] += 1
                render.error(f"event {message.seq}: {answer}")
            else:
                self._counts["accepted" if answer else "stopped"] += 1

    def report(self, into: str) -> None:
        words = ", ".join(f"{n} {word}" for word, n in self._counts.items() if n)
        render.result(self._counts, f"into {into}: {words or 'nothing'}")

    @property
    def exit_code(self) -> int:
        """Return 0 if everything was accepted, else 2."""
        return 2 if self._counts["refused"] else 0
