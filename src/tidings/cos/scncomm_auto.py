"""What scncomm.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosTrading_auto as _CosTrading
from tidings.cos import TimeBase_auto as _TimeBase
from tidings.cos import scnmesg_auto as _scnmesg

_here: _g.Final = _g.Types(globals(), _CosTrading._here, _TimeBase._here, _scnmesg._here)

SubscriberID_TYPE: _g.Final = _tc.alias("IDL:scncomm/SubscriberID:1.0", "SubscriberID", _tc.STRING)
PublisherID_TYPE: _g.Final = _tc.alias("IDL:scncomm/PublisherID:1.0", "PublisherID", _tc.STRING)
ProxyID_TYPE: _g.Final = _tc.alias("IDL:scncomm/ProxyID:1.0", "ProxyID", _tc.STRING)
AdminID_TYPE: _g.Final = _tc.alias("IDL:scncomm/AdminID:1.0", "AdminID", _tc.STRING)
Password_TYPE: _g.Final = _tc.alias("IDL:scncomm/Password:1.0", "Password", _tc.STRING)
XMLDocument_TYPE: _g.Final = _tc.alias("IDL:scncomm/XMLDocument:1.0", "XMLDocument", _tc.STRING)
ProxyType_TYPE: _g.Final = _tc.enum("IDL:scncomm/ProxyType:1.0", "ProxyType", [
    "PUSH_STRUCTURED", "PULL_STRUCTURED", "PUSH_STRUCTURED_SEQUENCE", "PULL_STRUCTURED_SEQUENCE", "PUSH_XML", "PULL_XML"])
Disconnected_TYPE: _g.Final = _tc.exception("IDL:scncomm/Disconnected:1.0", "Disconnected", [])
AlreadyConnected_TYPE: _g.Final = _tc.exception("IDL:scncomm/AlreadyConnected:1.0", "AlreadyConnected", [])
AlreadyDisconnected_TYPE: _g.Final = _tc.exception("IDL:scncomm/AlreadyDisconnected:1.0", "AlreadyDisconnected", [])
TypeError_TYPE: _g.Final = _tc.exception("IDL:scncomm/TypeError:1.0", "TypeError", [])
ExceedSubscriberLimit_TYPE: _g.Final = _tc.exception("IDL:scncomm/ExceedSubscriberLimit:1.0", "ExceedSubscriberLimit", [])
ExceedConnectSubscriberLimit_TYPE: _g.Final = _tc.exception("IDL:scncomm/ExceedConnectSubscriberLimit:1.0", "ExceedConnectSubscriberLimit", [])
DuplicatedSubscriberID_TYPE: _g.Final = _tc.exception("IDL:scncomm/DuplicatedSubscriberID:1.0", "DuplicatedSubscriberID", [])
ExceedProxyLimit_TYPE: _g.Final = _tc.exception("IDL:scncomm/ExceedProxyLimit:1.0", "ExceedProxyLimit", [])
NotFoundSubscriberID_TYPE: _g.Final = _tc.exception("IDL:scncomm/NotFoundSubscriberID:1.0", "NotFoundSubscriberID", [])
InvalidPassword_TYPE: _g.Final = _tc.exception("IDL:scncomm/InvalidPassword:1.0", "InvalidPassword", [])
InvalidProxyType_TYPE: _g.Final = _tc.exception("IDL:scncomm/InvalidProxyType:1.0", "InvalidProxyType", [])
NotFoundProxy_TYPE: _g.Final = _tc.exception("IDL:scncomm/NotFoundProxy:1.0", "NotFoundProxy", [])
AlreadyHaveTheType_TYPE: _g.Final = _tc.exception("IDL:scncomm/AlreadyHaveTheType:1.0", "AlreadyHaveTheType", [])
UnsupportedQoS_TYPE: _g.Final = _tc.exception("IDL:scncomm/UnsupportedQoS:1.0", "UnsupportedQoS", [])
FilterNotFound_TYPE: _g.Final = _tc.exception("IDL:scncomm/FilterNotFound:1.0", "FilterNotFound", [])
IllegalConstraint_TYPE: _g.Final = _tc.exception("IDL:scncomm/IllegalConstraint:1.0", "IllegalConstraint", [])
DummyException_TYPE: _g.Final = _tc.exception("IDL:scncomm/DummyException:1.0", "DummyException", [])
DuplicatedPublisherID_TYPE: _g.Final = _tc.exception("IDL:scncomm/DuplicatedPublisherID:1.0", "DuplicatedPublisherID", [])
NotFoundPublisherID_TYPE: _g.Final = _tc.exception("IDL:scncomm/NotFoundPublisherID:1.0", "NotFoundPublisherID", [])
InvalidMessage_TYPE: _g.Final = _tc.exception("IDL:scncomm/InvalidMessage:1.0", "InvalidMessage", [("why", _tc.STRING)])
PropertyName_TYPE: _g.Final = _tc.alias("IDL:scncomm/PropertyName:1.0", "PropertyName", _tc.STRING)
PropertyValue_TYPE: _g.Final = _tc.alias("IDL:scncomm/PropertyValue:1.0", "PropertyValue", _tc.ANY)
Property_TYPE: _g.Final = _tc.struct("IDL:scncomm/Property:1.0", "Property", [("name", PropertyName_TYPE), ("value", PropertyValue_TYPE)])
PropertySeq_TYPE: _g.Final = _tc.alias("IDL:scncomm/PropertySeq:1.0", "PropertySeq", _tc.sequence(Property_TYPE))
QoSProperties_TYPE: _g.Final = _tc.alias("IDL:scncomm/QoSProperties:1.0", "QoSProperties", PropertySeq_TYPE)
OverriddenPriority_TYPE: _g.Final = _tc.struct("IDL:scncomm/OverriddenPriority:1.0", "OverriddenPriority", [("constr", _tc.STRING), ("priority", _tc.SHORT)])
OverriddenPrioritySeq_TYPE: _g.Final = _tc.alias("IDL:scncomm/OverriddenPrioritySeq:1.0", "OverriddenPrioritySeq", _tc.sequence(OverriddenPriority_TYPE))
QoSAdmin_TYPE: _g.Final = _tc.objref("IDL:scncomm/QoSAdmin:1.0", "QoSAdmin")
FilterID_TYPE: _g.Final = _tc.alias("IDL:scncomm/FilterID:1.0", "FilterID", _tc.STRING)
FilterIDSeq_TYPE: _g.Final = _tc.alias("IDL:scncomm/FilterIDSeq:1.0", "FilterIDSeq", _tc.sequence(FilterID_TYPE))
TraderConstraint_TYPE: _g.Final = _tc.alias("IDL:scncomm/TraderConstraint:1.0", "TraderConstraint", _tc.STRING)
IORString_TYPE: _g.Final = _tc.alias("IDL:scncomm/IORString:1.0", "IORString", _tc.STRING)
IORStringSeq_TYPE: _g.Final = _tc.alias("IDL:scncomm/IORStringSeq:1.0", "IORStringSeq", _tc.sequence(IORString_TYPE))
TraderFilterContent_TYPE: _g.Final = _tc.struct("IDL:scncomm/TraderFilterContent:1.0", "TraderFilterContent", [
    ("type", _scnmesg.ServiceTypeName_TYPE), ("constr", TraderConstraint_TYPE)])
TraderFilterContentSeq_TYPE: _g.Final = _tc.alias("IDL:scncomm/TraderFilterContentSeq:1.0", "TraderFilterContentSeq", _tc.sequence(TraderFilterContent_TYPE))
FilterEventType_TYPE: _g.Final = _tc.enum("IDL:scncomm/FilterEventType:1.0", "FilterEventType", [
    "CHANGE_SERVICE_EVENT", "INSTANTIATION_SERVICE_EVENT", "CHANGE_AND_INSTATIATION_SERVICE_EVENT"])
FilterContent_TYPE: _g.Final = _tc.struct("IDL:scncomm/FilterContent:1.0", "FilterContent", [
    ("type", FilterEventType_TYPE), ("traderConstraints", TraderFilterContentSeq_TYPE), ("iors", IORStringSeq_TYPE)])
FilterInfo_TYPE: _g.Final = _tc.struct("IDL:scncomm/FilterInfo:1.0", "FilterInfo", [("filterID", FilterID_TYPE), ("filter", FilterContent_TYPE)])
FilterInfoSeq_TYPE: _g.Final = _tc.alias("IDL:scncomm/FilterInfoSeq:1.0", "FilterInfoSeq", _tc.sequence(FilterInfo_TYPE))
FilterAdmin_TYPE: _g.Final = _tc.objref("IDL:scncomm/FilterAdmin:1.0", "FilterAdmin")
Subscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/Subscriber:1.0", "Subscriber")
StructuredPushSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/StructuredPushSubscriber:1.0", "StructuredPushSubscriber")
SequenceStructuredPushSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/SequenceStructuredPushSubscriber:1.0", "SequenceStructuredPushSubscriber")
XMLPushSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/XMLPushSubscriber:1.0", "XMLPushSubscriber")
StructuredPullSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/StructuredPullSubscriber:1.0", "StructuredPullSubscriber")
SequenceStructuredPullSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/SequenceStructuredPullSubscriber:1.0", "SequenceStructuredPullSubscriber")
XMLPullSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/XMLPullSubscriber:1.0", "XMLPullSubscriber")
ProxySubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/ProxySubscriber:1.0", "ProxySubscriber")
ProxySubscriberSeq_TYPE: _g.Final = _tc.alias("IDL:scncomm/ProxySubscriberSeq:1.0", "ProxySubscriberSeq", _tc.sequence(ProxySubscriber_TYPE))
StructuredProxyPushSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/StructuredProxyPushSubscriber:1.0", "StructuredProxyPushSubscriber")
SequenceStructuredProxyPushSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/SequenceStructuredProxyPushSubscriber:1.0", "SequenceStructuredProxyPushSubscriber")
XMLProxyPushSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/XMLProxyPushSubscriber:1.0", "XMLProxyPushSubscriber")
StructuredProxyPullSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/StructuredProxyPullSubscriber:1.0", "StructuredProxyPullSubscriber")
SequenceStructuredProxyPullSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/SequenceStructuredProxyPullSubscriber:1.0", "SequenceStructuredProxyPullSubscriber")
XMLProxyPullSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/XMLProxyPullSubscriber:1.0", "XMLProxyPullSubscriber")
AdminSubscriber_TYPE: _g.Final = _tc.objref("IDL:scncomm/AdminSubscriber:1.0", "AdminSubscriber")

SubscriberID: _g.TypeAlias = "str"
PublisherID: _g.TypeAlias = "str"
ProxyID: _g.TypeAlias = "str"
AdminID: _g.TypeAlias = "str"
Password: _g.TypeAlias = "str"
XMLDocument: _g.TypeAlias = "str"

class ProxyType(_g.StrEnum):
    PUSH_STRUCTURED = "PUSH_STRUCTURED"
    PULL_STRUCTURED = "PULL_STRUCTURED"
    PUSH_STRUCTURED_SEQUENCE = "PUSH_STRUCTURED_SEQUENCE"
    PULL_STRUCTURED_SEQUENCE = "PULL_STRUCTURED_SEQUENCE"
    PUSH_XML = "PUSH_XML"
    PULL_XML = "PULL_XML"

class Disconnected(_g.UserException, types=_here, type=Disconnected_TYPE): ...
class AlreadyConnected(_g.UserException, types=_here, type=AlreadyConnected_TYPE): ...
class AlreadyDisconnected(_g.UserException, types=_here, type=AlreadyDisconnected_TYPE): ...
class TypeError(_g.UserException, types=_here, type=TypeError_TYPE): ...
class ExceedSubscriberLimit(_g.UserException, types=_here, type=ExceedSubscriberLimit_TYPE): ...
class ExceedConnectSubscriberLimit(_g.UserException, types=_here, type=ExceedConnectSubscriberLimit_TYPE): ...
class DuplicatedSubscriberID(_g.UserException, types=_here, type=DuplicatedSubscriberID_TYPE): ...
class ExceedProxyLimit(_g.UserException, types=_here, type=ExceedProxyLimit_TYPE): ...
class NotFoundSubscriberID(_g.UserException, types=_here, type=NotFoundSubscriberID_TYPE): ...
class InvalidPassword(_g.UserException, types=_here, type=InvalidPassword_TYPE): ...
class InvalidProxyType(_g.UserException, types=_here, type=InvalidProxyType_TYPE): ...
class NotFoundProxy(_g.UserException, types=_here, type=NotFoundProxy_TYPE): ...
class AlreadyHaveTheType(_g.UserException, types=_here, type=AlreadyHaveTheType_TYPE): ...
class UnsupportedQoS(_g.UserException, types=_here, type=UnsupportedQoS_TYPE): ...
class FilterNotFound(_g.UserException, types=_here, type=FilterNotFound_TYPE): ...
class IllegalConstraint(_g.UserException, types=_here, type=IllegalConstraint_TYPE): ...
class DummyException(_g.UserException, types=_here, type=DummyException_TYPE): ...
class DuplicatedPublisherID(_g.UserException, types=_here, type=DuplicatedPublisherID_TYPE): ...
class NotFoundPublisherID(_g.UserException, types=_here, type=NotFoundPublisherID_TYPE): ...

class InvalidMessage(_g.UserException, types=_here, type=InvalidMessage_TYPE):
    why: str

PropertyName: _g.TypeAlias = "str"
PropertyValue: _g.TypeAlias = "_g.Value"

class Property(_g.NamedTuple):
    name: PropertyName
    value: PropertyValue

PropertySeq: _g.TypeAlias = "_g.Sequence[Property]"
QoSProperties: _g.TypeAlias = "PropertySeq"
OrderPolicy: _g.Final = 'OrderPolicy'
DiscardPolicy: _g.Final = 'DiscardPolicy'
MaximumBatchSize: _g.Final = 'MaximumBatchSize'
PacingInterval: _g.Final = 'PacingInterval'
MaxQueueLength: _g.Final = 'MaxQueueLength'
PriorityOverride: _g.Final = 'PriorityOverride'
FifoOrder: _g.Final = 1
PriorityOrder: _g.Final = 2
DeadlineOrder: _g.Final = 3
LifoOrder: _g.Final = 4

class OverriddenPriority(_g.NamedTuple):
    constr: str
    priority: int

OverriddenPrioritySeq: _g.TypeAlias = "_g.Sequence[OverriddenPriority]"

QoSAdmin_INTERFACE: _g.Final = _here.interface(QoSAdmin_TYPE, "scncomm::QoSAdmin", (),
    _here.operation("set_qos", takes={"qos": QoSProperties_TYPE}, raises=(UnsupportedQoS, )),
    _here.operation("get_qos", gives={"": QoSProperties_TYPE}))
class _QoSAdmin_methods:
    async def set_qos(self, qos: QoSProperties) -> None: ...
    async def get_qos(self) -> QoSProperties: ...
class QoSAdmin(_QoSAdmin_methods, _g.Stub, of=QoSAdmin_INTERFACE): ...
class QoSAdminServant(_QoSAdmin_methods, _g.Servant, of=QoSAdmin_INTERFACE): ...

FilterID: _g.TypeAlias = "str"
FilterIDSeq: _g.TypeAlias = "_g.Sequence[FilterID]"
TraderConstraint: _g.TypeAlias = "str"
IORString: _g.TypeAlias = "str"
IORStringSeq: _g.TypeAlias = "_g.Sequence[IORString]"

class TraderFilterContent(_g.NamedTuple):
    type: _scnmesg.ServiceTypeName
    constr: TraderConstraint

TraderFilterContentSeq: _g.TypeAlias = "_g.Sequence[TraderFilterContent]"

class FilterEventType(_g.StrEnum):
    CHANGE_SERVICE_EVENT = "CHANGE_SERVICE_EVENT"
    INSTANTIATION_SERVICE_EVENT = "INSTANTIATION_SERVICE_EVENT"
    CHANGE_AND_INSTATIATION_SERVICE_EVENT = "CHANGE_AND_INSTATIATION_SERVICE_EVENT"

class FilterContent(_g.NamedTuple):
    type: FilterEventType
    traderConstraints: TraderFilterContentSeq
    iors: IORStringSeq

class FilterInfo(_g.NamedTuple):
    filterID: FilterID
    filter: FilterContent

FilterInfoSeq: _g.TypeAlias = "_g.Sequence[FilterInfo]"

FilterAdmin_INTERFACE: _g.Final = _here.interface(FilterAdmin_TYPE, "scncomm::FilterAdmin", (),
    _here.operation("addFilter", takes={"filter": FilterContent_TYPE}, gives={"filterID": FilterID_TYPE}, raises=(IllegalConstraint, )),
    _here.operation("removeFilter", takes={"filterID": FilterID_TYPE}, raises=(FilterNotFound, )),
    _here.operation("remove_all_filters"),
    _here.operation("getAllFilterID", gives={"": FilterIDSeq_TYPE}),
    _here.operation("getFilter", takes={"filterID": FilterID_TYPE}, gives={"": FilterInfo_TYPE}, raises=(FilterNotFound, )),
    _here.operation("getAllFilters", gives={"": FilterInfoSeq_TYPE}))
class _FilterAdmin_methods:
    async def addFilter(self, filter: FilterContent) -> FilterID: ...
    async def removeFilter(self, filterID: FilterID) -> None: ...
    async def remove_all_filters(self) -> None: ...
    async def getAllFilterID(self) -> FilterIDSeq: ...
    async def getFilter(self, filterID: FilterID) -> FilterInfo: ...
    async def getAllFilters(self) -> FilterInfoSeq: ...
class FilterAdmin(_FilterAdmin_methods, _g.Stub, of=FilterAdmin_INTERFACE): ...
class FilterAdminServant(_FilterAdmin_methods, _g.Servant, of=FilterAdmin_INTERFACE): ...

Subscriber_INTERFACE: _g.Final = _here.interface(Subscriber_TYPE, "scncomm::Subscriber", (),
    _here.operation("disconnect"),
    _here.operation("_get_subscriberID", gives={"": SubscriberID_TYPE}, method="get_subscriberID"))
class _Subscriber_methods:
    async def disconnect(self) -> None: ...
    async def get_subscriberID(self) -> SubscriberID: ...
class Subscriber(_Subscriber_methods, _g.Stub, of=Subscriber_INTERFACE): ...
class SubscriberServant(_Subscriber_methods, _g.Servant, of=Subscriber_INTERFACE): ...

StructuredPushSubscriber_INTERFACE: _g.Final = _here.interface(StructuredPushSubscriber_TYPE,
        "scncomm::StructuredPushSubscriber", (Subscriber_INTERFACE, ),
    _here.operation("push_structured_event", takes={"eventMesg": _scnmesg.StructuredEventMessage_TYPE}))
class _StructuredPushSubscriber_methods:
    async def push_structured_event(self, eventMesg: _scnmesg.StructuredEventMessage) -> None: ...
class StructuredPushSubscriber(_StructuredPushSubscriber_methods, Subscriber, of=StructuredPushSubscriber_INTERFACE): ...
class StructuredPushSubscriberServant(_StructuredPushSubscriber_methods, SubscriberServant, of=StructuredPushSubscriber_INTERFACE): ...

SequenceStructuredPushSubscriber_INTERFACE: _g.Final = _here.interface(SequenceStructuredPushSubscriber_TYPE,
        "scncomm::SequenceStructuredPushSubscriber", (Subscriber_INTERFACE, ),
    _here.operation("push_sequence_structured_event", takes={"eventMesgs": _scnmesg.StructuredEventBatch_TYPE}))
class _SequenceStructuredPushSubscriber_methods:
    async def push_sequence_structured_event(self, eventMesgs: _scnmesg.StructuredEventBatch) -> None: ...
class SequenceStructuredPushSubscriber(_SequenceStructuredPushSubscriber_methods, Subscriber, of=SequenceStructuredPushSubscriber_INTERFACE): ...
class SequenceStructuredPushSubscriberServant(_SequenceStructuredPushSubscriber_methods, SubscriberServant, of=SequenceStructuredPushSubscriber_INTERFACE): ...

XMLPushSubscriber_INTERFACE: _g.Final = _here.interface(XMLPushSubscriber_TYPE, "scncomm::XMLPushSubscriber",
        (Subscriber_INTERFACE, ),
    _here.operation("push_xml_event", takes={"eventMesg": XMLDocument_TYPE}))
class _XMLPushSubscriber_methods:
    async def push_xml_event(self, eventMesg: XMLDocument) -> None: ...
class XMLPushSubscriber(_XMLPushSubscriber_methods, Subscriber, of=XMLPushSubscriber_INTERFACE): ...
class XMLPushSubscriberServant(_XMLPushSubscriber_methods, SubscriberServant, of=XMLPushSubscriber_INTERFACE): ...

StructuredPullSubscriber_INTERFACE: _g.Final = _here.interface(StructuredPullSubscriber_TYPE,
        "scncomm::StructuredPullSubscriber", (Subscriber_INTERFACE, ))
class _StructuredPullSubscriber_methods: ...
class StructuredPullSubscriber(_StructuredPullSubscriber_methods, Subscriber, of=StructuredPullSubscriber_INTERFACE): ...
class StructuredPullSubscriberServant(_StructuredPullSubscriber_methods, SubscriberServant, of=StructuredPullSubscriber_INTERFACE): ...

SequenceStructuredPullSubscriber_INTERFACE: _g.Final = _here.interface(SequenceStructuredPullSubscriber_TYPE,
        "scncomm::SequenceStructuredPullSubscriber", (Subscriber_INTERFACE, ))
class _SequenceStructuredPullSubscriber_methods: ...
class SequenceStructuredPullSubscriber(_SequenceStructuredPullSubscriber_methods, Subscriber, of=SequenceStructuredPullSubscriber_INTERFACE): ...
class SequenceStructuredPullSubscriberServant(_SequenceStructuredPullSubscriber_methods, SubscriberServant, of=SequenceStructuredPullSubscriber_INTERFACE): ...

XMLPullSubscriber_INTERFACE: _g.Final = _here.interface(XMLPullSubscriber_TYPE, "scncomm::XMLPullSubscriber",
        (Subscriber_INTERFACE, ))
class _XMLPullSubscriber_methods: ...
class XMLPullSubscriber(_XMLPullSubscriber_methods, Subscriber, of=XMLPullSubscriber_INTERFACE): ...
class XMLPullSubscriberServant(_XMLPullSubscriber_methods, SubscriberServant, of=XMLPullSubscriber_INTERFACE): ...

ProxySubscriber_INTERFACE: _g.Final = _here.interface(ProxySubscriber_TYPE, "scncomm::ProxySubscriber",
        (FilterAdmin_INTERFACE, QoSAdmin_INTERFACE, ),
    _here.operation("disconnect", raises=(AlreadyDisconnected, )),
    _here.operation("destroy"),
    _here.operation("_get_proxyID", gives={"": ProxyID_TYPE}, method="get_proxyID"),
    _here.operation("_get_MyType", gives={"": ProxyType_TYPE}, method="get_MyType"),
    _here.operation("_get_proxyType", gives={"": ProxyType_TYPE}, method="get_proxyType"))
class _ProxySubscriber_methods:
    async def disconnect(self) -> None: ...
    async def destroy(self) -> None: ...
    async def get_proxyID(self) -> ProxyID: ...
    async def get_MyType(self) -> ProxyType: ...
    async def get_proxyType(self) -> ProxyType: ...
class ProxySubscriber(_ProxySubscriber_methods, FilterAdmin, QoSAdmin, of=ProxySubscriber_INTERFACE): ...
class ProxySubscriberServant(_ProxySubscriber_methods, FilterAdminServant, QoSAdminServant, of=ProxySubscriber_INTERFACE): ...

ProxySubscriberSeq: _g.TypeAlias = "_g.Sequence[_g.Reference]"

StructuredProxyPushSubscriber_INTERFACE: _g.Final = _here.interface(StructuredProxyPushSubscriber_TYPE,
        "scncomm::StructuredProxyPushSubscriber", (ProxySubscriber_INTERFACE, ),
    _here.operation("connect", takes={"push_subscriber": StructuredPushSubscriber_TYPE},
        raises=(AlreadyConnected, TypeError, ExceedConnectSubscriberLimit, )))
class _StructuredProxyPushSubscriber_methods:
    async def connect(self, push_subscriber: _g.Reference) -> None: ...
class StructuredProxyPushSubscriber(_StructuredProxyPushSubscriber_methods, ProxySubscriber, of=StructuredProxyPushSubscriber_INTERFACE): ...
class StructuredProxyPushSubscriberServant(_StructuredProxyPushSubscriber_methods, ProxySubscriberServant, of=StructuredProxyPushSubscriber_INTERFACE): ...

SequenceStructuredProxyPushSubscriber_INTERFACE: _g.Final = _here.interface(SequenceStructuredProxyPushSubscriber_TYPE,
        "scncomm::SequenceStructuredProxyPushSubscriber", (ProxySubscriber_INTERFACE, ),
    _here.operation("connect", takes={"sequence_push_subscriber": SequenceStructuredPushSubscriber_TYPE},
        raises=(AlreadyConnected, TypeError, ExceedConnectSubscriberLimit, )))
class _SequenceStructuredProxyPushSubscriber_methods:
    async def connect(self, sequence_push_subscriber: _g.Reference) -> None: ...
class SequenceStructuredProxyPushSubscriber(_SequenceStructuredProxyPushSubscriber_methods, ProxySubscriber, of=SequenceStructuredProxyPushSubscriber_INTERFACE): ...
class SequenceStructuredProxyPushSubscriberServant(_SequenceStructuredProxyPushSubscriber_methods, ProxySubscriberServant, of=SequenceStructuredProxyPushSubscriber_INTERFACE): ...

XMLProxyPushSubscriber_INTERFACE: _g.Final = _here.interface(XMLProxyPushSubscriber_TYPE,
        "scncomm::XMLProxyPushSubscriber", (ProxySubscriber_INTERFACE, ),
    _here.operation("connect", takes={"xml_push_subscriber": XMLPushSubscriber_TYPE},
        raises=(AlreadyConnected, TypeError, ExceedConnectSubscriberLimit, )))
class _XMLProxyPushSubscriber_methods:
    async def connect(self, xml_push_subscriber: _g.Reference) -> None: ...
class XMLProxyPushSubscriber(_XMLProxyPushSubscriber_methods, ProxySubscriber, of=XMLProxyPushSubscriber_INTERFACE): ...
class XMLProxyPushSubscriberServant(_XMLProxyPushSubscriber_methods, ProxySubscriberServant, of=XMLProxyPushSubscriber_INTERFACE): ...

StructuredProxyPullSubscriber_INTERFACE: _g.Final = _here.interface(StructuredProxyPullSubscriber_TYPE,
        "scncomm::StructuredProxyPullSubscriber", (ProxySubscriber_INTERFACE, ),
    _here.operation("connect", takes={"pull_subscriber": StructuredPullSubscriber_TYPE},
        raises=(AlreadyConnected, TypeError, ExceedConnectSubscriberLimit, )),
    _here.operation("pull_structured_event", gives={"": _scnmesg.StructuredEventMessage_TYPE, "has_event": _tc.BOOLEAN},
        raises=(Disconnected, )))
class _StructuredProxyPullSubscriber_methods:
    async def connect(self, pull_subscriber: _g.Reference) -> None: ...
    async def pull_structured_event(self) -> tuple[_scnmesg.StructuredEventMessage, bool]: ...
class StructuredProxyPullSubscriber(_StructuredProxyPullSubscriber_methods, ProxySubscriber, of=StructuredProxyPullSubscriber_INTERFACE): ...
class StructuredProxyPullSubscriberServant(_StructuredProxyPullSubscriber_methods, ProxySubscriberServant, of=StructuredProxyPullSubscriber_INTERFACE): ...

SequenceStructuredProxyPullSubscriber_INTERFACE: _g.Final = _here.interface(SequenceStructuredProxyPullSubscriber_TYPE,
        "scncomm::SequenceStructuredProxyPullSubscriber", (ProxySubscriber_INTERFACE, ),
    _here.operation("connect", takes={"sequence_pull_subscriber": SequenceStructuredPullSubscriber_TYPE},
        raises=(AlreadyConnected, TypeError, ExceedConnectSubscriberLimit, )),
    _here.operation("pull_sequence_structured_event", takes={"max_number": _tc.LONG},
        gives={"": _scnmesg.StructuredEventBatch_TYPE, "has_event": _tc.BOOLEAN}, raises=(Disconnected, )),
    _here.operation("try_pull_sequence_structured_event", takes={"max_number": _tc.LONG},
        gives={"": _scnmesg.StructuredEventBatch_TYPE, "has_event": _tc.BOOLEAN}, raises=(Disconnected, )))
class _SequenceStructuredProxyPullSubscriber_methods:
    async def connect(self, sequence_pull_subscriber: _g.Reference) -> None: ...
    async def pull_sequence_structured_event(self, max_number: int) -> tuple[_scnmesg.StructuredEventBatch, bool]: ...
    async def try_pull_sequence_structured_event(self, max_number: int) -> tuple[_scnmesg.StructuredEventBatch, bool]: ...
class SequenceStructuredProxyPullSubscriber(_SequenceStructuredProxyPullSubscriber_methods, ProxySubscriber, of=SequenceStructuredProxyPullSubscriber_INTERFACE): ...
class SequenceStructuredProxyPullSubscriberServant(_SequenceStructuredProxyPullSubscriber_methods, ProxySubscriberServant, of=SequenceStructuredProxyPullSubscriber_INTERFACE): ...

XMLProxyPullSubscriber_INTERFACE: _g.Final = _here.interface(XMLProxyPullSubscriber_TYPE,
        "scncomm::XMLProxyPullSubscriber", (ProxySubscriber_INTERFACE, ),
    _here.operation("connect", takes={"xml_pull_subscriber": XMLPullSubscriber_TYPE},
        raises=(AlreadyConnected, TypeError, ExceedConnectSubscriberLimit, )),
    _here.operation("pull_xml_event", gives={"": XMLDocument_TYPE, "has_event": _tc.BOOLEAN}, raises=(Disconnected, )))
class _XMLProxyPullSubscriber_methods:
    async def connect(self, xml_pull_subscriber: _g.Reference) -> None: ...
    async def pull_xml_event(self) -> tuple[XMLDocument, bool]: ...
class XMLProxyPullSubscriber(_XMLProxyPullSubscriber_methods, ProxySubscriber, of=XMLProxyPullSubscriber_INTERFACE): ...
class XMLProxyPullSubscriberServant(_XMLProxyPullSubscriber_methods, ProxySubscriberServant, of=XMLProxyPullSubscriber_INTERFACE): ...

AdminSubscriber_INTERFACE: _g.Final = _here.interface(AdminSubscriber_TYPE, "scncomm::AdminSubscriber",
        (FilterAdmin_INTERFACE, QoSAdmin_INTERFACE, ),
    _here.operation("createProxySubscriber", takes={"proxyType": ProxyType_TYPE}, gives={"": ProxySubscriber_TYPE, "proxyID": ProxyID_TYPE},
        raises=(InvalidProxyType, AlreadyHaveTheType, ExceedProxyLimit, )),
    _here.operation("destroyProxySubscriber", takes={"proxyID": ProxyID_TYPE}, raises=(NotFoundProxy, )),
    _here.operation("destroyAllProxySubscriber"),
    _here.operation("getProxySubscriber", takes={"proxyID": ProxyID_TYPE}, gives={"": ProxySubscriber_TYPE}, raises=(NotFoundProxy, )),
    _here.operation("getAllProxySubscriber", gives={"": ProxySubscriberSeq_TYPE}),
    _here.operation("_get_adminID", gives={"": AdminID_TYPE}, method="get_adminID"))
class _AdminSubscriber_methods:
    async def createProxySubscriber(self, proxyType: ProxyType) -> tuple[_g.Reference, ProxyID]: ...
    async def destroyProxySubscriber(self, proxyID: ProxyID) -> None: ...
    async def destroyAllProxySubscriber(self) -> None: ...
    async def getProxySubscriber(self, proxyID: ProxyID) -> _g.Reference: ...
    async def getAllProxySubscriber(self) -> ProxySubscriberSeq: ...
    async def get_adminID(self) -> AdminID: ...
class AdminSubscriber(_AdminSubscriber_methods, FilterAdmin, QoSAdmin, of=AdminSubscriber_INTERFACE): ...
class AdminSubscriberServant(_AdminSubscriber_methods, FilterAdminServant, QoSAdminServant, of=AdminSubscriber_INTERFACE): ...
