"""Object keys over IIOP: what was not handed to a caller, or is over, opens nothing."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.edges.orb.raw import NO_EXCEPTION, REPLY, SYSTEM_EXCEPTION, Peer, request
from tests.edges.servants.scenes import SECRET, whole
from tests.real.attacks.scene import MARK, under_attack
from tidings.channel.management import CreateChannel, DestroyChannel
from tidings.cos import Advertising_auto as advertising
from tidings.cos import CosNaming_auto as naming
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.cos import CosTrading_auto as trading
from tidings.cos import CosTradingRepos_auto as types
from tidings.cos import NotificationServiceAgent_auto as agent
from tidings.cos import SCSModule_auto as scs
from tidings.cos import omniEvents_auto as generic
from tidings.cos import scncomm_auto as subscribers
from tidings.cos import scnmanager_auto as managers
from tidings.engine.access import KINDS, Keys
from tidings.names import new_origin
from tidings.servants.service import CorbaService

IDS: Final[dict[str, tuple[int, ...]]] = {
    "channel": (1,),
    "admin": (1, 1, 0),
    "proxy": (1, 1),
    "filter": (1,),
    "mapping": (1,),
    "naming context": (0,),
    "binding iterator": (0,),
    "advertiser": (1,),
    "offer iterator": (1,),
    "offer id iterator": (1,),
    "admin subscriber": (1,),
    "proxy subscriber": (1, 1, 5),
}
"""Which objects of each kind are attacked; a kind that is not here has no ids."""

BEGIN: Final = (
    *("factory", "filter factory", "naming context", "agent", "generic factory"),
    *("trader", "register", "link", "trader admin", "service types"),
    *("service changes", "event manager", "publisher manager", "subscriber manager"),
    *("admin subscriber", "proxy subscriber"),
)
"""What clients begin with: it is there for everybody, and refuses. Subscribers to changes of
services say that they are there whether they are or not."""

HEALTH: Final = frozenset({"_is_a", "_non_existent", "_component"})

BODIES: Final = (b"", bytes(64), struct.pack("<16I", 1, 1, *[0] * 14))
"""Arguments of operations, whatever they are: none, all zero, and ids of the first objects."""


async def replied(peer: Peer, key: bytes, operation: str, body: bytes = b"") -> tuple[int, bytes]:
    """The status of a request's reply, and what it says."""
    peer.send(request(operation, body, key=key))
    kind, _, found = await peer.receive()
    assert kind == REPLY, found
    return struct.unpack_from("<I", found, 4)[0], found[12:]


@asynccontextmanager
async def peer_of(host: str, port: int) -> AsyncIterator[Peer]:
    peer = await Peer.connect(host, port)
    try:
        yield peer
    finally:
        await peer.close()


def spoilt(key: bytes, kind: str, ids: tuple[int, ...]) -> Iterator[bytes]:
    """Keys that the service has not made: changed at every bit, cut, longer, of other services."""
    for bit in range(8 * len(key)):
        flipped = bytearray(key)
        flipped[bit // 8] ^= 1 << bit % 8
        yield bytes(flipped)
    yield from (key[:size] for size in range(len(key)))
    yield from (key + more for more in (b"\0", b"\xff", key, bytes(4096)))
    yield b"\0" + key
    for secret in (SECRET + b"!", b"\0" * 16, SECRET[::-1]):
        yield Keys(secret).make(kind, ids, 0)
    yield key.hex().encode()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_key_that_was_not_made_here_leads_nowhere(kind: str) -> None:
    async with whole() as made:
        ids = IDS.get(kind, ())
        key = made.opened.service.keys.make(kind, ids, 0)
        async with peer_of(made.address.host, made.address.port) as peer:
            nowhere = await replied(peer, b"made up", "_is_a", BODIES[1])
            assert nowhere[0] == SYSTEM_EXCEPTION
            for other in spoilt(key, kind, ids):
                assert await replied(peer, other, "_is_a", BODIES[1]) == nowhere, other.hex()


async def test_a_key_of_what_is_gone_does_not_lead_to_what_comes_after() -> None:
    async with whole() as made:
        service = made.opened.service
        key = service.keys.make("channel", (1,), 0)
        async with peer_of(made.address.host, made.address.port) as peer:
            assert (await replied(peer, key, "for_consumers"))[0] == NO_EXCEPTION
            await service.host.ask(DestroyChannel(1))
            await service.host.ask(CreateChannel(new_origin(), name="default"))
            nowhere = await replied(peer, b"made up", "for_consumers")
            assert await replied(peer, key, "for_consumers") == nowhere


def corba(service: object) -> CorbaService:
    """The CORBA side of a whole service."""
    found = service._corba._opened.service  # type: ignore[attr-defined]
    assert isinstance(found, CorbaService)
    return found


_INTERFACES: Final = {
    "factory": (channel_admin.EventChannelFactory_INTERFACE,),
    "channel": (channel_admin.EventChannel_INTERFACE,),
    "admin": (channel_admin.ConsumerAdmin_INTERFACE, channel_admin.SupplierAdmin_INTERFACE),
    "proxy": (
        channel_admin.StructuredProxyPullSupplier_INTERFACE,
        channel_admin.StructuredProxyPushConsumer_INTERFACE,
    ),
    "filter": (filters.Filter_INTERFACE,),
    "mapping": (filters.MappingFilter_INTERFACE,),
    "filter factory": (filters.FilterFactory_INTERFACE,),
    "naming context": (naming.NamingContextExt_INTERFACE,),
    "binding iterator": (naming.BindingIterator_INTERFACE,),
    "agent": (agent.Agent_INTERFACE,),
    "advertiser": (advertising.Advertiser_INTERFACE,),
    "generic factory": (generic.EventChannelFactory_INTERFACE,),
    "trader": (trading.Lookup_INTERFACE,),
    "register": (trading.Register_INTERFACE,),
    "link": (trading.Link_INTERFACE,),
    "trader admin": (trading.Admin_INTERFACE,),
    "service types": (types.ServiceTypeRepository_INTERFACE,),
    "offer iterator": (trading.OfferIterator_INTERFACE,),
    "offer id iterator": (trading.OfferIdIterator_INTERFACE,),
    "service changes": (scs.SCS_INTERFACE, managers.SCNComponent_INTERFACE),
    "event manager": (managers.EventManager_INTERFACE,),
    "publisher manager": (managers.PublisherManager_INTERFACE,),
    "subscriber manager": (managers.SubscriberManager_INTERFACE,),
    "admin subscriber": (subscribers.AdminSubscriber_INTERFACE,),
    "proxy subscriber": (
        subscribers.XMLProxyPushSubscriber_INTERFACE,
        subscribers.SequenceStructuredProxyPullSubscriber_INTERFACE,
    ),
}


def operations(kind: str) -> set[str]:
    """All that can be asked of objects of a kind."""
    found = {name for one in _INTERFACES[kind] for name in one.operations}
    return found | {"_is_a", "_non_existent", "_interface", "_component"}


async def test_references_from_before_open_nothing_when_grants_decide(tmp_path: Path) -> None:
    """Whoever kept references, or guesses plain keys, learns nothing and changes nothing."""
    async with under_attack(tmp_path, iiop__enabled=True) as scene:
        service = corba(scene.service)
        places = {**IDS, "filter": (scene.filter,)}
        keys = {service.keys.make(kind, places.get(kind, ()), 0) for kind in KINDS}
        keys |= {service.keys.make("channel", (scene.hall,), 0)}
        keys |= {service.keys.make("proxy", (channel, proxy), 0)
                 for channel in (scene.roads, scene.hall)
                 for proxy in (scene.consumer, scene.supplier)}  # fmt: skip
        plain = {*service.well_known, b"roads", MARK.encode(), b"default"}
        begin = {
            *service.well_known,
            *(service.keys.make(one, IDS.get(one, ()), 0) for one in BEGIN),
        }
        asked = {one for kind in KINDS for one in operations(kind)}
        before = scene.eves()
        async with peer_of("127.0.0.1", service.orb._links.listening[0].port) as peer:
            for operation in sorted(asked):
                for body in BODIES:
                    nowhere = await replied(peer, b"made up", operation, body)
                    assert nowhere[0] == SYSTEM_EXCEPTION
                    for key in keys | plain:
                        found = await replied(peer, key, operation, body)
                        if key in begin and operation in HEALTH:
                            continue  # whether the service is there, everybody may know
                        refused = key in begin and found[0] != NO_EXCEPTION
                        assert found == nowhere or refused, (service.words(key), operation)
        assert scene.eves() == before
