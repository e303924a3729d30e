"""A consumer's proxy and its delivery state: backlog, events in flight, retry times.

`Consumer` handles all that happens to one consumer's events: they are queued, delivered while the
window has room or a pull waits, and acknowledged. When too many wait, quality of service applies
first: above MaxEventsPerConsumer the DiscardPolicy chooses. Above the server's own limits,
BestEffort events are discarded by the same policy, and Persistent ones are spilled to disk and
refilled when there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import repeat
from typing import Final, NamedTuple

from tidings.channel.account import Account, discard_key
from tidings.channel.commands import Pull, Redrive, Refilled
from tidings.channel.core import Budget, Core
from tidings.channel.effects import (
    Acceptance,
    Cause,
    DeadLetter,
    Deliver,
    Done,
    Message,
    NoticeKind,
    Outcome,
    Pulled,
    PullEnded,
    Refill,
    Settled,
    Spill,
    Unspill,
)
from tidings.channel.entries import ABSOLUTE, NEVER, PERSISTENT, SEQ, Entry, EntryRun
from tidings.channel.holders import Admin, Proxy
from tidings.channel.qos import DiscardPolicy, OrderPolicy, QoS
from tidings.channel.queues import Queue, shifted
from tidings.channel.supplier import Quality, expiry_of
from tidings.channel.vocabulary import Form, Style
from tidings.errors import Disconnected, InvalidUsage
from tidings.events.fields import Fields
from tidings.events.texts import shortened
from tidings.filters.plan import MappingRule, PlanOptions

_NONE_AGAIN: Final[frozenset[int]] = frozenset()
_SERVER_LIMIT: Final = "the server keeps no more for one consumer"

# Before every event, in every order.
_BEFORE_ALL: Final = Entry(-NEVER, 0, NEVER, 0, 0)

# Of many failures of one event, the first and the latest are kept.
MAX_CAUSES: Final = 10

# Longer reasons are truncated: they are kept with every failed event.
MAX_REASON: Final = 1_000


class ConsumerProxy(Proxy):
    """A proxy through which events go out.

    `special` says whether it may see another priority or lifetime than others.
    """

    __slots__ = ("consumer", "mapping", "special")

    def __init__(self, admin: Admin, id: int, style: Style, form: Form, qos: QoS) -> None:
        super().__init__(admin, id, style, form, qos)
        self.special = False
        self.mapping: tuple[MappingRule | None, MappingRule | None] | None = None
        self.consumer: Consumer | None = None

    def ensure_consumer(self) -> Consumer:
        """Return the consumer's delivery state, creating it if needed."""
        if self.consumer is None:
            self.consumer = Consumer(self)
        return self.consumer

    @property
    def order(self) -> OrderPolicy:
        """Return the delivery order, with ANY resolved."""
        asked = self.qos.order_policy
        return self.channel.core.settings.any_order if asked is OrderPolicy.ANY else asked

    @property
    def discard_policy(self) -> DiscardPolicy:
        """Return the discard policy, with ANY resolved."""
        asked = self.qos.discard_policy
        return self.channel.core.settings.any_discard if asked is DiscardPolicy.ANY else asked

    def adjust(self, by_priority: MappingRule | None, by_lifetime: MappingRule | None) -> None:
        """Recompute the values that the event flow caches, from the proxy's mapping filters."""
        qos = self.qos
        mapped = by_priority is not None or by_lifetime is not None
        self.mapping = (by_priority, by_lifetime) if mapped else None
        supported = qos.start_time_supported and qos.stop_time_supported
        self.special = mapped or bool(qos.priority or qos.timeout) or not supported
        if self.consumer is not None:
            self.consumer.adjust()

    def view_of(
        self, entry: Entry, fields: Fields, quality: Quality, options: PlanOptions, now: int
    ) -> tuple[Entry, int | None]:
        """Return an event as this consumer sees it, and its earliest delivery time.

        A matching mapping filter overrides everything; then come the event's own properties, then
        the supplier proxy's, then the consumer's.
        """
        qos = self.qos
        priority, timeout = quality.priority, quality.timeout
        if not quality.own_priority and not priority:
            priority = qos.priority
        if not quality.own_timeout and not timeout:
            timeout = qos.timeout
        if self.mapping is not None:
            by_priority, by_lifetime = self.mapping
            if by_priority is not None:
                own = quality.priority if quality.own_priority else None
                priority = by_priority.value(fields, own, options)
            if by_lifetime is not None:
                own = quality.timeout if quality.own_timeout else None
                timeout = by_lifetime.value(fields, own, options)
        stop = quality.stop if qos.stop_time_supported else None
        expiry, absolute = expiry_of(timeout, stop, now)
        flags = entry.flags & ~ABSOLUTE | absolute
        start = quality.start if qos.start_time_supported else None
        if (priority, expiry, flags) == (entry.priority, entry.expiry, entry.flags):
            return entry, start
        return Entry(expiry, entry.seq, priority, entry.octets, flags), start

    def pump(self, now: int) -> None:
        """Deliver what can be delivered now."""
        if self.consumer is not None:
            self.consumer.pump(now)

    def discard(self, seq: int) -> None:
        """Discard the consumer's copy of an event, if it is in memory."""
        consumer = self.consumer
        gone = [] if consumer is None else consumer.withdraw([seq])
        if consumer is not None and gone:
            consumer.settle(gone, Outcome.DISCARDED)
            consumer.touch()  # it may have been in flight

    def cut(self) -> None:
        """End waiting pulls with an error and requeue what was in flight."""
        if self.consumer is not None:
            self.consumer.end_pulls()
            self.consumer.put_back()

    def drop_events(self) -> None:
        """End waiting pulls with an error and settle all events: the proxy ends."""
        consumer = self.consumer
        if consumer is not None:
            consumer.end_pulls()
            consumer.drop_events()
            consumer.queue.share(None)
            self.consumer = None


class WaitingPull(NamedTuple):
    """A pull that has not been answered.

    `until` is host time, None for ever; `lease` is the time to acknowledge, None if the engine
    does.
    """

    token: int
    most: int
    until: int | None
    lease: int | None


@dataclass(slots=True, eq=False)
class Consumer:
    """One consumer's delivery state.

    Attributes:
        later: Heap of events whose StartTime has not come, with that time.
        flight: Events delivered and not answered yet, in order.
        again: Numbers of events that may have been delivered before.
        again_upto: All events up to this number may have been, for instance before a restart.
        causes: Why deliveries failed, by event; the first cause is always kept.
        first_at: Since when an event has been waiting for its batch.
        boundary: Everything on disk comes after this entry.
        refilling: The order in which entries are being refilled; None if none are.
        held: Events that belong behind spilled ones but must stay in memory: those that came
            during a refill, and BestEffort ones.
        returned: Numbers of events requeued from flight, so that later ones find their place.
        purged: Spilled events up to this number are dropped when refilled; 0 for none.
    """

    proxy: ConsumerProxy
    channel: Account = field(init=False)
    core: Core = field(init=False)
    queue: Queue = field(init=False)
    most: int = field(init=False)
    most_octets: int = field(init=False)
    later: list[tuple[int, Entry]] = field(default_factory=list)
    flight: dict[int, Entry] = field(default_factory=dict)
    again: set[int] = field(default_factory=set)
    again_upto: int = 0
    causes: dict[int, list[Cause]] = field(default_factory=dict)
    failures: int = 0
    retry_at: int = 0
    first_at: int | None = None
    leases: dict[int, int] = field(default_factory=dict)
    pulls: list[WaitingPull] = field(default_factory=list)
    alarm: int = NEVER
    slow: bool = False
    spilled: int = 0
    held: list[Entry] = field(default_factory=list)
    returned: set[int] = field(default_factory=set)
    boundary: Entry | None = None
    refilling: OrderPolicy | None = None
    purged: int = 0
    counts: dict[Outcome, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.channel, self.core = self.proxy.channel, self.proxy.channel.core
        self.queue = Queue(self.proxy.order)
        self.queue.share(self.core.budgets.get(self.proxy.owner))
        self._adjust_limits()

    def _adjust_limits(self) -> None:
        limits = self.core.settings.limits
        asked = self.proxy.qos.max_events_per_consumer
        most = limits.entries_per_consumer
        self.most = min(asked, most) if asked else most
        self.most_octets = limits.octets_per_consumer

    # State.

    @property
    def waiting(self) -> int:
        """Count waiting events, in memory and on disk, without those in flight."""
        return len(self.queue) + len(self.later) + len(self.held) + self.spilled

    def is_over(self) -> bool:
        """Return whether the backlog in memory exceeds a limit."""
        queue = self.queue
        return queue.length + len(self.later) > self.most or queue.octets > self.most_octets

    def _exceeded(self) -> Budget | None:
        """Return the budget of its owner if too much waits for it, some of it here."""
        budget = self.queue.budget
        if budget is None or budget.octets <= budget.most or not self.queue.octets:
            return None
        return budget

    def rebound(self, now: int) -> None:
        """Share another budget with the other consumers of its owner."""
        self.queue.share(self.core.budgets.get(self.proxy.owner))
        if self._exceeded():
            self.enforce_limits(now)

    def all_entries(self) -> list[Entry]:
        """Return all entries in memory, in flight or waiting."""
        later = [entry for _, entry in sorted(self.later)]
        return [*self.flight.values(), *self.queue.entries(), *self.held, *later]

    def undiscardable(self) -> list[Entry]:
        """Return events that are in flight or wait for something else than their turn."""
        return [*self.flight.values(), *self.held, *(entry for _, entry in self.later)]

    def is_leaving(self) -> bool:
        """Return whether events are in flight, or will be without the consumer's action."""
        if self.flight:
            return True
        proxy = self.proxy
        pushed = proxy.style is Style.PUSH and proxy.attached and not proxy.suspended
        return pushed and (len(self.queue) > 0 or self.spilled > 0)

    def touch(self) -> None:
        """Schedule delivery for the end of the batch."""
        self.core.touched[self.proxy] = None

    def settle(self, entries: Sequence[Entry], outcome: Outcome) -> None:
        """Settle copies of events: the consumer no longer waits for them."""
        proxy, channel, out = self.proxy, self.channel, self.core.out
        settled = channel.release(entries)
        durable: Sequence[int] = ()
        if proxy.durable:
            durable = [entry[1] for entry in entries if entry[4] & PERSISTENT]
        out.append(Done(channel.id, proxy.id, outcome, len(entries), durable))
        if settled:
            out.append(Settled(channel.id, settled))
        self._count(outcome, entries)

    def _count(self, outcome: Outcome, entries: Sequence[Entry]) -> None:
        """Count outcomes, and forget delivery details of the events."""
        self.counts[outcome] = self.counts.get(outcome, 0) + len(entries)
        if self.again or self.causes:
            for entry in entries:
                self.again.discard(entry.seq)
                self.causes.pop(entry.seq, None)

    def _expire(self, now: int) -> None:
        expired = self.queue.expire(now)
        if expired:
            self.settle(expired, Outcome.EXPIRED)

    def withdraw(self, seqs: Sequence[int]) -> list[Entry]:
        """Remove events from everywhere but the disk."""
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

    def revoke(self, seqs: Sequence[int]) -> None:
        """Remove every trace of events that could not be written, and so were never accepted."""
        channel = self.channel
        for entry in self.withdraw(seqs):
            self.again.discard(entry.seq)
            if channel.live.pop(entry.seq, None) is not None:
                self.core.octets -= entry.octets
        if self.spilled or self.refilling:  # the next refill counts the rest
            self.core.out.append(Unspill(channel.id, self.proxy.id, list(seqs)))
        self.touch()

    def drop_events(self) -> None:
        """Settle all events, those on disk too: the connection has ended."""
        entries = self.all_entries()
        if entries:
            self.settle(entries, Outcome.DISCONNECTED)
        if self.spilled:
            channel, proxy, copies = self.channel, self.proxy, self.spilled
            channel.spilled -= copies
            gone = Done(channel.id, proxy.id, Outcome.DISCONNECTED, copies, ())
            self.core.out += (gone, Unspill(channel.id, proxy.id, None))

    def adjust(self) -> None:
        """Apply a changed quality of service: limits and delivery order.

        In another order, spilled events may come before those in memory.
        """
        self._adjust_limits()
        order = self.proxy.order
        if self.queue.order is order:
            return
        self.queue.reorder(order)
        if self.spilled:
            self.boundary = _BEFORE_ALL
            self.held += self.queue.take_last(len(self.queue))

    def shift_absolute(self, delta: int) -> None:
        """Move start times and StopTime expiries: the clock was set."""
        self.queue.shift_absolute(delta)
        self.later = [(start + delta, shifted(entry, delta)) for start, entry in self.later]
        heapify(self.later)
        self.flight = {seq: shifted(entry, delta) for seq, entry in self.flight.items()}
        self.held = [shifted(entry, delta) for entry in self.held]
        self.alarm = NEVER
        self.touch()

    # Queueing.

    def enqueue_run(self, run: EntryRun, now: int) -> None:
        """Queue events that are due; discard or spill the excess."""
        queue = self.queue
        if (
            self.spilled
            or queue.length + len(self.later) + len(run.entries) > self.most
            or queue.octets + run.octets > self.most_octets
            or queue.budget is not None
        ):
            for entry in run.entries:
                self.enqueue(entry, None, now)
        else:
            queue.extend(run)

    def enqueue(self, entry: Entry, start: int | None, now: int) -> None:
        """Queue an event, not to be delivered before `start`; discard or spill the excess."""
        if start is not None and start > now:
            heappush(self.later, (start, entry))
        elif self.spilled:
            self._queue_beside_spilled(entry, now)
            return
        else:
            self.queue.push(entry)
        if self.is_over() or self._exceeded():
            self.enforce_limits(now)
        self.touch()

    def redrive(self, command: Redrive, now: int) -> None:
        """Redeliver a dead letter, or raise InvalidUsage if the consumer already waits for it."""
        proxy, channel, out = self.proxy, self.channel, self.core.out
        if not proxy.connected:
            raise Disconnected(f"nobody is connected to proxy {proxy.id} of {channel.label}")
        entry = command.entry
        if entry.seq not in channel.live:
            self.core.octets += entry.octets
        elif any(other.seq == entry.seq for other in self.all_entries()):
            raise InvalidUsage(f"event {entry.seq} waits for proxy {proxy.id} already")
        out.append(Done(channel.id, proxy.id, Outcome.REDRIVEN, 1, ()))
        self._count(Outcome.REDRIVEN, [entry])
        self.again.add(entry.seq)
        channel.load([entry])
        channel.backlog = None
        message = Message(
            command.event,
            channel.origin,
            entry.seq,
            command.arrival,
            command.plan,
            entry.priority,
            octets=entry.octets,
            channel=channel.id,
        )
        if entry.flags & PERSISTENT and self.core.spills:
            durable = [proxy.id] if proxy.durable else []
            message.acceptance = Acceptance(entry, None, [proxy], durable, {}, redriven=True)
        out.append(message)
        self.enqueue(entry, None, now)

    # Delivery.

    def pump(self, now: int) -> None:
        """Deliver what can be delivered now, and set the alarm for the rest."""
        proxy = self.proxy
        if proxy.attached and not proxy.suspended and self.retry_at <= now:
            if proxy.style is Style.PUSH:
                if proxy.form is Form.SEQUENCE:
                    self._pump_batches(now)
                else:
                    room = proxy.window - len(self.flight)
                    if room > 0 and self.queue.length:
                        self._hand_over(room, now)
            elif self.pulls:
                self._serve_pulls(now)
        if self.spilled and not self.refilling:
            self._ask_for_more()
        self.set_alarm(now)
        if self.slow and not self.waiting:
            self.slow = False
            proxy.notice(NoticeKind.CAUGHT_UP, "nothing waits any more")

    def _hand_over(self, most: int, now: int) -> None:
        entries = self._take(most, now)
        if not entries:
            return
        self.flight.update(zip(map(SEQ, entries), entries, strict=True))
        again = self._again_among(entries)
        self.core.out.append(Deliver(self.channel.id, self.proxy.id, entries, again))

    def _take(self, most: int, now: int) -> list[Entry]:
        """Take the next events in order; settle expired ones."""
        expired: list[Entry] = []
        entries = self.queue.take(most, now, expired)
        if expired:
            self.settle(expired, Outcome.EXPIRED)
        return entries

    def _again_among(self, entries: Iterable[Entry]) -> frozenset[int]:
        again, upto = self.again, self.again_upto
        if not again and not upto:
            return _NONE_AGAIN
        return frozenset(entry.seq for entry in entries if entry.seq <= upto or entry.seq in again)

    def _pump_batches(self, now: int) -> None:
        """Deliver batches that are full or whose pacing interval is over."""
        proxy, core = self.proxy, self.core
        size = proxy.qos.maximum_batch_size
        pacing = proxy.qos.pacing_interval // 10
        if pacing:
            self._begin_pacing(now)
        while len(self.queue) and (not self.flight or len(self.flight) + size <= proxy.window):
            if self.channel.id in core.unfinished and len(self.queue) < size:
                core.held[proxy] = None  # the rest of a push comes soon, and may fill the batch
                return
            if pacing and len(self.queue) < size and self._is_pacing(pacing, now):
                return
            self._hand_over(size, now)
            # The rest came after the first event: it must not wait longer than that one would have.
            if not len(self.queue):
                self.first_at = None

    def _begin_pacing(self, now: int) -> None:
        """Note when the batch's first event came; expired events do not count."""
        self._expire(now)
        if not len(self.queue):
            self.first_at = None
        elif self.first_at is None:
            self.first_at = now

    def _is_pacing(self, pacing: int, now: int) -> bool:
        first = now if self.first_at is None else self.first_at
        if now >= first + pacing:
            return False
        self.first_at = first
        return True

    # Pulls.

    def pull(self, command: Pull, now: int) -> None:
        """Accept a pull; answer with `Pulled` or `PullEnded`, now or later."""
        proxy = self.proxy
        if proxy.style is not Style.PULL:
            raise InvalidUsage(f"proxy {proxy.id} pushes to its consumer; it cannot be pulled from")
        if not proxy.connected:
            raise Disconnected(f"nobody is connected to proxy {proxy.id} of {self.channel.label}")
        if type(command.most) is not int or command.most < 1:
            raise InvalidUsage(
                f"a pull asks for at least one event, not for {shortened(command.most)}"
            )
        proxy.attached = True  # its client is there
        most = command.most if proxy.form is Form.SEQUENCE or command.lease is not None else 1
        until = None if command.wait is None else now + command.wait
        self.pulls.append(WaitingPull(command.token, most, until, command.lease))
        self._serve_pulls(now)
        if command.wait == 0 and not self.spilled:  # else it waits for the refill
            self._answer_empty([pull for pull in self.pulls if pull.token == command.token])
        self.touch()

    def _answer_empty(self, pulls: Sequence[WaitingPull]) -> None:
        """Answer pulls whose waiting time is over with no events."""
        for pull in pulls:
            self.pulls.remove(pull)
            empty = Pulled(pull.token, self.channel.id, self.proxy.id, (), _NONE_AGAIN)
            self.core.out.append(empty)

    def _serve_pulls(self, now: int) -> None:
        """Answer waiting pulls, oldest first, while there are events."""
        proxy = self.proxy
        pacing = proxy.qos.pacing_interval // 10 if proxy.form is Form.SEQUENCE else 0
        if pacing:
            self._begin_pacing(now)
        while self.pulls and len(self.queue):
            pull = self.pulls[0]
            patient = pull.until is None or pull.until > now
            waits = pacing and patient and len(self.queue) < pull.most
            if waits and self._is_pacing(pacing, now):
                return
            entries = self._take(pull.most, now)
            if not entries:
                return
            del self.pulls[0]
            self.first_at = None
            again = self._again_among(entries)
            self.core.out.append(Pulled(pull.token, self.channel.id, proxy.id, entries, again))
            for entry in entries:
                self.flight[entry.seq] = entry
                if pull.lease is not None:
                    self.leases[entry.seq] = now + pull.lease

    def cancel_pull(self, token: int) -> None:
        """Forget a pull whose caller no longer waits."""
        self.pulls = [pull for pull in self.pulls if pull.token != token]

    def end_pulls(self) -> None:
        """Answer all waiting pulls with an error: the connection ends."""
        for pull in self.pulls:
            where = f"proxy {self.proxy.id} of {self.channel.label}"
            error = Disconnected(f"the connection to {where} has ended")
            self.core.out.append(PullEnded(pull.token, error))
        self.pulls.clear()

    # Timers.

    def set_alarm(self, now: int) -> None:
        """Set the alarm for the next due time, unless an earlier one is set."""
        at = self._next_time(now)
        if at < self.alarm:
            self.alarm = at
            self.core.wake(at, self.channel.id, self.proxy.id)

    def _next_time(self, now: int) -> int:
        """Return when something is due; NEVER if nothing is."""
        at = self.queue.next_expiry()
        if at != NEVER:  # expired events are also found at delivery: no hurry
            at = max(at, now + self.core.settings.sweep_interval)
        if self.later:
            at = min(at, self.later[0][0])
        if self.retry_at > now and self.proxy.attached:
            at = min(at, self.retry_at)
        if self.leases:
            at = min([at, *self.leases.values()])
        if self.pulls and not self.refilling:
            at = min([at, *(pull.until for pull in self.pulls if pull.until is not None)])
        if self.first_at is not None and self.proxy.form is Form.SEQUENCE:
            paced = self.first_at + self.proxy.qos.pacing_interval // 10
            if paced > now:
                at = min(at, paced)
        return at

    def wake(self, now: int) -> None:
        """Handle what is due: start times, leases, pulls that time out, expiry."""
        self.alarm = NEVER
        while self.later and self.later[0][0] <= now:
            _, entry = heappop(self.later)
            self.enqueue(entry, None, now)
        over = [seq for seq, until in self.leases.items() if until <= now]
        if over:
            self.put_back(over)
        if self.pulls and not self.refilling:  # the refill may serve them
            self._serve_pulls(now)
            self._answer_empty([p for p in self.pulls if p.until is not None and p.until <= now])
        self._expire(now)
        self.touch()

    # Acknowledgements and failures.

    def acknowledge(self, seqs: Sequence[int]) -> None:
        """Acknowledge events; ignore numbers not in flight."""
        if self._land(seqs, Outcome.DELIVERED) and self.failures:
            self.failures = self.retry_at = 0

    def lose(self, seqs: Sequence[int]) -> None:
        """Settle events whose content is damaged or gone; ignore numbers not in flight."""
        self._land(seqs, Outcome.LOST)

    def withhold(self, seqs: Sequence[int]) -> None:
        """Purge events that its owner may not see any more; ignore numbers not in flight."""
        self._land(seqs, Outcome.PURGED)

    def _land(self, seqs: Sequence[int], outcome: Outcome) -> bool:
        """Settle events in flight; return whether there were any."""
        found = map(self.flight.pop, seqs, repeat(None))
        entries = list(filter(None, found))
        if not entries:
            return False
        if self.leases:
            for entry in entries:
                self.leases.pop(entry.seq, None)
        self.settle(entries, outcome)
        self.touch()
        return True

    def fail(self, seqs: Sequence[int], reason: object, now: int, *, behind: bool) -> bool:
        """Requeue events whose delivery failed; return whether to give the consumer up.

        `behind` means that delivery was not tried, because the consumer had just failed.
        """
        back = self.put_back(seqs)
        if not back:
            return False
        proxy, settings = self.proxy, self.core.settings
        text = kept_reason(reason)
        cause = Cause(now + self.core.offset, text)
        self._note_cause(back, cause)
        self.touch()
        if proxy.style is Style.PULL:
            return False  # a pull client retries itself
        if behind:
            self._pause(now)
            return False
        if self.retry_at > now:
            return False  # handed over before the pause: the same failure
        self.failures += 1
        text = f"{self.failures} failed deliveries in a row; the last: {text}"
        if not proxy.durable and self.failures >= settings.retry_limit:
            proxy.notice(NoticeKind.GIVEN_UP, text)
            self._bury(self.all_entries(), cause, Outcome.DEAD)
            return True
        if self.failures == 1:
            proxy.notice(NoticeKind.FAILING, text)
        self._pause(now)
        return False

    def _pause(self, now: int) -> None:
        """Back off: longer with each failure in a row."""
        settings = self.core.settings
        pause = settings.retry_first << min(max(self.failures - 1, 0), 30)
        self.retry_at = now + min(pause, settings.retry_longest)

    def forgive(self) -> None:
        """Reset the failure count for a new client."""
        self.retry_at = self.failures = 0

    def put_back(self, seqs: Iterable[int] | None = None) -> list[Entry]:
        """Requeue events in flight where they came from; None for all."""
        if not self.flight:
            return []
        if seqs is None:
            back = list(self.flight.values())
            self.flight = {}
            self.leases = {}
        else:
            asked = set(seqs)
            back = [entry for seq, entry in self.flight.items() if seq in asked]
            for entry in back:
                del self.flight[entry.seq]
                self.leases.pop(entry.seq, None)
        self.again.update(entry.seq for entry in back)
        self._return_to_queue(back)
        return back

    def _return_to_queue(self, back: Sequence[Entry]) -> None:
        """Put events before all others, by number among those requeued earlier."""
        if self.spilled:
            self.held += [entry for entry in back if not self._is_before_spilled(entry)]
            back = [entry for entry in back if self._is_before_spilled(entry)]
        returned = (self.returned & self.again) - self.flight.keys()
        highest = max((entry.seq for entry in back), default=0)
        earlier = {seq for seq in returned if seq < highest}
        among = sorted([*self.queue.remove(earlier), *back] if earlier else back, key=SEQ)
        self.queue.put_back(among)
        self.returned = returned.union(entry.seq for entry in back)

    def _note_cause(self, entries: Sequence[Entry], cause: Cause) -> None:
        """Remember why deliveries failed: the first cause and the latest ones."""
        for entry in entries:
            causes = self.causes.setdefault(entry.seq, [])
            if len(causes) == MAX_CAUSES:
                del causes[1]
            causes.append(cause)

    def reject(self, seqs: Sequence[int], reason: object, now: int) -> None:
        """Make dead letters of events the consumer refuses for good."""
        flight = self.flight
        entries = [flight[seq] for seq in dict.fromkeys(seqs) if seq in flight]
        if not entries:
            return
        cause = Cause(now + self.core.offset, kept_reason(reason))
        self._note_cause(entries, cause)
        self._bury(entries, cause, Outcome.REJECTED)
        too_many = self.withdraw([entry.seq for entry in entries])
        if too_many:
            self.settle(too_many, Outcome.DISCARDED)
        self.touch()

    def _bury(self, entries: Sequence[Entry], last: Cause, outcome: Outcome) -> None:
        """Make dead letters of events, with their causes; if too many, only of the last ones."""
        dead = list(entries[-self.core.settings.limits.dead_letters :])
        for entry in dead:
            causes = tuple(self.causes.get(entry.seq, ())) or (last,)
            letter = DeadLetter(self.channel.id, self.proxy.id, entry, last.at, causes)
            self.core.out.append(letter)
        self.withdraw([entry.seq for entry in dead])
        if dead:
            self.settle(dead, outcome)

    # Limits.

    def enforce_limits(self, now: int) -> None:
        """Bring the queue back below its limits."""
        self._expire(now)
        self.pump(now)  # what can be handed over does not have to go
        most = self.proxy.qos.max_events_per_consumer
        while most and self.waiting > most and (len(self.queue) or self.later):
            self._discard_one(f"MaxEventsPerConsumer is {most}")
        while (budget := self._exceeded()) is not None:
            self.discard_tenth(f"{self.proxy.owner} may let {budget.most} octets wait")
        while self.is_over():
            if not (self.core.spills and self.proxy.durable):
                self._discard_one(_SERVER_LIMIT)
            elif self.refilling or not len(self.queue):
                # Refilled entries must find all before them in memory; and what waits for its
                # StartTime has no place on the disk.
                return
            else:
                self._spill_last()

    def _discard_one(self, why: str) -> Entry:
        if len(self.queue):
            victim = self.queue.discard(self.proxy.discard_policy)
        else:  # all wait for their StartTime: the one that would come last
            last = max(self.later)
            victim = last[1]
            self.later.remove(last)
            heapify(self.later)
        self._discard([victim], why)
        return victim

    def _discard(self, victims: Sequence[Entry], why: str) -> None:
        self.settle(victims, Outcome.DISCARDED)
        policy = self.proxy.discard_policy
        self._report_slow(f"{why}; events are discarded by {policy.name} policy")

    def discard_tenth(self, why: str) -> None:
        """Discard a tenth of the waiting events whose content is only in memory."""
        policy = self.proxy.discard_policy
        waiting = [entry for entry in self.queue.entries() if entry.octets]
        waiting.sort(key=lambda entry: discard_key(policy, entry))
        seqs = [entry.seq for entry in waiting[: max(1, len(waiting) // 10)]]
        self._discard(self.queue.remove(seqs), why)

    def _report_slow(self, why: str) -> None:
        """Report once that the consumer is slow, until it has caught up."""
        if self.slow:
            return
        self.slow = True
        text = f"{self.waiting} events wait, {len(self.flight)} are in flight; {why}"
        self.proxy.notice(NoticeKind.SLOW_CONSUMER, text)

    # Spilling and refilling.

    def _is_before_spilled(self, entry: Entry) -> bool:
        return self.boundary is None or not self.queue.is_before(self.boundary, entry)

    def _spill_last(self) -> None:
        """Spill the events that would be delivered last, many at once."""
        entries = self.queue.take_last(max(1, self.most // 10))
        kept = [entry for entry in entries if entry.flags & PERSISTENT]
        lost = [entry for entry in entries if not entry.flags & PERSISTENT]
        if kept:
            self._spill(kept)
        if lost:
            self.settle(lost, Outcome.DISCARDED)
        self._report_slow("the rest waits on the disk")

    def _queue_beside_spilled(self, entry: Entry, now: int) -> None:
        """Queue an event while others are on disk."""
        self.touch()
        self.queue.push(entry)
        most = self.proxy.qos.max_events_per_consumer
        # The policy chooses among it and those in memory: those on disk are unknown.
        why = f"MaxEventsPerConsumer is {most}"
        if most and self.waiting > most and self._discard_one(why) is entry:
            return
        if not self._is_before_spilled(entry):
            self.queue.take_last(1)  # the others in memory come before what is on the disk
            self._put_behind_spilled(entry)
        elif self.is_over() or self._exceeded():
            self.enforce_limits(now)

    def _put_behind_spilled(self, entry: Entry) -> None:
        """Put an event behind the spilled ones: on disk, or held in memory until they are back."""
        if self.refilling:
            self.held.append(entry)
        elif entry.flags & PERSISTENT:
            self._spill([entry])
        elif len(self.queue) + len(self.later) + len(self.held) < self.most:
            self.held.append(entry)  # the content of a BestEffort event is in memory only
        else:
            self._discard([entry], _SERVER_LIMIT)

    def _spill(self, entries: Sequence[Entry]) -> None:
        """Spill entries to disk, and with them the account of their events."""
        channel, out = self.channel, self.core.out
        first = entries[0]
        for entry in entries:
            if self.queue.is_before(entry, first):
                first = entry
        if self.boundary is None or self.queue.is_before(first, self.boundary):
            self.boundary = first
        self.spilled += len(entries)
        channel.spilled += len(entries)
        out.append(Spill(channel.id, self.proxy.id, list(entries)))
        settled = channel.release(entries)
        if settled:
            out.append(Settled(channel.id, settled))

    def swap_out(self) -> int:
        """Spill all Persistent entries; return how many."""
        if not self.proxy.durable or not self.core.spills or self.refilling:
            return 0
        entries = self.queue.take_last(len(self.queue))
        kept = [entry for entry in entries if entry.flags & PERSISTENT]
        for entry in entries:
            if not entry.flags & PERSISTENT:
                behind = kept and self.queue.is_before(kept[0], entry)
                (self.held.append if behind else self.queue.push)(entry)
        if kept:
            self._spill(kept)
        return len(kept)

    def _ask_for_more(self) -> None:
        """Request a refill before memory runs out of entries."""
        limit = self.core.settings.limits.entries_per_consumer
        if len(self.queue) <= limit // 4 and self.proxy.attached and not self.proxy.suspended:
            self._ask_for_spilled()

    def _ask_for_spilled(self) -> None:
        self.refilling = order = self.queue.order
        most = max(1, self.core.settings.limits.entries_per_consumer // 2)
        self.core.out.append(Refill(self.channel.id, self.proxy.id, order.name.lower(), most))

    def purge(self, upto: int) -> int:
        """Drop all waiting events, but not those in flight; return how many.

        `upto` is the channel's latest number: spilled events up to it are dropped.
        """
        dropped = self.waiting
        waiting = [entry.seq for entry in self.all_entries() if entry.seq not in self.flight]
        if waiting:
            self.settle(self.withdraw(waiting), Outcome.PURGED)
        if self.spilled:
            self.purged = upto
            if self.refilling is None:
                self._ask_for_spilled()
        self.channel.backlog = None
        self.touch()
        return dropped

    def refill(self, command: Refilled, now: int) -> None:
        """Take refilled entries in; drop those purged meanwhile."""
        dropped = [entry for entry in command.entries if entry.seq <= self.purged]
        if dropped:
            kept = [entry for entry in command.entries if entry.seq > self.purged]
            command = command._replace(entries=kept)
            self.channel.load(dropped)
            self.settle(dropped, Outcome.PURGED)
        self._refill(command, now)
        if not self.spilled:
            self.purged = 0
        elif self.purged and self.refilling is None:
            self._ask_for_spilled()

    def _refill(self, command: Refilled, now: int) -> None:
        """Take refilled entries in: requested ones come before everything still on disk."""
        channel = self.channel
        channel.spilled += command.left - self.spilled
        self.spilled = command.left
        self.touch()
        if not command.asked and command.left:
            # The disk refused them, and its entries may come first: the next refill decides.
            channel.load(command.entries)
            self.held += command.entries
            return
        asked = self.refilling if command.asked else None
        if command.asked:
            self.refilling = None
        if asked is not None and asked is not self.queue.order and command.left:
            # The best of an outdated order: the best of the new one may be on disk.
            channel.load(command.entries)
            self._spill(command.entries)
            return
        if not command.left:
            self.boundary = None
        elif command.entries:
            self.boundary = command.entries[-1]
        channel.load(command.entries)
        channel.backlog = None
        held, self.held = self.held, []
        for entry in sorted([*command.entries, *held], key=SEQ):
            if self._is_before_spilled(entry):
                self.queue.push(entry)
            else:
                self._put_behind_spilled(entry)
        if self.is_over():
            self.enforce_limits(now)


def kept_reason(reason: object) -> str:
    """Return a consumer's reason as bounded, writable text, whatever the consumer gave."""
    text = reason if isinstance(reason, str) else repr(reason)
    return text[:MAX_REASON].encode("utf-8", "backslashreplace").decode()
