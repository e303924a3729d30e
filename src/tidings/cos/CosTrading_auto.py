"""What CosTrading.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g

_here: _g.Final = _g.Types(globals())

Istring_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/Istring:1.0", "Istring", _tc.STRING)
TypeRepository_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/TypeRepository:1.0", "TypeRepository", _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object"))
PropertyName_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/PropertyName:1.0", "PropertyName", Istring_TYPE)
PropertyNameSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/PropertyNameSeq:1.0", "PropertyNameSeq", _tc.sequence(PropertyName_TYPE))
PropertyValue_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/PropertyValue:1.0", "PropertyValue", _tc.ANY)
Property_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTrading/Property:1.0", "Property", [("name", PropertyName_TYPE), ("value", PropertyValue_TYPE)])
PropertySeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/PropertySeq:1.0", "PropertySeq", _tc.sequence(Property_TYPE))
Offer_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTrading/Offer:1.0", "Offer", [
    ("reference", _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")), ("properties", PropertySeq_TYPE)])
OfferSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/OfferSeq:1.0", "OfferSeq", _tc.sequence(Offer_TYPE))
OfferId_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/OfferId:1.0", "OfferId", _tc.STRING)
OfferIdSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/OfferIdSeq:1.0", "OfferIdSeq", _tc.sequence(OfferId_TYPE))
ServiceTypeName_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/ServiceTypeName:1.0", "ServiceTypeName", Istring_TYPE)
Constraint_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/Constraint:1.0", "Constraint", Istring_TYPE)
FollowOption_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosTrading/FollowOption:1.0", "FollowOption", ["local_only", "if_no_local", "always"])
LinkName_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/LinkName:1.0", "LinkName", Istring_TYPE)
LinkNameSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/LinkNameSeq:1.0", "LinkNameSeq", _tc.sequence(LinkName_TYPE))
TraderName_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/TraderName:1.0", "TraderName", LinkNameSeq_TYPE)
PolicyName_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/PolicyName:1.0", "PolicyName", _tc.STRING)
PolicyNameSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/PolicyNameSeq:1.0", "PolicyNameSeq", _tc.sequence(PolicyName_TYPE))
PolicyValue_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/PolicyValue:1.0", "PolicyValue", _tc.ANY)
Policy_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTrading/Policy:1.0", "Policy", [("name", PolicyName_TYPE), ("value", PolicyValue_TYPE)])
PolicySeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/PolicySeq:1.0", "PolicySeq", _tc.sequence(Policy_TYPE))
UnknownMaxLeft_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/UnknownMaxLeft:1.0", "UnknownMaxLeft", [])
NotImplemented_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/NotImplemented:1.0", "NotImplemented", [])
IllegalServiceType_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/IllegalServiceType:1.0", "IllegalServiceType", [("type", ServiceTypeName_TYPE)])
UnknownServiceType_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/UnknownServiceType:1.0", "UnknownServiceType", [("type", ServiceTypeName_TYPE)])
IllegalPropertyName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/IllegalPropertyName:1.0", "IllegalPropertyName", [("name", PropertyName_TYPE)])
DuplicatePropertyName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/DuplicatePropertyName:1.0", "DuplicatePropertyName", [("name", PropertyName_TYPE)])
PropertyTypeMismatch_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/PropertyTypeMismatch:1.0", "PropertyTypeMismatch", [("type", ServiceTypeName_TYPE), ("prop", Property_TYPE)])
MissingMandatoryProperty_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/MissingMandatoryProperty:1.0", "MissingMandatoryProperty", [("type", ServiceTypeName_TYPE), ("name", PropertyName_TYPE)])
ReadonlyDynamicProperty_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/ReadonlyDynamicProperty:1.0", "ReadonlyDynamicProperty", [("type", ServiceTypeName_TYPE), ("name", PropertyName_TYPE)])
IllegalConstraint_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/IllegalConstraint:1.0", "IllegalConstraint", [("constr", Constraint_TYPE)])
Lookup_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/Lookup:1.0", "Lookup")
InvalidLookupRef_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/InvalidLookupRef:1.0", "InvalidLookupRef", [("target", Lookup_TYPE)])
IllegalOfferId_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/IllegalOfferId:1.0", "IllegalOfferId", [("id", OfferId_TYPE)])
UnknownOfferId_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/UnknownOfferId:1.0", "UnknownOfferId", [("id", OfferId_TYPE)])
DuplicatePolicyName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/DuplicatePolicyName:1.0", "DuplicatePolicyName", [("name", PolicyName_TYPE)])
TraderComponents_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/TraderComponents:1.0", "TraderComponents")
SupportAttributes_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/SupportAttributes:1.0", "SupportAttributes")
ImportAttributes_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/ImportAttributes:1.0", "ImportAttributes")
LinkAttributes_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/LinkAttributes:1.0", "LinkAttributes")
Lookup_Preference_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/Lookup/Preference:1.0", "Preference", Istring_TYPE)
Lookup_HowManyProps_TYPE: _g.Final = _tc.enum("IDL:omg.org/CosTrading/Lookup/HowManyProps:1.0", "HowManyProps", ["none", "some", "all"])
Lookup_SpecifiedProps_TYPE: _g.Final = _tc.union("IDL:omg.org/CosTrading/Lookup/SpecifiedProps:1.0", "SpecifiedProps", Lookup_HowManyProps_TYPE, [('some', "prop_names", PropertyNameSeq_TYPE)])
Lookup_IllegalPreference_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Lookup/IllegalPreference:1.0", "IllegalPreference", [("pref", Lookup_Preference_TYPE)])
Lookup_IllegalPolicyName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Lookup/IllegalPolicyName:1.0", "IllegalPolicyName", [("name", PolicyName_TYPE)])
Lookup_PolicyTypeMismatch_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Lookup/PolicyTypeMismatch:1.0", "PolicyTypeMismatch", [("the_policy", Policy_TYPE)])
Lookup_InvalidPolicyValue_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Lookup/InvalidPolicyValue:1.0", "InvalidPolicyValue", [("the_policy", Policy_TYPE)])
Register_OfferInfo_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTrading/Register/OfferInfo:1.0", "OfferInfo", [
    ("reference", _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")), ("type", ServiceTypeName_TYPE),
        ("properties", PropertySeq_TYPE)])
Register_InvalidObjectRef_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/InvalidObjectRef:1.0", "InvalidObjectRef", [
    ("ref", _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object"))])
Register_UnknownPropertyName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/UnknownPropertyName:1.0", "UnknownPropertyName", [("name", PropertyName_TYPE)])
Register_InterfaceTypeMismatch_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/InterfaceTypeMismatch:1.0", "InterfaceTypeMismatch", [
    ("type", ServiceTypeName_TYPE), ("reference", _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object"))])
Register_ProxyOfferId_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/ProxyOfferId:1.0", "ProxyOfferId", [("id", OfferId_TYPE)])
Register_MandatoryProperty_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/MandatoryProperty:1.0", "MandatoryProperty", [("type", ServiceTypeName_TYPE), ("name", PropertyName_TYPE)])
Register_ReadonlyProperty_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/ReadonlyProperty:1.0", "ReadonlyProperty", [("type", ServiceTypeName_TYPE), ("name", PropertyName_TYPE)])
Register_NoMatchingOffers_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/NoMatchingOffers:1.0", "NoMatchingOffers", [("constr", Constraint_TYPE)])
Register_IllegalTraderName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/IllegalTraderName:1.0", "IllegalTraderName", [("name", TraderName_TYPE)])
Register_UnknownTraderName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/UnknownTraderName:1.0", "UnknownTraderName", [("name", TraderName_TYPE)])
Register_RegisterNotSupported_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Register/RegisterNotSupported:1.0", "RegisterNotSupported", [("name", TraderName_TYPE)])
Register_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/Register:1.0", "Register")
Link_LinkInfo_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTrading/Link/LinkInfo:1.0", "LinkInfo", [
    ("target", Lookup_TYPE), ("target_reg", Register_TYPE), ("def_pass_on_follow_rule", FollowOption_TYPE),
        ("limiting_follow_rule", FollowOption_TYPE)])
Link_IllegalLinkName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Link/IllegalLinkName:1.0", "IllegalLinkName", [("name", LinkName_TYPE)])
Link_UnknownLinkName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Link/UnknownLinkName:1.0", "UnknownLinkName", [("name", LinkName_TYPE)])
Link_DuplicateLinkName_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Link/DuplicateLinkName:1.0", "DuplicateLinkName", [("name", LinkName_TYPE)])
Link_DefaultFollowTooPermissive_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Link/DefaultFollowTooPermissive:1.0", "DefaultFollowTooPermissive", [
    ("def_pass_on_follow_rule", FollowOption_TYPE), ("limiting_follow_rule", FollowOption_TYPE)])
Link_LimitingFollowTooPermissive_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Link/LimitingFollowTooPermissive:1.0", "LimitingFollowTooPermissive", [
    ("limiting_follow_rule", FollowOption_TYPE), ("max_link_follow_policy", FollowOption_TYPE)])
Link_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/Link:1.0", "Link")
Proxy_ConstraintRecipe_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/Proxy/ConstraintRecipe:1.0", "ConstraintRecipe", Istring_TYPE)
Proxy_ProxyInfo_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTrading/Proxy/ProxyInfo:1.0", "ProxyInfo", [
    ("type", ServiceTypeName_TYPE), ("target", Lookup_TYPE), ("properties", PropertySeq_TYPE), ("if_match_all", _tc.BOOLEAN),
        ("recipe", Proxy_ConstraintRecipe_TYPE), ("policies_to_pass_on", PolicySeq_TYPE)])
Proxy_IllegalRecipe_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Proxy/IllegalRecipe:1.0", "IllegalRecipe", [("recipe", Proxy_ConstraintRecipe_TYPE)])
Proxy_NotProxyOfferId_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTrading/Proxy/NotProxyOfferId:1.0", "NotProxyOfferId", [("id", OfferId_TYPE)])
Proxy_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/Proxy:1.0", "Proxy")
Admin_OctetSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosTrading/Admin/OctetSeq:1.0", "OctetSeq", _tc.sequence(_tc.OCTET))
Admin_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/Admin:1.0", "Admin")
OfferIterator_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/OfferIterator:1.0", "OfferIterator")
OfferIdIterator_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTrading/OfferIdIterator:1.0", "OfferIdIterator")

Istring: _g.TypeAlias = "str"
TypeRepository: _g.TypeAlias = "_g.Reference"
PropertyName: _g.TypeAlias = "Istring"
PropertyNameSeq: _g.TypeAlias = "_g.Sequence[PropertyName]"
PropertyValue: _g.TypeAlias = "_g.Value"

class Property(_g.NamedTuple):
    name: PropertyName
    value: PropertyValue

PropertySeq: _g.TypeAlias = "_g.Sequence[Property]"

class Offer(_g.NamedTuple):
    reference: _g.Reference
    properties: PropertySeq

OfferSeq: _g.TypeAlias = "_g.Sequence[Offer]"
OfferId: _g.TypeAlias = "str"
OfferIdSeq: _g.TypeAlias = "_g.Sequence[OfferId]"
ServiceTypeName: _g.TypeAlias = "Istring"
Constraint: _g.TypeAlias = "Istring"

class FollowOption(_g.StrEnum):
    local_only = "local_only"
    if_no_local = "if_no_local"
    always = "always"

LinkName: _g.TypeAlias = "Istring"
LinkNameSeq: _g.TypeAlias = "_g.Sequence[LinkName]"
TraderName: _g.TypeAlias = "LinkNameSeq"
PolicyName: _g.TypeAlias = "str"
PolicyNameSeq: _g.TypeAlias = "_g.Sequence[PolicyName]"
PolicyValue: _g.TypeAlias = "_g.Value"

class Policy(_g.NamedTuple):
    name: PolicyName
    value: PolicyValue

PolicySeq: _g.TypeAlias = "_g.Sequence[Policy]"
class UnknownMaxLeft(_g.UserException, types=_here, type=UnknownMaxLeft_TYPE): ...
class NotImplemented(_g.UserException, types=_here, type=NotImplemented_TYPE): ...

class IllegalServiceType(_g.UserException, types=_here, type=IllegalServiceType_TYPE):
    type: ServiceTypeName

class UnknownServiceType(_g.UserException, types=_here, type=UnknownServiceType_TYPE):
    type: ServiceTypeName

class IllegalPropertyName(_g.UserException, types=_here, type=IllegalPropertyName_TYPE):
    name: PropertyName

class DuplicatePropertyName(_g.UserException, types=_here, type=DuplicatePropertyName_TYPE):
    name: PropertyName

class PropertyTypeMismatch(_g.UserException, types=_here, type=PropertyTypeMismatch_TYPE):
    type: ServiceTypeName
    prop: Property

class MissingMandatoryProperty(_g.UserException, types=_here, type=MissingMandatoryProperty_TYPE):
    type: ServiceTypeName
    name: PropertyName

class ReadonlyDynamicProperty(_g.UserException, types=_here, type=ReadonlyDynamicProperty_TYPE):
    type: ServiceTypeName
    name: PropertyName

class IllegalConstraint(_g.UserException, types=_here, type=IllegalConstraint_TYPE):
    constr: Constraint

class InvalidLookupRef(_g.UserException, types=_here, type=InvalidLookupRef_TYPE):
    target: _g.Reference

class IllegalOfferId(_g.UserException, types=_here, type=IllegalOfferId_TYPE):
    id: OfferId

class UnknownOfferId(_g.UserException, types=_here, type=UnknownOfferId_TYPE):
    id: OfferId

class DuplicatePolicyName(_g.UserException, types=_here, type=DuplicatePolicyName_TYPE):
    name: PolicyName

TraderComponents_INTERFACE: _g.Final = _here.interface(TraderComponents_TYPE, "CosTrading::TraderComponents", (),
    _here.operation("_get_lookup_if", gives={"": Lookup_TYPE}, method="get_lookup_if"),
    _here.operation("_get_register_if", gives={"": Register_TYPE}, method="get_register_if"),
    _here.operation("_get_link_if", gives={"": Link_TYPE}, method="get_link_if"),
    _here.operation("_get_proxy_if", gives={"": Proxy_TYPE}, method="get_proxy_if"),
    _here.operation("_get_admin_if", gives={"": Admin_TYPE}, method="get_admin_if"))
class _TraderComponents_methods:
    async def get_lookup_if(self) -> _g.Reference: ...
    async def get_register_if(self) -> _g.Reference: ...
    async def get_link_if(self) -> _g.Reference: ...
    async def get_proxy_if(self) -> _g.Reference: ...
    async def get_admin_if(self) -> _g.Reference: ...
class TraderComponents(_TraderComponents_methods, _g.Stub, of=TraderComponents_INTERFACE): ...
class TraderComponentsServant(_TraderComponents_methods, _g.Servant, of=TraderComponents_INTERFACE): ...

SupportAttributes_INTERFACE: _g.Final = _here.interface(SupportAttributes_TYPE, "CosTrading::SupportAttributes", (),
    _here.operation("_get_supports_modifiable_properties", gives={"": _tc.BOOLEAN}, method="get_supports_modifiable_properties"),
    _here.operation("_get_supports_dynamic_properties", gives={"": _tc.BOOLEAN}, method="get_supports_dynamic_properties"),
    _here.operation("_get_supports_proxy_offers", gives={"": _tc.BOOLEAN}, method="get_supports_proxy_offers"),
    _here.operation("_get_type_repos", gives={"": TypeRepository_TYPE}, method="get_type_repos"))
class _SupportAttributes_methods:
    async def get_supports_modifiable_properties(self) -> bool: ...
    async def get_supports_dynamic_properties(self) -> bool: ...
    async def get_supports_proxy_offers(self) -> bool: ...
    async def get_type_repos(self) -> TypeRepository: ...
class SupportAttributes(_SupportAttributes_methods, _g.Stub, of=SupportAttributes_INTERFACE): ...
class SupportAttributesServant(_SupportAttributes_methods, _g.Servant, of=SupportAttributes_INTERFACE): ...

ImportAttributes_INTERFACE: _g.Final = _here.interface(ImportAttributes_TYPE, "CosTrading::ImportAttributes", (),
    _here.operation("_get_def_search_card", gives={"": _tc.ULONG}, method="get_def_search_card"),
    _here.operation("_get_max_search_card", gives={"": _tc.ULONG}, method="get_max_search_card"),
    _here.operation("_get_def_match_card", gives={"": _tc.ULONG}, method="get_def_match_card"),
    _here.operation("_get_max_match_card", gives={"": _tc.ULONG}, method="get_max_match_card"),
    _here.operation("_get_def_return_card", gives={"": _tc.ULONG}, method="get_def_return_card"),
    _here.operation("_get_max_return_card", gives={"": _tc.ULONG}, method="get_max_return_card"),
    _here.operation("_get_max_list", gives={"": _tc.ULONG}, method="get_max_list"),
    _here.operation("_get_def_hop_count", gives={"": _tc.ULONG}, method="get_def_hop_count"),
    _here.operation("_get_max_hop_count", gives={"": _tc.ULONG}, method="get_max_hop_count"),
    _here.operation("_get_def_follow_policy", gives={"": FollowOption_TYPE}, method="get_def_follow_policy"),
    _here.operation("_get_max_follow_policy", gives={"": FollowOption_TYPE}, method="get_max_follow_policy"))
class _ImportAttributes_methods:
    async def get_def_search_card(self) -> int: ...
    async def get_max_search_card(self) -> int: ...
    async def get_def_match_card(self) -> int: ...
    async def get_max_match_card(self) -> int: ...
    async def get_def_return_card(self) -> int: ...
    async def get_max_return_card(self) -> int: ...
    async def get_max_list(self) -> int: ...
    async def get_def_hop_count(self) -> int: ...
    async def get_max_hop_count(self) -> int: ...
    async def get_def_follow_policy(self) -> FollowOption: ...
    async def get_max_follow_policy(self) -> FollowOption: ...
class ImportAttributes(_ImportAttributes_methods, _g.Stub, of=ImportAttributes_INTERFACE): ...
class ImportAttributesServant(_ImportAttributes_methods, _g.Servant, of=ImportAttributes_INTERFACE): ...

LinkAttributes_INTERFACE: _g.Final = _here.interface(LinkAttributes_TYPE, "CosTrading::LinkAttributes", (),
    _here.operation("_get_max_link_follow_policy", gives={"": FollowOption_TYPE}, method="get_max_link_follow_policy"))
class _LinkAttributes_methods:
    async def get_max_link_follow_policy(self) -> FollowOption: ...
class LinkAttributes(_LinkAttributes_methods, _g.Stub, of=LinkAttributes_INTERFACE): ...
class LinkAttributesServant(_LinkAttributes_methods, _g.Servant, of=LinkAttributes_INTERFACE): ...

Lookup_Preference: _g.TypeAlias = "Istring"

class Lookup_HowManyProps(_g.StrEnum):
    none = "none"
    some = "some"
    all = "all"

Lookup_SpecifiedProps = _g.UnionValue

class Lookup_IllegalPreference(_g.UserException, types=_here, type=Lookup_IllegalPreference_TYPE):
    pref: Lookup_Preference

class Lookup_IllegalPolicyName(_g.UserException, types=_here, type=Lookup_IllegalPolicyName_TYPE):
    name: PolicyName

class Lookup_PolicyTypeMismatch(_g.UserException, types=_here, type=Lookup_PolicyTypeMismatch_TYPE):
    the_policy: Policy

class Lookup_InvalidPolicyValue(_g.UserException, types=_here, type=Lookup_InvalidPolicyValue_TYPE):
    the_policy: Policy

Lookup_INTERFACE: _g.Final = _here.interface(Lookup_TYPE, "CosTrading::Lookup",
        (TraderComponents_INTERFACE, SupportAttributes_INTERFACE, ImportAttributes_INTERFACE, ),
    _here.operation("query",
        takes={"type": ServiceTypeName_TYPE, "constr": Constraint_TYPE, "pref": Lookup_Preference_TYPE, "policies": PolicySeq_TYPE, "desired_props": Lookup_SpecifiedProps_TYPE, "how_many": _tc.ULONG},
        gives={"offers": OfferSeq_TYPE, "offer_itr": OfferIterator_TYPE, "limits_applied": PolicyNameSeq_TYPE},
        raises=(IllegalServiceType, UnknownServiceType, IllegalConstraint, Lookup_IllegalPreference, Lookup_IllegalPolicyName, Lookup_PolicyTypeMismatch, Lookup_InvalidPolicyValue, IllegalPropertyName, DuplicatePropertyName, DuplicatePolicyName, )))
class _Lookup_methods:
    async def query(self, type: ServiceTypeName, constr: Constraint, pref: Lookup_Preference, policies: PolicySeq, desired_props: _g.UnionValue, how_many: int) -> tuple[OfferSeq, _g.Reference, PolicyNameSeq]: ...
class Lookup(_Lookup_methods, TraderComponents, SupportAttributes, ImportAttributes, of=Lookup_INTERFACE): ...
class LookupServant(_Lookup_methods, TraderComponentsServant, SupportAttributesServant, ImportAttributesServant, of=Lookup_INTERFACE): ...

class Register_OfferInfo(_g.NamedTuple):
    reference: _g.Reference
    type: ServiceTypeName
    properties: PropertySeq

class Register_InvalidObjectRef(_g.UserException, types=_here, type=Register_InvalidObjectRef_TYPE):
    ref: _g.Reference

class Register_UnknownPropertyName(_g.UserException, types=_here, type=Register_UnknownPropertyName_TYPE):
    name: PropertyName

class Register_InterfaceTypeMismatch(_g.UserException, types=_here, type=Register_InterfaceTypeMismatch_TYPE):
    type: ServiceTypeName
    reference: _g.Reference

class Register_ProxyOfferId(_g.UserException, types=_here, type=Register_ProxyOfferId_TYPE):
    id: OfferId

class Register_MandatoryProperty(_g.UserException, types=_here, type=Register_MandatoryProperty_TYPE):
    type: ServiceTypeName
    name: PropertyName

class Register_ReadonlyProperty(_g.UserException, types=_here, type=Register_ReadonlyProperty_TYPE):
    type: ServiceTypeName
    name: PropertyName

class Register_NoMatchingOffers(_g.UserException, types=_here, type=Register_NoMatchingOffers_TYPE):
    constr: Constraint

class Register_IllegalTraderName(_g.UserException, types=_here, type=Register_IllegalTraderName_TYPE):
    name: TraderName

class Register_UnknownTraderName(_g.UserException, types=_here, type=Register_UnknownTraderName_TYPE):
    name: TraderName

class Register_RegisterNotSupported(_g.UserException, types=_here, type=Register_RegisterNotSupported_TYPE):
    name: TraderName

Register_INTERFACE: _g.Final = _here.interface(Register_TYPE, "CosTrading::Register",
        (TraderComponents_INTERFACE, SupportAttributes_INTERFACE, ),
    _here.operation("export",
        takes={"reference": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object"), "type": ServiceTypeName_TYPE, "properties": PropertySeq_TYPE},
        gives={"": OfferId_TYPE},
        raises=(Register_InvalidObjectRef, IllegalServiceType, UnknownServiceType, Register_InterfaceTypeMismatch, IllegalPropertyName, PropertyTypeMismatch, ReadonlyDynamicProperty, MissingMandatoryProperty, DuplicatePropertyName, )),
    _here.operation("withdraw", takes={"id": OfferId_TYPE}, raises=(IllegalOfferId, UnknownOfferId, Register_ProxyOfferId, )),
    _here.operation("describe", takes={"id": OfferId_TYPE}, gives={"": Register_OfferInfo_TYPE},
        raises=(IllegalOfferId, UnknownOfferId, Register_ProxyOfferId, )),
    _here.operation("modify", takes={"id": OfferId_TYPE, "del_list": PropertyNameSeq_TYPE, "modify_list": PropertySeq_TYPE},
        raises=(NotImplemented, IllegalOfferId, UnknownOfferId, Register_ProxyOfferId, IllegalPropertyName, Register_UnknownPropertyName, PropertyTypeMismatch, ReadonlyDynamicProperty, Register_MandatoryProperty, Register_ReadonlyProperty, DuplicatePropertyName, )),
    _here.operation("withdraw_using_constraint", takes={"type": ServiceTypeName_TYPE, "constr": Constraint_TYPE},
        raises=(IllegalServiceType, UnknownServiceType, IllegalConstraint, Register_NoMatchingOffers, )),
    _here.operation("resolve", takes={"name": TraderName_TYPE}, gives={"": Register_TYPE},
        raises=(Register_IllegalTraderName, Register_UnknownTraderName, Register_RegisterNotSupported, )))
class _Register_methods:
    async def export(self, reference: _g.Reference, type: ServiceTypeName, properties: PropertySeq) -> OfferId: ...
    async def withdraw(self, id: OfferId) -> None: ...
    async def describe(self, id: OfferId) -> Register_OfferInfo: ...
    async def modify(self, id: OfferId, del_list: PropertyNameSeq, modify_list: PropertySeq) -> None: ...
    async def withdraw_using_constraint(self, type: ServiceTypeName, constr: Constraint) -> None: ...
    async def resolve(self, name: TraderName) -> _g.Reference: ...
class Register(_Register_methods, TraderComponents, SupportAttributes, of=Register_INTERFACE): ...
class RegisterServant(_Register_methods, TraderComponentsServant, SupportAttributesServant, of=Register_INTERFACE): ...

class Link_LinkInfo(_g.NamedTuple):
    target: _g.Reference
    target_reg: _g.Reference
    def_pass_on_follow_rule: FollowOption
    limiting_follow_rule: FollowOption

class Link_IllegalLinkName(_g.UserException, types=_here, type=Link_IllegalLinkName_TYPE):
    name: LinkName

class Link_UnknownLinkName(_g.UserException, types=_here, type=Link_UnknownLinkName_TYPE):
    name: LinkName

class Link_DuplicateLinkName(_g.UserException, types=_here, type=Link_DuplicateLinkName_TYPE):
    name: LinkName

class Link_DefaultFollowTooPermissive(_g.UserException, types=_here, type=Link_DefaultFollowTooPermissive_TYPE):
    def_pass_on_follow_rule: FollowOption
    limiting_follow_rule: FollowOption

class Link_LimitingFollowTooPermissive(_g.UserException, types=_here, type=Link_LimitingFollowTooPermissive_TYPE):
    limiting_follow_rule: FollowOption
    max_link_follow_policy: FollowOption

Link_INTERFACE: _g.Final = _here.interface(Link_TYPE, "CosTrading::Link",
        (TraderComponents_INTERFACE, SupportAttributes_INTERFACE, LinkAttributes_INTERFACE, ),
    _here.operation("add_link",
        takes={"name": LinkName_TYPE, "target": Lookup_TYPE, "def_pass_on_follow_rule": FollowOption_TYPE, "limiting_follow_rule": FollowOption_TYPE},
        raises=(Link_IllegalLinkName, Link_DuplicateLinkName, InvalidLookupRef, Link_DefaultFollowTooPermissive, Link_LimitingFollowTooPermissive, )),
    _here.operation("remove_link", takes={"name": LinkName_TYPE}, raises=(Link_IllegalLinkName, Link_UnknownLinkName, )),
    _here.operation("describe_link", takes={"name": LinkName_TYPE}, gives={"": Link_LinkInfo_TYPE},
        raises=(Link_IllegalLinkName, Link_UnknownLinkName, )),
    _here.operation("list_links", gives={"": LinkNameSeq_TYPE}),
    _here.operation("modify_link",
        takes={"name": LinkName_TYPE, "def_pass_on_follow_rule": FollowOption_TYPE, "limiting_follow_rule": FollowOption_TYPE},
        raises=(Link_IllegalLinkName, Link_UnknownLinkName, Link_DefaultFollowTooPermissive, Link_LimitingFollowTooPermissive, )))
class _Link_methods:
    async def add_link(self, name: LinkName, target: _g.Reference, def_pass_on_follow_rule: FollowOption, limiting_follow_rule: FollowOption) -> None: ...
    async def remove_link(self, name: LinkName) -> None: ...
    async def describe_link(self, name: LinkName) -> Link_LinkInfo: ...
    async def list_links(self) -> LinkNameSeq: ...
    async def modify_link(self, name: LinkName, def_pass_on_follow_rule: FollowOption, limiting_follow_rule: FollowOption) -> None: ...
class Link(_Link_methods, TraderComponents, SupportAttributes, LinkAttributes, of=Link_INTERFACE): ...
class LinkServant(_Link_methods, TraderComponentsServant, SupportAttributesServant, LinkAttributesServant, of=Link_INTERFACE): ...

Proxy_ConstraintRecipe: _g.TypeAlias = "Istring"

class Proxy_ProxyInfo(_g.NamedTuple):
    type: ServiceTypeName
    target: _g.Reference
    properties: PropertySeq
    if_match_all: bool
    recipe: Proxy_ConstraintRecipe
    policies_to_pass_on: PolicySeq

class Proxy_IllegalRecipe(_g.UserException, types=_here, type=Proxy_IllegalRecipe_TYPE):
    recipe: Proxy_ConstraintRecipe

class Proxy_NotProxyOfferId(_g.UserException, types=_here, type=Proxy_NotProxyOfferId_TYPE):
    id: OfferId

Proxy_INTERFACE: _g.Final = _here.interface(Proxy_TYPE, "CosTrading::Proxy",
        (TraderComponents_INTERFACE, SupportAttributes_INTERFACE, ),
    _here.operation("export_proxy",
        takes={"target": Lookup_TYPE, "type": ServiceTypeName_TYPE, "properties": PropertySeq_TYPE, "if_match_all": _tc.BOOLEAN, "recipe": Proxy_ConstraintRecipe_TYPE, "policies_to_pass_on": PolicySeq_TYPE},
        gives={"": OfferId_TYPE},
        raises=(IllegalServiceType, UnknownServiceType, InvalidLookupRef, IllegalPropertyName, PropertyTypeMismatch, ReadonlyDynamicProperty, MissingMandatoryProperty, Proxy_IllegalRecipe, DuplicatePropertyName, DuplicatePolicyName, )),
    _here.operation("withdraw_proxy", takes={"id": OfferId_TYPE}, raises=(IllegalOfferId, UnknownOfferId, Proxy_NotProxyOfferId, )),
    _here.operation("describe_proxy", takes={"id": OfferId_TYPE}, gives={"": Proxy_ProxyInfo_TYPE},
        raises=(IllegalOfferId, UnknownOfferId, Proxy_NotProxyOfferId, )))
class _Proxy_methods:
    async def export_proxy(self, target: _g.Reference, type: ServiceTypeName, properties: PropertySeq, if_match_all: bool, recipe: Proxy_ConstraintRecipe, policies_to_pass_on: PolicySeq) -> OfferId: ...
    async def withdraw_proxy(self, id: OfferId) -> None: ...
    async def describe_proxy(self, id: OfferId) -> Proxy_ProxyInfo: ...
class Proxy(_Proxy_methods, TraderComponents, SupportAttributes, of=Proxy_INTERFACE): ...
class ProxyServant(_Proxy_methods, TraderComponentsServant, SupportAttributesServant, of=Proxy_INTERFACE): ...

Admin_OctetSeq: _g.TypeAlias = "bytes"

Admin_INTERFACE: _g.Final = _here.interface(Admin_TYPE, "CosTrading::Admin",
        (TraderComponents_INTERFACE, SupportAttributes_INTERFACE, ImportAttributes_INTERFACE, LinkAttributes_INTERFACE, ),
    _here.operation("set_def_search_card", takes={"value": _tc.ULONG}, gives={"": _tc.ULONG}),
    _here.operation("set_max_search_card", takes={"value": _tc.ULONG}, gives={"": _tc.ULONG}),
    _here.operation("set_def_match_card", takes={"value": _tc.ULONG}, gives={"": _tc.ULONG}),
    _here.operation("set_max_match_card", takes={"value": _tc.ULONG}, gives={"": _tc.ULONG}),
    _here.operation("set_def_return_card", takes={"value": _tc.ULONG}, gives={"": _tc.ULONG}),
    _here.operation("set_max_return_card", takes={"value": _tc.ULONG}, gives={"": _tc.ULONG}),
    _here.operation("set_max_list", takes={"value": _tc.ULONG}, gives={"": _tc.ULONG}),
    _here.operation("set_supports_modifiable_properties", takes={"value": _tc.BOOLEAN}, gives={"": _tc.BOOLEAN}),
    _here.operation("set_supports_dynamic_properties", takes={"value": _tc.BOOLEAN}, gives={"": _tc.BOOLEAN}),
    _here.operation("set_supports_proxy_offers", takes={"value": _tc.BOOLEAN}, gives={"": _tc.BOOLEAN}),
    _here.operation("set_def_hop_count", takes={"value": _tc.ULONG}, gives={"": _tc.ULONG}),
    _here.operation("set_max_hop_count", takes={"value": _tc.ULONG}, gives={"": _tc.ULONG}),
    _here.operation("set_def_follow_policy", takes={"policy": FollowOption_TYPE}, gives={"": FollowOption_TYPE}),
    _here.operation("set_max_follow_policy", takes={"policy": FollowOption_TYPE}, gives={"": FollowOption_TYPE}),
    _here.operation("set_max_link_follow_policy", takes={"policy": FollowOption_TYPE}, gives={"": FollowOption_TYPE}),
    _here.operation("set_type_repos", takes={"repository": TypeRepository_TYPE}, gives={"": TypeRepository_TYPE}),
    _here.operation("set_request_id_stem", takes={"stem": Admin_OctetSeq_TYPE}, gives={"": Admin_OctetSeq_TYPE}),
    _here.operation("list_offers", takes={"how_many": _tc.ULONG}, gives={"ids": OfferIdSeq_TYPE, "id_itr": OfferIdIterator_TYPE},
        raises=(NotImplemented, )),
    _here.operation("list_proxies", takes={"how_many": _tc.ULONG}, gives={"ids": OfferIdSeq_TYPE, "id_itr": OfferIdIterator_TYPE},
        raises=(NotImplemented, )),
    _here.operation("_get_request_id_stem", gives={"": Admin_OctetSeq_TYPE}, method="get_request_id_stem"))
class _Admin_methods:
    async def set_def_search_card(self, value: int) -> int: ...
    async def set_max_search_card(self, value: int) -> int: ...
    async def set_def_match_card(self, value: int) -> int: ...
    async def set_max_match_card(self, value: int) -> int: ...
    async def set_def_return_card(self, value: int) -> int: ...
    async def set_max_return_card(self, value: int) -> int: ...
    async def set_max_list(self, value: int) -> int: ...
    async def set_supports_modifiable_properties(self, value: bool) -> bool: ...
    async def set_supports_dynamic_properties(self, value: bool) -> bool: ...
    async def set_supports_proxy_offers(self, value: bool) -> bool: ...
    async def set_def_hop_count(self, value: int) -> int: ...
    async def set_max_hop_count(self, value: int) -> int: ...
    async def set_def_follow_policy(self, policy: FollowOption) -> FollowOption: ...
    async def set_max_follow_policy(self, policy: FollowOption) -> FollowOption: ...
    async def set_max_link_follow_policy(self, policy: FollowOption) -> FollowOption: ...
    async def set_type_repos(self, repository: TypeRepository) -> TypeRepository: ...
    async def set_request_id_stem(self, stem: Admin_OctetSeq) -> Admin_OctetSeq: ...
    async def list_offers(self, how_many: int) -> tuple[OfferIdSeq, _g.Reference]: ...
    async def list_proxies(self, how_many: int) -> tuple[OfferIdSeq, _g.Reference]: ...
    async def get_request_id_stem(self) -> Admin_OctetSeq: ...
class Admin(_Admin_methods, TraderComponents, SupportAttributes, ImportAttributes, LinkAttributes, of=Admin_INTERFACE): ...
class AdminServant(_Admin_methods, TraderComponentsServant, SupportAttributesServant, ImportAttributesServant, LinkAttributesServant, of=Admin_INTERFACE): ...

OfferIterator_INTERFACE: _g.Final = _here.interface(OfferIterator_TYPE, "CosTrading::OfferIterator", (),
    _here.operation("max_left", gives={"": _tc.ULONG}, raises=(UnknownMaxLeft, )),
    _here.operation("next_n", takes={"n": _tc.ULONG}, gives={"": _tc.BOOLEAN, "offers": OfferSeq_TYPE}),
    _here.operation("destroy"))
class _OfferIterator_methods:
    async def max_left(self) -> int: ...
    async def next_n(self, n: int) -> tuple[bool, OfferSeq]: ...
    async def destroy(self) -> None: ...
class OfferIterator(_OfferIterator_methods, _g.Stub, of=OfferIterator_INTERFACE): ...
class OfferIteratorServant(_OfferIterator_methods, _g.Servant, of=OfferIterator_INTERFACE): ...

OfferIdIterator_INTERFACE: _g.Final = _here.interface(OfferIdIterator_TYPE, "CosTrading::OfferIdIterator", (),
    _here.operation("max_left", gives={"": _tc.ULONG}, raises=(UnknownMaxLeft, )),
    _here.operation("next_n", takes={"n": _tc.ULONG}, gives={"": _tc.BOOLEAN, "ids": OfferIdSeq_TYPE}),
    _here.operation("destroy"))
class _OfferIdIterator_methods:
    async def max_left(self) -> int: ...
    async def next_n(self, n: int) -> tuple[bool, OfferIdSeq]: ...
    async def destroy(self) -> None: ...
class OfferIdIterator(_OfferIdIterator_methods, _g.Stub, of=OfferIdIterator_INTERFACE): ...
class OfferIdIteratorServant(_OfferIdIterator_methods, _g.Servant, of=OfferIdIterator_INTERFACE): ...
