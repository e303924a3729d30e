"""The one text of an interface: it, and all it needs, however the files were written.

The text stands for itself: it includes nothing, expressions are computed, repository ids are said
where they are not the usual ones, and attributes and operations are in the order of their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import groupby
from typing import Final

from tidings.events.typecode import Kind
from tidings.idl import model as m
from tidings.idl import tree as t
from tidings.idl.constants import ANY_FIXED
from tidings.idl.printing import printed

_TYPECODE: Final = t.ScopedName(("CORBA", "TypeCode"))


def canonical(model: m.Model, interface: m.InterfaceDef) -> str:
    """The text of an interface of a model."""
    return printed(_Specification(model, closure(interface)).tree())


def canonical_definition(model: m.Model, one: m.NamedDef) -> str:
    """The text of one definition alone."""
    made = _Specification(model, closure(one)).definition(one)
    return printed(t.Specification((made,)))


def interface_of(model: m.Model, id: str) -> m.InterfaceDef | None:
    """The interface with a repository id."""
    return next((one for one in interfaces(model) if one.id == id), None)


def interfaces(model: m.Model) -> Iterator[m.InterfaceDef]:
    """The interfaces of a model, also those of included files."""
    return (one for one in model.definitions if isinstance(one, m.InterfaceDef))


def own_interfaces(model: m.Model) -> list[m.InterfaceDef]:
    """The interfaces of the main file."""
    return [one for one in interfaces(model) if one.source is model.main]


# What an interface needs.


def parts(one: m.Type | m.NamedDef) -> Iterator[m.Type | m.ExceptionDef]:
    """The types that a type or definition is made of."""
    if isinstance(one, m.SequenceOf | m.ArrayOf):
        yield one.element
    elif isinstance(one, m.AliasDef | m.ConstDef):
        yield one.type
    elif isinstance(one, m.StructDef | m.ExceptionDef):
        yield from (member.type for member in one.members)
    elif isinstance(one, m.UnionDef):
        yield one.switch
        yield from (branch.type for branch in one.branches)
    elif isinstance(one, m.InterfaceDef):
        yield from one.bases
        for operation in one.operations:
            yield from (parameter.type for parameter in operation.parameters)
            yield from operation.raises
            if operation.result is not None:
                yield operation.result


def closure(*wanted: m.NamedDef) -> set[m.NamedDef]:
    """Definitions, and all that their types refer to."""
    found: set[m.NamedDef] = set()
    waiting: list[m.Type | m.NamedDef] = list(wanted)
    while waiting:
        one = waiting.pop()
        if isinstance(one, m.NamedDef):
            if one in found:
                continue
            found.add(one)
        waiting += parts(one)
    return found


# From the model back to a tree.


class _Specification:
    def __init__(self, model: m.Model, needed: set[m.NamedDef]) -> None:
        self._owners = {_path(one): one for one in model.definitions if _has_scope(one)}
        self._needed = self._with_scopes(model, needed)
        self._forward = {one for one in self._needed if one not in set(model.definitions)}
        self._units = [one for one in model.definitions if one in self._needed]
        self._inside: dict[tuple[str, ...], list[m.NamedDef]] = {}
        for one in self._units:
            self._inside.setdefault(one.scopes, []).append(one)
        self._names, self._others = _taken([*self._units, *self._forward])
        self._declared: set[m.NamedDef] = set()

    def _with_scopes(self, model: m.Model, needed: set[m.NamedDef]) -> set[m.NamedDef]:
        """With the interfaces and structs around definitions, and all inside of these."""
        while True:
            around = {self._owners.get(one.scopes[:n]) for one in needed for n in _lengths(one)}
            owners = {_path(one) for one in needed if _has_scope(one)}
            inside = {one for one in model.definitions if one.scopes in owners}
            more = closure(*(one for one in (*around, *inside) if one is not None)) - needed
            if not more:
                return needed
            needed = needed | more

    def tree(self) -> t.Specification:
        """The whole text as a tree."""
        outer = [one for one in self._units if one.scopes not in self._owners]
        placed = [(at, node) for one in outer for at, node in self._unit(one)]
        body: list[t.Definition] = []
        prefix = ""
        for scopes, group in groupby(placed, lambda each: each[0]):
            made = list(group)
            wanted = next((_prefix(one) for _, (one, _) in made if _prefix(one) is not None), "")
            if wanted is not None and wanted != prefix:
                body.append(t.Pragma("prefix", None, wanted))
                prefix = wanted
            body += _in_modules(scopes, [node for _, (_, node) in made])
            for _, (one, node) in made:
                if not isinstance(node, t.Forward) or one in self._forward:
                    body += self._ids(one, prefix)
        return t.Specification(tuple(body))

    def _ids(self, one: m.NamedDef, prefix: str) -> Iterator[t.Definition]:
        """Pragmas for a definition and those inside, where the prefix gives another id."""
        lead = (prefix,) if prefix else ()
        usual = f"IDL:{'/'.join((*lead, *_path(one)))}:1.0"
        if one.id != usual:
            name = t.ScopedName(_path(one), absolute=True)
            same, _, version = one.id.rpartition(":")
            if same == usual.rpartition(":")[0] and version.replace(".", "", 1).isdecimal():
                yield t.Pragma("version", name, version)
            else:
                yield t.Pragma("ID", name, one.id)
        if _has_scope(one):
            for inner in self._inside.get(_path(one), ()):
                yield from self._ids(inner, prefix)

    def _unit(
        self, one: m.NamedDef
    ) -> Iterator[tuple[tuple[str, ...], tuple[m.NamedDef, t.Definition]]]:
        """A definition of a module, behind the declarations it needs."""
        self._declared.add(one)
        inside = self._all_inside(one)
        for needed in _in_order(part for each in inside for part in _named_parts(each)):
            if needed not in self._declared and needed not in inside:
                assert isinstance(needed, m.StructDef | m.UnionDef | m.InterfaceDef)
                self._declared.add(needed)
                yield needed.scopes, (needed, _forward(needed))
        self._declared.update(inside)
        yield one.scopes, (one, self.definition(one))

    def _all_inside(self, one: m.NamedDef) -> list[m.NamedDef]:
        found = [one]
        for each in self._inside.get(_path(one), ()) if _has_scope(one) else ():
            found += self._all_inside(each)
        return found

    # ------------------------------------------------------------ definitions

    def definition(self, one: m.NamedDef) -> t.Definition:
        """A definition as a node."""
        if isinstance(one, m.InterfaceDef):
            return self._interface(one)
        if isinstance(one, m.StructDef | m.UnionDef | m.EnumDef):
            return self._composed(one)
        if isinstance(one, m.ExceptionDef):
            return t.Exception_(one.name, self._members(one))
        if isinstance(one, m.AliasDef):
            type_, declarator = self._declared_as(one.name, one.type, one.scopes)
            return t.Typedef(type_, (declarator,))
        assert isinstance(one, m.ConstDef)
        is_bare = isinstance(one.type, m.FixedOf) and one.type == ANY_FIXED
        type_ = t.FixedType() if is_bare else self._type(one.type, one.scopes)
        return t.Const(type_, one.name, _value(one.value, one.type))

    def _interface(self, one: m.InterfaceDef) -> t.Interface:
        path = _path(one)
        bases = tuple(self._name(base, one.scopes) for base in one.bases)
        body: list[t.Definition] = []
        known: set[m.NamedDef] = set()
        for each in self._inside.get(path, ()):
            for needed in _in_order(_named_parts(each)):
                if needed.scopes == path and needed not in known and needed is not each:
                    known.add(needed)
                    body.append(_forward(needed))
            known.add(each)
            body.append(self.definition(each))
        body += _sorted(self._attributes(one, path))
        body += _sorted(self._operations(one, path))
        return t.Interface(one.name, bases, tuple(body))

    def _attributes(self, one: m.InterfaceDef, path: tuple[str, ...]) -> Iterator[t.Attribute]:
        writable = {each.name for each in one.operations}
        for each in one.operations:
            if each.name.startswith("_get_"):
                assert each.result is not None
                name = each.name.removeprefix("_get_")
                readonly = f"_set_{name}" not in writable
                yield t.Attribute(self._type(each.result, path), (t.Declarator(name),), readonly)

    def _operations(self, one: m.InterfaceDef, path: tuple[str, ...]) -> Iterator[t.Operation]:
        for each in one.operations:
            if not each.name.startswith("_"):
                parameters = tuple(
                    t.Parameter(it.direction, self._type(it.type, path), it.name)
                    for it in each.parameters
                )
                result = None if each.result is None else self._type(each.result, path)
                raises = tuple(self._name(it, path) for it in each.raises)
                yield t.Operation(each.name, result, parameters, raises, each.oneway)

    def _composed(self, one: m.StructDef | m.UnionDef | m.EnumDef) -> t.Struct | t.Union | t.Enum:
        if isinstance(one, m.EnumDef):
            return t.Enum(one.name, tuple(map(t.Declarator, one.labels)))
        if isinstance(one, m.StructDef):
            return t.Struct(one.name, self._members(one))
        path, inline = _path(one), set[m.NamedDef]()
        switch = self._placed(one.switch, path, inline)
        label_type = m.unaliased(one.switch)
        cases = []
        for branch in one.branches:
            labels = tuple(
                None if label is None else _value(label, label_type) for label in branch.labels
            )
            type_, declarator = self._declared_as(branch.name, branch.type, path, inline)
            cases.append(t.Case(labels, type_, declarator))
        return t.Union(one.name, switch, tuple(cases))

    def _members(self, one: m.StructDef | m.ExceptionDef) -> tuple[t.Member, ...]:
        path, inline = _path(one), set[m.NamedDef]()
        made = (self._declared_as(each.name, each.type, path, inline) for each in one.members)
        return tuple(t.Member(type_, (declarator,)) for type_, declarator in made)

    # ------------------------------------------------------------ types

    def _declared_as(
        self, name: str, type_: m.Type, path: tuple[str, ...], inline: set[m.NamedDef] | None = None
    ) -> tuple[t.TypeSpec, t.Declarator]:
        """The type of a declarator without its dimensions, and the declarator with them."""
        dimensions: list[t.Expression] = []
        while isinstance(type_, m.ArrayOf):
            dimensions.append(_number(type_.length))
            type_ = type_.element
        return self._placed(type_, path, inline), t.Declarator(name, tuple(dimensions))

    def _placed(
        self, type_: m.Type, path: tuple[str, ...], inline: set[m.NamedDef] | None
    ) -> t.TypeSpec:
        """A type that may be declared in place: the first use of what is in this very scope."""
        if (
            inline is not None
            and isinstance(type_, m.StructDef | m.UnionDef | m.EnumDef)
            and type_.scopes == path
            and type_ not in inline
        ):
            inline.add(type_)
            return self._composed(type_)
        return self._type(type_, path)

    def _type(self, type_: m.Type, path: tuple[str, ...]) -> t.TypeSpec:
        if isinstance(type_, m.Basic):
            return _TYPECODE if type_.kind is Kind.TYPECODE else t.BasicType(type_.kind)
        if isinstance(type_, m.TextOf):
            return t.StringType(type_.wide, _bound(type_.bound))
        if isinstance(type_, m.FixedOf):
            return t.FixedType(_number(type_.digits), _number(type_.scale))
        if isinstance(type_, m.SequenceOf):
            return t.SequenceType(self._type(type_.element, path), _bound(type_.bound))
        assert isinstance(type_, m.NamedDef)
        return self._name(type_, path)

    def _name(self, one: m.NamedDef, path: tuple[str, ...]) -> t.ScopedName:
        """The bare name where nothing else can be meant."""
        seen = one.scopes == path[: len(one.scopes)]
        if seen and self._names[one.name.lower()] == 1 and one.name not in self._others:
            return t.ScopedName((one.name,))
        return t.ScopedName(_path(one), absolute=True)


def _path(one: m.NamedDef) -> tuple[str, ...]:
    return (*one.scopes, one.name)


def _lengths(one: m.NamedDef) -> range:
    return range(1, len(one.scopes) + 1)


def _has_scope(one: m.NamedDef) -> bool:
    return isinstance(one, m.InterfaceDef | m.StructDef | m.UnionDef | m.ExceptionDef)


def _named_parts(one: m.NamedDef) -> Iterator[m.NamedDef]:
    """The structs, unions and interfaces that a definition names, directly or in a sequence."""
    for part in parts(one):
        inner: m.Type | m.ExceptionDef = part
        while isinstance(inner, m.SequenceOf | m.ArrayOf):
            inner = inner.element
        if isinstance(inner, m.StructDef | m.UnionDef | m.InterfaceDef):
            yield inner


def _in_order(found: Iterable[m.NamedDef]) -> list[m.NamedDef]:
    return list(dict.fromkeys(found))


def _forward(one: m.NamedDef) -> t.Forward:
    kinds = {m.StructDef: "struct", m.UnionDef: "union", m.InterfaceDef: "interface"}
    return t.Forward(kinds[type(one)], one.name)


def _sorted(nodes: Iterable[t.Attribute | t.Operation]) -> list[t.Attribute | t.Operation]:
    return sorted(
        nodes, key=lambda one: one.name if isinstance(one, t.Operation) else one.names[0].name
    )


def _taken(definitions: Iterable[m.NamedDef]) -> tuple[Counter[str], set[str]]:
    """How often each name is declared, in small letters; and the names of what is no type."""
    paths = {_path(one)[:n] for one in definitions for n in range(1, len(one.scopes) + 2)}
    names = Counter(path[-1].lower() for path in paths)
    others: set[str] = set()
    for one in definitions:
        if isinstance(one, m.EnumDef):
            names.update(label.lower() for label in one.labels)
        elif isinstance(one, m.StructDef | m.ExceptionDef):
            others |= {member.name for member in one.members}
        elif isinstance(one, m.UnionDef):
            others |= {branch.name for branch in one.branches}
        elif isinstance(one, m.InterfaceDef):
            halves = ("_get_", "_set_")
            others |= {
                each.name[5:] if each.name.startswith(halves) else each.name
                for each in one.operations
            }
    return names, others


def _prefix(one: m.NamedDef) -> str | None:
    """The prefix that gives a definition its id; None if none does."""
    end = f"{'/'.join(_path(one))}:"
    at = one.id.find(end)
    lead = one.id[:at]
    if at < 0 or not lead.startswith("IDL:") or (lead != "IDL:" and not lead.endswith("/")):
        return None
    return lead.removeprefix("IDL:").removesuffix("/")


def _in_modules(scopes: tuple[str, ...], body: list[t.Definition]) -> list[t.Definition]:
    for name in reversed(scopes):
        body = [t.Module(name, tuple(body))]
    return body


def _number(value: int) -> t.Literal:
    return t.Literal("integer", value)


def _bound(value: int) -> t.Literal | None:
    return _number(value) if value else None


def _value(value: m.ConstValue, type_: m.Type) -> t.Expression:
    """The expression of a constant's or label's value."""
    behind = m.unaliased(type_)
    if isinstance(behind, m.EnumDef):
        return t.Named(t.ScopedName((str(value),)))
    if isinstance(value, bool):
        return t.Literal("boolean", value)
    if isinstance(value, str):
        if isinstance(behind, m.TextOf):
            return t.Literal("wstring" if behind.wide else "string", value)
        is_wide = isinstance(behind, m.Basic) and behind.kind is Kind.WCHAR
        return t.Literal("wchar" if is_wide else "char", value)
    kind = {int: "integer", float: "real", Decimal: "fixed"}[type(value)]
    if value < 0 or str(value).startswith("-"):
        return t.Unary("-", t.Literal(kind, -value))
    return t.Literal(kind, value)
