"""What CosNotification.idl declares. Generated from it; changes belong there."""

# ruff: noqa

from __future__ import annotations

from collections.abc import Sequence as _Sequence
from decimal import Decimal as _Decimal
from enum import StrEnum as _StrEnum
from typing import Any as _Any
from typing import Final as _Final
from typing import NamedTuple as _NamedTuple
from typing import TypeAlias as _TypeAlias

from tidings.events import typecode as _tc
from tidings.events.boxes import UnionValue as _UnionValue
from tidings.events.boxes import Value as _Value
from tidings.events.reference import Reference as _Reference
from tidings.orb import generated as _g
from tidings.orb.cdr_reader import Reader as _Reader
from tidings.orb.cdr_writer import Writer as _Writer
from tidings.orb.exceptions import UserException as _UserException
from tidings.orb.stubs import Interface as _Interface
from tidings.orb.stubs import Operation as _Operation
from tidings.orb.stubs import Servant as _Servant
from tidings.orb.stubs import Stub as _Stub


__all__ = [
    "AdminProperties",
    "AdminPropertiesAdmin",
    "AdminPropertiesAdminServant",
    "AdminPropertiesAdmin_INTERFACE",
    "AdminPropertiesAdmin_TYPE",
    "AdminProperties_TYPE",
    "AnyOrder",
    "BestEffort",
    "ConnectionReliability",
    "DeadlineOrder",
    "DefaultPriority",
    "DiscardPolicy",
    "EventBatch",
    "EventBatch_TYPE",
    "EventHeader",
    "EventHeader_TYPE",
    "EventReliability",
    "EventType",
    "EventTypeSeq",
    "EventTypeSeq_TYPE",
    "EventType_TYPE",
    "FifoOrder",
    "FilterableEventBody",
    "FilterableEventBody_TYPE",
    "FixedEventHeader",
    "FixedEventHeader_TYPE",
    "HighestPriority",
    "Istring",
    "Istring_TYPE",
    "LifoOrder",
    "LowestPriority",
    "MaxConsumers",
    "MaxEventsPerConsumer",
    "MaxQueueLength",
    "MaxSuppliers",
    "MaximumBatchSize",
    "NamedPropertyRange",
    "NamedPropertyRangeSeq",
    "NamedPropertyRangeSeq_TYPE",
    "NamedPropertyRange_TYPE",
    "OptionalHeaderFields",
    "OptionalHeaderFields_TYPE",
    "OrderPolicy",
    "PacingInterval",
    "Persistent",
    "Priority",
    "PriorityOrder",
    "Property",
    "PropertyError",
    "PropertyErrorSeq",
    "PropertyErrorSeq_TYPE",
    "PropertyError_TYPE",
    "PropertyName",
    "PropertyName_TYPE",
    "PropertyRange",
    "PropertyRange_TYPE",
    "PropertySeq",
    "PropertySeq_TYPE",
    "PropertyValue",
    "PropertyValue_TYPE",
    "Property_TYPE",
    "QoSAdmin",
    "QoSAdminServant",
    "QoSAdmin_INTERFACE",
    "QoSAdmin_TYPE",
    "QoSError_code",
    "QoSError_code_TYPE",
    "QoSProperties",
    "QoSProperties_TYPE",
    "RejectNewEvents",
    "StartTime",
    "StartTimeSupported",
    "StopTime",
    "StopTimeSupported",
    "StructuredEvent",
    "StructuredEvent_TYPE",
    "Timeout",
    "UnsupportedAdmin",
    "UnsupportedAdmin_TYPE",
    "UnsupportedQoS",
    "UnsupportedQoS_TYPE",
    "read_AdminProperties",
    "read_EventBatch",
    "read_EventHeader",
    "read_EventType",
    "read_EventTypeSeq",
    "read_FilterableEventBody",
    "read_FixedEventHeader",
    "read_Istring",
    "read_NamedPropertyRange",
    "read_NamedPropertyRangeSeq",
    "read_OptionalHeaderFields",
    "read_Property",
    "read_PropertyError",
    "read_PropertyErrorSeq",
    "read_PropertyName",
    "read_PropertyRange",
    "read_PropertySeq",
    "read_PropertyValue",
    "read_QoSError_code",
    "read_QoSProperties",
    "read_StructuredEvent",
    "read_UnsupportedAdmin",
    "read_UnsupportedQoS",
    "write_AdminProperties",
    "write_EventBatch",
    "write_EventHeader",
    "write_EventType",
    "write_EventTypeSeq",
    "write_FilterableEventBody",
    "write_FixedEventHeader",
    "write_Istring",
    "write_NamedPropertyRange",
    "write_NamedPropertyRangeSeq",
    "write_OptionalHeaderFields",
    "write_Property",
    "write_PropertyError",
    "write_PropertyErrorSeq",
    "write_PropertyName",
    "write_PropertyRange",
    "write_PropertySeq",
    "write_PropertyValue",
    "write_QoSError_code",
    "write_QoSProperties",
    "write_StructuredEvent",
    "write_UnsupportedAdmin",
    "write_UnsupportedQoS",
]

Istring_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/Istring:1.0", "Istring", _tc.STRING)
PropertyName_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/PropertyName:1.0", "PropertyName", Istring_TYPE)
PropertyValue_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/PropertyValue:1.0", "PropertyValue", _tc.ANY)
Property_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotification/Property:1.0", "Property", [("name", PropertyName_TYPE), ("value", PropertyValue_TYPE)])
PropertySeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/PropertySeq:1.0", "PropertySeq", _tc.sequence(Property_TYPE))
OptionalHeaderFields_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/OptionalHeaderFields:1.0", "OptionalHeaderFields", PropertySeq_TYPE)
FilterableEventBody_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/FilterableEventBody:1.0", "FilterableEventBody", PropertySeq_TYPE)
QoSProperties_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/QoSProperties:1.0", "QoSProperties", PropertySeq_TYPE)
AdminProperties_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/AdminProperties:1.0", "AdminProperties", PropertySeq_TYPE)
PropertyRange_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotification/PropertyRange:1.0", "PropertyRange", [("low_val", PropertyValue_TYPE), ("high_val", PropertyValue_TYPE)])
NamedPropertyRange_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotification/NamedPropertyRange:1.0", "NamedPropertyRange", [("name", PropertyName_TYPE), ("range", PropertyRange_TYPE)])
NamedPropertyRangeSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/NamedPropertyRangeSeq:1.0", "NamedPropertyRangeSeq", _tc.sequence(NamedPropertyRange_TYPE))
QoSError_code_TYPE: _Final = _tc.enum("IDL:omg.org/CosNotification/QoSError_code:1.0", "QoSError_code", ["UNSUPPORTED_PROPERTY", "UNAVAILABLE_PROPERTY", "UNSUPPORTED_VALUE", "UNAVAILABLE_VALUE", "BAD_PROPERTY", "BAD_TYPE", "BAD_VALUE"])
PropertyError_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotification/PropertyError:1.0", "PropertyError", [("code", QoSError_code_TYPE), ("name", PropertyName_TYPE), ("available_range", PropertyRange_TYPE)])
PropertyErrorSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/PropertyErrorSeq:1.0", "PropertyErrorSeq", _tc.sequence(PropertyError_TYPE))
UnsupportedQoS_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotification/UnsupportedQoS:1.0", "UnsupportedQoS", [("qos_err", PropertyErrorSeq_TYPE)])
UnsupportedAdmin_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotification/UnsupportedAdmin:1.0", "UnsupportedAdmin", [("admin_err", PropertyErrorSeq_TYPE)])
EventType_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotification/EventType:1.0", "EventType", [("domain_name", _tc.STRING), ("type_name", _tc.STRING)])
EventTypeSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/EventTypeSeq:1.0", "EventTypeSeq", _tc.sequence(EventType_TYPE))
FixedEventHeader_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotification/FixedEventHeader:1.0", "FixedEventHeader", [("event_type", EventType_TYPE), ("event_name", _tc.STRING)])
EventHeader_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotification/EventHeader:1.0", "EventHeader", [("fixed_header", FixedEventHeader_TYPE), ("variable_header", OptionalHeaderFields_TYPE)])
StructuredEvent_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotification/StructuredEvent:1.0", "StructuredEvent", [("header", EventHeader_TYPE), ("filterable_data", FilterableEventBody_TYPE), ("remainder_of_body", _tc.ANY)])
EventBatch_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotification/EventBatch:1.0", "EventBatch", _tc.sequence(StructuredEvent_TYPE))
QoSAdmin_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotification/QoSAdmin:1.0", "QoSAdmin")
AdminPropertiesAdmin_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotification/AdminPropertiesAdmin:1.0", "AdminPropertiesAdmin")

Istring: _TypeAlias = "str"

def write_Istring(w: _Writer, v: Istring) -> None:
    w.string(v)

def read_Istring(r: _Reader) -> Istring:
    made = r.string()
    return made

PropertyName: _TypeAlias = "Istring"

def write_PropertyName(w: _Writer, v: PropertyName) -> None:
    w.string(v)

def read_PropertyName(r: _Reader) -> PropertyName:
    made = r.string()
    return made

PropertyValue: _TypeAlias = "_Value"

def write_PropertyValue(w: _Writer, v: PropertyValue) -> None:
    w.any(v)

def read_PropertyValue(r: _Reader) -> PropertyValue:
    made = r.any()
    return made

class Property(_NamedTuple):
    """struct CosNotification::Property"""
    name: PropertyName
    value: PropertyValue

def write_Property(w: _Writer, v: Property) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotification::Property", 2, v) from None
    w.string(a0)
    w.any(a1)

def read_Property(r: _Reader) -> Property:
    made = Property(
        r.string(),
        r.any(),
    )
    return made

PropertySeq: _TypeAlias = "_Sequence[Property]"

def write_PropertySeq(w: _Writer, v: PropertySeq) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNotification::Property>"):
        write_Property(w, x0)

def read_PropertySeq(r: _Reader) -> PropertySeq:
    made = tuple([read_Property(r) for _ in range(r.length(8))])
    return made

OptionalHeaderFields: _TypeAlias = "PropertySeq"

def write_OptionalHeaderFields(w: _Writer, v: OptionalHeaderFields) -> None:
    write_PropertySeq(w, v)

def read_OptionalHeaderFields(r: _Reader) -> OptionalHeaderFields:
    made = read_PropertySeq(r)
    return made

FilterableEventBody: _TypeAlias = "PropertySeq"

def write_FilterableEventBody(w: _Writer, v: FilterableEventBody) -> None:
    write_PropertySeq(w, v)

def read_FilterableEventBody(r: _Reader) -> FilterableEventBody:
    made = read_PropertySeq(r)
    return made

QoSProperties: _TypeAlias = "PropertySeq"

def write_QoSProperties(w: _Writer, v: QoSProperties) -> None:
    write_PropertySeq(w, v)

def read_QoSProperties(r: _Reader) -> QoSProperties:
    made = read_PropertySeq(r)
    return made

AdminProperties: _TypeAlias = "PropertySeq"

def write_AdminProperties(w: _Writer, v: AdminProperties) -> None:
    write_PropertySeq(w, v)

def read_AdminProperties(r: _Reader) -> AdminProperties:
    made = read_PropertySeq(r)
    return made

class PropertyRange(_NamedTuple):
    """struct CosNotification::PropertyRange"""
    low_val: PropertyValue
    high_val: PropertyValue

def write_PropertyRange(w: _Writer, v: PropertyRange) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotification::PropertyRange", 2, v) from None
    w.any(a0)
    w.any(a1)

def read_PropertyRange(r: _Reader) -> PropertyRange:
    made = PropertyRange(
        r.any(),
        r.any(),
    )
    return made

class NamedPropertyRange(_NamedTuple):
    """struct CosNotification::NamedPropertyRange"""
    name: PropertyName
    range: PropertyRange

def write_NamedPropertyRange(w: _Writer, v: NamedPropertyRange) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotification::NamedPropertyRange", 2, v) from None
    w.string(a0)
    write_PropertyRange(w, a1)

def read_NamedPropertyRange(r: _Reader) -> NamedPropertyRange:
    made = NamedPropertyRange(
        r.string(),
        read_PropertyRange(r),
    )
    return made

NamedPropertyRangeSeq: _TypeAlias = "_Sequence[NamedPropertyRange]"

def write_NamedPropertyRangeSeq(w: _Writer, v: NamedPropertyRangeSeq) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNotification::NamedPropertyRange>"):
        write_NamedPropertyRange(w, x0)

def read_NamedPropertyRangeSeq(r: _Reader) -> NamedPropertyRangeSeq:
    made = tuple([read_NamedPropertyRange(r) for _ in range(r.length(12))])
    return made

class QoSError_code(_StrEnum):
    """enum CosNotification::QoSError_code"""
    UNSUPPORTED_PROPERTY = "UNSUPPORTED_PROPERTY"
    UNAVAILABLE_PROPERTY = "UNAVAILABLE_PROPERTY"
    UNSUPPORTED_VALUE = "UNSUPPORTED_VALUE"
    UNAVAILABLE_VALUE = "UNAVAILABLE_VALUE"
    BAD_PROPERTY = "BAD_PROPERTY"
    BAD_TYPE = "BAD_TYPE"
    BAD_VALUE = "BAD_VALUE"

_labels_QoSError_code: _Final = tuple(QoSError_code)
_ordinals_QoSError_code: _Final = dict(zip(_labels_QoSError_code, range(7)))

def write_QoSError_code(w: _Writer, v: QoSError_code) -> None:
    try:
        w.ulong(_ordinals_QoSError_code[v])
    except _g.LOOKUP_FAULTS:
        raise _g.no_label("CosNotification::QoSError_code", v) from None

def read_QoSError_code(r: _Reader) -> QoSError_code:
    ordinal = r.ulong()
    if ordinal >= 7:
        raise _g.no_ordinal(r, "CosNotification::QoSError_code", ordinal)
    made = _labels_QoSError_code[ordinal]
    return made

class PropertyError(_NamedTuple):
    """struct CosNotification::PropertyError"""
    code: QoSError_code
    name: PropertyName
    available_range: PropertyRange

def write_PropertyError(w: _Writer, v: PropertyError) -> None:
    try:
        (a0, a1, a2, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotification::PropertyError", 3, v) from None
    write_QoSError_code(w, a0)
    w.string(a1)
    write_PropertyRange(w, a2)

def read_PropertyError(r: _Reader) -> PropertyError:
    made = PropertyError(
        read_QoSError_code(r),
        r.string(),
        read_PropertyRange(r),
    )
    return made

PropertyErrorSeq: _TypeAlias = "_Sequence[PropertyError]"

def write_PropertyErrorSeq(w: _Writer, v: PropertyErrorSeq) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNotification::PropertyError>"):
        write_PropertyError(w, x0)

def read_PropertyErrorSeq(r: _Reader) -> PropertyErrorSeq:
    made = tuple([read_PropertyError(r) for _ in range(r.length(16))])
    return made

def write_UnsupportedQoS(w: _Writer, v: UnsupportedQoS) -> None:
    write_PropertyErrorSeq(w, v.qos_err)

def read_UnsupportedQoS(r: _Reader) -> UnsupportedQoS:
    return UnsupportedQoS(
        read_PropertyErrorSeq(r),
    )

class UnsupportedQoS(_UserException):
    """exception CosNotification::UnsupportedQoS"""

    ID = "IDL:omg.org/CosNotification/UnsupportedQoS:1.0"
    TYPE = UnsupportedQoS_TYPE
    corba_id = "IDL:omg.org/CosNotification/UnsupportedQoS:1.0"
    write = staticmethod(write_UnsupportedQoS)
    read = staticmethod(read_UnsupportedQoS)

    def __init__(self, qos_err: PropertyErrorSeq) -> None:
        super().__init__(qos_err)
        self.qos_err = qos_err

def write_UnsupportedAdmin(w: _Writer, v: UnsupportedAdmin) -> None:
    write_PropertyErrorSeq(w, v.admin_err)

def read_UnsupportedAdmin(r: _Reader) -> UnsupportedAdmin:
    return UnsupportedAdmin(
        read_PropertyErrorSeq(r),
    )

class UnsupportedAdmin(_UserException):
    """exception CosNotification::UnsupportedAdmin"""

    ID = "IDL:omg.org/CosNotification/UnsupportedAdmin:1.0"
    TYPE = UnsupportedAdmin_TYPE
    corba_id = "IDL:omg.org/CosNotification/UnsupportedAdmin:1.0"
    write = staticmethod(write_UnsupportedAdmin)
    read = staticmethod(read_UnsupportedAdmin)

    def __init__(self, admin_err: PropertyErrorSeq) -> None:
        super().__init__(admin_err)
        self.admin_err = admin_err

class EventType(_NamedTuple):
    """struct CosNotification::EventType"""
    domain_name: str
    type_name: str

def write_EventType(w: _Writer, v: EventType) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotification::EventType", 2, v) from None
    w.string(a0)
    w.string(a1)

def read_EventType(r: _Reader) -> EventType:
    made = EventType(
        r.string(),
        r.string(),
    )
    return made

EventTypeSeq: _TypeAlias = "_Sequence[EventType]"

def write_EventTypeSeq(w: _Writer, v: EventTypeSeq) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNotification::EventType>"):
        write_EventType(w, x0)

def read_EventTypeSeq(r: _Reader) -> EventTypeSeq:
    made = tuple([read_EventType(r) for _ in range(r.length(8))])
    return made

class FixedEventHeader(_NamedTuple):
    """struct CosNotification::FixedEventHeader"""
    event_type: EventType
    event_name: str

def write_FixedEventHeader(w: _Writer, v: FixedEventHeader) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotification::FixedEventHeader", 2, v) from None
    write_EventType(w, a0)
    w.string(a1)

def read_FixedEventHeader(r: _Reader) -> FixedEventHeader:
    made = FixedEventHeader(
        read_EventType(r),
        r.string(),
    )
    return made

class EventHeader(_NamedTuple):
    """struct CosNotification::EventHeader"""
    fixed_header: FixedEventHeader
    variable_header: OptionalHeaderFields

def write_EventHeader(w: _Writer, v: EventHeader) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotification::EventHeader", 2, v) from None
    write_FixedEventHeader(w, a0)
    write_OptionalHeaderFields(w, a1)

def read_EventHeader(r: _Reader) -> EventHeader:
    made = EventHeader(
        read_FixedEventHeader(r),
        read_OptionalHeaderFields(r),
    )
    return made

class StructuredEvent(_NamedTuple):
    """struct CosNotification::StructuredEvent"""
    header: EventHeader
    filterable_data: FilterableEventBody
    remainder_of_body: _Value

def write_StructuredEvent(w: _Writer, v: StructuredEvent) -> None:
    try:
        (a0, a1, a2, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotification::StructuredEvent", 3, v) from None
    write_EventHeader(w, a0)
    write_FilterableEventBody(w, a1)
    w.any(a2)

def read_StructuredEvent(r: _Reader) -> StructuredEvent:
    made = StructuredEvent(
        read_EventHeader(r),
        read_FilterableEventBody(r),
        r.any(),
    )
    return made

EventBatch: _TypeAlias = "_Sequence[StructuredEvent]"

def write_EventBatch(w: _Writer, v: EventBatch) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNotification::StructuredEvent>"):
        write_StructuredEvent(w, x0)

def read_EventBatch(r: _Reader) -> EventBatch:
    made = tuple([read_StructuredEvent(r) for _ in range(r.length(24))])
    return made

EventReliability: _Final = 'EventReliability'

ConnectionReliability: _Final = 'ConnectionReliability'

BestEffort: _Final = 0

Persistent: _Final = 1

Priority: _Final = 'Priority'

LowestPriority: _Final = -32767

HighestPriority: _Final = 32767

DefaultPriority: _Final = 0

StartTime: _Final = 'StartTime'

StopTime: _Final = 'StopTime'

Timeout: _Final = 'Timeout'

StartTimeSupported: _Final = 'StartTimeSupported'

StopTimeSupported: _Final = 'StopTimeSupported'

OrderPolicy: _Final = 'OrderPolicy'

DiscardPolicy: _Final = 'DiscardPolicy'

AnyOrder: _Final = 0

FifoOrder: _Final = 1

PriorityOrder: _Final = 2

DeadlineOrder: _Final = 3

LifoOrder: _Final = 4

MaximumBatchSize: _Final = 'MaximumBatchSize'

PacingInterval: _Final = 'PacingInterval'

MaxEventsPerConsumer: _Final = 'MaxEventsPerConsumer'

MaxQueueLength: _Final = 'MaxQueueLength'

MaxConsumers: _Final = 'MaxConsumers'

MaxSuppliers: _Final = 'MaxSuppliers'

RejectNewEvents: _Final = 'RejectNewEvents'

def _QoSAdmin_get_qos_write_out(w: _Writer, v: _Any) -> None:
    write_QoSProperties(w, v)

def _QoSAdmin_get_qos_read_out(r: _Reader) -> _Any:
    return read_QoSProperties(r)

_QoSAdmin_get_qos: _Final = _Operation(
    "get_qos",
    "get_qos",
    _g.write_nothing,
    _g.read_nothing,
    _QoSAdmin_get_qos_write_out,
    _QoSAdmin_get_qos_read_out,
    (),
    False,
)

def _QoSAdmin_set_qos_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of set_qos", 1, v) from None
    write_QoSProperties(w, a0)

def _QoSAdmin_set_qos_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_QoSProperties(r),
    )

_QoSAdmin_set_qos: _Final = _Operation(
    "set_qos",
    "set_qos",
    _QoSAdmin_set_qos_write_in,
    _QoSAdmin_set_qos_read_in,
    _g.write_void,
    _g.read_void,
    (UnsupportedQoS, ),
    False,
)

def _QoSAdmin_validate_qos_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of validate_qos", 1, v) from None
    write_QoSProperties(w, a0)

def _QoSAdmin_validate_qos_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_QoSProperties(r),
    )

def _QoSAdmin_validate_qos_write_out(w: _Writer, v: _Any) -> None:
    write_NamedPropertyRangeSeq(w, v)

def _QoSAdmin_validate_qos_read_out(r: _Reader) -> _Any:
    return read_NamedPropertyRangeSeq(r)

_QoSAdmin_validate_qos: _Final = _Operation(
    "validate_qos",
    "validate_qos",
    _QoSAdmin_validate_qos_write_in,
    _QoSAdmin_validate_qos_read_in,
    _QoSAdmin_validate_qos_write_out,
    _QoSAdmin_validate_qos_read_out,
    (UnsupportedQoS, ),
    False,
)

QoSAdmin_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotification/QoSAdmin:1.0",
    "CosNotification::QoSAdmin",
    (),
    {
        "get_qos": _QoSAdmin_get_qos,
        "set_qos": _QoSAdmin_set_qos,
        "validate_qos": _QoSAdmin_validate_qos,
    },
)

class QoSAdmin(_Stub):
    """interface CosNotification::QoSAdmin"""

    __slots__ = ()
    INTERFACE = QoSAdmin_INTERFACE

    async def get_qos(self) -> QoSProperties:
        made: QoSProperties = await self._call(_QoSAdmin_get_qos, ())
        return made

    async def set_qos(self, qos: QoSProperties) -> None:
        await self._call(_QoSAdmin_set_qos, (qos, ))

    async def validate_qos(self, required_qos: QoSProperties) -> NamedPropertyRangeSeq:
        made: NamedPropertyRangeSeq = await self._call(_QoSAdmin_validate_qos, (required_qos, ))
        return made

class QoSAdminServant(_Servant):
    """interface CosNotification::QoSAdmin"""

    INTERFACE = QoSAdmin_INTERFACE

    async def get_qos(self) -> QoSProperties:
        _g.not_done(self, "get_qos")

    async def set_qos(self, qos: QoSProperties) -> None:
        _g.not_done(self, "set_qos")

    async def validate_qos(self, required_qos: QoSProperties) -> NamedPropertyRangeSeq:
        _g.not_done(self, "validate_qos")

def _AdminPropertiesAdmin_get_admin_write_out(w: _Writer, v: _Any) -> None:
    write_AdminProperties(w, v)

def _AdminPropertiesAdmin_get_admin_read_out(r: _Reader) -> _Any:
    return read_AdminProperties(r)

_AdminPropertiesAdmin_get_admin: _Final = _Operation(
    "get_admin",
    "get_admin",
    _g.write_nothing,
    _g.read_nothing,
    _AdminPropertiesAdmin_get_admin_write_out,
    _AdminPropertiesAdmin_get_admin_read_out,
    (),
    False,
)

def _AdminPropertiesAdmin_set_admin_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of set_admin", 1, v) from None
    write_AdminProperties(w, a0)

def _AdminPropertiesAdmin_set_admin_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_AdminProperties(r),
    )

_AdminPropertiesAdmin_set_admin: _Final = _Operation(
    "set_admin",
    "set_admin",
    _AdminPropertiesAdmin_set_admin_write_in,
    _AdminPropertiesAdmin_set_admin_read_in,
    _g.write_void,
    _g.read_void,
    (UnsupportedAdmin, ),
    False,
)

AdminPropertiesAdmin_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotification/AdminPropertiesAdmin:1.0",
    "CosNotification::AdminPropertiesAdmin",
    (),
    {
        "get_admin": _AdminPropertiesAdmin_get_admin,
        "set_admin": _AdminPropertiesAdmin_set_admin,
    },
)

class AdminPropertiesAdmin(_Stub):
    """interface CosNotification::AdminPropertiesAdmin"""

    __slots__ = ()
    INTERFACE = AdminPropertiesAdmin_INTERFACE

    async def get_admin(self) -> AdminProperties:
        made: AdminProperties = await self._call(_AdminPropertiesAdmin_get_admin, ())
        return made

    async def set_admin(self, admin: AdminProperties) -> None:
        await self._call(_AdminPropertiesAdmin_set_admin, (admin, ))

class AdminPropertiesAdminServant(_Servant):
    """interface CosNotification::AdminPropertiesAdmin"""

    INTERFACE = AdminPropertiesAdmin_INTERFACE

    async def get_admin(self) -> AdminProperties:
        _g.not_done(self, "get_admin")

    async def set_admin(self, admin: AdminProperties) -> None:
        _g.not_done(self, "set_admin")
