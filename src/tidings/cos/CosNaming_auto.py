"""What CosNaming.idl declares. Generated from it; changes belong there."""

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
    "Binding",
    "BindingIterator",
    "BindingIteratorServant",
    "BindingIterator_INTERFACE",
    "BindingIterator_TYPE",
    "BindingList",
    "BindingList_TYPE",
    "BindingType",
    "BindingType_TYPE",
    "Binding_TYPE",
    "Istring",
    "Istring_TYPE",
    "Name",
    "NameComponent",
    "NameComponent_TYPE",
    "Name_TYPE",
    "NamingContext",
    "NamingContextExt",
    "NamingContextExtServant",
    "NamingContextExt_Address",
    "NamingContextExt_Address_TYPE",
    "NamingContextExt_INTERFACE",
    "NamingContextExt_InvalidAddress",
    "NamingContextExt_InvalidAddress_TYPE",
    "NamingContextExt_StringName",
    "NamingContextExt_StringName_TYPE",
    "NamingContextExt_TYPE",
    "NamingContextExt_URLString",
    "NamingContextExt_URLString_TYPE",
    "NamingContextServant",
    "NamingContext_AlreadyBound",
    "NamingContext_AlreadyBound_TYPE",
    "NamingContext_CannotProceed",
    "NamingContext_CannotProceed_TYPE",
    "NamingContext_INTERFACE",
    "NamingContext_InvalidName",
    "NamingContext_InvalidName_TYPE",
    "NamingContext_NotEmpty",
    "NamingContext_NotEmpty_TYPE",
    "NamingContext_NotFound",
    "NamingContext_NotFoundReason",
    "NamingContext_NotFoundReason_TYPE",
    "NamingContext_NotFound_TYPE",
    "NamingContext_TYPE",
    "read_Binding",
    "read_BindingList",
    "read_BindingType",
    "read_Istring",
    "read_Name",
    "read_NameComponent",
    "read_NamingContextExt_Address",
    "read_NamingContextExt_InvalidAddress",
    "read_NamingContextExt_StringName",
    "read_NamingContextExt_URLString",
    "read_NamingContext_AlreadyBound",
    "read_NamingContext_CannotProceed",
    "read_NamingContext_InvalidName",
    "read_NamingContext_NotEmpty",
    "read_NamingContext_NotFound",
    "read_NamingContext_NotFoundReason",
    "write_Binding",
    "write_BindingList",
    "write_BindingType",
    "write_Istring",
    "write_Name",
    "write_NameComponent",
    "write_NamingContextExt_Address",
    "write_NamingContextExt_InvalidAddress",
    "write_NamingContextExt_StringName",
    "write_NamingContextExt_URLString",
    "write_NamingContext_AlreadyBound",
    "write_NamingContext_CannotProceed",
    "write_NamingContext_InvalidName",
    "write_NamingContext_NotEmpty",
    "write_NamingContext_NotFound",
    "write_NamingContext_NotFoundReason",
]

Istring_TYPE: _Final = _tc.alias("IDL:omg.org/CosNaming/Istring:1.0", "Istring", _tc.STRING)
NameComponent_TYPE: _Final = _tc.struct("IDL:omg.org/CosNaming/NameComponent:1.0", "NameComponent", [("id", Istring_TYPE), ("kind", Istring_TYPE)])
Name_TYPE: _Final = _tc.alias("IDL:omg.org/CosNaming/Name:1.0", "Name", _tc.sequence(NameComponent_TYPE))
BindingType_TYPE: _Final = _tc.enum("IDL:omg.org/CosNaming/BindingType:1.0", "BindingType", ["nobject", "ncontext"])
Binding_TYPE: _Final = _tc.struct("IDL:omg.org/CosNaming/Binding:1.0", "Binding", [("binding_name", Name_TYPE), ("binding_type", BindingType_TYPE)])
BindingList_TYPE: _Final = _tc.alias("IDL:omg.org/CosNaming/BindingList:1.0", "BindingList", _tc.sequence(Binding_TYPE))
NamingContext_NotFoundReason_TYPE: _Final = _tc.enum("IDL:omg.org/CosNaming/NamingContext/NotFoundReason:1.0", "NotFoundReason", ["missing_node", "not_context", "not_object"])
NamingContext_NotFound_TYPE: _Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/NotFound:1.0", "NotFound", [("why", NamingContext_NotFoundReason_TYPE), ("rest_of_name", Name_TYPE)])
NamingContext_TYPE: _Final = _tc.objref("IDL:omg.org/CosNaming/NamingContext:1.0", "NamingContext")
NamingContext_CannotProceed_TYPE: _Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0", "CannotProceed", [("cxt", NamingContext_TYPE), ("rest_of_name", Name_TYPE)])
NamingContext_InvalidName_TYPE: _Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0", "InvalidName", [])
NamingContext_AlreadyBound_TYPE: _Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/AlreadyBound:1.0", "AlreadyBound", [])
NamingContext_NotEmpty_TYPE: _Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/NotEmpty:1.0", "NotEmpty", [])
BindingIterator_TYPE: _Final = _tc.objref("IDL:omg.org/CosNaming/BindingIterator:1.0", "BindingIterator")
NamingContextExt_StringName_TYPE: _Final = _tc.alias("IDL:omg.org/CosNaming/NamingContextExt/StringName:1.0", "StringName", _tc.STRING)
NamingContextExt_Address_TYPE: _Final = _tc.alias("IDL:omg.org/CosNaming/NamingContextExt/Address:1.0", "Address", _tc.STRING)
NamingContextExt_URLString_TYPE: _Final = _tc.alias("IDL:omg.org/CosNaming/NamingContextExt/URLString:1.0", "URLString", _tc.STRING)
NamingContextExt_InvalidAddress_TYPE: _Final = _tc.exception("IDL:omg.org/CosNaming/NamingContextExt/InvalidAddress:1.0", "InvalidAddress", [])
NamingContextExt_TYPE: _Final = _tc.objref("IDL:omg.org/CosNaming/NamingContextExt:1.0", "NamingContextExt")

Istring: _TypeAlias = "str"

def write_Istring(w: _Writer, v: Istring) -> None:
    w.string(v)

def read_Istring(r: _Reader) -> Istring:
    made = r.string()
    return made

class NameComponent(_NamedTuple):
    """struct CosNaming::NameComponent"""
    id: Istring
    kind: Istring

def write_NameComponent(w: _Writer, v: NameComponent) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNaming::NameComponent", 2, v) from None
    w.string(a0)
    w.string(a1)

def read_NameComponent(r: _Reader) -> NameComponent:
    made = NameComponent(
        r.string(),
        r.string(),
    )
    return made

Name: _TypeAlias = "_Sequence[NameComponent]"

def write_Name(w: _Writer, v: Name) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNaming::NameComponent>"):
        write_NameComponent(w, x0)

def read_Name(r: _Reader) -> Name:
    made = tuple([read_NameComponent(r) for _ in range(r.length(8))])
    return made

class BindingType(_StrEnum):
    """enum CosNaming::BindingType"""
    nobject = "nobject"
    ncontext = "ncontext"

_labels_BindingType: _Final = tuple(BindingType)
_ordinals_BindingType: _Final = dict(zip(_labels_BindingType, range(2)))

def write_BindingType(w: _Writer, v: BindingType) -> None:
    try:
        w.ulong(_ordinals_BindingType[v])
    except _g.LOOKUP_FAULTS:
        raise _g.no_label("CosNaming::BindingType", v) from None

def read_BindingType(r: _Reader) -> BindingType:
    ordinal = r.ulong()
    if ordinal >= 2:
        raise _g.no_ordinal(r, "CosNaming::BindingType", ordinal)
    made = _labels_BindingType[ordinal]
    return made

class Binding(_NamedTuple):
    """struct CosNaming::Binding"""
    binding_name: Name
    binding_type: BindingType

def write_Binding(w: _Writer, v: Binding) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("CosNaming::Binding", 2, v) from None
    write_Name(w, a0)
    write_BindingType(w, a1)

def read_Binding(r: _Reader) -> Binding:
    made = Binding(
        read_Name(r),
        read_BindingType(r),
    )
    return made

BindingList: _TypeAlias = "_Sequence[Binding]"

def write_BindingList(w: _Writer, v: BindingList) -> None:
    for x0 in _g.counted(w, v, "sequence<CosNaming::Binding>"):
        write_Binding(w, x0)

def read_BindingList(r: _Reader) -> BindingList:
    made = tuple([read_Binding(r) for _ in range(r.length(8))])
    return made

class NamingContext_NotFoundReason(_StrEnum):
    """enum CosNaming::NamingContext::NotFoundReason"""
    missing_node = "missing_node"
    not_context = "not_context"
    not_object = "not_object"

_labels_NamingContext_NotFoundReason: _Final = tuple(NamingContext_NotFoundReason)
_ordinals_NamingContext_NotFoundReason: _Final = dict(zip(_labels_NamingContext_NotFoundReason, range(3)))

def write_NamingContext_NotFoundReason(w: _Writer, v: NamingContext_NotFoundReason) -> None:
    try:
        w.ulong(_ordinals_NamingContext_NotFoundReason[v])
    except _g.LOOKUP_FAULTS:
        raise _g.no_label("CosNaming::NamingContext::NotFoundReason", v) from None

def read_NamingContext_NotFoundReason(r: _Reader) -> NamingContext_NotFoundReason:
    ordinal = r.ulong()
    if ordinal >= 3:
        raise _g.no_ordinal(r, "CosNaming::NamingContext::NotFoundReason", ordinal)
    made = _labels_NamingContext_NotFoundReason[ordinal]
    return made

def write_NamingContext_NotFound(w: _Writer, v: NamingContext_NotFound) -> None:
    write_NamingContext_NotFoundReason(w, v.why)
    write_Name(w, v.rest_of_name)

def read_NamingContext_NotFound(r: _Reader) -> NamingContext_NotFound:
    return NamingContext_NotFound(
        read_NamingContext_NotFoundReason(r),
        read_Name(r),
    )

class NamingContext_NotFound(_UserException):
    """exception CosNaming::NamingContext::NotFound"""

    ID = "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0"
    TYPE = NamingContext_NotFound_TYPE
    corba_id = "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0"
    write = staticmethod(write_NamingContext_NotFound)
    read = staticmethod(read_NamingContext_NotFound)

    def __init__(self, why: NamingContext_NotFoundReason, rest_of_name: Name) -> None:
        super().__init__(why, rest_of_name)
        self.why = why
        self.rest_of_name = rest_of_name

def write_NamingContext_CannotProceed(w: _Writer, v: NamingContext_CannotProceed) -> None:
    w.reference(v.cxt)
    write_Name(w, v.rest_of_name)

def read_NamingContext_CannotProceed(r: _Reader) -> NamingContext_CannotProceed:
    return NamingContext_CannotProceed(
        r.reference(),
        read_Name(r),
    )

class NamingContext_CannotProceed(_UserException):
    """exception CosNaming::NamingContext::CannotProceed"""

    ID = "IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0"
    TYPE = NamingContext_CannotProceed_TYPE
    corba_id = "IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0"
    write = staticmethod(write_NamingContext_CannotProceed)
    read = staticmethod(read_NamingContext_CannotProceed)

    def __init__(self, cxt: _Reference, rest_of_name: Name) -> None:
        super().__init__(cxt, rest_of_name)
        self.cxt = cxt
        self.rest_of_name = rest_of_name

def write_NamingContext_InvalidName(w: _Writer, v: NamingContext_InvalidName) -> None:
    pass

def read_NamingContext_InvalidName(r: _Reader) -> NamingContext_InvalidName:
    return NamingContext_InvalidName(
    )

class NamingContext_InvalidName(_UserException):
    """exception CosNaming::NamingContext::InvalidName"""

    ID = "IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0"
    TYPE = NamingContext_InvalidName_TYPE
    corba_id = "IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0"
    write = staticmethod(write_NamingContext_InvalidName)
    read = staticmethod(read_NamingContext_InvalidName)

    def __init__(self) -> None:
        super().__init__()

def write_NamingContext_AlreadyBound(w: _Writer, v: NamingContext_AlreadyBound) -> None:
    pass

def read_NamingContext_AlreadyBound(r: _Reader) -> NamingContext_AlreadyBound:
    return NamingContext_AlreadyBound(
    )

class NamingContext_AlreadyBound(_UserException):
    """exception CosNaming::NamingContext::AlreadyBound"""

    ID = "IDL:omg.org/CosNaming/NamingContext/AlreadyBound:1.0"
    TYPE = NamingContext_AlreadyBound_TYPE
    corba_id = "IDL:omg.org/CosNaming/NamingContext/AlreadyBound:1.0"
    write = staticmethod(write_NamingContext_AlreadyBound)
    read = staticmethod(read_NamingContext_AlreadyBound)

    def __init__(self) -> None:
        super().__init__()

def write_NamingContext_NotEmpty(w: _Writer, v: NamingContext_NotEmpty) -> None:
    pass

def read_NamingContext_NotEmpty(r: _Reader) -> NamingContext_NotEmpty:
    return NamingContext_NotEmpty(
    )

class NamingContext_NotEmpty(_UserException):
    """exception CosNaming::NamingContext::NotEmpty"""

    ID = "IDL:omg.org/CosNaming/NamingContext/NotEmpty:1.0"
    TYPE = NamingContext_NotEmpty_TYPE
    corba_id = "IDL:omg.org/CosNaming/NamingContext/NotEmpty:1.0"
    write = staticmethod(write_NamingContext_NotEmpty)
    read = staticmethod(read_NamingContext_NotEmpty)

    def __init__(self) -> None:
        super().__init__()

def _NamingContext_bind_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of bind", 2, v) from None
    write_Name(w, a0)
    w.reference(a1)

def _NamingContext_bind_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Name(r),
        r.reference(),
    )

_NamingContext_bind: _Final = _Operation(
    "bind",
    "bind",
    _NamingContext_bind_write_in,
    _NamingContext_bind_read_in,
    _g.write_void,
    _g.read_void,
    (NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, NamingContext_AlreadyBound, ),
    False,
)

def _NamingContext_rebind_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of rebind", 2, v) from None
    write_Name(w, a0)
    w.reference(a1)

def _NamingContext_rebind_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Name(r),
        r.reference(),
    )

_NamingContext_rebind: _Final = _Operation(
    "rebind",
    "rebind",
    _NamingContext_rebind_write_in,
    _NamingContext_rebind_read_in,
    _g.write_void,
    _g.read_void,
    (NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, ),
    False,
)

def _NamingContext_bind_context_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of bind_context", 2, v) from None
    write_Name(w, a0)
    w.reference(a1)

def _NamingContext_bind_context_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Name(r),
        r.reference(),
    )

_NamingContext_bind_context: _Final = _Operation(
    "bind_context",
    "bind_context",
    _NamingContext_bind_context_write_in,
    _NamingContext_bind_context_read_in,
    _g.write_void,
    _g.read_void,
    (NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, NamingContext_AlreadyBound, ),
    False,
)

def _NamingContext_rebind_context_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of rebind_context", 2, v) from None
    write_Name(w, a0)
    w.reference(a1)

def _NamingContext_rebind_context_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Name(r),
        r.reference(),
    )

_NamingContext_rebind_context: _Final = _Operation(
    "rebind_context",
    "rebind_context",
    _NamingContext_rebind_context_write_in,
    _NamingContext_rebind_context_read_in,
    _g.write_void,
    _g.read_void,
    (NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, ),
    False,
)

def _NamingContext_resolve_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of resolve", 1, v) from None
    write_Name(w, a0)

def _NamingContext_resolve_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Name(r),
    )

def _NamingContext_resolve_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _NamingContext_resolve_read_out(r: _Reader) -> _Any:
    return r.reference()

_NamingContext_resolve: _Final = _Operation(
    "resolve",
    "resolve",
    _NamingContext_resolve_write_in,
    _NamingContext_resolve_read_in,
    _NamingContext_resolve_write_out,
    _NamingContext_resolve_read_out,
    (NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, ),
    False,
)

def _NamingContext_unbind_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of unbind", 1, v) from None
    write_Name(w, a0)

def _NamingContext_unbind_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Name(r),
    )

_NamingContext_unbind: _Final = _Operation(
    "unbind",
    "unbind",
    _NamingContext_unbind_write_in,
    _NamingContext_unbind_read_in,
    _g.write_void,
    _g.read_void,
    (NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, ),
    False,
)

def _NamingContext_new_context_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _NamingContext_new_context_read_out(r: _Reader) -> _Any:
    return r.reference()

_NamingContext_new_context: _Final = _Operation(
    "new_context",
    "new_context",
    _g.write_nothing,
    _g.read_nothing,
    _NamingContext_new_context_write_out,
    _NamingContext_new_context_read_out,
    (),
    False,
)

def _NamingContext_bind_new_context_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of bind_new_context", 1, v) from None
    write_Name(w, a0)

def _NamingContext_bind_new_context_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Name(r),
    )

def _NamingContext_bind_new_context_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _NamingContext_bind_new_context_read_out(r: _Reader) -> _Any:
    return r.reference()

_NamingContext_bind_new_context: _Final = _Operation(
    "bind_new_context",
    "bind_new_context",
    _NamingContext_bind_new_context_write_in,
    _NamingContext_bind_new_context_read_in,
    _NamingContext_bind_new_context_write_out,
    _NamingContext_bind_new_context_read_out,
    (NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, NamingContext_AlreadyBound, ),
    False,
)

_NamingContext_destroy: _Final = _Operation(
    "destroy",
    "destroy",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (NamingContext_NotEmpty, ),
    False,
)

def _NamingContext_list_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of list", 1, v) from None
    w.ulong(a0)

def _NamingContext_list_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.ulong(),
    )

def _NamingContext_list_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of list", 2, v) from None
    write_BindingList(w, a0)
    w.reference(a1)

def _NamingContext_list_read_out(r: _Reader) -> _Any:
    return (
        read_BindingList(r),
        r.reference(),
    )

_NamingContext_list: _Final = _Operation(
    "list",
    "list",
    _NamingContext_list_write_in,
    _NamingContext_list_read_in,
    _NamingContext_list_write_out,
    _NamingContext_list_read_out,
    (),
    False,
)

NamingContext_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNaming/NamingContext:1.0",
    "CosNaming::NamingContext",
    (),
    {
        "bind": _NamingContext_bind,
        "rebind": _NamingContext_rebind,
        "bind_context": _NamingContext_bind_context,
        "rebind_context": _NamingContext_rebind_context,
        "resolve": _NamingContext_resolve,
        "unbind": _NamingContext_unbind,
        "new_context": _NamingContext_new_context,
        "bind_new_context": _NamingContext_bind_new_context,
        "destroy": _NamingContext_destroy,
        "list": _NamingContext_list,
    },
)

class NamingContext(_Stub):
    """interface CosNaming::NamingContext"""

    __slots__ = ()
    INTERFACE = NamingContext_INTERFACE

    async def bind(self, n: Name, obj: _Reference) -> None:
        await self._call(_NamingContext_bind, (n, obj, ))

    async def rebind(self, n: Name, obj: _Reference) -> None:
        await self._call(_NamingContext_rebind, (n, obj, ))

    async def bind_context(self, n: Name, nc: _Reference) -> None:
        await self._call(_NamingContext_bind_context, (n, nc, ))

    async def rebind_context(self, n: Name, nc: _Reference) -> None:
        await self._call(_NamingContext_rebind_context, (n, nc, ))

    async def resolve(self, n: Name) -> _Reference:
        made: _Reference = await self._call(_NamingContext_resolve, (n, ))
        return made

    async def unbind(self, n: Name) -> None:
        await self._call(_NamingContext_unbind, (n, ))

    async def new_context(self) -> _Reference:
        made: _Reference = await self._call(_NamingContext_new_context, ())
        return made

    async def bind_new_context(self, n: Name) -> _Reference:
        made: _Reference = await self._call(_NamingContext_bind_new_context, (n, ))
        return made

    async def destroy(self) -> None:
        await self._call(_NamingContext_destroy, ())

    async def list(self, how_many: int) -> tuple[BindingList, _Reference]:
        made: tuple[BindingList, _Reference] = await self._call(_NamingContext_list, (how_many, ))
        return made

class NamingContextServant(_Servant):
    """interface CosNaming::NamingContext"""

    INTERFACE = NamingContext_INTERFACE

    async def bind(self, n: Name, obj: _Reference) -> None:
        _g.not_done(self, "bind")

    async def rebind(self, n: Name, obj: _Reference) -> None:
        _g.not_done(self, "rebind")

    async def bind_context(self, n: Name, nc: _Reference) -> None:
        _g.not_done(self, "bind_context")

    async def rebind_context(self, n: Name, nc: _Reference) -> None:
        _g.not_done(self, "rebind_context")

    async def resolve(self, n: Name) -> _Reference:
        _g.not_done(self, "resolve")

    async def unbind(self, n: Name) -> None:
        _g.not_done(self, "unbind")

    async def new_context(self) -> _Reference:
        _g.not_done(self, "new_context")

    async def bind_new_context(self, n: Name) -> _Reference:
        _g.not_done(self, "bind_new_context")

    async def destroy(self) -> None:
        _g.not_done(self, "destroy")

    async def list(self, how_many: int) -> tuple[BindingList, _Reference]:
        _g.not_done(self, "list")

def _BindingIterator_next_one_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of next_one", 2, v) from None
    w.boolean(a0)
    write_Binding(w, a1)

def _BindingIterator_next_one_read_out(r: _Reader) -> _Any:
    return (
        r.boolean(),
        read_Binding(r),
    )

_BindingIterator_next_one: _Final = _Operation(
    "next_one",
    "next_one",
    _g.write_nothing,
    _g.read_nothing,
    _BindingIterator_next_one_write_out,
    _BindingIterator_next_one_read_out,
    (),
    False,
)

def _BindingIterator_next_n_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of next_n", 1, v) from None
    w.ulong(a0)

def _BindingIterator_next_n_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.ulong(),
    )

def _BindingIterator_next_n_write_out(w: _Writer, v: _Any) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the result of next_n", 2, v) from None
    w.boolean(a0)
    write_BindingList(w, a1)

def _BindingIterator_next_n_read_out(r: _Reader) -> _Any:
    return (
        r.boolean(),
        read_BindingList(r),
    )

_BindingIterator_next_n: _Final = _Operation(
    "next_n",
    "next_n",
    _BindingIterator_next_n_write_in,
    _BindingIterator_next_n_read_in,
    _BindingIterator_next_n_write_out,
    _BindingIterator_next_n_read_out,
    (),
    False,
)

_BindingIterator_destroy: _Final = _Operation(
    "destroy",
    "destroy",
    _g.write_nothing,
    _g.read_nothing,
    _g.write_void,
    _g.read_void,
    (),
    False,
)

BindingIterator_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNaming/BindingIterator:1.0",
    "CosNaming::BindingIterator",
    (),
    {
        "next_one": _BindingIterator_next_one,
        "next_n": _BindingIterator_next_n,
        "destroy": _BindingIterator_destroy,
    },
)

class BindingIterator(_Stub):
    """interface CosNaming::BindingIterator"""

    __slots__ = ()
    INTERFACE = BindingIterator_INTERFACE

    async def next_one(self) -> tuple[bool, Binding]:
        made: tuple[bool, Binding] = await self._call(_BindingIterator_next_one, ())
        return made

    async def next_n(self, how_many: int) -> tuple[bool, BindingList]:
        made: tuple[bool, BindingList] = await self._call(_BindingIterator_next_n, (how_many, ))
        return made

    async def destroy(self) -> None:
        await self._call(_BindingIterator_destroy, ())

class BindingIteratorServant(_Servant):
    """interface CosNaming::BindingIterator"""

    INTERFACE = BindingIterator_INTERFACE

    async def next_one(self) -> tuple[bool, Binding]:
        _g.not_done(self, "next_one")

    async def next_n(self, how_many: int) -> tuple[bool, BindingList]:
        _g.not_done(self, "next_n")

    async def destroy(self) -> None:
        _g.not_done(self, "destroy")

NamingContextExt_StringName: _TypeAlias = "str"

def write_NamingContextExt_StringName(w: _Writer, v: NamingContextExt_StringName) -> None:
    w.string(v)

def read_NamingContextExt_StringName(r: _Reader) -> NamingContextExt_StringName:
    made = r.string()
    return made

NamingContextExt_Address: _TypeAlias = "str"

def write_NamingContextExt_Address(w: _Writer, v: NamingContextExt_Address) -> None:
    w.string(v)

def read_NamingContextExt_Address(r: _Reader) -> NamingContextExt_Address:
    made = r.string()
    return made

NamingContextExt_URLString: _TypeAlias = "str"

def write_NamingContextExt_URLString(w: _Writer, v: NamingContextExt_URLString) -> None:
    w.string(v)

def read_NamingContextExt_URLString(r: _Reader) -> NamingContextExt_URLString:
    made = r.string()
    return made

def write_NamingContextExt_InvalidAddress(w: _Writer, v: NamingContextExt_InvalidAddress) -> None:
    pass

def read_NamingContextExt_InvalidAddress(r: _Reader) -> NamingContextExt_InvalidAddress:
    return NamingContextExt_InvalidAddress(
    )

class NamingContextExt_InvalidAddress(_UserException):
    """exception CosNaming::NamingContextExt::InvalidAddress"""

    ID = "IDL:omg.org/CosNaming/NamingContextExt/InvalidAddress:1.0"
    TYPE = NamingContextExt_InvalidAddress_TYPE
    corba_id = "IDL:omg.org/CosNaming/NamingContextExt/InvalidAddress:1.0"
    write = staticmethod(write_NamingContextExt_InvalidAddress)
    read = staticmethod(read_NamingContextExt_InvalidAddress)

    def __init__(self) -> None:
        super().__init__()

def _NamingContextExt_to_string_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of to_string", 1, v) from None
    write_Name(w, a0)

def _NamingContextExt_to_string_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        read_Name(r),
    )

def _NamingContextExt_to_string_write_out(w: _Writer, v: _Any) -> None:
    w.string(v)

def _NamingContextExt_to_string_read_out(r: _Reader) -> _Any:
    return r.string()

_NamingContextExt_to_string: _Final = _Operation(
    "to_string",
    "to_string",
    _NamingContextExt_to_string_write_in,
    _NamingContextExt_to_string_read_in,
    _NamingContextExt_to_string_write_out,
    _NamingContextExt_to_string_read_out,
    (NamingContext_InvalidName, ),
    False,
)

def _NamingContextExt_to_name_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of to_name", 1, v) from None
    w.string(a0)

def _NamingContextExt_to_name_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.string(),
    )

def _NamingContextExt_to_name_write_out(w: _Writer, v: _Any) -> None:
    write_Name(w, v)

def _NamingContextExt_to_name_read_out(r: _Reader) -> _Any:
    return read_Name(r)

_NamingContextExt_to_name: _Final = _Operation(
    "to_name",
    "to_name",
    _NamingContextExt_to_name_write_in,
    _NamingContextExt_to_name_read_in,
    _NamingContextExt_to_name_write_out,
    _NamingContextExt_to_name_read_out,
    (NamingContext_InvalidName, ),
    False,
)

def _NamingContextExt_to_url_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of to_url", 2, v) from None
    w.string(a0)
    w.string(a1)

def _NamingContextExt_to_url_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.string(),
        r.string(),
    )

def _NamingContextExt_to_url_write_out(w: _Writer, v: _Any) -> None:
    w.string(v)

def _NamingContextExt_to_url_read_out(r: _Reader) -> _Any:
    return r.string()

_NamingContextExt_to_url: _Final = _Operation(
    "to_url",
    "to_url",
    _NamingContextExt_to_url_write_in,
    _NamingContextExt_to_url_read_in,
    _NamingContextExt_to_url_write_out,
    _NamingContextExt_to_url_read_out,
    (NamingContextExt_InvalidAddress, NamingContext_InvalidName, ),
    False,
)

def _NamingContextExt_resolve_str_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of resolve_str", 1, v) from None
    w.string(a0)

def _NamingContextExt_resolve_str_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.string(),
    )

def _NamingContextExt_resolve_str_write_out(w: _Writer, v: _Any) -> None:
    w.reference(v)

def _NamingContextExt_resolve_str_read_out(r: _Reader) -> _Any:
    return r.reference()

_NamingContextExt_resolve_str: _Final = _Operation(
    "resolve_str",
    "resolve_str",
    _NamingContextExt_resolve_str_write_in,
    _NamingContextExt_resolve_str_read_in,
    _NamingContextExt_resolve_str_write_out,
    _NamingContextExt_resolve_str_read_out,
    (NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, NamingContext_AlreadyBound, ),
    False,
)

NamingContextExt_INTERFACE: _Final = _Interface(
    "IDL:omg.org/CosNaming/NamingContextExt:1.0",
    "CosNaming::NamingContextExt",
    (NamingContext_INTERFACE, ),
    {
        **NamingContext_INTERFACE.operations,
        "to_string": _NamingContextExt_to_string,
        "to_name": _NamingContextExt_to_name,
        "to_url": _NamingContextExt_to_url,
        "resolve_str": _NamingContextExt_resolve_str,
    },
)

class NamingContextExt(NamingContext):
    """interface CosNaming::NamingContextExt"""

    __slots__ = ()
    INTERFACE = NamingContextExt_INTERFACE

    async def to_string(self, n: Name) -> NamingContextExt_StringName:
        made: NamingContextExt_StringName = await self._call(_NamingContextExt_to_string, (n, ))
        return made

    async def to_name(self, sn: NamingContextExt_StringName) -> Name:
        made: Name = await self._call(_NamingContextExt_to_name, (sn, ))
        return made

    async def to_url(self, addr: NamingContextExt_Address, sn: NamingContextExt_StringName) -> NamingContextExt_URLString:
        made: NamingContextExt_URLString = await self._call(_NamingContextExt_to_url, (addr, sn, ))
        return made

    async def resolve_str(self, n: NamingContextExt_StringName) -> _Reference:
        made: _Reference = await self._call(_NamingContextExt_resolve_str, (n, ))
        return made

class NamingContextExtServant(NamingContextServant):
    """interface CosNaming::NamingContextExt"""

    INTERFACE = NamingContextExt_INTERFACE

    async def to_string(self, n: Name) -> NamingContextExt_StringName:
        _g.not_done(self, "to_string")

    async def to_name(self, sn: NamingContextExt_StringName) -> Name:
        _g.not_done(self, "to_name")

    async def to_url(self, addr: NamingContextExt_Address, sn: NamingContextExt_StringName) -> NamingContextExt_URLString:
        _g.not_done(self, "to_url")

    async def resolve_str(self, n: NamingContextExt_StringName) -> _Reference:
        _g.not_done(self, "resolve_str")
