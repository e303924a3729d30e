"""One consumer's delivery state: what waits, what is in flight, when to try again.

`pumping.py` hands events over, `answers.py` hears what became of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from tidings.channel.effects import Cause, Outcome
from tidings.channel.entries import NEVER, Entry
from tidings.channel.qos import OrderPolicy
from tidings.channel.queues import Queue, shifted

if TYPE_CHECKING:
    from tidings.channel.holders import Proxy
    from tidings.channel.pulls import WaitingPull

_SEQ: Final[Callable[[Entry], int]] = itemgetter(1)
_NONE_AGAIN: Final[frozenset[int]] = frozenset()

# Before every event, in every order.
_BEFORE_ALL: Final = Entry(-NEVER, 0, NEVER, 0, 0)

# Of very many failures of one event the first and the latest are kept.
MAX_CAUSES: Final = 10


class Delivery:
    """What the core knows of one consumer's events.

    Attributes:
        queue: Events that wait, ready to go.
        later: Heap of events whose StartTime has not come, with that time.
        flight: Events handed over and not answered yet, in order.
        again: Numbers of events that may have been handed over before.
        again_upto: So may all events up to this number: before a restart, for instance.
        causes: Why deliveries failed, by event; the first cause is always kept.
        failures: How many deliveries failed in a row.
        retry_at: Nothing is handed over before.
        first_at: Since when an event has been waiting for its batch; None for none.
        leases: Until when a pull consumer has to acknowledge, by event.
        pulls: Pulls that wait.
        alarm: When the proxy is to be looked at; None for never.
        slow: Whether the consumer was reported as slow and has not caught up.
        spilled: How many of its entries are on the disk.
        boundary: Everything on the disk comes after this entry.
        refilling: In which order entries are on their way back; None if none are.
        held: Events that belong behind something on the disk, but must stay in memory: those
            that came during a refill, and BestEffort ones.
        returned: Numbers of events that came back from flight, so that others that come back
            later find their place among them.
        purged: Events up to this number are dropped when they come back from the disk; 0 for none.
        counts: What became of its copies, by outcome.
        most: More entries than this are too many, by quality of service or server limit.
        most_octets: More content than this is too much.
    """

    __slots__ = (
        "again",
        "again_upto",
        "alarm",
        "boundary",
        "causes",
        "counts",
        "failures",
        "first_at",
        "flight",
        "held",
        "later",
        "leases",
        "most",
        "most_octets",
        "pulls",
        "purged",
        "queue",
        "refilling",
        "retry_at",
        "returned",
        "slow",
        "spilled",
    )

    def __init__(self, order: OrderPolicy, most: int, most_octets: int) -> None:
        self.queue = Queue(order)
        self.most = most
        self.most_octets = most_octets
        self.later: list[tuple[int, Entry]] = []
        self.flight: dict[int, Entry] = {}
        self.again: set[int] = set()
        self.again_upto = 0
        self.causes: dict[int, list[Cause]] = {}
        self.failures = 0
        self.retry_at = 0
        self.first_at: int | None = None
        self.leases: dict[int, int] = {}
        self.pulls: deque[WaitingPull] = deque()
        self.alarm: int | None = None
        self.slow = False
        self.spilled = 0
        self.held: list[Entry] = []
        self.returned: set[int] = set()
        self.boundary: Entry | None = None
        self.refilling: OrderPolicy | None = None
        self.purged = 0
        self.counts: dict[Outcome, int] = {}

    @property
    def waiting(self) -> int:
        """How many events wait, in memory and on the disk, not counting those in flight."""
        return len(self.queue) + len(self.later) + len(self.held) + self.spilled

    def is_over(self) -> bool:
        """Whether more waits in memory than may."""
        return len(self.queue) + len(self.later) > self.most or self.queue.octets > self.most_octets

    def goes_before_spilled(self, entry: Entry) -> bool:
        """Whether an event comes before everything on the disk."""
        return self.boundary is None or not self.queue.is_before(self.boundary, entry)

    def all_entries(self) -> list[Entry]:
        """Every event of the consumer that is in memory, in flight or waiting."""
        later = [entry for _, entry in sorted(self.later)]
        return [*self.flight.values(), *self.queue.entries(), *self.held, *later]

    def withdraw(self, seqs: Sequence[int]) -> list[Entry]:
        """Takes events out, wherever they are but on the disk."""
        asked = set(seqs)
        gone = self.queue.remove(asked)
        for seq in asked & self.flight.keys():
            gone.append(self.flight.pop(seq))
            self.leases.pop(seq, None)
        gone += [entry for entry in self.held if entry.seq in asked]
        self.held = [entry for entry in self.held if entry.seq not in asked]
        kept = [item for item in self.later if item[1].seq not in asked]
        if len(kept) < len(self.later):
            gone += [item[1] for item in self.later if item[1].seq in asked]
            self.later = kept
            heapify(self.later)
        return gone

    def reorder(self, order: OrderPolicy) -> None:
        """Another order of delivery; what is on the disk may come before what is in memory."""
        self.queue.reorder(order)
        if self.spilled:
            self.boundary = _BEFORE_ALL
            self.held += self.queue.take_last(len(self.queue))

    def shift_absolute(self, delta: int) -> None:
        """The clock was set: start times and the ends that come from a StopTime move."""
        self.queue.shift_absolute(delta)
        self.later = [(start + delta, shifted(entry, delta)) for start, entry in self.later]
        heapify(self.later)
        self.flight = {seq: shifted(entry, delta) for seq, entry in self.flight.items()}
        self.held = [shifted(entry, delta) for entry in self.held]

    def counted(self, outcome: Outcome, entries: Sequence[Entry]) -> None:
        """Adds to the counts, and forgets what was remembered of the events."""
        self.counts[outcome] = self.counts.get(outcome, 0) + len(entries)
        if self.again or self.causes:
            for entry in entries:
                self.again.discard(entry.seq)
                self.causes.pop(entry.seq, None)


def order_of(proxy: Proxy) -> OrderPolicy:
    """In which order a consumer gets its events."""
    asked = proxy.qos.order_policy
    return proxy.channel.core.settings.any_order if asked is OrderPolicy.ANY else asked


def limits_of(proxy: Proxy) -> tuple[int, int]:
    """How many entries, and how much content, a consumer's queue may hold in memory."""
    limits = proxy.channel.core.settings.limits
    asked = proxy.qos.max_events_per_consumer
    most = min(asked, limits.entries_per_consumer) if asked else limits.entries_per_consumer
    return most, limits.octets_per_consumer


def delivery_of(proxy: Proxy) -> Delivery:
    """A consumer's delivery, made when first needed."""
    if proxy.delivery is None:
        proxy.delivery = Delivery(order_of(proxy), *limits_of(proxy))
    return proxy.delivery


def taken(proxy: Proxy, delivery: Delivery, most: int, now: int) -> list[Entry]:
    """The next events in order; those that have expired are done with."""
    expired: list[Entry] = []
    entries = delivery.queue.take(most, now, expired)
    if expired:
        proxy.channel.done(proxy, expired, Outcome.EXPIRED)
    return entries


def begin_pacing(proxy: Proxy, delivery: Delivery, now: int) -> None:
    """Notes since when a batch has been waiting; what has expired is no part of it."""
    expired = delivery.queue.expire(now)
    if expired:
        proxy.channel.done(proxy, expired, Outcome.EXPIRED)
    if not len(delivery.queue):
        delivery.first_at = None
    elif delivery.first_at is None:
        delivery.first_at = now


def again_among(delivery: Delivery, entries: Iterable[Entry]) -> frozenset[int]:
    """Which of the events may have been handed over before."""
    again, upto = delivery.again, delivery.again_upto
    if not again and not upto:
        return _NONE_AGAIN
    return frozenset(entry.seq for entry in entries if entry.seq <= upto or entry.seq in again)


def put_back(proxy: Proxy, seqs: Iterable[int] | None = None) -> list[Entry]:
    """Takes events out of flight and puts them where they came from; None for all of them."""
    delivery = proxy.delivery
    if delivery is None or not delivery.flight:
        return []
    if seqs is None:
        back = list(delivery.flight.values())
        delivery.flight = {}
        delivery.leases = {}
    else:
        asked = set(seqs)
        back = [entry for seq, entry in delivery.flight.items() if seq in asked]
        for entry in back:
            del delivery.flight[entry.seq]
            delivery.leases.pop(entry.seq, None)
    delivery.again.update(entry.seq for entry in back)
    _return_to_queue(delivery, back)
    return back


def _return_to_queue(delivery: Delivery, back: Sequence[Entry]) -> None:
    """Puts events before all others, by their numbers among those that came back earlier."""
    if delivery.spilled:
        delivery.held += [entry for entry in back if not delivery.goes_before_spilled(entry)]
        back = [entry for entry in back if delivery.goes_before_spilled(entry)]
    returned = (delivery.returned & delivery.again) - delivery.flight.keys()
    highest = max((entry.seq for entry in back), default=0)
    earlier = {seq for seq in returned if seq < highest}
    among = sorted([*delivery.queue.remove(earlier), *back] if earlier else back, key=_SEQ)
    delivery.queue.put_back(among)
    delivery.returned = returned.union(entry.seq for entry in back)


def noted_cause(delivery: Delivery, entries: Sequence[Entry], cause: Cause) -> None:
    """Remembers why deliveries failed: the first cause always, of the others the latest."""
    for entry in entries:
        causes = delivery.causes.setdefault(entry.seq, [])
        if len(causes) == MAX_CAUSES:
            del causes[1]
        causes.append(cause)
