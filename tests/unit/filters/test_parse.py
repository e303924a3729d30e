"""Tokens to tree."""

from __future__ import annotations

import pytest

from tidings.errors import InvalidConstraint
from tidings.events.paths import Path
from tidings.filters.limits import Limits
from tidings.filters.parse import Kinds, parse, parse_operand
from tidings.filters.tree import (
    Add,
    And,
    Boolean,
    Component,
    Contains,
    Default,
    Divide,
    Equal,
    Exist,
    In,
    Integer,
    Label,
    Less,
    Multiply,
    Node,
    Not,
    Or,
    Real,
    Remainder,
    Subtract,
    Text,
)

A, B, C = (Component(Path(name)) for name in "abc")
ONE, TWO, THREE = map(Integer, (1, 2, 3))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", Boolean(True)),
        (" \n", Boolean(True)),
        ("TRUE", Boolean(True)),
        ("$a", A),
        ("$a == 1", Equal(A, ONE)),
        ("$a == 1.0", Equal(A, Real(1.0))),
        ("$a == -1", Equal(A, Integer(-1))),
        ("$a == - 1.5", Equal(A, Real(-1.5))),
        ("$a == +1", Equal(A, ONE)),
        ("$a == red", Equal(A, Label("red"))),
        ("'x' ~ $a", Contains(Text("x"), A)),
        ("1 in $a", In(ONE, Path("a"))),
        ("exist $a", Exist(Path("a"))),
        ("not $a", Not(A)),
        ("$a or $b or $c", Or((A, B, C))),
        ("($a or $b) or $c", Or((Or((A, B)), C))),
        ("$a or $b and $c", Or((A, And((B, C))))),
        ("$a and $b or $c", Or((And((A, B)), C))),
        ("$a and ($b or $c)", And((A, Or((B, C))))),
        ("not $a == TRUE", Equal(Not(A), Boolean(True))),
        ("not ($a == 1)", Not(Equal(A, ONE))),
        ("$a - 1 - 2 == 3", Equal(Subtract(Subtract(A, ONE), TWO), THREE)),
        ("$a - (1 - 2) == 3", Equal(Subtract(A, Subtract(ONE, TWO)), THREE)),
        ("$a * 1 + 2 == 3", Equal(Add(Multiply(A, ONE), TWO), THREE)),
        ("$a + 1 * 2 == 3", Equal(Add(A, Multiply(ONE, TWO)), THREE)),
        ("$a / 1 % 2 == 3", Equal(Remainder(Divide(A, ONE), TWO), THREE)),
        ("$a == 1 in $b", Equal(A, In(ONE, Path("b")))),
        ("$a + 1 in $b", In(Add(A, ONE), Path("b"))),
        ("'a' ~ $b in $c", In(Contains(Text("a"), B), Path("c"))),
        ("$a ~ $b == TRUE", Equal(Contains(A, B), Boolean(True))),
        ("1 + not $a == 2", Equal(Add(ONE, Not(A)), TWO)),
        ("($a < 1) == ($b < 2)", Equal(Less(A, ONE), Less(B, TWO))),
    ],
)
def test_precedence(text: str, tree: Node) -> None:
    assert parse(text) == tree


def test_default_takes_a_discriminator() -> None:
    tree = parse("default $u._d")
    assert isinstance(tree, Default)
    assert tree.path == "$u._d"
    assert isinstance(parse("default $_d"), Default)


@pytest.mark.parametrize(
    ("text", "problem", "column", "hint"),
    [
        ("$a ==", "ends too early", 6, ""),
        ("$a == 1 == 2", "do not chain", 9, "'and'"),
        ("count == 7", "an enum label cannot be compared with a number", 7, "$count"),
        ("not count", "takes a boolean", 5, "$count"),
        ("-$a == 1", "before an expression", 1, "-1 * (…)"),
        ("+$a == 1", "before an expression", 1, "leave it out"),
        ("not not $a", "cannot stand here", 5, "not (not …)"),
        ("$a LIKE 'x'", "cannot stand here", 4, "not SQL"),
        ("exist a", "takes a component", 7, "$a"),
        ("1 in a", "takes a component", 6, "$a"),
        ("default $u", "ends in ._d", 9, "default $u._d"),
        ("1 in $a + 1 == 2", "cannot follow", 9, "parentheses"),
        ("(1 == 1", "never closed", 1, ""),
        ("(1 == 1))", "cannot stand here", 9, ""),
        ("5 + 'al' == 1", "+ takes numbers, and this is a string", 5, ""),
        ("'a' and 'b'", "'and' takes booleans", 1, ""),
        ("$a or 5", "'or' takes booleans, and this is a number", 7, ""),
        ("5 ~ 'a'", "looks for a string", 1, ""),
    ],
)
def test_an_error_has_a_place_and_a_hint(text: str, problem: str, column: int, hint: str) -> None:
    with pytest.raises(InvalidConstraint) as caught:
        parse(text)
    assert problem in caught.value.problem
    assert caught.value.column == column
    assert hint in caught.value.hint


def test_the_report_shows_the_line_with_a_caret() -> None:
    with pytest.raises(InvalidConstraint) as caught:
        parse("$a == 1 and\n\t$b = 2")
    assert str(caught.value).splitlines() == [
        "line 2, column 5: '=' has no meaning here",
        "   $b = 2",
        "      ^",
        "  hint: equality is written ==",
    ]


@pytest.mark.parametrize(
    "text", ["5 + 'a' > 0", "1 * (TRUE and TRUE) == 1", "TRUE == 1", "'a' < 'bb'", "'a' == 97"]
)
def test_odd_but_legal(text: str) -> None:
    parse(text)


@pytest.mark.parametrize(
    ("text", "kinds", "constant"),
    [
        ("5", Kinds.NUMBER, True),
        ("'a'", Kinds.CHAR | Kinds.STRING, True),
        ("'ab'", Kinds.STRING, True),
        ("red", Kinds.ENUM, True),
        ("$a", Kinds.ALL, False),
        ("1 + $a", Kinds.NUMBER, False),
        ("1 + 1", Kinds.NUMBER, True),
        ("1 in $a", Kinds.BOOLEAN, False),
        ("exist $a", Kinds.BOOLEAN, False),
        ("", Kinds.BOOLEAN, True),
    ],
)
def test_what_is_known_of_the_result(text: str, kinds: int, constant: bool) -> None:
    operand = parse_operand(text)
    assert (operand.kinds, operand.constant) == (kinds, constant)


def test_depth_counts_operators_and_parentheses() -> None:
    limits = Limits(depth=3)
    parse("$a == 1 and $b == 2", limits)
    parse("((($a)))", limits)
    parse("not ($a == 1)", limits)
    for text in ("not ($a == 1 + 2)", "(((($a))))", "$a + 1 + 2 == 3", "1 == (2 == (3 == 4))"):
        with pytest.raises(InvalidConstraint, match="nests deeper than 3"):
            parse(text, limits)


def test_octets_and_nodes_are_limited() -> None:
    parse("$a == 'é'", Limits(octets=10))
    with pytest.raises(InvalidConstraint, match="has 10 octets, more than 9"):
        parse("$a == 'é'", Limits(octets=9))
    parse("$a or $b", Limits(nodes=3))
    with pytest.raises(InvalidConstraint, match="more than 3 parts"):
        parse("$a or $b or $c", Limits(nodes=3))


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(InvalidConstraint, match="lone surrogate") as caught:
        parse("$a == '\ud800'")
    assert caught.value.position == 7
    str(caught.value).encode()
