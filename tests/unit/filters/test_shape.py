"""The shape of a tree: equal for trees that differ in constants only."""

from __future__ import annotations

import pytest

from tidings.events.fields import EnumLabel
from tidings.filters.parse import parse
from tidings.filters.shape import Constant, Shape, constant_of, shape_of
from tidings.filters.tree import Boolean, Component, Integer, Label, Real, Text
from tidings.filters.truth import OneChar


def shape(text: str) -> str:
    return shape_of(parse(text), [])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$a == 1", "$a == 2"),
        ("$a == 'ab'", "$a == ''"),
        ("$a == 'x'", "$a == 'y'"),
        ("$a == red", "$a == green"),
        ("$a == TRUE", "$a == FALSE"),
        ("$a < 1.5 and 'x' in $b", "$a < 2.5 and 'y' in $b"),
        ("$a == 18446744073709551615", "$a == -9223372036854775808"),
    ],
)
def test_constants_do_not_count(one: str, other: str) -> None:
    assert shape(one) == shape(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$a == 1", "$a == 1.0"),
        ("$a == 1", "$a == TRUE"),
        ("$a == 'x'", "$a == 'xy'"),
        ("$a == 'x'", "$a == x"),
        ("$a == 9007199254740992", "$a == 9007199254740993"),
        ("$a == 1", "$b == 1"),
        ("$a == 1", "$a != 1"),
        ("$a < $b", "$b < $a"),
        ("$a and $b", "$a or $b"),
        ("$a and $b and $c", "$a and ($b and $c)"),
        ("exist $a", "$a"),
        ("not $a", "$a"),
        ("1 in $a", "1 == $a"),
        ("$u.(1)", "$u.('1')"),
        ("default $u._d", "exist $u._d"),
        ("$a + 1 == 2", "$a - 1 == 2"),
    ],
)
def test_everything_else_counts(one: str, other: str) -> None:
    assert shape(one) != shape(other)


def test_constants_come_in_the_order_they_stand() -> None:
    constants: list[Constant] = []
    shape_of(parse("$a == 1 and ('x' ~ $b or 2.5 < $c) and red == $d and $e == TRUE"), constants)
    assert constants == [1, "x", 2.5, "red", True]
    assert [type(constant) for constant in constants] == [int, OneChar, float, EnumLabel, bool]


def test_the_value_of_a_literal() -> None:
    assert constant_of(Integer(1)) == 1
    assert constant_of(Real(1.0)) == 1.0
    assert constant_of(Boolean(False)) is False
    assert type(constant_of(Text("a"))) is OneChar
    assert type(constant_of(Text("ab"))) is str
    assert type(constant_of(Label("a"))) is EnumLabel
    component = parse("$a")
    assert isinstance(component, Component)
    assert constant_of(component) is None


def test_shapes_are_keys() -> None:
    one, other = (Shape(shape(text), parse(text)) for text in ("$a == 1", "$a == 2"))
    assert one == other
    assert hash(one) == hash(other)
    assert one != Shape(shape("$a"), parse("$a"))
    assert one != "(== $a i)"
