"""An event as a consumer gets it: with what the service knows of it, and as JSON."""

from __future__ import annotations

import msgspec

from tidings.channel.effects import Message
from tidings.events.codecs.json_codec import encode_event
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.structured import StructuredEvent

_encoder = msgspec.json.Encoder()


# Without the collector: events are many, and cannot be part of a cycle.
class DeliveredEvent(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An event as a consumer gets it.

    Attributes:
        event: The content.
        origin: Id of the channel, 32 hexadecimal digits.
        seq: Its number there.
        arrival: When it was accepted, microseconds since 1970.
        priority: Larger is more urgent.
        mark: The producer's mark, if it sent one.
    """

    event: StructuredEvent
    origin: str
    seq: int
    arrival: int
    priority: int = 0
    mark: ProducerMark | None = None

    @property
    def id(self) -> tuple[str, int]:
        """The event's id everywhere: origin and number."""
        return self.origin, self.seq

    @property
    def envelope(self) -> Envelope:
        """The event with what the service knows of it, for codecs."""
        return Envelope(self.event, self.origin, self.seq, self.arrival, mark=self.mark)


def write_delivered(message: Message) -> str:
    """An event as JSON: seq, arrival, priority, producer and number if it has them, event.

    What the event is in typed JSON is not made again if somebody has made it before.
    """
    mark, json = message.mark, message.json
    marked = ""
    if mark is not None:
        producer = _encoder.encode(mark.producer).decode()
        marked = f'"producer":{producer},"number":{mark.number},'
    return (
        f'{{"seq":{message.seq},"arrival":{message.arrival},"priority":{message.priority},'
        f'{marked}"event":{(encode_event(message.event) if json is None else json).decode()}}}'
    )
