"""Laws of events at message brokers: never narrower, nothing lost in the body, levels in order.

The brokers' own judgement is written here a second time, as ActiveMQ 5.17 and RabbitMQ 3.10 answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from types import SimpleNamespace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from stompman import MessageFrame

from tests.laws.dialect_reference import Selector
from tests.laws.dialect_worlds import field_tree
from tests.laws.filter_events import NOW, draw_scene
from tests.laws.filter_trees import constraint_of, draw_types
from tidings.events.anyvalue import same
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.marks import Mark
from tidings.filters.constraint import Constraint
from tidings.gateways.brokers import amqp_messages, jms_messages
from tidings.gateways.brokers import properties as p

MARK = Mark("S", "es:1", "stream", 7, ("es:1",))
JAVA_NUMBER = re.compile(r"[+-]?(NaN|Infinity|[0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?)")


CASES = 600
SIMPLE = ("count", "big", "rate", "up", "open", "host", "letter", "Priority")


def worlds(rng: Random) -> tuple[Constraint, StructuredEvent]:
    """A constraint and an event; most events have simple properties alone."""
    scene = draw_scene(rng)
    sent, wanted = scene.event, field_tree(rng, scene)
    if rng.random() < 0.8:
        data = {name: value for name, value in sent.data.items() if name in SIMPLE}
        sent = StructuredEvent(sent.domain, sent.type, sent.name, sent.header, data, sent.body)
    return constraint_of(wanted, draw_types(rng) if rng.random() < 0.2 else ()), sent


class TextSelector(Selector):
    """A selector over properties that are texts, which ActiveMQ converts to what they meet."""

    def _converted(self, left: Any, right: Any) -> Any:
        if isinstance(left, str) and isinstance(right, bool):
            return left.lower() == "true"
        if isinstance(left, str) and isinstance(right, float | int):
            found = JAVA_NUMBER.fullmatch(left)
            return left if found is None else float(left.replace("Infinity", "inf"))
        return left

    def _compared(self, symbol: str, left: Any, right: Any) -> Any:
        return super()._compared(symbol, self._converted(left, right), right)

    def _ordered(self, symbol: str, left: Any, right: Any) -> bool:
        return super()._ordered(symbol, self._converted(left, right), right)


def selected(wanted: Constraint, headers: Mapping[str, str]) -> bool:
    """Whether the broker hands over a message."""
    text = jms_messages.joined([jms_messages.selector_of(wanted).text], "me")
    return text is None or TextSelector(text, activemq=True).matches(headers)


def bound(found: amqp_messages.Bindings, headers: Mapping[str, Any]) -> bool:
    """Whether a message reaches the queue."""
    alternatives = (*found.alternatives, {p.PARTLY: True})
    return any(
        all(name in headers and _meets(value, headers[name]) for name, value in asked.items())
        for asked in alternatives
    )


def _meets(asked: object, found: object) -> bool:
    if asked is None:
        return True
    if isinstance(asked, bool) or isinstance(found, bool):
        return asked is found
    if isinstance(asked, str):
        return asked == (found.decode("latin-1") if isinstance(found, bytearray) else found)
    return isinstance(found, int | float) and asked == found


def frame(headers: Mapping[str, str], body: bytes = b"") -> MessageFrame:
    given: Any = {"destination": "/topic/t", "message-id": "1", "subscription": "0", **headers}
    return MessageFrame(headers=given, body=body)


def message(headers: Mapping[str, Any], **given: Any) -> Any:
    parts = dict.fromkeys(
        ("content_type", "priority", "expiration", "routing_key", "type", "app_id", "message_id",
         "correlation_id", "reply_to")
    )  # fmt: skip
    return SimpleNamespace(
        **{**parts, "body": b"", "delivery_mode": 1, "headers": headers, **given}
    )


def test_a_broker_of_jms_hands_over_what_matches() -> None:
    for seed in range(CASES):
        check_broker_of_jms_hands_over_what_matches(Random(seed))


def check_broker_of_jms_hands_over_what_matches(rng: Random) -> None:
    wanted, sent = worlds(rng)
    headers = jms_messages.headers_of(sent, MARK, NOW)
    matches = wanted.matches(StructuredFields(sent, NOW))
    handed_over = selected(wanted, headers)
    assert handed_over or not matches
    if jms_messages.selector_of(wanted).exact and p.PARTLY not in headers:
        assert handed_over is matches
    foreign = {name: text for name, text in headers.items() if name not in (p.PARTLY, "Federation")}
    event, _ = jms_messages.event_of(frame({**foreign, "content-type": "text/plain"}))
    assert selected(wanted, foreign) or not wanted.matches(StructuredFields(event, NOW))


def test_a_broker_of_amqp_hands_over_what_matches() -> None:
    for seed in range(CASES):
        check_broker_of_amqp_hands_over_what_matches(Random(seed))


def check_broker_of_amqp_hands_over_what_matches(rng: Random) -> None:
    wanted, sent = worlds(rng)
    found = amqp_messages.bindings_of(wanted)
    headers = amqp_messages.headers_of(sent, MARK)
    matches = wanted.matches(StructuredFields(sent, NOW))
    handed_over = bound(found, headers)
    assert handed_over or not matches
    if found.exact and p.PARTLY not in headers:
        assert handed_over is matches
    foreign = {name: value for name, value in headers.items() if name != p.PARTLY}
    event, _ = amqp_messages.event_of(message(foreign))
    assert bound(found, foreign) or not wanted.matches(StructuredFields(event, NOW))


def test_an_event_comes_back_as_it_was() -> None:
    for seed in range(CASES):
        check_event_comes_back_as_it_was(Random(seed))


def check_event_comes_back_as_it_was(rng: Random) -> None:
    _, sent = worlds(rng)
    made = amqp_messages.message_of(sent, MARK, NOW)
    given_back = message(made.headers, body=made.body, content_type=made.content_type)
    assert amqp_messages.event_of(given_back) == (sent, MARK)
    assert same(amqp_messages.event_of(given_back)[0].body, sent.body)
    headers = jms_messages.headers_of(sent, MARK, NOW)
    assert jms_messages.event_of(frame(headers, made.body)) == (sent, MARK)


PRIORITIES = st.integers(-32_767, 32_767)


@given(PRIORITIES, PRIORITIES)
def test_levels_keep_the_order_of_priorities(one: int, two: int) -> None:
    assume(one <= two)
    assert 0 <= p.level_of(one) <= p.level_of(two) <= 9


@given(st.integers(0, 9))
def test_a_level_is_the_level_of_its_priority(level: int) -> None:
    assert p.level_of(p.priority_of(level)) == level
