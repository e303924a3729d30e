"""What CosNotification.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

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
read_Istring: _g.Reads[Istring] = _here.reads(Istring_TYPE)
write_Istring: _g.Writes[Istring] = _here.writes(Istring_TYPE)

PropertyName: _g.TypeAlias = "Istring"
read_PropertyName: _g.Reads[PropertyName] = _here.reads(PropertyName_TYPE)
write_PropertyName: _g.Writes[PropertyName] = _here.writes(PropertyName_TYPE)

PropertyValue: _g.TypeAlias = "_g.Value"
read_PropertyValue: _g.Reads[PropertyValue] = _here.reads(PropertyValue_TYPE)
write_PropertyValue: _g.Writes[PropertyValue] = _here.writes(PropertyValue_TYPE)

class Property(_g.NamedTuple):
    """struct CosNotification::Property"""
    name: PropertyName
    value: PropertyValue
read_Property: _g.Reads[Property] = _here.reads(Property_TYPE)
write_Property: _g.Writes[Property] = _here.writes(Property_TYPE)

PropertySeq: _g.TypeAlias = "_g.Sequence[Property]"
read_PropertySeq: _g.Reads[PropertySeq] = _here.reads(PropertySeq_TYPE)
write_PropertySeq: _g.Writes[PropertySeq] = _here.writes(PropertySeq_TYPE)

OptionalHeaderFields: _g.TypeAlias = "PropertySeq"
read_OptionalHeaderFields: _g.Reads[OptionalHeaderFields] = _here.reads(OptionalHeaderFields_TYPE)
write_OptionalHeaderFields: _g.Writes[OptionalHeaderFields] = _here.writes(OptionalHeaderFields_TYPE)

FilterableEventBody: _g.TypeAlias = "PropertySeq"
read_FilterableEventBody: _g.Reads[FilterableEventBody] = _here.reads(FilterableEventBody_TYPE)
write_FilterableEventBody: _g.Writes[FilterableEventBody] = _here.writes(FilterableEventBody_TYPE)

QoSProperties: _g.TypeAlias = "PropertySeq"
read_QoSProperties: _g.Reads[QoSProperties] = _here.reads(QoSProperties_TYPE)
write_QoSProperties: _g.Writes[QoSProperties] = _here.writes(QoSProperties_TYPE)

AdminProperties: _g.TypeAlias = "PropertySeq"
read_AdminProperties: _g.Reads[AdminProperties] = _here.reads(AdminProperties_TYPE)
write_AdminProperties: _g.Writes[AdminProperties] = _here.writes(AdminProperties_TYPE)

class PropertyRange(_g.NamedTuple):
    """struct CosNotification::PropertyRange"""
    low_val: PropertyValue
    high_val: PropertyValue
read_PropertyRange: _g.Reads[PropertyRange] = _here.reads(PropertyRange_TYPE)
write_PropertyRange: _g.Writes[PropertyRange] = _here.writes(PropertyRange_TYPE)

class NamedPropertyRange(_g.NamedTuple):
    """struct CosNotification::NamedPropertyRange"""
    name: PropertyName
    range: PropertyRange
read_NamedPropertyRange: _g.Reads[NamedPropertyRange] = _here.reads(NamedPropertyRange_TYPE)
write_NamedPropertyRange: _g.Writes[NamedPropertyRange] = _here.writes(NamedPropertyRange_TYPE)

NamedPropertyRangeSeq: _g.TypeAlias = "_g.Sequence[NamedPropertyRange]"
read_NamedPropertyRangeSeq: _g.Reads[NamedPropertyRangeSeq] = _here.reads(NamedPropertyRangeSeq_TYPE)
write_NamedPropertyRangeSeq: _g.Writes[NamedPropertyRangeSeq] = _here.writes(NamedPropertyRangeSeq_TYPE)

class QoSError_code(_g.StrEnum):
    """enum CosNotification::QoSError_code"""
    UNSUPPORTED_PROPERTY = "UNSUPPORTED_PROPERTY"
    UNAVAILABLE_PROPERTY = "UNAVAILABLE_PROPERTY"
    UNSUPPORTED_VALUE = "UNSUPPORTED_VALUE"
    UNAVAILABLE_VALUE = "UNAVAILABLE_VALUE"
    BAD_PROPERTY = "BAD_PROPERTY"
    BAD_TYPE = "BAD_TYPE"
    BAD_VALUE = "BAD_VALUE"
read_QoSError_code: _g.Reads[QoSError_code] = _here.reads(QoSError_code_TYPE)
write_QoSError_code: _g.Writes[QoSError_code] = _here.writes(QoSError_code_TYPE)

class PropertyError(_g.NamedTuple):
    """struct CosNotification::PropertyError"""
    code: QoSError_code
    name: PropertyName
    available_range: PropertyRange
read_PropertyError: _g.Reads[PropertyError] = _here.reads(PropertyError_TYPE)
write_PropertyError: _g.Writes[PropertyError] = _here.writes(PropertyError_TYPE)

PropertyErrorSeq: _g.TypeAlias = "_g.Sequence[PropertyError]"
read_PropertyErrorSeq: _g.Reads[PropertyErrorSeq] = _here.reads(PropertyErrorSeq_TYPE)
write_PropertyErrorSeq: _g.Writes[PropertyErrorSeq] = _here.writes(PropertyErrorSeq_TYPE)

read_UnsupportedQoS: _g.Reads[UnsupportedQoS] = _here.reads(UnsupportedQoS_TYPE)
write_UnsupportedQoS: _g.Writes[UnsupportedQoS] = _here.writes(UnsupportedQoS_TYPE)
class UnsupportedQoS(_g.UserException):
    """exception CosNotification::UnsupportedQoS"""
    ID = corba_id = UnsupportedQoS_TYPE.id
    TYPE = UnsupportedQoS_TYPE
    read, write = staticmethod(read_UnsupportedQoS), staticmethod(write_UnsupportedQoS)
    __match_args__ = ("qos_err", )
    def __init__(self, qos_err: PropertyErrorSeq) -> None:
        super().__init__(qos_err)
        self.qos_err = qos_err

read_UnsupportedAdmin: _g.Reads[UnsupportedAdmin] = _here.reads(UnsupportedAdmin_TYPE)
write_UnsupportedAdmin: _g.Writes[UnsupportedAdmin] = _here.writes(UnsupportedAdmin_TYPE)
class UnsupportedAdmin(_g.UserException):
    """exception CosNotification::UnsupportedAdmin"""
    ID = corba_id = UnsupportedAdmin_TYPE.id
    TYPE = UnsupportedAdmin_TYPE
    read, write = staticmethod(read_UnsupportedAdmin), staticmethod(write_UnsupportedAdmin)
    __match_args__ = ("admin_err", )
    def __init__(self, admin_err: PropertyErrorSeq) -> None:
        super().__init__(admin_err)
        self.admin_err = admin_err

class EventType(_g.NamedTuple):
    """struct CosNotification::EventType"""
    domain_name: str
    type_name: str
read_EventType: _g.Reads[EventType] = _here.reads(EventType_TYPE)
write_EventType: _g.Writes[EventType] = _here.writes(EventType_TYPE)

EventTypeSeq: _g.TypeAlias = "_g.Sequence[EventType]"
read_EventTypeSeq: _g.Reads[EventTypeSeq] = _here.reads(EventTypeSeq_TYPE)
write_EventTypeSeq: _g.Writes[EventTypeSeq] = _here.writes(EventTypeSeq_TYPE)

class FixedEventHeader(_g.NamedTuple):
    """struct CosNotification::FixedEventHeader"""
    event_type: EventType
    event_name: str
read_FixedEventHeader: _g.Reads[FixedEventHeader] = _here.reads(FixedEventHeader_TYPE)
write_FixedEventHeader: _g.Writes[FixedEventHeader] = _here.writes(FixedEventHeader_TYPE)

class EventHeader(_g.NamedTuple):
    """struct CosNotification::EventHeader"""
    fixed_header: FixedEventHeader
    variable_header: OptionalHeaderFields
read_EventHeader: _g.Reads[EventHeader] = _here.reads(EventHeader_TYPE)
write_EventHeader: _g.Writes[EventHeader] = _here.writes(EventHeader_TYPE)

class StructuredEvent(_g.NamedTuple):
    """struct CosNotification::StructuredEvent"""
    header: EventHeader
    filterable_data: FilterableEventBody
    remainder_of_body: _g.Value
read_StructuredEvent: _g.Reads[StructuredEvent] = _here.reads(StructuredEvent_TYPE)
write_StructuredEvent: _g.Writes[StructuredEvent] = _here.writes(StructuredEvent_TYPE)

EventBatch: _g.TypeAlias = "_g.Sequence[StructuredEvent]"
read_EventBatch: _g.Reads[EventBatch] = _here.reads(EventBatch_TYPE)
write_EventBatch: _g.Writes[EventBatch] = _here.writes(EventBatch_TYPE)
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

QoSAdmin_INTERFACE: _g.Final = _here.interface(
    QoSAdmin_TYPE, "CosNotification::QoSAdmin", (),
    _here.operation("get_qos", gives={"": QoSProperties_TYPE}),
    _here.operation("set_qos", takes={"qos": QoSProperties_TYPE}, raises=(UnsupportedQoS, )),
    _here.operation("validate_qos", takes={"required_qos": QoSProperties_TYPE}, gives={"available_qos": NamedPropertyRangeSeq_TYPE},
        raises=(UnsupportedQoS, )),
)

class QoSAdmin(_g.Stub):
    """interface CosNotification::QoSAdmin"""
    __slots__ = ()
    INTERFACE = QoSAdmin_INTERFACE
    async def get_qos(self) -> QoSProperties: return await self._call("get_qos")
    async def set_qos(self, qos: QoSProperties) -> None: await self._call("set_qos", qos)
    async def validate_qos(self, required_qos: QoSProperties) -> NamedPropertyRangeSeq:
        return await self._call("validate_qos", required_qos)

class QoSAdminServant(_g.Servant):
    """interface CosNotification::QoSAdmin"""
    INTERFACE = QoSAdmin_INTERFACE
    async def get_qos(self) -> QoSProperties: _g.not_done(self, "get_qos")
    async def set_qos(self, qos: QoSProperties) -> None: _g.not_done(self, "set_qos")
    async def validate_qos(self, required_qos: QoSProperties) -> NamedPropertyRangeSeq:
        _g.not_done(self, "validate_qos")

AdminPropertiesAdmin_INTERFACE: _g.Final = _here.interface(
    AdminPropertiesAdmin_TYPE, "CosNotification::AdminPropertiesAdmin", (),
    _here.operation("get_admin", gives={"": AdminProperties_TYPE}),
    _here.operation("set_admin", takes={"admin": AdminProperties_TYPE}, raises=(UnsupportedAdmin, )),
)

class AdminPropertiesAdmin(_g.Stub):
    """interface CosNotification::AdminPropertiesAdmin"""
    __slots__ = ()
    INTERFACE = AdminPropertiesAdmin_INTERFACE
    async def get_admin(self) -> AdminProperties: return await self._call("get_admin")
    async def set_admin(self, admin: AdminProperties) -> None: await self._call("set_admin", admin)

class AdminPropertiesAdminServant(_g.Servant):
    """interface CosNotification::AdminPropertiesAdmin"""
    INTERFACE = AdminPropertiesAdmin_INTERFACE
    async def get_admin(self) -> AdminProperties: _g.not_done(self, "get_admin")
    async def set_admin(self, admin: AdminProperties) -> None: _g.not_done(self, "set_admin")
