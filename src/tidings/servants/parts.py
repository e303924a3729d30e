"""Operations shared by kinds of objects: quality of service, filters, mapping filters.

Each part works on the channel, admin or proxy that the object key names. A servant lists the parts
before the generated base, which declares the same operations: `class ConsumerAdminObject(QosPart,
FilterPart, MappingPart, ConsumerAdminServant)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tidings.channel.management import AddFilter, SetMapping
from tidings.channel.qos import QOS_PROPERTIES
from tidings.channel.views import AdminInfo, ChannelInfo, ProxyInfo
from tidings.channel.vocabulary import Place, Side
from tidings.cos.CosNotification_auto import Property
from tidings.cos.CosNotifyFilter_auto import Filter_INTERFACE, MappingFilter_INTERFACE
from tidings.cos.mapping import properties_out
from tidings.engine.access import ObjectKey
from tidings.errors import FilterNotFound, InvalidUsage
from tidings.events.reference import Reference
from tidings.orb.exceptions import NO_IMPLEMENT
from tidings.servants.service import NIL, ObjectServant

SIDES = (Side.SUPPLIER, Side.CONSUMER)
"""Sides by their numbers in the keys of admins."""


def place_of(key: ObjectKey) -> Place:
    """Return the channel, admin or proxy that a key names."""
    channel, *rest = key.ids
    if key.kind == "admin":
        side, admin = rest
        return Place(channel, SIDES[side], admin)
    return Place(channel, proxy=rest[0]) if key.kind == "proxy" else Place(channel)


class PlacedServant(ObjectServant):
    """The servant of a channel, admin or proxy."""

    @property
    def place(self) -> Place:
        """Return the place that the object key names."""
        return place_of(self.key)

    @property
    def target(self) -> Mapping[str, Any]:
        """Return the command fields that follow from the object key."""
        place = self.place
        fields = {name: getattr(place, name) for name in ("channel", "side", "admin", "proxy")}
        return {"place": place, **fields}

    def view(self) -> ChannelInfo | AdminInfo | ProxyInfo:
        """Return the object's current state; raise Forbidden if the principal may not read it."""
        place, views = self.place, self.door.views
        if place.proxy is not None:
            return views.proxy(place.channel, place.proxy)
        if place.side is not None and place.admin is not None:
            return views.admin(place.channel, place.side, place.admin)
        return views.channel(place.channel)


class QosPart(PlacedServant):
    """CosNotification::QoSAdmin."""

    async def get_qos(self) -> Sequence[Property]:
        """Return the effective properties, whether set here or inherited."""
        return properties_out(self.view().qos, QOS_PROPERTIES)


class FilterPart(PlacedServant):
    """CosNotifyFilter::FilterAdmin, of admins and proxies."""

    async def add_filter(self, new_filter: Reference) -> int:
        """Attach a filter of this service; return the attachment's id."""
        found = _own_id(self, new_filter, "filter")
        if found is None:
            raise InvalidUsage("a filter is needed, not a nil reference")
        try:
            added: int = await self.door.ask(AddFilter(self.place, found))
        except FilterNotFound as error:  # it is not this object that does not exist
            raise InvalidUsage(str(error)) from error
        return added

    async def get_filter(self, filter: int) -> Reference:
        """Return a filter by its attachment's id."""
        attached = self._attached()
        if filter not in attached:
            raise FilterNotFound(f"no filter is attached to {self.place} under the id {filter}")
        return self.reference("filter", (attached[filter],), Filter_INTERFACE)

    async def get_all_filters(self) -> Sequence[int]:
        """Return the ids of all attachments."""
        return tuple(self._attached())

    def _attached(self) -> dict[int, int]:
        view = self.view()
        assert not isinstance(view, ChannelInfo)
        return dict(view.filters)


class MappingPart(PlacedServant):
    """The mapping filters of consumer admins and proxies; a nil reference means none."""

    async def get_priority_filter(self) -> Reference:
        """Return the mapping filter for priorities."""
        return self._mapping("priority")

    async def set_priority_filter(self, value: Reference) -> None:
        """Set or remove the mapping filter for priorities; its values are shorts."""
        await self._set_mapping("priority", value)

    async def get_lifetime_filter(self) -> Reference:
        """Return the mapping filter for lifetimes."""
        return self._mapping("lifetime")

    async def set_lifetime_filter(self, value: Reference) -> None:
        """Set or remove the mapping filter for lifetimes; its values are TimeT."""
        await self._set_mapping("lifetime", value)

    def _mapping(self, purpose: str) -> Reference:
        view = self.view()
        assert not isinstance(view, ChannelInfo)
        found = view.priority_filter if purpose == "priority" else view.lifetime_filter
        if found is None:
            return NIL
        return self.reference("mapping", (found,), MappingFilter_INTERFACE)

    async def _set_mapping(self, purpose: str, value: Reference) -> None:
        found = _own_id(self, value, "mapping")
        try:
            await self.door.ask(SetMapping(self.place, purpose, found))
        except FilterNotFound as error:  # it is not this object that does not exist
            raise InvalidUsage(str(error)) from error


def _own_id(servant: ObjectServant, reference: Reference, kind: str) -> int | None:
    """Return the id of one of our own filters, or None for a nil reference.

    Raises:
        InvalidUsage: It is another object of ours.
        NO_IMPLEMENT: It belongs to another service; every event would wait for its answer.
    """
    if not reference.profiles:
        return None
    key = servant.service.own_key(reference)
    if key is None:
        raise NO_IMPLEMENT(why="filters of other services are not asked; make one with ours")
    if key.kind != kind:
        wanted = "filter that forwards" if kind == "filter" else "mapping filter"
        raise InvalidUsage(f"a {wanted} is needed, not an object of the kind {key.kind!r}")
    return key.ids[0]
