"""What CosLifeCycle.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosNaming_auto as _CosNaming

_here: _g.Final = _g.Types(globals(), _CosNaming._here)

Key_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosLifeCycle/Key:1.0", "Key", _CosNaming.Name_TYPE)
NVP_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosLifeCycle/NVP:1.0", "NVP", [("name", _CosNaming.Istring_TYPE), ("value", _tc.ANY)])
NameValuePair_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosLifeCycle/NameValuePair:1.0", "NameValuePair", NVP_TYPE)
Criteria_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosLifeCycle/Criteria:1.0", "Criteria", _tc.sequence(NameValuePair_TYPE))
NoFactory_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosLifeCycle/NoFactory:1.0", "NoFactory", [("search_key", Key_TYPE)])
InvalidCriteria_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosLifeCycle/InvalidCriteria:1.0", "InvalidCriteria", [("invalid_criteria", Criteria_TYPE)])
CannotMeetCriteria_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosLifeCycle/CannotMeetCriteria:1.0", "CannotMeetCriteria", [("unmet_criteria", Criteria_TYPE)])
GenericFactory_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosLifeCycle/GenericFactory:1.0", "GenericFactory")

Key: _g.TypeAlias = "_CosNaming.Name"
read_Key: _g.Reads[Key] = _here.reads(Key_TYPE)
write_Key: _g.Writes[Key] = _here.writes(Key_TYPE)

class NVP(_g.NamedTuple):
    """struct CosLifeCycle::NVP"""
    name: _CosNaming.Istring
    value: _g.Value
read_NVP: _g.Reads[NVP] = _here.reads(NVP_TYPE)
write_NVP: _g.Writes[NVP] = _here.writes(NVP_TYPE)

NameValuePair: _g.TypeAlias = "NVP"
read_NameValuePair: _g.Reads[NameValuePair] = _here.reads(NameValuePair_TYPE)
write_NameValuePair: _g.Writes[NameValuePair] = _here.writes(NameValuePair_TYPE)

Criteria: _g.TypeAlias = "_g.Sequence[NameValuePair]"
read_Criteria: _g.Reads[Criteria] = _here.reads(Criteria_TYPE)
write_Criteria: _g.Writes[Criteria] = _here.writes(Criteria_TYPE)

read_NoFactory: _g.Reads[NoFactory] = _here.reads(NoFactory_TYPE)
write_NoFactory: _g.Writes[NoFactory] = _here.writes(NoFactory_TYPE)
class NoFactory(_g.UserException):
    """exception CosLifeCycle::NoFactory"""
    ID = corba_id = NoFactory_TYPE.id
    TYPE = NoFactory_TYPE
    read, write = staticmethod(read_NoFactory), staticmethod(write_NoFactory)
    __match_args__ = ("search_key", )
    def __init__(self, search_key: Key) -> None:
        super().__init__(search_key)
        self.search_key = search_key

read_InvalidCriteria: _g.Reads[InvalidCriteria] = _here.reads(InvalidCriteria_TYPE)
write_InvalidCriteria: _g.Writes[InvalidCriteria] = _here.writes(InvalidCriteria_TYPE)
class InvalidCriteria(_g.UserException):
    """exception CosLifeCycle::InvalidCriteria"""
    ID = corba_id = InvalidCriteria_TYPE.id
    TYPE = InvalidCriteria_TYPE
    read, write = staticmethod(read_InvalidCriteria), staticmethod(write_InvalidCriteria)
    __match_args__ = ("invalid_criteria", )
    def __init__(self, invalid_criteria: Criteria) -> None:
        super().__init__(invalid_criteria)
        self.invalid_criteria = invalid_criteria

read_CannotMeetCriteria: _g.Reads[CannotMeetCriteria] = _here.reads(CannotMeetCriteria_TYPE)
write_CannotMeetCriteria: _g.Writes[CannotMeetCriteria] = _here.writes(CannotMeetCriteria_TYPE)
class CannotMeetCriteria(_g.UserException):
    """exception CosLifeCycle::CannotMeetCriteria"""
    ID = corba_id = CannotMeetCriteria_TYPE.id
    TYPE = CannotMeetCriteria_TYPE
    read, write = staticmethod(read_CannotMeetCriteria), staticmethod(write_CannotMeetCriteria)
    __match_args__ = ("unmet_criteria", )
    def __init__(self, unmet_criteria: Criteria) -> None:
        super().__init__(unmet_criteria)
        self.unmet_criteria = unmet_criteria

GenericFactory_INTERFACE: _g.Final = _here.interface(
    GenericFactory_TYPE, "CosLifeCycle::GenericFactory", (),
    _here.operation("supports", takes={"k": Key_TYPE}, gives={"": _tc.BOOLEAN}),
    _here.operation("create_object", takes={"k": Key_TYPE, "the_criteria": Criteria_TYPE},
        gives={"": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")},
        raises=(NoFactory, InvalidCriteria, CannotMeetCriteria, )),
)

class GenericFactory(_g.Stub):
    """interface CosLifeCycle::GenericFactory"""
    __slots__ = ()
    INTERFACE = GenericFactory_INTERFACE
    async def supports(self, k: Key) -> bool: return await self._call("supports", k)
    async def create_object(self, k: Key, the_criteria: Criteria) -> _g.Reference:
        return await self._call("create_object", k, the_criteria)

class GenericFactoryServant(_g.Servant):
    """interface CosLifeCycle::GenericFactory"""
    INTERFACE = GenericFactory_INTERFACE
    async def supports(self, k: Key) -> bool: _g.not_done(self, "supports")
    async def create_object(self, k: Key, the_criteria: Criteria) -> _g.Reference: _g.not_done(self, "create_object")
