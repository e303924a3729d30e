"""What CosNaming.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g

_here: _g.Final = _g.Types(globals())

Istring_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNaming/Istring:1.0", "Istring", _tc.STRING)
NameComponent_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNaming/NameComponent:1.0", "NameComponent", [("id", Istring_TYPE), ("kind", Istring_TYPE)])
Name_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNaming/Name:1.0", "Name", _tc.sequence(NameComponent_TYPE))
BindingType_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosNaming/BindingType:1.0", "BindingType", ["nobject", "ncontext"])
Binding_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNaming/Binding:1.0", "Binding", [
    ("binding_name", Name_TYPE), ("binding_type", BindingType_TYPE)])
BindingList_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNaming/BindingList:1.0", "BindingList", _tc.sequence(Binding_TYPE))
NamingContext_NotFoundReason_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosNaming/NamingContext/NotFoundReason:1.0", "NotFoundReason", ["missing_node", "not_context", "not_object"])
NamingContext_NotFound_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/NotFound:1.0", "NotFound", [
    ("why", NamingContext_NotFoundReason_TYPE), ("rest_of_name", Name_TYPE)])
NamingContext_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNaming/NamingContext:1.0", "NamingContext")
NamingContext_CannotProceed_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0", "CannotProceed", [("cxt", NamingContext_TYPE), ("rest_of_name", Name_TYPE)])
NamingContext_InvalidName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0", "InvalidName", [])
NamingContext_AlreadyBound_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/AlreadyBound:1.0", "AlreadyBound", [])
NamingContext_NotEmpty_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNaming/NamingContext/NotEmpty:1.0", "NotEmpty", [])
BindingIterator_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNaming/BindingIterator:1.0", "BindingIterator")
NamingContextExt_StringName_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNaming/NamingContextExt/StringName:1.0", "StringName", _tc.STRING)
NamingContextExt_Address_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNaming/NamingContextExt/Address:1.0", "Address", _tc.STRING)
NamingContextExt_URLString_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNaming/NamingContextExt/URLString:1.0", "URLString", _tc.STRING)
NamingContextExt_InvalidAddress_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNaming/NamingContextExt/InvalidAddress:1.0", "InvalidAddress", [])
NamingContextExt_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNaming/NamingContextExt:1.0", "NamingContextExt")

Istring: _g.TypeAlias = "str"

class NameComponent(_g.NamedTuple):
    id: Istring
    kind: Istring

Name: _g.TypeAlias = "_g.Sequence[NameComponent]"

class BindingType(_g.StrEnum):
    nobject = "nobject"
    ncontext = "ncontext"

class Binding(_g.NamedTuple):
    binding_name: Name
    binding_type: BindingType

BindingList: _g.TypeAlias = "_g.Sequence[Binding]"

class NamingContext_NotFoundReason(_g.StrEnum):
    missing_node = "missing_node"
    not_context = "not_context"
    not_object = "not_object"

class NamingContext_NotFound(_g.UserException, types=_here, type=NamingContext_NotFound_TYPE):
    why: NamingContext_NotFoundReason
    rest_of_name: Name

class NamingContext_CannotProceed(_g.UserException, types=_here, type=NamingContext_CannotProceed_TYPE):
    cxt: _g.Reference
    rest_of_name: Name

class NamingContext_InvalidName(_g.UserException, types=_here, type=NamingContext_InvalidName_TYPE): ...
class NamingContext_AlreadyBound(_g.UserException, types=_here, type=NamingContext_AlreadyBound_TYPE): ...
class NamingContext_NotEmpty(_g.UserException, types=_here, type=NamingContext_NotEmpty_TYPE): ...

NamingContext_INTERFACE: _g.Final = _here.interface(NamingContext_TYPE, "CosNaming::NamingContext", (),
    _here.operation("bind", takes={"n": Name_TYPE, "obj": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")},
        raises=(NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, NamingContext_AlreadyBound, )),
    _here.operation("rebind", takes={"n": Name_TYPE, "obj": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")},
        raises=(NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, )),
    _here.operation("bind_context", takes={"n": Name_TYPE, "nc": NamingContext_TYPE},
        raises=(NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, NamingContext_AlreadyBound, )),
    _here.operation("rebind_context", takes={"n": Name_TYPE, "nc": NamingContext_TYPE},
        raises=(NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, )),
    _here.operation("resolve", takes={"n": Name_TYPE}, gives={"": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")},
        raises=(NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, )),
    _here.operation("unbind", takes={"n": Name_TYPE},
        raises=(NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, )),
    _here.operation("new_context", gives={"": NamingContext_TYPE}),
    _here.operation("bind_new_context", takes={"n": Name_TYPE}, gives={"": NamingContext_TYPE},
        raises=(NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, NamingContext_AlreadyBound, )),
    _here.operation("destroy", raises=(NamingContext_NotEmpty, )),
    _here.operation("list", takes={"how_many": _tc.ULONG}, gives={"bl": BindingList_TYPE, "bi": BindingIterator_TYPE}))
class _NamingContext_methods:
    async def bind(self, n: Name, obj: _g.Reference) -> None: ...
    async def rebind(self, n: Name, obj: _g.Reference) -> None: ...
    async def bind_context(self, n: Name, nc: _g.Reference) -> None: ...
    async def rebind_context(self, n: Name, nc: _g.Reference) -> None: ...
    async def resolve(self, n: Name) -> _g.Reference: ...
    async def unbind(self, n: Name) -> None: ...
    async def new_context(self) -> _g.Reference: ...
    async def bind_new_context(self, n: Name) -> _g.Reference: ...
    async def destroy(self) -> None: ...
    async def list(self, how_many: int) -> tuple[BindingList, _g.Reference]: ...
class NamingContext(_NamingContext_methods, _g.Stub, of=NamingContext_INTERFACE): ...
class NamingContextServant(_NamingContext_methods, _g.Servant, of=NamingContext_INTERFACE): ...

BindingIterator_INTERFACE: _g.Final = _here.interface(BindingIterator_TYPE, "CosNaming::BindingIterator", (),
    _here.operation("next_one", gives={"": _tc.BOOLEAN, "b": Binding_TYPE}),
    _here.operation("next_n", takes={"how_many": _tc.ULONG}, gives={"": _tc.BOOLEAN, "bl": BindingList_TYPE}),
    _here.operation("destroy"))
class _BindingIterator_methods:
    async def next_one(self) -> tuple[bool, Binding]: ...
    async def next_n(self, how_many: int) -> tuple[bool, BindingList]: ...
    async def destroy(self) -> None: ...
class BindingIterator(_BindingIterator_methods, _g.Stub, of=BindingIterator_INTERFACE): ...
class BindingIteratorServant(_BindingIterator_methods, _g.Servant, of=BindingIterator_INTERFACE): ...

NamingContextExt_StringName: _g.TypeAlias = "str"
NamingContextExt_Address: _g.TypeAlias = "str"
NamingContextExt_URLString: _g.TypeAlias = "str"
class NamingContextExt_InvalidAddress(_g.UserException, types=_here, type=NamingContextExt_InvalidAddress_TYPE): ...

NamingContextExt_INTERFACE: _g.Final = _here.interface(NamingContextExt_TYPE, "CosNaming::NamingContextExt",
        (NamingContext_INTERFACE, ),
    _here.operation("to_string", takes={"n": Name_TYPE}, gives={"": NamingContextExt_StringName_TYPE}, raises=(NamingContext_InvalidName, )),
    _here.operation("to_name", takes={"sn": NamingContextExt_StringName_TYPE}, gives={"": Name_TYPE}, raises=(NamingContext_InvalidName, )),
    _here.operation("to_url", takes={"addr": NamingContextExt_Address_TYPE, "sn": NamingContextExt_StringName_TYPE},
        gives={"": NamingContextExt_URLString_TYPE}, raises=(NamingContextExt_InvalidAddress, NamingContext_InvalidName, )),
    _here.operation("resolve_str", takes={"n": NamingContextExt_StringName_TYPE},
        gives={"": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")},
        raises=(NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, NamingContext_AlreadyBound, )))
class _NamingContextExt_methods:
    async def to_string(self, n: Name) -> NamingContextExt_StringName: ...
    async def to_name(self, sn: NamingContextExt_StringName) -> Name: ...
    async def to_url(self, addr: NamingContextExt_Address, sn: NamingContextExt_StringName) -> NamingContextExt_URLString: ...
    async def resolve_str(self, n: NamingContextExt_StringName) -> _g.Reference: ...
class NamingContextExt(_NamingContextExt_methods, NamingContext, of=NamingContextExt_INTERFACE): ...
class NamingContextExtServant(_NamingContextExt_methods, NamingContextServant, of=NamingContextExt_INTERFACE): ...
