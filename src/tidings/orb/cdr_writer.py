"""Writing CDR, the octets of GIOP messages: values by their TypeCode, and anys.

The function that writes a type is made once, and kept for the types seen lately.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any as Anything
from typing import Final, TypeAlias

from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Any, UnionValue, infer, pack
from tidings.events.reference import Reference
from tidings.events.texts import exact_text, shortened
from tidings.events.typecode import PRIMITIVES, Kind, TypeCode
from tidings.events.typetext import describe
from tidings.orb.cdr_output import Output
from tidings.orb.cdr_plans import METHODS, RUNS, Outer, Plans, recursion_of
from tidings.orb.cdr_typecodes import write_typecode
from tidings.orb.exceptions import BAD_PARAM, OMG, SystemException

# Values come from users, so that every one of them is looked at, whatever its type says.
WriteValue: TypeAlias = Callable[[Output, Anything], None]
_Plans: TypeAlias = Plans[WriteValue]
_Outer: TypeAlias = Outer[WriteValue]

_SEQUENCES: Final = (tuple, list)  # faster to check than `tuple | list`
# Names are added to an error up to this length: a value may contain itself many times.
_LONGEST_WHY: Final = 300


def write_value(writer: Output, type_: TypeCode, value: object) -> None:
    """Write a value of a type."""
    PLANS.find(type_).run(writer, value)


def write_any(writer: Output, value: object) -> None:
    """Write an any: a plain value, or an `Any`."""
    direct = _DIRECT.get(type(value))
    if direct is not None:
        direct(writer, value)
        return
    if isinstance(value, Any):
        type_, value = value.type, value.value
    else:
        type_, value = _inferred(value)
    plan = PLANS.find(type_)
    if type_.kind in PRIMITIVES:
        writer.ulong(int(type_.kind))
    else:
        write_typecode(writer, type_)
    before = writer.depth
    _descend(writer, 1 + plan.shape.nesting)
    plan.run(writer, value)
    writer.depth = before


def _string_any(writer: Output, value: str) -> None:
    writer.ulong(_STRING)
    writer.ulong(0)
    writer.string(value)


def _integer_any(writer: Output, value: int) -> None:
    if -(2**31) <= value < 2**31:
        writer.ulong(_LONG)
        writer.long(value)
        return
    type_, _ = _inferred(value)
    writer.ulong(type_.kind)
    write_value(writer, type_, value)


def _double_any(writer: Output, value: float) -> None:
    writer.ulong(_DOUBLE)
    writer.double(value)


def _boolean_any(writer: Output, value: bool) -> None:
    writer.ulong(_BOOLEAN)
    writer.boolean(value)


# Plain numbers: those of the kinds are slower to write.
_STRING, _LONG, _DOUBLE, _BOOLEAN = map(int, (Kind.STRING, Kind.LONG, Kind.DOUBLE, Kind.BOOLEAN))
# The values of most anys: their type is known without a look at them.
_DIRECT: Final[dict[type, WriteValue]] = {
    str: _string_any,
    int: _integer_any,
    float: _double_any,
    bool: _boolean_any,
}


def _inferred(value: object) -> tuple[TypeCode, object]:
    try:
        stored = pack(value)
        # Packing may take the box off, or leave it on.
        return (stored.type, stored.value) if isinstance(stored, Any) else (infer(stored), stored)
    except InvalidEvent as error:
        raise BAD_PARAM(why=str(error)) from error


def _descend(writer: Output, levels: int) -> None:
    writer.depth += levels
    if writer.depth > writer.limits.value_depth:
        raise BAD_PARAM(why=f"values and anys nest deeper than {writer.limits.value_depth}")


def write_reference(writer: Output, value: Reference) -> None:
    """Write an object reference; `Reference()` is nil."""
    if not isinstance(value, Reference):
        raise BAD_PARAM(why=f"{shortened(value)} is not an object reference")
    writer.latin(value.type_id)
    writer.ulong(len(value.profiles))
    for tag, octets in value.profiles:
        writer.ulong(tag)
        writer.octets(octets)


def _misfit(value: object, type_: TypeCode) -> BAD_PARAM:
    return BAD_PARAM(why=f"{shortened(value)} is not a valid {describe(type_)}")


# ---------------------------------------------------------------- plans


def _nothing(_writer: Output, value: object) -> None:
    if value is not None:
        raise BAD_PARAM(why=f"{shortened(value)} where nothing should be")


def _struct(plans: _Plans, type_: TypeCode, outer: _Outer) -> WriteValue:
    names = [member.name for member in type_.members]
    writes = [plans.make(member.type, outer) for member in type_.members]
    write = write_members(describe(type_), names, writes)
    class_ = plans.class_of(type_)
    if class_ is None or type_.kind is not Kind.EXCEPT:
        return write
    attributes: Sequence[str] = getattr(class_, "__match_args__", ())
    return lambda writer, value: write(writer, [getattr(value, one) for one in attributes])


def write_members(what: str, names: Sequence[str], writes: Sequence[WriteValue]) -> WriteValue:
    """The function that writes several values; a fault names the value that caused it."""

    def write(writer: Output, value: object) -> None:
        if isinstance(value, dict) and set(value) == set(names):
            value = [value[name] for name in names]
        if not isinstance(value, _SEQUENCES) or len(value) != len(writes):
            wanted = f"expected {', '.join(names) or 'nothing'}"
            raise BAD_PARAM(why=f"{what}: {wanted}; got {shortened(value)}")
        at = 0
        try:
            for member in value:
                writes[at](writer, member)
                at += 1
        except SystemException as fault:
            named = len(fault.why) <= _LONGEST_WHY
            why = f"{names[at]}: {fault.why}" if named else fault.why
            raise type(fault)(fault.minor, fault.completed, why) from fault.__cause__

    return write


def _union(plans: _Plans, type_: TypeCode, outer: _Outer) -> WriteValue:
    assert type_.discriminator is not None
    write_label = plans.make(type_.discriminator)
    writes = [plans.make(member.type, outer) for member in type_.members]

    def write(writer: Output, value: object) -> None:
        if not isinstance(value, UnionValue):
            why = f"{shortened(value)} is not a valid {describe(type_)}; use UnionValue"
            raise BAD_PARAM(why=why)
        label = value.discriminator
        write_label(writer, label)
        # A branch is told by the exact type too, and generated enums are texts of their own.
        branch = type_.branch_index(exact_text(label) if isinstance(label, str) else label)
        if branch >= 0:
            writes[branch](writer, value.value)
        elif value.value is not None:
            why = f"{describe(type_)} has no branch {shortened(label)} for a value"
            raise BAD_PARAM(why=why)

    return write


def _recursive(plans: _Plans, type_: TypeCode, outer: _Outer) -> WriteValue:
    recursion = recursion_of(type_, outer)
    levels = recursion.levels

    def write(writer: Output, value: object) -> None:
        _descend(writer, levels)
        recursion.run(writer, value)
        writer.depth -= levels

    return write


def _enum(_plans: _Plans, type_: TypeCode, _outer: _Outer) -> WriteValue:
    places = {label: place for place, label in enumerate(type_.labels)}

    def write(writer: Output, value: object) -> None:
        place = places.get(value) if isinstance(value, str) else None
        if place is None:
            why = f"{shortened(value)} is not a label of {describe(type_)}"
            raise BAD_PARAM(OMG | 25, why=why)
        writer.ulong(place)

    return write


def _string(_plans: _Plans, type_: TypeCode, _outer: _Outer) -> WriteValue:
    bound = type_.bound
    write = Output.string if type_.kind is Kind.STRING else Output.wstring
    if not bound:
        return write

    def write_bounded(writer: Output, value: object) -> None:
        if not isinstance(value, str) or len(value) > bound:
            raise _misfit(value, type_)
        write(writer, value)

    return write_bounded


def _fixed(_plans: _Plans, type_: TypeCode, _outer: _Outer) -> WriteValue:
    digits, scale = type_.digits, type_.scale
    return lambda writer, value: writer.fixed(value, digits, scale)


def _elements(plans: _Plans, type_: TypeCode, outer: _Outer) -> WriteValue:
    """The function that writes all elements in a row."""
    content = type_.element_type.unaliased
    run = RUNS.get(content.kind)
    if run is not None:
        code, size = run
        name = describe(content)
        return lambda writer, values: writer.numbers(code, size, values, name)
    write_element = plans.make(content, outer)

    def write(writer: Output, values: tuple[object, ...] | list[object]) -> None:
        for value in values:
            write_element(writer, value)

    return write


def _sequence(plans: _Plans, type_: TypeCode, outer: _Outer) -> WriteValue:
    bound = type_.bound or 2**32 - 1
    of_octets = type_.element_type.unaliased.kind is Kind.OCTET
    write_elements = _elements(plans, type_, outer)

    def write(writer: Output, value: object) -> None:
        if of_octets and isinstance(value, bytes | bytearray | memoryview) and len(value) <= bound:
            writer.octets(value)
            return
        if not isinstance(value, _SEQUENCES) or len(value) > bound:
            raise _misfit(value, type_)
        writer.ulong(len(value))
        write_elements(writer, value)

    return write


def _array(plans: _Plans, type_: TypeCode, outer: _Outer) -> WriteValue:
    count = type_.bound
    of_octets = type_.element_type.unaliased.kind is Kind.OCTET
    write_elements = _elements(plans, type_, outer)

    def write(writer: Output, value: object) -> None:
        if of_octets and isinstance(value, bytes | bytearray | memoryview):
            writer.octet_array(value, count)
            return
        if not isinstance(value, _SEQUENCES) or len(value) != count:
            raise _misfit(value, type_)
        write_elements(writer, value)

    return write


PLANS: Final[_Plans] = Plans(
    {
        **{kind: getattr(Output, name) for kind, name in METHODS.items()},
        Kind.NULL: _nothing,
        Kind.VOID: _nothing,
        Kind.ANY: write_any,
        Kind.TYPECODE: write_typecode,
        Kind.OBJREF: write_reference,
    },
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


class Writer(Output):
    """Writes the values of a message one after another.

    A value that does not fit its type raises `BAD_PARAM`, and a text that does not fit the code
    set `DATA_CONVERSION`.
    """

    __slots__ = ()

    any = write_any
    typecode = write_typecode
    reference = write_reference
