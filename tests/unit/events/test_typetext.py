from __future__ import annotations

import pytest

from tidings.errors import InvalidTypeCode
from tidings.events import typecode as tc
from tidings.events.typecode import TypeCode
from tidings.events.typetext import describe, read_type, type_text

PERSON = tc.struct("IDL:Person:1.0", "Person", [])

TABLE = [
    ("short", tc.SHORT),
    ("unsigned short", tc.USHORT),
    ("unsigned long", tc.ULONG),
    ("unsigned long long", tc.ULONGLONG),
    ("long", tc.LONG),
    ("long long", tc.LONGLONG),
    ("long double", tc.LONGDOUBLE),
    ("TypeCode", tc.TYPECODE),
    ("any", tc.ANY),
    ("void", tc.VOID),
    ("string", tc.STRING),
    ("string<8>", tc.string(8)),
    ("wstring<4294967295>", tc.wstring(2**32 - 1)),
    ("fixed<5,2>", tc.fixed(5, 2)),
    ("sequence<octet>", tc.OCTETS),
    ("sequence<long,3>", tc.sequence(tc.LONG, 3)),
    ("sequence<sequence<string<8>>>", tc.sequence(tc.sequence(tc.string(8)))),
    ("long[3]", tc.array(tc.LONG, 3)),
    ("long[0]", tc.array(tc.LONG, 0)),
    ("long[2][3]", tc.array(tc.array(tc.LONG, 3), 2)),
    ("long long[2]", tc.array(tc.LONGLONG, 2)),
    ("sequence<long[2]>[3]", tc.array(tc.sequence(tc.array(tc.LONG, 2)), 3)),
    ("sequence<fixed<5,2>[2],4>", tc.sequence(tc.array(tc.fixed(5, 2), 2), 4)),
]


@pytest.mark.parametrize(("text", "type_"), TABLE)
def test_texts_of_types(text: str, type_: TypeCode) -> None:
    assert type_text(type_) == text
    assert read_type(text) == type_
    assert describe(type_) == text


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("  unsigned   long ", tc.ULONG),
        ("sequence < long , 3 >", tc.sequence(tc.LONG, 3)),
        ("string<0>", tc.STRING),
        ("long [ 3 ]", tc.array(tc.LONG, 3)),
    ],
)
def test_blanks_do_not_matter(text: str, type_: TypeCode) -> None:
    assert read_type(text) == type_


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "lnog", "LONG", "unsigned", "unsignedlong", "short short", "struct"),
        *("sequence", "sequence<>", "sequence<long", "sequence<long>>", "sequence<long,>"),
        *("string<-1>", "string<x>", "string<99999999999>", "fixed<5>", "fixed<5,2", "long[]"),
        *("long[3", "long]3[", "long\x00", "long[٣]", "long[²]", "a" * 10_000, "<" * 4_000),
    ],
)
def test_what_names_no_type(text: str) -> None:
    with pytest.raises(InvalidTypeCode, match="names no type"):
        read_type(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fixed<32,0>", "digits"),
        ("long[4294967296]", "array length"),
        ("sequence<" * 100 + "long" + ">" * 100, "nest deeper"),
        ("long" + "[1]" * 100, "nest deeper"),
    ],
)
def test_what_names_a_type_that_is_none(text: str, says: str) -> None:
    with pytest.raises(InvalidTypeCode, match=says):
        read_type(text)


def test_the_deepest_type_has_a_text_that_can_be_read() -> None:
    type_ = tc.ULONGLONG
    while type_.depth < tc.MAX_TYPE_DEPTH:
        type_ = tc.sequence(type_, 2**32 - 1)
    text = type_text(type_)
    assert text is not None
    assert read_type(text) == type_


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (PERSON, "struct Person"),
        (tc.sequence(PERSON), "sequence<struct Person>"),
        (tc.array(PERSON, 2), "struct Person[2]"),
        (tc.struct("IDL:X:1.0", "", []), "struct IDL:X:1.0"),
        (tc.struct("", "", []), "struct"),
        (tc.recursive("IDL:X:1.0"), "recursive IDL:X:1.0"),
    ],
)
def test_named_types_have_no_text_but_a_name_for_messages(type_: TypeCode, text: str) -> None:
    assert type_text(type_) is None
    assert describe(type_) == text
