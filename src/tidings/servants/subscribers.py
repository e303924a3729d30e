"""scncomm: subscribers of change notices, and their proxies of six types.

A subscriber's proxy is a subscription to the channel of notices: the channel keeps what waits. Keys
of objects have a digest of the subscriber's id, which is a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tidings import errors
from tidings.changes import requests as r
from tidings.changes.documents import require_lxml
from tidings.channel.vocabulary import Form, Style
from tidings.cos import scncomm_auto as comm
from tidings.cos.change_notices import NO_MESSAGE, SUBSCRIBER_KINDS, write_xml
from tidings.cos.kinds import Kind
from tidings.cos.TimeBase_auto import TimeT_TYPE
from tidings.engine.parties import place_of
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import Value
from tidings.events.reference import Reference
from tidings.events.typecode import TypeCode
from tidings.orb.aio.targets import caller as peer_address
from tidings.orb.bounded_cache import BoundedCache
from tidings.orb.ior import is_nil, to_ior
from tidings.orb.stubs import Interface, Servant
from tidings.servants.endpoints import prepare_documents
from tidings.servants.operations import typed
from tidings.servants.proxies import LEASE, MOST_PULLED, Pulled, write_batch, write_one
from tidings.servants.service import ObjectServant

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.engine.host import Host
    from tidings.errors import TidingsError
    from tidings.orb.cdr_writer import Writer
    from tidings.orb.exceptions import UserException
    from tidings.servants.door import GatheringDoor
    from tidings.servants.service import CorbaService

ADMIN_SUBSCRIBER: Final = "admin subscriber"
PROXY_SUBSCRIBER: Final = "proxy subscriber"

_DIGEST_OCTETS: Final = 12
_PAGE: Final = 1_000
_MOST_KNOWN: Final = 10_000

# What the module's own errors do not say already; the first of a declared exception counts.
_TRANSLATED: Final[tuple[tuple[type[TidingsError], type[UserException]], ...]] = (
    (errors.AlreadyConnected, comm.AlreadyConnected),
    (errors.Disconnected, comm.Disconnected),
    (errors.FilterNotFound, comm.FilterNotFound),
    (errors.WrongClient, comm.TypeError),
    (errors.BadInput, comm.TypeError),
    (errors.BadInput, comm.UnsupportedQoS),
    (errors.BadInput, comm.IllegalConstraint),
)

_TYPES: Final[Mapping[str, TypeCode]] = {
    comm.OrderPolicy: tc.SHORT,
    comm.DiscardPolicy: tc.SHORT,
    comm.MaxQueueLength: tc.LONG,
    comm.MaximumBatchSize: tc.LONG,
    comm.PacingInterval: TimeT_TYPE,
    comm.PriorityOverride: comm.OverriddenPrioritySeq_TYPE,
}


def party_number(id: str) -> int:
    """Return the number that stands for a subscriber or evolver in object keys."""
    return int.from_bytes(sha256(id.encode()).digest()[:_DIGEST_OCTETS], "big")


class ChangeServant(ObjectServant):
    """An object of change notification, with its module's exceptions."""

    def _translate(
        self, error: TidingsError, declared: tuple[type[UserException], ...]
    ) -> TidingsError:
        for kind, exception in _TRANSLATED:
            if isinstance(error, kind) and exception in declared:
                return exception()
        return typed(error, declared)


class Parties:
    """The ids of subscribers and evolvers by the numbers in object keys."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._ids: BoundedCache[int, str] = BoundedCache(_MOST_KNOWN)

    async def subscriber(self, number: int) -> str:
        """Return a subscriber's id, or raise NotFoundSubscriberID."""
        last = ""
        while (known := self._ids.get(number)) is None:
            page = await self._host.ask(r.SeeSubscribers(last, _PAGE))
            if not page:
                raise errors.NotFoundSubscriberID("the subscriber is not registered any more")
            for one in page:
                self.keep(one.id)
            last = page[-1].id
        return known

    async def evolver(self, number: int) -> str:
        """Return an evolver's id, or raise NotFoundPublisherID."""
        known = self._ids.get(number)
        if known is None:
            all_ids = [one.id for one in await self._host.ask(r.SeeEvolvers())]
            known = next((id for id in all_ids if party_number(id) == number), None)
        if known is None:
            raise errors.NotFoundPublisherID("the service evolver is not registered any more")
        self.keep(known)
        return known

    def keep(self, id: str) -> int:
        """Remember an id; return its number."""
        number = party_number(id)
        self._ids.keep(number, id)
        return number


class SubscriberPart(ChangeServant):
    """A subscriber or one of its proxies: filters and quality of service."""

    def __init__(
        self, parties: Parties, service: CorbaService, door: GatheringDoor, key: ObjectKey
    ) -> None:
        super().__init__(service, door, key)
        self._parties = parties

    async def subscriber(self) -> str:
        """Return the subscriber's id."""
        return await self._parties.subscriber(self.key.ids[0])

    async def place(self) -> tuple[str, str]:
        """Return the ids of the subscriber and of the proxy; of the subscriber itself, none."""
        return await self.subscriber(), ""

    async def see(self) -> r.SubscriberInfo | r.ProxySubscriberInfo:
        """Return the object's state, for a caller who may see it."""
        return await self.door.request(r.SeeSubscriber(await self.subscriber()))

    async def set_qos(self, qos: Sequence[comm.Property]) -> None:
        """Set properties, all or nothing."""
        subscriber, proxy = await self.place()
        await self.door.ask(r.SetSubscriberQoS(subscriber, dict(qos), proxy))

    async def get_qos(self) -> Sequence[comm.Property]:
        """Return the properties that were set."""
        return _qos_out((await self.see()).qos)

    async def addFilter(self, filter: comm.FilterContent) -> str:
        """Add a filter; return its id."""
        subscriber, proxy = await self.place()
        asked = r.AddSubscriberFilter(subscriber, _content_in(filter), proxy)
        made: str = await self.door.ask(asked)
        return made

    async def removeFilter(self, filterID: str) -> None:
        """Remove a filter."""
        subscriber, proxy = await self.place()
        await self.door.ask(r.RemoveSubscriberFilter(subscriber, filterID, proxy))

    async def remove_all_filters(self) -> None:
        """Remove all filters."""
        await self.door.ask(r.RemoveSubscriberFilters(*await self.place()))

    async def getAllFilterID(self) -> Sequence[str]:
        """Return the ids of all filters."""
        return tuple((await self.see()).filters)

    async def getFilter(self, filterID: str) -> comm.FilterInfo:
        """Return a filter."""
        found = (await self.see()).filters.get(filterID)
        if found is None:
            raise comm.FilterNotFound
        return comm.FilterInfo(filterID, _content_out(found))

    async def getAllFilters(self) -> Sequence[comm.FilterInfo]:
        """Return all filters."""
        held = (await self.see()).filters
        return tuple(comm.FilterInfo(id, _content_out(one)) for id, one in held.items())


class AdminSubscriberObject(SubscriberPart, comm.AdminSubscriberServant):
    """scncomm::AdminSubscriber."""

    async def get_adminID(self) -> str:
        """Return the subscriber's id."""
        return (await self.see()).id

    async def createProxySubscriber(self, proxyType: comm.ProxyType) -> tuple[Reference, str]:
        """Create a proxy; return its reference and id."""
        type_ = r.ProxyType[proxyType.name]
        made: str = await self.door.ask(r.CreateProxySubscriber(await self.subscriber(), type_))
        return self._proxy(made, type_), made

    async def destroyProxySubscriber(self, proxyID: str) -> None:
        """End a proxy."""
        await self.door.ask(r.DestroyProxySubscriber(await self.subscriber(), proxyID))

    async def destroyAllProxySubscriber(self) -> None:
        """End all proxies."""
        await self.door.ask(r.DestroyAllProxySubscribers(await self.subscriber()))

    async def getProxySubscriber(self, proxyID: str) -> Reference:
        """Return a proxy by its id."""
        found = await self.door.request(r.SeeProxySubscriber(await self.subscriber(), proxyID))
        return self._proxy(found.id, found.type)

    async def getAllProxySubscriber(self) -> Sequence[Reference]:
        """Return all proxies."""
        found = await self.door.request(r.SeeSubscriber(await self.subscriber()))
        return tuple(self._proxy(one.id, one.type) for one in found.proxies)

    def _proxy(self, id: str, type_: r.ProxyType) -> Reference:
        ids = (self.key.ids[0], number_of(id), type_.value)
        return self.reference(PROXY_SUBSCRIBER, ids, SUBSCRIBER_KINDS[type_.name].proxy)


def number_of(proxy: str) -> int:
    """Return the number in a proxy's id: 1 of `PS01`."""
    return int(proxy.removeprefix("PS"))


class ProxySubscriberPart(SubscriberPart):
    """A proxy; `KIND` says how it delivers."""

    KIND: ClassVar[Kind]

    async def place(self) -> tuple[str, str]:
        """Return the ids of the subscriber and of the proxy."""
        return await self.subscriber(), f"PS{self.key.ids[1]:02}"

    async def see(self) -> r.ProxySubscriberInfo:
        """Return the proxy's state, for a caller who may see it."""
        return await self.door.request(r.SeeProxySubscriber(*await self.place()))

    async def get_proxyID(self) -> str:
        """Return the proxy's id."""
        return (await self.see()).id

    async def get_MyType(self) -> comm.ProxyType:
        """Return how it delivers."""
        return comm.ProxyType[(await self.see()).type.name]

    get_proxyType = get_MyType

    async def connect(self, client: Reference) -> None:
        """Connect the subscriber, which may be nil if it is not called.

        One that could not be reached any more can connect again without having disconnected.
        """
        if self.KIND.write is write_xml:
            require_lxml()
        clients, place, info = self.service.clients, await self.place(), await self.see()
        at = place_of(self.service.host, info)
        if info.connected and self.KIND.transfer is not None and self._is_lost(at):
            await self.door.ask(r.DisconnectProxySubscriber(*place))
        address = "" if is_nil(client) else to_ior(client)
        await self.door.ask(r.ConnectProxySubscriber(*place, address))
        try:
            await clients.connect_subscriber(*at, self.KIND, client, peer_address.get())
        except errors.TidingsError:
            with suppress(errors.TidingsError):
                await self.door.ask(r.DisconnectProxySubscriber(*place))
            raise

    def _is_lost(self, at: tuple[int, int]) -> bool:
        host = self.service.host
        return host.channels[at[0]].proxies[at[1]].suspended or host.endpoint(*at) is None

    async def disconnect(self) -> None:
        """Disconnect the subscriber for a while; its notices wait."""
        await self.door.ask(r.DisconnectProxySubscriber(*await self.place()))

    async def destroy(self) -> None:
        """End the proxy; notices that wait there are lost."""
        await self.door.ask(r.DestroyProxySubscriber(*await self.place()))


# ---------------------------------------------------------------- what subscribers set


def _content_in(given: comm.FilterContent) -> r.FilterContent:
    """Convert a filter."""
    services = tuple(r.TraderFilter(one.type, one.constr) for one in given.traderConstraints)
    return r.FilterContent(r.FilterEvents[given.type.name], services, tuple(given.iors))


def _content_out(content: r.FilterContent) -> comm.FilterContent:
    """Convert a filter."""
    services = tuple(comm.TraderFilterContent(one.type, one.constraint) for one in content.services)
    type_ = comm.FilterEventType[content.events.name]
    return comm.FilterContent(type_, services, content.references)


def _qos_out(qos: Mapping[str, Value]) -> tuple[comm.Property, ...]:
    """Convert properties, each with its type."""
    return tuple(
        comm.Property(name, AnyValue(_TYPES[name], _outward(value))) for name, value in qos.items()
    )


def _outward(value: Any) -> Any:  # noqa: ANN401 -- as the property has it
    if isinstance(value, tuple):
        return tuple(comm.OverriddenPriority(one["constraint"], one["priority"]) for one in value)
    return value


# ---------------------------------------------------------------- pulling


class PullingSubscriberPart(ProxySubscriberPart):
    """A proxy that hands notices out when it is asked."""

    async def hand_out_now(self, most: int = 1) -> Pulled:
        """Return the notices that wait, at most so many."""
        return await self._pull(most, 0)

    async def hand_out(self, most: int) -> Pulled:
        """Collect notices until there are so many, or PacingInterval is over."""
        return await self._pull(most, None)

    async def _pull(self, most: int, wait: int | None) -> Pulled:
        info = await self.see()
        if not info.connected:
            raise comm.Disconnected
        host = self.service.host
        channel, proxy = place_of(host, info)
        if wait is None:
            wait = host.channels[channel].proxies[proxy].qos.pacing_interval // 10
        batch = await host.pull(channel, proxy, min(most, MOST_PULLED), wait, LEASE)
        if self.KIND.write is write_xml:
            await prepare_documents(one.event for one in batch.messages)
        return Pulled(host, channel, proxy, batch.messages)


def _handing_out(kind: Kind) -> Interface:
    """Return a pulling proxy's interface, with pulls as `hand_out` and `hand_out_now`."""
    sequence = kind.form is Form.SEQUENCE
    nothing: tuple[object, bool] = (() if sequence else NO_MESSAGE, False)
    if kind.dialect == comm.ProxyType.PULL_XML.name:
        nothing = ("", False)

    def replaced(name: str) -> Any:  # noqa: ANN401 -- an operation
        pull = kind.proxy.operations[name]
        waits = sequence and not name.startswith("try_")

        def write(writer: Writer, pulled: Pulled) -> None:
            if not pulled.messages:
                pull.write_result(writer, nothing)
                return
            (write_batch if sequence else write_one)(writer, pulled, kind.write)
            writer.boolean(True)

        return pull.replace(method="hand_out" if waits else "hand_out_now", write_result=write)

    pulls = [name for name in kind.proxy.operations if "pull_" in name]
    return kind.proxy.with_operations({name: replaced(name) for name in pulls})


def _servant_class(kind: Kind) -> type[ProxySubscriberPart]:
    pulls = kind.style is Style.PULL
    part = PullingSubscriberPart if pulls else ProxySubscriberPart
    name = kind.proxy.name.rpartition("::")[2]
    interface = _handing_out(kind) if pulls else kind.proxy
    members = {"KIND": kind, "INTERFACE": interface, "__doc__": f"{kind.proxy.name}."}
    return type(name, (part, vars(comm)[f"{name}Servant"]), members)


_CLASSES: Final[Mapping[int, type[ProxySubscriberPart]]] = {
    type_.value: _servant_class(SUBSCRIBER_KINDS[type_.name]) for type_ in r.ProxyType
}


def make_proxy_subscriber(
    parties: Parties, service: CorbaService, door: GatheringDoor, key: ObjectKey
) -> Servant:
    """Return the servant of a subscriber's proxy."""
    made: Any = _CLASSES[key.ids[2]](parties, service, door, key)
    return made  # type: ignore[no-any-return] # every class has a generated base
