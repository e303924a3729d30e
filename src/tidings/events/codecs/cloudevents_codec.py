"""CloudEvents 1.0: structured, binary and batched content modes.

An **envelope** becomes a CloudEvent with the source ``urn:tidings:<origin>``, the number of the
event as its id, and the event in typed JSON as its data. `type`, `subject` (the name) and `domain`
are copies of parts of the data for routers, left out where an attribute cannot hold them. The rest
of the envelope is in `time` (the arrival), `plan`, `producer`, `number`, `hops`, `traceparent`,
`tracestate`.

A **foreign** CloudEvent becomes an event of the domain ``CloudEvents`` with its type, and its id
as the name; other attributes are in the header, members of a JSON object in the data, and any
other data are the body. It is encoded again as the same CloudEvent.

Refused are what CloudEvents forbids, and data that an event cannot hold: integers beyond 64 bits,
members without a name, values that nest deeper than 64. Sections are those of the CloudEvents core
specification 1.0.2 (https://cloudevents.io), its JSON format and its HTTP binding.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, TypeAlias

import msgspec

from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events.anyvalue import Value, pack
from tidings.events.codecs.json_codec import (
    MAX_ENVELOPE_OCTETS,
    envelope_members,
    envelope_of,
    event_form,
    event_from_plain,
)
from tidings.events.codecs.json_text import MAX_EVENT_OCTETS, parse_json, write_json
from tidings.events.codecs.json_values import octets_from_base64
from tidings.events.envelope import Envelope
from tidings.events.structured import StructuredEvent
from tidings.events.texts import shortened
from tidings.names import is_readable

STRUCTURED_MEDIA_TYPE: Final = "application/cloudevents+json"
BATCH_MEDIA_TYPE: Final = "application/cloudevents-batch+json"

# A few of the largest events, or very many of the usual size.
MAX_BATCH_OCTETS: Final = 64_000_000
# Base64 makes a third more of octets.
MAX_STRUCTURED_OCTETS: Final = MAX_ENVELOPE_OCTETS + MAX_EVENT_OCTETS // 2


def encode_structured(item: Envelope | StructuredEvent) -> bytes:
    """A CloudEvent in JSON, attributes and data together."""
    cloudevent = to_cloudevent(item)
    plain: dict[str, object] = dict(cloudevent.attributes)
    data = cloudevent.data
    if isinstance(data, Json):
        plain["data"] = data.value
    elif isinstance(data, str):
        plain["data"] = data
    elif data is not None:
        plain["data_base64"] = data  # written in base64
    return write_json(plain, MAX_STRUCTURED_OCTETS)


def decode_structured(text: bytes | str) -> Envelope | StructuredEvent:
    """The content of a CloudEvent in JSON: an envelope if it is ours, else an event."""
    return structured_from_plain(parse_json(text, MAX_STRUCTURED_OCTETS))


def structured_from_plain(plain: object) -> Envelope | StructuredEvent:
    """The content of a CloudEvent that was parsed as JSON."""
    if not isinstance(plain, dict):
        raise InvalidEvent(f"a CloudEvent is a JSON object, not {shortened(plain)}")
    has_data, encoded = "data" in plain, plain.pop("data_base64", None)
    data = plain.pop("data", None)
    attributes = checked_attributes(plain)
    if has_data and encoded is not None:
        raise InvalidEvent("data and data_base64 exclude each other", "data_base64")
    media_type = attributes.get("datacontenttype")
    content: Json | str | bytes | None = None
    if encoded is not None:
        content = _from_base64(encoded)
    elif has_data and is_json(media_type):
        content = Json(data)
    elif has_data:
        if not isinstance(data, str):
            raise InvalidEvent(f"must be a text, as {media_type} is not JSON", "data")
        content = data
    return from_cloudevent(CloudEvent(attributes, content))


def _from_base64(encoded: object) -> bytes:
    if not isinstance(encoded, str):
        raise InvalidEvent(f"must be text in base64, not {shortened(encoded)}", "data_base64")
    try:
        return octets_from_base64(encoded)
    except InvalidEvent as error:
        raise error.inside("data_base64") from error.__cause__


def encode_binary(item: Envelope | StructuredEvent) -> tuple[dict[str, str], bytes]:
    """A CloudEvent as HTTP headers, in lower case, and a body."""
    cloudevent = to_cloudevent(item)
    attributes = dict(cloudevent.attributes)
    media_type = attributes.pop("datacontenttype", None)
    headers = {f"ce-{name}": to_header(value) for name, value in attributes.items()}
    data = cloudevent.data
    if media_type is None and isinstance(data, Json):
        media_type = "application/json"  # which JSON format, 3.1.2, implies there, but not here
    if media_type is not None:
        headers["content-type"] = str(media_type)
    if isinstance(data, Json):
        return headers, write_json(data.value)
    if isinstance(data, str):
        if not is_utf8(str(media_type)):
            raise InvalidEvent(f"a text cannot be put into octets as {media_type}", "body")
        return headers, data.encode()
    return headers, data or b""


def decode_binary(
    headers: Mapping[str, str], body: bytes, values: int | None = None
) -> Envelope | StructuredEvent:
    """The content of a CloudEvent in HTTP headers and a body.

    Other headers are ignored; `values` limits the values of JSON in the body, see `parse_json`.
    """
    given: dict[str, object] = {}
    media_type: str | None = None
    for header, value in headers.items():
        name = header.lower()
        if name == "content-type":
            media_type = value.strip(" \t")
        elif name == "ce-datacontenttype":
            raise InvalidEvent("the media type stands in content-type", header)
        elif name.startswith("ce-"):
            given[name.removeprefix("ce-")] = from_header(value, header)
    if media_type is not None:
        given["datacontenttype"] = media_type
    content = _from_body(bytes(body), media_type, values)
    return from_cloudevent(CloudEvent(checked_attributes(given), content))


def _from_body(
    body: bytes, media_type: str | None, values: int | None
) -> Json | str | bytes | None:
    if len(body) > MAX_EVENT_OCTETS:
        raise LimitExceeded(f"{len(body)} octets of data are more than {MAX_EVENT_OCTETS}")
    if not body and (media_type is None or is_json(media_type)):
        return None
    if media_type is None:
        return body
    if is_json(media_type):
        try:
            return Json(parse_json(body, values=values))
        except InvalidEvent as error:
            raise error.inside("data") from error.__cause__
    if not is_text(media_type):
        return body
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body  # the media type errs, but octets can still be carried


def encode_batch(items: Iterable[Envelope | StructuredEvent]) -> bytes:
    """Several CloudEvents in one JSON array."""
    octets = b"[" + b",".join([encode_structured(item) for item in items]) + b"]"
    if len(octets) > MAX_BATCH_OCTETS:
        raise LimitExceeded(f"a batch of {len(octets)} octets is more than {MAX_BATCH_OCTETS}")
    return octets


_batch = msgspec.json.Decoder(list[msgspec.Raw])


def decode_batch(text: bytes | str) -> list[Envelope | StructuredEvent]:
    """The contents of the CloudEvents in a JSON array."""
    if len(text) > MAX_BATCH_OCTETS:
        raise LimitExceeded(f"a batch of {len(text)} octets is more than {MAX_BATCH_OCTETS}")
    try:
        parts = _batch.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        parse_json(text, MAX_BATCH_OCTETS)  # says where it is malformed
        raise InvalidEvent("a batch of CloudEvents is a JSON array") from error
    found = []
    for index, part in enumerate(parts):
        try:
            found.append(decode_structured(bytes(part)))
        except InvalidEvent as error:
            raise error.inside(f"[{index}]") from error.__cause__
    return found


FOREIGN_DOMAIN: Final = "CloudEvents"
"""The domain of events that came as other people's CloudEvents."""

MEDIA_TYPE: Final = "application/vnd.tidings.event+json"
"""The media type of an event in typed JSON."""

_SOURCE: Final = "urn:tidings:"
# Attributes end up in HTTP headers, whose length servers bound tightly.
_LONGEST_COPY: Final = 256
# An event needs no type with us, and a CloudEvent does.
_NO_TYPE: Final = "tidings.event"
# Members of the envelope that are attributes of the same name.
_MEMBERS: Final = ("plan", "producer", "number", "traceparent", "tracestate")
# By others these may have been routed; the time may be spelled in another way.
_CHECKED: Final = frozenset(
    {"id", "source", "type", "subject", "datacontenttype", "domain", "arrival", "hops", *_MEMBERS}
)


def to_cloudevent(item: Envelope | StructuredEvent) -> CloudEvent:
    """An envelope as our CloudEvent, or an event as the foreign one that it came from."""
    if isinstance(item, StructuredEvent):
        return _to_foreign(item)
    return CloudEvent(_our_attributes(item), Json(event_form(item.event)))


def from_cloudevent(cloudevent: CloudEvent) -> Envelope | StructuredEvent:
    """The content of a CloudEvent: an envelope if it is ours, else an event."""
    attributes = cloudevent.attributes
    ours = str(attributes["source"]).startswith(_SOURCE)
    if ours and attributes.get("datacontenttype") == MEDIA_TYPE:
        return _from_ours(cloudevent)
    return _from_foreign(cloudevent)


# ---------------------------------------------------------------- ours


def _our_attributes(envelope: Envelope) -> dict[str, Attribute]:
    event = envelope.event
    attributes: dict[str, Attribute] = {
        "specversion": SPEC_VERSION,
        "id": str(envelope.seq),
        "source": _SOURCE + envelope.origin,
        "type": event.type if _can_be_copied(event.type) else _NO_TYPE,
        "datacontenttype": MEDIA_TYPE,
    }
    copies = {"subject": event.name, "domain": event.domain}
    attributes |= {name: text for name, text in copies.items() if _can_be_copied(text)}
    try:
        moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=envelope.arrival)
        attributes["time"] = moment.replace(tzinfo=None).isoformat("T", "microseconds") + "Z"
    except OverflowError:  # before the year 1 or after 9999, which an attribute cannot say
        attributes["arrival"] = str(envelope.arrival)
    if envelope.hops:
        attributes["hops"] = ",".join(envelope.hops)
    members = envelope_members(envelope)
    # Integers have 32 bits there, so numbers are texts.
    return attributes | {name: str(members[name]) for name in _MEMBERS if name in members}


def _can_be_copied(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_COPY and is_readable(text)


def _from_ours(cloudevent: CloudEvent) -> Envelope:
    attributes = cloudevent.attributes
    if not isinstance(cloudevent.data, Json):
        raise InvalidEvent("must be an event in typed JSON", "data")
    try:
        event = event_from_plain(cloudevent.data.value)
    except InvalidEvent as error:
        raise error.inside("data") from error.__cause__
    members: dict[str, object] = {name: attributes[name] for name in _MEMBERS if name in attributes}
    members |= {name: _number(attributes, name) for name in ("plan", "number") if name in members}
    members["origin"] = str(attributes["source"]).removeprefix(_SOURCE)
    members |= {"seq": _number(attributes, "id"), "arrival": _arrival(attributes)}
    if "hops" in attributes:
        members["hops"] = str(attributes["hops"]).split(",")
    envelope = envelope_of(event, members)
    _check_copies(attributes, _our_attributes(envelope))
    return envelope


def _number(attributes: Mapping[str, Attribute], name: str) -> int:
    text = str(attributes.get(name, ""))
    # 19 digits are as many as 64 bits have; int() alone would take signs, blanks and much more.
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 19):
        raise InvalidEvent(f"must be a number in decimal digits, not {shortened(text)}", name)
    return int(text)


def _arrival(attributes: Mapping[str, Attribute]) -> int:
    if "arrival" in attributes:
        return _number(attributes, "arrival")
    if "time" not in attributes:
        raise InvalidEvent("must be the time of arrival", "time")
    try:
        moment = datetime.fromisoformat(str(attributes["time"]).upper())
        return (moment - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1)
    except (ValueError, OverflowError) as error:  # a leap second
        raise InvalidEvent(f"is not a moment: {error}", "time") from error


def _check_copies(given: Mapping[str, Attribute], wanted: Mapping[str, Attribute]) -> None:
    """Refuse attributes that contradict the data; others may have added some."""
    for name in _CHECKED:
        if given.get(name) != wanted.get(name):
            one, two = shortened(given.get(name)), shortened(wanted.get(name))
            raise InvalidEvent(f"the attribute is {one}; by the data it would be {two}", name)


# ---------------------------------------------------------------- foreign


def _from_foreign(cloudevent: CloudEvent) -> StructuredEvent:
    attributes = dict(cloudevent.attributes)
    del attributes["specversion"]
    type_, id_ = str(attributes.pop("type")), str(attributes.pop("id"))
    header: dict[str, Value] = dict(attributes)
    data: dict[str, Value] = {}
    body: Value = None
    if not isinstance(cloudevent.data, Json):
        body = cloudevent.data
    else:
        value = pack(cloudevent.data.value, "data")
        if isinstance(value, dict):
            data = value
        else:
            body = value
        # No data, null and {} look alike in an event; `data` cannot be an attribute's name.
        if value is None or value == {}:
            header["data"] = "null" if value is None else "object"
    return StructuredEvent(FOREIGN_DOMAIN, type_, id_, header, data, body)


def _to_foreign(event: StructuredEvent) -> CloudEvent:
    if event.domain != FOREIGN_DOMAIN or "source" not in event.header:
        raise InvalidEvent(
            "only an event that came as a CloudEvent has a source and an id; "
            "other events go out in their envelopes"
        )
    given: dict[str, object] = {"specversion": SPEC_VERSION, "id": event.name, "type": event.type}
    given |= {name: value for name, value in event.header.items() if name != "data"}
    attributes = checked_attributes(given)
    return CloudEvent(attributes, _foreign_data(event, attributes))


def _foreign_data(
    event: StructuredEvent, attributes: Mapping[str, Attribute]
) -> Json | str | bytes | None:
    body, form = event.body, event.header.get("data")
    if event.data or form == "object":
        if body is not None:
            raise InvalidEvent("a CloudEvent has either members of data or a body", "body")
        return Json({name: _json_value(v, f"data.{name}") for name, v in event.data.items()})
    if body is None:
        return Json(None) if form == "null" else None
    media_type = attributes.get("datacontenttype")
    if isinstance(body, bytes):
        return body
    if is_json(media_type):
        return Json(_json_value(body, "body"))
    if isinstance(body, str):
        return body
    raise InvalidEvent(f"data of the type {media_type} are a text or octets", "body")


def _json_value(value: Value, where: str) -> object:
    """A value as plain JSON, if it is one without its type."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, tuple):
        return [_json_value(v, f"{where}[{i}]") for i, v in enumerate(value)]
    if isinstance(value, dict):
        return {name: _json_value(v, f"{where}.{name}") for name, v in value.items()}
    raise InvalidEvent(f"{shortened(value)} cannot be said in the JSON of others", where)


SPEC_VERSION: Final = "1.0"
REQUIRED: Final = ("id", "source", "type")
# Optional, and not empty where they are present.
_NOT_EMPTY: Final = ("subject", "datacontenttype", "dataschema", "time")

Attribute: TypeAlias = str | int | bool
"""Integers and booleans keep their types in JSON; HTTP headers make texts of them."""


@dataclass(frozen=True, slots=True)
class Json:
    """Data that is a JSON value."""

    value: object


@dataclass(frozen=True, slots=True)
class CloudEvent:
    """A CloudEvent: its attributes, and data as a JSON value, text or octets; None for no data."""

    attributes: Mapping[str, Attribute]
    data: Json | str | bytes | None = None


# ---------------------------------------------------------------- attributes: core, section 3

_NAME = re.compile(r"[a-z0-9]+", re.ASCII)
_MEDIA_TYPE = re.compile(r"[!#$&^_.+A-Za-z0-9-]+/[!#$&^_.+A-Za-z0-9-]+(?: *;[ -~]*)?", re.ASCII)
_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?"
    r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)


def checked_attributes(given: Mapping[str, object]) -> dict[str, Attribute]:
    """The attributes of a CloudEvent, checked, without those that are null."""
    found: dict[str, Attribute] = {}
    for name, value in given.items():
        if not _NAME.fullmatch(name) or name == "data":
            raise InvalidEvent(
                f"{shortened(name)} is not an attribute: use lower-case letters and digits"
            )
        if value is not None:
            found[name] = _attribute(name, value)
    if found.get("specversion") != SPEC_VERSION:
        version = shortened(found.get("specversion"))
        raise InvalidEvent(f'must be "{SPEC_VERSION}", not {version}', "specversion")
    for name in REQUIRED:
        if name not in found:
            raise InvalidEvent("a CloudEvent needs this attribute", name)
    for name in (*REQUIRED, *_NOT_EMPTY):
        if name in found and (not isinstance(found[name], str) or not found[name]):
            raise InvalidEvent(f"must be a text that is not empty, not {found[name]!r}", name)
    _check_forms(found)
    return found


def _attribute(name: str, value: object) -> Attribute:
    if isinstance(value, str):
        if not is_readable(value):
            raise InvalidEvent("control characters cannot stand in an attribute", name)
        return value
    if isinstance(value, int):  # a boolean too
        if not -(2**31) <= value < 2**31:
            raise InvalidEvent(f"{shortened(value)} does not fit into 32 bits; use a text", name)
        return value
    raise InvalidEvent(
        f"an attribute is a text, an integer or a boolean, not {shortened(value)}", name
    )


def _check_forms(attributes: Mapping[str, Attribute]) -> None:
    media_type = attributes.get("datacontenttype")
    if media_type is not None and not _MEDIA_TYPE.fullmatch(str(media_type)):
        raise InvalidEvent(
            f"{shortened(media_type)} is not a media type such as application/json",
            "datacontenttype",
        )
    time = attributes.get("time")
    if time is not None and not is_time(str(time)):
        raise InvalidEvent(f"{shortened(time)} is not a time such as 2018-04-05T17:31:00Z", "time")


def is_time(text: str) -> bool:
    """Whether a text is a time in RFC 3339."""
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    try:
        date(*map(int, match.groups()[:3]))
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------- data: JSON format, section 3.1


def is_json(media_type: Attribute | None) -> bool:
    """Whether data of a media type, or without one, are JSON."""
    if media_type is None:
        return True
    subtype = _essence(str(media_type)).partition("/")[2]
    return subtype == "json" or subtype.endswith("+json")


def is_text(media_type: str) -> bool:
    """Whether data of a media type are text in UTF-8."""
    essence = _essence(media_type)
    return is_utf8(media_type) and (
        essence.startswith("text/") or essence.endswith(("/xml", "+xml"))
    )


def is_utf8(media_type: str) -> bool:
    """Whether text of a media type is in UTF-8, as it is if no other charset is given."""
    charset = re.search(r"; *charset *= *\"?([^\";]*)", media_type, re.IGNORECASE)
    return charset is None or charset.group(1).strip().lower() in ("utf-8", "us-ascii")


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


# ------------------------------------------- headers: HTTP binding, section 3.1.3.2

_AS_IT_IS = frozenset(range(0x21, 0x7F)) - {ord('"'), ord("%")}
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})?")


def to_header(value: Attribute) -> str:
    """An attribute as the value of an HTTP header, percent-encoded."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "".join(chr(o) if o in _AS_IT_IS else f"%{o:02X}" for o in text.encode())


def from_header(value: str, where: str) -> str:
    """An attribute from the value of an HTTP header."""
    value = value.strip(" \t")
    if len(value) >= 2 and value.startswith('"') and value.endswith('"'):
        # Older senders quote; a backslash takes the next character as it is.
        value = re.sub(r"\\(.)", r"\1", value[1:-1])
    if not value.isascii():
        raise InvalidEvent("a header has ASCII characters only; percent-encode others", where)
    octets = value.encode()
    if any(not match.group(1) for match in _ESCAPED.finditer(octets)):
        raise InvalidEvent("a percent sign is written %25", where)
    try:
        return _ESCAPED.sub(lambda match: bytes([int(match.group(1), 16)]), octets).decode()
    except UnicodeDecodeError as error:
        raise InvalidEvent("what is percent-encoded is not UTF-8", where) from error
