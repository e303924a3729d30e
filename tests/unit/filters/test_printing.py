"""Tree to text."""

from __future__ import annotations

import pytest

from tidings.events.paths import Branch, Name, Pair, Path
from tidings.filters.parse import parse
from tidings.filters.printing import print_tree
from tidings.filters.tree import (
    Add,
    And,
    Boolean,
    Component,
    Contains,
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
    Subtract,
    Text,
)

A, B, C = (Component(Path(name)) for name in "abc")
ONE, TWO = Integer(1), Integer(2)


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (Or((A, And((B, C)))), "$a or $b and $c"),
        (And((Or((A, B)), C)), "($a or $b) and $c"),
        (Or((Or((A, B)), C)), "($a or $b) or $c"),
        (And((A, And((B, C)))), "$a and ($b and $c)"),
        (Not(Not(A)), "not (not $a)"),
        (Not(Exist(Path("a"))), "not exist $a"),
        (Not(Equal(A, ONE)), "not ($a == 1)"),
        (Equal(Not(A), B), "not $a == $b"),
        (Equal(Equal(A, ONE), B), "($a == 1) == $b"),
        (Equal(A, Less(B, ONE)), "$a == ($b < 1)"),
        (Equal(Contains(A, B), C), "$a ~ $b == $c"),
        (Contains(Contains(A, B), C), "($a ~ $b) ~ $c"),
        (Contains(A, Contains(B, C)), "$a ~ ($b ~ $c)"),
        (Contains(Add(A, B), C), "$a + $b ~ $c"),
        (In(In(ONE, Path("a")), Path("b")), "(1 in $a) in $b"),
        (In(Contains(A, B), Path("c")), "$a ~ $b in $c"),
        (Add(In(ONE, Path("a")), ONE), "(1 in $a) + 1"),
        (Subtract(A, Subtract(B, C)), "$a - ($b - $c)"),
        (Subtract(Subtract(A, B), C), "$a - $b - $c"),
        (Divide(A, Multiply(B, C)), "$a / ($b * $c)"),
        (Multiply(Add(A, B), C), "($a + $b) * $c"),
        (Add(A, Multiply(B, C)), "$a + $b * $c"),
        (Multiply(Not(A), Not(B)), "not $a * not $b"),
        (Subtract(ONE, Integer(-2)), "1 - -2"),
        (Equal(A, Real(1e16)), "$a == 1e+16"),
        (Equal(A, Real(-0.0)), "$a == -0.0"),
        (Equal(A, Integer(-(2**63))), "$a == -9223372036854775808"),
        (Equal(A, Text("it's \\")), "$a == 'it\\'s \\\\'"),
        (Equal(A, Label("in")), "$a == \\in"),
        (Equal(A, Label("True")), "$a == \\True"),
        (Boolean(False), "FALSE"),
        (Component(Path("or", [Name("in"), Pair("and")])), "$\\or.\\in(\\and)"),
        (Component(Path("u", [Branch("str", "'")])), "$u.('\\'')"),
        (Component(Path("u", [Branch("bool", False)])), "$u.(FALSE)"),
        (Component(Path("u", [Branch("enum", "true")])), "$u.(\\true)"),
        (Component(Path(None)), "$"),
    ],
)
def test_no_more_parentheses_than_needed(tree: Node, text: str) -> None:
    assert print_tree(tree) == text


@pytest.mark.parametrize("text", ["", "$a.b[0](c) < 1", "'\n' ~ $x", "1e-7 * $a == .5"])
def test_the_text_is_read_back_as_the_same_tree(text: str) -> None:
    assert parse(print_tree(parse(text))) == parse(text)


def test_a_node_nobody_knows_is_refused() -> None:
    with pytest.raises(TypeError, match="Node is no node"):
        print_tree(Node())
