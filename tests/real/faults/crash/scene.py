"""What the crash tests play with: one channel, its events, who wants which, and how to look at it.

Every event is a function of its pusher and its number, so that a test can tell whether what it
finds is what was pushed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from tidings import event
from tidings.channel.channel import Channel
from tidings.channel.commands import Push
from tidings.channel.effects import Message
from tidings.channel.management import Connect
from tidings.channel.snapshot import state_of
from tidings.engine.endpoints import BufferEndpoint
from tidings.engine.host import Host
from tidings.errors import TidingsError
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.filters.filter import Filter

__all__ = [
    "CHANNEL",
    "CONSUMERS",
    "FIFO",
    "LATE",
    "SEGMENT_OCTETS",
    "SOURCE",
    "URGENT",
    "Numbered",
    "channel_of",
    "drained",
    "event_of",
    "mark_of",
    "numbered",
    "objects",
    "priority_of",
    "push",
    "wants",
]

CHANNEL = "crash"
SOURCE = "source"
FIFO = "fifo"  # has a filter
URGENT = "urgent"  # in the order of priorities
LATE = "late"  # comes while events flow
CONSUMERS = (FIFO, URGENT, LATE)
SEGMENT_OCTETS = 24_000

# After so many changes, made while events flow, the consumer FIFO wants everything, wants a part
# again, and the consumer LATE is there.
WIDER, LATE_IS_THERE, NARROWER = 3, 5, 6

Numbered = tuple[int, int]
"""A pusher and its number."""


@cache
def event_of(pusher: int, number: int, phase: int = 0) -> StructuredEvent:
    """The event of a number: always the same; some are longer than several sectors."""
    random = Random(f"event {pusher} {number}")
    text = "x" * random.choice((0, 20, 200, 800, 3_000))
    data = {"pusher": pusher, "number": number, "phase": phase, "part": number % 3, "text": text}
    name = f"{pusher}/{number}"
    return event("Crash", "Numbered", name, data, priority=priority_of((pusher, number)))


def priority_of(which: Numbered) -> int:
    """The priority of an event."""
    pusher, number = which
    return (number * 7 + pusher) % 5 - 2


def mark_of(pusher: int, number: int) -> ProducerMark:
    """What a pusher sends with a number."""
    return ProducerMark(f"pusher-{pusher}", number)


def numbered(message: Message) -> Numbered:
    """Which event this is."""
    pusher, _, number = message.event.name.partition("/")
    return int(pusher), int(number)


def wants(consumer: str, number: int, phase: int = 0) -> bool:
    """Whether a consumer wants a number that was pushed after so many changes."""
    if consumer == FIFO:
        return number % 3 != 2 or WIDER <= phase < NARROWER
    return consumer == URGENT or phase >= LATE_IS_THERE


def channel_of(host: Host) -> Channel | None:
    """The channel of the scene, if it is there."""
    return next((c for c in host.factory.channels.values() if c.name == CHANNEL), None)


def objects(host: Host) -> dict[str, Any]:
    """All that management has made and that survives, as plain data."""
    found: dict[str, Any] = {}
    for channel in host.factory.channels.values():
        found[f"channel {channel.id}"] = state_of(channel)
        for side, admins in channel.admins.items():
            for admin in admins.values():
                found[f"admin {side.value} {admin.id}"] = state_of(admin)
        for proxy in channel.proxies.values():
            if proxy.durable:
                found[f"proxy {proxy.id}"] = state_of(proxy)
    for hosted in host.factory.filters.filters.values():
        if isinstance(hosted.filter, Filter) and (hosted.holders or not hosted.private):
            found[f"filter {hosted.id}"] = hosted.state()
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


async def drained(host: Host, channel: Channel, consumer: str) -> list[Message]:
    """Takes all that waits for a consumer, in its order, and acknowledges nothing."""
    if consumer not in channel.names:
        return []
    proxy = channel.consumer(channel.names[consumer])
    state = proxy.consumer
    waiting = 0 if state is None else state.waiting + len(state.flight)
    endpoint = BufferEndpoint()
    window = waiting + 1_000
    await host.connect(Connect(channel.id, proxy.id, window=window, again=True), endpoint)
    messages: list[Message] = []
    while len(messages) < waiting:
        messages += await endpoint.batch(window)
    return messages


async def push(host: Host, numbers: Sequence[Numbered], phase: int = 0) -> list[int | TidingsError]:
    """Pushes some numbers with their marks in one batch."""
    channel = channel_of(host)
    assert channel is not None
    items = [event_of(*which, phase) for which in numbers]
    marks = [mark_of(*which) for which in numbers]
    answers: list[int | TidingsError] = await host.ask(
        Push(channel.id, channel.names[SOURCE], items, marks)
    )
    return answers
