from __future__ import annotations

import pytest

from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import BAD_PARAM


def written(method: str, *arguments: object, little: bool = True, origin: int = 0) -> str:
    writer = Writer(little=little, origin=origin)
    getattr(writer, method)(*arguments)
    return writer.getvalue().hex()


@pytest.mark.parametrize(
    ("method", "value", "octets"),
    [
        ("short", -2, "feff"),
        ("ushort", 65534, "feff"),
        ("long", -2, "feffffff"),
        ("ulong", 2**32 - 2, "feffffff"),
        ("longlong", -2, "feffffffffffffff"),
        ("ulonglong", 2**64 - 2, "feffffffffffffff"),
        ("float", 1.5, "0000c03f"),
        ("double", 1.5, "000000000000f83f"),
        ("octet", 254, "fe"),
        ("boolean", True, "01"),
    ],
)
def test_numbers_in_both_byte_orders(method: str, value: object, octets: str) -> None:
    assert written(method, value) == octets
    assert written(method, value, little=False) == bytes.fromhex(octets)[::-1].hex()


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("octet", 256),
        ("octet", -1),
        ("short", 2**15),
        ("ushort", -1),
        ("long", 2**31),
        ("ulong", -1),
        ("longlong", 2**63),
        ("ulonglong", 2**64),
        ("float", 1e39),
        ("double", 10**400),
        *((method, True) for method in ("octet", "short", "ulonglong", "double")),
        *((method, "1") for method in ("octet", "long", "float", "boolean")),
        ("long", 1.0),
        ("boolean", 1),
        ("octets", "text"),
        ("octets", [1, 256]),
        ("octets", 5),
    ],
)
def test_values_that_do_not_fit_are_named(method: str, value: object) -> None:
    with pytest.raises(BAD_PARAM, match=r"is no|holds what"):
        written(method, value)


@pytest.mark.parametrize(("method", "size"), [("short", 2), ("long", 4), ("double", 8)])
@pytest.mark.parametrize("start", range(9))
def test_padding_is_zeros(method: str, size: int, start: int) -> None:
    padding = -start % size
    assert written(method, 0, origin=-start) == "00" * (padding + size)


def test_octets() -> None:
    assert written("octets", b"ab") == "020000006162"
    assert written("octets", [1, 2]) == "020000000102"
    assert written("raw", b"ab") == "6162"
    assert written("length", 2) == "02000000"
    assert written("octet_array", b"ab", 2) == "6162"
    with pytest.raises(BAD_PARAM, match="3 octets for an array of 2"):
        written("octet_array", b"abc", 2)


def test_numbers_in_a_row() -> None:
    assert written("numbers", "H", 2, [1, 2], "unsigned short", origin=-1) == "0001000200"
    assert written("numbers", "d", 8, (), "double", origin=-1) == ""
    with pytest.raises(BAD_PARAM, match="an element is no unsigned short"):
        written("numbers", "H", 2, [1, -1], "unsigned short")
    with pytest.raises(BAD_PARAM, match="but a boolean"):
        written("numbers", "H", 2, [1, True], "unsigned short")


@pytest.mark.parametrize("little", [True, False])
def test_an_encapsulation_is_aligned_by_itself(little: bool) -> None:
    writer = Writer(little=little)
    writer.octet(9)
    begun = writer.begin_encapsulation()
    writer.ulonglong(7)
    writer.end_encapsulation(begun)
    writer.ushort(5)
    reader = Reader(writer.getvalue(), little=little)
    assert reader.octet() == 9
    inner = reader.encapsulation()
    assert (inner.little, inner.ulonglong(), inner.left) == (little, 7, 0)
    assert (reader.ushort(), reader.left) == (5, 0)


def test_an_encapsulation_made_elsewhere() -> None:
    inner, outer = Writer(little=False), Writer()
    inner.octet(0)
    inner.ushort(5)
    outer.encapsulated(inner)
    assert outer.getvalue().hex() == "04000000" + "00000005"
