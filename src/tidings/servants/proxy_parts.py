"""What several kinds of proxies have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from tidings.channel.management import (
    Disconnect,
    ObtainTypes,
    OfferChange,
    Resume,
    SubscriptionChange,
    Suspend,
    ValidateEventQoS,
)
from tidings.channel.qos import QOS_PROPERTIES
from tidings.channel.vocabulary import InfoMode, Side
from tidings.cos.CosNotification_auto import EventType, NamedPropertyRange, Property
from tidings.cos.CosNotifyChannelAdmin_auto import (
    ConsumerAdmin_INTERFACE,
    ObtainInfoMode,
    ProxyType,
    SupplierAdmin_INTERFACE,
)
from tidings.events.reference import Reference
from tidings.servants.client_kinds import ClientKind
from tidings.servants.parts import SIDES, FilterPart, MappingPart, PlacedServant, QosPart
from tidings.servants.properties import properties_in, ranges_out
from tidings.servants.proxy_kinds import proxy_type
from tidings.servants.pulled import Pulled
from tidings.servants.types import types_in, types_out

# What a pull takes counts as delivered only when its answer is made. Within this time, in
# microseconds, it is.
_LEASE: Final = 30_000_000
# More events than this in one answer would hold up others.
_MOST: Final = 10_000


class ProxyPart(PlacedServant):
    """A proxy; those of the Event Service are nothing more.

    Attributes:
        CLIENT: What its client must be.
    """

    CLIENT: ClassVar[ClientKind]

    async def _connect(self, client: Reference) -> None:
        channel, proxy = self.key.ids
        await self.service.clients.connect(self.door, channel, proxy, self.CLIENT, client)

    async def _disconnect(self) -> None:
        """Ends the proxy; its client is told, too."""
        channel, proxy = self.key.ids
        await self.door.ask(Disconnect(channel, proxy))


class StandardPart(ProxyPart, QosPart, FilterPart):
    """A proxy of the Notification Service."""

    async def get_MyType(self) -> ProxyType:
        """Who begins, and in which form events go through."""
        return proxy_type(self.CLIENT.style, self.CLIENT.form)

    async def get_MyAdmin(self) -> Reference:
        """The admin it was obtained from."""
        side = self.CLIENT.side
        consumes = side is Side.CONSUMER
        interface = ConsumerAdmin_INTERFACE if consumes else SupplierAdmin_INTERFACE
        channel, proxy = self.key.ids
        ids = (channel, SIDES.index(side), self.door.views.proxy(channel, proxy).admin)
        return self.reference("admin", ids, interface)

    async def validate_event_qos(
        self, required_qos: Sequence[Property]
    ) -> Sequence[NamedPropertyRange]:
        """What else the header of an event could carry beside this."""
        channel, proxy = self.key.ids
        command = ValidateEventQoS(channel, proxy, properties_in(required_qos))
        return ranges_out(await self.door.ask(command), QOS_PROPERTIES)

    async def _types(self, mode: ObtainInfoMode) -> Sequence[EventType]:
        channel, proxy = self.key.ids
        command = ObtainTypes(channel, proxy, InfoMode[mode.name])
        return types_out(await self.door.ask(command))


class ConsumerProxyPart(StandardPart):
    """A proxy that takes the place of a consumer: CosNotifyChannelAdmin::ProxyConsumer."""

    async def obtain_subscription_types(self, mode: ObtainInfoMode) -> Sequence[EventType]:
        """What consumers ask for; whether the supplier is told of changes."""
        return await self._types(mode)

    async def offer_change(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        """The supplier says what it will send."""
        new = types_in(added)
        await self.door.ask(OfferChange(self.place, new, types_in(removed)))


class SupplierProxyPart(StandardPart, MappingPart):
    """A proxy that takes the place of a supplier: CosNotifyChannelAdmin::ProxySupplier."""

    async def obtain_offered_types(self, mode: ObtainInfoMode) -> Sequence[EventType]:
        """What suppliers offer; whether the consumer is told of changes."""
        return await self._types(mode)

    async def subscription_change(
        self, added: Sequence[EventType], removed: Sequence[EventType]
    ) -> None:
        """The consumer says what it asks for."""
        new = types_in(added)
        await self.door.ask(SubscriptionChange(self.place, new, types_in(removed)))


class SuspendPart(ProxyPart):
    """Proxies that call their clients, and can be asked to pause."""

    async def suspend_connection(self) -> None:
        """Calls the client no more with events, or for them."""
        channel, proxy = self.key.ids
        await self.door.ask(Suspend(channel, proxy))

    async def resume_connection(self) -> None:
        """Goes on with what has waited."""
        channel, proxy = self.key.ids
        await self.door.ask(Resume(channel, proxy))
        reached = self.service.clients.reached(channel, proxy)
        if reached is not None:
            reached.go_on()


class PullingPart(ProxyPart):
    """Proxies that are asked for events, by the methods that `handing_out` names."""

    async def hand_out(self, most: int = 1) -> Pulled:
        """The next events, at least one and at most so many; waits for them."""
        return await self._pull(most, wait=True)

    async def hand_out_now(self, most: int = 1) -> Pulled:
        """The events there are now, at most so many."""
        return await self._pull(most, wait=False)

    async def _pull(self, most: int, *, wait: bool) -> Pulled:
        channel, proxy = self.key.ids
        most = min(most, _MOST)
        patience = None if wait else 0
        found = await self.door.pull(channel, proxy, most, patience, _LEASE)
        while wait and not found.messages:  # what there was could not be read from the disk
            found = await self.door.pull(channel, proxy, most, patience, _LEASE)
        return Pulled(self.door, channel, proxy, found.messages)
