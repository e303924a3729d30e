"""The whole service on an ORB: kinds of objects, plain keys and names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from tidings.channel.vocabulary import Side
from tidings.cos.Advertising_auto import Advertiser_INTERFACE
from tidings.cos.CosNaming_auto import NameComponent
from tidings.cos.CosNotifyChannelAdmin_auto import (
    EventChannel_INTERFACE,
    EventChannelFactory_INTERFACE,
)
from tidings.cos.CosNotifyFilter_auto import FilterFactory_INTERFACE
from tidings.cos.CosTrading_auto import Lookup_INTERFACE
from tidings.cos.names import look_up
from tidings.cos.NotificationServiceAgent_auto import Agent_INTERFACE, AgentServant
from tidings.cos.omniEvents_auto import (
    EventChannelFactory_INTERFACE as GenericFactory_INTERFACE,
)
from tidings.cos.scnmanager_auto import (
    EventManager_INTERFACE,
    PublisherManager_INTERFACE,
    SubscriberManager_INTERFACE,
)
from tidings.cos.SCSModule_auto import SCS_INTERFACE
from tidings.engine.access import Keys, ObjectKey
from tidings.errors import InvalidUsage, NotFound, Stopping
from tidings.events.reference import Reference
from tidings.grants.model import Verb
from tidings.grants.requests import CreateReference
from tidings.orb.aio import Orb
from tidings.orb.ior import from_ior
from tidings.servants.advertiser import ADVERTISER, Advertisers
from tidings.servants.change_managers import (
    EVENT_MANAGER,
    PUBLISHER_MANAGER,
    SCS,
    SUBSCRIBER_MANAGER,
    EventManagerObject,
    PublisherManagerObject,
    ScsObject,
    SubscriberManagerObject,
)
from tidings.servants.endpoints import ClientOptions
from tidings.servants.filters import FilterFactoryObject, FilterObject, MappingObject
from tidings.servants.generic_factory import GENERIC_FACTORY, GenericFactoryObject
from tidings.servants.naming import CONTEXT, ITERATOR, MAX_NAMES, ROOT, Names
from tidings.servants.objects import (
    ChannelObject,
    ConsumerAdminObject,
    FactoryObject,
    SupplierAdminObject,
)
from tidings.servants.offer_lists import (
    IDS,
    OFFERS,
    OfferIdIteratorObject,
    OfferIteratorObject,
    OfferLists,
)
from tidings.servants.operations import TypedErrors
from tidings.servants.proxies import make_proxy
from tidings.servants.references import LEADING
from tidings.servants.service import CorbaService
from tidings.servants.subscribers import (
    ADMIN_SUBSCRIBER,
    PROXY_SUBSCRIBER,
    AdminSubscriberObject,
    Parties,
    make_proxy_subscriber,
)
from tidings.servants.trader import (
    ADMIN,
    LINK,
    REGISTER,
    SERVICE_TYPES,
    TRADER,
    LinkObject,
    LookupObject,
    RegisterObject,
    ServiceTypesObject,
    TraderAdminObject,
)

if TYPE_CHECKING:
    from tidings.engine.host import Host
    from tidings.orb.aio import Options
    from tidings.orb.stubs import Interface, Servant
    from tidings.servants.door import GatheringDoor
    from tidings.servants.service import ServantMaker

_AGENT: Final = "agent"
_MICROSECONDS: Final = 1_000_000
_FACTORY: Final = ObjectKey("factory", (), 0)
_FILTER_FACTORY: Final = ObjectKey("filter factory", (), 0)
_GENERIC: Final = ObjectKey(GENERIC_FACTORY, (), 0)

# Objects by plain key. All but the first are also names in the naming service.
_WELL_KNOWN: Final[Mapping[str, tuple[ObjectKey, Interface | None]]] = {
    "NameService": (ObjectKey(CONTEXT, (ROOT,), 0), None),
    "NotificationService": (_FACTORY, EventChannelFactory_INTERFACE),
    "NotifyEventChannelFactory": (_FACTORY, EventChannelFactory_INTERFACE),
    "DefaultFilterFactory": (_FILTER_FACTORY, FilterFactory_INTERFACE),
    "NotificationServiceAgent": (ObjectKey(_AGENT, (), 0), Agent_INTERFACE),
    "TradingService": (ObjectKey(TRADER, (), 0), Lookup_INTERFACE),
    "SCS": (ObjectKey(SCS, (), 0), SCS_INTERFACE),
    "SCNComponent": (ObjectKey(EVENT_MANAGER, (), 0), EventManager_INTERFACE),
    "PublisherManager": (ObjectKey(PUBLISHER_MANAGER, (), 0), PublisherManager_INTERFACE),
    "SubscriberManager": (ObjectKey(SUBSCRIBER_MANAGER, (), 0), SubscriberManager_INTERFACE),
    "EventChannelFactory": (_GENERIC, GenericFactory_INTERFACE),
    "omniEvents": (_GENERIC, None),
}
_DEFAULT_CHANNEL: Final = "DefaultEventChannel"

# Further names in the naming service: clients of omniNotify, and of
# omniEvents before 2.6, look for an object whose kind is its id once more.
_OLD_NAMES: Final = {
    "ChannelFactory": "NotificationService",
    "EventChannelFactory": "EventChannelFactory",
}
_OLD_CHANNEL: Final = "EventChannel"


def _channel(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    exists = key.ids[0] in service.host.channels
    return ChannelObject(service, door, key) if exists else None


def _admin(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    place = key.place
    assert place is not None
    assert place.side is not None
    found = service.host.channels.get(place.channel)
    if found is None or place.admin not in found.admins[place.side]:
        return None
    made = ConsumerAdminObject if place.side is Side.CONSUMER else SupplierAdminObject
    return made(service, door, key)


def _filter(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    found = service.host.filters.filters.get(key.ids[0])
    exists = found is not None and found.kind == key.kind
    made = FilterObject if key.kind == "filter" else MappingObject
    return made(service, door, key) if exists else None


MAKERS: Final[Mapping[str, ServantMaker]] = {
    "factory": FactoryObject,
    "channel": _channel,
    "admin": _admin,
    "proxy": make_proxy,
    "filter": _filter,
    "mapping": _filter,
    "filter factory": FilterFactoryObject,
    GENERIC_FACTORY: GenericFactoryObject,
    REGISTER: RegisterObject,
    LINK: LinkObject,
    SERVICE_TYPES: ServiceTypesObject,
    SCS: ScsObject,
    EVENT_MANAGER: EventManagerObject,
}
"""By kind of object (`engine.access.KINDS`): what makes the servant, or None if it is gone."""


class AgentObject(TypedErrors, AgentServant):
    """NotificationServiceAgent::Agent: factories, settings, and references for principals."""

    def __init__(
        self,
        service: CorbaService,
        door: GatheringDoor,
        key: ObjectKey,
        properties: Callable[[], Mapping[str, str]],
    ) -> None:
        self._service = service
        self._door = door
        self._grant = key.grant
        self._properties = properties

    async def getECF(self) -> Reference:
        """Return the factory of channels."""
        self._require_known()
        key = ObjectKey("factory", (), self._grant)
        return self._service.reference(key, EventChannelFactory_INTERFACE)

    async def getFF(self) -> Reference:
        """Return the factory of filters."""
        self._require_known()
        key = ObjectKey("filter factory", (), self._grant)
        return self._service.reference(key, FilterFactory_INTERFACE)

    async def getTrader(self) -> Reference:
        """Return the trader's Lookup."""
        self._require_known()
        return self._service.reference(ObjectKey(TRADER, (), self._grant), Lookup_INTERFACE)

    async def getServiceChanges(self) -> Reference:
        """Return the object where change notification begins."""
        self._require_known()
        return self._service.reference(ObjectKey(SCS, (), self._grant), SCS_INTERFACE)

    async def getProperty(self, name: str) -> str:
        """Return a setting, or an empty string if unknown; the name may carry a prefix."""
        self._require(Verb.INSPECT)
        properties = self._properties()
        found = properties.get(name)
        return properties.get(name.rpartition(".")[2], "") if found is None else found

    async def issueReference(
        self, for_object: Reference, principal: str, label: str, seconds: int
    ) -> tuple[Reference, int]:
        """Return a reference that carries a principal's grants, and its credential's number."""
        self._require(Verb.ADMINISTER)
        host = self._service.host
        expires_at = host.time() + seconds * _MICROSECONDS if seconds else None
        asked = self._asked(for_object, principal)
        try:
            made = await self._door.request(replace(asked, label=label, expires_at=expires_at))
        except NotFound as error:  # it is not the agent that does not exist
            raise InvalidUsage(str(error)) from error
        return from_ior(made.reference), made.credential

    def _asked(self, reference: Reference, principal: str) -> CreateReference:
        key = self._service.own_key(reference)
        if key is None or key.kind not in LEADING:
            raise InvalidUsage(
                "a reference can be issued for the agent, the factory, the trader, a channel, an "
                "admin or a proxy of this service"
            )
        if (place := key.place) is None:
            return CreateReference(principal, agent=key.kind == _AGENT, trader=key.kind == TRADER)
        return CreateReference(
            principal, place.channel, side=place.side, admin=place.admin, proxy=place.proxy
        )

    def _require(self, verb: Verb) -> None:
        self._service.host.access.require(self._door.principal, verb, None)

    def _require_known(self) -> None:
        self._service.host.access.require_known(self._door.principal, None)


@dataclass(frozen=True, slots=True)
class Opened:
    """The service on an ORB."""

    service: CorbaService
    names: Names
    advertisers: Advertisers

    def reference(self, plain: str) -> Reference:
        """Return a well-known object's reference by plain key, such as `NotificationService`."""
        key, interface = _WELL_KNOWN[plain]
        if interface is None:
            return self.names.reference()
        return self.service.reference(key, interface)

    def publish(self, default_channel: int | None) -> None:
        """Bind the service's own objects to their names; the ORB must already listen.

        `DefaultEventChannel` is bound only if a default channel is given.
        """
        bind = self.names.tree.bind
        for plain, (_, interface) in _WELL_KNOWN.items():
            if interface is not None:
                bind(ROOT, (NameComponent(plain, ""),), self.reference(plain))
        for old, plain in _OLD_NAMES.items():
            bind(ROOT, (NameComponent(old, old),), self.reference(plain))
        if default_channel is not None:
            key = ObjectKey("channel", (default_channel,), 0)
            self.service.well_known[_DEFAULT_CHANNEL.encode()] = key
            default = self.service.reference(key, EventChannel_INTERFACE)
            bind(ROOT, (NameComponent(_DEFAULT_CHANNEL, ""),), default)
            bind(ROOT, (NameComponent(_OLD_CHANNEL, _OLD_CHANNEL),), default)
        live = self.names.tree.live_context
        channels = self._by_channel("channel", EventChannel_INTERFACE)
        live((NameComponent("channels", ""),), channels)
        advertisers = self._by_channel(ADVERTISER, Advertiser_INTERFACE)
        live((NameComponent("advertisers", ""),), advertisers)

    def _by_channel(
        self, kind: str, interface: Interface
    ) -> Callable[[Callable[[int], bool]], Mapping[NameComponent, Reference]]:
        """Return a lookup of objects that every channel has, by the channel's id and name."""

        def found(may_know: Callable[[int], bool]) -> Mapping[NameComponent, Reference]:
            made: dict[NameComponent, Reference] = {}
            for channel in self.service.host.channels.values():
                if not may_know(channel.id):
                    continue
                reference = self.service.reference(ObjectKey(kind, (channel.id,), 0), interface)
                made[NameComponent(str(channel.id), "id")] = reference
                if channel.name:
                    made[NameComponent(channel.name, "")] = reference
            return made

        return found

    async def reconnect(self) -> None:
        """Reconnect the clients that were connected when the service ended."""
        await self.service.clients.reconnect()

    async def close(self, seconds: float = 0.0) -> None:
        """End all calls; outgoing ones that carry events get `seconds` to finish."""
        service = self.service
        service.orb.take_no_more()
        service.host.end_pulls(Stopping("the service is stopping"))
        self.advertisers.close()
        await service.clients.close(seconds)
        await service.traders.close()
        await service.orb.close()


def open_service(  # noqa: PLR0913 -- each a setting, by its name
    host: Host,
    options: Options,
    secret: bytes,
    properties: Callable[[], Mapping[str, str]],
    *,
    clients: ClientOptions,
    open_well_known: bool = False,
    open_loopback: bool = False,
    max_names: int = MAX_NAMES,
) -> Opened:
    """Put a host on a new ORB, which does not listen yet.

    Object keys stay valid as long as `secret` is the same. `properties` returns the settings that
    the agent reports. `open_well_known` lets other machines use plain keys; `open_loopback` leaves
    this machine's callers the service when grants decide.
    """
    makers = dict(MAKERS)
    orb = Orb(options, names=look_up)
    service = CorbaService(
        host,
        orb,
        Keys(secret),
        makers,
        open_well_known=open_well_known,
        open_loopback=open_loopback,
        client_options=clients,
    )
    orb.find, orb.find_near = service.find, service.find_near
    names, advertisers = Names(service, max_names), Advertisers(service)
    makers[CONTEXT] = names.context
    makers[ITERATOR] = names.iterator
    makers[_AGENT] = lambda service, door, key: AgentObject(service, door, key, properties)
    makers[ADVERTISER] = advertisers
    lists = OfferLists()
    makers[TRADER], makers[ADMIN] = partial(LookupObject, lists), partial(TraderAdminObject, lists)
    makers[OFFERS] = lists.maker(OfferIteratorObject)
    parties = Parties(host)
    for kind, maker in (
        (PUBLISHER_MANAGER, PublisherManagerObject),
        (SUBSCRIBER_MANAGER, SubscriberManagerObject),
        (ADMIN_SUBSCRIBER, AdminSubscriberObject),
        (PROXY_SUBSCRIBER, make_proxy_subscriber),
    ):
        makers[kind] = partial(maker, parties)
    makers[IDS] = lists.maker(OfferIdIteratorObject)
    service.well_known.update({name.encode(): key for name, (key, _) in _WELL_KNOWN.items()})
    return Opened(service, names, advertisers)
