"""CloudEvents: attributes, headers and bodies, ours and others', and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.strategies import readable
from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as Boxed
from tidings.events.build import event
from tidings.events.codecs.cloudevents_codec import (
    FOREIGN_DOMAIN,
    MAX_BATCH_OCTETS,
    MEDIA_TYPE,
    Attribute,
    CloudEvent,
    Json,
    checked_attributes,
    decode_batch,
    decode_binary,
    decode_structured,
    encode_batch,
    encode_binary,
    encode_structured,
    from_cloudevent,
    from_header,
    to_cloudevent,
    to_header,
)
from tidings.events.codecs.json_text import MAX_EVENT_OCTETS
from tidings.events.envelope import Envelope, ProducerMark, TraceContext
from tidings.events.structured import StructuredEvent

LEAST: dict[str, object] = {"specversion": "1.0", "id": "1", "source": "/s", "type": "t"}


@pytest.mark.parametrize(
    ("changes", "where", "says"),
    [
        ({"specversion": "0.3"}, "specversion", "must be \"1.0\", not '0.3'"),
        ({"specversion": None}, "specversion", "must be"),
        *(({"id": None}, "id", "needs this attribute"), ({"source": ""}, "source", "not empty")),
        *(({"type": 5}, "type", "must be a text"), ({"subject": ""}, "subject", "not empty")),
        ({"dataschema": 5}, "dataschema", "must be a text"),
        ({"Upper": "x"}, "", "'Upper' is not an attribute: use lower-case"),
        ({"with_underscore": "x"}, "", "not an attribute"),
        *(({"é": "x"}, "", "not an attribute"), ({"": "x"}, "", "not an attribute")),
        *(({"data": "x"}, "", "not an attribute"), ({"n": 2**31}, "n", "32 bits")),
        ({"n": 1.5}, "n", "a text, an integer or a boolean, not 1.5"),
        *(({"n": [1]}, "n", "a text, an integer"), ({"n": "a\nb"}, "n", "control characters")),
        ({"n": "\ud800"}, "n", "control characters"),
        ({"datacontenttype": "json"}, "datacontenttype", "not a media type"),
        ({"datacontenttype": "a/b\r\nx: y"}, "datacontenttype", "control|media type"),
        ({"time": "yesterday"}, "time", "not a time such as"),
        ({"time": "2018-02-30T00:00:00Z"}, "time", "not a time"),
    ],
)
def test_what_is_no_attribute(changes: dict[str, object], where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        checked_attributes({**LEAST, **changes})
    assert caught.value.where == where


# The first is the example of the HTTP binding, section 3.1.3.2.
HEADERS: list[tuple[Attribute, str]] = [
    ("Euro € 😀", "Euro%20%E2%82%AC%20%F0%9F%98%80"),
    *(("plain/~!", "plain/~!"), ('100% "x"', "100%25%20%22x%22"), ("\x7f", "%7F"), (True, "true")),
    *((False, "false"), (-5, "-5"), ("", "")),
]


@pytest.mark.parametrize(("value", "header"), HEADERS)
def test_values_of_headers(value: Attribute, header: str) -> None:
    assert to_header(value) == header
    assert from_header(header, "x") == (
        str(value).lower() if isinstance(value, bool) else str(value)
    )


@pytest.mark.parametrize(
    ("header", "text"),
    [
        *(("a b", "a b"), ("%61", "a"), ("%e2%82%ac", "€"), ("%2561", "%61")),
        ('"quoted \\"text\\" \\\\ %20"', 'quoted "text" \\  '),
        *(('"', '"'), (" \tx ", "x")),
    ],
)
def test_other_ways_to_write_headers(header: str, text: str) -> None:
    assert from_header(header, "x") == text


@pytest.mark.parametrize(
    ("header", "says"),
    [
        *(("100%", "a percent sign is written %25"), ("%zz", "%25"), ("%4", "%25")),
        *(
            ("%C0%A0", "not UTF-8"),
            ("%ED%A0%80", "not UTF-8"),
            ("%FF", "not UTF-8"),
            ("é", "ASCII"),
        ),
    ],
)
def test_what_is_no_header(header: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        from_header(header, "ce-subject")
    assert caught.value.where == "ce-subject"


@given(st.one_of(readable, st.text(st.characters(codec="utf-8"))))
def test_headers_there_and_back(text: str) -> None:
    header = to_header(text)
    assert header.isascii()
    assert header.isprintable()
    assert " " not in header
    assert from_header(header, "x") == text


ORIGIN = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{ORIGIN}-b7ad6b7169203331-01"
SPEED = event("Traffic", "Speed", "car-7", {"rate": 57.5})
# 15 November 2026, noon, and a microsecond.
FULL = Envelope(
    *(SPEED, ORIGIN, 42, 1_794_744_000_000_001, 7, ProducerMark("cam 3", 9)),
    *((ORIGIN, "f" * 32), TraceContext(TRACEPARENT, "a=1")),
)
ATTRIBUTES: dict[str, Attribute] = {
    "specversion": "1.0", "id": "42", "source": f"urn:tidings:{ORIGIN}", "type": "Speed",
    "subject": "car-7", "time": "2026-11-15T12:00:00.000001Z", "datacontenttype": MEDIA_TYPE,
    "domain": "Traffic", "plan": "7", "producer": "cam 3", "number": "9",
    "hops": f"{ORIGIN},{'f' * 32}", "traceparent": TRACEPARENT, "tracestate": "a=1",
}  # fmt: skip
DATA = {"domain": "Traffic", "type": "Speed", "name": "car-7", "data": {"rate": 57.5}}


@pytest.mark.parametrize(
    ("changes", "where", "says"),
    [
        ({"id": "042"}, "id", "by the data it would be '42'"),
        *(({"id": "4_2"}, "id", "decimal digits"), ({"id": "9" * 20}, "id", "decimal digits")),
        ({"id": "0"}, "seq", "not between 1"),
        ({"source": "urn:tidings:x"}, "origin", "32 hexadecimal"),
        ({"type": "Other"}, "type", "the attribute is 'Other'; by the data it would be 'Speed'"),
        ({"subject": None}, "subject", "the attribute is None"),
        ({"domain": "Other"}, "domain", "'Traffic'"),
        *(({"plan": "seven"}, "plan", "decimal digits"), ({"plan": "0"}, "plan", "None")),
        ({"producer": None}, "producer", "must be a text, not nothing"),
        ({"number": None}, "number", "must be an integer, not nothing"),
        ({"hops": "x"}, "origin", "hexadecimal"),
        ({"traceparent": None}, "traceparent", "must be a text, not nothing"),
        ({"time": None}, "time", "must be the time of arrival"),
        ({"time": "2016-12-31T23:59:60Z"}, "time", "not a moment"),
        ({"arrival": "5"}, "arrival", "would be None"),
    ],
)
def test_what_is_ours_and_broken(
    changes: dict[str, Attribute | None], where: str, says: str
) -> None:
    changed: dict[str, Attribute | None] = {**ATTRIBUTES, **changes}
    attributes = {name: value for name, value in changed.items() if value is not None}
    with pytest.raises(InvalidEvent, match=says) as caught:
        from_cloudevent(CloudEvent(attributes, Json(DATA)))
    assert caught.value.where == where


@pytest.mark.parametrize("data", [None, "text", b"octets", Json(5), Json({**DATA, "x": 1})])
def test_ours_has_an_event_as_data(data: Json | str | bytes | None) -> None:
    with pytest.raises(InvalidEvent, match="data"):
        from_cloudevent(CloudEvent(ATTRIBUTES, data))


def foreign(type_: str = "t", id: str = "1", data: object = None, **more: Any) -> StructuredEvent:
    header = {"source": "/s", **more.pop("header", {})}
    return event(FOREIGN_DOMAIN, type_, id, data or {}, header=header, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (SPEED, "only an event that came as a CloudEvent has a source"),
        (event(FOREIGN_DOMAIN, "t", "1"), "only an event that came"),
        (foreign(""), "type: must be a text that is not empty"),
        *((foreign("t", ""), "id: must be"), (foreign(header={"x": 1.5}), "x: an attribute is")),
        (foreign(data={"a": b"x"}), "data.a: b'x' cannot be said"),
        (foreign(data={"a": [float("nan")]}), r"data.a\[0\]: nan"),
        (foreign(data={"a": 1}, body=1), "either members"),
        (foreign(body=Boxed(tc.SHORT, 1)), "body: Any"),
        (foreign(header={"datacontenttype": "a/b"}, body=5), "a text or octets"),
    ],
)
def test_events_that_are_no_cloudevents(one: StructuredEvent, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says):
        to_cloudevent(one)


HEAD = {
    "specversion": "1.0", "id": "A234-1234-1234", "type": "com.example.someevent",
    "source": "/mycontext", "time": "2018-04-05T17:31:00Z", "comexampleextension1": "value",
    "comexampleothervalue": 5,
}  # fmt: skip
CE_HEADERS = {f"ce-{name}": str(value) for name, value in HEAD.items()}


@pytest.mark.parametrize(
    ("media_type", "body", "expected"),
    [
        *(("text/plain", "é".encode(), "é"), ("text/plain", b"\xff", b"\xff")),
        ("text/plain; charset=latin-1", b"\xe9", b"\xe9"),
        *(("text/plain", b"", ""), ("application/octet-stream", b"a", b"a")),
        *(("application/octet-stream", b"", b""), ("application/json", b"", None)),
        *((None, b"a", b"a"), (None, b"", None)),
    ],
)
def test_bodies(media_type: str | None, body: bytes, expected: object) -> None:
    headers = {**CE_HEADERS, **({} if media_type is None else {"content-type": media_type})}
    found = decode_binary(headers, body)
    assert isinstance(found, StructuredEvent)
    assert found.body == expected
    assert encode_binary(found) == (headers, body)


WRONG_STRUCTURED: list[tuple[object, str, str]] = [
    *(([], "", "a CloudEvent is a JSON object"), ({**HEAD, "id": ""}, "id", "not empty")),
    ({**HEAD, "specversion": "2.0"}, "specversion", "1.0"),
    ({**HEAD, "data": 1, "data_base64": ""}, "data_base64", "exclude each other"),
    ({**HEAD, "data_base64": 5}, "data_base64", "must be text in base64"),
    ({**HEAD, "data_base64": "Y"}, "data_base64", "not base64"),
    (
        {**HEAD, "datacontenttype": "text/plain", "data": {}},
        "data",
        "must be a text, as text/plain",
    ),
    ({**HEAD, "data": {"a": 2**64}}, "data.a", "outside the integers"),
]


@pytest.mark.parametrize(("plain", "where", "says"), WRONG_STRUCTURED)
def test_what_is_no_cloudevent(plain: object, where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        decode_structured(json.dumps(plain))
    assert caught.value.where == where
    with pytest.raises(InvalidEvent, match=says) as caught:
        decode_batch(json.dumps([HEAD, plain]))
    assert caught.value.where == ".".join(filter(None, ["[1]", where]))


@pytest.mark.parametrize(
    ("headers", "body", "where", "says"),
    [
        ({"ce-datacontenttype": "a/b"}, b"", "ce-datacontenttype", "stands in content-type"),
        *(
            ({"ce-id": "%"}, b"", "ce-id", "%25"),
            ({"ce-with-dash": "x"}, b"", "", "not an attribute"),
        ),
        ({"ce-Upper": "x", "ce-source": ""}, b"", "source", "not empty"),
        ({"content-type": "application/json"}, b"{", "data", "ends too early"),
        ({"content-type": "nonsense"}, b"", "datacontenttype", "not a media type"),
    ],
)
def test_what_is_no_cloudevent_in_headers(
    headers: dict[str, str], body: bytes, where: str, says: str
) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        decode_binary({**CE_HEADERS, **headers}, body)
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "a batch of CloudEvents is a JSON array"),
        *(("5", "a JSON array"), ("[", "ends too early"), ("[{}, x]", "line 1, column 6")),
        *(("[{}] x", "trailing"), (b"\xff", "not UTF-8"), ('"\ud800"', "lone surrogate")),
        ("[" * 10_000, "nests too deeply"),
        ('[{"a": 1, "a": 2}]', r"\[0\]: the name 'a' stands twice"),
    ],
)
def test_what_is_no_batch(text: str | bytes, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says):
        decode_batch(text)


def test_texts_with_another_charset_cannot_become_octets() -> None:
    plain = {**HEAD, "datacontenttype": "text/plain; charset=utf-16", "data": "x"}
    found = decode_structured(json.dumps(plain))
    with pytest.raises(InvalidEvent, match="cannot be put into octets"):
        encode_binary(found)


def test_the_limits() -> None:
    large = Envelope(event("A", "B", body="x" * (MAX_EVENT_OCTETS - 50)), "0" * 32, 1, 0)
    assert decode_structured(encode_structured(large)) == large
    assert decode_binary(*encode_binary(large)) == large
    too_large = Envelope(event("A", "B", body="x" * MAX_EVENT_OCTETS), "0" * 32, 1, 0)
    with pytest.raises(LimitExceeded):
        encode_binary(too_large)
    with pytest.raises(LimitExceeded):
        decode_binary({**CE_HEADERS, "content-type": "a/b"}, b"x" * (MAX_EVENT_OCTETS + 1))
    with pytest.raises(LimitExceeded):
        decode_structured(b" " * 2 * MAX_EVENT_OCTETS)
    with pytest.raises(LimitExceeded):
        encode_batch([large] * 7)
    with pytest.raises(LimitExceeded):
        decode_batch(b" " * (MAX_BATCH_OCTETS + 1))


def test_what_is_cut_is_refused() -> None:
    octets = encode_structured(FULL)
    for end in range(len(octets)):
        with pytest.raises(InvalidEvent):
            decode_structured(octets[:end])
    headers, body = encode_binary(FULL)
    for end in range(len(body)):
        with pytest.raises(InvalidEvent):
            decode_binary(headers, body[:end])
    for name in headers:
        if name not in ("ce-tracestate", "ce-plan", "ce-hops", "content-type"):
            with pytest.raises(InvalidEvent):
                decode_binary({k: v for k, v in headers.items() if k != name}, body)
