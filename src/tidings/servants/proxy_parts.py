"""What several kinds of proxies have in common."""

from __future__ import annotations

from typing import ClassVar, Final

from tidings.channel.management import Resume
from tidings.channel.vocabulary import Side
from tidings.cos.CosNotifyChannelAdmin_auto import (
    ConsumerAdmin_INTERFACE,
    ProxyType,
    SupplierAdmin_INTERFACE,
)
from tidings.events.reference import Reference
from tidings.servants.client_kinds import ClientKind
from tidings.servants.parts import SIDES, FilterPart, MappingPart, PlacedServant, QosPart
from tidings.servants.proxy_kinds import proxy_type
from tidings.servants.pulled import Pulled

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

    async def connect_client(self, client: Reference) -> None:
        """Connects the client, which may be nil if it is not called."""
        channel, proxy = self.key.ids
        await self.service.clients.connect(self.door, channel, proxy, self.CLIENT, client)


class StandardPart(ProxyPart, QosPart, FilterPart):
    """A proxy of the Notification Service; one for suppliers is nothing more."""

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


class SupplierProxyPart(StandardPart, MappingPart):
    """A proxy that takes the place of a supplier: CosNotifyChannelAdmin::ProxySupplier."""


class SuspendPart(ProxyPart):
    """Proxies that call their clients, and can be asked to pause."""

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
