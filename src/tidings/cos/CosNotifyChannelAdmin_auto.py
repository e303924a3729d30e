"""What CosNotifyChannelAdmin.idl declares. Generated from it; changes belong there."""

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

from tidings.cos import CosEventChannelAdmin_auto as _CosEventChannelAdmin
from tidings.cos import CosEventComm_auto as _CosEventComm
from tidings.cos import CosNotification_auto as _CosNotification
from tidings.cos import CosNotifyComm_auto as _CosNotifyComm
from tidings.cos import CosNotifyFilter_auto as _CosNotifyFilter

__all__ = [
    "AdminID",
    "AdminIDSeq",
    "AdminIDSeq_TYPE",
    "AdminID_TYPE",
    "AdminLimit",
    "AdminLimitExceeded",
    "AdminLimitExceeded_TYPE",
    "AdminLimit_TYPE",
    "AdminNotFound",
    "AdminNotFound_TYPE",
    "ChannelID",
    "ChannelIDSeq",
    "ChannelIDSeq_TYPE",
    "ChannelID_TYPE",
    "ChannelNotFound",
    "ChannelNotFound_TYPE",
    "ClientType",
    "ClientType_TYPE",
    "ConnectionAlreadyActive",
    "ConnectionAlreadyActive_TYPE",
    "ConnectionAlreadyInactive",
    "ConnectionAlreadyInactive_TYPE",
    "ConsumerAdmin",
    "ConsumerAdminServant",
    "ConsumerAdmin_INTERFACE",
    "ConsumerAdmin_TYPE",
    "EventChannel",
    "EventChannelFactory",
    "EventChannelFactoryServant",
    "EventChannelFactory_INTERFACE",
    "EventChannelFactory_TYPE",
    "EventChannelServant",
    "EventChannel_INTERFACE",
    "EventChannel_TYPE",
    "InterFilterGroupOperator",
    "InterFilterGroupOperator_TYPE",
    "NotConnected",
    "NotConnected_TYPE",
    "ObtainInfoMode",
    "ObtainInfoMode_TYPE",
    "ProxyConsumer",
    "ProxyConsumerServant",
    "ProxyConsumer_INTERFACE",
    "ProxyConsumer_TYPE",
    "ProxyID",
    "ProxyIDSeq",
    "ProxyIDSeq_TYPE",
    "ProxyID_TYPE",
    "ProxyNotFound",
    "ProxyNotFound_TYPE",
    "ProxyPullConsumer",
    "ProxyPullConsumerServant",
    "ProxyPullConsumer_INTERFACE",
    "ProxyPullConsumer_TYPE",
    "ProxyPullSupplier",
    "ProxyPullSupplierServant",
    "ProxyPullSupplier_INTERFACE",
    "ProxyPullSupplier_TYPE",
    "ProxyPushConsumer",
    "ProxyPushConsumerServant",
    "ProxyPushConsumer_INTERFACE",
    "ProxyPushConsumer_TYPE",
    "ProxyPushSupplier",
    "ProxyPushSupplierServant",
    "ProxyPushSupplier_INTERFACE",
    "ProxyPushSupplier_TYPE",
    "ProxySupplier",
    "ProxySupplierServant",
    "ProxySupplier_INTERFACE",
    "ProxySupplier_TYPE",
    "ProxyType",
    "ProxyType_TYPE",
    "SequenceProxyPullConsumer",
    "SequenceProxyPullConsumerServant",
    "SequenceProxyPullConsumer_INTERFACE",
    "SequenceProxyPullConsumer_TYPE",
    "SequenceProxyPullSupplier",
    "SequenceProxyPullSupplierServant",
    "SequenceProxyPullSupplier_INTERFACE",
    "SequenceProxyPullSupplier_TYPE",
    "SequenceProxyPushConsumer",
    "SequenceProxyPushConsumerServant",
    "SequenceProxyPushConsumer_INTERFACE",
    "SequenceProxyPushConsumer_TYPE",
    "SequenceProxyPushSupplier",
    "SequenceProxyPushSupplierServant",
    "SequenceProxyPushSupplier_INTERFACE",
    "SequenceProxyPushSupplier_TYPE",
    "StructuredProxyPullConsumer",
    "StructuredProxyPullConsumerServant",
    "StructuredProxyPullConsumer_INTERFACE",
    "StructuredProxyPullConsumer_TYPE",
    "StructuredProxyPullSupplier",
    "StructuredProxyPullSupplierServant",
    "StructuredProxyPullSupplier_INTERFACE",
    "StructuredProxyPullSupplier_TYPE",
    "StructuredProxyPushConsumer",
    "StructuredProxyPushConsumerServant",
    "StructuredProxyPushConsumer_INTERFACE",
    "StructuredProxyPushConsumer_TYPE",
    "StructuredProxyPushSupplier",
    "StructuredProxyPushSupplierServant",
    "StructuredProxyPushSupplier_INTERFACE",
    "StructuredProxyPushSupplier_TYPE",
    "SupplierAdmin",
    "SupplierAdminServant",
    "SupplierAdmin_INTERFACE",
    "SupplierAdmin_TYPE",
    "read_AdminID",
    "read_AdminIDSeq",
    "read_AdminLimit",
    "read_AdminLimitExceeded",
    "read_AdminNotFound",
    "read_ChannelID",
    "read_ChannelIDSeq",
    "read_ChannelNotFound",
    "read_ClientType",
    "read_ConnectionAlreadyActive",
    "read_ConnectionAlreadyInactive",
    "read_InterFilterGroupOperator",
    "read_NotConnected",
    "read_ObtainInfoMode",
    "read_ProxyID",
    "read_ProxyIDSeq",
    "read_ProxyNotFound",
    "read_ProxyType",
    "write_AdminID",
    "write_AdminIDSeq",
    "write_AdminLimit",
    "write_AdminLimitExceeded",
    "write_AdminNotFound",
    "write_ChannelID",
    "write_ChannelIDSeq",
    "write_ChannelNotFound",
    "write_ClientType",
    "write_ConnectionAlreadyActive",
    "write_ConnectionAlreadyInactive",
    "write_InterFilterGroupOperator",
    "write_NotConnected",
    "write_ObtainInfoMode",
    "write_ProxyID",
    "write_ProxyIDSeq",
    "write_ProxyNotFound",
    "write_ProxyType",
]

ProxyID_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/ProxyID:1.0", "ProxyID", _tc.LONG)
ProxyIDSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/ProxyIDSeq:1.0", "ProxyIDSeq", _tc.sequence(ProxyID_TYPE))
AdminID_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/AdminID:1.0", "AdminID", _tc.LONG)
AdminIDSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/AdminIDSeq:1.0", "AdminIDSeq", _tc.sequence(AdminID_TYPE))
ChannelID_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/ChannelID:1.0", "ChannelID", _tc.LONG)
ChannelIDSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/ChannelIDSeq:1.0", "ChannelIDSeq", _tc.sequence(ChannelID_TYPE))
ProxyType_TYPE: _Final = _tc.enum("IDL:omg.org/CosNotifyChannelAdmin/ProxyType:1.0", "ProxyType", ["PUSH_ANY", "PULL_ANY", "PUSH_STRUCTURED", "PULL_STRUCTURED", "PUSH_SEQUENCE", "PULL_SEQUENCE", "PUSH_TYPED", "PULL_TYPED"])
ObtainInfoMode_TYPE: _Final = _tc.enum("IDL:omg.org/CosNotifyChannelAdmin/ObtainInfoMode:1.0", "ObtainInfoMode", ["ALL_NOW_UPDATES_OFF", "ALL_NOW_UPDATES_ON", "NONE_NOW_UPDATES_OFF", "NONE_NOW_UPDATES_ON"])
ClientType_TYPE: _Final = _tc.enum("IDL:omg.org/CosNotifyChannelAdmin/ClientType:1.0", "ClientType", ["ANY_EVENT", "STRUCTURED_EVENT", "SEQUENCE_EVENT"])
InterFilterGroupOperator_TYPE: _Final = _tc.enum("IDL:omg.org/CosNotifyChannelAdmin/InterFilterGroupOperator:1.0", "InterFilterGroupOperator", ["AND_OP", "OR_OP"])
AdminLimit_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotifyChannelAdmin/AdminLimit:1.0", "AdminLimit", [("name", _CosNotification.PropertyName_TYPE), ("value", _CosNotification.PropertyValue_TYPE)])
AdminLimitExceeded_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/AdminLimitExceeded:1.0", "AdminLimitExceeded", [("admin_property_err", AdminLimit_TYPE)])
AdminNotFound_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/AdminNotFound:1.0", "AdminNotFound", [])
ChannelNotFound_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/ChannelNotFound:1.0", "ChannelNotFound", [])
ConnectionAlreadyActive_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/ConnectionAlreadyActive:1.0", "ConnectionAlreadyActive", [])
ConnectionAlreadyInactive_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/ConnectionAlreadyInactive:1.0", "ConnectionAlreadyInactive", [])
NotConnected_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/NotConnected:1.0", "NotConnected", [])
ProxyNotFound_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/ProxyNotFound:1.0", "ProxyNotFound", [])
ProxyConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyConsumer:1.0", "ProxyConsumer")
ProxySupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxySupplier:1.0", "ProxySupplier")
ProxyPushConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyPushConsumer:1.0", "ProxyPushConsumer")
StructuredProxyPushConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPushConsumer:1.0", "StructuredProxyPushConsumer")
SequenceProxyPushConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPushConsumer:1.0", "SequenceProxyPushConsumer")
ProxyPullSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyPullSupplier:1.0", "ProxyPullSupplier")
StructuredProxyPullSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPullSupplier:1.0", "StructuredProxyPullSupplier")
SequenceProxyPullSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPullSupplier:1.0", "SequenceProxyPullSupplier")
ProxyPullConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyPullConsumer:1.0", "ProxyPullConsumer")
StructuredProxyPullConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPullConsumer:1.0", "StructuredProxyPullConsumer")
SequenceProxyPullConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPullConsumer:1.0", "SequenceProxyPullConsumer")
ProxyPushSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyPushSupplier:1.0", "ProxyPushSupplier")
StructuredProxyPushSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPushSupplier:1.0", "StructuredProxyPushSupplier")
SequenceProxyPushSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPushSupplier:1.0", "SequenceProxyPushSupplier")
ConsumerAdmin_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ConsumerAdmin:1.0", "ConsumerAdmin")
SupplierAdmin_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SupplierAdmin:1.0", "SupplierAdmin")
EventChannel_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/EventChannel:1.0", "EventChannel")
EventChannelFactory_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/EventChannelFactory:1.0", "EventChannelFactory")

ProxyID: _TypeAlias = "int"

def write_ProxyID(w: _Writer, v: ProxyID) -> None:
    w.long(v)

def read_ProxyID(r: _Reader) -> ProxyID:
    made = r.long()
    return made

ProxyIDSeq: _TypeAlias = "_Sequence[ProxyID]"

def write_ProxyIDSeq(w: _Writer, v: ProxyIDSeq) -> None:
    w.numbers("i", 4, _g.counted(w, v, "sequence<CosNotifyChannelAdmin::ProxyID>"), "long")

def read_ProxyIDSeq(r: _Reader) -> ProxyIDSeq:
    made = r.numbers("i", 4, r.length(4))
    return made

AdminID: _TypeAlias = "int"

def write_AdminID(w: _Writer, v: AdminID) -> None:
    w.long(v)

def read_AdminID(r: _Reader) -> AdminID:
    made = r.long()
    return made

AdminIDSeq: _TypeAlias = "_Sequence[AdminID]"

def write_AdminIDSeq(w: _Writer, v: AdminIDSeq) -> None:
    w.numbers("i", 4, _g.counted(w, v, "sequence<CosNotifyChannelAdmin::AdminID>"), "long")

def read_AdminIDSeq(r: _Reader) -> AdminIDSeq:
    made = r.numbers("i", 4, r.length(4))
    return made

ChannelID: _TypeAlias = "int"

def write_ChannelID(w: _Writer, v: ChannelID) -> None:
    w.long(v)

def read_ChannelID(r: _Reader) -> ChannelID:
    made = r.long()
    return made

ChannelIDSeq: _TypeAlias = "_Sequence[ChannelID]"

def write_ChannelIDSeq(w: _Writer, v: ChannelIDSeq) -> None:
    w.numbers("i", 4, _g.counted(w, v, "sequence<CosNotifyChannelAdmin::ChannelID>"), "long")

def read_ChannelIDSeq(r: _Reader) -> ChannelIDSeq:
    made = r.numbers("i", 4, r.length(4))
    return made

class ProxyType(_StrEnum):
    """enum CosNotifyChannelAdmin::ProxyType"""
    PUSH_ANY = "PUSH_ANY"
    PULL_ANY = "PULL_ANY"
    PUSH_STRUCTURED = "PUSH_STRUCTURED"
    PULL_STRUCTURED = "PULL_STRUCTURED"
    PUSH_SEQUENCE = "PUSH_SEQUENCE"
    PULL_SEQUENCE = "PULL_SEQUENCE"
    PUSH_TYPED = "PUSH_TYPED"
    PULL_TYPED = "PULL_TYPED"

_labels_ProxyType: _Final = tuple(ProxyType)
_ordinals_ProxyType: _Final = dict(zip(_labels_ProxyType, range(8)))

def write_ProxyType(w: _Writer, v: ProxyType) -> None:
    try:
        w.ulong(_ordinals_ProxyType[v])
    except _g.LOOKUP_FAULTS:
        raise _g.no_label("CosNotifyChannelAdmin::ProxyType", v) from None

def read_ProxyType(r: _Reader) -> ProxyType:
    ordinal = r.ulong()
    if ordinal >= 8:
        raise _g.no_ordinal(r, "CosNotifyChannelAdmin::ProxyType", ordinal)
    made = _labels_ProxyType[ordinal]
    return made

class ObtainInfoMode(_StrEnum):
    """enum CosNotifyChannelAdmin::ObtainInfoMode"""
    ALL_NOW_UPDATES_OFF = "ALL_NOW_UPDATES_OFF"
    ALL_NOW_UPDATES_ON = "ALL_NOW_UPDATES_ON"
    NONE_NOW_UPDATES_OFF = "NONE_NOW_UPDATES_OFF"
    NONE_NOW_UPDATES_ON = "NONE_NOW_UPDATES_ON"

_labels_ObtainInfoMode: _Final = tuple(ObtainInfoMode)
_ordinals_ObtainInfoMode: _Final = dict(zip(_labels_ObtainInfoMode, range(4)))

def write_ObtainInfoMode(w: _Writer, v: ObtainInfoMode) -> None:
    try:
        w.ulong(_ordinals_ObtainInfoMode[v])
    except _g.LOOKUP_FAULTS:
        raise _g.no_label("CosNotifyChannelAdmin::ObtainInfoMode", v) from None

def read_ObtainInfoMode(r: _Reader) -> ObtainInfoMode:
    ordinal = r.ulong()
    if ordinal >= 4:
        raise _g.no_ordinal(r, "CosNotifyChannelAdmin::ObtainInfoMode", ordinal)
    made = _labels_ObtainInfoMode[ordinal]
    return made

class ClientType(_StrEnum):
    """enum CosNotifyChannelAdmin::ClientType"""
    ANY_EVENT = "ANY_EVENT"
    STRUCTURED_EVENT = "STRUCTURED_EVENT"
    SEQUENCE_EVENT = "SEQUENCE_EVENT"

_labels_ClientType: _Final = tuple(ClientType)
_ordinals_ClientType: _Final = dict(zip(_labels_ClientType, range(3)))

def write_ClientType(w: _Writer, v: ClientType) -> None:
    try:
        w.ulong(_ordinals_ClientType[v])
    except _g.LOOKUP_FAULTS:
        raise _g.no_label("CosNotifyChannelAdmin::ClientType", v) from None

def read_ClientType(r: _Reader) -> ClientType:
    ordinal = r.ulong()
    if ordinal >= 3:
        raise _g.no_ordinal(r, "CosNotifyChannelAdmin::ClientType", ordinal)
    made = _labels_ClientType[ordinal]
    return made

class InterFilterGroupOperator(_StrEnum):
    """enum CosNotifyChannelAdmin::InterFilterGroupOperator"""
    AND_OP = "AND_OP"
    OR_OP = "OR_OP"

_labels_InterFilterGroupOperator: _Final = tuple(InterFilterGroupOperator)
_ordinals_InterFilterGroupOperator: _Final = dict(zip(_labels_InterFilterGroupOperator, range(2)))

def write_InterFilterGroupOperator(w: _Writer, v: InterFilterGroupOperator) -> None:
    try:
        w.ulong(_ordinals_InterFilterGroupOperator[v])
    except _g.LOOKUP_FAULTS:
        raise _g.no_label("CosNotifyChannelAdmin::InterFilterGroupOperator", v) from None

def read_InterFilterGroupOperator(r: _Reader) -> InterFilterGroupOperator:
    ordinal = r.ulong()
    if ordinal >= 2:
        raise _g.no_ordinal(r, "CosNotifyChannelAdmin::InterFilterGroupOperator", ordinal)
    made = _labels_InterFilterGroupOperator[ordinal]
    return made

class AdminLimit(_NamedTuple):
    """struct CosNotifyChannelAdmin::AdminLimit"""
    name: _CosNotification.PropertyName
    value: _CosNotification.PropertyValue

def write_AdminLimit(w: _Writer, v: AdminLimit) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotifyChannelAdmin::AdminLimit", 2, v) from None
    w.string(a0)
    w.any(a1)

def read_AdminLimit(r: _Reader) -> AdminLimit:
    made = AdminLimit(
        r.string(),
        r.any(),
    )
    return made

def write_AdminLimitExceeded(w: _Writer, v: AdminLimitExceeded) -> None:
    write_AdminLimit(w, v.admin_property_err)

def read_AdminLimitExceeded(r: _Reader) -> AdminLimitExceeded:
    return AdminLimitExceeded(
        read_AdminLimit(r),
    )

class AdminLimitExceeded(_UserException):
    """exception CosNotifyChannelAdmin::AdminLimitExceeded"""

    ID = "IDL:omg.org/CosNotifyChannelAdmin/AdminLimitExceeded:1.0"
    TYPE = AdminLimitExceeded_TYPE
    corba_id = "IDL:omg.org/CosNotifyChannelAdmin/AdminLimitExceeded:1.0"
    write = staticmethod(write_AdminLimitExceeded)
    read = staticmethod(read_AdminLimitExceeded)

    def __init__(self, admin_property_err: AdminLimit) -> None:
        super().__init__(admin_property_err)
        self.admin_property_err = admin_property_err

def write_AdminNotFound(w: _Writer, v: AdminNotFound) -> None:
    pass

def read_AdminNotFound(r: _Reader) -> AdminNotFound:
    return AdminNotFound(
    )

class AdminNotFound(_UserException):
    """exception CosNotifyChannelAdmin::AdminNotFound"""

    ID = "IDL:omg.org/CosNotifyChannelAdmin/AdminNotFound:1.0"
    TYPE = AdminNotFound_TYPE
    corba_id = "IDL:omg.org/CosNotifyChannelAdmin/AdminNotFound:1.0"
    write = staticmethod(write_AdminNotFound)
    read = staticmethod(read_AdminNotFound)

    def __init__(self) -> None:
        super().__init__()

def write_ChannelNotFound(w: _Writer, v: ChannelNotFound) -> None:
    pass

def read_ChannelNotFound(r: _Reader) -> ChannelNotFound:
    return ChannelNotFound(
    )

class ChannelNotFound(_UserException):
    """exception CosNotifyChannelAdmin::ChannelNotFound"""

    ID = "IDL:omg.org/CosNotifyChannelAdmin/ChannelNotFound:1.0"
    TYPE = ChannelNotFound_TYPE
    corba_id = "IDL:omg.org/CosNotifyChannelAdmin/ChannelNotFound:1.0"
    write = staticmethod(write_ChannelNotFound)
    read = staticmethod(read_ChannelNotFound)

    def __init__(self) -> None:
        super().__init__()

def write_ConnectionAlreadyActive(w: _Writer, v: ConnectionAlreadyActive) -> None:
    pass

def read_ConnectionAlreadyActive(r: _Reader) -> ConnectionAlreadyActive:
    return ConnectionAlreadyActive(
    )

class ConnectionAlreadyActive(_UserException):
    """exception CosNotifyChannelAdmin::ConnectionAlreadyActive"""

    ID = "IDL:omg.org/CosNotifyChannelAdmin/ConnectionAlreadyActive:1.0"
    TYPE = ConnectionAlreadyActive_TYPE
    corba_id = "IDL:omg.org/CosNotifyChannelAdmin/ConnectionAlreadyActive:1.0"
    write = staticmethod(write_ConnectionAlreadyActive)
    read = staticmethod(read_ConnectionAlreadyActive)

    def __init__(self) -> None:
        super().__init__()

def write_ConnectionAlreadyInactive(w: _Writer, v: ConnectionAlreadyInactive) -> None:
    pass

def read_ConnectionAlreadyInactive(r: _Reader) -> ConnectionAlreadyInactive:
    return ConnectionAlreadyInactive(
    )

class ConnectionAlreadyInactive(_UserException):
    """exception CosNotifyChannelAdmin::ConnectionAlreadyInactive"""

    ID = "IDL:omg.org/CosNotifyChannelAdmin/ConnectionAlreadyInactive:1.0"
    TYPE = ConnectionAlreadyInactive_TYPE
    corba_id = "IDL:omg.org/CosNotifyChannelAdmin/ConnectionAlreadyInactive:1.0"
    write = staticmethod(write_ConnectionAlreadyInactive)
    read = staticmethod(read_ConnectionAlreadyInactive)

    def __init__(self) -> None:
        super().__init__()

def write_NotConnected(w: _Writer, v: NotConnected) -> None:
    pass

def read_NotConnected(r: _Reader) -> NotConnected:
    return NotConnected(
    )

class NotConnected(_UserException):
    """exception CosNotifyChannelAdmin::NotConnected"""

    ID = "IDL:omg.org/CosNotifyChannelAdmin/NotConnected:1.0"
    TYPE = NotConnected_TYPE
    corba_id = "IDL:omg.org/CosNotifyChannelAdmin/NotConnected:1.0"
    write = staticmethod(write_NotConnected)
    read = staticmethod(read_NotConnected)

    def __init__(self) -> None:
        super().__init__()

def write_ProxyNotFound(w: _Writer, v: ProxyNotFound) -> None:
    pass

def read_ProxyNotFound(r: _Reader) -> ProxyNotFound:
    return ProxyNotFound(
    )

class ProxyNotFound(_UserException):
    """exception CosNotifyChannelAdmin::ProxyNotFound"""

    ID = "IDL:omg.org/CosNotifyChannelAdmin/ProxyNotFound:1.0"
    TYPE = ProxyNotFound_TYPE
    corba_id = "IDL:omg.org/CosNotifyChannelAdmin/ProxyNotFound:1.0"
    write = staticmethod(write_ProxyNotFound)
    read = staticmethod(read_ProxyNotFound)

    def __init__(self) -> None:
        super().__init__()

def _ProxyConsumer_obtain_subscription_types_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of obtain_subscription_types", 1, v) from None
    write_ObtainInfoMode(w, a0)

def _ProxyConsumer_obtain_subscription_types_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ObtainInfoMode(r),
    )

def _ProxyConsumer_obtain_subscription_types_write_out(w: _Writer, v: _Any) -> None:
    _CosNotification.write_EventTypeSeq(w, v)

def _ProxyConsumer_obtain_subscription_types_read_out(r: _Reader) -> _Any:
    return _CosNotification.read_EventTypeSeq(r)

_ProxyConsumer_obtain_subscription_types: _Final = _Operation(
    "obtain_subscription_types",
    "obtain_subscription_types",
    _ProxyConsumer_obtain_subscription_types_write_in,
    _ProxyConsumer_obtain_subscription_types_read_in,
    _ProxyConsumer_obtain_subscription_types_write_out,
    _ProxyConsumer_obtain_subscription_types_read_out,
    (),
    False,
)

def _ProxyConsumer_validate_event_qos_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of validate_event_qos", 1, v) from None
    _CosNotification.write_QoSProperties(w, a0)

def _ProxyConsumer_validate_event_qos_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_QoSProperties(r),
    )

def _ProxyConsumer_validate_event_qos_write_out(w: _Writer, v: _Any) -> None:
    _CosNotification.write_NamedPropertyRangeSeq(w, v)

def _ProxyConsumer_validate_event_qos_read_out(r: _Reader) -> _Any:
    return _CosNotification.read_NamedPropertyRangeSeq(r)

_ProxyConsumer_validate_event_qos: _Final = _Operation(
    "validate_event_qos",
    "validate_event_qos",
    _ProxyConsumer_validate_event_qos_write_in,
    _ProxyConsumer_validate_event_qos_read_in,
    _ProxyConsumer_validate_event_qos_write_out,
    _ProxyConsumer_validate_event_qos_read_out,
    (_CosNotification.UnsupportedQoS, ),
    False,
)

def _ProxyConsumer_get_MyType_write_out(w: _Writer, v: _Any) -> None:
    write_ProxyType(w, v)

def _ProxyConsumer_get_MyType_read_out(r: _Reader) -> _Any:
    return read_ProxyType(r)

_ProxyConsumer_get_MyType: _Final = _Operation(
    "_get_MyType",
    "get_MyType",
    _g.write_nothing,
    _g.read_nothing,
    _ProxyConsumer_get_MyType_write_out,
    _ProxyConsumer_get_MyType_read_out,
    (),
    False,
)

def _ProxyConsumer_get_MyAdmin_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ProxyConsumer_get_MyAdmin_read_out(r: _Reader) -> _Any:
    return r.reference()

_ProxyConsumer_get_MyAdmin: _Final = _Operation(
    "_get_MyAdmin",
    "get_MyAdmin",
    _g.write_nothing,
    _g.read_nothing,
    _ProxyConsumer_get_MyAdmin_write_out,
    _ProxyConsumer_get_MyAdmin_read_out,
    (),
    False,
)

ProxyConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/ProxyConsumer:1.0",
    "CosNotifyChannelAdmin::ProxyConsumer",
    (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, ),
    {
        **_CosNotification.QoSAdmin_INTERFACE.operations,
        **_CosNotifyFilter.FilterAdmin_INTERFACE.operations,
        "obtain_subscription_types": _ProxyConsumer_obtain_subscription_types,
        "validate_event_qos": _ProxyConsumer_validate_event_qos,
        "_get_MyType": _ProxyConsumer_get_MyType,
        "_get_MyAdmin": _ProxyConsumer_get_MyAdmin,
    },
)

class ProxyConsumer(_CosNotification.QoSAdmin, _CosNotifyFilter.FilterAdmin):
    """interface CosNotifyChannelAdmin::ProxyConsumer"""

    __slots__ = ()
    INTERFACE = ProxyConsumer_INTERFACE

    async def obtain_subscription_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq:
        made: _CosNotification.EventTypeSeq = await self._call(_ProxyConsumer_obtain_subscription_types, (mode, ))
        return made

    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq:
        made: _CosNotification.NamedPropertyRangeSeq = await self._call(_ProxyConsumer_validate_event_qos, (required_qos, ))
        return made

    async def get_MyType(self) -> ProxyType:
        made: ProxyType = await self._call(_ProxyConsumer_get_MyType, ())
        return made

    async def get_MyAdmin(self) -> _Reference:
        made: _Reference = await self._call(_ProxyConsumer_get_MyAdmin, ())
        return made

class ProxyConsumerServant(_CosNotification.QoSAdminServant, _CosNotifyFilter.FilterAdminServant):
    """interface CosNotifyChannelAdmin::ProxyConsumer"""

    INTERFACE = ProxyConsumer_INTERFACE

    async def obtain_subscription_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq:
        _g.not_done(self, "obtain_subscription_types")

    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq:
        _g.not_done(self, "validate_event_qos")

    async def get_MyType(self) -> ProxyType:
        _g.not_done(self, "get_MyType")

    async def get_MyAdmin(self) -> _Reference:
        _g.not_done(self, "get_MyAdmin")

def _ProxySupplier_obtain_offered_types_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of obtain_offered_types", 1, v) from None
    write_ObtainInfoMode(w, a0)

def _ProxySupplier_obtain_offered_types_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ObtainInfoMode(r),
    )

def _ProxySupplier_obtain_offered_types_write_out(w: _Writer, v: _Any) -> None:
    _CosNotification.write_EventTypeSeq(w, v)

def _ProxySupplier_obtain_offered_types_read_out(r: _Reader) -> _Any:
    return _CosNotification.read_EventTypeSeq(r)

_ProxySupplier_obtain_offered_types: _Final = _Operation(
    "obtain_offered_types",
    "obtain_offered_types",
    _ProxySupplier_obtain_offered_types_write_in,
    _ProxySupplier_obtain_offered_types_read_in,
    _ProxySupplier_obtain_offered_types_write_out,
    _ProxySupplier_obtain_offered_types_read_out,
    (),
    False,
)

def _ProxySupplier_validate_event_qos_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of validate_event_qos", 1, v) from None
    _CosNotification.write_QoSProperties(w, a0)

def _ProxySupplier_validate_event_qos_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_QoSProperties(r),
    )

def _ProxySupplier_validate_event_qos_write_out(w: _Writer, v: _Any) -> None:
    _CosNotification.write_NamedPropertyRangeSeq(w, v)

def _ProxySupplier_validate_event_qos_read_out(r: _Reader) -> _Any:
    return _CosNotification.read_NamedPropertyRangeSeq(r)

_ProxySupplier_validate_event_qos: _Final = _Operation(
    "validate_event_qos",
    "validate_event_qos",
    _ProxySupplier_validate_event_qos_write_in,
    _ProxySupplier_validate_event_qos_read_in,
    _ProxySupplier_validate_event_qos_write_out,
    _ProxySupplier_validate_event_qos_read_out,
    (_CosNotification.UnsupportedQoS, ),
    False,
)

def _ProxySupplier_get_MyType_write_out(w: _Writer, v: _Any) -> None:
    write_ProxyType(w, v)

def _ProxySupplier_get_MyType_read_out(r: _Reader) -> _Any:
    return read_ProxyType(r)

_ProxySupplier_get_MyType: _Final = _Operation(
    "_get_MyType",
    "get_MyType",
    _g.write_nothing,
    _g.read_nothing,
    _ProxySupplier_get_MyType_write_out,
    _ProxySupplier_get_MyType_read_out,
    (),
    False,
)

def _ProxySupplier_get_MyAdmin_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ProxySupplier_get_MyAdmin_read_out(r: _Reader) -> _Any:
    return r.reference()

_ProxySupplier_get_MyAdmin: _Final = _Operation(
    "_get_MyAdmin",
    "get_MyAdmin",
    _g.write_nothing,
    _g.read_nothing,
    _ProxySupplier_get_MyAdmin_write_out,
    _ProxySupplier_get_MyAdmin_read_out,
    (),
    False,
)

def _ProxySupplier_get_priority_filter_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ProxySupplier_get_priority_filter_read_out(r: _Reader) -> _Any:
    return r.reference()

_ProxySupplier_get_priority_filter: _Final = _Operation(
    "_get_priority_filter",
    "get_priority_filter",
    _g.write_nothing,
    _g.read_nothing,
    _ProxySupplier_get_priority_filter_write_out,
    _ProxySupplier_get_priority_filter_read_out,
    (),
    False,
)

def _ProxySupplier_set_priority_filter_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of _set_priority_filter", 1, v) from None
    w.reference(a0)

def _ProxySupplier_set_priority_filter_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxySupplier_set_priority_filter: _Final = _Operation(
    "_set_priority_filter",
    "set_priority_filter",
    _ProxySupplier_set_priority_filter_write_in,
    _ProxySupplier_set_priority_filter_read_in,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

def _ProxySupplier_get_lifetime_filter_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ProxySupplier_get_lifetime_filter_read_out(r: _Reader) -> _Any:
    return r.reference()

_ProxySupplier_get_lifetime_filter: _Final = _Operation(
    "_get_lifetime_filter",
    "get_lifetime_filter",
    _g.write_nothing,
    _g.read_nothing,
    _ProxySupplier_get_lifetime_filter_write_out,
    _ProxySupplier_get_lifetime_filter_read_out,
    (),
    False,
)

def _ProxySupplier_set_lifetime_filter_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of _set_lifetime_filter", 1, v) from None
    w.reference(a0)

def _ProxySupplier_set_lifetime_filter_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxySupplier_set_lifetime_filter: _Final = _Operation(
    "_set_lifetime_filter",
    "set_lifetime_filter",
    _ProxySupplier_set_lifetime_filter_write_in,
    _ProxySupplier_set_lifetime_filter_read_in,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

ProxySupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/ProxySupplier:1.0",
    "CosNotifyChannelAdmin::ProxySupplier",
    (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, ),
    {
        **_CosNotification.QoSAdmin_INTERFACE.operations,
        **_CosNotifyFilter.FilterAdmin_INTERFACE.operations,
        "obtain_offered_types": _ProxySupplier_obtain_offered_types,
        "validate_event_qos": _ProxySupplier_validate_event_qos,
        "_get_MyType": _ProxySupplier_get_MyType,
        "_get_MyAdmin": _ProxySupplier_get_MyAdmin,
        "_get_priority_filter": _ProxySupplier_get_priority_filter,
        "_set_priority_filter": _ProxySupplier_set_priority_filter,
        "_get_lifetime_filter": _ProxySupplier_get_lifetime_filter,
        "_set_lifetime_filter": _ProxySupplier_set_lifetime_filter,
    },
)

class ProxySupplier(_CosNotification.QoSAdmin, _CosNotifyFilter.FilterAdmin):
    """interface CosNotifyChannelAdmin::ProxySupplier"""

    __slots__ = ()
    INTERFACE = ProxySupplier_INTERFACE

    async def obtain_offered_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq:
        made: _CosNotification.EventTypeSeq = await self._call(_ProxySupplier_obtain_offered_types, (mode, ))
        return made

    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq:
        made: _CosNotification.NamedPropertyRangeSeq = await self._call(_ProxySupplier_validate_event_qos, (required_qos, ))
        return made

    async def get_MyType(self) -> ProxyType:
        made: ProxyType = await self._call(_ProxySupplier_get_MyType, ())
        return made

    async def get_MyAdmin(self) -> _Reference:
        made: _Reference = await self._call(_ProxySupplier_get_MyAdmin, ())
        return made

    async def get_priority_filter(self) -> _Reference:
        made: _Reference = await self._call(_ProxySupplier_get_priority_filter, ())
        return made

    async def set_priority_filter(self, value: _Reference) -> None:
        await self._call(_ProxySupplier_set_priority_filter, (value, ))

    async def get_lifetime_filter(self) -> _Reference:
        made: _Reference = await self._call(_ProxySupplier_get_lifetime_filter, ())
        return made

    async def set_lifetime_filter(self, value: _Reference) -> None:
        await self._call(_ProxySupplier_set_lifetime_filter, (value, ))

class ProxySupplierServant(_CosNotification.QoSAdminServant, _CosNotifyFilter.FilterAdminServant):
    """interface CosNotifyChannelAdmin::ProxySupplier"""

    INTERFACE = ProxySupplier_INTERFACE

    async def obtain_offered_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq:
        _g.not_done(self, "obtain_offered_types")

    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq:
        _g.not_done(self, "validate_event_qos")

    async def get_MyType(self) -> ProxyType:
        _g.not_done(self, "get_MyType")

    async def get_MyAdmin(self) -> _Reference:
        _g.not_done(self, "get_MyAdmin")

    async def get_priority_filter(self) -> _Reference:
        _g.not_done(self, "get_priority_filter")

    async def set_priority_filter(self, value: _Reference) -> None:
        _g.not_done(self, "set_priority_filter")

    async def get_lifetime_filter(self) -> _Reference:
        _g.not_done(self, "get_lifetime_filter")

    async def set_lifetime_filter(self, value: _Reference) -> None:
        _g.not_done(self, "set_lifetime_filter")

def _ProxyPushConsumer_connect_any_push_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_any_push_supplier", 1, v) from None
    w.reference(a0)

def _ProxyPushConsumer_connect_any_push_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxyPushConsumer_connect_any_push_supplier: _Final = _Operation(
    "connect_any_push_supplier",
    "connect_any_push_supplier",
    _ProxyPushConsumer_connect_any_push_supplier_write_in,
    _ProxyPushConsumer_connect_any_push_supplier_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, ),
    False,
)

ProxyPushConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/ProxyPushConsumer:1.0",
    "CosNotifyChannelAdmin::ProxyPushConsumer",
    (ProxyConsumer_INTERFACE, _CosNotifyComm.PushConsumer_INTERFACE, ),
    {
        **ProxyConsumer_INTERFACE.operations,
        **_CosNotifyComm.PushConsumer_INTERFACE.operations,
        "connect_any_push_supplier": _ProxyPushConsumer_connect_any_push_supplier,
    },
)

class ProxyPushConsumer(ProxyConsumer, _CosNotifyComm.PushConsumer):
    """interface CosNotifyChannelAdmin::ProxyPushConsumer"""

    __slots__ = ()
    INTERFACE = ProxyPushConsumer_INTERFACE

    async def connect_any_push_supplier(self, push_supplier: _Reference) -> None:
        await self._call(_ProxyPushConsumer_connect_any_push_supplier, (push_supplier, ))

class ProxyPushConsumerServant(ProxyConsumerServant, _CosNotifyComm.PushConsumerServant):
    """interface CosNotifyChannelAdmin::ProxyPushConsumer"""

    INTERFACE = ProxyPushConsumer_INTERFACE

    async def connect_any_push_supplier(self, push_supplier: _Reference) -> None:
        _g.not_done(self, "connect_any_push_supplier")

def _StructuredProxyPushConsumer_connect_structured_push_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_structured_push_supplier", 1, v) from None
    w.reference(a0)

def _StructuredProxyPushConsumer_connect_structured_push_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_StructuredProxyPushConsumer_connect_structured_push_supplier: _Final = _Operation(
    "connect_structured_push_supplier",
    "connect_structured_push_supplier",
    _StructuredProxyPushConsumer_connect_structured_push_supplier_write_in,
    _StructuredProxyPushConsumer_connect_structured_push_supplier_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, ),
    False,
)

StructuredProxyPushConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPushConsumer:1.0",
    "CosNotifyChannelAdmin::StructuredProxyPushConsumer",
    (ProxyConsumer_INTERFACE, _CosNotifyComm.StructuredPushConsumer_INTERFACE, ),
    {
        **ProxyConsumer_INTERFACE.operations,
        **_CosNotifyComm.StructuredPushConsumer_INTERFACE.operations,
        "connect_structured_push_supplier": _StructuredProxyPushConsumer_connect_structured_push_supplier,
    },
)

class StructuredProxyPushConsumer(ProxyConsumer, _CosNotifyComm.StructuredPushConsumer):
    """interface CosNotifyChannelAdmin::StructuredProxyPushConsumer"""

    __slots__ = ()
    INTERFACE = StructuredProxyPushConsumer_INTERFACE

    async def connect_structured_push_supplier(self, push_supplier: _Reference) -> None:
        await self._call(_StructuredProxyPushConsumer_connect_structured_push_supplier, (push_supplier, ))

class StructuredProxyPushConsumerServant(ProxyConsumerServant, _CosNotifyComm.StructuredPushConsumerServant):
    """interface CosNotifyChannelAdmin::StructuredProxyPushConsumer"""

    INTERFACE = StructuredProxyPushConsumer_INTERFACE

    async def connect_structured_push_supplier(self, push_supplier: _Reference) -> None:
        _g.not_done(self, "connect_structured_push_supplier")

def _SequenceProxyPushConsumer_connect_sequence_push_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_sequence_push_supplier", 1, v) from None
    w.reference(a0)

def _SequenceProxyPushConsumer_connect_sequence_push_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_SequenceProxyPushConsumer_connect_sequence_push_supplier: _Final = _Operation(
    "connect_sequence_push_supplier",
    "connect_sequence_push_supplier",
    _SequenceProxyPushConsumer_connect_sequence_push_supplier_write_in,
    _SequenceProxyPushConsumer_connect_sequence_push_supplier_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, ),
    False,
)

SequenceProxyPushConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPushConsumer:1.0",
    "CosNotifyChannelAdmin::SequenceProxyPushConsumer",
    (ProxyConsumer_INTERFACE, _CosNotifyComm.SequencePushConsumer_INTERFACE, ),
    {
        **ProxyConsumer_INTERFACE.operations,
        **_CosNotifyComm.SequencePushConsumer_INTERFACE.operations,
        "connect_sequence_push_supplier": _SequenceProxyPushConsumer_connect_sequence_push_supplier,
    },
)

class SequenceProxyPushConsumer(ProxyConsumer, _CosNotifyComm.SequencePushConsumer):
    """interface CosNotifyChannelAdmin::SequenceProxyPushConsumer"""

    __slots__ = ()
    INTERFACE = SequenceProxyPushConsumer_INTERFACE

    async def connect_sequence_push_supplier(self, push_supplier: _Reference) -> None:
        await self._call(_SequenceProxyPushConsumer_connect_sequence_push_supplier, (push_supplier, ))

class SequenceProxyPushConsumerServant(ProxyConsumerServant, _CosNotifyComm.SequencePushConsumerServant):
    """interface CosNotifyChannelAdmin::SequenceProxyPushConsumer"""

    INTERFACE = SequenceProxyPushConsumer_INTERFACE

    async def connect_sequence_push_supplier(self, push_supplier: _Reference) -> None:
        _g.not_done(self, "connect_sequence_push_supplier")

def _ProxyPullSupplier_connect_any_pull_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_any_pull_consumer", 1, v) from None
    w.reference(a0)

def _ProxyPullSupplier_connect_any_pull_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxyPullSupplier_connect_any_pull_consumer: _Final = _Operation(
    "connect_any_pull_consumer",
    "connect_any_pull_consumer",
    _ProxyPullSupplier_connect_any_pull_consumer_write_in,
    _ProxyPullSupplier_connect_any_pull_consumer_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, ),
    False,
)

ProxyPullSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/ProxyPullSupplier:1.0",
    "CosNotifyChannelAdmin::ProxyPullSupplier",
    (ProxySupplier_INTERFACE, _CosNotifyComm.PullSupplier_INTERFACE, ),
    {
        **ProxySupplier_INTERFACE.operations,
        **_CosNotifyComm.PullSupplier_INTERFACE.operations,
        "connect_any_pull_consumer": _ProxyPullSupplier_connect_any_pull_consumer,
    },
)

class ProxyPullSupplier(ProxySupplier, _CosNotifyComm.PullSupplier):
    """interface CosNotifyChannelAdmin::ProxyPullSupplier"""

    __slots__ = ()
    INTERFACE = ProxyPullSupplier_INTERFACE

    async def connect_any_pull_consumer(self, pull_consumer: _Reference) -> None:
        await self._call(_ProxyPullSupplier_connect_any_pull_consumer, (pull_consumer, ))

class ProxyPullSupplierServant(ProxySupplierServant, _CosNotifyComm.PullSupplierServant):
    """interface CosNotifyChannelAdmin::ProxyPullSupplier"""

    INTERFACE = ProxyPullSupplier_INTERFACE

    async def connect_any_pull_consumer(self, pull_consumer: _Reference) -> None:
        _g.not_done(self, "connect_any_pull_consumer")

def _StructuredProxyPullSupplier_connect_structured_pull_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_structured_pull_consumer", 1, v) from None
    w.reference(a0)

def _StructuredProxyPullSupplier_connect_structured_pull_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_StructuredProxyPullSupplier_connect_structured_pull_consumer: _Final = _Operation(
    "connect_structured_pull_consumer",
    "connect_structured_pull_consumer",
    _StructuredProxyPullSupplier_connect_structured_pull_consumer_write_in,
    _StructuredProxyPullSupplier_connect_structured_pull_consumer_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, ),
    False,
)

StructuredProxyPullSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPullSupplier:1.0",
    "CosNotifyChannelAdmin::StructuredProxyPullSupplier",
    (ProxySupplier_INTERFACE, _CosNotifyComm.StructuredPullSupplier_INTERFACE, ),
    {
        **ProxySupplier_INTERFACE.operations,
        **_CosNotifyComm.StructuredPullSupplier_INTERFACE.operations,
        "connect_structured_pull_consumer": _StructuredProxyPullSupplier_connect_structured_pull_consumer,
    },
)

class StructuredProxyPullSupplier(ProxySupplier, _CosNotifyComm.StructuredPullSupplier):
    """interface CosNotifyChannelAdmin::StructuredProxyPullSupplier"""

    __slots__ = ()
    INTERFACE = StructuredProxyPullSupplier_INTERFACE

    async def connect_structured_pull_consumer(self, pull_consumer: _Reference) -> None:
        await self._call(_StructuredProxyPullSupplier_connect_structured_pull_consumer, (pull_consumer, ))

class StructuredProxyPullSupplierServant(ProxySupplierServant, _CosNotifyComm.StructuredPullSupplierServant):
    """interface CosNotifyChannelAdmin::StructuredProxyPullSupplier"""

    INTERFACE = StructuredProxyPullSupplier_INTERFACE

    async def connect_structured_pull_consumer(self, pull_consumer: _Reference) -> None:
        _g.not_done(self, "connect_structured_pull_consumer")

def _SequenceProxyPullSupplier_connect_sequence_pull_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_sequence_pull_consumer", 1, v) from None
    w.reference(a0)

def _SequenceProxyPullSupplier_connect_sequence_pull_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_SequenceProxyPullSupplier_connect_sequence_pull_consumer: _Final = _Operation(
    "connect_sequence_pull_consumer",
    "connect_sequence_pull_consumer",
    _SequenceProxyPullSupplier_connect_sequence_pull_consumer_write_in,
    _SequenceProxyPullSupplier_connect_sequence_pull_consumer_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, ),
    False,
)

SequenceProxyPullSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPullSupplier:1.0",
    "CosNotifyChannelAdmin::SequenceProxyPullSupplier",
    (ProxySupplier_INTERFACE, _CosNotifyComm.SequencePullSupplier_INTERFACE, ),
    {
        **ProxySupplier_INTERFACE.operations,
        **_CosNotifyComm.SequencePullSupplier_INTERFACE.operations,
        "connect_sequence_pull_consumer": _SequenceProxyPullSupplier_connect_sequence_pull_consumer,
    },
)

class SequenceProxyPullSupplier(ProxySupplier, _CosNotifyComm.SequencePullSupplier):
    """interface CosNotifyChannelAdmin::SequenceProxyPullSupplier"""

    __slots__ = ()
    INTERFACE = SequenceProxyPullSupplier_INTERFACE

    async def connect_sequence_pull_consumer(self, pull_consumer: _Reference) -> None:
        await self._call(_SequenceProxyPullSupplier_connect_sequence_pull_consumer, (pull_consumer, ))

class SequenceProxyPullSupplierServant(ProxySupplierServant, _CosNotifyComm.SequencePullSupplierServant):
    """interface CosNotifyChannelAdmin::SequenceProxyPullSupplier"""

    INTERFACE = SequenceProxyPullSupplier_INTERFACE

    async def connect_sequence_pull_consumer(self, pull_consumer: _Reference) -> None:
        _g.not_done(self, "connect_sequence_pull_consumer")

def _ProxyPullConsumer_connect_any_pull_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_any_pull_supplier", 1, v) from None
    w.reference(a0)

def _ProxyPullConsumer_connect_any_pull_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxyPullConsumer_connect_any_pull_supplier: _Final = _Operation(
    "connect_any_pull_supplier",
    "connect_any_pull_supplier",
    _ProxyPullConsumer_connect_any_pull_supplier_write_in,
    _ProxyPullConsumer_connect_any_pull_supplier_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, ),
    False,
)

_ProxyPullConsumer_suspend_connection: _Final = _Operation(
    "suspend_connection",
    "suspend_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyInactive, NotConnected, ),
    False,
)

_ProxyPullConsumer_resume_connection: _Final = _Operation(
    "resume_connection",
    "resume_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyActive, NotConnected, ),
    False,
)

ProxyPullConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/ProxyPullConsumer:1.0",
    "CosNotifyChannelAdmin::ProxyPullConsumer",
    (ProxyConsumer_INTERFACE, _CosNotifyComm.PullConsumer_INTERFACE, ),
    {
        **ProxyConsumer_INTERFACE.operations,
        **_CosNotifyComm.PullConsumer_INTERFACE.operations,
        "connect_any_pull_supplier": _ProxyPullConsumer_connect_any_pull_supplier,
        "suspend_connection": _ProxyPullConsumer_suspend_connection,
        "resume_connection": _ProxyPullConsumer_resume_connection,
    },
)

class ProxyPullConsumer(ProxyConsumer, _CosNotifyComm.PullConsumer):
    """interface CosNotifyChannelAdmin::ProxyPullConsumer"""

    __slots__ = ()
    INTERFACE = ProxyPullConsumer_INTERFACE

    async def connect_any_pull_supplier(self, pull_supplier: _Reference) -> None:
        await self._call(_ProxyPullConsumer_connect_any_pull_supplier, (pull_supplier, ))

    async def suspend_connection(self) -> None:
        await self._call(_ProxyPullConsumer_suspend_connection, ())

    async def resume_connection(self) -> None:
        await self._call(_ProxyPullConsumer_resume_connection, ())

class ProxyPullConsumerServant(ProxyConsumerServant, _CosNotifyComm.PullConsumerServant):
    """interface CosNotifyChannelAdmin::ProxyPullConsumer"""

    INTERFACE = ProxyPullConsumer_INTERFACE

    async def connect_any_pull_supplier(self, pull_supplier: _Reference) -> None:
        _g.not_done(self, "connect_any_pull_supplier")

    async def suspend_connection(self) -> None:
        _g.not_done(self, "suspend_connection")

    async def resume_connection(self) -> None:
        _g.not_done(self, "resume_connection")

def _StructuredProxyPullConsumer_connect_structured_pull_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_structured_pull_supplier", 1, v) from None
    w.reference(a0)

def _StructuredProxyPullConsumer_connect_structured_pull_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_StructuredProxyPullConsumer_connect_structured_pull_supplier: _Final = _Operation(
    "connect_structured_pull_supplier",
    "connect_structured_pull_supplier",
    _StructuredProxyPullConsumer_connect_structured_pull_supplier_write_in,
    _StructuredProxyPullConsumer_connect_structured_pull_supplier_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, ),
    False,
)

_StructuredProxyPullConsumer_suspend_connection: _Final = _Operation(
    "suspend_connection",
    "suspend_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyInactive, NotConnected, ),
    False,
)

_StructuredProxyPullConsumer_resume_connection: _Final = _Operation(
    "resume_connection",
    "resume_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyActive, NotConnected, ),
    False,
)

StructuredProxyPullConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPullConsumer:1.0",
    "CosNotifyChannelAdmin::StructuredProxyPullConsumer",
    (ProxyConsumer_INTERFACE, _CosNotifyComm.StructuredPullConsumer_INTERFACE, ),
    {
        **ProxyConsumer_INTERFACE.operations,
        **_CosNotifyComm.StructuredPullConsumer_INTERFACE.operations,
        "connect_structured_pull_supplier": _StructuredProxyPullConsumer_connect_structured_pull_supplier,
        "suspend_connection": _StructuredProxyPullConsumer_suspend_connection,
        "resume_connection": _StructuredProxyPullConsumer_resume_connection,
    },
)

class StructuredProxyPullConsumer(ProxyConsumer, _CosNotifyComm.StructuredPullConsumer):
    """interface CosNotifyChannelAdmin::StructuredProxyPullConsumer"""

    __slots__ = ()
    INTERFACE = StructuredProxyPullConsumer_INTERFACE

    async def connect_structured_pull_supplier(self, pull_supplier: _Reference) -> None:
        await self._call(_StructuredProxyPullConsumer_connect_structured_pull_supplier, (pull_supplier, ))

    async def suspend_connection(self) -> None:
        await self._call(_StructuredProxyPullConsumer_suspend_connection, ())

    async def resume_connection(self) -> None:
        await self._call(_StructuredProxyPullConsumer_resume_connection, ())

class StructuredProxyPullConsumerServant(ProxyConsumerServant, _CosNotifyComm.StructuredPullConsumerServant):
    """interface CosNotifyChannelAdmin::StructuredProxyPullConsumer"""

    INTERFACE = StructuredProxyPullConsumer_INTERFACE

    async def connect_structured_pull_supplier(self, pull_supplier: _Reference) -> None:
        _g.not_done(self, "connect_structured_pull_supplier")

    async def suspend_connection(self) -> None:
        _g.not_done(self, "suspend_connection")

    async def resume_connection(self) -> None:
        _g.not_done(self, "resume_connection")

def _SequenceProxyPullConsumer_connect_sequence_pull_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_sequence_pull_supplier", 1, v) from None
    w.reference(a0)

def _SequenceProxyPullConsumer_connect_sequence_pull_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_SequenceProxyPullConsumer_connect_sequence_pull_supplier: _Final = _Operation(
    "connect_sequence_pull_supplier",
    "connect_sequence_pull_supplier",
    _SequenceProxyPullConsumer_connect_sequence_pull_supplier_write_in,
    _SequenceProxyPullConsumer_connect_sequence_pull_supplier_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, ),
    False,
)

_SequenceProxyPullConsumer_suspend_connection: _Final = _Operation(
    "suspend_connection",
    "suspend_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyInactive, NotConnected, ),
    False,
)

_SequenceProxyPullConsumer_resume_connection: _Final = _Operation(
    "resume_connection",
    "resume_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyActive, NotConnected, ),
    False,
)

SequenceProxyPullConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPullConsumer:1.0",
    "CosNotifyChannelAdmin::SequenceProxyPullConsumer",
    (ProxyConsumer_INTERFACE, _CosNotifyComm.SequencePullConsumer_INTERFACE, ),
    {
        **ProxyConsumer_INTERFACE.operations,
        **_CosNotifyComm.SequencePullConsumer_INTERFACE.operations,
        "connect_sequence_pull_supplier": _SequenceProxyPullConsumer_connect_sequence_pull_supplier,
        "suspend_connection": _SequenceProxyPullConsumer_suspend_connection,
        "resume_connection": _SequenceProxyPullConsumer_resume_connection,
    },
)

class SequenceProxyPullConsumer(ProxyConsumer, _CosNotifyComm.SequencePullConsumer):
    """interface CosNotifyChannelAdmin::SequenceProxyPullConsumer"""

    __slots__ = ()
    INTERFACE = SequenceProxyPullConsumer_INTERFACE

    async def connect_sequence_pull_supplier(self, pull_supplier: _Reference) -> None:
        await self._call(_SequenceProxyPullConsumer_connect_sequence_pull_supplier, (pull_supplier, ))

    async def suspend_connection(self) -> None:
        await self._call(_SequenceProxyPullConsumer_suspend_connection, ())

    async def resume_connection(self) -> None:
        await self._call(_SequenceProxyPullConsumer_resume_connection, ())

class SequenceProxyPullConsumerServant(ProxyConsumerServant, _CosNotifyComm.SequencePullConsumerServant):
    """interface CosNotifyChannelAdmin::SequenceProxyPullConsumer"""

    INTERFACE = SequenceProxyPullConsumer_INTERFACE

    async def connect_sequence_pull_supplier(self, pull_supplier: _Reference) -> None:
        _g.not_done(self, "connect_sequence_pull_supplier")

    async def suspend_connection(self) -> None:
        _g.not_done(self, "suspend_connection")

    async def resume_connection(self) -> None:
        _g.not_done(self, "resume_connection")

def _ProxyPushSupplier_connect_any_push_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_any_push_consumer", 1, v) from None
    w.reference(a0)

def _ProxyPushSupplier_connect_any_push_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxyPushSupplier_connect_any_push_consumer: _Final = _Operation(
    "connect_any_push_consumer",
    "connect_any_push_consumer",
    _ProxyPushSupplier_connect_any_push_consumer_write_in,
    _ProxyPushSupplier_connect_any_push_consumer_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, ),
    False,
)

_ProxyPushSupplier_suspend_connection: _Final = _Operation(
    "suspend_connection",
    "suspend_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyInactive, NotConnected, ),
    False,
)

_ProxyPushSupplier_resume_connection: _Final = _Operation(
    "resume_connection",
    "resume_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyActive, NotConnected, ),
    False,
)

ProxyPushSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/ProxyPushSupplier:1.0",
    "CosNotifyChannelAdmin::ProxyPushSupplier",
    (ProxySupplier_INTERFACE, _CosNotifyComm.PushSupplier_INTERFACE, ),
    {
        **ProxySupplier_INTERFACE.operations,
        **_CosNotifyComm.PushSupplier_INTERFACE.operations,
        "connect_any_push_consumer": _ProxyPushSupplier_connect_any_push_consumer,
        "suspend_connection": _ProxyPushSupplier_suspend_connection,
        "resume_connection": _ProxyPushSupplier_resume_connection,
    },
)

class ProxyPushSupplier(ProxySupplier, _CosNotifyComm.PushSupplier):
    """interface CosNotifyChannelAdmin::ProxyPushSupplier"""

    __slots__ = ()
    INTERFACE = ProxyPushSupplier_INTERFACE

    async def connect_any_push_consumer(self, push_consumer: _Reference) -> None:
        await self._call(_ProxyPushSupplier_connect_any_push_consumer, (push_consumer, ))

    async def suspend_connection(self) -> None:
        await self._call(_ProxyPushSupplier_suspend_connection, ())

    async def resume_connection(self) -> None:
        await self._call(_ProxyPushSupplier_resume_connection, ())

class ProxyPushSupplierServant(ProxySupplierServant, _CosNotifyComm.PushSupplierServant):
    """interface CosNotifyChannelAdmin::ProxyPushSupplier"""

    INTERFACE = ProxyPushSupplier_INTERFACE

    async def connect_any_push_consumer(self, push_consumer: _Reference) -> None:
        _g.not_done(self, "connect_any_push_consumer")

    async def suspend_connection(self) -> None:
        _g.not_done(self, "suspend_connection")

    async def resume_connection(self) -> None:
        _g.not_done(self, "resume_connection")

def _StructuredProxyPushSupplier_connect_structured_push_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_structured_push_consumer", 1, v) from None
    w.reference(a0)

def _StructuredProxyPushSupplier_connect_structured_push_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_StructuredProxyPushSupplier_connect_structured_push_consumer: _Final = _Operation(
    "connect_structured_push_consumer",
    "connect_structured_push_consumer",
    _StructuredProxyPushSupplier_connect_structured_push_consumer_write_in,
    _StructuredProxyPushSupplier_connect_structured_push_consumer_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, ),
    False,
)

_StructuredProxyPushSupplier_suspend_connection: _Final = _Operation(
    "suspend_connection",
    "suspend_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyInactive, NotConnected, ),
    False,
)

_StructuredProxyPushSupplier_resume_connection: _Final = _Operation(
    "resume_connection",
    "resume_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyActive, NotConnected, ),
    False,
)

StructuredProxyPushSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPushSupplier:1.0",
    "CosNotifyChannelAdmin::StructuredProxyPushSupplier",
    (ProxySupplier_INTERFACE, _CosNotifyComm.StructuredPushSupplier_INTERFACE, ),
    {
        **ProxySupplier_INTERFACE.operations,
        **_CosNotifyComm.StructuredPushSupplier_INTERFACE.operations,
        "connect_structured_push_consumer": _StructuredProxyPushSupplier_connect_structured_push_consumer,
        "suspend_connection": _StructuredProxyPushSupplier_suspend_connection,
        "resume_connection": _StructuredProxyPushSupplier_resume_connection,
    },
)

class StructuredProxyPushSupplier(ProxySupplier, _CosNotifyComm.StructuredPushSupplier):
    """interface CosNotifyChannelAdmin::StructuredProxyPushSupplier"""

    __slots__ = ()
    INTERFACE = StructuredProxyPushSupplier_INTERFACE

    async def connect_structured_push_consumer(self, push_consumer: _Reference) -> None:
        await self._call(_StructuredProxyPushSupplier_connect_structured_push_consumer, (push_consumer, ))

    async def suspend_connection(self) -> None:
        await self._call(_StructuredProxyPushSupplier_suspend_connection, ())

    async def resume_connection(self) -> None:
        await self._call(_StructuredProxyPushSupplier_resume_connection, ())

class StructuredProxyPushSupplierServant(ProxySupplierServant, _CosNotifyComm.StructuredPushSupplierServant):
    """interface CosNotifyChannelAdmin::StructuredProxyPushSupplier"""

    INTERFACE = StructuredProxyPushSupplier_INTERFACE

    async def connect_structured_push_consumer(self, push_consumer: _Reference) -> None:
        _g.not_done(self, "connect_structured_push_consumer")

    async def suspend_connection(self) -> None:
        _g.not_done(self, "suspend_connection")

    async def resume_connection(self) -> None:
        _g.not_done(self, "resume_connection")

def _SequenceProxyPushSupplier_connect_sequence_push_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_sequence_push_consumer", 1, v) from None
    w.reference(a0)

def _SequenceProxyPushSupplier_connect_sequence_push_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_SequenceProxyPushSupplier_connect_sequence_push_consumer: _Final = _Operation(
    "connect_sequence_push_consumer",
    "connect_sequence_push_consumer",
    _SequenceProxyPushSupplier_connect_sequence_push_consumer_write_in,
    _SequenceProxyPushSupplier_connect_sequence_push_consumer_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, ),
    False,
)

_SequenceProxyPushSupplier_suspend_connection: _Final = _Operation(
    "suspend_connection",
    "suspend_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyInactive, NotConnected, ),
    False,
)

_SequenceProxyPushSupplier_resume_connection: _Final = _Operation(
    "resume_connection",
    "resume_connection",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (ConnectionAlreadyActive, NotConnected, ),
    False,
)

SequenceProxyPushSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPushSupplier:1.0",
    "CosNotifyChannelAdmin::SequenceProxyPushSupplier",
    (ProxySupplier_INTERFACE, _CosNotifyComm.SequencePushSupplier_INTERFACE, ),
    {
        **ProxySupplier_INTERFACE.operations,
        **_CosNotifyComm.SequencePushSupplier_INTERFACE.operations,
        "connect_sequence_push_consumer": _SequenceProxyPushSupplier_connect_sequence_push_consumer,
        "suspend_connection": _SequenceProxyPushSupplier_suspend_connection,
        "resume_connection": _SequenceProxyPushSupplier_resume_connection,
    },
)

class SequenceProxyPushSupplier(ProxySupplier, _CosNotifyComm.SequencePushSupplier):
    """interface CosNotifyChannelAdmin::SequenceProxyPushSupplier"""

    __slots__ = ()
    INTERFACE = SequenceProxyPushSupplier_INTERFACE

    async def connect_sequence_push_consumer(self, push_consumer: _Reference) -> None:
        await self._call(_SequenceProxyPushSupplier_connect_sequence_push_consumer, (push_consumer, ))

    async def suspend_connection(self) -> None:
        await self._call(_SequenceProxyPushSupplier_suspend_connection, ())

    async def resume_connection(self) -> None:
        await self._call(_SequenceProxyPushSupplier_resume_connection, ())

class SequenceProxyPushSupplierServant(ProxySupplierServant, _CosNotifyComm.SequencePushSupplierServant):
    """interface CosNotifyChannelAdmin::SequenceProxyPushSupplier"""

    INTERFACE = SequenceProxyPushSupplier_INTERFACE

    async def connect_sequence_push_consumer(self, push_consumer: _Reference) -> None:
        _g.not_done(self, "connect_sequence_push_consumer")

    async def suspend_connection(self) -> None:
        _g.not_done(self, "suspend_connection")

    async def resume_connection(self) -> None:
        _g.not_done(self, "resume_connection")

def _ConsumerAdmin_get_proxy_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of get_proxy_supplier", 1, v) from None
    w.long(a0)

def _ConsumerAdmin_get_proxy_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

def _ConsumerAdmin_get_proxy_supplier_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ConsumerAdmin_get_proxy_supplier_read_out(r: _Reader) -> _Any:
    return r.reference()

_ConsumerAdmin_get_proxy_supplier: _Final = _Operation(
    "get_proxy_supplier",
    "get_proxy_supplier",
    _ConsumerAdmin_get_proxy_supplier_write_in,
    _ConsumerAdmin_get_proxy_supplier_read_in,
    _ConsumerAdmin_get_proxy_supplier_write_out,
    _ConsumerAdmin_get_proxy_supplier_read_out,
    (ProxyNotFound, ),
    False,
)

def _ConsumerAdmin_obtain_notification_pull_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of obtain_notification_pull_supplier", 1, v) from None
    write_ClientType(w, a0)

def _ConsumerAdmin_obtain_notification_pull_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ClientType(r),
    )

def _ConsumerAdmin_obtain_notification_pull_supplier_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of obtain_notification_pull_supplier", 2, v) from None
    w.reference(a0)
    w.long(a1)

def _ConsumerAdmin_obtain_notification_pull_supplier_read_out(r: _Reader) -> _Any:
    return (
        r.reference(),
        r.long(),
    )

_ConsumerAdmin_obtain_notification_pull_supplier: _Final = _Operation(
    "obtain_notification_pull_supplier",
    "obtain_notification_pull_supplier",
    _ConsumerAdmin_obtain_notification_pull_supplier_write_in,
    _ConsumerAdmin_obtain_notification_pull_supplier_read_in,
    _ConsumerAdmin_obtain_notification_pull_supplier_write_out,
    _ConsumerAdmin_obtain_notification_pull_supplier_read_out,
    (AdminLimitExceeded, ),
    False,
)

def _ConsumerAdmin_obtain_notification_push_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of obtain_notification_push_supplier", 1, v) from None
    write_ClientType(w, a0)

def _ConsumerAdmin_obtain_notification_push_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ClientType(r),
    )

def _ConsumerAdmin_obtain_notification_push_supplier_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of obtain_notification_push_supplier", 2, v) from None
    w.reference(a0)
    w.long(a1)

def _ConsumerAdmin_obtain_notification_push_supplier_read_out(r: _Reader) -> _Any:
    return (
        r.reference(),
        r.long(),
    )

_ConsumerAdmin_obtain_notification_push_supplier: _Final = _Operation(
    "obtain_notification_push_supplier",
    "obtain_notification_push_supplier",
    _ConsumerAdmin_obtain_notification_push_supplier_write_in,
    _ConsumerAdmin_obtain_notification_push_supplier_read_in,
    _ConsumerAdmin_obtain_notification_push_supplier_write_out,
    _ConsumerAdmin_obtain_notification_push_supplier_read_out,
    (AdminLimitExceeded, ),
    False,
)

_ConsumerAdmin_destroy: _Final = _Operation(
    "destroy",
    "destroy",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

def _ConsumerAdmin_get_MyID_write_out(w: _Writer, v: _Any) -> None:
    w.long(v)

def _ConsumerAdmin_get_MyID_read_out(r: _Reader) -> _Any:
    return r.long()

_ConsumerAdmin_get_MyID: _Final = _Operation(
    "_get_MyID",
    "get_MyID",
    _g.write_nothing,
    _g.read_nothing,
    _ConsumerAdmin_get_MyID_write_out,
    _ConsumerAdmin_get_MyID_read_out,
    (),
    False,
)

def _ConsumerAdmin_get_MyChannel_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ConsumerAdmin_get_MyChannel_read_out(r: _Reader) -> _Any:
    return r.reference()

_ConsumerAdmin_get_MyChannel: _Final = _Operation(
    "_get_MyChannel",
    "get_MyChannel",
    _g.write_nothing,
    _g.read_nothing,
    _ConsumerAdmin_get_MyChannel_write_out,
    _ConsumerAdmin_get_MyChannel_read_out,
    (),
    False,
)

def _ConsumerAdmin_get_MyOperator_write_out(w: _Writer, v: _Any) -> None:
    write_InterFilterGroupOperator(w, v)

def _ConsumerAdmin_get_MyOperator_read_out(r: _Reader) -> _Any:
    return read_InterFilterGroupOperator(r)

_ConsumerAdmin_get_MyOperator: _Final = _Operation(
    "_get_MyOperator",
    "get_MyOperator",
    _g.write_nothing,
    _g.read_nothing,
    _ConsumerAdmin_get_MyOperator_write_out,
    _ConsumerAdmin_get_MyOperator_read_out,
    (),
    False,
)

def _ConsumerAdmin_get_priority_filter_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ConsumerAdmin_get_priority_filter_read_out(r: _Reader) -> _Any:
    return r.reference()

_ConsumerAdmin_get_priority_filter: _Final = _Operation(
    "_get_priority_filter",
    "get_priority_filter",
    _g.write_nothing,
    _g.read_nothing,
    _ConsumerAdmin_get_priority_filter_write_out,
    _ConsumerAdmin_get_priority_filter_read_out,
    (),
    False,
)

def _ConsumerAdmin_set_priority_filter_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of _set_priority_filter", 1, v) from None
    w.reference(a0)

def _ConsumerAdmin_set_priority_filter_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ConsumerAdmin_set_priority_filter: _Final = _Operation(
    "_set_priority_filter",
    "set_priority_filter",
    _ConsumerAdmin_set_priority_filter_write_in,
    _ConsumerAdmin_set_priority_filter_read_in,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

def _ConsumerAdmin_get_lifetime_filter_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ConsumerAdmin_get_lifetime_filter_read_out(r: _Reader) -> _Any:
    return r.reference()

_ConsumerAdmin_get_lifetime_filter: _Final = _Operation(
    "_get_lifetime_filter",
    "get_lifetime_filter",
    _g.write_nothing,
    _g.read_nothing,
    _ConsumerAdmin_get_lifetime_filter_write_out,
    _ConsumerAdmin_get_lifetime_filter_read_out,
    (),
    False,
)

def _ConsumerAdmin_set_lifetime_filter_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of _set_lifetime_filter", 1, v) from None
    w.reference(a0)

def _ConsumerAdmin_set_lifetime_filter_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ConsumerAdmin_set_lifetime_filter: _Final = _Operation(
    "_set_lifetime_filter",
    "set_lifetime_filter",
    _ConsumerAdmin_set_lifetime_filter_write_in,
    _ConsumerAdmin_set_lifetime_filter_read_in,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

def _ConsumerAdmin_get_pull_suppliers_write_out(w: _Writer, v: _Any) -> None:
    write_ProxyIDSeq(w, v)

def _ConsumerAdmin_get_pull_suppliers_read_out(r: _Reader) -> _Any:
    return read_ProxyIDSeq(r)

_ConsumerAdmin_get_pull_suppliers: _Final = _Operation(
    "_get_pull_suppliers",
    "get_pull_suppliers",
    _g.write_nothing,
    _g.read_nothing,
    _ConsumerAdmin_get_pull_suppliers_write_out,
    _ConsumerAdmin_get_pull_suppliers_read_out,
    (),
    False,
)

def _ConsumerAdmin_get_push_suppliers_write_out(w: _Writer, v: _Any) -> None:
    write_ProxyIDSeq(w, v)

def _ConsumerAdmin_get_push_suppliers_read_out(r: _Reader) -> _Any:
    return read_ProxyIDSeq(r)

_ConsumerAdmin_get_push_suppliers: _Final = _Operation(
    "_get_push_suppliers",
    "get_push_suppliers",
    _g.write_nothing,
    _g.read_nothing,
    _ConsumerAdmin_get_push_suppliers_write_out,
    _ConsumerAdmin_get_push_suppliers_read_out,
    (),
    False,
)

ConsumerAdmin_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/ConsumerAdmin:1.0",
    "CosNotifyChannelAdmin::ConsumerAdmin",
    (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyComm.NotifySubscribe_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, _CosEventChannelAdmin.ConsumerAdmin_INTERFACE, ),
    {
        **_CosNotification.QoSAdmin_INTERFACE.operations,
        **_CosNotifyComm.NotifySubscribe_INTERFACE.operations,
        **_CosNotifyFilter.FilterAdmin_INTERFACE.operations,
        **_CosEventChannelAdmin.ConsumerAdmin_INTERFACE.operations,
        "get_proxy_supplier": _ConsumerAdmin_get_proxy_supplier,
        "obtain_notification_pull_supplier": _ConsumerAdmin_obtain_notification_pull_supplier,
        "obtain_notification_push_supplier": _ConsumerAdmin_obtain_notification_push_supplier,
        "destroy": _ConsumerAdmin_destroy,
        "_get_MyID": _ConsumerAdmin_get_MyID,
        "_get_MyChannel": _ConsumerAdmin_get_MyChannel,
        "_get_MyOperator": _ConsumerAdmin_get_MyOperator,
        "_get_priority_filter": _ConsumerAdmin_get_priority_filter,
        "_set_priority_filter": _ConsumerAdmin_set_priority_filter,
        "_get_lifetime_filter": _ConsumerAdmin_get_lifetime_filter,
        "_set_lifetime_filter": _ConsumerAdmin_set_lifetime_filter,
        "_get_pull_suppliers": _ConsumerAdmin_get_pull_suppliers,
        "_get_push_suppliers": _ConsumerAdmin_get_push_suppliers,
    },
)

class ConsumerAdmin(_CosNotification.QoSAdmin, _CosNotifyComm.NotifySubscribe, _CosNotifyFilter.FilterAdmin, _CosEventChannelAdmin.ConsumerAdmin):
    """interface CosNotifyChannelAdmin::ConsumerAdmin"""

    __slots__ = ()
    INTERFACE = ConsumerAdmin_INTERFACE

    async def get_proxy_supplier(self, proxy_id: ProxyID) -> _Reference:
        made: _Reference = await self._call(_ConsumerAdmin_get_proxy_supplier, (proxy_id, ))
        return made

    async def obtain_notification_pull_supplier(self, ctype: ClientType) -> tuple[_Reference, ProxyID]:
        made: tuple[_Reference, ProxyID] = await self._call(_ConsumerAdmin_obtain_notification_pull_supplier, (ctype, ))
        return made

    async def obtain_notification_push_supplier(self, ctype: ClientType) -> tuple[_Reference, ProxyID]:
        made: tuple[_Reference, ProxyID] = await self._call(_ConsumerAdmin_obtain_notification_push_supplier, (ctype, ))
        return made

    async def destroy(self) -> None:
        await self._call(_ConsumerAdmin_destroy, ())

    async def get_MyID(self) -> AdminID:
        made: AdminID = await self._call(_ConsumerAdmin_get_MyID, ())
        return made

    async def get_MyChannel(self) -> _Reference:
        made: _Reference = await self._call(_ConsumerAdmin_get_MyChannel, ())
        return made

    async def get_MyOperator(self) -> InterFilterGroupOperator:
        made: InterFilterGroupOperator = await self._call(_ConsumerAdmin_get_MyOperator, ())
        return made

    async def get_priority_filter(self) -> _Reference:
        made: _Reference = await self._call(_ConsumerAdmin_get_priority_filter, ())
        return made

    async def set_priority_filter(self, value: _Reference) -> None:
        await self._call(_ConsumerAdmin_set_priority_filter, (value, ))

    async def get_lifetime_filter(self) -> _Reference:
        made: _Reference = await self._call(_ConsumerAdmin_get_lifetime_filter, ())
        return made

    async def set_lifetime_filter(self, value: _Reference) -> None:
        await self._call(_ConsumerAdmin_set_lifetime_filter, (value, ))

    async def get_pull_suppliers(self) -> ProxyIDSeq:
        made: ProxyIDSeq = await self._call(_ConsumerAdmin_get_pull_suppliers, ())
        return made

    async def get_push_suppliers(self) -> ProxyIDSeq:
        made: ProxyIDSeq = await self._call(_ConsumerAdmin_get_push_suppliers, ())
        return made

class ConsumerAdminServant(_CosNotification.QoSAdminServant, _CosNotifyComm.NotifySubscribeServant, _CosNotifyFilter.FilterAdminServant, _CosEventChannelAdmin.ConsumerAdminServant):
    """interface CosNotifyChannelAdmin::ConsumerAdmin"""

    INTERFACE = ConsumerAdmin_INTERFACE

    async def get_proxy_supplier(self, proxy_id: ProxyID) -> _Reference:
        _g.not_done(self, "get_proxy_supplier")

    async def obtain_notification_pull_supplier(self, ctype: ClientType) -> tuple[_Reference, ProxyID]:
        _g.not_done(self, "obtain_notification_pull_supplier")

    async def obtain_notification_push_supplier(self, ctype: ClientType) -> tuple[_Reference, ProxyID]:
        _g.not_done(self, "obtain_notification_push_supplier")

    async def destroy(self) -> None:
        _g.not_done(self, "destroy")

    async def get_MyID(self) -> AdminID:
        _g.not_done(self, "get_MyID")

    async def get_MyChannel(self) -> _Reference:
        _g.not_done(self, "get_MyChannel")

    async def get_MyOperator(self) -> InterFilterGroupOperator:
        _g.not_done(self, "get_MyOperator")

    async def get_priority_filter(self) -> _Reference:
        _g.not_done(self, "get_priority_filter")

    async def set_priority_filter(self, value: _Reference) -> None:
        _g.not_done(self, "set_priority_filter")

    async def get_lifetime_filter(self) -> _Reference:
        _g.not_done(self, "get_lifetime_filter")

    async def set_lifetime_filter(self, value: _Reference) -> None:
        _g.not_done(self, "set_lifetime_filter")

    async def get_pull_suppliers(self) -> ProxyIDSeq:
        _g.not_done(self, "get_pull_suppliers")

    async def get_push_suppliers(self) -> ProxyIDSeq:
        _g.not_done(self, "get_push_suppliers")

def _SupplierAdmin_get_proxy_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of get_proxy_consumer", 1, v) from None
    w.long(a0)

def _SupplierAdmin_get_proxy_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

def _SupplierAdmin_get_proxy_consumer_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _SupplierAdmin_get_proxy_consumer_read_out(r: _Reader) -> _Any:
    return r.reference()

_SupplierAdmin_get_proxy_consumer: _Final = _Operation(
    "get_proxy_consumer",
    "get_proxy_consumer",
    _SupplierAdmin_get_proxy_consumer_write_in,
    _SupplierAdmin_get_proxy_consumer_read_in,
    _SupplierAdmin_get_proxy_consumer_write_out,
    _SupplierAdmin_get_proxy_consumer_read_out,
    (ProxyNotFound, ),
    False,
)

def _SupplierAdmin_obtain_notification_pull_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of obtain_notification_pull_consumer", 1, v) from None
    write_ClientType(w, a0)

def _SupplierAdmin_obtain_notification_pull_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ClientType(r),
    )

def _SupplierAdmin_obtain_notification_pull_consumer_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of obtain_notification_pull_consumer", 2, v) from None
    w.reference(a0)
    w.long(a1)

def _SupplierAdmin_obtain_notification_pull_consumer_read_out(r: _Reader) -> _Any:
    return (
        r.reference(),
        r.long(),
    )

_SupplierAdmin_obtain_notification_pull_consumer: _Final = _Operation(
    "obtain_notification_pull_consumer",
    "obtain_notification_pull_consumer",
    _SupplierAdmin_obtain_notification_pull_consumer_write_in,
    _SupplierAdmin_obtain_notification_pull_consumer_read_in,
    _SupplierAdmin_obtain_notification_pull_consumer_write_out,
    _SupplierAdmin_obtain_notification_pull_consumer_read_out,
    (AdminLimitExceeded, ),
    False,
)

def _SupplierAdmin_obtain_notification_push_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of obtain_notification_push_consumer", 1, v) from None
    write_ClientType(w, a0)

def _SupplierAdmin_obtain_notification_push_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ClientType(r),
    )

def _SupplierAdmin_obtain_notification_push_consumer_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of obtain_notification_push_consumer", 2, v) from None
    w.reference(a0)
    w.long(a1)

def _SupplierAdmin_obtain_notification_push_consumer_read_out(r: _Reader) -> _Any:
    return (
        r.reference(),
        r.long(),
    )

_SupplierAdmin_obtain_notification_push_consumer: _Final = _Operation(
    "obtain_notification_push_consumer",
    "obtain_notification_push_consumer",
    _SupplierAdmin_obtain_notification_push_consumer_write_in,
    _SupplierAdmin_obtain_notification_push_consumer_read_in,
    _SupplierAdmin_obtain_notification_push_consumer_write_out,
    _SupplierAdmin_obtain_notification_push_consumer_read_out,
    (AdminLimitExceeded, ),
    False,
)

_SupplierAdmin_destroy: _Final = _Operation(
    "destroy",
    "destroy",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

def _SupplierAdmin_get_MyID_write_out(w: _Writer, v: _Any) -> None:
    w.long(v)

def _SupplierAdmin_get_MyID_read_out(r: _Reader) -> _Any:
    return r.long()

_SupplierAdmin_get_MyID: _Final = _Operation(
    "_get_MyID",
    "get_MyID",
    _g.write_nothing,
    _g.read_nothing,
    _SupplierAdmin_get_MyID_write_out,
    _SupplierAdmin_get_MyID_read_out,
    (),
    False,
)

def _SupplierAdmin_get_MyChannel_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _SupplierAdmin_get_MyChannel_read_out(r: _Reader) -> _Any:
    return r.reference()

_SupplierAdmin_get_MyChannel: _Final = _Operation(
    "_get_MyChannel",
    "get_MyChannel",
    _g.write_nothing,
    _g.read_nothing,
    _SupplierAdmin_get_MyChannel_write_out,
    _SupplierAdmin_get_MyChannel_read_out,
    (),
    False,
)

def _SupplierAdmin_get_MyOperator_write_out(w: _Writer, v: _Any) -> None:
    write_InterFilterGroupOperator(w, v)

def _SupplierAdmin_get_MyOperator_read_out(r: _Reader) -> _Any:
    return read_InterFilterGroupOperator(r)

_SupplierAdmin_get_MyOperator: _Final = _Operation(
    "_get_MyOperator",
    "get_MyOperator",
    _g.write_nothing,
    _g.read_nothing,
    _SupplierAdmin_get_MyOperator_write_out,
    _SupplierAdmin_get_MyOperator_read_out,
    (),
    False,
)

def _SupplierAdmin_get_pull_consumers_write_out(w: _Writer, v: _Any) -> None:
    write_ProxyIDSeq(w, v)

def _SupplierAdmin_get_pull_consumers_read_out(r: _Reader) -> _Any:
    return read_ProxyIDSeq(r)

_SupplierAdmin_get_pull_consumers: _Final = _Operation(
    "_get_pull_consumers",
    "get_pull_consumers",
    _g.write_nothing,
    _g.read_nothing,
    _SupplierAdmin_get_pull_consumers_write_out,
    _SupplierAdmin_get_pull_consumers_read_out,
    (),
    False,
)

def _SupplierAdmin_get_push_consumers_write_out(w: _Writer, v: _Any) -> None:
    write_ProxyIDSeq(w, v)

def _SupplierAdmin_get_push_consumers_read_out(r: _Reader) -> _Any:
    return read_ProxyIDSeq(r)

_SupplierAdmin_get_push_consumers: _Final = _Operation(
    "_get_push_consumers",
    "get_push_consumers",
    _g.write_nothing,
    _g.read_nothing,
    _SupplierAdmin_get_push_consumers_write_out,
    _SupplierAdmin_get_push_consumers_read_out,
    (),
    False,
)

SupplierAdmin_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/SupplierAdmin:1.0",
    "CosNotifyChannelAdmin::SupplierAdmin",
    (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyComm.NotifyPublish_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, _CosEventChannelAdmin.SupplierAdmin_INTERFACE, ),
    {
        **_CosNotification.QoSAdmin_INTERFACE.operations,
        **_CosNotifyComm.NotifyPublish_INTERFACE.operations,
        **_CosNotifyFilter.FilterAdmin_INTERFACE.operations,
        **_CosEventChannelAdmin.SupplierAdmin_INTERFACE.operations,
        "get_proxy_consumer": _SupplierAdmin_get_proxy_consumer,
        "obtain_notification_pull_consumer": _SupplierAdmin_obtain_notification_pull_consumer,
        "obtain_notification_push_consumer": _SupplierAdmin_obtain_notification_push_consumer,
        "destroy": _SupplierAdmin_destroy,
        "_get_MyID": _SupplierAdmin_get_MyID,
        "_get_MyChannel": _SupplierAdmin_get_MyChannel,
        "_get_MyOperator": _SupplierAdmin_get_MyOperator,
        "_get_pull_consumers": _SupplierAdmin_get_pull_consumers,
        "_get_push_consumers": _SupplierAdmin_get_push_consumers,
    },
)

class SupplierAdmin(_CosNotification.QoSAdmin, _CosNotifyComm.NotifyPublish, _CosNotifyFilter.FilterAdmin, _CosEventChannelAdmin.SupplierAdmin):
    """interface CosNotifyChannelAdmin::SupplierAdmin"""

    __slots__ = ()
    INTERFACE = SupplierAdmin_INTERFACE

    async def get_proxy_consumer(self, proxy_id: ProxyID) -> _Reference:
        made: _Reference = await self._call(_SupplierAdmin_get_proxy_consumer, (proxy_id, ))
        return made

    async def obtain_notification_pull_consumer(self, ctype: ClientType) -> tuple[_Reference, ProxyID]:
        made: tuple[_Reference, ProxyID] = await self._call(_SupplierAdmin_obtain_notification_pull_consumer, (ctype, ))
        return made

    async def obtain_notification_push_consumer(self, ctype: ClientType) -> tuple[_Reference, ProxyID]:
        made: tuple[_Reference, ProxyID] = await self._call(_SupplierAdmin_obtain_notification_push_consumer, (ctype, ))
        return made

    async def destroy(self) -> None:
        await self._call(_SupplierAdmin_destroy, ())

    async def get_MyID(self) -> AdminID:
        made: AdminID = await self._call(_SupplierAdmin_get_MyID, ())
        return made

    async def get_MyChannel(self) -> _Reference:
        made: _Reference = await self._call(_SupplierAdmin_get_MyChannel, ())
        return made

    async def get_MyOperator(self) -> InterFilterGroupOperator:
        made: InterFilterGroupOperator = await self._call(_SupplierAdmin_get_MyOperator, ())
        return made

    async def get_pull_consumers(self) -> ProxyIDSeq:
        made: ProxyIDSeq = await self._call(_SupplierAdmin_get_pull_consumers, ())
        return made

    async def get_push_consumers(self) -> ProxyIDSeq:
        made: ProxyIDSeq = await self._call(_SupplierAdmin_get_push_consumers, ())
        return made

class SupplierAdminServant(_CosNotification.QoSAdminServant, _CosNotifyComm.NotifyPublishServant, _CosNotifyFilter.FilterAdminServant, _CosEventChannelAdmin.SupplierAdminServant):
    """interface CosNotifyChannelAdmin::SupplierAdmin"""

    INTERFACE = SupplierAdmin_INTERFACE

    async def get_proxy_consumer(self, proxy_id: ProxyID) -> _Reference:
        _g.not_done(self, "get_proxy_consumer")

    async def obtain_notification_pull_consumer(self, ctype: ClientType) -> tuple[_Reference, ProxyID]:
        _g.not_done(self, "obtain_notification_pull_consumer")

    async def obtain_notification_push_consumer(self, ctype: ClientType) -> tuple[_Reference, ProxyID]:
        _g.not_done(self, "obtain_notification_push_consumer")

    async def destroy(self) -> None:
        _g.not_done(self, "destroy")

    async def get_MyID(self) -> AdminID:
        _g.not_done(self, "get_MyID")

    async def get_MyChannel(self) -> _Reference:
        _g.not_done(self, "get_MyChannel")

    async def get_MyOperator(self) -> InterFilterGroupOperator:
        _g.not_done(self, "get_MyOperator")

    async def get_pull_consumers(self) -> ProxyIDSeq:
        _g.not_done(self, "get_pull_consumers")

    async def get_push_consumers(self) -> ProxyIDSeq:
        _g.not_done(self, "get_push_consumers")

def _EventChannel_new_for_consumers_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of new_for_consumers", 1, v) from None
    write_InterFilterGroupOperator(w, a0)

def _EventChannel_new_for_consumers_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_InterFilterGroupOperator(r),
    )

def _EventChannel_new_for_consumers_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of new_for_consumers", 2, v) from None
    w.reference(a0)
    w.long(a1)

def _EventChannel_new_for_consumers_read_out(r: _Reader) -> _Any:
    return (
        r.reference(),
        r.long(),
    )

_EventChannel_new_for_consumers: _Final = _Operation(
    "new_for_consumers",
    "new_for_consumers",
    _EventChannel_new_for_consumers_write_in,
    _EventChannel_new_for_consumers_read_in,
    _EventChannel_new_for_consumers_write_out,
    _EventChannel_new_for_consumers_read_out,
    (),
    False,
)

def _EventChannel_new_for_suppliers_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of new_for_suppliers", 1, v) from None
    write_InterFilterGroupOperator(w, a0)

def _EventChannel_new_for_suppliers_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_InterFilterGroupOperator(r),
    )

def _EventChannel_new_for_suppliers_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of new_for_suppliers", 2, v) from None
    w.reference(a0)
    w.long(a1)

def _EventChannel_new_for_suppliers_read_out(r: _Reader) -> _Any:
    return (
        r.reference(),
        r.long(),
    )

_EventChannel_new_for_suppliers: _Final = _Operation(
    "new_for_suppliers",
    "new_for_suppliers",
    _EventChannel_new_for_suppliers_write_in,
    _EventChannel_new_for_suppliers_read_in,
    _EventChannel_new_for_suppliers_write_out,
    _EventChannel_new_for_suppliers_read_out,
    (),
    False,
)

def _EventChannel_get_consumeradmin_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of get_consumeradmin", 1, v) from None
    w.long(a0)

def _EventChannel_get_consumeradmin_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

def _EventChannel_get_consumeradmin_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _EventChannel_get_consumeradmin_read_out(r: _Reader) -> _Any:
    return r.reference()

_EventChannel_get_consumeradmin: _Final = _Operation(
    "get_consumeradmin",
    "get_consumeradmin",
    _EventChannel_get_consumeradmin_write_in,
    _EventChannel_get_consumeradmin_read_in,
    _EventChannel_get_consumeradmin_write_out,
    _EventChannel_get_consumeradmin_read_out,
    (AdminNotFound, ),
    False,
)

def _EventChannel_get_supplieradmin_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of get_supplieradmin", 1, v) from None
    w.long(a0)

def _EventChannel_get_supplieradmin_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

def _EventChannel_get_supplieradmin_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _EventChannel_get_supplieradmin_read_out(r: _Reader) -> _Any:
    return r.reference()

_EventChannel_get_supplieradmin: _Final = _Operation(
    "get_supplieradmin",
    "get_supplieradmin",
    _EventChannel_get_supplieradmin_write_in,
    _EventChannel_get_supplieradmin_read_in,
    _EventChannel_get_supplieradmin_write_out,
    _EventChannel_get_supplieradmin_read_out,
    (AdminNotFound, ),
    False,
)

def _EventChannel_get_all_consumeradmins_write_out(w: _Writer, v: _Any) -> None:
    write_AdminIDSeq(w, v)

def _EventChannel_get_all_consumeradmins_read_out(r: _Reader) -> _Any:
    return read_AdminIDSeq(r)

_EventChannel_get_all_consumeradmins: _Final = _Operation(
    "get_all_consumeradmins",
    "get_all_consumeradmins",
    _g.write_nothing,
    _g.read_nothing,
    _EventChannel_get_all_consumeradmins_write_out,
    _EventChannel_get_all_consumeradmins_read_out,
    (),
    False,
)

def _EventChannel_get_all_supplieradmins_write_out(w: _Writer, v: _Any) -> None:
    write_AdminIDSeq(w, v)

def _EventChannel_get_all_supplieradmins_read_out(r: _Reader) -> _Any:
    return read_AdminIDSeq(r)

_EventChannel_get_all_supplieradmins: _Final = _Operation(
    "get_all_supplieradmins",
    "get_all_supplieradmins",
    _g.write_nothing,
    _g.read_nothing,
    _EventChannel_get_all_supplieradmins_write_out,
    _EventChannel_get_all_supplieradmins_read_out,
    (),
    False,
)

def _EventChannel_get_MyFactory_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _EventChannel_get_MyFactory_read_out(r: _Reader) -> _Any:
    return r.reference()

_EventChannel_get_MyFactory: _Final = _Operation(
    "_get_MyFactory",
    "get_MyFactory",
    _g.write_nothing,
    _g.read_nothing,
    _EventChannel_get_MyFactory_write_out,
    _EventChannel_get_MyFactory_read_out,
    (),
    False,
)

def _EventChannel_get_default_consumer_admin_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _EventChannel_get_default_consumer_admin_read_out(r: _Reader) -> _Any:
    return r.reference()

_EventChannel_get_default_consumer_admin: _Final = _Operation(
    "_get_default_consumer_admin",
    "get_default_consumer_admin",
    _g.write_nothing,
    _g.read_nothing,
    _EventChannel_get_default_consumer_admin_write_out,
    _EventChannel_get_default_consumer_admin_read_out,
    (),
    False,
)

def _EventChannel_get_default_supplier_admin_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _EventChannel_get_default_supplier_admin_read_out(r: _Reader) -> _Any:
    return r.reference()

_EventChannel_get_default_supplier_admin: _Final = _Operation(
    "_get_default_supplier_admin",
    "get_default_supplier_admin",
    _g.write_nothing,
    _g.read_nothing,
    _EventChannel_get_default_supplier_admin_write_out,
    _EventChannel_get_default_supplier_admin_read_out,
    (),
    False,
)

def _EventChannel_get_default_filter_factory_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _EventChannel_get_default_filter_factory_read_out(r: _Reader) -> _Any:
    return r.reference()

_EventChannel_get_default_filter_factory: _Final = _Operation(
    "_get_default_filter_factory",
    "get_default_filter_factory",
    _g.write_nothing,
    _g.read_nothing,
    _EventChannel_get_default_filter_factory_write_out,
    _EventChannel_get_default_filter_factory_read_out,
    (),
    False,
)

EventChannel_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/EventChannel:1.0",
    "CosNotifyChannelAdmin::EventChannel",
    (_CosNotification.QoSAdmin_INTERFACE, _CosNotification.AdminPropertiesAdmin_INTERFACE, _CosEventChannelAdmin.EventChannel_INTERFACE, ),
    {
        **_CosNotification.QoSAdmin_INTERFACE.operations,
        **_CosNotification.AdminPropertiesAdmin_INTERFACE.operations,
        **_CosEventChannelAdmin.EventChannel_INTERFACE.operations,
        "new_for_consumers": _EventChannel_new_for_consumers,
        "new_for_suppliers": _EventChannel_new_for_suppliers,
        "get_consumeradmin": _EventChannel_get_consumeradmin,
        "get_supplieradmin": _EventChannel_get_supplieradmin,
        "get_all_consumeradmins": _EventChannel_get_all_consumeradmins,
        "get_all_supplieradmins": _EventChannel_get_all_supplieradmins,
        "_get_MyFactory": _EventChannel_get_MyFactory,
        "_get_default_consumer_admin": _EventChannel_get_default_consumer_admin,
        "_get_default_supplier_admin": _EventChannel_get_default_supplier_admin,
        "_get_default_filter_factory": _EventChannel_get_default_filter_factory,
    },
)

class EventChannel(_CosNotification.QoSAdmin, _CosNotification.AdminPropertiesAdmin, _CosEventChannelAdmin.EventChannel):
    """interface CosNotifyChannelAdmin::EventChannel"""

    __slots__ = ()
    INTERFACE = EventChannel_INTERFACE

    async def new_for_consumers(self, op: InterFilterGroupOperator) -> tuple[_Reference, AdminID]:
        made: tuple[_Reference, AdminID] = await self._call(_EventChannel_new_for_consumers, (op, ))
        return made

    async def new_for_suppliers(self, op: InterFilterGroupOperator) -> tuple[_Reference, AdminID]:
        made: tuple[_Reference, AdminID] = await self._call(_EventChannel_new_for_suppliers, (op, ))
        return made

    async def get_consumeradmin(self, id: AdminID) -> _Reference:
        made: _Reference = await self._call(_EventChannel_get_consumeradmin, (id, ))
        return made

    async def get_supplieradmin(self, id: AdminID) -> _Reference:
        made: _Reference = await self._call(_EventChannel_get_supplieradmin, (id, ))
        return made

    async def get_all_consumeradmins(self) -> AdminIDSeq:
        made: AdminIDSeq = await self._call(_EventChannel_get_all_consumeradmins, ())
        return made

    async def get_all_supplieradmins(self) -> AdminIDSeq:
        made: AdminIDSeq = await self._call(_EventChannel_get_all_supplieradmins, ())
        return made

    async def get_MyFactory(self) -> _Reference:
        made: _Reference = await self._call(_EventChannel_get_MyFactory, ())
        return made

    async def get_default_consumer_admin(self) -> _Reference:
        made: _Reference = await self._call(_EventChannel_get_default_consumer_admin, ())
        return made

    async def get_default_supplier_admin(self) -> _Reference:
        made: _Reference = await self._call(_EventChannel_get_default_supplier_admin, ())
        return made

    async def get_default_filter_factory(self) -> _Reference:
        made: _Reference = await self._call(_EventChannel_get_default_filter_factory, ())
        return made

class EventChannelServant(_CosNotification.QoSAdminServant, _CosNotification.AdminPropertiesAdminServant, _CosEventChannelAdmin.EventChannelServant):
    """interface CosNotifyChannelAdmin::EventChannel"""

    INTERFACE = EventChannel_INTERFACE

    async def new_for_consumers(self, op: InterFilterGroupOperator) -> tuple[_Reference, AdminID]:
        _g.not_done(self, "new_for_consumers")

    async def new_for_suppliers(self, op: InterFilterGroupOperator) -> tuple[_Reference, AdminID]:
        _g.not_done(self, "new_for_suppliers")

    async def get_consumeradmin(self, id: AdminID) -> _Reference:
        _g.not_done(self, "get_consumeradmin")

    async def get_supplieradmin(self, id: AdminID) -> _Reference:
        _g.not_done(self, "get_supplieradmin")

    async def get_all_consumeradmins(self) -> AdminIDSeq:
        _g.not_done(self, "get_all_consumeradmins")

    async def get_all_supplieradmins(self) -> AdminIDSeq:
        _g.not_done(self, "get_all_supplieradmins")

    async def get_MyFactory(self) -> _Reference:
        _g.not_done(self, "get_MyFactory")

    async def get_default_consumer_admin(self) -> _Reference:
        _g.not_done(self, "get_default_consumer_admin")

    async def get_default_supplier_admin(self) -> _Reference:
        _g.not_done(self, "get_default_supplier_admin")

    async def get_default_filter_factory(self) -> _Reference:
        _g.not_done(self, "get_default_filter_factory")

def _EventChannelFactory_create_channel_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of create_channel", 2, v) from None
    _CosNotification.write_QoSProperties(w, a0)
    _CosNotification.write_AdminProperties(w, a1)

def _EventChannelFactory_create_channel_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_QoSProperties(r),
        _CosNotification.read_AdminProperties(r),
    )

def _EventChannelFactory_create_channel_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of create_channel", 2, v) from None
    w.reference(a0)
    w.long(a1)

def _EventChannelFactory_create_channel_read_out(r: _Reader) -> _Any:
    return (
        r.reference(),
        r.long(),
    )

_EventChannelFactory_create_channel: _Final = _Operation(
    "create_channel",
    "create_channel",
    _EventChannelFactory_create_channel_write_in,
    _EventChannelFactory_create_channel_read_in,
    _EventChannelFactory_create_channel_write_out,
    _EventChannelFactory_create_channel_read_out,
    (_CosNotification.UnsupportedQoS, _CosNotification.UnsupportedAdmin, ),
    False,
)

def _EventChannelFactory_get_all_channels_write_out(w: _Writer, v: _Any) -> None:
    write_ChannelIDSeq(w, v)

def _EventChannelFactory_get_all_channels_read_out(r: _Reader) -> _Any:
    return read_ChannelIDSeq(r)

_EventChannelFactory_get_all_channels: _Final = _Operation(
    "get_all_channels",
    "get_all_channels",
    _g.write_nothing,
    _g.read_nothing,
    _EventChannelFactory_get_all_channels_write_out,
    _EventChannelFactory_get_all_channels_read_out,
    (),
    False,
)

def _EventChannelFactory_get_event_channel_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of get_event_channel", 1, v) from None
    w.long(a0)

def _EventChannelFactory_get_event_channel_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

def _EventChannelFactory_get_event_channel_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _EventChannelFactory_get_event_channel_read_out(r: _Reader) -> _Any:
    return r.reference()

_EventChannelFactory_get_event_channel: _Final = _Operation(
    "get_event_channel",
    "get_event_channel",
    _EventChannelFactory_get_event_channel_write_in,
    _EventChannelFactory_get_event_channel_read_in,
    _EventChannelFactory_get_event_channel_write_out,
    _EventChannelFactory_get_event_channel_read_out,
    (ChannelNotFound, ),
    False,
)

EventChannelFactory_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyChannelAdmin/EventChannelFactory:1.0",
    "CosNotifyChannelAdmin::EventChannelFactory",
    (),
    {
        "create_channel": _EventChannelFactory_create_channel,
        "get_all_channels": _EventChannelFactory_get_all_channels,
        "get_event_channel": _EventChannelFactory_get_event_channel,
    },
)

class EventChannelFactory(_Stub):
    """interface CosNotifyChannelAdmin::EventChannelFactory"""

    __slots__ = ()
    INTERFACE = EventChannelFactory_INTERFACE

    async def create_channel(self, initial_qos: _CosNotification.QoSProperties, initial_admin: _CosNotification.AdminProperties) -> tuple[_Reference, ChannelID]:
        made: tuple[_Reference, ChannelID] = await self._call(_EventChannelFactory_create_channel, (initial_qos, initial_admin, ))
        return made

    async def get_all_channels(self) -> ChannelIDSeq:
        made: ChannelIDSeq = await self._call(_EventChannelFactory_get_all_channels, ())
        return made

    async def get_event_channel(self, id: ChannelID) -> _Reference:
        made: _Reference = await self._call(_EventChannelFactory_get_event_channel, (id, ))
        return made

class EventChannelFactoryServant(_Servant):
    """interface CosNotifyChannelAdmin::EventChannelFactory"""

    INTERFACE = EventChannelFactory_INTERFACE

    async def create_channel(self, initial_qos: _CosNotification.QoSProperties, initial_admin: _CosNotification.AdminProperties) -> tuple[_Reference, ChannelID]:
        _g.not_done(self, "create_channel")

    async def get_all_channels(self) -> ChannelIDSeq:
        _g.not_done(self, "get_all_channels")

    async def get_event_channel(self, id: ChannelID) -> _Reference:
        _g.not_done(self, "get_event_channel")
