from __future__ import annotations

from decimal import Decimal

import pytest

from tidings.idl.compile import compile_text
from tidings.idl.faults import InvalidIdl
from tidings.idl.model import ConstDef

BEFORE = """
const long five = 5;
const double half = 0.5;
const string word = "ab";
const wstring wide = L"ä";
const boolean yes = TRUE;
const char letter = 'c';
const fixed rate = 1.50d;
enum Color {red, green};
const Color best = green;
typedef unsigned short Port;
typedef string<3> Brief;
"""


def value(type_: str, expression: str) -> object:
    found = compile_text(f"{BEFORE}const {type_} x = {expression};").definitions[-1]
    assert isinstance(found, ConstDef)
    return found.value


@pytest.mark.parametrize(
    ("type_", "expression", "expected"),
    [
        ("long", "1 + 2 * 3", 7),
        ("long", "(1 + 2) * five", 15),
        ("long", "-7 / 2", -3),
        ("long", "-7 % 2", -1),
        ("long", "7 / -2", -3),
        ("long", "~5", -6),
        ("unsigned short", "~5", 65530),
        ("octet", "~0", 255),
        ("long", "1 << 4 | 3 ^ 1 & 1", 18),
        ("unsigned long long", "0xFFFFFFFFFFFFFFFF", 2**64 - 1),
        ("long long", "-9223372036854775808", -(2**63)),
        ("Port", "8000 + 80", 8080),
        ("double", "half * 4 - 1", 1.0),
        ("double", "3", 3.0),
        ("float", "-1e3", -1000.0),
        ("string", "word", "ab"),
        ("Brief", '"abc"', "abc"),
        ("wstring", "wide", "ä"),
        ("boolean", "yes", True),
        ("boolean", "FALSE", False),
        ("char", "letter", "c"),
        ("wchar", "L'ä'", "ä"),
        ("Color", "red", "red"),
        ("Color", "best", "green"),
        ("fixed", "rate * 2d", Decimal("3.00")),
        ("fixed", "-rate + .5d", Decimal("-1.00")),
    ],
)
def test_an_expression_has_a_value(type_: str, expression: str, expected: object) -> None:
    found = value(type_, expression)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("type_", "expression", "problem"),
    [
        ("short", "32768", "32768 is no short, which holds -32768 to 32767"),
        ("octet", "-1", "-1 is no octet"),
        ("long", "1 / 0", "division by zero"),
        ("long", "1 % 0", "division by zero"),
        ("double", "1.0 / 0", "division by zero"),
        ("double", "1e308 * 10", "too large for a double"),
        ("long", "1 << 64", "a shift is by 0 to 63"),
        ("long", "1 << -1", "a shift is by 0 to 63"),
        ("unsigned long long", "0xFFFFFFFFFFFFFFFF + 1", "larger than any integer type"),
        ("long", "1.5", "the real '1.5' is no integer"),
        ("long", "half", "half is no integer"),
        ("long", "yes", "yes is no integer"),
        ("long", "red", "red is no integer"),
        ("long", "Color", "Color is no constant"),
        ("long", '"a"', "the string 'a' is no integer"),
        ("double", "word", "word is no number"),
        ("double", "~1", "is no number"),
        ("double", "1.0 | 2.0", "is no number"),
        ("float", "1e39", "too large for a float"),
        ("string", "1", "the integer '1' is no string"),
        ("string", 'L"a"', "is no string"),
        ("string", "wide", "wide is no string"),
        ("Brief", '"abcd"', "4 characters are more than 3"),
        ("boolean", "1", "is no boolean"),
        ("boolean", "five", "five is no boolean"),
        ("char", '"a"', "is no char"),
        ("Color", "1", "is no label of Color, which are red, green"),
        ("Color", "five", "five is no label"),
        ("fixed", "1", "is no fixed number"),
        ("fixed", "1d / 0d", "cannot be computed with"),
        ("fixed", "1d / 3d", "at most 31 digits"),
        ("any", "1", "a constant cannot be of this type"),
        ("Object", "1", "a constant cannot be of this type"),
    ],
)
def test_what_has_no_value_of_its_type_is_refused(
    type_: str, expression: str, problem: str
) -> None:
    with pytest.raises(InvalidIdl) as caught:
        value(type_, expression)
    assert problem in caught.value.problem
