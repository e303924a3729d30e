"""The trader's values as the standard's: references, properties, service types, exceptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tidings.cos import CosTrading_auto as wire
from tidings.cos import CosTradingRepos_auto as repos
from tidings.errors import DuplicatePolicyName, DuplicatePropertyName, TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import UnionValue, Value
from tidings.events.reference import Reference
from tidings.events.typecode import Kind
from tidings.orb.corbaloc import parse_object_url
from tidings.orb.exceptions import CorbaError, UserException
from tidings.orb.ior import NIL, is_nil, to_ior
from tidings.trader.model import FollowOption, PropertyDef, PropertyMode, ServiceType, refusal
from tidings.trader.requests import OfferInfo

_HALF: Final = 32
_LOW: Final = 2**_HALF - 1

# References.


def reference_in(reference: Reference) -> str:
    """Return a reference as the trader keeps it; empty for nil."""
    return "" if is_nil(reference) else to_ior(reference)


def reference_out(text: str) -> Reference:
    """Return a kept reference; nil for one that names no object directly, such as `https:…`."""
    try:
        found = parse_object_url(text)
    except CorbaError:
        return NIL
    return found if isinstance(found, Reference) else NIL


# Properties and policies.


def properties_in(given: Iterable[wire.Property]) -> dict[str, Value]:
    """Convert properties; raise DuplicatePropertyName if one is there twice."""
    return _by_name(given, DuplicatePropertyName, "property")


def policies_in(given: Iterable[wire.Policy]) -> dict[str, Value]:
    """Convert policies; raise DuplicatePolicyName if one is there twice."""
    return _by_name(given, DuplicatePolicyName, "policy")


def _by_name(
    given: Iterable[wire.Property] | Iterable[wire.Policy], kind: type[TidingsError], what: str
) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, value in given:
        if name in found:
            raise refusal(kind, f"{what} {name} is there twice", name=name)
        found[name] = value
    return found


def properties_out(properties: Mapping[str, Value]) -> tuple[wire.Property, ...]:
    """Convert properties."""
    return tuple(wire.Property(*one) for one in properties.items())


def policies_out(policies: Mapping[str, Value]) -> tuple[wire.Policy, ...]:
    """Convert a query's policies; plain values get the types that the standard says."""
    return tuple(wire.Policy(name, _typed_policy(name, one)) for name, one in policies.items())


def _typed_policy(name: str, value: Value) -> Value:
    kind = _POLICY_TYPES.get(name)
    return value if kind is None or isinstance(value, AnyValue) else AnyValue(kind, value)


_POLICY_TYPES: Final = {
    **dict.fromkeys(("search_card", "match_card", "return_card"), tc.ULONG),
    "starting_trader": wire.TraderName_TYPE,
}


def desired_in(given: UnionValue) -> tuple[str, ...] | None:
    """Convert the properties to return; None for all."""
    match given.discriminator:
        case wire.Lookup_HowManyProps.all:
            return None
        case wire.Lookup_HowManyProps.some:
            names: Any = given.value
            return tuple(names)
    return ()


# Offers.


def offer_out(found: OfferInfo) -> wire.Offer:
    """Convert a found offer."""
    return wire.Offer(reference_out(found.reference), properties_out(found.properties))


# Links.


def rule_in(rule: wire.FollowOption) -> FollowOption:
    """Convert a follow rule."""
    return FollowOption[rule.name.upper()]


def rule_out(rule: FollowOption) -> wire.FollowOption:
    """Convert a follow rule."""
    return wire.FollowOption[rule.name.lower()]


# Service types.

_MODES: Final = tuple(repos.ServiceTypeRepository_PropertyMode)


def definitions_in(
    given: Iterable[repos.ServiceTypeRepository_PropStruct],
) -> tuple[PropertyDef, ...]:
    """Convert the properties that a type declares."""
    return tuple(
        PropertyDef(one.name, one.value_type, PropertyMode(_MODES.index(one.mode))) for one in given
    )


def definition_out(one: PropertyDef) -> repos.ServiceTypeRepository_PropStruct:
    """Convert a property that a type declares."""
    return repos.ServiceTypeRepository_PropStruct(one.name, one.value_type, _MODES[one.mode])


def incarnation_in(given: repos.ServiceTypeRepository_IncarnationNumber) -> int:
    """Convert the number of an addition."""
    return given.high << _HALF | given.low


def incarnation_out(number: int) -> repos.ServiceTypeRepository_IncarnationNumber:
    """Convert the number of an addition."""
    return repos.ServiceTypeRepository_IncarnationNumber(number >> _HALF, number & _LOW)


def type_out(found: ServiceType) -> repos.ServiceTypeRepository_TypeStruct:
    """Convert a service type."""
    return repos.ServiceTypeRepository_TypeStruct(
        found.interface,
        tuple(map(definition_out, found.properties)),
        found.super_types,
        found.masked,
        incarnation_out(found.incarnation),
    )


# Exceptions.


def exception_out(error: TidingsError, declared: type[UserException]) -> UserException | None:
    """Return the standard's exception for an error; None if it lacks a member."""
    found: dict[str, Any] = {}
    for member in declared.TYPE.members:
        if member.name not in error.members:
            return None
        found[member.name] = _member_out(error.members[member.name], member.type.unaliased.kind)
    return declared(**found)


def _member_out(value: Any, kind: Kind) -> Any:  # noqa: ANN401 -- as various as the members
    match value:
        case str() if kind is Kind.OBJREF:
            return reference_out(value)
        case FollowOption():
            return rule_out(value)
        case PropertyDef():
            return definition_out(value)
    return value
