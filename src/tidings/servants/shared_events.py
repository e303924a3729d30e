"""Events on their way to many consumers: written once, and sent as the same octets to all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tidings.channel.vocabulary import Form
from tidings.cos.events import any_out, write_event
from tidings.engine.bodies import Message
from tidings.events.structured import StructuredEvent
from tidings.orb.aio.repeated import octets_of
from tidings.orb.bounded_cache import BoundedCache
from tidings.orb.exceptions import SystemException
from tidings.orb.giop import Wire
from tidings.orb.stubs import Operation

if TYPE_CHECKING:
    from tidings.orb.aio.repeated import WriteOctets
    from tidings.orb.cdr_writer import Writer

__all__ = ["MOST_OCTETS", "SharedEvents", "UnwritableError"]

MOST_OCTETS: Final = 2_000_000
"""Of a message with several events: old ORBs refuse messages of more than 2 MiB."""

# Consumers of one event are called within a short time of each other.
_KEPT: Final = 256
# Longer ones are written for each consumer: that takes little beside sending them.
_LONGEST: Final = 64 * 1024

_Write = Callable[["Writer", StructuredEvent], None]
_Key = tuple[int, int, Wire, _Write]


class UnwritableError(Exception):
    """Events cannot be written for a consumer: no attempt with these will ever succeed.

    Args:
        why: The reason.
        fits: How many of them can, from the first on.
    """

    def __init__(self, why: str, fits: int = 0) -> None:
        super().__init__(why)
        self.fits = fits


class SharedEvents:
    """Writes events, and keeps the octets of the latest.

    The same event has other octets in another byte order, version, code set, or at another
    offset from what its numbers are aligned to.
    """

    def __init__(self) -> None:
        self._kept = BoundedCache[_Key, tuple[Message, bytes]](_KEPT)

    def operation(self, push: Operation, form: Form) -> Operation:
        """An operation that hands events over, with a list of messages for its one argument.

        What it cannot write raises `UnwritableError`, to tell it from an error of the consumer.
        """
        write = _WRITE[form]

        def write_arguments(writer: Writer, arguments: tuple[Any, ...]) -> None:
            messages: list[Message] = arguments[0]
            if form is Form.SEQUENCE:
                writer.length(len(messages))
            fits = 0
            try:
                for message in messages:
                    self._write(writer, message, write)
                    if writer.at > MOST_OCTETS and fits:
                        raise UnwritableError("too many octets for one message", fits)
                    fits += 1
            except SystemException as error:
                raise UnwritableError(str(error), fits) from error

        return push._replace(write_arguments=write_arguments)

    def octets(self, push: Operation, form: Form) -> WriteOctets:
        """Makes the octets of the arguments of such an operation: a list of messages."""
        write = _WRITE[form]
        anew = octets_of(push)
        kept_of = self._kept.get

        def octets(messages: list[Message], wire: Wire, at: int) -> bytes:
            if form is not Form.SEQUENCE:
                kept = kept_of((id(messages[0]), at & 7, wire, write))
                if kept is not None and kept[0] is messages[0]:
                    return kept[1]
            return anew((messages,), wire, at)

        return octets

    def _write(self, writer: Writer, message: Message, write: _Write) -> None:
        start = writer.at
        wire = Wire(writer.minor, writer.little, writer.codesets)
        key = (id(message), (start - writer.origin) & 7, wire, write)
        kept = self._kept.get(key)
        if kept is not None and kept[0] is message:
            writer.raw(kept[1])
            return
        write(writer, message.event)
        if writer.at - start <= _LONGEST:
            # With the message itself, so that no other can have its identity.
            self._kept.keep(key, (message, bytes(writer.buffer[start:])))


def _write_any(writer: Writer, event: StructuredEvent) -> None:
    writer.any(any_out(event))


_WRITE: Final[dict[Form, _Write]] = {
    Form.ANY: _write_any,
    Form.STRUCTURED: write_event,
    Form.SEQUENCE: write_event,
}
