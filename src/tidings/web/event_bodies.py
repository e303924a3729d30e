"""Events in the bodies of requests: typed JSON, CloudEvents, JSON lines.

What is no event spoils only its own place in a batch. An event may come with its producer's mark,
``{"event": …, "producer": …, "number": …}``, or the headers give the mark of the first one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeVar

from starlette.datastructures import Headers

from tidings.api.frames import MAX_FRAME_OCTETS, ClientFrame, frame_from_plain, read_client_frame
from tidings.api.items import item_from_plain
from tidings.channel.translation import approximate_octets
from tidings.channel.vocabulary import Item
from tidings.engine.beside import beside
from tidings.engine.turns import Turns
from tidings.errors import BadInput, InvalidEvent, LimitExceeded, TidingsError, UnsupportedMedia
from tidings.events.anyvalue import Any
from tidings.events.codecs.cloudevents_codec import (
    BATCH_MEDIA_TYPE,
    MAX_STRUCTURED_OCTETS,
    STRUCTURED_MEDIA_TYPE,
    decode_binary,
    structured_from_plain,
)
from tidings.events.codecs.json_codec import MAX_ENVELOPE_OCTETS
from tidings.events.codecs.json_parts import Part, is_array, json_parts
from tidings.events.codecs.json_text import json_weight, parse_json
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.events.texts import shortened

JSON_MEDIA_TYPE: Final = "application/json"
LINES_MEDIA_TYPES: Final = ("application/x-ndjson", "application/jsonl")

_MARKED: Final = frozenset({"event", "producer", "number"})
_MOST_NUMBER: Final = 2**63 - 1
# A text that is read at once, in octets: about 3 ms.
_AT_ONCE: Final = 131_072
# One that is read without waiting for a turn: well below a millisecond.
_SHORT: Final = 8_192
# What one event may weigh, and each in a batch beyond that, to be read in the loop: about 2 ms.
_LIGHT: Final = 10_000
_LIGHT_EACH: Final = 100

_T = TypeVar("_T")


class Incoming(NamedTuple):
    """What was sent as an event: it, or what is wrong with it; and its mark, if it has one."""

    item: Item | TidingsError
    mark: ProducerMark | None = None


class Bounds(NamedTuple):
    """How many events one request or frame may bring, and values per event (`parse_json`)."""

    events: int
    values: int


class Numbering:
    """The marks that `Tidings-Producer` and `Tidings-Number` give to events, one after another."""

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
    """Decode a header as UTF-8, so that two names never become the same one."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeDecodeError:
        raise BadInput("the header Tidings-Producer is no UTF-8") from None


async def read_events(
    media_type: str, headers: Headers, body: bytes, bounds: Bounds
) -> Incoming | list[Incoming]:
    """The events in the body of a request: one, or a batch."""
    if media_type == BATCH_MEDIA_TYPE:
        if not is_array(body):
            parse_json(body, max(len(body), 1), bounds.values)  # says where it is malformed
            raise InvalidEvent("a batch of CloudEvents is a JSON array")
        return [one async for one in _elements(body, bounds, _read_cloudevent)]
    if media_type == JSON_MEDIA_TYPE and "ce-specversion" not in headers and is_array(body):
        return [one async for one in _elements(body, bounds, _read_plain)]
    if media_type == STRUCTURED_MEDIA_TYPE:
        found = await _parsed(body, MAX_STRUCTURED_OCTETS, bounds.values, _read_cloudevent)
    elif "ce-specversion" in headers:
        return await apart(
            body, lambda: _from_cloudevent(decode_binary(headers, body, bounds.values))
        )
    elif media_type == JSON_MEDIA_TYPE:
        found = await _parsed(body, max(len(body), 1), bounds.values, _read_plain)
    else:
        taken = (JSON_MEDIA_TYPE, STRUCTURED_MEDIA_TYPE, BATCH_MEDIA_TYPE, *LINES_MEDIA_TYPES)
        raise UnsupportedMedia(
            f"{shortened(media_type) if media_type else 'a body without Content-Type'} holds no "
            f"events: use {', '.join(taken)}, or ce- headers"
        )
    if isinstance(found.item, TidingsError):
        raise found.item
    return found


async def _parsed(
    body: bytes, most: int, values: int, read: Callable[[object], Incoming]
) -> Incoming:
    return await apart(body, lambda: read(parse_json(body, most, values)))


async def apart(octets: bytes, read: Callable[[], _T]) -> _T:
    """Read a JSON text; outside the loop if that takes long."""
    if _is_light(octets):
        return read()
    return await beside(lambda: _measured(read()))


def _is_light(octets: bytes, events: int = 1) -> bool:
    most = _LIGHT + events * _LIGHT_EACH
    return len(octets) * 10 <= most or (len(octets) <= _AT_ONCE and json_weight(octets) <= most)


def _measured(found: _T) -> _T:
    """The same, and how large the event is has been reckoned: the channel need not."""
    item = found.item if isinstance(found, Incoming) else found
    if isinstance(item, StructuredEvent):
        approximate_octets(item)
    return found


async def read_frame(text: str, bounds: Bounds) -> ClientFrame:
    """Read a client's frame; others continue while a long one is read."""
    if len(text) <= _AT_ONCE:
        return read_client_frame(text)
    octets = text.encode()
    turns, events, rest = Turns(), b"", list[bytes]()
    for part in json_parts(octets, 0, len(octets)):
        await turns.give()
        if part is None:
            continue
        name, colon, value = octets[part.begin : part.end].partition(b":")
        if name.strip() == b'"events"' and not events and is_array(value):
            events, value = value, b"[]"
        rest.append(name + colon + value)
    plain = parse_json(b"{" + b",".join(rest) + b"}", MAX_FRAME_OCTETS, bounds.values)
    assert isinstance(plain, dict)
    if events:
        plain["events"] = [one async for one in _elements(events, bounds, _read_item)]
    return frame_from_plain(plain)


async def read_items(events: Sequence[object], text: str = "") -> list[Item | TidingsError]:
    """The events of a frame, parsed or still JSON; an error stands in place of an invalid one."""
    if len(text) <= _AT_ONCE and not _is_light(text.encode(), len(events)):
        return await beside(lambda: [_measured(_read_item(plain)) for plain in events])
    found: list[Item | TidingsError] = []
    turns = Turns()
    for plain in events:
        found.append(_read_item(plain))
        if turns.over:
            await turns.give()
    return found


def _read_item(plain: object) -> Item | TidingsError:
    if isinstance(plain, TidingsError | StructuredEvent | Any):
        return plain
    try:
        return item_from_plain(plain)
    except InvalidEvent as error:
        return error


async def _elements(body: bytes, bounds: Bounds, read: Callable[[object], _T]) -> AsyncIterator[_T]:
    """Read the elements of a JSON array; one with too many values becomes an error.

    They are counted before the first one is parsed, and others continue in between.
    """
    turns = Turns()
    if len(body) > _SHORT:
        await turns.wait()
    if len(body) <= _AT_ONCE:
        plain = parse_json(body, _AT_ONCE)
        assert isinstance(plain, list)
        _check_count(len(plain), bounds.events)
        if not _is_light(body, len(plain)):
            for found in await beside(lambda: [_measured(read(one)) for one in plain]):
                yield found
            return
        for one in plain:
            yield read(one)
            await turns.give()
        return
    parts: list[Part] = []
    for part in json_parts(body, 0, len(body)):
        if part is not None:
            parts.append(part)
            _check_count(len(parts), bounds.events)
        await turns.give()
    for at, part in enumerate(parts):
        octets = body[part.begin : part.end]
        yield await apart(octets, partial(_read_element, octets, at, bounds, read))
        await turns.give()


def _read_element(octets: bytes, at: int, bounds: Bounds, read: Callable[[object], _T]) -> _T:
    return read(_element(octets, at, bounds))


def _check_count(count: int, most: int) -> None:
    if count > most:
        raise LimitExceeded(
            f"there are more than the {most} events that one request or frame may bring: send "
            "several, or JSON lines"
        )


def _element(octets: bytes, at: int, bounds: Bounds) -> object:
    try:
        return parse_json(octets, MAX_STRUCTURED_OCTETS, bounds.values)
    except InvalidEvent as error:
        raise error.inside(f"[{at}]") from error.__cause__
    except LimitExceeded as error:
        return error


def _read_cloudevent(plain: object) -> Incoming:
    if isinstance(plain, LimitExceeded):
        return Incoming(plain)
    try:
        return _from_cloudevent(structured_from_plain(plain))
    except (InvalidEvent, LimitExceeded) as error:
        return Incoming(error)


def _from_cloudevent(found: Envelope | StructuredEvent) -> Incoming:
    if isinstance(found, Envelope):
        return Incoming(found.event, found.mark)
    return Incoming(found)


def _read_plain(plain: object) -> Incoming:
    if isinstance(plain, LimitExceeded):
        return Incoming(plain)
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


def read_line(line: bytes | None, values: int) -> Incoming:
    """The event in one line, of so many values at most; None stands for a line too long."""
    if line is None:
        return Incoming(
            LimitExceeded(f"the line is longer than the {MAX_ENVELOPE_OCTETS} octets taken")
        )
    try:
        return _read_plain(parse_json(line, MAX_ENVELOPE_OCTETS, values))
    except (InvalidEvent, LimitExceeded) as error:
        return Incoming(error)


class LineSplitter:
    """Finds the lines in a body that comes in parts, numbered from 1.

    Blank lines count, but hold nothing. Of a line that is too long nothing is kept.
    """

    def __init__(self, most: int = MAX_ENVELOPE_OCTETS) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._length = 0
        self.number = 1

    def feed(self, part: bytes) -> Iterator[tuple[int, bytes | None]]:
        """The lines that end in the next part: number and text; None if too long."""
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
        else:
            yield self.number, text
        self.number += 1
        self._length = 0
        self._parts = []
