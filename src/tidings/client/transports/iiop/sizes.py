"""Size limits of events on the wire.

A message larger than the peer accepts ends the connection and all calls on it, so it must not be
sent.
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
    """Raise `InvalidEvent` if a message with the event is too long."""
    if octets > most:
        words = f"{event.domain}::{event.type} {event.name!r}"
        raise InvalidEvent(
            f"the event {words:.200} makes a message of {octets:,} octets; over CORBA {most:,} "
            "are taken: send it in parts, or over HTTP"
        )


def measured(event: StructuredEvent, form: Form, most: int) -> int:
    """Return an event's size in bytes, except for some padding; refuse it if too long."""
    writer = Writer(codesets=OURS)
    try:
        WRITE[form](writer, event)
    except SystemException as error:
        raise InvalidEvent(f"the event cannot be written: {error}") from error
    check_octets(event, writer.at, most)
    return writer.at
