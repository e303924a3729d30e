"""Typed JSON: events and envelopes as JSON and back, without loss.

An event is ``{"domain": …, "type": …, "name": …, "header": {…}, "data": {…}, "body": …}``; only
`domain` and `type` are required. An envelope has `origin`, `seq` and `arrival` beside `event`, and
optionally `plan`, `producer` and `number`, `hops`, `traceparent` and `tracestate`. `json_values`
describes values, `json_types` types.

Equal events are written as the same octets. Any order is read, but the order of properties and
members is kept: it is part of an event. Beside malformed JSON, duplicate and unknown names are
refused, and numbers and texts that no value can be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from tidings.errors import InvalidEvent
from tidings.events.anyvalue import MAX_DEPTH, Value, nesting
from tidings.events.codecs.json_text import MAX_EVENT_OCTETS, parse_json, write_json
from tidings.events.codecs.json_types import near_miss
from tidings.events.codecs.json_values import (
    boxed_from_plain,
    is_typed,
    value_from_plain,
    value_to_plain,
)
from tidings.events.envelope import Envelope, ProducerMark, TraceContext
from tidings.events.structured import STANDARD_HEADER, StructuredEvent, pack_header_value
from tidings.events.texts import checked_text, member_name, place_name, shortened

# An event with the longest producer, tracestate and path of hops around it.
MAX_ENVELOPE_OCTETS = MAX_EVENT_OCTETS + 32_768

_EVENT_KEYS = ["domain", "type", "name", "header", "data", "body"]
_ENVELOPE_KEYS = [
    *("origin", "seq", "arrival", "plan", "producer", "number"),
    *("hops", "traceparent", "tracestate", "event"),
]

_T = TypeVar("_T")


def encode_event(event: StructuredEvent) -> bytes:
    """An event as typed JSON."""
    return write_json(event_form(event))


def decode_event(text: bytes | str) -> StructuredEvent:
    """The event in a text of typed JSON."""
    return event_from_plain(parse_json(text))


def encode_envelope(envelope: Envelope) -> bytes:
    """An envelope with its event as typed JSON."""
    return write_json(
        {**envelope_members(envelope), "event": event_form(envelope.event)}, MAX_ENVELOPE_OCTETS
    )


def decode_envelope(text: bytes | str) -> Envelope:
    """The envelope in a text of typed JSON."""
    return envelope_from_plain(parse_json(text, MAX_ENVELOPE_OCTETS))


def event_to_plain(event: StructuredEvent) -> dict[str, object]:
    """An event as a JSON parser would return it."""
    plain = parse_json(encode_event(event))
    assert isinstance(plain, dict)
    return plain


def event_form(event: StructuredEvent) -> dict[str, object]:
    """An event, ready to be encoded as a part of something larger."""
    form: dict[str, object] = {"domain": event.domain, "type": event.type}
    if event.name:
        form["name"] = event.name
    if event.header:
        form["header"] = {name: value_to_plain(v) for name, v in event.header.items()}
    if event.data:
        form["data"] = {name: value_to_plain(v) for name, v in event.data.items()}
    if event.body is not None:
        form["body"] = value_to_plain(event.body)
    return form


def envelope_members(envelope: Envelope) -> dict[str, object]:
    """What an envelope says of its event; what does not apply is left out."""
    members: dict[str, object] = {
        "origin": envelope.origin,
        "seq": envelope.seq,
        "arrival": envelope.arrival,
    }
    if envelope.plan:
        members["plan"] = envelope.plan
    if envelope.mark is not None:
        members |= {"producer": envelope.mark.producer, "number": envelope.mark.number}
    if envelope.hops:
        members["hops"] = list(envelope.hops)
    if envelope.trace is not None:
        members["traceparent"] = envelope.trace.traceparent
        if envelope.trace.tracestate:
            members["tracestate"] = envelope.trace.tracestate
    return members


def event_from_plain(plain: object) -> StructuredEvent:
    """The event in a parsed JSON object."""
    if not isinstance(plain, dict):
        raise InvalidEvent(f"an event is a JSON object, not {shortened(plain)}")
    if not plain.keys() <= _EVENT_KEY_SET:
        raise _unknown(plain, _EVENT_KEYS, "an event")
    get = plain.get
    return StructuredEvent(
        _required_text(plain, "domain"),
        _required_text(plain, "type"),
        _text(get("name", ""), "name"),
        _properties(get("header", {}), "header", _header_value),
        _properties(get("data", {}), "data", _value),
        _body(get("body")),
    )


_EVENT_KEY_SET = frozenset(_EVENT_KEYS)


def _unknown(plain: dict[str, object], known: list[str], what: str) -> InvalidEvent:
    name = next(key for key in plain if key not in known)
    return InvalidEvent(f"{what} has no {shortened(name)}; {near_miss(str(name), known)}")


def _required_text(plain: dict[str, object], name: str) -> str:
    if name not in plain:
        raise InvalidEvent(f"an event needs a {name}, which is a text", name)
    return _text(plain[name], name)


def _text(plain: object, where: str) -> str:
    if type(plain) is not str:
        raise InvalidEvent(f"must be a text, not {shortened(plain)}", where)
    return checked_text(plain, where)


def _properties(
    plain: object, where: str, read: Callable[[str, object], Value]
) -> dict[str, Value]:
    if not isinstance(plain, dict):
        raise InvalidEvent(f"must be an object of properties, not {shortened(plain)}", where)
    found: dict[str, Value] = {}
    for name, item in plain.items():
        try:
            found[member_name(name, "")] = read(name, item)
        except InvalidEvent as error:
            raise error.inside(f"{where}.{place_name(name)}") from error.__cause__
    return found


def _value(name: str, plain: object) -> Value:
    value = value_from_plain(plain)
    if nesting(value) > MAX_DEPTH:
        raise InvalidEvent(f"values nest deeper than {MAX_DEPTH}")
    return value


def _header_value(name: str, plain: object) -> Value:
    if name not in STANDARD_HEADER:
        return _value(name, plain)
    value = boxed_from_plain(plain) if is_typed(plain) else _value(name, plain)  # type: ignore[arg-type]
    try:
        return pack_header_value(name, value)
    except InvalidEvent as error:
        error.where = ""  # the caller knows it
        raise


def _body(plain: object) -> Value:
    try:
        return _value("body", plain)
    except InvalidEvent as error:
        raise error.inside("body") from error.__cause__


def envelope_from_plain(plain: object) -> Envelope:
    """The envelope in a parsed JSON object."""
    if not isinstance(plain, dict):
        raise InvalidEvent(f"an envelope is a JSON object, not {shortened(plain)}")
    if not plain.keys() <= set(_ENVELOPE_KEYS):
        raise _unknown(plain, _ENVELOPE_KEYS, "an envelope")
    inner = _part(plain, "event", dict)
    try:
        event = event_from_plain(inner)
    except InvalidEvent as error:
        raise error.inside("event") from error.__cause__
    return envelope_of(event, plain)


def envelope_of(event: StructuredEvent, members: Mapping[str, object]) -> Envelope:
    """An event in the envelope that `envelope_members` described."""
    mark, trace = None, None
    if "producer" in members or "number" in members:
        mark = ProducerMark(_part(members, "producer", str), _part(members, "number", int))
    if "traceparent" in members or "tracestate" in members:
        parent, state = _part(members, "traceparent", str), _part(members, "tracestate", str, "")
        trace = TraceContext(parent, state)
    hops = enumerate(_part(members, "hops", list, []))
    return Envelope(
        event,
        _part(members, "origin", str),
        _part(members, "seq", int),
        _part(members, "arrival", int),
        _part(members, "plan", int, 0),
        mark,
        tuple([_text(hop, f"hops[{i}]") for i, hop in hops]),
        trace,
    )


_JSON_NAMES = {dict: "an object", str: "a text", int: "an integer", list: "a list"}


def _part(plain: Mapping[str, object], name: str, kind: type[_T], default: _T | None = None) -> _T:
    value = plain.get(name, default)
    if type(value) is not kind:
        given = shortened(value) if name in plain else "nothing"
        raise InvalidEvent(f"must be {_JSON_NAMES[kind]}, not {given}", name)
    return value
