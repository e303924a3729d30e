"""The service on real sockets: a host in memory, its ORB, and an ORB of clients.

A scene has the objects alone; `whole` is the service as the server opens it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import pytest

from tidings.channel.management import CreateChannel
from tidings.channel.settings import DEFAULT_SETTINGS, Settings
from tidings.cos.CosNaming_auto import NameComponent, NamingContextExt
from tidings.cos.CosNotification_auto import EventType, Property
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannel, EventChannelFactory
from tidings.cos.CosNotifyFilter_auto import ConstraintExp, FilterFactory
from tidings.cos.names import look_up
from tidings.engine.access import KINDS, Caller, Grant, Keys, ObjectKey
from tidings.engine.host import Host
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.reference import Reference
from tidings.names import new_origin
from tidings.orb.aio import Address, Options, Orb
from tidings.orb.exceptions import OMG
from tidings.orb.stubs import Servant, Stub
from tidings.servants.endpoints import ClientOptions
from tidings.servants.opening import MAKERS, Opened, open_service
from tidings.servants.service import CorbaService

AnyError = TypeVar("AnyError", bound=Exception)
AnyStub = TypeVar("AnyStub", bound=Stub)

SECRET = b"a secret of the tests"
ANN = 7
"""The grant of somebody who does not own the service."""


@dataclass
class Scene:
    """A service, its ORB, and the ORB of its clients."""

    service: CorbaService
    server: Orb
    client: Orb

    def stub(self, cls: type[AnyStub], reference: Reference) -> AnyStub:
        """An object, as a client has it."""
        return self.client.stub(cls, reference)

    def known(
        self, cls: type[AnyStub], kind: str, ids: tuple[int, ...] = (), grant: int = 0
    ) -> AnyStub:
        """An object whose kind and ids are known."""
        assert kind in KINDS
        return self.stub(cls, self.service.reference(ObjectKey(kind, ids, grant), cls.INTERFACE))

    @property
    def factory(self) -> EventChannelFactory:
        """The factory of channels."""
        return self.known(EventChannelFactory, "factory")

    @property
    def filters(self) -> FilterFactory:
        """The factory of filters."""
        return self.known(FilterFactory, "filter factory")

    async def channel(self) -> EventChannel:
        """A new channel."""
        reference, _ = await self.factory.create_channel((), ())
        return self.stub(EventChannel, reference)


@asynccontextmanager
async def new_scene(settings: Settings = DEFAULT_SETTINGS) -> AsyncIterator[Scene]:
    """A service that runs while the context lasts."""
    host = await Host.open(None, settings=settings)
    found: list[CorbaService] = []

    def find(key: bytes) -> Servant | None:
        return found[0].find(key)

    try:
        async with Orb(find=find) as server, Orb() as client:
            await server.listen()
            service = CorbaService(host, server, Keys(SECRET), MAKERS)
            service.grants[ANN] = Grant(ANN, Caller("ann"))
            found.append(service)
            yield Scene(service, server, client)
    finally:
        await host.close(0.0)


async def refused(work: Awaitable[object], kind: type[AnyError]) -> AnyError:
    """The exception that a call ends with."""
    with pytest.raises(kind) as told:
        await work
    return told.value


UNKNOWN_OBJECT = OMG | 1


def short(name: str, value: int) -> Property:
    """A property with a short."""
    return Property(name, Any(tc.SHORT, value))


def long(name: str, value: int) -> Property:
    """A property with a long."""
    return Property(name, Any(tc.LONG, value))


def expression(text: str, *types: tuple[str, str]) -> ConstraintExp:
    """A constraint as a client writes it."""
    return ConstraintExp(tuple(EventType(*one) for one in types), text)


# The whole service.

PROPERTIES = {"http.port": "8080", "httpport": "8080", "name": "factory"}


def name(*ids: str) -> tuple[NameComponent, ...]:
    """A name whose components have no kinds."""
    return tuple(NameComponent(id, "") for id in ids)


@dataclass
class Whole:
    """The service and a client of it; its default channel has the id 1 and the name `default`."""

    opened: Opened
    client: Orb
    address: Address

    @property
    def root(self) -> NamingContextExt:
        """The naming service, as a client begins with it."""
        return self.plain(NamingContextExt, "NameService")

    def plain(self, cls: type[AnyStub], key: str) -> AnyStub:
        """An object by its plain key."""
        return self.client.stub(cls, f"corbaloc::{self.address}/{key}")


@asynccontextmanager
async def whole(*, open_well_known: bool = False) -> AsyncIterator[Whole]:
    """The service, while the context lasts."""
    host = await Host.open(None)
    clients = ClientOptions()
    opened = open_service(
        host,
        Options(),
        SECRET,
        lambda: PROPERTIES,
        clients=clients,
        open_well_known=open_well_known,
    )
    try:
        address = await opened.service.orb.listen("127.0.0.1", 0)
        opened.publish(await host.ask(CreateChannel(new_origin(), name="default")))
        async with Orb(names=look_up) as client:
            yield Whole(opened, client, address)
    finally:
        await opened.close()
        await host.close(0.0)
