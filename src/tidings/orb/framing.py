"""Octets to whole messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tidings.orb.exceptions import FramingError
from tidings.orb.giop import (
    HEADER_SIZE,
    Header,
    Message,
    MessageType,
    Request,
    check_magic,
    decode_message,
    decode_whole,
    read_header,
    repeated_request,
    request_template,
)
from tidings.orb.limits import DEFAULT_LIMITS, MessageLimits

_FRAGMENTED: Final = {
    1: (MessageType.REQUEST, MessageType.REPLY),
    2: (
        *(MessageType.REQUEST, MessageType.REPLY),
        *(MessageType.LOCATE_REQUEST, MessageType.LOCATE_REPLY),
    ),
}
# What concerns messages that wait for fragments.
_PIECES: Final = frozenset({MessageType.FRAGMENT, MessageType.CANCEL_REQUEST})
# GIOP 1.1 names no request in its fragments, since only one may be unfinished.
_THE_ONE: Final = -1
_MOST_DROPPED: Final = 64


class _Pieces:
    """A message that waits for fragments."""

    __slots__ = ("count", "header", "pieces", "size")

    def __init__(self, header: Header, first: bytes) -> None:
        self.header = header
        self.pieces = [first]
        self.size = header.size
        self.count = 1

    def whole(self) -> bytes:
        """The message as if it had come at once."""
        octets = bytearray().join(self.pieces)
        octets[6] &= ~2
        octets[8:12] = self.size.to_bytes(4, "little" if self.header.little else "big")
        return bytes(octets)


class Framer:
    """Assembles octets and fragments to messages."""

    __slots__ = (
        *("_broken", "_buffer", "_dropped", "_limits", "_needed", "_template", "_unfinished"),
    )

    def __init__(self, limits: MessageLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._buffer: bytes | bytearray = b""
        self._needed = HEADER_SIZE
        self._template: Request | None = None
        self._unfinished: dict[int, _Pieces] = {}
        self._dropped: dict[int, None] = {}
        self._broken: str | None = None

    @property
    def in_message(self) -> bool:
        """Whether a message has begun and is incomplete."""
        return bool(self._buffer or self._unfinished)

    @property
    def oldest(self) -> object | None:
        """Identifies the message that has waited longest for fragments, if any does."""
        return next(iter(self._unfinished.values()), None)

    def feed(self, octets: bytes) -> Iterator[Message | None]:
        """The messages that these octets complete, in order; None for each other fragment.

        The octets are taken at once; messages are decoded one by one as they are asked for. After a
        `FramingError` nothing more is a message.
        """
        if not self._buffer:
            self._buffer = octets  # most often a whole message
        elif isinstance(self._buffer, bytearray):
            self._buffer += octets
        else:
            self._buffer = bytearray(self._buffer + octets)
        return self._messages()

    def _messages(self) -> Iterator[Message | None]:
        if self._broken is not None:
            raise FramingError(self._broken)
        try:
            while self._buffer and (frame := self._next_frame()) is not None:
                header, octets = frame
                usual = not header.more and header.type not in _PIECES
                whole = octets if usual else self._assemble(header, octets)
                if whole is octets:
                    yield self._decoded(header, octets)
                else:
                    yield None if whole is None else decode_message(whole, self._limits)
        except FramingError as error:
            self._broken = str(error)
            self._buffer = b""
            self._unfinished.clear()
            raise

    def _next_frame(self) -> tuple[Header, bytes] | None:
        """The next message or fragment, if all of it is there."""
        buffer = self._buffer
        if len(buffer) < self._needed:
            check_magic(buffer)  # octets of something else are told before twelve came
            return None
        header = read_header(buffer)
        if header.size > self._limits.message_size:
            most = self._limits.message_size
            raise FramingError(f"a message of {header.size} octets; at most {most} are accepted")
        needed = HEADER_SIZE + header.size
        if len(buffer) < needed:
            self._needed = needed
            return None
        self._needed = HEADER_SIZE
        if len(buffer) == needed:
            self._buffer = b""
            return header, bytes(buffer)  # which copies nothing that is bytes already
        if not isinstance(buffer, bytearray):
            buffer = self._buffer = bytearray(buffer)
        frame = bytes(memoryview(buffer)[:needed])
        del buffer[:needed]
        return header, frame

    def _decoded(self, header: Header, octets: bytes) -> Message:
        if self._template is not None:
            request = repeated_request(self._template, header, octets)
            if request is not None:
                return request
        message = decode_whole(header, octets, self._limits)
        if isinstance(message, Request):
            self._template = request_template(message)
        return message

    # ------------------------------------------------------------ fragments

    def _assemble(self, header: Header, frame: bytes) -> bytes | None:
        """A whole message, or None while fragments are missing."""
        if header.type is MessageType.FRAGMENT:
            return self._continue(header, frame)
        if header.more:
            self._begin(header, frame)
            return None
        if header.type is MessageType.CANCEL_REQUEST and self._unfinished:
            self._drop(header, frame)
        return frame

    def _begin(self, header: Header, frame: bytes) -> None:
        if header.type not in _FRAGMENTED[header.minor]:
            raise FramingError(
                f"a {header.type.name} cannot be fragmented in GIOP 1.{header.minor}"
            )
        id = _request_id(header, frame)
        if id in self._unfinished:
            raise FramingError("a fragmented message begins before the one before has ended")
        if len(self._unfinished) >= self._limits.unfinished:
            most = self._limits.unfinished
            raise FramingError(f"more than {most} messages wait for fragments")
        self._dropped.pop(id, None)
        self._unfinished[id] = _Pieces(header, frame)
        self._check_waiting()

    def _check_waiting(self) -> None:
        """Bound the memory of all waiting messages like that of one."""
        octets = sum(message.size for message in self._unfinished.values())
        if octets > self._limits.message_size:
            raise FramingError(
                f"{len(self._unfinished)} messages of {octets} octets in all wait for fragments; "
                f"at most {self._limits.message_size} are accepted"
            )

    def _continue(self, header: Header, frame: bytes) -> bytes | None:
        id = _request_id(header, frame)
        message = self._unfinished.get(id)
        if message is None:
            if id not in self._dropped:
                raise FramingError("a fragment came of a message that has not begun")
            if not header.more:
                del self._dropped[id]
            return None
        first = message.header
        if (first.minor, first.little) != (header.minor, header.little):
            raise FramingError("a fragment has another version or byte order than its message")
        piece = frame[HEADER_SIZE if header.minor < 2 else HEADER_SIZE + 4 :]
        message.pieces.append(piece)
        message.size += len(piece)
        message.count += 1
        if message.size > self._limits.message_size or message.count > self._limits.fragments:
            raise FramingError(
                f"a message of {message.count} fragments and {message.size} octets or more; "
                f"at most {self._limits.fragments} and {self._limits.message_size} are accepted"
            )
        if header.more:
            self._check_waiting()
            return None
        del self._unfinished[id]
        return message.whole()

    def _drop(self, header: Header, frame: bytes) -> None:
        """Forget the pieces of a message that is cancelled; more of them may be on the way."""
        for id in (_request_id(header, frame, always=True), _THE_ONE):
            if self._unfinished.pop(id, None) is not None:
                self._dropped[id] = None
        if len(self._dropped) > _MOST_DROPPED:
            del self._dropped[next(iter(self._dropped))]


def _request_id(header: Header, frame: bytes, *, always: bool = False) -> int:
    """The request id, which is first in what GIOP 1.2 fragments."""
    if header.minor < 2 and not always:
        return _THE_ONE
    if header.size < 4:
        raise FramingError(f"a {header.type.name} of {header.size} octets has no request id")
    return int.from_bytes(frame[12:16], "little" if header.little else "big")
