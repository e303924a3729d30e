"""What CosNotifyComm.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

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

read_InvalidEventType: _g.Reads[InvalidEventType] = _here.reads(InvalidEventType_TYPE)
write_InvalidEventType: _g.Writes[InvalidEventType] = _here.writes(InvalidEventType_TYPE)
class InvalidEventType(_g.UserException):
    """exception CosNotifyComm::InvalidEventType"""
    ID = corba_id = InvalidEventType_TYPE.id
    TYPE = InvalidEventType_TYPE
    read, write = staticmethod(read_InvalidEventType), staticmethod(write_InvalidEventType)
    __match_args__ = ("type", )
    def __init__(self, type: _CosNotification.EventType) -> None:
        super().__init__(type)
        self.type = type

NotifyPublish_INTERFACE: _g.Final = _here.interface(
    NotifyPublish_TYPE, "CosNotifyComm::NotifyPublish", (),
    _here.operation("offer_change", takes={"added": _CosNotification.EventTypeSeq_TYPE, "removed": _CosNotification.EventTypeSeq_TYPE},
        raises=(InvalidEventType, )),
)

class NotifyPublish(_g.Stub):
    """interface CosNotifyComm::NotifyPublish"""
    __slots__ = ()
    INTERFACE = NotifyPublish_INTERFACE
    async def offer_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None:
        await self._call("offer_change", added, removed)

class NotifyPublishServant(_g.Servant):
    """interface CosNotifyComm::NotifyPublish"""
    INTERFACE = NotifyPublish_INTERFACE
    async def offer_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None:
        _g.not_done(self, "offer_change")

NotifySubscribe_INTERFACE: _g.Final = _here.interface(
    NotifySubscribe_TYPE, "CosNotifyComm::NotifySubscribe", (),
    _here.operation("subscription_change",
        takes={"added": _CosNotification.EventTypeSeq_TYPE, "removed": _CosNotification.EventTypeSeq_TYPE},
        raises=(InvalidEventType, )),
)

class NotifySubscribe(_g.Stub):
    """interface CosNotifyComm::NotifySubscribe"""
    __slots__ = ()
    INTERFACE = NotifySubscribe_INTERFACE
    async def subscription_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None:
        await self._call("subscription_change", added, removed)

class NotifySubscribeServant(_g.Servant):
    """interface CosNotifyComm::NotifySubscribe"""
    INTERFACE = NotifySubscribe_INTERFACE
    async def subscription_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None:
        _g.not_done(self, "subscription_change")

PushConsumer_INTERFACE: _g.Final = _here.interface(
    PushConsumer_TYPE, "CosNotifyComm::PushConsumer", (NotifyPublish_INTERFACE, _CosEventComm.PushConsumer_INTERFACE, ),
)

class PushConsumer(NotifyPublish, _CosEventComm.PushConsumer):
    """interface CosNotifyComm::PushConsumer"""
    __slots__ = ()
    INTERFACE = PushConsumer_INTERFACE

class PushConsumerServant(NotifyPublishServant, _CosEventComm.PushConsumerServant):
    """interface CosNotifyComm::PushConsumer"""
    INTERFACE = PushConsumer_INTERFACE

PullConsumer_INTERFACE: _g.Final = _here.interface(
    PullConsumer_TYPE, "CosNotifyComm::PullConsumer", (NotifyPublish_INTERFACE, _CosEventComm.PullConsumer_INTERFACE, ),
)

class PullConsumer(NotifyPublish, _CosEventComm.PullConsumer):
    """interface CosNotifyComm::PullConsumer"""
    __slots__ = ()
    INTERFACE = PullConsumer_INTERFACE

class PullConsumerServant(NotifyPublishServant, _CosEventComm.PullConsumerServant):
    """interface CosNotifyComm::PullConsumer"""
    INTERFACE = PullConsumer_INTERFACE

PullSupplier_INTERFACE: _g.Final = _here.interface(
    PullSupplier_TYPE, "CosNotifyComm::PullSupplier", (NotifySubscribe_INTERFACE, _CosEventComm.PullSupplier_INTERFACE, ),
)

class PullSupplier(NotifySubscribe, _CosEventComm.PullSupplier):
    """interface CosNotifyComm::PullSupplier"""
    __slots__ = ()
    INTERFACE = PullSupplier_INTERFACE

class PullSupplierServant(NotifySubscribeServant, _CosEventComm.PullSupplierServant):
    """interface CosNotifyComm::PullSupplier"""
    INTERFACE = PullSupplier_INTERFACE

PushSupplier_INTERFACE: _g.Final = _here.interface(
    PushSupplier_TYPE, "CosNotifyComm::PushSupplier", (NotifySubscribe_INTERFACE, _CosEventComm.PushSupplier_INTERFACE, ),
)

class PushSupplier(NotifySubscribe, _CosEventComm.PushSupplier):
    """interface CosNotifyComm::PushSupplier"""
    __slots__ = ()
    INTERFACE = PushSupplier_INTERFACE

class PushSupplierServant(NotifySubscribeServant, _CosEventComm.PushSupplierServant):
    """interface CosNotifyComm::PushSupplier"""
    INTERFACE = PushSupplier_INTERFACE

StructuredPushConsumer_INTERFACE: _g.Final = _here.interface(
    StructuredPushConsumer_TYPE, "CosNotifyComm::StructuredPushConsumer", (NotifyPublish_INTERFACE, ),
    _here.operation("push_structured_event", takes={"notification": _CosNotification.StructuredEvent_TYPE},
        raises=(_CosEventComm.Disconnected, )),
    _here.operation("disconnect_structured_push_consumer"),
)

class StructuredPushConsumer(NotifyPublish):
    """interface CosNotifyComm::StructuredPushConsumer"""
    __slots__ = ()
    INTERFACE = StructuredPushConsumer_INTERFACE
    async def push_structured_event(self, notification: _CosNotification.StructuredEvent) -> None:
        await self._call("push_structured_event", notification)
    async def disconnect_structured_push_consumer(self) -> None: await self._call("disconnect_structured_push_consumer")

class StructuredPushConsumerServant(NotifyPublishServant):
    """interface CosNotifyComm::StructuredPushConsumer"""
    INTERFACE = StructuredPushConsumer_INTERFACE
    async def push_structured_event(self, notification: _CosNotification.StructuredEvent) -> None:
        _g.not_done(self, "push_structured_event")
    async def disconnect_structured_push_consumer(self) -> None:
        _g.not_done(self, "disconnect_structured_push_consumer")

StructuredPullConsumer_INTERFACE: _g.Final = _here.interface(
    StructuredPullConsumer_TYPE, "CosNotifyComm::StructuredPullConsumer", (NotifyPublish_INTERFACE, ),
    _here.operation("disconnect_structured_pull_consumer"),
)

class StructuredPullConsumer(NotifyPublish):
    """interface CosNotifyComm::StructuredPullConsumer"""
    __slots__ = ()
    INTERFACE = StructuredPullConsumer_INTERFACE
    async def disconnect_structured_pull_consumer(self) -> None: await self._call("disconnect_structured_pull_consumer")

class StructuredPullConsumerServant(NotifyPublishServant):
    """interface CosNotifyComm::StructuredPullConsumer"""
    INTERFACE = StructuredPullConsumer_INTERFACE
    async def disconnect_structured_pull_consumer(self) -> None:
        _g.not_done(self, "disconnect_structured_pull_consumer")

StructuredPullSupplier_INTERFACE: _g.Final = _here.interface(
    StructuredPullSupplier_TYPE, "CosNotifyComm::StructuredPullSupplier", (NotifySubscribe_INTERFACE, ),
    _here.operation("pull_structured_event", gives={"": _CosNotification.StructuredEvent_TYPE}, raises=(_CosEventComm.Disconnected, )),
    _here.operation("try_pull_structured_event", gives={"": _CosNotification.StructuredEvent_TYPE, "has_event": _tc.BOOLEAN},
        raises=(_CosEventComm.Disconnected, )),
    _here.operation("disconnect_structured_pull_supplier"),
)

class StructuredPullSupplier(NotifySubscribe):
    """interface CosNotifyComm::StructuredPullSupplier"""
    __slots__ = ()
    INTERFACE = StructuredPullSupplier_INTERFACE
    async def pull_structured_event(self) -> _CosNotification.StructuredEvent:
        return await self._call("pull_structured_event")
    async def try_pull_structured_event(self) -> tuple[_CosNotification.StructuredEvent, bool]:
        return await self._call("try_pull_structured_event")
    async def disconnect_structured_pull_supplier(self) -> None: await self._call("disconnect_structured_pull_supplier")

class StructuredPullSupplierServant(NotifySubscribeServant):
    """interface CosNotifyComm::StructuredPullSupplier"""
    INTERFACE = StructuredPullSupplier_INTERFACE
    async def pull_structured_event(self) -> _CosNotification.StructuredEvent:
        _g.not_done(self, "pull_structured_event")
    async def try_pull_structured_event(self) -> tuple[_CosNotification.StructuredEvent, bool]:
        _g.not_done(self, "try_pull_structured_event")
    async def disconnect_structured_pull_supplier(self) -> None:
        _g.not_done(self, "disconnect_structured_pull_supplier")

StructuredPushSupplier_INTERFACE: _g.Final = _here.interface(
    StructuredPushSupplier_TYPE, "CosNotifyComm::StructuredPushSupplier", (NotifySubscribe_INTERFACE, ),
    _here.operation("disconnect_structured_push_supplier"),
)

class StructuredPushSupplier(NotifySubscribe):
    """interface CosNotifyComm::StructuredPushSupplier"""
    __slots__ = ()
    INTERFACE = StructuredPushSupplier_INTERFACE
    async def disconnect_structured_push_supplier(self) -> None: await self._call("disconnect_structured_push_supplier")

class StructuredPushSupplierServant(NotifySubscribeServant):
    """interface CosNotifyComm::StructuredPushSupplier"""
    INTERFACE = StructuredPushSupplier_INTERFACE
    async def disconnect_structured_push_supplier(self) -> None:
        _g.not_done(self, "disconnect_structured_push_supplier")

SequencePushConsumer_INTERFACE: _g.Final = _here.interface(
    SequencePushConsumer_TYPE, "CosNotifyComm::SequencePushConsumer", (NotifyPublish_INTERFACE, ),
    _here.operation("push_structured_events", takes={"notifications": _CosNotification.EventBatch_TYPE},
        raises=(_CosEventComm.Disconnected, )),
    _here.operation("disconnect_sequence_push_consumer"),
)

class SequencePushConsumer(NotifyPublish):
    """interface CosNotifyComm::SequencePushConsumer"""
    __slots__ = ()
    INTERFACE = SequencePushConsumer_INTERFACE
    async def push_structured_events(self, notifications: _CosNotification.EventBatch) -> None:
        await self._call("push_structured_events", notifications)
    async def disconnect_sequence_push_consumer(self) -> None: await self._call("disconnect_sequence_push_consumer")

class SequencePushConsumerServant(NotifyPublishServant):
    """interface CosNotifyComm::SequencePushConsumer"""
    INTERFACE = SequencePushConsumer_INTERFACE
    async def push_structured_events(self, notifications: _CosNotification.EventBatch) -> None:
        _g.not_done(self, "push_structured_events")
    async def disconnect_sequence_push_consumer(self) -> None: _g.not_done(self, "disconnect_sequence_push_consumer")

SequencePullConsumer_INTERFACE: _g.Final = _here.interface(
    SequencePullConsumer_TYPE, "CosNotifyComm::SequencePullConsumer", (NotifyPublish_INTERFACE, ),
    _here.operation("disconnect_sequence_pull_consumer"),
)

class SequencePullConsumer(NotifyPublish):
    """interface CosNotifyComm::SequencePullConsumer"""
    __slots__ = ()
    INTERFACE = SequencePullConsumer_INTERFACE
    async def disconnect_sequence_pull_consumer(self) -> None: await self._call("disconnect_sequence_pull_consumer")

class SequencePullConsumerServant(NotifyPublishServant):
    """interface CosNotifyComm::SequencePullConsumer"""
    INTERFACE = SequencePullConsumer_INTERFACE
    async def disconnect_sequence_pull_consumer(self) -> None: _g.not_done(self, "disconnect_sequence_pull_consumer")

SequencePullSupplier_INTERFACE: _g.Final = _here.interface(
    SequencePullSupplier_TYPE, "CosNotifyComm::SequencePullSupplier", (NotifySubscribe_INTERFACE, ),
    _here.operation("pull_structured_events", takes={"max_number": _tc.LONG}, gives={"": _CosNotification.EventBatch_TYPE},
        raises=(_CosEventComm.Disconnected, )),
    _here.operation("try_pull_structured_events", takes={"max_number": _tc.LONG},
        gives={"": _CosNotification.EventBatch_TYPE, "has_event": _tc.BOOLEAN}, raises=(_CosEventComm.Disconnected, )),
    _here.operation("disconnect_sequence_pull_supplier"),
)

class SequencePullSupplier(NotifySubscribe):
    """interface CosNotifyComm::SequencePullSupplier"""
    __slots__ = ()
    INTERFACE = SequencePullSupplier_INTERFACE
    async def pull_structured_events(self, max_number: int) -> _CosNotification.EventBatch:
        return await self._call("pull_structured_events", max_number)
    async def try_pull_structured_events(self, max_number: int) -> tuple[_CosNotification.EventBatch, bool]:
        return await self._call("try_pull_structured_events", max_number)
    async def disconnect_sequence_pull_supplier(self) -> None: await self._call("disconnect_sequence_pull_supplier")

class SequencePullSupplierServant(NotifySubscribeServant):
    """interface CosNotifyComm::SequencePullSupplier"""
    INTERFACE = SequencePullSupplier_INTERFACE
    async def pull_structured_events(self, max_number: int) -> _CosNotification.EventBatch:
        _g.not_done(self, "pull_structured_events")
    async def try_pull_structured_events(self, max_number: int) -> tuple[_CosNotification.EventBatch, bool]:
        _g.not_done(self, "try_pull_structured_events")
    async def disconnect_sequence_pull_supplier(self) -> None: _g.not_done(self, "disconnect_sequence_pull_supplier")

SequencePushSupplier_INTERFACE: _g.Final = _here.interface(
    SequencePushSupplier_TYPE, "CosNotifyComm::SequencePushSupplier", (NotifySubscribe_INTERFACE, ),
    _here.operation("disconnect_sequence_push_supplier"),
)

class SequencePushSupplier(NotifySubscribe):
    """interface CosNotifyComm::SequencePushSupplier"""
    __slots__ = ()
    INTERFACE = SequencePushSupplier_INTERFACE
    async def disconnect_sequence_push_supplier(self) -> None: await self._call("disconnect_sequence_push_supplier")

class SequencePushSupplierServant(NotifySubscribeServant):
    """interface CosNotifyComm::SequencePushSupplier"""
    INTERFACE = SequencePushSupplier_INTERFACE
    async def disconnect_sequence_push_supplier(self) -> None: _g.not_done(self, "disconnect_sequence_push_supplier")
