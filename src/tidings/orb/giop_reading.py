"""From the octets of a whole message to the message."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple, TypeVar

from tidings.orb.cdr_reader import Reader
from tidings.orb.exceptions import FramingError, SystemException
from tidings.orb.giop_messages import (
    AddressKind,
    CancelRequest,
    CloseConnection,
    LocateReply,
    LocateRequest,
    LocateStatus,
    Message,
    MessageError,
    MessageType,
    ProfileTarget,
    ReferenceTarget,
    Reply,
    ReplyStatus,
    Request,
    ServiceContext,
    Target,
    key_of,
)
from tidings.orb.limits import DEFAULT_LIMITS, Limits

HEADER_SIZE: Final = 12
HIGHEST_MINOR: Final = 2
_MAGIC: Final = b"GIOP"
_LITTLE_HEADER: Final = Struct("<4sBBBBI").unpack_from
# Of a reply in GIOP 1.2: the request id, the status, and how many service contexts follow.
_REPLY_START: Final = {True: Struct("<III").unpack_from, False: Struct(">III").unpack_from}
_PLAIN_SIZE: Final = 12
_STATUSES: Final = tuple(ReplyStatus)
S = TypeVar("S", bound=IntEnum)


class Header(NamedTuple):
    """The twelve octets at the beginning of a message.

    Attributes:
        minor: The minor version.
        little: Whether the message is little endian.
        more: Whether fragments follow.
        type: The type of the message.
        size: The octets after the header.
    """

    minor: int
    little: bool
    more: bool
    type: MessageType
    size: int


def check_magic(octets: bytes | bytearray) -> None:
    """Lets octets pass that may be the beginning of a message, however few there are.

    Raises:
        FramingError: They are something else.
    """
    if octets[:4] != _MAGIC[: len(octets)]:
        shown = bytes(octets[:4])
        raise FramingError(f"a GIOP message begins with {_MAGIC!r}, not with {shown!r}")


def read_header(octets: bytes | bytearray) -> Header:
    """The header at the beginning of octets, of which there are twelve at least.

    Raises:
        FramingError: It is no header of a version that is spoken here.
    """
    magic, major, minor, flags, number, size = _LITTLE_HEADER(octets)
    if magic != _MAGIC:
        check_magic(octets)
    if major != 1 or minor > HIGHEST_MINOR:
        raise FramingError(f"GIOP {major}.{minor} is not spoken here; 1.0 to 1.{HIGHEST_MINOR} are")
    if number > MessageType.FRAGMENT or (not minor and number == MessageType.FRAGMENT):
        raise FramingError(f"GIOP 1.{minor} has no message of type {number}")
    little = flags & 1 == 1
    if not little:
        size = int.from_bytes(octets[8:12], "big")
    return Header(minor, little, bool(minor and flags & 2), _TYPES[number], size)


_TYPES: Final = tuple(MessageType)


def decode_message(octets: bytes, limits: Limits = DEFAULT_LIMITS) -> Message:
    """The message that whole octets hold; its fragments have been put together.

    Raises:
        FramingError: The header of the message, or that of its type, is malformed.
    """
    if len(octets) < HEADER_SIZE:
        raise FramingError(f"{len(octets)} octets are less than the {HEADER_SIZE} of a header")
    header = read_header(octets)
    if header.size != len(octets) - HEADER_SIZE:
        left = len(octets) - HEADER_SIZE
        raise FramingError(f"a message of {header.size} octets came with {left}")
    return decode_whole(header, octets, limits)


def decode_whole(header: Header, octets: bytes, limits: Limits = DEFAULT_LIMITS) -> Message:
    """The message that octets hold whose header was read, and whose size is the right one.

    Raises:
        FramingError: It is malformed, or only a part of a message.
    """
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


def _plain_reply(header: Header, octets: bytes) -> Reply | None:
    """A reply of the kind that nearly all are of: in GIOP 1.2, and nothing travels beside it."""
    minor, little, more, _, size = header
    if minor < 2 or more or size < _PLAIN_SIZE:
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
        raise reader.bad(f"{number} is no status in GIOP 1.{reader.minor}")
    return statuses(number)


def _contexts(reader: Reader) -> tuple[ServiceContext, ...]:
    count = reader.length(8)
    if not count:
        return ()
    if count > reader.limits.contexts:
        raise reader.bad(f"{count} service contexts; {reader.limits.contexts} are taken")
    return tuple([ServiceContext(reader.ulong(), reader.octets()) for _ in range(count)])


def _target(reader: Reader) -> Target:
    kind = reader.short()
    if kind == AddressKind.KEY:
        return reader.octets()
    if kind == AddressKind.PROFILE:
        return ProfileTarget(reader.ulong(), reader.octets())
    if kind == AddressKind.REFERENCE:
        return ReferenceTarget(reader.ulong(), reader.reference())
    raise reader.bad(f"{kind} is no way to name an object")


def _to_body(reader: Reader) -> None:
    """Skips the padding before a body; where there is no body, there may be none."""
    reader.at = min(reader.at + (-reader.at & 7), reader.end)
