"""What waits for a service that is away: a channel of our own, with its quality of service.

It brings what users ask of an outbox: events survive a kill, in the order, lifetime and number that
the side's quality of service says; what the service cannot carry becomes a dead letter with the
cause; all of it can be seen and redriven like any other channel's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from tidings.channel.effects import Message
from tidings.channel.questions import SeeChannels
from tidings.client.client import Client
from tidings.client.publishing import Publisher
from tidings.client.subscription import Subscription
from tidings.errors import ChannelFull, TidingsError
from tidings.events.envelope import ProducerMark
from tidings.federation.marks import marked, unmarked
from tidings.gateways.adapters.base import Outgoing, Refused

_NAME: Final = "link"
_WINDOW: Final = 512


class Outbox:
    """The outbox of one side; its channel is made when the first event waits.

    Attributes:
        pending: Events that wait in it.
        lost: Events that could not be kept.
        cause: Why the last of them could not.
    """

    def __init__(self, client: Callable[[], Client], name: str, qos: Mapping[str, Any]) -> None:
        self.pending = 0
        self.lost = 0
        self.cause = ""
        self._make = client
        self._name = name
        self._qos = qos
        self._client: Client | None = None
        self._publisher: Publisher | None = None
        self._subscription: Subscription | None = None
        self._opening = asyncio.Lock()  # keeping and handing out may both find it closed

    async def open(self) -> None:
        """Find what an earlier life has left."""
        client = self._client = self._make()
        if self._name in {one.name for one in await client.transport.request(SeeChannels())}:
            await self._opened()
            await self.count()

    async def count(self) -> None:
        """Ask how many events wait: some may have expired, or were discarded."""
        info = await (await self._opened()).info()
        self.pending = info.waiting + info.in_flight

    async def _opened(self) -> Subscription:
        """Return the subscription that hands out; make what is missing."""
        client = self._client
        assert client is not None
        async with self._opening:
            if self._publisher is None:
                if self._name not in {one.name for one in await client.channels()}:
                    await client.create_channel(self._name, qos=self._qos)
                self._publisher = await client.publisher(self._name)
            if self._subscription is None:
                self._subscription = await client.subscribe(
                    self._name, name=_NAME, manual_ack=True, window=_WINDOW
                )
            return self._subscription

    async def keep(self, events: Sequence[Outgoing]) -> Sequence[bool]:
        """Keep events, on the disk when this returns; each once under its own number.

        Returns for each event False if there was no room for it.

        Raises:
            TidingsError: Nothing may be forgotten yet, since the disk is full for example.
        """
        self.pending += len(events)
        try:
            await self._opened()
            assert self._publisher is not None
            answers = await self._publisher.relay(
                [marked(event, mark) for event, mark in events],
                [ProducerMark(mark.producer, mark.number) for _, mark in events],
            )
        except TidingsError:
            self.pending -= len(events)
            raise
        for answer in answers:
            if isinstance(answer, TidingsError):
                self.pending -= 1
                self.lost += not isinstance(answer, ChannelFull)
                self.cause = str(answer)
        return [not isinstance(answer, ChannelFull) for answer in answers]

    async def batch(self, seconds: float, most: int) -> Sequence[Message]:
        """Return what waits longest; nothing if nothing can be handed out in time."""
        subscription = await self._opened()
        batches = subscription.batches(most)
        try:
            async with asyncio.timeout(seconds):
                return await anext(batches)
        except TimeoutError:
            return ()
        except StopAsyncIteration:  # somebody has ended it: a new one goes on
            self._subscription = None
            return ()
        finally:
            await batches.aclose()

    def settle(self, messages: Sequence[Message], answers: Sequence[Refused | None]) -> None:
        """Forget what was published; what was refused becomes a dead letter, with the cause."""
        assert self._subscription is not None
        for message, answer in zip(messages, answers, strict=True):
            if answer is None:
                self._subscription.ack(message)
            else:
                self._subscription.reject(message, answer.cause)
        self.pending = max(0, self.pending - len(messages))

    async def take_back(self) -> None:
        """Have all that was handed out and not settled wait again, in its place."""
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            await subscription.close()

    @staticmethod
    def outgoing(message: Message) -> Outgoing:
        """Return what a message keeps."""
        event, mark = unmarked(message.event)
        assert mark is not None
        return Outgoing(event, mark)

    async def close(self) -> None:
        """Let go of it; what waits stays."""
        if self._client is not None:
            await self._client.close()
            self._client = self._publisher = self._subscription = None

    async def delete(self) -> None:
        """Delete it with what waits."""
        client = self._make()
        with suppress(TidingsError):
            await (await client.channel(self._name)).destroy()
        await client.close()
