"""Errors that forbid a constraint, and cautions that do not."""

from __future__ import annotations

import pytest

from tidings.errors import InvalidConstraint
from tidings.filters.check import check
from tidings.filters.limits import Limits
from tidings.filters.parse import parse

KNOWN = {
    "count": {"number"},
    "host": {"string"},
    "grade": {"char"},
    "sev": {"enum"},
    "mixed": {"number", "string"},
    "tags": {"sequence"},
    "Priority": {"number"},
}


def cautions(text: str, known: dict[str, set[str]] | None = None) -> list[str]:
    return [f"{c.problem} / {c.hint}" for c in check(text, known).cautions]


def test_a_sound_constraint_has_none() -> None:
    found = check("$count > 3 and 'node' ~ $host or exist $tags", KNOWN)
    assert found.cautions == ()
    assert found.tree == parse(found.text)


@pytest.mark.parametrize("text", ["5", "'a'", "red", "1 + 1", "'text'", "-1.5"])
def test_a_constant_that_is_no_boolean_is_refused(text: str) -> None:
    with pytest.raises(InvalidConstraint, match="neither TRUE nor FALSE"):
        check(text)


@pytest.mark.parametrize(
    ("text", "problem", "hint", "position"),
    [
        ("$a + 1", "never a boolean", "", 0),
        ("1 < 2", "always TRUE", "", 0),
        ("$a == 1 and not $b == 2", "'not' binds tighter", "not ($b == …)", 12),
        ("$sev < major", "no order", "", 5),
        ("major >= $sev", "no order", "", 6),
        ("$curtime > 5", "whole time", "$curtime.time", 0),
        ("$event_type == 'Alarm'", "struct", "$type_name", 0),
        ("$.EventHeader.x == 1", "a draft's name", "$.header.x", 0),
        ("$domain_type == 'T'", "a draft's name", "$domain_name", 0),
    ],
)
def test_what_can_hardly_be_meant(text: str, problem: str, hint: str, position: int) -> None:
    (found,) = check(text).cautions
    assert problem in found.problem
    assert hint in found.hint
    assert found.position == position


@pytest.mark.parametrize(
    "text",
    [
        "",
        "TRUE",
        "not ($a == 1)",
        "not $a and $b == 1",
        "$sev == major",
        "$a == '$curtime'",
        "'$event_type' == 'x' or $a",
        "$event_type.type_name == 'x'",
        "$curtime.time > 5",
        "exist $curtime",
    ],
)
def test_what_is_meant_is_left_alone(text: str) -> None:
    assert cautions(text) == []


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("$cuont == 1", "no event has a field 'cuont'", "did you mean $count?"),
        ("$domain_nam == 'x'", "no event has a field 'domain_nam'", "$domain_name"),
        ("exist $zzzzzz", "no event has a field 'zzzzzz'", "there are: $Priority, $count"),
        ("$count == 'seven'", "$count is always a number", ""),
        ("'seven' == $count", "$count is always a number", ""),
        ("$host < 5", "$host is always a string", ""),
        ("$sev == 'major'", "$sev is always an enum", ""),
        ("$tags == 1", "$tags is always a sequence", ""),
    ],
)
def test_names_and_kinds_are_compared_with_what_is_known(
    text: str, problem: str, hint: str
) -> None:
    (found,) = cautions(text, KNOWN)
    assert problem in found
    assert hint in found


@pytest.mark.parametrize(
    "text",
    ["$mixed == 'x'", "$mixed == 1", "$grade == 'B'", "$grade == 66", "$count == TRUE", "$.x == 1"],
)
def test_what_may_fit_is_left_alone(text: str) -> None:
    assert cautions(text, KNOWN) == []


def test_cautions_come_in_the_order_of_the_text() -> None:
    found = check("$EventHeader.x == 1 and not $a == 1 and $sev < major").cautions
    assert [c.position for c in found] == sorted(c.position for c in found)
    assert len(found) == 3


def test_a_caution_is_shown_with_a_caret() -> None:
    text = "$a == 1 and\n$sev < major"
    (found,) = check(text).cautions
    assert found.report(text).splitlines() == [
        "line 2, column 6: warning: enum labels have no order, so this never matches",
        "  $sev < major",
        "       ^",
    ]


def test_limits_are_passed_on() -> None:
    with pytest.raises(InvalidConstraint, match="more than 5"):
        check("$a == 1", limits=Limits(octets=5))
