"""Tree to model: resolve names, compute constants, give repository ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypedDict, TypeVar

from tidings.events.typecode import DISCRIMINATORS, Kind, Label
from tidings.idl import model as m
from tidings.idl import tree as t
from tidings.idl.constants import ANY_FIXED, evaluate, positive
from tidings.idl.faults import IdlLimits, InvalidIdl, Place, Source
from tidings.idl.scopes import EnumLabel, Other, Scope, Symbol

_WITHOUT_DECLARATION = frozenset({("TypeCode",), ("CORBA", "TypeCode")})


class _Labels:
    """The labels of a union, collected in order."""

    def __init__(self, switch: m.Type, scope: Scope) -> None:
        self.switch = switch
        self.scope = scope
        self.seen: set[object] = set()

    def add(self, label: t.Expression | None, place: Place) -> Label | None:
        value = None if label is None else evaluate(label, self.switch, self.scope)
        assert value is None or isinstance(value, int | str)
        if value in self.seen:
            shown = "default" if value is None else repr(value)
            where = place if label is None else label.place
            raise InvalidIdl(f"the label {shown} appears twice", where)
        self.seen.add(value)
        return value

    def check(self, place: Place) -> None:
        switch = m.unaliased(self.switch)
        if not self.seen:
            raise InvalidIdl("a union has at least one branch", place)
        every = len(switch.labels) if isinstance(switch, m.EnumDef) else 0
        if isinstance(switch, m.Basic) and switch.kind is Kind.BOOLEAN:
            every = 2
        if None in self.seen and len(self.seen) - 1 == every:
            raise InvalidIdl("default can never be reached: every value has its case", place)


def _fixed(node: t.FixedType, scope: Scope) -> m.FixedOf:
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
    return m.FixedOf(digits, scale)


def _what(symbol: Symbol) -> str:
    if isinstance(symbol, Scope):
        return "a module"
    if isinstance(symbol, EnumLabel):
        return "a label of an enum"
    if isinstance(symbol, Other):
        return symbol.what
    return "a constant" if isinstance(symbol, m.ConstDef) else "an exception"


_Forward = TypeVar("_Forward", m.StructDef, m.UnionDef, m.InterfaceDef)
_KINDS: Final = {"struct": m.StructDef, "union": m.UnionDef, "interface": m.InterfaceDef}


class _Naming(TypedDict):
    name: str
    scopes: tuple[str, ...]
    id: str
    place: Place


class Resolver:
    """Goes through a tree once, in its order."""

    def __init__(self, limits: IdlLimits) -> None:
        self.limits = limits
        self._definitions: list[m.NamedDef] = []
        self._forwards: dict[m.NamedDef, Place] = {}
        self._prefix = ""
        self._fixed_ids: set[m.NamedDef] = set()

    def model(self, specification: t.Specification, main: Source) -> m.Model:
        """The model of the whole tree."""
        root = Scope()
        for node in specification.body:
            self._definition(node, root)
        for definition, place in self._forwards.items():
            if isinstance(definition, m.StructDef | m.UnionDef) and not definition.complete:
                raise InvalidIdl(f"{definition.scoped} is declared, but never defined", place)
        return m.Model(main, tuple(self._definitions))

    def _naming(self, name: str, place: Place, scope: Scope) -> _Naming:
        """What every definition that is declared now has in common."""
        lead = (self._prefix,) if self._prefix else ()
        id_ = f"IDL:{'/'.join((*lead, *scope.path, name))}:1.0"
        return {"name": name, "scopes": scope.path, "id": id_, "place": place}

    def begin(self, kind: type[_Forward], name: str, place: Place, scope: Scope) -> _Forward:
        """Start to define a struct, union or interface, perhaps declared before."""
        before = scope.own(name, place)
        if isinstance(before, kind) and not before.complete and before in self._forwards:
            before.place = place
            scope.replace(name, before, place)
            return before
        made = kind(**self._naming(name, place, scope))
        scope.add(name, made, place)
        return made

    # ------------------------------------------------------------ types

    def resolved(self, node: t.TypeSpec, scope: Scope) -> m.Type:
        """The type of a node; one declared in place becomes a definition."""
        if isinstance(node, t.ScopedName):
            return self._named(node, scope)
        if isinstance(node, t.BasicType):
            return m.Basic(node.kind)
        if isinstance(node, t.StringType):
            bound = 0 if node.bound is None else positive(node.bound, "a bound", scope)
            return m.TextOf(node.wide, bound)
        if isinstance(node, t.SequenceType):
            bound = 0 if node.bound is None else positive(node.bound, "a bound", scope)
            return m.SequenceOf(self.resolved(node.element, scope), bound)
        if isinstance(node, t.FixedType):
            return _fixed(node, scope)
        if isinstance(node, t.Struct):
            return self.struct(node, scope)
        if isinstance(node, t.Union):
            return self.union(node, scope)
        return self.enum(node, scope)

    def complete(self, node: t.TypeSpec, scope: Scope) -> m.Type:
        """A type whose values can be laid out: not a struct that is only declared."""
        found = self.resolved(node, scope)
        inner = found
        while isinstance(inner, m.AliasDef | m.ArrayOf):
            inner = inner.type if isinstance(inner, m.AliasDef) else inner.element
        if isinstance(inner, m.StructDef | m.UnionDef) and not inner.complete:
            raise InvalidIdl(
                f"{inner.scoped} is not complete here",
                node.place,
                f"a type contains itself only through a sequence: sequence<{inner.name}>",
            )
        return found

    def declared(self, type_: m.Type, declarator: t.Declarator, scope: Scope) -> m.Type:
        """The type of a declarator, with its dimensions if it is an array."""
        most = self.limits.array_elements
        elements = 1
        for dimension in reversed(declarator.dimensions):
            length = positive(dimension, "a dimension", scope)
            elements *= length
            if elements > most:
                raise InvalidIdl(f"an array has at most {most} elements", dimension.place)
            type_ = m.ArrayOf(type_, length)
        return type_

    def _named(self, name: t.ScopedName, scope: Scope) -> m.Type:
        try:
            found: Symbol = scope.find(name)
        except InvalidIdl:
            if name.parts in _WITHOUT_DECLARATION:
                return m.Basic(Kind.TYPECODE)
            raise
        if isinstance(found, m.StructDef | m.UnionDef | m.EnumDef | m.AliasDef | m.InterfaceDef):
            return found
        raise InvalidIdl(f"{name} is {_what(found)}, not a type", name.place)

    def struct(self, node: t.Struct, scope: Scope) -> m.StructDef:
        """Define a struct."""
        made = self.begin(m.StructDef, node.name, node.place, scope)
        made.members = self.members(node.members, scope.open(made))
        made.complete = True
        self._definitions.append(made)
        return made

    def members(self, nodes: tuple[t.Member, ...], inside: Scope) -> tuple[m.MemberDef, ...]:
        """The members of a struct or exception; their names are in its scope."""
        found: list[m.MemberDef] = []
        for node in nodes:
            type_ = self.complete(node.type, inside)
            for one in node.declarators:
                inside.add(one.name, Other("a member"), one.place)
                found.append(m.MemberDef(one.name, self.declared(type_, one, inside)))
        return tuple(found)

    def enum(self, node: t.Enum, scope: Scope) -> m.EnumDef:
        """Define an enum; its labels are names in the scope around it."""
        labels = tuple(label.name for label in node.labels)
        made = m.EnumDef(**self._naming(node.name, node.place, scope), labels=labels)
        scope.add(node.name, made, node.place)
        for label in node.labels:
            scope.add(label.name, EnumLabel(made, label.name), label.place)
        self._definitions.append(made)
        return made

    def union(self, node: t.Union, scope: Scope) -> m.UnionDef:
        """Define a union."""
        made = self.begin(m.UnionDef, node.name, node.place, scope)
        inside = scope.open(made)
        made.switch = self.complete(node.switch, inside)
        switch = m.unaliased(made.switch)
        kind = switch.kind if isinstance(switch, m.Basic) else None
        if not isinstance(switch, m.EnumDef) and kind not in DISCRIMINATORS:
            raise InvalidIdl(
                "this type cannot select a branch",
                node.switch.place,
                "integers, boolean, char, wchar and enums can",
            )
        labels = _Labels(made.switch, inside)
        branches: list[m.BranchDef] = []
        for case in node.cases:
            type_ = self.complete(case.type, inside)
            inside.add(case.declarator.name, Other("a branch"), case.declarator.place)
            found = tuple(labels.add(label, case.place) for label in case.labels)
            branch = self.declared(type_, case.declarator, inside)
            branches.append(m.BranchDef(found, case.declarator.name, branch))
        labels.check(node.place)
        made.branches = tuple(branches)
        made.complete = True
        self._definitions.append(made)
        return made

    # ------------------------------------------------------------ definitions

    def _definition(self, node: t.Definition, scope: Scope) -> None:
        _HANDLERS[type(node)](self, node, scope)

    def _within(self, body: tuple[t.Definition, ...], scope: Scope, prefix: str) -> None:
        """Resolve a body between braces, or of a file: a prefix ends with it."""
        outer, self._prefix = self._prefix, prefix
        for node in body:
            self._definition(node, scope)
        self._prefix = outer

    def _include(self, node: t.Include, scope: Scope) -> None:
        self._within(node.body, scope, "")

    def _module(self, node: t.Module, scope: Scope) -> None:
        inside = scope.own(node.name, node.place)
        if not isinstance(inside, Scope):
            inside = Scope(node.name, scope)
            scope.add(node.name, inside, node.place)
        self._within(node.body, inside, self._prefix)

    def _pragma(self, node: t.Pragma, scope: Scope) -> None:
        if node.name is None:
            self._prefix = node.text
            return
        found = scope.find(node.name)
        if isinstance(found, Scope):
            return  # the id of a module is used nowhere
        if not isinstance(found, m.NamedDef):
            raise InvalidIdl(f"{node.name} has no repository id", node.place)
        wanted = node.text
        if node.kind == "version":
            wanted = f"{found.id.rpartition(':')[0]}:{node.text}"
        if found in self._fixed_ids and found.id != wanted:
            raise InvalidIdl(f"{node.name} has the repository id {found.id} already", node.place)
        found.id = wanted
        self._fixed_ids.add(found)

    def _forward(self, node: t.Forward, scope: Scope) -> None:
        kind = _KINDS[node.kind]
        before = scope.own(node.name, node.place)
        if isinstance(before, kind):
            return
        made = kind(**self._naming(node.name, node.place, scope))
        scope.add(node.name, made, node.place)
        self._forwards[made] = node.place

    def _exception(self, node: t.Exception_, scope: Scope) -> None:
        made = m.ExceptionDef(**self._naming(node.name, node.place, scope))
        scope.add(node.name, made, node.place)
        made.members = self.members(node.members, scope.open(made))
        self._definitions.append(made)

    def _typedef(self, node: t.Typedef, scope: Scope) -> None:
        type_ = self.complete(node.type, scope)
        for one in node.declarators:
            aliased = self.declared(type_, one, scope)
            made = m.AliasDef(**self._naming(one.name, one.place, scope), type=aliased)
            scope.add(one.name, made, one.place)
            self._definitions.append(made)

    def _const(self, node: t.Const, scope: Scope) -> None:
        bare = isinstance(node.type, t.FixedType) and node.type.digits is None
        type_: m.Type = ANY_FIXED if bare else self.resolved(node.type, scope)
        value = evaluate(node.value, type_, scope)
        naming = self._naming(node.name, node.place, scope)
        made = m.ConstDef(**naming, type=type_, value=value)
        scope.add(node.name, made, node.place)
        self._definitions.append(made)

    # ------------------------------------------------------------ interfaces

    def _interface(self, node: t.Interface, scope: Scope) -> None:
        made = self.begin(m.InterfaceDef, node.name, node.place, scope)
        inside = scope.open(made)
        made.bases = tuple(self._base(name, made, scope) for name in node.bases)
        if len(set(made.bases)) != len(made.bases):
            raise InvalidIdl(f"{made.scoped} names a base twice", node.place)
        lineage = [one for base in made.bases for one in (*base.ancestors, base)]
        made.ancestors = tuple(dict.fromkeys(lineage))
        if len(made.ancestors) > self.limits.bases:
            raise InvalidIdl(f"more than {self.limits.bases} base interfaces", node.place)
        inside.ancestors = [scope.inside(base) for base in reversed(made.ancestors)]
        inherited = _inherited(made, node.place)
        made.complete = True  # its own reference may be used inside
        operations: list[m.OperationDef] = []
        accessors: list[m.OperationDef] = []
        outer = self._prefix
        for one in node.body:
            if isinstance(one, t.Operation):
                operations.append(self._operation(one, inside, inherited))
            elif isinstance(one, t.Attribute):
                accessors += self._attribute(one, inside, inherited)
            else:
                self._definition(one, inside)
        self._prefix = outer
        made.operations = (*operations, *accessors)
        self._definitions.append(made)

    def _base(self, name: t.ScopedName, derived: m.InterfaceDef, scope: Scope) -> m.InterfaceDef:
        found = scope.find(name)
        if not isinstance(found, m.InterfaceDef):
            raise InvalidIdl(f"{name} is not an interface", name.place)
        if found is derived:
            raise InvalidIdl(f"{name} cannot inherit from itself", name.place)
        if not found.complete:
            raise InvalidIdl(
                f"{name} is declared, but not defined yet", name.place, "define it before"
            )
        return found

    def _operation(
        self, node: t.Operation, scope: Scope, inherited: dict[str, str]
    ) -> m.OperationDef:
        _check_new(node.name, inherited, node.place)
        result = None if node.result is None else self.complete(node.result, scope)
        names: set[str] = set()
        parameters: list[m.ParameterDef] = []
        for one in node.parameters:
            if one.name.lower() in names:
                raise InvalidIdl(f"the parameter {one.name!r} appears twice", one.place)
            names.add(one.name.lower())
            type_ = self.complete(one.type, scope)
            parameters.append(m.ParameterDef(one.direction, one.name, type_))
        raises = tuple(_exception(name, scope) for name in node.raises)
        if node.oneway and (result or raises or any(p.direction != "in" for p in parameters)):
            raise InvalidIdl(
                f"{node.name} is oneway, and so gives nothing back",
                node.place,
                "void, parameters that are all in, and no raises",
            )
        scope.add(node.name, Other("an operation"), node.place)
        return m.OperationDef(node.name, result, node.place, tuple(parameters), raises, node.oneway)

    def _attribute(
        self, node: t.Attribute, scope: Scope, inherited: dict[str, str]
    ) -> list[m.OperationDef]:
        type_ = self.complete(node.type, scope)
        found: list[m.OperationDef] = []
        for one in node.names:
            _check_new(one.name, inherited, one.place)
            scope.add(one.name, Other("an attribute"), one.place)
            found.append(m.OperationDef(f"_get_{one.name}", type_, one.place))
            if not node.readonly:
                value = m.ParameterDef("in", "value", type_)
                found.append(m.OperationDef(f"_set_{one.name}", None, one.place, (value,)))
        return found


def _check_new(name: str, inherited: dict[str, str], place: Place) -> None:
    owner = inherited.get(name.lower())
    if owner is not None:
        raise InvalidIdl(f"{name!r} is already inherited from {owner}", place)


def _inherited(made: m.InterfaceDef, place: Place) -> dict[str, str]:
    """Owner of each inherited operation and attribute; each name has one owner only."""
    owners: dict[str, str] = {}
    for base in made.ancestors:
        for one in base.operations:
            name = one.name.removeprefix("_get_").removeprefix("_set_")
            other = owners.setdefault(name.lower(), base.scoped)
            if other != base.scoped:
                raise InvalidIdl(
                    f"{made.scoped} inherits {name!r} from {other} and from {base.scoped}",
                    place,
                )
    return owners


def _exception(name: t.ScopedName, scope: Scope) -> m.ExceptionDef:
    found = scope.find(name)
    if not isinstance(found, m.ExceptionDef):
        raise InvalidIdl(f"{name} is not an exception", name.place)
    return found


_HANDLERS: Final[dict[type, Callable[..., object]]] = {
    t.Include: Resolver._include,
    t.Module: Resolver._module,
    t.Pragma: Resolver._pragma,
    t.Forward: Resolver._forward,
    t.Struct: Resolver.struct,
    t.Union: Resolver.union,
    t.Enum: Resolver.enum,
    t.Exception_: Resolver._exception,
    t.Typedef: Resolver._typedef,
    t.Const: Resolver._const,
    t.Interface: Resolver._interface,
}
