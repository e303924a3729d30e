"""Values of events, and the types they have.

A value is stored *unboxed*, as the plain Python value, wherever its type can be told from it
again (`infer`); an `Any`, which is a TypeCode with a value, stands only where not.

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

from collections.abc import Iterable
from decimal import Decimal

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.boxes import Any, UnionValue, Value, same
from tidings.events.reference import Reference
from tidings.events.texts import checked_text, exact_text, member_name, place_name, shortened
from tidings.events.typecode import Kind, TypeCode

__all__ = ["Any", "Reference", "UnionValue", "Value", "infer", "pack", "same"]

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
        raise InvalidEvent(f"{value} is no number a fixed type can hold", where)
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
    """The type that holds all integers of a sequence, or any if none does."""
    if lowest >= 0:
        return _integer_type(highest)
    if highest >= 2**63:
        return tc.ANY
    return tc.LONG if lowest >= -(2**31) and highest < 2**31 else tc.LONGLONG


def _place_type(value: Value) -> TypeCode:
    """The type of the place a value stands in: a boxed value says that the place is an any."""
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
    """Any Python value a user may hand in, in the stored form.

    Lists become tuples, an `Any` whose type can be told from its value is unboxed.

    Args:
        value: The value.
        where: Its place in the event, for messages.
        depth: How many containers and boxes it stands in.

    Raises:
        InvalidEvent: The value cannot be part of an event.
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
        return _packed_list(value, where, depth)
    if isinstance(value, dict):
        _check_depth(depth, where)
        return _packed_dict(value, where, depth)
    return _packed_rare(value, where, depth)


def _check_depth(depth: int, where: str) -> None:
    if depth >= MAX_DEPTH:
        raise InvalidEvent(f"values nest deeper than {MAX_DEPTH}", where)


def _packed_list(
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


def _packed_dict(values: dict[object, object], where: str, depth: int) -> dict[str, Value]:
    packed: dict[str, Value] = {}
    for name, value in values.items():
        checked = member_name(name, where)
        try:
            packed[checked] = pack(value, "", depth + 1)
        except InvalidEvent as error:
            place = f"{where}.{place_name(name)}" if where else place_name(name)
            raise error.inside(place) from error.__cause__
    return packed


def _packed_rare(value: object, where: str, depth: int) -> Value:
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
    """How many containers and boxes stand inside each other in a stored value."""
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
    """The plain value, if its type can be told from it again; else the box itself."""
    if not _may_be_told(box.type):
        return box
    value = _released(box.type, box.value)
    return value if not isinstance(value, Any) and infer(value) == box.type else box


# What `infer` finds, sequences and structs of it included.
_INFERRED_KINDS = frozenset(
    {
        *(Kind.NULL, Kind.BOOLEAN, Kind.DOUBLE, Kind.STRING, Kind.ANY, Kind.TYPECODE),
        *(Kind.LONG, Kind.LONGLONG, Kind.ULONGLONG, Kind.FIXED, Kind.OBJREF),
    }
)


def _may_be_told(type_: TypeCode) -> bool:
    """Whether some unboxed value has this type."""
    if type_.kind is Kind.SEQUENCE:
        content = type_.element_type
        return not type_.bound and (content.kind is Kind.OCTET or _may_be_told(content))
    if type_.kind is Kind.STRUCT:
        names = [member.name for member in type_.members]
        plain = not type_.id and not type_.name and "" not in names
        return (
            plain
            and len(set(names)) == len(names)
            and all(_may_be_told(member.type) for member in type_.members)
        )
    return type_.kind in _INFERRED_KINDS and not type_.bound


def _released(type_: TypeCode, value: Value) -> Value:
    """What stands in a place of a type that may be told, as it stands unboxed."""
    if not isinstance(value, tuple) or type_.kind is Kind.ANY:
        return value
    if type_.kind is Kind.STRUCT:
        members = zip(type_.members, value, strict=True)
        return {member.name: _released(member.type, v) for member, v in members}
    content = type_.element_type
    if content.kind not in (Kind.STRUCT, Kind.SEQUENCE):
        return value
    return tuple([_released(content, v) for v in value])
