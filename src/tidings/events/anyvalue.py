"""Values of events, their types, and whether a value fits a type.

A value is stored *unboxed*, as the plain Python value, wherever its type can be inferred from it
(`infer`); elsewhere it is an `Any`, which is a TypeCode with a value.

=====================  =====================================================================
type                   value
=====================  =====================================================================
null, void             None
boolean                bool
integers, octet        int
float, double, …       float
fixed                  Decimal
char, wchar            str of one character (only inside an `Any` or a typed place)
string, wstring        str
enum                   str, the label (only inside an `Any` or a typed place)
struct, exception      tuple in member order; unboxed: dict, a struct without a name
union                  UnionValue (only inside an `Any` or a typed place)
sequence, array        tuple; bytes when the elements are octets
any                    the inner value, unboxed or an `Any`
object reference       Reference
TypeCode               TypeCode
=====================  =====================================================================

Unboxed, an int is a long, or a long long or unsigned long long when it must be; a float is a
double; a tuple is a sequence of its elements' one type, or of any; an `Any` as an element or
member says that the place itself has the type any.
"""

from __future__ import annotations

import struct as octets
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Context, Decimal, InvalidOperation
from typing import TypeAlias

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.reference import Reference
from tidings.events.texts import checked_text, exact_text, member_name, place_name, shortened
from tidings.events.typecode import INTEGER_RANGES, Kind, Label, TypeCode
from tidings.events.typetext import describe


class UnionValue:
    """A union's value: the discriminator, and the value of the branch it selects."""

    __slots__ = ("discriminator", "value")

    def __init__(self, discriminator: Label, value: Value) -> None:
        self.discriminator = discriminator
        self.value = value

    def __repr__(self) -> str:
        return f"UnionValue({self.discriminator!r}, {self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnionValue) and same(self, other)

    __hash__ = None  # type: ignore[assignment]


class Any:
    """A value together with its type; the value is checked, and brought to the stored form."""

    __slots__ = ("type", "value")

    type: TypeCode
    value: Value

    def __init__(self, type: TypeCode, value: object) -> None:
        self.type = type
        self.value = conform(type, value, depth=1)

    @classmethod
    def trusted(cls, type: TypeCode, value: Value) -> Any:
        """An Any whose value is known to fit: from a decoder driven by the same TypeCode."""
        made = cls.__new__(cls)
        made.type = type
        made.value = value
        return made

    def __repr__(self) -> str:
        return f"Any({describe(self.type)}, {self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Any) and same(self, other)

    __hash__ = None  # type: ignore[assignment]


Value: TypeAlias = (
    "bool | int | float | Decimal | str | bytes | tuple[Value, ...] | dict[str, Value]"
    " | Any | UnionValue | Reference | TypeCode | None"
)


def same(one: Value, two: Value) -> bool:
    """Whether two values are the same in type and value.

    Stricter than `==`, for which 1, 1.0 and True are equal; and NaN is the same as NaN.
    """
    kind = type(one)
    if kind is not type(two):
        return False
    if kind is float:
        return repr(one) == repr(two)
    if kind is tuple:
        return len(one) == len(two) and all(map(same, one, two))  # type: ignore[arg-type]
    if kind is dict:
        return list(one) == list(two) and all(  # type: ignore[arg-type]
            map(same, one.values(), two.values())  # type: ignore[union-attr]
        )
    if isinstance(one, Any) and isinstance(two, Any):
        return one.type == two.type and same(one.value, two.value)
    if isinstance(one, UnionValue) and isinstance(two, UnionValue):
        return same(one.discriminator, two.discriminator) and same(one.value, two.value)
    if isinstance(one, Decimal) and isinstance(two, Decimal):
        return one.as_tuple() == two.as_tuple()
    return one == two


# How many containers and boxes may stand inside each other. Deep enough for any real record,
# far from Python's own recursion limit.
MAX_DEPTH = 64

_LOWEST, _HIGHEST = -(2**63), 2**64 - 1


def infer(value: Value) -> TypeCode:
    """The type of an unboxed value."""
    kind = type(value)
    simple = _SIMPLE.get(kind)
    if simple is not None:
        return simple
    if kind is int:
        return _integer_type(value)  # type: ignore[arg-type]
    if isinstance(value, Any):
        return value.type
    if isinstance(value, tuple):
        return tc.sequence(_element_type(value))
    if isinstance(value, dict):
        return tc.struct("", "", [(name, _place_type(v)) for name, v in value.items()])
    if isinstance(value, Decimal):
        return decimal_type(value)
    if isinstance(value, Reference):
        return tc.objref(value.type_id, interface_name(value.type_id))
    raise InvalidEvent(f"the type of {value!r} cannot be told from it; use Any(type, value)")


_SIMPLE: dict[type, TypeCode] = {
    bool: tc.BOOLEAN,
    float: tc.DOUBLE,
    str: tc.STRING,
    bytes: tc.OCTETS,
    type(None): tc.NULL,
    TypeCode: tc.TYPECODE,
}


def interface_name(repository_id: str) -> str:
    """The unqualified name in a repository id such as `IDL:omg.org/CosNaming/X:1.0`."""
    return repository_id.removeprefix("IDL:").rpartition(":")[0].rpartition("/")[2]


def decimal_type(value: Decimal, where: str = "") -> TypeCode:
    """The narrowest fixed type that holds a decimal as it is written."""
    sign_digits_exponent = value.as_tuple()
    exponent = sign_digits_exponent.exponent
    if not isinstance(exponent, int):
        raise InvalidEvent(f"{value} is not a number that a fixed type can hold", where)
    scale = max(0, -exponent)
    digits = max(len(sign_digits_exponent.digits) + max(0, exponent), scale, 1)
    if digits > 31:
        raise InvalidEvent(
            f"{shortened(value)} has {digits} digits; a fixed type holds at most 31", where
        )
    return tc.fixed(digits, scale)


def _integer_type(value: int) -> TypeCode:
    if -(2**31) <= value < 2**31:
        return tc.LONG
    return tc.LONGLONG if value < 2**63 else tc.ULONGLONG


def _integers_type(lowest: int, highest: int) -> TypeCode:
    """The type that holds all integers of a sequence, or any if there is none."""
    if lowest >= 0:
        return _integer_type(highest)
    if highest >= 2**63:
        return tc.ANY
    return tc.LONG if lowest >= -(2**31) and highest < 2**31 else tc.LONGLONG


def _place_type(value: Value) -> TypeCode:
    """The type of the place a value is in: a boxed value says that the place is an any."""
    return tc.ANY if isinstance(value, Any) else infer(value)


def _element_type(values: tuple[Value, ...]) -> TypeCode:
    kinds = {type(v) for v in values}
    if len(kinds) != 1:
        return tc.ANY
    (kind,) = kinds
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind is int:
        return _integers_type(min(values), max(values))  # type: ignore[type-var, arg-type]
    first = _place_type(values[0])
    return first if all(_place_type(v) == first for v in values[1:]) else tc.ANY


def pack(value: object, where: str = "", depth: int = 0) -> Value:
    """The stored form of a Python value; `where` and `depth` are its place in the event.

    Lists become tuples, and an `Any` whose type can be inferred from its value is unboxed.
    """
    kind = type(value)
    if kind is float or kind is bool or value is None or kind is bytes:
        return value  # type: ignore[return-value]
    if kind is str:
        return checked_text(value, where)  # type: ignore[arg-type]
    if kind is int:
        if not _LOWEST <= value <= _HIGHEST:  # type: ignore[operator]
            raise InvalidEvent(
                f"{shortened(value)} is outside the integers, -2**63 to 2**64-1", where
            )
        return value  # type: ignore[return-value]
    if isinstance(value, list | tuple):
        _check_depth(depth, where)
        return _pack_list(value, where, depth)
    if isinstance(value, dict):
        _check_depth(depth, where)
        return _pack_dict(value, where, depth)
    return _pack_rare(value, where, depth)


def _check_depth(depth: int, where: str) -> None:
    if depth >= MAX_DEPTH:
        raise InvalidEvent(f"values nest deeper than {MAX_DEPTH}", where)


def _pack_list(
    values: list[object] | tuple[object, ...], where: str, depth: int
) -> tuple[Value, ...]:
    packed: list[Value] = []
    try:
        # A loop, and not a comprehension: where it stops is where the fault is.
        for value in values:
            packed.append(pack(value, "", depth + 1))  # noqa: PERF401
    except InvalidEvent as error:
        raise error.inside(f"{where}[{len(packed)}]") from error.__cause__
    return tuple(packed)


def _pack_dict(values: dict[object, object], where: str, depth: int) -> dict[str, Value]:
    packed: dict[str, Value] = {}
    for name, value in values.items():
        checked = member_name(name, where)
        try:
            packed[checked] = pack(value, "", depth + 1)
        except InvalidEvent as error:
            place = f"{where}.{place_name(name)}" if where else place_name(name)
            raise error.inside(place) from error.__cause__
    return packed


def _pack_rare(value: object, where: str, depth: int) -> Value:
    if isinstance(value, Any):
        packed = unboxed(value)
        _check_depth(depth + nesting(packed) - 1, where)
        return packed
    if isinstance(value, Decimal):
        # A fixed type has no exponent: 1E+2 is stored as 100.
        whole = not decimal_type(value, where).scale
        return Decimal(int(value)) if whole and value.as_tuple().exponent else Decimal(value)
    if isinstance(value, Reference | TypeCode):
        return value
    if isinstance(value, str):
        return checked_text(exact_text(value), where)
    if isinstance(value, int | float):  # an IntEnum, a numpy float
        return pack(int(value) if isinstance(value, int) else float(value), where)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise InvalidEvent(
        f"a {type(value).__name__} cannot be part of an event; "
        "use numbers, text, booleans, bytes, lists, dicts or Any(type, value)",
        where,
    )


def nesting(value: Value) -> int:
    """How deep containers and boxes nest in a stored value."""
    if type(value) in _LEAVES:  # as most are
        return 0
    if isinstance(value, Any | UnionValue):
        return 1 + nesting(value.value)
    if isinstance(value, tuple):
        inner: Iterable[Value] = value
    elif isinstance(value, dict):
        inner = value.values()
    else:
        return 0
    return 1 if _LEAVES.issuperset(map(type, inner)) else 1 + max(map(nesting, inner))


_LEAVES = frozenset({type(None), bool, int, float, Decimal, str, bytes, Reference, TypeCode})


def unboxed(box: Any) -> Value:
    """The plain value, if its type can be inferred from it; else the box itself."""
    if not _is_inferable(box.type):
        return box
    value = _unbox(box.type, box.value)
    return value if not isinstance(value, Any) and infer(value) == box.type else box


# What `infer` finds, sequences and structs of it included.
_INFERRED_KINDS = frozenset(
    {
        *(Kind.NULL, Kind.BOOLEAN, Kind.DOUBLE, Kind.STRING, Kind.ANY, Kind.TYPECODE),
        *(Kind.LONG, Kind.LONGLONG, Kind.ULONGLONG, Kind.FIXED, Kind.OBJREF),
    }
)


def _is_inferable(type_: TypeCode) -> bool:
    """Whether some unboxed value has this type."""
    if type_.kind is Kind.SEQUENCE:
        content = type_.element_type
        return not type_.bound and (content.kind is Kind.OCTET or _is_inferable(content))
    if type_.kind is Kind.STRUCT:
        names = [member.name for member in type_.members]
        plain = not type_.id and not type_.name and "" not in names
        return (
            plain
            and len(set(names)) == len(names)
            and all(_is_inferable(member.type) for member in type_.members)
        )
    return type_.kind in _INFERRED_KINDS and not type_.bound


def _unbox(type_: TypeCode, value: Value) -> Value:
    """The unboxed form of a value with an inferable type."""
    if not isinstance(value, tuple) or type_.kind is Kind.ANY:
        return value
    if type_.kind is Kind.STRUCT:
        members = zip(type_.members, value, strict=True)
        return {member.name: _unbox(member.type, v) for member, v in members}
    content = type_.element_type
    if content.kind not in (Kind.STRUCT, Kind.SEQUENCE):
        return value
    return tuple([_unbox(content, v) for v in value])


def conform(type_: TypeCode, value: object, where: str = "", depth: int = 0) -> Value:
    """The value in the form in which the type stores it; `where` and `depth` are its place."""
    type_ = type_.unaliased
    if depth >= MAX_DEPTH and type_.kind in _CONTAINERS:
        raise InvalidEvent(f"values nest deeper than {MAX_DEPTH}", where)
    check = _CHECKS.get(type_.kind)
    if check is None:
        raise InvalidEvent(f"a {describe(type_)} is not complete enough to hold a value", where)
    return check(type_, value, where, depth)


_CONTAINERS = frozenset({Kind.STRUCT, Kind.EXCEPT, Kind.UNION, Kind.SEQUENCE, Kind.ARRAY})


def _misfit(type_: TypeCode, value: object, where: str) -> InvalidEvent:
    return InvalidEvent(f"{shortened(value)} is not a valid {describe(type_)}", where)


def _nothing(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if value is not None:
        raise _misfit(type_, value, where)
    return None


def _integer(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    low, high = INTEGER_RANGES[type_.kind]
    if not isinstance(value, int) or isinstance(value, bool):
        raise _misfit(type_, value, where)
    if not low <= value <= high:
        raise InvalidEvent(
            f"{shortened(value)} is not a valid {describe(type_)}: {low} to {high}", where
        )
    return int(value)


def _double(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _misfit(type_, value, where)
    try:
        return float(value)
    except OverflowError as error:
        raise _misfit(type_, value, where) from error


def _float(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    double = _double(type_, value, where, depth)
    try:
        # Stored as what the wire carries, so that a round trip changes nothing.
        (single,) = octets.unpack("<f", octets.pack("<f", double))
    except OverflowError as error:
        raise InvalidEvent(
            f"{shortened(value)} is too large for a float; use a double", where
        ) from error
    return float(single)


def _instance(of: type) -> _Check:
    def check(type_: TypeCode, value: object, where: str, depth: int) -> Value:
        if not isinstance(value, of):
            raise _misfit(type_, value, where)
        return value  # type: ignore[return-value]

    return check


def _char(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, str) or len(value) != 1:
        raise _misfit(type_, value, where)
    if type_.kind is Kind.CHAR and ord(value) > 255:
        raise InvalidEvent(f"{value!r} does not fit into one octet; use a wchar", where)
    return checked_text(exact_text(value), where)


def _text(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, str):
        raise _misfit(type_, value, where)
    if type_.bound and len(value) > type_.bound:
        raise InvalidEvent(
            f"{len(value)} characters are more than a {describe(type_)} holds", where
        )
    return checked_text(exact_text(value), where)


def _any(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    return pack(value, where, depth)


def _enum(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, str) or not type_.has_label(label := exact_text(value)):
        labels = shortened(", ".join(type_.labels), 120)
        why = f"{shortened(value)} is not a label of {describe(type_)}: {labels}"
        raise InvalidEvent(why, where)
    return label


def _struct(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    names = [member.name for member in type_.members]
    if isinstance(value, Mapping):
        if set(value) != set(names) or len(set(names)) != len(names):
            wanted, given = shortened(", ".join(names), 120), ", ".join(map(str, value))
            raise InvalidEvent(
                f"{describe(type_)} has the members {wanted}, not {shortened(given, 60)}", where
            )
        value = [value[name] for name in names]
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise _misfit(type_, value, where)
    if len(value) != len(names):
        raise InvalidEvent(f"{describe(type_)} has {len(names)} members, not {len(value)}", where)
    found: list[Value] = []
    for i, item in enumerate(value):
        found.append(_inside(names[i] or str(i), where, type_.member_type(i), item, depth + 1))
    return tuple(found)


def _inside(name: str, where: str, type_: TypeCode, value: object, depth: int) -> Value:
    try:
        return conform(type_, value, "", depth)
    except InvalidEvent as error:
        place = f"{where}.{place_name(name)}" if where else place_name(name)
        raise error.inside(place) from error.__cause__


def _union(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, UnionValue) or type_.discriminator is None:
        why = f"{shortened(value)} is not a valid {describe(type_)}; use UnionValue"
        raise InvalidEvent(why, where)
    label = _inside("_d", where, type_.discriminator, value.discriminator, depth + 1)
    assert isinstance(label, Label)
    branch = type_.branch_index(label)
    if branch < 0:
        return UnionValue(label, _nothing(type_, value.value, where, depth))
    inner = _inside(f"({label})", where, type_.member_type(branch), value.value, depth + 1)
    return UnionValue(label, inner)


def _elements(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    content = type_.element_type.unaliased
    if isinstance(value, bytes | bytearray) and content.kind is not Kind.OCTET:
        raise _misfit(type_, value, where)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise _misfit(type_, value, where)
    if type_.kind is Kind.ARRAY and len(value) != type_.bound:
        raise InvalidEvent(f"{describe(type_)} has not {len(value)} elements", where)
    if type_.kind is Kind.SEQUENCE and type_.bound and len(value) > type_.bound:
        raise InvalidEvent(f"{len(value)} elements are more than {describe(type_)} holds", where)
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    items: list[Value] = []
    try:
        # A loop, and not a comprehension: where it stops is where the fault is.
        for item in value:
            items.append(conform(content, item, "", depth + 1))  # noqa: PERF401
    except InvalidEvent as error:
        raise error.inside(f"{where}[{len(items)}]") from error.__cause__
    return bytes(items) if content.kind is Kind.OCTET else tuple(items)  # type: ignore[arg-type]


def _fixed(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, Decimal | int) or isinstance(value, bool):
        raise _misfit(type_, value, where)
    # A context of our own: the caller's may trap, round or limit in other ways.
    context = Context(prec=type_.digits, traps=[InvalidOperation])
    try:
        exact = Decimal(value).quantize(Decimal((0, (1,), -type_.scale)), context=context)
    except InvalidOperation as error:
        raise InvalidEvent(
            f"{shortened(value)} has too many digits for {describe(type_)}", where
        ) from error
    if exact != value:
        raise InvalidEvent(f"{shortened(value)} has too many decimals for {describe(type_)}", where)
    return exact


_Check = Callable[[TypeCode, object, str, int], Value]

_CHECKS: dict[Kind, _Check] = {
    **dict.fromkeys(INTEGER_RANGES, _integer),
    Kind.NULL: _nothing,
    Kind.VOID: _nothing,
    Kind.FLOAT: _float,
    Kind.DOUBLE: _double,
    Kind.LONGDOUBLE: _double,
    Kind.BOOLEAN: _instance(bool),
    Kind.CHAR: _char,
    Kind.WCHAR: _char,
    Kind.STRING: _text,
    Kind.WSTRING: _text,
    Kind.ANY: _any,
    Kind.TYPECODE: _instance(TypeCode),
    Kind.ENUM: _enum,
    Kind.STRUCT: _struct,
    Kind.EXCEPT: _struct,
    Kind.UNION: _union,
    Kind.SEQUENCE: _elements,
    Kind.ARRAY: _elements,
    Kind.OBJREF: _instance(Reference),
    Kind.FIXED: _fixed,
}
