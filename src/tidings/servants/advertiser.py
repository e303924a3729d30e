"""The advertiser of a channel: what is offered and wanted there, and who is told of changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tidings import errors
from tidings.channel.vocabulary import Place
from tidings.cos.Advertising_auto import AdvertiserServant, Listener, Offer
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyComm_auto import InvalidEventType
from tidings.cos.CosNotifyFilter_auto import CallbackNotFound
from tidings.cos.mapping import pattern_in, types_out
from tidings.engine.access import ObjectKey, Principal, Verb
from tidings.events.reference import Reference
from tidings.filters.constraint import EventTypePattern
from tidings.names import new_handle
from tidings.orb.exceptions import (
    BAD_OPERATION,
    BAD_PARAM,
    NO_IMPLEMENT,
    OBJECT_NOT_EXIST,
    CorbaError,
)
from tidings.servants.faults import TypedErrors

if TYPE_CHECKING:
    from tidings.channel.channel import Channel
    from tidings.engine.door import LocalDoor
    from tidings.servants.service import CorbaService

_log = logging.getLogger(__name__)

ADVERTISER: Final = "advertiser"

# How often changes are looked for while somebody wants to hear of them, in seconds.
_INTERVAL: Final = 0.5
_MOST_LISTENERS: Final = 1_000
# After so many failures in a row a listener is given up.
_MOST_FAILURES: Final = 120
_GONE: Final = (OBJECT_NOT_EXIST, NO_IMPLEMENT, BAD_OPERATION)

_Types = tuple[EventTypePattern, ...]


class _Watch:
    """One listener of a channel, and what it was told last."""

    __slots__ = ("channel", "failures", "offered", "principal", "stub", "telling", "wanted")

    def __init__(self, channel: Channel, stub: Listener, principal: Principal) -> None:
        self.channel = channel
        self.principal = principal
        self.stub = stub
        self.offered: _Types = channel.offers.types()
        self.wanted: _Types = channel.wants.types()
        self.telling: asyncio.Task[None] | None = None
        self.failures = 0

    async def tell(self) -> None:
        """Tells what has changed since it was told last."""
        offered, wanted = self.channel.offers.types(), self.channel.wants.types()
        if offered != self.offered:
            await self.stub.offer_change(*_changes(self.offered, offered))
            self.offered = offered
        if wanted != self.wanted:
            await self.stub.subscription_change(*_changes(self.wanted, wanted))
            self.wanted = wanted
        self.failures = 0

    @property
    def behind(self) -> bool:
        """Whether there is something to tell, and nothing is being told."""
        # Lists of types are the same objects until they change.
        channel = self.channel
        return self.telling is None and (
            channel.offers.types() is not self.offered or channel.wants.types() is not self.wanted
        )


def _changes(before: _Types, after: _Types) -> tuple[Sequence[EventType], Sequence[EventType]]:
    old, new = set(before), set(after)
    added = [one for one in after if one not in old]
    return types_out(added), types_out([one for one in before if one not in new])


class Advertisers:
    """The advertisers of all channels, and who listens to them while the process runs.

    Args:
        service: Whose channels they are.
    """

    def __init__(self, service: CorbaService) -> None:
        self._service = service
        self._watches: dict[tuple[int, int], _Watch] = {}
        self._looking: asyncio.Task[None] | None = None

    def __call__(
        self, service: CorbaService, door: LocalDoor, key: ObjectKey
    ) -> AdvertiserObject | None:
        """The servant of a channel's advertiser."""
        if key.ids[0] not in service.host.channels:
            return None
        principal = service.grants[key.grant].principal
        return AdvertiserObject(self, door, key.ids[0], principal)

    async def admit(self, callback: Reference) -> None:
        """Checks that a listener may be called where it is.

        Raises:
            NO_PERMISSION: It may not.
        """
        await self._service.orb.admit(callback)

    def attach(self, channel: int, callback: Reference, principal: Principal) -> int:
        """Has a listener told of changes; the id to detach it by, which nobody else can guess.

        Raises:
            LimitExceeded: There are too many.
        """
        if len(self._watches) >= _MOST_LISTENERS:
            raise errors.LimitExceeded(
                f"there are {_MOST_LISTENERS} listeners of advertisers already"
            )
        id = new_handle()
        while (channel, id) in self._watches:
            id = new_handle()
        stub = self._service.orb.stub(Listener, callback)
        found = self._service.host.channels.find(channel)
        self._watches[channel, id] = _Watch(found, stub, principal)
        if self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._look(), name=ADVERTISER)
        return id

    def detach(self, channel: int, id: int, principal: Principal) -> None:
        """Tells a listener nothing more.

        Raises:
            CallbackNotFound: There is no such listener.
            Forbidden: It is somebody else's.
        """
        watch = self._watches.get((channel, id))
        if watch is None:
            raise CallbackNotFound
        access = self._service.host.access
        access.require(principal, Verb.USE, Place(channel), watch.principal.name)
        self._drop(channel, id)

    def _drop(self, channel: int, id: int) -> None:
        watch = self._watches.pop((channel, id))
        if watch.telling is not None:
            watch.telling.cancel()

    def close(self) -> None:
        """Tells nobody anything more."""
        for key in list(self._watches):
            self._drop(*key)
        if self._looking is not None:
            self._looking.cancel()

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_INTERVAL)
            for (channel, id), watch in list(self._watches.items()):
                if self._service.host.channels.get(channel) is not watch.channel:
                    self._drop(channel, id)
                elif watch.behind:
                    watch.telling = loop.create_task(self._tell(channel, id, watch))

    async def _tell(self, channel: int, id: int, watch: _Watch) -> None:
        try:
            await watch.tell()
        except CorbaError as error:
            watch.failures += 1
            if isinstance(error, _GONE) or watch.failures >= _MOST_FAILURES:
                _log.info("listener %d of the advertiser of channel %d: %s", id, channel, error)
                self._watches.pop((channel, id), None)
        finally:
            watch.telling = None


class AdvertiserObject(TypedErrors, AdvertiserServant):
    """Advertising::Advertiser."""

    def __init__(
        self, advertisers: Advertisers, door: LocalDoor, channel: int, principal: Principal
    ) -> None:
        self._advertisers = advertisers
        self._door = door
        self._channel = channel
        self._principal = principal

    async def offered_types(self) -> Sequence[EventType]:
        """All event types that suppliers offer."""
        return types_out(self._door.views.advertisement(self._channel).offered)

    async def subscribed_types(self) -> Sequence[EventType]:
        """All event types that consumers ask for."""
        return types_out(self._door.views.advertisement(self._channel).wanted)

    async def offers_of(self, pattern: EventType) -> Sequence[Offer]:
        """Who offers types that may mean the same events; an admin's own offer has proxy 0."""
        views, found = self._door.views, []
        try:
            asked = pattern_in(pattern)
        except errors.InvalidEventType as error:
            raise InvalidEventType(pattern) from error
        for who in views.advertisement(self._channel).offered_by(asked):
            kind, _, id = who.partition(" ")
            if kind == "admin":
                found.append(Offer(0, int(id)))
            else:
                found.append(Offer(int(id), views.proxy(self._channel, int(id)).admin))
        return found

    async def attach(self, callback: Reference) -> int:
        """Has a listener told of what changes from now on."""
        if not callback.profiles:
            raise BAD_PARAM(why="a listener is needed, not a nil reference")
        self._door.views.channel(self._channel)  # who may not look may not listen
        await self._advertisers.admit(callback)
        return self._advertisers.attach(self._channel, callback, self._principal)

    async def detach(self, id: int) -> None:
        """Tells a listener nothing more."""
        self._advertisers.detach(self._channel, id, self._principal)
