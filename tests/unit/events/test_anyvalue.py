from __future__ import annotations

from decimal import Decimal
from enum import Enum, IntEnum

import pytest

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import (
    MAX_DEPTH,
    Any,
    Reference,
    UnionValue,
    Value,
    infer,
    nesting,
    pack,
    same,
)
from tidings.events.typecode import TypeCode

PERSON = tc.struct("IDL:Person:1.0", "Person", [("name", tc.STRING), ("age", tc.LONG)])
UNNAMED = tc.struct("", "", [("a", tc.LONG)])


class Level(IntEnum):
    HIGH = 3


class Colour(str, Enum):  # noqa: UP042 -- whose str() is its name
    RED = "red"


class Half(float):
    __slots__ = ()


INFERRED: list[tuple[Value, TypeCode]] = [
    (None, tc.NULL),
    (True, tc.BOOLEAN),
    (2**31 - 1, tc.LONG),
    (-(2**31), tc.LONG),
    (2**31, tc.LONGLONG),
    (-(2**31) - 1, tc.LONGLONG),
    (2**63, tc.ULONGLONG),
    (1.0, tc.DOUBLE),
    ("a", tc.STRING),
    (b"a", tc.OCTETS),
    (tc.LONG, tc.TYPECODE),
    (Decimal("57.50"), tc.fixed(4, 2)),
    (Decimal("0.05"), tc.fixed(2, 2)),
    (Decimal(0), tc.fixed(1, 0)),
    (Reference("IDL:omg.org/CosNaming/X:1.0"), tc.objref("IDL:omg.org/CosNaming/X:1.0", "X")),
    (Reference("odd"), tc.objref("odd", "")),
    ((), tc.sequence(tc.ANY)),
    ((1, 2), tc.sequence(tc.LONG)),
    ((1, 2**40), tc.sequence(tc.LONGLONG)),
    ((-(2**40), 1), tc.sequence(tc.LONGLONG)),
    ((0, 2**63), tc.sequence(tc.ULONGLONG)),
    ((2**40, 2**63), tc.sequence(tc.ULONGLONG)),
    ((-1, 2**63), tc.sequence(tc.ANY)),
    ((True, 1), tc.sequence(tc.ANY)),
    ((1, 1.0), tc.sequence(tc.ANY)),
    ((None, None), tc.sequence(tc.NULL)),
    (((1,), (2,)), tc.sequence(tc.sequence(tc.LONG))),
    (((1,), ()), tc.sequence(tc.ANY)),
    ((b"a", b""), tc.sequence(tc.OCTETS)),
    (({"a": 1}, {"a": 2}), tc.sequence(UNNAMED)),
    (({"a": 1}, {"b": 2}), tc.sequence(tc.ANY)),
    ({"a": 1}, UNNAMED),
    ({}, tc.struct("", "", [])),
    (Any(tc.SHORT, 1), tc.SHORT),
    ((Any(tc.SHORT, 1),), tc.sequence(tc.ANY)),
    ({"a": Any(tc.SHORT, 1)}, tc.struct("", "", [("a", tc.ANY)])),
    ((Decimal("1.5"), Decimal("2.5")), tc.sequence(tc.fixed(2, 1))),
    ((Decimal("1.5"), Decimal("2.50")), tc.sequence(tc.ANY)),
]


@pytest.mark.parametrize(("value", "type_"), INFERRED)
def test_inference(value: Value, type_: TypeCode) -> None:
    assert infer(value) == type_


@pytest.mark.parametrize(
    "value", [value for value, _ in INFERRED if not isinstance(value, Any)], ids=repr
)
def test_inference_gives_the_type_back(value: Value) -> None:
    assert same(pack(Any(infer(value), value)), value)


def test_a_union_alone_does_not_tell_its_type() -> None:
    with pytest.raises(InvalidEvent, match="cannot be told"):
        infer(UnionValue(1, 2))


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ([1, [2]], (1, (2,))),
        ({"a": [1]}, {"a": (1,)}),
        (bytearray(b"a"), b"a"),
        (memoryview(b"a"), b"a"),
        (Level.HIGH, 3),
        (Colour.RED, "red"),
        (Half(0.5), 0.5),
        (Decimal("1E+2"), Decimal(100)),
        (Decimal("1.50"), Decimal("1.50")),
        (Any(tc.LONG, 5), 5),
        (Any(UNNAMED, (5,)), {"a": 5}),
        (Any(tc.sequence(UNNAMED), [{"a": 5}]), ({"a": 5},)),
        (Any(tc.struct("", "", [("r", UNNAMED)]), ((5,),)), {"r": {"a": 5}}),
        (Any(tc.sequence(tc.ANY), [1, "a"]), (1, "a")),
        (Any(tc.sequence(tc.ANY), []), ()),
        ([Any(tc.LONG, 5)], (5,)),
    ],
    ids=lambda value: f"{type(value).__name__} {value}" if isinstance(value, int) else None,
)
def test_packing(given: object, stored: Value) -> None:
    packed = pack(given)
    assert same(packed, stored)
    assert same(pack(packed), packed)


@pytest.mark.parametrize(
    "box",
    [
        Any(tc.SHORT, 5),
        Any(tc.string(3), "abc"),
        Any(PERSON, ("Ann", 29)),
        Any(tc.sequence(tc.ANY), [1, 2]),
        Any(tc.sequence(tc.LONG), []),
        Any(tc.sequence(tc.LONG, 3), [1]),
        Any(tc.ANY, 5),
        Any(tc.alias("IDL:N:1.0", "N", tc.LONG), 5),
        Any(tc.fixed(5, 2), Decimal("1.00")),
        Any(tc.struct("", "Named", [("a", tc.LONG)]), (1,)),
        Any(tc.struct("", "", [("", tc.LONG)]), (1,)),
        Any(tc.struct("", "", [("a", tc.LONG), ("a", tc.LONG)]), (1, 2)),
        Any(tc.struct("", "", [("a", tc.ANY)]), (5,)),
        Any(tc.objref("IDL:Other:1.0", "Other"), Reference("IDL:X:1.0")),
        Any(tc.VOID, None),
    ],
    ids=repr,
)
def test_what_stays_in_its_box(box: Any) -> None:
    assert pack(box) is box


@pytest.mark.parametrize(
    ("given", "where", "says"),
    [
        (2**64, "", "18446744073709551616 is outside the integers"),
        (-(2**63) - 1, "", "outside the integers"),
        ([0, {"a": [10**4400]}], "[1].a[0]", "an integer of 14617 bits"),
        ("\ud800", "", "U\\+D800"),
        ({"a": {"": 1}}, "a", "names must be non-empty"),
        ({5: 1}, "", "names must be non-empty text, not 5"),
        ([object()], "[0]", "an? object cannot be part of an event; use numbers"),
        ({1, 2}, "", "a set cannot"),
        (Decimal("NaN"), "", "NaN is no number"),
        (Decimal(10) ** 31, "", "32 digits; a fixed type holds at most 31"),
        ([Decimal("1E+40")], "[0]", "41 digits"),
        (1 + 2j, "", "a complex cannot"),
    ],
)
def test_what_cannot_be_part_of_an_event(given: object, where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        pack(given)
    assert caught.value.where == where
    with pytest.raises(InvalidEvent, match=says) as caught:
        pack(given, "data.x")
    assert caught.value.where == f"data.x{'.' if where and where[0] != '[' else ''}{where}"


def nested(levels: int, wrap: object) -> object:
    value: object = 1
    for _ in range(levels):
        value = wrap(value)  # type: ignore[operator]
    return value


BOXED_ANY = tc.sequence(tc.ANY)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda v: [v],
        lambda v: {"a": v},
        lambda v: Any(tc.ANY, v),
        lambda v: Any(BOXED_ANY, [v, "other"]),
        lambda v: Any(tc.struct("IDL:A:1.0", "A", [("a", tc.ANY)]), (v,)),
    ],
)
def test_values_nest_so_deep_and_no_deeper(wrap: object) -> None:
    with pytest.raises(InvalidEvent, match=f"deeper than {MAX_DEPTH}"):
        pack(nested(10_000, wrap))
    deepest = 1
    while True:
        try:
            packed = pack(nested(deepest + 1, wrap))
        except InvalidEvent:
            break
        assert nesting(packed) <= MAX_DEPTH
        deepest += 1
    assert nesting(pack(nested(deepest, wrap))) >= MAX_DEPTH - 1


def test_nesting() -> None:
    assert nesting(5) == nesting("a") == 0
    assert nesting(()) == nesting({}) == nesting((1, 2)) == 1
    assert (
        nesting(((1,), 2)) == nesting({"a": (1,)}) == nesting(Any(tc.sequence(tc.SHORT), [1])) == 2
    )
    assert nesting(UnionValue(1, (2,))) == 2
