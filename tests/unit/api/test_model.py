from __future__ import annotations

import json

import pytest
from hypothesis import given
from pydantic import TypeAdapter, ValidationError

from tests.unit.api.view_strategies import patterns
from tidings.api.model import Answer, Asked, DomainAndType, EventType, Key, pattern_in, pattern_out
from tidings.errors import InvalidEventType
from tidings.filters.constraint import EventTypePattern

_EVENT_TYPE: TypeAdapter[EventType] = TypeAdapter(EventType)
_KEYS: TypeAdapter[dict[Key, int]] = TypeAdapter(dict[Key, int])


@given(patterns)
def test_patterns_come_back_as_they_were(pattern: EventTypePattern) -> None:
    text = _EVENT_TYPE.dump_json(pattern_out(pattern))
    assert pattern_in(_EVENT_TYPE.validate_python(json.loads(text))) == pattern


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        (EventTypePattern("Telecom", "Comm*"), "Telecom::Comm*"),
        (EventTypePattern("", ""), "::"),
        (EventTypePattern("*", "%ALL"), "*::%ALL"),
        (EventTypePattern("a", "b::c"), "a::b::c"),
        (EventTypePattern("a::b", "c"), DomainAndType(domain="a::b", type="c")),
        (EventTypePattern("a:", "c"), DomainAndType(domain="a:", type="c")),
    ],
)
def test_patterns_are_texts_where_a_text_can_be_read(
    pattern: EventTypePattern, form: EventType
) -> None:
    assert pattern_out(pattern) == form


def test_a_type_alone_is_of_any_domain() -> None:
    assert pattern_in("books") == EventTypePattern("*", "books")


def test_a_pattern_outside_the_rules_is_refused() -> None:
    with pytest.raises(InvalidEventType):
        pattern_in("a::%NONE")


def test_keys_are_numbers_with_one_spelling() -> None:
    assert _KEYS.validate_python({"0": 1, "17": 2}) == {0: 1, 17: 2}
    for wrong in ("01", "+1", "1.0", "", "x", "٣", "1_0", "9" * 5000):
        with pytest.raises(ValidationError):
            _KEYS.validate_python({wrong: 1})


def test_requests_are_taken_by_the_letter_and_answers_may_say_more() -> None:
    class Question(Asked):
        number: int

    class Reply(Answer):
        number: int

    with pytest.raises(ValidationError, match="Extra inputs"):
        Question.model_validate({"number": 1, "more": 2})
    assert Reply.model_validate({"number": 1, "more": 2}) == Reply(number=1)
    for kind in (Question, Reply):
        for wrong in ("1", 1.0, True, None):
            with pytest.raises(ValidationError):
                kind.model_validate({"number": wrong})
