"""CDR: what is read from octets and written as them, and what is refused."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as Box
from tidings.events.anyvalue import UnionValue, Value
from tidings.events.reference import Reference
from tidings.events.typecode import TypeCode
from tidings.orb.cdr_plans import Shape, shape_of
from tidings.orb.cdr_reader import Reader, read_value, unbox
from tidings.orb.cdr_writer import Writer, write_value
from tidings.orb.codesets import ISO_646, ISO_8859_1, NOT_NEGOTIATED, OURS, CodeSets
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION, IMP_LIMIT, MARSHAL, OMG
from tidings.orb.limits import MessageLimits
from tidings.orb.quad import quad_number, quad_octets

OLD = {"minor": 1}
OLD_BIG = {"minor": 1, "little": False}
LATIN = {"codesets": CodeSets(ISO_8859_1)}
UNAGREED = {"codesets": NOT_NEGOTIATED}


def reader(octets: str, **options: Any) -> Reader:
    return Reader(bytes.fromhex(octets), **{"little": True, "codesets": OURS, **options})


@pytest.mark.parametrize(
    ("method", "octets", "options", "wanted"),
    [
        *(("char", "63", {}, "c"), ("char", "e4", LATIN, "ä")),
        *(("wstring", "00000000", {}, ""), ("wstring", "02000000 0068", {}, "h")),
        *(("wstring", "04000000 feff 0068", {}, "h"), ("wstring", "04000000 fffe 6800", {}, "h")),
        *(("wstring", "04000000 d83d de00", {}, "😀"), ("wchar", "02 0078", {}, "x")),
        *(("wchar", "04 feff 0078", {}, "x"), ("wchar", "04 fffe 7800", {}, "x")),
        *(("wchar", "02 feff", {}, "\ufeff"), ("wchar", "7800", OLD, "x")),
        *(("wchar", "0078", OLD_BIG, "x"), ("wchar", "ff00 7800", {**OLD, "at": 1}, "x")),
        ("float", "ff000000 0000803f", {"at": 1}, 1.0),
    ],
)
def test_texts_and_numbers_are_read(method: str, octets: str, options: Any, wanted: str) -> None:
    found = reader(octets, **options)
    assert (getattr(found, method)(), found.left) == (wanted, 0)


@pytest.mark.parametrize(
    ("method", "octets", "why"),
    [
        ("string", "03000000 616263", "does not end with NUL"),
        ("string", "03000000 610000", "NUL inside"),
        ("string", "04000000 616200", "a string needs 4 octets, and 3 are left"),
        ("string", "ffffffff 616200", "are left"),
        *(("wchar", octets, "a wide character of") for octets in ("00", "04 0078 0079")),
        *(("encapsulation", octets, "encapsulation") for octets in ("00000000", "02000000 00")),
        ("encapsulation", "ffffffff 00", "encapsulation"),
    ],
)
def test_octets_that_do_not_hold_what_they_should(method: str, octets: str, why: str) -> None:
    with pytest.raises(MARSHAL, match=why):
        getattr(reader(octets), method)()


def test_characters_and_digits_have_their_bounds() -> None:
    assert reader("63e4", **LATIN).chars(2) == ("c", "ä")
    for read in (reader("80").char, lambda: reader("e4").chars(1)):
        with pytest.raises(DATA_CONVERSION):
            read()
    with pytest.raises(MARSHAL, match="more than the 4 digits"):
        reader("12345c").fixed(4, 0)


def test_wide_characters_need_a_version_and_an_agreement() -> None:
    with pytest.raises(MARSHAL) as early:
        reader("00000000", minor=0).wstring()
    assert early.value.minor == OMG | 5
    with pytest.raises(BAD_PARAM) as unagreed:
        reader("00000000", **UNAGREED).wchar()
    assert unagreed.value.minor == OMG | 23


def test_a_count_is_compared_with_what_is_left_and_with_the_limit() -> None:
    assert reader("02000000 0000 0000").length(2) == 2
    with pytest.raises(MARSHAL, match="a sequence of 3 elements needs 6 octets, and 4 are left"):
        reader("03000000 0000 0000").length(2)
    many = reader("e9030000" + "00" * 16_016, limits=MessageLimits(elements=1_000))
    with pytest.raises(IMP_LIMIT, match="more than the 1000 elements"):
        many.length(8)
    assert many.at == 4


def test_an_encapsulation_has_its_own_order_alignment_and_end() -> None:
    inner = b"\x00" + b"\0" * 3 + struct.pack(">I", 7)
    octets = b"\xaa" * 4 + struct.pack("<I", len(inner)) + inner + b"\x01"
    outer = Reader(octets, little=True, at=1)
    nested = outer.encapsulation()
    assert (nested.little, nested.ulong(), nested.left) == (False, 7, 0)
    with pytest.raises(MARSHAL):
        nested.octet()
    assert (outer.octet(), outer.left) == (1, 0)


def written(method: str, *arguments: object, **options: Any) -> str:
    writer = Writer(**{"codesets": OURS, **options})
    getattr(writer, method)(*arguments)
    return writer.getvalue().hex()


@pytest.mark.parametrize(
    ("method", "arguments", "options", "octets"),
    [
        *(("octets", (b"ab",), {}, "020000006162"), ("octets", ([1, 2],), {}, "020000000102")),
        *(("raw", (b"ab",), {}, "6162"), ("length", (2,), {}, "02000000")),
        ("octet_array", (b"ab", 2), {}, "6162"),
        ("numbers", ("H", 2, [1, 2], "unsigned short"), {"origin": -1}, "0001000200"),
        ("numbers", ("d", 8, (), "double"), {"origin": -1}, ""),
        ("wstring", ("hé",), {}, "04000000006800e9"),
        ("wstring", ("\ufeffa",), {}, "06000000fefffeff0061"),
        ("wstring", ("h",), OLD, "0200000068000000"),
        ("wstring", ("h",), OLD_BIG, "0000000200680000"),
        *(("wchar", ("x",), {}, "020078"), ("wchar", ("😀",), {}, "04d83dde00")),
        *(
            ("wchar", ("x",), OLD, "7800"),
            ("longdouble", (bytes(15) + b"\1",), {}, "01" + "0" * 30),
        ),
        ("longdouble", (bytes(15) + b"\1",), {"little": False}, "0" * 30 + "01"),
        ("longdouble", (1.0,), {"little": False}, "3fff" + "00" * 14),
        ("longdouble", (math.nan,), {"little": False}, "7fff8" + "0" * 27),
    ],
)
def test_what_is_written(method: str, arguments: Any, options: Any, octets: str) -> None:
    assert written(method, *arguments, **options) == octets


@pytest.mark.parametrize(
    ("method", "value"),
    [
        *(("octet", 256), ("octet", -1), ("short", 2**15), ("ushort", -1), ("long", 2**31)),
        *(("ulong", -1), ("longlong", 2**63), ("ulonglong", 2**64), ("float", 1e39)),
        ("double", 10**400),
        *((method, True) for method in ("octet", "short", "ulonglong", "double")),
        *((method, "1") for method in ("octet", "long", "float", "boolean")),
        *(("long", 1.0), ("boolean", 1), ("octets", "text"), ("octets", [1, 256]), ("octets", 5)),
        *((method, 5) for method in ("string", "latin", "name", "wstring", "char", "wchar")),
        *(("longdouble", value) for value in (b"short", "text", 5)),
    ],
)
def test_values_that_are_not_of_their_kind_are_named(method: str, value: object) -> None:
    with pytest.raises(BAD_PARAM, match=r"is not a|other than octets"):
        written(method, value)


@pytest.mark.parametrize(
    ("method", "arguments", "why"),
    [
        ("octet_array", (b"abc", 2), "3 octets for an array of 2"),
        ("numbers", ("H", 2, [1, -1], "unsigned short"), "is not a valid unsigned short"),
        ("numbers", ("H", 2, [1, True], "unsigned short"), "it is a boolean"),
        ("fixed", (Decimal("1.005"), 5, 2), "too many decimals"),
        ("fixed", (Decimal("NaN"), 5, 2), "too many decimals"),
        ("fixed", (Decimal(1000), 5, 2), "too many digits"),
        *(("fixed", (value, 5, 2), "not a decimal number") for value in (0.5, True)),
    ],
)
def test_values_that_do_not_fit_are_named(method: str, arguments: Any, why: str) -> None:
    with pytest.raises(BAD_PARAM, match=why):
        written(method, *arguments)


@pytest.mark.parametrize(
    ("method", "text", "codesets"),
    [
        *(("string", "中", NOT_NEGOTIATED), ("string", "ä", CodeSets(ISO_646))),
        *(("latin", "中", OURS), ("string", "\ud800", OURS), ("name", "\ud800", OURS)),
        *(("wstring", "\ud800", OURS), ("char", "ä", OURS), ("char", "中", NOT_NEGOTIATED)),
    ],
)
def test_texts_that_do_not_fit_the_code_set(method: str, text: str, codesets: CodeSets) -> None:
    with pytest.raises(DATA_CONVERSION) as caught:
        written(method, text, codesets=codesets)
    assert caught.value.minor == OMG | 1
    with pytest.raises(DATA_CONVERSION, match="two UTF-16 units"):
        written("wchar", "😀", minor=1)


KIDS = tc.sequence(tc.recursive("IDL:N:1.0"))
NODE = tc.struct("IDL:N:1.0", "N", [("v", tc.LONG), ("kids", KIDS)])


def read(type_: TypeCode, octets: str) -> Value:
    source = reader(octets)
    value = read_value(source, type_)
    assert source.left == 0
    return value


def test_values_in_their_stored_form() -> None:
    pair = tc.struct("", "P", [("a", tc.OCTET), ("b", tc.LONG)])
    assert read(pair, "01000000 02000000") == (1, 2)
    assert read(tc.OCTETS, "02000000 6162") == b"ab"
    assert read(tc.array(tc.OCTET, 2), "6162") == b"ab"
    assert read(tc.sequence(tc.SHORT), "02000000 0100 0200") == (1, 2)
    assert read(tc.array(tc.CHAR, 2), "6162") == ("a", "b")
    assert read(tc.sequence(tc.alias("IDL:O:1.0", "O", tc.OCTET)), "01000000 61") == b"a"
    assert read(tc.enum("", "E", ["a", "b"]), "01000000") == "b"


@pytest.mark.parametrize(
    ("type_", "octets", "why"),
    [
        (tc.enum("", "E", ["a"]), "01000000", "1 is not a value of enum E, which has 1"),
        (tc.sequence(tc.OCTET, 1), "02000000 6162", "2 elements where 1 are the most"),
        (tc.string(1), "03000000 616200", "2 characters where 1 are the most"),
        (tc.array(tc.LONG, 3), "00000000", "needs at least 12 octets"),
    ],
)
def test_values_outside_their_type_are_refused(type_: TypeCode, octets: str, why: str) -> None:
    with pytest.raises(MARSHAL, match=why):
        read(type_, octets)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        *((Box(tc.LONG, 5), 5), (Box(tc.LONGLONG, 5), Box(tc.LONGLONG, 5))),
        *((Box(tc.LONGLONG, 2**40), 2**40), (Box(tc.ULONGLONG, 2**63), 2**63)),
        *((Box(tc.STRING, "x"), "x"), (Box(tc.string(3), "x"), Box(tc.string(3), "x"))),
        (Box(tc.VOID, None), Box(tc.VOID, None)),
        (Box(tc.alias("IDL:T:1.0", "T", tc.LONG), 1), Box(tc.alias("IDL:T:1.0", "T", tc.LONG), 1)),
        (Box(tc.sequence(tc.LONG), [1]), (1,)),
        (Box(tc.struct("", "", [("a", tc.LONG)]), [1]), {"a": 1}),
    ],
)
def test_anys_are_unboxed_where_their_type_can_be_told(value: Box, wanted: object) -> None:
    writer = Writer()
    writer.any(value)
    assert Reader(writer.getvalue(), little=True).any() == wanted


def test_references_are_taken_up_to_the_limits() -> None:
    writer = Writer()
    writer.reference(Reference("IDL:X:1.0", [(0, b"a"), (9, b"bc")]))
    octets = writer.getvalue()
    assert Reader(octets, little=True).reference().profiles == ((0, b"a"), (9, b"bc"))
    for limits in (MessageLimits(profiles=1), MessageLimits(reference_size=8)):
        with pytest.raises(MARSHAL, match="are accepted"):
            Reader(octets, little=True, limits=limits).reference()


COLOR = tc.enum("IDL:Color:1.0", "Color", ["red", "green"])
CHOICE = tc.union("", "U", COLOR, [("green", "x", tc.OCTET), (None, "y", tc.SHORT)])
P = tc.struct("", "P", [("a", tc.OCTET)])
CLOSED = tc.union("", "U", tc.BOOLEAN, [(True, "x", tc.OCTET)])


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        *((tc.NULL, 1), (P, (1, 2)), (P, {"b": 1}), (P, "a")),
        *((COLOR, "blue"), (COLOR, 1), (CHOICE, 5)),
        *((CLOSED, UnionValue(False, 1)), (tc.sequence(tc.LONG), "text")),
        *((tc.sequence(tc.LONG), b"octets"), (tc.sequence(tc.LONG, 1), [1, 2])),
        *((tc.array(tc.LONG, 2), [1]), (tc.array(tc.OCTET, 2), b"a"), (tc.string(1), "ab")),
        *((tc.TYPECODE, "long"), (tc.objref(), "IOR:"), (tc.ANY, object()), (tc.ANY, 2**64)),
    ],
)
def test_values_that_do_not_fit_are_refused(type_: TypeCode, value: object) -> None:
    with pytest.raises(BAD_PARAM):
        write_value(Writer(), type_, value)


def test_values_nest_up_to_the_limit() -> None:
    endless: list[object] = [1]
    endless.append([endless])  # a list inside itself
    for type_ in (NODE, tc.ANY):
        with pytest.raises(BAD_PARAM, match="nest deeper"):
            write_value(Writer(), type_, endless)
    writer = Writer(limits=MessageLimits(value_depth=5))
    writer.any(((1, "x"), "y"))
    with pytest.raises(BAD_PARAM, match="nest deeper than 5"):
        writer.any((((1, "x"), "y"), "z"))


@pytest.mark.parametrize("type_", [tc.recursive("IDL:N:1.0"), KIDS])
def test_an_incomplete_type_has_no_values(type_: TypeCode) -> None:
    with pytest.raises(BAD_PARAM) as unwritten:
        write_value(Writer(), type_, [])
    with pytest.raises(BAD_PARAM) as unread:
        read(type_, "")
    assert unwritten.value.minor == unread.value.minor == OMG | 13


EMPTY = tc.struct("", "E", [])


@pytest.mark.parametrize(
    ("type_", "shape"),
    [
        *((tc.LONG, Shape(4)), (tc.fixed(5, 2), Shape(3)), (tc.ANY, Shape(4))),
        *((EMPTY, Shape(0, 1, 1)), (tc.array(EMPTY, 3), Shape(0, 3, 2))),
        *((tc.array(tc.LONG, 0), Shape(0, 1, 1)), (tc.array(tc.LONG, 3), Shape(12, 0, 1))),
        (tc.sequence(EMPTY), Shape(4, 0, 2)),
        (tc.struct("", "P", [("a", tc.SHORT), ("n", tc.NULL)]), Shape(2, 1, 1)),
        (tc.union("", "U", tc.LONG, [(1, "n", tc.NULL), (2, "l", tc.LONG)]), Shape(4, 1, 1)),
        (tc.alias("IDL:A:1.0", "A", tc.DOUBLE), Shape(8)),
    ],
)
def test_measures_of_types(type_: TypeCode, shape: Shape) -> None:
    assert shape_of(type_) == shape


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        *((tc.SHORT, 1), (tc.struct("IDL:P:1.0", "P", [("a", tc.LONG)]), (1,))),
        (tc.struct("", "", [("a", tc.LONG), ("a", tc.LONG)]), (1, 2)),
        *((tc.struct("", "", [("", tc.LONG)]), (1,)), (tc.sequence(tc.LONG), ())),
        *((tc.sequence(tc.LONG, 5), (1,)), (tc.fixed(4, 1), Decimal("12.5"))),
        *((tc.objref("IDL:X/Y:1.0", "Y"), Reference("IDL:Z:1.0")), (tc.ANY, Box(tc.SHORT, 1))),
    ],
)
def test_a_type_that_cannot_be_told_stays(type_: TypeCode, value: Value) -> None:
    assert unbox(type_, value) == Box.trusted(type_, value)


@given(st.floats(allow_nan=False))
@example(math.nan)
def test_every_double_survives(number: float) -> None:
    assert repr(quad_number(quad_octets(number))) == repr(number)


@given(st.binary(min_size=16, max_size=16))
def test_other_octets_are_no_double_or_that_one_exactly(octets: bytes) -> None:
    found = quad_number(octets)
    assert found is None or math.isnan(found) or quad_octets(found) == octets
