"""What NotificationServiceAgent.idl declares. Generated from it; changes belong there."""

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

from tidings.cos import CosEventChannelAdmin_auto as _CosEventChannelAdmin
from tidings.cos import CosEventComm_auto as _CosEventComm
from tidings.cos import CosNotification_auto as _CosNotification
from tidings.cos import CosNotifyChannelAdmin_auto as _CosNotifyChannelAdmin
from tidings.cos import CosNotifyComm_auto as _CosNotifyComm
from tidings.cos import CosNotifyFilter_auto as _CosNotifyFilter

__all__ = [
    "Agent",
    "AgentServant",
    "Agent_INTERFACE",
    "Agent_TYPE",
]

Agent_TYPE: _Final = _tc.objref("IDL:NotificationServiceAgent/NotificationServiceAgent:1.0", "Agent")

def _Agent_getECF_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _Agent_getECF_read_out(r: _Reader) -> _Any:
    return r.reference()

_Agent_getECF: _Final = _Operation(
    "getECF",
    "getECF",
    _g.write_nothing,
    _g.read_nothing,
    _Agent_getECF_write_out,
    _Agent_getECF_read_out,
    (),
    False,
)

def _Agent_getFF_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _Agent_getFF_read_out(r: _Reader) -> _Any:
    return r.reference()

_Agent_getFF: _Final = _Operation(
    "getFF",
    "getFF",
    _g.write_nothing,
    _g.read_nothing,
    _Agent_getFF_write_out,
    _Agent_getFF_read_out,
    (),
    False,
)

def _Agent_getProperty_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of getProperty", 1, v) from None
    w.string(a0)

def _Agent_getProperty_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.string(),
    )

def _Agent_getProperty_write_out(w: _Writer, v: _Any) -> None:
    w.string(v)

def _Agent_getProperty_read_out(r: _Reader) -> _Any:
    return r.string()

_Agent_getProperty: _Final = _Operation(
    "getProperty",
    "getProperty",
    _Agent_getProperty_write_in,
    _Agent_getProperty_read_in,
    _Agent_getProperty_write_out,
    _Agent_getProperty_read_out,
    (),
    False,
)

Agent_INTERFACE: _Final = _Interface(
    "IDL:NotificationServiceAgent/NotificationServiceAgent:1.0",
    "NotificationServiceAgent::Agent",
    (),
    {
        "getECF": _Agent_getECF,
        "getFF": _Agent_getFF,
        "getProperty": _Agent_getProperty,
    },
)

class Agent(_Stub):
    """interface NotificationServiceAgent::Agent"""

    __slots__ = ()
    INTERFACE = Agent_INTERFACE

    async def getECF(self) -> _Reference:
        made: _Reference = await self._call(_Agent_getECF, ())
        return made

    async def getFF(self) -> _Reference:
        made: _Reference = await self._call(_Agent_getFF, ())
        return made

    async def getProperty(self, name: str) -> str:
        made: str = await self._call(_Agent_getProperty, (name, ))
        return made

class AgentServant(_Servant):
    """interface NotificationServiceAgent::Agent"""

    INTERFACE = Agent_INTERFACE

    async def getECF(self) -> _Reference:
        _g.not_done(self, "getECF")

    async def getFF(self) -> _Reference:
        _g.not_done(self, "getFF")

    async def getProperty(self, name: str) -> str:
        _g.not_done(self, "getProperty")
