"""How the messages of plain brokers carry events: a payload, its content type, and texts beside it.

========================== ============================ ===========================================
event                      payload                      content type
========================== ============================ ===========================================
data only                  one JSON object              application/json
body: text                 the text                     text/plain
body: octets               the octets                   application/octet-stream
body: another value        JSON, not an object          application/json
anything else              the event as typed JSON      application/vnd.tidings.event+json
========================== ============================ ===========================================

Header properties are texts beside the payload, in any order; those that are no plain texts go
together, as typed JSON, into `Tidings-Header`. Of a message without a known content type, a JSON
object is the data, other JSON the body; what is not JSON is a body: a text if it is UTF-8, else
octets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_codec import decode_event, encode_event, event_from_plain
from tidings.events.codecs.json_text import MAX_VALUES, parse_json, write_json
from tidings.events.codecs.json_values import value_to_plain
from tidings.events.standard_header import STANDARD_NAMES, standard_value
from tidings.events.structured import StructuredEvent, pack_header_value
from tidings.federation.marks import PROPERTY, Mark, mark_of_text, mark_text, marked, unmarked

JSON: Final = "application/json"
TEXT: Final = "text/plain"
OCTETS: Final = "application/octet-stream"
EVENT: Final = "application/vnd.tidings.event+json"
"""The content type of whole events."""
TYPED: Final = "Tidings-Header"
"""Beside a payload: the header properties that are no plain texts."""
CONTENT_TYPE: Final = "Content-Type"
"""Beside a payload, where a service has no other place for it."""

# What a header of NATS can be named; and what its server acts upon, which no event may set.
_NAME: Final = re.compile(r"(?!Nats-)[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.IGNORECASE)
_OURS: Final = frozenset({PROPERTY, TYPED, CONTENT_TYPE})
_UNREADABLE: Final = (InvalidEvent, LimitExceeded)
_DIGITS: Final = re.compile(r"-?[0-9]{1,20}")


class Message(NamedTuple):
    """What a broker carries.

    Attributes:
        payload: The octets.
        content_type: What they are; empty if nobody says.
        texts: Beside the payload.
    """

    payload: bytes
    content_type: str = ""
    texts: Mapping[str, str] = {}


class Names(NamedTuple):
    """What a topic or subject says of an event."""

    domain: str = ""
    type: str = ""
    name: str = ""


def message_of(event: StructuredEvent, mark: Mark, topic: Names) -> Message:
    """Return the message that stands for an event; whole if its topic or payload would lose some.

    Raises:
        LimitExceeded: It is too large.
    """
    if topic != (event.domain, event.type, event.name):
        return whole(event, mark)
    if event.body is None:
        form = {name: value_to_plain(value) for name, value in event.data.items()}
        return Message(write_json(form), JSON, texts_of(event.header, mark))
    if not event.data and (plain := _plain_body(event.body)):
        return Message(*plain, texts_of(event.header, mark))
    return whole(event, mark)


def whole(event: StructuredEvent, mark: Mark) -> Message:
    """Return a message with all of an event, and its mark, in the payload."""
    return Message(encode_event(marked(event, mark)), EVENT)


def _plain_body(body: Value) -> tuple[bytes, str] | None:
    if isinstance(body, str):
        return body.encode(), TEXT
    if isinstance(body, bytes):
        return body, OCTETS
    form = value_to_plain(body)
    return None if isinstance(form, dict) else (write_json(form), JSON)


def event_of(message: Message, topic: Names) -> tuple[StructuredEvent, Mark | None]:
    """Return the event that a message stands for, whoever has sent it, and its mark if it has one.

    The header of a foreign message may have standard properties as people write them
    (`Timeout: 5s`); a wrong one is dropped.
    """
    if message.content_type == EVENT:
        try:
            return unmarked(decode_event(message.payload))
        except _UNREADABLE:
            pass  # the label is wrong: a foreign payload
    event = _with_payload(message, topic)
    return msgspec.structs.replace(event, header=header_of(message.texts)), _mark(message.texts)


def _with_payload(message: Message, topic: Names) -> StructuredEvent:
    payload = message.payload
    if message.content_type not in (TEXT, OCTETS) and payload:
        try:
            plain = parse_json(payload, values=MAX_VALUES)
            part = "data" if isinstance(plain, dict) else "body"
            return event_from_plain({**topic._asdict(), part: plain})
        except _UNREADABLE:
            pass
    if message.content_type != OCTETS:
        try:
            return StructuredEvent(*topic, body=payload.decode())
        except UnicodeDecodeError:
            pass
    return StructuredEvent(*topic, body=payload)


def texts_of(header: Mapping[str, Value], mark: Mark) -> dict[str, str]:
    """Return the texts that stand for a header and a mark."""
    texts: dict[str, str] = {}
    typed: dict[str, object] = {}
    for name, value in header.items():
        if name in STANDARD_NAMES and type(value) is int:
            texts[name] = str(value)
        elif isinstance(value, str) and _is_plain(name, value):
            texts[name] = value
        else:
            typed[name] = value_to_plain(value)
    if typed:
        texts[TYPED] = json.dumps(json.loads(write_json(typed)), separators=(",", ":"))
    texts[PROPERTY] = mark_text(mark)
    return texts


def _is_plain(name: str, value: str) -> bool:
    """Whether a text property comes back from any service as it was."""
    return (
        name not in STANDARD_NAMES
        and name not in _OURS
        and _NAME.fullmatch(name) is not None
        and value.isascii()
        and value.isprintable()
        and value == value.strip()
        and value != ""
    )


def header_of(texts: Mapping[str, str]) -> dict[str, Value]:
    """Return the header that texts stand for."""
    header: dict[str, Value] = {}
    for name, text in texts.items():
        if name in STANDARD_NAMES:
            try:
                given = int(text) if _DIGITS.fullmatch(text) else standard_value(name, text)
                header[name] = pack_header_value(name, given)
            except InvalidEvent:
                continue
        elif name and name not in _OURS:
            header[name] = text
    if TYPED in texts:
        try:
            plain = {"domain": "", "type": "", "header": parse_json(texts[TYPED])}
            header |= event_from_plain(plain).header
        except _UNREADABLE:
            pass
    return header


def _mark(texts: Mapping[str, str]) -> Mark | None:
    try:
        return mark_of_text(texts[PROPERTY]) if PROPERTY in texts else None
    except InvalidEvent:
        return None
