"""IDL as a tree: what the parser makes and the printer writes.

Places are no part of what a node says: trees of two files that say the same are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from tidings.events.typecode import Kind
from tidings.idl.faults import NOWHERE, Place


@dataclass(frozen=True, slots=True)
class ScopedName:
    """A name with the scopes it is looked up in: `A::B`, or `::A::B` from the outermost."""

    parts: tuple[str, ...]
    absolute: bool = False
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return ("::" if self.absolute else "") + "::".join(self.parts)


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal; the kind is that of its token, or `boolean`."""

    kind: str
    value: str | int | float | bool | Decimal
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Named:
    """The value of a constant, or an enum's label."""

    name: ScopedName
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `+x` or `~x`."""

    operator: str
    operand: Expression
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and what is done with them."""

    operator: str
    left: Expression
    right: Expression
    place: Place = field(default=NOWHERE, compare=False, repr=False)


Expression: TypeAlias = Literal | Named | Unary | Binary

# ---------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class BasicType:
    """A type that is one word, or some: `unsigned long`, `any`, `Object`."""

    kind: Kind
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StringType:
    """A string, wide or not, perhaps bounded."""

    wide: bool = False
    bound: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FixedType:
    """`fixed<digits, scale>`; the type of a constant is just `fixed`."""

    digits: Expression | None = None
    scale: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SequenceType:
    """A sequence, perhaps bounded."""

    element: TypeSpec
    bound: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Declarator:
    """A name, and the dimensions of an array behind it."""

    name: str
    dimensions: tuple[Expression, ...] = ()
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Member:
    """Members of one type: `long a, b[3];`."""

    type: TypeSpec
    declarators: tuple[Declarator, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct."""

    name: str
    members: tuple[Member, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Case:
    """A branch of a union; the label None is `default`."""

    labels: tuple[Expression | None, ...]
    type: TypeSpec
    declarator: Declarator
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Union:
    """A union."""

    name: str
    switch: TypeSpec
    cases: tuple[Case, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Enumerator:
    """One label of an enum."""

    name: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Enum:
    """An enum."""

    name: str
    labels: tuple[Enumerator, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


TypeSpec: TypeAlias = (
    BasicType | StringType | FixedType | SequenceType | ScopedName | Struct | Union | Enum
)

# ---------------------------------------------------------------- definitions


@dataclass(frozen=True, slots=True)
class Exception_:
    """An exception; the plain name is Python's."""

    name: str
    members: tuple[Member, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Typedef:
    """Other names for a type."""

    type: TypeSpec
    declarators: tuple[Declarator, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Const:
    """A constant."""

    type: TypeSpec
    name: str
    value: Expression
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation: `in`, `out` or `inout`."""

    direction: str
    type: TypeSpec
    name: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation; without a type it is void."""

    name: str
    result: TypeSpec | None
    parameters: tuple[Parameter, ...] = ()
    raises: tuple[ScopedName, ...] = ()
    oneway: bool = False
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Attribute:
    """Attributes of one type."""

    type: TypeSpec
    names: tuple[Declarator, ...]
    readonly: bool = False
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Forward:
    """The announcement of an interface, struct or union."""

    kind: str
    name: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface."""

    name: str
    bases: tuple[ScopedName, ...]
    body: tuple[Definition, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Module:
    """A module, or some more of one."""

    name: str
    body: tuple[Definition, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Pragma:
    """What a file says about repository ids: `prefix`, `version` or `ID`, and the rest."""

    kind: str
    name: ScopedName | None
    text: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Include:
    """Another file, named as in the directive, and what it adds at this place."""

    file: str
    body: tuple[Definition, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


Definition: TypeAlias = (
    Module
    | Interface
    | Forward
    | Struct
    | Union
    | Enum
    | Exception_
    | Typedef
    | Const
    | Attribute
    | Operation
    | Pragma
    | Include
)


@dataclass(frozen=True, slots=True)
class Specification:
    """A file with all it includes."""

    body: tuple[Definition, ...]
