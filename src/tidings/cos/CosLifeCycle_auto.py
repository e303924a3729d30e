"""What CosLifeCycle.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

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

class NVP(_g.NamedTuple):
    name: _CosNaming.Istring
    value: _g.Value

NameValuePair: _g.TypeAlias = "NVP"
Criteria: _g.TypeAlias = "_g.Sequence[NameValuePair]"

class NoFactory(_g.UserException, types=_here, type=NoFactory_TYPE):
    search_key: Key

class InvalidCriteria(_g.UserException, types=_here, type=InvalidCriteria_TYPE):
    invalid_criteria: Criteria

class CannotMeetCriteria(_g.UserException, types=_here, type=CannotMeetCriteria_TYPE):
    unmet_criteria: Criteria

GenericFactory_INTERFACE: _g.Final = _here.interface(GenericFactory_TYPE, "CosLifeCycle::GenericFactory", (),
    _here.operation("supports", takes={"k": Key_TYPE}, gives={"": _tc.BOOLEAN}),
    _here.operation("create_object", takes={"k": Key_TYPE, "the_criteria": Criteria_TYPE},
        gives={"": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")},
        raises=(NoFactory, InvalidCriteria, CannotMeetCriteria, )))
class _GenericFactory_methods:
    async def supports(self, k: Key) -> bool: ...
    async def create_object(self, k: Key, the_criteria: Criteria) -> _g.Reference: ...
class GenericFactory(_GenericFactory_methods, _g.Stub, of=GenericFactory_INTERFACE): ...
class GenericFactoryServant(_GenericFactory_methods, _g.Servant, of=GenericFactory_INTERFACE): ...
