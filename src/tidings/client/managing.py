"""Channels, admins and filters as a program manages them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tidings.channel.commands import DryRun
from tidings.channel.management import (
    AddConstraints,
    AddFilter,
    AddMapped,
    ClearFilter,
    DestroyAdmin,
    DestroyChannel,
    DestroyFilter,
    NewAdmin,
    OfferChange,
    RemoveFilter,
    SetAdminProperties,
    SetMapping,
    SetQoS,
    SubscriptionChange,
    ValidateQoS,
)
from tidings.channel.property_errors import PropertyRange
from tidings.channel.questions import SeeAdmin, SeeAdvertisement, SeeChannel, SeeFilter, SeeProxies
from tidings.channel.trail import Trail
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    ChannelInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
)
from tidings.channel.vocabulary import Item, Operator, Place, Side
from tidings.client.publishing import patterns
from tidings.client.transport import Transport
from tidings.errors import InvalidUsage
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint

Wanted: TypeAlias = str | Constraint | Sequence[str | Constraint] | None
"""A constraint, or several of which one must match."""


class Managed:
    """What can be changed at a channel, admin or proxy."""

    def __init__(self, transport: Transport, place: Place) -> None:
        self._transport = transport
        self.place = place

    async def set_qos(self, qos: Mapping[str, object]) -> None:
        """Sets quality of service, all or nothing.

        Raises:
            UnsupportedQoS: Something cannot be set; every bad property is listed.
        """
        await self._transport.ask(SetQoS(self.place, qos))

    async def validate_qos(self, qos: Mapping[str, object]) -> tuple[PropertyRange, ...]:
        """What else could be set beside this; changes nothing."""
        found: tuple[PropertyRange, ...] = await self._transport.ask(ValidateQoS(self.place, qos))
        return found


class Filtered(Managed):
    """What can be changed at an admin or proxy."""

    async def add_filter(self, filter: HostedFilter) -> int:
        """Attaches a filter; the id of the attachment."""
        found: int = await self._transport.ask(AddFilter(self.place, filter.id))
        return found

    async def remove_filter(self, attachment: int) -> None:
        """Takes an attached filter off."""
        await self._transport.ask(RemoveFilter(self.place, attachment))

    async def set_priority_filter(self, filter: HostedFilter | None) -> None:
        """Gives a consumer's object a mapping filter for priorities, or none."""
        await self._set("priority", filter)

    async def set_lifetime_filter(self, filter: HostedFilter | None) -> None:
        """Gives a consumer's object a mapping filter for lifetimes, or none."""
        await self._set("lifetime", filter)

    async def _set(self, purpose: str, filter: HostedFilter | None) -> None:
        id = None if filter is None else filter.id
        await self._transport.ask(SetMapping(self.place, purpose, id))

    async def offer(
        self,
        added: Iterable[EventTypePattern | str] = (),
        removed: Iterable[EventTypePattern | str] = (),
    ) -> None:
        """Says which event types a supplier's object will send, and which no more."""
        await self._transport.ask(OfferChange(self.place, patterns(added), patterns(removed)))

    async def ask_for(
        self,
        added: Iterable[EventTypePattern | str] = (),
        removed: Iterable[EventTypePattern | str] = (),
    ) -> None:
        """Says which event types a consumer's object asks for, and which no more."""
        command = SubscriptionChange(self.place, patterns(added), patterns(removed))
        await self._transport.ask(command)


class Admin(Filtered):
    """An admin: the parent of proxies with something in common."""

    def __init__(self, transport: Transport, channel: int, side: Side, id: int) -> None:
        super().__init__(transport, Place(channel, side, id))
        self.id = id
        self._side = side

    async def info(self) -> AdminInfo:
        """The admin as it is now."""
        return await self._transport.request(SeeAdmin(self.place.channel, self._side, self.id))

    async def destroy(self) -> None:
        """Ends the admin and its proxies."""
        await self._transport.ask(DestroyAdmin(self.place.channel, self._side, self.id))


class Channel(Managed):
    """A channel.

    Attributes:
        made: As it was when it was looked up; `info` has it as it is now.
    """

    def __init__(self, transport: Transport, made: ChannelInfo) -> None:
        super().__init__(transport, Place(made.id))
        self.made = made

    @property
    def id(self) -> int:
        """Unique at the service."""
        return self.made.id

    @property
    def name(self) -> str:
        """For people; empty for none."""
        return self.made.name

    @property
    def origin(self) -> str:
        """The first half of the ids of its events."""
        return self.made.origin

    async def info(self) -> ChannelInfo:
        """The channel as it is now."""
        return await self._transport.request(SeeChannel(self.id))

    async def set_admin_properties(self, properties: Mapping[str, object]) -> None:
        """Sets admin properties, all or nothing.

        Raises:
            UnsupportedAdmin: Something cannot be set; every bad property is listed.
        """
        await self._transport.ask(SetAdminProperties(self.id, properties))

    async def new_supplier_admin(self, operator: Operator = Operator.AND) -> Admin:
        """Makes an admin for suppliers."""
        id = await self._transport.ask(NewAdmin(self.id, Side.SUPPLIER, operator))
        return Admin(self._transport, self.id, Side.SUPPLIER, id)

    async def new_consumer_admin(self, operator: Operator = Operator.AND) -> Admin:
        """Makes an admin for consumers."""
        id = await self._transport.ask(NewAdmin(self.id, Side.CONSUMER, operator))
        return Admin(self._transport, self.id, Side.CONSUMER, id)

    def supplier_admin(self, id: int = 0) -> Admin:
        """An admin for suppliers by its id; 0 is the default one."""
        return Admin(self._transport, self.id, Side.SUPPLIER, id)

    def consumer_admin(self, id: int = 0) -> Admin:
        """An admin for consumers by its id; 0 is the default one."""
        return Admin(self._transport, self.id, Side.CONSUMER, id)

    def proxy(self, id: int) -> Filtered:
        """A proxy by its id.

        Raises:
            InvalidUsage: It is no id; `proxies` has those there are.
        """
        given: object = id
        if not isinstance(given, int):
            raise InvalidUsage(f"the id of a proxy is a whole number, not {given!r:.60}")
        return Filtered(self._transport, Place(self.id, proxy=id))

    async def proxies(self) -> Sequence[ProxyInfo]:
        """All proxies as they are now."""
        return await self._transport.request(SeeProxies(self.id))

    async def advertisement(self) -> Advertisement:
        """What is offered and wanted, and by whom."""
        return await self._transport.request(SeeAdvertisement(self.id))

    async def dry_run(self, event: Item, publisher: int | None = None) -> Trail:
        """What would become of an event: each stage, verdict and reason; nothing is changed."""
        found: Trail = await self._transport.ask(DryRun(self.id, event, publisher))
        return found

    async def destroy(self) -> None:
        """Ends the channel and everything in it."""
        await self._transport.ask(DestroyChannel(self.id))


class HostedFilter:
    """A filter, or mapping filter, that objects can share."""

    def __init__(self, transport: Transport, id: int) -> None:
        self._transport = transport
        self.id = id

    async def info(self) -> FilterInfo | MappingInfo:
        """The filter as it is now."""
        return await self._transport.request(SeeFilter(self.id))

    async def add(self, wanted: Wanted) -> list[int]:
        """Adds constraints; their ids."""
        found: Any = await self._transport.ask(AddConstraints(self.id, constraints(wanted)))
        return list(found)

    async def add_mapped(self, mapped: Iterable[MappedConstraint]) -> list[int]:
        """Adds constraints with values to a mapping filter; their ids."""
        found: Any = await self._transport.ask(AddMapped(self.id, tuple(mapped)))
        return list(found)

    async def clear(self) -> None:
        """Removes all constraints."""
        await self._transport.ask(ClearFilter(self.id))

    async def destroy(self) -> None:
        """Ends the filter; who holds it drops it."""
        await self._transport.ask(DestroyFilter(self.id))


def constraints(wanted: Wanted) -> tuple[Constraint, ...]:
    """Constraints from what a program may say.

    Raises:
        InvalidConstraint: A text is none.
        InvalidUsage: It is neither a constraint nor a list of some.
    """
    if wanted is None:
        return ()
    given: object = [wanted] if isinstance(wanted, str | Constraint) else wanted
    if not isinstance(given, Iterable) or isinstance(given, Mapping | bytes):
        raise InvalidUsage(f"a constraint is a text, or a list of some, not {given!r:.60}")
    return tuple(one if isinstance(one, Constraint) else constraint(one) for one in given)
