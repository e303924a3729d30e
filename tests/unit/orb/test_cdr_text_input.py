from __future__ import annotations

from decimal import Decimal

import pytest

from tidings.orb.cdr_reader import Reader
from tidings.orb.codesets import ISO_646, ISO_8859_1, NOT_NEGOTIATED, OURS, UTF_8, CodeSets
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION, MARSHAL, OMG


def reader(
    octets: str, *, little: bool = True, minor: int = 2, codesets: CodeSets = OURS
) -> Reader:
    joined = bytes.fromhex(octets.replace(" ", ""))
    return Reader(joined, little=little, minor=minor, codesets=codesets)


@pytest.mark.parametrize(
    ("octets", "text"),
    [("04000000 61626300", "abc"), ("01000000 00", ""), ("00000000", ""), ("03000000 c3a400", "ä")],
)
def test_strings(octets: str, text: str) -> None:
    found = reader(octets)
    assert (found.string(), found.left) == (text, 0)


def test_strings_are_read_in_the_code_set_in_force() -> None:
    assert reader("02000000 e400", codesets=NOT_NEGOTIATED).string() == "ä"
    for char in (UTF_8, ISO_646):
        with pytest.raises(DATA_CONVERSION, match="octet 228 at place 1") as caught:
            reader("02000000 e400", codesets=CodeSets(char)).string()
        assert caught.value.minor == OMG | 1


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        ("03000000 616263", "does not end with NUL"),
        ("03000000 610000", "NUL inside"),
        ("04000000 616200", "a string needs 4 octets, and 3 are left"),
        ("ffffffff 616200", "are left"),
    ],
)
def test_strings_that_are_none(octets: str, why: str) -> None:
    with pytest.raises(MARSHAL, match=why):
        reader(octets).string()


def test_ids_are_latin_and_names_are_read_as_well_as_they_can_be() -> None:
    assert reader("03000000 c3a400").latin() == "Ã¤"
    assert reader("03000000 c3a400", codesets=NOT_NEGOTIATED).name() == "ä"
    assert reader("02000000 e400").name() == "ä"


def test_characters() -> None:
    assert reader("63").char() == "c"
    assert reader("e4", codesets=CodeSets(ISO_8859_1)).char() == "ä"
    assert reader("63e4", codesets=CodeSets(ISO_8859_1)).chars(2) == ("c", "ä")
    with pytest.raises(DATA_CONVERSION):
        reader("e4").char()
    with pytest.raises(DATA_CONVERSION):
        reader("e4").chars(1)


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        ("00000000", ""),
        ("02000000 0068", "h"),
        ("04000000 feff 0068", "h"),
        ("04000000 fffe 6800", "h"),
        ("04000000 d83d de00", "😀"),
    ],
)
def test_wide_strings_of_giop_1_2(octets: str, text: str) -> None:
    found = reader(octets)
    assert (found.wstring(), found.left) == (text, 0)


def test_wide_strings_of_giop_1_1() -> None:
    assert reader("02000000 6800 0000", minor=1).wstring() == "h"
    assert reader("00000002 0068 0000", minor=1, little=False).wstring() == "h"
    assert reader("00000000", minor=1).wstring() == ""
    with pytest.raises(MARSHAL, match="does not end with NUL"):
        reader("02000000 6800 6800", minor=1).wstring()


def test_wide_strings_that_are_none() -> None:
    with pytest.raises(MARSHAL, match="NUL inside"):
        reader("04000000 0068 0000").wstring()
    for octets in ("01000000 00", "02000000 d800"):
        with pytest.raises(DATA_CONVERSION, match="not UTF-16"):
            reader(octets).wstring()


def test_wide_characters() -> None:
    assert reader("02 0078").wchar() == "x"
    assert reader("04 feff 0078").wchar() == "x"
    assert reader("04 fffe 7800").wchar() == "x"
    assert reader("02 feff").wchar() == "\ufeff"
    assert reader("7800", minor=1).wchar() == "x"
    assert reader("0078", minor=1, little=False).wchar() == "x"
    for octets in ("00", "04 0078 0079"):
        with pytest.raises(MARSHAL, match="a wide character of"):
            reader(octets).wchar()


def test_wide_characters_need_a_version_and_an_agreement() -> None:
    with pytest.raises(MARSHAL) as early:
        reader("00000000", minor=0).wstring()
    assert early.value.minor == OMG | 5
    with pytest.raises(BAD_PARAM) as unagreed:
        reader("00000000", codesets=NOT_NEGOTIATED).wchar()
    assert unagreed.value.minor == OMG | 23


@pytest.mark.parametrize(
    ("octets", "digits", "scale", "number"),
    [
        ("12345c", 5, 2, "123.45"),
        ("12345d", 5, 2, "-123.45"),
        ("01234c", 4, 0, "1234"),
        ("0d", 1, 1, "0.0"),
        ("9c", 1, 0, "9"),
    ],
)
def test_fixed_numbers(octets: str, digits: int, scale: int, number: str) -> None:
    found = reader(octets).fixed(digits, scale)
    assert found.as_tuple() == Decimal(number).as_tuple()


def test_the_longest_fixed_is_exact() -> None:
    assert reader("1234567890" * 3 + "1c").fixed(31, 31) == Decimal("0." + "1234567890" * 3 + "1")


@pytest.mark.parametrize("octets", ["123450", "1a345c", "12345e"])
def test_octets_that_are_no_fixed(octets: str) -> None:
    with pytest.raises(MARSHAL, match="is no fixed"):
        reader(octets).fixed(5, 2)


def test_a_fixed_has_no_more_digits_than_its_type() -> None:
    with pytest.raises(MARSHAL, match="more than the 4 digits"):
        reader("12345c").fixed(4, 0)


def test_long_doubles_are_told_most_significant_first() -> None:
    forwards = bytes(range(16)).hex()
    assert reader(forwards, little=False).longdouble() == bytes(range(16))
    assert reader(forwards).longdouble() == bytes(reversed(range(16)))
