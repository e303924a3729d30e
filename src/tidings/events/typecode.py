"""TypeCodes: the types of values, as CORBA describes them.

A TypeCode is an immutable value. Two are *equal* if they agree in every detail, and *equivalent* if
values may be exchanged: aliases are resolved, and named types are identified by their repository
id. A type that contains itself names the inner place by its repository id (`recursive`);
`member_type` and `element_type` put the whole type back in that place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, TypeAlias

from tidings.errors import InvalidTypeCode

Label: TypeAlias = int | bool | str
"""A case label of a union: a number, a boolean, a character or an enum label."""


class Kind(IntEnum):
    """The kinds of CORBA types, numbered as on the wire."""

    NULL = 0
    VOID = 1
    SHORT = 2
    LONG = 3
    USHORT = 4
    ULONG = 5
    FLOAT = 6
    DOUBLE = 7
    BOOLEAN = 8
    CHAR = 9
    OCTET = 10
    ANY = 11
    TYPECODE = 12
    OBJREF = 14
    STRUCT = 15
    UNION = 16
    ENUM = 17
    STRING = 18
    SEQUENCE = 19
    ARRAY = 20
    ALIAS = 21
    EXCEPT = 22
    LONGLONG = 23
    ULONGLONG = 24
    LONGDOUBLE = 25
    WCHAR = 26
    WSTRING = 27
    FIXED = 28
    RECURSIVE = 0xFFFFFFFF


INTEGER_RANGES: Final = {
    Kind.SHORT: (-(2**15), 2**15 - 1),
    Kind.LONG: (-(2**31), 2**31 - 1),
    Kind.USHORT: (0, 2**16 - 1),
    Kind.ULONG: (0, 2**32 - 1),
    Kind.OCTET: (0, 2**8 - 1),
    Kind.LONGLONG: (-(2**63), 2**63 - 1),
    Kind.ULONGLONG: (0, 2**64 - 1),
}

# The IDL words of the kinds that need no more than a word.
KEYWORDS: Final = {
    Kind.NULL: "null",
    Kind.VOID: "void",
    Kind.SHORT: "short",
    Kind.LONG: "long",
    Kind.USHORT: "unsigned short",
    Kind.ULONG: "unsigned long",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    Kind.BOOLEAN: "boolean",
    Kind.CHAR: "char",
    Kind.OCTET: "octet",
    Kind.ANY: "any",
    Kind.TYPECODE: "TypeCode",
    Kind.LONGLONG: "long long",
    Kind.ULONGLONG: "unsigned long long",
    Kind.LONGDOUBLE: "long double",
    Kind.WCHAR: "wchar",
}

# What types without a name of their own are called, where it is not the name of the kind.
_UNNAMED: Final = {
    **KEYWORDS,
    Kind.EXCEPT: "exception",
    Kind.OBJREF: "Object",
    Kind.ALIAS: "typedef",
}

# What can select a branch of a union.
DISCRIMINATORS: Final = {*INTEGER_RANGES, Kind.BOOLEAN, Kind.CHAR, Kind.WCHAR, Kind.ENUM} - {
    Kind.OCTET
}

# Values nest 64 deep (anyvalue.MAX_DEPTH), and so do their types. Far from Python's own
# recursion limit, also where a type is taken apart by several functions per level.
MAX_TYPE_DEPTH: Final = 80


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct or exception, or a branch of a union, whose default has no label."""

    name: str
    type: TypeCode
    label: Label | None = None


@dataclass(frozen=True, slots=True)
class TypeCode:
    """The type of a value. Build one with the functions of this module."""

    kind: Kind
    id: str = ""
    name: str = ""
    members: tuple[Member, ...] = ()
    content: TypeCode | None = None
    bound: int = 0
    discriminator: TypeCode | None = None
    default_index: int = -1
    labels: tuple[str, ...] = ()
    digits: int = 0
    scale: int = 0
    # Computed once: types are keys in many tables, and hashing a deep one is not cheap.
    _hash: int = field(init=False, repr=False, compare=False, default=0)
    open_ids: frozenset[str] = field(init=False, repr=False, compare=False, default=frozenset())
    depth: int = field(init=False, repr=False, compare=False, default=1)
    # Where a union's or enum's labels stand: a type may have as many as its values.
    _places: dict[tuple[type, Label], int] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    # Kept here and not in a shared cache, which would hold on to every large type ever seen.
    _whole_members: tuple[TypeCode, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self._parts()))
        inner = self.inner()
        if inner:
            ids = frozenset[str]().union(*(t.open_ids for t in inner)) - {self.id}
            object.__setattr__(self, "open_ids", ids)
            object.__setattr__(self, "depth", 1 + max(t.depth for t in inner))
        if self.kind is Kind.RECURSIVE:
            object.__setattr__(self, "open_ids", frozenset({self.id}))
        self._places.update(((str, label), i) for i, label in enumerate(self.labels))
        if self.kind is Kind.UNION:
            labels = [(m.label, i) for i, m in enumerate(self.members) if m.label is not None]
            self._places.update(((type(label), label), i) for label, i in labels)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[TypeCode], tuple[object, ...]]:
        # Made anew: texts hash differently in every process.
        return TypeCode, self._parts()

    def _parts(self) -> tuple[object, ...]:
        parts = (self.kind, self.id, self.name, self.members, self.content, self.bound)
        more = (self.discriminator, self.default_index, self.labels, self.digits, self.scale)
        return (*parts, *more)

    @property
    def unaliased(self) -> TypeCode:
        """The type behind all aliases."""
        seen = self
        while seen.kind is Kind.ALIAS and seen.content is not None:
            seen = seen.content
        return seen

    @property
    def type_name(self) -> str:
        """The unqualified IDL name, or for unnamed types the IDL keyword."""
        seen = self.unaliased
        return seen.name or _UNNAMED.get(seen.kind, seen.kind.name.lower())

    def member_type(self, index: int) -> TypeCode:
        """The type of member `index`, whole even where this type contains itself."""
        inner = self.members[index].type
        if not self.id or self.id not in inner.open_ids:
            return inner
        if not self._whole_members:
            whole = tuple(_closed(member.type, self) for member in self.members)
            object.__setattr__(self, "_whole_members", whole)
        return self._whole_members[index]

    @property
    def element_type(self) -> TypeCode:
        """The type of a sequence's or array's elements."""
        if self.content is None:
            raise InvalidTypeCode(f"a {self.type_name} has no elements")
        return self.content

    def member_index(self, name: str) -> int:
        """The place of the first member with this name, or -1."""
        for index, member in enumerate(self.members):
            if member.name == name:
                return index
        return -1

    def branch_index(self, label: Label) -> int:
        """The branch of a union that a discriminator value selects, or -1."""
        return self._places.get((type(label), label), self.default_index)

    def has_label(self, label: str) -> bool:
        """Whether an enum has this label."""
        return (str, label) in self._places

    def same_branch(self, first: int, second: int) -> bool:
        """Whether two members are labels of one branch."""
        if first < 0 or second < 0:
            return False
        one, other = self.members[first], self.members[second]
        return first == second or (bool(one.name) and one.name == other.name)

    def equivalent(self, other: TypeCode) -> bool:
        """Whether values of the two types may be exchanged."""
        one, two = self.unaliased, other.unaliased
        if one.kind is not two.kind:
            return False
        if one.id and two.id:
            return one.id == two.id
        if one._details() != two._details():
            return False
        return all(a.equivalent(b) for a, b in zip(one.inner(), two.inner(), strict=True))

    def _details(self) -> tuple[object, ...]:
        """What equivalent types without ids have in common, beside the types inside them."""
        sizes = (self.bound, self.digits, self.scale, self.default_index, len(self.labels))
        return (*sizes, [member.label for member in self.members])

    def inner(self) -> list[TypeCode]:
        """The types directly inside this one: those of members, elements and discriminator."""
        others = [one for one in (self.content, self.discriminator) if one is not None]
        return [*(member.type for member in self.members), *others]


def _closed(inner: TypeCode, outer: TypeCode) -> TypeCode:
    """`inner` with `outer` in the places that name it."""
    if outer.id not in inner.open_ids:
        return inner
    if inner.kind is Kind.RECURSIVE:
        return outer
    members = tuple(Member(m.name, _closed(m.type, outer), m.label) for m in inner.members)
    content = None if inner.content is None else _closed(inner.content, outer)
    return replace(inner, members=members, content=content)


def string(bound: int = 0) -> TypeCode:
    """A string, of at most `bound` characters when that is not 0."""
    return TypeCode(Kind.STRING, bound=_size(bound, "string bound"))


def wstring(bound: int = 0) -> TypeCode:
    """A wide string, of at most `bound` characters when that is not 0."""
    return TypeCode(Kind.WSTRING, bound=_size(bound, "wstring bound"))


def sequence(content: TypeCode, bound: int = 0) -> TypeCode:
    """A sequence, of at most `bound` elements when that is not 0."""
    made = TypeCode(Kind.SEQUENCE, content=content, bound=_size(bound, "sequence bound"))
    return _checked(made)


def array(content: TypeCode, length: int) -> TypeCode:
    """An array of exactly `length` elements."""
    return _checked(TypeCode(Kind.ARRAY, content=content, bound=_size(length, "array length")))


def fixed(digits: int, scale: int) -> TypeCode:
    """An exact decimal number of `digits` digits, `scale` of them after the point."""
    if not (1 <= digits <= 31 and 0 <= scale <= digits):
        raise InvalidTypeCode(
            f"fixed<{digits},{scale}>: digits must be 1 to 31 and the scale 0 to digits"
        )
    return TypeCode(Kind.FIXED, digits=digits, scale=scale)


def alias(id: str, name: str, content: TypeCode) -> TypeCode:
    """A typedef."""
    return _checked(TypeCode(Kind.ALIAS, id, name, content=content))


def objref(id: str = "IDL:omg.org/CORBA/Object:1.0", name: str = "Object") -> TypeCode:
    """A reference to an object of an interface."""
    return _checked(TypeCode(Kind.OBJREF, id, name))


def recursive(id: str) -> TypeCode:
    """The place inside a type where that type is meant again."""
    if not id:
        raise InvalidTypeCode("a recursive type is named by the repository id of the outer type")
    return _checked(TypeCode(Kind.RECURSIVE, id))


def enum(id: str, name: str, labels: Iterable[str]) -> TypeCode:
    """An enumeration."""
    all_labels = tuple(labels)
    if not all_labels or len(set(all_labels)) != len(all_labels):
        raise InvalidTypeCode(f"enum {name or id!r}: needs at least one label, each once")
    return _checked(TypeCode(Kind.ENUM, id, name, labels=all_labels))


def struct(id: str, name: str, members: Iterable[tuple[str, TypeCode]]) -> TypeCode:
    """A struct with its members in order."""
    return _checked(TypeCode(Kind.STRUCT, id, name, tuple(Member(n, t) for n, t in members)))


def exception(id: str, name: str, members: Iterable[tuple[str, TypeCode]] = ()) -> TypeCode:
    """An exception with its members in order."""
    return _checked(TypeCode(Kind.EXCEPT, id, name, tuple(Member(n, t) for n, t in members)))


def union(
    id: str,
    name: str,
    discriminator: TypeCode,
    branches: Iterable[tuple[Label | None, str, TypeCode]],
) -> TypeCode:
    """A union; the branch with the label None is its default."""
    members = tuple(Member(n, t, label) for label, n, t in branches)
    switch = discriminator.unaliased
    what = f"union {name or id!r}"
    if switch.kind not in DISCRIMINATORS:
        raise InvalidTypeCode(f"{what}: a {switch.type_name} cannot select a branch")
    for member in members:
        if member.label is not None and not _is_label(switch, member.label):
            raise InvalidTypeCode(f"{what}: {member.label!r} is not a valid {switch.type_name}")
    labels = [(type(m.label), m.label) for m in members]
    if len(set(labels)) != len(labels):
        raise InvalidTypeCode(f"{what}: a label stands twice")
    default = next((i for i, m in enumerate(members) if m.label is None), -1)
    return _checked(
        TypeCode(Kind.UNION, id, name, members, discriminator=discriminator, default_index=default)
    )


def _is_label(switch: TypeCode, label: Label) -> bool:
    if switch.kind in INTEGER_RANGES:
        low, high = INTEGER_RANGES[switch.kind]
        return type(label) is int and low <= label <= high
    if switch.kind is Kind.BOOLEAN:
        return type(label) is bool
    if switch.kind is Kind.ENUM:
        return type(label) is str and switch.has_label(label)
    return type(label) is str and len(label) == 1 and (switch.kind is Kind.WCHAR or label <= "ÿ")


def _checked(made: TypeCode) -> TypeCode:
    """The type itself, if its depth is bounded and its names are text."""
    if made.depth > MAX_TYPE_DEPTH:
        raise InvalidTypeCode(f"types nest deeper than {MAX_TYPE_DEPTH}")
    labels = [m.label for m in made.members if isinstance(m.label, str)]
    for text in (made.id, made.name, *(m.name for m in made.members), *made.labels, *labels):
        try:
            text.encode()
        except (AttributeError, UnicodeEncodeError) as error:
            raise InvalidTypeCode(f"{text!r} cannot be a name in a type") from error
    return made


def _size(value: int, what: str) -> int:
    if not 0 <= value < 2**32:
        raise InvalidTypeCode(f"{what} {value} is not between 0 and 4294967295")
    return value


PRIMITIVES: Final = {kind: TypeCode(kind) for kind in KEYWORDS}

NULL: Final = PRIMITIVES[Kind.NULL]
VOID: Final = PRIMITIVES[Kind.VOID]
SHORT: Final = PRIMITIVES[Kind.SHORT]
LONG: Final = PRIMITIVES[Kind.LONG]
USHORT: Final = PRIMITIVES[Kind.USHORT]
ULONG: Final = PRIMITIVES[Kind.ULONG]
FLOAT: Final = PRIMITIVES[Kind.FLOAT]
DOUBLE: Final = PRIMITIVES[Kind.DOUBLE]
BOOLEAN: Final = PRIMITIVES[Kind.BOOLEAN]
CHAR: Final = PRIMITIVES[Kind.CHAR]
OCTET: Final = PRIMITIVES[Kind.OCTET]
ANY: Final = PRIMITIVES[Kind.ANY]
TYPECODE: Final = PRIMITIVES[Kind.TYPECODE]
LONGLONG: Final = PRIMITIVES[Kind.LONGLONG]
ULONGLONG: Final = PRIMITIVES[Kind.ULONGLONG]
LONGDOUBLE: Final = PRIMITIVES[Kind.LONGDOUBLE]
WCHAR: Final = PRIMITIVES[Kind.WCHAR]
STRING: Final = string()
WSTRING: Final = wstring()
OCTETS: Final = sequence(OCTET)
