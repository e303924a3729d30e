from __future__ import annotations

import msgspec
import pytest

from tidings.errors import InvalidTypeCode
from tidings.events import typecode as tc
from tidings.events.codecs import json_types
from tidings.events.codecs.json_types import near_miss, type_form, type_from_plain, type_to_plain
from tidings.events.typecode import TypeCode

PERSON = tc.struct("IDL:P:1.0", "Person", [("name", tc.STRING), ("age", tc.LONG)])
PERSON_JSON = {
    "kind": "struct",
    "id": "IDL:P:1.0",
    "name": "Person",
    "members": [["name", "string"], ["age", "long"]],
}
SEVERITY = tc.enum("IDL:S:1.0", "Severity", ["minor", "major"])
SEVERITY_JSON = {
    "kind": "enum",
    "id": "IDL:S:1.0",
    "name": "Severity",
    "labels": ["minor", "major"],
}

TABLE: list[tuple[TypeCode, object]] = [
    (tc.SHORT, "short"),
    (tc.sequence(tc.string(8), 3), "sequence<string<8>,3>"),
    (PERSON, PERSON_JSON),
    (tc.struct("", "", []), {"kind": "struct", "members": []}),
    (
        tc.exception("", "E", [("", tc.LONG)]),
        {"kind": "exception", "name": "E", "members": [["", "long"]]},
    ),
    (SEVERITY, SEVERITY_JSON),
    (
        tc.union("IDL:U:1.0", "U", SEVERITY, [("minor", "a", tc.LONG), (None, "b", PERSON)]),
        {
            "kind": "union",
            "id": "IDL:U:1.0",
            "name": "U",
            "discriminator": SEVERITY_JSON,
            "branches": [["minor", "a", "long"], [None, "b", PERSON_JSON]],
        },
    ),
    (
        tc.union("", "", tc.BOOLEAN, [(True, "a", tc.LONG)]),
        {"kind": "union", "discriminator": "boolean", "branches": [[True, "a", "long"]]},
    ),
    (
        tc.alias("IDL:M:1.0", "M", tc.DOUBLE),
        {"kind": "alias", "id": "IDL:M:1.0", "name": "M", "of": "double"},
    ),
    (tc.objref("IDL:O:1.0", "O"), {"kind": "objref", "id": "IDL:O:1.0", "name": "O"}),
    (tc.recursive("IDL:R:1.0"), {"kind": "recursive", "id": "IDL:R:1.0"}),
    (tc.sequence(PERSON), {"kind": "sequence", "of": PERSON_JSON}),
    (tc.sequence(PERSON, 3), {"kind": "sequence", "of": PERSON_JSON, "bound": 3}),
    (tc.array(PERSON, 0), {"kind": "array", "of": PERSON_JSON, "length": 0}),
]


@pytest.mark.parametrize(("type_", "plain"), TABLE)
def test_types(type_: TypeCode, plain: object) -> None:
    assert type_to_plain(type_) == plain
    assert type_from_plain(plain) == type_
    assert msgspec.json.decode(msgspec.json.encode(type_form(type_))) == plain


WRONG: list[tuple[object, str]] = [
    (5, "5 is no type; use a text or an object"),
    (None, "None is no type"),
    ([], "is no type"),
    ("lnog", "'lnog' names no type"),
    ({}, "no kind None; known are struct, exception"),
    ({"kind": "strcut"}, "no kind 'strcut'; did you mean 'struct'?"),
    ({"kind": 5}, "no kind 5"),
    ({"kind": "struct"}, "members: None is no list"),
    ({"kind": "struct", "members": {}}, "members: {} is no list"),
    ({"kind": "struct", "members": [["a"]]}, r"members\[0\]: \['a'\] is no list of 2"),
    ({"kind": "struct", "members": [[5, "long"]]}, r"members\[0\]: 5 is no text"),
    ({"kind": "struct", "members": [["a", "lnog"]]}, r"members\[0\]: 'lnog' names no type"),
    ({"kind": "struct", "member": []}, "'member' is no part of the type 'struct'; .*'members'"),
    ({"kind": "struct", "id": 5, "members": []}, "id: 5 is no text"),
    ({"kind": "enum", "labels": []}, "at least one label"),
    ({"kind": "enum", "labels": [5]}, r"labels\[0\]: 5 is no text"),
    ({"kind": "union", "discriminator": "string", "branches": []}, "cannot select"),
    (
        {"kind": "union", "discriminator": "long", "branches": [[1.5, "a", "long"]]},
        "1.5 is no label",
    ),
    (
        {"kind": "union", "discriminator": "long", "branches": [["x", "a", "long"]]},
        "'x' is no long",
    ),
    (
        {"kind": "union", "discriminator": "long", "branches": [[True, "a", "long"]]},
        "True is no long",
    ),
    ({"kind": "union", "branches": []}, "discriminator: None is no type"),
    ({"kind": "alias", "of": {"kind": "array", "of": "long"}}, "of.length: None is no integer"),
    ({"kind": "array", "of": "long", "length": -1}, "array length -1"),
    ({"kind": "array", "of": "long", "length": True}, "length: True is no integer"),
    ({"kind": "sequence", "of": {"kind": "sequence", "of": 5}}, "of.of: 5 is no type"),
    ({"kind": "recursive"}, "repository id"),
    ({"kind": object()}, "describes no type"),
    ({"kind": "enum", "labels": ["\ud800"]}, "describes no type"),
]


@pytest.mark.parametrize(("plain", "says"), WRONG)
def test_what_describes_no_type(plain: object, says: str) -> None:
    with pytest.raises(InvalidTypeCode, match=says):
        type_from_plain(plain)


def nested(levels: int) -> object:
    plain: object = "long"
    for _ in range(levels):
        plain = {"kind": "alias", "name": "A", "of": plain}
    return plain


def test_types_nest_so_deep_and_no_deeper() -> None:
    deepest = type_from_plain(nested(tc.MAX_TYPE_DEPTH - 1))
    assert type_to_plain(deepest) == nested(tc.MAX_TYPE_DEPTH - 1)
    for levels in (tc.MAX_TYPE_DEPTH, 500, 100_000):
        with pytest.raises(InvalidTypeCode):
            type_from_plain(nested(levels))


def test_large_types_are_not_kept() -> None:
    labels = [f"label{i}" for i in range(2_000)]
    large = tc.enum("", "Large", labels)
    before = (len(json_types._forms), json_types._cached_object.cache_info().currsize)
    assert type_from_plain(type_to_plain(large)) == large
    assert isinstance(type_form(large), msgspec.Raw)
    after = (len(json_types._forms), json_types._cached_object.cache_info().currsize)
    assert after == before


def test_no_more_types_are_kept_than_some() -> None:
    for i in range(3 * json_types._CACHED_TYPES):
        type_form(tc.enum("", f"E{i}", ["a"]))
    assert len(json_types._forms) <= json_types._CACHED_TYPES


def test_near_misses() -> None:
    assert near_miss("dmain", ["domain", "type"]) == "did you mean 'domain'?"
    assert near_miss("xyz", ["domain", "type"]) == "known are domain, type"
