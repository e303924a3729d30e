"""What adapters of brokers decide without their broker: packets, lifetimes, positions, refusals."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from nats.js.api import ConsumerConfig, ConsumerInfo, SequenceInfo

from tidings.clock import to_timebase, utc_now
from tidings.events.anyvalue import Any as Boxed
from tidings.events.build import event
from tidings.events.structured import UTC_T
from tidings.federation.marks import Mark
from tidings.filters.dialects.topics import MQTT, NATS, Template
from tidings.gateways.adapters.base import AdapterError, Outgoing, Refused
from tidings.gateways.adapters.mqtt import (
    MqttParameters,
    Packet,
    lifetime,
    packet,
    patterns_of,
    with_rest,
)
from tidings.gateways.adapters.nats import Letter, NatsParameters, letter, position, refusal
from tidings.gateways.messages import EVENT, JSON, Names

MARK = Mark("test", "here", "a stream", 7, ("here", "there"))
TOPICS = Template("t/{domain}/{type}/{name}", MQTT)
SUBJECTS = Template("t.{domain}.{type}.{name}", NATS)
NOW = 1_800_000_000_000_000
UNITS = 10_000_000


def of_mqtt(most: int = 10_000, template: Template = TOPICS, **parts: Any) -> Packet | Refused:
    parameters = {name: parts.pop(name) for name in ("protocol", "payload") if name in parts}
    sent = event(parts.pop("domain", "d"), "t", parts.pop("name", "n"), **parts)
    return packet(Outgoing(sent, MARK), MqttParameters(**parameters), template, NOW, most)


def made(found: Packet | Refused) -> Packet:
    assert isinstance(found, Packet), found
    return found


def cause(found: Packet | Letter | Refused) -> str:
    assert isinstance(found, Refused)
    return found.cause


def test_a_packet_of_mqtt() -> None:
    found = made(of_mqtt(data={"a": 1}, header={"x": "y"}, timeout="5s"))
    assert found.topic == "t/d/t/n"
    assert (found.message.payload, found.message.content_type) == (b'{"a":1}', JSON)
    assert found.message.texts["x"] == "y"
    assert found.expiry == 5
    assert made(of_mqtt()).expiry is None


def test_names_that_no_level_can_carry_are_escaped() -> None:
    assert made(of_mqtt(domain="a/+#", name="")).topic == "t/a%2F%2B%23/t/%"
    sent = event("a.b", "> ", "")
    found = letter(Outgoing(sent, MARK), NatsParameters(), SUBJECTS, 10_000)
    assert isinstance(found, Letter)
    assert found.subject == "t.a%2Eb.%3E%20.%"


def test_a_topic_that_says_less_takes_the_whole_event_along() -> None:
    assert made(of_mqtt(template=Template("t/{name}", MQTT))).message.content_type == EVENT


def test_what_is_too_long_for_a_property_goes_into_the_payload() -> None:
    found = made(of_mqtt(most=200_000, header={"x": "y" * 70_000}))
    assert found.message.content_type == EVENT
    sent = event("d", "t", "n", header={"x": "y" * 40_000, "z": "y" * 40_000})
    of_nats = letter(Outgoing(sent, MARK), NatsParameters(), SUBJECTS, 200_000)
    assert isinstance(of_nats, Letter)
    assert of_nats.headers["Content-Type"] == EVENT


def test_an_older_mqtt_refuses_what_it_cannot_mark() -> None:
    for refused in ({"body": "21.5"}, {"body": b"{}"}, {"data": {"a": 1}, "body": "x"}):
        assert "set payload = 'event'" in cause(of_mqtt(protocol="3.1.1", **refused))
        whole = made(of_mqtt(protocol="3.1.1", payload="event", **refused)).message
        assert b"Federation" in whole.payload
    found = made(of_mqtt(protocol="3.1.1", body=21.5, timeout="5s", priority=4))
    assert (found.message.payload, found.message.texts, found.expiry) == (b"21.5", {}, None)


def test_sizes_that_a_broker_does_not_take() -> None:
    most = 1_000
    for parts in ({"data": {"a": "x" * most}}, {"header": {"a": "x" * most}}, {"name": "x" * most}):
        assert "the broker takes up to 1000" in cause(of_mqtt(most, **parts))
        sent = event("d", "t", **{"name": "n", **parts})  # type: ignore[arg-type]
        found = letter(Outgoing(sent, MARK), NatsParameters(), SUBJECTS, most)
        assert "name" in parts or "the server takes up to 1000" in cause(found)
    assert "topic" in cause(of_mqtt(1_000_000, name="x" * 65_536))
    sent = event("d", "t", "x" * 3_000)
    assert "subject" in cause(letter(Outgoing(sent, MARK), NatsParameters(), SUBJECTS, 1_000_000))


def stop(seconds: float) -> Boxed:
    units = to_timebase(NOW + int(seconds * 1_000_000))
    return Boxed(UTC_T, (units, 0, 0, 0))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ({}, None),
        ({"Timeout": 0}, None),
        ({"Timeout": 2 * UNITS + 1}, 3),
        ({"Timeout": 1}, 1),
        ({"StopTime": stop(60)}, 60),
        ({"StopTime": stop(-60)}, 1),
        ({"Timeout": 10 * UNITS, "StopTime": stop(60)}, 10),
        ({"Timeout": 90 * UNITS, "StopTime": stop(60)}, 60),
        ({"Timeout": 2**63}, 2**32 - 1),
        ({"Timeout": "soon", "StopTime": "late"}, None),
        ({"StopTime": Boxed(UTC_T, (0, 0, 0, 0))}, 1),
    ],
)
def test_how_long_a_broker_keeps_an_event(header: Any, seconds: int | None) -> None:
    assert lifetime(header, NOW) == seconds


def test_what_a_broker_leaves_of_a_lifetime() -> None:
    assert with_rest({"a": 1}, 2) == {"a": 1, "Timeout": 2 * UNITS}
    assert with_rest({"Timeout": 5 * UNITS}, 2) == {"Timeout": 2 * UNITS}
    assert with_rest({"Timeout": UNITS // 2}, 1) == {"Timeout": UNITS // 2}
    late = {"StopTime": stop(60)}
    assert with_rest(late, 2) == late


def test_every_pattern_that_an_event_fits() -> None:
    found = patterns_of(TOPICS, Names("d", "t", "n"))
    assert len(found) == 8
    assert {"t/+/+/+", "t/+/+/n", "t/d/+/n", "t/d/t/n"} <= set(found)
    assert patterns_of(Template("t/{name}", MQTT), Names(name="n"))[0] == "t/+"


def test_the_mark_is_what_a_stream_knows_an_event_by() -> None:
    ids = set()
    for mark in (MARK, MARK.then("elsewhere"), msgspec.structs.replace(MARK, number=8)):
        found = letter(Outgoing(event("d", "t"), mark), NatsParameters(), SUBJECTS, 10_000)
        assert isinstance(found, Letter)
        ids.add(found.headers["Nats-Msg-Id"])
    assert ids == {"test/here/a%20stream/7", "test/here/a%20stream/8"}


def consumer(floor: int, delivered: int, pending: int, begin: int | None) -> ConsumerInfo:
    return ConsumerInfo(
        name="c",
        stream_name="s",
        config=ConsumerConfig(opt_start_seq=begin),
        delivered=SequenceInfo(consumer_seq=0, stream_seq=delivered),
        ack_floor=SequenceInfo(consumer_seq=0, stream_seq=floor),
        num_ack_pending=pending,
        created=utc_now(),
    )


def test_where_a_consumer_stands() -> None:
    assert position(consumer(0, 0, 0, None)) == 0
    assert position(consumer(0, 3, 0, 4)) == 3  # just made
    assert position(consumer(0, 9, 3, 4)) == 3  # nothing acknowledged
    assert position(consumer(6, 9, 2, 4)) == 6
    assert position(consumer(6, 9, 0, 4)) == 9  # all that it saw since was not wanted


def test_what_a_stream_answers() -> None:
    assert refusal(b'{"stream":"s","seq":1,"duplicate":true}', "NATS") is None
    too_large = b'{"error":{"code":400,"err_code":10054,"description":"message size exceeds"}}'
    assert refusal(too_large, "NATS") == Refused("NATS: message size exceeds")
    for passing in (b'{"error":{"code":400,"err_code":10077,"description":"full"}}', b"", b"[]"):
        with pytest.raises(AdapterError, match="NATS: "):
            refusal(passing, "NATS")
