"""A channel: its admins, its properties, its end."""

from __future__ import annotations

from collections.abc import Sequence

from tidings.channel.management import NewAdmin
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.views import ChannelInfo
from tidings.channel.vocabulary import Operator, Side
from tidings.cos.CosNotification_auto import Property
from tidings.cos.CosNotifyChannelAdmin_auto import (
    ConsumerAdmin_INTERFACE,
    EventChannelFactory_INTERFACE,
    EventChannelServant,
    InterFilterGroupOperator,
    SupplierAdmin_INTERFACE,
)
from tidings.cos.CosNotifyFilter_auto import FilterFactory_INTERFACE
from tidings.cos.mapping import properties_out
from tidings.errors import AdminNotFound
from tidings.events.reference import Reference
from tidings.servants.parts import SIDES, QosPart

_ADMINS = {Side.SUPPLIER: SupplierAdmin_INTERFACE, Side.CONSUMER: ConsumerAdmin_INTERFACE}


class ChannelObject(QosPart, EventChannelServant):
    """CosNotifyChannelAdmin::EventChannel."""

    # Admin properties.

    async def get_admin(self) -> Sequence[Property]:
        """How much the channel takes."""
        return properties_out(self._info().admin, ADMIN_PROPERTIES)

    # What belongs to the channel.

    async def get_MyFactory(self) -> Reference:
        """The factory of all channels."""
        return self.reference("factory", (), EventChannelFactory_INTERFACE)

    async def get_default_consumer_admin(self) -> Reference:
        """The admin of consumers with the id 0."""
        return self._admin(Side.CONSUMER, 0)

    async def get_default_supplier_admin(self) -> Reference:
        """The admin of suppliers with the id 0."""
        return self._admin(Side.SUPPLIER, 0)

    async def get_default_filter_factory(self) -> Reference:
        """The one factory of filters; what it makes can be used in every channel."""
        return self.reference("filter factory", (), FilterFactory_INTERFACE)

    async def for_consumers(self) -> Reference:
        """The admin that clients of the Event Service find: the default one."""
        return self._admin(Side.CONSUMER, 0)

    async def for_suppliers(self) -> Reference:
        """The admin that clients of the Event Service find: the default one."""
        return self._admin(Side.SUPPLIER, 0)

    # Admins.

    async def new_for_consumers(self, op: InterFilterGroupOperator) -> tuple[Reference, int]:
        """Makes an admin for consumers; its reference and id."""
        return await self._new_admin(Side.CONSUMER, op)

    async def new_for_suppliers(self, op: InterFilterGroupOperator) -> tuple[Reference, int]:
        """Makes an admin for suppliers; its reference and id."""
        return await self._new_admin(Side.SUPPLIER, op)

    async def get_consumeradmin(self, id: int) -> Reference:
        """The admin of consumers with an id."""
        return self._known_admin(Side.CONSUMER, id)

    async def get_supplieradmin(self, id: int) -> Reference:
        """The admin of suppliers with an id."""
        return self._known_admin(Side.SUPPLIER, id)

    async def get_all_consumeradmins(self) -> Sequence[int]:
        """The ids of all admins of consumers, the default one's among them."""
        return self._info().consumer_admins

    async def get_all_supplieradmins(self) -> Sequence[int]:
        """The ids of all admins of suppliers, the default one's among them."""
        return self._info().supplier_admins

    def _info(self) -> ChannelInfo:
        return self.door.views.channel(self.place.channel)

    async def _new_admin(self, side: Side, op: InterFilterGroupOperator) -> tuple[Reference, int]:
        command = NewAdmin(self.place.channel, side, Operator(op.value))
        made: int = await self.door.ask(command)
        return self._admin(side, made), made

    def _known_admin(self, side: Side, id: int) -> Reference:
        info = self._info()
        if id not in (info.consumer_admins if side is Side.CONSUMER else info.supplier_admins):
            raise AdminNotFound(f"channel {info.id} has no {side.value} admin {id}")
        return self._admin(side, id)

    def _admin(self, side: Side, id: int) -> Reference:
        return self.reference("admin", (self.place.channel, SIDES.index(side), id), _ADMINS[side])
