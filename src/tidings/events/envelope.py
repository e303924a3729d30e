"""The envelope: what the service knows of an event beside its content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

from tidings.errors import InvalidEvent
from tidings.events.structured import StructuredEvent
from tidings.events.texts import shortened
from tidings.names import is_origin, is_readable

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)
# W3C asks for at least 512 characters; what sends more than this is not a tracer.
_TRACESTATE = re.compile(r"[ -~]{0,8192}", re.ASCII)
_INT64 = 2**63
# Longer paths are loops: federations have a handful of domains.
MAX_HOPS = 64


MOST_PRODUCER = 256
"""Characters of a producer's name."""


class _Mark(NamedTuple):
    producer: str
    number: int


_is_readable = lru_cache(is_readable)  # most events come from few producers


class ProducerMark(_Mark):
    """Who sent an event, and its number there: the same pair is accepted once."""

    __slots__ = ()

    def __new__(cls, producer: str, number: int) -> Self:
        """Check the parts: they may come from anybody."""
        found: object = producer
        if (
            not isinstance(found, str)
            or not 1 <= len(found) <= MOST_PRODUCER
            or not _is_readable(found)
        ):
            raise InvalidEvent(
                f"a producer's name has 1 to {MOST_PRODUCER} characters, none of them a control "
                "character",
                "producer",
            )
        if type(number) is not int or not 0 <= number < _INT64:
            told = f"{shortened(number)} is not a whole number between 0 and 2**63-1"
            raise InvalidEvent(told, "number")
        return tuple.__new__(cls, (producer, number))

    @classmethod
    def trusted(cls, producer: str, number: int) -> Self:
        """A mark whose parts were checked before, such as the next number of a producer."""
        return tuple.__new__(cls, (producer, number))


@dataclass(frozen=True, slots=True)
class TraceContext:
    """W3C trace context, carried unread."""

    traceparent: str
    tracestate: str = ""

    def __post_init__(self) -> None:
        if not _TRACEPARENT.fullmatch(self.traceparent):
            raise InvalidEvent(
                f"{self.traceparent[:80]!r} is not a traceparent (00-<32 hex>-<16 hex>-<2 hex>)",
                "traceparent",
            )
        if not _TRACESTATE.fullmatch(self.tracestate):
            raise InvalidEvent(
                "a tracestate has at most 8192 printable ASCII characters", "tracestate"
            )


@dataclass(frozen=True, slots=True)
class Envelope:
    """An accepted event.

    Attributes:
        event: The content.
        origin: Id of the channel that accepted it first, 32 hexadecimal digits.
        seq: Its number there: 1, 2, 3 … without gaps.
        arrival: When, in microseconds since 1970 UTC.
        plan: Version of the rules it was judged by; 0 before any judgement.
        mark: The producer's mark, if it sent one.
        hops: Origins of the channels it has passed, oldest first.
        trace: The trace it belongs to, if any.
    """

    event: StructuredEvent
    origin: str
    seq: int
    arrival: int
    plan: int = 0
    mark: ProducerMark | None = None
    hops: tuple[str, ...] = ()
    trace: TraceContext | None = None

    def __post_init__(self) -> None:
        for origin in (self.origin, *self.hops):
            if not is_origin(origin):
                raise InvalidEvent(f"{origin!r} is not 32 hexadecimal digits", "origin")
        if not 1 <= self.seq < _INT64:
            raise InvalidEvent(f"{self.seq} is not between 1 and 2**63-1", "seq")
        if not -_INT64 <= self.arrival < _INT64:
            raise InvalidEvent(f"{self.arrival} does not fit into 64 bits", "arrival")
        if not 0 <= self.plan < _INT64:
            raise InvalidEvent(f"{self.plan} is not between 0 and 2**63-1", "plan")
        if len(self.hops) > MAX_HOPS:
            raise InvalidEvent(f"{len(self.hops)} hops are more than {MAX_HOPS}", "hops")
