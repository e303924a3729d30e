"""The service on real sockets: a host in memory, its ORB, and an ORB of clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any as Whatever
from typing import TypeVar

import pytest

from tidings.channel.settings import DEFAULT_SETTINGS, Settings
from tidings.cos.CosNotification_auto import EventType, Property
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannel, EventChannelFactory
from tidings.cos.CosNotifyFilter_auto import ConstraintExp, FilterFactory
from tidings.engine.access import KINDS, Grant, Keys, ObjectKey, Principal
from tidings.engine.host import Host
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.events.reference import Reference
from tidings.orb.aio import Orb
from tidings.orb.exceptions import OMG, SystemException
from tidings.orb.stubs import Servant, Stub
from tidings.servants.makers import MAKERS
from tidings.servants.service import CorbaService

_T = TypeVar("_T")
AnyStub = TypeVar("AnyStub", bound=Stub)

PATIENCE = 8.0
SECRET = b"a secret of the tests"
ANN = 7
"""The grant of somebody who does not own the service."""


@dataclass
class Scene:
    """A service and a client of it.

    Attributes:
        service: The service.
        server: Its ORB.
        client: The ORB of its clients.
    """

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
        key = ObjectKey(kind, ids, grant)
        return self.stub(cls, self.service.reference(key, cls.INTERFACE))

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
async def scene(settings: Settings = DEFAULT_SETTINGS) -> AsyncIterator[Scene]:
    """A service that runs while the context lasts."""
    host = await Host.open(None, settings=settings)
    found: list[CorbaService] = []

    def find(key: bytes) -> Servant | None:
        return found[0].find(key)

    try:
        async with Orb(find=find) as server, Orb() as client:
            await server.listen()
            service = CorbaService(host, server, Keys(SECRET), MAKERS)
            service.grants[ANN] = Grant(ANN, Principal("ann"))
            found.append(service)
            yield Scene(service, server, client)
    finally:
        await host.close(0.0)


def play(part: Callable[[Scene], Awaitable[None]], settings: Settings = DEFAULT_SETTINGS) -> None:
    """Runs a test with a scene; one that hangs fails."""

    async def whole() -> None:
        async with scene(settings) as made:
            await part(made)

    run(whole())


def run(work: Coroutine[Whatever, Whatever, _T]) -> _T:
    """Runs a test; one that hangs fails."""

    async def bounded() -> _T:
        return await asyncio.wait_for(work, PATIENCE)

    return asyncio.run(bounded())


async def until(condition: Callable[[], object]) -> None:
    """Waits until something is so."""
    async with asyncio.timeout(PATIENCE / 2):
        while not condition():  # noqa: ASYNC110 -- whatever a test wants to see
            await asyncio.sleep(0.001)


async def refused(work: Awaitable[object], kind: type[SystemException]) -> SystemException:
    """The system exception that a call ends with."""
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
