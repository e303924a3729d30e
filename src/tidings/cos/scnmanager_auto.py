"""What scnmanager.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosTrading_auto as _CosTrading
from tidings.cos import TimeBase_auto as _TimeBase
from tidings.cos import scncomm_auto as _scncomm
from tidings.cos import scnmesg_auto as _scnmesg

_here: _g.Final = _g.Types(globals(), _CosTrading._here, _TimeBase._here, _scncomm._here, _scnmesg._here)

SCNComponent_TYPE: _g.Final = _tc.objref("IDL:scnmanager/SCNComponent:1.0", "SCNComponent")
EventManager_TYPE: _g.Final = _tc.objref("IDL:scnmanager/EventManager:1.0", "EventManager")
PublisherManager_TYPE: _g.Final = _tc.objref("IDL:scnmanager/PublisherManager:1.0", "PublisherManager")
SubscriberManager_TYPE: _g.Final = _tc.objref("IDL:scnmanager/SubscriberManager:1.0", "SubscriberManager")

SCNComponent_INTERFACE: _g.Final = _here.interface(SCNComponent_TYPE, "scnmanager::SCNComponent", (),
    _here.operation("_get_eventManager_if", gives={"": EventManager_TYPE}, method="get_eventManager_if"),
    _here.operation("_get_publisherManager_if", gives={"": PublisherManager_TYPE}, method="get_publisherManager_if"),
    _here.operation("_get_subscriberManager_if", gives={"": SubscriberManager_TYPE}, method="get_subscriberManager_if"))
class _SCNComponent_methods:
    async def get_eventManager_if(self) -> _g.Reference: ...
    async def get_publisherManager_if(self) -> _g.Reference: ...
    async def get_subscriberManager_if(self) -> _g.Reference: ...
class SCNComponent(_SCNComponent_methods, _g.Stub, of=SCNComponent_INTERFACE): ...
class SCNComponentServant(_SCNComponent_methods, _g.Servant, of=SCNComponent_INTERFACE): ...

EventManager_INTERFACE: _g.Final = _here.interface(EventManager_TYPE, "scnmanager::EventManager",
        (SCNComponent_INTERFACE, ),
    _here.operation("processEventMesg", takes={"eventMesg": _scnmesg.StructuredEventMessage_TYPE}, raises=(_scncomm.DummyException, )))
class _EventManager_methods:
    async def processEventMesg(self, eventMesg: _scnmesg.StructuredEventMessage) -> None: ...
class EventManager(_EventManager_methods, SCNComponent, of=EventManager_INTERFACE): ...
class EventManagerServant(_EventManager_methods, SCNComponentServant, of=EventManager_INTERFACE): ...

PublisherManager_INTERFACE: _g.Final = _here.interface(PublisherManager_TYPE, "scnmanager::PublisherManager",
        (SCNComponent_INTERFACE, ),
    _here.operation("notify", takes={"eventMesg": _scnmesg.PublishedStructuredEventMessage_TYPE},
        raises=(_scncomm.NotFoundPublisherID, _scncomm.InvalidMessage, )),
    _here.operation("registerPublisher",
        takes={"publisherID": _scncomm.PublisherID_TYPE, "passwd": _scncomm.Password_TYPE, "address": _tc.STRING},
        gives={"": PublisherManager_TYPE}, raises=(_scncomm.DuplicatedPublisherID, )),
    _here.operation("unregisterPublisher", takes={"publisherID": _scncomm.PublisherID_TYPE, "passwd": _scncomm.Password_TYPE},
        raises=(_scncomm.NotFoundPublisherID, _scncomm.InvalidPassword, )))
class _PublisherManager_methods:
    async def notify(self, eventMesg: _scnmesg.PublishedStructuredEventMessage) -> None: ...
    async def registerPublisher(self, publisherID: _scncomm.PublisherID, passwd: _scncomm.Password, address: str) -> _g.Reference: ...
    async def unregisterPublisher(self, publisherID: _scncomm.PublisherID, passwd: _scncomm.Password) -> None: ...
class PublisherManager(_PublisherManager_methods, SCNComponent, of=PublisherManager_INTERFACE): ...
class PublisherManagerServant(_PublisherManager_methods, SCNComponentServant, of=PublisherManager_INTERFACE): ...

SubscriberManager_INTERFACE: _g.Final = _here.interface(SubscriberManager_TYPE, "scnmanager::SubscriberManager",
        (SCNComponent_INTERFACE, ),
    _here.operation("registerSubscriber", takes={"subscriberID": _scncomm.SubscriberID_TYPE, "passwd": _scncomm.Password_TYPE},
        gives={"": _scncomm.AdminSubscriber_TYPE}, raises=(_scncomm.ExceedSubscriberLimit, _scncomm.DuplicatedSubscriberID, )),
    _here.operation("unregisterSubscriber", takes={"subscriberID": _scncomm.SubscriberID_TYPE, "passwd": _scncomm.Password_TYPE},
        raises=(_scncomm.NotFoundSubscriberID, _scncomm.InvalidPassword, )),
    _here.operation("getAdminSubscriber", takes={"subscriberID": _scncomm.SubscriberID_TYPE, "passwd": _scncomm.Password_TYPE},
        gives={"": _scncomm.AdminSubscriber_TYPE}, raises=(_scncomm.NotFoundSubscriberID, _scncomm.InvalidPassword, )))
class _SubscriberManager_methods:
    async def registerSubscriber(self, subscriberID: _scncomm.SubscriberID, passwd: _scncomm.Password) -> _g.Reference: ...
    async def unregisterSubscriber(self, subscriberID: _scncomm.SubscriberID, passwd: _scncomm.Password) -> None: ...
    async def getAdminSubscriber(self, subscriberID: _scncomm.SubscriberID, passwd: _scncomm.Password) -> _g.Reference: ...
class SubscriberManager(_SubscriberManager_methods, SCNComponent, of=SubscriberManager_INTERFACE): ...
class SubscriberManagerServant(_SubscriberManager_methods, SCNComponentServant, of=SubscriberManager_INTERFACE): ...
