"""Constraint text to tokens."""

from __future__ import annotations

import pytest

from tidings.errors import InvalidConstraint
from tidings.events.paths import (
    Branch,
    Discriminator,
    Element,
    Length,
    Name,
    Pair,
    Path,
    Position,
    ReposId,
    Step,
    TypeId,
)
from tidings.filters.limits import DEFAULT_LIMITS, Limits
from tidings.filters.scan import Token, scan


def tokens(text: str) -> list[tuple[str, object]]:
    return [(token.kind, token.value) for token in scan(text, DEFAULT_LIMITS)[:-1]]


def path(text: str) -> Path:
    (token, _) = scan(text, DEFAULT_LIMITS)
    assert isinstance(token.value, Path)
    return token.value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("0", "integer", 0),
        ("007", "integer", 7),
        ("18446744073709551615", "integer", 2**64 - 1),
        ("1.5", "real", 1.5),
        ("1.", "real", 1.0),
        (".5", "real", 0.5),
        ("1e3", "real", 1000.0),
        ("1.E-3", "real", 0.001),
        (".5e+1", "real", 5.0),
        ("''", "text", ""),
        ("'a b'", "text", "a b"),
        (r"'it\'s'", "text", "it's"),
        (r"'a\\b'", "text", r"a\b"),
        (r"'a\nb'", "text", r"a\nb"),
        ("'line\nbreak'", "text", "line\nbreak"),
        ("TRUE", "boolean", True),
        ("false", "boolean", False),
        ("True", "name", "True"),
        ("And", "word", "and"),
        ("EXIST", "word", "exist"),
        (r"\and", "name", "and"),
        ("android", "name", "android"),
        ("_x9", "name", "_x9"),
        ("<=", "symbol", "<="),
        ("%", "symbol", "%"),
    ],
)
def test_one_token(text: str, kind: str, value: object) -> None:
    assert tokens(text) == [(kind, value)]


def test_white_space_separates_only() -> None:
    assert tokens(" \t\r\n\f1 \n") == [("integer", 1)]
    assert tokens("1and 2") == [("integer", 1), ("word", "and"), ("integer", 2)]
    assert tokens("1e") == [("integer", 1), ("name", "e")]


def test_tokens_know_their_place_and_an_end_closes_them() -> None:
    assert scan(" $a<1", DEFAULT_LIMITS) == [
        Token("component", Path("a"), 1, 3),
        Token("symbol", "<", 3, 4),
        Token("integer", 1, 4, 5),
        Token("end", "", 5, 5),
    ]


@pytest.mark.parametrize(
    ("text", "root", "steps"),
    [
        ("$", None, []),
        ("$a", "a", []),
        ("$.a", None, [Name("a")]),
        ("$.3.0", None, [Position(3), Position(0)]),
        ("$a.1", "a", [Position(1)]),
        ("$a[0][12]", "a", [Element(0), Element(12)]),
        ("$a(k).v", "a", [Pair("k"), Name("v")]),
        ("$u.(1)", "u", [Branch("int", 1)]),
        ("$u.(-1)", "u", [Branch("int", -1)]),
        ("$u.(+1)", "u", [Branch("int", 1)]),
        ("$u.('c')", "u", [Branch("str", "c")]),
        (r"$u.('\'')", "u", [Branch("str", "'")]),
        ("$u.(TRUE)", "u", [Branch("bool", True)]),
        ("$u.(red)", "u", [Branch("enum", "red")]),
        (r"$u.(\TRUE)", "u", [Branch("enum", "TRUE")]),
        ("$u.()", "u", [Branch("default")]),
        ("$u._d", "u", [Discriminator()]),
        ("$a._length", "a", [Length()]),
        ("$_length", None, [Length()]),
        ("$_type_id", None, [TypeId()]),
        ("$._repos_id", None, [ReposId()]),
        ("$_lengths", "_lengths", []),
        (r"$\in.\or", "in", [Name("or")]),
        ("$in", "in", []),
        (r"$\_length", None, [Length()]),
        (r"$a.\_length", "a", [Length()]),
    ],
)
def test_a_component_is_one_token(text: str, root: str | None, steps: list[Step]) -> None:
    found = path(text)
    assert (found.root, list(found.steps)) == (root, steps)
    assert path(str(found)) == found


def test_a_component_ends_where_it_can_go_no_further() -> None:
    assert tokens("$a/$b") == [("component", "$a"), ("symbol", "/"), ("component", "$b")]
    assert tokens("$a.1e5")[0] == ("component", "$a.1")
    assert tokens("$a-1") == [("component", "$a"), ("symbol", "-"), ("integer", 1)]


@pytest.mark.parametrize(
    ("text", "position", "hint"),
    [
        ("$a = 1", 3, "=="),
        ('$a == "x"', 6, "single quotes"),
        ("$a && $b", 3, "'and'"),
        ("a || b", 2, "'or'"),
        ("!a", 0, "not"),
        ("$a [0]", 3, "directly behind a component"),
        ("a.b", 1, "directly behind a component"),
        ("$a == 'x", 6, "single quote"),
        ("$a == 18446744073709551616", 6, "exponent"),
        ("\u2028", 0, ""),
    ],
)
def test_what_is_no_token_is_refused_with_a_hint(text: str, position: int, hint: str) -> None:
    with pytest.raises(InvalidConstraint) as caught:
        scan(text, DEFAULT_LIMITS)
    assert caught.value.position == position
    assert hint in caught.value.hint


def test_a_character_nobody_can_see_is_named() -> None:
    with pytest.raises(InvalidConstraint, match=r"U\+200B"):
        scan("$a == \u200b1", DEFAULT_LIMITS)


def test_digits_of_other_scripts_are_no_digits() -> None:
    for text in ("٣", "$[٣]", "$٣", "x٣"):
        with pytest.raises(InvalidConstraint):
            scan(text, DEFAULT_LIMITS)


def test_many_zeros_before_a_number_are_no_large_number() -> None:
    assert tokens("0" * 60_000 + "7") == [("integer", 7)]


def test_the_steps_of_a_component_are_limited() -> None:
    assert len(path("$" + ".a" * 1_000).steps) == 1_000
    with pytest.raises(InvalidConstraint, match="more than 1000 steps"):
        scan("$" + ".a" * 1_001, DEFAULT_LIMITS)
    with pytest.raises(InvalidConstraint, match="more than 2 steps"):
        scan("$a.b.c.d", Limits(steps=2))
