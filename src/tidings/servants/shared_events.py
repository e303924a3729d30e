"""Events on their way to many consumers: written once, and sent as the same octets to all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tidings.channel.vocabulary import Form
from tidings.cos.events import MOST_OCTETS, WRITE
from tidings.engine.bodies import Message
from tidings.events.structured import StructuredEvent
from tidings.orb.aio.repeated import octets_of
from tidings.orb.exceptions import SystemException
from tidings.orb.giop import Wire
from tidings.orb.limits import DEFAULT_LIMITS
from tidings.orb.stubs import Operation

if TYPE_CHECKING:
    from tidings.cos.events import ReadEvent
    from tidings.orb.aio.repeated import WriteOctets
    from tidings.orb.cdr_writer import Writer

# Consumers of one event are called within a short time of each other, so little is kept.
_KEPT: Final = 1024 * 1024
# What an event takes beside its octets; counted, so that tiny ones are bounded too.
_OVERHEAD: Final = 512
# Longer ones are written for each consumer: that takes little beside sending them.
_LONGEST: Final = 64 * 1024

_Write = Callable[["Writer", StructuredEvent], None]
# Whose octets, their place modulo 8, their version and byte order, with code sets or for all.
_Key = tuple[int, int, tuple[object, ...], _Write]


class UnwritableError(Exception):
    """Events cannot be written for a consumer: no attempt with these will ever succeed.

    Args:
        why: The reason.
        fits: How many of them can, from the first on.
    """

    def __init__(self, why: str, fits: int = 0) -> None:
        super().__init__(why)
        self.fits = fits


class _Kept:
    """The octets of the latest events, with the events, so that no other has their identity."""

    __slots__ = ("_octets", "_of_key", "get")

    def __init__(self) -> None:
        self._octets = 0
        self._of_key: dict[_Key, tuple[StructuredEvent, bytes]] = {}
        self.get = self._of_key.get

    def keep(self, key: _Key, event: StructuredEvent, octets: bytes) -> None:
        if len(octets) > _LONGEST:
            return
        kept = self._of_key
        before = kept.pop(key, None)
        if before is not None:
            self._octets -= _OVERHEAD + len(before[1])
        kept[key] = (event, octets)
        self._octets += _OVERHEAD + len(octets)
        while self._octets > _KEPT:
            _, oldest = kept.pop(next(iter(kept)))
            self._octets -= _OVERHEAD + len(oldest)


class SharedEvents:
    """Writes events, and keeps the octets of the latest, and of those that came as octets.

    The same event has other octets in another byte order or version, or at another offset from
    what its numbers are aligned to; and in another code set, if not all of its text is ASCII.

    Args:
        most: Octets of one event; a consumer would end the connection at a longer message.
    """

    def __init__(self, most: int = DEFAULT_LIMITS.message_size) -> None:
        self._most = most
        self._kept = _Kept()

    def came(self, read: ReadEvent, form: Form) -> None:
        """An event came; where the same octets can be sent, it is not written at all."""
        event, octets, offset, minor, little = read
        if octets is not None:
            self._kept.keep((id(event), offset, (minor, little), WRITE[form]), event, octets)

    def operation(self, push: Operation, form: Form) -> Operation:
        """An operation that hands events over, with a list of messages for its one argument.

        What it cannot write raises `UnwritableError`, to tell it from an error of the consumer.
        """
        write = WRITE[form]

        def write_arguments(writer: Writer, arguments: tuple[Any, ...]) -> None:
            messages: list[Message] = arguments[0]
            if form is Form.SEQUENCE:
                writer.length(len(messages))
            fits = 0
            try:
                for message in messages:
                    self._write(writer, message, write)
                    if writer.at - writer.origin > (MOST_OCTETS if fits else self._most):
                        raise UnwritableError("too many octets for one message", fits)
                    fits += 1
            except SystemException as error:
                raise UnwritableError(str(error), fits) from error

        return push.replace(write_arguments=write_arguments)

    def octets(self, push: Operation, form: Form) -> WriteOctets:
        """Makes the octets of the arguments of such an operation: a list of messages."""
        write = WRITE[form]
        anew = octets_of(push)

        def octets(messages: list[Message], wire: Wire, at: int) -> bytes:
            if form is not Form.SEQUENCE and not at & 3:
                kept = self._found(messages[0].event, at & 7, wire, write)
                if kept is not None:
                    return kept
            return anew((messages,), wire, at)

        return octets

    def _found(
        self, event: StructuredEvent, offset: int, wire: Wire, write: _Write
    ) -> bytes | None:
        get = self._kept.get
        for known in (wire[:2], wire):
            kept = get((id(event), offset, known, write))
            if kept is not None:
                return kept[1]
        return None

    def _write(self, writer: Writer, message: Message, write: _Write) -> None:
        writer.align(4)  # as the octets that came are
        start, event = writer.at, message.event
        offset = (start - writer.origin) & 7
        wire = Wire(writer.minor, writer.little, writer.codesets)
        kept = self._found(event, offset, wire, write)
        if kept is not None:
            writer.raw(kept)
            return
        write(writer, event)
        self._kept.keep((id(event), offset, wire, write), event, bytes(writer.buffer[start:]))
