"""Effects: the core decides, the engine carries them out.

The engine carries out the effects of one batch in order. Those marked *record* are written to the
journal first, and nothing of the batch that depends on them leaves before the sync.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, IntEnum
from typing import NamedTuple, Protocol, TypeAlias

import msgspec

from tidings.changes.requests import SubscriptionPut
from tidings.channel.entries import Entry
from tidings.errors import TidingsError
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern
from tidings.filters.plan import PlanChange
from tidings.grants.core import AccessChanged


class Outcome(IntEnum):
    """What became of one consumer's copy of an event; numbered as in the journal.

    REJECTED: its consumer refused it for good; DEAD: given up after failed deliveries; both become
    dead letters. LOST: its content on disk is damaged or gone. PURGED: an operator dropped it while
    it waited. REDRIVEN takes a dead letter's outcome back and another one follows; it is counted
    only, and the journal has the event again instead.
    """

    DELIVERED = 1
    EXPIRED = 2
    DISCARDED = 3
    DEAD = 4
    DISCONNECTED = 5
    WITHDRAWN = 6
    REJECTED = 7
    LOST = 8
    REDRIVEN = 9
    PURGED = 10


class Recipient(Protocol):
    """A proxy that receives an event."""

    @property
    def id(self) -> int:
        """Its id."""
        ...


class Acceptance(NamedTuple):
    """What the journal needs to know of an accepted event beside its content.

    Attributes:
        start: Earliest delivery, microseconds since 1970; None for at once.
        durable: Recipients whose connection survives a crash: those recovery serves again.
        views: The entries of recipients that see another priority or expiry.
        redriven: It was accepted earlier and is redelivered: it can no longer be refused.
    """

    entry: Entry
    start: int | None
    recipients: Sequence[Recipient]
    durable: Sequence[int]
    views: Mapping[int, Entry]
    redriven: bool = False


# Without garbage collection: messages are many, and cannot be part of a cycle.
class Message(msgspec.Struct, eq=False, gc=False):
    """An accepted event; all its consumers share one. As an effect: keep it, consumers wait for it.

    Attributes:
        arrival: When it was accepted, microseconds since 1970.
        plan: Version of the rules that judged it.
        priority: Larger is more urgent; before mapping filters.
        octets: The size of the content in memory, wherever it is.
        hops: Origins of the channels it passed before this one.
        json: The content in typed JSON, once made; deliveries and dead letters reuse it.
        channel: The id of its channel.
        acceptance: A *record*, unless None; until it is on disk.
    """

    event: StructuredEvent
    origin: str
    seq: int
    arrival: int
    plan: int = 0
    priority: int = 0
    mark: ProducerMark | None = None
    octets: int = 0
    hops: tuple[str, ...] = ()
    json: bytes | None = None
    channel: int = 0
    acceptance: Acceptance | None = None

    @property
    def id(self) -> tuple[str, int]:
        """The event's globally unique id: origin and number."""
        return self.origin, self.seq

    @property
    def envelope(self) -> Envelope:
        """Return the event with its service metadata, for codecs."""
        return Envelope(self.event, self.origin, self.seq, self.arrival, self.plan, self.mark)


class Deliver(msgspec.Struct, frozen=True):
    """Deliver events to a push consumer, in this order; answered by `Ack`, `Failed` or `Lost`.

    `again` holds the numbers of those that may have been delivered before.
    """

    channel: int
    proxy: int
    entries: Sequence[Entry]
    again: frozenset[int]


class Pulled(msgspec.Struct, frozen=True):
    """The answer to a waiting `Pull`, empty if it timed out; answered like `Deliver`."""

    token: int
    channel: int
    proxy: int
    entries: Sequence[Entry]
    again: frozenset[int]


class PullEnded(NamedTuple):
    """A waiting `Pull` ends with an error."""

    token: int
    error: TidingsError


class Settled(msgspec.Struct, frozen=True):
    """No consumer waits for these events any more: forget their content."""

    channel: int
    seqs: Sequence[int]


class Done(msgspec.Struct, frozen=True):
    """Copies of events are settled. *Record* for those in `durable`, which recovery would serve."""

    channel: int
    proxy: int
    outcome: Outcome
    copies: int
    durable: Sequence[int]


class Cause(NamedTuple):
    """Why a delivery failed, and when (microseconds since 1970)."""

    at: int
    reason: str


class DeadLetter(NamedTuple):
    """An event that cannot be delivered to a consumer. *Record.* Comes before its `Settled`.

    `at` is microseconds since 1970; the first of the `causes` is always kept.
    """

    channel: int
    proxy: int
    entry: Entry
    at: int
    causes: tuple[Cause, ...]


class TopologyChanged(NamedTuple):
    """A durable object was created, changed or removed (state None); a *record*.

    The kind is ``channel``, ``admin``, ``proxy``, ``filter``, ``mapping`` or ``factory``; filters
    belong to the host and have channel 0.
    """

    channel: int
    kind: str
    key: str
    state: Mapping[str, object] | None


class PlanChanged(NamedTuple):
    """A channel's rules have a new version; a *record*."""

    channel: int
    change: PlanChange


class Reserved(NamedTuple):
    """Numbers up to `upto` may be in use without another record; a *record*.

    `skipped` counts the numbers up to `used`, the highest in use, that belong to no event: reserved
    before a crash, or of events that could not be written.
    """

    channel: int
    upto: int
    used: int
    skipped: int


class Spill(NamedTuple):
    """Keep these entries of a consumer on disk: memory has no room for them."""

    channel: int
    proxy: int
    entries: Sequence[Entry]


class Refill(NamedTuple):
    """Answer with `Refilled`: remove and return the best spilled entries, at most `most`.

    `order` is ``fifo``, ``priority`` or ``deadline``.
    """

    channel: int
    proxy: int
    order: str
    most: int


class Unspill(NamedTuple):
    """Drop the spilled entries of these events; None for all."""

    channel: int
    proxy: int
    seqs: Sequence[int] | None


class Poll(NamedTuple):
    """Ask a pull supplier for at most `most` events; answered by `Polled`."""

    channel: int
    proxy: int
    most: int


class TellOffers(NamedTuple):
    """Tell a consumer which event types are newly offered, and which no longer are."""

    channel: int
    proxy: int
    added: tuple[EventTypePattern, ...]
    removed: tuple[EventTypePattern, ...]


class TellSubscriptions(NamedTuple):
    """Tell a supplier which event types are newly wanted, and which no longer are."""

    channel: int
    proxy: int
    added: tuple[EventTypePattern, ...]
    removed: tuple[EventTypePattern, ...]


class FilterTypesChanged(NamedTuple):
    """A filter asks for other event types: tell the callbacks attached to it."""

    filter: int
    added: frozenset[EventTypePattern]
    removed: frozenset[EventTypePattern]


class DisconnectPeer(NamedTuple):
    """The proxy is gone: tell its client once, if `tell`, and forget the connection."""

    channel: int
    proxy: int
    tell: bool


class NoticeKind(Enum):
    """The kinds of notices for operators."""

    SLOW_CONSUMER = "slow consumer"
    CAUGHT_UP = "caught up"
    GIVEN_UP = "given up"
    FAILING = "failing"
    LOST = "lost"

    def __str__(self) -> str:
        return self.value


class Notice(NamedTuple):
    """A notice for operators, time in microseconds since 1970; channel 0 is the whole service."""

    kind: NoticeKind
    channel: int
    proxy: int
    detail: str
    channel_name: str = ""
    proxy_name: str = ""
    time: int = 0

    @property
    def place(self) -> tuple[str, str]:
        """Return the channel and the proxy as text to follow the kind; empty for none."""
        channel = f", channel {self.channel_name or self.channel}" if self.channel else ""
        proxy = f", proxy {self.proxy_name or self.proxy}" if self.proxy else ""
        return channel, proxy


Effect: TypeAlias = (
    AccessChanged
    | DeadLetter
    | Deliver
    | DisconnectPeer
    | Done
    | FilterTypesChanged
    | Message
    | Notice
    | PlanChanged
    | Poll
    | PullEnded
    | Pulled
    | Refill
    | Reserved
    | Settled
    | Spill
    | SubscriptionPut
    | TellOffers
    | TellSubscriptions
    | TopologyChanged
    | Unspill
)
