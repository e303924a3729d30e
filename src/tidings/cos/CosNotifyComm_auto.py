"""What CosNotifyComm.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosEventComm_auto as _CosEventComm
from tidings.cos import CosNotification_auto as _CosNotification

_here: _g.Final = _g.Types(globals(), _CosEventComm._here, _CosNotification._here)

InvalidEventType_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyComm/InvalidEventType:1.0", "InvalidEventType", [("type", _CosNotification.EventType_TYPE)])
NotifyPublish_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/NotifyPublish:1.0", "NotifyPublish")
NotifySubscribe_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/NotifySubscribe:1.0", "NotifySubscribe")
PushConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/PushConsumer:1.0", "PushConsumer")
PullConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/PullConsumer:1.0", "PullConsumer")
PullSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/PullSupplier:1.0", "PullSupplier")
PushSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/PushSupplier:1.0", "PushSupplier")
StructuredPushConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/StructuredPushConsumer:1.0", "StructuredPushConsumer")
StructuredPullConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/StructuredPullConsumer:1.0", "StructuredPullConsumer")
StructuredPullSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/StructuredPullSupplier:1.0", "StructuredPullSupplier")
StructuredPushSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/StructuredPushSupplier:1.0", "StructuredPushSupplier")
SequencePushConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/SequencePushConsumer:1.0", "SequencePushConsumer")
SequencePullConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/SequencePullConsumer:1.0", "SequencePullConsumer")
SequencePullSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/SequencePullSupplier:1.0", "SequencePullSupplier")
SequencePushSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyComm/SequencePushSupplier:1.0", "SequencePushSupplier")

class InvalidEventType(_g.UserException, types=_here, type=InvalidEventType_TYPE):
    """exception CosNotifyComm::InvalidEventType"""
    type: _CosNotification.EventType

NotifyPublish_INTERFACE: _g.Final = _here.interface(NotifyPublish_TYPE, "CosNotifyComm::NotifyPublish", (),
    _here.operation("offer_change", takes={"added": _CosNotification.EventTypeSeq_TYPE, "removed": _CosNotification.EventTypeSeq_TYPE},
        raises=(InvalidEventType, )),
)
class _NotifyPublish_methods:
    """interface CosNotifyComm::NotifyPublish"""
    async def offer_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None: ...
class NotifyPublish(_NotifyPublish_methods, _g.Stub, of=NotifyPublish_INTERFACE): ...
class NotifyPublishServant(_NotifyPublish_methods, _g.Servant, of=NotifyPublish_INTERFACE): ...

NotifySubscribe_INTERFACE: _g.Final = _here.interface(NotifySubscribe_TYPE, "CosNotifyComm::NotifySubscribe", (),
    _here.operation("subscription_change",
        takes={"added": _CosNotification.EventTypeSeq_TYPE, "removed": _CosNotification.EventTypeSeq_TYPE},
        raises=(InvalidEventType, )),
)
class _NotifySubscribe_methods:
    """interface CosNotifyComm::NotifySubscribe"""
    async def subscription_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None: ...
class NotifySubscribe(_NotifySubscribe_methods, _g.Stub, of=NotifySubscribe_INTERFACE): ...
class NotifySubscribeServant(_NotifySubscribe_methods, _g.Servant, of=NotifySubscribe_INTERFACE): ...

PushConsumer_INTERFACE: _g.Final = _here.interface(PushConsumer_TYPE, "CosNotifyComm::PushConsumer",
        (NotifyPublish_INTERFACE, _CosEventComm.PushConsumer_INTERFACE, ),
)
class _PushConsumer_methods:
    """interface CosNotifyComm::PushConsumer"""
class PushConsumer(_PushConsumer_methods, NotifyPublish, _CosEventComm.PushConsumer, of=PushConsumer_INTERFACE): ...
class PushConsumerServant(_PushConsumer_methods, NotifyPublishServant, _CosEventComm.PushConsumerServant, of=PushConsumer_INTERFACE): ...

PullConsumer_INTERFACE: _g.Final = _here.interface(PullConsumer_TYPE, "CosNotifyComm::PullConsumer",
        (NotifyPublish_INTERFACE, _CosEventComm.PullConsumer_INTERFACE, ),
)
class _PullConsumer_methods:
    """interface CosNotifyComm::PullConsumer"""
class PullConsumer(_PullConsumer_methods, NotifyPublish, _CosEventComm.PullConsumer, of=PullConsumer_INTERFACE): ...
class PullConsumerServant(_PullConsumer_methods, NotifyPublishServant, _CosEventComm.PullConsumerServant, of=PullConsumer_INTERFACE): ...

PullSupplier_INTERFACE: _g.Final = _here.interface(PullSupplier_TYPE, "CosNotifyComm::PullSupplier",
        (NotifySubscribe_INTERFACE, _CosEventComm.PullSupplier_INTERFACE, ),
)
class _PullSupplier_methods:
    """interface CosNotifyComm::PullSupplier"""
class PullSupplier(_PullSupplier_methods, NotifySubscribe, _CosEventComm.PullSupplier, of=PullSupplier_INTERFACE): ...
class PullSupplierServant(_PullSupplier_methods, NotifySubscribeServant, _CosEventComm.PullSupplierServant, of=PullSupplier_INTERFACE): ...

PushSupplier_INTERFACE: _g.Final = _here.interface(PushSupplier_TYPE, "CosNotifyComm::PushSupplier",
        (NotifySubscribe_INTERFACE, _CosEventComm.PushSupplier_INTERFACE, ),
)
class _PushSupplier_methods:
    """interface CosNotifyComm::PushSupplier"""
class PushSupplier(_PushSupplier_methods, NotifySubscribe, _CosEventComm.PushSupplier, of=PushSupplier_INTERFACE): ...
class PushSupplierServant(_PushSupplier_methods, NotifySubscribeServant, _CosEventComm.PushSupplierServant, of=PushSupplier_INTERFACE): ...

StructuredPushConsumer_INTERFACE: _g.Final = _here.interface(StructuredPushConsumer_TYPE,
        "CosNotifyComm::StructuredPushConsumer", (NotifyPublish_INTERFACE, ),
    _here.operation("push_structured_event", takes={"notification": _CosNotification.StructuredEvent_TYPE},
        raises=(_CosEventComm.Disconnected, )),
    _here.operation("disconnect_structured_push_consumer"),
)
class _StructuredPushConsumer_methods:
    """interface CosNotifyComm::StructuredPushConsumer"""
    async def push_structured_event(self, notification: _CosNotification.StructuredEvent) -> None: ...
    async def disconnect_structured_push_consumer(self) -> None: ...
class StructuredPushConsumer(_StructuredPushConsumer_methods, NotifyPublish, of=StructuredPushConsumer_INTERFACE): ...
class StructuredPushConsumerServant(_StructuredPushConsumer_methods, NotifyPublishServant, of=StructuredPushConsumer_INTERFACE): ...

StructuredPullConsumer_INTERFACE: _g.Final = _here.interface(StructuredPullConsumer_TYPE,
        "CosNotifyComm::StructuredPullConsumer", (NotifyPublish_INTERFACE, ),
    _here.operation("disconnect_structured_pull_consumer"),
)
class _StructuredPullConsumer_methods:
    """interface CosNotifyComm::StructuredPullConsumer"""
    async def disconnect_structured_pull_consumer(self) -> None: ...
class StructuredPullConsumer(_StructuredPullConsumer_methods, NotifyPublish, of=StructuredPullConsumer_INTERFACE): ...
class StructuredPullConsumerServant(_StructuredPullConsumer_methods, NotifyPublishServant, of=StructuredPullConsumer_INTERFACE): ...

StructuredPullSupplier_INTERFACE: _g.Final = _here.interface(StructuredPullSupplier_TYPE,
        "CosNotifyComm::StructuredPullSupplier", (NotifySubscribe_INTERFACE, ),
    _here.operation("pull_structured_event", gives={"": _CosNotification.StructuredEvent_TYPE}, raises=(_CosEventComm.Disconnected, )),
    _here.operation("try_pull_structured_event", gives={"": _CosNotification.StructuredEvent_TYPE, "has_event": _tc.BOOLEAN},
        raises=(_CosEventComm.Disconnected, )),
    _here.operation("disconnect_structured_pull_supplier"),
)
class _StructuredPullSupplier_methods:
    """interface CosNotifyComm::StructuredPullSupplier"""
    async def pull_structured_event(self) -> _CosNotification.StructuredEvent: ...
    async def try_pull_structured_event(self) -> tuple[_CosNotification.StructuredEvent, bool]: ...
    async def disconnect_structured_pull_supplier(self) -> None: ...
class StructuredPullSupplier(_StructuredPullSupplier_methods, NotifySubscribe, of=StructuredPullSupplier_INTERFACE): ...
class StructuredPullSupplierServant(_StructuredPullSupplier_methods, NotifySubscribeServant, of=StructuredPullSupplier_INTERFACE): ...

StructuredPushSupplier_INTERFACE: _g.Final = _here.interface(StructuredPushSupplier_TYPE,
        "CosNotifyComm::StructuredPushSupplier", (NotifySubscribe_INTERFACE, ),
    _here.operation("disconnect_structured_push_supplier"),
)
class _StructuredPushSupplier_methods:
    """interface CosNotifyComm::StructuredPushSupplier"""
    async def disconnect_structured_push_supplier(self) -> None: ...
class StructuredPushSupplier(_StructuredPushSupplier_methods, NotifySubscribe, of=StructuredPushSupplier_INTERFACE): ...
class StructuredPushSupplierServant(_StructuredPushSupplier_methods, NotifySubscribeServant, of=StructuredPushSupplier_INTERFACE): ...

SequencePushConsumer_INTERFACE: _g.Final = _here.interface(SequencePushConsumer_TYPE,
        "CosNotifyComm::SequencePushConsumer", (NotifyPublish_INTERFACE, ),
    _here.operation("push_structured_events", takes={"notifications": _CosNotification.EventBatch_TYPE},
        raises=(_CosEventComm.Disconnected, )),
    _here.operation("disconnect_sequence_push_consumer"),
)
class _SequencePushConsumer_methods:
    """interface CosNotifyComm::SequencePushConsumer"""
    async def push_structured_events(self, notifications: _CosNotification.EventBatch) -> None: ...
    async def disconnect_sequence_push_consumer(self) -> None: ...
class SequencePushConsumer(_SequencePushConsumer_methods, NotifyPublish, of=SequencePushConsumer_INTERFACE): ...
class SequencePushConsumerServant(_SequencePushConsumer_methods, NotifyPublishServant, of=SequencePushConsumer_INTERFACE): ...

SequencePullConsumer_INTERFACE: _g.Final = _here.interface(SequencePullConsumer_TYPE,
        "CosNotifyComm::SequencePullConsumer", (NotifyPublish_INTERFACE, ),
    _here.operation("disconnect_sequence_pull_consumer"),
)
class _SequencePullConsumer_methods:
    """interface CosNotifyComm::SequencePullConsumer"""
    async def disconnect_sequence_pull_consumer(self) -> None: ...
class SequencePullConsumer(_SequencePullConsumer_methods, NotifyPublish, of=SequencePullConsumer_INTERFACE): ...
class SequencePullConsumerServant(_SequencePullConsumer_methods, NotifyPublishServant, of=SequencePullConsumer_INTERFACE): ...

SequencePullSupplier_INTERFACE: _g.Final = _here.interface(SequencePullSupplier_TYPE,
        "CosNotifyComm::SequencePullSupplier", (NotifySubscribe_INTERFACE, ),
    _here.operation("pull_structured_events", takes={"max_number": _tc.LONG}, gives={"": _CosNotification.EventBatch_TYPE},
        raises=(_CosEventComm.Disconnected, )),
    _here.operation("try_pull_structured_events", takes={"max_number": _tc.LONG},
        gives={"": _CosNotification.EventBatch_TYPE, "has_event": _tc.BOOLEAN}, raises=(_CosEventComm.Disconnected, )),
    _here.operation("disconnect_sequence_pull_supplier"),
)
class _SequencePullSupplier_methods:
    """interface CosNotifyComm::SequencePullSupplier"""
    async def pull_structured_events(self, max_number: int) -> _CosNotification.EventBatch: ...
    async def try_pull_structured_events(self, max_number: int) -> tuple[_CosNotification.EventBatch, bool]: ...
    async def disconnect_sequence_pull_supplier(self) -> None: ...
class SequencePullSupplier(_SequencePullSupplier_methods, NotifySubscribe, of=SequencePullSupplier_INTERFACE): ...
class SequencePullSupplierServant(_SequencePullSupplier_methods, NotifySubscribeServant, of=SequencePullSupplier_INTERFACE): ...

SequencePushSupplier_INTERFACE: _g.Final = _here.interface(SequencePushSupplier_TYPE,
        "CosNotifyComm::SequencePushSupplier", (NotifySubscribe_INTERFACE, ),
    _here.operation("disconnect_sequence_push_supplier"),
)
class _SequencePushSupplier_methods:
    """interface CosNotifyComm::SequencePushSupplier"""
    async def disconnect_sequence_push_supplier(self) -> None: ...
class SequencePushSupplier(_SequencePushSupplier_methods, NotifySubscribe, of=SequencePushSupplier_INTERFACE): ...
class SequencePushSupplierServant(_SequencePushSupplier_methods, NotifySubscribeServant, of=SequencePushSupplier_INTERFACE): ...
