"""One constraint: event types and an expression."""

from __future__ import annotations

import pytest

from tidings.errors import InvalidConstraint, InvalidEventType, InvalidUsage
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.events.typecode import LONG
from tidings.filters.constraint import (
    MAX_NAME,
    EventTypePattern,
    accepted_constraint,
    constraint,
    event_type,
    wildcard_match,
)


@pytest.mark.parametrize(
    ("pattern", "text", "answer"),
    [
        ("", "", True),
        ("a", "a", True),
        ("a", "A", False),
        ("a*", "a", True),
        ("a*", "abc", True),
        ("a*", "ba", False),
        ("*a", "ba", True),
        ("*a", "ab", False),
        ("a*b", "ab", True),
        ("a*b", "axxb", True),
        ("a*b", "a", False),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("*b*", "abc", True),
        ("*b*b*", "abc", False),
        ("*ab*ba*", "aba", False),
        ("a*b*c", "a-b-b-c", True),
        ("**", "x", True),
        ("a**b", "ab", True),
        ("a*bc*c", "abc", False),
    ],
)
def test_wildcards(pattern: str, text: str, answer: bool) -> None:
    assert wildcard_match(pattern, text) is answer


def test_wildcards_are_never_slow() -> None:
    assert not wildcard_match("a*" * 500 + "b", "a" * 100_000)


@pytest.mark.parametrize(
    ("domain", "type_", "matching", "not_matching"),
    [
        ("Telecom", "Alarm", [("Telecom", "Alarm")], [("telecom", "Alarm"), ("Telecom", "")]),
        ("*", "Alarm", [("", "Alarm"), ("X", "Alarm")], [("X", "Alarm2")]),
        ("", "Alarm", [("X", "Alarm")], [("X", "alarm")]),
        ("Tele*", "*larm", [("Telecom", "Alarm")], [("Tel", "Alarm"), ("Telecom", "Alarms")]),
        ("", "%ALL", [("", ""), ("X", "%ANY")], []),
        ("*", "%ALL", [("X", "Y")], []),
        ("*", "%ANY", [("", "%ANY")], [("", "Alarm")]),
        ("*", "%TYPED", [("", "%TYPED")], [("", "%ANY")]),
        ("*", "", [("X", "Y")], []),
    ],
)
def test_patterns(
    domain: str, type_: str, matching: list[tuple[str, str]], not_matching: list[tuple[str, str]]
) -> None:
    pattern = EventTypePattern(domain, type_)
    assert all(pattern.matches(*names) for names in matching)
    assert not any(pattern.matches(*names) for names in not_matching)


@pytest.mark.parametrize(
    ("domain", "type_"),
    [("X", "%ALL"), ("*", "%OTHER"), ("*", "%"), ("x" * (MAX_NAME + 1), "*"), ("*", "y" * 2_000)],
)
def test_patterns_outside_the_rules(domain: str, type_: str) -> None:
    with pytest.raises(InvalidEventType):
        EventTypePattern(domain, type_)


def test_exact_patterns_name_one_type() -> None:
    assert EventTypePattern("a", "b").exact
    for pattern in (EventTypePattern(), EventTypePattern("a*", "b"), EventTypePattern("", "b")):
        assert not pattern.exact
    EventTypePattern("x" * MAX_NAME, "y" * MAX_NAME)


def test_patterns_as_the_command_line_writes_them() -> None:
    assert event_type("Telecom::Alarm") == EventTypePattern("Telecom", "Alarm")
    assert event_type("Alarm") == EventTypePattern("*", "Alarm")
    assert event_type("a::b::c") == EventTypePattern("a", "b::c")


ALARM = fields_of(event("Telecom", "Alarm", data={"count": 7}))


def test_a_constraint_is_tried_only_for_its_types() -> None:
    asked = constraint("$count == 7", [EventTypePattern("X", "Y"), EventTypePattern("*", "Al*")])
    assert asked.matches(ALARM)
    assert not constraint("$count == 7", [EventTypePattern("X", "*")]).matches(ALARM)
    assert not constraint("$count == 8", [EventTypePattern("*", "*")]).matches(ALARM)


def test_without_types_and_text_it_matches_everything() -> None:
    assert constraint().matches(ALARM)
    assert constraint("  ").matches(fields_of(Any(LONG, 1)))


def test_bare_values_have_the_type_any() -> None:
    value = fields_of(Any(LONG, 1))
    assert constraint("$ == 1", [EventTypePattern("*", "%ANY")]).matches(value)
    assert not constraint("$ == 1", [EventTypePattern("*", "Alarm")]).matches(value)


def test_an_error_is_no_match() -> None:
    assert constraint("$missing == 1").predicate(ALARM) is None
    assert constraint("$missing == 1").matches(ALARM) is False
    assert constraint("not ($missing == 1)").matches(ALARM) is False


def test_constraints_are_equal_by_what_they_say() -> None:
    assert constraint("$a == 1") == constraint("$a == 1")
    assert constraint("$a == 1") != constraint("$a == 2")
    assert constraint("$a == 1") != constraint("$a == 1", [EventTypePattern("x", "y")])


def test_a_bad_text_is_refused() -> None:
    with pytest.raises(InvalidConstraint):
        constraint("$a ==")
    with pytest.raises(InvalidConstraint):
        constraint("5")


def test_event_types_may_be_texts() -> None:
    assert constraint("", ["Telecom::Comm*"]) == constraint(
        "", [EventTypePattern("Telecom", "Comm*")]
    )
    assert constraint("", "Speed").event_types == (EventTypePattern("*", "Speed"),)


@pytest.mark.parametrize(("text", "types"), [(5, ()), ("", [5]), ("", [("D", "T")])])
def test_what_is_no_text_and_no_pattern_is_refused(text: object, types: object) -> None:
    with pytest.raises(InvalidUsage):
        constraint(text, types)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["\ud800", 5, None])
def test_names_of_types_are_texts(name: str) -> None:
    for given in ((name, "*"), ("*", name)):
        with pytest.raises(InvalidEventType, match="an event type's name"):
            EventTypePattern(*given)


def test_a_constraint_that_was_accepted_is_read_again() -> None:
    types = (EventTypePattern("Traffic", "Speed"),)
    for text in ("$rate > 50 and 17 in $zones", "", "not exist $x"):
        assert accepted_constraint(text, types) == constraint(text, types)
    with pytest.raises(InvalidConstraint):
        accepted_constraint("$rate >", types)
