"""What CosTradingRepos.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosTrading_auto as _CosTrading

_here: _g.Final = _g.Types(globals(), _CosTrading._here)

ServiceTypeRepository_ServiceTypeNameSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/ServiceTypeNameSeq:1.0", "ServiceTypeNameSeq", _tc.sequence(_CosTrading.ServiceTypeName_TYPE))
ServiceTypeRepository_PropertyMode_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/PropertyMode:1.0", "PropertyMode", [
    "PROP_NORMAL", "PROP_READONLY", "PROP_MANDATORY", "PROP_MANDATORY_READONLY"])
ServiceTypeRepository_PropStruct_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/PropStruct:1.0", "PropStruct", [
    ("name", _CosTrading.PropertyName_TYPE), ("value_type", _tc.TYPECODE), ("mode", ServiceTypeRepository_PropertyMode_TYPE)])
ServiceTypeRepository_PropStructSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/PropStructSeq:1.0", "PropStructSeq", _tc.sequence(ServiceTypeRepository_PropStruct_TYPE))
ServiceTypeRepository_Identifier_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/Identifier:1.0", "Identifier", _CosTrading.Istring_TYPE)
ServiceTypeRepository_IncarnationNumber_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/IncarnationNumber:1.0", "IncarnationNumber", [("high", _tc.ULONG), ("low", _tc.ULONG)])
ServiceTypeRepository_TypeStruct_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/TypeStruct:1.0", "TypeStruct", [
    ("if_name", ServiceTypeRepository_Identifier_TYPE), ("props", ServiceTypeRepository_PropStructSeq_TYPE),
        ("super_types", ServiceTypeRepository_ServiceTypeNameSeq_TYPE), ("masked", _tc.BOOLEAN),
        ("incarnation", ServiceTypeRepository_IncarnationNumber_TYPE)])
ServiceTypeRepository_ListOption_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/ListOption:1.0", "ListOption", ["all", "since"])
ServiceTypeRepository_SpecifiedServiceTypes_TYPE: _g.Final = _tc.union("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/SpecifiedServiceTypes:1.0", "SpecifiedServiceTypes", ServiceTypeRepository_ListOption_TYPE, [
    ('since', "incarnation", ServiceTypeRepository_IncarnationNumber_TYPE)])
ServiceTypeRepository_ServiceTypeExists_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/ServiceTypeExists:1.0", "ServiceTypeExists", [("name", _CosTrading.ServiceTypeName_TYPE)])
ServiceTypeRepository_InterfaceTypeMismatch_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/InterfaceTypeMismatch:1.0", "InterfaceTypeMismatch", [
    ("base_service", _CosTrading.ServiceTypeName_TYPE), ("base_if", ServiceTypeRepository_Identifier_TYPE),
        ("derived_service", _CosTrading.ServiceTypeName_TYPE), ("derived_if", ServiceTypeRepository_Identifier_TYPE)])
ServiceTypeRepository_HasSubTypes_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/HasSubTypes:1.0", "HasSubTypes", [
    ("the_type", _CosTrading.ServiceTypeName_TYPE), ("sub_type", _CosTrading.ServiceTypeName_TYPE)])
ServiceTypeRepository_AlreadyMasked_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/AlreadyMasked:1.0", "AlreadyMasked", [("name", _CosTrading.ServiceTypeName_TYPE)])
ServiceTypeRepository_NotMasked_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/NotMasked:1.0", "NotMasked", [("name", _CosTrading.ServiceTypeName_TYPE)])
ServiceTypeRepository_ValueTypeRedefinition_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/ValueTypeRedefinition:1.0", "ValueTypeRedefinition", [
    ("type_1", _CosTrading.ServiceTypeName_TYPE), ("definition_1", ServiceTypeRepository_PropStruct_TYPE),
        ("type_2", _CosTrading.ServiceTypeName_TYPE), ("definition_2", ServiceTypeRepository_PropStruct_TYPE)])
ServiceTypeRepository_DuplicateServiceTypeName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTradingRepos/ServiceTypeRepository/DuplicateServiceTypeName:1.0", "DuplicateServiceTypeName", [("name", _CosTrading.ServiceTypeName_TYPE)])
ServiceTypeRepository_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTradingRepos/ServiceTypeRepository:1.0", "ServiceTypeRepository")

ServiceTypeRepository_ServiceTypeNameSeq: _g.TypeAlias = "_g.Sequence[_CosTrading.ServiceTypeName]"

class ServiceTypeRepository_PropertyMode(_g.StrEnum):
    PROP_NORMAL = "PROP_NORMAL"
    PROP_READONLY = "PROP_READONLY"
    PROP_MANDATORY = "PROP_MANDATORY"
    PROP_MANDATORY_READONLY = "PROP_MANDATORY_READONLY"

class ServiceTypeRepository_PropStruct(_g.NamedTuple):
    name: _CosTrading.PropertyName
    value_type: _g.TypeCode
    mode: ServiceTypeRepository_PropertyMode

ServiceTypeRepository_PropStructSeq: _g.TypeAlias = "_g.Sequence[ServiceTypeRepository_PropStruct]"
ServiceTypeRepository_Identifier: _g.TypeAlias = "_CosTrading.Istring"

class ServiceTypeRepository_IncarnationNumber(_g.NamedTuple):
    high: int
    low: int

class ServiceTypeRepository_TypeStruct(_g.NamedTuple):
    if_name: ServiceTypeRepository_Identifier
    props: ServiceTypeRepository_PropStructSeq
    super_types: ServiceTypeRepository_ServiceTypeNameSeq
    masked: bool
    incarnation: ServiceTypeRepository_IncarnationNumber

class ServiceTypeRepository_ListOption(_g.StrEnum):
    all = "all"
    since = "since"

ServiceTypeRepository_SpecifiedServiceTypes = _g.UnionValue

class ServiceTypeRepository_ServiceTypeExists(_g.UserException, types=_here, type=ServiceTypeRepository_ServiceTypeExists_TYPE):
    name: _CosTrading.ServiceTypeName

class ServiceTypeRepository_InterfaceTypeMismatch(_g.UserException, types=_here, type=ServiceTypeRepository_InterfaceTypeMismatch_TYPE):
    base_service: _CosTrading.ServiceTypeName
    base_if: ServiceTypeRepository_Identifier
    derived_service: _CosTrading.ServiceTypeName
    derived_if: ServiceTypeRepository_Identifier

class ServiceTypeRepository_HasSubTypes(_g.UserException, types=_here, type=ServiceTypeRepository_HasSubTypes_TYPE):
    the_type: _CosTrading.ServiceTypeName
    sub_type: _CosTrading.ServiceTypeName

class ServiceTypeRepository_AlreadyMasked(_g.UserException, types=_here, type=ServiceTypeRepository_AlreadyMasked_TYPE):
    name: _CosTrading.ServiceTypeName

class ServiceTypeRepository_NotMasked(_g.UserException, types=_here, type=ServiceTypeRepository_NotMasked_TYPE):
    name: _CosTrading.ServiceTypeName

class ServiceTypeRepository_ValueTypeRedefinition(_g.UserException, types=_here, type=ServiceTypeRepository_ValueTypeRedefinition_TYPE):
    type_1: _CosTrading.ServiceTypeName
    definition_1: ServiceTypeRepository_PropStruct
    type_2: _CosTrading.ServiceTypeName
    definition_2: ServiceTypeRepository_PropStruct

class ServiceTypeRepository_DuplicateServiceTypeName(_g.UserException, types=_here, type=ServiceTypeRepository_DuplicateServiceTypeName_TYPE):
    name: _CosTrading.ServiceTypeName

ServiceTypeRepository_INTERFACE: _g.Final = _here.interface(ServiceTypeRepository_TYPE,
        "CosTradingRepos::ServiceTypeRepository", (),
    _here.operation("add_type",
        takes={"name": _CosTrading.ServiceTypeName_TYPE, "if_name": ServiceTypeRepository_Identifier_TYPE, "props": ServiceTypeRepository_PropStructSeq_TYPE, "super_types": ServiceTypeRepository_ServiceTypeNameSeq_TYPE},
        gives={"": ServiceTypeRepository_IncarnationNumber_TYPE},
        raises=(_CosTrading.IllegalServiceType, ServiceTypeRepository_ServiceTypeExists, ServiceTypeRepository_InterfaceTypeMismatch, _CosTrading.IllegalPropertyName, _CosTrading.DuplicatePropertyName, ServiceTypeRepository_ValueTypeRedefinition, _CosTrading.UnknownServiceType, ServiceTypeRepository_DuplicateServiceTypeName, )),
    _here.operation("remove_type", takes={"name": _CosTrading.ServiceTypeName_TYPE},
        raises=(_CosTrading.IllegalServiceType, _CosTrading.UnknownServiceType, ServiceTypeRepository_HasSubTypes, )),
    _here.operation("list_types", takes={"which_types": ServiceTypeRepository_SpecifiedServiceTypes_TYPE},
        gives={"": ServiceTypeRepository_ServiceTypeNameSeq_TYPE}),
    _here.operation("describe_type", takes={"name": _CosTrading.ServiceTypeName_TYPE}, gives={"": ServiceTypeRepository_TypeStruct_TYPE},
        raises=(_CosTrading.IllegalServiceType, _CosTrading.UnknownServiceType, )),
    _here.operation("fully_describe_type", takes={"name": _CosTrading.ServiceTypeName_TYPE},
        gives={"": ServiceTypeRepository_TypeStruct_TYPE},
        raises=(_CosTrading.IllegalServiceType, _CosTrading.UnknownServiceType, )),
    _here.operation("mask_type", takes={"name": _CosTrading.ServiceTypeName_TYPE},
        raises=(_CosTrading.IllegalServiceType, _CosTrading.UnknownServiceType, ServiceTypeRepository_AlreadyMasked, )),
    _here.operation("unmask_type", takes={"name": _CosTrading.ServiceTypeName_TYPE},
        raises=(_CosTrading.IllegalServiceType, _CosTrading.UnknownServiceType, ServiceTypeRepository_NotMasked, )),
    _here.operation("_get_incarnation", gives={"": ServiceTypeRepository_IncarnationNumber_TYPE}, method="get_incarnation"))
class _ServiceTypeRepository_methods:
    async def add_type(self, name: _CosTrading.ServiceTypeName, if_name: ServiceTypeRepository_Identifier, props: ServiceTypeRepository_PropStructSeq, super_types: ServiceTypeRepository_ServiceTypeNameSeq) -> ServiceTypeRepository_IncarnationNumber: ...
    async def remove_type(self, name: _CosTrading.ServiceTypeName) -> None: ...
    async def list_types(self, which_types: _g.UnionValue) -> ServiceTypeRepository_ServiceTypeNameSeq: ...
    async def describe_type(self, name: _CosTrading.ServiceTypeName) -> ServiceTypeRepository_TypeStruct: ...
    async def fully_describe_type(self, name: _CosTrading.ServiceTypeName) -> ServiceTypeRepository_TypeStruct: ...
    async def mask_type(self, name: _CosTrading.ServiceTypeName) -> None: ...
    async def unmask_type(self, name: _CosTrading.ServiceTypeName) -> None: ...
    async def get_incarnation(self) -> ServiceTypeRepository_IncarnationNumber: ...
class ServiceTypeRepository(_ServiceTypeRepository_methods, _g.Stub, of=ServiceTypeRepository_INTERFACE): ...
class ServiceTypeRepositoryServant(_ServiceTypeRepository_methods, _g.Servant, of=ServiceTypeRepository_INTERFACE): ...
