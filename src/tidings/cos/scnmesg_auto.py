"""What scnmesg.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosTrading_auto as _CosTrading
from tidings.cos import TimeBase_auto as _TimeBase

_here: _g.Final = _g.Types(globals(), _CosTrading._here, _TimeBase._here)

MessageType_TYPE: _g.Final = _tc.enum("IDL:scnmesg/MessageType:1.0", "MessageType", [
    "CHANGE_TYPE", "CHANGE_PROPERTY_VAL", "REMOVAL_SERVICE", "INSTANTIATION_SERVICE"])
TimeIndicator_TYPE: _g.Final = _tc.enum("IDL:scnmesg/TimeIndicator:1.0", "TimeIndicator", ["ADVANCE", "IMMEDIATE"])
ServiceTypeName_TYPE: _g.Final = _tc.alias("IDL:scnmesg/ServiceTypeName:1.0", "ServiceTypeName", _tc.STRING)
ServiceTypeNameSeq_TYPE: _g.Final = _tc.alias("IDL:scnmesg/ServiceTypeNameSeq:1.0", "ServiceTypeNameSeq", _tc.sequence(ServiceTypeName_TYPE))
PropertyDef_TYPE: _g.Final = _tc.struct("IDL:scnmesg/PropertyDef:1.0", "PropertyDef", [
    ("name", _tc.STRING), ("type", _tc.STRING), ("mode", _tc.SHORT)])
PropertyDefSeq_TYPE: _g.Final = _tc.alias("IDL:scnmesg/PropertyDefSeq:1.0", "PropertyDefSeq", _tc.sequence(PropertyDef_TYPE))
ServiceTypeDescription_TYPE: _g.Final = _tc.struct("IDL:scnmesg/ServiceTypeDescription:1.0", "ServiceTypeDescription", [
    ("name", ServiceTypeName_TYPE), ("base_types", ServiceTypeNameSeq_TYPE), ("properties", PropertyDefSeq_TYPE),
        ("interface_id", _tc.STRING), ("interface_idl", _tc.STRING)])
ServiceDescription_TYPE: _g.Final = _tc.struct("IDL:scnmesg/ServiceDescription:1.0", "ServiceDescription", [
    ("type", ServiceTypeDescription_TYPE), ("properties", _CosTrading.PropertySeq_TYPE), ("object_reference", _tc.STRING)])
ServiceDescriptionSeq_TYPE: _g.Final = _tc.alias("IDL:scnmesg/ServiceDescriptionSeq:1.0", "ServiceDescriptionSeq", _tc.sequence(ServiceDescription_TYPE))
MessageHeader_TYPE: _g.Final = _tc.struct("IDL:scnmesg/MessageHeader:1.0", "MessageHeader", [
    ("message_id", _tc.STRING), ("message_type", MessageType_TYPE), ("time_indicator", TimeIndicator_TYPE),
        ("priority", _tc.SHORT), ("expiry", _TimeBase.UtcT_TYPE), ("start", _TimeBase.UtcT_TYPE),
        ("timestamp", _TimeBase.UtcT_TYPE)])
PublishedHeader_TYPE: _g.Final = _tc.struct("IDL:scnmesg/PublishedHeader:1.0", "PublishedHeader", [
    ("message_type", MessageType_TYPE), ("priority", _tc.SHORT), ("expiry", _TimeBase.UtcT_TYPE),
        ("start", _TimeBase.UtcT_TYPE)])
MessageBody_TYPE: _g.Final = _tc.struct("IDL:scnmesg/MessageBody:1.0", "MessageBody", [
    ("descriptions", ServiceDescriptionSeq_TYPE), ("deleted", _CosTrading.PropertySeq_TYPE),
        ("modified", _CosTrading.PropertySeq_TYPE), ("reason", _tc.STRING), ("objective", _tc.STRING),
        ("effective", _TimeBase.UtcT_TYPE)])
StructuredEventMessage_TYPE: _g.Final = _tc.struct("IDL:scnmesg/StructuredEventMessage:1.0", "StructuredEventMessage", [
    ("header", MessageHeader_TYPE), ("body", MessageBody_TYPE), ("additional", _tc.STRING)])
PublishedStructuredEventMessage_TYPE: _g.Final = _tc.struct("IDL:scnmesg/PublishedStructuredEventMessage:1.0", "PublishedStructuredEventMessage", [
    ("header", PublishedHeader_TYPE), ("body", MessageBody_TYPE), ("additional", _tc.STRING)])
StructuredEventBatch_TYPE: _g.Final = _tc.alias("IDL:scnmesg/StructuredEventBatch:1.0", "StructuredEventBatch", _tc.sequence(StructuredEventMessage_TYPE))

class MessageType(_g.StrEnum):
    CHANGE_TYPE = "CHANGE_TYPE"
    CHANGE_PROPERTY_VAL = "CHANGE_PROPERTY_VAL"
    REMOVAL_SERVICE = "REMOVAL_SERVICE"
    INSTANTIATION_SERVICE = "INSTANTIATION_SERVICE"

class TimeIndicator(_g.StrEnum):
    ADVANCE = "ADVANCE"
    IMMEDIATE = "IMMEDIATE"

ServiceTypeName: _g.TypeAlias = "str"
ServiceTypeNameSeq: _g.TypeAlias = "_g.Sequence[ServiceTypeName]"

class PropertyDef(_g.NamedTuple):
    name: str
    type: str
    mode: int

PropertyDefSeq: _g.TypeAlias = "_g.Sequence[PropertyDef]"

class ServiceTypeDescription(_g.NamedTuple):
    name: ServiceTypeName
    base_types: ServiceTypeNameSeq
    properties: PropertyDefSeq
    interface_id: str
    interface_idl: str

class ServiceDescription(_g.NamedTuple):
    type: ServiceTypeDescription
    properties: _CosTrading.PropertySeq
    object_reference: str

ServiceDescriptionSeq: _g.TypeAlias = "_g.Sequence[ServiceDescription]"

class MessageHeader(_g.NamedTuple):
    message_id: str
    message_type: MessageType
    time_indicator: TimeIndicator
    priority: int
    expiry: _TimeBase.UtcT
    start: _TimeBase.UtcT
    timestamp: _TimeBase.UtcT

class PublishedHeader(_g.NamedTuple):
    message_type: MessageType
    priority: int
    expiry: _TimeBase.UtcT
    start: _TimeBase.UtcT

class MessageBody(_g.NamedTuple):
    descriptions: ServiceDescriptionSeq
    deleted: _CosTrading.PropertySeq
    modified: _CosTrading.PropertySeq
    reason: str
    objective: str
    effective: _TimeBase.UtcT

class StructuredEventMessage(_g.NamedTuple):
    header: MessageHeader
    body: MessageBody
    additional: str

class PublishedStructuredEventMessage(_g.NamedTuple):
    header: PublishedHeader
    body: MessageBody
    additional: str

StructuredEventBatch: _g.TypeAlias = "_g.Sequence[StructuredEventMessage]"
