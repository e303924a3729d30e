"""The table of operators, asked directly; the case tables ask it through constraints."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from tidings.events.fields import COMPOSITE, Char, EnumLabel, Plain
from tidings.events.paths import MISSING
from tidings.filters import truth
from tidings.filters.tree import (
    Add,
    Arithmetic,
    Comparison,
    Divide,
    Equal,
    GreaterEqual,
    Less,
    LessEqual,
    Multiply,
    NotEqual,
    Remainder,
    Subtract,
)
from tidings.filters.truth import OneChar

BIG = 2**53 + 1


@pytest.mark.parametrize(
    ("operator", "left", "right", "answer"),
    [
        *((Equal, 1, 1.0, True), (Equal, 1, True, True), (Equal, BIG, float(BIG), True)),
        *((Equal, BIG, 2**53, False), (Less, 2**53, BIG, True), (Less, float(2**53), BIG, False)),
        *((LessEqual, BIG, float(2**53), True), (Equal, math.nan, math.nan, False)),
        *((NotEqual, math.nan, math.nan, True), (LessEqual, math.nan, 1, False)),
        *((Equal, 0.0, -0.0, True), (Equal, Decimal("0.1"), 0.1, True)),
        *((Equal, Decimal("0.10"), Decimal("0.1"), True), (Less, Decimal(BIG), 2.0**53, False)),
        *((Less, Decimal("7.5"), 8, True), (Equal, "B", OneChar("B"), True)),
        *((Equal, Char("B"), OneChar("B"), True), (Equal, Char("B"), "B", True)),
        *((Equal, Char("B"), 66, True), (Equal, OneChar("B"), 66, True), (Equal, "B", 66, None)),
        *((Equal, Char("B"), "BB", None), (Equal, Char("B"), "", None)),
        *((Less, OneChar("B"), "BB", True), (Equal, EnumLabel("a"), EnumLabel("a"), True)),
        (NotEqual, EnumLabel("a"), EnumLabel("a"), False),
        *((Less, EnumLabel("a"), EnumLabel("b"), None), (Equal, EnumLabel("a"), "a", None)),
        *((Equal, EnumLabel("a"), OneChar("a"), None), (Equal, EnumLabel("a"), Char("a"), None)),
        *((GreaterEqual, True, False, True), (Equal, (1,), (1,), None), (Equal, b"a", b"a", None)),
        *((Equal, COMPOSITE, COMPOSITE, None), (Equal, MISSING, MISSING, None)),
    ],
)
def test_comparisons(
    operator: type[Comparison], left: Plain, right: Plain, answer: bool | None
) -> None:
    assert truth.COMPARE[operator](left, right) is answer


@pytest.mark.parametrize(
    ("operator", "left", "right", "result"),
    [
        *((Add, 1, 2, 3), (Add, 1, 2.0, 3.0), (Add, True, Char("A"), 66)),
        *((Add, 2**63 - 1, 1, 2**63), (Add, 2**64 - 1, 1, None), (Subtract, -(2**63), 1, None)),
        *((Multiply, 2**32, 2**32, None), (Multiply, Decimal("0.1"), 3, Decimal("0.3"))),
        *((Multiply, Decimal("0.5"), 0.5, 0.25), (Divide, 7, 2, 3), (Divide, -7, 2, -3)),
        *((Divide, 7, -2, -3), (Divide, -7, -2, 3), (Divide, 0, -7, 0), (Divide, 7, 0, None)),
        *((Divide, 7.0, -0.0, None), (Divide, Decimal(1), Decimal(0), None)),
        (Divide, Decimal(1), Decimal(3), Decimal("0." + "3" * 31)),
        *((Divide, Decimal(2), Decimal(3), Decimal("0." + "6" * 31)), (Remainder, 7, 3, 1)),
        *((Remainder, -7, 3, -1), (Remainder, 7, -3, 1), (Remainder, -7.5, 2, -1.5)),
        *((Remainder, 7, 0, None), (Remainder, 1.0, 0, None)),
        *((Remainder, Decimal("-7.5"), 2, Decimal("-1.5")), (Remainder, Decimal(1), 0, None)),
        *((Remainder, Decimal(10) ** 62, Decimal("0.1"), None), (Add, "1", 2, None)),
        *((Add, EnumLabel("a"), 2, None), (Add, MISSING, 2, None), (Add, 2, COMPOSITE, None)),
        (Add, (1,), 1, None),
    ],
)
def test_arithmetic(operator: type[Arithmetic], left: Plain, right: Plain, result: Plain) -> None:
    found = truth.ARITHMETIC[operator](left, right)
    assert (type(found), found) == (type(result), result)


@pytest.mark.parametrize(
    ("value", "items", "answer"),
    [
        *(("a", ("b", "a"), True), ("a", (), False), (OneChar("a"), ("a",), True)),
        *((OneChar("a"), (97,), True), (1, (2, 1), True), (True, (1,), True), (1, (2, 1.0), True)),
        *((BIG, (2**53,), False), (BIG, (2.0**53,), True), (math.nan, (math.nan,), False)),
        *((EnumLabel("a"), (EnumLabel("a"),), True), ("a", (EnumLabel("a"),), None)),
        *(("a", (1, "a"), None), ("a", ("a", 1), True), (1, b"\x00\x01", True)),
        *((256, b"\x00\x01", False), (-1, b"\x00\x01", False), (2**64 - 1, b"\xff", False)),
        *((1.0, b"\x01", True), ("a", b"a", None), (1, b"", False), ("a", "abc", None)),
        *((1, COMPOSITE, None), (1, MISSING, None), (MISSING, (), None), (COMPOSITE, (), None)),
        ((1,), ((1,),), None),
    ],
)
def test_member(value: Plain, items: Plain, answer: bool | None) -> None:
    assert truth.member(value, items) is answer


@pytest.mark.parametrize(
    ("needle", "text", "answer"),
    [
        *(("b", "abc", True), ("", "", True), ("abc", "b", False), (OneChar("b"), "abc", True)),
        *((Char("b"), "abc", None), ("b", Char("b"), None), (EnumLabel("b"), "abc", None)),
        *(("b", ("b",), None), (1, "1", None)),
    ],
)
def test_contains(needle: Plain, text: Plain, answer: bool | None) -> None:
    assert truth.contains(needle, text) is answer
