"""What CosNotifyChannelAdmin.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

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
ProxyIDSeq: _g.TypeAlias = "_g.Sequence[ProxyID]"
AdminID: _g.TypeAlias = "int"
AdminIDSeq: _g.TypeAlias = "_g.Sequence[AdminID]"
ChannelID: _g.TypeAlias = "int"
ChannelIDSeq: _g.TypeAlias = "_g.Sequence[ChannelID]"

class ProxyType(_g.StrEnum):
    PUSH_ANY = "PUSH_ANY"
    PULL_ANY = "PULL_ANY"
    PUSH_STRUCTURED = "PUSH_STRUCTURED"
    PULL_STRUCTURED = "PULL_STRUCTURED"
    PUSH_SEQUENCE = "PUSH_SEQUENCE"
    PULL_SEQUENCE = "PULL_SEQUENCE"
    PUSH_TYPED = "PUSH_TYPED"
    PULL_TYPED = "PULL_TYPED"

class ObtainInfoMode(_g.StrEnum):
    ALL_NOW_UPDATES_OFF = "ALL_NOW_UPDATES_OFF"
    ALL_NOW_UPDATES_ON = "ALL_NOW_UPDATES_ON"
    NONE_NOW_UPDATES_OFF = "NONE_NOW_UPDATES_OFF"
    NONE_NOW_UPDATES_ON = "NONE_NOW_UPDATES_ON"

class ClientType(_g.StrEnum):
    ANY_EVENT = "ANY_EVENT"
    STRUCTURED_EVENT = "STRUCTURED_EVENT"
    SEQUENCE_EVENT = "SEQUENCE_EVENT"

class InterFilterGroupOperator(_g.StrEnum):
    AND_OP = "AND_OP"
    OR_OP = "OR_OP"

class AdminLimit(_g.NamedTuple):
    name: _CosNotification.PropertyName
    value: _CosNotification.PropertyValue

class AdminLimitExceeded(_g.UserException, types=_here, type=AdminLimitExceeded_TYPE):
    admin_property_err: AdminLimit

class AdminNotFound(_g.UserException, types=_here, type=AdminNotFound_TYPE): ...
class ChannelNotFound(_g.UserException, types=_here, type=ChannelNotFound_TYPE): ...
class ConnectionAlreadyActive(_g.UserException, types=_here, type=ConnectionAlreadyActive_TYPE): ...
class ConnectionAlreadyInactive(_g.UserException, types=_here, type=ConnectionAlreadyInactive_TYPE): ...
class NotConnected(_g.UserException, types=_here, type=NotConnected_TYPE): ...
class ProxyNotFound(_g.UserException, types=_here, type=ProxyNotFound_TYPE): ...

ProxyConsumer_INTERFACE: _g.Final = _here.interface(ProxyConsumer_TYPE, "CosNotifyChannelAdmin::ProxyConsumer",
        (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, ),
    _here.operation("obtain_subscription_types", takes={"mode": ObtainInfoMode_TYPE}, gives={"": _CosNotification.EventTypeSeq_TYPE}),
    _here.operation("validate_event_qos", takes={"required_qos": _CosNotification.QoSProperties_TYPE},
        gives={"available_qos": _CosNotification.NamedPropertyRangeSeq_TYPE}, raises=(_CosNotification.UnsupportedQoS, )),
    _here.operation("_get_MyType", gives={"": ProxyType_TYPE}, method="get_MyType"),
    _here.operation("_get_MyAdmin", gives={"": SupplierAdmin_TYPE}, method="get_MyAdmin"))
class _ProxyConsumer_methods:
    async def obtain_subscription_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq: ...
    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq: ...
    async def get_MyType(self) -> ProxyType: ...
    async def get_MyAdmin(self) -> _g.Reference: ...
class ProxyConsumer(_ProxyConsumer_methods, _CosNotification.QoSAdmin, _CosNotifyFilter.FilterAdmin, of=ProxyConsumer_INTERFACE): ...
class ProxyConsumerServant(_ProxyConsumer_methods, _CosNotification.QoSAdminServant, _CosNotifyFilter.FilterAdminServant, of=ProxyConsumer_INTERFACE): ...

ProxySupplier_INTERFACE: _g.Final = _here.interface(ProxySupplier_TYPE, "CosNotifyChannelAdmin::ProxySupplier",
        (_CosNotification.QoSAdmin_INTERFACE, _CosNotifyFilter.FilterAdmin_INTERFACE, ),
    _here.operation("obtain_offered_types", takes={"mode": ObtainInfoMode_TYPE}, gives={"": _CosNotification.EventTypeSeq_TYPE}),
    _here.operation("validate_event_qos", takes={"required_qos": _CosNotification.QoSProperties_TYPE},
        gives={"available_qos": _CosNotification.NamedPropertyRangeSeq_TYPE}, raises=(_CosNotification.UnsupportedQoS, )),
    _here.operation("_get_MyType", gives={"": ProxyType_TYPE}, method="get_MyType"),
    _here.operation("_get_MyAdmin", gives={"": ConsumerAdmin_TYPE}, method="get_MyAdmin"),
    _here.operation("_get_priority_filter", gives={"": _CosNotifyFilter.MappingFilter_TYPE}, method="get_priority_filter"),
    _here.operation("_set_priority_filter", takes={"value": _CosNotifyFilter.MappingFilter_TYPE}, method="set_priority_filter"),
    _here.operation("_get_lifetime_filter", gives={"": _CosNotifyFilter.MappingFilter_TYPE}, method="get_lifetime_filter"),
    _here.operation("_set_lifetime_filter", takes={"value": _CosNotifyFilter.MappingFilter_TYPE}, method="set_lifetime_filter"))
class _ProxySupplier_methods:
    async def obtain_offered_types(self, mode: ObtainInfoMode) -> _CosNotification.EventTypeSeq: ...
    async def validate_event_qos(self, required_qos: _CosNotification.QoSProperties) -> _CosNotification.NamedPropertyRangeSeq: ...
    async def get_MyType(self) -> ProxyType: ...
    async def get_MyAdmin(self) -> _g.Reference: ...
    async def get_priority_filter(self) -> _g.Reference: ...
    async def set_priority_filter(self, value: _g.Reference) -> None: ...
    async def get_lifetime_filter(self) -> _g.Reference: ...
    async def set_lifetime_filter(self, value: _g.Reference) -> None: ...
class ProxySupplier(_ProxySupplier_methods, _CosNotification.QoSAdmin, _CosNotifyFilter.FilterAdmin, of=ProxySupplier_INTERFACE): ...
class ProxySupplierServant(_ProxySupplier_methods, _CosNotification.QoSAdminServant, _CosNotifyFilter.FilterAdminServant, of=ProxySupplier_INTERFACE): ...

ProxyPushConsumer_INTERFACE: _g.Final = _here.interface(ProxyPushConsumer_TYPE,
        "CosNotifyChannelAdmin::ProxyPushConsumer", (ProxyConsumer_INTERFACE, _CosNotifyComm.PushConsumer_INTERFACE, ),
    _here.operation("connect_any_push_supplier", takes={"push_supplier": _CosEventComm.PushSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )))
class _ProxyPushConsumer_methods:
    async def connect_any_push_supplier(self, push_supplier: _g.Reference) -> None: ...
class ProxyPushConsumer(_ProxyPushConsumer_methods, ProxyConsumer, _CosNotifyComm.PushConsumer, of=ProxyPushConsumer_INTERFACE): ...
class ProxyPushConsumerServant(_ProxyPushConsumer_methods, ProxyConsumerServant, _CosNotifyComm.PushConsumerServant, of=ProxyPushConsumer_INTERFACE): ...

StructuredProxyPushConsumer_INTERFACE: _g.Final = _here.interface(StructuredProxyPushConsumer_TYPE,
        "CosNotifyChannelAdmin::StructuredProxyPushConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.StructuredPushConsumer_INTERFACE, ),
    _here.operation("connect_structured_push_supplier", takes={"push_supplier": _CosNotifyComm.StructuredPushSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )))
class _StructuredProxyPushConsumer_methods:
    async def connect_structured_push_supplier(self, push_supplier: _g.Reference) -> None: ...
class StructuredProxyPushConsumer(_StructuredProxyPushConsumer_methods, ProxyConsumer, _CosNotifyComm.StructuredPushConsumer, of=StructuredProxyPushConsumer_INTERFACE): ...
class StructuredProxyPushConsumerServant(_StructuredProxyPushConsumer_methods, ProxyConsumerServant, _CosNotifyComm.StructuredPushConsumerServant, of=StructuredProxyPushConsumer_INTERFACE): ...

SequenceProxyPushConsumer_INTERFACE: _g.Final = _here.interface(SequenceProxyPushConsumer_TYPE,
        "CosNotifyChannelAdmin::SequenceProxyPushConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.SequencePushConsumer_INTERFACE, ),
    _here.operation("connect_sequence_push_supplier", takes={"push_supplier": _CosNotifyComm.SequencePushSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )))
class _SequenceProxyPushConsumer_methods:
    async def connect_sequence_push_supplier(self, push_supplier: _g.Reference) -> None: ...
class SequenceProxyPushConsumer(_SequenceProxyPushConsumer_methods, ProxyConsumer, _CosNotifyComm.SequencePushConsumer, of=SequenceProxyPushConsumer_INTERFACE): ...
class SequenceProxyPushConsumerServant(_SequenceProxyPushConsumer_methods, ProxyConsumerServant, _CosNotifyComm.SequencePushConsumerServant, of=SequenceProxyPushConsumer_INTERFACE): ...

ProxyPullSupplier_INTERFACE: _g.Final = _here.interface(ProxyPullSupplier_TYPE,
        "CosNotifyChannelAdmin::ProxyPullSupplier", (ProxySupplier_INTERFACE, _CosNotifyComm.PullSupplier_INTERFACE, ),
    _here.operation("connect_any_pull_consumer", takes={"pull_consumer": _CosEventComm.PullConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )))
class _ProxyPullSupplier_methods:
    async def connect_any_pull_consumer(self, pull_consumer: _g.Reference) -> None: ...
class ProxyPullSupplier(_ProxyPullSupplier_methods, ProxySupplier, _CosNotifyComm.PullSupplier, of=ProxyPullSupplier_INTERFACE): ...
class ProxyPullSupplierServant(_ProxyPullSupplier_methods, ProxySupplierServant, _CosNotifyComm.PullSupplierServant, of=ProxyPullSupplier_INTERFACE): ...

StructuredProxyPullSupplier_INTERFACE: _g.Final = _here.interface(StructuredProxyPullSupplier_TYPE,
        "CosNotifyChannelAdmin::StructuredProxyPullSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.StructuredPullSupplier_INTERFACE, ),
    _here.operation("connect_structured_pull_consumer", takes={"pull_consumer": _CosNotifyComm.StructuredPullConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )))
class _StructuredProxyPullSupplier_methods:
    async def connect_structured_pull_consumer(self, pull_consumer: _g.Reference) -> None: ...
class StructuredProxyPullSupplier(_StructuredProxyPullSupplier_methods, ProxySupplier, _CosNotifyComm.StructuredPullSupplier, of=StructuredProxyPullSupplier_INTERFACE): ...
class StructuredProxyPullSupplierServant(_StructuredProxyPullSupplier_methods, ProxySupplierServant, _CosNotifyComm.StructuredPullSupplierServant, of=StructuredProxyPullSupplier_INTERFACE): ...

SequenceProxyPullSupplier_INTERFACE: _g.Final = _here.interface(SequenceProxyPullSupplier_TYPE,
        "CosNotifyChannelAdmin::SequenceProxyPullSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.SequencePullSupplier_INTERFACE, ),
    _here.operation("connect_sequence_pull_consumer", takes={"pull_consumer": _CosNotifyComm.SequencePullConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, )))
class _SequenceProxyPullSupplier_methods:
    async def connect_sequence_pull_consumer(self, pull_consumer: _g.Reference) -> None: ...
class SequenceProxyPullSupplier(_SequenceProxyPullSupplier_methods, ProxySupplier, _CosNotifyComm.SequencePullSupplier, of=SequenceProxyPullSupplier_INTERFACE): ...
class SequenceProxyPullSupplierServant(_SequenceProxyPullSupplier_methods, ProxySupplierServant, _CosNotifyComm.SequencePullSupplierServant, of=SequenceProxyPullSupplier_INTERFACE): ...

ProxyPullConsumer_INTERFACE: _g.Final = _here.interface(ProxyPullConsumer_TYPE,
        "CosNotifyChannelAdmin::ProxyPullConsumer", (ProxyConsumer_INTERFACE, _CosNotifyComm.PullConsumer_INTERFACE, ),
    _here.operation("connect_any_pull_supplier", takes={"pull_supplier": _CosEventComm.PullSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )))
class _ProxyPullConsumer_methods:
    async def connect_any_pull_supplier(self, pull_supplier: _g.Reference) -> None: ...
    async def suspend_connection(self) -> None: ...
    async def resume_connection(self) -> None: ...
class ProxyPullConsumer(_ProxyPullConsumer_methods, ProxyConsumer, _CosNotifyComm.PullConsumer, of=ProxyPullConsumer_INTERFACE): ...
class ProxyPullConsumerServant(_ProxyPullConsumer_methods, ProxyConsumerServant, _CosNotifyComm.PullConsumerServant, of=ProxyPullConsumer_INTERFACE): ...

StructuredProxyPullConsumer_INTERFACE: _g.Final = _here.interface(StructuredProxyPullConsumer_TYPE,
        "CosNotifyChannelAdmin::StructuredProxyPullConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.StructuredPullConsumer_INTERFACE, ),
    _here.operation("connect_structured_pull_supplier", takes={"pull_supplier": _CosNotifyComm.StructuredPullSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )))
class _StructuredProxyPullConsumer_methods:
    async def connect_structured_pull_supplier(self, pull_supplier: _g.Reference) -> None: ...
    async def suspend_connection(self) -> None: ...
    async def resume_connection(self) -> None: ...
class StructuredProxyPullConsumer(_StructuredProxyPullConsumer_methods, ProxyConsumer, _CosNotifyComm.StructuredPullConsumer, of=StructuredProxyPullConsumer_INTERFACE): ...
class StructuredProxyPullConsumerServant(_StructuredProxyPullConsumer_methods, ProxyConsumerServant, _CosNotifyComm.StructuredPullConsumerServant, of=StructuredProxyPullConsumer_INTERFACE): ...

SequenceProxyPullConsumer_INTERFACE: _g.Final = _here.interface(SequenceProxyPullConsumer_TYPE,
        "CosNotifyChannelAdmin::SequenceProxyPullConsumer",
        (ProxyConsumer_INTERFACE, _CosNotifyComm.SequencePullConsumer_INTERFACE, ),
    _here.operation("connect_sequence_pull_supplier", takes={"pull_supplier": _CosNotifyComm.SequencePullSupplier_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )))
class _SequenceProxyPullConsumer_methods:
    async def connect_sequence_pull_supplier(self, pull_supplier: _g.Reference) -> None: ...
    async def suspend_connection(self) -> None: ...
    async def resume_connection(self) -> None: ...
class SequenceProxyPullConsumer(_SequenceProxyPullConsumer_methods, ProxyConsumer, _CosNotifyComm.SequencePullConsumer, of=SequenceProxyPullConsumer_INTERFACE): ...
class SequenceProxyPullConsumerServant(_SequenceProxyPullConsumer_methods, ProxyConsumerServant, _CosNotifyComm.SequencePullConsumerServant, of=SequenceProxyPullConsumer_INTERFACE): ...

ProxyPushSupplier_INTERFACE: _g.Final = _here.interface(ProxyPushSupplier_TYPE,
        "CosNotifyChannelAdmin::ProxyPushSupplier", (ProxySupplier_INTERFACE, _CosNotifyComm.PushSupplier_INTERFACE, ),
    _here.operation("connect_any_push_consumer", takes={"push_consumer": _CosEventComm.PushConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )))
class _ProxyPushSupplier_methods:
    async def connect_any_push_consumer(self, push_consumer: _g.Reference) -> None: ...
    async def suspend_connection(self) -> None: ...
    async def resume_connection(self) -> None: ...
class ProxyPushSupplier(_ProxyPushSupplier_methods, ProxySupplier, _CosNotifyComm.PushSupplier, of=ProxyPushSupplier_INTERFACE): ...
class ProxyPushSupplierServant(_ProxyPushSupplier_methods, ProxySupplierServant, _CosNotifyComm.PushSupplierServant, of=ProxyPushSupplier_INTERFACE): ...

StructuredProxyPushSupplier_INTERFACE: _g.Final = _here.interface(StructuredProxyPushSupplier_TYPE,
        "CosNotifyChannelAdmin::StructuredProxyPushSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.StructuredPushSupplier_INTERFACE, ),
    _here.operation("connect_structured_push_consumer", takes={"push_consumer": _CosNotifyComm.StructuredPushConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )))
class _StructuredProxyPushSupplier_methods:
    async def connect_structured_push_consumer(self, push_consumer: _g.Reference) -> None: ...
    async def suspend_connection(self) -> None: ...
    async def resume_connection(self) -> None: ...
class StructuredProxyPushSupplier(_StructuredProxyPushSupplier_methods, ProxySupplier, _CosNotifyComm.StructuredPushSupplier, of=StructuredProxyPushSupplier_INTERFACE): ...
class StructuredProxyPushSupplierServant(_StructuredProxyPushSupplier_methods, ProxySupplierServant, _CosNotifyComm.StructuredPushSupplierServant, of=StructuredProxyPushSupplier_INTERFACE): ...

SequenceProxyPushSupplier_INTERFACE: _g.Final = _here.interface(SequenceProxyPushSupplier_TYPE,
        "CosNotifyChannelAdmin::SequenceProxyPushSupplier",
        (ProxySupplier_INTERFACE, _CosNotifyComm.SequencePushSupplier_INTERFACE, ),
    _here.operation("connect_sequence_push_consumer", takes={"push_consumer": _CosNotifyComm.SequencePushConsumer_TYPE},
        raises=(_CosEventChannelAdmin.AlreadyConnected, _CosEventChannelAdmin.TypeError, )),
    _here.operation("suspend_connection", raises=(ConnectionAlreadyInactive, NotConnected, )),
    _here.operation("resume_connection", raises=(ConnectionAlreadyActive, NotConnected, )))
class _SequenceProxyPushSupplier_methods:
    async def connect_sequence_push_consumer(self, push_consumer: _g.Reference) -> None: ...
    async def suspend_connection(self) -> None: ...
    async def resume_connection(self) -> None: ...
class SequenceProxyPushSupplier(_SequenceProxyPushSupplier_methods, ProxySupplier, _CosNotifyComm.SequencePushSupplier, of=SequenceProxyPushSupplier_INTERFACE): ...
class SequenceProxyPushSupplierServant(_SequenceProxyPushSupplier_methods, ProxySupplierServant, _CosNotifyComm.SequencePushSupplierServant, of=SequenceProxyPushSupplier_INTERFACE): ...

ConsumerAdmin_INTERFACE: _g.Final = _here.interface(ConsumerAdmin_TYPE, "CosNotifyChannelAdmin::ConsumerAdmin",
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
    _here.operation("_get_push_suppliers", gives={"": ProxyIDSeq_TYPE}, method="get_push_suppliers"))
class _ConsumerAdmin_methods:
    async def get_proxy_supplier(self, proxy_id: ProxyID) -> _g.Reference: ...
    async def obtain_notification_pull_supplier(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]: ...
    async def obtain_notification_push_supplier(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]: ...
    async def destroy(self) -> None: ...
    async def get_MyID(self) -> AdminID: ...
    async def get_MyChannel(self) -> _g.Reference: ...
    async def get_MyOperator(self) -> InterFilterGroupOperator: ...
    async def get_priority_filter(self) -> _g.Reference: ...
    async def set_priority_filter(self, value: _g.Reference) -> None: ...
    async def get_lifetime_filter(self) -> _g.Reference: ...
    async def set_lifetime_filter(self, value: _g.Reference) -> None: ...
    async def get_pull_suppliers(self) -> ProxyIDSeq: ...
    async def get_push_suppliers(self) -> ProxyIDSeq: ...
class ConsumerAdmin(_ConsumerAdmin_methods, _CosNotification.QoSAdmin, _CosNotifyComm.NotifySubscribe, _CosNotifyFilter.FilterAdmin, _CosEventChannelAdmin.ConsumerAdmin, of=ConsumerAdmin_INTERFACE): ...
class ConsumerAdminServant(_ConsumerAdmin_methods, _CosNotification.QoSAdminServant, _CosNotifyComm.NotifySubscribeServant, _CosNotifyFilter.FilterAdminServant, _CosEventChannelAdmin.ConsumerAdminServant, of=ConsumerAdmin_INTERFACE): ...

SupplierAdmin_INTERFACE: _g.Final = _here.interface(SupplierAdmin_TYPE, "CosNotifyChannelAdmin::SupplierAdmin",
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
    _here.operation("_get_push_consumers", gives={"": ProxyIDSeq_TYPE}, method="get_push_consumers"))
class _SupplierAdmin_methods:
    async def get_proxy_consumer(self, proxy_id: ProxyID) -> _g.Reference: ...
    async def obtain_notification_pull_consumer(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]: ...
    async def obtain_notification_push_consumer(self, ctype: ClientType) -> tuple[_g.Reference, ProxyID]: ...
    async def destroy(self) -> None: ...
    async def get_MyID(self) -> AdminID: ...
    async def get_MyChannel(self) -> _g.Reference: ...
    async def get_MyOperator(self) -> InterFilterGroupOperator: ...
    async def get_pull_consumers(self) -> ProxyIDSeq: ...
    async def get_push_consumers(self) -> ProxyIDSeq: ...
class SupplierAdmin(_SupplierAdmin_methods, _CosNotification.QoSAdmin, _CosNotifyComm.NotifyPublish, _CosNotifyFilter.FilterAdmin, _CosEventChannelAdmin.SupplierAdmin, of=SupplierAdmin_INTERFACE): ...
class SupplierAdminServant(_SupplierAdmin_methods, _CosNotification.QoSAdminServant, _CosNotifyComm.NotifyPublishServant, _CosNotifyFilter.FilterAdminServant, _CosEventChannelAdmin.SupplierAdminServant, of=SupplierAdmin_INTERFACE): ...

EventChannel_INTERFACE: _g.Final = _here.interface(EventChannel_TYPE, "CosNotifyChannelAdmin::EventChannel",
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
    _here.operation("_get_default_filter_factory", gives={"": _CosNotifyFilter.FilterFactory_TYPE}, method="get_default_filter_factory"))
class _EventChannel_methods:
    async def new_for_consumers(self, op: InterFilterGroupOperator) -> tuple[_g.Reference, AdminID]: ...
    async def new_for_suppliers(self, op: InterFilterGroupOperator) -> tuple[_g.Reference, AdminID]: ...
    async def get_consumeradmin(self, id: AdminID) -> _g.Reference: ...
    async def get_supplieradmin(self, id: AdminID) -> _g.Reference: ...
    async def get_all_consumeradmins(self) -> AdminIDSeq: ...
    async def get_all_supplieradmins(self) -> AdminIDSeq: ...
    async def get_MyFactory(self) -> _g.Reference: ...
    async def get_default_consumer_admin(self) -> _g.Reference: ...
    async def get_default_supplier_admin(self) -> _g.Reference: ...
    async def get_default_filter_factory(self) -> _g.Reference: ...
class EventChannel(_EventChannel_methods, _CosNotification.QoSAdmin, _CosNotification.AdminPropertiesAdmin, _CosEventChannelAdmin.EventChannel, of=EventChannel_INTERFACE): ...
class EventChannelServant(_EventChannel_methods, _CosNotification.QoSAdminServant, _CosNotification.AdminPropertiesAdminServant, _CosEventChannelAdmin.EventChannelServant, of=EventChannel_INTERFACE): ...

EventChannelFactory_INTERFACE: _g.Final = _here.interface(EventChannelFactory_TYPE,
        "CosNotifyChannelAdmin::EventChannelFactory", (),
    _here.operation("create_channel",
        takes={"initial_qos": _CosNotification.QoSProperties_TYPE, "initial_admin": _CosNotification.AdminProperties_TYPE},
        gives={"": EventChannel_TYPE, "id": ChannelID_TYPE},
        raises=(_CosNotification.UnsupportedQoS, _CosNotification.UnsupportedAdmin, )),
    _here.operation("get_all_channels", gives={"": ChannelIDSeq_TYPE}),
    _here.operation("get_event_channel", takes={"id": ChannelID_TYPE}, gives={"": EventChannel_TYPE}, raises=(ChannelNotFound, )))
class _EventChannelFactory_methods:
    async def create_channel(self, initial_qos: _CosNotification.QoSProperties, initial_admin: _CosNotification.AdminProperties) -> tuple[_g.Reference, ChannelID]: ...
    async def get_all_channels(self) -> ChannelIDSeq: ...
    async def get_event_channel(self, id: ChannelID) -> _g.Reference: ...
class EventChannelFactory(_EventChannelFactory_methods, _g.Stub, of=EventChannelFactory_INTERFACE): ...
class EventChannelFactoryServant(_EventChannelFactory_methods, _g.Servant, of=EventChannelFactory_INTERFACE): ...
