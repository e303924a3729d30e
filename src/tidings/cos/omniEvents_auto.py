"""What omniEvents.idl declares. Generated from it; changes belong there."""

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

from tidings.cos import CosLifeCycle_auto as _CosLifeCycle
from tidings.cos import CosNaming_auto as _CosNaming

__all__ = [
    "EventChannelFactory",
    "EventChannelFactoryServant",
    "EventChannelFactory_INTERFACE",
    "EventChannelFactory_TYPE",
]

EventChannelFactory_TYPE: _Final = _tc.objref("IDL:omni/omniEvents/EventChannelFactory:1.0", "EventChannelFactory")

EventChannelFactory_INTERFACE: _Final = _Interface(
    "IDL:omni/omniEvents/EventChannelFactory:1.0",
    "omniEvents::EventChannelFactory",
    (_CosLifeCycle.GenericFactory_INTERFACE, ),
    {
        **_CosLifeCycle.GenericFactory_INTERFACE.operations,
    },
)

class EventChannelFactory(_CosLifeCycle.GenericFactory):
    """interface omniEvents::EventChannelFactory"""

    __slots__ = ()
    INTERFACE = EventChannelFactory_INTERFACE

class EventChannelFactoryServant(_CosLifeCycle.GenericFactoryServant):
    """interface omniEvents::EventChannelFactory"""

    INTERFACE = EventChannelFactory_INTERFACE
