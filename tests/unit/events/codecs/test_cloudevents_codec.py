from __future__ import annotations

import json

import pytest

from tests.unit.events.codecs.test_cloudevents_mapping import FULL
from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events.build import event
from tidings.events.codecs import cloudevents_codec
from tidings.events.codecs.cloudevents_codec import (
    MAX_BATCH_OCTETS,
    decode_batch,
    decode_binary,
    decode_structured,
    encode_batch,
    encode_binary,
    encode_structured,
)
from tidings.events.codecs.json_codec import MAX_EVENT_OCTETS, encode_event
from tidings.events.envelope import Envelope
from tidings.events.structured import StructuredEvent

HEAD = {
    "specversion": "1.0",
    "id": "A234-1234-1234",
    "type": "com.example.someevent",
    "source": "/mycontext",
    "time": "2018-04-05T17:31:00Z",
    "comexampleextension1": "value",
    "comexampleothervalue": 5,
}
CE_HEADERS = {
    "ce-specversion": "1.0",
    "ce-type": "com.example.someevent",
    "ce-source": "/mycontext",
    "ce-id": "A234-1234-1234",
    "ce-time": "2018-04-05T17:31:00Z",
    "ce-comexampleextension1": "value",
    "ce-comexampleothervalue": "5",
}

# The examples of the JSON format, section 3.2: in JSON, and the same in headers and a body.
EXAMPLES: list[tuple[dict[str, object], str | None, bytes]] = [
    (
        {"datacontenttype": "application/vnd.apache.thrift.binary", "data_base64": "AAEC"},
        None,
        b"\x00\x01\x02",
    ),
    (
        {"datacontenttype": "application/xml", "data": '<much wow="xml"/>'},
        None,
        b'<much wow="xml"/>',
    ),
    (
        {"datacontenttype": "application/json", "data": {"appinfoA": "abc", "appinfoC": True}},
        None,
        b'{"appinfoA":"abc","appinfoC":true}',
    ),
    ({"data": "I'm just a string"}, "application/json", b'"I\'m just a string"'),
    ({"data": None}, "application/json", b"null"),
    ({}, None, b""),
]


@pytest.mark.parametrize(("part", "implied", "body"), EXAMPLES)
def test_the_examples_of_the_specification(
    part: dict[str, object], implied: str | None, body: bytes
) -> None:
    plain = {**HEAD, **part}
    found = decode_structured(json.dumps(plain))
    assert isinstance(found, StructuredEvent)
    assert json.loads(encode_structured(found)) == plain
    assert [json.loads(encode_batch([found]))] == [[plain]]
    headers, octets = encode_binary(found)
    media_type = part.get("datacontenttype", implied)
    expected = CE_HEADERS if media_type is None else {**CE_HEADERS, "content-type": media_type}
    assert headers == expected
    assert octets == body
    again = encode_binary(decode_binary(headers, octets))
    assert again == (headers, octets)


def test_ours_in_all_modes() -> None:
    assert decode_structured(encode_structured(FULL)) == FULL
    assert decode_binary(*encode_binary(FULL)) == FULL
    assert decode_batch(encode_batch([FULL, FULL])) == [FULL, FULL]
    assert decode_batch("[]") == []


def test_ours_in_headers() -> None:
    headers, body = encode_binary(FULL)
    assert headers["content-type"] == "application/vnd.tidings.event+json"
    assert headers["ce-producer"] == "cam%203"
    assert body == encode_event(FULL.event)


def test_names_of_headers_may_be_in_any_case_and_others_are_passed_over() -> None:
    headers, body = encode_binary(FULL)
    shouted = {name.upper(): value for name, value in headers.items()}
    assert decode_binary({**shouted, "Accept": "*/*", "X-ce-id": "?"}, body) == FULL


@pytest.mark.parametrize(
    ("media_type", "body", "expected"),
    [
        ("text/plain", "é".encode(), "é"),
        ("text/plain", b"\xff", b"\xff"),
        ("text/plain; charset=latin-1", b"\xe9", b"\xe9"),
        ("text/plain", b"", ""),
        ("application/octet-stream", b"a", b"a"),
        ("application/octet-stream", b"", b""),
        ("application/json", b"", None),
        (None, b"a", b"a"),
        (None, b"", None),
    ],
)
def test_bodies(media_type: str | None, body: bytes, expected: object) -> None:
    headers = {**CE_HEADERS, **({} if media_type is None else {"content-type": media_type})}
    found = decode_binary(headers, body)
    assert isinstance(found, StructuredEvent)
    assert found.body == expected
    assert encode_binary(found) == (headers, body)


WRONG_STRUCTURED: list[tuple[object, str, str]] = [
    ([], "", "a CloudEvent is a JSON object"),
    ({**HEAD, "id": ""}, "id", "not empty"),
    ({**HEAD, "specversion": "2.0"}, "specversion", "1.0"),
    ({**HEAD, "data": 1, "data_base64": ""}, "data_base64", "exclude each other"),
    ({**HEAD, "data_base64": 5}, "data_base64", "must be text in base64"),
    ({**HEAD, "data_base64": "Y"}, "data_base64", "no base64"),
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
        ({"ce-id": "%"}, b"", "ce-id", "%25"),
        ({"ce-with-dash": "x"}, b"", "", "no attribute"),
        ({"ce-Upper": "x", "ce-source": ""}, b"", "source", "not empty"),
        ({"content-type": "application/json"}, b"{", "data", "ends too early"),
        ({"content-type": "nonsense"}, b"", "datacontenttype", "no media type"),
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
        ("5", "a JSON array"),
        ("[", "ends too early"),
        ("[{}, x]", "line 1, column 6"),
        ("[{}] x", "trailing"),
        (b"\xff", "no UTF-8"),
        ('"\ud800"', "lone surrogate"),
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


def test_the_public_names() -> None:
    assert all(hasattr(cloudevents_codec, name) for name in cloudevents_codec.__all__)
