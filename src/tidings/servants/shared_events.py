"""Events for many consumers: encoded once and sent as the same octets to all."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from tidings.channel.effects import Message
from tidings.channel.vocabulary import Form
from tidings.cos.events import MOST_OCTETS, WRITE
from tidings.cos.kinds import WriteEvent
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

# Consumers of one event are called soon after each other, so a small cache is enough.
_KEPT: Final = 1024 * 1024
# Memory per event beside its octets; counted, so that tiny events are bounded too.
_OVERHEAD: Final = 512
# Longer events are encoded per consumer: that costs little compared to sending them.
_LONGEST: Final = 64 * 1024

# Event id, offset modulo 8, version and byte order (with code sets or for all), writer.
_Key = tuple[int, int, tuple[object, ...], WriteEvent]


class UnwritableError(Exception):
    """Events that can never be encoded for a consumer; the first `fits` of them can."""

    def __init__(self, why: str, fits: int = 0) -> None:
        super().__init__(why)
        self.fits = fits


class _Kept:
    """A cache of encoded events; it holds the events so that their ids are not reused."""

    __slots__ = ("_octets", "_of_key", "get")

    def __init__(self) -> None:
        self._octets = 0
        self._of_key: OrderedDict[_Key, tuple[StructuredEvent, bytes]] = OrderedDict()
        self.get = self._of_key.get

    def keep(self, key: _Key, event: StructuredEvent, octets: bytes) -> None:
        kept = self._of_key
        if len(octets) > _LONGEST or key in kept:
            return
        kept[key] = (event, octets)
        self._octets += _OVERHEAD + len(octets)
        while self._octets > _KEPT:
            _, (_, oldest) = kept.popitem(last=False)
            self._octets -= _OVERHEAD + len(oldest)


class SharedEvents:
    """An encoder of events that caches their octets, including received ones.

    The encoding depends on byte order, version and alignment offset, and on the code set unless all
    text is ASCII. `most` is the limit of octets per event: a consumer closes the connection at a
    longer message.
    """

    def __init__(self, most: int = DEFAULT_LIMITS.message_size) -> None:
        self._most = most
        self._kept = _Kept()
        self._has_consumers = False

    def came(self, read: ReadEvent, form: Form) -> None:
        """Cache the octets of a received event, so that it need not be encoded again."""
        event, octets, offset, minor, little = read
        if octets is not None and self._has_consumers:
            self._kept.keep((id(event), offset, (minor, little), WRITE[form]), event, octets)

    def operation(self, push: Operation, form: Form, write: WriteEvent | None = None) -> Operation:
        """Return a push of a message list that raises `UnwritableError` if encoding fails.

        `write` writes an event; without it, as the standard does.
        """
        write = write or WRITE[form]
        self._has_consumers = True

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

    def octets(self, push: Operation, form: Form, write: WriteEvent | None = None) -> WriteOctets:
        """Return an encoder of such an operation's arguments: a list of messages."""
        write = write or WRITE[form]
        anew = octets_of(push)

        def octets(messages: list[Message], wire: Wire, at: int) -> bytes:
            if form is not Form.SEQUENCE and not at & 3:
                kept = self._found(messages[0].event, at & 7, wire, write)
                if kept is not None:
                    return kept
            return anew((messages,), wire, at)

        return octets

    def _found(
        self, event: StructuredEvent, offset: int, wire: Wire, write: WriteEvent
    ) -> bytes | None:
        get = self._kept.get
        for known in (wire[:2], wire):
            kept = get((id(event), offset, known, write))
            if kept is not None:
                return kept[1]
        return None

    def _write(self, writer: Writer, message: Message, write: WriteEvent) -> None:
        writer.align(4)  # like the received octets
        start, event = writer.at, message.event
        offset = (start - writer.origin) & 7
        wire = Wire(writer.minor, writer.little, writer.codesets)
        kept = self._found(event, offset, wire, write)
        if kept is not None:
            writer.raw(kept)
            return
        write(writer, event)
        self._kept.keep((id(event), offset, wire, write), event, bytes(writer.buffer[start:]))
