"""Values of events: packing, sameness, fitting a type, and what of them is not shown or lost."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from enum import Enum, IntEnum

import pytest

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import MAX_DEPTH, Any, UnionValue, Value, conform, nesting, pack, same
from tidings.events.fields import COMPOSITE, Fields
from tidings.events.paths import MISSING, Branch, Name, Path
from tidings.events.reference import Reference
from tidings.events.texts import shortened
from tidings.events.typecode import TypeCode

UNNAMED = tc.struct("", "", [("a", tc.LONG)])


class Level(IntEnum):
    HIGH = 3


class Colour(str, Enum):  # noqa: UP042 -- whose str() is its name
    RED = "red"


class Half(float):
    __slots__ = ()


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        *(([1, [2]], (1, (2,))), ({"a": [1]}, {"a": (1,)}), (bytearray(b"a"), b"a")),
        *((memoryview(b"a"), b"a"), (Level.HIGH, 3), (Colour.RED, "red"), (Half(0.5), 0.5)),
        *((Decimal("1E+2"), Decimal(100)), (Decimal("1.50"), Decimal("1.50"))),
        *((Any(tc.LONG, 5), 5), (Any(UNNAMED, (5,)), {"a": 5})),
        (Any(tc.sequence(UNNAMED), [{"a": 5}]), ({"a": 5},)),
        (Any(tc.struct("", "", [("r", UNNAMED)]), ((5,),)), {"r": {"a": 5}}),
        (Any(tc.sequence(tc.ANY), [1, "a"]), (1, "a")),
        *((Any(tc.sequence(tc.ANY), []), ()), ([Any(tc.LONG, 5)], (5,))),
    ],
    ids=lambda value: f"{type(value).__name__} {value}" if isinstance(value, int) else None,
)
def test_packing(given: object, stored: Value) -> None:
    packed = pack(given)
    assert same(packed, stored)
    assert same(pack(packed), packed)


@pytest.mark.parametrize(
    ("given", "where", "says"),
    [
        (2**64, "", "18446744073709551616 is outside the integers"),
        (-(2**63) - 1, "", "outside the integers"),
        ([0, {"a": [10**4400]}], "[1].a[0]", "an integer of 14617 bits"),
        *(("\ud800", "", "U\\+D800"), ({"a": {"": 1}}, "a", "names must be non-empty")),
        ({5: 1}, "", "names must be non-empty text, not 5"),
        ([object()], "[0]", "an? object cannot be part of an event; use numbers"),
        *(({1, 2}, "", "a set cannot"), (Decimal("NaN"), "", "NaN is not a number")),
        (Decimal(10) ** 31, "", "32 digits; a fixed type holds at most 31"),
        *(([Decimal("1E+40")], "[0]", "41 digits"), (1 + 2j, "", "a complex cannot")),
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


@pytest.mark.parametrize(
    ("one", "two"),
    [
        *((1, 1.0), (1, True), (0.0, -0.0), ("a", b"a"), ((1,), (True,)), ({"a": 1}, {"a": 1.0})),
        *(({"a": 1, "b": 2}, {"b": 2, "a": 1}), ((1,), (1, 2)), (Decimal("1.0"), Decimal("1.00"))),
        *((Any(tc.SHORT, 1), Any(tc.USHORT, 1)), (Any(tc.SHORT, 1), 1)),
        (UnionValue(1, 2), UnionValue(True, 2)),
    ],
    ids=repr,
)
def test_what_is_not_the_same(one: Value, two: Value) -> None:
    assert not same(one, two)
    assert not same(two, one)


SEVERITY = tc.enum("IDL:S:1.0", "Severity", ["minor", "major"])
PERSON = tc.struct("IDL:P:1.0", "Person", [("name", tc.string(5)), ("age", tc.SHORT)])
TREE = tc.struct(
    "IDL:T:1.0", "Tree", [("n", tc.LONG), ("below", tc.sequence(tc.recursive("IDL:T:1.0")))]
)


CHOICE = tc.union("IDL:C:1.0", "Choice", SEVERITY, [("minor", "low", tc.SHORT)])


class Grade(str, Enum):  # noqa: UP042 -- whose str() is its name
    MINOR = "minor"


FITS: list[tuple[TypeCode, object, Value]] = [
    *((tc.NULL, None, None), (tc.VOID, None, None), (tc.OCTET, 255, 255)),
    *((tc.SHORT, -(2**15), -(2**15)), (tc.DOUBLE, 1, 1.0), (tc.LONGDOUBLE, 0.1, 0.1)),
    *((tc.FLOAT, 0.1, 0.10000000149011612), (tc.FLOAT, math.inf, math.inf)),
    *((tc.FLOAT, math.nan, math.nan), (tc.BOOLEAN, True, True), (tc.CHAR, "ÿ", "ÿ")),
    *((tc.WCHAR, "😀", "😀"), (tc.string(3), "abc", "abc"), (tc.STRING, Grade.MINOR, "minor")),
    *((SEVERITY, "minor", "minor"), (SEVERITY, Grade.MINOR, "minor")),
    *((tc.ANY, [1, Any(tc.LONG, 2)], (1, 2)), (tc.TYPECODE, tc.LONG, tc.LONG)),
    *((tc.OCTETS, bytearray(b"ab"), b"ab"), (tc.OCTETS, [1, 2], b"\x01\x02")),
    *((tc.array(tc.OCTET, 2), b"ab", b"ab"), (tc.sequence(tc.SHORT), range(3), (0, 1, 2))),
    *((tc.sequence(tc.LONG, 2), [1, 2], (1, 2)), (tc.array(tc.LONG, 0), [], ())),
    *((PERSON, {"age": 3, "name": "Ann"}, ("Ann", 3)), (PERSON, ["Ann", 3], ("Ann", 3))),
    (TREE, (1, [(2, []), {"n": 3, "below": ()}]), (1, ((2, ()), (3, ())))),
    (CHOICE, UnionValue("minor", 5), UnionValue("minor", 5)),
    (CHOICE, UnionValue("major", None), UnionValue("major", None)),
    *((tc.fixed(5, 2), Decimal("1.5"), Decimal("1.50")), (tc.fixed(5, 2), 7, Decimal("7.00"))),
    (tc.fixed(31, 31), Decimal("0.1"), Decimal("0.1" + "0" * 30)),
    (tc.objref(), Reference("IDL:X:1.0"), Reference("IDL:X:1.0")),
    (tc.alias("IDL:A:1.0", "A", tc.SHORT), 5, 5),
]


@pytest.mark.parametrize(("type_", "given", "stored"), FITS)
def test_what_fits(type_: TypeCode, given: object, stored: Value) -> None:
    found = conform(type_, given)
    assert same(found, stored)
    assert same(conform(type_, found), stored)


MISFITS: list[tuple[TypeCode, object, str, str]] = [
    (tc.NULL, 0, "", "0 is not a valid null"),
    (tc.SHORT, 2**15, "", "32768 is not a valid short: -32768 to 32767"),
    *(
        (tc.SHORT, True, "", "True is not a valid short"),
        (tc.SHORT, 1.0, "", "1.0 is not a valid short"),
    ),
    (tc.LONGLONG, 10**5000, "", "an integer of 16610 bits"),
    *(
        (tc.DOUBLE, "1", "", "'1' is not a valid double"),
        (tc.DOUBLE, True, "", "is not a valid double"),
    ),
    (tc.DOUBLE, 10**400, "", "is not a valid double"),
    (tc.FLOAT, 1e39, "", "1e\\+39 is too large for a float"),
    *(
        (tc.BOOLEAN, 1, "", "1 is not a valid boolean"),
        (tc.CHAR, "ab", "", "'ab' is not a valid char"),
    ),
    *((tc.CHAR, "€", "", "use a wchar"), (tc.WCHAR, "\ud800", "", "surrogate")),
    (tc.STRING, b"a", "", "is not a valid string"),
    (tc.string(2), "abc", "", "3 characters are more than a string<2> holds"),
    (SEVERITY, "fatal", "", "'fatal' is not a label of enum Severity: 'minor, major'"),
    (tc.TYPECODE, "long", "", "is not a valid TypeCode"),
    (PERSON, {"name": "A"}, "", "has the members 'name, age', not 'name'"),
    *(
        (PERSON, ("A",), "", "has 2 members, not 1"),
        (PERSON, 5, "", "5 is not a valid struct Person"),
    ),
    *(
        (PERSON, "ab", "", "is not a valid struct"),
        (PERSON, ("A", "x"), "age", "'x' is not a valid short"),
    ),
    (TREE, (1, [(2, [(3, 4)])]), "below[0].below[0].below", "4 is not a valid sequence"),
    *((CHOICE, 5, "", "use UnionValue"), (CHOICE, UnionValue("fatal", 1), "_d", "not a label")),
    (CHOICE, UnionValue("minor", "x"), "(minor)", "not a valid short"),
    (CHOICE, UnionValue("major", 5), "", "5 is not a valid union Choice"),
    (tc.sequence(tc.LONG), b"ab", "", "is not a valid sequence<long>"),
    (tc.sequence(tc.LONG), "ab", "", "is not a valid sequence<long>"),
    (tc.sequence(tc.LONG), {1: 2}, "", "is not a valid sequence<long>"),
    (tc.sequence(tc.LONG), [1, None], "[1]", "None is not a valid long"),
    (tc.OCTETS, [1, 256], "[1]", "256 is not a valid octet"),
    (tc.sequence(tc.LONG, 1), [1, 2], "", "2 elements are more than sequence<long,1> holds"),
    (tc.array(tc.LONG, 2), [1], "", r"long\[2\] has not 1 elements"),
    (tc.array(tc.OCTET, 2), b"a", "", "has not 1 elements"),
    (tc.objref(), "IOR:", "", "is not a valid objref Object"),
    (tc.fixed(3, 1), Decimal("1.25"), "", "too many decimals"),
    (tc.fixed(3, 1), Decimal(100), "", "too many digits"),
    (tc.fixed(3, 1), 10**5000, "", "an integer of 16610 bits has too many digits"),
    (tc.fixed(3, 1), 1.5, "", "1.5 is not a valid fixed"),
    (tc.fixed(3, 1), True, "", "True is not a valid fixed"),
    (tc.fixed(3, 1), Decimal("NaN"), "", "too many decimals"),
    (tc.fixed(3, 1), Decimal("sNaN"), "", "too many digits"),
    (tc.fixed(3, 1), Decimal("Infinity"), "", "too many digits"),
    (tc.recursive("IDL:X:1.0"), 1, "", "not complete enough"),
]


@pytest.mark.parametrize(("type_", "given", "where", "says"), MISFITS, ids=shortened)
def test_what_does_not_fit(type_: TypeCode, given: object, where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        conform(type_, given)
    assert caught.value.where == where
    with pytest.raises(InvalidEvent) as caught:
        conform(type_, given, "body")
    assert caught.value.where == f"body{'.' if where and where[0] != '[' else ''}{where}"


def test_a_type_that_only_contains_itself_has_no_value() -> None:
    endless = tc.struct("IDL:E:1.0", "E", [("e", tc.recursive("IDL:E:1.0"))])
    value: tuple[object, ...] = ()
    for _ in range(200):
        value = (value,)
    with pytest.raises(InvalidEvent, match="nest deeper than 64"):
        conform(endless, value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((5, "5"), ("a", "'a'"), (10**50, "an integer of 167 bits")),
        *((-(10**50), "an integer of 167 bits"), ([10**5000], "a list")),
        *(("a" * 100, "'" + "a" * 38 + "…"), ([[[[[1]]]]], "[[[[...]]]]")),
    ],
)
def test_values_are_shown_shortly(value: object, expected: str) -> None:
    assert shortened(value) == expected


@pytest.mark.parametrize("type_id", [None, 5, "\ud800"])
def test_ids_are_text(type_id: object) -> None:
    with pytest.raises(InvalidEvent, match="type_id"):
        Reference(type_id)  # type: ignore[arg-type]


def test_bare_fields_say_nothing() -> None:
    fields = Fields()
    with pytest.raises(NotImplementedError):
        fields[Path("x")]
    with pytest.raises(NotImplementedError):
        _ = fields.event_type
    with pytest.raises(NotImplementedError):
        fields.names()


def test_marks_stay_themselves_between_processes() -> None:
    assert pickle.loads(pickle.dumps((MISSING, COMPOSITE))) == (MISSING, COMPOSITE)
    assert repr((MISSING, COMPOSITE)) == "(missing, composite)"
    assert not MISSING


def test_paths_travel_between_processes() -> None:
    path = Path("a", [Name("b"), Branch("str", "x")])
    again = pickle.loads(pickle.dumps(path))
    assert (again, again.root, again.steps) == (path, path.root, path.steps)
