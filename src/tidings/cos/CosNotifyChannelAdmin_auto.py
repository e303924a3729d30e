"""What CosNotifyChannelAdmin.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosEventChannelAdmin_auto as _CosEventChannelAdmin
from tidings.cos import CosEventComm_auto as _CosEventComm
from tidings.cos import CosNotification_auto as _CosNotification
from tidings.cos import CosNotifyComm_auto as _CosNotifyComm
from tidings.cos import CosNotifyFilter_auto as _CosNotifyFilter

_here: _g.Final = _g.Types(globals(), _CosEventChannelAdmin._here, _CosEventComm._here, _CosNotification._here, _CosNotifyComm._here, _CosNotifyFilter._here)

ProxyID_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/ProxyID:1.0", "ProxyID", _tc.LONG)
ProxyIDSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/ProxyIDSeq:1.0", "ProxyIDSeq", _tc.sequence(ProxyID_TYPE))
AdminID_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/AdminID:1.0", "AdminID", _tc.LONG)
AdminIDSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/AdminIDSeq:1.0", "AdminIDSeq", _tc.sequence(AdminID_TYPE))
ChannelID_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/ChannelID:1.0", "ChannelID", _tc.LONG)
ChannelIDSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyChannelAdmin/ChannelIDSeq:1.0", "ChannelIDSeq", _tc.sequence(ChannelID_TYPE))
ProxyType_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosNotifyChannelAdmin/ProxyType:1.0", "ProxyType", [
    "PUSH_ANY", "PULL_ANY", "PUSH_STRUCTURED", "PULL_STRUCTURED", "PUSH_SEQUENCE", "PULL_SEQUENCE", "PUSH_TYPED",
        "PULL_TYPED"])
ObtainInfoMode_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosNotifyChannelAdmin/ObtainInfoMode:1.0", "ObtainInfoMode", [
    "ALL_NOW_UPDATES_OFF", "ALL_NOW_UPDATES_ON", "NONE_NOW_UPDATES_OFF", "NONE_NOW_UPDATES_ON"])
ClientType_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosNotifyChannelAdmin/ClientType:1.0", "ClientType", ["ANY_EVENT", "STRUCTURED_EVENT", "SEQUENCE_EVENT"])
InterFilterGroupOperator_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosNotifyChannelAdmin/InterFilterGroupOperator:1.0", "InterFilterGroupOperator", ["AND_OP", "OR_OP"])
AdminLimit_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotifyChannelAdmin/AdminLimit:1.0", "AdminLimit", [
    ("name", _CosNotification.PropertyName_TYPE), ("value", _CosNotification.PropertyValue_TYPE)])
AdminLimitExceeded_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/AdminLimitExceeded:1.0", "AdminLimitExceeded", [("admin_property_err", AdminLimit_TYPE)])
AdminNotFound_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/AdminNotFound:1.0", "AdminNotFound", [])
ChannelNotFound_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/ChannelNotFound:1.0", "ChannelNotFound", [])
ConnectionAlreadyActive_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/ConnectionAlreadyActive:1.0", "ConnectionAlreadyActive", [])
ConnectionAlreadyInactive_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/ConnectionAlreadyInactive:1.0", "ConnectionAlreadyInactive", [])
NotConnected_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/NotConnected:1.0", "NotConnected", [])
ProxyNotFound_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyChannelAdmin/ProxyNotFound:1.0", "ProxyNotFound", [])
ProxyConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyConsumer:1.0", "ProxyConsumer")
ProxySupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxySupplier:1.0", "ProxySupplier")
ProxyPushConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyPushConsumer:1.0", "ProxyPushConsumer")
StructuredProxyPushConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPushConsumer:1.0", "StructuredProxyPushConsumer")
SequenceProxyPushConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPushConsumer:1.0", "SequenceProxyPushConsumer")
ProxyPullSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyPullSupplier:1.0", "ProxyPullSupplier")
StructuredProxyPullSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPullSupplier:1.0", "StructuredProxyPullSupplier")
SequenceProxyPullSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPullSupplier:1.0", "SequenceProxyPullSupplier")
ProxyPullConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyPullConsumer:1.0", "ProxyPullConsumer")
StructuredProxyPullConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPullConsumer:1.0", "StructuredProxyPullConsumer")
SequenceProxyPullConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPullConsumer:1.0", "SequenceProxyPullConsumer")
ProxyPushSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ProxyPushSupplier:1.0", "ProxyPushSupplier")
StructuredProxyPushSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/StructuredProxyPushSupplier:1.0", "StructuredProxyPushSupplier")
SequenceProxyPushSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SequenceProxyPushSupplier:1.0", "SequenceProxyPushSupplier")
ConsumerAdmin_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/ConsumerAdmin:1.0", "ConsumerAdmin")
SupplierAdmin_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/SupplierAdmin:1.0", "SupplierAdmin")
EventChannel_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/EventChannel:1.0", "EventChannel")
EventChannelFactory_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyChannelAdmin/EventChannelFactory:1.0", "EventChannelFactory")

ProxyID: _g.TypeAlias = "int"
read_ProxyID: _g.Reads[ProxyID] = _here.reads(ProxyID_TYPE)
write_ProxyID: _g.Writes[ProxyID] = _here.writes(ProxyID_TYPE)

ProxyIDSeq: _g.TypeAlias = "_g.Sequence[ProxyID]"
read_ProxyIDSeq: _g.Reads[ProxyIDSeq] = _here.reads(ProxyIDSeq_TYPE)
write_ProxyIDSeq: _g.Writes[ProxyIDSeq] = _here.writes(ProxyIDSeq_TYPE)

AdminID: _g.TypeAlias = "int"
read_AdminID: _g.Reads[AdminID] = _here.reads(AdminID_TYPE)
write_AdminID: _g.Writes[AdminID] = _here.writes(AdminID_TYPE)

AdminIDSeq: _g.TypeAlias = "_g.Sequence[AdminID]"
read_AdminIDSeq: _g.Reads[AdminIDSeq] = _here.reads(AdminIDSeq_TYPE)
write_AdminIDSeq: _g.Writes[AdminIDSeq] = _here.writes(AdminIDSeq_TYPE)

ChannelID: _g.TypeAlias = "int"
read_ChannelID: _g.Reads[ChannelID] = _here.reads(ChannelID_TYPE)
write_ChannelID: _g.Writes[ChannelID] = _here.writes(ChannelID_TYPE)

ChannelIDSeq: _g.TypeAlias = "_g.Sequence[ChannelID]"
read_ChannelIDSeq: _g.Reads[ChannelIDSeq] = _here.reads(ChannelIDSeq_TYPE)
write_ChannelIDSeq: _g.Writes[ChannelIDSeq] = _here.writes(ChannelIDSeq_TYPE)

class ProxyType(_g.StrEnum):
    """enum CosNotifyChannelAdmin::ProxyType"""
    PUSH_ANY = "PUSH_ANY"
    PULL_ANY = "PULL_ANY"
    PUSH_STRUCTURED = "PUSH_STRUCTURED"
    PULL_STRUCTURED = "PULL_STRUCTURED"
    PUSH_SEQUENCE = "PUSH_SEQUENCE"
    PULL_SEQUENCE = "PULL_SEQUENCE"
    PUSH_TYPED = "PUSH_TYPED"
    PULL_TYPED = "PULL_TYPED"
read_ProxyType: _g.Reads[ProxyType] = _here.reads(ProxyType_TYPE)
write_ProxyType: _g.Writes[ProxyType] = _here.writes(ProxyType_TYPE)

class ObtainInfoMode(_g.StrEnum):
    """enum CosNotifyChannelAdmin::ObtainInfoMode"""
    ALL_NOW_UPDATES_OFF = "ALL_NOW_UPDATES_OFF"
    ALL_NOW_UPDATES_ON = "ALL_NOW_UPDATES_ON"
    NONE_NOW_UPDATES_OFF = "NONE_NOW_UPDATES_OFF"
    NONE_NOW_UPDATES_ON = "NONE_NOW_UPDATES_ON"
read_ObtainInfoMode: _g.Reads[ObtainInfoMode] = _here.reads(ObtainInfoMode_TYPE)
write_ObtainInfoMode: _g.Writes[ObtainInfoMode] = _here.writes(ObtainInfoMode_TYPE)

class ClientType(_g.StrEnum):
    """enum CosNotifyChannelAdmin::ClientType"""
    ANY_EVENT = "ANY_EVENT"
    STRUCTURED_EVENT = "STRUCTURED_EVENT"
    SEQUENCE_EVENT = "SEQUENCE_EVENT"
read_ClientType: _g.Reads[ClientType] = _here.reads(ClientType_TYPE)
write_ClientType: _g.Writes[ClientType] = _here.writes(ClientType_TYPE)

class InterFilterGroupOperator(_g.StrEnum):
    """enum CosNotifyChannelAdmin::InterFilterGroupOperator"""
    AND_OP = "AND_OP"
    OR_OP = "OR_OP"
read_InterFilterGroupOperator: _g.Reads[InterFilterGroupOperator] = _here.reads(InterFilterGroupOperator_TYPE)
write_InterFilterGroupOperator: _g.Writes[InterFilterGroupOperator] = _here.writes(InterFilterGroupOperator_TYPE)

class AdminLimit(_g.NamedTuple):
    """struct CosNotifyChannelAdmin::AdminLimit"""
    name: _CosNotification.PropertyName
    value: _CosNotification.PropertyValue
read_AdminLimit: _g.Reads[AdminLimit] = _here.reads(AdminLimit_TYPE)
write_AdminLimit: _g.Writes[AdminLimit] = _here.writes(AdminLimit_TYPE)

read_AdminLimitExceeded: _g.Reads[AdminLimitExceeded] = _here.reads(AdminLimitExceeded_TYPE)
write_AdminLimitExceeded: _g.Writes[AdminLimitExceeded] = _here.writes(AdminLimitExceeded_TYPE)
class AdminLimitExceeded(_g.UserException):
    """exception CosNotifyChannelAdmin::AdminLimitExceeded"""
    ID = corba_id = AdminLimitExceeded_TYPE.id
    TYPE = AdminLimitExceeded_TYPE
    read, write = staticmethod(read_AdminLimitExceeded), staticmethod(write_AdminLimitExceeded)
    __match_args__ = ("admin_property_err", )
    def __init__(self, admin_property_err: AdminLimit) -> None:
        super().__init__(admin_property_err)
        self.admin_property_err = admin_property_err

read_AdminNotFound: _g.Reads[AdminNotFound] = _here.reads(AdminNotFound_TYPE)
write_AdminNotFound: _g.Writes[AdminNotFound] = _here.writes(AdminNotFound_TYPE)
class AdminNotFound(_g.UserException):
    """exception CosNotifyChannelAdmin::AdminNotFound"""
    ID = corba_id = AdminNotFound_TYPE.id
    TYPE = AdminNotFound_TYPE
    read, write = staticmethod(read_AdminNotFound), staticmethod(write_AdminNotFound)
    def __init__(self) -> None:
        super().__init__()

read_ChannelNotFound: _g.Reads[ChannelNotFound] = _here.reads(ChannelNotFound_TYPE)
write_ChannelNotFound: _g.Writes[ChannelNotFound] = _here.writes(ChannelNotFound_TYPE)
class ChannelNotFound(_g.UserException):
    """exception CosNotifyChannelAdmin::ChannelNotFound"""
    ID = corba_id = ChannelNotFound_TYPE.id
    TYPE = ChannelNotFound_TYPE
    read, write = staticmethod(read_ChannelNotFound), staticmethod(write_ChannelNotFound)
    def __init__(self) -> None:
        super().__init__()

read_ConnectionAlreadyActive: _g.Reads[ConnectionAlreadyActive] = _here.reads(ConnectionAlreadyActive_TYPE)
write_ConnectionAlreadyActive: _g.Writes[ConnectionAlreadyActive] = _here.writes(ConnectionAlreadyActive_TYPE)
class ConnectionAlreadyActive(_g.UserException):
    """exception CosNotifyChannelAdmin::ConnectionAlreadyActive"""
    ID = corba_id = ConnectionAlreadyActive_TYPE.id
    TYPE = ConnectionAlreadyActive_TYPE
    read, write = staticmethod(read_ConnectionAlreadyActive), staticmethod(write_ConnectionAlreadyActive)
    def __init__(self) -> None:
        super().__init__()

read_ConnectionAlreadyInactive: _g.Reads[ConnectionAlreadyInactive] = _here.reads(ConnectionAlreadyInactive_TYPE)
write_ConnectionAlreadyInactive: _g.Writes[ConnectionAlreadyInactive] = _here.writes(ConnectionAlreadyInactive_TYPE)
class ConnectionAlreadyInactive(_g.UserException):
    """exception CosNotifyChannelAdmin::ConnectionAlreadyInactive"""
    ID = corba_id = ConnectionAlreadyInactive_TYPE.id
    TYPE = ConnectionAlreadyInactive_TYPE
    read, write = staticmethod(read_ConnectionAlreadyInactive), staticmethod(write_ConnectionAlreadyInactive)
    def __init__(self) -> None:
        super().__init__()

read_NotConnected: _g.Reads[NotConnected] = _here.reads(NotConnected_TYPE)
write_NotConnected: _g.Writes[NotConnected] = _here.writes(NotConnected_TYPE)
class NotConnected(_g.UserException):
    """exception CosNotifyChannelAdmin::NotConnected"""
    ID = corba_id = NotConnected_TYPE.id
    TYPE = NotConnected_TYPE
    read, write = staticmethod(read_NotConnected), staticmethod(write_NotConnected)
    def __init__(self) -> None:
        super().__init__()

read_ProxyNotFound: _g.Reads[ProxyNotFound] = _here.reads(ProxyNotFound_TYPE)
write_ProxyNotFound: _g.Writes[ProxyNotFound] = _here.writes(ProxyNotFound_TYPE)
class ProxyNotFound(_g.UserException):
    """exception CosNotifyChannelAdmin::ProxyNotFound"""
    ID = corba_id = ProxyNotFound_TYPE.id
    TYPE = ProxyNotFound_TYPE
    read, write = staticmethod(read_ProxyNotFound), staticmethod(write_ProxyNotFound)
    def __init__(self) -> None:
        super().__init__()

ProxyConsumer_INTERFACE: _g.Final = _here.interface(
    ProxyConsumer_TYPE, "CosNotifyChannelAdmin::ProxyConsumer",
        (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, ),
    _here.operation("obtain_subscription_types", takes={"mode": ObtainInfoMode_TYPE}, gives={"": _CosNotification.EventTypeSeq_TYPE}),
    _here.operation("validate_event_qos", takes={"required_qos": _CosNotification.QoSProperties_TYPE},
        gives={"available_qos": _CosNotification.NamedPropertyRangeSeq_TYPE}, raises=(_CosNotification.UnsupportedQoS, )),
    _here.operation("_get_MyType", gives={"": ProxyType_TYPE}, method="get_MyType"),
    _here.operation("_get_MyAdmin", gives={"": SupplierAdmin_TYPE}, method="get_MyAdmin"),
)

class ProxyConsumer(_CosNotification.QoSAdmin, _CosNotifyFilter.FilterAdmin):
    """interface CosNotifyChannelAdmin::ProxyConsumer"""
    __slots__ = ()
    INTERFACE = ProxyConsumer_INTERFACE
    async def obtain_subscription_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq:
        return await self._call("obtain_subscription_types", mode)
    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq:
        return await self._call("validate_event_qos", required_qos)
    async def get_MyType(self) -> ProxyType: return await self._call("_get_MyType")
    async def get_MyAdmin(self) -> _g.Reference: return await self._call("_get_MyAdmin")

class ProxyConsumerServant(_CosNotification.QoSAdminServant, _CosNotifyFilter.FilterAdminServant):
    """interface CosNotifyChannelAdmin::ProxyConsumer"""
    INTERFACE = ProxyConsumer_INTERFACE
    async def obtain_subscription_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq:
        _g.not_done(self, "obtain_subscription_types")
    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq:
        _g.not_done(self, "validate_event_qos")
    async def get_MyType(self) -> ProxyType: _g.not_done(self, "get_MyType")
    async def get_MyAdmin(self) -> _g.Reference: _g.not_done(self, "get_MyAdmin")

ProxySupplier_INTERFACE: _g.Final = _here.interface(
    ProxySupplier_TYPE, "CosNotifyChannelAdmin::ProxySupplier",
        (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, ),
    _here.operation("obtain_offered_types", takes={"mode": ObtainInfoMode_TYPE}, gives={"": _CosNotification.EventTypeSeq_TYPE}),
    _here.operation("validate_event_qos", takes={"required_qos": _CosNotification.QoSProperties_TYPE},
        gives={"available_qos": _CosNotification.NamedPropertyRangeSeq_TYPE}, raises=(_CosNotification.UnsupportedQoS, )),
    _here.operation("_get_MyType", gives={"": ProxyType_TYPE}, method="get_MyType"),
    _here.operation("_get_MyAdmin", gives={"": ConsumerAdmin_TYPE}, method="get_MyAdmin"),
    _here.operation("_get_priority_filter", gives={"": _CosNotifyFilter.MappingFilter_TYPE}, method="get_priority_filter"),
    _here.operation("_set_priority_filter", takes={"value": _CosNotifyFilter.MappingFilter_TYPE}, method="set_priority_filter"),
    _here.operation("_get_lifetime_filter", gives={"": _CosNotifyFilter.MappingFilter_TYPE}, method="get_lifetime_filter"),
    _here.operation("_set_lifetime_filter", takes={"value": _CosNotifyFilter.MappingFilter_TYPE}, method="set_lifetime_filter"),
)

class ProxySupplier(_CosNotification.QoSAdmin, _CosNotifyFilter.FilterAdmin):
    """interface CosNotifyChannelAdmin::ProxySupplier"""
    __slots__ = ()
    INTERFACE = ProxySupplier_INTERFACE
    async def obtain_offered_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq:
        return await self._call("obtain_offered_types", mode)
    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq:
        return await self._call("validate_event_qos", required_qos)
    async def get_MyType(self) -> ProxyType: return await self._call("_get_MyType")
    async def get_MyAdmin(self) -> _g.Reference: return await self._call("_get_MyAdmin")
    async def get_priority_filter(self) -> _g.Reference: return await self._call("_get_priority_filter")
    async def set_priority_filter(self, value: _g.Reference) -> None: await self._call("_set_priority_filter", value)
    async def get_lifetime_filter(self) -> _g.Reference: return await self._call("_get_lifetime_filter")
    async def set_lifetime_filter(self, value: _g.Reference) -> None: await self._call("_set_lifetime_filter", value)

class ProxySupplierServant(_CosNotification.QoSAdminServant, _CosNotifyFilter.FilterAdminServant):
    """interface CosNotifyChannelAdmin::ProxySupplier"""
    INTERFACE = ProxySupplier_INTERFACE
    async def obtain_offered_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq:
        _g.not_done(self, "obtain_offered_types")
    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq:
        _g.not_done(self, "validate_event_qos")
    async def get_MyType(self) -> ProxyType: _g.not_done(self, "get_MyType")
    async def get_MyAdmin(self) -> _g.Reference: _g.not_done(self, "get_MyAdmin")
    async def get_priority_filter(self) -> _g.Reference: _g.not_done(self, "get_priority_filter")
    async def set_priority_filter(self, value: _g.Reference) -> None: _g.not_done(self, "set_priority_filter")
    async def get_lifetime_filter(self) -> _g.Reference: _g.not_done(self, "get_lifetime_filter")
    async def set_lifetime_filter(self, value: _g.Reference) -> None: _g.not_done(self, "set_lifetime_filter")

ProxyPushConsumer_INTERFACE: _g.Final = _here.interface(
    ProxyPushConsumer_TYPE, "CosNotifyChannelAdmin::ProxyPushConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.PushConsumer_INTERFACE, ),
    _here.operation("connect_any_push_supplier", takes={"push_supplier": _CosEventComm.PushSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )),
)

class ProxyPushConsumer(ProxyConsumer, _CosNotifyComm.PushConsumer):
    """interface CosNotifyChannelAdmin::ProxyPushConsumer"""
    __slots__ = ()
    INTERFACE = ProxyPushConsumer_INTERFACE
    async def connect_any_push_supplier(self, push_supplier: _g.Reference) -> None:
        await self._call("connect_any_push_supplier", push_supplier)

class ProxyPushConsumerServant(ProxyConsumerServant, _CosNotifyComm.PushConsumerServant):
    """interface CosNotifyChannelAdmin::ProxyPushConsumer"""
    INTERFACE = ProxyPushConsumer_INTERFACE
    async def connect_any_push_supplier(self, push_supplier: _g.Reference) -> None:
        _g.not_done(self, "connect_any_push_supplier")

StructuredProxyPushConsumer_INTERFACE: _g.Final = _here.interface(
    StructuredProxyPushConsumer_TYPE, "CosNotifyChannelAdmin::StructuredProxyPushConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.StructuredPushConsumer_INTERFACE, ),
    _here.operation("connect_structured_push_supplier", takes={"push_supplier": _CosNotifyComm.StructuredPushSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )),
)

class StructuredProxyPushConsumer(ProxyConsumer, _CosNotifyComm.StructuredPushConsumer):
    """interface CosNotifyChannelAdmin::StructuredProxyPushConsumer"""
    __slots__ = ()
    INTERFACE = StructuredProxyPushConsumer_INTERFACE
    async def connect_structured_push_supplier(self, push_supplier: _g.Reference) -> None:
        await self._call("connect_structured_push_supplier", push_supplier)

class StructuredProxyPushConsumerServant(ProxyConsumerServant, _CosNotifyComm.StructuredPushConsumerServant):
    """interface CosNotifyChannelAdmin::StructuredProxyPushConsumer"""
    INTERFACE = StructuredProxyPushConsumer_INTERFACE
    async def connect_structured_push_supplier(self, push_supplier: _g.Reference) -> None:
        _g.not_done(self, "connect_structured_push_supplier")

SequenceProxyPushConsumer_INTERFACE: _g.Final = _here.interface(
    SequenceProxyPushConsumer_TYPE, "CosNotifyChannelAdmin::SequenceProxyPushConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.SequencePushConsumer_INTERFACE, ),
    _here.operation("connect_sequence_push_supplier", takes={"push_supplier": _CosNotifyComm.SequencePushSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )),
)

class SequenceProxyPushConsumer(ProxyConsumer, _CosNotifyComm.SequencePushConsumer):
    """interface CosNotifyChannelAdmin::SequenceProxyPushConsumer"""
    __slots__ = ()
    INTERFACE = SequenceProxyPushConsumer_INTERFACE
    async def connect_sequence_push_supplier(self, push_supplier: _g.Reference) -> None:
        await self._call("connect_sequence_push_supplier", push_supplier)

class SequenceProxyPushConsumerServant(ProxyConsumerServant, _CosNotifyComm.SequencePushConsumerServant):
    """interface CosNotifyChannelAdmin::SequenceProxyPushConsumer"""
    INTERFACE = SequenceProxyPushConsumer_INTERFACE
    async def connect_sequence_push_supplier(self, push_supplier: _g.Reference) -> None:
        _g.not_done(self, "connect_sequence_push_supplier")

ProxyPullSupplier_INTERFACE: _g.Final = _here.interface(
    ProxyPullSupplier_TYPE, "CosNotifyChannelAdmin::ProxyPullSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.PullSupplier_INTERFACE, ),
    _here.operation("connect_any_pull_consumer", takes={"pull_consumer": _CosEventComm.PullConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )),
)

class ProxyPullSupplier(ProxySupplier, _CosNotifyComm.PullSupplier):
    """interface CosNotifyChannelAdmin::ProxyPullSupplier"""
    __slots__ = ()
    INTERFACE = ProxyPullSupplier_INTERFACE
    async def connect_any_pull_consumer(self, pull_consumer: _g.Reference) -> None:
        await self._call("connect_any_pull_consumer", pull_consumer)

class ProxyPullSupplierServant(ProxySupplierServant, _CosNotifyComm.PullSupplierServant):
    """interface CosNotifyChannelAdmin::ProxyPullSupplier"""
    INTERFACE = ProxyPullSupplier_INTERFACE
    async def connect_any_pull_consumer(self, pull_consumer: _g.Reference) -> None:
        _g.not_done(self, "connect_any_pull_consumer")

StructuredProxyPullSupplier_INTERFACE: _g.Final = _here.interface(
    StructuredProxyPullSupplier_TYPE, "CosNotifyChannelAdmin::StructuredProxyPullSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.StructuredPullSupplier_INTERFACE, ),
    _here.operation("connect_structured_pull_consumer", takes={"pull_consumer": _CosNotifyComm.StructuredPullConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )),
)

class StructuredProxyPullSupplier(ProxySupplier, _CosNotifyComm.StructuredPullSupplier):
    """interface CosNotifyChannelAdmin::StructuredProxyPullSupplier"""
    __slots__ = ()
    INTERFACE = StructuredProxyPullSupplier_INTERFACE
    async def connect_structured_pull_consumer(self, pull_consumer: _g.Reference) -> None:
        await self._call("connect_structured_pull_consumer", pull_consumer)

class StructuredProxyPullSupplierServant(ProxySupplierServant, _CosNotifyComm.StructuredPullSupplierServant):
    """interface CosNotifyChannelAdmin::StructuredProxyPullSupplier"""
    INTERFACE = StructuredProxyPullSupplier_INTERFACE
    async def connect_structured_pull_consumer(self, pull_consumer: _g.Reference) -> None:
        _g.not_done(self, "connect_structured_pull_consumer")

SequenceProxyPullSupplier_INTERFACE: _g.Final = _here.interface(
    SequenceProxyPullSupplier_TYPE, "CosNotifyChannelAdmin::SequenceProxyPullSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.SequencePullSupplier_INTERFACE, ),
    _here.operation("connect_sequence_pull_consumer", takes={"pull_consumer": _CosNotifyComm.SequencePullConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )),
)

class SequenceProxyPullSupplier(ProxySupplier, _CosNotifyComm.SequencePullSupplier):
    """interface CosNotifyChannelAdmin::SequenceProxyPullSupplier"""
    __slots__ = ()
    INTERFACE = SequenceProxyPullSupplier_INTERFACE
    async def connect_sequence_pull_consumer(self, pull_consumer: _g.Reference) -> None:
        await self._call("connect_sequence_pull_consumer", pull_consumer)

class SequenceProxyPullSupplierServant(ProxySupplierServant, _CosNotifyComm.SequencePullSupplierServant):
    """interface CosNotifyChannelAdmin::SequenceProxyPullSupplier"""
    INTERFACE = SequenceProxyPullSupplier_INTERFACE
    async def connect_sequence_pull_consumer(self, pull_consumer: _g.Reference) -> None:
        _g.not_done(self, "connect_sequence_pull_consumer")

ProxyPullConsumer_INTERFACE: _g.Final = _here.interface(
    ProxyPullConsumer_TYPE, "CosNotifyChannelAdmin::ProxyPullConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.PullConsumer_INTERFACE, ),
    _here.operation("connect_any_pull_supplier", takes={"pull_supplier": _CosEventComm.PullSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )),
)

class ProxyPullConsumer(ProxyConsumer, _CosNotifyComm.PullConsumer):
    """interface CosNotifyChannelAdmin::ProxyPullConsumer"""
    __slots__ = ()
    INTERFACE = ProxyPullConsumer_INTERFACE
    async def connect_any_pull_supplier(self, pull_supplier: _g.Reference) -> None:
        await self._call("connect_any_pull_supplier", pull_supplier)
    async def suspend_connection(self) -> None: await self._call("suspend_connection")
    async def resume_connection(self) -> None: await self._call("resume_connection")

class ProxyPullConsumerServant(ProxyConsumerServant, _CosNotifyComm.PullConsumerServant):
    """interface CosNotifyChannelAdmin::ProxyPullConsumer"""
    INTERFACE = ProxyPullConsumer_INTERFACE
    async def connect_any_pull_supplier(self, pull_supplier: _g.Reference) -> None:
        _g.not_done(self, "connect_any_pull_supplier")
    async def suspend_connection(self) -> None: _g.not_done(self, "suspend_connection")
    async def resume_connection(self) -> None: _g.not_done(self, "resume_connection")

StructuredProxyPullConsumer_INTERFACE: _g.Final = _here.interface(
    StructuredProxyPullConsumer_TYPE, "CosNotifyChannelAdmin::StructuredProxyPullConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.StructuredPullConsumer_INTERFACE, ),
    _here.operation("connect_structured_pull_supplier", takes={"pull_supplier": _CosNotifyComm.StructuredPullSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )),
)

class StructuredProxyPullConsumer(ProxyConsumer, _CosNotifyComm.StructuredPullConsumer):
    """interface CosNotifyChannelAdmin::StructuredProxyPullConsumer"""
    __slots__ = ()
    INTERFACE = StructuredProxyPullConsumer_INTERFACE
    async def connect_structured_pull_supplier(self, pull_supplier: _g.Reference) -> None:
        await self._call("connect_structured_pull_supplier", pull_supplier)
    async def suspend_connection(self) -> None: await self._call("suspend_connection")
    async def resume_connection(self) -> None: await self._call("resume_connection")

class StructuredProxyPullConsumerServant(ProxyConsumerServant, _CosNotifyComm.StructuredPullConsumerServant):
    """interface CosNotifyChannelAdmin::StructuredProxyPullConsumer"""
    INTERFACE = StructuredProxyPullConsumer_INTERFACE
    async def connect_structured_pull_supplier(self, pull_supplier: _g.Reference) -> None:
        _g.not_done(self, "connect_structured_pull_supplier")
    async def suspend_connection(self) -> None: _g.not_done(self, "suspend_connection")
    async def resume_connection(self) -> None: _g.not_done(self, "resume_connection")

SequenceProxyPullConsumer_INTERFACE: _g.Final = _here.interface(
    SequenceProxyPullConsumer_TYPE, "CosNotifyChannelAdmin::SequenceProxyPullConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.SequencePullConsumer_INTERFACE, ),
    _here.operation("connect_sequence_pull_supplier", takes={"pull_supplier": _CosNotifyComm.SequencePullSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )),
)

class SequenceProxyPullConsumer(ProxyConsumer, _CosNotifyComm.SequencePullConsumer):
    """interface CosNotifyChannelAdmin::SequenceProxyPullConsumer"""
    __slots__ = ()
    INTERFACE = SequenceProxyPullConsumer_INTERFACE
    async def connect_sequence_pull_supplier(self, pull_supplier: _g.Reference) -> None:
        await self._call("connect_sequence_pull_supplier", pull_supplier)
    async def suspend_connection(self) -> None: await self._call("suspend_connection")
    async def resume_connection(self) -> None: await self._call("resume_connection")

class SequenceProxyPullConsumerServant(ProxyConsumerServant, _CosNotifyComm.SequencePullConsumerServant):
    """interface CosNotifyChannelAdmin::SequenceProxyPullConsumer"""
    INTERFACE = SequenceProxyPullConsumer_INTERFACE
    async def connect_sequence_pull_supplier(self, pull_supplier: _g.Reference) -> None:
        _g.not_done(self, "connect_sequence_pull_supplier")
    async def suspend_connection(self) -> None: _g.not_done(self, "suspend_connection")
    async def resume_connection(self) -> None: _g.not_done(self, "resume_connection")

ProxyPushSupplier_INTERFACE: _g.Final = _here.interface(
    ProxyPushSupplier_TYPE, "CosNotifyChannelAdmin::ProxyPushSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.PushSupplier_INTERFACE, ),
    _here.operation("connect_any_push_consumer", takes={"push_consumer": _CosEventComm.PushConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )),
)

class ProxyPushSupplier(ProxySupplier, _CosNotifyComm.PushSupplier):
    """interface CosNotifyChannelAdmin::ProxyPushSupplier"""
    __slots__ = ()
    INTERFACE = ProxyPushSupplier_INTERFACE
    async def connect_any_push_consumer(self, push_consumer: _g.Reference) -> None:
        await self._call("connect_any_push_consumer", push_consumer)
    async def suspend_connection(self) -> None: await self._call("suspend_connection")
    async def resume_connection(self) -> None: await self._call("resume_connection")

class ProxyPushSupplierServant(ProxySupplierServant, _CosNotifyComm.PushSupplierServant):
    """interface CosNotifyChannelAdmin::ProxyPushSupplier"""
    INTERFACE = ProxyPushSupplier_INTERFACE
    async def connect_any_push_consumer(self, push_consumer: _g.Reference) -> None:
        _g.not_done(self, "connect_any_push_consumer")
    async def suspend_connection(self) -> None: _g.not_done(self, "suspend_connection")
    async def resume_connection(self) -> None: _g.not_done(self, "resume_connection")

StructuredProxyPushSupplier_INTERFACE: _g.Final = _here.interface(
    StructuredProxyPushSupplier_TYPE, "CosNotifyChannelAdmin::StructuredProxyPushSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.StructuredPushSupplier_INTERFACE, ),
    _here.operation("connect_structured_push_consumer", takes={"push_consumer": _CosNotifyComm.StructuredPushConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )),
)

class StructuredProxyPushSupplier(ProxySupplier, _CosNotifyComm.StructuredPushSupplier):
    """interface CosNotifyChannelAdmin::StructuredProxyPushSupplier"""
    __slots__ = ()
    INTERFACE = StructuredProxyPushSupplier_INTERFACE
    async def connect_structured_push_consumer(self, push_consumer: _g.Reference) -> None:
        await self._call("connect_structured_push_consumer", push_consumer)
    async def suspend_connection(self) -> None: await self._call("suspend_connection")
    async def resume_connection(self) -> None: await self._call("resume_connection")

class StructuredProxyPushSupplierServant(ProxySupplierServant, _CosNotifyComm.StructuredPushSupplierServant):
    """interface CosNotifyChannelAdmin::StructuredProxyPushSupplier"""
    INTERFACE = StructuredProxyPushSupplier_INTERFACE
    async def connect_structured_push_consumer(self, push_consumer: _g.Reference) -> None:
        _g.not_done(self, "connect_structured_push_consumer")
    async def suspend_connection(self) -> None: _g.not_done(self, "suspend_connection")
    async def resume_connection(self) -> None: _g.not_done(self, "resume_connection")

SequenceProxyPushSupplier_INTERFACE: _g.Final = _here.interface(
    SequenceProxyPushSupplier_TYPE, "CosNotifyChannelAdmin::SequenceProxyPushSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.SequencePushSupplier_INTERFACE, ),
    _here.operation("connect_sequence_push_consumer", takes={"push_consumer": _CosNotifyComm.SequencePushConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )),
)

class SequenceProxyPushSupplier(ProxySupplier, _CosNotifyComm.SequencePushSupplier):
    """interface CosNotifyChannelAdmin::SequenceProxyPushSupplier"""
    __slots__ = ()
    INTERFACE = SequenceProxyPushSupplier_INTERFACE
    async def connect_sequence_push_consumer(self, push_consumer: _g.Reference) -> None:
        await self._call("connect_sequence_push_consumer", push_consumer)
    async def suspend_connection(self) -> None: await self._call("suspend_connection")
    async def resume_connection(self) -> None: await self._call("resume_connection")

class SequenceProxyPushSupplierServant(ProxySupplierServant, _CosNotifyComm.SequencePushSupplierServant):
    """interface CosNotifyChannelAdmin::SequenceProxyPushSupplier"""
    INTERFACE = SequenceProxyPushSupplier_INTERFACE
    async def connect_sequence_push_consumer(self, push_consumer: _g.Reference) -> None:
        _g.not_done(self, "connect_sequence_push_consumer")
    async def suspend_connection(self) -> None: _g.not_done(self, "suspend_connection")
    async def resume_connection(self) -> None: _g.not_done(self, "resume_connection")

ConsumerAdmin_INTERFACE: _g.Final = _here.interface(
    ConsumerAdmin_TYPE, "CosNotifyChannelAdmin::ConsumerAdmin",
        (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyComm.NotifySubscribe_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, _CosEventChannelAdmin.ConsumerAdmin_INTERFACE, ),
    _here.operation("get_proxy_supplier", takes={"proxy_id": ProxyID_TYPE}, gives={"": ProxySupplier_TYPE}, raises=(ProxyNotFound, )),
    _here.operation("obtain_notification_pull_supplier", takes={"ctype": ClientType_TYPE},
        gives={"": ProxySupplier_TYPE, "proxy_id": ProxyID_TYPE}, raises=(AdminLimitExceeded, )),
    _here.operation("obtain_notification_push_supplier", takes={"ctype": ClientType_TYPE},
        gives={"": ProxySupplier_TYPE, "proxy_id": ProxyID_TYPE}, raises=(AdminLimitExceeded, )),
    _here.operation("destroy"),
    _here.operation("_get_MyID", gives={"": AdminID_TYPE}, method="get_MyID"),
    _here.operation("_get_MyChannel", gives={"": EventChannel_TYPE}, method="get_MyChannel"),
    _here.operation("_get_MyOperator", gives={"": InterFilterGroupOperator_TYPE}, method="get_MyOperator"),
    _here.operation("_get_priority_filter", gives={"": _CosNotifyFilter.MappingFilter_TYPE}, method="get_priority_filter"),
    _here.operation("_set_priority_filter", takes={"value": _CosNotifyFilter.MappingFilter_TYPE}, method="set_priority_filter"),
    _here.operation("_get_lifetime_filter", gives={"": _CosNotifyFilter.MappingFilter_TYPE}, method="get_lifetime_filter"),
    _here.operation("_set_lifetime_filter", takes={"value": _CosNotifyFilter.MappingFilter_TYPE}, method="set_lifetime_filter"),
    _here.operation("_get_pull_suppliers", gives={"": ProxyIDSeq_TYPE}, method="get_pull_suppliers"),
    _here.operation("_get_push_suppliers", gives={"": ProxyIDSeq_TYPE}, method="get_push_suppliers"),
)

class ConsumerAdmin(_CosNotification.QoSAdmin, _CosNotifyComm.NotifySubscribe, _CosNotifyFilter.FilterAdmin, _CosEventChannelAdmin.ConsumerAdmin):
    """interface CosNotifyChannelAdmin::ConsumerAdmin"""
    __slots__ = ()
    INTERFACE = ConsumerAdmin_INTERFACE
    async def get_proxy_supplier(self, proxy_id: ProxyID) -> _g.Reference:
        return await self._call("get_proxy_supplier", proxy_id)
    async def obtain_notification_pull_supplier(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]:
        return await self._call("obtain_notification_pull_supplier", ctype)
    async def obtain_notification_push_supplier(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]:
        return await self._call("obtain_notification_push_supplier", ctype)
    async def destroy(self) -> None: await self._call("destroy")
    async def get_MyID(self) -> AdminID: return await self._call("_get_MyID")
    async def get_MyChannel(self) -> _g.Reference: return await self._call("_get_MyChannel")
    async def get_MyOperator(self) -> InterFilterGroupOperator: return await self._call("_get_MyOperator")
    async def get_priority_filter(self) -> _g.Reference: return await self._call("_get_priority_filter")
    async def set_priority_filter(self, value: _g.Reference) -> None: await self._call("_set_priority_filter", value)
    async def get_lifetime_filter(self) -> _g.Reference: return await self._call("_get_lifetime_filter")
    async def set_lifetime_filter(self, value: _g.Reference) -> None: await self._call("_set_lifetime_filter", value)
    async def get_pull_suppliers(self) -> ProxyIDSeq: return await self._call("_get_pull_suppliers")
    async def get_push_suppliers(self) -> ProxyIDSeq: return await self._call("_get_push_suppliers")

class ConsumerAdminServant(_CosNotification.QoSAdminServant, _CosNotifyComm.NotifySubscribeServant, _CosNotifyFilter.FilterAdminServant, _CosEventChannelAdmin.ConsumerAdminServant):
    """interface CosNotifyChannelAdmin::ConsumerAdmin"""
    INTERFACE = ConsumerAdmin_INTERFACE
    async def get_proxy_supplier(self, proxy_id: ProxyID) -> _g.Reference: _g.not_done(self, "get_proxy_supplier")
    async def obtain_notification_pull_supplier(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]:
        _g.not_done(self, "obtain_notification_pull_supplier")
    async def obtain_notification_push_supplier(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]:
        _g.not_done(self, "obtain_notification_push_supplier")
    async def destroy(self) -> None: _g.not_done(self, "destroy")
    async def get_MyID(self) -> AdminID: _g.not_done(self, "get_MyID")
    async def get_MyChannel(self) -> _g.Reference: _g.not_done(self, "get_MyChannel")
    async def get_MyOperator(self) -> InterFilterGroupOperator: _g.not_done(self, "get_MyOperator")
    async def get_priority_filter(self) -> _g.Reference: _g.not_done(self, "get_priority_filter")
    async def set_priority_filter(self, value: _g.Reference) -> None: _g.not_done(self, "set_priority_filter")
    async def get_lifetime_filter(self) -> _g.Reference: _g.not_done(self, "get_lifetime_filter")
    async def set_lifetime_filter(self, value: _g.Reference) -> None: _g.not_done(self, "set_lifetime_filter")
    async def get_pull_suppliers(self) -> ProxyIDSeq: _g.not_done(self, "get_pull_suppliers")
    async def get_push_suppliers(self) -> ProxyIDSeq: _g.not_done(self, "get_push_suppliers")

SupplierAdmin_INTERFACE: _g.Final = _here.interface(
    SupplierAdmin_TYPE, "CosNotifyChannelAdmin::SupplierAdmin",
        (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyComm.NotifyPublish_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, _CosEventChannelAdmin.SupplierAdmin_INTERFACE, ),
    _here.operation("get_proxy_consumer", takes={"proxy_id": ProxyID_TYPE}, gives={"": ProxyConsumer_TYPE}, raises=(ProxyNotFound, )),
    _here.operation("obtain_notification_pull_consumer", takes={"ctype": ClientType_TYPE},
        gives={"": ProxyConsumer_TYPE, "proxy_id": ProxyID_TYPE}, raises=(AdminLimitExceeded, )),
    _here.operation("obtain_notification_push_consumer", takes={"ctype": ClientType_TYPE},
        gives={"": ProxyConsumer_TYPE, "proxy_id": ProxyID_TYPE}, raises=(AdminLimitExceeded, )),
    _here.operation("destroy"),
    _here.operation("_get_MyID", gives={"": AdminID_TYPE}, method="get_MyID"),
    _here.operation("_get_MyChannel", gives={"": EventChannel_TYPE}, method="get_MyChannel"),
    _here.operation("_get_MyOperator", gives={"": InterFilterGroupOperator_TYPE}, method="get_MyOperator"),
    _here.operation("_get_pull_consumers", gives={"": ProxyIDSeq_TYPE}, method="get_pull_consumers"),
    _here.operation("_get_push_consumers", gives={"": ProxyIDSeq_TYPE}, method="get_push_consumers"),
)

class SupplierAdmin(_CosNotification.QoSAdmin, _CosNotifyComm.NotifyPublish, _CosNotifyFilter.FilterAdmin, _CosEventChannelAdmin.SupplierAdmin):
    """interface CosNotifyChannelAdmin::SupplierAdmin"""
    __slots__ = ()
    INTERFACE = SupplierAdmin_INTERFACE
    async def get_proxy_consumer(self, proxy_id: ProxyID) -> _g.Reference:
        return await self._call("get_proxy_consumer", proxy_id)
    async def obtain_notification_pull_consumer(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]:
        return await self._call("obtain_notification_pull_consumer", ctype)
    async def obtain_notification_push_consumer(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]:
        return await self._call("obtain_notification_push_consumer", ctype)
    async def destroy(self) -> None: await self._call("destroy")
    async def get_MyID(self) -> AdminID: return await self._call("_get_MyID")
    async def get_MyChannel(self) -> _g.Reference: return await self._call("_get_MyChannel")
    async def get_MyOperator(self) -> InterFilterGroupOperator: return await self._call("_get_MyOperator")
    async def get_pull_consumers(self) -> ProxyIDSeq: return await self._call("_get_pull_consumers")
    async def get_push_consumers(self) -> ProxyIDSeq: return await self._call("_get_push_consumers")

class SupplierAdminServant(_CosNotification.QoSAdminServant, _CosNotifyComm.NotifyPublishServant, _CosNotifyFilter.FilterAdminServant, _CosEventChannelAdmin.SupplierAdminServant):
    """interface CosNotifyChannelAdmin::SupplierAdmin"""
    INTERFACE = SupplierAdmin_INTERFACE
    async def get_proxy_consumer(self, proxy_id: ProxyID) -> _g.Reference: _g.not_done(self, "get_proxy_consumer")
    async def obtain_notification_pull_consumer(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]:
        _g.not_done(self, "obtain_notification_pull_consumer")
    async def obtain_notification_push_consumer(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]:
        _g.not_done(self, "obtain_notification_push_consumer")
    async def destroy(self) -> None: _g.not_done(self, "destroy")
    async def get_MyID(self) -> AdminID: _g.not_done(self, "get_MyID")
    async def get_MyChannel(self) -> _g.Reference: _g.not_done(self, "get_MyChannel")
    async def get_MyOperator(self) -> InterFilterGroupOperator: _g.not_done(self, "get_MyOperator")
    async def get_pull_consumers(self) -> ProxyIDSeq: _g.not_done(self, "get_pull_consumers")
    async def get_push_consumers(self) -> ProxyIDSeq: _g.not_done(self, "get_push_consumers")

EventChannel_INTERFACE: _g.Final = _here.interface(
    EventChannel_TYPE, "CosNotifyChannelAdmin::EventChannel",
        (_CosNotification.QoSAdmin_INTERFACE, _CosNotification.AdminPropertiesAdmin_INTERFACE, _CosEventChannelAdmin.EventChannel_INTERFACE, ),
    _here.operation("new_for_consumers", takes={"op": InterFilterGroupOperator_TYPE}, gives={"": ConsumerAdmin_TYPE, "id": AdminID_TYPE}),
    _here.operation("new_for_suppliers", takes={"op": InterFilterGroupOperator_TYPE}, gives={"": SupplierAdmin_TYPE, "id": AdminID_TYPE}),
    _here.operation("get_consumeradmin", takes={"id": AdminID_TYPE}, gives={"": ConsumerAdmin_TYPE}, raises=(AdminNotFound, )),
    _here.operation("get_supplieradmin", takes={"id": AdminID_TYPE}, gives={"": SupplierAdmin_TYPE}, raises=(AdminNotFound, )),
    _here.operation("get_all_consumeradmins", gives={"": AdminIDSeq_TYPE}),
    _here.operation("get_all_supplieradmins", gives={"": AdminIDSeq_TYPE}),
    _here.operation("_get_MyFactory", gives={"": EventChannelFactory_TYPE}, method="get_MyFactory"),
    _here.operation("_get_default_consumer_admin", gives={"": ConsumerAdmin_TYPE}, method="get_default_consumer_admin"),
    _here.operation("_get_default_supplier_admin", gives={"": SupplierAdmin_TYPE}, method="get_default_supplier_admin"),
    _here.operation("_get_default_filter_factory", gives={"": _CosNotifyFilter.FilterFactory_TYPE}, method="get_default_filter_factory"),
)

class EventChannel(_CosNotification.QoSAdmin, _CosNotification.AdminPropertiesAdmin, _CosEventChannelAdmin.EventChannel):
    """interface CosNotifyChannelAdmin::EventChannel"""
    __slots__ = ()
    INTERFACE = EventChannel_INTERFACE
    async def new_for_consumers(self, op: InterFilterGroupOperator) -> tuple[_g.Reference, AdminID]:
        return await self._call("new_for_consumers", op)
    async def new_for_suppliers(self, op: InterFilterGroupOperator) -> tuple[_g.Reference, AdminID]:
        return await self._call("new_for_suppliers", op)
    async def get_consumeradmin(self, id: AdminID) -> _g.Reference: return await self._call("get_consumeradmin", id)
    async def get_supplieradmin(self, id: AdminID) -> _g.Reference: return await self._call("get_supplieradmin", id)
    async def get_all_consumeradmins(self) -> AdminIDSeq: return await self._call("get_all_consumeradmins")
    async def get_all_supplieradmins(self) -> AdminIDSeq: return await self._call("get_all_supplieradmins")
    async def get_MyFactory(self) -> _g.Reference: return await self._call("_get_MyFactory")
    async def get_default_consumer_admin(self) -> _g.Reference: return await self._call("_get_default_consumer_admin")
    async def get_default_supplier_admin(self) -> _g.Reference: return await self._call("_get_default_supplier_admin")
    async def get_default_filter_factory(self) -> _g.Reference: return await self._call("_get_default_filter_factory")

class EventChannelServant(_CosNotification.QoSAdminServant, _CosNotification.AdminPropertiesAdminServant, _CosEventChannelAdmin.EventChannelServant):
    """interface CosNotifyChannelAdmin::EventChannel"""
    INTERFACE = EventChannel_INTERFACE
    async def new_for_consumers(self, op: InterFilterGroupOperator) -> tuple[_g.Reference, AdminID]:
        _g.not_done(self, "new_for_consumers")
    async def new_for_suppliers(self, op: InterFilterGroupOperator) -> tuple[_g.Reference, AdminID]:
        _g.not_done(self, "new_for_suppliers")
    async def get_consumeradmin(self, id: AdminID) -> _g.Reference: _g.not_done(self, "get_consumeradmin")
    async def get_supplieradmin(self, id: AdminID) -> _g.Reference: _g.not_done(self, "get_supplieradmin")
    async def get_all_consumeradmins(self) -> AdminIDSeq: _g.not_done(self, "get_all_consumeradmins")
    async def get_all_supplieradmins(self) -> AdminIDSeq: _g.not_done(self, "get_all_supplieradmins")
    async def get_MyFactory(self) -> _g.Reference: _g.not_done(self, "get_MyFactory")
    async def get_default_consumer_admin(self) -> _g.Reference: _g.not_done(self, "get_default_consumer_admin")
    async def get_default_supplier_admin(self) -> _g.Reference: _g.not_done(self, "get_default_supplier_admin")
    async def get_default_filter_factory(self) -> _g.Reference: _g.not_done(self, "get_default_filter_factory")

EventChannelFactory_INTERFACE: _g.Final = _here.interface(
    EventChannelFactory_TYPE, "CosNotifyChannelAdmin::EventChannelFactory", (),
    _here.operation("create_channel",
        takes={"initial_qos": _CosNotification.QoSProperties_TYPE, "initial_admin": _CosNotification.AdminProperties_TYPE},
        gives={"": EventChannel_TYPE, "id": ChannelID_TYPE},
        raises=(_CosNotification.UnsupportedQoS, _CosNotification.UnsupportedAdmin, )),
    _here.operation("get_all_channels", gives={"": ChannelIDSeq_TYPE}),
    _here.operation("get_event_channel", takes={"id": ChannelID_TYPE}, gives={"": EventChannel_TYPE}, raises=(ChannelNotFound, )),
)

class EventChannelFactory(_g.Stub):
    """interface CosNotifyChannelAdmin::EventChannelFactory"""
    __slots__ = ()
    INTERFACE = EventChannelFactory_INTERFACE
    async def create_channel(self, initial_qos: _CosNotification.QoSProperties, initial_admin: _CosNotification.AdminProperties) -> tuple[_g.Reference, ChannelID]:
        return await self._call("create_channel", initial_qos, initial_admin)
    async def get_all_channels(self) -> ChannelIDSeq: return await self._call("get_all_channels")
    async def get_event_channel(self, id: ChannelID) -> _g.Reference: return await self._call("get_event_channel", id)

class EventChannelFactoryServant(_g.Servant):
    """interface CosNotifyChannelAdmin::EventChannelFactory"""
    INTERFACE = EventChannelFactory_INTERFACE
    async def create_channel(self, initial_qos: _CosNotification.QoSProperties, initial_admin: _CosNotification.AdminProperties) -> tuple[_g.Reference, ChannelID]:
        _g.not_done(self, "create_channel")
    async def get_all_channels(self) -> ChannelIDSeq: _g.not_done(self, "get_all_channels")
    async def get_event_channel(self, id: ChannelID) -> _g.Reference: _g.not_done(self, "get_event_channel")
