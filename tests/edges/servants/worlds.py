"""A service that can be opened again, and clients of every kind that write down what they get."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any as Whatever
from typing import TypeVar

from tests.edges.servants.scenes import SECRET
from tests.patience import PATIENCE
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_admin
from tidings.cos import CosEventComm_auto as event_comm
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos.CosNotification_auto import EventType, Property, StructuredEvent
from tidings.cos.events import NO_EVENT, event_out
from tidings.engine.access import Keys, ObjectKey
from tidings.engine.host import Host
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.reference import Reference
from tidings.orb.aio import Options, Orb, Targets
from tidings.orb.stubs import Servant, Stub
from tidings.servants.endpoints import ClientOptions
from tidings.servants.opening import MAKERS
from tidings.servants.service import NIL, CorbaService

AnyStub = TypeVar("AnyStub", bound=Stub)

QUICK = Settings(retry_first=20_000, retry_longest=40_000, poll_interval=5_000)
"""Failed calls are made again soon, pull suppliers are asked often."""
QUICK_CLIENTS = ClientOptions(call_seconds=0.5, notice_seconds=0.5, check_seconds=0.5)

PERSISTENT = (
    Property("EventReliability", Any(tc.SHORT, 1)),
    Property("ConnectionReliability", Any(tc.SHORT, 1)),
)
FIRST_COME = (Property("OrderPolicy", Any(tc.SHORT, 1)),)
BATCHES = (*FIRST_COME, Property("MaximumBatchSize", Any(tc.LONG, 100)))


@dataclass
class World:
    """A service, and the ORB of its clients, which outlives it."""

    client: Orb
    service: CorbaService

    @property
    def host(self) -> Host:
        """The channels."""
        return self.service.host

    def stub(self, cls: type[AnyStub], reference: Reference) -> AnyStub:
        """An object, as a client has it."""
        return self.client.stub(cls, reference)

    def activate(self, servant: Servant) -> Reference:
        """Makes a client callable."""
        return self.client.activate(servant, f"client {next(_KEYS)}".encode())

    async def channel(self, *qos: Property) -> admin.EventChannel:
        """A new channel."""
        key = ObjectKey("factory", (), 0)
        factory = self.service.reference(key, admin.EventChannelFactory_INTERFACE)
        reference, _ = await self.stub(admin.EventChannelFactory, factory).create_channel(qos, ())
        return self.stub(admin.EventChannel, reference)

    async def proxy(
        self,
        channel: admin.EventChannel,
        side: Side,
        style: Style,
        form: Form,
        *,
        bare: bool = False,
    ) -> Whatever:
        """A new proxy of the default admin: a stub of its own interface."""
        of: Whatever
        if side is Side.CONSUMER:
            of, peer = self.stub(admin.ConsumerAdmin, await channel.for_consumers()), "supplier"
        else:
            of, peer = self.stub(admin.SupplierAdmin, await channel.for_suppliers()), "consumer"
        if bare:
            reference = await getattr(of, f"obtain_{style.value}_{peer}")()
        else:
            obtain = getattr(of, f"obtain_notification_{style.value}_{peer}")
            reference, _ = await obtain(list(admin.ClientType)[form])
        name = reference.type_id.rpartition("/")[2].removesuffix(":1.0")
        return self.stub(getattr(event_admin if bare else admin, name), reference)


_KEYS = count()


@asynccontextmanager
async def opened(
    client: Orb,
    folder: Path | None = None,
    port: int = 0,
    settings: Settings = QUICK,
    options: ClientOptions = QUICK_CLIENTS,
    targets: Targets | None = None,
    secret: bytes = SECRET,
) -> AsyncIterator[World]:
    """A service, while the context lasts; its clients are found again if it was open before."""
    host = await Host.open(folder, settings=settings)
    found: list[CorbaService] = []

    def find(key: bytes) -> Servant | None:
        return found[0].find(key)

    server = Orb(Options(close_seconds=0.2, targets=targets), find=find)
    try:
        await server.listen("127.0.0.1", port)
        service = CorbaService(host, server, Keys(secret), MAKERS, client_options=options)
        found.append(service)
        await service.clients.reconnect()
        yield World(client, service)
    finally:
        await host.close(0.0)
        for service in found:
            await service.clients.close()
        await server.close()


@asynccontextmanager
async def world(
    folder: Path | None = None,
    settings: Settings = QUICK,
    options: ClientOptions = QUICK_CLIENTS,
    targets: Targets | None = None,
) -> AsyncIterator[World]:
    """A service and clients, while the context lasts."""
    async with Orb(Options(close_seconds=0.2)) as client:
        await client.listen()
        async with opened(client, folder, 0, settings, options, targets) as made:
            yield made


class Written:
    """What a client writes down.

    Attributes:
        got: Events, in the form they came in; for sequences the single events.
        batches: How many events came together.
        notices: Event types that were added and removed.
        goodbyes: How often it was told that its proxy is gone.
        during: Awaited in every call that brings events.
        has: What a pull supplier has.
    """

    def __init__(self) -> None:
        self.got: list[Whatever] = []
        self.batches: list[int] = []
        self.notices: list[tuple[tuple[EventType, ...], tuple[EventType, ...]]] = []
        self.goodbyes = 0
        self.during: Callable[[], Awaitable[object]] | None = None
        self.has: deque[Whatever] = deque()

    async def take(self, *events: Whatever) -> None:
        """Writes events down, after whatever is to happen before."""
        if self.during is not None:
            await self.during()
        self.got += events
        self.batches.append(len(events))

    async def notice(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        """Writes changed event types down."""
        self.notices.append((tuple(added), tuple(removed)))

    async def goodbye(self) -> None:
        """Writes down that the proxy is gone."""
        self.goodbyes += 1

    offer_change = subscription_change = notice
    disconnect_push_consumer = disconnect_pull_consumer = goodbye
    disconnect_push_supplier = disconnect_pull_supplier = goodbye
    disconnect_structured_push_consumer = disconnect_structured_pull_consumer = goodbye
    disconnect_structured_push_supplier = disconnect_structured_pull_supplier = goodbye
    disconnect_sequence_push_consumer = disconnect_sequence_pull_consumer = goodbye
    disconnect_sequence_push_supplier = disconnect_sequence_pull_supplier = goodbye

    async def push(self, data: Whatever) -> None:
        """Of push consumers of anys."""
        await self.take(data)

    push_structured_event = push

    async def push_structured_events(self, notifications: Sequence[StructuredEvent]) -> None:
        """Of push consumers of sequences."""
        await self.take(*notifications)

    async def try_pull(self) -> tuple[Whatever, bool]:
        """Of pull suppliers of anys."""
        return (self.has.popleft(), True) if self.has else (None, False)

    async def try_pull_structured_event(self) -> tuple[StructuredEvent, bool]:
        """Of pull suppliers of structured events."""
        return (self.has.popleft(), True) if self.has else (NO_EVENT, False)

    async def try_pull_structured_events(
        self, max_number: int
    ) -> tuple[Sequence[StructuredEvent], bool]:
        """Of pull suppliers of sequences."""
        found = [self.has.popleft() for _ in range(min(max_number, len(self.has)))]
        return found, bool(found)


# Those named after events know nothing of the Notification Service.


class AnyPushConsumer(Written, comm.PushConsumerServant): ...


class EventPushConsumer(Written, event_comm.PushConsumerServant): ...


class StructuredPushConsumer(Written, comm.StructuredPushConsumerServant): ...


class SequencePushConsumer(Written, comm.SequencePushConsumerServant): ...


class AnyPullConsumer(Written, comm.PullConsumerServant): ...


class EventPullConsumer(Written, event_comm.PullConsumerServant): ...


class StructuredPullConsumer(Written, comm.StructuredPullConsumerServant): ...


class SequencePullConsumer(Written, comm.SequencePullConsumerServant): ...


class AnyPushSupplier(Written, comm.PushSupplierServant): ...


class EventPushSupplier(Written, event_comm.PushSupplierServant): ...


class StructuredPushSupplier(Written, comm.StructuredPushSupplierServant): ...


class SequencePushSupplier(Written, comm.SequencePushSupplierServant): ...


class AnyPullSupplier(Written, comm.PullSupplierServant): ...


class EventPullSupplier(Written, event_comm.PullSupplierServant): ...


class StructuredPullSupplier(Written, comm.StructuredPullSupplierServant): ...


class SequencePullSupplier(Written, comm.SequencePullSupplierServant): ...


@dataclass(frozen=True)
class Kind:
    """A kind of client: how it is made, obtained and connected."""

    client: type[Written]
    side: Side
    style: Style
    form: Form
    bare: bool
    connect: str

    def __str__(self) -> str:
        return self.client.__name__


def _kinds(side: Side) -> list[Kind]:
    found = []
    for style in Style:
        for name, form, infix in [
            ("Any", Form.ANY, "any_"),
            ("Structured", Form.STRUCTURED, "structured_"),
            ("Sequence", Form.SEQUENCE, "sequence_"),
            ("Event", Form.ANY, ""),
        ]:
            who = f"{style.value.title()}{side.value.title()}"
            connect = f"connect_{infix}{style.value}_{side.value}"
            found.append(Kind(globals()[name + who], side, style, form, not infix, connect))
    return found


CONSUMERS = _kinds(Side.CONSUMER)
SUPPLIERS = _kinds(Side.SUPPLIER)


async def joined(
    world: World, channel: admin.EventChannel, kind: Kind, *, qos: Sequence[Property] = ()
) -> tuple[Whatever, Whatever]:
    """A new client of a kind and the proxy it is connected to."""
    proxy = await world.proxy(channel, kind.side, kind.style, kind.form, bare=kind.bare)
    client: Whatever = kind.client()
    if qos:
        await proxy.set_qos(qos)
    await getattr(proxy, kind.connect)(world.activate(client))
    return client, proxy


async def structured_pair(
    world: World, channel: admin.EventChannel
) -> tuple[Whatever, StructuredPushConsumer, Whatever]:
    """A proxy to push to, a consumer, and the consumer's proxy."""
    supply = await world.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
    await supply.connect_structured_push_supplier(NIL)
    consumer, proxy = await joined(world, channel, kind_of(StructuredPushConsumer))
    return supply, consumer, proxy


def kind_of(client: type[Written]) -> Kind:
    """The kind that a class of clients is of."""
    return next(kind for kind in (*CONSUMERS, *SUPPLIERS) if kind.client is client)


async def until(condition: Callable[[], object]) -> None:
    """Waits until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 -- whatever a test wants to see
            await asyncio.sleep(0.002)


def numbered(number: int) -> StructuredEvent:
    """An event that has a number for its name."""
    return event_out(event("D", "T", str(number), {"n": number}))


def numbers(events: Sequence[StructuredEvent]) -> list[int]:
    """The numbers of such events."""
    return [int(one.header.fixed_header.event_name) for one in events]


async def push_all(proxy: Whatever, many: range) -> None:
    """Pushes without waiting for answers in between."""
    await asyncio.gather(*(proxy.push_structured_event(numbered(number)) for number in many))
