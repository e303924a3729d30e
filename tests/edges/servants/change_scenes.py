"""Change notification as CORBA clients have it: five notices, and subscribers of six kinds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from tests.edges.engine.hosts import soon, turns
from tests.edges.servants.scenes import SECRET
from tests.patience import PATIENCE
from tidings.changes.requests import SeeChangeStatus
from tidings.changes.xml import read_notice
from tidings.clock import to_timebase
from tidings.cos import scncomm_auto as comm
from tidings.cos import scnmanager_auto as manager
from tidings.cos import scnmesg_auto as mesg
from tidings.cos.CosTrading_auto import Property as Value
from tidings.cos.SCSModule_auto import SCS
from tidings.cos.TimeBase_auto import TimeT_TYPE, UtcT
from tidings.engine.host import Host
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.reference import Reference
from tidings.orb.aio import Options, Orb
from tidings.orb.ior import NIL
from tidings.orb.stubs import Servant, Stub
from tidings.servants.endpoints import ClientOptions
from tidings.servants.opening import Opened, open_service
from tidings.server.cores import service_cores

AnyStub = TypeVar("AnyStub", bound=Stub)
T = comm.ProxyType
KIND = mesg.MessageType

DEFAULT: Final = ClientOptions()
DAY: Final = 24 * 3_600_000_000
NEVER: Final = UtcT(0, 0, 0, 0)


def _type(name: str, *properties: mesg.PropertyDef) -> mesg.ServiceTypeDescription:
    return mesg.ServiceTypeDescription(name, (), properties, f"IDL:{name}:1.0", "")


_TEXT: Final = mesg.PropertyDef("Name", "string", 2)
_BANK: Final = (_TEXT, mesg.PropertyDef("ReservedFund", "double", 0))
BANK: Final = _type("Bank", *_BANK, mesg.PropertyDef("Interest_rate", "double", 0))
BANK_2: Final = _type("Bank_2", *_BANK, mesg.PropertyDef("Interest_rate", "double", 0))
PRINTER: Final = _type("Printer", _TEXT, mesg.PropertyDef("Speed", "long", 0))


def bank(name: str, fund: float, rate: float, type: Any = BANK) -> mesg.ServiceDescription:
    values = Value("Name", name), Value("ReservedFund", fund), Value("Interest_rate", rate)
    return mesg.ServiceDescription(type, values, f"corbaloc::192.0.2.1/{name}")


LASER: Final = mesg.ServiceDescription(
    PRINTER,
    (Value("Type", "Laser Printer"), Value("Name", "HP LaserJet 1100"), Value("Speed", 20)),
    "corbaloc::192.0.2.1/laser",
)


def published(
    now: int,
    kind: mesg.MessageType,
    priority: int,
    days: int,
    *services: mesg.ServiceDescription,
    modified: Sequence[Value] = (),
) -> mesg.PublishedStructuredEventMessage:
    expiry = UtcT(to_timebase(now + days * DAY), 0, 0, 0) if days else NEVER
    header = mesg.PublishedHeader(kind, priority, expiry, NEVER)
    body = mesg.MessageBody(services, (), tuple(modified), "because", "for all", NEVER)
    return mesg.PublishedStructuredEventMessage(header, body, "www.example.org")


def five(now: int) -> list[mesg.PublishedStructuredEventMessage]:
    """The notices EV1 to EV5."""
    isel = "ISEL-Bank", 800_000.0, 5.0
    super_turbo = Value("Name", "HP LaserJet Super Turbo"), Value("Speed", 30)
    return [
        published(now, KIND.INSTANTIATION_SERVICE, 5, 3, bank("CU-Bank", 1e9, 5.0)),
        published(now, KIND.REMOVAL_SERVICE, 10, 7, LASER),
        published(now, KIND.CHANGE_PROPERTY_VAL, 8, 5, LASER, modified=super_turbo),
        published(now, KIND.CHANGE_TYPE, 10, 7, bank(*isel), bank(*isel, type=BANK_2)),
        published(now, KIND.INSTANTIATION_SERVICE, 5, 3, bank("CP-Bank", 15e6, 5.2)),
    ]


class Callback(comm.SubscriberServant):
    """A subscriber that is called: `heard` has the ids of the notices of each call."""

    def __init__(self) -> None:
        self.heard: list[list[str]] = []
        self.documents: list[str] = []
        self.ended = 0
        self.came = asyncio.Event()

    async def get_subscriberID(self) -> str:
        return "me"

    async def disconnect(self) -> None:
        self.ended += 1
        self.came.set()

    def _take(self, ids: list[str]) -> None:
        self.heard.append(ids)
        self.came.set()

    async def until(self, fits: Callable[[Callback], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not fits(self):
                self.came.clear()
                await self.came.wait()

    @property
    def ids(self) -> list[str]:
        return [id for call in self.heard for id in call]


class Structured(Callback, comm.StructuredPushSubscriberServant):
    async def push_structured_event(self, eventMesg: mesg.StructuredEventMessage) -> None:
        self._take([eventMesg.header.message_id])


class Batches(Callback, comm.SequenceStructuredPushSubscriberServant):
    async def push_sequence_structured_event(
        self, eventMesgs: Sequence[mesg.StructuredEventMessage]
    ) -> None:
        self._take([one.header.message_id for one in eventMesgs])


class Documents(Callback, comm.XMLPushSubscriberServant):
    async def push_xml_event(self, eventMesg: str) -> None:
        self.documents.append(eventMesg)
        self._take([read_notice(eventMesg).id])


CALLBACKS: Final = {
    T.PUSH_STRUCTURED: Structured,
    T.PUSH_STRUCTURED_SEQUENCE: Batches,
    T.PUSH_XML: Documents,
}
PROXIES: Final[dict[comm.ProxyType, Any]] = {
    T.PUSH_STRUCTURED: comm.StructuredProxyPushSubscriber,
    T.PULL_STRUCTURED: comm.StructuredProxyPullSubscriber,
    T.PUSH_STRUCTURED_SEQUENCE: comm.SequenceStructuredProxyPushSubscriber,
    T.PULL_STRUCTURED_SEQUENCE: comm.SequenceStructuredProxyPullSubscriber,
    T.PUSH_XML: comm.XMLProxyPushSubscriber,
    T.PULL_XML: comm.XMLProxyPullSubscriber,
}


@dataclass
class Changing:
    """A service with change notification, and a client's ORB."""

    opened: Opened
    client: Orb
    servants: dict[bytes, Servant]
    address: object
    evolver: manager.PublisherManager = field(init=False)

    @property
    def host(self) -> Host:
        return self.opened.service.host

    def stub(self, cls: type[AnyStub], reference: Reference) -> AnyStub:
        return self.client.stub(cls, reference)

    def known(self, cls: type[AnyStub], name: str) -> AnyStub:
        """A well-known object."""
        return self.client.stub(cls, f"corbaloc::{self.address}/{name}")

    @property
    def subscribers(self) -> manager.SubscriberManager:
        return self.known(manager.SubscriberManager, "SubscriberManager")

    @property
    def publishers(self) -> manager.PublisherManager:
        return self.known(manager.PublisherManager, "PublisherManager")

    @property
    def scs(self) -> SCS:
        return self.known(SCS, "SCS")

    async def register(self, id: str, password: str = "") -> comm.AdminSubscriber:
        """A new subscriber; making the digest of a password takes a while."""
        found = await self.subscribers.registerSubscriber(id, password)
        return self.stub(comm.AdminSubscriber, found)

    async def proxy(self, admin: comm.AdminSubscriber, type: comm.ProxyType) -> Any:
        reference, _ = await admin.createProxySubscriber(type)
        return self.stub(PROXIES[type], reference)

    async def connected(self, admin: comm.AdminSubscriber, type: comm.ProxyType) -> Any:
        """A proxy that is connected, and the subscriber that it calls, if it does."""
        proxy = await self.proxy(admin, type)
        made = CALLBACKS.get(type)
        if made is None:
            await proxy.connect(NIL)
            return proxy, None
        callback = made()
        await proxy.connect(self.callback(callback))
        return proxy, callback

    def callback(self, servant: Callback) -> Reference:
        """The reference of a subscriber that lives here."""
        key = f"callback {len(self.servants)}".encode()
        self.servants[key] = servant
        return self.client.reference(key, servant.INTERFACE)

    async def announce(
        self, messages: Sequence[mesg.PublishedStructuredEventMessage] | None = None
    ) -> None:
        """Announce changes, EV1 to EV5 if none are given, and wait for the channel to have them."""
        for one in five(self.host.time()) if messages is None else messages:
            await self.evolver.notify(one)
        await self.settled()

    async def settled(self) -> None:
        """Wait until all notices are in the channel."""
        while (await soon(self.host.ask(SeeChangeStatus()))).pending:
            await turns()


async def pulled(proxy: Any, type: comm.ProxyType, most: int = 2) -> list[list[str]]:
    """The ids of the notices in each answer, until nothing waits."""
    found: list[list[str]] = []
    while True:
        if type is T.PULL_XML:
            document, has = await proxy.pull_xml_event()
            ids = [read_notice(document).id] if has else []
        elif type is T.PULL_STRUCTURED:
            message, has = await proxy.pull_structured_event()
            ids = [message.header.message_id] if has else []
        else:
            batch, has = await proxy.try_pull_sequence_structured_event(most)
            ids = [one.header.message_id for one in batch]
        assert has == bool(ids)
        if not has:
            return found
        found.append(ids)


def qos(**values: int) -> tuple[comm.Property, ...]:
    """Quality of service, each property with its type."""
    types = {"PacingInterval": TimeT_TYPE, "MaximumBatchSize": tc.LONG, "MaxQueueLength": tc.LONG}
    return tuple(
        comm.Property(name, AnyValue(types.get(name, tc.SHORT), value))
        for name, value in values.items()
    )


def content(
    type: comm.FilterEventType = comm.FilterEventType.CHANGE_AND_INSTATIATION_SERVICE_EVENT,
    services: Sequence[tuple[str, str]] = (),
    iors: Sequence[str] = (),
) -> comm.FilterContent:
    """A filter."""
    return comm.FilterContent(
        type, tuple(comm.TraderFilterContent(*one) for one in services), tuple(iors)
    )


@asynccontextmanager
async def changing(
    folder: Path | None = None,
    *,
    register: bool = True,
    password: str = "",
    clients: ClientOptions = DEFAULT,
) -> AsyncIterator[Changing]:
    """A service with a registered service evolver."""
    host = await Host.open(folder, cores=service_cores())
    opened = open_service(host, Options(), SECRET, dict, clients=clients)
    servants: dict[bytes, Servant] = {}
    try:
        address = await opened.service.orb.listen("127.0.0.1", 0)
        opened.publish(None)
        await opened.reconnect()
        async with Orb(find=servants.get) as client:
            await client.listen()
            made = Changing(opened, client, servants, address)
            if register:
                reference = await made.publishers.registerPublisher(
                    "CU", password, "www.example.org"
                )
                made.evolver = made.stub(manager.PublisherManager, reference)
            yield made
    finally:
        await opened.close()
        await host.close(0.0)
