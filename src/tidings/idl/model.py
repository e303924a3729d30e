"""What IDL means: definitions with repository ids, and types with their names resolved.

Definitions refer to each other, also in circles; so they are objects with an identity. Only the
resolver changes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

import msgspec

from tidings.events.typecode import Kind, Label
from tidings.idl.faults import Place, Source

ConstValue: TypeAlias = bool | int | float | str | Decimal


@dataclass(slots=True, eq=False, kw_only=True)
class NamedDef:
    """What every definition has; `scopes` are the names around its own, outermost first."""

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


class Basic(msgspec.Struct, frozen=True):
    """A type named by one keyword; `Object` has the kind objref."""

    kind: Kind


class TextOf(msgspec.Struct, frozen=True):
    """A string or wide string; bound 0 means unbounded."""

    wide: bool
    bound: int


class FixedOf(msgspec.Struct, frozen=True):
    """A decimal number."""

    digits: int
    scale: int


class SequenceOf(msgspec.Struct, frozen=True):
    """A sequence; bound 0 means unbounded."""

    element: Type
    bound: int


class ArrayOf(msgspec.Struct, frozen=True):
    """An array; one of several dimensions is an array of arrays."""

    element: Type
    length: int


class MemberDef(msgspec.Struct, frozen=True):
    """A member of a struct or exception."""

    name: str
    type: Type


@dataclass(slots=True, eq=False, kw_only=True)
class StructDef(NamedDef):
    """A struct; not complete between its forward declaration and the end of its definition."""

    members: tuple[MemberDef, ...] = ()
    complete: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class ExceptionDef(NamedDef):
    """An exception."""

    members: tuple[MemberDef, ...] = ()


class BranchDef(msgspec.Struct, frozen=True):
    """A branch of a union; the label None is `default`."""

    labels: tuple[Label | None, ...]
    name: str
    type: Type


@dataclass(slots=True, eq=False, kw_only=True)
class UnionDef(NamedDef):
    """A union; not complete between its forward declaration and the end of its definition."""

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
    """A constant; that of an enum type has the label as its value."""

    type: Type
    value: ConstValue


class ParameterDef(msgspec.Struct, frozen=True):
    """A parameter: `in`, `out` or `inout`."""

    direction: str
    name: str
    type: Type


class OperationDef(msgspec.Struct, frozen=True, eq=False):
    """An operation, or half of an attribute: `_get_x`, `_set_x`; without a result it is void."""

    name: str
    result: Type | None
    place: Place
    parameters: tuple[ParameterDef, ...] = ()
    raises: tuple[ExceptionDef, ...] = ()
    oneway: bool = False

    @property
    def given(self) -> list[ParameterDef]:
        """The parameters sent to the object."""
        return [one for one in self.parameters if one.direction != "out"]

    @property
    def returned(self) -> list[tuple[str, Type]]:
        """The results sent back, by name; that of the return value is empty."""
        outs = [(one.name, one.type) for one in self.parameters if one.direction != "in"]
        return outs if self.result is None else [("", self.result), *outs]


@dataclass(slots=True, eq=False, kw_only=True)
class InterfaceDef(NamedDef):
    """An interface; `ancestors` has each base once, behind its own ancestors."""

    bases: tuple[InterfaceDef, ...] = ()
    ancestors: tuple[InterfaceDef, ...] = ()
    operations: tuple[OperationDef, ...] = ()
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


class Model(msgspec.Struct, frozen=True):
    """All definitions of a compilation, each after those it needs, except forward-declared ones."""

    main: Source
    definitions: tuple[NamedDef, ...]


def unaliased(type_: Type) -> Type:
    """The type behind all typedefs."""
    while isinstance(type_, AliasDef):
        type_ = type_.type
    return type_
