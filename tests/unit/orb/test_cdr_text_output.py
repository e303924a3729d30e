from __future__ import annotations

from decimal import Decimal

import pytest

from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import ISO_646, NOT_NEGOTIATED, OURS, CodeSets
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION, MARSHAL, OMG


def written(
    method: str, *arguments: object, minor: int = 2, little: bool = True, codesets: CodeSets = OURS
) -> str:
    writer = Writer(little=little, minor=minor, codesets=codesets)
    getattr(writer, method)(*arguments)
    return writer.getvalue().hex()


def test_strings() -> None:
    assert written("string", "abc") == "0400000061626300"
    assert written("string", "") == "0100000000"
    assert written("string", "ä") == "03000000c3a400"
    assert written("string", "ä", codesets=NOT_NEGOTIATED) == "02000000e400"
    assert written("latin", "ä") == "02000000e400"
    assert written("name", "ä", codesets=NOT_NEGOTIATED) == "03000000c3a400"


@pytest.mark.parametrize("method", ["string", "latin", "name", "wstring", "char", "wchar"])
def test_only_texts_are_texts(method: str) -> None:
    with pytest.raises(BAD_PARAM):
        written(method, 5)


@pytest.mark.parametrize("method", ["string", "latin", "name", "wstring"])
def test_no_string_holds_a_nul(method: str) -> None:
    with pytest.raises(BAD_PARAM, match="NUL"):
        written(method, "a\0b")


@pytest.mark.parametrize(
    ("method", "text", "codesets"),
    [
        ("string", "中", NOT_NEGOTIATED),
        ("string", "ä", CodeSets(ISO_646)),
        ("latin", "中", OURS),
        ("string", "\ud800", OURS),
        ("name", "\ud800", OURS),
        ("wstring", "\ud800", OURS),
        ("char", "ä", OURS),
        ("char", "中", NOT_NEGOTIATED),
    ],
)
def test_texts_that_do_not_fit_the_code_set(method: str, text: str, codesets: CodeSets) -> None:
    with pytest.raises(DATA_CONVERSION) as caught:
        written(method, text, codesets=codesets)
    assert caught.value.minor == OMG | 1


def test_characters() -> None:
    assert written("char", "ä", codesets=NOT_NEGOTIATED) == "e4"
    for text in ("", "ab"):
        with pytest.raises(BAD_PARAM, match="is no character"):
            written("char", text)


def test_wide_texts() -> None:
    assert written("wstring", "hé") == "04000000006800e9"
    assert written("wstring", "\ufeffa") == "06000000fefffeff0061"
    assert written("wstring", "h", minor=1) == "0200000068000000"
    assert written("wstring", "h", minor=1, little=False) == "0000000200680000"
    assert written("wchar", "x") == "020078"
    assert written("wchar", "😀") == "04d83dde00"
    assert written("wchar", "x", minor=1) == "7800"
    with pytest.raises(DATA_CONVERSION, match="two UTF-16 units"):
        written("wchar", "😀", minor=1)


def test_wide_characters_need_a_version_and_an_agreement() -> None:
    with pytest.raises(MARSHAL) as early:
        written("wstring", "", minor=0)
    assert early.value.minor == OMG | 5
    with pytest.raises(BAD_PARAM) as unagreed:
        written("wchar", "x", codesets=NOT_NEGOTIATED)
    assert unagreed.value.minor == OMG | 23


@pytest.mark.parametrize(
    ("number", "digits", "scale", "octets"),
    [
        ("123.45", 5, 2, "12345c"),
        ("-123.45", 5, 2, "12345d"),
        ("1", 4, 2, "00100c"),
        ("-0", 1, 0, "0c"),
        ("9", 1, 0, "9c"),
    ],
)
def test_fixed_numbers(number: str, digits: int, scale: int, octets: str) -> None:
    assert written("fixed", Decimal(number), digits, scale) == octets


@pytest.mark.parametrize("value", [Decimal("1.005"), Decimal(1000), Decimal("NaN"), 0.5, True])
def test_numbers_that_are_no_fixed(value: object) -> None:
    with pytest.raises(BAD_PARAM):
        written("fixed", value, 5, 2)


def test_long_doubles() -> None:
    octets = bytes(range(16))
    assert written("longdouble", octets, little=False) == octets.hex()
    assert written("longdouble", octets) == octets[::-1].hex()
    assert written("longdouble", 1.0, little=False) == "3fff" + "00" * 14
    for value in (b"short", "text", 5):
        with pytest.raises(BAD_PARAM, match="long double"):
            written("longdouble", value)
