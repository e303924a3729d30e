"""Reading CDR, the octets of GIOP messages: values by their TypeCode, and anys.

The function that reads a type is made once, and kept for the types seen lately.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Final, TypeAlias

from tidings.events import typecode as tc
from tidings.events.anyvalue import (
    MAX_DEPTH,
    Any,
    UnionValue,
    Value,
    decimal_type,
    infer,
    interface_name,
    nesting,
)
from tidings.events.reference import Reference
from tidings.events.typecode import Kind, Label, TypeCode
from tidings.orb.cdr_input import Input
from tidings.orb.cdr_plans import METHODS, RUNS, Outer, Plans, Shape, recursion_of, shape_of
from tidings.orb.cdr_typecodes import read_typecode
from tidings.orb.quad import quad_number

ReadValue: TypeAlias = Callable[[Input], Value]
_Plans: TypeAlias = Plans[ReadValue]
_Outer: TypeAlias = Outer[ReadValue]


def read_value(reader: Input, type_: TypeCode) -> Value:
    """Read a value of a type."""
    plan = PLANS.find(type_)
    if plan.shape.empties:
        reader.charge_empty(plan.shape.empties)
    return plan.run(reader)


def read_any(reader: Input) -> Value:
    """Read an any: the plain value if its type can be inferred from it, else an `Any`."""
    kind = reader.ulong()
    if kind == _STRING and not reader.ulong():
        return reader.string()
    direct = _DIRECT.get(kind)
    if direct is not None:
        return direct(reader)
    reader.at -= 8 if kind == _STRING else 4
    type_ = read_typecode(reader)
    plan = PLANS.find(type_)
    before = reader.depth
    _descend(reader, 1 + plan.shape.nesting)
    if plan.shape.empties:
        reader.charge_empty(plan.shape.empties)
    value = unbox(type_, plan.run(reader))
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
    **{kind: getattr(Input, name) for kind, name in METHODS.items()},
    Kind.NULL: lambda _reader: None,
    Kind.VOID: lambda _reader: None,
    Kind.ANY: read_any,
    Kind.TYPECODE: read_typecode,
    Kind.OBJREF: read_reference,
    Kind.LONGDOUBLE: _long_double,
}

_STRING: Final = int(Kind.STRING)
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
    int(Kind.LONGLONG): _longlong_any,
    int(Kind.ULONGLONG): _ulonglong_any,
}


# ---------------------------------------------------------------- plans


def _struct(plans: _Plans, type_: TypeCode, outer: _Outer) -> ReadValue:
    reads = [plans.make(member.type, outer) for member in type_.members]
    class_, new = plans.class_of(type_), tuple.__new__
    if class_ is None:
        return lambda reader: tuple([read(reader) for read in reads])
    if type_.kind is Kind.EXCEPT:
        return lambda reader: class_(*[read(reader) for read in reads])
    # Half of the time that calling a NamedTuple takes.
    return lambda reader: new(class_, [read(reader) for read in reads])


def _union(plans: _Plans, type_: TypeCode, outer: _Outer) -> ReadValue:
    assert type_.discriminator is not None
    # Labels are plain, also in generated modules.
    read_label: Callable[[Input], Label] = PLANS.make(type_.discriminator)  # type: ignore[assignment]  # the kinds that may select are labels
    reads = [plans.make(member.type, outer) for member in type_.members]
    branch_index = type_.branch_index

    def read(reader: Input) -> UnionValue:
        label = read_label(reader)
        branch = branch_index(label)
        return UnionValue(label, reads[branch](reader) if branch >= 0 else None)

    return read


def _recursive(plans: _Plans, type_: TypeCode, outer: _Outer) -> ReadValue:
    recursion = recursion_of(type_, outer)
    levels = recursion.levels

    def read(reader: Input) -> Value:
        _descend(reader, levels)
        value = recursion.run(reader)
        reader.depth -= levels
        return value

    return read


def _enum(plans: _Plans, type_: TypeCode, _outer: _Outer) -> ReadValue:
    labels: tuple[str, ...] = tuple(plans.class_of(type_) or type_.labels)

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


def _string(_plans: _Plans, type_: TypeCode, _outer: _Outer) -> ReadValue:
    bound = type_.bound
    read = Input.string if type_.kind is Kind.STRING else Input.wstring
    return (lambda reader: _checked_text(reader, read(reader), bound)) if bound else read


def _fixed(_plans: _Plans, type_: TypeCode, _outer: _Outer) -> ReadValue:
    digits, scale = type_.digits, type_.scale
    return lambda reader: reader.fixed(digits, scale)


def _elements(
    plans: _Plans, content: TypeCode, outer: _Outer
) -> tuple[Callable[[Input, int], Value], Shape]:
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
    read = plans.make(content, outer)

    def read_each(reader: Input, count: int) -> Value:
        reader.charge(count)
        return tuple(map(read, repeat(reader, count)))

    return read_each, shape


def _sequence(plans: _Plans, type_: TypeCode, outer: _Outer) -> ReadValue:
    bound = type_.bound or 2**32
    read_elements, shape = _elements(plans, type_.element_type.unaliased, outer)
    least, empties = shape.least, shape.empties

    def read(reader: Input) -> Value:
        count = reader.count(least)
        if count > bound:
            raise reader.bad(f"a sequence of {count} elements where {bound} are the most")
        if empties:
            reader.charge_empty(count * empties)
        return read_elements(reader, count)

    return read


def _array(plans: _Plans, type_: TypeCode, outer: _Outer) -> ReadValue:
    count = type_.bound
    read_elements, shape = _elements(plans, type_.element_type.unaliased, outer)
    least = count * shape.least
    empties = count * shape.empties or (0 if least else count)

    def read(reader: Input) -> Value:
        if least > reader.left:
            raise reader.bad(f"an array of {count} elements needs at least {least} octets")
        if empties:
            reader.charge_empty(empties)
        return read_elements(reader, count)

    return read


PLANS: Final[_Plans] = Plans(
    _ATOMS,
    {
        Kind.STRUCT: _struct,
        Kind.EXCEPT: _struct,
        Kind.UNION: _union,
        Kind.RECURSIVE: _recursive,
        Kind.ENUM: _enum,
        Kind.STRING: _string,
        Kind.WSTRING: _string,
        Kind.FIXED: _fixed,
        Kind.SEQUENCE: _sequence,
        Kind.ARRAY: _array,
    },
)


# ---------------------------------------------------------------- anys without their type

# `events.anyvalue.unboxed` defines what an any becomes. It infers the type of the value to compare
# it, which takes longer than reading the value; here the known type says what to check.

# Values of these types are of no other, whatever they are.
_CERTAIN: Final = frozenset({Kind.NULL, Kind.BOOLEAN, Kind.LONG, Kind.DOUBLE, Kind.TYPECODE})
# The type of a sequence of these is found in one step, however long it is.
_ALL_AT_ONCE: Final = frozenset({Kind.LONGLONG, Kind.ULONGLONG, Kind.ANY})


def unbox(type_: TypeCode, value: Value) -> Value:
    """The plain value if its type can be inferred from it, else the two in an `Any`."""
    try:
        plain = _unbox(type_, value)
    except _NotInferable:
        return Any.trusted(type_, value)
    # An any in an any would be taken for one alone.
    return Any.trusted(type_, value) if isinstance(plain, Any) else plain


class _NotInferable(Exception):
    """The type cannot be inferred from the value."""


def _unbox(type_: TypeCode, value: Value) -> Value:
    kind = type_.kind
    if kind in _CERTAIN:
        return value
    unboxer = _UNBOXERS.get(kind)
    if unboxer is None:
        raise _NotInferable
    return unboxer(type_, value)


def _unbox_text(type_: TypeCode, value: Value) -> Value:
    if type_.bound:
        raise _NotInferable
    return value


def _unbox_struct(type_: TypeCode, value: Value) -> Value:
    members = type_.members
    if type_.id or type_.name or not isinstance(value, tuple):
        raise _NotInferable
    plain = {m.name: _unbox(m.type, v) for m, v in zip(members, value, strict=True)}
    if len(plain) != len(members) or "" in plain:
        raise _NotInferable
    return plain


def _unbox_sequence(type_: TypeCode, value: Value) -> Value:
    content = type_.element_type
    if type_.bound:
        raise _NotInferable
    if content.kind is Kind.OCTET:
        return value
    if not isinstance(value, tuple):
        raise _NotInferable
    if content.kind in _ALL_AT_ONCE:
        return _if_inferred(type_, value)
    if not value:  # an empty one is a sequence of anys
        raise _NotInferable
    if content.kind in _CERTAIN:
        return value
    return tuple([_unbox(content, element) for element in value])


def _if_inferred(type_: TypeCode, value: Value) -> Value:
    if infer(value) != type_:
        raise _NotInferable
    return value


def _unbox_any(_type: TypeCode, value: Value) -> Value:
    if not isinstance(value, Any):
        raise _NotInferable
    return value


def _unbox_fixed(type_: TypeCode, value: Value) -> Value:
    if decimal_type(value) != type_:  # type: ignore[arg-type]  # a fixed is a Decimal
        raise _NotInferable
    return value


def _unbox_reference(type_: TypeCode, value: Value) -> Value:
    type_id = value.type_id  # type: ignore[union-attr]  # an object reference is a Reference
    if type_.id != type_id or type_.name != interface_name(type_id):
        raise _NotInferable
    return value


_UNBOXERS: Final[dict[Kind, Callable[[TypeCode, Value], Value]]] = {
    Kind.STRING: _unbox_text,
    Kind.LONGLONG: _if_inferred,
    Kind.ULONGLONG: _if_inferred,
    Kind.STRUCT: _unbox_struct,
    Kind.SEQUENCE: _unbox_sequence,
    Kind.ANY: _unbox_any,
    Kind.FIXED: _unbox_fixed,
    Kind.OBJREF: _unbox_reference,
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
