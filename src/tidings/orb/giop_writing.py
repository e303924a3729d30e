"""From messages to octets. What is written is never fragmented."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import NOT_NEGOTIATED, CodeSets
from tidings.orb.exceptions import SystemException
from tidings.orb.giop_messages import (
    AddressKind,
    LocateStatus,
    MessageType,
    ProfileTarget,
    ReplyStatus,
    Target,
    key_of,
)

WriteBody: TypeAlias = Callable[[Writer], None]
Contexts: TypeAlias = Sequence[tuple[int, bytes]]

_HEADER_SIZE: Final = 12

ORDINARY: Final = 3
"""The response flags of a call that waits for its reply."""


class Wire(NamedTuple):
    """How messages of a connection are written."""

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
    """A Request.

    Args:
        wire: How it is written.
        request_id: What its reply is told by.
        target: The object; GIOP before 1.2 names it by its key only.
        operation: The operation's name on the wire.
        response_flags: Bit 0 says that a reply is wanted.
        contexts: What travels beside it.
        write_body: Writes the arguments.
    """
    writer = _begun(wire, MessageType.REQUEST)
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
    return _ended(writer, write_body, aligned=wire.minor >= 2)


class RequestMould:
    """Requests for one operation of one object, which differ in their ids and arguments only.

    Args:
        wire: How they are written.
        key: The object.
        operation: The operation's name on the wire; a reply is wanted.
        contexts: What travels beside each, from GIOP 1.2 on.

    Attributes:
        wire: How they are written.
        body_at: Where the arguments begin, for their alignment.
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
        size, end = self.body_at + len(body) - _HEADER_SIZE, self._end
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
    writer = _begun(wire, MessageType.REPLY)
    if wire.minor >= 2:
        writer.ulong(request_id)
        writer.ulong(status)
        _write_contexts(writer, contexts)
    else:
        _write_contexts(writer, contexts)
        writer.ulong(request_id)
        writer.ulong(status)
    return _ended(writer, write_body, aligned=wire.minor >= 2)


def encode_locate_request(wire: Wire, request_id: int, target: Target) -> bytes:
    """A LocateRequest."""
    writer = _begun(wire, MessageType.LOCATE_REQUEST)
    writer.ulong(request_id)
    if wire.minor >= 2:
        _write_target(writer, target)
    else:
        writer.octets(key_of(target))
    return _ended(writer)


def encode_locate_reply(
    wire: Wire, request_id: int, status: LocateStatus, write_body: WriteBody | None = None
) -> bytes:
    """A LocateReply; its body follows at once, in every version."""
    writer = _begun(wire, MessageType.LOCATE_REPLY)
    writer.ulong(request_id)
    writer.ulong(status)
    return _ended(writer, write_body)


def encode_cancel_request(request_id: int, *, minor: int = 2, little: bool = True) -> bytes:
    """A CancelRequest."""
    writer = _begun(Wire(minor, little), MessageType.CANCEL_REQUEST)
    writer.ulong(request_id)
    return _ended(writer)


def encode_close_connection(*, minor: int = 2, little: bool = True) -> bytes:
    """A CloseConnection."""
    return _ended(_begun(Wire(minor, little), MessageType.CLOSE_CONNECTION))


def encode_message_error(*, minor: int = 2, little: bool = True) -> bytes:
    """A MessageError; its version is the highest that we speak."""
    return _ended(_begun(Wire(minor, little), MessageType.MESSAGE_ERROR))


def write_system_exception(writer: Writer, error: SystemException) -> None:
    """Writes the body of a reply that tells of a system exception."""
    writer.latin(error.id)
    writer.ulong(error.minor)
    writer.ulong(error.completed)


def _begun(wire: Wire, type_: MessageType) -> Writer:
    writer = Writer(little=wire.little, minor=wire.minor, codesets=wire.codesets)
    writer.raw(bytes((0x47, 0x49, 0x4F, 0x50, 1, wire.minor, wire.little, type_, 0, 0, 0, 0)))
    return writer


def _ended(writer: Writer, write_body: WriteBody | None = None, *, aligned: bool = False) -> bytes:
    """The whole message: its body, and its size in the header."""
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
    listed = list(contexts)
    writer.ulong(len(listed))
    for id, data in listed:
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
