"""The table of values and their JSON; it serves the writer here and the reader next door."""

from __future__ import annotations

import math
from decimal import Decimal

import msgspec
import pytest

from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Reference, UnionValue, Value
from tidings.events.codecs.json_writing import real_name, value_to_plain

PERSON = tc.struct("IDL:P:1.0", "P", [("name", tc.STRING), ("free", tc.ANY)])
TWINS = tc.struct("", "", [("a", tc.LONG), ("a", tc.CHAR)])
CHOICE = tc.union("", "C", tc.CHAR, [("x", "a", tc.DOUBLE)])
TREE = tc.struct(
    "IDL:T:1.0", "T", [("n", tc.LONG), ("below", tc.sequence(tc.recursive("IDL:T:1.0")))]
)

PERSON_T = {
    "kind": "struct",
    "id": "IDL:P:1.0",
    "name": "P",
    "members": [["name", "string"], ["free", "any"]],
}
TWINS_T = {"kind": "struct", "members": [["a", "long"], ["a", "char"]]}
CHOICE_T = {
    "kind": "union",
    "name": "C",
    "discriminator": "char",
    "branches": [["x", "a", "double"]],
}
TREE_T = {
    "kind": "struct",
    "id": "IDL:T:1.0",
    "name": "T",
    "members": [
        ["n", "long"],
        ["below", {"kind": "sequence", "of": {"kind": "recursive", "id": "IDL:T:1.0"}}],
    ],
}


def typed(type_: object, value: object) -> object:
    return {"$type": type_, "value": value}


TABLE: list[tuple[Value, object]] = [
    (None, None),
    (True, True),
    (2**64 - 1, 2**64 - 1),
    (1.5, 1.5),
    (math.nan, typed("double", "NaN")),
    (-math.inf, typed("double", "-Infinity")),
    ("é", "é"),
    (b"ab", typed("sequence<octet>", "YWI=")),
    (b"", typed("sequence<octet>", "")),
    (Decimal("57.50"), typed("fixed<4,2>", "57.50")),
    (Decimal("0.0000001"), typed("fixed<7,7>", "0.0000001")),
    (Decimal("-0.0"), typed("fixed<1,1>", "-0.0")),
    (tc.LONG, typed("TypeCode", "long")),
    (TREE, typed("TypeCode", TREE_T)),
    ((), []),
    ((1, "a", None, True), [1, "a", None, True]),
    ((1.5, 2), [1.5, 2]),
    ((1.5, math.inf), [1.5, typed("double", "Infinity")]),
    ((b"a",), [typed("sequence<octet>", "YQ==")]),
    ({}, {}),
    ({"a": {"b": (1,)}}, {"a": {"b": [1]}}),
    ({"value": 1, "_d": 2}, {"value": 1, "_d": 2}),
    (
        {"$type": 1, "b": Any(tc.SHORT, 2)},
        typed(
            {"kind": "struct", "members": [["$type", "long"], ["b", "any"]]},
            {"$type": 1, "b": typed("short", 2)},
        ),
    ),
    (
        {"a": {"$type": "long", "value": 5}},
        {
            "a": typed(
                {"kind": "struct", "members": [["$type", "string"], ["value", "long"]]},
                {"$type": "long", "value": 5},
            )
        },
    ),
    (Any(tc.SHORT, 5), typed("short", 5)),
    (Any(tc.VOID, None), typed("void", None)),
    (Any(tc.CHAR, "c"), typed("char", "c")),
    (Any(tc.FLOAT, math.nan), typed("float", "NaN")),
    (Any(tc.FLOAT, 0.1), typed("float", 0.10000000149011612)),
    (Any(tc.ANY, 5), typed("any", 5)),
    (Any(tc.ANY, Any(tc.ANY, b"")), typed("any", typed("any", typed("sequence<octet>", "")))),
    (Any(tc.array(tc.OCTET, 2), b"ab"), typed("octet[2]", "YWI=")),
    (Any(tc.sequence(tc.SHORT), [1, 2]), typed("sequence<short>", [1, 2])),
    (Any(tc.sequence(tc.FLOAT), [math.nan]), typed("sequence<float>", ["NaN"])),
    (Any(tc.sequence(tc.OCTETS, 9), [b"a"]), typed("sequence<sequence<octet>,9>", ["YQ=="])),
    (Any(tc.sequence(tc.ANY), [1, 2]), typed("sequence<any>", [1, 2])),
    (
        Any(PERSON, ("Ann", Any(tc.SHORT, 1))),
        typed(PERSON_T, {"name": "Ann", "free": typed("short", 1)}),
    ),
    (Any(TWINS, (1, "c")), typed(TWINS_T, [1, "c"])),
    (Any(CHOICE, UnionValue("x", math.nan)), typed(CHOICE_T, {"_d": "x", "value": "NaN"})),
    (Any(CHOICE, UnionValue("y", None)), typed(CHOICE_T, {"_d": "y", "value": None})),
    (
        Any(TREE, (1, [(2, [])])),
        typed(TREE_T, {"n": 1, "below": [{"n": 2, "below": []}]}),
    ),
    (
        Reference("IDL:a/B:1.0", [(0, b"a")]),
        typed(
            {"kind": "objref", "id": "IDL:a/B:1.0", "name": "B"},
            {"type_id": "IDL:a/B:1.0", "profiles": [[0, "YQ=="]]},
        ),
    ),
    (
        Any(tc.alias("IDL:M:1.0", "M", tc.DOUBLE), 1.0),
        typed({"kind": "alias", "id": "IDL:M:1.0", "name": "M", "of": "double"}, 1.0),
    ),
]


@pytest.mark.parametrize(("value", "plain"), TABLE, ids=lambda v: repr(v)[:40])
def test_values(value: Value, plain: object) -> None:
    assert repr(msgspec.json.decode(msgspec.json.encode(value_to_plain(value)))) == repr(plain)


def test_numbers_that_json_cannot_spell() -> None:
    assert [real_name(v) for v in (math.nan, math.inf, -math.inf)] == [
        "NaN",
        "Infinity",
        "-Infinity",
    ]
