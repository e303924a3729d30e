"""The event channel: takes an event in, finds who wants it, and keeps account of it.

This file is the way of one event: `push` → `_accept` → `router.match` → the consumers' queues.
What happens to objects is in `lifecycle.py`, to answers of consumers in `answers.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappush
from typing import Final

from tidings.channel.backlog import Backlog
from tidings.channel.commands import Push, Warned
from tidings.channel.core import Core
from tidings.channel.delivery import Delivery, delivery_of
from tidings.channel.effects import Accepted, Done, Outcome, Reserved, Settled
from tidings.channel.entries import PERSISTENT, Entry
from tidings.channel.holders import Admin, Proxy
from tidings.channel.lifetimes import Quality, quality_of, view_of
from tidings.channel.offers import TypeRegistry
from tidings.channel.overflow import overflow, queue_beside_spilled, relieve
from tidings.channel.producers import ProducerMarks
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import QoS
from tidings.channel.routing import Router
from tidings.channel.translation import approximate_octets, entered
from tidings.channel.vocabulary import Item, Side
from tidings.errors import (
    AdminNotFound,
    ChannelFull,
    Disconnected,
    DiskFull,
    InvalidUsage,
    LimitExceeded,
    ProxyNotFound,
    TidingsError,
)
from tidings.events.envelope import ProducerMark
from tidings.events.fields import Fields, fields_for
from tidings.events.standard_header import with_standard_types
from tidings.events.structured import StructuredEvent
from tidings.filters.plan import Plan

# BestEffort events leave no record: so that no number is used twice after a crash, numbers are
# reserved this many at a time.
RESERVED_AT_ONCE: Final = 100_000

_TO_COME: Final = Settled(0, ())
_NO_VIEWS: Final[Mapping[int, Entry]] = {}


class Channel:
    """One event channel.

    Attributes:
        id: Unique in the factory.
        name: For people; empty for none.
        origin: The first half of the ids of its events.
        core: What it shares with the factory's other channels.
        qos: What applies to the channel.
        own: What was set at it.
        properties: Its admin properties.
        admins: By side and id; 0 is the default admin.
        last_admin: The highest id given, by side.
        proxies: By id, both sides.
        names: Ids of the proxies that have a name.
        last_proxy: The highest id given.
        proxies_reserved: Ids up to this one may be in use though no record shows it.
        seq: The number of the latest event.
        seq_reserved: Numbers up to this one may be in use though no record shows it.
        skipped: How many numbers up to `seq` no event has.
        live: How many consumers still wait for an event, by its number; not counting entries
            on the disk.
        spilled: How many entries of its consumers are on the disk.
        promised: How many events are still to come of pushes that were accepted as a whole.
        plan: The rules that judge events.
        router: The same rules, by what they ask for.
        offers: What suppliers say they will send.
        wants: What consumers ask for.
        marks: What producers have sent already.
    """

    def __init__(self, id: int, origin: str, core: Core, qos: QoS, admin: AdminProperties) -> None:
        self.id = id
        self.name = ""
        self.origin = origin
        self.core = core
        self.qos = qos
        self.own: dict[str, int] = {}
        self.properties = admin
        self.admins: dict[Side, dict[int, Admin]] = {Side.SUPPLIER: {}, Side.CONSUMER: {}}
        self.last_admin = {Side.SUPPLIER: 0, Side.CONSUMER: 0}
        self.proxies: dict[int, Proxy] = {}
        self.names: dict[str, int] = {}
        self.last_proxy = 0
        self.proxies_reserved = 0
        self.seq = 0
        self.seq_reserved = 0
        self.skipped = 0
        self.live: dict[int, int] = {}
        self.spilled = 0
        self.promised = 0
        self.plan = Plan()
        self.router = Router()
        self.offers: TypeRegistry[tuple[str, int]] = TypeRegistry()
        self.wants: TypeRegistry[int] = TypeRegistry()
        self.marks = ProducerMarks(core.settings.limits)
        self.backlog: Backlog | None = None

    def proxy(self, id: int, side: Side | None = None) -> Proxy:
        """A proxy by its id.

        Raises:
            ProxyNotFound: There is none.
            InvalidUsage: It is one for the other side.
        """
        found = self.proxies.get(id)
        if found is None:
            raise ProxyNotFound(f"channel {self.id} has no proxy {id}")
        if side is not None and found.side is not side:
            raise InvalidUsage(f"proxy {id} of channel {self.id} is not for a {side.value}")
        return found

    def admin(self, side: Side, id: int) -> Admin:
        """An admin by its side and id.

        Raises:
            AdminNotFound: There is none.
        """
        found = self.admins[side].get(id)
        if found is None:
            raise AdminNotFound(f"channel {self.id} has no {side.value} admin {id}")
        return found

    def proxies_of(self, side: Side) -> Iterator[Proxy]:
        """All proxies of one side."""
        for admin in self.admins[side].values():
            yield from admin.proxies.values()

    @property
    def accepted(self) -> int:
        """How many events it has accepted, as far as is known after a crash."""
        return self.seq - self.skipped

    def reservation(self) -> Reserved:
        """What a record must say of its numbers."""
        return Reserved(self.id, max(self.seq, self.seq_reserved), self.seq, self.skipped)

    def push(self, command: Push, now: int) -> list[int | TidingsError]:
        """Takes events in; for each its number, 0 if a filter stopped it, or an error."""
        items, promised = command.items, command.promised
        if promised:
            self.promised -= len(items)
        supplier = self.supplier_of(command)
        return self.take_in(supplier, items, command.marks, command.hops, now, promised=promised)

    def supplier_of(self, command: Push) -> Proxy:
        """The proxy through which a push comes, if it can.

        Raises:
            Disconnected: Nobody is connected there.
            LimitExceeded: It has too many events.
            InvalidUsage: It has not as many marks as events.
        """
        supplier = self.proxy(command.proxy, Side.SUPPLIER)
        if not supplier.connected:
            raise Disconnected(f"nobody is connected to proxy {supplier.id} of channel {self.id}")
        items, marks = command.items, command.marks
        most = self.core.settings.limits.batch_events
        if len(items) > most:
            raise LimitExceeded(f"a push has at most {most} events, not {len(items)}")
        if marks is not None and len(marks) != len(items):
            raise InvalidUsage(f"{len(items)} events came with {len(marks)} producer marks")
        return supplier

    def check_whole(self, command: Push, now: int) -> None:
        """Refuses a push of which one event would be refused, before any is taken in.

        Raises:
            TidingsError: What the first such event would be refused with.
        """
        supplier = self.supplier_of(command)
        core, items = self.core, command.whole
        is_tight = self.room_for(len(items)) < len(items)
        ahead = self.promised
        for item in items:
            event = self._entered(item)
            try:
                quality = quality_of(event.header, supplier, now)
                self._is_full_for(event, quality, approximate_octets(event), ahead)
            except TidingsError:
                if self._is_stopped(supplier, fields_for(event, now + core.offset)):
                    continue
                raise
            if is_tight:
                fields = fields_for(event, now + core.offset)
                if not self._is_stopped(supplier, fields) and self.router.match(fields):
                    ahead += 1
        if command.more:
            self.promised += len(items) - len(command.items)

    def take_in(
        self,
        supplier: Proxy,
        items: Sequence[Item],
        marks: Sequence[ProducerMark] | None,
        hops: tuple[str, ...],
        now: int,
        *,
        promised: bool = False,
    ) -> list[int | TidingsError]:
        """Takes events in one by one: one that is refused does not keep the others out."""
        ahead = 0 if promised else self.promised  # else room was kept for them
        answers: list[int | TidingsError] = []
        for index, item in enumerate(items):
            try:
                mark = None if marks is None else marks[index]
                answers.append(self._accept(supplier, item, mark, hops, now, ahead))
            except TidingsError as error:
                answers.append(error)
        return answers

    def _accept(
        self,
        supplier: Proxy,
        item: Item,
        mark: ProducerMark | None,
        hops: tuple[str, ...],
        now: int,
        ahead: int,
    ) -> int:
        if mark is not None:
            known = self.marks.seen(mark)
            if known is not None:
                return known
        core = self.core
        event = self._entered(item)
        fields = fields_for(event, now + core.offset)
        if self._is_stopped(supplier, fields):
            if mark is not None:
                self.marks.record(mark, 0)
            return 0
        quality = quality_of(event.header, supplier, now)
        octets = approximate_octets(event)
        is_full = self._is_full_for(event, quality, octets, ahead)
        in_memory = not (quality.persistent and core.spills)
        if in_memory and core.octets + octets > core.settings.limits.octets_in_all:
            relieve(core, octets)
        self.seq = seq = self.seq + 1
        if mark is not None:
            self.marks.record(mark, seq)
        if not in_memory:
            entry = Entry(quality.expiry, seq, quality.priority, 0, quality.flags)
        else:
            entry = Entry(quality.expiry, seq, quality.priority, octets, quality.flags)
            if seq > self.seq_reserved and core.spills:
                self.seq_reserved = seq + RESERVED_AT_ONCE
                core.out.append(self.reservation())
        self._give_out(event, fields, quality, entry, mark, hops, now)
        if is_full:
            self.backlog_of().make_room(self, self.properties.max_queue_length)
        return Warned.of(seq, quality.warnings) if quality.warnings else seq

    def judge(self, proxy: int, item: Item, now: int) -> None:
        """Asks all filters that an event meets on its way in, and does nothing else.

        Raises:
            TidingsError: It will not be taken in.
        """
        supplier = self.proxy(proxy, Side.SUPPLIER)
        fields = fields_for(self._entered(item), now + self.core.offset)
        if not self._is_stopped(supplier, fields):
            self.router.match(fields)

    def _is_stopped(self, supplier: Proxy, fields: Fields) -> bool:
        """Whether a filter on the supplier's side stops an event."""
        return supplier.judged and not self.plan.verdict(fields, supplier.id).passed

    def _entered(self, item: Item) -> StructuredEvent:
        event = entered(item, self.core.settings.unwrap)
        return with_standard_types(event) if event.header else event

    def _is_full_for(
        self, event: StructuredEvent, quality: Quality, octets: int, ahead: int
    ) -> bool:
        """Refuses an event for which there is no room; whether one has to go for it.

        Args:
            event: The event.
            quality: What applies to it.
            octets: About how much memory it takes.
            ahead: How many events will wait before it that have not come yet: of the same push, and
                of pushes that were accepted as a whole.
        """
        core = self.core
        limits = core.settings.limits
        if octets > limits.event_octets:
            raise LimitExceeded(
                f"the event {event.name!r} takes about {octets} octets, "
                f"the limit is {limits.event_octets}"
            )
        if quality.persistent and core.disk_full:
            raise DiskFull(core.disk_full)
        most = self.properties.max_queue_length
        waiting = len(self.live) + self.spilled
        is_full = most > 0 and waiting + ahead >= most
        if is_full and self.properties.reject_new_events:
            batch = f"{ahead - self.promised} of the batch fit, none was accepted"
            raise ChannelFull(
                f"MaxQueueLength is {most}, and {waiting} events wait in channel {self.id}; "
                + (batch if ahead > self.promised else "the event was not accepted")
            )
        return is_full

    def room_for(self, events: int) -> int:
        """How many of so many new events would not be refused."""
        most = self.properties.max_queue_length
        if not most or not self.properties.reject_new_events:
            return events
        return max(0, min(events, most - len(self.live) - self.spilled - self.promised))

    def _give_out(
        self,
        event: StructuredEvent,
        fields: Fields,
        quality: Quality,
        entry: Entry,
        mark: ProducerMark | None,
        hops: tuple[str, ...],
        now: int,
    ) -> None:
        """Puts an accepted event into the queues of all who want it."""
        core = self.core
        recipients = self.router.match(fields)
        seq = entry.seq
        if recipients:
            self.live[seq] = len(recipients)
            core.octets += entry.octets
        out = core.out
        place = len(out)
        out.append(_TO_COME)  # filled below: it must come before what rests on it
        core.touched.update(dict.fromkeys(recipients))
        views = self._queue_for(recipients, entry, fields, quality, now)
        durable: Sequence[int] = ()
        if entry.flags & PERSISTENT:
            durable = [proxy.id for proxy in recipients if proxy.durable]
        out[place] = Accepted(
            self.id,
            seq,
            event,
            now + core.offset,
            self.plan.version,
            mark,
            hops,
            entry,
            None if quality.start is None else quality.start + core.offset,
            [proxy.id for proxy in recipients],
            durable,
            views,
        )
        if self.backlog is not None and recipients:
            self.backlog.add(entry, recipients)

    def _queue_for(
        self,
        recipients: Sequence[Proxy],
        entry: Entry,
        fields: Fields,
        quality: Quality,
        now: int,
    ) -> Mapping[int, Entry]:
        """Puts an event into queues; the entries of those who see it differently."""
        views: dict[int, Entry] | None = None
        at_once = quality.start is None
        for proxy in recipients:
            delivery = proxy.delivery
            if (
                at_once
                and delivery is not None
                and not (proxy.special or delivery.spilled or delivery.later)
            ):
                # The way of most copies, short; `enqueue` is the long one.
                queue = delivery.queue
                queue.push(entry)
                if queue.length > delivery.most or queue.octets > delivery.most_octets:
                    overflow(proxy, delivery, now)
                continue
            seen, start = entry, quality.start
            if proxy.special:
                seen, start = view_of(proxy, entry, fields, quality, now)
                if seen is not entry:
                    views = views or {}
                    views[proxy.id] = seen
            self.enqueue(proxy, seen, start, now)
        return views or _NO_VIEWS

    def enqueue(self, proxy: Proxy, entry: Entry, start: int | None, now: int) -> None:
        """Puts an event into a consumer's queue; what is too much is discarded or spilled."""
        delivery = proxy.delivery or delivery_of(proxy)
        if start is not None and start > now:
            heappush(delivery.later, (start, entry))
        elif delivery.spilled:
            queue_beside_spilled(proxy, delivery, entry, now)
            return
        else:
            delivery.queue.push(entry)
        if delivery.is_over():
            overflow(proxy, delivery, now)
        self.core.touched[proxy] = None

    def done(self, proxy: Proxy, entries: Sequence[Entry], outcome: Outcome) -> None:
        """Strikes copies of events off: one consumer waits for them no more."""
        live = self.live
        settled: list[int] = []
        octets = 0
        for entry in entries:
            seq = entry[1]
            left = live.get(seq, 1) - 1
            if left:
                live[seq] = left
            else:
                live.pop(seq, None)
                settled.append(seq)
                octets += entry[3]
        durable: Sequence[int] = ()
        if proxy.durable:
            durable = [entry[1] for entry in entries if entry[4] & PERSISTENT]
        core = self.core
        core.octets -= octets
        core.out.append(Done(self.id, proxy.id, outcome, len(entries), durable))
        if settled:
            core.out.append(Settled(self.id, settled))
        delivery = proxy.delivery
        if delivery is not None:
            delivery.counted(outcome, entries)

    def unload(self, entries: Sequence[Entry]) -> None:
        """The account of these copies is kept on the disk from now on."""
        live = self.live
        settled: list[int] = []
        for entry in entries:
            left = live.get(entry.seq, 1) - 1
            if left:
                live[entry.seq] = left
            else:
                live.pop(entry.seq, None)
                settled.append(entry.seq)
        if settled:
            self.core.out.append(Settled(self.id, settled))

    def load(self, entries: Sequence[Entry]) -> None:
        """The account of these copies is kept here again."""
        live = self.live
        for entry in entries:
            live[entry.seq] = live.get(entry.seq, 0) + 1

    def backlog_of(self) -> Backlog:
        """The order in which events go when the channel is full; made when first needed."""
        if self.backlog is None:
            self.backlog = Backlog.of(self)
        return self.backlog

    def deliveries(self) -> list[tuple[Proxy, Delivery]]:
        """All consumers that have or had events."""
        return [(p, p.delivery) for p in self.proxies.values() if p.delivery is not None]
