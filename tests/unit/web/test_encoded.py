"""The texts of events are made once, and not kept without bound."""

from __future__ import annotations

import json

import pytest

from tests.unit.engine.recorded_answers import message
from tidings.api.delivered import write_delivered
from tidings.engine.bodies import Message
from tidings.web import encoded as module
from tidings.web.encoded import Encoded, with_redelivered


def test_a_text_is_made_once_for_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def counted(*given: object) -> str:
        made.append(int(str(given[0])))
        return "{}"

    monkeypatch.setattr(module, "write_delivered", counted)
    texts, one, same = Encoded(), message(7), message(7)
    assert texts[one] is texts[one]
    assert made == [7]
    assert texts[same] is not None  # another message, though its number is the same
    assert made == [7, 7]


def test_the_oldest_go_when_there_is_no_room() -> None:
    texts = Encoded(most=3_000)
    messages = [message(seq) for seq in range(10)]
    for one in messages:
        assert json.loads(texts[one])["seq"] == one.seq
    assert 0 < len(texts) < 10
    assert list(texts) == messages[-len(texts) :]


def test_what_is_larger_than_all_room_is_not_kept() -> None:
    texts = Encoded(most=10)
    assert json.loads(texts[message(1)])["seq"] == 1
    assert not texts


def test_a_pull_says_whether_an_event_came_before() -> None:
    one: Message = message(3)
    text = write_delivered(one.seq, one.arrival, one.priority, one.mark, one.event)
    for redelivered in (True, False):
        plain = json.loads(with_redelivered(text, redelivered))
        assert plain == {"redelivered": redelivered, **json.loads(text)}
