"""What CosEventComm.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g

_here: _g.Final = _g.Types(globals())

Disconnected_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosEventComm/Disconnected:1.0", "Disconnected", [])
PushConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventComm/PushConsumer:1.0", "PushConsumer")
PushSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventComm/PushSupplier:1.0", "PushSupplier")
PullSupplier_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventComm/PullSupplier:1.0", "PullSupplier")
PullConsumer_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosEventComm/PullConsumer:1.0", "PullConsumer")

read_Disconnected: _g.Reads[Disconnected] = _here.reads(Disconnected_TYPE)
write_Disconnected: _g.Writes[Disconnected] = _here.writes(Disconnected_TYPE)
class Disconnected(_g.UserException):
    """exception CosEventComm::Disconnected"""
    ID = corba_id = Disconnected_TYPE.id
    TYPE = Disconnected_TYPE
    read, write = staticmethod(read_Disconnected), staticmethod(write_Disconnected)
    def __init__(self) -> None:
        super().__init__()

PushConsumer_INTERFACE: _g.Final = _here.interface(
    PushConsumer_TYPE, "CosEventComm::PushConsumer", (),
    _here.operation("push", takes={"data": _tc.ANY}, raises=(Disconnected, )),
    _here.operation("disconnect_push_consumer"),
)

class PushConsumer(_g.Stub):
    """interface CosEventComm::PushConsumer"""
    __slots__ = ()
    INTERFACE = PushConsumer_INTERFACE
    async def push(self, data: _g.Value) -> None: await self._call("push", data)
    async def disconnect_push_consumer(self) -> None: await self._call("disconnect_push_consumer")

class PushConsumerServant(_g.Servant):
    """interface CosEventComm::PushConsumer"""
    INTERFACE = PushConsumer_INTERFACE
    async def push(self, data: _g.Value) -> None: _g.not_done(self, "push")
    async def disconnect_push_consumer(self) -> None: _g.not_done(self, "disconnect_push_consumer")

PushSupplier_INTERFACE: _g.Final = _here.interface(
    PushSupplier_TYPE, "CosEventComm::PushSupplier", (),
    _here.operation("disconnect_push_supplier"),
)

class PushSupplier(_g.Stub):
    """interface CosEventComm::PushSupplier"""
    __slots__ = ()
    INTERFACE = PushSupplier_INTERFACE
    async def disconnect_push_supplier(self) -> None: await self._call("disconnect_push_supplier")

class PushSupplierServant(_g.Servant):
    """interface CosEventComm::PushSupplier"""
    INTERFACE = PushSupplier_INTERFACE
    async def disconnect_push_supplier(self) -> None: _g.not_done(self, "disconnect_push_supplier")

PullSupplier_INTERFACE: _g.Final = _here.interface(
    PullSupplier_TYPE, "CosEventComm::PullSupplier", (),
    _here.operation("pull", gives={"": _tc.ANY}, raises=(Disconnected, )),
    _here.operation("try_pull", gives={"": _tc.ANY, "has_event": _tc.BOOLEAN}, raises=(Disconnected, )),
    _here.operation("disconnect_pull_supplier"),
)

class PullSupplier(_g.Stub):
    """interface CosEventComm::PullSupplier"""
    __slots__ = ()
    INTERFACE = PullSupplier_INTERFACE
    async def pull(self) -> _g.Value: return await self._call("pull")
    async def try_pull(self) -> tuple[_g.Value, bool]: return await self._call("try_pull")
    async def disconnect_pull_supplier(self) -> None: await self._call("disconnect_pull_supplier")

class PullSupplierServant(_g.Servant):
    """interface CosEventComm::PullSupplier"""
    INTERFACE = PullSupplier_INTERFACE
    async def pull(self) -> _g.Value: _g.not_done(self, "pull")
    async def try_pull(self) -> tuple[_g.Value, bool]: _g.not_done(self, "try_pull")
    async def disconnect_pull_supplier(self) -> None: _g.not_done(self, "disconnect_pull_supplier")

PullConsumer_INTERFACE: _g.Final = _here.interface(
    PullConsumer_TYPE, "CosEventComm::PullConsumer", (),
    _here.operation("disconnect_pull_consumer"),
)

class PullConsumer(_g.Stub):
    """interface CosEventComm::PullConsumer"""
    __slots__ = ()
    INTERFACE = PullConsumer_INTERFACE
    async def disconnect_pull_consumer(self) -> None: await self._call("disconnect_pull_consumer")

class PullConsumerServant(_g.Servant):
    """interface CosEventComm::PullConsumer"""
    INTERFACE = PullConsumer_INTERFACE
    async def disconnect_pull_consumer(self) -> None: _g.not_done(self, "disconnect_pull_consumer")
