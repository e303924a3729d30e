"""CloudEvents 1.0: structured, binary and batched content modes.

Takes and gives envelopes and events; how they map to CloudEvents is told in
`cloudevents_mapping`. Refused is what the CloudEvents rules refuse, and data that no event can
be: integers beyond 64 bits, members without a name, values that nest deeper than 64.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events.codecs.cloudevents_mapping import (
    FOREIGN_DOMAIN,
    MEDIA_TYPE,
    from_cloudevent,
    to_cloudevent,
)
from tidings.events.codecs.cloudevents_model import (
    CloudEvent,
    Json,
    checked_attributes,
    from_header,
    is_json,
    is_text,
    is_utf8,
    to_header,
)
from tidings.events.codecs.json_codec import MAX_ENVELOPE_OCTETS, MAX_EVENT_OCTETS
from tidings.events.codecs.json_reading import octets_from_base64
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.envelope import Envelope
from tidings.events.structured import StructuredEvent
from tidings.events.texts import shortened

__all__ = [
    "BATCH_MEDIA_TYPE",
    "FOREIGN_DOMAIN",
    "MAX_BATCH_OCTETS",
    "MAX_STRUCTURED_OCTETS",
    "MEDIA_TYPE",
    "STRUCTURED_MEDIA_TYPE",
    "decode_batch",
    "decode_binary",
    "decode_structured",
    "encode_batch",
    "encode_binary",
    "encode_structured",
    "structured_from_plain",
]

STRUCTURED_MEDIA_TYPE: Final = "application/cloudevents+json"
BATCH_MEDIA_TYPE: Final = "application/cloudevents-batch+json"

# A few of the largest events, or very many of the usual size.
MAX_BATCH_OCTETS: Final = 64_000_000
# Base64 makes a third more of octets.
MAX_STRUCTURED_OCTETS: Final = MAX_ENVELOPE_OCTETS + MAX_EVENT_OCTETS // 2


def encode_structured(item: Envelope | StructuredEvent) -> bytes:
    """A CloudEvent in JSON, attributes and data together.

    Raises:
        InvalidEvent: The item is an event that did not come as a CloudEvent.
        LimitExceeded: It is too long.
    """
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
    """What a CloudEvent in JSON holds: an envelope if it is ours, else an event.

    Raises:
        InvalidEvent: It is no CloudEvent, or holds what no event can.
        LimitExceeded: It is too long.
    """
    return structured_from_plain(parse_json(text, MAX_STRUCTURED_OCTETS))


def structured_from_plain(plain: object) -> Envelope | StructuredEvent:
    """What a CloudEvent that was parsed as JSON holds.

    Raises:
        InvalidEvent: It is no CloudEvent, or holds what no event can.
    """
    if not isinstance(plain, dict):
        raise InvalidEvent(f"a CloudEvent is a JSON object, not {shortened(plain)}")
    has_data, encoded = "data" in plain, plain.pop("data_base64", None)
    data = plain.pop("data", None)
    attributes = checked_attributes(plain)
    if has_data and encoded is not None:
        raise InvalidEvent("data and data_base64 exclude each other", "data_base64")
    content: Json | str | bytes | None = None
    if encoded is not None:
        content = _from_base64(encoded)
    elif has_data:
        content = _from_member(data, attributes.get("datacontenttype"))
    return from_cloudevent(CloudEvent(attributes, content))


def _from_base64(encoded: object) -> bytes:
    if not isinstance(encoded, str):
        raise InvalidEvent(f"must be text in base64, not {shortened(encoded)}", "data_base64")
    try:
        return octets_from_base64(encoded)
    except InvalidEvent as error:
        raise error.inside("data_base64") from error.__cause__


def _from_member(data: object, media_type: object) -> Json | str:
    if is_json(None if media_type is None else str(media_type)):
        return Json(data)
    if not isinstance(data, str):
        raise InvalidEvent(f"must be a text, as {media_type} is not JSON", "data")
    return data


def encode_binary(item: Envelope | StructuredEvent) -> tuple[dict[str, str], bytes]:
    """A CloudEvent as HTTP headers, in lower case, and a body.

    Raises:
        InvalidEvent: The item is an event that did not come as a CloudEvent.
        LimitExceeded: It is too long.
    """
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
    """What a CloudEvent in headers and a body holds: an envelope if it is ours, else an event.

    Headers that are not of CloudEvents are passed over.

    Args:
        headers: The headers.
        body: The body.
        values: How many values JSON in the body may hold, see `parse_json`.

    Raises:
        InvalidEvent: It is no CloudEvent, or holds what no event can.
        LimitExceeded: The body is too long.
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
    """Several CloudEvents in one JSON array.

    Raises:
        InvalidEvent: An item is an event that did not come as a CloudEvent.
        LimitExceeded: The batch is too long.
    """
    octets = b"[" + b",".join([encode_structured(item) for item in items]) + b"]"
    if len(octets) > MAX_BATCH_OCTETS:
        raise LimitExceeded(f"a batch of {len(octets)} octets is more than {MAX_BATCH_OCTETS}")
    return octets


_batch = msgspec.json.Decoder(list[msgspec.Raw])


def decode_batch(text: bytes | str) -> list[Envelope | StructuredEvent]:
    """What the CloudEvents in a JSON array hold.

    Raises:
        InvalidEvent: It is no array of CloudEvents; the message says which of them is wrong.
        LimitExceeded: The batch is too long.
    """
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
