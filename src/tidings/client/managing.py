"""Handles for managing channels, admins and filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tidings.channel import management as m
from tidings.channel import questions as q
from tidings.channel.commands import DryRun
from tidings.channel.constraint_views import MatchCount, PropertiesSeen
from tidings.channel.fate import Fate
from tidings.channel.property_errors import PropertyRange
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
    """Operations that channels, admins and proxies share."""

    def __init__(self, transport: Transport, place: Place) -> None:
        self._transport = transport
        self.place = place

    async def set_qos(self, qos: Mapping[str, object]) -> None:
        """Set quality of service, all or nothing.

        Raises:
            UnsupportedQoS: Lists every property that cannot be set.
        """
        await self._transport.ask(m.SetQoS(self.place, qos))

    async def validate_qos(self, qos: Mapping[str, object]) -> tuple[PropertyRange, ...]:
        """Return what else could be set together with this; change nothing."""
        found: tuple[PropertyRange, ...] = await self._transport.ask(m.ValidateQoS(self.place, qos))
        return found


class Filtered(Managed):
    """Operations that admins and proxies share."""

    async def add_filter(self, filter: HostedFilter) -> int:
        """Attach a filter and return the attachment's id."""
        found: int = await self._transport.ask(m.AddFilter(self.place, filter.id))
        return found

    async def remove_filter(self, attachment: int) -> None:
        """Detach a filter."""
        await self._transport.ask(m.RemoveFilter(self.place, attachment))

    async def set_priority_filter(self, filter: HostedFilter | None) -> None:
        """Set or remove the mapping filter for priorities, on the consumer side."""
        await self._set("priority", filter)

    async def set_lifetime_filter(self, filter: HostedFilter | None) -> None:
        """Set or remove the mapping filter for lifetimes, on the consumer side."""
        await self._set("lifetime", filter)

    async def _set(self, purpose: str, filter: HostedFilter | None) -> None:
        id = None if filter is None else filter.id
        await self._transport.ask(m.SetMapping(self.place, purpose, id))

    async def offer(
        self,
        added: Iterable[EventTypePattern | str] = (),
        removed: Iterable[EventTypePattern | str] = (),
    ) -> None:
        """Announce event types that a supplier's object starts or stops sending."""
        await self._transport.ask(m.OfferChange(self.place, patterns(added), patterns(removed)))

    async def ask_for(
        self,
        added: Iterable[EventTypePattern | str] = (),
        removed: Iterable[EventTypePattern | str] = (),
    ) -> None:
        """Change the event types that a consumer's object subscribes to."""
        command = m.SubscriptionChange(self.place, patterns(added), patterns(removed))
        await self._transport.ask(command)


class Admin(Filtered):
    """An admin: a group of proxies that share settings and filters."""

    def __init__(self, transport: Transport, channel: int, side: Side, id: int) -> None:
        super().__init__(transport, Place(channel, side, id))
        self.id = id
        self._side = side

    async def info(self) -> AdminInfo:
        """Return the admin's current state."""
        return await self._transport.request(q.SeeAdmin(self.place.channel, self._side, self.id))

    async def destroy(self) -> None:
        """Delete the admin and its proxies."""
        await self._transport.ask(m.DestroyAdmin(self.place.channel, self._side, self.id))


class Channel(Managed):
    """A channel.

    Attributes:
        made: Its state when it was looked up; `info` returns the current one.
    """

    def __init__(self, transport: Transport, made: ChannelInfo) -> None:
        super().__init__(transport, Place(made.id))
        self.made = made

    @property
    def id(self) -> int:
        """Unique within the service."""
        return self.made.id

    @property
    def name(self) -> str:
        """Empty for an unnamed channel."""
        return self.made.name

    @property
    def origin(self) -> str:
        """The first half of its events' ids."""
        return self.made.origin

    async def info(self) -> ChannelInfo:
        """Return the channel's current state."""
        return await self._transport.request(q.SeeChannel(self.id))

    async def set_admin_properties(self, properties: Mapping[str, object]) -> None:
        """Set admin properties, all or nothing.

        Raises:
            UnsupportedAdmin: Lists every property that cannot be set.
        """
        await self._transport.ask(m.SetAdminProperties(self.id, properties))

    async def new_supplier_admin(self, operator: Operator = Operator.AND) -> Admin:
        """Create an admin for suppliers."""
        id = await self._transport.ask(m.NewAdmin(self.id, Side.SUPPLIER, operator))
        return Admin(self._transport, self.id, Side.SUPPLIER, id)

    async def new_consumer_admin(self, operator: Operator = Operator.AND) -> Admin:
        """Create an admin for consumers."""
        id = await self._transport.ask(m.NewAdmin(self.id, Side.CONSUMER, operator))
        return Admin(self._transport, self.id, Side.CONSUMER, id)

    def supplier_admin(self, id: int = 0) -> Admin:
        """Return a handle on an admin for suppliers; 0 is the default one."""
        return Admin(self._transport, self.id, Side.SUPPLIER, id)

    def consumer_admin(self, id: int = 0) -> Admin:
        """Return a handle on an admin for consumers; 0 is the default one."""
        return Admin(self._transport, self.id, Side.CONSUMER, id)

    def proxy(self, id: int) -> Filtered:
        """Return a handle on a proxy; `proxies` lists them.

        Raises:
            InvalidUsage: The id is not an integer.
        """
        given: object = id
        if not isinstance(given, int):
            raise InvalidUsage(f"the id of a proxy is a whole number, not {given!r:.60}")
        return Filtered(self._transport, Place(self.id, proxy=id))

    async def proxies(self) -> Sequence[ProxyInfo]:
        """List all proxies."""
        return await self._transport.request(q.SeeProxies(self.id))

    async def advertisement(self) -> Advertisement:
        """Return which event types are offered and wanted, and by whom."""
        return await self._transport.request(q.SeeAdvertisement(self.id))

    async def dry_run(self, event: Item, publisher: int | None = None) -> Trail:
        """Return each stage, verdict and reason an event would meet; change nothing."""
        found: Trail = await self._transport.ask(DryRun(self.id, event, publisher))
        return found

    async def count_matching(
        self,
        text: str,
        types: Iterable[str | EventTypePattern] = (),
        *,
        last: int = 1_000,
        most: int = 20,
    ) -> MatchCount:
        """Count how many of the latest events match a constraint, and list some."""
        return await self._transport.request(
            q.CountMatching(self.id, text, patterns(types), last, most)
        )

    async def properties(self, last: int = 200) -> PropertiesSeen:
        """Return the properties that the latest events have."""
        return await self._transport.request(q.SeeProperties(self.id, last))

    async def fate(self, number: int, after: int = 0, most: int = 100) -> Fate:
        """Return what became of an event; page on with `after`, the last proxy seen before."""
        return await self._transport.request(q.SeeFate(self.id, number, after, most))

    async def destroy(self) -> None:
        """Delete the channel and everything in it."""
        await self._transport.ask(m.DestroyChannel(self.id))


class HostedFilter:
    """A filter or mapping filter that several objects can share."""

    def __init__(self, transport: Transport, id: int) -> None:
        self._transport = transport
        self.id = id

    async def info(self) -> FilterInfo | MappingInfo:
        """Return the filter's current state."""
        return await self._transport.request(q.SeeFilter(self.id))

    async def add(self, wanted: Wanted) -> list[int]:
        """Add constraints and return their ids."""
        found: Any = await self._transport.ask(m.AddConstraints(self.id, constraints(wanted)))
        return list(found)

    async def add_mapped(self, mapped: Iterable[MappedConstraint]) -> list[int]:
        """Add constraints with values to a mapping filter and return their ids."""
        found: Any = await self._transport.ask(m.AddMapped(self.id, tuple(mapped)))
        return list(found)

    async def clear(self) -> None:
        """Remove all constraints."""
        await self._transport.ask(m.ClearFilter(self.id))

    async def destroy(self) -> None:
        """Delete the filter and detach it from all its holders."""
        await self._transport.ask(m.DestroyFilter(self.id))


def constraints(wanted: Wanted) -> tuple[Constraint, ...]:
    """Parse one constraint or several.

    Raises:
        InvalidConstraint: A text is not a valid constraint.
        InvalidUsage: The value is neither a constraint nor a list of constraints.
    """
    if wanted is None:
        return ()
    given: object = [wanted] if isinstance(wanted, str | Constraint) else wanted
    if not isinstance(given, Iterable) or isinstance(given, Mapping | bytes):
        raise InvalidUsage(f"a constraint is a text, or a list of some, not {given!r:.60}")
    return tuple(one if isinstance(one, Constraint) else constraint(one) for one in given)
