"""Frames: what goes over a WebSocket, in both directions.

A frame is one JSON object in a text message; `op` says which. Client and server write and read
them with the same classes, so that each frame has one description. Events are in typed JSON; a
bare value stands as ``{"any": value}``.

A frame that holds what no such frame has, or a value of the wrong type, is refused whole. Only
an event that is none does not spoil the frame it stands in: it is an error in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from tidings.api.client_frames import (
    AckFrame,
    ClientFrame,
    ConnectFrame,
    FailFrame,
    PolledFrame,
    PushFrame,
    RejectFrame,
    ReleaseFrame,
)
from tidings.api.frame_parts import MAX_FRAME_EVENTS, MAX_REASON, MAX_WINDOW, Id
from tidings.api.server_frames import (
    ConnectedFrame,
    ErrorFrame,
    EventsFrame,
    GoneFrame,
    OkFrame,
    PollFrame,
    PushedFrame,
    ServerFrame,
    TypesFrame,
)
from tidings.errors import BadInput, LimitExceeded
from tidings.events.codecs.json_text import parse_json
from tidings.events.envelope import ProducerMark
from tidings.events.texts import shortened

__all__ = [
    "MAX_FRAME_EVENTS",
    "MAX_FRAME_OCTETS",
    "MAX_REASON",
    "MAX_WINDOW",
    "SUBPROTOCOL",
    "AckFrame",
    "ClientFrame",
    "ConnectFrame",
    "ConnectedFrame",
    "ErrorFrame",
    "EventsFrame",
    "FailFrame",
    "GoneFrame",
    "OkFrame",
    "PollFrame",
    "PolledFrame",
    "PushFrame",
    "PushedFrame",
    "RejectFrame",
    "ReleaseFrame",
    "ServerFrame",
    "TypesFrame",
    "frame_from_plain",
    "frame_id",
    "push_content",
    "read_client_frame",
    "read_server_frame",
    "write_events",
    "write_frame",
    "write_push",
    "write_pushed",
]

SUBPROTOCOL: Final = "tidings.v1"
# The largest event with all that may stand around it, and some more.
MAX_FRAME_OCTETS: Final = 16 * 1024 * 1024

# How long a frame may be that is searched for its id.
_SEARCHED_OCTETS: Final = 1024 * 1024

_encoder = msgspec.json.Encoder()
_server_decoder: Final[msgspec.json.Decoder[ServerFrame]] = msgspec.json.Decoder(ServerFrame)


def read_client_frame(text: str | bytes) -> ClientFrame:
    """Read a client's frame; an error says what is wrong and where."""
    return frame_from_plain(parse_json(text, MAX_FRAME_OCTETS))


def frame_from_plain(plain: object) -> ClientFrame:
    """Make a frame of parsed JSON; an error says what is wrong and where."""
    if not isinstance(plain, dict):
        raise BadInput(f"a frame is a JSON object, not {shortened(plain)}")
    op = plain.get("op")
    kind = _CLIENT_FRAMES.get(op) if isinstance(op, str) else None
    if kind is None:
        given = f"the op {shortened(op)} is none" if "op" in plain else "a frame needs an op"
        raise BadInput(f"{given}; there are {', '.join(_CLIENT_FRAMES)}")
    try:
        frame: ClientFrame = msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise BadInput(f"the frame {op}: {_in_words(error)}") from error
    return frame


# Each by itself: for a union, msgspec looks at all of its types each time.
_CLIENT_FRAMES: Final[dict[str, type[ClientFrame]]] = {
    "connect": ConnectFrame,
    "push": PushFrame,
    "ack": AckFrame,
    "fail": FailFrame,
    "reject": RejectFrame,
    "polled": PolledFrame,
    "release": ReleaseFrame,
}


def read_server_frame(text: str | bytes) -> ServerFrame:
    """Read a server's frame; an error says what is wrong and where."""
    try:
        return _server_decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"a frame of the service cannot be read: {_in_words(error)}") from error


def frame_id(text: str | bytes) -> int | None:
    """The `id` of a frame that was refused, if it can be found; a long one is not searched."""
    if len(text) > _SEARCHED_OCTETS:
        return None
    try:
        return msgspec.json.decode(text, type=_Identified).id
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


class _Identified(msgspec.Struct):
    id: Id | None = None


def _in_words(error: Exception) -> str:
    """What msgspec says, in the words of JSON's users: `$` is the frame itself."""
    return str(error).replace(" - at `$`", "").replace("`$.", "`")


def write_frame(frame: ClientFrame | ServerFrame) -> str:
    """Write a frame as text; a client's frame must be as short as the service takes it."""
    octets = _encoder.encode(frame)
    if len(octets) > MAX_FRAME_OCTETS and isinstance(frame, ClientFrame):
        raise LimitExceeded(
            f"a frame of {len(octets)} octets is longer than the {MAX_FRAME_OCTETS} taken: "
            "send fewer events at a time"
        )
    return octets.decode()


def push_content(
    events: Iterable[bytes], marks: Sequence[ProducerMark], *, trail: bool = False
) -> bytes:
    """What a `PushFrame` holds whichever proxy it goes through, for `write_push`."""
    first = marks[0]
    producer, number = first.producer, first.number
    if all(m.number == number + at and m.producer == producer for at, m in enumerate(marks)):
        told = b'"producer":%b,"number":%d,' % (_encoder.encode(producer), number)
    else:
        told = b'"marks":%b,' % _encoder.encode([(m.producer, m.number) for m in marks])
    return b'%b%b"events":[%b]' % (told, b'"trail":true,' if trail else b"", b",".join(events))


def write_push(id: int, channel: int, proxy: int, content: bytes) -> bytes:
    """A `PushFrame` as text, from its `push_content`."""
    head = b'{"op":"push","id":%d,"channel":%d,"proxy":%d,' % (id, channel, proxy)
    return b"%b%b}" % (head, content)


def write_pushed(id: int, results: Sequence[int | dict[str, Any]]) -> str:
    """A `PushedFrame` as text."""
    if len(results) == 1 and results[0].__class__ is int:  # as most are
        return f'{{"op":"pushed","id":{id},"results":[{results[0]}]}}'
    return _encoder.encode(PushedFrame(id, list(results))).decode()


def write_events(
    line: int,
    origin: str,
    events: str,
    again: Sequence[int] = (),
    *,
    batch: bool = False,
    replayed: bool = False,
    lost: Sequence[tuple[int, int]] = (),
) -> str:
    """Write an `EventsFrame` with texts that `write_delivered` made, joined by commas."""
    end = "]}"
    if again or batch or replayed:
        told = f',"again":{list(again)}' if again else ""
        told += f',"lost":{[list(run) for run in lost]}' if lost else ""
        end = f"]{told}{_BATCH[batch]}{_REPLAYED[replayed]}}}"
    return f'{{"op":"events","line":{line},"origin":"{origin}","events":[{events}{end}'


_BATCH: Final = ("", ',"batch":true')
_REPLAYED: Final = ("", ',"replayed":true')
