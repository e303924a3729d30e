"""IDL as a tree: what the parser makes and the printer writes.

Places do not count when trees are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from tidings.events.typecode import Kind
from tidings.idl.faults import NOWHERE, Place


@dataclass(frozen=True, slots=True)
class Node:
    """A node, with its place in the text."""

    place: Place = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ScopedName(Node):
    """A name with the scopes it is looked up in: `A::B`, or `::A::B` from the outermost."""

    parts: tuple[str, ...]
    absolute: bool = False

    def __str__(self) -> str:
        return ("::" if self.absolute else "") + "::".join(self.parts)


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A literal; the kind is that of its token, or `boolean`."""

    kind: str
    value: str | int | float | bool | Decimal


@dataclass(frozen=True, slots=True)
class Named(Node):
    """The value of a constant, or an enum's label."""

    name: ScopedName


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`-x`, `+x` or `~x`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Two operands and their operator."""

    operator: str
    left: Expression
    right: Expression


Expression: TypeAlias = Literal | Named | Unary | Binary

# ---------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class BasicType(Node):
    """A type named by keywords: `unsigned long`, `any`, `Object`."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class StringType(Node):
    """A string, wide or not, perhaps bounded."""

    wide: bool = False
    bound: Expression | None = None


@dataclass(frozen=True, slots=True)
class FixedType(Node):
    """`fixed<digits, scale>`; the type of a constant is just `fixed`."""

    digits: Expression | None = None
    scale: Expression | None = None


@dataclass(frozen=True, slots=True)
class SequenceType(Node):
    """A sequence, perhaps bounded."""

    element: TypeSpec
    bound: Expression | None = None


@dataclass(frozen=True, slots=True)
class Declarator(Node):
    """A name, and the dimensions of an array behind it."""

    name: str
    dimensions: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Member(Node):
    """Members of one type: `long a, b[3];`."""

    type: TypeSpec
    declarators: tuple[Declarator, ...]


@dataclass(frozen=True, slots=True)
class Struct(Node):
    """A struct."""

    name: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Case(Node):
    """A branch of a union; the label None is `default`."""

    labels: tuple[Expression | None, ...]
    type: TypeSpec
    declarator: Declarator


@dataclass(frozen=True, slots=True)
class Union(Node):
    """A union."""

    name: str
    switch: TypeSpec
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Enum(Node):
    """An enum."""

    name: str
    labels: tuple[Declarator, ...]


TypeSpec: TypeAlias = (
    BasicType | StringType | FixedType | SequenceType | ScopedName | Struct | Union | Enum
)

# ---------------------------------------------------------------- definitions


@dataclass(frozen=True, slots=True)
class Exception_(Node):
    """An exception; the plain name is Python's."""

    name: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Typedef(Node):
    """Other names for a type."""

    type: TypeSpec
    declarators: tuple[Declarator, ...]


@dataclass(frozen=True, slots=True)
class Const(Node):
    """A constant."""

    type: TypeSpec
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """A parameter of an operation: `in`, `out` or `inout`."""

    direction: str
    type: TypeSpec
    name: str


@dataclass(frozen=True, slots=True)
class Operation(Node):
    """An operation; a void one has no result."""

    name: str
    result: TypeSpec | None
    parameters: tuple[Parameter, ...] = ()
    raises: tuple[ScopedName, ...] = ()
    oneway: bool = False


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """Attributes of one type."""

    type: TypeSpec
    names: tuple[Declarator, ...]
    readonly: bool = False


@dataclass(frozen=True, slots=True)
class Forward(Node):
    """The forward declaration of an interface, struct or union."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Interface(Node):
    """An interface."""

    name: str
    bases: tuple[ScopedName, ...]
    body: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Module(Node):
    """A module, or a further part of one."""

    name: str
    body: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Pragma(Node):
    """A pragma about repository ids: `prefix`, `version` or `ID`."""

    kind: str
    name: ScopedName | None
    text: str


@dataclass(frozen=True, slots=True)
class Include(Node):
    """An included file, named as in the directive, and its definitions."""

    file: str
    body: tuple[Definition, ...]


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
