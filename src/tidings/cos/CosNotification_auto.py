"""What CosNotification.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g

_here: _g.Final = _g.Types(globals())

Istring_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/Istring:1.0", "Istring", _tc.STRING)
PropertyName_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/PropertyName:1.0", "PropertyName", Istring_TYPE)
PropertyValue_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/PropertyValue:1.0", "PropertyValue", _tc.ANY)
Property_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotification/Property:1.0", "Property", [("name", PropertyName_TYPE), ("value", PropertyValue_TYPE)])
PropertySeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/PropertySeq:1.0", "PropertySeq", _tc.sequence(Property_TYPE))
OptionalHeaderFields_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/OptionalHeaderFields:1.0", "OptionalHeaderFields", PropertySeq_TYPE)
FilterableEventBody_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/FilterableEventBody:1.0", "FilterableEventBody", PropertySeq_TYPE)
QoSProperties_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/QoSProperties:1.0", "QoSProperties", PropertySeq_TYPE)
AdminProperties_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/AdminProperties:1.0", "AdminProperties", PropertySeq_TYPE)
PropertyRange_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotification/PropertyRange:1.0", "PropertyRange", [
    ("low_val", PropertyValue_TYPE), ("high_val", PropertyValue_TYPE)])
NamedPropertyRange_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotification/NamedPropertyRange:1.0", "NamedPropertyRange", [("name", PropertyName_TYPE), ("range", PropertyRange_TYPE)])
NamedPropertyRangeSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/NamedPropertyRangeSeq:1.0", "NamedPropertyRangeSeq", _tc.sequence(NamedPropertyRange_TYPE))
QoSError_code_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosNotification/QoSError_code:1.0", "QoSError_code", [
    "UNSUPPORTED_PROPERTY", "UNAVAILABLE_PROPERTY", "UNSUPPORTED_VALUE", "UNAVAILABLE_VALUE", "BAD_PROPERTY", "BAD_TYPE",
        "BAD_VALUE"])
PropertyError_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotification/PropertyError:1.0", "PropertyError", [
    ("code", QoSError_code_TYPE), ("name", PropertyName_TYPE), ("available_range", PropertyRange_TYPE)])
PropertyErrorSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/PropertyErrorSeq:1.0", "PropertyErrorSeq", _tc.sequence(PropertyError_TYPE))
UnsupportedQoS_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotification/UnsupportedQoS:1.0", "UnsupportedQoS", [("qos_err", PropertyErrorSeq_TYPE)])
UnsupportedAdmin_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotification/UnsupportedAdmin:1.0", "UnsupportedAdmin", [("admin_err", PropertyErrorSeq_TYPE)])
EventType_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotification/EventType:1.0", "EventType", [("domain_name", _tc.STRING), ("type_name", _tc.STRING)])
EventTypeSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/EventTypeSeq:1.0", "EventTypeSeq", _tc.sequence(EventType_TYPE))
FixedEventHeader_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotification/FixedEventHeader:1.0", "FixedEventHeader", [("event_type", EventType_TYPE), ("event_name", _tc.STRING)])
EventHeader_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotification/EventHeader:1.0", "EventHeader", [
    ("fixed_header", FixedEventHeader_TYPE), ("variable_header", OptionalHeaderFields_TYPE)])
StructuredEvent_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotification/StructuredEvent:1.0", "StructuredEvent", [
    ("header", EventHeader_TYPE), ("filterable_data", FilterableEventBody_TYPE), ("remainder_of_body", _tc.ANY)])
EventBatch_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotification/EventBatch:1.0", "EventBatch", _tc.sequence(StructuredEvent_TYPE))
QoSAdmin_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotification/QoSAdmin:1.0", "QoSAdmin")
AdminPropertiesAdmin_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotification/AdminPropertiesAdmin:1.0", "AdminPropertiesAdmin")

Istring: _g.TypeAlias = "str"
PropertyName: _g.TypeAlias = "Istring"
PropertyValue: _g.TypeAlias = "_g.Value"

class Property(_g.NamedTuple):
    name: PropertyName
    value: PropertyValue

PropertySeq: _g.TypeAlias = "_g.Sequence[Property]"
OptionalHeaderFields: _g.TypeAlias = "PropertySeq"
FilterableEventBody: _g.TypeAlias = "PropertySeq"
QoSProperties: _g.TypeAlias = "PropertySeq"
AdminProperties: _g.TypeAlias = "PropertySeq"

class PropertyRange(_g.NamedTuple):
    low_val: PropertyValue
    high_val: PropertyValue

class NamedPropertyRange(_g.NamedTuple):
    name: PropertyName
    range: PropertyRange

NamedPropertyRangeSeq: _g.TypeAlias = "_g.Sequence[NamedPropertyRange]"

class QoSError_code(_g.StrEnum):
    UNSUPPORTED_PROPERTY = "UNSUPPORTED_PROPERTY"
    UNAVAILABLE_PROPERTY = "UNAVAILABLE_PROPERTY"
    UNSUPPORTED_VALUE = "UNSUPPORTED_VALUE"
    UNAVAILABLE_VALUE = "UNAVAILABLE_VALUE"
    BAD_PROPERTY = "BAD_PROPERTY"
    BAD_TYPE = "BAD_TYPE"
    BAD_VALUE = "BAD_VALUE"

class PropertyError(_g.NamedTuple):
    code: QoSError_code
    name: PropertyName
    available_range: PropertyRange

PropertyErrorSeq: _g.TypeAlias = "_g.Sequence[PropertyError]"

class UnsupportedQoS(_g.UserException, types=_here, type=UnsupportedQoS_TYPE):
    qos_err: PropertyErrorSeq

class UnsupportedAdmin(_g.UserException, types=_here, type=UnsupportedAdmin_TYPE):
    admin_err: PropertyErrorSeq

class EventType(_g.NamedTuple):
    domain_name: str
    type_name: str

EventTypeSeq: _g.TypeAlias = "_g.Sequence[EventType]"

class FixedEventHeader(_g.NamedTuple):
    event_type: EventType
    event_name: str

class EventHeader(_g.NamedTuple):
    fixed_header: FixedEventHeader
    variable_header: OptionalHeaderFields

class StructuredEvent(_g.NamedTuple):
    header: EventHeader
    filterable_data: FilterableEventBody
    remainder_of_body: _g.Value

EventBatch: _g.TypeAlias = "_g.Sequence[StructuredEvent]"
EventReliability: _g.Final = 'EventReliability'
ConnectionReliability: _g.Final = 'ConnectionReliability'
BestEffort: _g.Final = 0
Persistent: _g.Final = 1
Priority: _g.Final = 'Priority'
LowestPriority: _g.Final = -32767
HighestPriority: _g.Final = 32767
DefaultPriority: _g.Final = 0
StartTime: _g.Final = 'StartTime'
StopTime: _g.Final = 'StopTime'
Timeout: _g.Final = 'Timeout'
StartTimeSupported: _g.Final = 'StartTimeSupported'
StopTimeSupported: _g.Final = 'StopTimeSupported'
OrderPolicy: _g.Final = 'OrderPolicy'
DiscardPolicy: _g.Final = 'DiscardPolicy'
AnyOrder: _g.Final = 0
FifoOrder: _g.Final = 1
PriorityOrder: _g.Final = 2
DeadlineOrder: _g.Final = 3
LifoOrder: _g.Final = 4
MaximumBatchSize: _g.Final = 'MaximumBatchSize'
PacingInterval: _g.Final = 'PacingInterval'
MaxEventsPerConsumer: _g.Final = 'MaxEventsPerConsumer'
MaxQueueLength: _g.Final = 'MaxQueueLength'
MaxConsumers: _g.Final = 'MaxConsumers'
MaxSuppliers: _g.Final = 'MaxSuppliers'
RejectNewEvents: _g.Final = 'RejectNewEvents'

QoSAdmin_INTERFACE: _g.Final = _here.interface(QoSAdmin_TYPE, "CosNotification::QoSAdmin", (),
    _here.operation("get_qos", gives={"": QoSProperties_TYPE}),
    _here.operation("set_qos", takes={"qos": QoSProperties_TYPE}, raises=(UnsupportedQoS, )),
    _here.operation("validate_qos", takes={"required_qos": QoSProperties_TYPE}, gives={"available_qos": NamedPropertyRangeSeq_TYPE},
        raises=(UnsupportedQoS, )))
class _QoSAdmin_methods:
    async def get_qos(self) -> QoSProperties: ...
    async def set_qos(self, qos: QoSProperties) -> None: ...
    async def validate_qos(self, required_qos: QoSProperties) -> NamedPropertyRangeSeq: ...
class QoSAdmin(_QoSAdmin_methods, _g.Stub, of=QoSAdmin_INTERFACE): ...
class QoSAdminServant(_QoSAdmin_methods, _g.Servant, of=QoSAdmin_INTERFACE): ...

AdminPropertiesAdmin_INTERFACE: _g.Final = _here.interface(AdminPropertiesAdmin_TYPE,
        "CosNotification::AdminPropertiesAdmin", (),
    _here.operation("get_admin", gives={"": AdminProperties_TYPE}),
    _here.operation("set_admin", takes={"admin": AdminProperties_TYPE}, raises=(UnsupportedAdmin, )))
class _AdminPropertiesAdmin_methods:
    async def get_admin(self) -> AdminProperties: ...
    async def set_admin(self, admin: AdminProperties) -> None: ...
class AdminPropertiesAdmin(_AdminPropertiesAdmin_methods, _g.Stub, of=AdminPropertiesAdmin_INTERFACE): ...
class AdminPropertiesAdminServant(_AdminPropertiesAdmin_methods, _g.Servant, of=AdminPropertiesAdmin_INTERFACE): ...
