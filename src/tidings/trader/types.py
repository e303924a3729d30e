"""The service type repository: what offers of a type have, and which types are derived from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidings.errors import (
    AlreadyMasked,
    DuplicatePropertyName,
    DuplicateServiceTypeName,
    HasSubTypes,
    InterfaceNotDerived,
    NotMasked,
    ServiceTypeExists,
    TidingsError,
    TooManyObjects,
    UnknownServiceType,
    ValueTypeRedefinition,
)
from tidings.events.texts import shortened
from tidings.events.typetext import describe
from tidings.trader.model import (
    PropertyDef,
    PropertyMode,
    ServiceType,
    checked_property_name,
    checked_type_name,
    refusal,
)

MOST_TYPES: Final = 2_000
MOST_PROPERTIES: Final = 1_000
"""Properties that a type declares, and its super types."""


@dataclass(slots=True)
class _Kept:
    """A type as declared and in full, and the names of the types directly derived from it."""

    declared: ServiceType
    full: ServiceType
    properties: dict[str, PropertyDef]
    subtypes: dict[str, None] = field(default_factory=dict)


class TypeRepository:
    """All service types by name.

    Attributes:
        incarnation: The number of the latest addition, also of a type that is gone.
    """

    def __init__(self) -> None:
        self.incarnation = 0
        self._types: dict[str, _Kept] = {}

    def __iter__(self) -> Iterator[ServiceType]:
        """Iterate over the types as declared, in the order of their addition."""
        return iter([kept.declared for kept in self._types.values()])

    def since(self, incarnation: int) -> tuple[ServiceType, ...]:
        """Return the types with this incarnation or a later one."""
        return tuple(one for one in self if one.incarnation >= incarnation)

    def declared(self, name: str) -> ServiceType:
        """Return a type as it was declared."""
        return self._find(name).declared

    def full(self, name: str) -> ServiceType:
        """Return a type with all it inherits."""
        return self._find(name).full

    def properties(self, name: str) -> dict[str, PropertyDef]:
        """Return the properties of a type, also the inherited ones, by name."""
        return self._find(name).properties

    def with_subtypes(self, name: str) -> list[str]:
        """Return the names of a type and of all types derived from it."""
        self._find(name)
        found = {name: None}
        waiting = [name]
        while waiting:
            for subtype in self._types[waiting.pop()].subtypes:
                if subtype not in found:
                    found[subtype] = None
                    waiting.append(subtype)
        return list(found)

    def add(
        self,
        name: str,
        interface: str,
        properties: Sequence[PropertyDef],
        super_types: Sequence[str],
    ) -> ServiceType:
        """Add a type; return it as declared."""
        checked_type_name(name)
        if name in self._types:
            raise refusal(
                ServiceTypeExists, f"there is a service type {shortened(name)} already", name=name
            )
        if len(self._types) >= MOST_TYPES or len(properties) > MOST_PROPERTIES:
            raise TooManyObjects(
                f"the trader keeps {MOST_TYPES} service types, of {MOST_PROPERTIES} properties each"
            )
        for one in super_types:
            self._find(one)
        _refuse_twins(super_types, DuplicateServiceTypeName, "super type")
        names = [checked_property_name(one.name) for one in properties]
        _refuse_twins(names, DuplicatePropertyName, "property")
        self._check_interface(name, interface, super_types)
        made = ServiceType(
            name, interface, tuple(properties), tuple(super_types), False, self.incarnation + 1
        )
        self.put(made)
        return made

    def put(self, made: ServiceType) -> None:
        """Take in a type whose parts were checked; its super types are there."""
        inherited = self._inherited(made)
        own = {one.name: one for one in made.properties}
        for name, one in own.items():
            for origin, above in inherited.get(name, ()):
                _check_redefinition(made.name, one, origin, above)
        properties = own | {
            name: _merged(found) for name, found in inherited.items() if name not in own
        }
        ancestors = dict.fromkeys(made.super_types)
        for origin in made.super_types:
            ancestors |= dict.fromkeys(self._types[origin].full.super_types)
            self._types[origin].subtypes[made.name] = None
        full = replace(made, properties=tuple(properties.values()), super_types=tuple(ancestors))
        self._types[made.name] = _Kept(made, full, properties)
        self.incarnation = max(self.incarnation, made.incarnation)

    def remove(self, name: str) -> ServiceType:
        """Remove a type without subtypes; return it as declared."""
        kept = self._find(name)
        if kept.subtypes:
            subtype = next(iter(kept.subtypes))
            raise refusal(
                HasSubTypes,
                f"service type {subtype} is derived from {name}: remove it first",
                the_type=name,
                sub_type=subtype,
            )
        for one in kept.declared.super_types:
            self._types[one].subtypes.pop(name, None)
        del self._types[name]
        return kept.declared

    def mask(self, name: str, *, masked: bool) -> ServiceType:
        """Mask or unmask a type; return it as declared."""
        kept = self._find(name)
        if kept.declared.masked == masked:
            kind, word = (AlreadyMasked, "masked already") if masked else (NotMasked, "not masked")
            raise refusal(kind, f"service type {name} is {word}", name=name)
        kept.declared = replace(kept.declared, masked=masked)
        kept.full = replace(kept.full, masked=masked)
        return kept.declared

    def _find(self, name: str) -> _Kept:
        found = self._types.get(name)
        if found is None:
            checked_type_name(name)
            raise refusal(
                UnknownServiceType, f"there is no service type {shortened(name)}", type=name
            )
        return found

    def _check_interface(self, name: str, interface: str, super_types: Sequence[str]) -> None:
        """Refuse a type without an interface where a super type has one.

        Whether one interface is derived from another is not known here: two names are accepted.
        """
        for above in super_types:
            its = self._types[above].declared.interface
            if its and not interface:
                raise refusal(
                    InterfaceNotDerived,
                    f"service type {name} has no interface, and its super type {above} has {its}",
                    base_service=above,
                    base_if=its,
                    derived_service=name,
                    derived_if=interface,
                )

    def _inherited(self, made: ServiceType) -> dict[str, list[tuple[str, PropertyDef]]]:
        """Return each property of the super types, with the types that have it; they must agree."""
        found: dict[str, list[tuple[str, PropertyDef]]] = {}
        for origin in made.super_types:
            for name, one in self._types[origin].properties.items():
                same = found.setdefault(name, [])
                for other, before in same:
                    if not before.value_type.equivalent(one.value_type):
                        raise _redefined(origin, one, other, before)
                same.append((origin, one))
        return found


def _refuse_twins(names: Iterable[str], kind: type[TidingsError], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise refusal(kind, f"{what} {name} is named twice", name=name)
        seen.add(name)


def _merged(found: list[tuple[str, PropertyDef]]) -> PropertyDef:
    """Return what a type inherits from several: the strongest mode counts."""
    mode = 0
    for _, one in found:
        mode |= one.mode
    return replace(found[0][1], mode=PropertyMode(mode))


def _check_redefinition(name: str, one: PropertyDef, origin: str, above: PropertyDef) -> None:
    same = above.value_type.equivalent(one.value_type)
    if not same or one.mode & above.mode != above.mode:
        raise _redefined(name, one, origin, above)


def _redefined(name: str, one: PropertyDef, origin: str, above: PropertyDef) -> TidingsError:
    mine, its = _shown(one), _shown(above)
    return refusal(
        ValueTypeRedefinition,
        f"property {one.name} is {mine} in service type {name} and {its} in {origin}: the type "
        "must be the same, and the mode equal or stronger",
        type_1=name,
        definition_1=one,
        type_2=origin,
        definition_2=above,
    )


def _shown(one: PropertyDef) -> str:
    return f"{one.mode.name.lower().replace('_', ' ')} {describe(one.value_type)}"
