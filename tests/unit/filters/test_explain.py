"""Why a constraint did or did not match."""

from __future__ import annotations

import pytest

from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.filters.constraint import constraint
from tidings.filters.explain import Explained, explain
from tidings.filters.parse import parse

FIELDS = fields_of(
    event("d", "t", "n", {"a": 7, "b": "x", "yes": True, "tags": ["p"], "big": 2**64 - 1})
)


def asked(text: str) -> Explained:
    return explain(parse(text), FIELDS)


def test_every_node_has_its_value() -> None:
    found = asked("$a + 1 == 8 and 'p' in $tags")
    assert [(depth, part.text, part.value) for depth, part in found.walk()] == [
        (0, "$a + 1 == 8 and 'p' in $tags", True),
        (1, "$a + 1 == 8", True),
        (2, "$a + 1", 8),
        (3, "$a", 7),
        (3, "1", 1),
        (2, "8", 8),
        (1, "'p' in $tags", True),
        (2, "'p'", "p"),
        (2, "$tags", ("p",)),
    ]
    assert found.matches
    assert found.first_error() is None


def test_what_was_not_needed_was_not_reached() -> None:
    found = asked("$yes or $missing == 1")
    assert [part.reached for part in found.parts] == [True, False]
    assert found.matches
    assert not found.parts[1].failed


def test_the_first_error_is_the_one_that_decided() -> None:
    found = asked("not ($a == 7 and $missing.x == 1 or $yes)")
    assert found.value is None
    fault = found.first_error()
    assert fault is not None
    assert (fault.text, fault.error) == ("$missing.x", "missing")
    assert not found.matches
    assert found.failed


@pytest.mark.parametrize(
    ("text", "where", "error"),
    [
        ("$a == 'xy'", "$a == 'xy'", "== cannot take an integer and a string"),
        ("$a ~ 'x'", "$a ~ 'x'", "~ cannot take an integer and a string"),
        ("$b in $tags[0]", "$b in $tags[0]", "in cannot take a string and a string"),
        ("$a and $yes", "$a and $yes", "$a is an integer, not a boolean"),
        ("not $b", "not $b", "$b is a string, not a boolean"),
        ("$b", "$b", "the result is a string, not a boolean"),
        ("$a / 0 == 1", "$a / 0", "division by zero"),
        ("$a % 0 == 1", "$a % 0", "division by zero"),
        ("$big + 1 > 0", "$big + 1", "outside the integers"),
        ("$b + 1 > 0", "$b + 1", "+ cannot take a string and an integer"),
        ("$tags == 1", "$tags == 1", "== cannot take a sequence and an integer"),
        ("$header == 1", "$header == 1", "== cannot take a composite and an integer"),
        ("default $a._d", "default $a._d", "missing"),
    ],
)
def test_an_error_says_what_is_wrong(text: str, where: str, error: str) -> None:
    fault = asked(text).first_error()
    assert fault is not None
    assert fault.text == where
    assert error in fault.error


def test_an_unreached_error_is_none() -> None:
    assert asked("$yes or $a == 'xy'").first_error() is None
    assert asked("FALSE and $missing").value is False


def test_a_constraint_is_explained_as_its_tree() -> None:
    fields = fields_of(event("D", "T", data={"a": 1}))
    assert explain(constraint("$a == 1"), fields) == explain(parse("$a == 1"), fields)
