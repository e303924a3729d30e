"""What CosEventComm.idl declares. Generated from it; changes belong there."""

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


__all__ = [
    "Disconnected",
    "Disconnected_TYPE",
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
    "read_Disconnected",
    "write_Disconnected",
]

Disconnected_TYPE: _Final = _tc.exception("IDL:omg.org/CosEventComm/Disconnected:1.0", "Disconnected", [])
PushConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventComm/PushConsumer:1.0", "PushConsumer")
PushSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventComm/PushSupplier:1.0", "PushSupplier")
PullSupplier_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventComm/PullSupplier:1.0", "PullSupplier")
PullConsumer_TYPE: _Final = _tc.objref("IDL:omg.org/CosEventComm/PullConsumer:1.0", "PullConsumer")

def write_Disconnected(w: _Writer, v: Disconnected) -> None:
    pass

def read_Disconnected(r: _Reader) -> Disconnected:
    return Disconnected(
    )

class Disconnected(_UserException):
    """exception CosEventComm::Disconnected"""

    ID = "IDL:omg.org/CosEventComm/Disconnected:1.0"
    TYPE = Disconnected_TYPE
    corba_id = "IDL:omg.org/CosEventComm/Disconnected:1.0"
    write = staticmethod(write_Disconnected)
    read = staticmethod(read_Disconnected)

    def __init__(self) -> None:
        super().__init__()

def _PushConsumer_push_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of push", 1, v) from None
    w.any(a0)

def _PushConsumer_push_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.any(),
    )

_PushConsumer_push: _Final = _Operation(
    "push",
    "push",
    _PushConsumer_push_write_in,
    _PushConsumer_push_read_in,
    _g.write_void,
    _g.read_void,
    (Disconnected, ),
    False,
)

_PushConsumer_disconnect_push_consumer: _Final = _Operation(
    "disconnect_push_consumer",
    "disconnect_push_consumer",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

PushConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventComm/PushConsumer:1.0",
    "CosEventComm::PushConsumer",
    (),
    {
        "push": _PushConsumer_push,
        "disconnect_push_consumer": _PushConsumer_disconnect_push_consumer,
    },
)

class PushConsumer(_Stub):
    """interface CosEventComm::PushConsumer"""

    __slots__ = ()
    INTERFACE = PushConsumer_INTERFACE

    async def push(self, data: _Value) -> None:
        await self._call(_PushConsumer_push, (data, ))

    async def disconnect_push_consumer(self) -> None:
        await self._call(_PushConsumer_disconnect_push_consumer, ())

class PushConsumerServant(_Servant):
    """interface CosEventComm::PushConsumer"""

    INTERFACE = PushConsumer_INTERFACE

    async def push(self, data: _Value) -> None:
        _g.not_done(self, "push")

    async def disconnect_push_consumer(self) -> None:
        _g.not_done(self, "disconnect_push_consumer")

_PushSupplier_disconnect_push_supplier: _Final = _Operation(
    "disconnect_push_supplier",
    "disconnect_push_supplier",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

PushSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventComm/PushSupplier:1.0",
    "CosEventComm::PushSupplier",
    (),
    {
        "disconnect_push_supplier": _PushSupplier_disconnect_push_supplier,
    },
)

class PushSupplier(_Stub):
    """interface CosEventComm::PushSupplier"""

    __slots__ = ()
    INTERFACE = PushSupplier_INTERFACE

    async def disconnect_push_supplier(self) -> None:
        await self._call(_PushSupplier_disconnect_push_supplier, ())

class PushSupplierServant(_Servant):
    """interface CosEventComm::PushSupplier"""

    INTERFACE = PushSupplier_INTERFACE

    async def disconnect_push_supplier(self) -> None:
        _g.not_done(self, "disconnect_push_supplier")

def _PullSupplier_pull_write_out(w: _Writer, v: _Any) -> None:
    w.any(v)

def _PullSupplier_pull_read_out(r: _Reader) -> _Any:
    return r.any()

_PullSupplier_pull: _Final = _Operation(
    "pull",
    "pull",
    _g.write_nothing,
    _g.read_nothing,
    _PullSupplier_pull_write_out,
    _PullSupplier_pull_read_out,
    (Disconnected, ),
    False,
)

def _PullSupplier_try_pull_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of try_pull", 2, v) from None
    w.any(a0)
    w.boolean(a1)

def _PullSupplier_try_pull_read_out(r: _Reader) -> _Any:
    return (
        r.any(),
        r.boolean(),
    )

_PullSupplier_try_pull: _Final = _Operation(
    "try_pull",
    "try_pull",
    _g.write_nothing,
    _g.read_nothing,
    _PullSupplier_try_pull_write_out,
    _PullSupplier_try_pull_read_out,
    (Disconnected, ),
    False,
)

_PullSupplier_disconnect_pull_supplier: _Final = _Operation(
    "disconnect_pull_supplier",
    "disconnect_pull_supplier",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

PullSupplier_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventComm/PullSupplier:1.0",
    "CosEventComm::PullSupplier",
    (),
    {
        "pull": _PullSupplier_pull,
        "try_pull": _PullSupplier_try_pull,
        "disconnect_pull_supplier": _PullSupplier_disconnect_pull_supplier,
    },
)

class PullSupplier(_Stub):
    """interface CosEventComm::PullSupplier"""

    __slots__ = ()
    INTERFACE = PullSupplier_INTERFACE

    async def pull(self) -> _Value:
        made: _Value = await self._call(_PullSupplier_pull, ())
        return made

    async def try_pull(self) -> tuple[_Value, bool]:
        made: tuple[_Value, bool] = await self._call(_PullSupplier_try_pull, ())
        return made

    async def disconnect_pull_supplier(self) -> None:
        await self._call(_PullSupplier_disconnect_pull_supplier, ())

class PullSupplierServant(_Servant):
    """interface CosEventComm::PullSupplier"""

    INTERFACE = PullSupplier_INTERFACE

    async def pull(self) -> _Value:
        _g.not_done(self, "pull")

    async def try_pull(self) -> tuple[_Value, bool]:
        _g.not_done(self, "try_pull")

    async def disconnect_pull_supplier(self) -> None:
        _g.not_done(self, "disconnect_pull_supplier")

_PullConsumer_disconnect_pull_consumer: _Final = _Operation(
    "disconnect_pull_consumer",
    "disconnect_pull_consumer",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

PullConsumer_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosEventComm/PullConsumer:1.0",
    "CosEventComm::PullConsumer",
    (),
    {
        "disconnect_pull_consumer": _PullConsumer_disconnect_pull_consumer,
    },
)

class PullConsumer(_Stub):
    """interface CosEventComm::PullConsumer"""

    __slots__ = ()
    INTERFACE = PullConsumer_INTERFACE

    async def disconnect_pull_consumer(self) -> None:
        await self._call(_PullConsumer_disconnect_pull_consumer, ())

class PullConsumerServant(_Servant):
    """interface CosEventComm::PullConsumer"""

    INTERFACE = PullConsumer_INTERFACE

    async def disconnect_pull_consumer(self) -> None:
        _g.not_done(self, "disconnect_pull_consumer")
