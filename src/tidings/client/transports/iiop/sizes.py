"""How long events are on the wire, and how long they may be.

A message that is longer than the peer takes ends the connection, and with it everything that is
under way there: it must not be sent.
"""

from __future__ import annotations

from tidings.channel.vocabulary import Form
from tidings.cos.events import WRITE
from tidings.errors import InvalidEvent
from tidings.events.structured import StructuredEvent
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import OURS
from tidings.orb.exceptions import SystemException


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
