"""How events get into a channel of CORBA: pushed by us, or pulled from us."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tidings.channel.vocabulary import Form
from tidings.client.transports.iiop.kinds import Kind
from tidings.client.transports.iiop.objects import FarProxy
from tidings.client.transports.iiop.pushes import Pushes, Target
from tidings.client.transports.iiop.values import Events
from tidings.cos.events import MOST_OCTETS
from tidings.errors import ChannelFull, InvalidEvent, TidingsError, Unreachable
from tidings.events.structured import StructuredEvent
from tidings.gateways.corba_channel import Channel, Proxy

_BATCH: Final = 256
# Some padding is not measured.
_BATCH_OCTETS: Final = MOST_OCTETS // 2
# Seconds until a channel that is full is tried again.
_PAUSE: Final = 0.05


class Sized(NamedTuple):
    """An event to publish: its place, itself, and its octets in the channel's form."""

    place: int
    event: StructuredEvent
    octets: int


def _batch(events: Sequence[Sized], most: int) -> int:
    """Count how many events, from the first, go into one message."""
    octets = 0
    for count, one in enumerate(events[:most]):
        octets += one.octets
        if octets > _BATCH_OCTETS:
            return max(count, 1)
    return min(len(events), most)


class Outlet(ABC):
    """Brings events into the channel."""

    def __init__(self, channel: Channel, target: Proxy, lost: asyncio.Future[str]) -> None:
        self._events = Events()
        self._form = target.kind.form
        self._lost = lost

    @abstractmethod
    async def publish(self, events: Sequence[Sized]) -> Mapping[int, TidingsError]:
        """Bring events in, in order; return the errors of those that the service refuses.

        Raises:
            TidingsError: The connection failed.
        """

    def give(self, most: int) -> Sequence[object]:
        """Give the channel up to so many events, because it pulls."""
        return ()

    def _check(self) -> None:
        if self._lost.done():
            raise Unreachable(self._lost.result())


class PushingOutlet(Outlet):
    """Pushes: single events one after the other, since a service with threads reorders others."""

    def __init__(self, channel: Channel, target: Proxy, lost: asyncio.Future[str]) -> None:
        super().__init__(channel, target, lost)
        kind = target.kind
        proxy = FarProxy(target.far, Kind(kind.side, kind.style, kind.form))

        async def find() -> FarProxy:
            return proxy

        async def restored() -> bool:
            return False

        self._pushes = Pushes(channel.objects, self._events)
        self._target = Target(find, restored)

    async def publish(self, events: Sequence[Sized]) -> Mapping[int, TidingsError]:
        """Push events; a channel that is full is tried again until it has room."""
        waiting, refused = list(events), {}
        most = _BATCH if self._form is Form.SEQUENCE else 1
        while waiting:
            self._check()
            count = _batch(waiting, most)
            fault = await self._push([one.event for one in waiting[:count]])
            if isinstance(fault, ChannelFull):
                await asyncio.sleep(_PAUSE)
                continue
            if isinstance(fault, InvalidEvent):
                if count > 1:  # one of them is at fault
                    most = 1
                    continue
                refused[waiting[0].place] = fault
            elif fault is not None:
                raise fault
            del waiting[:count]
        return refused

    async def _push(self, events: Sequence[StructuredEvent]) -> TidingsError | None:
        try:
            answers = await self._pushes.push(self._target, events)
        except TidingsError as error:
            return error
        return next((one for one in answers if isinstance(one, TidingsError)), None)


class PulledOutlet(Outlet):
    """Lets the channel pull: what it has fetched has arrived when it comes again."""

    def __init__(self, channel: Channel, target: Proxy, lost: asyncio.Future[str]) -> None:
        super().__init__(channel, target, lost)
        self._waiting: deque[Sized] = deque()
        self._came_again = asyncio.Event()

    async def publish(self, events: Sequence[Sized]) -> Mapping[int, TidingsError]:
        """Wait until the channel has fetched all events."""
        self._check()
        if not events:
            return {}
        self._waiting.extend(events)
        self._came_again.clear()
        arrived = asyncio.create_task(self._came_again.wait())
        try:
            await asyncio.wait((arrived, self._lost), return_when=asyncio.FIRST_COMPLETED)
            if not self._came_again.is_set():
                self._check()
        finally:
            arrived.cancel()
            self._waiting.clear()
        return {}

    def give(self, most: int) -> Sequence[object]:
        """Give the channel what waits, as much as goes into one message."""
        if not self._waiting:
            self._came_again.set()
        count = _batch(list(self._waiting), max(most, 1))
        form = Form.ANY if self._form is Form.ANY else Form.STRUCTURED
        found = [self._waiting.popleft() for _ in range(count)]
        return [self._events.written(one.event, form) for one in found]
