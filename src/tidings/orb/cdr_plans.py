"""Plans: the functions that read or write values of a type, made once, and measures of the type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from tidings.events.typecode import Kind, TypeCode
from tidings.orb.bounded_cache import BoundedCache
from tidings.orb.exceptions import BAD_PARAM, OMG

F = TypeVar("F")

METHODS: Final = {
    Kind.SHORT: "short",
    Kind.LONG: "long",
    Kind.USHORT: "ushort",
    Kind.ULONG: "ulong",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    Kind.BOOLEAN: "boolean",
    Kind.CHAR: "char",
    Kind.OCTET: "octet",
    Kind.LONGLONG: "longlong",
    Kind.ULONGLONG: "ulonglong",
    Kind.LONGDOUBLE: "longdouble",
    Kind.WCHAR: "wchar",
}
"""The methods of `Input` and `Output` for the kinds that need nothing but their kind."""

LABELS: Final = {
    **dict.fromkeys((Kind.SHORT, Kind.LONG, Kind.USHORT, Kind.ULONG), 0),
    **dict.fromkeys((Kind.LONGLONG, Kind.ULONGLONG), 0),
    Kind.BOOLEAN: False,
    **dict.fromkeys((Kind.CHAR, Kind.WCHAR), "\0"),
}
"""The kinds that select a branch of a union, beside enums, and what a default branch is given."""

RUNS: Final = {
    Kind.SHORT: ("h", 2),
    Kind.USHORT: ("H", 2),
    Kind.LONG: ("i", 4),
    Kind.ULONG: ("I", 4),
    Kind.FLOAT: ("f", 4),
    Kind.LONGLONG: ("q", 8),
    Kind.ULONGLONG: ("Q", 8),
    Kind.DOUBLE: ("d", 8),
}
"""Numbers that are read and written in one step when they stand in a row: their code in `struct`,
and their size."""


class Shape(NamedTuple):
    """The measures of a type.

    Attributes:
        least: The fewest octets of a value.
        empties: How many parts of a value have no octets, outside of sequences.
        nesting: How deep containers nest in a value, up to where the type contains itself or an any
            begins.
    """

    least: int
    empties: int = 0
    nesting: int = 0


_ATOMS: Final = {
    **{kind: Shape(size) for kind, (_, size) in RUNS.items()},
    **dict.fromkeys((Kind.BOOLEAN, Kind.CHAR, Kind.OCTET, Kind.WCHAR), Shape(1)),
    **dict.fromkeys((Kind.ENUM, Kind.STRING, Kind.WSTRING, Kind.TYPECODE, Kind.ANY), Shape(4)),
    Kind.LONGDOUBLE: Shape(16),
    Kind.OBJREF: Shape(8),
    **dict.fromkeys((Kind.NULL, Kind.VOID), Shape(0, 1)),
    Kind.RECURSIVE: Shape(0),
}


def shape_of(type_: TypeCode) -> Shape:
    """The measures of a type; where it contains itself, the inner one counts nothing."""
    type_ = type_.unaliased
    kind = type_.kind
    atom = _ATOMS.get(kind)
    if atom is not None:
        return atom
    if kind is Kind.FIXED:
        return Shape((type_.digits + 2) // 2)
    if kind is Kind.SEQUENCE:
        return Shape(4, nesting=1 + shape_of(type_.element_type).nesting)
    if kind is Kind.ARRAY:
        inner = shape_of(type_.element_type)
        least, empties = type_.bound * inner.least, type_.bound * inner.empties
        # Elements that contain the array again may take nothing at all.
        return Shape(least, empties or (0 if least else max(1, type_.bound)), 1 + inner.nesting)
    inners = [shape_of(member.type) for member in type_.members]
    nesting = 1 + max((inner.nesting for inner in inners), default=0)
    if kind is Kind.UNION and type_.discriminator is not None:
        least = shape_of(type_.discriminator).least
        return Shape(least, max((inner.empties for inner in inners), default=0), nesting)
    least = sum(inner.least for inner in inners)
    return Shape(least, sum(inner.empties for inner in inners) or not inners, nesting)


class Plan(NamedTuple, Generic[F]):
    """The function that reads or writes a type, and the measures of the type."""

    run: F
    shape: Shape


class Recursion(Generic[F]):
    """A type that contains itself, while its function is made."""

    __slots__ = ("levels", "run", "shape")

    run: F

    def __init__(self, shape: Shape, levels: int) -> None:
        self.shape = shape
        self.levels = levels  # how much deeper each occurrence inside nests


Outer: TypeAlias = Mapping[str, Recursion[F]]
"""The types around one that is being made, by their ids."""


class NamedType(NamedTuple):
    """A type of a generated module: the complete TypeCode, and the class of its values."""

    type: TypeCode
    values: Any


class Plans(Generic[F]):
    """Makes the functions for types, and keeps those of the types seen lately.

    `atoms` has the functions of kinds that need no other parameter, `makers` what makes the others.
    `find` looks up a struct, union, enum or exception of a generated module; all of those are kept.
    """

    def __init__(
        self,
        atoms: Mapping[Kind, F],
        makers: Mapping[Kind, Callable[[Plans[F], TypeCode, Outer[F]], F]],
        find: Callable[[TypeCode], NamedType | None] = lambda type_: None,
    ) -> None:
        self._atoms = atoms
        self._makers = makers
        self._find = find
        self._kept = BoundedCache[TypeCode, Plan[F]](1024)
        self._named: dict[TypeCode, F] = {}

    def of_module(
        self, find: Callable[[TypeCode], NamedType | None], atoms: Mapping[Kind, F] = {}
    ) -> Plans[F]:
        """The same for a generated module, where values of named types have classes.

        `atoms` are plans of its own for some kinds.
        """
        return Plans({**self._atoms, **atoms}, self._makers, find)

    def class_of(self, type_: TypeCode) -> Any:  # noqa: ANN401 - as various as classes
        """The class of the values of a type, or None if they have none."""
        named = self._find(type_)
        return None if named is None else named.values

    def find(self, type_: TypeCode) -> Plan[F]:
        """The plan of a type."""
        plan = self._kept.get(type_)
        if plan is None:
            plan = Plan(self.make(type_), shape_of(type_))
            if _weight(type_) <= _LARGEST_KEPT:
                self._kept.keep(type_, plan)
        return plan

    def make(self, type_: TypeCode, outer: Outer[F] | None = None) -> F:
        """The function for a type, which may stand inside others."""
        type_, outer = type_.unaliased, outer or {}
        kind = type_.kind
        atom = self._atoms.get(kind) or self._named.get(type_)
        if atom is not None:
            return atom
        if kind is Kind.UNION and type_.discriminator is None:
            raise BAD_PARAM(OMG | 13, why=f"union {type_.name or type_.id!r} has no discriminator")
        named = self._find(type_)
        if kind is Kind.RECURSIVE and type_.id not in outer and named is not None:
            return self.make(named.type)
        if any(type_.id in member.type.open_ids for member in type_.members):
            shape = shape_of(type_)
            # What is stored is bounded by its containers, other values only by the limit itself.
            recursion = Recursion[F](shape, max(1, shape.nesting) if named is None else 1)
            recursion.run = made = self._makers[kind](self, type_, {**outer, type_.id: recursion})
        else:
            made = self._makers[kind](self, type_, outer)
        if named is not None and not type_.open_ids:
            self._named[type_] = made
        return made


def recursion_of(type_: TypeCode, outer: Outer[F]) -> Recursion[F]:
    """The type around this one that it stands for."""
    recursion = outer.get(type_.id)
    if recursion is None:
        why = f"{type_.id!r} stands for an outer type that is not there"
        raise BAD_PARAM(OMG | 13, why=why)
    return recursion


# Large types are not kept: they would fill the memory.
_LARGEST_KEPT: Final = 2048


def _weight(type_: TypeCode) -> int:
    inner = [member.type for member in type_.members]
    inner += [t for t in (type_.content, type_.discriminator) if t is not None]
    texts = [type_.id, type_.name, *type_.labels, *(m.name for m in type_.members)]
    return 8 + sum(map(len, texts)) + 8 * len(texts) + sum(map(_weight, inner))
