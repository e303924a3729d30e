"""Reading CDR, the octets of GIOP messages: values by their TypeCode, and anys.

The function that reads a type is made once, and kept for the types seen lately.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Final, NamedTuple, TypeAlias

from tidings.events import typecode as tc
from tidings.events.anyvalue import MAX_DEPTH, nesting
from tidings.events.boxes import Any, UnionValue, Value
from tidings.events.reference import Reference
from tidings.events.typecode import Kind, Label, TypeCode
from tidings.orb.bounded_cache import BoundedCache
from tidings.orb.cdr_input import Input
from tidings.orb.cdr_shapes import RUNS, Shape, is_kept, shape_of
from tidings.orb.cdr_typecode import read_typecode
from tidings.orb.cdr_unboxing import unbox
from tidings.orb.exceptions import BAD_PARAM, OMG
from tidings.orb.quad import quad_number

ReadValue: TypeAlias = Callable[[Input], Value]


class _Plan(NamedTuple):
    """The function that reads a type, and the measures of the type."""

    read: ReadValue
    shape: Shape


class _Recursion:
    """A type that contains itself, while its function is made."""

    __slots__ = ("read", "shape")

    read: ReadValue

    def __init__(self, shape: Shape) -> None:
        self.shape = shape


_Outer: TypeAlias = Mapping[str, _Recursion]
_PLANS: Final = BoundedCache[TypeCode, _Plan](1024)


def read_value(reader: Input, type_: TypeCode) -> Value:
    """Read a value of a type."""
    plan = _plan_of(type_)
    if plan.shape.empties:
        reader.charge_empty(plan.shape.empties)
    return plan.read(reader)


def read_any(reader: Input) -> Value:
    """Read an any: the plain value if its type can be inferred from it, else an `Any`."""
    direct = _DIRECT.get(reader.ulong())
    if direct is not None:
        return direct(reader)
    reader.at -= 4
    type_ = read_typecode(reader)
    plan = _plan_of(type_)
    before = reader.depth
    _descend(reader, 1 + plan.shape.nesting)
    if plan.shape.empties:
        reader.charge_empty(plan.shape.empties)
    value = unbox(type_, plan.read(reader))
    reader.depth = before
    # Values nest less deep than their anys, which vanish where the type can be told.
    if not before and nesting(value) > MAX_DEPTH:
        raise reader.bad(f"values nest deeper than {MAX_DEPTH}")
    return value


def _descend(reader: Input, levels: int) -> None:
    reader.depth += levels
    if reader.depth > reader.limits.value_depth:
        raise reader.bad(f"values and anys nest deeper than {reader.limits.value_depth}")


def read_reference(reader: Input) -> Reference:
    """Read an object reference."""
    type_id = reader.latin()
    count = reader.length(8)
    if count > reader.limits.profiles:
        most = reader.limits.profiles
        raise reader.bad(f"a reference with {count} profiles; at most {most} are accepted")
    start = reader.at
    profiles = [(reader.ulong(), reader.octets()) for _ in range(count)]
    if reader.at - start > reader.limits.reference_size:
        most = reader.limits.reference_size
        raise reader.bad(f"a reference of {reader.at - start} octets; at most {most} are accepted")
    return Reference(type_id, profiles)


# ---------------------------------------------------------------- anys of one word


def _boxed(type_: TypeCode, read: ReadValue) -> ReadValue:
    trusted = Any.trusted
    return lambda reader: trusted(type_, read(reader))


def _string_any(reader: Input) -> Value:
    bound = reader.ulong()
    if not bound:
        return reader.string()
    return Any.trusted(tc.string(bound), _checked_text(reader, reader.string(), bound))


def _longlong_any(reader: Input) -> Value:
    value = reader.longlong()
    return Any.trusted(tc.LONGLONG, value) if -(2**31) <= value < 2**31 else value


def _ulonglong_any(reader: Input) -> Value:
    value = reader.ulonglong()
    return Any.trusted(tc.ULONGLONG, value) if value < 2**63 else value


def _long_double(reader: Input) -> Value:
    """A float if the octets are exactly one, or else the octets."""
    octets = reader.longdouble()
    number = quad_number(octets)
    return octets if number is None else number


_ATOMS: Final[dict[Kind, ReadValue]] = {
    Kind.NULL: lambda _reader: None,
    Kind.VOID: lambda _reader: None,
    Kind.SHORT: Input.short,
    Kind.LONG: Input.long,
    Kind.USHORT: Input.ushort,
    Kind.ULONG: Input.ulong,
    Kind.FLOAT: Input.float,
    Kind.DOUBLE: Input.double,
    Kind.BOOLEAN: Input.boolean,
    Kind.CHAR: Input.char,
    Kind.OCTET: Input.octet,
    Kind.ANY: read_any,
    Kind.TYPECODE: read_typecode,
    Kind.OBJREF: read_reference,
    Kind.LONGLONG: Input.longlong,
    Kind.ULONGLONG: Input.ulonglong,
    Kind.LONGDOUBLE: _long_double,
    Kind.WCHAR: Input.wchar,
}

# The types of most anys: nothing has to be looked up for them.
_BOXED: Final = (
    *(Kind.SHORT, Kind.USHORT, Kind.ULONG, Kind.FLOAT, Kind.CHAR, Kind.OCTET),
    *(Kind.LONGDOUBLE, Kind.WCHAR),
)
_UNBOXED: Final = (Kind.LONG, Kind.DOUBLE, Kind.BOOLEAN)
_DIRECT: Final[dict[int, ReadValue]] = {
    # An any that holds nothing has at least the octets that say so.
    int(Kind.NULL): lambda _reader: None,
    int(Kind.VOID): lambda _reader: Any.trusted(tc.VOID, None),
    **{int(kind): _ATOMS[kind] for kind in _UNBOXED},
    **{int(kind): _boxed(tc.PRIMITIVES[kind], _ATOMS[kind]) for kind in _BOXED},
    int(Kind.STRING): _string_any,
    int(Kind.LONGLONG): _longlong_any,
    int(Kind.ULONGLONG): _ulonglong_any,
}


# ---------------------------------------------------------------- plans


def _plan_of(type_: TypeCode) -> _Plan:
    plan = _PLANS.get(type_)
    if plan is None:
        plan = _Plan(_make(type_, {}), shape_of(type_))
        if is_kept(type_):
            _PLANS.keep(type_, plan)
    return plan


def _make(type_: TypeCode, outer: _Outer) -> ReadValue:
    type_ = type_.unaliased
    kind = type_.kind
    atom = _ATOMS.get(kind)
    if atom is not None:
        return atom
    if kind in (Kind.STRUCT, Kind.EXCEPT, Kind.UNION):
        make = _union if kind is Kind.UNION else _struct
        if not any(type_.id in member.type.open_ids for member in type_.members):
            return make(type_, outer)
        recursion = _Recursion(shape_of(type_))
        recursion.read = read = make(type_, {**outer, type_.id: recursion})
        return read
    return _MAKERS[kind](type_, outer)


def _struct(type_: TypeCode, outer: _Outer) -> ReadValue:
    reads = [_make(member.type, outer) for member in type_.members]
    return lambda reader: tuple([read(reader) for read in reads])


def _union(type_: TypeCode, outer: _Outer) -> ReadValue:
    if type_.discriminator is None:
        raise BAD_PARAM(OMG | 13, why=f"union {type_.name or type_.id!r} has no discriminator")
    read_label: Callable[[Input], Label] = _make(type_.discriminator, outer)  # type: ignore[assignment]  # the kinds that may select are labels
    reads = [_make(member.type, outer) for member in type_.members]
    branch_index = type_.branch_index

    def read(reader: Input) -> UnionValue:
        label = read_label(reader)
        branch = branch_index(label)
        return UnionValue(label, reads[branch](reader) if branch >= 0 else None)

    return read


def _recursive(type_: TypeCode, outer: _Outer) -> ReadValue:
    recursion = outer.get(type_.id)
    if recursion is None:
        why = f"{type_.id!r} stands for an outer type that is not there"
        raise BAD_PARAM(OMG | 13, why=why)
    levels = max(1, recursion.shape.nesting)

    def read(reader: Input) -> Value:
        _descend(reader, levels)
        value = recursion.read(reader)
        reader.depth -= levels
        return value

    return read


def _enum(type_: TypeCode, _outer: _Outer) -> ReadValue:
    labels = type_.labels

    def read(reader: Input) -> str:
        place = reader.ulong()
        if place >= len(labels):
            name = type_.name or type_.id
            raise reader.bad(f"{place} is not a value of enum {name}, which has {len(labels)}")
        return labels[place]

    return read


def _checked_text(reader: Input, text: str, bound: int) -> str:
    if len(text) > bound:
        raise reader.bad(f"a text of {len(text)} characters where {bound} are the most")
    return text


def _string(type_: TypeCode, _outer: _Outer) -> ReadValue:
    bound = type_.bound
    read = Input.string if type_.kind is Kind.STRING else Input.wstring
    return (lambda reader: _checked_text(reader, read(reader), bound)) if bound else read


def _fixed(type_: TypeCode, _outer: _Outer) -> ReadValue:
    digits, scale = type_.digits, type_.scale
    return lambda reader: reader.fixed(digits, scale)


def _elements(content: TypeCode, outer: _Outer) -> tuple[Callable[[Input, int], Value], Shape]:
    """The function that reads a number of elements in a row, and the measures of one."""
    shape, kind = shape_of(content), content.kind
    if kind is Kind.OCTET:
        return Input.take, shape
    if kind is Kind.CHAR:
        return Input.chars, shape
    run = RUNS.get(kind)
    if run is not None:
        code, size = run
        return lambda reader, count: reader.numbers(code, size, count), shape
    if kind is Kind.RECURSIVE and content.id in outer:
        shape = outer[content.id].shape
    read = _make(content, outer)

    def read_each(reader: Input, count: int) -> Value:
        reader.charge(count)
        return tuple(map(read, repeat(reader, count)))

    return read_each, shape


def _sequence(type_: TypeCode, outer: _Outer) -> ReadValue:
    bound = type_.bound or 2**32
    read_elements, shape = _elements(type_.element_type.unaliased, outer)
    least, empties = shape.least, shape.empties

    def read(reader: Input) -> Value:
        count = reader.count(least)
        if count > bound:
            raise reader.bad(f"a sequence of {count} elements where {bound} are the most")
        if empties:
            reader.charge_empty(count * empties)
        return read_elements(reader, count)

    return read


def _array(type_: TypeCode, outer: _Outer) -> ReadValue:
    count = type_.bound
    read_elements, shape = _elements(type_.element_type.unaliased, outer)
    least = count * shape.least
    empties = count * shape.empties or (0 if least else count)

    def read(reader: Input) -> Value:
        if least > reader.left:
            raise reader.bad(f"an array of {count} elements needs at least {least} octets")
        if empties:
            reader.charge_empty(empties)
        return read_elements(reader, count)

    return read


_MAKERS: Final[dict[Kind, Callable[[TypeCode, _Outer], ReadValue]]] = {
    Kind.RECURSIVE: _recursive,
    Kind.ENUM: _enum,
    Kind.STRING: _string,
    Kind.WSTRING: _string,
    Kind.FIXED: _fixed,
    Kind.SEQUENCE: _sequence,
    Kind.ARRAY: _array,
}


class Reader(Input):
    """Reads the values of a message one after another.

    Octets that do not hold the value raise a `SystemException`: `MARSHAL`, or `DATA_CONVERSION`
    for characters.
    """

    __slots__ = ()

    any = read_any
    typecode = read_typecode
    reference = read_reference
