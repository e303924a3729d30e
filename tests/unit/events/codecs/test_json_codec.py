from __future__ import annotations

import json
import math
from decimal import Decimal

import pytest
from hypothesis import given

from tests.property.strategies import events
from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.codecs import json_codec
from tidings.events.codecs.json_codec import (
    MAX_EVENT_OCTETS,
    decode_envelope,
    decode_event,
    encode_envelope,
    encode_event,
    envelope_from_plain,
    envelope_to_plain,
    event_from_plain,
    event_to_plain,
)
from tidings.events.envelope import MAX_HOPS, Envelope, ProducerMark, TraceContext
from tidings.events.structured import StructuredEvent

ORIGIN = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{ORIGIN}-b7ad6b7169203331-01"
SPEED = event("Traffic", "Speed", "car-7", {"rate": 57.5, "zones": [3, 17]}, priority=4)

# One table for both directions: the event, and its octets.
EVENTS: list[tuple[StructuredEvent, str]] = [
    (event("", ""), '{"domain":"","type":""}'),
    (
        SPEED,
        (
            '{"domain":"Traffic","type":"Speed","name":"car-7","header":{"Priority":4},'
            '"data":{"rate":57.5,"zones":[3,17]}}'
        ),
    ),
    (
        event("A", "B", data={"$type": 5, "value": 6, "x": {"$type": 7}}),
        (
            '{"domain":"A","type":"B","data":{"$type":5,"value":6,"x":'
            '{"$type":{"kind":"struct","members":[["$type","long"]]},"value":{"$type":7}}}}'
        ),
    ),
    (
        event("A", "B", header={"Priority": Any(tc.LONG, 4), "Timeout": True}),
        '{"domain":"A","type":"B","header":{"Priority":{"$type":"long","value":4},"Timeout":true}}',
    ),
    (
        event("A", "B", body=[math.nan, -0.0, Decimal("1.50"), b"ab", Any(tc.SHORT, 1)]),
        (
            '{"domain":"A","type":"B","body":[{"$type":"double","value":"NaN"},-0.0,'
            '{"$type":"fixed<3,2>","value":"1.50"},{"$type":"sequence<octet>","value":"YWI="},'
            '{"$type":"short","value":1}]}'
        ),
    ),
]


@pytest.mark.parametrize(("one", "text"), EVENTS)
def test_events(one: StructuredEvent, text: str) -> None:
    assert encode_event(one).decode() == text
    assert decode_event(text) == one
    assert decode_event(text.encode()) == one
    assert event_to_plain(one) == json.loads(text)
    assert event_from_plain(json.loads(text)) == one


def test_what_is_left_out_or_said_needlessly() -> None:
    said = '{"type": "B", "body": null, "header": {}, "data": {}, "name": "", "domain": "A"}'
    assert decode_event(said) == event("A", "B")


def test_standard_header_properties_have_the_standards_type() -> None:
    def header(text: str) -> object:
        return decode_event(f'{{"domain":"A","type":"B","header":{text}}}').header

    assert header('{"Priority": {"$type": "short", "value": 4}}') == {"Priority": 4}
    assert header('{"Priority": {"$type": "long", "value": 4}}') == {"Priority": Any(tc.LONG, 4)}
    assert header('{"Priority": {"$type": "string", "value": "x"}}') == {"Priority": "x"}
    assert header('{"other": {"$type": "long", "value": 4}}') == {"other": 4}


WRONG: list[tuple[str, str, str]] = [
    ("[]", "", r"an event is a JSON object, not \[\]"),
    ('{"domain": "A", "type": "B", "dta": {}}', "", "an event has no 'dta'; did you mean 'data'"),
    ('{"domain": "A", "type": "B", "zzz": {}}', "", "known are domain, type, name, header"),
    ('{"type": "B"}', "domain", "an event needs a domain, which is a text"),
    ('{"domain": "A"}', "type", "needs a type"),
    ('{"domain": 5, "type": "B"}', "domain", "must be a text, not 5"),
    ('{"domain": "A", "type": "B", "name": null}', "name", "must be a text, not None"),
    ('{"domain": "A", "type": "B", "data": []}', "data", "must be an object of properties"),
    ('{"domain": "A", "type": "B", "header": null}', "header", "must be an object"),
    ('{"domain": "A", "type": "B", "data": {"": 1}}', "data.", "non-empty"),
    (
        '{"domain": "A", "type": "B", "data": {"zones": [1, 2, 3, 1e2, 18446744073709551616]}}',
        "data.zones[4]",
        "outside the integers, -2\\*\\*63 to 2\\*\\*64-1",
    ),
    (
        '{"domain": "A", "type": "B", "body": {"a": [{"$type": "octet", "value": 256}]}}',
        "body.a[0]",
        "256 is no octet, which holds 0 to 255",
    ),
    ('{"domain": "A", "type": "B", "header": {"Priority": 40000}}', "header.Priority", "no short"),
    (
        '{"domain": "A", "type": "B", "header": {"Priority": {"$type": "short", "value": 40000}}}',
        "header.Priority",
        "no short",
    ),
    ('{"domain": "A", "type": "B", "data": {"a": 1, "a": 2}}', "data", "'a' stands twice"),
]


@pytest.mark.parametrize(("text", "where", "says"), WRONG)
def test_what_is_no_event(text: str, where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        decode_event(text)
    assert caught.value.where == where


def test_parsed_objects_are_checked_like_text() -> None:
    for plain, where in [
        ({"domain": "\ud800", "type": "B"}, "domain"),
        ({"domain": "A", "type": "B", "data": {"x": math.nan}}, "data.x"),
        ({"domain": "A", "type": "B", "data": {"x": "\ud800"}}, "data.x"),
        ({"domain": "A", "type": "B", "data": {5: 1}}, "data.5"),
        ({"domain": "A", "type": "B", "body": object()}, "body"),
    ]:
        with pytest.raises(InvalidEvent) as caught:
            event_from_plain(plain)
        assert caught.value.where == where
        str(caught.value).encode()


def deep(levels: int) -> str:
    return '{"domain":"A","type":"B","data":{"x":' + "[" * levels + "]" * levels + "}}"


def test_values_nest_so_deep_and_no_deeper() -> None:
    deepest = decode_event(deep(64))
    assert decode_event(encode_event(deepest)) == deepest
    for levels in (65, 200, 10_000):
        with pytest.raises(InvalidEvent, match="nest"):
            decode_event(deep(levels))


def test_the_deepest_records_named_type_survive() -> None:
    value: object = 1
    for _ in range(64):
        value = {"$type": value}
    deepest = event("A", "B", body=value)
    assert decode_event(encode_event(deepest)) == deepest


def test_the_largest_event() -> None:
    frame = len(encode_event(event("A", "B", body="")))
    largest = event("A", "B", body="x" * (MAX_EVENT_OCTETS - frame))
    text = encode_event(largest)
    assert len(text) == MAX_EVENT_OCTETS
    assert decode_event(text) == largest
    with pytest.raises(LimitExceeded):
        decode_event(text + b" ")
    with pytest.raises(LimitExceeded):
        encode_event(event("A", "B", body="x" * (MAX_EVENT_OCTETS - frame + 1)))
    origins = (ORIGIN,) * MAX_HOPS
    mark = ProducerMark("\U0010fffd" * 256, 2**63 - 1)
    trace = TraceContext(TRACEPARENT, '"' * 8192)
    around = Envelope(largest, ORIGIN, 2**63 - 1, -(2**63), 2**63 - 1, mark, origins, trace)
    assert decode_envelope(encode_envelope(around)) == around


def test_an_event_of_ten_megabytes_of_small_values() -> None:
    many = event(
        "A", "B", data={"n": list(range(700_000)), "r": [0.1] * 500_000, "d": [{"a": 1}] * 90_000}
    )
    text = encode_event(many)
    assert 7_000_000 < len(text) < MAX_EVENT_OCTETS
    assert encode_event(decode_event(text)) == text


ENVELOPES: list[tuple[Envelope, str]] = [
    (
        Envelope(event("A", "B"), ORIGIN, 1, -5),
        f'{{"origin":"{ORIGIN}","seq":1,"arrival":-5,"event":{{"domain":"A","type":"B"}}}}',
    ),
    (
        Envelope(
            event("A", "B"),
            ORIGIN,
            7,
            8,
            9,
            ProducerMark("cam", 0),
            (ORIGIN, ORIGIN),
            TraceContext(TRACEPARENT, "a=1"),
        ),
        (
            f'{{"origin":"{ORIGIN}","seq":7,"arrival":8,"plan":9,"producer":"cam","number":0,'
            f'"hops":["{ORIGIN}","{ORIGIN}"],"traceparent":"{TRACEPARENT}","tracestate":"a=1",'
            f'"event":{{"domain":"A","type":"B"}}}}'
        ),
    ),
]


@pytest.mark.parametrize(("envelope", "text"), ENVELOPES)
def test_envelopes(envelope: Envelope, text: str) -> None:
    assert encode_envelope(envelope).decode() == text
    assert decode_envelope(text) == envelope
    assert envelope_to_plain(envelope) == json.loads(text)
    assert envelope_from_plain(json.loads(text)) == envelope


@pytest.mark.parametrize(
    ("changes", "where", "says"),
    [
        ({"origin": None}, "origin", "must be a text, not None"),
        ({"origin": "x"}, "origin", "32 hexadecimal digits"),
        ({"seq": "1"}, "seq", "must be an integer, not '1'"),
        ({"seq": True}, "seq", "must be an integer, not True"),
        ({"seq": 1.0}, "seq", "must be an integer"),
        ({"seq": 0}, "seq", "is not between 1"),
        ({"seq": ...}, "seq", "must be an integer, not nothing"),
        ({"arrival": 2**63}, "arrival", "64 bits"),
        ({"plan": "1"}, "plan", "must be an integer"),
        ({"producer": "p"}, "number", "must be an integer, not nothing"),
        ({"number": 1}, "producer", "must be a text, not nothing"),
        ({"producer": "", "number": 1}, "producer", "1 to 256"),
        ({"hops": "x"}, "hops", "must be a list"),
        ({"hops": [5]}, "hops[0]", "must be a text"),
        ({"traceparent": "x"}, "traceparent", "no traceparent"),
        ({"tracestate": "x"}, "traceparent", "must be a text, not nothing"),
        ({"event": []}, "event", "must be an object"),
        ({"event": {"domain": "A", "type": "B", "body": 2**64}}, "event.body", "outside"),
        ({"sequence": 1}, "", "an envelope has no 'sequence'"),
    ],
)
def test_what_is_no_envelope(changes: dict[str, object], where: str, says: str) -> None:
    plain = {**envelope_to_plain(ENVELOPES[0][0]), **changes}
    plain = {name: value for name, value in plain.items() if value is not ...}
    with pytest.raises(InvalidEvent, match=says) as caught:
        envelope_from_plain(plain)
    assert caught.value.where == where
    with pytest.raises(InvalidEvent, match="an envelope is a JSON object"):
        envelope_from_plain([plain])


@pytest.mark.parametrize(("one", "text"), EVENTS[1:3])
def test_a_text_that_is_cut_or_goes_on_is_no_event(one: StructuredEvent, text: str) -> None:
    octets = text.encode()
    for end in range(len(octets)):
        with pytest.raises(InvalidEvent):
            decode_event(octets[:end])
    for junk in (b"x", b"{}", b",", b"\x00"):
        with pytest.raises(InvalidEvent):
            decode_event(octets + junk)
    assert decode_event(octets + b" \n") == one


@given(events)
def test_damaged_texts_are_events_or_refused(one: StructuredEvent) -> None:
    octets = encode_event(one)
    for place in range(0, len(octets), max(1, len(octets) // 8)):
        for octet in (0x00, 0x22, 0x5B, 0xFF, octets[place] ^ 1):
            damaged = octets[:place] + bytes([octet]) + octets[place + 1 :]
            try:
                again = decode_event(damaged)
            except InvalidEvent:
                continue
            assert decode_event(encode_event(again)) == again


def test_the_public_names() -> None:
    assert all(hasattr(json_codec, name) for name in json_codec.__all__)
