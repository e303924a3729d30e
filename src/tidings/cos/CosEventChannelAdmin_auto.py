"""What CosEventChannelAdmin.idl declares. Generated from it; changes belong there."""

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

__all__ = [
    "AlreadyConnected",
    "AlreadyConnected_TYPE",
    "ConsumerAdmin",
    "ConsumerAdminServant",
    "ConsumerAdmin_INTERFACE",
    "ConsumerAdmin_TYPE",
    "EventChannel",
    "EventChannelServant",
    "EventChannel_INTERFACE",
    "EventChannel_TYPE",
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
    "SupplierAdmin",
    "SupplierAdminServant",
    "SupplierAdmin_INTERFACE",
    "SupplierAdmin_TYPE",
    "TypeError",
    "TypeError_TYPE",
    "read_AlreadyConnected",
    "read_TypeError",
    "write_AlreadyConnected",
    "write_TypeError",
]

AlreadyConnected_TYPE: _Final = _tc.exception("IDL:omg.org/CosEventChannelAdmin/AlreadyConnected:1.0", "AlreadyConnected", [])
TypeError_TYPE: _Final = _tc.exception("IDL:omg.org/CosEventChannelAdmin/TypeError:1.0", "TypeError", [])
ProxyPushConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ProxyPushConsumer:1.0", "ProxyPushConsumer")
ProxyPullSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ProxyPullSupplier:1.0", "ProxyPullSupplier")
ProxyPullConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ProxyPullConsumer:1.0", "ProxyPullConsumer")
ProxyPushSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ProxyPushSupplier:1.0", "ProxyPushSupplier")
ConsumerAdmin_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ConsumerAdmin:1.0", "ConsumerAdmin")
SupplierAdmin_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/SupplierAdmin:1.0", "SupplierAdmin")
EventChannel_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/EventChannel:1.0", "EventChannel")

def write_AlreadyConnected(w: _Writer, v: AlreadyConnected) -> None:
    pass

def read_AlreadyConnected(r: _Reader) -> AlreadyConnected:
    return AlreadyConnected(
    )

class AlreadyConnected(_UserException):
    """exception CosEventChannelAdmin::AlreadyConnected"""

    ID = "IDL:omg.org/CosEventChannelAdmin/AlreadyConnected:1.0"
    TYPE = AlreadyConnected_TYPE
    corba_id = "IDL:omg.org/CosEventChannelAdmin/AlreadyConnected:1.0"
    write = staticmethod(write_AlreadyConnected)
    read = staticmethod(read_AlreadyConnected)

    def __init__(self) -> None:
        super().__init__()

def write_TypeError(w: _Writer, v: TypeError) -> None:
    pass

def read_TypeError(r: _Reader) -> TypeError:
    return TypeError(
    )

class TypeError(_UserException):
    """exception CosEventChannelAdmin::TypeError"""

    ID = "IDL:omg.org/CosEventChannelAdmin/TypeError:1.0"
    TYPE = TypeError_TYPE
    corba_id = "IDL:omg.org/CosEventChannelAdmin/TypeError:1.0"
    write = staticmethod(write_TypeError)
    read = staticmethod(read_TypeError)

    def __init__(self) -> None:
        super().__init__()

def _ProxyPushConsumer_connect_push_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_push_supplier", 1, v) from None
    w.reference(a0)

def _ProxyPushConsumer_connect_push_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxyPushConsumer_connect_push_supplier: _Final = _Operation(
    "connect_push_supplier",
    "connect_push_supplier",
    _ProxyPushConsumer_connect_push_supplier_write_in,
    _ProxyPushConsumer_connect_push_supplier_read_in,
    _g.write_void,
    _g.read_void,
    (AlreadyConnected, ),
    False,
)

ProxyPushConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventChannelAdmin/ProxyPushConsumer:1.0",
    "CosEventChannelAdmin::ProxyPushConsumer",
    (_CosEventComm.PushConsumer_INTERFACE, ),
    {
        **_CosEventComm.PushConsumer_INTERFACE.operations,
        "connect_push_supplier": _ProxyPushConsumer_connect_push_supplier,
    },
)

class ProxyPushConsumer(_CosEventComm.PushConsumer):
    """interface CosEventChannelAdmin::ProxyPushConsumer"""

    __slots__ = ()
    INTERFACE = ProxyPushConsumer_INTERFACE

    async def connect_push_supplier(self, push_supplier: _Reference) -> None:
        await self._call(_ProxyPushConsumer_connect_push_supplier, (push_supplier, ))

class ProxyPushConsumerServant(_CosEventComm.PushConsumerServant):
    """interface CosEventChannelAdmin::ProxyPushConsumer"""

    INTERFACE = ProxyPushConsumer_INTERFACE

    async def connect_push_supplier(self, push_supplier: _Reference) -> None:
        _g.not_done(self, "connect_push_supplier")

def _ProxyPullSupplier_connect_pull_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_pull_consumer", 1, v) from None
    w.reference(a0)

def _ProxyPullSupplier_connect_pull_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxyPullSupplier_connect_pull_consumer: _Final = _Operation(
    "connect_pull_consumer",
    "connect_pull_consumer",
    _ProxyPullSupplier_connect_pull_consumer_write_in,
    _ProxyPullSupplier_connect_pull_consumer_read_in,
    _g.write_void,
    _g.read_void,
    (AlreadyConnected, ),
    False,
)

ProxyPullSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventChannelAdmin/ProxyPullSupplier:1.0",
    "CosEventChannelAdmin::ProxyPullSupplier",
    (_CosEventComm.PullSupplier_INTERFACE, ),
    {
        **_CosEventComm.PullSupplier_INTERFACE.operations,
        "connect_pull_consumer": _ProxyPullSupplier_connect_pull_consumer,
    },
)

class ProxyPullSupplier(_CosEventComm.PullSupplier):
    """interface CosEventChannelAdmin::ProxyPullSupplier"""

    __slots__ = ()
    INTERFACE = ProxyPullSupplier_INTERFACE

    async def connect_pull_consumer(self, pull_consumer: _Reference) -> None:
        await self._call(_ProxyPullSupplier_connect_pull_consumer, (pull_consumer, ))

class ProxyPullSupplierServant(_CosEventComm.PullSupplierServant):
    """interface CosEventChannelAdmin::ProxyPullSupplier"""

    INTERFACE = ProxyPullSupplier_INTERFACE

    async def connect_pull_consumer(self, pull_consumer: _Reference) -> None:
        _g.not_done(self, "connect_pull_consumer")

def _ProxyPullConsumer_connect_pull_supplier_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_pull_supplier", 1, v) from None
    w.reference(a0)

def _ProxyPullConsumer_connect_pull_supplier_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxyPullConsumer_connect_pull_supplier: _Final = _Operation(
    "connect_pull_supplier",
    "connect_pull_supplier",
    _ProxyPullConsumer_connect_pull_supplier_write_in,
    _ProxyPullConsumer_connect_pull_supplier_read_in,
    _g.write_void,
    _g.read_void,
    (AlreadyConnected, TypeError, ),
    False,
)

ProxyPullConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventChannelAdmin/ProxyPullConsumer:1.0",
    "CosEventChannelAdmin::ProxyPullConsumer",
    (_CosEventComm.PullConsumer_INTERFACE, ),
    {
        **_CosEventComm.PullConsumer_INTERFACE.operations,
        "connect_pull_supplier": _ProxyPullConsumer_connect_pull_supplier,
    },
)

class ProxyPullConsumer(_CosEventComm.PullConsumer):
    """interface CosEventChannelAdmin::ProxyPullConsumer"""

    __slots__ = ()
    INTERFACE = ProxyPullConsumer_INTERFACE

    async def connect_pull_supplier(self, pull_supplier: _Reference) -> None:
        await self._call(_ProxyPullConsumer_connect_pull_supplier, (pull_supplier, ))

class ProxyPullConsumerServant(_CosEventComm.PullConsumerServant):
    """interface CosEventChannelAdmin::ProxyPullConsumer"""

    INTERFACE = ProxyPullConsumer_INTERFACE

    async def connect_pull_supplier(self, pull_supplier: _Reference) -> None:
        _g.not_done(self, "connect_pull_supplier")

def _ProxyPushSupplier_connect_push_consumer_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of connect_push_consumer", 1, v) from None
    w.reference(a0)

def _ProxyPushSupplier_connect_push_consumer_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

_ProxyPushSupplier_connect_push_consumer: _Final = _Operation(
    "connect_push_consumer",
    "connect_push_consumer",
    _ProxyPushSupplier_connect_push_consumer_write_in,
    _ProxyPushSupplier_connect_push_consumer_read_in,
    _g.write_void,
    _g.read_void,
    (AlreadyConnected, TypeError, ),
    False,
)

ProxyPushSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventChannelAdmin/ProxyPushSupplier:1.0",
    "CosEventChannelAdmin::ProxyPushSupplier",
    (_CosEventComm.PushSupplier_INTERFACE, ),
    {
        **_CosEventComm.PushSupplier_INTERFACE.operations,
        "connect_push_consumer": _ProxyPushSupplier_connect_push_consumer,
    },
)

class ProxyPushSupplier(_CosEventComm.PushSupplier):
    """interface CosEventChannelAdmin::ProxyPushSupplier"""

    __slots__ = ()
    INTERFACE = ProxyPushSupplier_INTERFACE

    async def connect_push_consumer(self, push_consumer: _Reference) -> None:
        await self._call(_ProxyPushSupplier_connect_push_consumer, (push_consumer, ))

class ProxyPushSupplierServant(_CosEventComm.PushSupplierServant):
    """interface CosEventChannelAdmin::ProxyPushSupplier"""

    INTERFACE = ProxyPushSupplier_INTERFACE

    async def connect_push_consumer(self, push_consumer: _Reference) -> None:
        _g.not_done(self, "connect_push_consumer")

def _ConsumerAdmin_obtain_push_supplier_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ConsumerAdmin_obtain_push_supplier_read_out(r: _Reader) -> _Any:
    return r.reference()

_ConsumerAdmin_obtain_push_supplier: _Final = _Operation(
    "obtain_push_supplier",
    "obtain_push_supplier",
    _g.write_nothing,
    _g.read_nothing,
    _ConsumerAdmin_obtain_push_supplier_write_out,
    _ConsumerAdmin_obtain_push_supplier_read_out,
    (),
    False,
)

def _ConsumerAdmin_obtain_pull_supplier_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _ConsumerAdmin_obtain_pull_supplier_read_out(r: _Reader) -> _Any:
    return r.reference()

_ConsumerAdmin_obtain_pull_supplier: _Final = _Operation(
    "obtain_pull_supplier",
    "obtain_pull_supplier",
    _g.write_nothing,
    _g.read_nothing,
    _ConsumerAdmin_obtain_pull_supplier_write_out,
    _ConsumerAdmin_obtain_pull_supplier_read_out,
    (),
    False,
)

ConsumerAdmin_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventChannelAdmin/ConsumerAdmin:1.0",
    "CosEventChannelAdmin::ConsumerAdmin",
    (),
    {
        "obtain_push_supplier": _ConsumerAdmin_obtain_push_supplier,
        "obtain_pull_supplier": _ConsumerAdmin_obtain_pull_supplier,
    },
)

class ConsumerAdmin(_Stub):
    """interface CosEventChannelAdmin::ConsumerAdmin"""

    __slots__ = ()
    INTERFACE = ConsumerAdmin_INTERFACE

    async def obtain_push_supplier(self) -> _Reference:
        made: _Reference = await self._call(_ConsumerAdmin_obtain_push_supplier, ())
        return made

    async def obtain_pull_supplier(self) -> _Reference:
        made: _Reference = await self._call(_ConsumerAdmin_obtain_pull_supplier, ())
        return made

class ConsumerAdminServant(_Servant):
    """interface CosEventChannelAdmin::ConsumerAdmin"""

    INTERFACE = ConsumerAdmin_INTERFACE

    async def obtain_push_supplier(self) -> _Reference:
        _g.not_done(self, "obtain_push_supplier")

    async def obtain_pull_supplier(self) -> _Reference:
        _g.not_done(self, "obtain_pull_supplier")

def _SupplierAdmin_obtain_push_consumer_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _SupplierAdmin_obtain_push_consumer_read_out(r: _Reader) -> _Any:
    return r.reference()

_SupplierAdmin_obtain_push_consumer: _Final = _Operation(
    "obtain_push_consumer",
    "obtain_push_consumer",
    _g.write_nothing,
    _g.read_nothing,
    _SupplierAdmin_obtain_push_consumer_write_out,
    _SupplierAdmin_obtain_push_consumer_read_out,
    (),
    False,
)

def _SupplierAdmin_obtain_pull_consumer_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _SupplierAdmin_obtain_pull_consumer_read_out(r: _Reader) -> _Any:
    return r.reference()

_SupplierAdmin_obtain_pull_consumer: _Final = _Operation(
    "obtain_pull_consumer",
    "obtain_pull_consumer",
    _g.write_nothing,
    _g.read_nothing,
    _SupplierAdmin_obtain_pull_consumer_write_out,
    _SupplierAdmin_obtain_pull_consumer_read_out,
    (),
    False,
)

SupplierAdmin_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventChannelAdmin/SupplierAdmin:1.0",
    "CosEventChannelAdmin::SupplierAdmin",
    (),
    {
        "obtain_push_consumer": _SupplierAdmin_obtain_push_consumer,
        "obtain_pull_consumer": _SupplierAdmin_obtain_pull_consumer,
    },
)

class SupplierAdmin(_Stub):
    """interface CosEventChannelAdmin::SupplierAdmin"""

    __slots__ = ()
    INTERFACE = SupplierAdmin_INTERFACE

    async def obtain_push_consumer(self) -> _Reference:
        made: _Reference = await self._call(_SupplierAdmin_obtain_push_consumer, ())
        return made

    async def obtain_pull_consumer(self) -> _Reference:
        made: _Reference = await self._call(_SupplierAdmin_obtain_pull_consumer, ())
        return made

class SupplierAdminServant(_Servant):
    """interface CosEventChannelAdmin::SupplierAdmin"""

    INTERFACE = SupplierAdmin_INTERFACE

    async def obtain_push_consumer(self) -> _Reference:
        _g.not_done(self, "obtain_push_consumer")

    async def obtain_pull_consumer(self) -> _Reference:
        _g.not_done(self, "obtain_pull_consumer")

def _EventChannel_for_consumers_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _EventChannel_for_consumers_read_out(r: _Reader) -> _Any:
    return r.reference()

_EventChannel_for_consumers: _Final = _Operation(
    "for_consumers",
    "for_consumers",
    _g.write_nothing,
    _g.read_nothing,
    _EventChannel_for_consumers_write_out,
    _EventChannel_for_consumers_read_out,
    (),
    False,
)

def _EventChannel_for_suppliers_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _EventChannel_for_suppliers_read_out(r: _Reader) -> _Any:
    return r.reference()

_EventChannel_for_suppliers: _Final = _Operation(
    "for_suppliers",
    "for_suppliers",
    _g.write_nothing,
    _g.read_nothing,
    _EventChannel_for_suppliers_write_out,
    _EventChannel_for_suppliers_read_out,
    (),
    False,
)

_EventChannel_destroy: _Final = _Operation(
    "destroy",
    "destroy",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

EventChannel_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventChannelAdmin/EventChannel:1.0",
    "CosEventChannelAdmin::EventChannel",
    (),
    {
        "for_consumers": _EventChannel_for_consumers,
        "for_suppliers": _EventChannel_for_suppliers,
        "destroy": _EventChannel_destroy,
    },
)

class EventChannel(_Stub):
    """interface CosEventChannelAdmin::EventChannel"""

    __slots__ = ()
    INTERFACE = EventChannel_INTERFACE

    async def for_consumers(self) -> _Reference:
        made: _Reference = await self._call(_EventChannel_for_consumers, ())
        return made

    async def for_suppliers(self) -> _Reference:
        made: _Reference = await self._call(_EventChannel_for_suppliers, ())
        return made

    async def destroy(self) -> None:
        await self._call(_EventChannel_destroy, ())

class EventChannelServant(_Servant):
    """interface CosEventChannelAdmin::EventChannel"""

    INTERFACE = EventChannel_INTERFACE

    async def for_consumers(self) -> _Reference:
        _g.not_done(self, "for_consumers")

    async def for_suppliers(self) -> _Reference:
        _g.not_done(self, "for_suppliers")

    async def destroy(self) -> None:
        _g.not_done(self, "destroy")
