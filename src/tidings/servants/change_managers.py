"""SCSModule and scnmanager: what change notification adds to the trader, and its managers.

A service evolver gets a publisher manager of its own when it registers: who has that reference may
announce changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tidings import errors
from tidings.changes import requests as r
from tidings.changes.interfaces import LoadInterfaces
from tidings.cos import scncomm_auto as comm
from tidings.cos import scnmanager_auto as wire
from tidings.cos.change_notices import announcement_in
from tidings.cos.scncomm_auto import AdminSubscriber_INTERFACE
from tidings.cos.SCSModule_auto import InvalidIDL, SCSServant
from tidings.cos.trading import properties_in, reference_in
from tidings.events.reference import Reference
from tidings.orb.exceptions import NO_PERMISSION
from tidings.servants.subscribers import ADMIN_SUBSCRIBER, ChangeServant, Parties
from tidings.trader.requests import ReplaceOffer

if TYPE_CHECKING:
    from tidings.cos import scnmesg_auto as mesg
    from tidings.cos.CosTrading_auto import Register_OfferInfo
    from tidings.engine.access import ObjectKey
    from tidings.orb.exceptions import UserException
    from tidings.servants.door import GatheringDoor
    from tidings.servants.service import CorbaService

SCS: Final = "service changes"
EVENT_MANAGER: Final = "event manager"
PUBLISHER_MANAGER: Final = "publisher manager"
SUBSCRIBER_MANAGER: Final = "subscriber manager"


class ManagerPart(ChangeServant):
    """The references of the managers, which all of them have."""

    async def get_eventManager_if(self) -> Reference:
        """Return the manager of notices."""
        self.require_known()
        return self.reference(EVENT_MANAGER, (), wire.EventManager_INTERFACE)

    async def get_publisherManager_if(self) -> Reference:
        """Return the manager of service evolvers."""
        self.require_known()
        return self.reference(PUBLISHER_MANAGER, (), wire.PublisherManager_INTERFACE)

    async def get_subscriberManager_if(self) -> Reference:
        """Return the manager of subscribers."""
        self.require_known()
        return self.reference(SUBSCRIBER_MANAGER, (), wire.SubscriberManager_INTERFACE)


class ScsObject(ManagerPart, SCSServant):
    """SCSModule::SCS."""

    async def modifyServiceOffer_NewType(
        self,
        oldOfferId: str,
        newOffer: Register_OfferInfo,
        withdrawOldOffer: bool,
    ) -> str:
        """Export an offer in place of another one; return its id."""
        asked = ReplaceOffer(
            oldOfferId,
            newOffer.type,
            reference_in(newOffer.reference),
            properties_in(newOffer.properties),
            withdrawOldOffer,
        )
        made: str = await self.door.ask(asked)
        return made

    async def load_idl(self, idl: str) -> Sequence[str]:
        """Make interfaces known to the service; return their ids."""
        try:
            found = await self.door.request(LoadInterfaces("text.idl", idl))
        except (errors.BadInput, errors.LimitExceeded) as error:
            raise InvalidIDL(str(error)) from error
        return tuple(one.id for one in found)


class EventManagerObject(ManagerPart, wire.EventManagerServant):
    """scnmanager::EventManager."""

    async def processEventMesg(self, eventMesg: mesg.StructuredEventMessage) -> None:
        """Refuse: what has happened, only the service's own trader can say."""
        raise NO_PERMISSION(
            why="notices come from the trader of the service and from registered service "
            "evolvers: announce changes through a publisher manager"
        )


class PublisherManagerObject(ManagerPart, wire.PublisherManagerServant):
    """scnmanager::PublisherManager, of one service evolver or of nobody."""

    def __init__(
        self, parties: Parties, service: CorbaService, door: GatheringDoor, key: ObjectKey
    ) -> None:
        super().__init__(service, door, key)
        self._parties = parties

    def _translate(
        self, error: errors.TidingsError, declared: tuple[type[UserException], ...]
    ) -> errors.TidingsError:
        if isinstance(error, errors.BadInput) and comm.InvalidMessage in declared:
            return comm.InvalidMessage(str(error))
        return super()._translate(error, declared)

    async def notify(self, eventMesg: mesg.PublishedStructuredEventMessage) -> None:
        """Announce a change."""
        if not self.key.ids:
            raise comm.NotFoundPublisherID
        evolver = await self._parties.evolver(self.key.ids[0])
        asked = r.AnnounceChanges(evolver, (announcement_in(eventMesg),))
        await self.service.host.ask(asked)  # the reference says that it may

    async def registerPublisher(self, publisherID: str, passwd: str, address: str) -> Reference:
        """Register a service evolver; return its own manager."""
        await self.door.request(r.RegisterEvolver(publisherID, passwd or None, address))
        ids = (self._parties.keep(publisherID),)
        return self.reference(PUBLISHER_MANAGER, ids, wire.PublisherManager_INTERFACE)

    async def unregisterPublisher(self, publisherID: str, passwd: str) -> None:
        """End the registration of a service evolver."""
        await self.door.request(r.UnregisterEvolver(publisherID, passwd))


class SubscriberManagerObject(ManagerPart, wire.SubscriberManagerServant):
    """scnmanager::SubscriberManager."""

    def __init__(
        self, parties: Parties, service: CorbaService, door: GatheringDoor, key: ObjectKey
    ) -> None:
        super().__init__(service, door, key)
        self._parties = parties

    async def registerSubscriber(self, subscriberID: str, passwd: str) -> Reference:
        """Register a subscriber; return its administrator."""
        await self.door.request(r.RegisterSubscriber(subscriberID, passwd or None))
        return self._admin(subscriberID)

    async def unregisterSubscriber(self, subscriberID: str, passwd: str) -> None:
        """End a subscriber."""
        await self.door.request(r.UnregisterSubscriber(subscriberID, passwd))

    async def getAdminSubscriber(self, subscriberID: str, passwd: str) -> Reference:
        """Return a subscriber's administrator."""
        await self.door.request(r.GetAdminSubscriber(subscriberID, passwd))
        return self._admin(subscriberID)

    def _admin(self, id: str) -> Reference:
        return self.reference(
            ADMIN_SUBSCRIBER, (self._parties.keep(id),), AdminSubscriber_INTERFACE
        )
