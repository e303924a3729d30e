"""Servants of the factory, channels and admins, and the parts that they share with proxies.

Each part works on the channel, admin or proxy that the object key names. A servant lists the parts
before the generated base, which declares the same operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidings.channel.management import AddFilter, CreateChannel, NewAdmin, ObtainProxy, SetMapping
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.qos import QOS_PROPERTIES
from tidings.channel.views import AdminInfo, ChannelInfo, ProxyInfo
from tidings.channel.vocabulary import Form, Operator, Place, Side, Style
from tidings.cos.CosNotification_auto import Property
from tidings.cos.CosNotifyChannelAdmin_auto import (
    ClientType,
    ConsumerAdmin_INTERFACE,
    ConsumerAdminServant,
    EventChannel_INTERFACE,
    EventChannelFactory_INTERFACE,
    EventChannelFactoryServant,
    EventChannelServant,
    InterFilterGroupOperator,
    SupplierAdmin_INTERFACE,
    SupplierAdminServant,
)
from tidings.cos.CosNotifyFilter_auto import (
    Filter_INTERFACE,
    FilterFactory_INTERFACE,
    MappingFilter_INTERFACE,
)
from tidings.cos.kinds import kind_of
from tidings.cos.mapping import properties_out, request_in
from tidings.engine.access import ObjectKey
from tidings.errors import AdminNotFound, FilterNotFound, InvalidUsage, ProxyNotFound
from tidings.events.reference import Reference
from tidings.names import new_origin
from tidings.orb.exceptions import NO_IMPLEMENT
from tidings.servants.service import NIL, ObjectServant

_ADMINS: Final = {Side.SUPPLIER: SupplierAdmin_INTERFACE, Side.CONSUMER: ConsumerAdmin_INTERFACE}
_FORMS: Final = dict(zip(ClientType, Form, strict=True))


class PlacedServant(ObjectServant):
    """The servant of a channel, admin or proxy."""

    @property
    def place(self) -> Place:
        """Return the place that the object key names."""
        place = self.key.place
        assert place is not None
        return place

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

    def admin_reference(self, side: Side, id: int) -> Reference:
        """Return the reference of an admin of the channel."""
        key = ObjectKey.at(Place(self.key.ids[0], side, id), self.key.grant)
        return self.reference(key.kind, key.ids, _ADMINS[side])


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

    def _attached(self) -> Mapping[int, int]:
        view = self.view()
        assert not isinstance(view, ChannelInfo)
        return view.filters


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
        found: int | None = getattr(self.view(), f"{purpose}_filter")
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


class FactoryObject(ObjectServant, EventChannelFactoryServant):
    """CosNotifyChannelAdmin::EventChannelFactory."""

    async def create_channel(
        self, initial_qos: Sequence[Property], initial_admin: Sequence[Property]
    ) -> tuple[Reference, int]:
        """Create a channel; return its reference and id."""
        qos, admin = request_in(initial_qos), request_in(initial_admin)
        made: int = await self.door.ask(CreateChannel(new_origin(), qos, admin))
        return self._channel(made), made

    async def get_all_channels(self) -> Sequence[int]:
        """Return the ids of all channels that the principal may see."""
        return tuple(self.door.views.channel_ids())

    async def get_event_channel(self, id: int) -> Reference:
        """Return a channel by id."""
        self.door.views.channel(id)  # exists and is visible
        return self._channel(id)

    def _channel(self, id: int) -> Reference:
        return self.reference("channel", (id,), EventChannel_INTERFACE)


class ChannelObject(QosPart, EventChannelServant):
    """CosNotifyChannelAdmin::EventChannel."""

    async def get_admin(self) -> Sequence[Property]:
        """Return the channel's admin properties."""
        return properties_out(self._info().admin, ADMIN_PROPERTIES)

    async def get_MyFactory(self) -> Reference:
        """Return the factory of all channels."""
        return self.reference("factory", (), EventChannelFactory_INTERFACE)

    async def get_default_filter_factory(self) -> Reference:
        """Return the filter factory; all channels share it and its filters."""
        return self.reference("filter factory", (), FilterFactory_INTERFACE)

    async def for_consumers(self) -> Reference:
        """Return the consumer admin with id 0."""
        return self.admin_reference(Side.CONSUMER, 0)

    async def for_suppliers(self) -> Reference:
        """Return the supplier admin with id 0."""
        return self.admin_reference(Side.SUPPLIER, 0)

    get_default_consumer_admin = for_consumers
    get_default_supplier_admin = for_suppliers

    async def new_for_consumers(self, op: InterFilterGroupOperator) -> tuple[Reference, int]:
        """Create a consumer admin; return its reference and id."""
        return await self._new_admin(Side.CONSUMER, op)

    async def new_for_suppliers(self, op: InterFilterGroupOperator) -> tuple[Reference, int]:
        """Create a supplier admin; return its reference and id."""
        return await self._new_admin(Side.SUPPLIER, op)

    async def get_consumeradmin(self, id: int) -> Reference:
        """Return a consumer admin by id."""
        return self._known_admin(Side.CONSUMER, id)

    async def get_supplieradmin(self, id: int) -> Reference:
        """Return a supplier admin by id."""
        return self._known_admin(Side.SUPPLIER, id)

    async def get_all_consumeradmins(self) -> Sequence[int]:
        """Return the ids of all consumer admins, including the default one."""
        return self._info().consumer_admins

    async def get_all_supplieradmins(self) -> Sequence[int]:
        """Return the ids of all supplier admins, including the default one."""
        return self._info().supplier_admins

    def _info(self) -> ChannelInfo:
        return self.door.views.channel(self.key.ids[0])

    async def _new_admin(self, side: Side, op: InterFilterGroupOperator) -> tuple[Reference, int]:
        made: int = await self.door.ask(NewAdmin(self.key.ids[0], side, Operator(op.value)))
        return self.admin_reference(side, made), made

    def _known_admin(self, side: Side, id: int) -> Reference:
        info = self._info()
        if id not in (info.consumer_admins if side is Side.CONSUMER else info.supplier_admins):
            raise AdminNotFound(f"channel {info.id} has no {side.value} admin {id}")
        return self.admin_reference(side, id)


class AdminPart(QosPart, FilterPart):
    """Operations shared by the admins of both sides, which name some of them differently."""

    async def get_MyID(self) -> int:
        """Return the admin's id, unique on its side of the channel."""
        return self._info().id

    async def get_MyChannel(self) -> Reference:
        """Return the channel."""
        return self.reference("channel", self.key.ids[:1], EventChannel_INTERFACE)

    async def get_MyOperator(self) -> InterFilterGroupOperator:
        """Return how the admin's filters combine with those of its proxies."""
        return InterFilterGroupOperator(self._info().operator.value)

    async def _get_pulling(self) -> Sequence[int]:
        return self._proxies(Style.PULL)

    async def _get_pushing(self) -> Sequence[int]:
        return self._proxies(Style.PUSH)

    async def _get_proxy(self, proxy_id: int) -> Reference:
        if proxy_id not in self._info().proxies:
            raise ProxyNotFound(f"the {self.place} has no proxy {proxy_id}")
        info = self.door.views.proxy(self.key.ids[0], proxy_id)
        kind = kind_of(info.side, info.style, info.form)
        return self.reference("proxy", (info.channel, proxy_id), kind.proxy)

    async def _obtain_pulling(self, ctype: ClientType) -> tuple[Reference, int]:
        return await self._obtain(Style.PULL, _FORMS[ctype])

    async def _obtain_pushing(self, ctype: ClientType) -> tuple[Reference, int]:
        return await self._obtain(Style.PUSH, _FORMS[ctype])

    async def _obtain_bare_pulling(self) -> Reference:
        return (await self._obtain(Style.PULL, Form.ANY, bare=True))[0]

    async def _obtain_bare_pushing(self) -> Reference:
        return (await self._obtain(Style.PUSH, Form.ANY, bare=True))[0]

    async def _obtain(
        self, style: Style, form: Form, *, bare: bool = False
    ) -> tuple[Reference, int]:
        """Create a proxy; return its reference and id."""
        channel, side, admin = self.place.channel, self.place.side, self.place.admin
        assert side is not None
        assert admin is not None
        command = ObtainProxy(channel, side, style, form, admin, bare=bare)
        made: int = await self.door.ask(command)
        interface = kind_of(side, style, form, bare).proxy
        return self.reference("proxy", (channel, made), interface), made

    def _info(self) -> AdminInfo:
        info = self.view()
        assert isinstance(info, AdminInfo)
        return info

    def _proxies(self, style: Style) -> Sequence[int]:
        proxy, channel = self.door.views.proxy, self.key.ids[0]
        return tuple(id for id in self._info().proxies if proxy(channel, id).style is style)


class ConsumerAdminObject(AdminPart, MappingPart, ConsumerAdminServant):
    """CosNotifyChannelAdmin::ConsumerAdmin."""

    get_pull_suppliers = AdminPart._get_pulling
    get_push_suppliers = AdminPart._get_pushing
    get_proxy_supplier = AdminPart._get_proxy
    obtain_notification_pull_supplier = AdminPart._obtain_pulling
    obtain_notification_push_supplier = AdminPart._obtain_pushing
    obtain_pull_supplier = AdminPart._obtain_bare_pulling
    obtain_push_supplier = AdminPart._obtain_bare_pushing


class SupplierAdminObject(AdminPart, SupplierAdminServant):
    """CosNotifyChannelAdmin::SupplierAdmin."""

    get_pull_consumers = AdminPart._get_pulling
    get_push_consumers = AdminPart._get_pushing
    get_proxy_consumer = AdminPart._get_proxy
    obtain_notification_pull_consumer = AdminPart._obtain_pulling
    obtain_notification_push_consumer = AdminPart._obtain_pushing
    obtain_pull_consumer = AdminPart._obtain_bare_pulling
    obtain_push_consumer = AdminPart._obtain_bare_pushing
