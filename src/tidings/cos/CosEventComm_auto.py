"""What CosEventComm.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g

_here: _g.Final = _g.Types(globals())

Disconnected_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosEventComm/Disconnected:1.0", "Disconnected", [])
PushConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventComm/PushConsumer:1.0", "PushConsumer")
PushSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventComm/PushSupplier:1.0", "PushSupplier")
PullSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventComm/PullSupplier:1.0", "PullSupplier")
PullConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventComm/PullConsumer:1.0", "PullConsumer")

class Disconnected(_g.UserException, types=_here, type=Disconnected_TYPE):
    """exception CosEventComm::Disconnected"""

PushConsumer_INTERFACE: _g.Final = _here.interface(PushConsumer_TYPE, "CosEventComm::PushConsumer", (),
    _here.operation("push", takes={"data": _tc.ANY}, raises=(Disconnected, )),
    _here.operation("disconnect_push_consumer"),
)
class _PushConsumer_methods:
    """interface CosEventComm::PushConsumer"""
    async def push(self, data: _g.Value) -> None: ...
    async def disconnect_push_consumer(self) -> None: ...
class PushConsumer(_PushConsumer_methods, _g.Stub, of=PushConsumer_INTERFACE): ...
class PushConsumerServant(_PushConsumer_methods, _g.Servant, of=PushConsumer_INTERFACE): ...

PushSupplier_INTERFACE: _g.Final = _here.interface(PushSupplier_TYPE, "CosEventComm::PushSupplier", (),
    _here.operation("disconnect_push_supplier"),
)
class _PushSupplier_methods:
    """interface CosEventComm::PushSupplier"""
    async def disconnect_push_supplier(self) -> None: ...
class PushSupplier(_PushSupplier_methods, _g.Stub, of=PushSupplier_INTERFACE): ...
class PushSupplierServant(_PushSupplier_methods, _g.Servant, of=PushSupplier_INTERFACE): ...

PullSupplier_INTERFACE: _g.Final = _here.interface(PullSupplier_TYPE, "CosEventComm::PullSupplier", (),
    _here.operation("pull", gives={"": _tc.ANY}, raises=(Disconnected, )),
    _here.operation("try_pull", gives={"": _tc.ANY, "has_event": _tc.BOOLEAN}, raises=(Disconnected, )),
    _here.operation("disconnect_pull_supplier"),
)
class _PullSupplier_methods:
    """interface CosEventComm::PullSupplier"""
    async def pull(self) -> _g.Value: ...
    async def try_pull(self) -> tuple[_g.Value, bool]: ...
    async def disconnect_pull_supplier(self) -> None: ...
class PullSupplier(_PullSupplier_methods, _g.Stub, of=PullSupplier_INTERFACE): ...
class PullSupplierServant(_PullSupplier_methods, _g.Servant, of=PullSupplier_INTERFACE): ...

PullConsumer_INTERFACE: _g.Final = _here.interface(PullConsumer_TYPE, "CosEventComm::PullConsumer", (),
    _here.operation("disconnect_pull_consumer"),
)
class _PullConsumer_methods:
    """interface CosEventComm::PullConsumer"""
    async def disconnect_pull_consumer(self) -> None: ...
class PullConsumer(_PullConsumer_methods, _g.Stub, of=PullConsumer_INTERFACE): ...
class PullConsumerServant(_PullConsumer_methods, _g.Servant, of=PullConsumer_INTERFACE): ...
