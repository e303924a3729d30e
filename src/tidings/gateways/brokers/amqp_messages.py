"""Events as AMQP 0-9-1 messages, and filters as bindings of a headers exchange."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any, Final, NamedTuple

import aio_pika
import msgspec
from aio_pika.abc import AbstractIncomingMessage

from tidings.errors import InvalidEvent, TidingsError
from tidings.events.anyvalue import Value, pack
from tidings.events.codecs.json_codec import decode_event, encode_event
from tidings.events.fields import plain
from tidings.events.standard_header import utc
from tidings.events.structured import StructuredEvent
from tidings.federation.marks import PROPERTY, Mark, mark_text
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.writing import Surplus, Test, conjunctions, formula_of
from tidings.gateways.brokers import properties as p

MATCH: Final = "x-match"
"""The argument of a binding that says how it asks; no header that it asks for has this name."""
_MOST_BINDINGS: Final = 64
# Octets of a header's name (the client cuts off the rest), of a value that a binding asks for, and
# of all headers: they must fit into one frame, which usually has 128 KiB.
_MOST_NAME, _MOST_ASKED, _MOST_HEADERS = 128, 1_024, 100_000
_MOST_LIFETIME: Final = 2**32 - 1
_LOWEST_NUMBER, _HIGHEST_NUMBER = -(2**63), 2**63 - 1

Headers = dict[str, Any]


def headers_of(event: StructuredEvent, mark: Mark) -> Headers:
    """Return the headers of an event's message; `PARTLY` if they are not all its properties."""
    headers: Headers = {**p.fixed(event), PROPERTY: mark_text(mark)}
    room, partly = _MOST_HEADERS, False
    for name, value in p.visible(event):
        try:
            given, comparable = _header(value)
        except _Unfit:
            partly = True
            continue
        size = 4 * (len(name) + len(str(given)))
        if not _can_be(name) or size > room:
            partly = True
            continue
        room -= size
        headers[name] = given
        partly = partly or not comparable
    if partly:
        headers[p.PARTLY] = True
    return headers


class _Unfit(Exception):
    """A value that no header can have."""


def _can_be(name: str) -> bool:
    return name != MATCH and len(name.encode()) <= _MOST_NAME


def _header(value: Value) -> tuple[Any, bool]:
    """Return a value as a header's, and whether the broker compares it as our filters do."""
    found = plain(value)
    if isinstance(found, str):  # a character or a label is another kind than a text
        return str(found), type(found) is str
    if isinstance(found, bool | int | float | Decimal):
        return _table_value(found), type(found) is not Decimal
    return _table_value(value), True


def _table_value(value: object) -> Any:  # noqa: ANN401
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int) and _LOWEST_NUMBER <= value <= _HIGHEST_NUMBER:
        return value
    if isinstance(value, float) and isfinite(value):  # the broker ends the connection at others
        return value
    if isinstance(value, bytes):
        return bytearray(value)
    if isinstance(value, tuple):
        return [_table_value(one) for one in value]
    if isinstance(value, dict) and all(len(name.encode()) <= _MOST_NAME for name in value):
        return {name: _table_value(one) for name, one in value.items()}
    if isinstance(value, Decimal) and abs(int(value.scaleb(_scale(value)))) < 2**31:
        return value
    raise _Unfit


def _scale(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or not -255 <= exponent <= 0:
        raise _Unfit
    return -exponent


def message_of(event: StructuredEvent, mark: Mark, now: int) -> aio_pika.Message:
    """Return the message that stands for an event; a LimitExceeded if it is too large."""
    body = encode_event(event)
    life = p.lifetime(event, now)
    return aio_pika.Message(
        body,
        headers=headers_of(event, mark),
        content_type=p.CONTENT_TYPE,
        type=routing_key(event) or None,
        delivery_mode=aio_pika.DeliveryMode(1 + p.is_persistent(event)),
        priority=p.level_of(event.header.get("Priority")),
        expiration=None if life is None or life > _MOST_LIFETIME else timedelta(milliseconds=life),
    )


def routing_key(event: StructuredEvent) -> str:
    """Return the name of an event, if it can be a routing key."""
    return event.name if len(event.name.encode()) <= _MOST_NAME else ""


def event_of(message: AbstractIncomingMessage) -> tuple[StructuredEvent, Mark | None]:
    """Return the event that stands for a message, ours or a foreign client's, and its mark."""
    headers = dict(message.headers)
    mark = p.mark_in(headers.pop(PROPERTY, None))
    if message.content_type == p.CONTENT_TYPE:
        with suppress(TidingsError):
            return decode_event(message.body), mark
    found: dict[str, Value] = {}
    for name, value in headers.items():
        with suppress(InvalidEvent):  # a name or a text that no property can have
            found.update(_properties({name: value}))
    return p.foreign_event(found, _context(message), _body(message)), mark


def _properties(table: Mapping[str, Any]) -> dict[str, Value]:
    packed = pack({name: _value(value) for name, value in table.items()})
    assert isinstance(packed, dict)
    return packed


def _value(value: Any) -> object:  # noqa: ANN401
    """Return what a header's value is in an event.

    Brokers compare a decimal with no other number, and we must not call equal what they do not:
    it becomes a structure, which no filter compares.
    """
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, datetime):
        return utc(value)
    if isinstance(value, list):
        return [_value(one) for one in value]
    if isinstance(value, dict):
        return {name: _value(one) for name, one in value.items()}
    return value


def _context(message: AbstractIncomingMessage) -> dict[str, Value]:
    """The event header of a foreign message."""
    header: dict[str, Value] = {"EventReliability": int(message.delivery_mode == 2)}
    if message.priority:
        header["Priority"] = p.priority_of(message.priority)
    if message.expiration is not None and isinstance(message.expiration, int | float):
        header["Timeout"] = p.timeout(round(message.expiration * 1_000))
    native = {
        name: text
        for name in ("routing_key", "type", "app_id", "message_id", "correlation_id", "reply_to")
        if (text := getattr(message, name))
    }
    if native:
        with suppress(InvalidEvent):
            header[p.NATIVE] = pack(native)
    return header


def _body(message: AbstractIncomingMessage) -> Value:
    kind = (message.content_type or "").partition(";")[0]
    if not message.body:
        return None
    if kind.startswith("text/") or kind == "application/json":
        with suppress(UnicodeDecodeError, msgspec.DecodeError, InvalidEvent):
            text = message.body.decode()
            return pack(msgspec.json.decode(text) if kind == "application/json" else text)
    return message.body


class Bindings(NamedTuple):
    """A filter as bindings.

    Attributes:
        alternatives: For each binding the headers that it asks for; None for any value.
        exact: Whether they select nothing else.
        surplus: What else, in words.
    """

    alternatives: tuple[Headers, ...]
    exact: bool
    surplus: str


_seen = p.names(_can_be)


def bindings_of(wanted: Constraint) -> Bindings:
    """Write a filter as bindings of a headers exchange, which never select fewer events."""
    surplus = Surplus()
    rows = conjunctions(formula_of(wanted, _seen, surplus), _MOST_BINDINGS, surplus)
    found = [asked for row in rows if (asked := _asked(row, surplus)) is not None]
    return Bindings(tuple(distinct(found)), surplus.exact, surplus.text)


def _asked(tests: Iterable[Test], surplus: Surplus) -> Headers | None:
    """What a binding asks for so that all tests hold; None if they never do."""
    asked: Headers = {}
    for (name, _, _), operator, value in tests:
        given: object = None
        if operator in ("==", "is") and len(str(value)) <= _MOST_ASKED:
            given = value
        elif operator != "exist":
            surplus.add(f"any {name}, since bindings ask for equal values alone")
        if operator == "absent":
            continue
        before = asked.get(name)
        if given is not None and before is not None and _kind(before) != _kind(given):
            return None
        asked[name] = before if given is None else given
    return asked


def _kind(value: object) -> tuple[bool, object]:
    return isinstance(value, bool), value


def distinct(found: Iterable[Headers]) -> list[Headers]:
    """Leave out what is there twice; all, if one asks for nothing."""
    kept = {frozenset((name, _kind(value)) for name, value in one.items()): one for one in found}
    return [{}] if frozenset() in kept else list(kept.values())


def words(alternatives: Sequence[Headers]) -> str:
    """Return bindings in words."""
    shown = [
        " and ".join(
            name if value is None else f"{name} = {value!r}" for name, value in one.items()
        )
        for one in alternatives
    ]
    return " or ".join(one or "every message" for one in shown) or "nothing"
