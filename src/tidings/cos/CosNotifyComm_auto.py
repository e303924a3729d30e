"""What CosNotifyComm.idl declares. Generated from it; changes belong there."""

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

from tidings.cos import CosEventComm_auto as _CosEventComm
from tidings.cos import CosNotification_auto as _CosNotification

__all__ = [
    "InvalidEventType",
    "InvalidEventType_TYPE",
    "NotifyPublish",
    "NotifyPublishServant",
    "NotifyPublish_INTERFACE",
    "NotifyPublish_TYPE",
    "NotifySubscribe",
    "NotifySubscribeServant",
    "NotifySubscribe_INTERFACE",
    "NotifySubscribe_TYPE",
    "PullConsumer",
    "PullConsumerServant",
    "PullConsumer_INTERFACE",
    "PullConsumer_TYPE",
    "PullSupplier",
    "PullSupplierServant",
    "PullSupplier_INTERFACE",
    "PullSupplier_TYPE",
    "PushConsumer",
    "PushConsumerServant",
    "PushConsumer_INTERFACE",
    "PushConsumer_TYPE",
    "PushSupplier",
    "PushSupplierServant",
    "PushSupplier_INTERFACE",
    "PushSupplier_TYPE",
    "SequencePullConsumer",
    "SequencePullConsumerServant",
    "SequencePullConsumer_INTERFACE",
    "SequencePullConsumer_TYPE",
    "SequencePullSupplier",
    "SequencePullSupplierServant",
    "SequencePullSupplier_INTERFACE",
    "SequencePullSupplier_TYPE",
    "SequencePushConsumer",
    "SequencePushConsumerServant",
    "SequencePushConsumer_INTERFACE",
    "SequencePushConsumer_TYPE",
    "SequencePushSupplier",
    "SequencePushSupplierServant",
    "SequencePushSupplier_INTERFACE",
    "SequencePushSupplier_TYPE",
    "StructuredPullConsumer",
    "StructuredPullConsumerServant",
    "StructuredPullConsumer_INTERFACE",
    "StructuredPullConsumer_TYPE",
    "StructuredPullSupplier",
    "StructuredPullSupplierServant",
    "StructuredPullSupplier_INTERFACE",
    "StructuredPullSupplier_TYPE",
    "StructuredPushConsumer",
    "StructuredPushConsumerServant",
    "StructuredPushConsumer_INTERFACE",
    "StructuredPushConsumer_TYPE",
    "StructuredPushSupplier",
    "StructuredPushSupplierServant",
    "StructuredPushSupplier_INTERFACE",
    "StructuredPushSupplier_TYPE",
    "read_InvalidEventType",
    "write_InvalidEventType",
]

InvalidEventType_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyComm/InvalidEventType:1.0", "InvalidEventType", [("type", _CosNotification.EventType_TYPE)])
NotifyPublish_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/NotifyPublish:1.0", "NotifyPublish")
NotifySubscribe_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/NotifySubscribe:1.0", "NotifySubscribe")
PushConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/PushConsumer:1.0", "PushConsumer")
PullConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/PullConsumer:1.0", "PullConsumer")
PullSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/PullSupplier:1.0", "PullSupplier")
PushSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/PushSupplier:1.0", "PushSupplier")
StructuredPushConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/StructuredPushConsumer:1.0", "StructuredPushConsumer")
StructuredPullConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/StructuredPullConsumer:1.0", "StructuredPullConsumer")
StructuredPullSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/StructuredPullSupplier:1.0", "StructuredPullSupplier")
StructuredPushSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/StructuredPushSupplier:1.0", "StructuredPushSupplier")
SequencePushConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/SequencePushConsumer:1.0", "SequencePushConsumer")
SequencePullConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/SequencePullConsumer:1.0", "SequencePullConsumer")
SequencePullSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/SequencePullSupplier:1.0", "SequencePullSupplier")
SequencePushSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyComm/SequencePushSupplier:1.0", "SequencePushSupplier")

def write_InvalidEventType(w: _Writer, v: InvalidEventType) -> None:
    _CosNotification.write_EventType(w, v.type)

def read_InvalidEventType(r: _Reader) -> InvalidEventType:
    return InvalidEventType(
        _CosNotification.read_EventType(r),
    )

class InvalidEventType(_UserException):
    """exception CosNotifyComm::InvalidEventType"""

    ID = "IDL:omg.org/CosNotifyComm/InvalidEventType:1.0"
    TYPE = InvalidEventType_TYPE
    corba_id = "IDL:omg.org/CosNotifyComm/InvalidEventType:1.0"
    write = staticmethod(write_InvalidEventType)
    read = staticmethod(read_InvalidEventType)

    def __init__(self, type: _CosNotification.EventType) -> None:
        super().__init__(type)
        self.type = type

def _NotifyPublish_offer_change_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of offer_change", 2, v) from None
    _CosNotification.write_EventTypeSeq(w, a0)
    _CosNotification.write_EventTypeSeq(w, a1)

def _NotifyPublish_offer_change_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_EventTypeSeq(r),
        _CosNotification.read_EventTypeSeq(r),
    )

_NotifyPublish_offer_change: _Final = _Operation(
    "offer_change",
    "offer_change",
    _NotifyPublish_offer_change_write_in,
    _NotifyPublish_offer_change_read_in,
    _g.write_void,
    _g.read_void,
    (InvalidEventType, ),
    False,
)

NotifyPublish_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/NotifyPublish:1.0",
    "CosNotifyComm::NotifyPublish",
    (),
    {
        "offer_change": _NotifyPublish_offer_change,
    },
)

class NotifyPublish(_Stub):
    """interface CosNotifyComm::NotifyPublish"""

    __slots__ = ()
    INTERFACE = NotifyPublish_INTERFACE

    async def offer_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None:
        await self._call(_NotifyPublish_offer_change, (added, removed, ))

class NotifyPublishServant(_Servant):
    """interface CosNotifyComm::NotifyPublish"""

    INTERFACE = NotifyPublish_INTERFACE

    async def offer_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None:
        _g.not_done(self, "offer_change")

def _NotifySubscribe_subscription_change_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of subscription_change", 2, v) from None
    _CosNotification.write_EventTypeSeq(w, a0)
    _CosNotification.write_EventTypeSeq(w, a1)

def _NotifySubscribe_subscription_change_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_EventTypeSeq(r),
        _CosNotification.read_EventTypeSeq(r),
    )

_NotifySubscribe_subscription_change: _Final = _Operation(
    "subscription_change",
    "subscription_change",
    _NotifySubscribe_subscription_change_write_in,
    _NotifySubscribe_subscription_change_read_in,
    _g.write_void,
    _g.read_void,
    (InvalidEventType, ),
    False,
)

NotifySubscribe_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/NotifySubscribe:1.0",
    "CosNotifyComm::NotifySubscribe",
    (),
    {
        "subscription_change": _NotifySubscribe_subscription_change,
    },
)

class NotifySubscribe(_Stub):
    """interface CosNotifyComm::NotifySubscribe"""

    __slots__ = ()
    INTERFACE = NotifySubscribe_INTERFACE

    async def subscription_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None:
        await self._call(_NotifySubscribe_subscription_change, (added, removed, ))

class NotifySubscribeServant(_Servant):
    """interface CosNotifyComm::NotifySubscribe"""

    INTERFACE = NotifySubscribe_INTERFACE

    async def subscription_change(self, added: _CosNotification.EventTypeSeq, removed: _CosNotification.EventTypeSeq) -> None:
        _g.not_done(self, "subscription_change")

PushConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/PushConsumer:1.0",
    "CosNotifyComm::PushConsumer",
    (NotifyPublish_INTERFACE, _CosEventComm.PushConsumer_INTERFACE, ),
    {
        **NotifyPublish_INTERFACE.operations,
        **_CosEventComm.PushConsumer_INTERFACE.operations,
    },
)

class PushConsumer(NotifyPublish, _CosEventComm.PushConsumer):
    """interface CosNotifyComm::PushConsumer"""

    __slots__ = ()
    INTERFACE = PushConsumer_INTERFACE

class PushConsumerServant(NotifyPublishServant, _CosEventComm.PushConsumerServant):
    """interface CosNotifyComm::PushConsumer"""

    INTERFACE = PushConsumer_INTERFACE

PullConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/PullConsumer:1.0",
    "CosNotifyComm::PullConsumer",
    (NotifyPublish_INTERFACE, _CosEventComm.PullConsumer_INTERFACE, ),
    {
        **NotifyPublish_INTERFACE.operations,
        **_CosEventComm.PullConsumer_INTERFACE.operations,
    },
)

class PullConsumer(NotifyPublish, _CosEventComm.PullConsumer):
    """interface CosNotifyComm::PullConsumer"""

    __slots__ = ()
    INTERFACE = PullConsumer_INTERFACE

class PullConsumerServant(NotifyPublishServant, _CosEventComm.PullConsumerServant):
    """interface CosNotifyComm::PullConsumer"""

    INTERFACE = PullConsumer_INTERFACE

PullSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/PullSupplier:1.0",
    "CosNotifyComm::PullSupplier",
    (NotifySubscribe_INTERFACE, _CosEventComm.PullSupplier_INTERFACE, ),
    {
        **NotifySubscribe_INTERFACE.operations,
        **_CosEventComm.PullSupplier_INTERFACE.operations,
    },
)

class PullSupplier(NotifySubscribe, _CosEventComm.PullSupplier):
    """interface CosNotifyComm::PullSupplier"""

    __slots__ = ()
    INTERFACE = PullSupplier_INTERFACE

class PullSupplierServant(NotifySubscribeServant, _CosEventComm.PullSupplierServant):
    """interface CosNotifyComm::PullSupplier"""

    INTERFACE = PullSupplier_INTERFACE

PushSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/PushSupplier:1.0",
    "CosNotifyComm::PushSupplier",
    (NotifySubscribe_INTERFACE, _CosEventComm.PushSupplier_INTERFACE, ),
    {
        **NotifySubscribe_INTERFACE.operations,
        **_CosEventComm.PushSupplier_INTERFACE.operations,
    },
)

class PushSupplier(NotifySubscribe, _CosEventComm.PushSupplier):
    """interface CosNotifyComm::PushSupplier"""

    __slots__ = ()
    INTERFACE = PushSupplier_INTERFACE

class PushSupplierServant(NotifySubscribeServant, _CosEventComm.PushSupplierServant):
    """interface CosNotifyComm::PushSupplier"""

    INTERFACE = PushSupplier_INTERFACE

def _StructuredPushConsumer_push_structured_event_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of push_structured_event", 1, v) from None
    _CosNotification.write_StructuredEvent(w, a0)

def _StructuredPushConsumer_push_structured_event_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_StructuredEvent(r),
    )

_StructuredPushConsumer_push_structured_event: _Final = _Operation(
    "push_structured_event",
    "push_structured_event",
    _StructuredPushConsumer_push_structured_event_write_in,
    _StructuredPushConsumer_push_structured_event_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventComm.Disconnected, ),
    False,
)

_StructuredPushConsumer_disconnect_structured_push_consumer: _Final = _Operation(
    "disconnect_structured_push_consumer",
    "disconnect_structured_push_consumer",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

StructuredPushConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/StructuredPushConsumer:1.0",
    "CosNotifyComm::StructuredPushConsumer",
    (NotifyPublish_INTERFACE, ),
    {
        **NotifyPublish_INTERFACE.operations,
        "push_structured_event": _StructuredPushConsumer_push_structured_event,
        "disconnect_structured_push_consumer": _StructuredPushConsumer_disconnect_structured_push_consumer,
    },
)

class StructuredPushConsumer(NotifyPublish):
    """interface CosNotifyComm::StructuredPushConsumer"""

    __slots__ = ()
    INTERFACE = StructuredPushConsumer_INTERFACE

    async def push_structured_event(self, notification: _CosNotification.StructuredEvent) -> None:
        await self._call(_StructuredPushConsumer_push_structured_event, (notification, ))

    async def disconnect_structured_push_consumer(self) -> None:
        await self._call(_StructuredPushConsumer_disconnect_structured_push_consumer, ())

class StructuredPushConsumerServant(NotifyPublishServant):
    """interface CosNotifyComm::StructuredPushConsumer"""

    INTERFACE = StructuredPushConsumer_INTERFACE

    async def push_structured_event(self, notification: _CosNotification.StructuredEvent) -> None:
        _g.not_done(self, "push_structured_event")

    async def disconnect_structured_push_consumer(self) -> None:
        _g.not_done(self, "disconnect_structured_push_consumer")

_StructuredPullConsumer_disconnect_structured_pull_consumer: _Final = _Operation(
    "disconnect_structured_pull_consumer",
    "disconnect_structured_pull_consumer",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

StructuredPullConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/StructuredPullConsumer:1.0",
    "CosNotifyComm::StructuredPullConsumer",
    (NotifyPublish_INTERFACE, ),
    {
        **NotifyPublish_INTERFACE.operations,
        "disconnect_structured_pull_consumer": _StructuredPullConsumer_disconnect_structured_pull_consumer,
    },
)

class StructuredPullConsumer(NotifyPublish):
    """interface CosNotifyComm::StructuredPullConsumer"""

    __slots__ = ()
    INTERFACE = StructuredPullConsumer_INTERFACE

    async def disconnect_structured_pull_consumer(self) -> None:
        await self._call(_StructuredPullConsumer_disconnect_structured_pull_consumer, ())

class StructuredPullConsumerServant(NotifyPublishServant):
    """interface CosNotifyComm::StructuredPullConsumer"""

    INTERFACE = StructuredPullConsumer_INTERFACE

    async def disconnect_structured_pull_consumer(self) -> None:
        _g.not_done(self, "disconnect_structured_pull_consumer")

def _StructuredPullSupplier_pull_structured_event_write_out(w: _Writer, v: _Any) -> None:
    _CosNotification.write_StructuredEvent(w, v)

def _StructuredPullSupplier_pull_structured_event_read_out(r: _Reader) -> _Any:
    return _CosNotification.read_StructuredEvent(r)

_StructuredPullSupplier_pull_structured_event: _Final = _Operation(
    "pull_structured_event",
    "pull_structured_event",
    _g.write_nothing,
    _g.read_nothing,
    _StructuredPullSupplier_pull_structured_event_write_out,
    _StructuredPullSupplier_pull_structured_event_read_out,
    (_CosEventComm.Disconnected, ),
    False,
)

def _StructuredPullSupplier_try_pull_structured_event_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of try_pull_structured_event", 2, v) from None
    _CosNotification.write_StructuredEvent(w, a0)
    w.boolean(a1)

def _StructuredPullSupplier_try_pull_structured_event_read_out(r: _Reader) -> _Any:
    return (
        _CosNotification.read_StructuredEvent(r),
        r.boolean(),
    )

_StructuredPullSupplier_try_pull_structured_event: _Final = _Operation(
    "try_pull_structured_event",
    "try_pull_structured_event",
    _g.write_nothing,
    _g.read_nothing,
    _StructuredPullSupplier_try_pull_structured_event_write_out,
    _StructuredPullSupplier_try_pull_structured_event_read_out,
    (_CosEventComm.Disconnected, ),
    False,
)

_StructuredPullSupplier_disconnect_structured_pull_supplier: _Final = _Operation(
    "disconnect_structured_pull_supplier",
    "disconnect_structured_pull_supplier",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

StructuredPullSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/StructuredPullSupplier:1.0",
    "CosNotifyComm::StructuredPullSupplier",
    (NotifySubscribe_INTERFACE, ),
    {
        **NotifySubscribe_INTERFACE.operations,
        "pull_structured_event": _StructuredPullSupplier_pull_structured_event,
        "try_pull_structured_event": _StructuredPullSupplier_try_pull_structured_event,
        "disconnect_structured_pull_supplier": _StructuredPullSupplier_disconnect_structured_pull_supplier,
    },
)

class StructuredPullSupplier(NotifySubscribe):
    """interface CosNotifyComm::StructuredPullSupplier"""

    __slots__ = ()
    INTERFACE = StructuredPullSupplier_INTERFACE

    async def pull_structured_event(self) -> _CosNotification.StructuredEvent:
        made: _CosNotification.StructuredEvent = await self._call(_StructuredPullSupplier_pull_structured_event, ())
        return made

    async def try_pull_structured_event(self) -> tuple[_CosNotification.StructuredEvent, bool]:
        made: tuple[_CosNotification.StructuredEvent, bool] = await self._call(_StructuredPullSupplier_try_pull_structured_event, ())
        return made

    async def disconnect_structured_pull_supplier(self) -> None:
        await self._call(_StructuredPullSupplier_disconnect_structured_pull_supplier, ())

class StructuredPullSupplierServant(NotifySubscribeServant):
    """interface CosNotifyComm::StructuredPullSupplier"""

    INTERFACE = StructuredPullSupplier_INTERFACE

    async def pull_structured_event(self) -> _CosNotification.StructuredEvent:
        _g.not_done(self, "pull_structured_event")

    async def try_pull_structured_event(self) -> tuple[_CosNotification.StructuredEvent, bool]:
        _g.not_done(self, "try_pull_structured_event")

    async def disconnect_structured_pull_supplier(self) -> None:
        _g.not_done(self, "disconnect_structured_pull_supplier")

_StructuredPushSupplier_disconnect_structured_push_supplier: _Final = _Operation(
    "disconnect_structured_push_supplier",
    "disconnect_structured_push_supplier",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

StructuredPushSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/StructuredPushSupplier:1.0",
    "CosNotifyComm::StructuredPushSupplier",
    (NotifySubscribe_INTERFACE, ),
    {
        **NotifySubscribe_INTERFACE.operations,
        "disconnect_structured_push_supplier": _StructuredPushSupplier_disconnect_structured_push_supplier,
    },
)

class StructuredPushSupplier(NotifySubscribe):
    """interface CosNotifyComm::StructuredPushSupplier"""

    __slots__ = ()
    INTERFACE = StructuredPushSupplier_INTERFACE

    async def disconnect_structured_push_supplier(self) -> None:
        await self._call(_StructuredPushSupplier_disconnect_structured_push_supplier, ())

class StructuredPushSupplierServant(NotifySubscribeServant):
    """interface CosNotifyComm::StructuredPushSupplier"""

    INTERFACE = StructuredPushSupplier_INTERFACE

    async def disconnect_structured_push_supplier(self) -> None:
        _g.not_done(self, "disconnect_structured_push_supplier")

def _SequencePushConsumer_push_structured_events_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of push_structured_events", 1, v) from None
    _CosNotification.write_EventBatch(w, a0)

def _SequencePushConsumer_push_structured_events_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_EventBatch(r),
    )

_SequencePushConsumer_push_structured_events: _Final = _Operation(
    "push_structured_events",
    "push_structured_events",
    _SequencePushConsumer_push_structured_events_write_in,
    _SequencePushConsumer_push_structured_events_read_in,
    _g.write_void,
    _g.read_void,
    (_CosEventComm.Disconnected, ),
    False,
)

_SequencePushConsumer_disconnect_sequence_push_consumer: _Final = _Operation(
    "disconnect_sequence_push_consumer",
    "disconnect_sequence_push_consumer",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

SequencePushConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/SequencePushConsumer:1.0",
    "CosNotifyComm::SequencePushConsumer",
    (NotifyPublish_INTERFACE, ),
    {
        **NotifyPublish_INTERFACE.operations,
        "push_structured_events": _SequencePushConsumer_push_structured_events,
        "disconnect_sequence_push_consumer": _SequencePushConsumer_disconnect_sequence_push_consumer,
    },
)

class SequencePushConsumer(NotifyPublish):
    """interface CosNotifyComm::SequencePushConsumer"""

    __slots__ = ()
    INTERFACE = SequencePushConsumer_INTERFACE

    async def push_structured_events(self, notifications: _CosNotification.EventBatch) -> None:
        await self._call(_SequencePushConsumer_push_structured_events, (notifications, ))

    async def disconnect_sequence_push_consumer(self) -> None:
        await self._call(_SequencePushConsumer_disconnect_sequence_push_consumer, ())

class SequencePushConsumerServant(NotifyPublishServant):
    """interface CosNotifyComm::SequencePushConsumer"""

    INTERFACE = SequencePushConsumer_INTERFACE

    async def push_structured_events(self, notifications: _CosNotification.EventBatch) -> None:
        _g.not_done(self, "push_structured_events")

    async def disconnect_sequence_push_consumer(self) -> None:
        _g.not_done(self, "disconnect_sequence_push_consumer")

_SequencePullConsumer_disconnect_sequence_pull_consumer: _Final = _Operation(
    "disconnect_sequence_pull_consumer",
    "disconnect_sequence_pull_consumer",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

SequencePullConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/SequencePullConsumer:1.0",
    "CosNotifyComm::SequencePullConsumer",
    (NotifyPublish_INTERFACE, ),
    {
        **NotifyPublish_INTERFACE.operations,
        "disconnect_sequence_pull_consumer": _SequencePullConsumer_disconnect_sequence_pull_consumer,
    },
)

class SequencePullConsumer(NotifyPublish):
    """interface CosNotifyComm::SequencePullConsumer"""

    __slots__ = ()
    INTERFACE = SequencePullConsumer_INTERFACE

    async def disconnect_sequence_pull_consumer(self) -> None:
        await self._call(_SequencePullConsumer_disconnect_sequence_pull_consumer, ())

class SequencePullConsumerServant(NotifyPublishServant):
    """interface CosNotifyComm::SequencePullConsumer"""

    INTERFACE = SequencePullConsumer_INTERFACE

    async def disconnect_sequence_pull_consumer(self) -> None:
        _g.not_done(self, "disconnect_sequence_pull_consumer")

def _SequencePullSupplier_pull_structured_events_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of pull_structured_events", 1, v) from None
    w.long(a0)

def _SequencePullSupplier_pull_structured_events_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

def _SequencePullSupplier_pull_structured_events_write_out(w: _Writer, v: _Any) -> None:
    _CosNotification.write_EventBatch(w, v)

def _SequencePullSupplier_pull_structured_events_read_out(r: _Reader) -> _Any:
    return _CosNotification.read_EventBatch(r)

_SequencePullSupplier_pull_structured_events: _Final = _Operation(
    "pull_structured_events",
    "pull_structured_events",
    _SequencePullSupplier_pull_structured_events_write_in,
    _SequencePullSupplier_pull_structured_events_read_in,
    _SequencePullSupplier_pull_structured_events_write_out,
    _SequencePullSupplier_pull_structured_events_read_out,
    (_CosEventComm.Disconnected, ),
    False,
)

def _SequencePullSupplier_try_pull_structured_events_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of try_pull_structured_events", 1, v) from None
    w.long(a0)

def _SequencePullSupplier_try_pull_structured_events_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

def _SequencePullSupplier_try_pull_structured_events_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of try_pull_structured_events", 2, v) from None
    _CosNotification.write_EventBatch(w, a0)
    w.boolean(a1)

def _SequencePullSupplier_try_pull_structured_events_read_out(r: _Reader) -> _Any:
    return (
        _CosNotification.read_EventBatch(r),
        r.boolean(),
    )

_SequencePullSupplier_try_pull_structured_events: _Final = _Operation(
    "try_pull_structured_events",
    "try_pull_structured_events",
    _SequencePullSupplier_try_pull_structured_events_write_in,
    _SequencePullSupplier_try_pull_structured_events_read_in,
    _SequencePullSupplier_try_pull_structured_events_write_out,
    _SequencePullSupplier_try_pull_structured_events_read_out,
    (_CosEventComm.Disconnected, ),
    False,
)

_SequencePullSupplier_disconnect_sequence_pull_supplier: _Final = _Operation(
    "disconnect_sequence_pull_supplier",
    "disconnect_sequence_pull_supplier",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

SequencePullSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/SequencePullSupplier:1.0",
    "CosNotifyComm::SequencePullSupplier",
    (NotifySubscribe_INTERFACE, ),
    {
        **NotifySubscribe_INTERFACE.operations,
        "pull_structured_events": _SequencePullSupplier_pull_structured_events,
        "try_pull_structured_events": _SequencePullSupplier_try_pull_structured_events,
        "disconnect_sequence_pull_supplier": _SequencePullSupplier_disconnect_sequence_pull_supplier,
    },
)

class SequencePullSupplier(NotifySubscribe):
    """interface CosNotifyComm::SequencePullSupplier"""

    __slots__ = ()
    INTERFACE = SequencePullSupplier_INTERFACE

    async def pull_structured_events(self, max_number: int) -> _CosNotification.EventBatch:
        made: _CosNotification.EventBatch = await self._call(_SequencePullSupplier_pull_structured_events, (max_number, ))
        return made

    async def try_pull_structured_events(self, max_number: int) -> tuple[_CosNotification.EventBatch, bool]:
        made: tuple[_CosNotification.EventBatch, bool] = await self._call(_SequencePullSupplier_try_pull_structured_events, (max_number, ))
        return made

    async def disconnect_sequence_pull_supplier(self) -> None:
        await self._call(_SequencePullSupplier_disconnect_sequence_pull_supplier, ())

class SequencePullSupplierServant(NotifySubscribeServant):
    """interface CosNotifyComm::SequencePullSupplier"""

    INTERFACE = SequencePullSupplier_INTERFACE

    async def pull_structured_events(self, max_number: int) -> _CosNotification.EventBatch:
        _g.not_done(self, "pull_structured_events")

    async def try_pull_structured_events(self, max_number: int) -> tuple[_CosNotification.EventBatch, bool]:
        _g.not_done(self, "try_pull_structured_events")

    async def disconnect_sequence_pull_supplier(self) -> None:
        _g.not_done(self, "disconnect_sequence_pull_supplier")

_SequencePushSupplier_disconnect_sequence_push_supplier: _Final = _Operation(
    "disconnect_sequence_push_supplier",
    "disconnect_sequence_push_supplier",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

SequencePushSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyComm/SequencePushSupplier:1.0",
    "CosNotifyComm::SequencePushSupplier",
    (NotifySubscribe_INTERFACE, ),
    {
        **NotifySubscribe_INTERFACE.operations,
        "disconnect_sequence_push_supplier": _SequencePushSupplier_disconnect_sequence_push_supplier,
    },
)

class SequencePushSupplier(NotifySubscribe):
    """interface CosNotifyComm::SequencePushSupplier"""

    __slots__ = ()
    INTERFACE = SequencePushSupplier_INTERFACE

    async def disconnect_sequence_push_supplier(self) -> None:
        await self._call(_SequencePushSupplier_disconnect_sequence_push_supplier, ())

class SequencePushSupplierServant(NotifySubscribeServant):
    """interface CosNotifyComm::SequencePushSupplier"""

    INTERFACE = SequencePushSupplier_INTERFACE

    async def disconnect_sequence_push_supplier(self) -> None:
        _g.not_done(self, "disconnect_sequence_push_supplier")
