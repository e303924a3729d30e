"""What CosEventChannelAdmin.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

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

class AlreadyConnected(_g.UserException, types=_here, type=AlreadyConnected_TYPE):
    """exception CosEventChannelAdmin::AlreadyConnected"""

class TypeError(_g.UserException, types=_here, type=TypeError_TYPE):
    """exception CosEventChannelAdmin::TypeError"""

ProxyPushConsumer_INTERFACE: _g.Final = _here.interface(ProxyPushConsumer_TYPE,
        "CosEventChannelAdmin::ProxyPushConsumer", (_CosEventComm.PushConsumer_INTERFACE, ),
    _here.operation("connect_push_supplier", takes={"push_supplier": _CosEventComm.PushSupplier_TYPE}, raises=(AlreadyConnected, )),
)
class _ProxyPushConsumer_methods:
    """interface CosEventChannelAdmin::ProxyPushConsumer"""
    async def connect_push_supplier(self, push_supplier: _g.Reference) -> None: ...
class ProxyPushConsumer(_ProxyPushConsumer_methods, _CosEventComm.PushConsumer, of=ProxyPushConsumer_INTERFACE): ...
class ProxyPushConsumerServant(_ProxyPushConsumer_methods, _CosEventComm.PushConsumerServant, of=ProxyPushConsumer_INTERFACE): ...

ProxyPullSupplier_INTERFACE: _g.Final = _here.interface(ProxyPullSupplier_TYPE,
        "CosEventChannelAdmin::ProxyPullSupplier", (_CosEventComm.PullSupplier_INTERFACE, ),
    _here.operation("connect_pull_consumer", takes={"pull_consumer": _CosEventComm.PullConsumer_TYPE}, raises=(AlreadyConnected, )),
)
class _ProxyPullSupplier_methods:
    """interface CosEventChannelAdmin::ProxyPullSupplier"""
    async def connect_pull_consumer(self, pull_consumer: _g.Reference) -> None: ...
class ProxyPullSupplier(_ProxyPullSupplier_methods, _CosEventComm.PullSupplier, of=ProxyPullSupplier_INTERFACE): ...
class ProxyPullSupplierServant(_ProxyPullSupplier_methods, _CosEventComm.PullSupplierServant, of=ProxyPullSupplier_INTERFACE): ...

ProxyPullConsumer_INTERFACE: _g.Final = _here.interface(ProxyPullConsumer_TYPE,
        "CosEventChannelAdmin::ProxyPullConsumer", (_CosEventComm.PullConsumer_INTERFACE, ),
    _here.operation("connect_pull_supplier", takes={"pull_supplier": _CosEventComm.PullSupplier_TYPE},
        raises=(AlreadyConnected, TypeError, )),
)
class _ProxyPullConsumer_methods:
    """interface CosEventChannelAdmin::ProxyPullConsumer"""
    async def connect_pull_supplier(self, pull_supplier: _g.Reference) -> None: ...
class ProxyPullConsumer(_ProxyPullConsumer_methods, _CosEventComm.PullConsumer, of=ProxyPullConsumer_INTERFACE): ...
class ProxyPullConsumerServant(_ProxyPullConsumer_methods, _CosEventComm.PullConsumerServant, of=ProxyPullConsumer_INTERFACE): ...

ProxyPushSupplier_INTERFACE: _g.Final = _here.interface(ProxyPushSupplier_TYPE,
        "CosEventChannelAdmin::ProxyPushSupplier", (_CosEventComm.PushSupplier_INTERFACE, ),
    _here.operation("connect_push_consumer", takes={"push_consumer": _CosEventComm.PushConsumer_TYPE},
        raises=(AlreadyConnected, TypeError, )),
)
class _ProxyPushSupplier_methods:
    """interface CosEventChannelAdmin::ProxyPushSupplier"""
    async def connect_push_consumer(self, push_consumer: _g.Reference) -> None: ...
class ProxyPushSupplier(_ProxyPushSupplier_methods, _CosEventComm.PushSupplier, of=ProxyPushSupplier_INTERFACE): ...
class ProxyPushSupplierServant(_ProxyPushSupplier_methods, _CosEventComm.PushSupplierServant, of=ProxyPushSupplier_INTERFACE): ...

ConsumerAdmin_INTERFACE: _g.Final = _here.interface(ConsumerAdmin_TYPE, "CosEventChannelAdmin::ConsumerAdmin", (),
    _here.operation("obtain_push_supplier", gives={"": ProxyPushSupplier_TYPE}),
    _here.operation("obtain_pull_supplier", gives={"": ProxyPullSupplier_TYPE}),
)
class _ConsumerAdmin_methods:
    """interface CosEventChannelAdmin::ConsumerAdmin"""
    async def obtain_push_supplier(self) -> _g.Reference: ...
    async def obtain_pull_supplier(self) -> _g.Reference: ...
class ConsumerAdmin(_ConsumerAdmin_methods, _g.Stub, of=ConsumerAdmin_INTERFACE): ...
class ConsumerAdminServant(_ConsumerAdmin_methods, _g.Servant, of=ConsumerAdmin_INTERFACE): ...

SupplierAdmin_INTERFACE: _g.Final = _here.interface(SupplierAdmin_TYPE, "CosEventChannelAdmin::SupplierAdmin", (),
    _here.operation("obtain_push_consumer", gives={"": ProxyPushConsumer_TYPE}),
    _here.operation("obtain_pull_consumer", gives={"": ProxyPullConsumer_TYPE}),
)
class _SupplierAdmin_methods:
    """interface CosEventChannelAdmin::SupplierAdmin"""
    async def obtain_push_consumer(self) -> _g.Reference: ...
    async def obtain_pull_consumer(self) -> _g.Reference: ...
class SupplierAdmin(_SupplierAdmin_methods, _g.Stub, of=SupplierAdmin_INTERFACE): ...
class SupplierAdminServant(_SupplierAdmin_methods, _g.Servant, of=SupplierAdmin_INTERFACE): ...

EventChannel_INTERFACE: _g.Final = _here.interface(EventChannel_TYPE, "CosEventChannelAdmin::EventChannel", (),
    _here.operation("for_consumers", gives={"": ConsumerAdmin_TYPE}),
    _here.operation("for_suppliers", gives={"": SupplierAdmin_TYPE}),
    _here.operation("destroy"),
)
class _EventChannel_methods:
    """interface CosEventChannelAdmin::EventChannel"""
    async def for_consumers(self) -> _g.Reference: ...
    async def for_suppliers(self) -> _g.Reference: ...
    async def destroy(self) -> None: ...
class EventChannel(_EventChannel_methods, _g.Stub, of=EventChannel_INTERFACE): ...
class EventChannelServant(_EventChannel_methods, _g.Servant, of=EventChannel_INTERFACE): ...
