"""What CosLifeCycle.idl declares. Generated from it; changes belong there."""

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

from tidings.cos import CosNaming_auto as _CosNaming

__all__ = [
    "CannotMeetCriteria",
    "CannotMeetCriteria_TYPE",
    "Criteria",
    "Criteria_TYPE",
    "GenericFactory",
    "GenericFactoryServant",
    "GenericFactory_INTERFACE",
    "GenericFactory_TYPE",
    "InvalidCriteria",
    "InvalidCriteria_TYPE",
    "Key",
    "Key_TYPE",
    "NVP",
    "NVP_TYPE",
    "NameValuePair",
    "NameValuePair_TYPE",
    "NoFactory",
    "NoFactory_TYPE",
    "read_CannotMeetCriteria",
    "read_Criteria",
    "read_InvalidCriteria",
    "read_Key",
    "read_NVP",
    "read_NameValuePair",
    "read_NoFactory",
    "write_CannotMeetCriteria",
    "write_Criteria",
    "write_InvalidCriteria",
    "write_Key",
    "write_NVP",
    "write_NameValuePair",
    "write_NoFactory",
]

Key_TYPE: _Final = _tc.alias("IDL:omg.org/CosLifeCycle/Key:1.0", "Key", _CosNaming.Name_TYPE)
NVP_TYPE: _Final = _tc.struct("IDL:omg.org/CosLifeCycle/NVP:1.0", "NVP", [("name", _CosNaming.Istring_TYPE), ("value", _tc.ANY)])
NameValuePair_TYPE: _Final = _tc.alias("IDL:omg.org/CosLifeCycle/NameValuePair:1.0", "NameValuePair", NVP_TYPE)
Criteria_TYPE: _Final = _tc.alias("IDL:omg.org/CosLifeCycle/Criteria:1.0", "Criteria", _tc.sequence(NameValuePair_TYPE))
NoFactory_TYPE: _Final = _tc.exception("IDL:omg.org/CosLifeCycle/NoFactory:1.0", "NoFactory", [("search_key", Key_TYPE)])
InvalidCriteria_TYPE: _Final = _tc.exception("IDL:omg.org/CosLifeCycle/InvalidCriteria:1.0", "InvalidCriteria", [("invalid_criteria", Criteria_TYPE)])
CannotMeetCriteria_TYPE: _Final = _tc.exception("IDL:omg.org/CosLifeCycle/CannotMeetCriteria:1.0", "CannotMeetCriteria", [("unmet_criteria", Criteria_TYPE)])
GenericFactory_TYPE: _Final = _tc.objref("IDL:omg.org/CosLifeCycle/GenericFactory:1.0", "GenericFactory")

Key: _TypeAlias = "_CosNaming.Name"

def write_Key(w: _Writer, v: Key) -> None:
    _CosNaming.write_Name(w, v)

def read_Key(r: _Reader) -> Key:
    made = _CosNaming.read_Name(r)
    return made

class NVP(_NamedTuple):
    """struct CosLifeCycle::NVP"""
    name: _CosNaming.Istring
    value: _Value

def write_NVP(w: _Writer, v: NVP) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosLifeCycle::NVP", 2, v) from None
    w.string(a0)
    w.any(a1)

def read_NVP(r: _Reader) -> NVP:
    made = NVP(
        r.string(),
        r.any(),
    )
    return made

NameValuePair: _TypeAlias = "NVP"

def write_NameValuePair(w: _Writer, v: NameValuePair) -> None:
    write_NVP(w, v)

def read_NameValuePair(r: _Reader) -> NameValuePair:
    made = read_NVP(r)
    return made

Criteria: _TypeAlias = "_Sequence[NameValuePair]"

def write_Criteria(w: _Writer, v: Criteria) -> None:
    for x0 in _g.counted(w, v, "sequence<CosLifeCycle::NameValuePair>"):
        write_NameValuePair(w, x0)

def read_Criteria(r: _Reader) -> Criteria:
    made = tuple([read_NameValuePair(r) for _ in range(r.length(8))])
    return made

def write_NoFactory(w: _Writer, v: NoFactory) -> None:
    write_Key(w, v.search_key)

def read_NoFactory(r: _Reader) -> NoFactory:
    return NoFactory(
        read_Key(r),
    )

class NoFactory(_UserException):
    """exception CosLifeCycle::NoFactory"""

    ID = "IDL:omg.org/CosLifeCycle/NoFactory:1.0"
    TYPE = NoFactory_TYPE
    corba_id = "IDL:omg.org/CosLifeCycle/NoFactory:1.0"
    write = staticmethod(write_NoFactory)
    read = staticmethod(read_NoFactory)

    def __init__(self, search_key: Key) -> None:
        super().__init__(search_key)
        self.search_key = search_key

def write_InvalidCriteria(w: _Writer, v: InvalidCriteria) -> None:
    write_Criteria(w, v.invalid_criteria)

def read_InvalidCriteria(r: _Reader) -> InvalidCriteria:
    return InvalidCriteria(
        read_Criteria(r),
    )

class InvalidCriteria(_UserException):
    """exception CosLifeCycle::InvalidCriteria"""

    ID = "IDL:omg.org/CosLifeCycle/InvalidCriteria:1.0"
    TYPE = InvalidCriteria_TYPE
    corba_id = "IDL:omg.org/CosLifeCycle/InvalidCriteria:1.0"
    write = staticmethod(write_InvalidCriteria)
    read = staticmethod(read_InvalidCriteria)

    def __init__(self, invalid_criteria: Criteria) -> None:
        super().__init__(invalid_criteria)
        self.invalid_criteria = invalid_criteria

def write_CannotMeetCriteria(w: _Writer, v: CannotMeetCriteria) -> None:
    write_Criteria(w, v.unmet_criteria)

def read_CannotMeetCriteria(r: _Reader) -> CannotMeetCriteria:
    return CannotMeetCriteria(
        read_Criteria(r),
    )

class CannotMeetCriteria(_UserException):
    """exception CosLifeCycle::CannotMeetCriteria"""

    ID = "IDL:omg.org/CosLifeCycle/CannotMeetCriteria:1.0"
    TYPE = CannotMeetCriteria_TYPE
    corba_id = "IDL:omg.org/CosLifeCycle/CannotMeetCriteria:1.0"
    write = staticmethod(write_CannotMeetCriteria)
    read = staticmethod(read_CannotMeetCriteria)

    def __init__(self, unmet_criteria: Criteria) -> None:
        super().__init__(unmet_criteria)
        self.unmet_criteria = unmet_criteria

def _GenericFactory_supports_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of supports", 1, v) from None
    write_Key(w, a0)

def _GenericFactory_supports_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Key(r),
    )

def _GenericFactory_supports_write_out(w: _Writer, v: _Any) -> None:
    w.boolean(v)

def _GenericFactory_supports_read_out(r: _Reader) -> _Any:
    return r.boolean()

_GenericFactory_supports: _Final = _Operation(
    "supports",
    "supports",
    _GenericFactory_supports_write_in,
    _GenericFactory_supports_read_in,
    _GenericFactory_supports_write_out,
    _GenericFactory_supports_read_out,
    (),
    False,
)

def _GenericFactory_create_object_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of create_object", 2, v) from None
    write_Key(w, a0)
    write_Criteria(w, a1)

def _GenericFactory_create_object_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Key(r),
        read_Criteria(r),
    )

def _GenericFactory_create_object_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _GenericFactory_create_object_read_out(r: _Reader) -> _Any:
    return r.reference()

_GenericFactory_create_object: _Final = _Operation(
    "create_object",
    "create_object",
    _GenericFactory_create_object_write_in,
    _GenericFactory_create_object_read_in,
    _GenericFactory_create_object_write_out,
    _GenericFactory_create_object_read_out,
    (NoFactory, InvalidCriteria, CannotMeetCriteria, ),
    False,
)

GenericFactory_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosLifeCycle/GenericFactory:1.0",
    "CosLifeCycle::GenericFactory",
    (),
    {
        "supports": _GenericFactory_supports,
        "create_object": _GenericFactory_create_object,
    },
)

class GenericFactory(_Stub):
    """interface CosLifeCycle::GenericFactory"""

    __slots__ = ()
    INTERFACE = GenericFactory_INTERFACE

    async def supports(self, k: Key) -> bool:
        made: bool = await self._call(_GenericFactory_supports, (k, ))
        return made

    async def create_object(self, k: Key, the_criteria: Criteria) -> _Reference:
        made: _Reference = await self._call(_GenericFactory_create_object, (k, the_criteria, ))
        return made

class GenericFactoryServant(_Servant):
    """interface CosLifeCycle::GenericFactory"""

    INTERFACE = GenericFactory_INTERFACE

    async def supports(self, k: Key) -> bool:
        _g.not_done(self, "supports")

    async def create_object(self, k: Key, the_criteria: Criteria) -> _Reference:
        _g.not_done(self, "create_object")
