"""Tree to model: names looked up, constants computed, repository ids given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from tidings.idl.constants import ANY_FIXED, evaluate
from tidings.idl.faults import InvalidIdl, Place, Source
from tidings.idl.limits import DEFAULT_LIMITS, Limits
from tidings.idl.model import (
    AliasDef,
    AttributeDef,
    ConstDef,
    ExceptionDef,
    InterfaceDef,
    Model,
    NamedDef,
    OperationDef,
    ParameterDef,
    StructDef,
    Type,
    UnionDef,
)
from tidings.idl.resolve_types import Types
from tidings.idl.scopes import Other, Scope
from tidings.idl.tree import (
    Attribute,
    Const,
    Definition,
    Enum,
    Exception_,
    FixedType,
    Forward,
    Include,
    Interface,
    Module,
    Operation,
    Pragma,
    ScopedName,
    Specification,
    Struct,
    Typedef,
    Union,
)

_Announced = TypeVar("_Announced", StructDef, UnionDef, InterfaceDef)
_KINDS: Final = {"struct": StructDef, "union": UnionDef, "interface": InterfaceDef}


def resolve(specification: Specification, main: Source, limits: Limits = DEFAULT_LIMITS) -> Model:
    """What a tree means.

    Args:
        specification: The tree.
        main: The file it was read from.
        limits: What it may cost.

    Raises:
        InvalidIdl: A name is not declared, declared twice, or of the wrong kind; a constant
            has no value; and so on.
    """
    return Resolver(limits).model(specification, main)


class Resolver:
    """Goes through a tree once, in its order."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._types = Types(self)
        self._definitions: list[NamedDef] = []
        self._announced: dict[NamedDef, Place] = {}
        self._prefix = ""
        self._fixed_ids: set[NamedDef] = set()

    def model(self, specification: Specification, main: Source) -> Model:
        """The model of the whole tree."""
        root = Scope()
        for node in specification.body:
            self._definition(node, root)
        for definition, place in self._announced.items():
            if isinstance(definition, StructDef | UnionDef) and not definition.complete:
                raise InvalidIdl(f"{definition.scoped} is announced, but never defined", place)
        return Model(main, tuple(self._definitions))

    # ------------------------------------------------------------ for types

    def new_id(self, name: str, scope: Scope) -> str:
        """The repository id of something that is declared now."""
        lead = (self._prefix,) if self._prefix else ()
        return f"IDL:{'/'.join((*lead, *scope.path, name))}:1.0"

    def enter(self, definition: NamedDef) -> None:
        """Puts a definition into the model, behind everything it needs."""
        self._definitions.append(definition)

    def begun(self, kind: type[_Announced], name: str, place: Place, scope: Scope) -> _Announced:
        """A struct, union or interface that is defined now, perhaps announced before."""
        before = scope.own(name, place)
        if isinstance(before, kind) and not before.complete and before in self._announced:
            before.place = place
            scope.replace(name, before, place)
            return before
        made = kind(name=name, scopes=scope.path, id=self.new_id(name, scope), place=place)
        scope.add(name, made, place)
        return made

    # ------------------------------------------------------------ definitions

    def _definition(self, node: Definition, scope: Scope) -> None:
        handler: Callable[[Resolver, Definition, Scope], None] = _HANDLERS[type(node)]
        handler(self, node, scope)

    def _within(self, body: tuple[Definition, ...], scope: Scope, prefix: str) -> None:
        """What stands between braces, or in a file: a prefix ends with it."""
        outer, self._prefix = self._prefix, prefix
        for node in body:
            self._definition(node, scope)
        self._prefix = outer

    def _include(self, node: Include, scope: Scope) -> None:
        self._within(node.body, scope, "")

    def _module(self, node: Module, scope: Scope) -> None:
        inside = scope.own(node.name, node.place)
        if not isinstance(inside, Scope):
            inside = Scope(node.name, scope)
            scope.add(node.name, inside, node.place)
        self._within(node.body, inside, self._prefix)

    def _pragma(self, node: Pragma, scope: Scope) -> None:
        if node.name is None:
            self._prefix = node.text
            return
        found = scope.find(node.name)
        if isinstance(found, Scope):
            return  # the id of a module is used nowhere
        if not isinstance(found, NamedDef):
            raise InvalidIdl(f"{node.name} has no repository id", node.place)
        wanted = node.text
        if node.kind == "version":
            wanted = f"{found.id.rpartition(':')[0]}:{node.text}"
        if found in self._fixed_ids and found.id != wanted:
            raise InvalidIdl(f"{node.name} has the repository id {found.id} already", node.place)
        found.id = wanted
        self._fixed_ids.add(found)

    def _forward(self, node: Forward, scope: Scope) -> None:
        kind = _KINDS[node.kind]
        before = scope.own(node.name, node.place)
        if isinstance(before, kind):
            return
        made = kind(
            name=node.name,
            scopes=scope.path,
            id=self.new_id(node.name, scope),
            place=node.place,
        )
        scope.add(node.name, made, node.place)
        self._announced[made] = node.place

    def _struct(self, node: Struct, scope: Scope) -> None:
        self._types.struct(node, scope)

    def _union(self, node: Union, scope: Scope) -> None:
        self._types.union(node, scope)

    def _enum(self, node: Enum, scope: Scope) -> None:
        self._types.enum(node, scope)

    def _exception(self, node: Exception_, scope: Scope) -> None:
        made = ExceptionDef(
            name=node.name,
            scopes=scope.path,
            id=self.new_id(node.name, scope),
            place=node.place,
        )
        scope.add(node.name, made, node.place)
        made.members = self._types.members(node.members, scope.open(made))
        self.enter(made)

    def _typedef(self, node: Typedef, scope: Scope) -> None:
        type_ = self._types.complete(node.type, scope)
        for one in node.declarators:
            made = AliasDef(
                name=one.name,
                scopes=scope.path,
                id=self.new_id(one.name, scope),
                place=one.place,
                type=self._types.declared(type_, one, scope),
            )
            scope.add(one.name, made, one.place)
            self.enter(made)

    def _const(self, node: Const, scope: Scope) -> None:
        bare = isinstance(node.type, FixedType) and node.type.digits is None
        type_: Type = ANY_FIXED if bare else self._types.resolved(node.type, scope)
        made = ConstDef(
            name=node.name,
            scopes=scope.path,
            id=self.new_id(node.name, scope),
            place=node.place,
            type=type_,
            value=evaluate(node.value, type_, scope),
        )
        scope.add(node.name, made, node.place)
        self.enter(made)

    # ------------------------------------------------------------ interfaces

    def _interface(self, node: Interface, scope: Scope) -> None:
        made = self.begun(InterfaceDef, node.name, node.place, scope)
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
        body = _Body(inherited)
        outer = self._prefix
        for one in node.body:
            if isinstance(one, Operation):
                body.operations.append(self._operation(one, inside, body))
            elif isinstance(one, Attribute):
                body.attributes += self._attribute(one, inside, body)
            else:
                self._definition(one, inside)
        self._prefix = outer
        made.operations, made.attributes = tuple(body.operations), tuple(body.attributes)
        self.enter(made)

    def _base(self, name: ScopedName, derived: InterfaceDef, scope: Scope) -> InterfaceDef:
        found = scope.find(name)
        if not isinstance(found, InterfaceDef):
            raise InvalidIdl(f"{name} is no interface", name.place)
        if found is derived:
            raise InvalidIdl(f"{name} cannot inherit from itself", name.place)
        if not found.complete:
            raise InvalidIdl(
                f"{name} is announced, but not defined yet", name.place, "define it before"
            )
        return found

    def _operation(self, node: Operation, scope: Scope, body: _Body) -> OperationDef:
        body.check_new(node.name, node.place)
        result = None if node.result is None else self._types.complete(node.result, scope)
        names: set[str] = set()
        parameters: list[ParameterDef] = []
        for one in node.parameters:
            if one.name.lower() in names:
                raise InvalidIdl(f"the parameter {one.name!r} stands twice", one.place)
            names.add(one.name.lower())
            type_ = self._types.complete(one.type, scope)
            parameters.append(ParameterDef(one.direction, one.name, type_))
        raises = tuple(_exception(name, scope) for name in node.raises)
        if node.oneway and (result or raises or any(p.direction != "in" for p in parameters)):
            raise InvalidIdl(
                f"{node.name} is oneway, and so gives nothing back",
                node.place,
                "void, parameters that are all in, and no raises",
            )
        scope.add(node.name, Other("an operation"), node.place)
        kept = tuple(parameters)
        return OperationDef(node.name, result, kept, raises, node.oneway, node.place)

    def _attribute(self, node: Attribute, scope: Scope, body: _Body) -> list[AttributeDef]:
        type_ = self._types.complete(node.type, scope)
        found: list[AttributeDef] = []
        for one in node.names:
            body.check_new(one.name, one.place)
            scope.add(one.name, Other("an attribute"), one.place)
            found.append(AttributeDef(one.name, type_, node.readonly, one.place))
        return found


class _Body:
    """The operations and attributes of an interface as they come."""

    def __init__(self, inherited: dict[str, str]) -> None:
        self.inherited = inherited
        self.operations: list[OperationDef] = []
        self.attributes: list[AttributeDef] = []

    def check_new(self, name: str, place: Place) -> None:
        owner = self.inherited.get(name.lower())
        if owner is not None:
            raise InvalidIdl(f"{name!r} is already inherited from {owner}", place)


def _inherited(made: InterfaceDef, place: Place) -> dict[str, str]:
    """Which operation or attribute comes from which interface; each name from one only."""
    owners: dict[str, str] = {}
    for base in made.ancestors:
        names = [one.name for one in base.operations] + [one.name for one in base.attributes]
        for name in names:
            other = owners.setdefault(name.lower(), base.scoped)
            if other != base.scoped:
                raise InvalidIdl(
                    f"{made.scoped} inherits {name!r} from {other} and from {base.scoped}",
                    place,
                )
    return owners


def _exception(name: ScopedName, scope: Scope) -> ExceptionDef:
    found = scope.find(name)
    if not isinstance(found, ExceptionDef):
        raise InvalidIdl(f"{name} is no exception", name.place)
    return found


_HANDLERS: Final[dict[type, Callable[..., None]]] = {
    Include: Resolver._include,
    Module: Resolver._module,
    Pragma: Resolver._pragma,
    Forward: Resolver._forward,
    Struct: Resolver._struct,
    Union: Resolver._union,
    Enum: Resolver._enum,
    Exception_: Resolver._exception,
    Typedef: Resolver._typedef,
    Const: Resolver._const,
    Interface: Resolver._interface,
}
