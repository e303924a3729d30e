"""Between CloudEvents and what Tidings holds.

An **envelope** becomes a CloudEvent with the source ``urn:tidings:<origin>``, the number of the
event as its id, and the event in typed JSON as its data. That data says all about the event;
`type`, `subject` (the name), `domain` are copies for those who route by attributes, left out
where an attribute could not carry them. What is beside the event in an envelope goes into
`time` (the arrival), `plan`, `producer`, `number`, `hops`, `traceparent`, `tracestate`.

A **foreign** CloudEvent becomes an event of the domain ``CloudEvents`` with its type and its id
as the name; other attributes are in the header, members of a JSON object in the data, and any
other data are the body. It goes out again as the same CloudEvent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Value, pack
from tidings.events.codecs.cloudevents_model import (
    SPEC_VERSION,
    Attribute,
    CloudEvent,
    Json,
    checked_attributes,
    is_json,
)
from tidings.events.codecs.json_codec import event_form, event_from_plain
from tidings.events.envelope import Envelope, ProducerMark, TraceContext
from tidings.events.structured import StructuredEvent
from tidings.events.texts import shortened
from tidings.names import is_readable

FOREIGN_DOMAIN: Final = "CloudEvents"
"""The domain of events that came as other people's CloudEvents."""

MEDIA_TYPE: Final = "application/vnd.tidings.event+json"
"""The media type of an event in typed JSON."""

_SOURCE: Final = "urn:tidings:"
# Attributes end up in HTTP headers, whose length servers bound tightly.
_LONGEST_COPY: Final = 256
# An event needs no type with us, and a CloudEvent does.
_NO_TYPE: Final = "tidings.event"
_OURS: Final = frozenset(
    {
        *("id", "source", "type", "subject", "time", "datacontenttype", "domain", "arrival"),
        *("plan", "producer", "number", "hops", "traceparent", "tracestate"),
    }
)


def to_cloudevent(item: Envelope | StructuredEvent) -> CloudEvent:
    """An envelope as our CloudEvent, or an event as the foreign one that it came from.

    Raises:
        InvalidEvent: The event is not from a CloudEvent; only an envelope knows source and id.
    """
    if isinstance(item, StructuredEvent):
        return _to_foreign(item)
    return CloudEvent(_our_attributes(item), Json(event_form(item.event)))


def from_cloudevent(cloudevent: CloudEvent) -> Envelope | StructuredEvent:
    """What a CloudEvent holds: an envelope if it is ours, else an event.

    Raises:
        InvalidEvent: It is ours, and broken; or it holds what no event can.
    """
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
    if envelope.plan:
        attributes["plan"] = str(envelope.plan)  # integers have 32 bits there
    if envelope.mark is not None:
        attributes["producer"] = envelope.mark.producer
        attributes["number"] = str(envelope.mark.number)
    if envelope.hops:
        attributes["hops"] = ",".join(envelope.hops)
    if envelope.trace is not None:
        attributes["traceparent"] = envelope.trace.traceparent
        if envelope.trace.tracestate:
            attributes["tracestate"] = envelope.trace.tracestate
    return attributes


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
    hops = str(attributes["hops"]).split(",") if "hops" in attributes else ()
    envelope = Envelope(
        event,
        str(attributes["source"]).removeprefix(_SOURCE),
        _number(attributes, "id"),
        _arrival(attributes),
        _number(attributes, "plan") if "plan" in attributes else 0,
        _mark(attributes),
        tuple(hops),
        _trace(attributes),
    )
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
        raise InvalidEvent(f"is no moment: {error}", "time") from error


def _mark(attributes: Mapping[str, Attribute]) -> ProducerMark | None:
    if "producer" not in attributes and "number" not in attributes:
        return None
    return ProducerMark(str(attributes.get("producer", "")), _number(attributes, "number"))


def _trace(attributes: Mapping[str, Attribute]) -> TraceContext | None:
    if "traceparent" not in attributes and "tracestate" not in attributes:
        return None
    parent, state = attributes.get("traceparent", ""), attributes.get("tracestate", "")
    return TraceContext(str(parent), str(state))


def _check_copies(given: Mapping[str, Attribute], wanted: Mapping[str, Attribute]) -> None:
    """Refuses attributes that contradict the data: somebody else may have routed by them.

    The time may be spelled in another way, and attributes of others may have been added.
    """
    for name in _OURS - {"time"}:
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
    if is_json(None if media_type is None else str(media_type)):
        return Json(_json_value(body, "body"))
    if isinstance(body, str):
        return body
    raise InvalidEvent(f"data of the type {media_type} are a text or octets", "body")


def _json_value(value: Value, where: str) -> object:
    """A value as plain JSON, if it is one without saying its type."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, tuple):
        return [_json_value(v, f"{where}[{i}]") for i, v in enumerate(value)]
    if isinstance(value, dict):
        return {name: _json_value(v, f"{where}.{name}") for name, v in value.items()}
    raise InvalidEvent(f"{shortened(value)} cannot be said in the JSON of others", where)
