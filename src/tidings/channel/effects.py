"""What the outside must do: the core decides, the engine carries it out.

Effects of one batch of commands are carried out in order. Those called *record* are written to
the journal first, and nothing of the batch that rests on them is let out before the sync.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, IntEnum
from typing import NamedTuple, Protocol, TypeAlias

import msgspec

from tidings.channel.entries import Entry
from tidings.errors import TidingsError
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern
from tidings.filters.plan import PlanChange


class Outcome(IntEnum):
    """What became of one consumer's copy of an event; numbered as in the journal.

    An event that its consumer refuses for good is REJECTED, one that is given up after failed
    deliveries is DEAD; both become dead letters. One whose content on the disk is damaged or gone
    is LOST. One that somebody had dropped while it waited is PURGED. REDRIVEN takes a dead
    letter's outcome back: another one follows. It is counted, and the journal has the event again
    instead.
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


# Without the collector: messages are many, and cannot be part of a cycle.
class Message(msgspec.Struct, eq=False, gc=False):
    """An accepted event as its consumers get it; all of them share one.

    Attributes:
        event: The content.
        origin: Id of the channel, 32 hexadecimal digits.
        seq: Its number there.
        arrival: When it was accepted, microseconds since 1970.
        plan: Version of the rules it was judged by.
        priority: Larger is more urgent; without mapping filters.
        mark: The producer's mark, if it sent one.
        octets: What the content takes in memory, wherever it is.
        hops: Origins of the channels it has passed before this one.
        json: The content in typed JSON, once somebody has made it: the journal's is used again
            when the event is delivered or becomes a dead letter.
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

    @property
    def id(self) -> tuple[str, int]:
        """The event's id everywhere: origin and number."""
        return self.origin, self.seq

    @property
    def envelope(self) -> Envelope:
        """The event with what the service knows of it, for codecs."""
        return Envelope(self.event, self.origin, self.seq, self.arrival, self.plan, self.mark)


class Recipient(Protocol):
    """A proxy to which an event goes."""

    @property
    def id(self) -> int:
        """Its id."""
        ...


class Accepted(NamedTuple):
    """An event is in the channel. *Record* if PERSISTENT is among the entry's flags.

    Attributes:
        channel: Where.
        message: The event; the engine keeps it until `Settled`, if it has recipients.
        entry: What the core knows of it: as its consumers see it without mapping filters.
        start: Not delivered before, microseconds since 1970; None for at once.
        recipients: The proxies it goes to.
        durable: Those whose connection survives a crash: what recovery serves again.
        views: For recipients that see another priority or expiry, their own entry.
        redriven: It was accepted long ago, and is delivered again: it cannot be refused any more.
    """

    channel: int
    message: Message
    entry: Entry
    start: int | None
    recipients: Sequence[Recipient]
    durable: Sequence[int]
    views: Mapping[int, Entry]
    redriven: bool = False


class Deliver(NamedTuple):
    """Hand events to a push consumer, in this order; answered by `Ack`, `Failed` or `Lost`.

    Attributes:
        channel: Which channel.
        proxy: Whose consumer.
        entries: Which events.
        again: Numbers of those that may have been handed over before.
    """

    channel: int
    proxy: int
    entries: Sequence[Entry]
    again: frozenset[int]


class Pulled(NamedTuple):
    """The answer to a `Pull` that waited; its events are answered as those of `Deliver`.

    Attributes:
        token: Of the Pull.
        channel: Which channel.
        proxy: Which proxy.
        entries: What it gets; none when the time the Pull gave is over.
        again: Numbers of those that may have been handed over before.
    """

    token: int
    channel: int
    proxy: int
    entries: Sequence[Entry]
    again: frozenset[int]


class PullEnded(NamedTuple):
    """A `Pull` that waited ends with an error."""

    token: int
    error: TidingsError


class Settled(NamedTuple):
    """Nobody waits for these events any more: their content can be forgotten."""

    channel: int
    seqs: Sequence[int]


class Done(NamedTuple):
    """Copies of events are done with. *Record* for those in `durable`.

    Attributes:
        channel: Which channel.
        proxy: Whose copies.
        outcome: What became of them.
        copies: How many.
        durable: Numbers of those that recovery would serve again.
    """

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

    Attributes:
        channel: Which channel.
        proxy: Whose consumer.
        entry: Which event, as the consumer saw it.
        at: When it was given up, microseconds since 1970.
        causes: Why, the oldest first; the first is always kept.
    """

    channel: int
    proxy: int
    entry: Entry
    at: int
    causes: tuple[Cause, ...]


class TopologyChanged(NamedTuple):
    """An object that survives a crash was made, changed or removed; a *record*.

    Attributes:
        channel: Its channel; 0 for filters, which belong to the host.
        kind: ``channel``, ``admin``, ``proxy``, ``filter``, ``mapping`` or ``factory``.
        key: Which one of that kind.
        state: Its plain data (`snapshot.py`), None when it is gone.
    """

    channel: int
    kind: str
    key: str
    state: Mapping[str, object] | None


class PlanChanged(NamedTuple):
    """The rules of a channel have a new version; a *record*."""

    channel: int
    change: PlanChange


class Reserved(NamedTuple):
    """Numbers up to this one may be in use though no other record shows it; a *record*.

    Attributes:
        channel: Which channel.
        upto: The highest of them.
        used: The highest one that is in use.
        skipped: How many up to that one no event has: those reserved before a crash, and those
            of events that could not be written.
    """

    channel: int
    upto: int
    used: int
    skipped: int


class Spill(NamedTuple):
    """Keep these entries of a consumer on the disk: memory has no room for them."""

    channel: int
    proxy: int
    entries: Sequence[Entry]


class Refill(NamedTuple):
    """Answer with `Refilled`: the best of what was spilled, at most `most`, and remove them.

    Attributes:
        channel: Which channel.
        proxy: Whose entries.
        order: ``fifo``, ``priority`` or ``deadline``.
        most: At most this many.
    """

    channel: int
    proxy: int
    order: str
    most: int


class Unspill(NamedTuple):
    """What was spilled of these events is not wanted any more.

    Attributes:
        channel: Which channel.
        proxy: Whose entries.
        seqs: Which; None for all.
    """

    channel: int
    proxy: int
    seqs: Sequence[int] | None


class Poll(NamedTuple):
    """Ask a pull supplier for events, at most `most`; answered by `Polled`."""

    channel: int
    proxy: int
    most: int


class TellOffers(NamedTuple):
    """Tell a consumer which event types are newly offered, and which no more."""

    channel: int
    proxy: int
    added: tuple[EventTypePattern, ...]
    removed: tuple[EventTypePattern, ...]


class TellSubscriptions(NamedTuple):
    """Tell a supplier which event types are newly wanted, and which no more."""

    channel: int
    proxy: int
    added: tuple[EventTypePattern, ...]
    removed: tuple[EventTypePattern, ...]


class FilterTypesChanged(NamedTuple):
    """A filter asks for other event types: tell those who attached callbacks to it."""

    filter: int
    added: frozenset[EventTypePattern]
    removed: frozenset[EventTypePattern]


class DisconnectPeer(NamedTuple):
    """The proxy is gone: tell its client once, if `tell`, and forget the connection."""

    channel: int
    proxy: int
    tell: bool


class NoticeKind(Enum):
    """What people who run the service want to hear of."""

    SLOW_CONSUMER = "slow consumer"
    CAUGHT_UP = "caught up"
    GIVEN_UP = "given up"
    FAILING = "failing"
    LOST = "lost"

    def __str__(self) -> str:
        return self.value


class Notice(NamedTuple):
    """Something worth telling whoever runs the service.

    Attributes:
        kind: What it is about.
        channel: Which channel; 0 for the whole service.
        proxy: Which proxy; 0 for none.
        detail: What there is to tell.
        channel_name: The channel's name; empty for none.
        proxy_name: The proxy's name; empty for none.
        time: When, microseconds since 1970; the engine says.
    """

    kind: NoticeKind
    channel: int
    proxy: int
    detail: str
    channel_name: str = ""
    proxy_name: str = ""
    time: int = 0

    @property
    def place(self) -> tuple[str, str]:
        """The channel and the proxy in words, to follow the kind; empty for none."""
        channel = f", channel {self.channel_name or self.channel}" if self.channel else ""
        proxy = f", proxy {self.proxy_name or self.proxy}" if self.proxy else ""
        return channel, proxy


Effect: TypeAlias = (
    Accepted
    | DeadLetter
    | Deliver
    | DisconnectPeer
    | Done
    | FilterTypesChanged
    | Notice
    | PlanChanged
    | Poll
    | PullEnded
    | Pulled
    | Refill
    | Reserved
    | Settled
    | Spill
    | TellOffers
    | TellSubscriptions
    | TopologyChanged
    | Unspill
)
