"""GIOP: the messages between ORBs, read and written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from tidings.events.reference import Reference
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import NOT_NEGOTIATED, CodeSets
from tidings.orb.exceptions import FramingError, SystemException
from tidings.orb.ior import key_of_profile
from tidings.orb.limits import DEFAULT_LIMITS, MessageLimits


class MessageType(IntEnum):
    """Types of messages, numbered as in their headers."""

    REQUEST = 0
    REPLY = 1
    CANCEL_REQUEST = 2
    LOCATE_REQUEST = 3
    LOCATE_REPLY = 4
    CLOSE_CONNECTION = 5
    MESSAGE_ERROR = 6
    FRAGMENT = 7


class ReplyStatus(IntEnum):
    """The outcome of a request. The last two are of GIOP 1.2."""

    NO_EXCEPTION = 0
    USER_EXCEPTION = 1
    SYSTEM_EXCEPTION = 2
    LOCATION_FORWARD = 3
    LOCATION_FORWARD_PERM = 4
    NEEDS_ADDRESSING_MODE = 5


class LocateStatus(IntEnum):
    """Where an object is. The last three are of GIOP 1.2."""

    UNKNOWN_OBJECT = 0
    OBJECT_HERE = 1
    OBJECT_FORWARD = 2
    OBJECT_FORWARD_PERM = 3
    LOC_SYSTEM_EXCEPTION = 4
    LOC_NEEDS_ADDRESSING_MODE = 5


class AddressKind(IntEnum):
    """How a request names its object."""

    KEY = 0
    PROFILE = 1
    REFERENCE = 2


class ServiceContext(NamedTuple):
    """Data sent beside a request or reply."""

    id: int
    data: bytes


class ProfileTarget(NamedTuple):
    """An object named by one profile of its reference."""

    tag: int
    data: bytes


class ReferenceTarget(NamedTuple):
    """An object named by its reference, and the profile chosen of it."""

    profile_index: int
    reference: Reference


Target: TypeAlias = bytes | ProfileTarget | ReferenceTarget
"""Which object a request is for: its key, as almost always, or more of its reference."""


def key_of(target: Target) -> bytes:
    """The object key of a target; empty, which no object has, if it is unknown."""
    if isinstance(target, bytes):
        return target
    if isinstance(target, ProfileTarget):
        return key_of_profile(target.tag, target.data)
    profiles = target.reference.profiles
    if target.profile_index >= len(profiles):
        return b""
    return key_of_profile(*profiles[target.profile_index])


class _WithBody(msgspec.Struct, frozen=True):
    """A message with a body: the octets of the whole message, and where the body begins."""

    minor: int
    little: bool
    request_id: int
    octets: bytes
    at: int

    def reader(
        self, codesets: CodeSets = NOT_NEGOTIATED, limits: MessageLimits = DEFAULT_LIMITS
    ) -> Reader:
        """A reader of the body."""
        return Reader(
            self.octets,
            little=self.little,
            at=self.at,
            minor=self.minor,
            codesets=codesets,
            limits=limits,
        )


class Request(_WithBody, frozen=True):
    """A call of an operation; bit 0 of the response flags asks for a reply."""

    response_flags: int
    target: Target
    key: bytes
    operation: str
    contexts: tuple[ServiceContext, ...]


class Reply(_WithBody, frozen=True):
    """The outcome of a request."""

    status: ReplyStatus
    contexts: tuple[ServiceContext, ...]


class LocateReply(_WithBody, frozen=True):
    """Where an object is."""

    status: LocateStatus


class LocateRequest(msgspec.Struct, frozen=True):
    """The question whether an object is here."""

    minor: int
    little: bool
    request_id: int
    target: Target
    key: bytes


class CancelRequest(msgspec.Struct, frozen=True):
    """The reply to a request is no longer wanted."""

    minor: int
    little: bool
    request_id: int


class CloseConnection(msgspec.Struct, frozen=True):
    """The peer closes the connection in good order."""

    minor: int
    little: bool


class MessageError(msgspec.Struct, frozen=True):
    """The peer does not understand what it was sent."""

    minor: int
    little: bool


Message: TypeAlias = (
    Request | Reply | CancelRequest | LocateRequest | LocateReply | CloseConnection | MessageError
)


HEADER_SIZE: Final = 12
HIGHEST_MINOR: Final = 2
_MAGIC: Final = b"GIOP"
# With these an alert and a handshake begin (RFC 8446, 5.1).
_TLS_RECORDS: Final = (b"\x15", b"\x16")
_LITTLE_HEADER: Final = Struct("<4sBBBBI").unpack_from
_AFTER_ID: Final = HEADER_SIZE + 4
_LONGEST_TEMPLATE: Final = 512
_ULONG: Final = {True: Struct("<I").unpack_from, False: Struct(">I").unpack_from}
# Of a reply in GIOP 1.2: the request id, the status, and how many service contexts follow.
_REPLY_START: Final = {True: Struct("<III").unpack_from, False: Struct(">III").unpack_from}
# A whole reply in GIOP 1.2 that has neither service contexts nor a body.
_EMPTY_REPLY: Final = {True: Struct("<4s4B4I").pack, False: Struct(">4s4B4I").pack}
_PLAIN_SIZE: Final = 12
_STATUSES: Final = tuple(ReplyStatus)
S = TypeVar("S", bound=IntEnum)


class Header(msgspec.Struct, frozen=True):
    """The twelve octets at the beginning of a message; `more` if fragments follow."""

    minor: int
    little: bool
    more: bool
    type: MessageType
    size: int


def check_magic(octets: bytes | bytearray) -> None:
    """Refuse octets, however few, that cannot be the beginning of a message."""
    if octets[:4] != _MAGIC[: len(octets)]:
        if octets[:1] in _TLS_RECORDS:
            raise FramingError(
                "TLS came where it is not spoken: it has a port of its own, which references and "
                "addresses such as corbaloc:ssliop:host:2810 name"
            )
        shown = bytes(octets[:4])
        raise FramingError(f"a GIOP message begins with {_MAGIC!r}, not with {shown!r}")


def read_header(octets: bytes | bytearray) -> Header:
    """The header at the beginning of at least twelve octets."""
    magic, major, minor, flags, number, size = _LITTLE_HEADER(octets)
    if magic != _MAGIC:
        check_magic(octets)
    if major != 1 or minor > HIGHEST_MINOR:
        raise FramingError(f"GIOP {major}.{minor} is not supported; 1.0 to 1.{HIGHEST_MINOR} are")
    if number >= len(_TYPES) or (not minor and number == MessageType.FRAGMENT):
        raise FramingError(f"GIOP 1.{minor} has no message of type {number}")
    little = flags & 1 == 1
    if not little:
        size = int.from_bytes(octets[8:12], "big")
    return Header(minor, little, bool(minor and flags & 2), _TYPES[number], size)


_TYPES: Final = tuple(MessageType)


def decode_message(octets: bytes, limits: MessageLimits = DEFAULT_LIMITS) -> Message:
    """The message in octets whose fragments have been put together."""
    if len(octets) < HEADER_SIZE:
        raise FramingError(f"{len(octets)} octets are less than the {HEADER_SIZE} of a header")
    header = read_header(octets)
    if header.size != len(octets) - HEADER_SIZE:
        left = len(octets) - HEADER_SIZE
        raise FramingError(f"a message of {header.size} octets came with {left}")
    return decode_whole(header, octets, limits)


def decode_whole(header: Header, octets: bytes, limits: MessageLimits = DEFAULT_LIMITS) -> Message:
    """The message in octets whose header was read, and whose size is right."""
    if header.type is MessageType.REPLY:
        plain = _plain_reply(header, octets)
        if plain is not None:
            return plain
    if header.type is MessageType.CLOSE_CONNECTION:
        return CloseConnection(header.minor, header.little)
    if header.type is MessageType.MESSAGE_ERROR:
        return MessageError(header.minor, header.little)
    decode = _DECODERS.get(header.type)
    if decode is None or header.more:
        raise FramingError(f"a {header.type.name} that is only a part of a message")
    reader = Reader(octets, little=header.little, at=HEADER_SIZE, minor=header.minor, limits=limits)
    try:
        return decode(reader)
    except SystemException as error:
        raise FramingError(f"a malformed {header.type.name}: {error.why}") from error


def _request(reader: Reader) -> Request:
    if reader.minor >= 2:
        request_id = reader.ulong()
        flags = reader.octet()
        reader.take(3)
        target = _target(reader)
        operation = reader.latin()
        contexts = _contexts(reader)
        _to_body(reader)
    else:
        contexts = _contexts(reader)
        request_id = reader.ulong()
        flags = 3 if reader.boolean() else 0
        if reader.minor:
            reader.take(3)
        target = reader.octets()
        operation = reader.latin()
        reader.octets()  # the principal, which nobody uses any more
    return Request(
        reader.minor,
        reader.little,
        request_id,
        reader.buffer,
        reader.at,
        flags,
        target,
        key_of(target),
        operation,
        contexts,
    )


def request_template(request: Request) -> Request | None:
    """What a request has in common with others for the same operation of the same object.

    Its octets are those of the head behind the id. None if not much would be saved.
    """
    usual = request.minor >= 2 and not request.contexts and not request.at & 7
    if not usual or request.at > _LONGEST_TEMPLATE:
        return None
    return msgspec.structs.replace(request, octets=request.octets[_AFTER_ID : request.at])


def repeated_request(template: Request, header: Header, octets: bytes) -> Request | None:
    """The request in octets if it fits a template, whose head is not read again."""
    minor, little = header.minor, header.little
    if (
        header.type is not MessageType.REQUEST
        or minor < 2
        or little is not template.little
        or not octets.startswith(template.octets, _AFTER_ID)
    ):
        return None
    _, _, _, _, at, flags, target, key, operation, contexts = msgspec.structs.astuple(template)
    id = _ULONG[little](octets, HEADER_SIZE)[0]
    return Request(minor, little, id, octets, at, flags, target, key, operation, contexts)


def _plain_reply(header: Header, octets: bytes) -> Reply | None:
    """Decode the usual reply fast: GIOP 1.2, without service contexts."""
    minor, little = header.minor, header.little
    if minor < 2 or header.more or header.size < _PLAIN_SIZE:
        return None
    request_id, status, contexts = _REPLY_START[little](octets, HEADER_SIZE)
    if contexts or status >= len(_STATUSES):
        return None
    at = HEADER_SIZE + _PLAIN_SIZE  # a body, if there is one, is aligned there
    return Reply(minor, little, request_id, octets, at, _STATUSES[status], ())


def _reply(reader: Reader) -> Reply:
    if reader.minor >= 2:
        request_id = reader.ulong()
        status = _status(reader, ReplyStatus, ReplyStatus.NEEDS_ADDRESSING_MODE)
        contexts = _contexts(reader)
        _to_body(reader)
    else:
        contexts = _contexts(reader)
        request_id = reader.ulong()
        status = _status(reader, ReplyStatus, ReplyStatus.LOCATION_FORWARD)
    return Reply(
        reader.minor, reader.little, request_id, reader.buffer, reader.at, status, contexts
    )


def _cancel_request(reader: Reader) -> CancelRequest:
    return CancelRequest(reader.minor, reader.little, reader.ulong())


def _locate_request(reader: Reader) -> LocateRequest:
    request_id = reader.ulong()
    target = _target(reader) if reader.minor >= 2 else reader.octets()
    return LocateRequest(reader.minor, reader.little, request_id, target, key_of(target))


def _locate_reply(reader: Reader) -> LocateReply:
    request_id = reader.ulong()
    last = LocateStatus.LOC_NEEDS_ADDRESSING_MODE
    if reader.minor < 2:
        last = LocateStatus.OBJECT_FORWARD
    status = _status(reader, LocateStatus, last)
    return LocateReply(reader.minor, reader.little, request_id, reader.buffer, reader.at, status)


_DECODERS: Final[dict[MessageType, Callable[[Reader], Message]]] = {
    MessageType.REQUEST: _request,
    MessageType.REPLY: _reply,
    MessageType.CANCEL_REQUEST: _cancel_request,
    MessageType.LOCATE_REQUEST: _locate_request,
    MessageType.LOCATE_REPLY: _locate_reply,
}


def _status(reader: Reader, statuses: type[S], last: S) -> S:
    number = reader.ulong()
    if number > last:
        raise reader.bad(f"{number} is not a status in GIOP 1.{reader.minor}")
    return statuses(number)


def _contexts(reader: Reader) -> tuple[ServiceContext, ...]:
    count = reader.length(8)
    if not count:
        return ()
    if count > reader.limits.contexts:
        raise reader.bad(f"{count} service contexts; at most {reader.limits.contexts} are accepted")
    return tuple([ServiceContext(reader.ulong(), reader.octets()) for _ in range(count)])


def _target(reader: Reader) -> Target:
    kind = reader.short()
    if kind == AddressKind.KEY:
        return reader.octets()
    if kind == AddressKind.PROFILE:
        return ProfileTarget(reader.ulong(), reader.octets())
    if kind == AddressKind.REFERENCE:
        return ReferenceTarget(reader.ulong(), reader.reference())
    raise reader.bad(f"{kind} is not a way to name an object")


def _to_body(reader: Reader) -> None:
    """Skip the padding before a body; without a body there may be none."""
    reader.at = min(reader.at + (-reader.at & 7), reader.end)


WriteBody: TypeAlias = Callable[[Writer], None]
Contexts: TypeAlias = Sequence[tuple[int, bytes]]


ORDINARY: Final = 3
"""The response flags of a call that waits for its reply."""


class Wire(NamedTuple):
    """How messages of a connection are encoded."""

    minor: int = 2
    little: bool = True
    codesets: CodeSets = NOT_NEGOTIATED


def encode_request(
    wire: Wire,
    request_id: int,
    target: Target,
    operation: str,
    *,
    response_flags: int = ORDINARY,
    contexts: Contexts = (),
    write_body: WriteBody | None = None,
) -> bytes:
    """A Request; before GIOP 1.2 it names the object by its key only."""
    writer = _begin(wire, MessageType.REQUEST)
    if wire.minor >= 2:
        writer.ulong(request_id)
        writer.octet(response_flags)
        writer.raw(b"\0\0\0")
        _write_target(writer, target)
        writer.latin(operation)
        _write_contexts(writer, contexts)
    else:
        _write_contexts(writer, contexts)
        writer.ulong(request_id)
        writer.boolean(response_flags & 1 == 1)
        if wire.minor:
            writer.raw(b"\0\0\0")
        writer.octets(key_of(target))
        writer.latin(operation)
        writer.ulong(0)  # the principal, which nobody uses any more
    return _finish(writer, write_body, aligned=wire.minor >= 2)


class RequestTemplate:
    """Requests for one operation of one object, which differ in their ids and arguments only.

    `body_at` is where the arguments begin, for their alignment.
    """

    __slots__ = ("_beginning", "_end", "_numbers", "_padding", "body_at", "wire")

    def __init__(self, wire: Wire, key: bytes, operation: str, contexts: Contexts = ()) -> None:
        self.wire = wire
        sample = encode_request(
            wire, 0, key, operation, contexts=contexts, write_body=lambda writer: writer.octet(0)
        )
        self.body_at = len(sample) - 1
        self._padding = self.body_at - len(
            encode_request(wire, 0, key, operation, contexts=contexts)
        )
        order = "<" if wire.little else ">"
        # Before GIOP 1.2 the number of service contexts, none, stands before the request's id.
        self._numbers = Struct(f"{order}II" if wire.minor >= 2 else f"{order}I4xI")
        self._beginning = sample[:8]
        self._end = sample[8 + self._numbers.size : -1]

    def request(self, request_id: int, body: bytes) -> bytes:
        """A request with these arguments."""
        size, end = self.body_at + len(body) - HEADER_SIZE, self._end
        if not body and self._padding:  # which stands only before a body
            size, end = size - self._padding, end[: -self._padding]
        numbers = self._numbers.pack(size, request_id)
        return b"".join((self._beginning, numbers, end, body))


def encode_reply(
    wire: Wire,
    request_id: int,
    status: ReplyStatus,
    *,
    contexts: Contexts = (),
    write_body: WriteBody | None = None,
) -> bytes:
    """A Reply; the body depends on the status."""
    minor, little, _ = wire
    if write_body is None and minor == HIGHEST_MINOR and not contexts:
        kind = MessageType.REPLY
        return _EMPTY_REPLY[little](
            _MAGIC, 1, minor, little, kind, _PLAIN_SIZE, request_id, status, 0
        )
    writer = _begin(wire, MessageType.REPLY)
    if wire.minor >= 2:
        writer.ulong(request_id)
        writer.ulong(status)
        _write_contexts(writer, contexts)
    else:
        _write_contexts(writer, contexts)
        writer.ulong(request_id)
        writer.ulong(status)
    return _finish(writer, write_body, aligned=wire.minor >= 2)


def encode_locate_request(wire: Wire, request_id: int, target: Target) -> bytes:
    """A LocateRequest."""
    writer = _begin(wire, MessageType.LOCATE_REQUEST)
    writer.ulong(request_id)
    if wire.minor >= 2:
        _write_target(writer, target)
    else:
        writer.octets(key_of(target))
    return _finish(writer)


def encode_locate_reply(
    wire: Wire, request_id: int, status: LocateStatus, write_body: WriteBody | None = None
) -> bytes:
    """A LocateReply; its body follows at once, in every version."""
    writer = _begin(wire, MessageType.LOCATE_REPLY)
    writer.ulong(request_id)
    writer.ulong(status)
    return _finish(writer, write_body)


def encode_cancel_request(request_id: int, *, minor: int = 2, little: bool = True) -> bytes:
    """A CancelRequest."""
    writer = _begin(Wire(minor, little), MessageType.CANCEL_REQUEST)
    writer.ulong(request_id)
    return _finish(writer)


def encode_bare(type_: MessageType, *, minor: int = 2, little: bool = True) -> bytes:
    """A CloseConnection, or a MessageError, whose version is the highest that we support."""
    return _finish(_begin(Wire(minor, little), type_))


def write_system_exception(writer: Writer, error: SystemException) -> None:
    """Write the body of a reply with a system exception."""
    writer.latin(error.id)
    writer.ulong(error.minor)
    writer.ulong(error.completed)


def _begin(wire: Wire, type_: MessageType) -> Writer:
    writer = Writer(little=wire.little, minor=wire.minor, codesets=wire.codesets)
    writer.raw(bytes((0x47, 0x49, 0x4F, 0x50, 1, wire.minor, wire.little, type_, 0, 0, 0, 0)))
    return writer


def _finish(writer: Writer, write_body: WriteBody | None = None, *, aligned: bool = False) -> bytes:
    """The whole message: add its body, and its size in the header."""
    buffer = writer.buffer
    if write_body is not None:
        header_end = len(buffer)
        if aligned:
            writer.align(8)
        body = len(buffer)
        write_body(writer)
        if len(buffer) == body:
            del buffer[header_end:]  # padding stands only before a body
    buffer[8:12] = (len(buffer) - 12).to_bytes(4, "little" if writer.little else "big")
    return bytes(buffer)


def _write_contexts(writer: Writer, contexts: Contexts) -> None:
    writer.ulong(len(contexts))
    for id, data in contexts:
        writer.ulong(id)
        writer.octets(data)


def _write_target(writer: Writer, target: Target) -> None:
    if isinstance(target, bytes):
        writer.short(AddressKind.KEY)
        writer.octets(target)
    elif isinstance(target, ProfileTarget):
        writer.short(AddressKind.PROFILE)
        writer.ulong(target.tag)
        writer.octets(target.data)
    else:
        writer.short(AddressKind.REFERENCE)
        writer.ulong(target.profile_index)
        writer.reference(target.reference)
