"""Types: their shapes, their texts and JSON, and what is none."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from tidings.errors import InvalidTypeCode
from tidings.events import typecode as tc
from tidings.events.codecs import json_types
from tidings.events.codecs.json_types import type_form, type_from_plain, type_to_plain
from tidings.events.typecode import TypeCode
from tidings.events.typetext import read_type

NO_DEFAULT = tc.union("", "", tc.BOOLEAN, [(True, "yes", tc.LONG)])


def test_only_sequences_arrays_and_aliases_have_elements() -> None:
    assert tc.array(tc.LONG, 2).element_type is tc.LONG
    with pytest.raises(InvalidTypeCode, match="a long has no elements"):
        _ = tc.LONG.element_type


@pytest.mark.parametrize(
    ("one", "two", "equivalent"),
    [
        (tc.sequence(tc.LONG), tc.sequence(tc.alias("IDL:N:1.0", "N", tc.LONG)), True),
        (tc.sequence(tc.LONG), tc.sequence(tc.LONG, 3), False),
        (tc.sequence(tc.LONG), tc.sequence(tc.SHORT), False),
        (tc.struct("", "", [("a", tc.LONG)]), tc.struct("", "", [("b", tc.LONG)]), True),
        (tc.struct("", "", [("a", tc.LONG)]), tc.struct("", "", []), False),
        (tc.struct("", "", [("a", tc.LONG)]), tc.exception("", "", [("a", tc.LONG)]), False),
        (NO_DEFAULT, tc.union("", "", tc.BOOLEAN, [(False, "yes", tc.LONG)]), False),
        (NO_DEFAULT, tc.union("", "", tc.LONG, [(1, "yes", tc.LONG)]), False),
        (tc.enum("", "", ["a"]), tc.enum("", "", ["b"]), True),
        (tc.enum("", "", ["a"]), tc.enum("", "", ["a", "b"]), False),
        (tc.fixed(3, 1), tc.fixed(3, 2), False),
    ],
)
def test_equivalence_by_shape(one: TypeCode, two: TypeCode, *, equivalent: bool) -> None:
    assert one.equivalent(two) is equivalent
    assert two.equivalent(one) is equivalent


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: tc.fixed(32, 0), "digits must be 1 to 31"),
        (lambda: tc.fixed(3, 4), "scale 0 to digits"),
        (lambda: tc.string(-1), "string bound -1"),
        (lambda: tc.sequence(tc.LONG, 2**32), "sequence bound"),
        (lambda: tc.array(tc.LONG, -1), "array length"),
        (lambda: tc.recursive(""), "repository id"),
        (lambda: tc.enum("", "E", []), "at least one label"),
        (lambda: tc.enum("", "E", ["a", "a"]), "each once"),
        (lambda: tc.union("", "U", tc.STRING, []), "a string cannot select"),
        (lambda: tc.union("", "U", tc.OCTET, []), "an? octet cannot select"),
        (lambda: tc.union("", "U", tc.SHORT, [(2**15, "a", tc.LONG)]), "is not a valid short"),
        (lambda: tc.union("", "U", tc.LONG, [(True, "a", tc.LONG)]), "True is not a valid long"),
        (lambda: tc.union("", "U", tc.BOOLEAN, [(1, "a", tc.LONG)]), "1 is not a valid boolean"),
        (lambda: tc.union("", "U", tc.CHAR, [("ab", "a", tc.LONG)]), "is not a valid char"),
        (lambda: tc.union("", "U", tc.CHAR, [("€", "a", tc.LONG)]), "is not a valid char"),
        (
            lambda: tc.union("", "U", tc.enum("", "E", ["x"]), [("y", "a", tc.LONG)]),
            "is not a valid E",
        ),
        (lambda: tc.union("", "U", tc.LONG, [(1, "a", tc.LONG), (1, "b", tc.LONG)]), "twice"),
        (lambda: tc.union("", "U", tc.LONG, [(None, "a", tc.LONG)] * 2), "twice"),
        (lambda: tc.struct("", "", [("\ud800", tc.LONG)]), "cannot be a name"),
        (lambda: tc.enum("", "\udfff", ["a"]), "cannot be a name"),
        (lambda: tc.union("", "", tc.WCHAR, [("\ud800", "a", tc.LONG)]), "cannot be a name"),
    ],
)
def test_what_is_no_type(make: Callable[[], TypeCode], says: str) -> None:
    with pytest.raises(InvalidTypeCode, match=says):
        make()


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "lnog", "LONG", "unsigned", "unsignedlong", "short short", "struct"),
        *("sequence", "sequence<>", "sequence<long", "sequence<long>>", "sequence<long,>"),
        *(
            "string<",
            "string<8",
            "string<-1>",
            "string<x>",
            "string<99999999999>",
            "fixed<5>",
            "fixed<5,2",
            "long[]",
        ),
        *("long[3", "long]3[", "long\x00", "long[٣]", "long[²]", "a" * 10_000, "<" * 4_000),
    ],
)
def test_what_names_no_type(text: str) -> None:
    with pytest.raises(InvalidTypeCode, match="names no type"):
        read_type(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *(("fixed<32,0>", "digits"), ("long[4294967296]", "array length")),
        ("sequence<" * 100 + "long" + ">" * 100, "nest deeper"),
        ("long" + "[1]" * 100, "nest deeper"),
    ],
)
def test_what_names_a_type_that_is_none(text: str, says: str) -> None:
    with pytest.raises(InvalidTypeCode, match=says):
        read_type(text)


NO_TYPES: list[tuple[object, str]] = [
    *(
        (5, "5 is not a type; use a text or an object"),
        (None, "None is not a type"),
        ([], "is not a type"),
    ),
    *(("lnog", "'lnog' names no type"), ({}, "no kind None; known are struct, exception")),
    ({"kind": "strcut"}, "no kind 'strcut'; did you mean 'struct'?"),
    *(({"kind": 5}, "no kind 5"), ({"kind": "struct"}, "members: None is not a valid list")),
    ({"kind": "struct", "members": {}}, "members: {} is not a valid list"),
    ({"kind": "struct", "members": [["a"]]}, r"members\[0\]: \['a'\] is not a valid list of 2"),
    ({"kind": "struct", "members": [[5, "long"]]}, r"members\[0\]: 5 is not a valid text"),
    ({"kind": "struct", "members": [["a", "lnog"]]}, r"members\[0\]: 'lnog' names no type"),
    ({"kind": "struct", "member": []}, "'member' is not part of the type 'struct'; .*'members'"),
    ({"kind": "struct", "id": 5, "members": []}, "id: 5 is not a valid text"),
    ({"kind": "enum", "labels": []}, "at least one label"),
    ({"kind": "enum", "labels": [5]}, r"labels\[0\]: 5 is not a valid text"),
    ({"kind": "union", "discriminator": "string", "branches": []}, "cannot select"),
    (
        {"kind": "union", "discriminator": "long", "branches": [[1.5, "a", "long"]]},
        "1.5 is not a valid label",
    ),
    (
        {"kind": "union", "discriminator": "long", "branches": [["x", "a", "long"]]},
        "'x' is not a valid long",
    ),
    (
        {"kind": "union", "discriminator": "long", "branches": [[True, "a", "long"]]},
        "True is not a valid long",
    ),
    ({"kind": "union", "branches": []}, "discriminator: None is not a type"),
    (
        {"kind": "alias", "of": {"kind": "array", "of": "long"}},
        "of.length: None is not a valid integer",
    ),
    ({"kind": "array", "of": "long", "length": -1}, "array length -1"),
    ({"kind": "array", "of": "long", "length": True}, "length: True is not a valid integer"),
    ({"kind": "sequence", "of": {"kind": "sequence", "of": 5}}, "of.of: 5 is not a type"),
    *(({"kind": "recursive"}, "repository id"), ({"kind": object()}, "describes no type")),
    ({"kind": "enum", "labels": ["\ud800"]}, "describes no type"),
]


@pytest.mark.parametrize(("plain", "says"), NO_TYPES)
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
