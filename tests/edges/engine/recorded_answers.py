"""Messages to deliver, and answers that write down what they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from tidings.channel.effects import Message
from tidings.channel.vocabulary import Form
from tidings.engine.endpoints import EventBatch
from tidings.events.structured import StructuredEvent

ORIGIN = "0123456789abcdef" * 2


def message(seq: int, octets: int = 100) -> Message:
    """A message with nothing in it but its number."""
    event = StructuredEvent(name=str(seq))
    return Message(event, ORIGIN, seq, arrival=1_000 + seq, octets=octets, channel=1)


def delivery(*seqs: int, again: Sequence[int] = (), form: Form = Form.STRUCTURED) -> EventBatch:
    """A delivery of these numbers to proxy 7 of channel 1."""
    return EventBatch(1, 7, [message(seq) for seq in seqs], frozenset(again), form)


class RecordedAnswers:
    """What was answered, in order: (word, numbers) or (word, numbers, reason, gone)."""

    def __init__(self) -> None:
        self.said: list[tuple[object, ...]] = []

    def ack(self, channel: int, proxy: int, seqs: Sequence[int]) -> None:
        assert (channel, proxy) == (1, 7)
        self.said.append(("ack", list(seqs)))

    def failed(
        self, channel: int, proxy: int, seqs: Sequence[int], reason: str, gone: bool = False
    ) -> None:
        assert (channel, proxy) == (1, 7)
        self.said.append(("failed", list(seqs), reason, gone))

    def reject(self, channel: int, proxy: int, seqs: Sequence[int], reason: str) -> None:
        assert (channel, proxy) == (1, 7)
        self.said.append(("reject", list(seqs), reason))


async def until(condition: Callable[[], object]) -> None:
    """Lets the loop turn until something is so; a test that waits in vain fails."""
    for _ in range(2_000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never happened")


async def turns(count: int = 5) -> None:
    """Lets the loop turn a few times."""
    for _ in range(count):
        await asyncio.sleep(0)
