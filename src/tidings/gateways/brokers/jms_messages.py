"""Events as STOMP messages to brokers of JMS, and filters as their selectors."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final

import msgspec
from stompman import MessageFrame

from tidings.errors import InvalidEvent, TidingsError
from tidings.events.anyvalue import Value, pack
from tidings.events.codecs.json_codec import decode_event
from tidings.events.fields import plain
from tidings.events.structured import StructuredEvent
from tidings.federation.marks import PROPERTY, Mark, mark_text
from tidings.filters import tree as t
from tidings.filters.constraint import Constraint
from tidings.filters.dialects import jms
from tidings.filters.dialects.translation import Translation
from tidings.gateways.brokers import properties as p

FENCE: Final = "FederationFence"
"""The property of the messages by which a side knows that it has read a subscription so far."""
# Octets of a header, and headers of a message: ActiveMQ ends a connection at 10 KiB and at 1,000.
MOST_LINE: Final = 8_000
_MOST_HEADERS: Final = 500
_LOOSE: Final = "also: texts that read as numbers or truth values, since properties are texts"
_STOMP: Final = frozenset(
    {
        *("destination", "message-id", "subscription", "ack", "receipt", "transaction", "selector"),
        *("content-length", "content-type", "transformation", "transformation-error", "id"),
        *("amq-msg-type", "original-destination", "browser", "priority", "persistent", "expires"),
        *("timestamp", "redelivered", "type", "correlation-id", "reply-to"),
    }
)
"""Headers with a meaning of their own; no property can have their names."""


def _can_be(name: str) -> bool:
    # The broker's selectors know no other letters, and it sets names with JMS itself.
    return name.isascii() and name.lower() not in _STOMP and not name.startswith(("JMS", "AMQ_"))


_seen = p.names(_can_be)


def headers_of(event: StructuredEvent, mark: Mark, now: int) -> dict[str, str]:
    """Return the headers of an event's message; `PARTLY` if they are not all its properties."""
    headers = {name: text for name, text in p.fixed(event).items() if _fits(name, text)}
    partly = headers.keys() != p.fixed(event).keys()
    for name, value in p.visible(event):
        text, comparable = _text(value)
        if text is None or not _can_be(name) or not _fits(name, text):
            partly = True
        elif len(headers) < _MOST_HEADERS:
            headers[name] = text
            partly = partly or not comparable
        else:
            partly = True
    life = p.lifetime(event, now)
    return {
        **headers,
        **({p.PARTLY: "true"} if partly else {}),
        **({} if life is None else {"expires": str(now // 1_000 + life)}),
        PROPERTY: mark_text(mark),
        "amq-msg-type": "text",
        "content-type": p.CONTENT_TYPE,
        "persistent": "true" if p.is_persistent(event) else "false",
        "priority": str(p.level_of(event.header.get("Priority"))),
    }


def _fits(name: str, text: str) -> bool:
    """Whether a header arrives as it is: the client drops carriage returns."""
    if "\r" in text or "\0" in text or "\r" in name or "\0" in name:
        return False
    line = f"{name}:{text}"
    return len(line.encode()) + sum(line.count(sign) for sign in "\n:\\") <= MOST_LINE


def _text(value: Value) -> tuple[str | None, bool]:
    """Return a value as a header's text, and whether the broker compares it as our filters do."""
    found = plain(value)
    if isinstance(found, str):  # a character or a label is another kind than a text
        return str(found), type(found) is str
    if isinstance(found, bool):
        return str(found).lower(), True
    if isinstance(found, float) and not math.isfinite(found):
        return ("NaN" if math.isnan(found) else "Infinity" if found > 0 else "-Infinity"), True
    if isinstance(found, int | float | Decimal):
        return str(found), type(found) is not Decimal
    return None, False


def event_of(frame: MessageFrame, texts: Sequence[str] = ()) -> tuple[StructuredEvent, Mark | None]:
    """Return the event that stands for a message, ours or a foreign client's, and its mark."""
    headers: dict[str, str] = dict(frame.headers)  # type: ignore[arg-type]
    mark = p.mark_in(headers.get(PROPERTY))
    if headers.get("content-type") == p.CONTENT_TYPE:
        with suppress(TidingsError):
            return decode_event(frame.body), mark
    found: dict[str, Value] = {}
    for name, text in headers.items():
        if name.lower() not in _STOMP:
            with suppress(InvalidEvent):  # a name or a text that no property can have
                kept = name in texts or name in p.FIXED_NAMES
                found.update(_packed({name: text if kept else value_of(text)}))
    return p.foreign_event(found, _context(headers), _body(frame)), mark


def _packed(properties: Mapping[str, object]) -> dict[str, Value]:
    packed = pack(dict(properties))
    assert isinstance(packed, dict)
    return packed


_INTEGER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_REAL: Final = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+([Ee][+-]?[0-9]{1,3})?")


def value_of(text: str) -> bool | int | float | str:
    """Return what a header of a foreign client means: the form in which Java writes a value."""
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text) and text != "-0":
        return int(text)
    return float(text) if _REAL.fullmatch(text) else text


def _context(headers: Mapping[str, str]) -> dict[str, Value]:
    """The event header of a foreign message."""
    header: dict[str, Value] = {"EventReliability": int(headers.get("persistent") == "true")}
    level, expires = headers.get("priority", "4"), headers.get("expires", "0")
    if level.isdecimal() and level != "4":
        header["Priority"] = p.priority_of(int(level))
    if expires.isdecimal() and int(expires):
        with suppress(InvalidEvent):
            header["StopTime"] = p.stop_time(int(expires))
    native = {
        name: headers[name] for name in ("type", "correlation-id", "reply-to") if name in headers
    }
    if native:
        with suppress(InvalidEvent):
            header[p.NATIVE] = pack(native)
    return header


def _body(frame: MessageFrame) -> Value:
    if not frame.body:
        return None
    with suppress(UnicodeDecodeError, InvalidEvent):
        text = frame.body.decode()
        if "json" in str(frame.headers.get("transformation", "")):
            with suppress(msgspec.DecodeError, KeyError, TypeError, ValueError):
                return pack(map_of(msgspec.json.decode(text)))
        return pack(text)
    return frame.body


def map_of(plain: Any) -> dict[str, object]:  # noqa: ANN401
    """Return the pairs of a map message from what a broker writes.

    That is `{"map": {"entry": [{"string": ["name", "text"]}, {"string": "name", "int": 5}, …]}}`.
    """
    entries = plain["map"]["entry"]
    found: dict[str, object] = {}
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry["string"], list):
            name, value = entry["string"]
        else:
            name = entry["string"]
            [value] = [one for kind, one in entry.items() if kind != "string"]
        found[str(name)] = value
    return found


def selector_of(wanted: Constraint) -> Translation:
    """Write a filter as a selector over texts, which never selects fewer events."""
    found = jms.write(wanted, _seen)
    loose = isinstance(wanted.tree, t.Component) or any(map(_is_loose, t.walk_tree(wanted.tree)))
    if not (loose and found.text and found.exact):
        return found
    return Translation(found.text, exact=False, surplus=_LOOSE)


def _is_loose(node: t.Node) -> bool:
    """Whether a node judges more than a text that can be nothing else."""
    if isinstance(node, t.Text):
        return len(node.value) == 1 or value_of(node.value) != node.value
    if isinstance(node, t.And | t.Or):
        return any(isinstance(one, t.Component) for one in node.operands)
    return not isinstance(node, t.Equal | t.Component | t.Exist)


def joined(selectors: Sequence[str], side: str) -> str | None:
    """Return the selector of a side's subscription; empty for all, None if it is too long."""
    if "" in selectors:
        return ""
    fence = f"{FENCE} = {jms.quoted(side)}"
    parts = [one if len(selectors) == 1 else f"({one})" for one in dict.fromkeys(selectors)]
    text = " OR ".join([*parts, f"{p.PARTLY} IS NOT NULL", fence])
    return text if _fits("selector", text) else None
