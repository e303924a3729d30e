from __future__ import annotations

import math
import time
from decimal import Decimal

import pytest

from tests.unit.events.codecs.test_json_writing import CHOICE_T, PERSON_T, TABLE, TWINS_T, typed
from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Reference, UnionValue, Value, same
from tidings.events.codecs.json_reading import (
    boxed_from_plain,
    is_typed,
    octets_from_base64,
    value_from_plain,
)
from tidings.events.codecs.json_types import type_from_plain
from tidings.events.texts import shortened


@pytest.mark.parametrize(("value", "plain"), TABLE, ids=lambda v: repr(v)[:40])
def test_values(value: Value, plain: object) -> None:
    assert same(value_from_plain(plain), value)


@pytest.mark.parametrize(
    ("plain", "value"),
    [
        (typed("double", 5), 5.0),
        (typed("long", 5), 5),
        (typed(" unsigned  short ", 5), Any(tc.USHORT, 5)),
        (typed("sequence<octet>", [97, 98]), b"ab"),
        (typed("octet[2]", [97, 98]), Any(tc.array(tc.OCTET, 2), b"ab")),
        (typed("fixed<5,2>", "1"), Any(tc.fixed(5, 2), Decimal("1.00"))),
        (typed("fixed<5,2>", -3), Any(tc.fixed(5, 2), Decimal("-3.00"))),
        (typed(PERSON_T, {"free": None, "name": "A"}), Any(type_from_plain(PERSON_T), ("A", None))),
        (typed(PERSON_T, ["A", 1]), Any(type_from_plain(PERSON_T), ("A", 1))),
        (typed(CHOICE_T, {"_d": "y"}), Any(type_from_plain(CHOICE_T), UnionValue("y", None))),
        (typed("any", typed("short", 1)), Any(tc.ANY, Any(tc.SHORT, 1))),
        (typed({"kind": "objref"}, {}), Any(tc.objref("", ""), Reference())),
    ],
    ids=lambda v: repr(v)[:40],
)
def test_other_ways_to_write_the_same(plain: object, value: Value) -> None:
    assert same(value_from_plain(plain), value if not isinstance(value, Any) else value_of(value))


def value_of(box: Any) -> Value:
    from tidings.events.anyvalue import unboxed

    return unboxed(box)


WRONG: list[tuple[object, str, str]] = [
    (2**64, "", "18446744073709551616 is outside the integers"),
    (-(2**63) - 1, "", "outside the integers"),
    (10**5000, "", "an integer of 16610 bits"),
    ([1, 2**70], "[1]", "outside the integers"),
    ([1.5, "a", [2**70]], "[2][0]", "outside"),
    ({"a": {"b": [0, 2**70]}}, "a.b[1]", "outside"),
    (math.nan, "", r'JSON has no nan; write {"\$type": "double", "value": "NaN"}'),
    ([1.0, -math.inf], "[1]", '"value": "-Infinity"'),
    ("\ud800", "", "U\\+D800"),
    (["a", "\ud800"], "[1]", "U\\+D800"),
    ({"\ud800": 1}, "\\ud800", "U\\+D800"),
    ({"": 1}, "", "names must be non-empty"),
    ({5: 1}, "5", "names must be non-empty text"),
    ((1,), "", "a tuple is no JSON value"),
    ({"a": b"x"}, "a", "a bytes is no JSON value"),
    ({"$type": "long"}, "", "two names \\$type and value, not '\\$type'; a record with a member"),
    ({"$type": "long", "value": 1, "x": 2}, "", "two names"),
    ({"$type": 5, "value": 5}, "$type", "5 is no type"),
    ([{"$type": {"kind": "strcut"}, "value": 5}], "[0].$type", "did you mean 'struct'"),
    (typed("short", 70_000), "", "70000 is no short, which holds -32768 to 32767"),
    (typed("short", 1.0), "", "1.0 is no short"),
    (typed("short", "1"), "", "'1' is no short"),
    (typed("boolean", 1), "", "1 is no boolean"),
    (typed("double", "nan"), "", "'nan' is no double; did you mean 'NaN'"),
    (typed("double", True), "", "True is no double"),
    (typed("float", 1e300), "", "too large for a float"),
    (typed("fixed<3,1>", 1.5), "", 'a fixed<3,1> is written as text, such as "1.5"'),
    (typed("fixed<3,1>", "1.25"), "", "too many decimals"),
    (typed("fixed<3,1>", "1e1"), "", "is no decimal number"),
    (typed("fixed<3,1>", " 1"), "", "is no decimal number"),
    (typed("fixed<3,1>", "1_0"), "", "is no decimal number"),
    (typed("fixed<3,1>", "NaN"), "", "is no decimal number"),
    (typed("fixed<3,1>", None), "", "None is no fixed"),
    (typed("char", "ab"), "", "is no char"),
    (typed("string<2>", "abc"), "", "3 characters are more"),
    (typed("void", 0), "", "0 is no void"),
    (typed("TypeCode", "lnog"), "", "names no type"),
    (typed("sequence<octet>", "YQ"), "", "'YQ' is no base64"),
    (typed("sequence<octet>", "Y!=="), "", "no base64"),
    (typed("sequence<octet>", "é"), "", "no base64"),
    (typed("sequence<octet>", [256]), "[0]", "256 is no octet"),
    (typed("octet[2]", "YQ=="), "", "has not 1 elements"),
    (typed("sequence<long>", 5), "", "5 is no sequence<long>, which is a list"),
    (typed("sequence<long>", [1, "a"]), "[1]", "'a' is no long"),
    (typed("sequence<short>", [1, 40_000]), "[1]", "no short"),
    (typed("sequence<double>", [1.5, math.inf]), "[1]", "JSON has no inf"),
    (typed("sequence<long,2>", [1, 2, 3]), "", "3 elements are more"),
    (typed("long[2]", [1]), "", r"long\[2\] has not 1 elements"),
    (typed("sequence<any>", [1, {"a": 2**64}]), "[1].a", "outside the integers"),
    (typed(PERSON_T, 5), "", "5 is no struct P, which is an object"),
    (typed(PERSON_T, {"name": "A"}), "", "struct P needs 'free'"),
    (typed(PERSON_T, {"nmae": "A", "free": 1}), "", "has no 'nmae'; did you mean 'name'"),
    (typed(PERSON_T, {"name": 5, "free": 1}), "name", "5 is no string"),
    (typed(PERSON_T, ["A"]), "", "has 2 members, not 1"),
    (typed(TWINS_T, {"a": 1}), "", "which is a list"),
    (typed(TWINS_T, [1, "ab"]), "a", "no char"),
    (typed({"kind": "struct", "members": [["", "long"]]}, ["x"]), "[0]", "no long"),
    (typed(CHOICE_T, 5), "", '5 is no union C, which is {"_d": label, "value": value}'),
    (typed(CHOICE_T, {"value": 1}), "", "which is"),
    (typed(CHOICE_T, {"_d": 5}), "_d", "5 is no char"),
    (typed(CHOICE_T, {"_d": "x", "value": "y"}), "value", "no double"),
    (typed(CHOICE_T, {"_d": "z", "value": 1}), "", "1 is no union C"),
    (typed(CHOICE_T, {"_d": "x", "vlaue": 1}), "", "did you mean 'value'"),
    (typed({"kind": "objref"}, 5), "", "5 is no reference"),
    (typed({"kind": "objref"}, {"profiles": 5}), "", "no reference"),
    (typed({"kind": "objref"}, {"profiles": [[0]]}), "profiles", "no tag with base64"),
    (typed({"kind": "objref"}, {"profiles": [[-1, ""]]}), "profiles", "tag from 0"),
    (typed({"kind": "objref"}, {"type_id": 5}), "type_id", "no repository id"),
    (typed({"kind": "objref"}, {"typeid": ""}), "", "did you mean 'type_id'"),
    (typed({"kind": "recursive", "id": "IDL:X:1.0"}, 5), "", "not complete enough"),
]


@pytest.mark.parametrize(("plain", "where", "says"), WRONG, ids=shortened)
def test_what_is_no_value(plain: object, where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        value_from_plain(plain)
    assert caught.value.where == where


def test_what_is_typed() -> None:
    assert is_typed({"$type": "long"})
    assert not is_typed({"type": "long"})
    assert not is_typed("$type")


def test_a_box_is_kept_where_it_is_asked_for() -> None:
    assert boxed_from_plain({"$type": "long", "value": 5}) == Any(tc.LONG, 5)


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: {"a": v}, lambda v: typed("any", v)])
def test_endless_nesting_is_refused(wrap: object) -> None:
    plain: object = 1
    for _ in range(10_000):
        plain = wrap(plain)  # type: ignore[operator]
    with pytest.raises(InvalidEvent, match="nest deeper"):
        value_from_plain(plain)


def test_base64() -> None:
    assert octets_from_base64("AAECAw==") == b"\x00\x01\x02\x03"


def test_as_many_branches_as_values_are_read_in_a_moment() -> None:
    count = 20_000
    branches = [[i, f"b{i}", "long"] for i in range(count)]
    union = {"kind": "union", "discriminator": "long", "branches": branches}
    values = [{"_d": i, "value": i} for i in range(count)]
    start = time.thread_time()
    found = value_from_plain(typed({"kind": "sequence", "of": union}, values))
    assert isinstance(found, Any)
    assert time.thread_time() - start < 5
