"""Pairs of IDL texts: an interface drawn at random, and the same after random edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from random import Random
from typing import Any

from tidings.events.typecode import Kind
from tidings.idl import tree as t
from tidings.idl.printing import printed

KINDS = (
    *(Kind.SHORT, Kind.LONG, Kind.ULONG, Kind.LONGLONG, Kind.DOUBLE, Kind.BOOLEAN, Kind.CHAR),
    *(Kind.WCHAR, Kind.OCTET, Kind.ANY, Kind.OBJREF),
)
TOP, LISTENER = "Account", "Listener"
ID = f"IDL:Bank/{TOP}:1.0"


class Drawing:
    """Draws a file: types made of earlier types, a callback's interface, and an interface."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.names: list[str] = []
        self.raised: list[str] = []

    def type(self) -> t.TypeSpec:
        rng = self.rng
        found: t.TypeSpec = t.BasicType(rng.choice(KINDS))
        shape = rng.random()
        if shape < 0.45 and self.names:
            found = t.ScopedName((rng.choice(self.names),))
        elif shape < 0.6:
            found = t.StringType(rng.random() < 0.3, self.bound())
        elif shape < 0.65:
            found = t.FixedType(number(rng.choice([5, 6])), number(2))
        return t.SequenceType(found, self.bound()) if rng.random() < 0.2 else found

    def bound(self) -> t.Expression | None:
        return number(self.rng.choice([2, 3])) if self.rng.random() < 0.5 else None

    def members(self, least: int = 1) -> tuple[t.Member, ...]:
        count = self.rng.randint(least, 3)
        return tuple(t.Member(self.type(), (t.Declarator(f"m{at}"),)) for at in range(count))

    def definition(self, name: str) -> t.Definition:
        rng = self.rng
        shape = rng.choice(["struct", "struct", "enum", "enum", "union", "alias"])
        if shape == "struct":
            again = t.SequenceType(t.ScopedName((name,)))
            more = (t.Member(again, (t.Declarator("again"),)),) if rng.random() < 0.2 else ()
            return t.Struct(name, (*self.members(), *more))
        if shape == "enum":
            labels = (t.Declarator(f"{name}_{at}") for at in range(rng.randint(1, 3)))
            return t.Enum(name, tuple(labels))
        if shape == "alias":
            dimensions = (number(2),) if rng.random() < 0.3 else ()
            return t.Typedef(self.type(), (t.Declarator(name, dimensions),))
        cases = [
            t.Case((number(at),), self.type(), t.Declarator(f"b{at}"))
            for at in range(rng.randint(1, 2))
        ]
        if rng.random() < 0.5:
            cases.append(t.Case((None,), self.type(), t.Declarator("other")))
        return t.Union(name, t.BasicType(Kind.LONG), tuple(cases))

    def parameters(self) -> tuple[t.Parameter, ...]:
        modes = ("in", "in", "out", "inout")
        return tuple(
            t.Parameter(self.rng.choice(modes), self.type(), f"p{at}")
            for at in range(self.rng.randint(0, 3))
        )

    def operation(self, name: str) -> t.Operation:
        rng = self.rng
        if rng.random() < 0.15:
            given = tuple(replace(one, direction="in") for one in self.parameters())
            return t.Operation(name, None, given, (), oneway=True)
        result = self.type() if rng.random() < 0.5 else None
        raised = [one for one in self.raised if rng.random() < 0.4]
        raises = tuple(t.ScopedName((one,)) for one in raised)
        return t.Operation(name, result, self.parameters(), raises)

    def interface(self, name: str, most: int) -> t.Interface:
        rng = self.rng
        body: list[t.Definition] = [
            self.operation(f"{name[0].lower()}{at}") for at in range(rng.randint(1, most))
        ]
        if rng.random() < 0.5:
            readonly = rng.random() < 0.5
            body.append(t.Attribute(self.type(), (t.Declarator(f"of{name}"),), readonly))
        return t.Interface(name, (), tuple(body))

    def file(self) -> t.Specification:
        body: list[t.Definition] = []
        for at in range(self.rng.randint(1, 4)):
            body.append(self.definition(f"T{at}"))
            self.names.append(f"T{at}")
        for name in ("Gone", "Full"):
            body.append(t.Exception_(name, self.members(0)))
            self.raised.append(name)
        body.append(self.interface(LISTENER, 1))
        self.names.append(LISTENER)
        body.append(t.Interface("Base", (), (self.operation("base"),)))
        top = self.interface(TOP, 3)
        bases = (t.ScopedName(("Base",)),) if self.rng.random() < 0.5 else ()
        body.append(replace(top, bases=bases))
        return t.Specification((t.Module("Bank", tuple(body)),))


def number(value: int) -> t.Literal:
    """A number as IDL writes it."""
    return t.Literal("integer", value)


# Edits.


def _count(node: Any, kind: type) -> int:
    if isinstance(node, tuple):
        return sum(_count(one, kind) for one in node)
    if not is_dataclass(node):
        return 0
    inner = sum(_count(getattr(node, one.name), kind) for one in fields(node) if one.compare)
    return inner + isinstance(node, kind)


class _Changing:
    """Changes the n-th node of a kind."""

    def __init__(self, kind: type, at: int, change: Callable[[Any], Any]) -> None:
        self.kind, self.left, self.change = kind, at, change

    def __call__(self, node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple([self(one) for one in node])
        if not is_dataclass(node):
            return node
        if isinstance(node, self.kind):
            self.left -= 1
            if self.left == -1:
                return self.change(node)
        changed = {one.name: self(getattr(node, one.name)) for one in fields(node) if one.compare}
        return replace(node, **changed)  # type: ignore[type-var]


def _swapped(rng: Random, found: Sequence[Any]) -> tuple[Any, ...]:
    listed = list(found)
    rng.shuffle(listed)
    return tuple(listed)


def _without(rng: Random, found: Sequence[Any]) -> tuple[Any, ...]:
    at = rng.randrange(len(found)) if found else 0
    return (*found[:at], *found[at + 1 :])


def _bounded(rng: Random, node: t.StringType | t.SequenceType) -> Any:
    return replace(node, bound=rng.choice([None, number(2), number(4)]))


def _body(rng: Random, node: t.Interface, more: t.Definition) -> t.Interface:
    return replace(node, body=_swapped(rng, (*node.body, more)))


def _last(node: t.Enum) -> t.Declarator:
    return t.Declarator(f"{node.name}_more")


_NEW = t.Operation("another", None, (t.Parameter("in", t.BasicType(Kind.LONG), "p"),))
_CASE = t.Case((number(77),), t.BasicType(Kind.LONG), t.Declarator("more"))
_MEMBER = t.Member(t.BasicType(Kind.LONG), (t.Declarator("more"),))
_PARAMETER = t.Parameter("in", t.BasicType(Kind.LONG), "more")

Edit = Callable[[Random, Any], Any]

HARMLESS: list[tuple[type, Edit]] = [
    (t.Interface, lambda rng, one: _body(rng, one, _NEW)),
    (t.Interface, lambda rng, one: replace(one, body=_swapped(rng, one.body))),
    (t.Interface, lambda rng, one: replace(one, bases=(t.ScopedName(("Base",)),))),
    (t.Parameter, lambda rng, one: replace(one, name=f"{one.name}_new")),
    (t.Member, lambda rng, one: t.Member(one.type, (replace(one.declarators[0], name="newer"),))),
    (t.Case, lambda rng, one: replace(one, declarator=t.Declarator("newer"))),
    (t.Enum, lambda rng, one: replace(one, labels=(*one.labels, _last(one)))),
    (t.Enum, lambda rng, one: replace(one, labels=one.labels[:-1])),
    (t.StringType, _bounded),
    (t.SequenceType, _bounded),
    (t.Operation, lambda rng, one: replace(one, raises=_without(rng, one.raises))),
    (t.Operation, lambda rng, one: replace(one, oneway=not one.oneway)),
    (t.Attribute, lambda rng, one: replace(one, readonly=False)),
    (t.Operation, lambda rng, one: replace(one, parameters=_swapped(rng, one.parameters))),
    (
        t.Interface,
        lambda rng, one: _body(rng, one, t.Const(t.BasicType(Kind.LONG), "N", number(5))),
    ),
]
HARMFUL: list[tuple[type, Edit]] = [
    (t.Interface, lambda rng, one: replace(one, body=_without(rng, one.body))),
    (t.Interface, lambda rng, one: replace(one, bases=())),
    (t.Parameter, lambda rng, one: replace(one, direction=rng.choice(["in", "out", "inout"]))),
    (t.Operation, lambda rng, one: replace(one, parameters=(*one.parameters, _PARAMETER))),
    (t.Operation, lambda rng, one: replace(one, parameters=_without(rng, one.parameters))),
    (t.Operation, lambda rng, one: replace(one, name=f"{one.name}_new")),
    (t.Operation, lambda rng, one: replace(one, result=None)),
    (t.Operation, lambda rng, one: replace(one, raises=(t.ScopedName(("Full",)),))),
    (t.Attribute, lambda rng, one: replace(one, readonly=not one.readonly)),
    (t.Struct, lambda rng, one: replace(one, members=(*one.members, _MEMBER))),
    (t.Struct, lambda rng, one: replace(one, members=_without(rng, one.members))),
    (t.Struct, lambda rng, one: replace(one, members=_swapped(rng, one.members))),
    (t.Exception_, lambda rng, one: replace(one, members=(*one.members, _MEMBER))),
    (t.Enum, lambda rng, one: replace(one, labels=_swapped(rng, (*one.labels, _last(one))))),
    (t.Union, lambda rng, one: replace(one, cases=(*one.cases, _CASE))),
    (t.Union, lambda rng, one: replace(one, cases=_without(rng, one.cases))),
    (t.Case, lambda rng, one: replace(one, labels=(number(9),))),
    (t.BasicType, lambda rng, one: t.BasicType(rng.choice(KINDS))),
    (t.StringType, lambda rng, one: replace(one, wide=not one.wide)),
    (t.FixedType, lambda rng, one: replace(one, scale=number(3))),
    (t.ScopedName, lambda rng, one: t.ScopedName((rng.choice(["T0", LISTENER, "Base"]),))),
]


def pair(rng: Random) -> tuple[str, str]:
    """A file, and the same after one to three edits; half of the time only harmless ones."""
    before = Drawing(rng).file()
    edits = HARMLESS if rng.random() < 0.6 else [*HARMFUL, *HARMFUL, *HARMLESS]
    after = before
    for _ in range(rng.randint(1, 3)):
        kind, change = rng.choice(edits)
        count = _count(after, kind)
        if count:
            at = rng.randrange(count)
            after = _Changing(kind, at, partial(change, rng))(after)
    return printed(before), printed(after)
