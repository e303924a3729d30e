"""What CosNaming.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

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
read_Istring: _g.Reads[Istring] = _here.reads(Istring_TYPE)
write_Istring: _g.Writes[Istring] = _here.writes(Istring_TYPE)

class NameComponent(_g.NamedTuple):
    """struct CosNaming::NameComponent"""
    id: Istring
    kind: Istring
read_NameComponent: _g.Reads[NameComponent] = _here.reads(NameComponent_TYPE)
write_NameComponent: _g.Writes[NameComponent] = _here.writes(NameComponent_TYPE)

Name: _g.TypeAlias = "_g.Sequence[NameComponent]"
read_Name: _g.Reads[Name] = _here.reads(Name_TYPE)
write_Name: _g.Writes[Name] = _here.writes(Name_TYPE)

class BindingType(_g.StrEnum):
    """enum CosNaming::BindingType"""
    nobject = "nobject"
    ncontext = "ncontext"
read_BindingType: _g.Reads[BindingType] = _here.reads(BindingType_TYPE)
write_BindingType: _g.Writes[BindingType] = _here.writes(BindingType_TYPE)

class Binding(_g.NamedTuple):
    """struct CosNaming::Binding"""
    binding_name: Name
    binding_type: BindingType
read_Binding: _g.Reads[Binding] = _here.reads(Binding_TYPE)
write_Binding: _g.Writes[Binding] = _here.writes(Binding_TYPE)

BindingList: _g.TypeAlias = "_g.Sequence[Binding]"
read_BindingList: _g.Reads[BindingList] = _here.reads(BindingList_TYPE)
write_BindingList: _g.Writes[BindingList] = _here.writes(BindingList_TYPE)

class NamingContext_NotFoundReason(_g.StrEnum):
    """enum CosNaming::NamingContext::NotFoundReason"""
    missing_node = "missing_node"
    not_context = "not_context"
    not_object = "not_object"
read_NamingContext_NotFoundReason: _g.Reads[NamingContext_NotFoundReason] = _here.reads(NamingContext_NotFoundReason_TYPE)
write_NamingContext_NotFoundReason: _g.Writes[NamingContext_NotFoundReason] = _here.writes(NamingContext_NotFoundReason_TYPE)

read_NamingContext_NotFound: _g.Reads[NamingContext_NotFound] = _here.reads(NamingContext_NotFound_TYPE)
write_NamingContext_NotFound: _g.Writes[NamingContext_NotFound] = _here.writes(NamingContext_NotFound_TYPE)
class NamingContext_NotFound(_g.UserException):
    """exception CosNaming::NamingContext::NotFound"""
    ID = corba_id = NamingContext_NotFound_TYPE.id
    TYPE = NamingContext_NotFound_TYPE
    read, write = staticmethod(read_NamingContext_NotFound), staticmethod(write_NamingContext_NotFound)
    __match_args__ = ("why", "rest_of_name", )
    def __init__(self, why: NamingContext_NotFoundReason, rest_of_name: Name) -> None:
        super().__init__(why, rest_of_name)
        self.why = why
        self.rest_of_name = rest_of_name

read_NamingContext_CannotProceed: _g.Reads[NamingContext_CannotProceed] = _here.reads(NamingContext_CannotProceed_TYPE)
write_NamingContext_CannotProceed: _g.Writes[NamingContext_CannotProceed] = _here.writes(NamingContext_CannotProceed_TYPE)
class NamingContext_CannotProceed(_g.UserException):
    """exception CosNaming::NamingContext::CannotProceed"""
    ID = corba_id = NamingContext_CannotProceed_TYPE.id
    TYPE = NamingContext_CannotProceed_TYPE
    read, write = staticmethod(read_NamingContext_CannotProceed), staticmethod(write_NamingContext_CannotProceed)
    __match_args__ = ("cxt", "rest_of_name", )
    def __init__(self, cxt: _g.Reference, rest_of_name: Name) -> None:
        super().__init__(cxt, rest_of_name)
        self.cxt = cxt
        self.rest_of_name = rest_of_name

read_NamingContext_InvalidName: _g.Reads[NamingContext_InvalidName] = _here.reads(NamingContext_InvalidName_TYPE)
write_NamingContext_InvalidName: _g.Writes[NamingContext_InvalidName] = _here.writes(NamingContext_InvalidName_TYPE)
class NamingContext_InvalidName(_g.UserException):
    """exception CosNaming::NamingContext::InvalidName"""
    ID = corba_id = NamingContext_InvalidName_TYPE.id
    TYPE = NamingContext_InvalidName_TYPE
    read, write = staticmethod(read_NamingContext_InvalidName), staticmethod(write_NamingContext_InvalidName)
    def __init__(self) -> None:
        super().__init__()

read_NamingContext_AlreadyBound: _g.Reads[NamingContext_AlreadyBound] = _here.reads(NamingContext_AlreadyBound_TYPE)
write_NamingContext_AlreadyBound: _g.Writes[NamingContext_AlreadyBound] = _here.writes(NamingContext_AlreadyBound_TYPE)
class NamingContext_AlreadyBound(_g.UserException):
    """exception CosNaming::NamingContext::AlreadyBound"""
    ID = corba_id = NamingContext_AlreadyBound_TYPE.id
    TYPE = NamingContext_AlreadyBound_TYPE
    read, write = staticmethod(read_NamingContext_AlreadyBound), staticmethod(write_NamingContext_AlreadyBound)
    def __init__(self) -> None:
        super().__init__()

read_NamingContext_NotEmpty: _g.Reads[NamingContext_NotEmpty] = _here.reads(NamingContext_NotEmpty_TYPE)
write_NamingContext_NotEmpty: _g.Writes[NamingContext_NotEmpty] = _here.writes(NamingContext_NotEmpty_TYPE)
class NamingContext_NotEmpty(_g.UserException):
    """exception CosNaming::NamingContext::NotEmpty"""
    ID = corba_id = NamingContext_NotEmpty_TYPE.id
    TYPE = NamingContext_NotEmpty_TYPE
    read, write = staticmethod(read_NamingContext_NotEmpty), staticmethod(write_NamingContext_NotEmpty)
    def __init__(self) -> None:
        super().__init__()

NamingContext_INTERFACE: _g.Final = _here.interface(
    NamingContext_TYPE, "CosNaming::NamingContext", (),
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
    _here.operation("list", takes={"how_many": _tc.ULONG}, gives={"bl": BindingList_TYPE, "bi": BindingIterator_TYPE}),
)

class NamingContext(_g.Stub):
    """interface CosNaming::NamingContext"""
    __slots__ = ()
    INTERFACE = NamingContext_INTERFACE
    async def bind(self, n: Name, obj: _g.Reference) -> None: await self._call("bind", n, obj)
    async def rebind(self, n: Name, obj: _g.Reference) -> None: await self._call("rebind", n, obj)
    async def bind_context(self, n: Name, nc: _g.Reference) -> None: await self._call("bind_context", n, nc)
    async def rebind_context(self, n: Name, nc: _g.Reference) -> None: await self._call("rebind_context", n, nc)
    async def resolve(self, n: Name) -> _g.Reference: return await self._call("resolve", n)
    async def unbind(self, n: Name) -> None: await self._call("unbind", n)
    async def new_context(self) -> _g.Reference: return await self._call("new_context")
    async def bind_new_context(self, n: Name) -> _g.Reference: return await self._call("bind_new_context", n)
    async def destroy(self) -> None: await self._call("destroy")
    async def list(self, how_many: int) -> tuple[BindingList, _g.Reference]: return await self._call("list", how_many)

class NamingContextServant(_g.Servant):
    """interface CosNaming::NamingContext"""
    INTERFACE = NamingContext_INTERFACE
    async def bind(self, n: Name, obj: _g.Reference) -> None: _g.not_done(self, "bind")
    async def rebind(self, n: Name, obj: _g.Reference) -> None: _g.not_done(self, "rebind")
    async def bind_context(self, n: Name, nc: _g.Reference) -> None: _g.not_done(self, "bind_context")
    async def rebind_context(self, n: Name, nc: _g.Reference) -> None: _g.not_done(self, "rebind_context")
    async def resolve(self, n: Name) -> _g.Reference: _g.not_done(self, "resolve")
    async def unbind(self, n: Name) -> None: _g.not_done(self, "unbind")
    async def new_context(self) -> _g.Reference: _g.not_done(self, "new_context")
    async def bind_new_context(self, n: Name) -> _g.Reference: _g.not_done(self, "bind_new_context")
    async def destroy(self) -> None: _g.not_done(self, "destroy")
    async def list(self, how_many: int) -> tuple[BindingList, _g.Reference]: _g.not_done(self, "list")

BindingIterator_INTERFACE: _g.Final = _here.interface(
    BindingIterator_TYPE, "CosNaming::BindingIterator", (),
    _here.operation("next_one", gives={"": _tc.BOOLEAN, "b": Binding_TYPE}),
    _here.operation("next_n", takes={"how_many": _tc.ULONG}, gives={"": _tc.BOOLEAN, "bl": BindingList_TYPE}),
    _here.operation("destroy"),
)

class BindingIterator(_g.Stub):
    """interface CosNaming::BindingIterator"""
    __slots__ = ()
    INTERFACE = BindingIterator_INTERFACE
    async def next_one(self) -> tuple[bool, Binding]: return await self._call("next_one")
    async def next_n(self, how_many: int) -> tuple[bool, BindingList]: return await self._call("next_n", how_many)
    async def destroy(self) -> None: await self._call("destroy")

class BindingIteratorServant(_g.Servant):
    """interface CosNaming::BindingIterator"""
    INTERFACE = BindingIterator_INTERFACE
    async def next_one(self) -> tuple[bool, Binding]: _g.not_done(self, "next_one")
    async def next_n(self, how_many: int) -> tuple[bool, BindingList]: _g.not_done(self, "next_n")
    async def destroy(self) -> None: _g.not_done(self, "destroy")

NamingContextExt_StringName: _g.TypeAlias = "str"
read_NamingContextExt_StringName: _g.Reads[NamingContextExt_StringName] = _here.reads(NamingContextExt_StringName_TYPE)
write_NamingContextExt_StringName: _g.Writes[NamingContextExt_StringName] = _here.writes(NamingContextExt_StringName_TYPE)

NamingContextExt_Address: _g.TypeAlias = "str"
read_NamingContextExt_Address: _g.Reads[NamingContextExt_Address] = _here.reads(NamingContextExt_Address_TYPE)
write_NamingContextExt_Address: _g.Writes[NamingContextExt_Address] = _here.writes(NamingContextExt_Address_TYPE)

NamingContextExt_URLString: _g.TypeAlias = "str"
read_NamingContextExt_URLString: _g.Reads[NamingContextExt_URLString] = _here.reads(NamingContextExt_URLString_TYPE)
write_NamingContextExt_URLString: _g.Writes[NamingContextExt_URLString] = _here.writes(NamingContextExt_URLString_TYPE)

read_NamingContextExt_InvalidAddress: _g.Reads[NamingContextExt_InvalidAddress] = _here.reads(NamingContextExt_InvalidAddress_TYPE)
write_NamingContextExt_InvalidAddress: _g.Writes[NamingContextExt_InvalidAddress] = _here.writes(NamingContextExt_InvalidAddress_TYPE)
class NamingContextExt_InvalidAddress(_g.UserException):
    """exception CosNaming::NamingContextExt::InvalidAddress"""
    ID = corba_id = NamingContextExt_InvalidAddress_TYPE.id
    TYPE = NamingContextExt_InvalidAddress_TYPE
    read, write = staticmethod(read_NamingContextExt_InvalidAddress), staticmethod(write_NamingContextExt_InvalidAddress)
    def __init__(self) -> None:
        super().__init__()

NamingContextExt_INTERFACE: _g.Final = _here.interface(
    NamingContextExt_TYPE, "CosNaming::NamingContextExt", (NamingContext_INTERFACE, ),
    _here.operation("to_string", takes={"n": Name_TYPE}, gives={"": NamingContextExt_StringName_TYPE}, raises=(NamingContext_InvalidName, )),
    _here.operation("to_name", takes={"sn": NamingContextExt_StringName_TYPE}, gives={"": Name_TYPE}, raises=(NamingContext_InvalidName, )),
    _here.operation("to_url", takes={"addr": NamingContextExt_Address_TYPE, "sn": NamingContextExt_StringName_TYPE},
        gives={"": NamingContextExt_URLString_TYPE}, raises=(NamingContextExt_InvalidAddress, NamingContext_InvalidName, )),
    _here.operation("resolve_str", takes={"n": NamingContextExt_StringName_TYPE},
        gives={"": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")},
        raises=(NamingContext_NotFound, NamingContext_CannotProceed, NamingContext_InvalidName, NamingContext_AlreadyBound, )),
)

class NamingContextExt(NamingContext):
    """interface CosNaming::NamingContextExt"""
    __slots__ = ()
    INTERFACE = NamingContextExt_INTERFACE
    async def to_string(self, n: Name) -> NamingContextExt_StringName: return await self._call("to_string", n)
    async def to_name(self, sn: NamingContextExt_StringName) -> Name: return await self._call("to_name", sn)
    async def to_url(self, addr: NamingContextExt_Address, sn: NamingContextExt_StringName) -> NamingContextExt_URLString:
        return await self._call("to_url", addr, sn)
    async def resolve_str(self, n: NamingContextExt_StringName) -> _g.Reference:
        return await self._call("resolve_str", n)

class NamingContextExtServant(NamingContextServant):
    """interface CosNaming::NamingContextExt"""
    INTERFACE = NamingContextExt_INTERFACE
    async def to_string(self, n: Name) -> NamingContextExt_StringName: _g.not_done(self, "to_string")
    async def to_name(self, sn: NamingContextExt_StringName) -> Name: _g.not_done(self, "to_name")
    async def to_url(self, addr: NamingContextExt_Address, sn: NamingContextExt_StringName) -> NamingContextExt_URLString:
        _g.not_done(self, "to_url")
    async def resolve_str(self, n: NamingContextExt_StringName) -> _g.Reference: _g.not_done(self, "resolve_str")
