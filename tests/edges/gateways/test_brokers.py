"""Events as messages of brokers: limits, odd values, what foreign clients send."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.laws.test_broker_laws import MARK, bound, frame, message, selected
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as Boxed
from tidings.events.build import event
from tidings.filters.constraint import constraint
from tidings.gateways.brokers import amqp_messages, jms_messages
from tidings.gateways.brokers import properties as p

NOW = 1_800_000_000_000_000
LETTER = Boxed(tc.CHAR, "A")


def speed(**data: object) -> Any:
    return event("", "", "Speed", data)


@pytest.mark.parametrize(
    ("header", "milliseconds"),
    [
        ({}, None),
        ({"Timeout": "5s"}, 5_000),
        ({"Timeout": 1}, 1),  # 100 ns
        ({"StopTime": "2027-01-15T08:00:01Z"}, 1_000),
        ({"StopTime": "2027-01-15T08:00:01Z", "Timeout": "5s"}, 1_000),
        ({"StopTime": "2020-01-01T00:00:00Z", "Timeout": "5s"}, 0),
    ],
)
def test_a_lifetime_is_the_shorter_one(header: dict[str, object], milliseconds: int | None) -> None:
    assert p.lifetime(event("", "", "Speed", header=header), NOW) == milliseconds


def test_context_is_in_the_fields_that_brokers_have_for_it() -> None:
    sent = event("", "", "S", priority=20_000, timeout="5s", header={"EventReliability": 0})
    made = amqp_messages.message_of(sent, MARK, NOW)
    assert (made.priority, made.properties.expiration, made.delivery_mode) == (8, "5000", 1)
    headers = jms_messages.headers_of(sent, MARK, NOW)
    assert (headers["priority"], headers["persistent"]) == ("8", "false")
    assert headers["expires"] == str(NOW // 1_000 + 5_000)
    plain = amqp_messages.message_of(speed(), MARK, NOW)
    assert (plain.priority, plain.properties.expiration, plain.delivery_mode) == (4, None, 2)


def test_a_lifetime_beyond_what_the_broker_takes_is_none() -> None:
    made = amqp_messages.message_of(event("", "", "S", timeout="50d"), MARK, NOW)
    assert made.properties.expiration is None


@pytest.mark.parametrize(
    "value",
    [
        *(float("nan"), float("inf"), 2**63, Decimal("1.5"), Decimal("1e9")),
        *("z" * 100_000, LETTER, {"n" * 129: 1}),
    ],
)
def test_what_no_header_of_amqp_can_be_is_in_the_body_and_every_filter_meets_it(
    value: object,
) -> None:
    headers = amqp_messages.headers_of(speed(x=value, y=1), MARK)
    assert headers[p.PARTLY] is True
    assert headers["y"] == 1
    assert bound(amqp_messages.bindings_of(constraint("$x == 5")), headers)


def test_headers_of_amqp_fit_into_one_frame() -> None:
    sent = speed(**{f"p{n}": "ü" * 1_000 for n in range(100)})
    headers = amqp_messages.headers_of(sent, MARK)
    assert headers[p.PARTLY] is True
    assert sum(len(str(one).encode()) for one in headers.values()) < 131_072


@pytest.mark.parametrize("value", ["a\rb", "a\0b", ":" * 5_000, LETTER, (1, 2), Decimal("1.5")])
def test_what_no_header_of_stomp_can_be_is_in_the_body_and_every_filter_meets_it(
    value: object,
) -> None:
    headers = jms_messages.headers_of(speed(x=value, y=1), MARK, NOW)
    assert headers[p.PARTLY] == "true"
    assert headers["y"] == "1"
    assert "\r" not in "".join(headers.values())
    assert selected(constraint("$x == 5"), headers)


@pytest.mark.parametrize("name", ["destination", "Content-Length", "JMSXGroupID", "é", "a\rb"])
def test_no_property_takes_the_place_of_a_header_of_stomp(name: str) -> None:
    headers = jms_messages.headers_of(speed(**{name: "x"}), MARK, NOW)
    assert headers.get(name) is None
    assert headers[p.PARTLY] == "true"


def test_there_are_no_more_headers_than_a_broker_takes() -> None:
    headers = jms_messages.headers_of(speed(**{f"p{n}": n for n in range(2_000)}), MARK, NOW)
    assert len(headers) < 1_000
    assert headers[p.PARTLY] == "true"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5), ("-5", -5), ("0", 0), ("-0", "-0"), ("007", "007"), ("+5", "+5"),
        ("12345678901234567890", "12345678901234567890"), ("5.0", 5.0), ("1.0E10", 1e10),
        ("1.", "1."), ("NaN", "NaN"), ("true", True), ("True", "True"), ("", ""), ("5 ", "5 "),
    ],
)  # fmt: skip
def test_texts_that_java_writes_for_values_are_values(text: str, value: object) -> None:
    found = jms_messages.value_of(text)
    assert found == value
    assert type(found) is type(value)


def test_a_map_message_is_the_body() -> None:
    text = b'{"map":{"entry":[{"string":["name","Eva"]},{"string":"age","int":5}]}}'
    headers = {"transformation": "jms-map-json", "event_name": "Speed"}
    found, _ = jms_messages.event_of(frame(headers, text))
    assert found.body == {"name": "Eva", "age": 5}
    for broken in (b"{}", b'{"map":{"entry":5}}', b'{"map":{"entry":[{"string":["a"]}]}}', b"{"):
        found, _ = jms_messages.event_of(frame(headers, broken))
        assert found.body == broken.decode()


def test_a_body_of_ours_that_cannot_be_read_is_octets() -> None:
    found, _ = jms_messages.event_of(frame({"content-type": p.CONTENT_TYPE, "n": "1"}, b"\xff{"))
    assert (found.body, dict(found.data)) == (b"\xff{", {"n": 1})
    other, _ = amqp_messages.event_of(message({"n": 1}, content_type=p.CONTENT_TYPE, body=b"{"))
    assert (other.body, dict(other.data)) == (b"{", {"n": 1})


def test_a_filter_that_a_broker_cannot_judge_is_wider_and_says_why() -> None:
    found = amqp_messages.bindings_of(constraint("$event_name == 'Speed' and $rate > 30"))
    assert [dict(one) for one in found.alternatives] == [{"event_name": "Speed", "rate": None}]
    assert not found.exact
    assert "equal" in found.surplus
    exact = amqp_messages.bindings_of(constraint("$event_name == 'Speed' and $host == 'node'"))
    assert exact.exact
    many = " or ".join(f"($a == {n} and $b == {n})" for n in range(2, 200))
    assert len(amqp_messages.bindings_of(constraint(many)).alternatives) == 1
    assert jms_messages.selector_of(constraint("$host == 'node'")).exact
    assert not jms_messages.selector_of(constraint("$rate > 30")).exact


def test_values_are_written_as_java_writes_them() -> None:
    sent = speed(up=True, no=False, all=float("inf"), least=-float("inf"), none=float("nan"))
    headers = jms_messages.headers_of(sent, MARK, NOW)
    written = ("true", "false", "Infinity", "-Infinity", "NaN")
    assert tuple(headers[name] for name in sent.data) == written
    assert selected(constraint("$all > 5 and $least < 5 and $up"), headers)


def test_a_domain_that_is_not_there_is_empty() -> None:
    nowhere = constraint("$domain_name == ''")
    assert selected(nowhere, {"event_name": "Speed"})
    assert bound(amqp_messages.bindings_of(nowhere), {"event_name": "Speed"})


def test_filters_that_are_too_long_together_ask_for_everything() -> None:
    assert jms_messages.joined(["host = 'x'", ""], "me") == ""
    assert jms_messages.joined([f"host = '{n:0200}'" for n in range(100)], "me") is None
    assert jms_messages.joined([f"host = '{n:0200}'" for n in range(30)], "me")
