from __future__ import annotations

import struct

import pytest

from tidings.orb.cdr_reader import Reader
from tidings.orb.exceptions import MARSHAL
from tidings.orb.limits import Limits


def reader(octets: str, *, little: bool = True, at: int = 0, origin: int = 0) -> Reader:
    return Reader(bytes.fromhex(octets), little=little, at=at, origin=origin)


@pytest.mark.parametrize(
    ("method", "octets", "value"),
    [
        ("short", "feff", -2),
        ("ushort", "feff", 65534),
        ("long", "feffffff", -2),
        ("ulong", "feffffff", 2**32 - 2),
        ("longlong", "feffffffffffffff", -2),
        ("ulonglong", "feffffffffffffff", 2**64 - 2),
        ("float", "0000c03f", 1.5),
        ("double", "000000000000f83f", 1.5),
        ("octet", "fe", 254),
        ("boolean", "00", False),
        ("boolean", "02", True),
    ],
)
def test_numbers_in_both_byte_orders(method: str, octets: str, value: object) -> None:
    assert getattr(reader(octets), method)() == value
    turned = bytes.fromhex(octets)[::-1].hex()
    assert getattr(reader(turned, little=False), method)() == value


@pytest.mark.parametrize(("method", "size"), [("short", 2), ("long", 4), ("double", 8)])
@pytest.mark.parametrize("start", range(9))
def test_padding_is_skipped_and_not_looked_at(method: str, size: int, start: int) -> None:
    octets = b"\xaa" * (start + -start % size) + bytes(size)
    found = Reader(octets, little=True, at=start)
    assert getattr(found, method)() == 0
    assert found.left == 0


def test_alignment_counts_from_the_origin() -> None:
    found = reader("aaaa 01000000".replace(" ", ""), at=2, origin=2)
    assert (found.ulong(), found.at) == (1, 6)


@pytest.mark.parametrize(
    "method",
    [
        "boolean",
        "octet",
        "short",
        "ushort",
        "long",
        "ulong",
        "longlong",
        "ulonglong",
        "float",
        "double",
        "longdouble",
    ],
)
def test_nothing_is_read_beyond_the_end(method: str) -> None:
    found = reader("")
    with pytest.raises(MARSHAL, match=r"needs [0-9]+ octets, and 0 are left"):
        getattr(found, method)()


def test_octets_and_runs_of_them() -> None:
    found = reader("03000000 616263 64".replace(" ", ""))
    assert (found.octets(), found.take(1), found.left) == (b"abc", b"d", 0)
    with pytest.raises(MARSHAL):
        found.take(-1)


def test_a_memoryview_is_read_as_well() -> None:
    assert Reader(memoryview(b"\x01\x00\x00\x00a"), little=True).octets() == b"a"


def test_a_count_is_compared_with_what_is_left() -> None:
    assert reader("02000000 0000 0000".replace(" ", "")).length(2) == 2
    with pytest.raises(MARSHAL, match="a sequence of 3 elements needs 6 octets, and 4 are left"):
        reader("03000000 0000 0000".replace(" ", "")).length(2)


def test_elements_without_octets_are_counted_over_the_whole_message() -> None:
    found = Reader(b"\x03\0\0\0" * 3, little=True, limits=Limits(empty_values=7))
    assert [found.length(0), found.length(0)] == [3, 3]
    with pytest.raises(MARSHAL, match="9 values without octets"):
        found.length(0)


def test_an_encapsulation_has_its_own_order_alignment_and_end() -> None:
    inner = b"\x00" + b"\0" * 3 + struct.pack(">I", 7)
    octets = b"\xaa" * 4 + struct.pack("<I", len(inner)) + inner + b"\x01"
    outer = Reader(octets, little=True, at=1)
    nested = outer.encapsulation()
    assert (nested.little, nested.ulong(), nested.left) == (False, 7, 0)
    with pytest.raises(MARSHAL):
        nested.octet()
    assert (outer.octet(), outer.left) == (1, 0)


@pytest.mark.parametrize("octets", ["00000000", "02000000 00", "ffffffff 00"])
def test_an_encapsulation_is_inside_what_holds_it(octets: str) -> None:
    with pytest.raises(MARSHAL, match="encapsulation"):
        reader(octets.replace(" ", "")).encapsulation()


def test_numbers_in_a_row() -> None:
    assert reader("aa aa 0100 0200".replace(" ", ""), at=1).numbers("H", 2, 2) == (1, 2)
    assert reader("").numbers("d", 8, 0) == ()
    with pytest.raises(MARSHAL, match="a run of 2 numbers needs 4 octets"):
        reader("010002").numbers("H", 2, 2)
