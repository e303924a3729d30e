"""The part of the resolver for types: names looked up, bounds computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidings.events.kinds import DISCRIMINATORS, Kind, Label
from tidings.idl.constants import ANY_FIXED, evaluate, positive
from tidings.idl.faults import InvalidIdl, Place
from tidings.idl.model import (
    AliasDef,
    ArrayOf,
    Basic,
    BranchDef,
    EnumDef,
    FixedOf,
    InterfaceDef,
    MemberDef,
    SequenceOf,
    StructDef,
    TextOf,
    Type,
    UnionDef,
    unaliased,
)
from tidings.idl.scopes import EnumLabel, Other, Scope, Symbol
from tidings.idl.tree import (
    BasicType,
    Declarator,
    Enum,
    Expression,
    FixedType,
    Member,
    ScopedName,
    SequenceType,
    StringType,
    Struct,
    TypeSpec,
    Union,
)

if TYPE_CHECKING:
    from tidings.idl.resolve import Resolver

_WITHOUT_DECLARATION = frozenset({("TypeCode",), ("CORBA", "TypeCode")})


class Types:
    """Resolves types for a resolver, which keeps the definitions.

    Args:
        resolver: Where definitions are entered.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def resolved(self, node: TypeSpec, scope: Scope) -> Type:
        """The type of a node; a type that is declared on the spot is entered.

        Raises:
            InvalidIdl: A name means no type, or a bound is wrong.
        """
        if isinstance(node, ScopedName):
            return self._named(node, scope)
        if isinstance(node, BasicType):
            return Basic(node.kind)
        if isinstance(node, StringType):
            bound = 0 if node.bound is None else positive(node.bound, "a bound", scope)
            return TextOf(node.wide, bound)
        if isinstance(node, SequenceType):
            bound = 0 if node.bound is None else positive(node.bound, "a bound", scope)
            return SequenceOf(self.resolved(node.element, scope), bound)
        if isinstance(node, FixedType):
            return _fixed(node, scope)
        if isinstance(node, Struct):
            return self.struct(node, scope)
        if isinstance(node, Union):
            return self.union(node, scope)
        return self.enum(node, scope)

    def complete(self, node: TypeSpec, scope: Scope) -> Type:
        """A type whose values can be laid out: no struct that is only announced.

        Raises:
            InvalidIdl: It is, or contains, one that is not complete yet.
        """
        found = self.resolved(node, scope)
        inner = found
        while isinstance(inner, AliasDef | ArrayOf):
            inner = inner.type if isinstance(inner, AliasDef) else inner.element
        if isinstance(inner, StructDef | UnionDef) and not inner.complete:
            raise InvalidIdl(
                f"{inner.scoped} is not complete here",
                node.place,
                f"a type contains itself only through a sequence: sequence<{inner.name}>",
            )
        return found

    def declared(self, type_: Type, declarator: Declarator, scope: Scope) -> Type:
        """The type of a name, with its dimensions if it is an array."""
        most = self._resolver.limits.array_elements
        elements = 1
        for dimension in reversed(declarator.dimensions):
            length = positive(dimension, "a dimension", scope)
            elements *= length
            if elements > most:
                raise InvalidIdl(f"an array has at most {most} elements", dimension.place)
            type_ = ArrayOf(type_, length)
        return type_

    def _named(self, name: ScopedName, scope: Scope) -> Type:
        try:
            found: Symbol = scope.find(name)
        except InvalidIdl:
            if name.parts in _WITHOUT_DECLARATION:
                return Basic(Kind.TYPECODE)
            raise
        if isinstance(found, StructDef | UnionDef | EnumDef | AliasDef | InterfaceDef):
            return found
        raise InvalidIdl(f"{name} is {_what(found)}, and no type", name.place)

    def struct(self, node: Struct, scope: Scope) -> StructDef:
        """Enters a struct."""
        made = self._resolver.begun(StructDef, node.name, node.place, scope)
        made.members = self.members(node.members, scope.open(made))
        made.complete = True
        self._resolver.enter(made)
        return made

    def members(self, nodes: tuple[Member, ...], inside: Scope) -> tuple[MemberDef, ...]:
        """The members of a struct or exception; their names are in its scope."""
        found: list[MemberDef] = []
        for node in nodes:
            type_ = self.complete(node.type, inside)
            for one in node.declarators:
                inside.add(one.name, Other("a member"), one.place)
                found.append(MemberDef(one.name, self.declared(type_, one, inside)))
        return tuple(found)

    def enum(self, node: Enum, scope: Scope) -> EnumDef:
        """Enters an enum; its labels are names in the scope around it."""
        made = EnumDef(
            name=node.name,
            scopes=scope.path,
            id=self._resolver.new_id(node.name, scope),
            place=node.place,
            labels=tuple(label.name for label in node.labels),
        )
        scope.add(node.name, made, node.place)
        for label in node.labels:
            scope.add(label.name, EnumLabel(made, label.name), label.place)
        self._resolver.enter(made)
        return made

    def union(self, node: Union, scope: Scope) -> UnionDef:
        """Enters a union."""
        made = self._resolver.begun(UnionDef, node.name, node.place, scope)
        inside = scope.open(made)
        made.switch = self.complete(node.switch, inside)
        switch = unaliased(made.switch)
        kind = switch.kind if isinstance(switch, Basic) else None
        if not isinstance(switch, EnumDef) and kind not in DISCRIMINATORS:
            raise InvalidIdl(
                "this type cannot select a branch",
                node.switch.place,
                "integers, boolean, char, wchar and enums can",
            )
        labels = _Labels(made.switch, inside)
        branches: list[BranchDef] = []
        for case in node.cases:
            type_ = self.complete(case.type, inside)
            inside.add(case.declarator.name, Other("a branch"), case.declarator.place)
            found = tuple(labels.taken(label, case.place) for label in case.labels)
            branch = self.declared(type_, case.declarator, inside)
            branches.append(BranchDef(found, case.declarator.name, branch))
        labels.check(node.place)
        made.branches = tuple(branches)
        made.complete = True
        self._resolver.enter(made)
        return made


class _Labels:
    """The labels of a union as they come."""

    def __init__(self, switch: Type, scope: Scope) -> None:
        self.switch = switch
        self.scope = scope
        self.seen: set[object] = set()

    def taken(self, label: Expression | None, place: Place) -> Label | None:
        value = None if label is None else evaluate(label, self.switch, self.scope)
        assert value is None or isinstance(value, int | str)
        if value in self.seen:
            shown = "default" if value is None else repr(value)
            where = place if label is None else label.place
            raise InvalidIdl(f"the label {shown} stands twice", where)
        self.seen.add(value)
        return value

    def check(self, place: Place) -> None:
        switch = unaliased(self.switch)
        if not self.seen:
            raise InvalidIdl("a union has at least one branch", place)
        every = len(switch.labels) if isinstance(switch, EnumDef) else 0
        if isinstance(switch, Basic) and switch.kind is Kind.BOOLEAN:
            every = 2
        if None in self.seen and len(self.seen) - 1 == every:
            raise InvalidIdl("default can never be reached: every value has its case", place)


def _fixed(node: FixedType, scope: Scope) -> FixedOf:
    if node.digits is None or node.scale is None:
        raise InvalidIdl(
            "fixed needs digits and scale, except as the type of a constant",
            node.place,
            "such as fixed<10, 2>",
        )
    digits = positive(node.digits, "the number of digits", scope)
    scale = positive(node.scale, "the scale", scope, 0)
    if digits > ANY_FIXED.digits or scale > digits:
        raise InvalidIdl(
            f"fixed<{digits},{scale}>: digits are 1 to 31 and the scale 0 to digits", node.place
        )
    return FixedOf(digits, scale)


def _what(symbol: Symbol) -> str:
    if isinstance(symbol, Scope):
        return "a module"
    if isinstance(symbol, EnumLabel):
        return "a label of an enum"
    if isinstance(symbol, Other):
        return symbol.what
    return "a constant" if type(symbol).__name__ == "ConstDef" else "an exception"
