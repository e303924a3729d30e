"""Events in the bodies of requests: typed JSON, CloudEvents, JSON lines.

What is no event spoils only its own place in a batch. An event may come with its producer's mark,
``{"event": …, "producer": …, "number": …}``, or the headers give the mark of the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from starlette.datastructures import Headers

from tidings.api.items import item_from_plain
from tidings.channel.vocabulary import Item
from tidings.errors import BadInput, InvalidEvent, LimitExceeded, TidingsError, UnsupportedMedia
from tidings.events.codecs.cloudevents_codec import (
    BATCH_MEDIA_TYPE,
    STRUCTURED_MEDIA_TYPE,
    decode_binary,
    decode_structured,
)
from tidings.events.codecs.json_codec import MAX_ENVELOPE_OCTETS
from tidings.events.codecs.json_text import parse_json
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.events.texts import shortened

__all__ = [
    "JSON_MEDIA_TYPE",
    "LINES_MEDIA_TYPES",
    "Incoming",
    "LineSplitter",
    "Numbering",
    "read_events",
    "read_line",
]

JSON_MEDIA_TYPE: Final = "application/json"
LINES_MEDIA_TYPES: Final = ("application/x-ndjson", "application/jsonl")

_MARKED: Final = frozenset({"event", "producer", "number"})
_MOST_NUMBER: Final = 2**63 - 1
_raw_items = msgspec.json.Decoder(list[msgspec.Raw])


class Incoming(NamedTuple):
    """What was sent as an event: it, or what is wrong with it; and its mark, if it has one."""

    item: Item | TidingsError
    mark: ProducerMark | None = None


class Numbering:
    """The marks that headers give to events, one after the other.

    Args:
        headers: Of the request: `Tidings-Producer`, and `Tidings-Number` for the first event.

    Raises:
        BadInput: One of them is missing, or they are no UTF-8 or no number.
        InvalidEvent: The producer or the number is outside the rules.
    """

    def __init__(self, headers: Headers) -> None:
        producer, number = headers.get("tidings-producer"), headers.get("tidings-number")
        if (producer is None) != (number is None):
            raise BadInput("the headers Tidings-Producer and Tidings-Number go together")
        self._next: ProducerMark | None = None
        if producer is not None and number is not None:
            if not (number.isascii() and number.isdigit() and len(number) < 20):
                raise BadInput(f"Tidings-Number must be a whole number, not {shortened(number)}")
            self._next = ProducerMark(_utf8(producer), int(number))

    def mark(self, incoming: Incoming) -> Incoming:
        """The next event with its mark; a place that holds no event counts, too."""
        mark = self._next
        if mark is None:
            return incoming
        self._next = ProducerMark.trusted(mark.producer, mark.number + 1)
        if mark.number > _MOST_NUMBER:
            return Incoming(InvalidEvent("the numbers of a producer end at 2**63-1", "number"))
        if incoming.mark is not None:
            return Incoming(InvalidEvent("it has a mark, and the headers give it one, too"))
        return Incoming(incoming.item, mark)


def _utf8(header: str) -> str:
    """Headers are octets, which those who know no better than Latin-1 made a text of.

    Raises:
        BadInput: They are no UTF-8. Two names must not become the same one.
    """
    try:
        return header.encode("latin-1").decode()
    except UnicodeDecodeError:
        raise BadInput("the header Tidings-Producer is no UTF-8") from None


def read_events(media_type: str, headers: Headers, body: bytes) -> Incoming | list[Incoming]:
    """The events in the body of a request: one, or a batch.

    Raises:
        UnsupportedMedia: The media type is none that holds events.
        InvalidEvent: The body is unreadable as a whole, or holds one event that is none.
        LimitExceeded: The event is too long.
    """
    if media_type == STRUCTURED_MEDIA_TYPE:
        return _from_cloudevent(decode_structured(body))
    if media_type == BATCH_MEDIA_TYPE:
        return [_read_cloudevent(bytes(raw)) for raw in _raws(body)]
    if "ce-specversion" in headers:
        return _from_cloudevent(decode_binary(headers, body))
    if media_type == JSON_MEDIA_TYPE:
        plain = parse_json(body, max(len(body), 1))
        if isinstance(plain, list):
            return [_read_plain(one) for one in plain]
        found = _read_plain(plain)
        if isinstance(found.item, TidingsError):
            raise found.item
        return found
    taken = (JSON_MEDIA_TYPE, STRUCTURED_MEDIA_TYPE, BATCH_MEDIA_TYPE, *LINES_MEDIA_TYPES)
    raise UnsupportedMedia(
        f"{shortened(media_type) if media_type else 'a body without Content-Type'} holds no "
        f"events: use {', '.join(taken)}, or ce- headers"
    )


def _raws(body: bytes) -> Sequence[msgspec.Raw]:
    try:
        return _raw_items.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        parse_json(body, max(len(body), 1))  # says where it is malformed
        raise InvalidEvent("a batch of CloudEvents is a JSON array") from error


def _read_cloudevent(text: bytes) -> Incoming:
    try:
        return _from_cloudevent(decode_structured(text))
    except (InvalidEvent, LimitExceeded) as error:
        return Incoming(error)


def _from_cloudevent(found: Envelope | StructuredEvent) -> Incoming:
    if isinstance(found, Envelope):
        return Incoming(found.event, found.mark)
    return Incoming(found)


def _read_plain(plain: object) -> Incoming:
    try:
        if isinstance(plain, dict) and "event" in plain and plain.keys() <= _MARKED:
            return _read_marked(plain)
        return Incoming(item_from_plain(plain))
    except InvalidEvent as error:
        return Incoming(error)


def _read_marked(plain: dict[str, object]) -> Incoming:
    mark = None
    if "producer" in plain or "number" in plain:
        if not plain.keys() >= _MARKED:
            raise InvalidEvent("producer and number go together")
        mark = ProducerMark(plain["producer"], plain["number"])  # type: ignore[arg-type]
    try:
        return Incoming(item_from_plain(plain["event"]), mark)
    except InvalidEvent as error:
        raise error.inside("event") from error.__cause__


def read_line(line: bytes | None) -> Incoming:
    """The event in one line; None stands for a line that was too long."""
    if line is None:
        return Incoming(
            LimitExceeded(f"the line is longer than the {MAX_ENVELOPE_OCTETS} octets taken")
        )
    try:
        return _read_plain(parse_json(line, MAX_ENVELOPE_OCTETS))
    except (InvalidEvent, LimitExceeded) as error:
        return Incoming(error)


class LineSplitter:
    """Finds the lines in a body that comes in parts; each is numbered from 1.

    Blank lines count, but hold nothing. Of a line that is too long nothing is kept.

    Args:
        most: How many octets a line may have.

    Attributes:
        number: That of the line which comes, or has begun.
    """

    def __init__(self, most: int = MAX_ENVELOPE_OCTETS) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._length = 0
        self.number = 1

    def feed(self, part: bytes) -> Iterator[tuple[int, bytes | None]]:
        """The lines that end in the next part of the body: number and text, None if too long."""
        *ended, rest = part.split(b"\n")
        for one in ended:
            yield from self._line(one)
        self._keep(rest)

    def end(self) -> Iterator[tuple[int, bytes | None]]:
        """The last line, if it has no line end."""
        yield from self._line(b"")

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > self._most:
            self._parts.clear()
        else:
            self._parts.append(part)

    def _line(self, last: bytes) -> Iterator[tuple[int, bytes | None]]:
        self._keep(last)
        text = b"".join(self._parts).strip()
        if self._length > self._most:
            yield self.number, None
        elif text:
            yield self.number, text
        self.number += 1
        self._length = 0
        self._parts = []
