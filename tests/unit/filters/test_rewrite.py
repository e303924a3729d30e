"""Simpler trees with the same answers; that they are the same, the laws say."""

from __future__ import annotations

import pytest

from tidings.filters.parse import parse
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import fold, normalise, push_negation


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("1 + 2 * 3 == 7", "TRUE"),
        ("$a == 1 + 2", "$a == 3"),
        ("$a + (1 + 2) == 3", "$a + 3 == 3"),
        ("$a + 1 + 2 == 3", "$a + 1 + 2 == 3"),
        ("TRUE and $a", "$a"),
        ("$a and TRUE", "$a"),
        ("FALSE or $a or $b", "$a or $b"),
        ("FALSE and $a", "FALSE"),
        ("TRUE or $a", "TRUE"),
        ("$a or TRUE or $b", "$a or TRUE"),
        ("$a and FALSE and $b", "$a and FALSE"),
        ("$a and ($b and $c)", "$a and $b and $c"),
        ("not (not $a)", "$a"),
        ("not (1 == 2)", "TRUE"),
        ("'a' ~ 'abc'", "TRUE"),
        ("'a' + 1 == 98", "TRUE"),
        ("1 + 1 in $a", "2 in $a"),
        ("red == red", "TRUE"),
        # Errors stay for the time of judgement.
        ("1 / 0 == 1", "1 / 0 == 1"),
        ("TRUE or 1 / 0 == 1", "TRUE"),
        ("1 / 0 == 1 or TRUE", "1 / 0 == 1 or TRUE"),
        ("red < green", "red < green"),
        ("18446744073709551615 + 1 > 0", "18446744073709551615 + 1 > 0"),
        # No literal can write an infinity.
        ("1e308 * 10 > 1", "1e+308 * 10 > 1"),
        # As an operand, not only its truth counts: a number must not slip through.
        ("($a and TRUE) == TRUE", "($a and TRUE) == TRUE"),
        ("(FALSE or $a) == TRUE", "($a or FALSE) == TRUE"),
        ("not (not $a) == TRUE", "not (not $a) == TRUE"),
        ("(TRUE and $a == 1) == TRUE", "($a == 1) == TRUE"),
        ("(not (not ($a == 1))) == TRUE", "($a == 1) == TRUE"),
        ("", "TRUE"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert print_tree(fold(parse(text))) == folded


@pytest.mark.parametrize(
    ("text", "pushed"),
    [
        ("not ($a and $b)", "not $a or not $b"),
        ("not ($a or $b == 1)", "not $a and $b != 1"),
        ("not ($a != 1)", "$a == 1"),
        ("not (not $a)", "$a"),
        ("not TRUE", "FALSE"),
        ("not exist $a", "not exist $a"),
        # For NaN `not ($a < 1)` is TRUE and `$a >= 1` is not.
        ("not ($a < 1)", "not ($a < 1)"),
        ("not ($a >= 1)", "not ($a >= 1)"),
        ("not ('x' ~ $a)", "not ('x' ~ $a)"),
        ("not (1 in $a)", "not (1 in $a)"),
        ("(not ($a and $b)) == TRUE", "not ($a and $b) == TRUE"),
        ("$a and not ($b or not $c)", "$a and (not $b and $c)"),
    ],
)
def test_push_negation(text: str, pushed: str) -> None:
    assert print_tree(push_negation(parse(text))) == pushed


def test_normalise_does_both() -> None:
    tree = normalise(parse("not ($a == 1 + 1 or (FALSE or not $b))"))
    assert print_tree(tree) == "$a != 2 and $b"
