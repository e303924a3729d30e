"""Pulled events: acknowledged when the answer is written, not before.

An event that cannot be encoded for a consumer becomes a dead letter without affecting others.
Events that exceed one message wait for the next pull.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from tidings.channel.commands import Ack, Failed, Reject
from tidings.channel.effects import Message
from tidings.channel.vocabulary import Form
from tidings.cos.events import MOST_OCTETS, NO_EVENT, any_out, write_event
from tidings.events.structured import StructuredEvent
from tidings.orb.exceptions import SystemException
from tidings.orb.stubs import Interface, Operation

if TYPE_CHECKING:
    from tidings.orb.cdr_writer import Writer
    from tidings.servants.door import GatheringDoor

_WriteResult = Callable[["Writer", "Pulled"], None]


class Pulled(NamedTuple):
    """The answer to a pull, and where to acknowledge its events."""

    door: GatheringDoor
    channel: int
    proxy: int
    messages: Sequence[Message]

    def taken(self, messages: Sequence[Message]) -> None:
        """Acknowledge the events that are in the answer."""
        if messages:
            self.door.tell(Ack(self.channel, self.proxy, [one.seq for one in messages]))

    def refused(self, message: Message, error: SystemException) -> None:
        """Reject an event that can never be in an answer to this consumer."""
        self.door.tell(Reject(self.channel, self.proxy, [message.seq], str(error)))

    def left(self, messages: Sequence[Message]) -> None:
        """Return events that are for the next answer."""
        if messages:
            seqs = [one.seq for one in messages]
            self.door.tell(Failed(self.channel, self.proxy, seqs, "no room in the answer"))


def handing_out(interface: Interface, form: Form) -> Interface:
    """Return the interface with pulls as the methods `hand_out` and `hand_out_now`."""
    waits = f"pull{_SUFFIXES[form]}"
    asks = f"try_{waits}"
    pull, try_pull = interface.operations[waits], interface.operations[asks]
    write = _write_batch if form is Form.SEQUENCE else _one(form)

    def write_now(writer: Writer, pulled: Pulled) -> None:
        if not pulled.messages:
            try_pull.write_result(writer, _NOTHING[form])
        else:
            write(writer, pulled)
            writer.boolean(True)

    changed: dict[str, Operation] = {
        waits: pull.replace(method="hand_out", write_result=write),
        asks: try_pull.replace(method="hand_out_now", write_result=write_now),
    }
    operations = {**interface.operations, **changed}
    return Interface(interface.id, interface.name, interface.bases, operations)


def _one(form: Form) -> _WriteResult:
    """Return a writer of an answer with a single event."""
    write = _write_any if form is Form.ANY else write_event

    def write_one(writer: Writer, pulled: Pulled) -> None:
        (message,) = pulled.messages
        try:
            write(writer, message.event)
        except SystemException as error:
            pulled.refused(message, error)
            raise
        pulled.taken(pulled.messages)

    return write_one


def _write_any(writer: Writer, event: StructuredEvent) -> None:
    writer.any(any_out(event))


def _write_batch(writer: Writer, pulled: Pulled) -> None:
    """Write as many of the events as can be encoded and fit; raise if none can."""
    writer.length(0)  # overwritten at the end
    start = writer.at
    taken: list[Message] = []
    fault: SystemException | None = None
    for index, message in enumerate(pulled.messages):
        at, origin, depth = writer.at, writer.origin, writer.depth
        try:
            write_event(writer, message.event)
        except SystemException as error:
            del writer.buffer[at:]
            writer.origin, writer.depth = origin, depth
            pulled.refused(message, error)
            fault = fault or error
            continue
        if writer.at > MOST_OCTETS and taken:
            del writer.buffer[at:]
            pulled.left(pulled.messages[index:])
            break
        taken.append(message)
    if fault is not None and not taken:
        raise fault
    writer.buffer[start - 4 : start] = struct.pack("<L" if writer.little else ">L", len(taken))
    pulled.taken(taken)


_SUFFIXES: Final = {
    Form.ANY: "",
    Form.STRUCTURED: "_structured_event",
    Form.SEQUENCE: "_structured_events",
}
# The standard's answer when there is no event.
_NOTHING: Final[dict[Form, tuple[object, bool]]] = {
    Form.ANY: (None, False),
    Form.STRUCTURED: (NO_EVENT, False),
    Form.SEQUENCE: ((), False),
}
