"""A channel: its admins, properties and destruction."""

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

    async def get_admin(self) -> Sequence[Property]:
        """Return the channel's admin properties."""
        return properties_out(self._info().admin, ADMIN_PROPERTIES)

    async def get_MyFactory(self) -> Reference:
        """Return the factory of all channels."""
        return self.reference("factory", (), EventChannelFactory_INTERFACE)

    async def get_default_consumer_admin(self) -> Reference:
        """Return the consumer admin with id 0."""
        return self._admin(Side.CONSUMER, 0)

    async def get_default_supplier_admin(self) -> Reference:
        """Return the supplier admin with id 0."""
        return self._admin(Side.SUPPLIER, 0)

    async def get_default_filter_factory(self) -> Reference:
        """Return the filter factory; all channels share it and its filters."""
        return self.reference("filter factory", (), FilterFactory_INTERFACE)

    async def for_consumers(self) -> Reference:
        """Return the default consumer admin, for Event Service clients."""
        return self._admin(Side.CONSUMER, 0)

    async def for_suppliers(self) -> Reference:
        """Return the default supplier admin, for Event Service clients."""
        return self._admin(Side.SUPPLIER, 0)

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
