"""Frames: what goes over a WebSocket, in both directions.

A frame is one JSON object in a text message; `op` says which. Client and server write and read
them with the same classes, so that each frame has one description. Events are in typed JSON; a
bare value stands as ``{"any": value}``.

A frame that holds what no such frame has, or a value of the wrong type, is refused whole. Only
an event that is none does not spoil the frame it stands in: it is an error in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, TypeAlias, get_args

import msgspec
from msgspec import Meta

from tidings.api.items import type_form, type_from_form
from tidings.channel.effects import Message
from tidings.errors import BadInput, LimitExceeded
from tidings.events.codecs.json_codec import event_from_plain
from tidings.events.codecs.json_text import parse_json
from tidings.events.envelope import ProducerMark
from tidings.events.texts import shortened
from tidings.filters.constraint import EventTypePattern

# What one frame may make the service do before others get a turn.
MAX_FRAME_EVENTS: Final = 1_000
MAX_WINDOW: Final = 100_000
MAX_REASON: Final = 4_096

Id: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Reason: TypeAlias = Annotated[str, Meta(max_length=MAX_REASON)]
Seqs: TypeAlias = Annotated[list[Id], Meta(max_length=MAX_WINDOW)]
Events: TypeAlias = Annotated[list[Any], Meta(max_length=MAX_FRAME_EVENTS)]
Problem: TypeAlias = dict[str, Any]


class Frame(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="op"
):
    """A frame; its class says the `op`."""


class ConnectFrame(Frame, frozen=True, tag="connect"):
    """Connects a proxy to a line of this socket. Answer: `OkFrame` or `ErrorFrame`.

    Attributes:
        id: Named again in the answer.
        line: The client's own number for the connection.
        window: How many events may be in flight to a push consumer.
        again: Whether this may replace an earlier connection, as after a cut.
        notices: Whether the client wants to hear of offers or subscriptions.
    """

    id: Id
    line: Id
    channel: Id
    proxy: Id
    window: Annotated[int, Meta(ge=1, le=MAX_WINDOW)] = 256
    again: bool = False
    notices: bool = True


class PushFrame(Frame, frozen=True, tag="push"):
    """Events from a supplier. Answer: `PushedFrame`, or `ErrorFrame` if none was looked at.

    Attributes:
        events: As parsed JSON.
        producer: Who sends them, if all have marks that count up from `number`.
        marks: Or the mark of each: producer and number.
        trail: Whether the answers say how each was judged.
    """

    id: Id
    channel: Id
    proxy: Id
    events: Events
    producer: str | None = None
    number: Id | None = None
    marks: list[tuple[str, Id]] | None = None
    trail: bool = False

    def __post_init__(self) -> None:
        if (self.producer is None) != (self.number is None):
            raise ValueError("`producer` and `number` go together")
        if self.marks is not None:
            if self.producer is not None:
                raise ValueError("either `producer` and `number`, or `marks`")
            if len(self.marks) != len(self.events):
                raise ValueError(
                    f"{len(self.marks)} `marks` for {len(self.events)} `events`; each needs one"
                )

    def producer_marks(self) -> list[ProducerMark] | None:
        """The mark of each event; None if they have none."""
        if self.number is not None and self.producer is not None:
            first = ProducerMark(self.producer, self.number)
            if len(self.events) == 1:
                return [first]
            last = self.number + len(self.events) - 1
            ProducerMark(self.producer, max(last, 0))
            trusted, producer = ProducerMark.trusted, self.producer
            return [trusted(producer, number) for number in range(self.number, last + 1)]
        if self.marks is not None:
            return [ProducerMark(producer, number) for producer, number in self.marks]
        return None


class AckFrame(Frame, frozen=True, tag="ack"):
    """The consumer has taken these events; no answer."""

    line: Id
    seqs: Seqs


class FailFrame(Frame, frozen=True, tag="fail"):
    """The consumer could not take these events: they are to come again; no answer."""

    line: Id
    seqs: Seqs
    reason: Reason = ""


class RejectFrame(Frame, frozen=True, tag="reject"):
    """The consumer will never take these events: they become dead letters; no answer."""

    line: Id
    seqs: Seqs
    reason: Reason = ""


class PolledFrame(Frame, frozen=True, tag="polled"):
    """What a pull supplier had when it was asked; no answer.

    Attributes:
        poll: The number of the `PollFrame`.
        reason: Why asking failed; empty if it did not.
        gone: The supplier does not exist any more: its proxy ends.
    """

    line: Id
    poll: Id
    events: Events = msgspec.field(default_factory=list)
    reason: Reason = ""
    gone: bool = False


class ReleaseFrame(Frame, frozen=True, tag="release"):
    """Cuts a line; with `end` the proxy ends, too. Answer: `OkFrame` or `ErrorFrame`."""

    id: Id
    line: Id
    end: bool = False


ClientFrame: TypeAlias = (
    ConnectFrame | PushFrame | AckFrame | FailFrame | RejectFrame | PolledFrame | ReleaseFrame
)


class OkFrame(Frame, frozen=True, tag="ok"):
    """What was asked is done."""

    id: Id


class ErrorFrame(Frame, frozen=True, tag="error"):
    """What was asked is not done; `id` is None if the frame had none."""

    id: Id | None
    problem: Problem


class PushedFrame(Frame, frozen=True, tag="pushed"):
    """What became of the events of a `PushFrame`.

    Each result is a number (0: a filter stopped it), ``{"error": problem}``, or
    ``{"seq": number, "trail": trail}`` if trails were asked for.
    """

    id: Id
    results: list[int | dict[str, Any]]


class ConnectedFrame(Frame, frozen=True, tag="connected"):
    """The subscription made for a socket of its own."""

    line: Id
    channel: Id
    proxy: Id
    name: str


class _Delivered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seq: int
    arrival: int
    priority: int
    event: dict[str, Any]
    producer: str | None = None
    number: int | None = None

    def message(self, origin: str) -> Message:
        mark = None
        if self.producer is not None and self.number is not None:
            mark = ProducerMark.trusted(self.producer, self.number)
        event = event_from_plain(self.event)
        return Message(event, origin, self.seq, self.arrival, 0, self.priority, mark)


class EventsFrame(Frame, frozen=True, tag="events"):
    """Events for a consumer, in order.

    Attributes:
        origin: Id of the channel: with its number, the id of each event.
        again: Numbers of those that may have been handed over before.
        batch: Whether they are one batch: the proxy's form is sequence.
        replayed: Whether they are from the past: no answer is awaited.
        lost: First and last numbers of runs of past events that are lost by damage.
    """

    line: Id
    origin: str
    events: list[_Delivered]
    again: list[int] = msgspec.field(default_factory=list)
    batch: bool = False
    replayed: bool = False
    lost: list[tuple[int, int]] = msgspec.field(default_factory=list)

    def messages(self) -> list[Message]:
        """The events."""
        return [one.message(self.origin) for one in self.events]


class TypesFrame(Frame, frozen=True, tag="types"):
    """Event types that are newly offered or wanted, and those that are no more.

    A type is ``Domain::Type``, or both by name where that text would be read otherwise.
    """

    line: Id
    added: list[str | dict[str, str]]
    removed: list[str | dict[str, str]]

    @classmethod
    def of(
        cls, line: int, added: Iterable[EventTypePattern], removed: Iterable[EventTypePattern]
    ) -> TypesFrame:
        """The frame that tells of patterns."""
        return cls(line, [type_form(one) for one in added], [type_form(one) for one in removed])

    def patterns(self) -> tuple[list[EventTypePattern], list[EventTypePattern]]:
        """The patterns that were added, and those that were removed."""
        return list(map(type_from_form, self.added)), list(map(type_from_form, self.removed))


class PollFrame(Frame, frozen=True, tag="poll"):
    """Asks a pull supplier for events, at most `most`; answered by `PolledFrame`."""

    line: Id
    poll: Id
    most: Id


class GoneFrame(Frame, frozen=True, tag="gone"):
    """The proxy has ended, or another client has taken the line over."""

    line: Id
    problem: Problem


ServerFrame: TypeAlias = (
    OkFrame
    | ErrorFrame
    | PushedFrame
    | ConnectedFrame
    | EventsFrame
    | TypesFrame
    | PollFrame
    | GoneFrame
)


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
    kind.__struct_config__.tag: kind for kind in get_args(ClientFrame)
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
