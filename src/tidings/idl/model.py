"""What IDL means: definitions with their repository ids, and types with all names looked up.

Definitions refer to each other, also in circles; so they are objects with an identity, made by
the resolver and left alone after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from tidings.events.typecode import Kind, Label
from tidings.idl.faults import Place, Source

ConstValue: TypeAlias = bool | int | float | str | Decimal


@dataclass(slots=True, eq=False, kw_only=True)
class NamedDef:
    """What every definition has.

    Attributes:
        name: The name, without the underscore of an escaped one.
        scopes: The names of the modules and interfaces around it, from the outermost.
        id: The repository id.
        place: Where it is defined.
    """

    name: str
    scopes: tuple[str, ...]
    id: str
    place: Place

    @property
    def scoped(self) -> str:
        """The name with all scopes: `CosNotifyFilter::Filter`."""
        return "::".join((*self.scopes, self.name))

    @property
    def source(self) -> Source:
        """The file that defines it."""
        return self.place.source


@dataclass(frozen=True, slots=True)
class Basic:
    """A type that is one word; `Object` is of the kind objref."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class TextOf:
    """A string or wide string; the bound 0 is none."""

    wide: bool
    bound: int


@dataclass(frozen=True, slots=True)
class FixedOf:
    """A decimal number."""

    digits: int
    scale: int


@dataclass(frozen=True, slots=True)
class SequenceOf:
    """A sequence; the bound 0 is none."""

    element: Type
    bound: int


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """An array; one of several dimensions is an array of arrays."""

    element: Type
    length: int


@dataclass(frozen=True, slots=True)
class MemberDef:
    """A member of a struct or exception."""

    name: str
    type: Type


@dataclass(slots=True, eq=False, kw_only=True)
class StructDef(NamedDef):
    """A struct; not complete while it is only announced or just being read."""

    members: tuple[MemberDef, ...] = ()
    complete: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class ExceptionDef(NamedDef):
    """An exception."""

    members: tuple[MemberDef, ...] = ()


@dataclass(frozen=True, slots=True)
class BranchDef:
    """A branch of a union; the label None is `default`."""

    labels: tuple[Label | None, ...]
    name: str
    type: Type


@dataclass(slots=True, eq=False, kw_only=True)
class UnionDef(NamedDef):
    """A union; not complete while it is only announced or just being read."""

    switch: Type = field(default=Basic(Kind.LONG))
    branches: tuple[BranchDef, ...] = ()
    complete: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class EnumDef(NamedDef):
    """An enum."""

    labels: tuple[str, ...]


@dataclass(slots=True, eq=False, kw_only=True)
class AliasDef(NamedDef):
    """A typedef."""

    type: Type


@dataclass(slots=True, eq=False, kw_only=True)
class ConstDef(NamedDef):
    """A constant; one of an enum has the label as its value."""

    type: Type
    value: ConstValue


@dataclass(frozen=True, slots=True)
class ParameterDef:
    """A parameter: `in`, `out` or `inout`."""

    direction: str
    name: str
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class OperationDef:
    """An operation; without a result it is void."""

    name: str
    result: Type | None
    parameters: tuple[ParameterDef, ...]
    raises: tuple[ExceptionDef, ...]
    oneway: bool
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class AttributeDef:
    """An attribute."""

    name: str
    type: Type
    readonly: bool
    place: Place


@dataclass(slots=True, eq=False, kw_only=True)
class InterfaceDef(NamedDef):
    """An interface; not complete while it is only announced.

    Attributes:
        bases: The interfaces it names as its bases.
        ancestors: All it inherits from, each once and behind its own ancestors.
        operations: Its own operations.
        attributes: Its own attributes.
        complete: Whether its definition was read.
    """

    bases: tuple[InterfaceDef, ...] = ()
    ancestors: tuple[InterfaceDef, ...] = ()
    operations: tuple[OperationDef, ...] = ()
    attributes: tuple[AttributeDef, ...] = ()
    complete: bool = False


Type: TypeAlias = (
    Basic
    | TextOf
    | FixedOf
    | SequenceOf
    | ArrayOf
    | StructDef
    | UnionDef
    | EnumDef
    | AliasDef
    | InterfaceDef
)


@dataclass(frozen=True, slots=True)
class Model:
    """All definitions of a compilation, in an order in which each follows what it needs.

    Only what was announced before may be needed by something earlier.

    Attributes:
        main: The file that was compiled; the others are what it includes.
        definitions: Everything that has a repository id, modules aside.
    """

    main: Source
    definitions: tuple[NamedDef, ...]

    def find(self, scoped: str) -> NamedDef:
        """The definition of a scoped name.

        Raises:
            KeyError: There is none.
        """
        for definition in self.definitions:
            if definition.scoped == scoped:
                return definition
        raise KeyError(scoped)


def unaliased(type_: Type) -> Type:
    """The type behind all typedefs."""
    while isinstance(type_, AliasDef):
        type_ = type_.type
    return type_
