"""A delivered event as JSON and as a message."""

from __future__ import annotations

import json

from tidings import event
from tidings.api.delivered import DeliveredEvent, write_delivered
from tidings.events.envelope import Envelope, ProducerMark


def test_the_text_has_what_is_known_of_the_event() -> None:
    content = event("a", "b", data={"x": "ü"})
    plain = json.loads(write_delivered(7, 8, -1, None, content))
    assert plain == {
        "seq": 7, "arrival": 8, "priority": -1,
        "event": {"domain": "a", "type": "b", "data": {"x": "ü"}},
    }  # fmt: skip
    marked = json.loads(write_delivered(7, 8, 0, ProducerMark('"p', 3), content))
    assert (marked["producer"], marked["number"]) == ('"p', 3)


def test_a_message_has_an_id_and_an_envelope() -> None:
    mark = ProducerMark("p", 1)
    found = DeliveredEvent(event("a", "b"), "0" * 32, 7, 8, 2, mark)
    assert found.id == ("0" * 32, 7)
    assert found.envelope == Envelope(event("a", "b"), "0" * 32, 7, 8, mark=mark)
