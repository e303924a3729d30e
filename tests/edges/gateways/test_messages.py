"""Messages of plain brokers: events pass unchanged, and any message of a stranger is an event."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.strategies import events, texts
from tidings.errors import LimitExceeded
from tidings.events.anyvalue import Any, Value
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.events.typecode import LONG
from tidings.federation.marks import PROPERTY, Mark
from tidings.gateways.messages import (
    EVENT,
    JSON,
    OCTETS,
    TEXT,
    TYPED,
    Message,
    Names,
    event_of,
    header_of,
    message_of,
    texts_of,
    whole,
)

MARK = Mark("test", "elsewhere", "stream", 7, ("elsewhere",))
NOWHERE = Names()


def named(sent: StructuredEvent) -> Names:
    return Names(sent.domain, sent.type, sent.name)


def ordered(one: StructuredEvent) -> StructuredEvent:
    """Header properties have an order, which texts beside a payload do not keep."""
    return msgspec.structs.replace(one, header=dict(sorted(one.header.items())))


@given(events)
def test_an_event_passes_unchanged(sent: StructuredEvent) -> None:
    found, mark = event_of(message_of(sent, MARK, named(sent)), named(sent))
    assert ordered(found) == ordered(sent)
    assert mark == MARK


@given(events)
def test_an_event_passes_though_its_topic_does_not_say_what_it_is(sent: StructuredEvent) -> None:
    found, mark = event_of(message_of(sent, MARK, NOWHERE), NOWHERE)
    assert (ordered(found), mark) == (ordered(sent), MARK)


@given(events)
def test_texts_beside_a_payload_fit_every_service(sent: StructuredEvent) -> None:
    for name, text in texts_of(sent.header, MARK).items():
        assert name.isascii()
        assert name.isprintable()
        assert not set(name) & set(' :"(),/;<=>?@[\\]{}')
        assert text.isascii()
        assert text.isprintable()
        assert text == text.strip() != ""


@given(
    st.binary(max_size=40) | texts.map(str.encode),
    st.sampled_from(["", JSON, TEXT, OCTETS, EVENT, "image/png"]),
    st.dictionaries(st.sampled_from(["", "Timeout", TYPED, PROPERTY, "x"]), texts),
)
def test_any_message_is_an_event(payload: bytes, kind: str, beside: dict[str, str]) -> None:
    found, _ = event_of(Message(payload, kind, beside), Names("d", "t", "n"))
    assert (found.domain, found.type, found.name) == ("d", "t", "n") or kind == EVENT
    message_of(found, MARK, named(found))


@pytest.mark.parametrize(
    ("payload", "kind", "data", "body"),
    [
        (b'{"a":1,"b":[1.5]}', "", {"a": 1, "b": (1.5,)}, None),
        (b"21.5", "", {}, 21.5),
        (b'["x"]', "", {}, ("x",)),
        (b"on", "", {}, "on"),
        (b"", "", {}, ""),
        (b"\xff\x00", "", {}, b"\xff\x00"),
        (b'{"a":1,"a":2}', "", {}, '{"a":1,"a":2}'),
        (b'{"a":1}', TEXT, {}, '{"a":1}'),
        (b"on", OCTETS, {}, b"on"),
        (b"\xff", TEXT, {}, b"\xff"),
        (b"nonsense", EVENT, {}, "nonsense"),
    ],
)
def test_what_a_stranger_sends(
    payload: bytes, kind: str, data: dict[str, Value], body: Value
) -> None:
    found, mark = event_of(Message(payload, kind), Names("", "", "n"))
    assert found == StructuredEvent(name="n", data=data, body=body)
    assert mark is None


def test_the_payload_is_as_plain_as_can_be() -> None:
    names = Names("", "", "n")

    def made(**parts: object) -> tuple[bytes, str]:
        return message_of(event("", "", "n", **parts), MARK, names)[:2]  # type: ignore[arg-type]

    assert made(data={"a": 1, "b": 2.0}) == (b'{"a":1,"b":2.0}', JSON)
    assert made() == (b"{}", JSON)
    assert made(body="on") == (b"on", TEXT)
    assert made(body=b"on") == (b"on", OCTETS)
    assert made(body=21.5) == (b"21.5", JSON)
    assert made(body={"a": 1})[1] == made(data={"a": 1}, body="on")[1] == EVENT


def test_a_header_is_as_plain_as_can_be() -> None:
    header = event(
        "",
        "",
        "n",
        priority=4,
        timeout="5s",
        header={"room": "12 b", "Nats-Rollup": "all", "x": 1, "y": " a"},
    ).header
    beside = texts_of(header, MARK)
    assert beside.pop(TYPED) == '{"Nats-Rollup":"all","x":1,"y":" a"}'
    assert beside.pop(PROPERTY) == "test/elsewhere/stream/7/elsewhere"
    assert beside == {"room": "12 b", "Priority": "4", "Timeout": "50000000"}


def test_what_a_stranger_says_beside_the_payload() -> None:
    assert header_of({"Priority": "4", "Timeout": "5s", "room": "12", "Content-Type": TEXT}) == {
        "Priority": 4,
        "Timeout": 50_000_000,
        "room": "12",
    }
    assert header_of({"Priority": "very", "Timeout": "soon", TYPED: "[", "": "x"}) == {}
    assert header_of({"Priority": "99999"}) == {}


def test_a_typed_header_property_keeps_its_type() -> None:
    header = event("", "", "n", header={"Priority": Any(LONG, 7), "n": Any(LONG, 7)}).header
    assert header_of(texts_of(header, MARK)) == header


def test_too_large_an_event_is_refused() -> None:
    large = event("", "", "n", body=b"x" * 10_000_000)
    with pytest.raises(LimitExceeded):
        whole(large, MARK)
