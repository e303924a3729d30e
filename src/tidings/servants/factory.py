"""The factory of channels."""

from __future__ import annotations

from collections.abc import Sequence

from tidings.channel.management import CreateChannel
from tidings.cos.CosNotification_auto import Property
from tidings.cos.CosNotifyChannelAdmin_auto import (
    EventChannel_INTERFACE,
    EventChannelFactoryServant,
)
from tidings.cos.mapping import request_in
from tidings.events.reference import Reference
from tidings.names import new_origin
from tidings.servants.service import ObjectServant


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
