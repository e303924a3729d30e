"""How long events are on the wire, and how long they may be.

A message that is longer than the peer takes ends the connection, and with it everything that is
under way there: it must not be sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidings.channel.vocabulary import Form
from tidings.cos.events import any_out, write_event
from tidings.errors import InvalidEvent
from tidings.events.structured import StructuredEvent
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import OURS
from tidings.orb.exceptions import SystemException

__all__ = ["MOST_OCTETS", "WRITE", "check_octets", "measured"]

MOST_OCTETS: Final = 2_000_000
"""Of a message with several events: old ORBs refuse messages of more than 2 MiB."""


def _write_any(writer: Writer, event: StructuredEvent) -> None:
    writer.any(any_out(event))


WRITE: Final[dict[Form, Callable[[Writer, StructuredEvent], None]]] = {
    Form.ANY: _write_any,
    Form.STRUCTURED: write_event,
    Form.SEQUENCE: write_event,
}
"""What writes an event in each form."""


def check_octets(event: StructuredEvent, octets: int, most: int) -> None:
    """Refuses an event that fits no message.

    Args:
        event: The event.
        octets: Of the message with it.
        most: What a message may have.

    Raises:
        InvalidEvent: It is too long.
    """
    if octets > most:
        words = f"{event.domain}::{event.type} {event.name!r}"
        raise InvalidEvent(
            f"the event {words:.200} makes a message of {octets:,} octets; over CORBA {most:,} "
            "are taken: send it in parts, or over HTTP"
        )


def measured(event: StructuredEvent, form: Form, most: int) -> int:
    """How many octets an event takes on the wire, but for some of padding.

    Raises:
        InvalidEvent: It fits no message, or cannot be written.
    """
    writer = Writer(codesets=OURS)
    try:
        WRITE[form](writer, event)
    except SystemException as error:
        raise InvalidEvent(f"the event cannot be written: {error}") from error
    check_octets(event, writer.at, most)
    return writer.at
