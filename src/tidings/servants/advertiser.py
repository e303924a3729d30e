"""The advertiser of a channel: its offered and subscribed event types, and change listeners."""

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
from tidings.engine.access import Caller, ObjectKey
from tidings.events.reference import Reference
from tidings.filters.constraint import EventTypePattern
from tidings.grants.core import AccessChanged
from tidings.grants.model import Verb
from tidings.names import new_handle
from tidings.orb.exceptions import (
    BAD_OPERATION,
    BAD_PARAM,
    NO_IMPLEMENT,
    OBJECT_NOT_EXIST,
    CorbaError,
)
from tidings.servants.operations import TypedErrors

if TYPE_CHECKING:
    from tidings.channel.channel import Channel
    from tidings.servants.door import GatheringDoor
    from tidings.servants.service import CorbaService

_log = logging.getLogger(__name__)

ADVERTISER: Final = "advertiser"

# Seconds between checks for changes while there are listeners.
_INTERVAL: Final = 0.5
_MOST_LISTENERS: Final = 1_000
# After this many consecutive failures a listener is removed.
_MOST_FAILURES: Final = 120
_GONE: Final = (OBJECT_NOT_EXIST, NO_IMPLEMENT, BAD_OPERATION)

_Types = tuple[EventTypePattern, ...]


class _Watch:
    """One listener of a channel, and the types last reported to it."""

    __slots__ = ("channel", "failures", "offered", "principal", "stub", "telling", "wanted")

    def __init__(self, channel: Channel, stub: Listener, principal: Caller) -> None:
        self.channel = channel
        self.principal = principal
        self.stub = stub
        self.offered: _Types = channel.offers.types()
        self.wanted: _Types = channel.wants.types()
        self.telling: asyncio.Task[None] | None = None
        self.failures = 0

    async def tell(self) -> None:
        """Report the changes since the last report."""
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
        """Return whether changes are pending and no report is running."""
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
    """The advertisers of all channels and their listeners, which are kept in memory only."""

    def __init__(self, service: CorbaService) -> None:
        self._service = service
        self._watches: dict[tuple[int, int], _Watch] = {}
        self._looking: asyncio.Task[None] | None = None
        service.host.on_effect(AccessChanged, self._end_forbidden)

    def __call__(
        self, service: CorbaService, door: GatheringDoor, key: ObjectKey
    ) -> AdvertiserObject | None:
        """Return the servant of a channel's advertiser."""
        if key.ids[0] not in service.host.channels:
            return None
        return AdvertiserObject(self, door, key.ids[0])

    async def admit(self, callback: Reference) -> None:
        """Check that the service may call a listener at its address; raise NO_PERMISSION if not."""
        await self._service.orb.admit(callback)

    def attach(self, channel: int, callback: Reference, principal: Caller) -> int:
        """Register a listener; return an unguessable id for `detach`."""
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

    def detach(self, channel: int, id: int, principal: Caller) -> None:
        """Remove a listener; raise Forbidden if it belongs to another principal."""
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

    def _end_forbidden(self, changed: AccessChanged) -> None:
        """Tell those nothing more who may not see the channel any more."""
        for (channel, id), watch in list(self._watches.items()):
            who = watch.principal
            if changed.concerns(who.name, who.credential) and not self._service.may_still(
                who, Verb.INSPECT, Place(channel)
            ):
                self._drop(channel, id)

    def close(self) -> None:
        """Stop all reports."""
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

    def __init__(self, advertisers: Advertisers, door: GatheringDoor, channel: int) -> None:
        self._advertisers = advertisers
        self._door = door
        self._channel = channel

    async def offered_types(self) -> Sequence[EventType]:
        """Return all event types that suppliers offer."""
        return types_out(self._door.views.advertisement(self._channel).offered)

    async def subscribed_types(self) -> Sequence[EventType]:
        """Return all event types that consumers subscribe to."""
        return types_out(self._door.views.advertisement(self._channel).wanted)

    async def offers_of(self, pattern: EventType) -> Sequence[Offer]:
        """Return the offers that may match the pattern; an admin's own offer has proxy 0."""
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
        """Report changes from now on to a listener."""
        if not callback.profiles:
            raise BAD_PARAM(why="a listener is needed, not a nil reference")
        self._door.views.channel(self._channel)  # listening requires the right to read
        await self._advertisers.admit(callback)
        return self._advertisers.attach(self._channel, callback, self._door.caller)

    async def detach(self, id: int) -> None:
        """Remove a listener."""
        self._advertisers.detach(self._channel, id, self._door.principal)
