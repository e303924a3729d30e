"""Measures of the values of a type: the least octets, and how deep they nest."""

from __future__ import annotations

from typing import Final, NamedTuple

from tidings.events.typecode import Kind, TypeCode

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


_NOTHING: Final = Shape(0, 1)
_ATOMS: Final = {
    **dict.fromkeys((Kind.BOOLEAN, Kind.CHAR, Kind.OCTET, Kind.WCHAR), Shape(1)),
    **dict.fromkeys((Kind.SHORT, Kind.USHORT), Shape(2)),
    **dict.fromkeys((Kind.LONG, Kind.ULONG, Kind.FLOAT, Kind.ENUM), Shape(4)),
    **dict.fromkeys((Kind.LONGLONG, Kind.ULONGLONG, Kind.DOUBLE), Shape(8)),
    **dict.fromkeys((Kind.STRING, Kind.WSTRING, Kind.TYPECODE), Shape(4)),
    Kind.LONGDOUBLE: Shape(16),
    Kind.OBJREF: Shape(8),
    Kind.ANY: Shape(4),
    Kind.NULL: _NOTHING,
    Kind.VOID: _NOTHING,
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


def is_kept(type_: TypeCode) -> bool:
    """Whether to cache what is made for a type: large types would fill the memory."""
    return _weight(type_) <= _LARGEST_KEPT


_LARGEST_KEPT: Final = 2048


def _weight(type_: TypeCode) -> int:
    inner = [member.type for member in type_.members]
    inner += [t for t in (type_.content, type_.discriminator) if t is not None]
    texts = [type_.id, type_.name, *type_.labels, *(m.name for m in type_.members)]
    return 8 + sum(map(len, texts)) + 8 * len(texts) + sum(map(_weight, inner))
