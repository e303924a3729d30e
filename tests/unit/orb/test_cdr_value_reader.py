from __future__ import annotations

import struct

import pytest

from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Reference, UnionValue, Value
from tidings.events.typecode import TypeCode
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_values import read_value
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import BAD_PARAM, MARSHAL, OMG
from tidings.orb.limits import Limits

NODE = tc.struct(
    "IDL:N:1.0", "N", [("v", tc.LONG), ("kids", tc.sequence(tc.recursive("IDL:N:1.0")))]
)


def read(type_: TypeCode, octets: str, limits: Limits | None = None) -> Value:
    reader = Reader(bytes.fromhex(octets.replace(" ", "")), little=True, limits=limits or Limits())
    value = read_value(reader, type_)
    assert reader.left == 0
    return value


def test_values_in_their_stored_form() -> None:
    assert read(tc.struct("", "P", [("a", tc.OCTET), ("b", tc.LONG)]), "01000000 02000000") == (
        1,
        2,
    )
    assert read(tc.OCTETS, "02000000 6162") == b"ab"
    assert read(tc.array(tc.OCTET, 2), "6162") == b"ab"
    assert read(tc.sequence(tc.SHORT), "02000000 0100 0200") == (1, 2)
    assert read(tc.array(tc.CHAR, 2), "6162") == ("a", "b")
    assert read(tc.sequence(tc.alias("IDL:O:1.0", "O", tc.OCTET)), "01000000 61") == b"a"
    assert read(tc.enum("", "E", ["a", "b"]), "01000000") == "b"


def test_unions_read_the_branch_or_nothing() -> None:
    type_ = tc.union("", "U", tc.BOOLEAN, [(True, "x", tc.OCTET)])
    assert read(type_, "0107") == UnionValue(True, 7)
    assert read(type_, "00") == UnionValue(False, None)


def test_long_doubles_are_numbers_where_they_are_exact() -> None:
    assert read(tc.LONGDOUBLE, "00" * 14 + "ff3f") == 1.0
    assert read(tc.LONGDOUBLE, "01" + "00" * 13 + "ff3f") == bytes.fromhex(
        "3fff" + "00" * 13 + "01"
    )


@pytest.mark.parametrize(
    ("type_", "octets", "why"),
    [
        (tc.enum("", "E", ["a"]), "01000000", "1 is no value of enum E, which has 1"),
        (tc.sequence(tc.OCTET, 1), "02000000 6162", "2 elements where 1 are the most"),
        (tc.string(1), "03000000 616200", "2 characters where 1 are the most"),
        (tc.array(tc.LONG, 3), "00000000", "needs at least 12 octets"),
    ],
)
def test_values_outside_their_type_are_refused(type_: TypeCode, octets: str, why: str) -> None:
    with pytest.raises(MARSHAL, match=why):
        read(type_, octets)


def test_recursive_values_end_at_the_limit() -> None:
    deep = struct.pack("<2I", 1, 1) * 40 + struct.pack("<2I", 1, 0)
    assert read(NODE, deep.hex()) is not None
    with pytest.raises(MARSHAL, match="nest deeper than 60"):
        read(NODE, deep.hex(), Limits(value_depth=60))
    with pytest.raises(MARSHAL, match="nest deeper"):
        read(NODE, (struct.pack("<2I", 1, 1) * 5000).hex())


def test_an_incomplete_type_has_no_values() -> None:
    with pytest.raises(BAD_PARAM) as caught:
        read(tc.recursive("IDL:N:1.0"), "")
    assert caught.value.minor == OMG | 13


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Any(tc.LONG, 5), 5),
        (Any(tc.LONGLONG, 5), Any(tc.LONGLONG, 5)),
        (Any(tc.LONGLONG, 2**40), 2**40),
        (Any(tc.ULONGLONG, 2**63), 2**63),
        (Any(tc.STRING, "x"), "x"),
        (Any(tc.string(3), "x"), Any(tc.string(3), "x")),
        (Any(tc.VOID, None), Any(tc.VOID, None)),
        (Any(tc.alias("IDL:T:1.0", "T", tc.LONG), 1), Any(tc.alias("IDL:T:1.0", "T", tc.LONG), 1)),
        (Any(tc.sequence(tc.LONG), [1]), (1,)),
        (Any(tc.struct("", "", [("a", tc.LONG)]), [1]), {"a": 1}),
    ],
)
def test_anys_are_unboxed_where_their_type_can_be_told(value: Any, wanted: object) -> None:
    writer = Writer()
    writer.any(value)
    assert Reader(writer.getvalue(), little=True).any() == wanted


def test_a_bounded_string_in_an_any_keeps_its_bound() -> None:
    writer = Writer()
    writer.typecode(tc.string(1))
    writer.string("xy")
    with pytest.raises(MARSHAL, match="2 characters where 1"):
        Reader(writer.getvalue(), little=True).any()


def test_references_are_taken_up_to_the_limits() -> None:
    writer = Writer()
    writer.reference(Reference("IDL:X:1.0", [(0, b"a"), (9, b"bc")]))
    octets = writer.getvalue()
    assert Reader(octets, little=True).reference().profiles == ((0, b"a"), (9, b"bc"))
    for limits in (Limits(profiles=1), Limits(reference_size=8)):
        with pytest.raises(MARSHAL, match="are taken"):
            Reader(octets, little=True, limits=limits).reference()
