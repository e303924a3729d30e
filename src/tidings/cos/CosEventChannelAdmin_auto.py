"""What CosEventChannelAdmin.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosEventComm_auto as _CosEventComm

_here: _g.Final = _g.Types(globals(), _CosEventComm._here)

AlreadyConnected_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosEventChannelAdmin/AlreadyConnected:1.0", "AlreadyConnected", [])
TypeError_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosEventChannelAdmin/TypeError:1.0", "TypeError", [])
ProxyPushConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ProxyPushConsumer:1.0", "ProxyPushConsumer")
ProxyPullSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ProxyPullSupplier:1.0", "ProxyPullSupplier")
ProxyPullConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ProxyPullConsumer:1.0", "ProxyPullConsumer")
ProxyPushSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ProxyPushSupplier:1.0", "ProxyPushSupplier")
ConsumerAdmin_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/ConsumerAdmin:1.0", "ConsumerAdmin")
SupplierAdmin_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/SupplierAdmin:1.0", "SupplierAdmin")
EventChannel_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventChannelAdmin/EventChannel:1.0", "EventChannel")

read_AlreadyConnected: _g.Reads[AlreadyConnected] = _here.reads(AlreadyConnected_TYPE)
write_AlreadyConnected: _g.Writes[AlreadyConnected] = _here.writes(AlreadyConnected_TYPE)
class AlreadyConnected(_g.UserException):
    """exception CosEventChannelAdmin::AlreadyConnected"""
    ID = corba_id = AlreadyConnected_TYPE.id
    TYPE = AlreadyConnected_TYPE
    read, write = staticmethod(read_AlreadyConnected), staticmethod(write_AlreadyConnected)
    def __init__(self) -> None:
        super().__init__()

read_TypeError: _g.Reads[TypeError] = _here.reads(TypeError_TYPE)
write_TypeError: _g.Writes[TypeError] = _here.writes(TypeError_TYPE)
class TypeError(_g.UserException):
    """exception CosEventChannelAdmin::TypeError"""
    ID = corba_id = TypeError_TYPE.id
    TYPE = TypeError_TYPE
    read, write = staticmethod(read_TypeError), staticmethod(write_TypeError)
    def __init__(self) -> None:
        super().__init__()

ProxyPushConsumer_INTERFACE: _g.Final = _here.interface(
    ProxyPushConsumer_TYPE, "CosEventChannelAdmin::ProxyPushConsumer", (_CosEventComm.PushConsumer_INTERFACE, ),
    _here.operation("connect_push_supplier", takes={"push_supplier": _CosEventComm.PushSupplier_TYPE}, raises=(AlreadyConnected, )),
)

class ProxyPushConsumer(_CosEventComm.PushConsumer):
    """interface CosEventChannelAdmin::ProxyPushConsumer"""
    __slots__ = ()
    INTERFACE = ProxyPushConsumer_INTERFACE
    async def connect_push_supplier(self, push_supplier: _g.Reference) -> None:
        await self._call("connect_push_supplier", push_supplier)

class ProxyPushConsumerServant(_CosEventComm.PushConsumerServant):
    """interface CosEventChannelAdmin::ProxyPushConsumer"""
    INTERFACE = ProxyPushConsumer_INTERFACE
    async def connect_push_supplier(self, push_supplier: _g.Reference) -> None:
        _g.not_done(self, "connect_push_supplier")

ProxyPullSupplier_INTERFACE: _g.Final = _here.interface(
    ProxyPullSupplier_TYPE, "CosEventChannelAdmin::ProxyPullSupplier", (_CosEventComm.PullSupplier_INTERFACE, ),
    _here.operation("connect_pull_consumer", takes={"pull_consumer": _CosEventComm.PullConsumer_TYPE}, raises=(AlreadyConnected, )),
)

class ProxyPullSupplier(_CosEventComm.PullSupplier):
    """interface CosEventChannelAdmin::ProxyPullSupplier"""
    __slots__ = ()
    INTERFACE = ProxyPullSupplier_INTERFACE
    async def connect_pull_consumer(self, pull_consumer: _g.Reference) -> None:
        await self._call("connect_pull_consumer", pull_consumer)

class ProxyPullSupplierServant(_CosEventComm.PullSupplierServant):
    """interface CosEventChannelAdmin::ProxyPullSupplier"""
    INTERFACE = ProxyPullSupplier_INTERFACE
    async def connect_pull_consumer(self, pull_consumer: _g.Reference) -> None:
        _g.not_done(self, "connect_pull_consumer")

ProxyPullConsumer_INTERFACE: _g.Final = _here.interface(
    ProxyPullConsumer_TYPE, "CosEventChannelAdmin::ProxyPullConsumer", (_CosEventComm.PullConsumer_INTERFACE, ),
    _here.operation("connect_pull_supplier", takes={"pull_supplier": _CosEventComm.PullSupplier_TYPE},
        raises=(AlreadyConnected, TypeError, )),
)

class ProxyPullConsumer(_CosEventComm.PullConsumer):
    """interface CosEventChannelAdmin::ProxyPullConsumer"""
    __slots__ = ()
    INTERFACE = ProxyPullConsumer_INTERFACE
    async def connect_pull_supplier(self, pull_supplier: _g.Reference) -> None:
        await self._call("connect_pull_supplier", pull_supplier)

class ProxyPullConsumerServant(_CosEventComm.PullConsumerServant):
    """interface CosEventChannelAdmin::ProxyPullConsumer"""
    INTERFACE = ProxyPullConsumer_INTERFACE
    async def connect_pull_supplier(self, pull_supplier: _g.Reference) -> None:
        _g.not_done(self, "connect_pull_supplier")

ProxyPushSupplier_INTERFACE: _g.Final = _here.interface(
    ProxyPushSupplier_TYPE, "CosEventChannelAdmin::ProxyPushSupplier", (_CosEventComm.PushSupplier_INTERFACE, ),
    _here.operation("connect_push_consumer", takes={"push_consumer": _CosEventComm.PushConsumer_TYPE},
        raises=(AlreadyConnected, TypeError, )),
)

class ProxyPushSupplier(_CosEventComm.PushSupplier):
    """interface CosEventChannelAdmin::ProxyPushSupplier"""
    __slots__ = ()
    INTERFACE = ProxyPushSupplier_INTERFACE
    async def connect_push_consumer(self, push_consumer: _g.Reference) -> None:
        await self._call("connect_push_consumer", push_consumer)

class ProxyPushSupplierServant(_CosEventComm.PushSupplierServant):
    """interface CosEventChannelAdmin::ProxyPushSupplier"""
    INTERFACE = ProxyPushSupplier_INTERFACE
    async def connect_push_consumer(self, push_consumer: _g.Reference) -> None:
        _g.not_done(self, "connect_push_consumer")

ConsumerAdmin_INTERFACE: _g.Final = _here.interface(
    ConsumerAdmin_TYPE, "CosEventChannelAdmin::ConsumerAdmin", (),
    _here.operation("obtain_push_supplier", gives={"": ProxyPushSupplier_TYPE}),
    _here.operation("obtain_pull_supplier", gives={"": ProxyPullSupplier_TYPE}),
)

class ConsumerAdmin(_g.Stub):
    """interface CosEventChannelAdmin::ConsumerAdmin"""
    __slots__ = ()
    INTERFACE = ConsumerAdmin_INTERFACE
    async def obtain_push_supplier(self) -> _g.Reference: return await self._call("obtain_push_supplier")
    async def obtain_pull_supplier(self) -> _g.Reference: return await self._call("obtain_pull_supplier")

class ConsumerAdminServant(_g.Servant):
    """interface CosEventChannelAdmin::ConsumerAdmin"""
    INTERFACE = ConsumerAdmin_INTERFACE
    async def obtain_push_supplier(self) -> _g.Reference: _g.not_done(self, "obtain_push_supplier")
    async def obtain_pull_supplier(self) -> _g.Reference: _g.not_done(self, "obtain_pull_supplier")

SupplierAdmin_INTERFACE: _g.Final = _here.interface(
    SupplierAdmin_TYPE, "CosEventChannelAdmin::SupplierAdmin", (),
    _here.operation("obtain_push_consumer", gives={"": ProxyPushConsumer_TYPE}),
    _here.operation("obtain_pull_consumer", gives={"": ProxyPullConsumer_TYPE}),
)

class SupplierAdmin(_g.Stub):
    """interface CosEventChannelAdmin::SupplierAdmin"""
    __slots__ = ()
    INTERFACE = SupplierAdmin_INTERFACE
    async def obtain_push_consumer(self) -> _g.Reference: return await self._call("obtain_push_consumer")
    async def obtain_pull_consumer(self) -> _g.Reference: return await self._call("obtain_pull_consumer")

class SupplierAdminServant(_g.Servant):
    """interface CosEventChannelAdmin::SupplierAdmin"""
    INTERFACE = SupplierAdmin_INTERFACE
    async def obtain_push_consumer(self) -> _g.Reference: _g.not_done(self, "obtain_push_consumer")
    async def obtain_pull_consumer(self) -> _g.Reference: _g.not_done(self, "obtain_pull_consumer")

EventChannel_INTERFACE: _g.Final = _here.interface(
    EventChannel_TYPE, "CosEventChannelAdmin::EventChannel", (),
    _here.operation("for_consumers", gives={"": ConsumerAdmin_TYPE}),
    _here.operation("for_suppliers", gives={"": SupplierAdmin_TYPE}),
    _here.operation("destroy"),
)

class EventChannel(_g.Stub):
    """interface CosEventChannelAdmin::EventChannel"""
    __slots__ = ()
    INTERFACE = EventChannel_INTERFACE
    async def for_consumers(self) -> _g.Reference: return await self._call("for_consumers")
    async def for_suppliers(self) -> _g.Reference: return await self._call("for_suppliers")
    async def destroy(self) -> None: await self._call("destroy")

class EventChannelServant(_g.Servant):
    """interface CosEventChannelAdmin::EventChannel"""
    INTERFACE = EventChannel_INTERFACE
    async def for_consumers(self) -> _g.Reference: _g.not_done(self, "for_consumers")
    async def for_suppliers(self) -> _g.Reference: _g.not_done(self, "for_suppliers")
    async def destroy(self) -> None: _g.not_done(self, "destroy")
