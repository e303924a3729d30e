from __future__ import annotations

import decimal
import math
from decimal import Decimal
from enum import Enum

import pytest

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Reference, UnionValue, Value, same
from tidings.events.checking import conform
from tidings.events.texts import shortened
from tidings.events.typecode import TypeCode

SEVERITY = tc.enum("IDL:S:1.0", "Severity", ["minor", "major"])
PERSON = tc.struct("IDL:P:1.0", "Person", [("name", tc.string(5)), ("age", tc.SHORT)])
TREE = tc.struct(
    "IDL:T:1.0", "Tree", [("n", tc.LONG), ("below", tc.sequence(tc.recursive("IDL:T:1.0")))]
)
CHOICE = tc.union("IDL:C:1.0", "Choice", SEVERITY, [("minor", "low", tc.SHORT)])


class Grade(str, Enum):  # noqa: UP042 -- whose str() is its name
    MINOR = "minor"


FITS: list[tuple[TypeCode, object, Value]] = [
    (tc.NULL, None, None),
    (tc.VOID, None, None),
    (tc.OCTET, 255, 255),
    (tc.SHORT, -(2**15), -(2**15)),
    (tc.DOUBLE, 1, 1.0),
    (tc.LONGDOUBLE, 0.1, 0.1),
    (tc.FLOAT, 0.1, 0.10000000149011612),
    (tc.FLOAT, math.inf, math.inf),
    (tc.FLOAT, math.nan, math.nan),
    (tc.BOOLEAN, True, True),
    (tc.CHAR, "ÿ", "ÿ"),
    (tc.WCHAR, "😀", "😀"),
    (tc.string(3), "abc", "abc"),
    (tc.STRING, Grade.MINOR, "minor"),
    (SEVERITY, "minor", "minor"),
    (SEVERITY, Grade.MINOR, "minor"),
    (tc.ANY, [1, Any(tc.LONG, 2)], (1, 2)),
    (tc.TYPECODE, tc.LONG, tc.LONG),
    (tc.OCTETS, bytearray(b"ab"), b"ab"),
    (tc.OCTETS, [1, 2], b"\x01\x02"),
    (tc.array(tc.OCTET, 2), b"ab", b"ab"),
    (tc.sequence(tc.SHORT), range(3), (0, 1, 2)),
    (tc.sequence(tc.LONG, 2), [1, 2], (1, 2)),
    (tc.array(tc.LONG, 0), [], ()),
    (PERSON, {"age": 3, "name": "Ann"}, ("Ann", 3)),
    (PERSON, ["Ann", 3], ("Ann", 3)),
    (TREE, (1, [(2, []), {"n": 3, "below": ()}]), (1, ((2, ()), (3, ())))),
    (CHOICE, UnionValue("minor", 5), UnionValue("minor", 5)),
    (CHOICE, UnionValue("major", None), UnionValue("major", None)),
    (tc.fixed(5, 2), Decimal("1.5"), Decimal("1.50")),
    (tc.fixed(5, 2), 7, Decimal("7.00")),
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
    (tc.NULL, 0, "", "0 is no null"),
    (tc.SHORT, 2**15, "", "32768 is no short, which holds -32768 to 32767"),
    (tc.SHORT, True, "", "True is no short"),
    (tc.SHORT, 1.0, "", "1.0 is no short"),
    (tc.LONGLONG, 10**5000, "", "an integer of 16610 bits"),
    (tc.DOUBLE, "1", "", "'1' is no double"),
    (tc.DOUBLE, True, "", "is no double"),
    (tc.DOUBLE, 10**400, "", "is no double"),
    (tc.FLOAT, 1e39, "", "1e\\+39 is too large for a float"),
    (tc.BOOLEAN, 1, "", "1 is no boolean"),
    (tc.CHAR, "ab", "", "'ab' is no char"),
    (tc.CHAR, "€", "", "use a wchar"),
    (tc.WCHAR, "\ud800", "", "surrogate"),
    (tc.STRING, b"a", "", "is no string"),
    (tc.string(2), "abc", "", "3 characters are more than a string<2> holds"),
    (SEVERITY, "fatal", "", "'fatal' is no label of enum Severity: 'minor, major'"),
    (tc.TYPECODE, "long", "", "is no TypeCode"),
    (PERSON, {"name": "A"}, "", "has the members 'name, age', not 'name'"),
    (PERSON, ("A",), "", "has 2 members, not 1"),
    (PERSON, 5, "", "5 is no struct Person"),
    (PERSON, "ab", "", "is no struct"),
    (PERSON, ("A", "x"), "age", "'x' is no short"),
    (TREE, (1, [(2, [(3, 4)])]), "below[0].below[0].below", "4 is no sequence"),
    (CHOICE, 5, "", "use UnionValue"),
    (CHOICE, UnionValue("fatal", 1), "_d", "no label"),
    (CHOICE, UnionValue("minor", "x"), "(minor)", "no short"),
    (CHOICE, UnionValue("major", 5), "", "5 is no union Choice"),
    (tc.sequence(tc.LONG), b"ab", "", "is no sequence<long>"),
    (tc.sequence(tc.LONG), "ab", "", "is no sequence<long>"),
    (tc.sequence(tc.LONG), {1: 2}, "", "is no sequence<long>"),
    (tc.sequence(tc.LONG), [1, None], "[1]", "None is no long"),
    (tc.OCTETS, [1, 256], "[1]", "256 is no octet"),
    (tc.sequence(tc.LONG, 1), [1, 2], "", "2 elements are more than sequence<long,1> holds"),
    (tc.array(tc.LONG, 2), [1], "", r"long\[2\] has not 1 elements"),
    (tc.array(tc.OCTET, 2), b"a", "", "has not 1 elements"),
    (tc.objref(), "IOR:", "", "is no objref Object"),
    (tc.fixed(3, 1), Decimal("1.25"), "", "too many decimals"),
    (tc.fixed(3, 1), Decimal(100), "", "too many digits"),
    (tc.fixed(3, 1), 10**5000, "", "an integer of 16610 bits has too many digits"),
    (tc.fixed(3, 1), 1.5, "", "1.5 is no fixed"),
    (tc.fixed(3, 1), True, "", "True is no fixed"),
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


def test_unnamed_members_are_known_by_their_number() -> None:
    with pytest.raises(InvalidEvent) as caught:
        conform(tc.struct("", "", [("", tc.LONG)]), ["x"], "data.s")
    assert caught.value.where == "data.s.0"


def test_members_of_one_name_go_by_their_order_only() -> None:
    twins = tc.struct("", "", [("a", tc.LONG), ("a", tc.LONG)])
    assert conform(twins, [1, 2]) == (1, 2)
    with pytest.raises(InvalidEvent, match="has the members"):
        conform(twins, {"a": 1})


def test_long_lists_of_labels_and_members_are_cut_in_messages() -> None:
    labels = [f"label{i}" for i in range(100_000)]
    with pytest.raises(InvalidEvent) as caught:
        conform(tc.enum("", "E", labels), "x")
    assert len(str(caught.value)) < 300
    with pytest.raises(InvalidEvent) as caught:
        conform(
            tc.struct("", "S", [(label, tc.LONG) for label in labels]), dict.fromkeys(labels[1:], 1)
        )
    assert len(str(caught.value)) < 300


def test_the_callers_decimal_context_does_not_matter() -> None:
    with decimal.localcontext() as context:
        context.prec = 2
        context.traps[decimal.Inexact] = True
        context.traps[decimal.InvalidOperation] = False
        assert conform(tc.fixed(9, 3), Decimal("12345.678")) == Decimal("12345.678")
        with pytest.raises(InvalidEvent):
            conform(tc.fixed(3, 1), Decimal("1.25"))
        with pytest.raises(InvalidEvent):
            conform(tc.fixed(3, 1), Decimal(1000))


def test_a_type_that_only_contains_itself_has_no_value() -> None:
    endless = tc.struct("IDL:E:1.0", "E", [("e", tc.recursive("IDL:E:1.0"))])
    value: tuple[object, ...] = ()
    for _ in range(200):
        value = (value,)
    with pytest.raises(InvalidEvent, match="nest deeper than 64"):
        conform(endless, value)
