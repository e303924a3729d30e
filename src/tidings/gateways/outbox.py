"""What a side keeps in channels of our own: what waits for its service, and what it cannot map.

They bring what users ask of an outbox: events survive a kill, in the order, lifetime and number
that the side's quality of service says; what the service cannot carry becomes a dead letter with
the cause; all of it can be seen and redriven like any other channel's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from tidings.channel.effects import Message
from tidings.channel.questions import SeeChannels
from tidings.client.client import Client
from tidings.client.publishing import Publisher
from tidings.client.subscription import Subscription
from tidings.errors import ChannelFull, InvalidEvent, NumberTooOld, TidingsError
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.federation.marks import marked, unmarked
from tidings.gateways.adapters.base import Arrival, Heard, Outgoing, Refused

_NAME: Final = "link"
_WINDOW: Final = 512
_BATCH: Final = 64
CAUSE: Final = "FES_Cause"
"""The header property of an event that was set aside, and cannot be tried again: why."""


Again = Callable[[StructuredEvent], StructuredEvent | None]
"""Maps what was set aside; InvalidEvent says why that is impossible."""


class _Kept:
    """A channel that a side keeps events in; it is made when the first one comes."""

    def __init__(self, client: Callable[[], Client], name: str, qos: Mapping[str, Any]) -> None:
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


class Outbox(_Kept):
    """The outbox of one side.

    Attributes:
        pending: Events that wait in it.
        lost: Events that could not be kept.
        cause: Why the last of them could not.
    """

    def __init__(self, client: Callable[[], Client], name: str, qos: Mapping[str, Any]) -> None:
        super().__init__(client, name, qos)
        self.pending = 0
        self.lost = 0
        self.cause = ""

    def aside(self, again: Again, heard: Heard) -> SetAside:
        """Return what keeps what the service has handed over and nobody can map."""
        return SetAside(self._make, f"{self._name} in", again, heard)

    async def open(self) -> None:
        """Find what an earlier life has left."""
        await super().open()
        if self._subscription is not None:
            await self.count()

    async def count(self) -> None:
        """Ask how many events wait: some may have expired, or were discarded."""
        info = await (await self._opened()).info()
        self.pending = info.waiting + info.in_flight

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


class FromAside(NamedTuple):
    """The handle of an event that was set aside, and is tried again."""

    subscription: Subscription
    message: Message


class SetAside(_Kept):
    """What the service has handed over and the side cannot map: dead letters of a channel.

    An event goes into the channel, and comes out of it again to become a dead letter. One that is
    redriven comes out again: as an event of the service, if it can be mapped by now.
    """

    def __init__(self, client: Callable[[], Client], name: str, again: Again, heard: Heard) -> None:
        super().__init__(client, name, {})
        self._again = again
        self._heard = heard
        self._reader: asyncio.Task[None] | None = None

    async def keep(self, arrival: Arrival, cause: str = "") -> None:
        """Keep what has come; with a `cause` it cannot be tried again, ever.

        Raises:
            TidingsError: It cannot be kept now, since the disk is full for example.
        """
        await self._opened()
        event = arrival.event if arrival.mark is None else marked(arrival.event, arrival.mark)
        if cause:
            event = replace(event, header={**event.header, CAUSE: cause}, octets=0)
        assert self._publisher is not None
        if arrival.number:  # handed over again, it is kept once
            [answer] = await self._publisher.relay(
                [event], [ProducerMark(f"{self._name}/{arrival.stream}", arrival.number)]
            )
            if isinstance(answer, TidingsError) and not isinstance(answer, NumberTooOld):
                raise answer
        else:
            await self._publisher.publish(event)

    async def _opened(self) -> Subscription:
        found = await super()._opened()
        if self._reader is None:
            self._reader = asyncio.get_running_loop().create_task(self._read(found))
        return found

    async def _read(self, subscription: Subscription) -> None:
        async for messages in subscription.batches(_BATCH):
            for message in messages:
                arrival = self._arrival(subscription, message)
                if arrival is not None:
                    await self._heard([arrival])

    def _arrival(self, subscription: Subscription, message: Message) -> Arrival | None:
        event, mark = unmarked(message.event)
        try:
            if (cause := event.header.get(CAUSE)) is not None:
                raise InvalidEvent(str(cause))
            mapped = self._again(event)
        except InvalidEvent as error:
            subscription.reject(message, str(error))
            return None
        if mapped is None:  # a rule drops it by now
            subscription.ack(message)
            return None
        handle = FromAside(subscription, message)
        return Arrival(mapped, mark, message.origin, message.seq, handle, message.arrival)

    async def close(self) -> None:
        """Let go of it; what waits stays."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            await asyncio.wait((reader,))
        await super().close()
