"""What CosNotifyFilter.idl declares. Generated from it; changes belong there."""

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
from tidings.cos import CosNotifyComm_auto as _CosNotifyComm

__all__ = [
    "CallbackID",
    "CallbackIDSeq",
    "CallbackIDSeq_TYPE",
    "CallbackID_TYPE",
    "CallbackNotFound",
    "CallbackNotFound_TYPE",
    "ConstraintExp",
    "ConstraintExpSeq",
    "ConstraintExpSeq_TYPE",
    "ConstraintExp_TYPE",
    "ConstraintID",
    "ConstraintIDSeq",
    "ConstraintIDSeq_TYPE",
    "ConstraintID_TYPE",
    "ConstraintInfo",
    "ConstraintInfoSeq",
    "ConstraintInfoSeq_TYPE",
    "ConstraintInfo_TYPE",
    "ConstraintNotFound",
    "ConstraintNotFound_TYPE",
    "DuplicateConstraintID",
    "DuplicateConstraintID_TYPE",
    "Filter",
    "FilterAdmin",
    "FilterAdminServant",
    "FilterAdmin_INTERFACE",
    "FilterAdmin_TYPE",
    "FilterFactory",
    "FilterFactoryServant",
    "FilterFactory_INTERFACE",
    "FilterFactory_TYPE",
    "FilterID",
    "FilterIDSeq",
    "FilterIDSeq_TYPE",
    "FilterID_TYPE",
    "FilterNotFound",
    "FilterNotFound_TYPE",
    "FilterServant",
    "Filter_INTERFACE",
    "Filter_TYPE",
    "InvalidConstraint",
    "InvalidConstraint_TYPE",
    "InvalidGrammar",
    "InvalidGrammar_TYPE",
    "InvalidValue",
    "InvalidValue_TYPE",
    "MappingConstraintInfo",
    "MappingConstraintInfoSeq",
    "MappingConstraintInfoSeq_TYPE",
    "MappingConstraintInfo_TYPE",
    "MappingConstraintPair",
    "MappingConstraintPairSeq",
    "MappingConstraintPairSeq_TYPE",
    "MappingConstraintPair_TYPE",
    "MappingFilter",
    "MappingFilterServant",
    "MappingFilter_INTERFACE",
    "MappingFilter_TYPE",
    "UnsupportedFilterableData",
    "UnsupportedFilterableData_TYPE",
    "read_CallbackID",
    "read_CallbackIDSeq",
    "read_CallbackNotFound",
    "read_ConstraintExp",
    "read_ConstraintExpSeq",
    "read_ConstraintID",
    "read_ConstraintIDSeq",
    "read_ConstraintInfo",
    "read_ConstraintInfoSeq",
    "read_ConstraintNotFound",
    "read_DuplicateConstraintID",
    "read_FilterID",
    "read_FilterIDSeq",
    "read_FilterNotFound",
    "read_InvalidConstraint",
    "read_InvalidGrammar",
    "read_InvalidValue",
    "read_MappingConstraintInfo",
    "read_MappingConstraintInfoSeq",
    "read_MappingConstraintPair",
    "read_MappingConstraintPairSeq",
    "read_UnsupportedFilterableData",
    "write_CallbackID",
    "write_CallbackIDSeq",
    "write_CallbackNotFound",
    "write_ConstraintExp",
    "write_ConstraintExpSeq",
    "write_ConstraintID",
    "write_ConstraintIDSeq",
    "write_ConstraintInfo",
    "write_ConstraintInfoSeq",
    "write_ConstraintNotFound",
    "write_DuplicateConstraintID",
    "write_FilterID",
    "write_FilterIDSeq",
    "write_FilterNotFound",
    "write_InvalidConstraint",
    "write_InvalidGrammar",
    "write_InvalidValue",
    "write_MappingConstraintInfo",
    "write_MappingConstraintInfoSeq",
    "write_MappingConstraintPair",
    "write_MappingConstraintPairSeq",
    "write_UnsupportedFilterableData",
]

ConstraintID_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/ConstraintID:1.0", "ConstraintID", _tc.LONG)
ConstraintIDSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/ConstraintIDSeq:1.0", "ConstraintIDSeq", _tc.sequence(ConstraintID_TYPE))
FilterID_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/FilterID:1.0", "FilterID", _tc.LONG)
FilterIDSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/FilterIDSeq:1.0", "FilterIDSeq", _tc.sequence(FilterID_TYPE))
CallbackID_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/CallbackID:1.0", "CallbackID", _tc.LONG)
CallbackIDSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/CallbackIDSeq:1.0", "CallbackIDSeq", _tc.sequence(CallbackID_TYPE))
ConstraintExp_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotifyFilter/ConstraintExp:1.0", "ConstraintExp", [("event_types", _CosNotification.EventTypeSeq_TYPE), ("constraint_expr", _tc.STRING)])
ConstraintExpSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/ConstraintExpSeq:1.0", "ConstraintExpSeq", _tc.sequence(ConstraintExp_TYPE))
ConstraintInfo_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotifyFilter/ConstraintInfo:1.0", "ConstraintInfo", [("constraint_expression", ConstraintExp_TYPE), ("constraint_id", ConstraintID_TYPE)])
ConstraintInfoSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/ConstraintInfoSeq:1.0", "ConstraintInfoSeq", _tc.sequence(ConstraintInfo_TYPE))
MappingConstraintPair_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotifyFilter/MappingConstraintPair:1.0", "MappingConstraintPair", [("constraint_expression", ConstraintExp_TYPE), ("result_to_set", _tc.ANY)])
MappingConstraintPairSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/MappingConstraintPairSeq:1.0", "MappingConstraintPairSeq", _tc.sequence(MappingConstraintPair_TYPE))
MappingConstraintInfo_TYPE: _Final = _tc.struct("IDL:omg.org/CosNotifyFilter/MappingConstraintInfo:1.0", "MappingConstraintInfo", [("constraint_expression", ConstraintExp_TYPE), ("constraint_id", ConstraintID_TYPE), ("value", _tc.ANY)])
MappingConstraintInfoSeq_TYPE: _Final = _tc.alias("IDL:omg.org/CosNotifyFilter/MappingConstraintInfoSeq:1.0", "MappingConstraintInfoSeq", _tc.sequence(MappingConstraintInfo_TYPE))
UnsupportedFilterableData_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyFilter/UnsupportedFilterableData:1.0", "UnsupportedFilterableData", [])
InvalidGrammar_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyFilter/InvalidGrammar:1.0", "InvalidGrammar", [])
InvalidConstraint_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyFilter/InvalidConstraint:1.0", "InvalidConstraint", [("constr", ConstraintExp_TYPE)])
DuplicateConstraintID_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyFilter/DuplicateConstraintID:1.0", "DuplicateConstraintID", [("id", ConstraintID_TYPE)])
ConstraintNotFound_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyFilter/ConstraintNotFound:1.0", "ConstraintNotFound", [("id", ConstraintID_TYPE)])
CallbackNotFound_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyFilter/CallbackNotFound:1.0", "CallbackNotFound", [])
InvalidValue_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyFilter/InvalidValue:1.0", "InvalidValue", [("constr", ConstraintExp_TYPE), ("value", _tc.ANY)])
FilterNotFound_TYPE: _Final = _tc.exception("IDL:omg.org/CosNotifyFilter/FilterNotFound:1.0", "FilterNotFound", [])
Filter_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyFilter/Filter:1.0", "Filter")
MappingFilter_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyFilter/MappingFilter:1.0", "MappingFilter")
FilterFactory_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyFilter/FilterFactory:1.0", "FilterFactory")
FilterAdmin_TYPE: _Final = _tc.objref("IDL:omg.org/CosNotifyFilter/FilterAdmin:1.0", "FilterAdmin")

ConstraintID: _TypeAlias = "int"

def write_ConstraintID(w: _Writer, v: ConstraintID) -> None:
    w.long(v)

def read_ConstraintID(r: _Reader) -> ConstraintID:
    made = r.long()
    return made

ConstraintIDSeq: _TypeAlias = "_Sequence[ConstraintID]"

def write_ConstraintIDSeq(w: _Writer, v: ConstraintIDSeq) -> None:
    w.numbers("i", 4, _g.counted(w, v, "sequence<CosNotifyFilter::ConstraintID>"), "long")

def read_ConstraintIDSeq(r: _Reader) -> ConstraintIDSeq:
    made = r.numbers("i", 4, r.length(4))
    return made

FilterID: _TypeAlias = "int"

def write_FilterID(w: _Writer, v: FilterID) -> None:
    w.long(v)

def read_FilterID(r: _Reader) -> FilterID:
    made = r.long()
    return made

FilterIDSeq: _TypeAlias = "_Sequence[FilterID]"

def write_FilterIDSeq(w: _Writer, v: FilterIDSeq) -> None:
    w.numbers("i", 4, _g.counted(w, v, "sequence<CosNotifyFilter::FilterID>"), "long")

def read_FilterIDSeq(r: _Reader) -> FilterIDSeq:
    made = r.numbers("i", 4, r.length(4))
    return made

CallbackID: _TypeAlias = "int"

def write_CallbackID(w: _Writer, v: CallbackID) -> None:
    w.long(v)

def read_CallbackID(r: _Reader) -> CallbackID:
    made = r.long()
    return made

CallbackIDSeq: _TypeAlias = "_Sequence[CallbackID]"

def write_CallbackIDSeq(w: _Writer, v: CallbackIDSeq) -> None:
    w.numbers("i", 4, _g.counted(w, v, "sequence<CosNotifyFilter::CallbackID>"), "long")

def read_CallbackIDSeq(r: _Reader) -> CallbackIDSeq:
    made = r.numbers("i", 4, r.length(4))
    return made

class ConstraintExp(_NamedTuple):
    """struct CosNotifyFilter::ConstraintExp"""
    event_types: _CosNotification.EventTypeSeq
    constraint_expr: str

def write_ConstraintExp(w: _Writer, v: ConstraintExp) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotifyFilter::ConstraintExp", 2, v) from None
    _CosNotification.write_EventTypeSeq(w, a0)
    w.string(a1)

def read_ConstraintExp(r: _Reader) -> ConstraintExp:
    made = ConstraintExp(
        _CosNotification.read_EventTypeSeq(r),
        r.string(),
    )
    return made

ConstraintExpSeq: _TypeAlias = "_Sequence[ConstraintExp]"

def write_ConstraintExpSeq(w: _Writer, v: ConstraintExpSeq) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNotifyFilter::ConstraintExp>"):
        write_ConstraintExp(w, x0)

def read_ConstraintExpSeq(r: _Reader) -> ConstraintExpSeq:
    made = tuple([read_ConstraintExp(r) for _ in range(r.length(8))])
    return made

class ConstraintInfo(_NamedTuple):
    """struct CosNotifyFilter::ConstraintInfo"""
    constraint_expression: ConstraintExp
    constraint_id: ConstraintID

def write_ConstraintInfo(w: _Writer, v: ConstraintInfo) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotifyFilter::ConstraintInfo", 2, v) from None
    write_ConstraintExp(w, a0)
    w.long(a1)

def read_ConstraintInfo(r: _Reader) -> ConstraintInfo:
    made = ConstraintInfo(
        read_ConstraintExp(r),
        r.long(),
    )
    return made

ConstraintInfoSeq: _TypeAlias = "_Sequence[ConstraintInfo]"

def write_ConstraintInfoSeq(w: _Writer, v: ConstraintInfoSeq) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNotifyFilter::ConstraintInfo>"):
        write_ConstraintInfo(w, x0)

def read_ConstraintInfoSeq(r: _Reader) -> ConstraintInfoSeq:
    made = tuple([read_ConstraintInfo(r) for _ in range(r.length(12))])
    return made

class MappingConstraintPair(_NamedTuple):
    """struct CosNotifyFilter::MappingConstraintPair"""
    constraint_expression: ConstraintExp
    result_to_set: _Value

def write_MappingConstraintPair(w: _Writer, v: MappingConstraintPair) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotifyFilter::MappingConstraintPair", 2, v) from None
    write_ConstraintExp(w, a0)
    w.any(a1)

def read_MappingConstraintPair(r: _Reader) -> MappingConstraintPair:
    made = MappingConstraintPair(
        read_ConstraintExp(r),
        r.any(),
    )
    return made

MappingConstraintPairSeq: _TypeAlias = "_Sequence[MappingConstraintPair]"

def write_MappingConstraintPairSeq(w: _Writer, v: MappingConstraintPairSeq) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNotifyFilter::MappingConstraintPair>"):
        write_MappingConstraintPair(w, x0)

def read_MappingConstraintPairSeq(r: _Reader) -> MappingConstraintPairSeq:
    made = tuple([read_MappingConstraintPair(r) for _ in range(r.length(12))])
    return made

class MappingConstraintInfo(_NamedTuple):
    """struct CosNotifyFilter::MappingConstraintInfo"""
    constraint_expression: ConstraintExp
    constraint_id: ConstraintID
    value: _Value

def write_MappingConstraintInfo(w: _Writer, v: MappingConstraintInfo) -> None:
    try:
        (a0, a1, a2, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNotifyFilter::MappingConstraintInfo", 3, v) from None
    write_ConstraintExp(w, a0)
    w.long(a1)
    w.any(a2)

def read_MappingConstraintInfo(r: _Reader) -> MappingConstraintInfo:
    made = MappingConstraintInfo(
        read_ConstraintExp(r),
        r.long(),
        r.any(),
    )
    return made

MappingConstraintInfoSeq: _TypeAlias = "_Sequence[MappingConstraintInfo]"

def write_MappingConstraintInfoSeq(w: _Writer, v: MappingConstraintInfoSeq) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNotifyFilter::MappingConstraintInfo>"):
        write_MappingConstraintInfo(w, x0)

def read_MappingConstraintInfoSeq(r: _Reader) -> MappingConstraintInfoSeq:
    made = tuple([read_MappingConstraintInfo(r) for _ in range(r.length(16))])
    return made

def write_UnsupportedFilterableData(w: _Writer, v: UnsupportedFilterableData) -> None:
    pass

def read_UnsupportedFilterableData(r: _Reader) -> UnsupportedFilterableData:
    return UnsupportedFilterableData(
    )

class UnsupportedFilterableData(_UserException):
    """exception CosNotifyFilter::UnsupportedFilterableData"""

    ID = "IDL:omg.org/CosNotifyFilter/UnsupportedFilterableData:1.0"
    TYPE = UnsupportedFilterableData_TYPE
    corba_id = "IDL:omg.org/CosNotifyFilter/UnsupportedFilterableData:1.0"
    write = staticmethod(write_UnsupportedFilterableData)
    read = staticmethod(read_UnsupportedFilterableData)

    def __init__(self) -> None:
        super().__init__()

def write_InvalidGrammar(w: _Writer, v: InvalidGrammar) -> None:
    pass

def read_InvalidGrammar(r: _Reader) -> InvalidGrammar:
    return InvalidGrammar(
    )

class InvalidGrammar(_UserException):
    """exception CosNotifyFilter::InvalidGrammar"""

    ID = "IDL:omg.org/CosNotifyFilter/InvalidGrammar:1.0"
    TYPE = InvalidGrammar_TYPE
    corba_id = "IDL:omg.org/CosNotifyFilter/InvalidGrammar:1.0"
    write = staticmethod(write_InvalidGrammar)
    read = staticmethod(read_InvalidGrammar)

    def __init__(self) -> None:
        super().__init__()

def write_InvalidConstraint(w: _Writer, v: InvalidConstraint) -> None:
    write_ConstraintExp(w, v.constr)

def read_InvalidConstraint(r: _Reader) -> InvalidConstraint:
    return InvalidConstraint(
        read_ConstraintExp(r),
    )

class InvalidConstraint(_UserException):
    """exception CosNotifyFilter::InvalidConstraint"""

    ID = "IDL:omg.org/CosNotifyFilter/InvalidConstraint:1.0"
    TYPE = InvalidConstraint_TYPE
    corba_id = "IDL:omg.org/CosNotifyFilter/InvalidConstraint:1.0"
    write = staticmethod(write_InvalidConstraint)
    read = staticmethod(read_InvalidConstraint)

    def __init__(self, constr: ConstraintExp) -> None:
        super().__init__(constr)
        self.constr = constr

def write_DuplicateConstraintID(w: _Writer, v: DuplicateConstraintID) -> None:
    w.long(v.id)

def read_DuplicateConstraintID(r: _Reader) -> DuplicateConstraintID:
    return DuplicateConstraintID(
        r.long(),
    )

class DuplicateConstraintID(_UserException):
    """exception CosNotifyFilter::DuplicateConstraintID"""

    ID = "IDL:omg.org/CosNotifyFilter/DuplicateConstraintID:1.0"
    TYPE = DuplicateConstraintID_TYPE
    corba_id = "IDL:omg.org/CosNotifyFilter/DuplicateConstraintID:1.0"
    write = staticmethod(write_DuplicateConstraintID)
    read = staticmethod(read_DuplicateConstraintID)

    def __init__(self, id: ConstraintID) -> None:
        super().__init__(id)
        self.id = id

def write_ConstraintNotFound(w: _Writer, v: ConstraintNotFound) -> None:
    w.long(v.id)

def read_ConstraintNotFound(r: _Reader) -> ConstraintNotFound:
    return ConstraintNotFound(
        r.long(),
    )

class ConstraintNotFound(_UserException):
    """exception CosNotifyFilter::ConstraintNotFound"""

    ID = "IDL:omg.org/CosNotifyFilter/ConstraintNotFound:1.0"
    TYPE = ConstraintNotFound_TYPE
    corba_id = "IDL:omg.org/CosNotifyFilter/ConstraintNotFound:1.0"
    write = staticmethod(write_ConstraintNotFound)
    read = staticmethod(read_ConstraintNotFound)

    def __init__(self, id: ConstraintID) -> None:
        super().__init__(id)
        self.id = id

def write_CallbackNotFound(w: _Writer, v: CallbackNotFound) -> None:
    pass

def read_CallbackNotFound(r: _Reader) -> CallbackNotFound:
    return CallbackNotFound(
    )

class CallbackNotFound(_UserException):
    """exception CosNotifyFilter::CallbackNotFound"""

    ID = "IDL:omg.org/CosNotifyFilter/CallbackNotFound:1.0"
    TYPE = CallbackNotFound_TYPE
    corba_id = "IDL:omg.org/CosNotifyFilter/CallbackNotFound:1.0"
    write = staticmethod(write_CallbackNotFound)
    read = staticmethod(read_CallbackNotFound)

    def __init__(self) -> None:
        super().__init__()

def write_InvalidValue(w: _Writer, v: InvalidValue) -> None:
    write_ConstraintExp(w, v.constr)
    w.any(v.value)

def read_InvalidValue(r: _Reader) -> InvalidValue:
    return InvalidValue(
        read_ConstraintExp(r),
        r.any(),
    )

class InvalidValue(_UserException):
    """exception CosNotifyFilter::InvalidValue"""

    ID = "IDL:omg.org/CosNotifyFilter/InvalidValue:1.0"
    TYPE = InvalidValue_TYPE
    corba_id = "IDL:omg.org/CosNotifyFilter/InvalidValue:1.0"
    write = staticmethod(write_InvalidValue)
    read = staticmethod(read_InvalidValue)

    def __init__(self, constr: ConstraintExp, value: _Value) -> None:
        super().__init__(constr, value)
        self.constr = constr
        self.value = value

def write_FilterNotFound(w: _Writer, v: FilterNotFound) -> None:
    pass

def read_FilterNotFound(r: _Reader) -> FilterNotFound:
    return FilterNotFound(
    )

class FilterNotFound(_UserException):
    """exception CosNotifyFilter::FilterNotFound"""

    ID = "IDL:omg.org/CosNotifyFilter/FilterNotFound:1.0"
    TYPE = FilterNotFound_TYPE
    corba_id = "IDL:omg.org/CosNotifyFilter/FilterNotFound:1.0"
    write = staticmethod(write_FilterNotFound)
    read = staticmethod(read_FilterNotFound)

    def __init__(self) -> None:
        super().__init__()

def _Filter_add_constraints_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of add_constraints", 1, v) from None
    write_ConstraintExpSeq(w, a0)

def _Filter_add_constraints_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ConstraintExpSeq(r),
    )

def _Filter_add_constraints_write_out(w: _Writer, v: _Any) -> None:
    write_ConstraintInfoSeq(w, v)

def _Filter_add_constraints_read_out(r: _Reader) -> _Any:
    return read_ConstraintInfoSeq(r)

_Filter_add_constraints: _Final = _Operation(
    "add_constraints",
    "add_constraints",
    _Filter_add_constraints_write_in,
    _Filter_add_constraints_read_in,
    _Filter_add_constraints_write_out,
    _Filter_add_constraints_read_out,
    (InvalidConstraint, ),
    False,
)

def _Filter_modify_constraints_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of modify_constraints", 2, v) from None
    write_ConstraintIDSeq(w, a0)
    write_ConstraintInfoSeq(w, a1)

def _Filter_modify_constraints_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ConstraintIDSeq(r),
        read_ConstraintInfoSeq(r),
    )

_Filter_modify_constraints: _Final = _Operation(
    "modify_constraints",
    "modify_constraints",
    _Filter_modify_constraints_write_in,
    _Filter_modify_constraints_read_in,
    _g.write_void,
    _g.read_void,
    (InvalidConstraint, ConstraintNotFound, ),
    False,
)

def _Filter_get_constraints_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of get_constraints", 1, v) from None
    write_ConstraintIDSeq(w, a0)

def _Filter_get_constraints_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ConstraintIDSeq(r),
    )

def _Filter_get_constraints_write_out(w: _Writer, v: _Any) -> None:
    write_ConstraintInfoSeq(w, v)

def _Filter_get_constraints_read_out(r: _Reader) -> _Any:
    return read_ConstraintInfoSeq(r)

_Filter_get_constraints: _Final = _Operation(
    "get_constraints",
    "get_constraints",
    _Filter_get_constraints_write_in,
    _Filter_get_constraints_read_in,
    _Filter_get_constraints_write_out,
    _Filter_get_constraints_read_out,
    (ConstraintNotFound, ),
    False,
)

def _Filter_get_all_constraints_write_out(w: _Writer, v: _Any) -> None:
    write_ConstraintInfoSeq(w, v)

def _Filter_get_all_constraints_read_out(r: _Reader) -> _Any:
    return read_ConstraintInfoSeq(r)

_Filter_get_all_constraints: _Final = _Operation(
    "get_all_constraints",
    "get_all_constraints",
    _g.write_nothing,
    _g.read_nothing,
    _Filter_get_all_constraints_write_out,
    _Filter_get_all_constraints_read_out,
    (),
    False,
)

_Filter_remove_all_constraints: _Final = _Operation(
    "remove_all_constraints",
    "remove_all_constraints",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

_Filter_destroy: _Final = _Operation(
    "destroy",
    "destroy",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

def _Filter_match_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of match", 1, v) from None
    w.any(a0)

def _Filter_match_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.any(),
    )

def _Filter_match_write_out(w: _Writer, v: _Any) -> None:
    w.boolean(v)

def _Filter_match_read_out(r: _Reader) -> _Any:
    return r.boolean()

_Filter_match: _Final = _Operation(
    "match",
    "match",
    _Filter_match_write_in,
    _Filter_match_read_in,
    _Filter_match_write_out,
    _Filter_match_read_out,
    (UnsupportedFilterableData, ),
    False,
)

def _Filter_match_structured_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of match_structured", 1, v) from None
    _CosNotification.write_StructuredEvent(w, a0)

def _Filter_match_structured_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_StructuredEvent(r),
    )

def _Filter_match_structured_write_out(w: _Writer, v: _Any) -> None:
    w.boolean(v)

def _Filter_match_structured_read_out(r: _Reader) -> _Any:
    return r.boolean()

_Filter_match_structured: _Final = _Operation(
    "match_structured",
    "match_structured",
    _Filter_match_structured_write_in,
    _Filter_match_structured_read_in,
    _Filter_match_structured_write_out,
    _Filter_match_structured_read_out,
    (UnsupportedFilterableData, ),
    False,
)

def _Filter_match_typed_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of match_typed", 1, v) from None
    _CosNotification.write_PropertySeq(w, a0)

def _Filter_match_typed_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_PropertySeq(r),
    )

def _Filter_match_typed_write_out(w: _Writer, v: _Any) -> None:
    w.boolean(v)

def _Filter_match_typed_read_out(r: _Reader) -> _Any:
    return r.boolean()

_Filter_match_typed: _Final = _Operation(
    "match_typed",
    "match_typed",
    _Filter_match_typed_write_in,
    _Filter_match_typed_read_in,
    _Filter_match_typed_write_out,
    _Filter_match_typed_read_out,
    (UnsupportedFilterableData, ),
    False,
)

def _Filter_attach_callback_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of attach_callback", 1, v) from None
    w.reference(a0)

def _Filter_attach_callback_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

def _Filter_attach_callback_write_out(w: _Writer, v: _Any) -> None:
    w.long(v)

def _Filter_attach_callback_read_out(r: _Reader) -> _Any:
    return r.long()

_Filter_attach_callback: _Final = _Operation(
    "attach_callback",
    "attach_callback",
    _Filter_attach_callback_write_in,
    _Filter_attach_callback_read_in,
    _Filter_attach_callback_write_out,
    _Filter_attach_callback_read_out,
    (),
    False,
)

def _Filter_detach_callback_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of detach_callback", 1, v) from None
    w.long(a0)

def _Filter_detach_callback_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

_Filter_detach_callback: _Final = _Operation(
    "detach_callback",
    "detach_callback",
    _Filter_detach_callback_write_in,
    _Filter_detach_callback_read_in,
    _g.write_void,
    _g.read_void,
    (CallbackNotFound, ),
    False,
)

def _Filter_get_callbacks_write_out(w: _Writer, v: _Any) -> None:
    write_CallbackIDSeq(w, v)

def _Filter_get_callbacks_read_out(r: _Reader) -> _Any:
    return read_CallbackIDSeq(r)

_Filter_get_callbacks: _Final = _Operation(
    "get_callbacks",
    "get_callbacks",
    _g.write_nothing,
    _g.read_nothing,
    _Filter_get_callbacks_write_out,
    _Filter_get_callbacks_read_out,
    (),
    False,
)

def _Filter_get_constraint_grammar_write_out(w: _Writer, v: _Any) -> None:
    w.string(v)

def _Filter_get_constraint_grammar_read_out(r: _Reader) -> _Any:
    return r.string()

_Filter_get_constraint_grammar: _Final = _Operation(
    "_get_constraint_grammar",
    "get_constraint_grammar",
    _g.write_nothing,
    _g.read_nothing,
    _Filter_get_constraint_grammar_write_out,
    _Filter_get_constraint_grammar_read_out,
    (),
    False,
)

Filter_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyFilter/Filter:1.0",
    "CosNotifyFilter::Filter",
    (),
    {
        "add_constraints": _Filter_add_constraints,
        "modify_constraints": _Filter_modify_constraints,
        "get_constraints": _Filter_get_constraints,
        "get_all_constraints": _Filter_get_all_constraints,
        "remove_all_constraints": _Filter_remove_all_constraints,
        "destroy": _Filter_destroy,
        "match": _Filter_match,
        "match_structured": _Filter_match_structured,
        "match_typed": _Filter_match_typed,
        "attach_callback": _Filter_attach_callback,
        "detach_callback": _Filter_detach_callback,
        "get_callbacks": _Filter_get_callbacks,
        "_get_constraint_grammar": _Filter_get_constraint_grammar,
    },
)

class Filter(_Stub):
    """interface CosNotifyFilter::Filter"""

    __slots__ = ()
    INTERFACE = Filter_INTERFACE

    async def add_constraints(self, constraint_list: ConstraintExpSeq) -> ConstraintInfoSeq:
        made: ConstraintInfoSeq = await self._call(_Filter_add_constraints, (constraint_list, ))
        return made

    async def modify_constraints(self, del_list: ConstraintIDSeq, modify_list: ConstraintInfoSeq) -> None:
        await self._call(_Filter_modify_constraints, (del_list, modify_list, ))

    async def get_constraints(self, id_list: ConstraintIDSeq) -> ConstraintInfoSeq:
        made: ConstraintInfoSeq = await self._call(_Filter_get_constraints, (id_list, ))
        return made

    async def get_all_constraints(self) -> ConstraintInfoSeq:
        made: ConstraintInfoSeq = await self._call(_Filter_get_all_constraints, ())
        return made

    async def remove_all_constraints(self) -> None:
        await self._call(_Filter_remove_all_constraints, ())

    async def destroy(self) -> None:
        await self._call(_Filter_destroy, ())

    async def match(self, filterable_data: _Value) -> bool:
        made: bool = await self._call(_Filter_match, (filterable_data, ))
        return made

    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> bool:
        made: bool = await self._call(_Filter_match_structured, (filterable_data, ))
        return made

    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> bool:
        made: bool = await self._call(_Filter_match_typed, (filterable_data, ))
        return made

    async def attach_callback(self, callback: _Reference) -> CallbackID:
        made: CallbackID = await self._call(_Filter_attach_callback, (callback, ))
        return made

    async def detach_callback(self, callback: CallbackID) -> None:
        await self._call(_Filter_detach_callback, (callback, ))

    async def get_callbacks(self) -> CallbackIDSeq:
        made: CallbackIDSeq = await self._call(_Filter_get_callbacks, ())
        return made

    async def get_constraint_grammar(self) -> str:
        made: str = await self._call(_Filter_get_constraint_grammar, ())
        return made

class FilterServant(_Servant):
    """interface CosNotifyFilter::Filter"""

    INTERFACE = Filter_INTERFACE

    async def add_constraints(self, constraint_list: ConstraintExpSeq) -> ConstraintInfoSeq:
        _g.not_done(self, "add_constraints")

    async def modify_constraints(self, del_list: ConstraintIDSeq, modify_list: ConstraintInfoSeq) -> None:
        _g.not_done(self, "modify_constraints")

    async def get_constraints(self, id_list: ConstraintIDSeq) -> ConstraintInfoSeq:
        _g.not_done(self, "get_constraints")

    async def get_all_constraints(self) -> ConstraintInfoSeq:
        _g.not_done(self, "get_all_constraints")

    async def remove_all_constraints(self) -> None:
        _g.not_done(self, "remove_all_constraints")

    async def destroy(self) -> None:
        _g.not_done(self, "destroy")

    async def match(self, filterable_data: _Value) -> bool:
        _g.not_done(self, "match")

    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> bool:
        _g.not_done(self, "match_structured")

    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> bool:
        _g.not_done(self, "match_typed")

    async def attach_callback(self, callback: _Reference) -> CallbackID:
        _g.not_done(self, "attach_callback")

    async def detach_callback(self, callback: CallbackID) -> None:
        _g.not_done(self, "detach_callback")

    async def get_callbacks(self) -> CallbackIDSeq:
        _g.not_done(self, "get_callbacks")

    async def get_constraint_grammar(self) -> str:
        _g.not_done(self, "get_constraint_grammar")

def _MappingFilter_add_mapping_constraints_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of add_mapping_constraints", 1, v) from None
    write_MappingConstraintPairSeq(w, a0)

def _MappingFilter_add_mapping_constraints_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_MappingConstraintPairSeq(r),
    )

def _MappingFilter_add_mapping_constraints_write_out(w: _Writer, v: _Any) -> None:
    write_MappingConstraintInfoSeq(w, v)

def _MappingFilter_add_mapping_constraints_read_out(r: _Reader) -> _Any:
    return read_MappingConstraintInfoSeq(r)

_MappingFilter_add_mapping_constraints: _Final = _Operation(
    "add_mapping_constraints",
    "add_mapping_constraints",
    _MappingFilter_add_mapping_constraints_write_in,
    _MappingFilter_add_mapping_constraints_read_in,
    _MappingFilter_add_mapping_constraints_write_out,
    _MappingFilter_add_mapping_constraints_read_out,
    (InvalidConstraint, InvalidValue, ),
    False,
)

def _MappingFilter_modify_mapping_constraints_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of modify_mapping_constraints", 2, v) from None
    write_ConstraintIDSeq(w, a0)
    write_MappingConstraintInfoSeq(w, a1)

def _MappingFilter_modify_mapping_constraints_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ConstraintIDSeq(r),
        read_MappingConstraintInfoSeq(r),
    )

_MappingFilter_modify_mapping_constraints: _Final = _Operation(
    "modify_mapping_constraints",
    "modify_mapping_constraints",
    _MappingFilter_modify_mapping_constraints_write_in,
    _MappingFilter_modify_mapping_constraints_read_in,
    _g.write_void,
    _g.read_void,
    (InvalidConstraint, InvalidValue, ConstraintNotFound, ),
    False,
)

def _MappingFilter_get_mapping_constraints_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of get_mapping_constraints", 1, v) from None
    write_ConstraintIDSeq(w, a0)

def _MappingFilter_get_mapping_constraints_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_ConstraintIDSeq(r),
    )

def _MappingFilter_get_mapping_constraints_write_out(w: _Writer, v: _Any) -> None:
    write_MappingConstraintInfoSeq(w, v)

def _MappingFilter_get_mapping_constraints_read_out(r: _Reader) -> _Any:
    return read_MappingConstraintInfoSeq(r)

_MappingFilter_get_mapping_constraints: _Final = _Operation(
    "get_mapping_constraints",
    "get_mapping_constraints",
    _MappingFilter_get_mapping_constraints_write_in,
    _MappingFilter_get_mapping_constraints_read_in,
    _MappingFilter_get_mapping_constraints_write_out,
    _MappingFilter_get_mapping_constraints_read_out,
    (ConstraintNotFound, ),
    False,
)

def _MappingFilter_get_all_mapping_constraints_write_out(w: _Writer, v: _Any) -> None:
    write_MappingConstraintInfoSeq(w, v)

def _MappingFilter_get_all_mapping_constraints_read_out(r: _Reader) -> _Any:
    return read_MappingConstraintInfoSeq(r)

_MappingFilter_get_all_mapping_constraints: _Final = _Operation(
    "get_all_mapping_constraints",
    "get_all_mapping_constraints",
    _g.write_nothing,
    _g.read_nothing,
    _MappingFilter_get_all_mapping_constraints_write_out,
    _MappingFilter_get_all_mapping_constraints_read_out,
    (),
    False,
)

_MappingFilter_remove_all_mapping_constraints: _Final = _Operation(
    "remove_all_mapping_constraints",
    "remove_all_mapping_constraints",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

_MappingFilter_destroy: _Final = _Operation(
    "destroy",
    "destroy",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

def _MappingFilter_match_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of match", 1, v) from None
    w.any(a0)

def _MappingFilter_match_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.any(),
    )

def _MappingFilter_match_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of match", 2, v) from None
    w.boolean(a0)
    w.any(a1)

def _MappingFilter_match_read_out(r: _Reader) -> _Any:
    return (
        r.boolean(),
        r.any(),
    )

_MappingFilter_match: _Final = _Operation(
    "match",
    "match",
    _MappingFilter_match_write_in,
    _MappingFilter_match_read_in,
    _MappingFilter_match_write_out,
    _MappingFilter_match_read_out,
    (UnsupportedFilterableData, ),
    False,
)

def _MappingFilter_match_structured_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of match_structured", 1, v) from None
    _CosNotification.write_StructuredEvent(w, a0)

def _MappingFilter_match_structured_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_StructuredEvent(r),
    )

def _MappingFilter_match_structured_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of match_structured", 2, v) from None
    w.boolean(a0)
    w.any(a1)

def _MappingFilter_match_structured_read_out(r: _Reader) -> _Any:
    return (
        r.boolean(),
        r.any(),
    )

_MappingFilter_match_structured: _Final = _Operation(
    "match_structured",
    "match_structured",
    _MappingFilter_match_structured_write_in,
    _MappingFilter_match_structured_read_in,
    _MappingFilter_match_structured_write_out,
    _MappingFilter_match_structured_read_out,
    (UnsupportedFilterableData, ),
    False,
)

def _MappingFilter_match_typed_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of match_typed", 1, v) from None
    _CosNotification.write_PropertySeq(w, a0)

def _MappingFilter_match_typed_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_PropertySeq(r),
    )

def _MappingFilter_match_typed_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of match_typed", 2, v) from None
    w.boolean(a0)
    w.any(a1)

def _MappingFilter_match_typed_read_out(r: _Reader) -> _Any:
    return (
        r.boolean(),
        r.any(),
    )

_MappingFilter_match_typed: _Final = _Operation(
    "match_typed",
    "match_typed",
    _MappingFilter_match_typed_write_in,
    _MappingFilter_match_typed_read_in,
    _MappingFilter_match_typed_write_out,
    _MappingFilter_match_typed_read_out,
    (UnsupportedFilterableData, ),
    False,
)

def _MappingFilter_get_constraint_grammar_write_out(w: _Writer, v: _Any) -> None:
    w.string(v)

def _MappingFilter_get_constraint_grammar_read_out(r: _Reader) -> _Any:
    return r.string()

_MappingFilter_get_constraint_grammar: _Final = _Operation(
    "_get_constraint_grammar",
    "get_constraint_grammar",
    _g.write_nothing,
    _g.read_nothing,
    _MappingFilter_get_constraint_grammar_write_out,
    _MappingFilter_get_constraint_grammar_read_out,
    (),
    False,
)

def _MappingFilter_get_value_type_write_out(w: _Writer, v: _Any) -> None:
    w.typecode(v)

def _MappingFilter_get_value_type_read_out(r: _Reader) -> _Any:
    return r.typecode()

_MappingFilter_get_value_type: _Final = _Operation(
    "_get_value_type",
    "get_value_type",
    _g.write_nothing,
    _g.read_nothing,
    _MappingFilter_get_value_type_write_out,
    _MappingFilter_get_value_type_read_out,
    (),
    False,
)

def _MappingFilter_get_default_value_write_out(w: _Writer, v: _Any) -> None:
    w.any(v)

def _MappingFilter_get_default_value_read_out(r: _Reader) -> _Any:
    return r.any()

_MappingFilter_get_default_value: _Final = _Operation(
    "_get_default_value",
    "get_default_value",
    _g.write_nothing,
    _g.read_nothing,
    _MappingFilter_get_default_value_write_out,
    _MappingFilter_get_default_value_read_out,
    (),
    False,
)

MappingFilter_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyFilter/MappingFilter:1.0",
    "CosNotifyFilter::MappingFilter",
    (),
    {
        "add_mapping_constraints": _MappingFilter_add_mapping_constraints,
        "modify_mapping_constraints": _MappingFilter_modify_mapping_constraints,
        "get_mapping_constraints": _MappingFilter_get_mapping_constraints,
        "get_all_mapping_constraints": _MappingFilter_get_all_mapping_constraints,
        "remove_all_mapping_constraints": _MappingFilter_remove_all_mapping_constraints,
        "destroy": _MappingFilter_destroy,
        "match": _MappingFilter_match,
        "match_structured": _MappingFilter_match_structured,
        "match_typed": _MappingFilter_match_typed,
        "_get_constraint_grammar": _MappingFilter_get_constraint_grammar,
        "_get_value_type": _MappingFilter_get_value_type,
        "_get_default_value": _MappingFilter_get_default_value,
    },
)

class MappingFilter(_Stub):
    """interface CosNotifyFilter::MappingFilter"""

    __slots__ = ()
    INTERFACE = MappingFilter_INTERFACE

    async def add_mapping_constraints(self, pair_list: MappingConstraintPairSeq) -> MappingConstraintInfoSeq:
        made: MappingConstraintInfoSeq = await self._call(_MappingFilter_add_mapping_constraints, (pair_list, ))
        return made

    async def modify_mapping_constraints(self, del_list: ConstraintIDSeq, modify_list: MappingConstraintInfoSeq) -> None:
        await self._call(_MappingFilter_modify_mapping_constraints, (del_list, modify_list, ))

    async def get_mapping_constraints(self, id_list: ConstraintIDSeq) -> MappingConstraintInfoSeq:
        made: MappingConstraintInfoSeq = await self._call(_MappingFilter_get_mapping_constraints, (id_list, ))
        return made

    async def get_all_mapping_constraints(self) -> MappingConstraintInfoSeq:
        made: MappingConstraintInfoSeq = await self._call(_MappingFilter_get_all_mapping_constraints, ())
        return made

    async def remove_all_mapping_constraints(self) -> None:
        await self._call(_MappingFilter_remove_all_mapping_constraints, ())

    async def destroy(self) -> None:
        await self._call(_MappingFilter_destroy, ())

    async def match(self, filterable_data: _Value) -> tuple[bool, _Value]:
        made: tuple[bool, _Value] = await self._call(_MappingFilter_match, (filterable_data, ))
        return made

    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> tuple[bool, _Value]:
        made: tuple[bool, _Value] = await self._call(_MappingFilter_match_structured, (filterable_data, ))
        return made

    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> tuple[bool, _Value]:
        made: tuple[bool, _Value] = await self._call(_MappingFilter_match_typed, (filterable_data, ))
        return made

    async def get_constraint_grammar(self) -> str:
        made: str = await self._call(_MappingFilter_get_constraint_grammar, ())
        return made

    async def get_value_type(self) -> _tc.TypeCode:
        made: _tc.TypeCode = await self._call(_MappingFilter_get_value_type, ())
        return made

    async def get_default_value(self) -> _Value:
        made: _Value = await self._call(_MappingFilter_get_default_value, ())
        return made

class MappingFilterServant(_Servant):
    """interface CosNotifyFilter::MappingFilter"""

    INTERFACE = MappingFilter_INTERFACE

    async def add_mapping_constraints(self, pair_list: MappingConstraintPairSeq) -> MappingConstraintInfoSeq:
        _g.not_done(self, "add_mapping_constraints")

    async def modify_mapping_constraints(self, del_list: ConstraintIDSeq, modify_list: MappingConstraintInfoSeq) -> None:
        _g.not_done(self, "modify_mapping_constraints")

    async def get_mapping_constraints(self, id_list: ConstraintIDSeq) -> MappingConstraintInfoSeq:
        _g.not_done(self, "get_mapping_constraints")

    async def get_all_mapping_constraints(self) -> MappingConstraintInfoSeq:
        _g.not_done(self, "get_all_mapping_constraints")

    async def remove_all_mapping_constraints(self) -> None:
        _g.not_done(self, "remove_all_mapping_constraints")

    async def destroy(self) -> None:
        _g.not_done(self, "destroy")

    async def match(self, filterable_data: _Value) -> tuple[bool, _Value]:
        _g.not_done(self, "match")

    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> tuple[bool, _Value]:
        _g.not_done(self, "match_structured")

    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> tuple[bool, _Value]:
        _g.not_done(self, "match_typed")

    async def get_constraint_grammar(self) -> str:
        _g.not_done(self, "get_constraint_grammar")

    async def get_value_type(self) -> _tc.TypeCode:
        _g.not_done(self, "get_value_type")

    async def get_default_value(self) -> _Value:
        _g.not_done(self, "get_default_value")

def _FilterFactory_create_filter_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of create_filter", 1, v) from None
    w.string(a0)

def _FilterFactory_create_filter_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.string(),
    )

def _FilterFactory_create_filter_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _FilterFactory_create_filter_read_out(r: _Reader) -> _Any:
    return r.reference()

_FilterFactory_create_filter: _Final = _Operation(
    "create_filter",
    "create_filter",
    _FilterFactory_create_filter_write_in,
    _FilterFactory_create_filter_read_in,
    _FilterFactory_create_filter_write_out,
    _FilterFactory_create_filter_read_out,
    (InvalidGrammar, ),
    False,
)

def _FilterFactory_create_mapping_filter_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of create_mapping_filter", 2, v) from None
    w.string(a0)
    w.any(a1)

def _FilterFactory_create_mapping_filter_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.string(),
        r.any(),
    )

def _FilterFactory_create_mapping_filter_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _FilterFactory_create_mapping_filter_read_out(r: _Reader) -> _Any:
    return r.reference()

_FilterFactory_create_mapping_filter: _Final = _Operation(
    "create_mapping_filter",
    "create_mapping_filter",
    _FilterFactory_create_mapping_filter_write_in,
    _FilterFactory_create_mapping_filter_read_in,
    _FilterFactory_create_mapping_filter_write_out,
    _FilterFactory_create_mapping_filter_read_out,
    (InvalidGrammar, ),
    False,
)

FilterFactory_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyFilter/FilterFactory:1.0",
    "CosNotifyFilter::FilterFactory",
    (),
    {
        "create_filter": _FilterFactory_create_filter,
        "create_mapping_filter": _FilterFactory_create_mapping_filter,
    },
)

class FilterFactory(_Stub):
    """interface CosNotifyFilter::FilterFactory"""

    __slots__ = ()
    INTERFACE = FilterFactory_INTERFACE

    async def create_filter(self, constraint_grammar: str) -> _Reference:
        made: _Reference = await self._call(_FilterFactory_create_filter, (constraint_grammar, ))
        return made

    async def create_mapping_filter(self, constraint_grammar: str, default_value: _Value) -> _Reference:
        made: _Reference = await self._call(_FilterFactory_create_mapping_filter, (constraint_grammar, default_value, ))
        return made

class FilterFactoryServant(_Servant):
    """interface CosNotifyFilter::FilterFactory"""

    INTERFACE = FilterFactory_INTERFACE

    async def create_filter(self, constraint_grammar: str) -> _Reference:
        _g.not_done(self, "create_filter")

    async def create_mapping_filter(self, constraint_grammar: str, default_value: _Value) -> _Reference:
        _g.not_done(self, "create_mapping_filter")

def _FilterAdmin_add_filter_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of add_filter", 1, v) from None
    w.reference(a0)

def _FilterAdmin_add_filter_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

def _FilterAdmin_add_filter_write_out(w: _Writer, v: _Any) -> None:
    w.long(v)

def _FilterAdmin_add_filter_read_out(r: _Reader) -> _Any:
    return r.long()

_FilterAdmin_add_filter: _Final = _Operation(
    "add_filter",
    "add_filter",
    _FilterAdmin_add_filter_write_in,
    _FilterAdmin_add_filter_read_in,
    _FilterAdmin_add_filter_write_out,
    _FilterAdmin_add_filter_read_out,
    (),
    False,
)

def _FilterAdmin_remove_filter_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of remove_filter", 1, v) from None
    w.long(a0)

def _FilterAdmin_remove_filter_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

_FilterAdmin_remove_filter: _Final = _Operation(
    "remove_filter",
    "remove_filter",
    _FilterAdmin_remove_filter_write_in,
    _FilterAdmin_remove_filter_read_in,
    _g.write_void,
    _g.read_void,
    (FilterNotFound, ),
    False,
)

def _FilterAdmin_get_filter_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of get_filter", 1, v) from None
    w.long(a0)

def _FilterAdmin_get_filter_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

def _FilterAdmin_get_filter_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _FilterAdmin_get_filter_read_out(r: _Reader) -> _Any:
    return r.reference()

_FilterAdmin_get_filter: _Final = _Operation(
    "get_filter",
    "get_filter",
    _FilterAdmin_get_filter_write_in,
    _FilterAdmin_get_filter_read_in,
    _FilterAdmin_get_filter_write_out,
    _FilterAdmin_get_filter_read_out,
    (FilterNotFound, ),
    False,
)

def _FilterAdmin_get_all_filters_write_out(w: _Writer, v: _Any) -> None:
    write_FilterIDSeq(w, v)

def _FilterAdmin_get_all_filters_read_out(r: _Reader) -> _Any:
    return read_FilterIDSeq(r)

_FilterAdmin_get_all_filters: _Final = _Operation(
    "get_all_filters",
    "get_all_filters",
    _g.write_nothing,
    _g.read_nothing,
    _FilterAdmin_get_all_filters_write_out,
    _FilterAdmin_get_all_filters_read_out,
    (),
    False,
)

_FilterAdmin_remove_all_filters: _Final = _Operation(
    "remove_all_filters",
    "remove_all_filters",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

FilterAdmin_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNotifyFilter/FilterAdmin:1.0",
    "CosNotifyFilter::FilterAdmin",
    (),
    {
        "add_filter": _FilterAdmin_add_filter,
        "remove_filter": _FilterAdmin_remove_filter,
        "get_filter": _FilterAdmin_get_filter,
        "get_all_filters": _FilterAdmin_get_all_filters,
        "remove_all_filters": _FilterAdmin_remove_all_filters,
    },
)

class FilterAdmin(_Stub):
    """interface CosNotifyFilter::FilterAdmin"""

    __slots__ = ()
    INTERFACE = FilterAdmin_INTERFACE

    async def add_filter(self, new_filter: _Reference) -> FilterID:
        made: FilterID = await self._call(_FilterAdmin_add_filter, (new_filter, ))
        return made

    async def remove_filter(self, filter: FilterID) -> None:
        await self._call(_FilterAdmin_remove_filter, (filter, ))

    async def get_filter(self, filter: FilterID) -> _Reference:
        made: _Reference = await self._call(_FilterAdmin_get_filter, (filter, ))
        return made

    async def get_all_filters(self) -> FilterIDSeq:
        made: FilterIDSeq = await self._call(_FilterAdmin_get_all_filters, ())
        return made

    async def remove_all_filters(self) -> None:
        await self._call(_FilterAdmin_remove_all_filters, ())

class FilterAdminServant(_Servant):
    """interface CosNotifyFilter::FilterAdmin"""

    INTERFACE = FilterAdmin_INTERFACE

    async def add_filter(self, new_filter: _Reference) -> FilterID:
        _g.not_done(self, "add_filter")

    async def remove_filter(self, filter: FilterID) -> None:
        _g.not_done(self, "remove_filter")

    async def get_filter(self, filter: FilterID) -> _Reference:
        _g.not_done(self, "get_filter")

    async def get_all_filters(self) -> FilterIDSeq:
        _g.not_done(self, "get_all_filters")

    async def remove_all_filters(self) -> None:
        _g.not_done(self, "remove_all_filters")
