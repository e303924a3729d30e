"""Operations shared by kinds of proxies."""

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

# Pulled events count as delivered only once their answer is written. The lease, in
# microseconds, covers that time.
_LEASE: Final = 30_000_000
# More events than this in one answer would delay other clients.
_MOST: Final = 10_000


class ProxyPart(PlacedServant):
    """A proxy; all there is to an Event Service proxy. `CLIENT` is the kind of its client."""

    CLIENT: ClassVar[ClientKind]

    async def connect_client(self, client: Reference) -> None:
        """Connect the client, which may be nil if it is not called."""
        channel, proxy = self.key.ids
        await self.service.clients.connect(self.door, channel, proxy, self.CLIENT, client)


class StandardPart(ProxyPart, QosPart, FilterPart):
    """A proxy of the Notification Service; all there is to one for suppliers."""

    async def get_MyType(self) -> ProxyType:
        """Return the proxy's style and form."""
        return proxy_type(self.CLIENT.style, self.CLIENT.form)

    async def get_MyAdmin(self) -> Reference:
        """Return the admin it was obtained from."""
        side = self.CLIENT.side
        consumes = side is Side.CONSUMER
        interface = ConsumerAdmin_INTERFACE if consumes else SupplierAdmin_INTERFACE
        channel, proxy = self.key.ids
        ids = (channel, SIDES.index(side), self.door.views.proxy(channel, proxy).admin)
        return self.reference("admin", ids, interface)


class SupplierProxyPart(StandardPart, MappingPart):
    """A proxy that acts as a supplier: CosNotifyChannelAdmin::ProxySupplier."""


class SuspendPart(ProxyPart):
    """Proxies that call their clients and can be suspended."""

    async def resume_connection(self) -> None:
        """Resume with the waiting events."""
        channel, proxy = self.key.ids
        await self.door.ask(Resume(channel, proxy))
        reached = self.service.clients.reached(channel, proxy)
        if reached is not None:
            reached.go_on()


class PullingPart(ProxyPart):
    """Proxies for pulling, through the methods that `handing_out` names."""

    async def hand_out(self, most: int = 1) -> Pulled:
        """Wait for events; return between 1 and `most`."""
        return await self._pull(most, wait=True)

    async def hand_out_now(self, most: int = 1) -> Pulled:
        """Return the available events, at most `most`."""
        return await self._pull(most, wait=False)

    async def _pull(self, most: int, *, wait: bool) -> Pulled:
        channel, proxy = self.key.ids
        most = min(most, _MOST)
        patience = None if wait else 0
        found = await self.door.pull(channel, proxy, most, patience, _LEASE)
        while wait and not found.messages:  # the waiting events could not be read from disk
            found = await self.door.pull(channel, proxy, most, patience, _LEASE)
        return Pulled(self.door, channel, proxy, found.messages)
